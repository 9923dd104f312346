"""How simulations roll up to L4, and whom a broken rule is blamed on. Source: CERTIFICATION.md, Levels."""

import msgspec
import pytest
from values import catalogue, clause, judged, passed

from harness.core.chaos import RuleBroken, SeedPlayed, Simulated, blamed
from harness.core.clause import Level
from harness.core.outcome import outcome_of, outcome_of_some
from harness.core.verdict import ClauseVerdict, Exploration, Outcome, roll_up_system

GATE = {"gate": ()}
ALL = catalogue(clause("M-1"), clause("M-2"), clause("S-1", Level.SHOULD), clause("H-1", profiles={"stop_hook": None}))
PASSED = (passed("M-1"), passed("M-2"), passed("S-1"))
CALM = judged("calm", *PASSED)
STORM, VARIANT = (
    msgspec.structs.replace(judged(level, *PASSED), level=level, struck=frozenset({"M-1", "M-2"}))
    for level in ("L2", "L3")
)
EXPLORED = (Exploration("s", "gate", ("M-1", "M-2")),)
SOUND = SeedPlayed(seed=5, digest="d", events=90, sessions=4, questions={"check": 7})
BROKEN = RuleBroken("INT-09", "it holds", ("X-1", "M-2", "H-1"), 1, 12, "windtunnel simulate --until 12")


def seeds(*played, **more):
    settings = {
        "profile": "gate", "carrier": "stdio", "days": 1, "agents": 3, "weather": "hostile", "rules": ("INT-09",),
        "held": (), **more,
    }  # fmt: skip
    return Simulated(seeds=played, **settings)


def one(**more):
    return seeds(msgspec.structs.replace(SOUND, **more))


def rolled(*simulated, level="L4", scenarios=(CALM, STORM, VARIANT), profiles=GATE, explored=EXPLORED):
    result = roll_up_system(ALL, profiles, scenarios, None, level, explored, simulated)
    return result, outcome_of((ALL,), {"toy": result})


def test_the_fourth_level_is_reached_by_simulations_that_break_nothing():
    result, outcome = rolled(seeds(SOUND, SOUND, days=2))
    assert ("L4", None, True, Outcome.CONFORMANT) == (result.level, result.stopped_by, result.strict, outcome)
    assert "2 virtual days of 3 agents in hostile weather under 2 seeds" == result.levels["L4"].reason
    assert 2 == len(result.simulated[0].seeds)


def test_what_was_not_simulated_is_said_with_the_level():
    found = rolled(seeds(SOUND, agents=1, spared=("full disks",)), seeds(SOUND, spared=("full disks", "the clock")))[0]
    said = "1 virtual day of 1 agent in hostile weather under 1 seed; not simulated for it: full disks; the clock"
    assert said == found.levels["L4"].reason


def test_without_the_third_level_there_is_no_fourth():
    result, outcome = rolled(seeds(SOUND), scenarios=(CALM, STORM))
    assert ("L2", Outcome.INCONCLUSIVE) == (result.level, outcome)
    assert result.levels["L4"].reason.startswith("L3 is not reached: ")


def test_a_run_of_the_third_level_says_nothing_of_simulations():
    result, outcome = rolled(level="L3")
    assert (["L1", "L2", "L3"], Outcome.CONFORMANT) == (list(result.levels), outcome)


def test_a_rule_that_only_the_exchanged_system_breaks_fails_its_clauses_and_the_run():
    result, outcome = rolled(one(broken=(BROKEN,), control=()))
    assert ("L3", "M-2", Outcome.NONCONFORMANT) == (result.level, result.stopped_by, outcome)
    assert ("M-2",) == result.levels["L4"].open
    deviating = {id_ for id_, found in result.clauses.items() if found.verdict is ClauseVerdict.DEVIATES}
    assert {"M-2"} == deviating, "what binds nobody here stays not applicable"
    assert result.clauses["M-2"].reason == (
        "INT-09 is broken once in the simulation of seed 5, and holds with the reference in its place: it holds "
        "(X-1, M-2, H-1)"
    )


def test_a_should_that_a_broken_rule_rests_on_takes_strictness_too():
    broken = msgspec.structs.replace(BROKEN, rests_on=("S-1",), times=1200)
    result, outcome = rolled(one(broken=(broken,), control=()))
    assert ("L3", False, Outcome.NONCONFORMANT) == (result.level, result.strict, outcome)
    assert "broken 1,200 times" in result.clauses["S-1"].reason


def test_a_rule_that_rests_on_none_of_its_clauses_is_not_conformant_all_the_same():
    broken = msgspec.structs.replace(BROKEN, rests_on=("X-1",))
    result, outcome = rolled(one(broken=(broken,), control=()))
    assert ("L3", None, Outcome.NONCONFORMANT) == (result.level, result.stopped_by, outcome)
    assert result.levels["L4"].reason.startswith("INT-09 is broken once")
    assert Outcome.NONCONFORMANT is outcome_of_some(("M-1",), [ALL], {"toy": result})


def test_a_clause_that_deviates_already_keeps_its_reason():
    declared = roll_up_system(
        ALL, GATE, (CALM,), {"M-2": "later"}, "L4", (), (one(broken=(BROKEN,), control=()),)
    )  # fmt: skip
    assert "declared: later" == declared.clauses["M-2"].reason


@pytest.mark.parametrize(
    ("simulated", "said"),
    [
        ((), "nothing was simulated in profile gate"),
        ((seeds(),), "nothing was simulated in profile gate"),
        ((seeds(SOUND, profile="stop_hook"),), "nothing was simulated in profile gate"),
        ((one(questions={}),), "it was never asked anything"),
        ((one(questions={"check": 0}),), "it was never asked anything"),
        ((seeds(SOUND), one(questions={}, seed=6)), "never asked anything, so its simulation shows nothing (profile gate, seed 6)"),
        ((one(cut="it was ended early"),), "the simulation was cut: it was ended early"),
        ((one(flaky=("INT-09",)),), "INT-09 was broken, and held when the same was played again: flaky"),
        ((one(broken=(BROKEN,)),), "INT-09 is broken, and whose doing that is was not shown"),
        ((one(broken=(BROKEN,), control=("INT-30",)),), "INT-09 is broken, and whose doing that is was not shown"),
    ],
)  # fmt: skip
def test_what_shows_too_little_stops_the_fourth_level_and_blames_nobody(simulated, said):
    result, outcome = rolled(*simulated)
    assert ("L3", Outcome.INCONCLUSIVE, False) == (result.level, outcome, result.levels["L4"].reached)
    assert said in result.levels["L4"].reason
    assert ClauseVerdict.CONFORMS is result.clauses["M-2"].verdict
    assert () == blamed(simulated)


def test_every_profile_that_is_judged_has_to_be_simulated():
    both = {"gate": (), "other": ()}
    explored = (*EXPLORED, Exploration("t", "other", ("M-1",)))
    other = msgspec.structs.replace(VARIANT, profile="other")
    scenarios = (CALM, STORM, VARIANT, other)
    missing = rolled(seeds(SOUND), scenarios=scenarios, profiles=both, explored=explored)[0]
    assert "nothing was simulated in profile other" == missing.levels["L4"].reason
    played = (seeds(SOUND), seeds(SOUND, profile="other"))
    assert "L4" == rolled(*played, scenarios=scenarios, profiles=both, explored=explored)[0].level


def test_a_rule_is_told_once_with_the_first_seed_that_breaks_it():
    played = [msgspec.structs.replace(SOUND, seed=seed, broken=(BROKEN,), control=()) for seed in (5, 6)]
    assert [5] == [found.seed for found, _ in blamed((seeds(*played),))]

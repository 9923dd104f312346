"""How scenarios of two levels roll up (CERTIFICATION.md, Levels): L2 needs L1, and every MUST again under a fault."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from values import catalogue, clause, failed, inconclusive, judged, passed

from harness.core.clause import Level
from harness.core.outcome import outcome_of, outcome_of_some
from harness.core.verdict import (
    ClauseVerdict,
    Exploration,
    Outcome,
    roll_up_system,
)

GATE = {"gate": ()}
ALL = catalogue(clause("M-1"), clause("M-2"), clause("S-1", Level.SHOULD))
CALM = judged("calm", passed("M-1"), passed("M-2"), passed("S-1"))


def stormy(name, *findings, struck=None, **more):
    """A scenario of L2; unless told otherwise, every clause in it was met under its fault."""
    met = frozenset(finding.clause for finding in findings) if struck is None else frozenset(struck)
    return msgspec.structs.replace(judged(name, *findings, **more), level="L2", struck=met)


def rolled(*scenarios, level="L2", declared=None, of=ALL, profiles=GATE):
    result = roll_up_system(of, profiles, scenarios, declared, level)
    return result, outcome_of((of,), {"toy": result})


def test_both_levels_are_reached_when_every_must_holds_again_under_a_fault():
    result, outcome = rolled(CALM, stormy("storm", passed("M-1"), passed("M-2")))
    assert ("L2", None, Outcome.CONFORMANT) == (result.level, result.stopped_by, outcome)
    assert {"L1": True, "L2": True} == {name: level.reached for name, level in result.levels.items()}


@pytest.mark.parametrize(
    ("storm", "stopped_by", "reason", "outcome"),
    [
        ((failed("M-1", observed="it blocked"), passed("M-2")), "M-1", "it blocked", Outcome.NONCONFORMANT),
        ((passed("M-1"), inconclusive("M-2", reason="no mount")), "M-2", "no mount", Outcome.INCONCLUSIVE),
        (
            (passed("M-1"),),
            "M-2",
            "no scenario of L2 met it under a proven fault in profile gate",
            Outcome.INCONCLUSIVE,
        ),
        ((), "M-1", "no scenario of L2 met it under a proven fault in profile gate", Outcome.INCONCLUSIVE),
        ((inconclusive("M-1"), failed("M-2", observed="x")), "M-2", "x", Outcome.NONCONFORMANT),
    ],
)
def test_the_second_level_is_stopped_and_the_first_is_kept(storm, stopped_by, reason, outcome):
    result, said = rolled(CALM, stormy("storm", *storm))
    assert ("L1", stopped_by, outcome) == (result.level, result.stopped_by, said)
    assert (True, False) == (result.levels["L1"].reached, result.levels["L2"].reached)
    assert reason == result.levels["L2"].reason
    assert stopped_by == result.levels["L2"].open[0]


def test_a_must_that_only_the_calm_part_of_a_scenario_met_is_not_met_under_its_fault():
    result, _ = rolled(CALM, stormy("storm", passed("M-1"), passed("M-2"), struck=["M-1"]))
    assert ("L1", ("M-2",)) == (result.level, result.levels["L2"].open)


def test_a_fault_in_a_scenario_of_the_first_level_does_not_show_the_second():
    struck = msgspec.structs.replace(CALM, struck=frozenset({"M-1", "M-2"}))
    assert "L1" == rolled(struck)[0].level


def test_every_profile_in_which_a_must_binds_has_to_meet_it_again():
    both = catalogue(clause("M-1", profiles={"gate": None, "stop_hook": None}))
    profiles = {"gate": (), "stop_hook": ()}
    calm = (judged("calm", passed("M-1")), judged("calm-hook", passed("M-1"), profile="stop_hook"))
    one = rolled(*calm, stormy("storm", passed("M-1")), of=both, profiles=profiles)[0]
    assert ("L1", True) == (one.level, "in profile stop_hook" in one.levels["L2"].reason)
    two = rolled(
        *calm, stormy("s", passed("M-1")), stormy("h", passed("M-1"), profile="stop_hook"), of=both, profiles=profiles
    )
    assert "L2" == two[0].level


def test_without_the_first_level_there_is_no_second():
    first = judged("calm", failed("M-1", observed="it blocked"), passed("M-2"))
    result, outcome = rolled(first, stormy("storm", passed("M-1"), passed("M-2")))
    assert (None, "M-1", Outcome.NONCONFORMANT) == (result.level, result.stopped_by, outcome)
    assert "L1 is not reached: it blocked" == result.levels["L2"].reason


def test_what_only_the_second_level_met_does_not_show_the_first():
    result, outcome = rolled(judged("calm", passed("M-1")), stormy("storm", passed("M-1"), passed("M-2")))
    assert (None, "M-2", Outcome.INCONCLUSIVE) == (result.level, result.stopped_by, outcome)
    assert ClauseVerdict.CONFORMS is result.clauses["M-2"].verdict


def test_a_run_of_the_first_level_says_nothing_of_the_second():
    result, outcome = rolled(CALM, level="L1")
    assert ("L1", ["L1"], Outcome.CONFORMANT) == (result.level, list(result.levels), outcome)


def test_a_failure_beyond_the_level_that_was_asked_for_leaves_it_and_still_deviates():
    """What search finds under a fault while L1 is asked for."""
    result, outcome = rolled(CALM, stormy("found", failed("M-1")), level="L1")
    assert ("L1", Outcome.NONCONFORMANT) == (result.level, outcome)


def test_what_is_declared_unimplemented_reaches_no_level():
    result, outcome = rolled(CALM, stormy("storm", passed("M-1"), passed("M-2")), declared={"M-2": ""})
    assert (None, "M-2", Outcome.NONCONFORMANT) == (result.level, result.stopped_by, outcome)


def test_a_should_that_fails_under_a_fault_takes_only_strictness():
    result, outcome = rolled(CALM, stormy("storm", passed("M-1"), passed("M-2"), failed("S-1")))
    assert ("L2", False, Outcome.CONFORMANT) == (result.level, result.strict, outcome)


def test_a_must_that_binds_nobody_stops_no_level():
    here = catalogue(clause("M-1"), clause("N-1", profiles={"stop_hook": None}))
    assert "L2" == rolled(judged("calm", passed("M-1")), stormy("s", passed("M-1")), of=here)[0].level
    nobody, outcome = rolled(of=catalogue(clause("N-1", profiles={"stop_hook": None})))
    assert (None, None, Outcome.INCONCLUSIVE) == (nobody.level, nobody.stopped_by, outcome)
    assert "no MUST clause binds this implementation" in nobody.levels["L1"].reason


def test_a_run_of_some_clauses_counts_both_levels():
    result = rolled(CALM, stormy("storm", failed("M-1")))[0]
    assert Outcome.NONCONFORMANT is outcome_of_some(("M-2",), [ALL], {"toy": result})


ids = st.sampled_from(("M-1", "M-2", "S-1"))
found = st.one_of(st.builds(passed, ids), st.builds(failed, ids), st.builds(inconclusive, ids))
runs = st.lists(
    st.builds(
        lambda level, struck, findings: msgspec.structs.replace(judged("s", *findings), level=level, struck=struck),
        st.sampled_from(("L1", "L2")),
        st.frozensets(ids),
        st.lists(found, max_size=4),
    ),
    max_size=6,
)


@given(runs)
def test_the_second_level_is_reached_only_as_the_document_says(run):
    result, outcome = rolled(*run)
    if result.level == "L2":
        assert Outcome.CONFORMANT is outcome
        for id_ in ("M-1", "M-2"):
            seen = [(scenario, f) for scenario in run for f in scenario.findings if f.clause == id_]
            assert {"PASS"} == {f.verdict.value for _, f in seen}
            assert any(scenario.level == "L1" for scenario, _ in seen)
            assert any(scenario.level == "L2" and id_ in scenario.struck for scenario, _ in seen)
    else:
        assert Outcome.CONFORMANT is not outcome


@given(runs, ids)
def test_one_more_failure_never_raises_a_level(run, clause_id):
    """CERTIFICATION.md, Determinism: fresh search can only fail."""
    order = (None, "L1", "L2")
    for level in ("L1", "L2"):
        more = msgspec.structs.replace(judged("more", failed(clause_id)), level=level)
        before, after = rolled(*run)[0].level, rolled(*run, more)[0].level
        assert order.index(after) <= order.index(before)


STORM = stormy("storm", passed("M-1"), passed("M-2"))
WHOLE = Exploration("tour", "gate", ("M-1", "S-1"))


def variant(name, *findings, struck=None):
    """A variant of L3; unless told otherwise, every clause in it was met under what was enumerated."""
    return msgspec.structs.replace(stormy(name, *findings, struck=struck), level="L3")


def explored(*scenarios, explorations=(WHOLE,), profiles=GATE):
    result = roll_up_system(ALL, profiles, (CALM, STORM, *scenarios), None, "L3", explorations)
    return result, outcome_of((ALL,), {"toy": result})


def test_the_third_level_is_reached_when_every_must_that_is_named_holds_in_a_variant():
    result, outcome = explored(variant("v-1", passed("M-1")), variant("v-2"))
    assert ("L3", None, Outcome.CONFORMANT) == (result.level, result.stopped_by, outcome)


@pytest.mark.parametrize(
    ("variants", "explorations", "stopped_by", "reason", "outcome"),
    [
        ((), (), None, "nothing was explored in profile gate", Outcome.INCONCLUSIVE),
        ((), (WHOLE,), "M-1", "nothing that L3 enumerates met it in profile gate", Outcome.INCONCLUSIVE),
        (
            (variant("v", passed("M-1"), struck=[]),),
            (WHOLE,),
            "M-1",
            "nothing that L3 enumerates met it in profile gate",
            Outcome.INCONCLUSIVE,
        ),
        (
            (variant("v", passed("M-1")), variant("w", failed("M-2", observed="it was lost"))),
            (WHOLE,),
            "M-2",
            "it was lost",
            Outcome.NONCONFORMANT,
        ),
        (
            (variant("v", passed("M-1")),),
            (WHOLE, Exploration("long", "gate", ("M-1",), "after 9 of 10"), Exploration("b", "gate", (), "x")),
            None,
            "cut: long: after 9 of 10, and 1 more scenarios",
            Outcome.INCONCLUSIVE,
        ),
    ],
)
def test_the_third_level_is_stopped_and_the_second_is_kept(variants, explorations, stopped_by, reason, outcome):
    result, said = explored(*variants, explorations=explorations)
    assert ("L2", stopped_by, outcome) == (result.level, result.stopped_by, said)
    assert (False, reason) == (result.levels["L3"].reached, result.levels["L3"].reason)


def test_a_bound_of_orders_leaves_the_third_level_and_is_told_with_it():
    bounded = (WHOLE, *(Exploration(name, "gate", (), bounded="at 200 orders") for name in ("long", "longer")))
    result, outcome = explored(variant("v", passed("M-1")), explorations=bounded)
    assert ("L3", Outcome.CONFORMANT) == (result.level, outcome)
    assert "orders cut: long: at 200 orders, and 1 more scenarios" == result.levels["L3"].reason


def test_every_profile_has_to_be_explored():
    both = {"gate": (), "hook": ()}
    result, _ = explored(variant("v", passed("M-1")), profiles=both)
    assert "nothing was explored in profile hook" == result.levels["L3"].reason


def test_without_the_second_level_there_is_no_third():
    result = roll_up_system(ALL, GATE, (CALM, variant("v", passed("M-1"))), None, "L3", (WHOLE,))
    why = "no scenario of L2 met it under a proven fault in profile gate"
    assert ("L1", f"L2 is not reached: {why}") == (result.level, result.levels["L3"].reason)


def test_what_a_variant_meets_is_not_counted_for_the_second_level():
    result = roll_up_system(ALL, GATE, (CALM, variant("v", passed("M-1"), passed("M-2"))), None, "L2")
    assert (True, False) == (result.levels["L1"].reached, result.levels["L2"].reached)


def test_what_is_found_about_a_clause_of_no_catalogue_changes_nothing():
    odd = judged("odd", failed("X-1"))
    assert roll_up_system(ALL, GATE, (CALM,), None, "L1") == roll_up_system(ALL, GATE, (CALM, odd), None, "L1")

"""How checks roll up to clauses, clauses to a level, systems to an outcome (CERTIFICATION.md)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from values import catalogue, clause, failed, inconclusive, judged, passed

from harness.core.clause import Level
from harness.core.finding import CheckVerdict, Finding
from harness.core.outcome import outcome_of, outcome_of_some
from harness.core.verdict import (
    EXIT_CODES,
    ClauseResult,
    ClauseVerdict,
    Outcome,
    roll_up_clause,
    roll_up_system,
)

GATE = {"gate": ()}
CONFORMS = ClauseVerdict.CONFORMS
DEVIATES = ClauseVerdict.DEVIATES
NOT_ESTABLISHED = ClauseVerdict.NOT_ESTABLISHED
NOT_APPLICABLE = ClauseVerdict.NOT_APPLICABLE


def rolled(*scenarios, of=None, profiles=GATE) -> ClauseResult:
    return roll_up_clause(of or clause(), profiles, scenarios)


def test_a_witnessed_pass_conforms():
    assert rolled(judged("a", passed(witnesses=2)), judged("b", passed())) == ClauseResult(CONFORMS, "", 3)


@pytest.mark.parametrize(
    "scenarios",
    [(), (judged("a"),), (judged("a", passed("T-2")),), (judged("a", passed(witnesses=0)),)],
    ids=["nothing ran", "nothing found", "only of another clause", "a pass without a witness"],
)
def test_without_a_witness_nothing_conforms(scenarios):
    expected = ClauseResult(NOT_ESTABLISHED, "untested: no scenario of this run entered its situation")
    assert expected == rolled(*scenarios)


def test_any_failure_deviates_and_the_smallest_failing_scenario_is_shown():
    result = rolled(
        judged("a", passed()),
        judged("big", failed(observed="big"), size=30),
        judged("z-small", failed(observed="second"), size=5),
        judged("b-small", failed(observed="smallest"), size=5),
        judged("c", inconclusive()),
    )
    assert result == ClauseResult(DEVIATES, "smallest", 4, None, "b-small", ("b-small", "z-small", "big"))


def test_a_failure_is_told_by_its_reason_before_what_was_observed():
    assert rolled(judged("a", failed(reason="because", observed="seen"))).reason == "because"
    assert rolled(judged("a", failed(observed="seen"))).reason == "seen"


def test_one_scenario_that_fails_twice_is_named_once():
    result = rolled(judged("a", failed(observed="first"), failed(observed="second")), judged("a", failed()))
    assert result == ClauseResult(DEVIATES, "first", 3, None, "a", ("a",))


@pytest.mark.parametrize(("given_reason", "reason"), [("flaky", "flaky"), ("", "its situation was not entered")])
def test_one_inconclusive_check_leaves_the_clause_not_established(given_reason, reason):
    result = rolled(judged("a", passed()), judged("b", inconclusive(reason=given_reason)))
    assert result == ClauseResult(NOT_ESTABLISHED, reason, 1, None, "b")


def test_a_check_in_which_the_harness_broke_establishes_nothing():
    broken = Finding("T-1", CheckVerdict.HARNESS_ERROR, reason="the rule raised KeyError: 'x'")
    result = rolled(judged("a", passed()), judged("b", broken))
    assert result == ClauseResult(NOT_ESTABLISHED, "the harness broke: the rule raised KeyError: 'x'", 1, None, "b")


def test_a_loose_clause_is_never_established_and_still_deviates():
    loose = clause(ambiguous=True)
    assert rolled(judged("a", passed()), of=loose).verdict is NOT_ESTABLISHED
    assert rolled(judged("a", passed()), of=loose).reason.startswith("loose:")
    assert rolled(judged("a", failed()), of=loose).verdict is DEVIATES


@pytest.mark.parametrize(
    ("seen", "verdict", "reading"),
    [
        ([("a", "b"), ("a",)], CONFORMS, "a"),
        ([("b", "a"), ("a", "b")], CONFORMS, "a or b"),
        ([("c",), None], CONFORMS, "c"),
        ([None, None], CONFORMS, None),
        ([("a",), ("b",)], DEVIATES, None),
        ([None, ("a", "b"), ("b", "c"), ("a", "c")], DEVIATES, None),
        ([("a",), ()], DEVIATES, None),
    ],
)
def test_the_readings_that_every_observation_allows_survive(seen, verdict, reading):
    scenarios = [judged(f"s{n}", passed(readings=readings)) for n, readings in enumerate(seen)]
    result = rolled(*scenarios, of=clause(ambiguous=True, readings=("a", "b", "c")))
    assert (result.verdict, result.reading) == (verdict, reading)
    if verdict is DEVIATES:
        last = f"s{len(seen) - 1}"
        assert (result.reason, result.scenario) == ("inconsistent: different readings in one run", last)
        assert result.failures == (last,)


@pytest.mark.parametrize(
    ("bound", "profiles", "reason"),
    [
        ({"stop_hook": None}, GATE, "shows only in profile stop_hook"),
        ({"gate": "extra"}, GATE, "group extra is not declared"),
        ({"gate": "extra", "stop_hook": None}, {"gate": ("other",)}, "group extra is not declared"),
        ({}, GATE, "shows only in profile "),
        ({"gate": None}, {}, "shows only in profile gate"),
    ],
)
def test_a_clause_that_binds_nobody_here_is_not_applicable_even_if_it_failed(bound, profiles, reason):
    result = rolled(judged("a", failed()), of=clause(profiles=bound), profiles=profiles)
    assert result == ClauseResult(NOT_APPLICABLE, reason)


def test_a_declared_group_binds():
    result = rolled(judged("a", failed()), of=clause(profiles={"gate": "extra"}), profiles={"gate": ("extra",)})
    assert result.verdict is DEVIATES


def test_only_scenarios_of_a_binding_profile_count():
    both = clause(profiles={"gate": None, "stop_hook": "extra"})
    profiles = {"gate": (), "stop_hook": ()}
    elsewhere = judged("a", failed(), profile="stop_hook")
    assert rolled(elsewhere, judged("b", passed()), of=both, profiles=profiles).verdict is CONFORMS


MUST, SECOND_MUST = clause("M-1"), clause("M-2")
SHOULD, MAY = clause("S-1", Level.SHOULD), clause("Y-1", Level.MAY)
ALL = catalogue(MUST, SECOND_MUST, SHOULD, MAY)
ABSENT = clause("N-1", profiles={"stop_hook": None})


@pytest.mark.parametrize(
    ("findings", "level", "stopped_by", "strict", "outcome"),
    [
        ((passed("M-1"), passed("M-2"), passed("S-1"), passed("Y-1")), "L1", None, True, "conformant"),
        ((passed("M-1"), passed("M-2"), failed("S-1"), failed("Y-1")), "L1", None, False, "conformant"),
        ((passed("M-1"), passed("M-2"), passed("S-1"), failed("Y-1")), "L1", None, True, "conformant"),
        ((passed("M-1"), passed("M-2")), "L1", None, False, "conformant"),
        ((passed("M-1"), passed("S-1")), None, "M-2", True, "inconclusive"),
        ((passed("M-1"), failed("M-2"), passed("S-1")), None, "M-2", True, "nonconformant"),
        ((inconclusive("M-1"), failed("M-2")), None, "M-2", False, "nonconformant"),
        ((failed("M-1"), failed("M-2")), None, "M-1", False, "nonconformant"),
        ((), None, "M-1", False, "inconclusive"),
    ],
)
def test_a_level_needs_every_must_and_should_only_makes_it_strict(findings, level, stopped_by, strict, outcome):
    result = roll_up_system(ALL, GATE, [judged("a", *findings)])
    assert (result.level, result.stopped_by, result.strict) == (level, stopped_by, strict)
    assert outcome_of((ALL,), {"toy": result}) is Outcome(outcome)


def test_a_must_that_is_not_applicable_stops_no_level():
    here = catalogue(MUST, ABSENT)
    result = roll_up_system(here, GATE, [judged("a", passed("M-1"))])
    assert (result.level, result.stopped_by, result.clauses["N-1"].verdict) == ("L1", None, NOT_APPLICABLE)


def test_without_any_applicable_must_there_is_no_level():
    here = catalogue(ABSENT, SHOULD)
    result = roll_up_system(here, GATE, [judged("a", passed("S-1"))])
    assert (result.level, result.stopped_by) == (None, None)
    assert outcome_of((here,), {"toy": result}) is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(("why", "reason"), [("no disk", "declared: no disk"), ("", "declared")])
def test_what_is_declared_unimplemented_deviates_even_where_it_passed(why, reason):
    """CERTIFICATION.md, A check: honest, and not conformant."""
    run = [judged("a", passed("M-1", witnesses=2), passed("M-2"), passed("S-1"))]
    result = roll_up_system(ALL, GATE, run, {"M-1": why, "no such clause": "?"})
    assert result.clauses["M-1"] == ClauseResult(DEVIATES, reason, 2)
    assert (result.level, result.stopped_by, "no such clause" in result.clauses) == (None, "M-1", False)
    assert outcome_of((ALL,), {"toy": result}) is Outcome.NONCONFORMANT


def test_what_binds_nobody_here_cannot_be_declared_unimplemented():
    result = roll_up_system(catalogue(MUST, ABSENT), GATE, [judged("a", passed("M-1"))], {"N-1": "no disk"})
    assert (result.clauses["N-1"].verdict, result.level) == (NOT_APPLICABLE, "L1")


@pytest.mark.parametrize(
    ("asked", "findings", "outcome"),
    [
        (("M-1",), (passed("M-1"),), "conformant"),
        (("M-1", "M-2"), (passed("M-1"),), "inconclusive"),
        (("M-1",), (passed("M-1"), failed("M-2")), "nonconformant"),
        (("M-1",), (failed("M-1"),), "nonconformant"),
        ((), (passed("M-1"),), "inconclusive"),
    ],
)
def test_a_run_of_some_clauses_speaks_of_those_and_of_any_deviation(asked, findings, outcome):
    assert outcome_of_some(asked, [ALL], {"toy": roll_up_system(ALL, GATE, [judged("a", *findings)])}) is Outcome(
        outcome
    )


def test_nothing_at_all_is_inconclusive():
    assert outcome_of((), {}) is Outcome.INCONCLUSIVE


def test_every_outcome_has_its_own_exit_code():
    assert set(Outcome) == set(EXIT_CODES)
    assert {0, 1, 3, 4, 5, 130} == set(EXIT_CODES.values())


RANK = {Outcome.CONFORMANT: 0, Outcome.INCONCLUSIVE: 1, Outcome.NONCONFORMANT: 2}
ids = st.sampled_from(("M-1", "M-2", "S-1", "Y-1"))
findings = st.one_of(
    st.builds(
        passed, ids, readings=st.none() | st.sampled_from((("a",), ("a", "b"), ("b",))), witnesses=st.integers(0, 2)
    ),
    st.builds(failed, ids),
    st.builds(inconclusive, ids),
)
runs = st.lists(
    st.builds(
        lambda found, size: judged(f"s{size}", *found, size=size), st.lists(findings, max_size=4), st.integers(0, 9)
    ),
    max_size=5,
)


@given(runs, ids)
def test_one_more_failure_never_improves_anything(run, clause_id):
    """CERTIFICATION.md, Determinism: fresh search can only fail."""
    before = roll_up_system(ALL, GATE, run)
    after = roll_up_system(ALL, GATE, [*run, judged("more", failed(clause_id), size=1)])
    assert after.clauses[clause_id].verdict is DEVIATES
    assert RANK[outcome_of((ALL,), {"toy": before})] <= RANK[outcome_of((ALL,), {"toy": after})]
    assert (after.level is None) or before.level == after.level
    assert before.strict or not after.strict
    assert {k: v for k, v in before.clauses.items() if k != clause_id} == {
        k: v for k, v in after.clauses.items() if k != clause_id
    }


@given(runs)
def test_a_clause_conforms_only_by_witnessed_passes_and_nothing_else(run):
    """CERTIFICATION.md, A check: no PASS without proof that the clause's situation was entered."""
    for clause_id, result in roll_up_system(ALL, GATE, run).clauses.items():
        seen = [f for scenario in run for f in scenario.findings if f.clause == clause_id]
        if result.verdict is CONFORMS:
            assert {f.verdict for f in seen} == {CheckVerdict.PASS}
            assert result.witnesses == sum(f.witnesses for f in seen) > 0


@given(runs, st.randoms())
def test_the_verdicts_do_not_depend_on_the_order_of_the_scenarios(run, random):
    """CERTIFICATION.md, Determinism: shards never decide."""
    shuffled = list(run)
    random.shuffle(shuffled)
    first, second = roll_up_system(ALL, GATE, run), roll_up_system(ALL, GATE, shuffled)
    assert {k: (v.verdict, v.reading, v.witnesses) for k, v in first.clauses.items()} == {
        k: (v.verdict, v.reading, v.witnesses) for k, v in second.clauses.items()
    }
    assert (first.level, first.stopped_by, first.strict) == (second.level, second.stopped_by, second.strict)

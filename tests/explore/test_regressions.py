"""A run's failures become regressions: the smallest of each shape, made smaller. Source: issue 3, 5."""

import msgspec
import pytest

from harness.core.fault import Fault
from harness.core.finding import CheckVerdict, Finding
from harness.core.scenario import ClockStep, Operation, Repeat, Scenario, Schedule, Step, World
from harness.explore import regressions

CHECK, METRICS = Step(op=Operation("check")), Step(op=Operation("metrics"))
NAN = Step(fault=Fault("jsonl.nan", "{home}/x"))
FAIL = Finding("PS-FO-01", CheckVerdict.FAIL, observed="it\nblocked")


def scenario(*steps, name="x", level="L1", allowed=({"decision": "approve"},)):
    return Scenario(
        1, name, "t", "stop_gate", "gate", ("PS-TR-01",), World("2026-03-01T12:00:00Z"), steps, level, allowed=allowed
    )


def failure(*steps, clause="PS-FO-01", slow=False, **more):
    return regressions.Failed(scenario(*steps, **more), clause, "it\nblocked", slow)


def test_every_clause_that_failed_is_one_failure_and_no_other():
    findings = (FAIL, Finding("PS-FO-02", CheckVerdict.PASS), Finding("PS-FO-03", CheckVerdict.INCONCLUSIVE))
    assert [("x", "PS-FO-01", "it\nblocked", True)] == [
        (each.scenario.id, each.clause, each.observed, each.slow)
        for each in regressions.failed([(scenario(CHECK), findings, True), (scenario(METRICS), (), False)])
    ]


def test_of_one_shape_the_smallest_stays_and_the_smallest_of_all_is_first():
    long = msgspec.structs.replace(CHECK, op=Operation("check", {"session_id": "a long one"}))
    found = regressions.smallest(
        [
            failure(METRICS, CHECK),
            failure(long, name="long"),
            failure(CHECK, name="short"),
            failure(CHECK, clause="PS-TR-01"),
        ]
    )
    assert ["short", "x", "x"] == [each.scenario.id for each in found]
    assert ["PS-FO-01", "PS-TR-01", "PS-FO-01"] == [each.clause for each in found]


def test_a_shape_is_the_kinds_of_the_steps_in_their_order():
    steps = (
        CHECK, NAN, Step(clock=ClockStep(1)), Step(schedule=Schedule((Operation("check"),))), Step(repeat=Repeat(2, {}, (CHECK, NAN))),
    )  # fmt: skip
    expected = ("C", "gate", "check", "jsonl.nan", "clock", "schedule", "repeat(check,jsonl.nan)")
    assert expected == regressions.shape("C", scenario(*steps))


def test_a_regression_is_made_smaller_while_its_clause_fails():
    kept = regressions.regression(failure(METRICS, CHECK, METRICS), lambda each: CHECK in each.steps)
    assert ((CHECK,), ("PS-FO-01",)) == (kept.steps, kept.clauses)
    assert "PS-FO-01 was broken: it blocked" == kept.title
    assert kept.id.startswith("gate-regression-ps-fo-01-")
    assert () == kept.allowed  # another operation is the last one now


def test_what_was_allowed_stays_while_the_last_step_does():
    kept = regressions.regression(failure(METRICS, CHECK), lambda each: CHECK in each.steps)
    assert ((CHECK,), ({"decision": "approve"},)) == (kept.steps, kept.allowed)


@pytest.mark.parametrize(("fails", "slow"), [(None, False), (lambda each: True, True)])
def test_without_the_target_or_with_time_outs_it_is_kept_as_it_is(fails, slow):
    assert (METRICS, CHECK) == regressions.regression(failure(METRICS, CHECK, slow=slow), fails).steps


def test_the_id_stays_when_the_chance_in_a_fault_hangs_on_it():
    kept = regressions.regression(failure(NAN, CHECK, level="L2"), lambda each: each.id == "x")
    assert "x" == kept.id
    other = regressions.regression(
        failure(NAN, CHECK, level="L2"), lambda each: NAN in each.steps and CHECK in each.steps
    )
    assert other.id.startswith("gate-l2-regression-")

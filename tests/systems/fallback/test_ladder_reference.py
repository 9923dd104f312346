"""The reference of fallbacks, each operation by itself. Source: document 000, Multi-Tiered Fallback System."""

import pytest

from harness.systems.fallback.contract import (
    Configuration,
    Decision,
    EscalationArguments,
    Ladder,
    LogCode,
    NextArguments,
    Trigger,
)
from harness.systems.fallback.reference import create

REFERENCE = create(Configuration("/home"))


def below(ladder, current):
    return REFERENCE.next(NextArguments(ladder, current))


def called(**facts):
    result = REFERENCE.escalation(EscalationArguments(**facts))
    assert bool(result.triggers) is result.escalate
    return result.triggers


def complaints(**facts):
    return [entry.code for entry in REFERENCE.escalation(EscalationArguments(**facts)).log]


@pytest.mark.parametrize(
    ("ladder", "rungs"),
    [
        (Ladder.MODEL, ("opus", "sonnet", "haiku", "escalate", "escalate")),
        (Ladder.WORKFLOW, ("complex", "simpler", "minimal", "escalate", "escalate")),
    ],
)
def test_the_ladder_is_gone_down_to_the_human_who_is_the_last(ladder, rungs):
    assert list(rungs[1:]) == [below(ladder, rung).next for rung in rungs[:-1]]
    assert () == below(ladder, "escalate").log


@pytest.mark.parametrize("stranger", ["complex", "OPUS", "", "x" * 10_000, "a\x00b"])
def test_what_is_on_no_rung_is_for_a_human_and_is_logged(stranger):
    result = below(Ladder.MODEL, stranger)
    assert "escalate" == result.next
    assert [LogCode.RUNG_UNKNOWN] == [entry.code for entry in result.log]
    assert 200 > len(result.log[0].message)


@pytest.mark.parametrize("decision", Decision)
def test_a_confidence_strictly_below_the_limit_calls_a_human(decision):
    limit = 0.3 if decision is Decision.RECOVERY_STRATEGY else 0.4
    assert (Trigger.LOW_CONFIDENCE,) == called(confidence=limit - 1e-7, decision=decision)
    assert () == called(confidence=limit, decision=decision)
    assert () == called(confidence=limit + 1e-7, decision=decision)
    assert () == called(decision=decision)


@pytest.mark.parametrize("confidence", [-1.0, -0.001, 1.001, float("inf"), float("nan")])
def test_what_is_no_confidence_gives_none_and_is_logged(confidence):
    assert (Trigger.LOW_CONFIDENCE,) == called(confidence=confidence)
    assert [LogCode.FACT_INVALID] == complaints(confidence=confidence)


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, ()), (2, ()), (3, (Trigger.CONSECUTIVE_FAILURES,)), (10**9, (Trigger.CONSECUTIVE_FAILURES,))],
)
def test_the_third_failure_calls_a_human(count, expected):
    assert expected == called(consecutive_failures=count)


def test_a_number_of_failures_below_zero_is_logged_and_calls_nobody():
    assert () == called(consecutive_failures=-1)
    assert [LogCode.FACT_INVALID] == complaints(consecutive_failures=-1)


@pytest.mark.parametrize(
    ("rollback", "expected"), [(True, ()), (False, (Trigger.IRREVERSIBLE,)), (None, (Trigger.IRREVERSIBLE,))]
)
def test_an_irreversible_operation_needs_a_clear_rollback(rollback, expected):
    assert expected == called(irreversible=True, rollback=rollback)
    assert () == called(irreversible=False, rollback=rollback)


def test_every_trigger_is_named_in_the_order_of_the_document():
    assert tuple(Trigger) == called(confidence=0.1, consecutive_failures=3, security_critical=True, irreversible=True)

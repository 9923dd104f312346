"""Rules on when a human is called: LK-FB-03 to LK-FB-05. Pure."""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

from harness.systems.fallback.contract import (
    CONFIDENCE_LIMIT,
    CONSECUTIVE_FAILURES,
    RECOVERY_CONFIDENCE_LIMIT,
    Decision,
    EscalationArguments,
    Trigger,
)
from harness.systems.fallback.oracle.rules import RULES, View
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import Call, unanswered

LIMITS: Mapping[Decision, float] = {
    Decision.GENERAL: CONFIDENCE_LIMIT,
    Decision.CRITICAL: CONFIDENCE_LIMIT,
    Decision.RECOVERY_STRATEGY: RECOVERY_CONFIDENCE_LIMIT,
}
NEAR = 1e-9  # nearer to a limit than this, a number of another size may not tell the side
# the arguments that a trigger hangs on: a call that names one of them asks about it
FACTS: Mapping[Trigger, tuple[str, ...]] = {
    Trigger.LOW_CONFIDENCE: ("confidence", "decision"),
    Trigger.CONSECUTIVE_FAILURES: ("consecutive_failures",),
    Trigger.SECURITY_CRITICAL: ("security_critical",),
    Trigger.IRREVERSIBLE: ("irreversible", "rollback"),
}
_KNOWN = frozenset(trigger.value for trigger in Trigger)


class Must(StrEnum):
    """Has a trigger to be named? ``open``: the document does not say."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


def _if(condition: bool) -> Must:
    return Must.YES if condition else Must.NO


def low_confidence(facts: EscalationArguments) -> Must:
    """A confidence below the limit of its decision."""
    if facts.confidence is None:
        return Must.NO
    limit = LIMITS[facts.decision]
    near = facts.confidence != limit and abs(facts.confidence - limit) < NEAR
    if near or not 0 <= facts.confidence <= 1:
        return Must.OPEN
    return _if(facts.confidence < limit)


def failures(facts: EscalationArguments) -> Must:
    """Three or more failures of one task in a row."""
    return Must.OPEN if facts.consecutive_failures < 0 else _if(facts.consecutive_failures >= CONSECUTIVE_FAILURES)


def security(facts: EscalationArguments) -> Must:
    """A security-critical decision."""
    return _if(facts.security_critical)


def irreversible(facts: EscalationArguments) -> Must:
    """An irreversible operation whose rollback is not clear."""
    return _if(facts.irreversible and facts.rollback is not True)


EVERY: Mapping[Trigger, Callable[[EscalationArguments], Must]] = {
    Trigger.LOW_CONFIDENCE: low_confidence,
    Trigger.CONSECUTIVE_FAILURES: failures,
    Trigger.SECURITY_CRITICAL: security,
    Trigger.IRREVERSIBLE: irreversible,
}


@RULES.rule("LK-FB-03")
def confidence(view: View) -> Judgement | None:
    """A confidence below its limit calls a human, and no other does."""
    return combine(_judged(view, Trigger.LOW_CONFIDENCE))


@RULES.rule("LK-FB-04")
def consecutive(view: View) -> Judgement | None:
    """The third failure in a row and every later one call a human, and no earlier one does."""
    return combine(_judged(view, Trigger.CONSECUTIVE_FAILURES))


@RULES.rule("LK-FB-05")
def dangerous(view: View) -> Judgement | None:
    """What is security-critical, or cannot be taken back, calls a human, and nothing else does."""
    return combine((*_judged(view, Trigger.SECURITY_CRITICAL), *_judged(view, Trigger.IRREVERSIBLE)))


def _judged(view: View, trigger: Trigger) -> Iterator[Judgement | None]:
    for call in view:
        if isinstance(call.args, EscalationArguments):
            musts = {each: must(call.args) for each, must in EVERY.items()}
            yield _of(call, trigger, musts)


def _of(call: Call, trigger: Trigger, musts: Mapping[Trigger, Must]) -> Judgement | None:
    if musts[trigger] is Must.YES:
        expected = f"a human is called: {trigger.value}"
        if not call.answered:
            return unanswered(call, expected)
        called = call.result.get("escalate") is True and _named(call).count(trigger.value) == 1
        return passed(expected, call.said) if called else failed(expected, call.said)
    if musts[trigger] is Must.OPEN:
        return None
    expected = f"control: no human is called for {trigger.value}"
    if not call.answered:
        return unanswered(call, expected) if _asks(call, trigger) and not _is_open(musts) else None
    wrong = trigger.value in _named(call) or (_asks(call, trigger) and _is_unfounded(call, musts))
    return failed(expected, call.said, reason="the control failed") if wrong else None


def _named(call: Call) -> tuple[object, ...]:
    triggers = call.result.get("triggers", ())
    return tuple(triggers) if isinstance(triggers, list | tuple) else ()


def _is_open(musts: Mapping[Trigger, Must]) -> bool:
    return any(must is not Must.NO for must in musts.values())


def _is_unfounded(call: Call, musts: Mapping[Trigger, Must]) -> bool:
    """Is a human called, or neither called nor not, for no reason at all?"""
    if _is_open(musts) or _KNOWN & set(map(str, _named(call))):
        return False  # whoever is named too much is judged by its own clause
    return call.result.get("escalate") is not False


def _asks(call: Call, trigger: Trigger) -> bool:
    """Does the call name a fact of that trigger? One that names none asks about all."""
    named = {name for facts in FACTS.values() for name in facts if name in call.asked}
    return not named or any(name in named for name in FACTS[trigger])

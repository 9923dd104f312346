"""Rules on what is tried next: LK-FB-01 and LK-FB-02. Pure."""

from collections.abc import Iterator, Sequence

from harness.systems.fallback.contract import (
    ESCALATE,
    MODEL_LADDER,
    WORKFLOW_LADDER,
    Ladder,
    NextArguments,
)
from harness.systems.fallback.oracle.rules import RULES, View
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import Call, Ended, unanswered


@RULES.rule("LK-FB-01")
def models(view: View) -> Judgement | None:
    """One model after the other, then a human."""
    return combine(_steps(view, Ladder.MODEL, MODEL_LADDER))


@RULES.rule("LK-FB-02")
def workflows(view: View) -> Judgement | None:
    """One approach after the other, then a human."""
    return combine(_steps(view, Ladder.WORKFLOW, WORKFLOW_LADDER))


def _steps(view: View, ladder: Ladder, rungs: Sequence[str]) -> Iterator[Judgement | None]:
    for call in view:
        if isinstance(call.args, NextArguments) and call.args.ladder is ladder:
            yield _step(call, call.args.current, rungs)


def _step(call: Call, current: str, rungs: Sequence[str]) -> Judgement | None:
    if current in rungs:
        wanted = _after(current, rungs)
        expected = f"after {current} comes {wanted}"
        if not call.answered:
            return unanswered(call, expected)
        return passed(expected, call.said) if call.result.get("next") == wanted else failed(expected, call.said)
    plain = current.strip().lower()
    may = (ESCALATE, _after(plain, rungs)) if plain in rungs else (ESCALATE,)
    expected = "what stands on no rung is refused or escalated"
    if call.ended is Ended.REFUSED or call.result.get("next") in may:
        return None
    return failed(expected, call.said) if call.answered else unanswered(call, expected)


def _after(current: str, rungs: Sequence[str]) -> str:
    return rungs[min(rungs.index(current) + 1, len(rungs) - 1)]

"""The table of the gate's rules, and the judgements that several of them make. Pure."""

from collections.abc import Iterable

from harness.systems.rules import Judgement, Rules, combine, failed, passed
from harness.systems.stop_gate.contract import GATE, LogCode
from harness.systems.stop_gate.oracle.gate_view import Check, GateView

RULES: Rules[GateView] = Rules(GATE)


def control(view: GateView) -> Judgement | None:
    """The other side of every "must not": a session in calm weather gets the one decision it deserves.

    None when all of them did, so that it never witnesses anything itself. Source: CERTIFICATION.md, "Control".
    """
    for check in view.judged():
        if check.calm and check.decision is not None and not _decided(check):
            return failed(f"control: without any fault, {check.wanted}", check.said, reason="the control failed")
    return None


def _decided(check: Check) -> bool:
    answer = check.answer
    return answer is not None and answer.decision == check.decision


def guarded(view: GateView, judgements: Iterable[Judgement | None]) -> Judgement | None:
    """The judgements together with the control, None when there is no judgement."""
    seen = [judgement for judgement in judgements if judgement is not None]
    return combine([*seen, control(view)]) if seen else None


def as_permitted(check: Check, expected: str = "") -> Judgement:
    """The check was answered with one of the outcomes the document permits."""
    expected = expected or check.wanted
    return passed(expected, check.said) if check.permitted else failed(expected, check.said)


def with_log(check: Check, expected: str, levels: str, code: LogCode, **fields: object) -> Judgement:
    """As permitted, and with a log entry of one of these levels about that."""
    judgement = as_permitted(check, expected)
    if not judgement.ok or check.answer is None or check.answer.logged(levels, code, **fields):
        return judgement
    return failed(f"{expected}, with a log entry ({levels.replace(' ', ' or ')}) about it", check.said)


def no_texts(check: Check) -> bool:
    """Has the answer neither prompt nor summary? (The empty text counts as none: see PS-FO-03.)"""
    return check.answer is not None and not check.answer.prompt and not check.answer.summary

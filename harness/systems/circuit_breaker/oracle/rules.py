"""The table of rules: each clause is what the model noted of it. Pure."""

from typing import Final

from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.contract import BREAKER
from harness.systems.circuit_breaker.oracle.following import Follower
from harness.systems.circuit_breaker.oracle.readings import surviving
from harness.systems.rules import Judgement, Rule, Rules, failed, passed

RULES: Final[Rules[Follower]] = Rules(BREAKER)
_NUMBERS: Final = {"CB": 28, "RP": 6}
_ALIKE: Final = 2  # answers that nothing explains, of one breaker whose calls all fare alike: no oversight, no breaker


def follow(scenario: Scenario, history: History) -> Follower:
    """The history, gone through once."""
    return Follower(scenario, history)


def control(view: Follower) -> str:
    """What is wrong with an implementation whose answers hang on nothing, "" when they do.

    The other side of every "must not": who never refuses has to open, who never permits has to be asked in vain. One
    that is only wrong about when it does so is blamed for that alone. Source: CERTIFICATION.md, "Control".
    """
    worst = max(view.blamed.values(), default=0)
    if view.permitted and not view.refused and worst >= _ALIKE:
        return "every call is permitted, whatever failed before"
    if view.refused and not view.permitted and worst:
        return "every call is refused, whatever nothing speaks against"
    return ""


def _rule(clause: str) -> Rule[Follower]:
    def judge(view: Follower) -> Judgement | None:
        judgement = view.notes.judgement(clause)
        if judgement is None or not judgement.ok:
            return judgement
        wrong = control(view)
        if wrong:
            return failed(f"control: {judgement.expected}", wrong, reason="the control failed")
        readings = surviving(clause, view.alive)
        if readings is None:
            return judgement
        return passed(judgement.expected, readings=readings, witnesses=judgement.witnesses)

    return judge


for _kind, _last in _NUMBERS.items():
    for _number in range(1, _last + 1):
        RULES.rule(f"LK-{_kind}-{_number:02d}")(_rule(f"LK-{_kind}-{_number:02d}"))

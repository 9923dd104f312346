"""The table of rules. Those of a diagnosis have a control: who answers always alike passes no clause. Pure."""

from collections.abc import Callable
from typing import Final

from harness.systems.diagnosis.contract import REFLECTION
from harness.systems.diagnosis.oracle.view import View
from harness.systems.rules import Judgement, Rule, Rules, failed

RULES: Final[Rules[View]] = Rules(REFLECTION)


def rule(clause: str) -> Callable[[Rule[View]], Rule[View]]:
    """Registers a function as the rule of that clause, with the control."""

    def register(function: Rule[View]) -> Rule[View]:
        def judged(view: View) -> Judgement | None:
            judgement = function(view)
            if judgement is None or not judgement.ok or not view.constant:
                return judgement
            return failed(f"control: {judgement.expected}", view.constant, reason="the control failed")

        RULES.rule(clause)(judged)
        return function

    return register

"""What can be done about each type of failure, in the order of its template. Source: 001, Recovery Strategy Templates.

Types without a template have the four kinds of the Recovery Planner: a corrected retry, another tool, a reduced scope,
asking the user. Each strategy uses tools that are available, and repeats no action that failed.
"""

from collections.abc import Callable, Mapping
from typing import Any

from harness.systems.diagnosis.contract import SHELLS, Approach, ErrorType
from harness.systems.diagnosis.reference import common_strategies as common
from harness.systems.diagnosis.reference.binaries import download_and_extract, equivalent_binary
from harness.systems.diagnosis.reference.hostile import line
from harness.systems.diagnosis.reference.steps import Case, Step, Strategy
from harness.systems.diagnosis.reference.template_strategies import (
    allowed_directory,
    built_in,
    raised_limit,
    reduced_scope,
    sandbox_bounds,
    similar_tool,
    streaming,
)

Maker = Callable[[Case], list[Strategy | None]]

LEAST_ALTERNATIVES = 3  # 001, Decision 3

TEMPLATES: Mapping[ErrorType, tuple[Maker, ...]] = {
    ErrorType.COMMAND_NOT_FOUND: (equivalent_binary, download_and_extract),
    ErrorType.PERMISSION_DENIED: (sandbox_bounds, allowed_directory),
    ErrorType.TIMEOUT: (reduced_scope, streaming, raised_limit),
    ErrorType.TOOL_NOT_FOUND: (similar_tool, built_in),
    ErrorType.INVALID_ARGUMENTS: (common.by_its_description, common.another_tool, common.smaller_part),
    ErrorType.SYNTAX_ERROR: (common.checked_syntax, common.another_tool, common.smaller_part),
    ErrorType.NETWORK_ERROR: (common.after_a_look_at_the_network, common.another_way_out, common.local_copy),
    ErrorType.RATE_LIMITED: (common.after_a_pause, common.another_way_out, common.local_copy),
    ErrorType.OUTPUT_TOO_LARGE: (common.into_a_file, common.another_tool, common.smaller_part),
    ErrorType.ENVIRONMENT_MISSING: (common.provided_requirement, common.another_tool, common.smaller_part),
    ErrorType.UNKNOWN: (common.closer_look, common.another_tool, common.smaller_part),
}

ASKING: Mapping[ErrorType, str] = {
    ErrorType.COMMAND_NOT_FOUND: "install {subject} or name another way",
    ErrorType.PERMISSION_DENIED: "adjust the permissions of {subject}",
    ErrorType.TIMEOUT: "say whether {subject} may run longer",
    ErrorType.TOOL_NOT_FOUND: "enable the tool {subject} if that is appropriate",
    ErrorType.ENVIRONMENT_MISSING: "provide {subject}",
}


class Strategies:
    """All alternatives for a failure; at least three, and the last one asks the user."""

    templates: Mapping[ErrorType, tuple[Maker, ...]] = TEMPLATES

    def of(self, case: Case) -> tuple[Strategy, ...]:
        """The alternatives, the one to be preferred first (DR-OUT-06, DR-REC-01 to DR-REC-06)."""
        found = [strategy for strategy in self.named(case) if not self.repeats(strategy, case)]
        asking = self.asking(case)
        return (*found, *asking[-max(1, LEAST_ALTERNATIVES - len(found)) :])

    def named(self, case: Case) -> list[Strategy]:
        """Those that tools can take, in the order of the template."""
        makers = self.templates[case.verdict.kind]
        return [strategy for maker in makers for strategy in maker(case) if strategy is not None]

    def repeats(self, strategy: Strategy, case: Case) -> bool:
        """Does a step do again exactly what has failed (DR-TRG-04)?"""
        failed = [(case.failure.tool, case.failure.args)]
        failed += [(action.tool, action.args) for action in case.failure.previous if not action.success]
        return any(_same(step, tool, args) for step in strategy.steps for tool, args in failed)

    def asking(self, case: Case) -> tuple[Strategy, ...]:
        """Ways to ask the user, the plainest last."""
        what = ASKING.get(case.verdict.kind, "say how to go on with {subject}").replace(
            "{subject}", line(case.subject, 60)
        )
        return (
            self.asks("ask_user_for_another_way", "ask the user for another way to the same goal", 0.5),
            self.asks(
                "ask_user_to_narrow_the_task", "ask the user to narrow the task, so that it can go without this", 0.4
            ),
            self.asks("ask_user", f"ask the user to {what}", 0.8),
        )

    def asks(self, name: str, what: str, confidence: float) -> Strategy:
        """A strategy that names no tool."""
        asked = f"{what[0].upper()}{what[1:]}"
        return Strategy(name, Approach.ASK_USER, asked, confidence, 1, (Step(asked, "", {}, "The user has answered"),))


def _same(step: Step, tool: str, args: Any) -> bool:
    return step.args == args and (step.tool == tool or (step.tool in SHELLS and tool in SHELLS))

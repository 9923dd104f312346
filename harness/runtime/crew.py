"""What a plan is driven with: whoever says what is run for a phase, and reads what came of it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from harness.runtime.calls import Task
from harness.runtime.uses import Use
from harness.systems.phase_runner.contract import Commit, GateResult, Launch
from harness.systems.phase_runner.contract.words import Gate
from harness.systems.review_gate.contract import Issue


class Said(NamedTuple):
    """What a sub-agent said: ``text`` as the phase runner's ReportArguments have it, and ``prose`` for people.

    ``has_output``: with it, it shows the output of commands.
    """

    text: str | None
    prose: str = ""
    has_output: bool = False


class Crew(Protocol):
    """Sub-agents, verifiers and reviewers. What they say is asked for once, when what was run for it is done."""

    def call(self, task: str, model: str) -> Task:
        """How a model is called for that task: a sub-agent, a reviewer, or whoever fixes what was found."""
        ...

    def use(self, task: str) -> Use:
        """The tool that verifies that task, or analyses it."""
        ...

    def said(self, launch: Launch) -> Said:
        """What the sub-agent of a phase said, with a text: its call is done, so it said something."""
        ...

    def gates(self, launch: Launch) -> Mapping[Gate, GateResult]:
        """What the verification found."""
        ...

    def issues(self, reviewer: str, number: int) -> tuple[Issue, ...] | None:
        """What a reviewer, or static analysis (no name), found in that round; None when it never returns."""
        ...

    def committing(self, commit: Commit) -> Sequence[str]:
        """The command that makes a commit."""
        ...

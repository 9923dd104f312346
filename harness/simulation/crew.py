"""The sub-agents, verifications and reviewers of a plan as scripts: what they say, from a seed."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from harness.runtime.calls import Task
from harness.runtime.crew import Said
from harness.runtime.uses import Use
from harness.simulation.toolbox import BESIDE, Toolbox
from harness.simulation.virtual_time import Chance
from harness.systems.error_log.contract import ErrorType
from harness.systems.phase_runner.contract import Change, Commit, GateResult, Launch, Missing, SubagentResult
from harness.systems.phase_runner.contract.words import Gate
from harness.systems.rationalization.contract import TABLE
from harness.systems.review_gate.contract import Issue, Severity

COMMAND = ("ask", "{provider}", "{model}", "{approach}")
TIMEOUT_S = 600.0
URGENT, CRITICAL = 700, 20  # of a thousand calls; one that is critical for security is a human's
FAILS, GARBLED, WEAK = 70, 20, 60  # of a thousand sub-agents; the rest is done, and shows it
LACKS, SHARES = 8, 150  # of a thousand: something is not installed; a file is changed that others change, too
RED = 50  # of a thousand verifications
BLOCKS, MINOR, LOST = 30, 100, 10  # of a thousand reviewers; the rest finds nothing
_TASKS: Final = 5  # of a phase
_PACKAGE: Final = Missing("@types/jest", "type checking", "npm install -D @types/jest")
_PHRASES: Final = tuple(row.phrase for row in TABLE.values())
_FINE: Final = GateResult(exit_code=0)
_SHOWN: Final = "All tests pass; this is what they said."


class SimulatedCrew:
    """Draws from ``chance``, in the order in which it is asked."""

    def __init__(self, chance: Chance, tools: Toolbox) -> None:
        self._chance = chance
        self._tools = tools

    def call(self, task: str, model: str) -> Task:
        """See Crew.call."""
        return Task(
            id=task,
            tool="model",
            command=COMMAND,
            timeout_s=TIMEOUT_S,
            urgent=self._chance.per_mille(URGENT),
            model=model,
            security_critical=self._chance.per_mille(CRITICAL),
        )

    def use(self, task: str) -> Use:
        """See Crew.use."""
        return self._tools.draw(task, self._chance)

    def said(self, launch: Launch) -> Said:
        """See Crew.said."""
        drawn = self._chance.below(1000)
        if drawn < GARBLED:
            return Said("It is done, I believe.")
        if drawn < GARBLED + FAILS:
            done = self._chance.below(_TASKS)
            missing = _PACKAGE if drawn < GARBLED + LACKS else None
            message = f"{_TASKS - done} tasks are left"
            return Said(_encoded(SubagentResult(False, _TASKS, done, message=message, missing=missing)))
        created = (Change("src/index.py" if drawn >= 1000 - SHARES else f"src/phase_{launch.phase_id}.py"),)
        claim = _encoded(
            SubagentResult(True, _TASKS, _TASKS, created=created, commit_subject=f"feat: {launch.phase_id}")
        )
        if drawn < GARBLED + FAILS + WEAK:
            return Said(claim, f"{_PHRASES[self._chance.below(len(_PHRASES))]}, so it is done.")
        return Said(claim, _SHOWN, has_output=True)

    def gates(self, launch: Launch) -> Mapping[Gate, GateResult]:
        """See Crew.gates."""
        found = dict.fromkeys(Gate, _FINE)
        if self._chance.per_mille(RED):
            found[tuple(Gate)[self._chance.below(len(Gate))]] = GateResult(
                exit_code=1, output_summary="it found errors"
            )
        return found

    def issues(self, reviewer: str, number: int) -> tuple[Issue, ...] | None:
        """See Crew.issues."""
        drawn = self._chance.below(1000)
        if drawn < LOST and reviewer:
            return None
        if drawn < LOST + BLOCKS:
            severities = (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM)
            return (Issue(severities[self._chance.below(len(severities))].value, "it fails when nothing is given"),)
        return (Issue(Severity.LOW.value, "a name says too little"),) if drawn < LOST + BLOCKS + MINOR else ()

    def committing(self, commit: Commit) -> Sequence[str]:
        """See Crew.committing."""
        return (BESIDE, ErrorType.GIT_COMMIT_FAILURE.value)


def _encoded(result: SubagentResult) -> str:
    return msgspec.json.encode(result).decode()

"""The sub-agents, verifications and reviewers of a plan as scripts: what they say, from a seed."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from harness.runtime.calls import Task
from harness.runtime.crew import Said
from harness.runtime.uses import Use
from harness.simulation.incidents import WHOLE, Fate
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
BLOCKS, MINOR, LOST = 45, 100, 10  # of a thousand reviewers; the rest finds nothing
CLAIM, VERIFICATION, REVIEW, RISK = "claim", "verification", "review", "risk"  # kinds of incidents
_LOST: Final = "lost"  # a reviewer who never returns
MOST_DONE: Final = 4  # of _TASKS, by a sub-agent that failed
_TASKS: Final = 5  # of a phase
_PACKAGE: Final = Missing("@types/jest", "type checking", "npm install -D @types/jest")
_PHRASES: Final = tuple(row.phrase for row in TABLE.values())
_FINE: Final = GateResult(exit_code=0)
_SHOWN: Final = "All tests pass; this is what they said."


class SimulatedCrew:
    """What goes wrong is ``fate``'s; the rest is drawn from ``chance``."""

    def __init__(self, chance: Chance, fate: Fate, tools: Toolbox) -> None:
        self._chance = chance
        self._fate = fate
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
            security_critical=bool(self._fate.meets(RISK, _critical)),
        )

    def use(self, task: str) -> Use:
        """See Crew.use."""
        return self._tools.draw(task, self._fate)

    def said(self, launch: Launch) -> Said:
        """See Crew.said."""
        word, _, number = self._fate.meets(CLAIM, _claim).partition(" ")
        if word == "garbled":
            return Said("It is done, I believe.")
        if word in ("fails", "lacks"):
            done = int(number)
            missing = _PACKAGE if word == "lacks" else None
            message = f"{_TASKS - done} tasks are left"
            return Said(_encoded(SubagentResult(False, _TASKS, done, message=message, missing=missing)))
        created = (Change("src/index.py" if word == "shares" else f"src/phase_{launch.phase_id}.py"),)
        claim = _encoded(
            SubagentResult(True, _TASKS, _TASKS, created=created, commit_subject=f"feat: {launch.phase_id}")
        )
        if word == "weak":
            return Said(claim, f"{_PHRASES[int(number)]}, so it is done.")
        return Said(claim, _SHOWN, has_output=True)

    def gates(self, launch: Launch) -> Mapping[Gate, GateResult]:
        """See Crew.gates."""
        found = dict.fromkeys(Gate, _FINE)
        red = self._fate.meets(VERIFICATION, _verification)
        if red:
            found[Gate(red)] = GateResult(exit_code=1, output_summary="it found errors")
        return found

    def issues(self, reviewer: str, number: int) -> tuple[Issue, ...] | None:
        """See Crew.issues."""
        found = self._fate.meets(REVIEW, partial(_review, is_analysis=not reviewer))
        if found == _LOST:
            return None
        if found == Severity.LOW:
            return (Issue(found, "a name says too little"),)
        return (Issue(found, "it fails when nothing is given"),) if found else ()

    def committing(self, commit: Commit) -> Sequence[str]:
        """See Crew.committing."""
        return (BESIDE, ErrorType.GIT_COMMIT_FAILURE.value)


def _encoded(result: SubagentResult) -> str:
    return msgspec.json.encode(result).decode()


def _claim(chance: Chance) -> str:
    drawn = chance.below(1000)
    if drawn < GARBLED:
        return "garbled"
    if drawn < GARBLED + FAILS:
        return f"{'lacks' if drawn < GARBLED + LACKS else 'fails'} {chance.below(_TASKS)}"
    if drawn < GARBLED + FAILS + WEAK:
        return f"weak {chance.below(len(_PHRASES))}"
    return "shares" if drawn >= 1000 - SHARES else WHOLE


def _verification(chance: Chance) -> str:
    return tuple(Gate)[chance.below(len(Gate))].value if chance.per_mille(RED) else WHOLE


def _review(chance: Chance, *, is_analysis: bool) -> str:
    drawn = chance.below(1000)
    if drawn < LOST and not is_analysis:
        return _LOST
    if drawn < LOST + BLOCKS:
        return (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM)[chance.below(3)].value
    return Severity.LOW.value if drawn < LOST + BLOCKS + MINOR else WHOLE


def _critical(chance: Chance) -> str:
    return "critical" if chance.per_mille(CRITICAL) else WHOLE

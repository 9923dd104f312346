"""A history as the oracle follows it: what was asked, what stood against it, what came of it. Pure."""

from collections.abc import Iterator
from typing import ClassVar

from harness.core.history import FileFact, History
from harness.systems import calls as asked
from harness.systems import file_faults
from harness.systems.phase_runner.contract import OPERATIONS
from harness.systems.phase_runner.oracle.weather import FILES
from harness.systems.standing import faults_of


class Call(asked.Call, frozen=True):
    """One operation of a run."""

    SHOWN_FIRST: ClassVar[tuple[str, ...]] = ("phase_id", "attempt", "accepted", "launch", "halting", "halted", "error")

    @property
    def is_calm(self) -> bool:
        """Was nothing in its way?"""
        return not self.shaken


def is_same(before: FileFact | None, now: FileFact | None) -> bool:
    """Is it the same file, or none before and now?"""
    if before is None or now is None:
        return before is now
    return (before.kind, before.sha256) == (now.kind, now.sha256)


def calls(history: History) -> Iterator[Call]:
    """Every operation of the contract, and every reset, in order."""
    for done in asked.operations_of(history, OPERATIONS):
        faults = file_faults.struck(faults_of(done))
        args, answer = asked.arguments_of(done, OPERATIONS), asked.answer_of(done, OPERATIONS)
        excused = answer is None and (args is None or asked.is_excused(done, faults, FILES.silences))
        yield Call(done, done.begin.op, args, answer, faults, FILES.shaken(faults), excused)

"""A history as the oracle follows it: what was asked, what stood against it, what came of it. Pure."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Any, Final

from harness.core.fault import Fault
from harness.core.history import Completed, History
from harness.core.log import LogLevel
from harness.systems import calls as asked
from harness.systems import file_faults
from harness.systems.session_recovery import contract
from harness.systems.session_recovery.contract import HOME
from harness.systems.session_recovery.oracle import weather
from harness.systems.standing import faults_of

RESET: Final = "reset"
EDITORS: Final = ("claim", "complete")  # of queue files
_USABLE: Final = ("file", "missing")
_FILES: Final = ("file", "symlink")
_HIDDEN: Final = 300  # characters of arguments and answers that a person is shown
_NAMES: Final = {
    "checkpoint": "path",
    "begin_operation": "checkpoint",
    "complete": "ledger",
    "start_task": "specification",
}
_LABELS: Final = {
    "checkpoint": "checkpoint", "begin_operation": "checkpoint", "complete": "ledger", "start_task": "specification",
}  # fmt: skip
_HELD_BACK: Final = frozenset((LogLevel.WARNING, LogLevel.ERROR))


class Call(asked.Call, frozen=True):
    """One operation of a history, see calls.Call.

    ``hidden`` are the files that the history does not show as they are, ``unsteady`` those that come and go by
    themselves while it runs, ``places`` where each file is.
    """

    hidden: frozenset[str]
    unsteady: frozenset[str]
    places: weather.Places

    def lacks(self, path: str | None, label: str) -> bool:
        """Is the file that its answer names for ``label`` not on the disk, or empty? False when nobody looked."""
        if path is None:
            return True
        fact = self.left.get(path)
        seen = bool(self.left) and label not in self.hidden
        return seen and (fact is None or fact.kind not in _FILES or (fact.kind == _FILES[0] and fact.size == 0))

    @property
    def edits(self) -> bool:
        """Does it edit queue files?"""
        return self.op in EDITORS

    def may_miss(self, *labels: str) -> bool:
        """May what is kept in one of these files be missing? When a fault was in the way, and the answer says so.

        Where files come and go, who finds nothing has nothing to say.
        """
        return (not self.shaken.isdisjoint(labels) and self.says_so) or not self.unsteady.isdisjoint(labels)


def calls(history: History) -> Iterator[Call]:
    """Every operation of the contract, and every reset, in order."""
    operations = list(asked.operations_of(history, contract.OPERATIONS))
    answers = [asked.answer_of(done, contract.OPERATIONS) for done in operations]
    places = _places(operations, answers)
    for done, answer in zip(operations, answers, strict=True):
        faults = file_faults.struck(faults_of(done))
        args = asked.arguments_of(done, contract.OPERATIONS)
        # what is no file in the world itself keeps one from it as a fault would
        blocked = frozenset(label for label, fact in done.begin.inputs.items() if fact.kind not in _USABLE)
        steady = weather.hidden(file_faults.unsteady(faults), places)
        excused = answer is None and (args is None or _excused(done, faults))
        yield Call(
            done, done.begin.op, args, answer, faults, weather.shaken(faults, places) | blocked, excused,
            weather.hidden(faults, places) | blocked, steady, places,
        )  # fmt: skip


def _places(operations: Sequence[Completed], answers: Sequence[Any]) -> weather.Places:
    """Where each file is, with those that the implementation names."""
    found: dict[str, frozenset[str]] = dict(weather.PLACES)
    for done, answer in zip(operations, answers, strict=True):
        named = (
            path_of(getattr(answer, _NAMES[done.begin.op])) if answer is not None and done.begin.op in _NAMES else None
        )
        if named is not None:
            found[_LABELS[done.begin.op]] |= {named}
    return found


def path_of(named: str | None) -> str | None:
    """The path that an answer names, as histories have it; None when it names none."""
    return f"{HOME}/{posixpath.normpath(named)}" if named else None


def _excused(done: Completed, faults: Sequence[Fault]) -> bool:
    if done.begin.op in EDITORS and weather.locks_queues(faults):
        return True  # it may wait for the lock, which nobody lets go
    return asked.is_excused(done, faults, weather.silences)

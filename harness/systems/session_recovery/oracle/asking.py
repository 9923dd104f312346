"""A history as the oracle follows it: what was asked, what stood against it, what came of it. Pure."""

import hashlib
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harness.core.fault import Fault
from harness.core.history import Completed, History, InputFact
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
_UNREADABLE: Final = "unreadable"
_RECALLED: Final = weather.QUEUES | {"breakers"}


class Call(asked.Call, frozen=True):
    """One operation of a history, see calls.Call.

    ``hidden`` are the files that the history does not show as they are, ``unsteady`` those that come and go by
    themselves while it runs, ``places`` where each file is, ``recalled`` the queues and the breakers that nobody can
    read, as they were when somebody could: to be kept from reading a file changes nothing of what is in it.
    """

    hidden: frozenset[str]
    unsteady: frozenset[str]
    places: weather.Places
    recalled: Mapping[str, InputFact]

    @property
    def inputs(self) -> Mapping[str, InputFact]:
        """The files of the contract that it found, with those that it could not read as they are known."""
        found = self.done.begin.inputs
        return {**found, **self.recalled} if self.recalled else found

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
    memory = _Memory(places)
    for done, answer in zip(operations, answers, strict=True):
        faults = file_faults.struck(faults_of(done))
        args = asked.arguments_of(done, contract.OPERATIONS)
        # what is no file in the world itself keeps one from it as a fault would
        blocked = frozenset(label for label, fact in done.begin.inputs.items() if fact.kind not in _USABLE)
        unsteady = weather.hidden(file_faults.unsteady(faults), places)
        excused = answer is None and (args is None or _excused(done, faults))
        recalled = memory.recall(done, faults)
        yield Call(
            done, done.begin.op, args, answer, faults, weather.shaken(faults, places) | blocked, excused,
            _hidden(done, faults, places, recalled) | (blocked - recalled.keys()), unsteady, places, recalled,
        )  # fmt: skip


class _Memory:
    """What stood in the queues and the breakers when they could be read last."""

    def __init__(self, places: weather.Places) -> None:
        self._places = places
        self._known: dict[str, InputFact] = {}
        self._standing: tuple[Fault, ...] = ()

    def recall(self, done: Completed, faults: tuple[Fault, ...]) -> Mapping[str, InputFact]:
        """The files that this operation finds, and cannot read, by label."""
        if done.begin.op == RESET or file_faults.loses_power((*self._standing, *faults)):
            self._known = {}
        changed = [fault for fault in (*faults, *self._standing) if fault not in faults or fault not in self._standing]
        for label in weather.damaged((*changed, *file_faults.unsteady(faults)), self._places):
            self._known.pop(label, None)
        self._standing = faults
        found = {label: fact for label, fact in done.begin.inputs.items() if label in _RECALLED}
        self._known |= {label: fact for label, fact in found.items() if fact.kind in _USABLE}
        lost = [label for label, fact in found.items() if fact.kind == _UNREADABLE]
        return {label: self._known[label] for label in lost if label in self._known and self._is_same(label, done)}

    def _is_same(self, label: str, done: Completed) -> bool:
        """Has the file the bytes that are known? An operation may have changed it before it could be read no more."""
        data = self._known[label].data
        wanted = None if data is None else hashlib.sha256(data).hexdigest()
        return any(fact.sha256 == wanted for path in self._places[label] if (fact := done.begin.files.get(path)))


def _hidden(
    done: Completed, faults: Sequence[Fault], places: weather.Places, recalled: Mapping[str, InputFact]
) -> frozenset[str]:
    """The files that faults hide; what nobody can read is hidden as long as it is not known."""
    others = weather.hidden([fault for fault in faults if fault.name != "filesystem.unreadable"], places)
    shown = {label for label, fact in done.begin.inputs.items() if fact.kind in _USABLE} | recalled.keys()
    return others | (weather.hidden(faults, places) - (_RECALLED & shown))


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

"""A history as the oracle follows it: what was asked, what stood against it, what came of it. Pure."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from harness.core.fault import Fault
from harness.core.history import Completed, EntryType, FileFact, History, InputFact
from harness.core.log import LogLevel
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


class Call(msgspec.Struct, frozen=True):
    """One operation of a history.

    ``args`` is None when what was asked is no operation of the contract, ``answer`` when none came that has its form;
    ``excused``: that is no defect. ``shaken`` are the files that it may have been kept from, ``hidden`` those that the
    history does not show as they are, ``unsteady`` those that come and go by themselves while it runs.
    """

    done: Completed
    op: str
    args: Any
    answer: Any
    faults: tuple[Fault, ...]
    shaken: frozenset[str]
    hidden: frozenset[str]
    unsteady: frozenset[str]
    excused: bool
    places: weather.Places

    @property
    def n(self) -> int:
        """Its place in the history."""
        return self.done.begin.n

    @property
    def ended(self) -> int:
        """The place of its end; of one that has none its own."""
        return self.n if self.done.end is None else self.done.end.n

    @property
    def at(self) -> datetime | None:
        """The time it was told; None when who asks for it may be told another one."""
        return None if weather.tells_no_time(self.faults) else instant(self.done.begin.now)

    @property
    def inputs(self) -> Mapping[str, InputFact]:
        """The files that it found."""
        return self.done.begin.inputs

    @property
    def left(self) -> Mapping[str, FileFact]:
        """Everything on the disk when it ended; empty when nobody looked."""
        return {} if self.done.end is None else self.done.end.files

    @property
    def says_so(self) -> bool:
        """Does its answer tell of something that could not be done?"""
        return self.answer is not None and any(entry.level in _HELD_BACK for entry in self.answer.log)

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

    @property
    def said(self) -> str:
        """What was asked and what came of it, for a person."""
        end = self.done.end
        came = "no answer" if end is None else f"{end.type.value} {_short(end.value)}"
        return f"{self.op} {_short(self.done.begin.value)} at {self.done.begin.now}: {came}"


def calls(history: History) -> Iterator[Call]:
    """Every operation of the contract, and every reset, in order."""
    operations = [each for each in history.operations() if each.begin.op in (RESET, *contract.OPERATIONS)]
    answers = [_answer(done) for done in operations]
    places = _places(operations, answers)
    for done, answer in zip(operations, answers, strict=True):
        op = done.begin.op
        faults = weather.struck(faults_of(done))
        args = _args(done)
        # what is no file in the world itself keeps one from it as a fault would
        blocked = frozenset(label for label, fact in done.begin.inputs.items() if fact.kind not in _USABLE)
        steady = weather.hidden(weather.unsteady(faults), places)
        excused = answer is None and (args is None or _excused(done, faults))
        yield Call(
            done, op, args, answer, faults, weather.shaken(faults, places) | blocked,
            weather.hidden(faults, places) | blocked, steady, excused, places,
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


def groups(found: Sequence[Call]) -> Iterator[list[Call]]:
    """The calls, those together that overlapped."""
    group: list[Call] = []
    for call in found:
        if group and call.n > max(each.ended for each in group):
            yield group
            group = []
        group.append(call)
    if group:
        yield group


def instant(text: object) -> datetime | None:
    """The time; None for what is no RFC 3339 time, or has no offset."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text.upper())
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _args(done: Completed) -> Any:
    return None if done.begin.op == RESET else _converted(done.begin.value, contract.OPERATIONS[done.begin.op][0])


def _answer(done: Completed) -> Any:
    if done.end is None or done.end.type is not EntryType.OK or done.begin.op == RESET:
        return None
    return _converted(done.end.value, contract.OPERATIONS[done.begin.op][1])


def _converted(value: Any, kind: type) -> Any:
    try:
        return msgspec.convert(value, kind)
    except (ValueError, TypeError, RecursionError):
        return None


def _excused(done: Completed, faults: Sequence[Fault]) -> bool:
    if done.end is None or done.end.value.get("blame") == "harness":
        return True
    if done.begin.op in EDITORS and weather.locks_queues(faults):
        return True  # it may wait for the lock, which nobody lets go
    return any(map(weather.silences, faults))


def _short(value: Mapping[str, Any]) -> str:
    text = ", ".join(f"{name} {str(item)[:120]!r}" for name, item in value.items())
    return text if len(text) <= _HIDDEN else text[: _HIDDEN - 4] + " ..."

"""A history as the oracle follows it: what was asked, what stood against it, what came of it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from harness.core.fault import Fault
from harness.core.history import Completed, EntryType, History, InputFact
from harness.core.log import LogLevel
from harness.systems.error_log import contract
from harness.systems.error_log.oracle import weather
from harness.systems.standing import faults_of

RESET: Final = "reset"
_USABLE: Final = ("file", "missing")
_HIDDEN: Final = 160  # characters of arguments and answers that a person is shown
_DECISIVE: Final = ("stored", "log", "response", "continues", "outcome", "task_status", "resume_at")  # shown first
_HELD_BACK: Final = frozenset((LogLevel.WARNING, LogLevel.ERROR))


class Call(msgspec.Struct, frozen=True):
    """One operation of a history.

    ``args`` is None when what was asked is no operation of the contract, ``answer`` when none came that has its form;
    ``excused``: that is no defect. ``shaken`` are the files that it may have been kept from.
    """

    done: Completed
    op: str
    args: Any
    answer: Any
    faults: tuple[Fault, ...]
    shaken: frozenset[str]
    excused: bool

    @property
    def n(self) -> int:
        """Its place in the history."""
        return self.done.begin.n

    @property
    def ended(self) -> int:
        """The place of its end; of one that has none its own."""
        return self.n if self.done.end is None else self.done.end.n

    @property
    def process(self) -> int:
        """Who was asked."""
        return self.done.begin.process

    @property
    def at(self) -> datetime | None:
        """The time it was told."""
        return instant(self.done.begin.now)

    @property
    def inputs(self) -> Mapping[str, InputFact]:
        """The files that it found."""
        return self.done.begin.inputs

    @property
    def says_so(self) -> bool:
        """Does its answer tell of something that could not be done?"""
        return self.answer is not None and any(entry.level in _HELD_BACK for entry in self.answer.log)

    @property
    def is_unsteady(self) -> bool:
        """Do files come and go while it runs? Who finds nothing there has nothing to say."""
        return bool(weather.keeps_on(self.faults))

    def may_miss(self, *labels: str) -> bool:
        """May what was to be kept in one of these files be missing? When a fault was in the way, and it says so."""
        return not self.shaken.isdisjoint(labels) and (self.says_so or self.is_unsteady)

    @property
    def said(self) -> str:
        """What was asked and what came of it, for a person."""
        end = self.done.end
        came = "no answer" if end is None else f"{end.type.value} {_short(end.value)}"
        return f"{self.op} {_short(self.done.begin.value)} at {self.done.begin.now}: {came}"


def calls(history: History) -> Iterator[Call]:
    """Every operation of the contract, and every reset, in order."""
    for done in history.operations():
        op = done.begin.op
        if op != RESET and op not in contract.OPERATIONS:
            continue
        faults = weather.struck(faults_of(done))
        args, answer = _args(done), _answer(done)
        excused = answer is None and (args is None or _excused(done, faults))
        # what is no file in the world itself keeps one from it as a fault would
        blocked = {label for label, fact in done.begin.inputs.items() if fact.kind not in _USABLE}
        yield Call(done, op, args, answer, faults, weather.shaken(faults) | blocked, excused)


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
    """The time; None for what is no RFC 3339 time. One without an offset is taken for UTC, as is a date."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _args(done: Completed) -> Any:
    if done.begin.op == RESET:
        return None
    try:
        return msgspec.convert(done.begin.value, contract.OPERATIONS[done.begin.op][0])
    except (msgspec.ValidationError, TypeError):
        return None


def _answer(done: Completed) -> Any:
    if done.end is None or done.end.type is not EntryType.OK or done.begin.op == RESET:
        return None
    try:
        return msgspec.convert(done.end.value, contract.OPERATIONS[done.begin.op][1])
    except (msgspec.ValidationError, TypeError):
        return None


def _excused(done: Completed, faults: Sequence[Fault]) -> bool:
    if done.end is None or done.end.value.get("blame") == "harness":
        return True
    return any(map(weather.silences, faults))


def _short(value: Mapping[str, Any]) -> str:
    names = sorted(value, key=lambda name: name not in _DECISIVE)
    text = ", ".join(f"{name} {value[name]!r}" for name in names)
    return text if len(text) <= _HIDDEN else text[: _HIDDEN - 4] + " ..."

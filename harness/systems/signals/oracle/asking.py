"""A history as the oracle follows it: what was asked, what stood against it, what came of it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from harness.core.fault import Fault
from harness.core.history import Completed, EntryType, FileFact, History
from harness.systems.signals import contract
from harness.systems.signals.oracle import weather
from harness.systems.signals.oracle.times import instant
from harness.systems.signals.oracle.values import is_shallow
from harness.systems.standing import faults_of

RESET: Final = "reset"
_HIDDEN: Final = 300  # characters of arguments and answers that a person is shown


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
    def at(self) -> datetime | None:
        """The time it was told; None when who is asked may be told another."""
        return None if weather.tells_no_time(self.faults) else instant(self.done.begin.now)

    @property
    def found(self) -> Mapping[str, FileFact]:
        """Every file when it began; none when nobody looked."""
        return self.done.begin.files

    @property
    def left(self) -> Mapping[str, FileFact]:
        """Every file when it ended; none when nobody looked."""
        return self.done.end.files if self.done.end is not None else {}

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
        yield Call(done, op, args, answer, faults, weather.shaken(faults), excused)


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


def _args(done: Completed) -> Any:
    return None if done.begin.op == RESET else _converted(done.begin.value, contract.OPERATIONS[done.begin.op][0])


def _answer(done: Completed) -> Any:
    if done.end is None or done.end.type is not EntryType.OK or done.begin.op == RESET:
        return None
    return _converted(done.end.value, contract.OPERATIONS[done.begin.op][1])


def _converted(value: Any, form: type) -> Any:
    if not is_shallow(value):
        return None
    try:
        return msgspec.convert(value, form)
    except (msgspec.ValidationError, TypeError, ValueError, RecursionError):
        return None


def _excused(done: Completed, faults: Sequence[Fault]) -> bool:
    if done.end is None or done.end.value.get("blame") == "harness":
        return True
    return any(map(weather.silences, faults))


def _short(value: Mapping[str, Any]) -> str:
    text = ", ".join(f"{name} {value[name]!r}" for name in value)
    return text if len(text) <= _HIDDEN else text[: _HIDDEN - 4] + " ..."

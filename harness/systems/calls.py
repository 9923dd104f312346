"""The operations of a history, as an oracle that models files follows them: what was asked, what came of it. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final, TypeVar

import msgspec

from harness.core.fault import Fault
from harness.core.history import Completed, EntryType, FileFact, History, InputFact
from harness.core.log import LogLevel
from harness.systems import file_faults
from harness.systems.times import instant

RESET: Final = "reset"
Operations = Mapping[str, tuple[type, type]]
"""A contract's operations by name: the forms of arguments and answer."""
_LONGEST: Final = 300  # characters of arguments, or of an answer, that a person is shown
_HELD_BACK: Final = frozenset((LogLevel.WARNING, LogLevel.ERROR))


class Call(msgspec.Struct, frozen=True):
    """One operation of a history.

    ``args`` is None when what was asked is no operation of the contract, ``answer`` when none came that has its form;
    ``excused``: that is no defect. ``shaken`` are the files, by label, that it may have been kept from.
    """

    SHOWN_FIRST: ClassVar[tuple[str, ...]] = ()
    """The fields that a person is to see first."""

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
    def told(self) -> datetime | None:
        """The time it was told; None when that was none."""
        return instant(self.done.begin.now)

    @property
    def at(self) -> datetime | None:
        """The time it was told; None when who asks the machine's clock is told another one."""
        return None if file_faults.tells_no_time(self.faults) else self.told

    @property
    def inputs(self) -> Mapping[str, InputFact]:
        """The files of the contract that it found."""
        return self.done.begin.inputs

    @property
    def found(self) -> Mapping[str, FileFact]:
        """Everything on the disk when it began; empty when nobody looked."""
        return self.done.begin.files

    @property
    def left(self) -> Mapping[str, FileFact]:
        """Everything on the disk when it ended; empty when nobody looked."""
        return {} if self.done.end is None else self.done.end.files

    @property
    def says_so(self) -> bool:
        """Does its answer tell of something that could not be done?"""
        return self.answer is not None and any(entry.level in _HELD_BACK for entry in self.answer.log)

    @property
    def said(self) -> str:
        """What was asked and what came of it, for a person."""
        end = self.done.end
        came = "no answer" if end is None else f"{end.type.value} {shown(end.value, self.SHOWN_FIRST)}"
        return f"{self.op} {shown(self.done.begin.value, self.SHOWN_FIRST)} at {self.done.begin.now}: {came}"


AnyCall = TypeVar("AnyCall", bound=Call)


def operations_of(history: History, operations: Operations) -> Iterator[Completed]:
    """Every operation of the contract, and every reset, in order."""
    return (done for done in history.operations() if done.begin.op == RESET or done.begin.op in operations)


def arguments_of(done: Completed, operations: Operations) -> Any:
    """What was asked, in the contract's form; None for a reset, and for what has not that form."""
    return None if done.begin.op == RESET else converted(done.begin.value, operations[done.begin.op][0])


def answer_of(done: Completed, operations: Operations) -> Any:
    """The answer, in the contract's form; None for a reset, and when none came that has it."""
    if done.end is None or done.end.type is not EntryType.OK or done.begin.op == RESET:
        return None
    return converted(done.end.value, operations[done.begin.op][1])


def converted(value: Any, form: type) -> Any:
    """The value as ``form``; None when it has another form."""
    try:
        return msgspec.convert(value, form)
    except (ValueError, TypeError, RecursionError):
        return None


def is_excused(done: Completed, faults: Sequence[Fault], silences: Callable[[Fault], bool]) -> bool:
    """Is it nobody's defect that no answer came: the harness's own affair, or a fault's that silences?"""
    return done.end is None or done.end.value.get("blame") == "harness" or any(map(silences, faults))


def groups(found: Sequence[AnyCall]) -> Iterator[list[AnyCall]]:
    """The calls, those together that overlapped."""
    group: list[AnyCall] = []
    for call in found:
        if group and call.n > max(each.ended for each in group):
            yield group
            group = []
        group.append(call)
    if group:
        yield group


def worlds(found: Sequence[AnyCall]) -> Iterator[list[list[AnyCall]]]:
    """The calls as ``groups``, of each fresh world in which something was asked: those between two resets."""
    world: list[list[AnyCall]] = []
    for group in groups(found):
        if group[0].op != RESET:
            world.append(group)
        elif world:
            yield world
            world = []
    if world:
        yield world


def shown(value: Mapping[str, Any], first: Sequence[str] = ()) -> str:
    """A JSON object in at most 300 characters, for a person: the fields of ``first`` before the others."""
    names = sorted(value, key=lambda name: name not in first)
    text = ", ".join(f"{name} {_briefly(value[name])}" for name in names)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."


def _briefly(value: Any) -> str:
    try:
        return repr(value)[:120]
    except RecursionError:
        return "(nested too deep to be shown)"

"""A history as the model follows it: what was asked of each breaker, in groups that overlap. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from harness.core.fault import Fault
from harness.core.history import Completed, EntryType, History
from harness.systems.circuit_breaker import contract
from harness.systems.circuit_breaker.contract import Outcome
from harness.systems.circuit_breaker.oracle import weather
from harness.systems.circuit_breaker.oracle.breaker import Asked, Limits
from harness.systems.circuit_breaker.oracle.state_file import instant
from harness.systems.standing import faults_of

ON_ONE: Final = frozenset(("acquire", "record", "inspect"))
_HIDDEN: Final = 160  # characters of arguments and answers that a person is shown


class Call(msgspec.Struct, frozen=True):
    """One operation of a history: what was asked, what stood against it, what came of it.

    ``answer`` is the contract's result, None when there is none that has its form; ``excused``: that is no defect.
    """

    done: Completed
    op: str
    at: int
    faults: tuple[Fault, ...]
    answer: Any
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
    def args(self) -> Mapping[str, Any]:
        """What was asked."""
        return self.done.begin.value

    @property
    def is_sound(self) -> bool:
        """Are the arguments those of the contract?"""
        try:
            msgspec.convert(self.args, contract.OPERATIONS[self.op][0])
        except (msgspec.ValidationError, TypeError):
            return False
        return True

    @property
    def is_refused(self) -> bool:
        """Was it answered with an error, so that it was certainly not done?"""
        return self.done.end is not None and self.done.end.type is EntryType.FAIL

    @property
    def said(self) -> str:
        """What was asked and what came of it, for a person."""
        end = self.done.end
        came = "no answer" if end is None else f"{end.type.value} {_short(end.value)}"
        return f"{self.op} {_short(self.args)} at {self.done.begin.now}: {came}"


def calls(history: History) -> Iterator[Call]:
    """Every operation of the contract, and every reset, in order."""
    for done in history.operations():
        if done.begin.op == "reset" or done.begin.op in contract.OPERATIONS:
            faults = weather.struck(faults_of(done))
            answer = _answer(done)
            excused = answer is None and _excused(done, faults)
            yield Call(done, done.begin.op, instant(done.begin.now) or 0, faults, answer, excused)


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


def asked(call: Call, limits: tuple[Limits, ...]) -> Asked | None:
    """What was asked of one breaker; None for an operation that has no name to go by.

    Where other arguments are wrong it is one without an answer: it was done, or not.
    """
    args = call.args
    name = args.get("name")
    if not isinstance(name, str) or call.op not in ON_ONE:
        return None
    outcome = Outcome.FAILURE if args.get("outcome") == Outcome.FAILURE.value else Outcome.SUCCESS
    error, sound = args.get("error"), call.is_sound
    return Asked(
        call.n,
        call.process,
        call.op,
        name,
        call.at,
        limits,
        call.answer if sound else None,
        call=str(args.get("call", "")),
        urgent=args.get("urgent", True) is not False,
        outcome=outcome,
        error=error if isinstance(error, str) else None,
        shaken=any(map(weather.shakes, call.faults)),
        excused=call.excused or not sound,
        said=call.said,
    )


def _answer(done: Completed) -> Any:
    if done.end is None or done.end.type is not EntryType.OK or done.begin.op == "reset":
        return None
    try:
        return msgspec.convert(done.end.value, contract.OPERATIONS[done.begin.op][1])
    except (msgspec.ValidationError, TypeError):
        return None


def _excused(done: Completed, faults: Sequence[Fault]) -> bool:
    if done.end is None or done.end.value.get("blame") == "harness":
        return True
    if any(map(weather.silences, faults)):
        return True
    return done.end.type is EntryType.FAIL and _is_odd(done.begin.value.get("name", "x"))


def _is_odd(name: object) -> bool:
    """A name that may be refused: an empty one, one that is too long, and what no file can hold."""
    if not isinstance(name, str) or not 1 <= len(name) <= contract.LONGEST_NAME:
        return True
    return any("\ud800" <= each <= "\udfff" for each in name)


def _short(value: Mapping[str, Any]) -> str:
    text = ", ".join(f"{name} {item!r}" for name, item in value.items())
    return text if len(text) <= _HIDDEN else text[: _HIDDEN - 4] + " ..."

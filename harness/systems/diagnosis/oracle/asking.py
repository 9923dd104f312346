"""The operations of a history: what was asked, what stood against it, which files it found, what came of it. Pure."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from harness.core.fault import Fault
from harness.core.history import Completed, EntryType, History, InputFact
from harness.systems import stateless
from harness.systems.diagnosis.contract import OPERATIONS
from harness.systems.diagnosis.oracle import weather
from harness.systems.standing import faults_of
from harness.systems.stateless import RESET, Ended

__all__ = ["Call", "Ended", "calls"]

# what is judged first, ids and times last
_ASKED: Final = ("call", "success", "tool", "args", "error", "iterations")
_ANSWERED: Final = ("reflection", "asks_user", "strategy", "next_plan", "text", "diagnosis", "log")
_DIAGNOSED: Final = ("errorClassification", "recoveryPlan", "alternatives", "rootCause", "whyChain", "id", "timestamp")
_SHORT: Final = 70  # characters of one field
_SOUND: Final = (Ended.ANSWERED, Ended.REFUSED)


class Call(stateless.Call, frozen=True):
    """One operation of a history, see stateless.Call.

    ``ended_n`` is the place of its end, its own for one without; ``at`` and ``ended_at`` are the times. ``life`` is
    counted up by process each time that another one may answer: what is kept in memory is kept within a life.
    ``inputs`` are the files that it found, by label.
    """

    ended_n: int
    at: str
    ended_at: str
    faults: tuple[Fault, ...]
    life: int
    inputs: Mapping[str, InputFact]

    @property
    def said(self) -> str:
        """What was asked and what came of it, for a person: short, and what is judged before ids and times."""
        return f"{self.op} {_told(_ASKED, self.asked)}: {self.ended.value} {_told(_ANSWERED, self.result)}".rstrip()

    @property
    def who(self) -> tuple[int, int, int]:
        """The life that was asked: by world, process and number."""
        return self.segment, self.process, self.life

    def shaken(self, path: str) -> bool:
        """May it have lost the line that it was to write into that file, by a fault?"""
        return any(weather.shakes(fault, path) for fault in self.faults)

    def overlaps(self, other: "Call") -> bool:
        """Did the two run at the same time?"""
        return self.n < other.ended_n and other.n < self.ended_n


def _told(names: Sequence[str], raw: Mapping[str, Any]) -> str:
    """Those fields of a JSON object, in that order, for a person; each is short, so that all are seen."""
    return ", ".join(f"{name} {_briefly(raw[name])}" for name in names if name in raw)


def _briefly(raw: Any) -> str:
    if isinstance(raw, Mapping) and "errorClassification" in raw:
        return f"({_told(_DIAGNOSED, raw)})"
    text = repr(raw)
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 4]} ..."


def calls(history: History) -> tuple[Call, ...]:
    """Every operation of the contract, in order."""
    found: list[Call] = []
    segment = 0
    lives: dict[int, int] = {}
    before: dict[int, tuple[tuple[Fault, ...], bool]] = {}  # by process: what stood last, and whether it answered
    for done in history.operations():
        if done.begin.op == RESET:
            segment += 1
            before = {}
        elif done.begin.op in OPERATIONS:
            process, faults = done.begin.process, weather.struck(faults_of(done))
            standing = tuple(each for each in faults if each.family in weather.RESTARTING)
            ended = _ended(done, faults)
            stood, sound = before.get(process, (standing, True))
            restarted = stood != standing or not sound
            lives[process] = lives.get(process, 0) + restarted
            before[process] = standing, ended in _SOUND
            found.append(_call(done, segment, ended, faults, lives[process], restarted=restarted))
    return tuple(found)


def _call(
    done: Completed, segment: int, ended: Ended, faults: tuple[Fault, ...], life: int, *, restarted: bool
) -> Call:
    begin, end = done.begin, done.end
    args: Any = None
    with suppress(msgspec.ValidationError, TypeError, ValueError, RecursionError):
        args = msgspec.convert(begin.value, OPERATIONS[begin.op][0])
    return Call(
        n=begin.n,
        segment=segment,
        process=begin.process,
        op=begin.op,
        args=args,
        ended=ended,
        result=end.value if end is not None and isinstance(end.value, Mapping) else {},
        restarted=restarted,
        asked=begin.value,
        ended_n=begin.n if end is None else end.n,
        at=begin.now,
        ended_at=begin.now if end is None else end.now,
        faults=faults,
        life=life,
        inputs=begin.inputs,
    )


def _ended(done: Completed, faults: tuple[Fault, ...]) -> Ended:
    if done.end is None or done.end.value.get("blame") == "harness":
        return Ended.EXCUSED
    if done.end.type is EntryType.OK:
        return Ended.ANSWERED
    if any(map(weather.silences, faults)):
        return Ended.EXCUSED
    return Ended.REFUSED if done.end.type is EntryType.FAIL else Ended.SILENT

"""The recovery log as operations found it: LK-RP-06. Pure. Source: document 000, Recovery Protocol 6."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import islice, product
from typing import Final

from harness.core.history import InputFact
from harness.systems.circuit_breaker.oracle.breaker import SECOND
from harness.systems.circuit_breaker.oracle.notes import Notes
from harness.systems.circuit_breaker.oracle.state_file import Belief

CLAUSE: Final = "LK-RP-06"
_EXPECTED: Final = "a line for each recovery, after what was there"
_MOST_COMBINATIONS: Final = 64  # of what may have become of several breakers
LATEST: Final = 253_402_300_799 * SECOND  # the last second of the year 9999

Closings = tuple[str, tuple[int, ...]]  # a breaker's name, and the times of its recoveries


def line(name: str, at: int) -> str:
    """The line of one recovery."""
    return f"{_stamp(at)} Circuit recovered: {name}\n"


def _stamp(at: int) -> str:
    return datetime.fromtimestamp(min(at, LATEST) // SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class RecoveryLog:
    """What the log of one world has to hold. ``before`` stood there in the beginning."""

    def __init__(self, fact: InputFact | None) -> None:
        self._before = _text(fact)
        self._last: object = None
        self._torn = False
        self.unreliable = False  # a fault may have taken lines, or the log
        self.unfinished = False  # a process died: its line may be written by the next one

    def look(self, fact: InputFact | None, beliefs: Mapping[str, Belief], notes: Notes) -> None:
        """Notes whether the log has a line for each recovery, and nothing else that is new."""
        text, unfinished, self.unfinished = _text(fact), self.unfinished, False
        torn = self._torn = self._torn or unfinished
        if self.unreliable or unfinished:
            return
        possible = [sorted({(name, each.closings) for each in belief}) for name, belief in sorted(beliefs.items())]
        if (text, possible) == self._last:
            return
        self._last = text, possible
        first = ""
        for closings in islice(product(*possible), _MOST_COMBINATIONS):
            wrong = _wrong(self._before, text, closings, torn=torn)
            if not wrong:
                if any(times for _, times in closings):
                    notes.agrees(CLAUSE, _EXPECTED)
                return
            first = first or wrong
        notes.breaks(CLAUSE, _EXPECTED, first)
        self.unreliable = True  # once is enough


def _text(fact: InputFact | None) -> str | None:
    """The log, None for one that is not told; one that is missing is empty."""
    if fact is not None and fact.kind == "missing":
        return ""
    return None if fact is None or fact.data is None else fact.data.decode("utf-8", "surrogateescape")


def _wrong(before: str | None, text: str | None, closings: Iterable[Closings], *, torn: bool) -> str:
    """What is wrong with the log, "" when nothing is; ``torn``: a process died, and may have left part of a line."""
    if before is None or text is None:
        return ""
    if not text.startswith(before):
        return f"what was there is gone: {text[:200]!r}"
    added = text[len(before) :]
    if before and not before.endswith("\n"):
        added = added.removeprefix("\n")  # a torn line may be ended first
    # long names come first: those with line breaks look like several lines
    recoveries = sorted(((name, at) for name, times in closings for at in times), key=lambda each: -len(each[0]))
    for name, at in recoveries:
        written = _written(added, name, at)
        if not written:
            return f"no line {line(name[:80], at)!r} in {added[:200]!r}"
        added = _without(added, written)
    left = [each for each in added.split("\n") if each]
    if torn:
        left = [each for each in left if not _is_part(each)]
    return f"lines of no recovery: {added[:200]!r}" if left else ""


def _without(added: str, written: str) -> str:
    return added.replace(written, "", 1) if added.startswith(written) else added.replace(f"\n{written}", "\n", 1)


def _is_part(left: str) -> bool:
    """Is that the beginning of a line, and no whole one?"""
    begun = left[: len("2026-01-01T00:00:00Z")]
    return "Circuit recovered: " not in left and begun[:1].isdigit()


def _written(added: str, name: str, at: int) -> str:
    """The line of that recovery as it stands there: of a name with line breaks as it is, or in one line somehow."""
    exact = line(name, at)
    if f"\n{added}".find(f"\n{exact}") >= 0:
        return exact
    if name.isprintable():
        return ""
    begin = f"{_stamp(at)} Circuit recovered: "
    return next((f"{each}\n" for each in added.split("\n")[:-1] if each.startswith(begin)), "")

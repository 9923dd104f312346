"""The readings that decide how a breaker moves, followed all at once: each state holds in a set of assignments. Pure.

An assignment takes one reading for each of the questions below, and keeps to it. A set of assignments is an integer
with a bit for each. Readings that only show, and move nothing, are no part of it. Source: readings.md.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

SLIDING, TUMBLING = "sliding", "tumbling"
INCLUSIVE, EXCLUSIVE = "inclusive", "exclusive"
LEAVES, CLEARS = "leaves", "clears"
START, END, SLOTS = "start", "end", "slots"
IGNORED, COUNTED = "ignored", "counted"
DUE, CALL = "cooldown_until", "call"

# the clause that asks the question, and its readings; the first one is ours
QUESTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "LK-CB-07": (DUE, CALL),
    "LK-CB-10": (SLIDING, TUMBLING),
    "LK-CB-11": (INCLUSIVE, EXCLUSIVE),
    "LK-CB-17": (START, END, SLOTS),
    "LK-CB-23": (LEAVES, CLEARS),
    "LK-CB-24": (IGNORED, COUNTED),
}
_ASSIGNMENTS: Final = tuple(product(*QUESTIONS.values()))
EVERY: Final = (1 << len(_ASSIGNMENTS)) - 1


def _taking(index: int, reading: str) -> int:
    return sum(1 << number for number, assignment in enumerate(_ASSIGNMENTS) if assignment[index] == reading)


# by clause and reading: the assignments that take it
WITH: Final[Mapping[str, Mapping[str, int]]] = {
    clause: {reading: _taking(index, reading) for reading in readings}
    for index, (clause, readings) in enumerate(QUESTIONS.items())
}


def surviving(clause: str, assignments: int) -> frozenset[str] | None:
    """The readings of ``clause`` that some of these assignments take; None for one whose readings move nothing."""
    if clause not in WITH:
        return None
    return frozenset(reading for reading, taking in WITH[clause].items() if taking & assignments)


def windows() -> Iterator[tuple[str, str, int]]:
    """Each kind of window with each kind of edge, and the assignments that take both."""
    for kind, edge in product(QUESTIONS["LK-CB-10"], QUESTIONS["LK-CB-11"]):
        yield kind, edge, WITH["LK-CB-10"][kind] & WITH["LK-CB-11"][edge]

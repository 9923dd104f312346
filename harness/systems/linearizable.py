"""Did operations that overlap take effect one after the other, each somewhere between its beginning and its end? Pure.

Wing and Gong's search with Lowe's memo (Testing for linearizability, 2017), over a model that need not be
deterministic: a state maps to the *cases* in which it is possible, a set written as the bits of an integer, and a step
gives the states after an operation with the cases in which each comes about. Who knows of no cases uses 1.
Nodes are worked off in layers by the number of operations done, so that each is met once with all its cases.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Final, Generic, TypeVar

import msgspec

S = TypeVar("S", bound=Hashable)
O = TypeVar("O")  # noqa: E741 - an operation

MOST_NODES: Final = 10_000  # beyond it a history is too concurrent to be decided


class BeyondBoundError(Exception):
    """There are more orders than the stated bound allows to look at: nothing is known of the history."""


class Overlapping(msgspec.Struct, Generic[O], frozen=True):
    """One operation and when it began and ended, in any order that counts up.

    ``ended`` None is one of which no end is known: it may take effect at any time after its beginning, or never.
    """

    operation: O
    begun: int
    ended: int | None


class Linearized(msgspec.Struct, Generic[S, O], frozen=True):
    """What became of a model by operations that overlapped.

    ``after`` are the states in which all of them have been done, with their cases, empty when no order explains what
    was seen; ``steps`` are those of the orders that do (before, operation, after); ``stuck`` is where the longest of
    the others ended: a state, and an operation that could not be done there.
    """

    after: Mapping[S, int]
    steps: tuple[tuple[S, O, S], ...]
    stuck: tuple[tuple[S, O], ...] = ()


def linearize(
    operations: Sequence[Overlapping[O]],
    before: Mapping[S, int],
    step: Callable[[S, O], Iterable[tuple[S, int]]],
    most_nodes: int = MOST_NODES,
) -> Linearized[S, O]:
    """Every order of ``operations`` that their times allow; BeyondBoundError when these are too many to look at.

    ``step`` gives the states after an operation that are compatible with its result, none when there is none.
    """
    return _Search(operations, step, most_nodes).run(before)


class _Search(Generic[S, O]):
    def __init__(
        self,
        operations: Sequence[Overlapping[O]],
        step: Callable[[S, O], Iterable[tuple[S, int]]],
        most_nodes: int,
    ) -> None:
        self._operations = operations
        self._step = step
        self._left = most_nodes
        self._required = sum(1 << index for index, each in enumerate(operations) if each.ended is not None)
        self._first = [self._must_precede(each) for each in operations]
        self._edges: list[tuple[tuple[int, S], int, tuple[int, S]]] = []

    def _must_precede(self, later: Overlapping[O]) -> int:
        """The operations that had ended when ``later`` began."""
        return sum(
            1 << index
            for index, each in enumerate(self._operations)
            if each.ended is not None and each.ended < later.begun
        )

    def run(self, before: Mapping[S, int]) -> Linearized[S, O]:
        layer: dict[tuple[int, S], int] = {(0, state): cases for state, cases in before.items() if cases}
        after: dict[S, int] = {}
        ends: set[tuple[int, S]] = set()
        furthest = layer
        while layer:
            for node, cases in layer.items():
                if node[0] & self._required == self._required:
                    after[node[1]] = after.get(node[1], 0) | cases
                    ends.add(node)
            furthest, layer = layer, self._next(layer)
        if after:
            return Linearized(after, self._leading_to(ends))
        return Linearized({}, (), tuple(self._undone(furthest)))

    def _next(self, layer: Mapping[tuple[int, S], int]) -> dict[tuple[int, S], int]:
        following: dict[tuple[int, S], int] = {}
        for node, cases in layer.items():
            done, state = node
            for index in self._possible(done):
                for state_after, in_cases in self._step(state, self._operations[index].operation):
                    if not cases & in_cases:
                        continue
                    reached = (done | 1 << index, state_after)
                    following[reached] = following.get(reached, 0) | (cases & in_cases)
                    self._edges.append((node, index, reached))
        self._left -= len(following)
        if self._left < 0:
            raise BeyondBoundError(f"{len(self._operations)} operations overlap in more ways than can be looked at")
        return following

    def _possible(self, done: int) -> Iterable[int]:
        for index, first in enumerate(self._first):
            if not done >> index & 1 and first & ~done == 0:
                yield index

    def _leading_to(self, ends: set[tuple[int, S]]) -> tuple[tuple[S, O, S], ...]:
        """The steps from which an end is reached, in order."""
        alive = set(ends)
        kept: list[tuple[S, O, S]] = []
        for before, index, after in reversed(self._edges):
            if after in alive:
                alive.add(before)
                kept.append((before[1], self._operations[index].operation, after[1]))
        return tuple(reversed(kept))

    def _undone(self, furthest: Mapping[tuple[int, S], int]) -> Iterable[tuple[S, O]]:
        for done, state in furthest:
            for index in self._possible(done):
                yield state, self._operations[index].operation

"""Swarm testing for the systems' state machines: each case draws its faults from a random subset of the families.

Leaving features out lets others show what they would have hidden. Source: Groce and others, ISSTA 2012. Hypothesis
leaves out rules of a machine by itself; what is left out here is no rule as a whole but some of what a rule draws, so
that no case pays twice.
"""

from collections.abc import Sequence
from random import Random
from typing import Final, Generic, Protocol, TypeVar

from hypothesis import strategies as st

_SOME: Final = 0.25  # of all cases those in which families are left out
_IN: Final = 0.5  # of these, how often each is in
_NUMBERS: Final = 2**16


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Item = TypeVar("Item", bound=_Named)


def subsets(families: Sequence[str]) -> st.SearchStrategy[frozenset[str]]:
    """All of ``families`` three times of four, else each one in or out by an even chance; never none.

    All, because two faults that have to meet are both let in by one subset of four only. Shrinks towards all: that way
    a case that shrinks keeps every fault it has drawn.
    """

    def drawn(number: int) -> frozenset[str]:
        chance = Random(number)  # noqa: S311 - has to be repeatable
        subset = frozenset(family for family in families if chance.random() < _IN)
        return subset if number and subset and chance.random() < _SOME else frozenset(families)

    # one number, of which chance makes the subset: Hypothesis repeats parts of cases that it has drawn, which is what
    # finds failures that need a step again and again, and a draw for each family is a part that it repeats in vain
    return st.integers(0, _NUMBERS).map(drawn)


class Table(Generic[Item]):
    """Faults, or whatever is named as they are, to be drawn by their families."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = tuple(items)
        self._strategies: dict[frozenset[str], st.SearchStrategy[Item]] = {}
        self.families = frozenset(map(_family_of, items))

    def one_of(self, families: frozenset[str]) -> st.SearchStrategy[Item]:
        """One of the items of these families, or of all where there is none; it stays when more families are let in.

        Shrinks towards the first of the table.
        """
        wanted = families & self.families or self.families
        if wanted not in self._strategies:
            self._strategies[wanted] = st.sampled_from(self.items).filter(lambda item: _family_of(item) in wanted)
        return self._strategies[wanted]


def _family_of(item: _Named) -> str:
    return item.name.partition(".")[0]

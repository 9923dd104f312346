"""Scenarios in which each two faults stand in one world at least once, in few files; played before they are written."""

import itertools
from collections.abc import Mapping, Sequence
from importlib import import_module
from random import Random
from typing import Final, NamedTuple

from harness.core.history import History
from harness.core.scenario import Scenario
from harness.core.seed import derive
from harness.explore.coverage import proven, refused
from harness.explore.generate import Chooser, Wish, named
from harness.explore.pairwise import pairwise
from harness.systems import registry
from harness.targets.session import Session

Pair = frozenset[str]  # the names of two faults
BEYOND: Final = "in scenarios that were not asked for"  # why a pair is left open
APART: Final = "proven each, but against no operation together"


class Paired(NamedTuple):
    """What came of covering pairs.

    Of ``pairs`` pairs of faults ``met`` stood against one operation; ``exclusive`` strike one place and cannot stand
    at once; the others are ``open``, each with the reason. ``left_out`` are the faults that stand in no world, since
    they strike nothing there or may rightly end differently each time. ``needed`` scenarios would hold every pair,
    ``chosen`` were made; in ``red`` the reference itself failed, and ``unsteady`` of them failed once only.
    """

    chosen: tuple[Scenario, ...]
    needed: int
    pairs: int
    met: int
    exclusive: int
    open: Mapping[Pair, str]
    left_out: tuple[str, ...]
    red: tuple[Scenario, ...]
    unsteady: int


def paired(system: registry.System, session: Session, wish: Wish, most: int | None = None) -> Paired:
    """Scenarios for each two of the wish's faults, ``most`` at most; ``wish.count`` says nothing here.

    The same wish makes the same scenarios; which pairs they are proven to hold is for this machine to say.
    """
    chooser = Chooser(system, session, wish)
    room = import_module(f"{system.workload.__name__}.combinations")
    names = [name for name in wish.faults if not (wish.calm and chooser.room.unsteady(name))]
    slots: Mapping[str, Sequence[str]] = room.slots(wish.profile, _shuffled(names, wish.seed))
    rows = pairwise(slots).rows
    chosen: list[Scenario] = []
    met: set[Pair] = set()
    reasons: dict[Pair, str] = {}
    for number, row in enumerate(rows[:most]):
        candidate = room.combined(wish.profile, tuple(row.values()))
        played = chooser.played(named(candidate, derive(wish.seed, number)))
        met |= _met(played.history)
        reasons |= _reasons(tuple(row.values()), refused(played.scenario, played.history))
        if chooser.is_green(played):
            chosen.append(chooser.written(played))
    every = {frozenset(pair) for pair in itertools.combinations((name for each in slots.values() for name in each), 2)}
    exclusive = {frozenset(pair) for each in slots.values() for pair in itertools.combinations(each, 2)}
    left = sorted(every - exclusive - met, key=sorted)
    return Paired(
        tuple(chosen),
        len(rows),
        len(every),
        len(met & every),
        len(exclusive - met),
        {pair: reasons.get(pair, BEYOND) for pair in left},
        tuple(name for name in wish.faults if name not in {each for slot in slots.values() for each in slot}),
        tuple(chooser.red),
        chooser.unsteady,
    )


def _met(history: History) -> set[Pair]:
    """The pairs of faults that are known to have stood against one operation."""
    return {
        frozenset(pair)
        for done in history.operations()
        for pair in itertools.combinations(sorted(set(proven(done))), 2)
    }


def _reasons(names: Sequence[str], refused_here: Mapping[str, str]) -> dict[Pair, str]:
    """Why two of the faults of one world are not known to have stood against one operation."""
    found = {}
    for pair in itertools.combinations(names, 2):
        why = [f"{name}: {refused_here[name]}" for name in sorted(pair) if name in refused_here]
        found[frozenset(pair)] = why[0] if why else APART
    return found


def _shuffled(names: Sequence[str], seed: int) -> list[str]:
    left, chance = list(names), Random(derive(seed, "pairs"))  # noqa: S311 - has to be repeatable
    return [left.pop(chance.randrange(len(left))) for _ in names]

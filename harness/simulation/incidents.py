"""What goes wrong in a simulation, thing by thing: drawn from a seed, or told, so that any of it can be left out.

Whoever could meet with something asks a Fate of his own, and counts his questions. So an incident has a name that stays
what it is when others are left out: whose it is, of which kind, and the how-manieth of that kind could have happened.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from harness.simulation.virtual_time import Chance

MACHINE: Final = "machine"
WHOLE: Final = ""  # what is met with when nothing goes wrong


class Incident(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """``who`` met with ``what``: a session, a task whose human was late, or the machine.

    It was the ``number``-th time, from 1, that something of that ``kind`` could have happened to him; for the machine
    the time in ticks since the beginning.
    """

    who: str
    kind: str
    number: int
    what: str


Draw = Callable[[Chance], str]
"""Draws what happens: WHOLE when nothing does."""


class Fate:
    """What ``who`` meets with; see Incidents.of."""

    def __init__(self, who: str, incidents: "Incidents", chance: Chance | None) -> None:
        self._who = who
        self._incidents = incidents
        self._chance = chance
        self._numbers: dict[str, int] = {}

    def meets(self, kind: str, draw: Draw) -> str:
        """What happens now, of that kind; WHOLE when nothing does."""
        number = self._numbers[kind] = self._numbers.get(kind, 0) + 1
        if self._incidents.are_over:
            return WHOLE
        what = self._incidents.told(self._who, kind, number) if self._chance is None else draw(self._chance)
        if what:
            self._incidents.note(Incident(self._who, kind, number, what))
        return what


class Incidents:
    """All of a simulation. With ``told``, these happen and no others; or else they are drawn from a seed.

    ``happened`` are those until now, when ``is_kept`` asks for it: of a long simulation there are very many.
    """

    def __init__(self, told: Iterable[Incident] | None = None, *, is_kept: bool = False) -> None:
        self._told: Mapping[tuple[str, str, int], str] | None = None
        if told is not None:
            self._told = {(each.who, each.kind, each.number): each.what for each in told}
        self.are_over = False
        self.happened: list[Incident] = []
        self._is_kept = is_kept

    @property
    def are_told(self) -> bool:
        """Are they told, and not drawn?"""
        return self._told is not None

    def of(self, who: str, seed: int) -> Fate:
        """What he meets with from now on, drawn from ``seed`` where nothing is told."""
        return Fate(who, self, None if self.are_told else Chance(seed, "fate", who))

    def of_the_machine(self) -> tuple[Incident, ...]:
        """Those that are told of the machine, in their order in time."""
        told = self._told or {}
        found = (Incident(*name, what) for name, what in told.items() if name[0] == MACHINE)
        return tuple(sorted(found, key=lambda each: each.number))

    def told(self, who: str, kind: str, number: int) -> str:
        """What he meets with by what was told."""
        return (self._told or {}).get((who, kind, number), WHOLE)

    def note(self, incident: Incident) -> None:
        """It has happened."""
        if self._is_kept:
            self.happened.append(incident)

"""Why a cell of the matrix is blank: nothing aims at it, and nothing met it. Rules of the suite, never a word a cell.

The rules are tried in the order of ``Why``; what none of them explains is a gap of the suite, and a test fails. Pure.
"""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Final, NamedTuple

from harness.certify.aims import CALM, FAULTS, Cell, unsure_under
from harness.certify.weather import TOGETHER
from harness.core.clause import Level
from harness.core.verdict import L1, L2, L3
from harness.faults import catalogue, syscall
from harness.faults.rows import Row
from harness.faults.rows import rows as fault_table
from harness.systems import registry

_HOOKS_ONLY: Final = "(hook processes only)"
_IDENTIFIER: Final = "identifier"
_OF_FILES: Final = ("jsonl", "json_document", "filesystem")
_NAMED: Final = 3  # of several faults that an explanation names


class Why(StrEnum):
    """What explains a blank cell; ``{by}`` is what stands for it."""

    NOWHERE = "the clause shows in no profile"
    SIMPLEST = "L1 shows a clause in its own simplest situation, and this is no part of it"
    OWN_AT_L1 = "the clause's own simplest situation is not calm: {by}"
    LATER = "no calm session shows the clause, and L1 adds no fault; {by} shows it at L2"
    CALM = "calm weather is for L1; what comes later asks for something further"
    CALLS = "it strikes single file calls, which L3 enumerates"
    DELAYS = "L3 delays no call; {by} stands for the same entry of the fault table, and is for L2"
    WHOLE = "it stands for whole operations, which is L2; L3 enumerates file calls and orders"
    HOOKS = "only a process that is started for a call is given such streams"
    FAMILY = "nothing of the system is struck by the family {by} in this profile"
    NO_PLACE = "no row of the system's faults has a place for it; {by}, of the same row of the fault table, has one"
    UNSURE = "under it a sound implementation may do anything but break a rule, which is all its scenarios look for"
    OPTIONAL = "L2 and L3 ask for what is a MUST"
    INPUT = "an input of the fault table and no fault; L2 adds faults"
    SAME_ENTRY = "{by} stands for the same entry of the fault table, and is met"
    OWN_FAULT = "the clause's own situation is a fault already ({by}), and L2 is about one at a time"
    SAME_ROW = "{by} stands in the same row of the fault table, and is met"
    GROUP = "the clause binds only who declares {by}, and L2 meets these clauses under a few faults"
    OWN_FILES = "the clause is about files that are damaged or gone, and is met under such faults alone: {by}"
    SCRIPTED = "operations script it themselves, and none that does shows the clause"
    EXCUSED = "a sound implementation may answer otherwise under it: {by}"
    ARGUMENT = "it strikes an argument ({by}), and no operation that has it shows the clause while it is odd"
    OTHER_CALLS = "at L3 the operations that show it are struck otherwise: {by}"
    UNEXPLORED = "L3 is about the operations it explores, and none of them is meant to show the clause"


class Blank(NamedTuple):
    """The rule that explains a blank cell, and what it names."""

    why: Why
    by: str = ""

    @property
    def text(self) -> str:
        """The explanation, whole."""
        return self.why.value.format(by=self.by)


class Blanks:
    """The explanations of one system, of which the cells ``known`` are not blank.

    ``fields`` are the arguments that each fault of an identifier strikes, by its name; ``scripted`` are the faults that
    operations script themselves.
    """

    def __init__(
        self,
        system: registry.System,
        known: Collection[Cell],
        fields: Mapping[str, Collection[str]],
        scripted: Collection[str] = (),
    ) -> None:
        self._system = system
        self._fields = fields
        self._scripted = frozenset(scripted)
        self._clauses = {clause.id: clause for clause in system.catalogue}
        self._under: dict[tuple[str, str, str], set[str]] = {}
        self._striking: dict[str, set[str]] = {}
        for cell in known:
            self._under.setdefault(cell[:3], set()).add(cell.fault)
            self._striking.setdefault(cell.profile, set()).add(cell.fault)

    def explain(self, cell: Cell) -> Blank | None:
        """Why that cell is blank; None when no rule says it."""
        clause = self._clauses[cell.clause]
        if not clause.profiles:
            return Blank(Why.NOWHERE)
        if cell.level == L1:
            return self._at_first_level(cell)
        if cell.fault == CALM:
            return Blank(Why.CALM)
        found = self._of_level(cell) or self._unplaced(cell) or self._unsure(cell)
        if found is not None:
            return found
        if clause.level is not Level.MUST:
            return Blank(Why.OPTIONAL)
        return self._second(cell) if cell.level == L2 else self._third(cell)

    def _at_first_level(self, cell: Cell) -> Blank | None:
        if cell.fault != CALM:
            return Blank(Why.SIMPLEST)
        own = self._met(cell, L1)
        if own:
            return Blank(Why.OWN_AT_L1, own[0])
        later = self._met(cell, L2)
        return Blank(Why.LATER, later[0]) if later and CALM not in later else None

    def _of_level(self, cell: Cell) -> Blank | None:
        """Is it a fault of another level?"""
        at_calls = cell.fault.partition(".")[0] == syscall.FAMILY
        if cell.level == L2:
            return Blank(Why.CALLS) if at_calls else None
        if not at_calls:
            return None if cell.fault == TOGETHER else Blank(Why.WHOLE)
        if cell.fault not in self._striking.get(cell.profile, ()):
            others = [name for name in _beside(cell.fault, entry=True) if name in self._striking.get(cell.profile, ())]
            return Blank(Why.DELAYS, others[0]) if others else None
        return None

    def _unplaced(self, cell: Cell) -> Blank | None:
        """Does the fault strike nothing of this system in this profile?"""
        striking = self._striking.get(cell.profile, set())
        if cell.fault in striking or cell.fault in _placed(self._system.name, cell.profile):
            return None
        if cell.profile == self._system.served_profile and _HOOKS_ONLY in _MEANINGS.get(cell.fault, ""):
            return Blank(Why.HOOKS)
        family = cell.fault.partition(".")[0]
        if not any(name.partition(".")[0] == family for name in striking):
            return Blank(Why.FAMILY, family)
        placed = [name for name in _beside(cell.fault, entry=False) if name in striking]
        return Blank(Why.NO_PLACE, placed[0]) if placed else None

    def _unsure(self, cell: Cell) -> Blank | None:
        return Blank(Why.UNSURE) if cell.fault in unsure_under(self._system, cell.profile) else None

    def _second(self, cell: Cell) -> Blank | None:
        if cell.fault == TOGETHER:
            return Blank(Why.INPUT)
        met = self._met(cell, L2)
        own = self._met(cell, L1)
        for name in _beside(cell.fault, entry=True):
            if name in met:
                return Blank(Why.SAME_ENTRY, name)
        if own and CALM not in own:
            return Blank(Why.OWN_FAULT, own[0])
        for name in _beside(cell.fault, entry=False):
            if name in met:
                return Blank(Why.SAME_ROW, name)
        return self._second_otherwise(cell, met)

    def _second_otherwise(self, cell: Cell, met: tuple[str, ...]) -> Blank | None:
        """Of a fault of whose row none meets the clause; ``met`` are those that do."""
        group = self._clauses[cell.clause].profiles[cell.profile]
        if group is not None and met:
            return Blank(Why.GROUP, group)
        if met and all(name.partition(".")[0] in _OF_FILES for name in met):
            return Blank(Why.OWN_FILES, ", ".join(met[:_NAMED]))
        if cell.fault in self._scripted and cell.fault not in _placed(self._system.name, cell.profile):
            return Blank(Why.SCRIPTED)
        excuse = self._system.excuse(cell.profile, cell.fault)
        if excuse and met:
            return Blank(Why.EXCUSED, excuse)
        fields = sorted(self._fields.get(cell.fault, ()))
        if cell.fault.partition(".")[0] == _IDENTIFIER and fields and met:
            return Blank(Why.ARGUMENT, ", ".join(fields))
        return None

    def _third(self, cell: Cell) -> Blank:
        others = [name for name in self._met(cell, L3) if name != CALM]
        return Blank(Why.OTHER_CALLS, others[0]) if others else Blank(Why.UNEXPLORED)

    def _met(self, cell: Cell, level: str) -> tuple[str, ...]:
        """The faults under which the clause is not blank at that level, in the order of FAULTS."""
        under = self._under.get((cell.profile, cell.clause, level), set())
        return tuple(name for name in FAULTS if name in under)


_MEANINGS: Final = {kind.name: kind.meaning for kind in catalogue.EVERY}


@cache
def _placed(system: str, profile: str) -> frozenset[str]:
    """The faults that the system's own table of rows has a place for in that profile."""
    room = import_module(f"{registry.get(system).workload.__name__}.candidates")
    names = [kind.name for kind in catalogue.EVERY]
    return frozenset(names) - set(room.without_place(profile, names))


@cache
def _beside(fault: str, *, entry: bool) -> tuple[str, ...]:
    """The faults that stand with that one for an entry of the fault table, or for another one of the same row."""
    return tuple(dict.fromkeys(name for row in fault_table() for name in _group(row, fault, entry=entry)))


def _group(row: Row, fault: str, *, entry: bool) -> Iterable[str]:
    groups = [each.faults for each in row.entries.values()] if entry else [row.faults]
    return (name for group in groups if fault in group for name in group if name != fault)

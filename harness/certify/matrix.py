"""The whole matrix of one system: every clause under every fault at every level, counted, and each blank explained."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from harness.certify.aims import Cell, aimed, cells, every_step, scripted_in
from harness.certify.blanks import Blank, Blanks
from harness.certify.reached import BLANK, BY_THE_WAY, MARKS, MET, NEVER, Stored
from harness.core.scenario import Scenario
from harness.faults import identifier
from harness.systems import registry

UNEXPLAINED = "no rule explains it"


class Fact(NamedTuple):
    """One cell: how many scenarios aim at it, its mark (see reached.MARKS), and why it is blank, if it is.

    ``blank`` is None for a cell that is not blank, and for one that no rule explains.
    """

    cell: Cell
    planned: int
    mark: str
    blank: Blank | None = None

    @property
    def is_blank(self) -> bool:
        """Does nothing aim at it, and did nothing meet it?"""
        return self.mark == BLANK

    @property
    def is_met(self) -> bool:
        """Has the reference's run met it?"""
        return self.mark in (MET, BY_THE_WAY)

    @property
    def says(self) -> str:
        """What became of it, in words."""
        if not self.is_blank:
            return MARKS[self.mark]
        return UNEXPLAINED if self.blank is None else self.blank.text


def matrix(system: registry.System, scenarios: Sequence[Scenario], file: Stored) -> tuple[Fact, ...]:
    """Every cell of ``system``, of which ``scenarios`` are the whole suite, with what ``file`` says was met."""
    planned = aimed(system, scenarios)
    marks = {cell: file.mark(system.name, cell) for cell in cells(system)}
    # what was planned since the file was written counts as never met, so that a test tells of it
    marks |= {cell: NEVER for cell in planned if marks[cell] == BLANK}
    known = {cell for cell, mark in marks.items() if mark != BLANK}
    blanks = Blanks(system, known, arguments_struck(scenarios), scripted_in(system, scenarios))
    return tuple(
        Fact(cell, planned[cell], mark, blanks.explain(cell) if mark == BLANK else None) for cell, mark in marks.items()
    )


def arguments_struck(scenarios: Iterable[Scenario]) -> Mapping[str, frozenset[str]]:
    """The arguments that each fault of an identifier strikes in these scenarios, by the fault's name."""
    found: dict[str, set[str]] = {}
    for scenario in scenarios:
        for step in every_step(scenario.steps):
            if step.fault is not None and identifier.is_identifier(step.fault):
                found.setdefault(step.fault.name, set()).add(identifier.field_of(step.fault))
    return {name: frozenset(fields) for name, fields in found.items()}

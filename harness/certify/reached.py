"""Which cells of the matrix a run of the reference has met: played, and kept in ``reports/coverage.json``.

``python -m harness.certify.reached`` plays L1 and L2 of every system over stdio, and the hook, in the real sandbox, and
writes the file anew; see ``--help``. How often a cell is met may hang on who wins a race, so the file says only whether
it was. Of each clause at each level it has one line with a mark for each fault, in the order of FAULTS.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from harness.certify import corpus
from harness.certify.aims import CALM, FAULTS, LEVELS, Cell, aimed, explored_by, faults_of
from harness.certify.engine import Engine
from harness.certify.events import RunFinished, ScenarioJudged
from harness.certify.plan import RunPlan, runs_for
from harness.certify.reach import Reach, reference
from harness.core.finding import CheckVerdict
from harness.core.scenario import Scenario
from harness.core.verdict import L3, Outcome
from harness.errors import HarnessFault
from harness.systems import registry

FORMAT = 1
MET, NEVER, BY_THE_WAY, SHARED, NO_CALL, NOT_RUN, BLANK = "#", "!", "+", "~", "o", "?", "."
MARKS: Mapping[str, str] = {
    MET: "aimed at and met",
    NEVER: "aimed at and never met",
    BY_THE_WAY: "met by the way, by scenarios that aim at something else",
    SHARED: "aimed at by scenarios of several faults only, each of which met the clause under another of its faults",
    NO_CALL: "aimed at, and the operation makes no file call that could be struck: the supervisor saw none",
    NOT_RUN: "aimed at, at a level that was not run",
    BLANK: "neither aimed at nor met",
}
FEW_ORDERS = 10  # of operations that begin together: the first one meets what all of them meet
_PACKED = "_coverage.json"  # where the wheel holds the file; a checkout has it in reports/
_ENDS_BADLY = (Outcome.NONCONFORMANT, Outcome.HARNESS_FAULT, Outcome.UNTESTABLE, Outcome.INTERRUPTED)


class Met(NamedTuple):
    """What was met of one system: at which levels it was run, the cells, and those where there is no call to strike."""

    levels: tuple[str, ...]
    cells: frozenset[Cell]
    no_call: frozenset[Cell]


class OfSystem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lines of one system: ``levels`` are those that were run; marks by profile, clause and level."""

    levels: tuple[str, ...]
    marks: Mapping[str, Mapping[str, Mapping[str, str]]]


class Stored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file: what the marks mean, the faults in the order of the marks, and the systems by name."""

    format: int
    means: Mapping[str, str]
    faults: tuple[str, ...]
    systems: Mapping[str, OfSystem]

    def mark(self, system: str, cell: Cell) -> str:
        """The mark of that cell, BLANK for one the file does not have."""
        lines = self.systems[system].marks.get(cell.profile, {}).get(cell.clause, {}) if system in self.systems else {}
        line = lines.get(cell.level, "")
        place = self.faults.index(cell.fault) if cell.fault in self.faults else len(line)
        return line[place] if place < len(line) else BLANK

    def marked(self, system: str, *marks: str) -> frozenset[Cell]:
        """The cells of ``system`` that have one of these marks."""
        return frozenset(
            Cell(profile, clause, level, fault)
            for profile, clauses in self.systems[system].marks.items()
            for clause, lines in clauses.items()
            for level, line in lines.items()
            for fault, mark in zip(self.faults, line, strict=True)
            if mark in marks
        )


def path() -> Path:
    """Where the file lies in this copy of windtunnel; HarnessFault when it was installed without it."""
    package = Path(str(resources.files("harness")))
    for place in (package / _PACKED, package.parent / "reports" / "coverage.json"):
        if place.is_file():
            return place
    raise HarnessFault("this copy of windtunnel has no reports/coverage.json; `python -m harness.certify.reached`")


def stored() -> Stored:
    """The file, read; HarnessFault as of ``path``."""
    return msgspec.json.decode(path().read_bytes(), type=Stored)


def met_by(
    system: registry.System, scenarios: Sequence[Scenario], levels: tuple[str, ...], *, jobs: int, one_in: int = 1
) -> Met:
    """Plays ``scenarios`` of the levels L1 and L2, or of L3 alone, against the reference, and says what was met.

    At L3 one variant of ``one_in`` is played. HarnessFault when the run does not come to its end, or the reference
    fails in it: then it shows nothing of the suite.
    """
    cells: set[Cell] = set()
    no_call: set[Cell] = set()
    for reach in reference(system, timeout_scale=1.0):
        mine = tuple(each for each in scenarios if each.level in levels and runs_for(each, reach))
        if mine:
            met, untouched = _run(reach, mine, levels[-1], jobs, one_in)
            cells |= met
            no_call |= untouched
    return Met(levels, frozenset(cells), frozenset(no_call))


def _run(
    reach: Reach, scenarios: tuple[Scenario, ...], level: str, jobs: int, one_in: int
) -> tuple[set[Cell], set[Cell]]:
    plan = RunPlan(
        systems=(reach.system,), target="reference", replay="reference", reaches=(reach,), scenarios=scenarios,
        level=level, seed=0, cases=0, budget_s=None, jobs=jobs, schedules=FEW_ORDERS, one_variant_in=one_in,
    )  # fmt: skip
    cells: set[Cell] = set()
    judged: dict[str, Scenario] = {}
    end: RunFinished | None = None
    for event in Engine(plan).run():
        if isinstance(event, ScenarioJudged) and event.origin == "plan":
            judged[event.scenario.id] = event.scenario
            cells |= _met_in(reach.system, event)
        elif isinstance(event, RunFinished):
            end = event
    if end is None:
        raise HarnessFault(f"{reach.system.name}, {reach.profile}: the run ended without a word")
    # a run of L3 alone cannot be conformant: nothing of it is about L1 and L2
    if not end.complete or (end.outcome in _ENDS_BADLY if level == L3 else end.outcome is not Outcome.CONFORMANT):
        stopped = end.systems[reach.system.name].stopped_by or ""
        said = "; ".join(filter(None, (end.outcome.value, end.message, stopped)))
        raise HarnessFault(f"{reach.system.name}, {reach.profile}: the reference did not hold: {said}")
    if level < L3:
        return cells, set()
    # variants are judged without being told one by one: what was met in them stands in the ledger
    cells |= {
        Cell(reach.profile, clause, level, fault)
        for clause, line in end.ledger.clauses.items()
        for fault, found in line.items()
        if found.witnessed
    }
    still = {each.scenario for each in end.explored if not each.calls} - {
        each.scenario for each in end.explored if each.calls
    }
    return cells, {
        Cell(reach.profile, clause, level, fault)
        for id_ in still
        for clause in judged[id_].clauses
        for fault in explored_by(judged[id_])
    }


def _met_in(system: registry.System, event: ScenarioJudged) -> set[Cell]:
    profile, level = event.scenario.profile, event.scenario.level
    met = {(name, clause) for name, under in event.weather.faults.items() for clause in under.witnesses}
    if faults_of(system, event.scenario) == (CALM,):
        passed = (each for each in event.findings if each.witnesses and each.verdict is CheckVerdict.PASS)
        met |= {(CALM, each.clause) for each in passed}
    return {Cell(profile, clause, level, name) for name, clause in met}


def lines_of(system: registry.System, met: Met, scenarios: Iterable[Scenario]) -> OfSystem:
    """What the file holds of ``system``: what ``scenarios``, the whole suite's, aim at beside what was met."""
    every = tuple(scenarios)
    aims = aimed(system, every)
    shared = shared_in(system, every, met.cells)
    marks: dict[str, dict[str, dict[str, str]]] = {}
    for clause in system.catalogue:
        for profile in clause.profiles:
            for level in LEVELS:
                row = (Cell(profile, clause.id, level, fault) for fault in FAULTS)
                line = "".join(SHARED if cell in shared else _mark(cell, met, aimed_at=cell in aims) for cell in row)
                if line.strip(BLANK):
                    marks.setdefault(profile, {}).setdefault(clause.id, {})[level] = line
    return OfSystem(met.levels, marks)


def shared_in(system: registry.System, scenarios: Sequence[Scenario], met: Collection[Cell]) -> frozenset[Cell]:
    """The cells that were not met, at which only scenarios of several faults aim, and each met the clause otherwise.

    Such a scenario is meant to show a clause under one fault or the other, and does not say which.
    """
    alone: set[Cell] = set()
    several: set[Cell] = set()
    for scenario in scenarios:
        faults = faults_of(system, scenario)
        for clause in scenario.clauses:
            mine = [Cell(scenario.profile, clause, scenario.level, fault) for fault in faults]
            others = any(cell in met for cell in mine)
            (several if others else alone).update(cell for cell in mine if cell not in met)
    return frozenset(several - alone)


def _mark(cell: Cell, met: Met, *, aimed_at: bool) -> str:
    if cell in met.cells:
        return MET if aimed_at else BY_THE_WAY
    if not aimed_at:
        return BLANK
    if cell.level not in met.levels:
        return NOT_RUN
    return NO_CALL if cell in met.no_call else NEVER


def _known(old: Stored | None, system: str, levels: tuple[str, ...]) -> Met:
    """What the file says of the other levels of ``system``, which are not run now."""
    if old is None or system not in old.systems:
        return Met((), frozenset(), frozenset())
    kept = tuple(level for level in old.systems[system].levels if level not in levels)
    cells = {cell for cell in old.marked(system, MET, BY_THE_WAY) if cell.level in kept}
    no_call = {cell for cell in old.marked(system, NO_CALL) if cell.level in kept}
    return Met(kept, frozenset(cells), frozenset(no_call))


def written(old: Stored | None, found: Mapping[str, OfSystem]) -> Stored:
    """The file with ``found`` in the place of what ``old`` says of these systems."""
    every = {**(old.systems if old is not None else {}), **found}
    return Stored(FORMAT, MARKS, FAULTS, {name: every[name] for name in registry.NAMES if name in every})


@click.command("reached")
@click.option("--system", "names", multiple=True, metavar="NAME", help="Only of this system; repeatable.")
@click.option("--level", type=click.Choice(["L2", "L3"]), default="L2", show_default=True, help="L2 is L1 and L2.")
@click.option("--jobs", type=click.IntRange(1, 64), default=lambda: os.cpu_count() or 1, show_default="cores")
@click.option("--one-in", type=click.IntRange(min=1), default=1, show_default=True, help="Of the variants of L3.")
def command(names: tuple[str, ...], level: str, jobs: int, one_in: int) -> None:
    """Play the suite against the reference, and write reports/coverage.json anew: which pairs it reaches."""
    place = corpus.directory().parent / "reports" / "coverage.json"
    levels = (L3,) if level == L3 else LEVELS[:2]
    for name in names or registry.NAMES:
        system = registry.get(name)
        scenarios = corpus.scenarios(name)
        old = msgspec.json.decode(place.read_bytes(), type=Stored) if place.is_file() else None
        known = _known(old, name, levels)
        now = met_by(system, scenarios, levels, jobs=jobs, one_in=one_in)
        ran = tuple(each for each in LEVELS if each in (*known.levels, *levels))
        met = Met(ran, known.cells | now.cells, known.no_call | now.no_call)
        new = written(old, {name: lines_of(system, met, scenarios)})
        place.write_bytes(msgspec.json.format(msgspec.json.encode(new), indent=1) + b"\n")
        never = sorted(new.marked(name, NEVER))
        click.echo(f"{name}: {len(new.marked(name, MET)):,} cells aimed at and met, {len(never):,} never met")
        for cell in never:
            click.echo(f"  never met: {' '.join(cell)}")


if __name__ == "__main__":
    command()

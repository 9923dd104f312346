"""Mutants of the plan: what is none, and what stands in it."""

from collections.abc import Callable, Sequence

import msgspec

from harness.systems.phase_runner.contract import PlanError
from harness.systems.phase_runner.contract.words import COLUMNS, FailureType, Problem
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.graph import Graph, GraphChecks
from harness.systems.phase_runner.reference.plan import InvalidPlanError, PlannedPhase, PlanReader, Table, invalid
from harness.systems.phase_runner.reference.schedule import Schedule
from harness.systems.phase_runner.reference.starting import Begun, Starter
from harness.systems.phase_runner.reference.store import StateError
from harness.systems.phase_runner.reference.summaries import Command

_replace = msgspec.structs.replace
Phases = Sequence[PlannedPhase]


def wrong(name: str, clause: str, description: str, change: Callable[[PlanError], PlanError]) -> None:
    """Enters a runner that tells something else of what is wrong with a plan."""

    def told(self: Starter, error: PlanError, command: Command) -> Begun:
        return Starter.invalid(self, change(error), command)

    mutant(name, clause, description)(type("Wrong", (Starter,), {"invalid": told}))


def _reversed(error: PlanError) -> PlanError:
    return _replace(error, edges=tuple((other, phase) for phase, other in error.edges))


wrong("wrong-plans-are-no-results", "AB-CLS-02", "a plan that is none is told as parse_error, which can be retried",
      lambda error: _replace(error, type=FailureType.PARSE_ERROR))  # fmt: skip
wrong("every-plan-is-invalid", "AB-NRT-02", "a cycle is told as plan_invalid",
      lambda error: _replace(error, type=FailureType.PLAN_INVALID))  # fmt: skip
wrong("edges-are-reversed", "AB-NRT-02", "the edges of a cycle are told the wrong way round", _reversed)
wrong("no-edges", "AB-NRT-02", "the edges of a cycle are not told", lambda error: _replace(error, edges=()))
wrong("the-cycle-is-open", "AB-NRT-02", "of the edges of a cycle the last is not told",
      lambda error: _replace(error, edges=error.edges[:-1]))  # fmt: skip
wrong("every-problem-is-the-table", "AB-NRT-05", "whatever is wrong with a plan, it has no table",
      lambda error: _replace(error, problem=Problem.NO_TABLE)
      if error.type is FailureType.PLAN_INVALID else error)  # fmt: skip
wrong("it-is-not-told-what-is-wrong", "AB-NRT-05", "it is not told what is wrong with a plan",
      lambda error: _replace(error, message="")
      if error.type is FailureType.PLAN_INVALID else error)  # fmt: skip


@mutant("cycles-run-in-part", "AB-NRT-02", "of a plan with a cycle what is no part of it runs")
class CyclesRunInPart(GraphChecks):
    def check_cycle(self, graph: Graph) -> None:
        return


@mutant("diamonds-are-cycles", "AB-NRT-02", "a phase that is reached by two ways is taken for one of a cycle")
class DiamondsAreCycles(GraphChecks):
    def check_cycle(self, graph: Graph) -> None:
        super().check_cycle(graph)
        for id_, phase in graph.phases.items():
            ways = [each for above in phase.depends_on for each in graph.phases[above].depends_on]
            if len(set(ways)) < len(ways):
                raise invalid(Problem.CYCLE, f"{id_} is reached by two ways", (id_,), ((id_, id_),))


@mutant("who-waits-for-itself-does-not-wait", "AB-NRT-03", "that a phase depends on itself is ignored")
class WhoWaitsForItselfDoesNotWait(GraphChecks):
    def check(self, phases: Phases) -> Graph:
        own = [each._replace(depends_on=tuple(it for it in each.depends_on if it != each.phase_id)) for each in phases]
        return super().check(own)


@mutant("nobody-waits-for-the-unknown", "AB-NRT-03", "that a phase depends on one that is not there is ignored")
class NobodyWaitsForTheUnknown(GraphChecks):
    def check(self, phases: Phases) -> Graph:
        ids = {each.phase_id for each in phases}
        return super().check(
            [each._replace(depends_on=tuple(it for it in each.depends_on if it in ids)) for each in phases]
        )


@mutant("nobody-waits", "AB-NRT-03", "phases run in the order of the plan, whatever they depend on")
class NobodyWaits(Schedule):
    def offer(self, id_: str) -> None:
        self.waits[id_] = 0
        super().offer(id_)


@mutant("one-dependency-is-enough", "AB-NRT-03", "a phase is ready when one of those that it depends on is complete")
class OneDependencyIsEnough(Schedule):
    def completed(self, id_: str) -> None:
        self.waits.update({each: 1 for each in self.graph.blocks[id_] if self.waits.get(each)})
        super().completed(id_)


# -- what is no plan


@mutant("a-plan-may-be-empty", "AB-NRT-05", "a plan without phases is complete at once")
class APlanMayBeEmpty(PlanReader):
    def phases(self, text: str) -> tuple[PlannedPhase, ...]:
        try:
            return super().phases(text)
        except InvalidPlanError as error:
            if error.error.problem is Problem.NO_PHASES:
                return ()
            raise


@mutant("the-first-table-is-the-plan", "AB-NRT-05", "of several tables with the columns of a plan the first counts")
class TheFirstTableIsThePlan(PlanReader):
    def tables(self, text: str) -> list[Table]:
        found = super().tables(text)
        whole = [each for each in found if each.of_the_plan == len(COLUMNS)]
        return whole[:1] or found


@mutant("columns-may-be-missing", "AB-NRT-05", "a plan without dependencies, or siblings, has none")
class ColumnsMayBeMissing(PlanReader):
    def table(self, text: str) -> Table:
        try:
            return super().table(text)
        except InvalidPlanError as error:
            meant = [each for each in self.tables(text) if "phase" in each.columns]
            if error.error.problem is Problem.MISSING_COLUMN and meant:
                return meant[0]
            raise


@mutant("no-id-is-no-row", "AB-NRT-05", "a row whose id has no letter and no digit is left out")
class NoIdIsNoRow(PlanReader):
    def phases(self, text: str) -> tuple[PlannedPhase, ...]:
        table = self.table(text)
        found: list[PlannedPhase] = []
        for row in table.rows:
            try:
                found.append(self.phase(dict(zip(table.columns, row, strict=False))))
            except InvalidPlanError:
                continue
        return tuple(found) or super().phases(text)


@mutant("columns-in-one-order", "AB-NRT-05", "a plan whose columns come in another order is none")
class ColumnsInOneOrder(PlanReader):
    def table(self, text: str) -> Table:
        found = super().table(text)
        if found.columns[0] != "phase":
            raise invalid(Problem.NO_TABLE, "the first column is not Phase")
        return found


@mutant("lines-end-with-a-line-feed", "AB-NRT-05", "a plan whose lines end with CR LF is none")
class LinesEndWithALineFeed(PlanReader):
    def lines(self, text: str) -> list[str]:
        return [line if "\r" not in text else "" for line in super().lines(text)]


@mutant("a-wrong-plan-begins-anew", "AB-NRT-05", "what is no plan takes the records away")
class AWrongPlanBeginsAnew(Starter):
    def invalid(self, error: PlanError, command: Command) -> Begun:
        found = super().invalid(error, command)
        try:
            self.store.check_places()
            self.store.clear()
        except (OSError, StateError):
            return found
        return found

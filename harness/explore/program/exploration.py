"""The whole exploration of a program, layer by layer, as a stream of events."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from harness import __version__
from harness.errors import NothingRanError, UntestableError
from harness.explore.crash_states import Model
from harness.explore.program.cases import LAYERS, Case, LayerName, Memory, Outcome, StateCase
from harness.explore.program.commands import Program, Words
from harness.explore.program.control import accepted_damage
from harness.explore.program.crashing import NESTED, Again, crashes, recover_from, sample
from harness.explore.program.crew import Crew
from harness.explore.program.finding import find
from harness.explore.program.operation import Operation, learn
from harness.explore.program.place import Place, how, said
from harness.explore.program.racing import race
from harness.explore.program.result import (
    UNKNOWN_CHANGES,
    Event,
    Failing,
    Finished,
    Layer,
    LayerDone,
    Observed,
    Played,
    Started,
)
from harness.explore.program.striking import errno_cases, kill_cases
from harness.explore.writes import told

GROUPS: Final[dict[str, tuple[LayerName, ...]]] = {
    "errno": ("errno",),
    "crash": ("kill", "crash", "crash twice"),
    "power": ("power", "power twice"),
    "schedule": ("schedule",),
}
NO_RECOVERY: Final = "there is no --recover that could be crashed"
CONFIRMED: Final = 8  # failing cases of a layer that are played again until one fails again


class Bounds(NamedTuple):
    """How far to go: ``limit`` cases a layer, chosen by ``seed`` where there are more; layers in ``only``."""

    seed: int
    limit: int
    only: frozenset[LayerName]


class Exploration:
    """Explores ``program`` with ``crew``; iterate over ``run`` once. ``cases`` are the failing ones, by id."""

    def __init__(self, program: Program, crew: Crew, bounds: Bounds, jobs: int) -> None:
        self._program = program
        self._crew = crew
        self._bounds = bounds
        self._jobs = jobs
        self._memory = Memory()
        self._layers: list[Layer] = []
        self._gaps: dict[str, None] = {}
        self._blind = ""
        self.failing: dict[str, tuple[Case, Failing]] = {}

    def run(self) -> Iterator[Event]:
        """The events of the exploration. Raises UntestableError when a command fails without any fault."""
        program = self._program
        self._gaps |= dict.fromkeys(self._crew.uncontained)
        yield Started(
            windtunnel=__version__,
            op=program.op,
            recover=program.recover,
            check=program.check,
            rival=program.rival,
            directory=program.directory,
            seed=self._bounds.seed,
            limit=self._bounds.limit,
            jobs=self._jobs,
        )
        try:
            yield from self._explored()
        except Exception:
            if not self._crew.interrupted:  # what is aborted under way breaks in many ways
                raise
        yield self._finished()

    def _explored(self) -> Iterator[Event]:
        self._crew.alone(require_calm)
        refused = self._crew.alone(lambda place: place.refused)
        if refused:
            self._gaps[f"everything: {refused}"] = None
            return
        operation = self._crew.alone(_learned)
        yield self._observed(operation)
        if not operation.calls and not operation.record.gap and self._program.rival is None:
            # nothing can strike it: a --dir that is not where the state is would pass for sound
            self._gaps["everything: op makes no file call below --dir that is watched: is its state there?"] = None
            return
        yield from self._struck(operation)
        yield from self._crashed(operation)
        if "schedule" in self._bounds.only:
            yield from self._raced(operation)
        if not self.failing and not self._crew.ended:
            self._blind = self._crew.alone(accepted_damage)

    def replay(self, id_: str) -> tuple[Case, Failing | None]:
        """Play one case by its id; its failure, or None when it passes. UsageError when there is none of that id."""
        self._crew.alone(require_calm)
        operation = self._crew.alone(_learned)
        case = self._crew.alone(lambda place: find(id_, operation, place))
        outcome = self._crew.alone(lambda place: case.play(place, Memory()))
        if not outcome.met:
            raise NothingRanError(f"{id_} was not met: op made other calls this time")
        if outcome.judgement.passed:
            return case, None
        failing = _failing(case, outcome)
        self.failing[case.id] = case, failing
        return case, failing

    def _observed(self, operation: Operation) -> Observed:
        record = operation.record
        if record.gap:
            self._gaps[f"crash states: {record.gap}"] = None
        else:
            self._gaps |= dict.fromkeys(f"crash states in between: {text}" for text in record.recording.doubts)
        if not operation.same_calls:
            self._gaps["two calm runs made different file calls: calls that came only once may not be met again"] = None
        return Observed(
            calls=tuple(site.text() for site, _ in operation.calls),
            changes=tuple(told(change) for change in record.recording.changes),
            whole=record.gap,
            steady=operation.steady,
        )

    def _struck(self, operation: Operation) -> Iterator[Event]:
        for name, made in (("errno", errno_cases), ("kill", kill_cases)):
            layer: LayerName = "errno" if name == "errno" else "kill"
            if layer in self._bounds.only:
                cases = list(made(operation))
                chosen = self._cut(cases)
                cut = "" if len(chosen) == len(cases) else self._cut_text(len(cases), "cases")
                yield from self._layer(layer, len(cases), chosen, cut)

    def _cut_text(self, number: int, what: str) -> str:
        return f"{self._bounds.limit} of {number} {what}, chosen by seed {self._bounds.seed}"

    def _cut(self, cases: Sequence[Case]) -> Sequence[Case]:
        if len(cases) <= self._bounds.limit:
            return cases
        return [cases[n] for n in sample([True] * len(cases), self._bounds.limit, self._bounds.seed)]

    def _crashed(self, operation: Operation) -> Iterator[Event]:
        models: tuple[Model, ...] = ("kill", "power")
        for model in models:
            once: LayerName = "crash" if model == "kill" else "power"
            twice: LayerName = "crash twice" if model == "kill" else "power twice"
            if once not in self._bounds.only:
                continue
            if operation.record.gap or self._crew.ended:
                for name in (once, twice):
                    if name in self._bounds.only:
                        yield self._left_out(name, operation.record.gap)
                continue
            states = crashes(operation.record, model)
            chosen = states.chosen(self._bounds.limit, self._bounds.seed, self._has_ended)
            yield from self._layer(once, chosen.enumerated, states.cases(chosen.positions), chosen.cut)
            if twice not in self._bounds.only:
                continue
            if self._program.recover is None:
                yield self._not_explored(twice, NO_RECOVERY)
            else:
                first = states.chosen(NESTED, self._bounds.seed, self._has_ended)
                yield from self._twice(twice, model, states.cases(first.positions), chosen.enumerated)

    def _twice(self, name: LayerName, model: Model, firsts: Iterable[StateCase], number: int) -> Iterator[Event]:
        found = [again for _, again in self._crew.each(recover_from, firsts)]
        gaps = [again.found.gap for again in found if again.found.gap]
        if gaps:
            self._gaps[f"crashes of recovery: {gaps[0]} ({len(gaps)} of {len(found)} recoveries)"] = None
        enumerated = 0
        cuts = []
        if len(found) < number:
            cuts.append(f"after {len(found)} of {number} first crashes")
        queue: list[tuple[Again, tuple[int, ...]]] = []
        left = self._bounds.limit
        for again in found:
            if again.found.recording.changes and not again.found.gap:
                chosen = again.states(model).chosen(max(1, left), self._bounds.seed, self._has_ended)
                enumerated += chosen.enumerated
                if left > 0:
                    queue.append((again, chosen.positions))
                    left -= len(chosen.positions)
        run = sum(len(positions) for _, positions in queue)
        if run < enumerated:
            cuts.append(self._cut_text(enumerated, "states"))
        cases = (case for again, positions in queue for case in again.states(model).cases(positions))
        yield from self._layer(name, enumerated, cases, "; ".join(cuts))

    def _raced(self, operation: Operation) -> Iterator[Event]:
        if self._program.rival is None:
            yield self._not_explored("schedule", "there is no second command: give it by --with")
            return
        if self._crew.ended:
            yield self._not_begun("schedule")
            return
        bounds, budget = self._bounds, self._crew.limited
        out_of_time = (lambda: self._crew.out_of_time) if budget else None
        found = self._crew.alone(
            lambda place: race(place, self._memory, operation.names, bounds.limit, bounds.seed, out_of_time)
        )
        for case, outcome in found.failing:
            told_ = msgspec.structs.replace(_failing(case, outcome), order=case.order)
            self.failing[case.id] = case, told_
            yield Played(case=case.id, layer="schedule", label=case.label, met=True, failing=told_)
        self._confirm([case for case, _ in found.failing])
        report = found.report
        for why in report.inconclusive:
            self._gaps[f"schedule: {report.untold} of {report.schedules} orders say nothing, one because {why}"] = None
        yield self._done(
            Layer(
                name="schedule",
                enumerated=report.schedules,
                run=report.judged,
                distinct=report.judged,
                failing=report.failing,
                inconclusive=report.untold,
                exhausted=report.exhausted,
                cut=report.cut,
            )
        )

    def _done(self, layer: Layer) -> LayerDone:
        self._layers.append(layer)
        return LayerDone(layer)

    def _not_explored(self, name: LayerName, why: str) -> LayerDone:
        return self._done(Layer(name=name, not_asked=why))

    def _left_out(self, name: LayerName, gap: str) -> LayerDone:
        if self._program.recover is None and name in ("crash twice", "power twice"):
            return self._not_explored(name, NO_RECOVERY)
        return self._not_explored(name, UNKNOWN_CHANGES) if gap else self._not_begun(name)

    def _not_begun(self, name: LayerName) -> LayerDone:
        return self._done(Layer(name=name, cut=f"{self._stopped()} before it began"))

    def _has_ended(self) -> bool:
        return self._crew.ended

    def _layer(self, name: LayerName, enumerated: int, cases: Iterable[Case], cut: str) -> Iterator[Event]:
        run = not_met = unforetold = 0
        states: set[object] = set()
        failing: list[Case] = []
        for case, outcome in self._crew.each(lambda place, case: case.play(place, self._memory), cases):
            run += 1
            unforetold += not outcome.foretold
            states.add(outcome.state if outcome.state is not None else case.id)
            if not outcome.met:
                not_met += 1
                yield Played(case=case.id, layer=name, label=case.label, met=False)
            elif not outcome.judgement.passed:
                failing.append(case)
                told_ = _failing(case, outcome)
                self.failing[case.id] = case, told_
                yield Played(case=case.id, layer=name, label=case.label, met=True, failing=told_)
        self._confirm(failing)
        if not_met:
            self._gaps[f"{name}: {not_met} of {run} cases were not met, because op made other calls then"] = None
        cut = "; ".join(filter(None, (cut, self._stopped() if run < enumerated else "")))
        if unforetold:
            self._gaps[f"{name}: after {unforetold} real kills the files were not as the recording has them"] = None
        yield self._done(
            Layer(
                name=name,
                enumerated=enumerated,
                run=run,
                distinct=len(states),
                failing=len(failing),
                not_met=not_met,
                exhausted=not cut and not not_met,
                cut=cut,
            )
        )

    def _stopped(self) -> str:
        if self._crew.interrupted:
            return "interrupted"
        return "the budget was used up" if self._crew.out_of_time else ""

    def _confirm(self, failing: Sequence[Case]) -> None:
        """Play failing cases again, the smallest first, until one fails again: what is reported must be."""
        for case in sorted(failing, key=_size)[:CONFIRMED]:
            if self._crew.interrupted:
                return
            outcome = self._crew.alone(functools.partial(_again, case))
            steady = outcome.met and not outcome.judgement.passed
            known = self.failing[case.id][1]
            self.failing[case.id] = case, msgspec.structs.replace(known, steady=steady)
            if steady:
                return

    def smallest(self) -> list[tuple[Case, Failing]]:
        """Of each layer the smallest case that failed again."""
        found = []
        for name in LAYERS:
            mine = [pair for pair in self.failing.values() if pair[1].layer == name and pair[1].steady]
            found += sorted(mine, key=lambda pair: _size(pair[0]))[:1]
        return found

    def _finished(self) -> Finished:
        smallest = tuple(failing for _, failing in self.smallest())
        unsteady = [id_ for id_, (_, failing) in self.failing.items() if failing.steady is False]
        if unsteady:
            self._gaps[f"{', '.join(unsteady)} failed once and passed when played again"] = None
        run = sum(layer.run - layer.not_met for layer in self._layers)
        blank = [layer.name for layer in self._layers if layer.inconclusive and not layer.run]
        unknown = any(layer.not_asked == UNKNOWN_CHANGES for layer in self._layers)
        open_ = not run or unsteady or blank or unknown
        code = 130 if self._crew.interrupted else 1 if smallest else 5 if open_ else 0
        return Finished(
            exit_code=code,
            interrupted=self._crew.interrupted,
            layers=tuple(self._layers),
            smallest=smallest,
            not_covered=tuple(self._gaps),
            check_accepts=self._blind,
        )


def _learned(place: Place) -> Operation:
    """What op does; UntestableError when it succeeds only while nobody watches its calls."""
    operation = learn(place)
    ended = operation.record.ended
    if ended.exit_code != 0:
        raise UntestableError(f"--op fails while its file calls are watched: {how(ended)}; it said: {said(ended)}")
    return operation


def _again(case: Case, place: Place) -> Outcome:
    return case.play(place, Memory())


def _failing(case: Case, outcome: Outcome) -> Failing:
    judgement = outcome.judgement
    return Failing(
        id=case.id,
        layer=case.layer,
        label=case.label,
        by=judgement.by,
        said=judgement.said,
        op=outcome.op,
        recover_exit=judgement.recover_exit,
    )


def _size(case: Case) -> tuple[int, int]:
    """Small first: between calls before inside a write, few losses before many, then in the order of the run."""
    inside = "byte" in case.label
    return case.label.count(";") + inside, int("".join(filter(str.isdigit, case.id)) or 0)


def require_calm(place: Place) -> None:
    """UntestableError unless check holds at the beginning, and op, recover and check succeed without any fault."""
    program = place.program
    place.fresh()
    first = place.judge("")
    if not first.passed:
        raise UntestableError(
            f"the check fails before --op has run; it has to hold before, after and in every state between. "
            f"{first.by} said: {first.said}"
        )
    place.fresh()
    steps: list[tuple[str, Words]] = [("--op", program.op)]
    steps += [("--recover", program.recover)] if program.recover else []
    for option, words in (*steps, ("--check", program.check)):
        ended = place.operate(words, op_exit="" if option == "--op" else "0")
        if ended.exit_code != 0:
            raise UntestableError(f"{option} fails without any fault: {how(ended)}; it said: {said(ended)}")

"""How a run begins, or goes on: new, resumed, fresh; and why it does not."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from harness.systems.phase_runner.contract import PlanError, RunnerResult, StartArguments
from harness.systems.phase_runner.contract.words import VERSION, CommitMode, Event, LogCode, Mode, Status
from harness.systems.phase_runner.reference.graph import Graph, GraphChecks
from harness.systems.phase_runner.reference.memory import Memory
from harness.systems.phase_runner.reference.plan import InvalidPlanError, PlanReader
from harness.systems.phase_runner.reference.progress import Progress
from harness.systems.phase_runner.reference.records import Config, Record, Turn, stamp, writable
from harness.systems.phase_runner.reference.run import Run, totals
from harness.systems.phase_runner.reference.store import StateError, Store
from harness.systems.phase_runner.reference.summaries import Command, Summaries
from harness.systems.phase_runner.reference.transitions import Transitions
from harness.systems.trace import Trace

MODES_CONFLICT = "modes_conflict"
REFUSED = RunnerResult(accepted=False)


class Begun(NamedTuple):
    """How a start ended: with progress, or refused."""

    progress: Progress | None = None
    refusal: RunnerResult = REFUSED
    events: Sequence[tuple[Event, str]] = ()


class Found(NamedTuple):
    """What is on disk: records by id, ``damaged`` those that cannot be used, with the reasons."""

    config: Config | None
    records: Mapping[str, Record]
    damaged: Sequence[StateError] = ()


class Starter:
    """Begins runs. The one public method, ``begun``, does not raise."""

    reader_class = PlanReader
    checks_class = GraphChecks
    transitions_class = Transitions
    summaries_class = Summaries
    progress_class = Progress

    def __init__(self, store: Store, memory: Memory) -> None:
        self.store = store
        self.memory = memory
        self.reader = self.reader_class()
        self.checks = self.checks_class()
        self.transitions = self.transitions_class()
        self.summaries = self.summaries_class()

    def begun(self, arguments: StartArguments, now_s: float, trace: Trace) -> Begun:
        """See StartArguments."""
        command = self.command(arguments)
        try:
            graph = self.checks.check(self.reader.phases(writable(arguments.plan)))
            if {Mode.RESUME, Mode.FRESH} <= set(arguments.modes):
                return self.both(arguments, now_s, trace)
            self.check_place(arguments)
            with self.store.locked():
                return self.on(graph, arguments, command, now_s, trace)
        except InvalidPlanError as error:
            return self.invalid(error.error, command)
        except StateError as error:
            trace.error(error.code, "the run does not start", error)
        except OSError as error:
            self.memory.forget()
            trace.error(LogCode.STATE_WRITE_FAILED, "the run does not start", error)
        return Begun()

    def command(self, arguments: StartArguments) -> Command:
        """How the runner was called."""
        return Command(self.store.home, writable(arguments.plan_path), arguments.commit_mode)

    def both(self, arguments: StartArguments, now_s: float, trace: Trace) -> Begun:
        """Resume and fresh together are refused (AB-FRS-03)."""
        trace.warning(MODES_CONFLICT, "resume and fresh exclude each other; nothing was started")
        return Begun()

    def invalid(self, error: PlanError, command: Command) -> Begun:
        """No phase of that plan runs, whatever state is there, and that stays as it is (AB-NRT-02, AB-NRT-05)."""
        is_own = self.is_own()
        records = self.readable() if is_own else []
        summary = self.summaries.of(records, command, error.message)
        refusal = RunnerResult(accepted=False, halted=True, error=error, summary=summary)
        events = ((Event.HALT, f"{error.type}: {error.message}"),)
        return Begun(None, refusal, events if is_own else ())

    def check_place(self, arguments: StartArguments) -> None:
        """Nothing leads elsewhere; a fresh start takes away what does below the directory."""
        if Mode.FRESH in arguments.modes:
            self.store.check_place()
        else:
            self.store.check_places()

    def is_own(self) -> bool:
        """Is what is there of this project, so that it may be read and logged to?"""
        try:
            self.store.check_places()
        except StateError:
            return False
        return True

    def on(
        self, graph: Graph, arguments: StartArguments, command: Command, now_s: float, trace: Trace
    ) -> Begun:  # fmt: skip
        """With a plan that is one, under the lock; may raise OSError, and StateError while nothing was changed."""
        fresh = Mode.FRESH in arguments.modes
        turn = self.turn(fresh=fresh)
        clearing = fresh or turn.clearing
        found = Found(None, {}) if clearing else self.found(graph)
        if found.damaged:
            return self.damaged(graph, found, command, trace)
        self.memory.forget()
        turn = Turn(number=turn.number + 1, at=stamp(now_s), clearing=clearing, starting=True)
        self.store.put_turn(turn)
        if clearing:
            self.clear(trace)
        run = self.made(graph, found, arguments, now_s, trace)
        progress = self.progress_class(run, self.store, now_s, trace)
        progress.say(Event.START, f"{command.plan_path}, {len(graph.phases)} phases{self.manner(found, clearing)}")
        progress.say(Event.CONFIG, f"commit mode {arguments.commit_mode}")
        if run.is_complete:
            progress.finish()
        else:
            progress.launch_batch()
        turn = msgspec.structs.replace(turn, clearing=False, starting=False)
        self.store.put_turn(turn)
        self.memory.remember(run, turn)
        return Begun(progress, events=progress.events)

    def turn(self, *, fresh: bool) -> Turn:
        """Who changed what is there last; a fresh start takes whatever is there."""
        try:
            return self.store.turn()
        except StateError:
            if fresh:
                return Turn()
            raise

    def manner(self, found: Found, clearing: bool) -> str:
        """Is it new, fresh or resumed?"""
        if clearing:
            return ", fresh"
        return ", resumed" if found.records or found.config else ""

    def clear(self, trace: Trace) -> None:
        """All that was there goes; commits stay (AB-FRS-01, AB-FRS-02)."""
        self.store.clear()
        trace.warning(LogCode.COMMITS_REMAIN, "a fresh start undoes no commit; use git reset if that is needed")

    # -- what is there

    def found(self, graph: Graph) -> Found:
        """What is on disk of the phases of a plan."""
        config = self.store.config()
        records: dict[str, Record] = {}
        damaged: list[StateError] = []
        for id_ in graph.phases:
            try:
                record = self.store.record(id_)
            except StateError as error:
                damaged.append(error)
                continue
            if record is not None:
                records[id_] = record
        return Found(config, records, damaged)

    def readable(self) -> list[Record]:
        """The records on disk that can be read."""
        try:
            config = self.store.config()
        except StateError:
            return []
        found: list[Record] = []
        for id_ in config.phase_ids if config is not None else ():
            try:
                record = self.store.record(id_)
            except StateError:
                continue
            if record is not None:
                found.append(record)
        return found

    def damaged(self, graph: Graph, found: Found, command: Command, trace: Trace) -> Begun:
        """A record that is none halts the run before it begins, and is named (AB-COR-01, ``halts``)."""
        for error in found.damaged:
            trace.error(error.code, "the run does not start", error)
        reason = "; ".join(str(error) for error in found.damaged)
        records = [found.records[id_] for id_ in graph.phases if id_ in found.records]
        summary = self.summaries.of(records, command, reason, len(records) + len(found.damaged))
        refusal = RunnerResult(accepted=False, halted=True, summary=summary)
        return Begun(None, refusal, ((Event.HALT, reason),))

    # -- what it becomes

    def made(self, graph: Graph, found: Found, arguments: StartArguments, now_s: float, trace: Trace) -> Run:
        """The run, all of it on disk; may raise OSError."""
        records: dict[str, Record] = {}
        for id_ in graph.phases:
            before = found.records.get(id_)
            records[id_] = after = self.transitions.resumed(self.transitions.planned(graph, id_), before)
            if after != before:
                self.store.put(after)
        self.compare(graph, found.records, records, trace)
        config = self.config(graph, found.config, records, arguments, now_s)
        self.store.put_config(config)
        self.prepare_commits(records, arguments.commit_mode)
        return self.memory.run_class(graph, config, records)

    def config(
        self,
        graph: Graph,
        before: Config | None,
        records: Mapping[str, Record],
        arguments: StartArguments,
        now_s: float,
    ) -> Config:
        """The configuration of the run, which began when it was started first."""
        commands: dict[str, str] = msgspec.to_builtins(arguments.commands)
        return Config(
            VERSION,
            writable(arguments.plan_path),
            arguments.commit_mode,
            before.started_at if before is not None else stamp(now_s),
            stamp(now_s),
            totals(records.values()),
            commands=commands,
            phase_ids=tuple(graph.phases),
        )

    def compare(
        self, graph: Graph, before: Mapping[str, Record], after: Mapping[str, Record], trace: Trace
    ) -> None:  # fmt: skip
        """Tells where plan and records disagree: other neighbours, or what is complete before what it needs."""
        for id_, record in before.items():
            known = record.dependencies
            if known is not None and known.depends_on != graph.phases[id_].depends_on:
                trace.warning(LogCode.PLAN_CHANGED, f"phase {id_} had other dependencies when it was written down")
            elif record.status is Status.COMPLETE:
                open_ = [each for each in graph.phases[id_].depends_on if after[each].status is not Status.COMPLETE]
                if open_:
                    trace.warning(LogCode.PLAN_CHANGED, f"phase {id_} is complete, but {', '.join(open_)} is not")

    def prepare_commits(self, records: Mapping[str, Record], mode: CommitMode) -> None:
        """Writes down again what is prepared, in the order of completion: a crash may have kept one from it."""
        if mode != CommitMode.MESSAGE_ONLY:
            return
        done = [
            (each.timestamps.completed or "" if each.timestamps else "", each.commit.message)
            for each in records.values()
            if each.status is Status.COMPLETE and each.commit is not None and not each.commit.committed
        ]
        if done:
            self.store.put_commits(subject for _, subject in sorted(done, key=lambda pair: pair[0]))

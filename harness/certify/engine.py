"""Runs a plan: workers play scenarios, oracles judge them, events come out as they happen."""

import time
from collections.abc import Callable, Iterator, Sequence

from harness import __version__
from harness.certify import corpus
from harness.certify.chaos import Chaos
from harness.certify.closing import End, Interrupted, Varied, footer
from harness.certify.engines import ShardEngine
from harness.certify.engines.merging import merged
from harness.certify.engines.shard import Shard, cut
from harness.certify.events import (
    FORMAT,
    Event,
    HarnessBroke,
    ImplementationMet,
    Notice,
    RunStarted,
    ScenarioJudged,
    SearchFinished,
    SystemSimulated,
)
from harness.certify.exploring import Explorer
from harness.certify.failing import breaks, fails
from harness.certify.flaky import FLAKY, confirmed
from harness.certify.judged import event_of, played
from harness.certify.plan import Learn, Order, Play, Probe, RunPlan, Search, Simulate, Vary, Work, planned
from harness.certify.plays import Plays
from harness.certify.reach import UNCONTAINED, Reach
from harness.certify.threads import BUDGET, Said, Threads
from harness.certify.weather import NO_TRIALS, trials
from harness.core import struct_types
from harness.core.digest import sha256_of
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import EntryType, History
from harness.core.scenario import Scenario
from harness.core.seed import derive
from harness.errors import HarnessFault, MachineError, UntestableError, WindtunnelError
from harness.explore.playing import play
from harness.targets.session import Session


class Engine:
    """One run. ``run`` yields its events; ``stop`` ends it early, from another thread or a signal handler.

    The enumerated scenarios of its plan are cut into shards for ``shards``, and played in this process without it.
    """

    def __init__(
        self, plan: RunPlan, monotonic: Callable[[], float] = time.monotonic, shards: ShardEngine | None = None
    ) -> None:
        self._plan = plan
        deadline = None if plan.budget_s is None else monotonic() + plan.budget_s
        self._threads = Threads(plan.jobs, self._carry_out, monotonic, deadline)
        self._shards = shards
        self._plays = Plays(self._threads)
        self._explorer = Explorer(plan, self._threads.put, self._threads.is_over)
        self._chaos = Chaos(plan, self._threads.slots, self._threads.put, self._threads.is_over)

    def stop(self) -> None:
        """Takes no further work."""
        self._threads.stop()

    def interrupt(self) -> None:
        """Ends the run at once, keeping what was judged; may be called by a signal handler."""
        self._threads.stop()
        self._threads.put(Interrupted())

    def run(self) -> Iterator[Event]:
        """The events of the run, RunStarted first and RunFinished last."""
        for system in self._plan.systems:
            system.load(*(["workload"] if self._plan.cases else []))
        struct_types.build()
        work = planned(self._plan)
        judged: list[ScenarioJudged] = []
        operations = 0
        searches: list[SearchFinished] = []
        simulated: list[SystemSimulated] = []
        declared: dict[str, str] = {}
        end = End()
        try:
            uncontained: tuple[str, ...] = ()
            try:
                uncontained = self._containment()
            except (UntestableError, MachineError, HarnessFault) as error:
                end.because(error)
                work = []
            yield self._header(work, uncontained)
            for event in self._worked(work):
                if isinstance(event, Interrupted | WindtunnelError):
                    end.because(event)
                    self.stop()
                    self._threads.sessions.abort()
                    continue
                if isinstance(event, ScenarioJudged):
                    if event.origin != "explored":  # the explorer has them all
                        judged.append(event.without_history())
                        operations += event.operations()
                elif isinstance(event, SearchFinished):
                    searches.append(event)
                elif isinstance(event, SystemSimulated):
                    simulated.append(event)
                elif isinstance(event, HarnessBroke):
                    end.because(HarnessFault(event.error.strip().splitlines()[-1]))
                elif isinstance(event, ImplementationMet):
                    declared.update(event.not_implemented)
                elif isinstance(event, Notice):
                    end.cut = end.cut or (event.text if event.cut else "")
                yield event
        finally:
            self.stop()
            self._threads.close()
        found = self._explorer
        yield from found.alike()
        varied = Varied(found.judged, found.facts, found.operations + operations)
        yield footer(self._plan, judged, end, declared, searches, varied, simulated)

    def _header(self, work: Sequence[Work], uncontained: tuple[str, ...]) -> RunStarted:
        plan = self._plan
        return RunStarted(
            format=FORMAT,
            windtunnel=__version__,
            target=plan.target,
            replay=plan.replay,
            carriers=tuple(reach.carrier for reach in plan.reaches),
            systems=plan.names,
            profiles={reach.profile: reach.groups for reach in plan.reaches},
            level=plan.level,
            seed=plan.seed,
            cases=plan.cases,
            budget_s=plan.budget_s,
            only=plan.only,
            suite_digest=corpus.digest(plan.names),
            implementation_digest=sha256_of([reach.digest for reach in plan.reaches]),
            planned=sum(isinstance(item, Play | Learn) for item in work),
            searches=sum(isinstance(item, Search) for item in work),
            simulations=sum(isinstance(item, Simulate) for item in work),
            plan=corpus.plan(plan.names),
            uncontained=uncontained,
        )

    def _containment(self) -> tuple[str, ...]:
        """What is not contained, a sentence each; MachineError when that is too much to go on with."""
        sentences: dict[str, None] = {}
        for reach in self._plan.reaches:
            session = self._threads.sessions.take(reach)
            sentences.update(dict.fromkeys(session.uncontained()))
            if not session.contained() and not self._plan.unsafe:
                raise MachineError(UNCONTAINED)
            self._threads.sessions.give_back(reach, session)
        return tuple(sentences)

    def _probe(self, reach: Reach, session: Session) -> None:
        """UntestableError when the implementation does not run in calm weather."""
        if reach.probe is None or reach.unusable is None:
            return
        history = play(reach.probe, session, reach.system.inputs_of)
        why = reach.unusable([entry.value for entry in history.entries if entry.type is EntryType.OK])
        if why:
            raise UntestableError(f"{self._plan.target} cannot be tested: {why}")

    def _worked(self, work: Sequence[Work]) -> Iterator[Said]:
        """The plan first, then what is to be explored; search only where both found nothing: it can only find failures.

        Nothing is explored when a MUST fails already: no level beyond it can be reached.
        """
        yield from self._threads.phase([item for item in work if isinstance(item, Probe)])
        failed = stopped = False
        for event in self._played([item for item in work if isinstance(item, Play)]):
            stopped = (
                stopped or isinstance(event, Interrupted | WindtunnelError | HarnessBroke) or breaks(event, self._plan)
            )
            failed = failed or stopped or fails(event)
            yield event
        lessons = [item for item in work if isinstance(item, Learn)]
        if stopped and lessons and not self._threads.stopping:
            yield Notice(text="a MUST of the plan failed already, so nothing was explored", cut=False)
        elif not self._threads.stopping:
            for event in self._explored(lessons):
                stopped = (
                    stopped
                    or isinstance(event, Interrupted | WindtunnelError | HarnessBroke)
                    or breaks(event, self._plan)
                )
                failed = failed or stopped or fails(event)
                yield event
        simulations = [item for item in work if isinstance(item, Simulate)]
        if stopped and simulations and not self._threads.stopping:
            yield Notice(text="a MUST failed already, so nothing was simulated", cut=False)
        elif not self._threads.stopping:
            for event in self._threads.phase(simulations):
                failed = failed or fails(event)
                yield event
        searches = [item for item in work if isinstance(item, Search)]
        if failed and searches and not self._threads.stopping:
            yield Notice(text="the plan failed already, so nothing more was searched for", cut=False)
        elif not self._threads.stopping:
            # Hypothesis keeps global state, so searches take turns; a lock between holders of slots could deadlock
            yield from self._threads.phase(searches, workers=1)

    def _explored(self, lessons: Sequence[Learn]) -> Iterator[Said]:
        """Everything of L3: each scenario as it is, and its variants."""
        refused = {
            reach.profile: self._refusal(reach)
            for reach in {item.reach.profile: item.reach for item in lessons}.values()
        }
        for item in lessons:
            if refused[item.reach.profile]:
                self._explorer.refused(item, refused[item.reach.profile])
        for why in dict.fromkeys(filter(None, refused.values())):
            yield Notice(text=f"nothing was explored: {why}", cut=False)
        yield from self._threads.phase([item for item in lessons if not refused[item.reach.profile]])
        if not self._threads.stopping:
            yield from self._threads.phase(self._explorer.work)

    def _refusal(self, reach: Reach) -> str:
        session = self._threads.sessions.take(reach)
        why = session.unexplorable()
        self._threads.sessions.give_back(reach, session)
        return why

    def _played(self, work: Sequence[Play]) -> Iterator[Said]:
        if self._shards is None or len(work) < self._shards.least:
            return self._threads.phase(work)
        shards, kept = cut(self._plan, work)
        return self._threads.phase(kept, beside=lambda: self._sharded(shards))

    def _sharded(self, shards: Sequence[Shard]) -> None:
        """Says what the shards say, in the order of the plan; what an earlier one said already is said once."""
        assert self._shards is not None  # noqa: S101 - as _played has it
        threads, left = self._threads, len(shards)
        threads.doing(f"{left} shards of the plan")
        for result in merged(self._shards.run(shards, threads.is_over)):
            left -= 1
            threads.doing(f"{left} shards of the plan")
            for event in result.events():
                if isinstance(event, Notice):
                    threads.give_up(event.text)
                elif not isinstance(event, ImplementationMet) or self._plays.is_new(result.system, event.profile):
                    threads.put(event)
                if isinstance(event, ScenarioJudged):
                    self._plays.heard(event.history)
            if result.error:
                threads.put(result.raised())
        if left and threads.is_over():
            threads.give_up(BUDGET)
        elif left:
            raise HarnessFault(f"{left} shards of the plan were run and came to no result")

    def _carry_out(self, item: Work, session: Session) -> None:
        if isinstance(item, Probe):
            self._probe(item.reach, session)
        elif isinstance(item, Play):
            self._plays.play(item, session)
        elif isinstance(item, Learn):
            self._explorer.learn(item, session)
        elif isinstance(item, Vary):
            self._explorer.vary(item, session)
        elif isinstance(item, Order):
            self._explorer.order(item, session)
        elif isinstance(item, Simulate):
            self._chaos.play(item, session)
        else:
            self._search(item, session)

    def _search(self, item: Search, session: Session) -> None:
        seed = derive(self._plan.seed, "search", item.reach.profile, item.shard)
        profile, groups, system = item.reach.profile, item.reach.groups, item.reach.system
        operations, tried = 0, NO_TRIALS

        def count(scenario: Scenario, history: History) -> None:
            nonlocal operations, tried
            operations += sum(entry.type is EntryType.INVOKE and entry.op != "reset" for entry in history.entries)
            tried += trials(system, scenario, history)

        from harness.explore.stateful import (  # noqa: PLC0415 - Hypothesis, whose import costs a third of a start
            SHRINKS,
            SHRINKS_OF_PROCESSES,
            search,
        )

        shrinks = SHRINKS_OF_PROCESSES if item.reach.carrier == "hook" else SHRINKS
        found, cases = search(
            system, session, profile, groups, seed, item.cases, lambda: self._threads.stopping, count, shrinks
        )
        for scenario in found:
            history, findings = played(system, scenario, session)
            again = played(system, scenario, session)[1]
            findings = tuple(f for f in confirmed(findings, again) if f.verdict is CheckVerdict.FAIL)
            # what failed while it was searched for and does not any more is reported, and certifies nothing
            lost = set(scenario.clauses) - {finding.clause for finding in findings}
            findings += tuple(Finding(clause, CheckVerdict.INCONCLUSIVE, reason=FLAKY) for clause in sorted(lost))
            self._threads.put(event_of(system, scenario, "search", history, findings))
        self._threads.put(
            SearchFinished(profile=profile, shard=item.shard, cases=cases, operations=operations, trials=tried)
        )

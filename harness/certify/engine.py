"""Runs a plan on this machine: workers play scenarios, oracles judge them, events come out as they happen."""

import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from harness import __version__
from harness.certify import corpus
from harness.certify.chaos import Chaos
from harness.certify.closing import End, Interrupted, Varied, footer
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
    Waiting,
)
from harness.certify.exploring import Explorer
from harness.certify.failing import breaks, fails
from harness.certify.flaky import FLAKY, confirmed
from harness.certify.introductions import introduced
from harness.certify.plan import Learn, Order, Play, Probe, RunPlan, Search, Simulate, Vary, Work, name_of, planned
from harness.certify.reach import UNCONTAINED, Reach
from harness.certify.sessions import Sessions
from harness.certify.weather import NO_TRIALS, trials, weather
from harness.core import struct_types
from harness.core.digest import sha256_of
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import EntryType, History
from harness.core.scenario import Scenario
from harness.core.seed import derive
from harness.errors import HarnessFault, MachineError, UntestableError, WindtunnelError
from harness.explore.playing import play
from harness.explore.stateful import SHRINKS, SHRINKS_OF_PROCESSES, search
from harness.targets.session import Session
from harness.targets.slots import Slots

WAITERS = 12  # workers beyond the slots, for cases that only wait for a time-out
QUIET_S = 1.0  # after so long without news, what is waited for is told
HANGS_BEFORE_GIVING_UP = 4  # in a row, with no answer at all: every further scenario would hang too


class Engine:
    """One run. ``run`` yields its events; ``stop`` ends it early, from another thread or a signal handler."""

    def __init__(self, plan: RunPlan, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._plan = plan
        self._monotonic = monotonic
        self._slots = Slots(plan.jobs)
        self._stopping = threading.Event()
        # a SimpleQueue's put is re-entrant, so that a signal handler may put into it
        self._out: queue.SimpleQueue[Event | WindtunnelError | Interrupted | None] = queue.SimpleQueue()
        self._work: queue.SimpleQueue[Work] = queue.SimpleQueue()
        self._sessions = Sessions(self._slots)
        self._threads: list[threading.Thread] = []
        self._guard = threading.Lock()
        self._running: dict[int, tuple[float, str]] = {}  # by thread: since when, and what
        self._met: set[str] = set()
        self._silent = 0
        self._answered = False
        self._deadline = None if plan.budget_s is None else monotonic() + plan.budget_s
        self._explorer = Explorer(plan, self._out.put, self._is_over)
        self._chaos = Chaos(plan, self._slots, self._out.put, self._is_over)

    def stop(self) -> None:
        """Takes no further work."""
        self._stopping.set()

    def interrupt(self) -> None:
        """Ends the run at once, keeping what was judged; may be called by a signal handler."""
        self._stopping.set()
        self._out.put(Interrupted())

    def run(self) -> Iterator[Event]:
        """The events of the run, RunStarted first and RunFinished last."""
        for system in self._plan.systems:
            system.load(*(["workload"] if self._plan.cases else []))
        struct_types.build()
        work = planned(self._plan)
        judged: list[ScenarioJudged] = []
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
                    self._sessions.abort()
                    continue
                if isinstance(event, ScenarioJudged):
                    if event.origin != "explored":  # the explorer has them all
                        judged.append(event)
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
            self._close_all()
        found = self._explorer
        varied = Varied(found.judged, found.facts, found.operations)
        yield footer(self._plan, judged, end, declared, searches, varied, simulated)

    def _is_over(self) -> bool:
        return self._stopping.is_set() or (self._deadline is not None and self._monotonic() > self._deadline)

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
            session = self._sessions.take(reach)
            sentences.update(dict.fromkeys(session.uncontained()))
            if not session.contained() and not self._plan.unsafe:
                raise MachineError(UNCONTAINED)
            self._sessions.give_back(reach, session)
        return tuple(sentences)

    def _probe(self, reach: Reach, session: Session) -> None:
        """UntestableError when the implementation does not run in calm weather."""
        if reach.probe is None or reach.unusable is None:
            return
        history = play(reach.probe, session, reach.system.inputs_of)
        why = reach.unusable([entry.value for entry in history.entries if entry.type is EntryType.OK])
        if why:
            raise UntestableError(f"{self._plan.target} cannot be tested: {why}")

    def _worked(self, work: Sequence[Work]) -> Iterator[Event | WindtunnelError | Interrupted]:
        """The plan first, then what is to be explored; search only where both found nothing: it can only find failures.

        Nothing is explored when a MUST fails already: no level beyond it can be reached.
        """
        yield from self._phase([item for item in work if isinstance(item, Probe)])
        failed = stopped = False
        for event in self._phase([item for item in work if isinstance(item, Play)]):
            stopped = (
                stopped or isinstance(event, Interrupted | WindtunnelError | HarnessBroke) or breaks(event, self._plan)
            )
            failed = failed or stopped or fails(event)
            yield event
        lessons = [item for item in work if isinstance(item, Learn)]
        if stopped and lessons and not self._stopping.is_set():
            yield Notice(text="a MUST of the plan failed already, so nothing was explored", cut=False)
        elif not self._stopping.is_set():
            for event in self._explored(lessons):
                stopped = (
                    stopped
                    or isinstance(event, Interrupted | WindtunnelError | HarnessBroke)
                    or breaks(event, self._plan)
                )
                failed = failed or stopped or fails(event)
                yield event
        simulations = [item for item in work if isinstance(item, Simulate)]
        if stopped and simulations and not self._stopping.is_set():
            yield Notice(text="a MUST failed already, so nothing was simulated", cut=False)
        elif not self._stopping.is_set():
            for event in self._phase(simulations):
                failed = failed or fails(event)
                yield event
        searches = [item for item in work if isinstance(item, Search)]
        if failed and searches and not self._stopping.is_set():
            yield Notice(text="the plan failed already, so nothing more was searched for", cut=False)
        elif not self._stopping.is_set():
            # Hypothesis keeps global state, so searches take turns; a lock between holders of slots could deadlock
            yield from self._phase(searches, workers=1)

    def _explored(self, lessons: Sequence[Learn]) -> Iterator[Event | WindtunnelError | Interrupted]:
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
        yield from self._phase([item for item in lessons if not refused[item.reach.profile]])
        if not self._stopping.is_set():
            yield from self._phase(self._explorer.work)

    def _refusal(self, reach: Reach) -> str:
        session = self._sessions.take(reach)
        why = session.unexplorable()
        self._sessions.give_back(reach, session)
        return why

    def _phase(
        self, work: Sequence[Work], workers: int | None = None
    ) -> Iterator[Event | WindtunnelError | Interrupted]:
        for item in work:
            self._work.put(item)
        left = min(len(work), workers or self._plan.jobs + WAITERS)
        self._threads = [threading.Thread(target=self._worker, name=f"worker-{n}", daemon=True) for n in range(left)]
        for thread in self._threads:
            thread.start()
        while left:
            try:
                event = self._out.get(timeout=QUIET_S)
            except queue.Empty:
                yield from self._waiting()
                continue
            if event is None:
                left -= 1
            else:
                yield event

    def _waiting(self) -> Iterator[Waiting]:
        with self._guard:
            running = sorted(self._running.values())
        if running:
            since, what = running[0]
            yield Waiting(what=what, seconds=max(time.monotonic() - since, 0.0), others=len(running) - 1)

    def _worker(self) -> None:
        try:
            while not self._stopping.is_set():
                with self._slots.held():
                    if self._stopping.is_set():
                        return
                    if self._deadline is not None and self._monotonic() > self._deadline:
                        self._give_up("the budget ran out; `--cases N` and no --budget replays what was run")
                        return
                    try:
                        item = self._work.get_nowait()
                    except queue.Empty:
                        return
                    self._do(item)
        finally:
            self._out.put(None)

    def _do(self, item: Work) -> None:
        session: Session | None = None
        with self._guard:
            self._running[threading.get_ident()] = time.monotonic(), name_of(item)
        try:
            session = self._sessions.take(item.reach)
            if self._stopping.is_set():
                return  # opened while the others were killed: it must not begin to wait
            self._carry_out(item, session)
            self._sessions.give_back(item.reach, session)
        except WindtunnelError as error:
            self._sessions.discard(session)
            if not self._stopping.is_set():
                self._out.put(error)
        except Exception:  # noqa: BLE001 - whatever breaks here is our own fault, and must be shown as that
            self._sessions.discard(session)
            if not self._stopping.is_set():
                self._out.put(HarnessBroke(scenario=name_of(item), error=traceback.format_exc()))
        finally:
            with self._guard:
                del self._running[threading.get_ident()]

    def _carry_out(self, item: Work, session: Session) -> None:
        if isinstance(item, Probe):
            self._probe(item.reach, session)
        elif isinstance(item, Play):
            event = self._judged(item, session)
            self._introduce(item.reach, session)
            self._out.put(event)
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

    def _judged(self, work: Play, session: Session) -> ScenarioJudged:
        history, findings = self._played(work.scenario, session)
        self._notice_silence(history)
        if any(finding.verdict is CheckVerdict.FAIL for finding in findings) and not self._stopping.is_set():
            _, again = self._played(work.scenario, session)
            findings = confirmed(findings, again)
        return self._event(work.scenario, "plan", history, findings)

    def _event(
        self, scenario: Scenario, origin: Literal["plan", "search"], history: History, findings: tuple[Finding, ...]
    ) -> ScenarioJudged:
        stood = weather(self._plan.system_of(scenario), scenario, history, findings)
        return ScenarioJudged(
            scenario=scenario, origin=origin, history=history.entries, findings=findings, weather=stood
        )

    def _played(self, scenario: Scenario, session: Session) -> tuple[History, tuple[Finding, ...]]:
        system = self._plan.system_of(scenario)
        history = play(scenario, session, system.inputs_of)
        return history, system.judge(scenario, history, system.catalogue)

    def _search(self, item: Search, session: Session) -> None:
        seed = derive(self._plan.seed, "search", item.reach.profile, item.shard)
        profile, groups, system = item.reach.profile, item.reach.groups, item.reach.system
        operations, tried = 0, NO_TRIALS

        def count(scenario: Scenario, history: History) -> None:
            nonlocal operations, tried
            operations += sum(entry.type is EntryType.INVOKE and entry.op != "reset" for entry in history.entries)
            tried += trials(system, scenario, history)

        shrinks = SHRINKS_OF_PROCESSES if item.reach.carrier == "hook" else SHRINKS
        found, cases = search(system, session, profile, groups, seed, item.cases, self._stopping.is_set, count, shrinks)
        for scenario in found:
            history, findings = self._played(scenario, session)
            again = self._played(scenario, session)[1]
            findings = tuple(f for f in confirmed(findings, again) if f.verdict is CheckVerdict.FAIL)
            # what failed while it was searched for and does not any more is reported, and certifies nothing
            lost = set(scenario.clauses) - {finding.clause for finding in findings}
            findings += tuple(Finding(clause, CheckVerdict.INCONCLUSIVE, reason=FLAKY) for clause in sorted(lost))
            self._out.put(self._event(scenario, "search", history, findings))
        self._out.put(
            SearchFinished(profile=profile, shard=item.shard, cases=cases, operations=operations, trials=tried)
        )

    def _introduce(self, reach: Reach, session: Session) -> None:
        """Tells once who the implementation says it is; UntestableError when it declares clauses nobody knows."""
        met = session.introduction()
        with self._guard:
            if met is None or reach.profile in self._met:
                return
            self._met.add(reach.profile)
        self._out.put(introduced(reach, met))

    def _notice_silence(self, history: History) -> None:
        ends = [entry for entry in history.entries if entry.type is not EntryType.INVOKE and entry.op != "reset"]
        silent = bool(ends) and all(
            entry.type is EntryType.INFO or entry.value.get("timed_out") is True for entry in ends
        )
        with self._guard:
            self._answered = self._answered or not silent
            self._silent += silent
            give_up = not self._answered and self._silent >= HANGS_BEFORE_GIVING_UP
        if give_up and not self._stopping.is_set():
            self._give_up(f"gave up after {self._silent} scenarios in which no call was answered in time")

    def _give_up(self, text: str) -> None:
        with self._guard:
            if not self._stopping.is_set():
                self._stopping.set()
                self._out.put(Notice(text=text))

    def _close_all(self) -> None:
        for thread in self._threads:
            thread.join()
        self._sessions.close()

"""Runs a plan on this machine: workers play scenarios, oracles judge them, events come out as they happen."""

import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from harness import __version__
from harness.certify import corpus
from harness.certify.events import (
    FORMAT,
    Event,
    HarnessBroke,
    Notice,
    RunFinished,
    RunStarted,
    ScenarioJudged,
    SearchFinished,
)
from harness.certify.reach import Reach
from harness.core.digest import sha256_of
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import EntryType, History
from harness.core.scenario import Scenario
from harness.core.seed import derive
from harness.core.verdict import EXIT_CODES, JudgedScenario, Outcome, SystemResult, outcome_of, roll_up_system
from harness.errors import HarnessFault, MachineError, UntestableError, WindtunnelError
from harness.explore.stateful import search
from harness.systems import registry
from harness.targets.player import play
from harness.targets.session import Session
from harness.targets.slots import Slots

WAITERS = 12  # workers beyond the slots, for cases that only wait for a time-out
SEARCH_SHARDS = 2  # fixed, so that the cases do not depend on the number of jobs
HANGS_BEFORE_GIVING_UP = 4  # in a row, with no answer at all: every further scenario would hang too


class RunPlan(NamedTuple):
    """What to run: one system, the ways to the implementation, the materialised scenarios, and how much search."""

    system: registry.System
    target: str
    replay: str
    reaches: tuple[Reach, ...]
    scenarios: tuple[Scenario, ...]
    level: str
    seed: int
    cases: int
    budget_s: float | None
    jobs: int
    selected: bool = False  # clauses or scenarios were picked: no certificate
    unsafe: bool = False  # go on where the command cannot be contained


class _Search(NamedTuple):
    reach: Reach
    shard: int
    cases: int


class _Interrupted:
    """Ctrl-C was pressed."""


class _Work(NamedTuple):
    scenario: Scenario
    reach: Reach


class Engine:
    """One run. ``run`` yields its events; ``stop`` ends it early, from another thread or a signal handler."""

    def __init__(self, plan: RunPlan, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._plan = plan
        self._monotonic = monotonic
        self._slots = Slots(plan.jobs)
        self._stopping = threading.Event()
        # a SimpleQueue's put is re-entrant, so that a signal handler may put into it
        self._out: queue.SimpleQueue[Event | WindtunnelError | _Interrupted | None] = queue.SimpleQueue()
        self._work: queue.SimpleQueue[_Work | _Search] = queue.SimpleQueue()
        self._idle: dict[str, list[Session]] = {reach.profile: [] for reach in plan.reaches}
        self._open: list[Session] = []
        self._threads: list[threading.Thread] = []
        self._guard = threading.Lock()
        self._search_turn = threading.Lock()  # Hypothesis keeps global state: one search at a time
        self._silent = 0
        self._answered = False
        self._deadline = None if plan.budget_s is None else monotonic() + plan.budget_s

    def stop(self) -> None:
        """Takes no further work."""
        self._stopping.set()

    def interrupt(self) -> None:
        """Ends the run at once, keeping what was judged; may be called by a signal handler."""
        self._stopping.set()
        self._out.put(_Interrupted())

    def run(self) -> Iterator[Event]:
        """The events of the run, RunStarted first and RunFinished last."""
        work = _planned(self._plan)
        judged: list[ScenarioJudged] = []
        end = _End()
        try:
            uncontained: tuple[str, ...] = ()
            try:
                with self._slots.held():
                    uncontained = self._prepared()
            except (UntestableError, MachineError) as error:
                end.because(error)
                work = []
            yield self._header(len(work), uncontained)
            for event in self._worked(work):
                if isinstance(event, _Interrupted | WindtunnelError):
                    end.because(event)
                    self.stop()
                    self._abort()
                    continue
                if isinstance(event, ScenarioJudged):
                    judged.append(event)
                elif isinstance(event, HarnessBroke):
                    end.because(HarnessFault(event.error.strip().splitlines()[-1]))
                elif isinstance(event, Notice):
                    end.cut = end.cut or (event.text if event.cut else "")
                yield event
        finally:
            self.stop()
            self._close_all()
        yield self._footer(judged, end)

    def _header(self, planned: int, uncontained: tuple[str, ...]) -> RunStarted:
        plan = self._plan
        return RunStarted(
            format=FORMAT,
            windtunnel=__version__,
            target=plan.target,
            replay=plan.replay,
            carriers=tuple(reach.carrier for reach in plan.reaches),
            systems=(plan.system.name,),
            profiles={reach.profile: reach.groups for reach in plan.reaches},
            level=plan.level,
            seed=plan.seed,
            cases=plan.cases,
            budget_s=plan.budget_s,
            suite_digest=corpus.digest((plan.system.name,)),
            implementation_digest=sha256_of([reach.digest for reach in plan.reaches]),
            planned=planned,
            uncontained=uncontained,
        )

    def _prepared(self) -> tuple[str, ...]:
        """What is not contained; MachineError when that is too much to go on with, UntestableError when nothing runs."""
        sentences: dict[str, None] = {}
        for reach in self._plan.reaches:
            session = self._take(reach)
            sentences.update(dict.fromkeys(session.uncontained()))
            if not session.contained() and not self._plan.unsafe:
                raise MachineError(
                    "this machine refuses namespaces, so the command could reach your files and your network; run "
                    "`windtunnel doctor` for what would permit them, or add --unsafe to go on all the same"
                )
            self._probe(reach, session)
            self._give_back(reach, session)
        return tuple(sentences)

    def _probe(self, reach: Reach, session: Session) -> None:
        if reach.probe is None or reach.unusable is None:
            return
        history = play(reach.probe, session, self._plan.system.inputs_of)
        why = reach.unusable([entry.value for entry in history.entries if entry.type is EntryType.OK])
        if why:
            raise UntestableError(f"{self._plan.target} cannot be tested: {why}")

    def _worked(self, work: Sequence[_Work | _Search]) -> Iterator[Event | WindtunnelError | _Interrupted]:
        """The plan first; search only where the plan found nothing, for it can only find failures."""
        failed = False
        for event in self._phase([item for item in work if isinstance(item, _Work)]):
            failed = failed or not isinstance(event, ScenarioJudged | SearchFinished) or _fails(event)
            yield event
        searches = [item for item in work if isinstance(item, _Search)]
        if failed and searches and not self._stopping.is_set():
            yield Notice(text="the plan failed already, so nothing more was searched for", cut=False)
        elif not self._stopping.is_set():
            yield from self._phase(searches)

    def _phase(self, work: Sequence[_Work | _Search]) -> Iterator[Event | WindtunnelError | _Interrupted]:
        for item in work:
            self._work.put(item)
        left = min(len(work), self._plan.jobs + WAITERS)
        self._threads = [threading.Thread(target=self._worker, name=f"worker-{n}", daemon=True) for n in range(left)]
        for thread in self._threads:
            thread.start()
        while left:
            event = self._out.get()
            if event is None:
                left -= 1
            else:
                yield event

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

    def _do(self, item: _Work | _Search) -> None:
        name = item.scenario.id if isinstance(item, _Work) else f"search {item.reach.profile} {item.shard}"
        session: Session | None = None
        try:
            session = self._take(item.reach)
            if isinstance(item, _Work):
                self._out.put(self._judged(item, session))
            else:
                self._search(item, session)
            self._give_back(item.reach, session)
        except WindtunnelError as error:
            self._discard(session)
            if not self._stopping.is_set():
                self._out.put(error)
        except Exception:  # noqa: BLE001 - whatever breaks here is our own fault, and must be shown as that
            self._discard(session)
            if not self._stopping.is_set():
                self._out.put(HarnessBroke(scenario=name, error=traceback.format_exc()))

    def _judged(self, work: _Work, session: Session) -> ScenarioJudged:
        history, findings = self._played(work.scenario, session)
        self._notice_silence(history)
        if any(finding.verdict is CheckVerdict.FAIL for finding in findings) and not self._stopping.is_set():
            _, again = self._played(work.scenario, session)
            findings = confirmed(findings, again)
        return ScenarioJudged(
            scenario=work.scenario, origin="plan", history=history.entries, findings=findings
        )

    def _played(self, scenario: Scenario, session: Session) -> tuple[History, tuple[Finding, ...]]:
        system = self._plan.system
        history = play(scenario, session, system.inputs_of)
        return history, system.judge(scenario, history, system.catalogue)

    def _search(self, item: _Search, session: Session) -> None:
        seed = derive(self._plan.seed, "search", item.reach.profile, item.shard)
        with self._search_turn:
            found, cases = search(
                self._plan.system, session, item.reach.profile, item.reach.groups, seed, item.cases, self._stopping.is_set
            )
        for scenario in found:
            history, findings = self._played(scenario, session)
            again = self._played(scenario, session)[1]
            findings = tuple(f for f in confirmed(findings, again) if f.verdict is CheckVerdict.FAIL)
            if findings:
                self._out.put(
                    ScenarioJudged(scenario=scenario, origin="search", history=history.entries, findings=findings)
                )
        self._out.put(SearchFinished(profile=item.reach.profile, shard=item.shard, cases=cases))

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

    def _take(self, reach: Reach) -> Session:
        with self._guard:
            if self._idle[reach.profile]:
                return self._idle[reach.profile].pop()
        session = reach.open(self._slots)
        with self._guard:
            self._open.append(session)
        return session.__enter__()

    def _give_back(self, reach: Reach, session: Session) -> None:
        with self._guard:
            self._idle[reach.profile].append(session)

    def _discard(self, session: Session | None) -> None:
        if session is not None:
            with self._guard:
                self._open.remove(session)
            session.__exit__(None, None, None)

    def _abort(self) -> None:
        with self._guard:
            for session in self._open:
                session.abort()

    def _close_all(self) -> None:
        for thread in self._threads:
            thread.join()
        with self._guard:
            sessions, self._open = self._open, []
        for session in sessions:
            session.__exit__(None, None, None)

    def _footer(self, judged: Sequence[ScenarioJudged], end: "_End") -> RunFinished:
        plan = self._plan
        profiles = {reach.profile: reach.groups for reach in plan.reaches}
        ordered = sorted(judged, key=lambda event: (event.origin, event.scenario.id))
        rolled = [
            JudgedScenario(event.scenario.id, event.scenario.profile, _size(event.scenario), event.findings)
            for event in ordered
        ]
        systems = {plan.system.name: roll_up_system(plan.system.catalogue, profiles, rolled)}
        outcome = end.outcome or outcome_of((plan.system.catalogue,), systems)
        if end.cut and outcome is Outcome.CONFORMANT:
            outcome = Outcome.INCONCLUSIVE
        return RunFinished(
            outcome=outcome,
            exit_code=EXIT_CODES[outcome],
            strict=outcome is Outcome.CONFORMANT and all(result.strict for result in systems.values()),
            digest=self._digest(ordered),
            certificate=_certificate(plan, end.cut),
            message=end.message or end.cut,
            systems=systems,
            counts=_counts(ordered, systems),
        )

    def _digest(self, judged: Sequence[ScenarioJudged]) -> str:
        plan = self._plan
        checks = sorted(
            (event.scenario.id, finding.clause, finding.verdict.value, sorted(finding.readings or ()))
            for event in judged
            for finding in event.findings
        )
        scope = [plan.system.name, plan.level, plan.cases, sorted(scenario.id for scenario in plan.scenarios)]
        suite = corpus.digest((plan.system.name,))
        return sha256_of([suite, [reach.digest for reach in plan.reaches], plan.seed, scope, checks])


class _End:
    """Why a run ended before its plan did; the first cause is the one that is told."""

    def __init__(self) -> None:
        self.outcome: Outcome | None = None
        self.message = ""
        self.cut = ""

    def because(self, cause: WindtunnelError | _Interrupted) -> None:
        if self.outcome is not None:
            return
        if isinstance(cause, _Interrupted):
            self.outcome, self.message = Outcome.INTERRUPTED, "interrupted; what was judged until then is kept"
        else:
            untestable = isinstance(cause, UntestableError | MachineError)
            self.outcome = Outcome.UNTESTABLE if untestable else Outcome.HARNESS_FAULT
            self.message = str(cause)


def confirmed(first: tuple[Finding, ...], again: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """``first`` with each failure that did not fail a second time marked flaky: reported, and certifying nothing."""
    failed_again = {finding.clause for finding in again if finding.verdict is CheckVerdict.FAIL}
    return tuple(
        finding
        if finding.verdict is not CheckVerdict.FAIL or finding.clause in failed_again
        else msgspec.structs.replace(
            finding, verdict=CheckVerdict.INCONCLUSIVE, reason="flaky: it failed once and did not fail again"
        )
        for finding in first
    )


def _fails(event: ScenarioJudged | SearchFinished) -> bool:
    return isinstance(event, ScenarioJudged) and any(f.verdict is CheckVerdict.FAIL for f in event.findings)


def runs_for(scenario: Scenario, reach: Reach) -> bool:
    """Is this scenario meant for that implementation: its profile, its groups, and the paths it declares?"""
    if scenario.profile != reach.profile or scenario.group not in (None, *reach.groups):
        return False
    text = msgspec.json.encode(scenario)
    wanted = {name for name in ("config", "semaphore", "runtime") if f"{{{name}}}".encode() in text}
    return wanted <= set(reach.declared)


def _planned(plan: RunPlan) -> list[_Work | _Search]:
    pairs = [_Work(s, reach) for s in plan.scenarios for reach in plan.reaches if runs_for(s, reach)]
    # the full-length runs only wait: begun first, they are over when the rest is
    pairs.sort(key=lambda work: not work.scenario.full_length)
    work: list[_Work | _Search] = list(pairs)
    for reach in plan.reaches:
        for shard in range(SEARCH_SHARDS if plan.cases else 0):
            share = plan.cases // SEARCH_SHARDS + (shard < plan.cases % SEARCH_SHARDS)
            if share:
                work.append(_Search(reach, shard, share))
    return work


def _size(scenario: Scenario) -> int:
    return len(msgspec.json.encode(scenario))


def _certificate(plan: RunPlan, cut: str) -> str:
    reasons: list[str] = []
    if plan.selected:
        reasons.append("clauses or scenarios were selected")
    if plan.budget_s is not None or cut:
        reasons.append(cut or "a budget was set")
    if any(reach.carrier == "in_process" for reach in plan.reaches):
        reasons.append("the carrier was in_process")
    reasons.append("this version of the harness is not qualified at every layer yet")
    return f"refused({'; '.join(reasons)})"


def _counts(judged: Sequence[ScenarioJudged], systems: Mapping[str, SystemResult]) -> dict[str, int]:
    entries = [entry for event in judged for entry in event.history if entry.type is EntryType.INVOKE]
    proven = {
        (event.scenario.id, injection.fault.name, injection.fault.path)
        for event in judged
        for entry in event.history
        for injection in entry.faults
        if injection.armed and injection.proof
    }
    kinds = {"PASS": 0, "FAIL": 0, "INCONCLUSIVE": 0}
    for event in judged:
        for finding in event.findings:
            if finding.verdict.value in kinds:
                kinds[finding.verdict.value] += 1
    return {
        "scenarios": len(judged),
        "operations": sum(entry.op != "reset" for entry in entries),
        "faults": len(proven),
        "witnesses": sum(clause.witnesses for result in systems.values() for clause in result.clauses.values()),
        "checks_passed": kinds["PASS"],
        "checks_failed": kinds["FAIL"],
        "checks_inconclusive": kinds["INCONCLUSIVE"],
    }

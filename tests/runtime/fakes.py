"""The systems of a session as small as can be, and providers that fail as a seed says."""

from collections.abc import Sequence
from random import Random

from harness.ports.clock import FakeClock, FakeWaiter
from harness.ports.fake_files import FakeFiles
from harness.ports.launcher import Ended, FakeLauncher
from harness.runtime.calls import Task
from harness.runtime.ports import Outside, Place, Systems, UnansweredError
from harness.runtime.session import Session
from harness.runtime.uses import Use
from harness.simulation.systems import references
from harness.systems.circuit_breaker.contract import (
    AcquireArguments,
    AcquireResult,
    Held,
    Outcome,
    RecordArguments,
    RecordResult,
    State,
)
from harness.systems.diagnosis.contract import (
    ErrorType,
    ObserveArguments,
    ObserveResult,
    OutcomeArguments,
    OutcomeResult,
    PromptArguments,
    PromptResult,
    Reflection,
    ReportArguments,
    ReportResult,
)
from harness.systems.error_log.contract import NON_BLOCKING, FinishArguments, FinishResult, LogArguments, Reported
from harness.systems.error_log.contract import ClassifyArguments as KindArguments
from harness.systems.error_log.contract import ClassifyResult as KindResult
from harness.systems.error_log.contract import LogResult as Logged
from harness.systems.fallback.contract import (
    CONSECUTIVE_FAILURES,
    ESCALATE,
    MODEL_LADDER,
    WORKFLOW_LADDER,
    EscalationArguments,
    EscalationResult,
    Ladder,
    NextArguments,
    NextResult,
    Trigger,
)
from harness.systems.rate_limit.contract import ClassifyArguments, ClassifyResult, DelayArguments, DelayResult
from harness.systems.stop_gate.contract import CheckArguments, CheckResult, Decision

NOW_S = 1772366400.0
PROVIDERS = {"opus": "api/claude", "sonnet": "api/claude", "haiku": "api/openai"}
LIMITED = Ended("exit", 1, "HTTP 429: rate limit exceeded")
DOWN = Ended("exit", 1, "HTTP 503: overloaded")
HUNG = Ended("timeout", 0, "no end within 600 s")
UNDONE = Ended("exit", 1, "2 tests fail")
DONE = Ended("exit", 0, "done")
ENDS = (LIMITED, DOWN, HUNG, UNDONE, DONE)


class FakeGate:
    """Approves, or what it is scripted to."""

    def __init__(self, *decisions: Decision) -> None:
        self.decisions = list(decisions)

    def check(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        decision = self.decisions.pop(0) if self.decisions else Decision.APPROVE
        return CheckResult(decision, ("because",), "Go on." if decision is Decision.BLOCK else None, None)


class _One:
    def __init__(self) -> None:
        self.state, self.failures, self.successes, self.until, self.probe = State.CLOSED, [], 0, 0.0, None


class FakeBreaker:
    """Document 000's state machine, with a sliding window; late results are ignored."""

    def __init__(self) -> None:
        self.breakers: dict[str, _One] = {}
        self.acquired: dict[str, tuple[str, State]] = {}
        self.asked: list[tuple[str, str]] = []

    def acquire(self, arguments: AcquireArguments, now_s: float) -> AcquireResult:
        self.asked.append(("acquire", arguments.name))
        one = self.breakers.setdefault(arguments.name, _One())
        if one.state is State.OPEN and now_s >= one.until:
            one.state, one.successes, one.probe = State.HALF_OPEN, 0, None
        if one.state is State.OPEN:
            return AcquireResult(False, State.OPEN, Held.REFUSED, "the last error", one.until - now_s)
        if one.state is State.HALF_OPEN:
            if one.probe is not None and now_s < one.probe + 10:
                return AcquireResult(False, State.HALF_OPEN, Held.REFUSED)
            one.probe = now_s
        self.acquired[arguments.call] = (arguments.name, one.state)
        return AcquireResult(True, one.state)

    def record(self, arguments: RecordArguments, now_s: float) -> RecordResult:
        self.asked.append((arguments.outcome.value, arguments.name))
        one = self.breakers.setdefault(arguments.name, _One())
        _, state = self.acquired.pop(arguments.call, (arguments.name, one.state))
        if state is one.state is State.CLOSED and arguments.outcome is Outcome.FAILURE:
            one.failures = [at for at in one.failures if now_s - at < 60] + [now_s]
            if len(one.failures) >= 3:
                self._open(one, now_s)
        elif state is one.state is State.HALF_OPEN:
            if arguments.outcome is Outcome.FAILURE:
                self._open(one, now_s)
            else:
                one.successes += 1
                if one.successes >= 3:
                    one.state, one.failures = State.CLOSED, []
        return RecordResult(one.state)

    def _open(self, one: _One, now_s: float) -> None:
        one.state, one.until, one.failures = State.OPEN, now_s + 300, []


class FakeBackoff:
    """5, 10, 20, 40, 80 seconds."""

    def classify(self, arguments: ClassifyArguments, now_s: float) -> ClassifyResult:
        return ClassifyResult(arguments.status == 429 or "rate limit" in (arguments.message or ""))

    def next_delay(self, arguments: DelayArguments, now_s: float) -> DelayResult:
        if arguments.retry > 5:
            return DelayResult(retry=False)
        return DelayResult(retry=True, delay_s=5.0 * 2 ** (arguments.retry - 1))


class FakeLadder:
    """opus, sonnet, haiku; complex, simpler, minimal; a human."""

    def next(self, arguments: NextArguments, now_s: float) -> NextResult:
        rungs = MODEL_LADDER if arguments.ladder is Ladder.MODEL else WORKFLOW_LADDER
        return NextResult(ESCALATE if arguments.current == ESCALATE else rungs[rungs.index(arguments.current) + 1])

    def escalation(self, arguments: EscalationArguments, now_s: float) -> EscalationResult:
        found = {
            Trigger.LOW_CONFIDENCE: arguments.confidence is not None and arguments.confidence < 0.40,
            Trigger.CONSECUTIVE_FAILURES: arguments.consecutive_failures >= CONSECUTIVE_FAILURES,
            Trigger.SECURITY_CRITICAL: arguments.security_critical,
            Trigger.IRREVERSIBLE: arguments.irreversible and not arguments.rollback,
        }
        triggers = tuple(trigger for trigger, holds in found.items() if holds)
        return EscalationResult(bool(triggers), triggers)


class FakeErrorLog:
    """Records in memory, an id each; what does not stop is told at the end."""

    def __init__(self) -> None:
        self.records: list[dict[str, object]] = []
        self.pending: list[Reported] = []

    def classify(self, arguments: KindArguments, now_s: float) -> KindResult:
        incident = arguments.incident
        if incident.timed_out:
            return KindResult("timeout")
        return KindResult("validation_failed" if incident.responded else "tool_unavailable")

    def log(self, arguments: LogArguments, now_s: float) -> Logged:
        error = arguments.error
        record = {"id": f"err_{len(self.records) + 1}", "type": error.type, "message": error.message}
        self.records.append(record | {"name": arguments.name, "context": error.context})
        if error.type in NON_BLOCKING:
            self.pending.append(Reported(arguments.name, error.type, error.message))
        return Logged(record, stored=True)

    def finish(self, arguments: FinishArguments, now_s: float) -> FinishResult:
        reported, self.pending = tuple(self.pending), []
        return FinishResult(reported)


STRATEGIES = ("corrected-retry", "another-tool", "reduced-scope")


class FakeDiagnosis:
    """Three strategies, one after the other; two may fail. ``asks_at_once`` asks about everything at once."""

    def __init__(self, *, asks_at_once: bool = False) -> None:
        self.asks_at_once = asks_at_once
        self.observed: list[ObserveArguments] = []
        self.outcomes: list[OutcomeArguments] = []
        self.failed: dict[str, int] = {}

    def observe(self, arguments: ObserveArguments, now_s: float) -> ObserveResult:
        self.observed.append(arguments)
        if arguments.success:
            return ObserveResult(Reflection.NONE)
        self.failed[arguments.call] = 0
        text = str(arguments.error)
        kind = ErrorType.RATE_LIMITED if "429" in text else ErrorType.UNKNOWN
        diagnosis = {"errorClassification": {"type": kind.value}, "recoveryPlan": self._plan(arguments.call)}
        return ObserveResult(Reflection.FULL, diagnosis, self.asks_at_once)

    def outcome(self, arguments: OutcomeArguments, now_s: float) -> OutcomeResult:
        self.outcomes.append(arguments)
        tried = self._plan(arguments.call)["strategy"]
        if arguments.success:
            return OutcomeResult(tried)
        self.failed[arguments.call] += 1
        asks = self.failed[arguments.call] >= 2
        return OutcomeResult(tried, {"strategy": "ask-user"} if asks else self._plan(arguments.call), asks)

    def prompt(self, arguments: PromptArguments, now_s: float) -> PromptResult:
        return PromptResult(f"Diagnostic analysis of {arguments.call}")

    def report(self, arguments: ReportArguments, now_s: float) -> ReportResult:
        return ReportResult(f"Why {arguments.call} failed")

    def _plan(self, call: str) -> dict[str, str]:
        return {"strategy": STRATEGIES[min(self.failed[call], 2)]}


def fake_systems(files: FakeFiles | None = None) -> Systems:
    found = references("/h", FakeFiles() if files is None else files)
    return found._replace(  # what only workers ask are references
        gate=FakeGate(),
        breaker=FakeBreaker(),
        backoff=FakeBackoff(),
        ladder=FakeLadder(),
        error_log=FakeErrorLog(),
        diagnostician=FakeDiagnosis(),
    )


class World:
    """A session on fakes. ``script`` gives the end of each attempt, the last one for ever."""

    def __init__(self, *script: Ended, kind: type[Session] = Session, systems: Systems | None = None) -> None:
        self.script = list(script)
        self.ran: list[tuple[float, tuple[str, ...]]] = []
        self.clock, self.files = FakeClock(NOW_S), FakeFiles()
        self.systems = fake_systems() if systems is None else systems
        outside = Outside(self.clock, self.files, FakeLauncher(self.answer), FakeWaiter(self.clock))
        self.session = kind("s", Place("/h", "/p", PROVIDERS), outside, self.systems)

    def answer(self, argv: Sequence[str]) -> Ended:
        self.ran.append((self.clock.now_s() - NOW_S, tuple(argv)))
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


def words(world):
    """The events of the stream, each by its kind."""
    return [type(event).__name__ for event in world.session.events]


def told(world, kind, *fields):
    return [tuple(getattr(event, field) for field in fields) for event in world.session.events if type(event) is kind]


class Silent:
    """Answers nothing to that operation."""

    def __init__(self, inner, operation):
        self._inner, self._operation = inner, operation

    def __getattr__(self, name):
        return self._refuse if name == self._operation else getattr(self._inner, name)

    def _refuse(self, arguments, now_s):
        raise UnansweredError("it died")


def task(name: str = "t-1", **changes: object) -> Task:
    return Task(id=name, tool="model", command=("ask", "{model}", "{approach}", "{provider}"), **changes)


def use(name: str = "t-1", **changes: object) -> Use:
    return Use(task=name, tool="run_bash", command=("sh", "{strategy}"), args={"command": "make"}, **changes)


def live(seed: int, kind: type[Session] = Session, systems: Systems | None = None, tasks: int = 12) -> World:
    """A session whose providers and tools fail as the seed says: calls of tasks, uses, stops, and work beside it."""
    draw = Random(seed)
    weights = [draw.choice((0, 1, 4)) for _ in ENDS[:-1]] + [draw.choice((1, 4, 12))]
    world = World(DONE, kind=kind, systems=systems)
    world.answer = lambda argv: draw.choices(ENDS, weights)[0]
    world.session._outside = world.session._outside._replace(launcher=FakeLauncher(world.answer))
    world.systems.gate.decisions = [draw.choice(tuple(Decision)) for _ in range(tasks)]
    for number in range(tasks):
        world.clock.move(draw.choice((0.5, 3.0, 20.0, 400.0)))
        name = f"t-{draw.choice((number, number, number - 1))}"
        critical = draw.random() < 0.05
        if draw.random() < 0.5:
            world.session.use_tool(use(f"u-{number}"))
        if draw.random() < 0.4:
            world.session.do_beside(draw.choice(sorted(NON_BLOCKING)), ("git", "commit"), env={}, timeout_s=9.0)
        if world.session.perform(task(name, urgent=draw.random() < 0.6, security_critical=critical)) == "escalated":
            world.session.perform(task(f"after-{number}", model="sonnet"))
        if draw.random() < 0.3:
            world.session.request_stop()
    world.session.finish()
    return world

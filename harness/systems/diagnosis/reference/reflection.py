"""The operations of the diagnostic reflection of one working directory. None of them raises, whatever it is given."""

import math
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from ulid import ULID

from harness.core.log import LogEntry
from harness.ports.files import Files, RealFiles
from harness.systems.diagnosis.contract import (
    CONTEXT_LOG_PATH,
    EPISODIC_MEMORY_PATH,
    SESSION_MEMORY_PATH,
    Configuration,
    LogCode,
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
from harness.systems.diagnosis.reference.answers import Answers, Insight
from harness.systems.diagnosis.reference.composing import Composing, Understanding
from harness.systems.diagnosis.reference.context_log import ContextLog
from harness.systems.diagnosis.reference.flags import Flags
from harness.systems.diagnosis.reference.learning import Learning
from harness.systems.diagnosis.reference.memories import Lines, Trace
from harness.systems.diagnosis.reference.model import Asking, Model, ScriptedModel
from harness.systems.diagnosis.reference.planner import Attempt, Plan, Planner
from harness.systems.diagnosis.reference.prompt import Prompt
from harness.systems.diagnosis.reference.reading import Failure, Reading
from harness.systems.diagnosis.reference.steps import Case
from harness.systems.diagnosis.reference.strategies import Strategies
from harness.systems.diagnosis.reference.taxonomy import LIKELY, Taxonomy
from harness.systems.diagnosis.reference.whys import Whys

MOST_CALLS: Final = 4096  # whose diagnosis is remembered
LATEST_MS: Final = 253_402_300_799_999  # the year 9999
ENTROPY_BYTES: Final = 10
LONGEST_WAIT: Final = 2**53  # iterations that JSON holds

Entropy = Callable[[int], bytes]


class Held(msgspec.Struct):
    """What is remembered of a call that failed."""

    case: Case
    diagnosis: dict[str, Any]
    trigger: str
    plan: Plan
    attempts: list[Attempt]


class DiagnosticReflection:
    """Document 001 on the files below ``home``. Not for use by two threads at once; by any number of processes.

    ``now_s`` of an operation is the time of its call, in seconds since the epoch; ``entropy`` gives random bytes, and
    ``clock_s`` a time that only serves to tell how long a reflection took.
    """

    flags_class = Flags
    reading_class = Reading
    taxonomy_class = Taxonomy
    whys_class = Whys
    strategies_class = Strategies
    planner_class = Planner
    learning_class = Learning
    composing_class = Composing
    prompt_class = Prompt
    asking_class = Asking
    answers_class = Answers
    session_class = Lines
    episodes_class = Lines
    context_log_class = ContextLog
    session_path = SESSION_MEMORY_PATH
    episodic_path = EPISODIC_MEMORY_PATH
    context_log_path = CONTEXT_LOG_PATH

    def __init__(
        self, configuration: Configuration, files: Files, entropy: Entropy, clock_s: Callable[[], float]
    ) -> None:
        def at(path: str) -> str:
            return path.replace("{home}", configuration.home)

        self.configuration = configuration
        self.entropy = entropy
        self.clock_s = clock_s
        self.root = at(configuration.tools_fs_root)
        self.taxonomy = self.taxonomy_class()
        self.whys = self.whys_class()
        self.strategies = self.strategies_class()
        self.planner = self.planner_class()
        self.composing = self.composing_class()
        self.prompts = self.prompt_class()
        self.asking = self.asking_class()
        self.answers = self.answers_class()
        self.learning = self.learning_class(at(self.episodic_path), files)
        self.session = self.session_class(at(self.session_path), files, LogCode.MEMORY_WRITE_FAILED)
        self.episodes = self.episodes_class(at(self.episodic_path), files, LogCode.MEMORY_WRITE_FAILED)
        self.context_log = self.context_log_class(at(self.context_log_path), files, LogCode.CONTEXT_LOG_WRITE_FAILED)
        self._held: dict[str, Held] = {}
        self._earlier: list[LogEntry] = []
        self.settings, wrong = self.flags_class().settings(configuration.flags)
        for text in wrong:
            Trace(self._earlier).warning(LogCode.FLAG_INVALID, text)

    # -- operations

    def observe(self, arguments: ObserveArguments, now_s: float) -> ObserveResult:
        """A tool call ended: a failure is diagnosed at once, a success is not (DR-TRG-01 to DR-TRG-03)."""
        trace, begun_s = self.begin(), self.clock_s()
        if not self.triggers(arguments):
            return ObserveResult(Reflection.NONE, log=trace.log())
        failure = self.read(arguments, trace)
        self.learning.catch_up(trace)
        model = None if arguments.model is None else ScriptedModel(arguments.model)
        reflection, held = self.reflect(failure, model, now_s, trace)
        self.keep(arguments.call, held)
        self.store(held, begun_s, trace)
        calls = () if model is None else tuple(model.calls)
        return ObserveResult(reflection, held.diagnosis, held.plan.strategy.asks, calls, trace.log())

    def outcome(self, arguments: OutcomeArguments, now_s: float) -> OutcomeResult:
        """The strategy in force was tried: what comes of it is stored, and after a failure there is a next plan."""
        trace = self.begin()
        held = self.find(arguments.call, trace)
        if held is None:
            return OutcomeResult(None, log=trace.log())
        self.learning.catch_up(trace)
        strategy = held.plan.strategy
        attempt = Attempt(strategy.name, arguments.success, min(max(arguments.iterations, 0), LONGEST_WAIT))
        held.attempts.append(attempt)
        self.learn(held, attempt, now_s, trace)
        if arguments.success:
            return OutcomeResult(strategy.name, log=trace.log())
        held.plan = self.planner.after_failure(held.plan, held.attempts, self.settings.max_recovery_attempts)
        return OutcomeResult(strategy.name, held.plan.as_json(), held.plan.strategy.asks, trace.log())

    def prompt(self, arguments: PromptArguments, now_s: float) -> PromptResult:
        """What the reflection after that call reads."""
        del now_s
        trace = self.begin()
        held = self.find(arguments.call, trace)
        text = "" if held is None else self.prompts.reflection(held.diagnosis, held.plan)
        return PromptResult(text, trace.log())

    def report(self, arguments: ReportArguments, now_s: float) -> ReportResult:
        """What the user is shown of that call."""
        del now_s
        trace = self.begin()
        held = self.find(arguments.call, trace)
        if held is None:
            return ReportResult("", trace.log())
        text = self.prompts.report(held.diagnosis, held.plan, held.attempts, asks=held.plan.strategy.asks)
        return ReportResult(text, trace.log())

    # -- reflecting

    def triggers(self, arguments: ObserveArguments) -> bool:
        """Is there something to reflect on?"""
        return self.settings.enabled and not arguments.success

    def read(self, arguments: ObserveArguments, trace: Trace) -> Failure:
        """The failure; what is wrong with the input is told."""
        reading = self.reading_class()
        failure = reading.failure(arguments)
        if reading.wrong:
            trace.warning(LogCode.INPUT_INVALID, "; ".join(reading.wrong))
        return failure

    def reflect(self, failure: Failure, model: Model | None, now_s: float, trace: Trace) -> tuple[Reflection, Held]:
        """The diagnosis: on the fast path where a pattern is trusted, else in full."""
        case = Case(failure, self.taxonomy.verdict(failure), self.root)
        insight = None
        alternatives = self.strategies.of(case)
        trigger = self.learning.trigger(failure, case.verdict)
        preferred = self.fast(trigger, alternatives)
        reflection = Reflection.FULL if preferred is None else Reflection.FAST
        if preferred is None:
            insight = None if model is None else self.ask(case, model, trace)
            if insight is not None and insight.type is not None and insight.type is not case.verdict.kind:
                kind = insight.type
                case = case._replace(verdict=case.verdict._replace(kind=kind, category=self.taxonomy.categories[kind]))
                alternatives, trigger = self.strategies.of(case), self.learning.trigger(failure, case.verdict)
            preferred = self.learning.promising(trigger, alternatives)
        plan = self.planner.first(alternatives, preferred, self.settings.max_recovery_attempts)
        severity = self.taxonomy.severity(case.verdict, recoverable=any(not each.asks for each in alternatives))
        understanding = self.understand(case, insight)
        identity = self.identity(now_s)
        diagnosis = self.composing.diagnosis(identity, case, understanding, alternatives, plan, severity, trigger)
        return reflection, Held(case, diagnosis, trigger, plan, [])

    def fast(self, trigger: str, alternatives: tuple[Any, ...]) -> str | None:
        """The strategy that a trusted pattern names (DR-LRN-02, DR-CFG-06); None when a full reflection is due."""
        if not self.settings.fast_recovery or not self.settings.recovers:
            return None
        return self.learning.learned(trigger, alternatives)

    def ask(self, case: Case, model: Model, trace: Trace) -> Insight | None:
        """What the model makes of it; None when it is of no use (DR-LLM-01)."""
        question = self.prompts.question(case.failure, case.verdict.kind.value)
        text = self.asking.ask(model, question, self.settings, self.configuration.model_limit_s, trace)
        if text is None:
            return None
        insight = self.answers.insight(text)
        if insight is None:
            trace.warning(LogCode.MODEL_ANSWER_INVALID, "the model's answer is no object of JSON")
            return None
        if insight.dropped:
            trace.warning(
                LogCode.MODEL_ANSWER_INVALID, f"of the model's answer is dropped: {', '.join(insight.dropped)}"
            )
        if not self.agrees(case, insight):
            trace.warning(LogCode.MODEL_ANSWER_INVALID, f"the model takes it for {insight.type}, which it is not")
            return None
        return insight

    def agrees(self, case: Case, insight: Insight) -> bool:
        """Does the answer explain this failure? What is known for sure no model overrides (DR-MET-02)."""
        return insight.type in {None, case.verdict.kind} or case.verdict.confidence < LIKELY

    def understand(self, case: Case, insight: Insight | None) -> Understanding:
        """Why it happened; what the model said goes before what the tables say."""
        insight = insight or Insight()
        chain = insight.whys or self.whys.chain(case.failure, case.verdict)
        confidence = case.verdict.confidence if insight.confidence is None else insight.confidence
        return Understanding(
            self.whys.asked(chain, self.settings.why_depth),
            insight.description or self.whys.root_cause(case.verdict),
            confidence,
            insight.rule,
            insight.generalizability,
        )

    def identity(self, now_s: float) -> tuple[str, str]:
        """A new id, and the time."""
        at_ms = _milliseconds(now_s)
        moment = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
        return f"diag_{self.ulid(at_ms)}", moment.replace("+00:00", "Z")

    def ulid(self, at_ms: int) -> str:
        """A ULID of that time."""
        return str(ULID(at_ms.to_bytes(6, "big") + self.entropy(ENTROPY_BYTES)))

    # -- remembering

    def begin(self) -> Trace:
        """A new operation: its log, and the lines that could not be written before."""
        earlier, self._earlier = self._earlier, []
        trace = Trace(earlier)
        for lines in (self.session, self.episodes, self.context_log):
            lines.write(trace)
        return trace

    def find(self, call: str, trace: Trace) -> Held | None:
        """What is remembered of a call; None, told of, when there is no diagnosis of it."""
        held = self._held.get(call)
        if held is None:
            trace.warning(LogCode.CALL_UNKNOWN, f"there is no diagnosis of the call {call[:80]!r}")
        return held

    def keep(self, call: str, held: Held) -> None:
        """Remembers it; the oldest is forgotten."""
        self._held.pop(call, None)
        self._held[call] = held
        if len(self._held) > MOST_CALLS:
            del self._held[next(iter(self._held))]

    def store(self, held: Held, begun_s: float, trace: Trace) -> None:
        """Root cause and recovery go into the session memory, the event into the ContextLog (DR-TRG-03, DR-LOG-01)."""
        diagnosis = held.diagnosis
        record = self.composing.session_record(diagnosis, (), None, full=self.settings.store_full)
        self.session.add({"id": diagnosis["id"], "ts": diagnosis["timestamp"], **record}, trace)
        session = (self.configuration.conv_id, self.configuration.trace_id)
        elapsed_ms = round((self.clock_s() - begun_s) * 1000)
        self.context_log.add(self.context_log.event(diagnosis, held.case.failure.tool, session, elapsed_ms), trace)

    def learn(self, held: Held, attempt: Attempt, now_s: float, trace: Trace) -> None:
        """Stores what became of a recovery, whether it worked or not (DR-MEM-03, DR-LRN-01)."""
        identity, at = self.identity(now_s)
        successes, attempts = self.learning.counts(held.trigger, attempt.strategy)
        counts = (successes + attempt.success, attempts + 1)
        confidence = self.learning.confidence(counts)
        learned = self.composing.learned_pattern(held.trigger, attempt.strategy, confidence) if counts[0] else None
        record = self.composing.session_record(held.diagnosis, held.attempts, learned, full=False)
        self.session.add({"id": identity, "ts": at, **record}, trace)
        trust = (confidence, self.learning.success_rate(counts))
        strategy, tool = held.plan.strategy, held.case.failure.tool
        episode = self.composing.episode(held.diagnosis, tool, held.trigger, strategy, attempt, trust)
        line = {"id": identity, "ts": at, **episode}
        self.learning.know(self.episodes.line(line))
        self.episodes.add(line, trace)


def _milliseconds(now_s: float) -> int:
    return min(max(round(now_s * 1000), 0), LATEST_MS) if math.isfinite(now_s) else 0


def create(
    configuration: Configuration,
    files: Files | None = None,
    entropy: Entropy | None = None,
    clock_s: Callable[[], float] | None = None,
) -> DiagnosticReflection:
    """A reference on those files (the machine's), with that entropy and that clock (the system's)."""
    return made(DiagnosticReflection, configuration, files, entropy, clock_s)


def made(
    kind: type[DiagnosticReflection],
    configuration: Configuration,
    files: Files | None = None,
    entropy: Entropy | None = None,
    clock_s: Callable[[], float] | None = None,
) -> DiagnosticReflection:
    """One of that class, the reference's or derived from it; as ``create``."""
    return kind(configuration, files or RealFiles(), entropy or os.urandom, clock_s or time.perf_counter)

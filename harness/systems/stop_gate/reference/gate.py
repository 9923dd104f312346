"""The gate: rules in a fixed order, the first that has an answer decides. What nobody foresaw approves."""

import threading
import time
from collections.abc import Callable, Sequence

from harness.ports.clock import Clock, RealClock
from harness.ports.files import Files, RealFiles
from harness.systems.stop_gate.contract import (
    CHECKER_LIMIT_S,
    COUNTERS,
    PROMPT_MARK,
    PROMPT_WITHOUT_FAILURES,
    SKIP_VARIABLE,
    CheckArguments,
    CheckResult,
    Configuration,
    Decision,
    Limits,
    LogCode,
    MetricsArguments,
    MetricsResult,
    PromptArguments,
    PromptResult,
    Severity,
)
from harness.systems.stop_gate.reference.considerations import (
    NetworkUnreachableError,
    OwnQuestions,
    Question,
    scripted,
)
from harness.systems.stop_gate.reference.inputs import Case, Inputs, approve
from harness.systems.stop_gate.reference.limits import Answer, Watch
from harness.systems.stop_gate.reference.metrics import Counting
from harness.systems.stop_gate.reference.state import Store
from harness.systems.stop_gate.reference.summary import SummaryWriter
from harness.systems.stop_gate.reference.trace import Trace, describe
from harness.systems.stop_gate.reference.transcript import (
    MalformedTranscriptError,
    Message,
    ReadingExpiredError,
    TranscriptReader,
)

READING_LIMIT_S = 10.0  # not scaled: reading is work, not waiting, and the largest transcript takes a tenth of this


class StopGate(Inputs):
    """May a session stop? Document 004 on the files below ``home``. Not for use by two threads at once.

    ``clock`` tells the time of calls that do not; ``limits`` scales time limits; ``monotonic`` measures them, in s.
    ``block_limit`` is how often one session is held within an hour (PS-LOOP-04); ``held_before`` is what the host says
    of it: if true nobody is held whose count was lost, if true or unknown (None) nobody whose count cannot be kept.
    """

    RULES = ("skipped", "disabled", "already_ran", "without_messages", "own_prompt", "analysed")
    reader_class = TranscriptReader
    store_class = Store
    watch_class = Watch
    questions_class = OwnQuestions
    summary_class = SummaryWriter
    counting_class = Counting

    def __init__(
        self,
        home: str,
        clock: Clock,
        files: Files,
        limits: Limits,
        *,
        block_limit: int = 20,
        held_before: bool | None = False,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(files)
        self.home = home
        self.clock = clock
        self.limits = limits
        self.block_limit = block_limit
        self.held_before = held_before
        self.monotonic = monotonic
        self._held: dict[str, int] = {}

    # -- operations

    def check(self, arguments: CheckArguments, now_s: float | None = None) -> CheckResult:
        """The answer to one stop, at ``now_s`` in seconds since the epoch. It raises nothing but a real Ctrl-C."""
        at_s = self.clock.now_s() if now_s is None else now_s
        return self.elsewhere(arguments, at_s) if arguments.off_main_thread else self.checked(arguments, at_s)

    def continuation_prompt(self, arguments: PromptArguments, now_s: float | None = None) -> PromptResult:
        """The text for the model when these considerations failed (PS-PRM-01, PS-PRM-04)."""
        trace = Trace()
        failed = [scripted(consideration, self.limits.scale) for consideration in arguments.failed]
        prompt = self.prompt(failed, trace)
        if trace.entries:
            store = self.store_class(self.home, self.files, trace)
            try:
                store.count(self.counting_class(), None)
                store.keep_log(self.clock.now_s() if now_s is None else now_s)
            finally:
                store.unlock()
        return PromptResult(prompt, tuple(trace.entries))

    def metrics(self, arguments: MetricsArguments, now_s: float | None = None) -> MetricsResult:
        """The counters since the runtime directory was fresh, and the alerts standing at ``now_s``."""
        del arguments
        trace = Trace()
        tally = self.store_class(self.home, self.files, trace).stored_tally()
        at_s = self.clock.now_s() if now_s is None else now_s
        counters = {name: max(0, tally.counters.get(name, 0)) for name in COUNTERS}
        return MetricsResult(counters, self.counting_class().alerts(tally, at_s), tuple(trace.entries))

    # -- around the rules

    def elsewhere(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        """One check on a thread that is not the main one (PS-CHK-06)."""
        answers: list[CheckResult] = []
        thread = threading.Thread(target=lambda: answers.append(self.checked(arguments, now_s)), daemon=True)
        thread.start()
        thread.join()
        return answers[0]

    def checked(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        """One check with its last line of defence (PS-FO-02).

        Checkers run on threads of their own, so a KeyboardInterrupt here is the person's, who may have it.
        """
        trace = Trace(arguments.session_id, arguments.transcript_path)
        case = Case(arguments, now_s, self.store_class(self.home, self.files, trace), trace)
        try:
            try:
                result = self.examine(case)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001
                result = self.rescue(case, error)
            return self.conclude(case, result)
        finally:
            case.store.unlock()

    def examine(self, case: Case) -> CheckResult:
        """The answer of the first rule that has one; the last always has."""
        for rule in self.RULES:
            result: CheckResult | None = getattr(self, rule)(case)
            if result is not None:
                return result
        raise AssertionError("no rule decided")

    def rescue(self, case: Case, error: BaseException) -> CheckResult:
        """What was not foreseen approves (PS-FO-02)."""
        case.trace.error(LogCode.CHECK_FAILED, f"the check broke: {describe(error)}", error=error)
        return approve("error")

    def conclude(self, case: Case, result: CheckResult) -> CheckResult:
        """Counts and logs the check, and gives the answer its log."""
        if case.recorded:
            try:
                case.store.count(self.counting_class(), case.now_s)
                case.store.keep_log(case.now_s)
            except Exception as error:  # what the store foresees it logs itself; a record is never worth an answer  # noqa: BLE001
                case.trace.error(LogCode.CHECK_FAILED, f"the check was not recorded: {describe(error)}", error=error)
        return CheckResult(
            result.decision, result.reasons, result.continuation_prompt, result.summary, tuple(case.trace.entries)
        )

    # -- rules, in the order of RULES

    def skipped(self, case: Case) -> CheckResult | None:
        """PS-ENV-01: exactly ``1`` switches the gate off, for as long as it is set."""
        if case.arguments.environment.get(SKIP_VARIABLE) != "1":
            return None
        case.recorded = False
        return approve("skipped")

    def disabled(self, case: Case) -> CheckResult | None:
        """PS-CFG-07."""
        case.config = self.load_config(case)
        if case.config.enabled:
            return None
        case.recorded = False
        return approve("disabled")

    def already_ran(self, case: Case) -> CheckResult | None:
        """PS-LOOP-01: before anything of the transcript is looked at."""
        case.session = self.identify(case)
        return approve("already_ran") if case.store.already_ran(case.session, case.now_s) else None

    def without_messages(self, case: Case) -> CheckResult | None:
        """Everything about a transcript that leaves nothing to analyse (004, section 1)."""
        try:
            data = self.load(case)
            if not isinstance(data, bytes):
                return data
            started_s = self.monotonic()
            reader = self.reader_class(case.trace, lambda: self.monotonic() - started_s > READING_LIMIT_S)
            case.messages = reader.read(data)
        except MalformedTranscriptError as error:
            return self.malformed(case, error)
        except ReadingExpiredError as error:
            case.trace.error(LogCode.ANALYSIS_TIMED_OUT, f"the transcript took too long to read: {error}")
            return approve("timeout")
        return None if case.messages else self.empty(case)

    def own_prompt(self, case: Case) -> CheckResult | None:
        """PS-LOOP-03: the last message, whoever said it, is our own prompt."""
        return approve("power_steering_prompt") if self.is_own_prompt(case.messages) else None

    def analysed(self, case: Case) -> CheckResult:
        """Asks every consideration within the limits, and decides (004, sections 3 and 8)."""
        whole_s = case.config.timeout_seconds * self.limits.scale
        watch = self.watch_class(CHECKER_LIMIT_S * self.limits.scale, whole_s, self.monotonic)
        try:
            failed = self.failures(case, watch)
        finally:
            watch.close()
        return self.expired(case) if failed is None else self.decide(case, failed)

    def is_own_prompt(self, messages: Sequence[Message]) -> bool:
        """Whether the last message carries the prompt's mark."""
        return PROMPT_MARK in messages[-1].text

    # -- the analysis

    def questions(self, case: Case) -> Sequence[Question]:
        """What the caller scripted, or our own considerations."""
        considerations = case.arguments.considerations
        if considerations is None:
            return self.questions_class(case.messages).all()
        return [scripted(consideration, self.limits.scale) for consideration in considerations]

    def failures(self, case: Case, watch: Watch) -> list[Question] | None:
        """The considerations that failed; None when the whole analysis ran out of time (PS-CHK-04)."""
        failed = []
        for question in self.questions(case):
            if watch.over():
                return None
            satisfied = self.ask(case, question, watch)
            if satisfied is None:
                return None
            if not satisfied:
                failed.append(question)
        return failed

    def ask(self, case: Case, question: Question, watch: Watch) -> bool | None:
        """Whether one consideration is satisfied; None when the whole analysis ran out of time meanwhile."""
        if question.checker is None:
            return self.checker_missing(case, question)
        if isinstance(question.checker, bool):
            return question.checker
        answer = watch.call(question.checker)
        if answer.expired:
            return None if watch.over() else self.checker_expired(case, question)
        if answer.error is not None:
            return self.checker_broke(case, question, answer.error)
        return self.satisfied_by(answer)

    def satisfied_by(self, answer: Answer) -> bool:
        """Only a plain no is one: a checker that answers nothing is a bug, and bugs hold nobody."""
        return answer.value is not False

    def checker_missing(self, case: Case, question: Question) -> bool:
        """PS-CHK-01."""
        case.trace.warning(LogCode.CHECKER_MISSING, f"{question.id} has no checker", checker=question.id)
        return True

    def checker_broke(self, case: Case, question: Question, error: BaseException) -> bool:
        """PS-CHK-02, PS-CON-03."""
        if isinstance(error, (NetworkUnreachableError, ConnectionError)):
            return self.checker_unreachable(case, question, error)
        case.trace.error(
            LogCode.CHECKER_RAISED, f"{question.id} crashed: {describe(error)}", error=error, checker=question.id
        )
        return True

    def checker_unreachable(self, case: Case, question: Question, error: BaseException) -> bool:
        """PS-CON-03."""
        text = f"{question.id} cannot be checked: {describe(error)}"
        case.trace.warning(LogCode.NETWORK_UNREACHABLE, text, checker=question.id)
        return True

    def checker_expired(self, case: Case, question: Question) -> bool:
        """PS-CHK-03."""
        case.trace.error(LogCode.CHECKER_TIMED_OUT, f"{question.id} took too long", checker=question.id)
        return True

    def expired(self, case: Case) -> CheckResult:
        """PS-CHK-04."""
        case.trace.error(LogCode.ANALYSIS_TIMED_OUT, f"no end within {case.config.timeout_seconds} s (scaled)")
        return approve("timeout")

    # -- the decision

    def decide(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        """PS-PRM-02: held exactly for a failed blocker, and not more often than the bound allows."""
        blockers = [question for question in failed if self.is_blocker(question)]
        if not blockers:
            return self.let_go(case, failed)
        if self.may_hold(case):
            return self.hold(case, blockers)
        case.trace.info("block_limit", "this session was held often enough")
        return approve("block_limit")

    def is_blocker(self, question: Question) -> bool:
        """A missing severity is none (PS-PRM-02)."""
        return question.severity is Severity.BLOCKER

    def let_go(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        """Approves at the end of an analysis: the only approval that is recorded (our reading of PS-LOOP-02).

        The semaphore comes last: a check that is killed before it is made again whole, summary included.
        """
        summary = self.summary(case, failed)
        case.store.lock()
        case.store.keep_summary(case.session, summary)
        case.store.mark(case.session, case.now_s)
        return approve(self.reason(failed), summary)

    def summary(self, case: Case, failed: Sequence[Question]) -> str:
        """The summary's text."""
        return self.summary_class().text(case.messages, failed)

    def reason(self, failed: Sequence[Question]) -> str:
        """PS-PRM-03."""
        return "only_warnings" if failed else "complete"

    def hold(self, case: Case, blockers: Sequence[Question]) -> CheckResult:
        """Blocks, and tells the model what is left to do."""
        reasons = tuple(question.id for question in blockers)
        return CheckResult(Decision.BLOCK, reasons, self.prompt(blockers, case.trace), None)

    def may_hold(self, case: Case) -> bool:
        """PS-LOOP-04."""
        claim = case.store.claim_block(case.session, case.now_s, self.block_limit, self.held_before)
        if claim != "unrecorded":
            return claim == "claimed"
        return self.may_hold_uncounted(case)

    def may_hold_uncounted(self, case: Case) -> bool:
        """Where the disk keeps no count this object does, which bounds at least this process."""
        held = self._held.get(case.session.blocks_name, 0) + 1
        self._held[case.session.blocks_name] = held
        return self.held_before is False and held <= self.block_limit

    def prompt(self, failed: Sequence[Question], trace: Trace) -> str:
        """PS-PRM-01, PS-PRM-04: the mark by which the loop rule knows it, then what is left to do."""
        if not failed:
            trace.error(LogCode.PROMPT_WITHOUT_FAILURES, "a prompt was asked for, but nothing failed")
            return PROMPT_WITHOUT_FAILURES
        items = "".join(
            f"- {question.id}: {question.title}\n" if question.title else f"- {question.id}\n" for question in failed
        )
        return f"{PROMPT_MARK}. Before it can end:\n{items}Carry on with these, or say why one of them does not apply."


def create(configuration: Configuration, files: Files | None = None) -> StopGate:
    """The reference as the harness starts it: real clock, and real files unless others are given."""
    return StopGate(configuration.home, RealClock(), files or RealFiles(), configuration.limits)

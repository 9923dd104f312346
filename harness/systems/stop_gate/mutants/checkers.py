"""Mutants of how considerations are asked and limited: PS-CHK, PS-CON-03."""

import math
import signal
import threading
from collections.abc import Sequence
from types import FrameType

from harness.systems.stop_gate.contract import CheckerOutcome, CheckResult
from harness.systems.stop_gate.mutants.table import blocked, mutant
from harness.systems.stop_gate.reference.considerations import Question
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case, approve
from harness.systems.stop_gate.reference.limits import Answer, Checker, Watch


@mutant("missing-checker-fails", "PS-CHK-01", "a consideration without a checker counts as failed")
class MissingCheckerFails(StopGate):
    def checker_missing(self, case: Case, question: Question) -> bool:
        super().checker_missing(case, question)
        return False


@mutant("missing-checker-unlogged", "PS-CHK-01", "a consideration without a checker is passed over in silence")
class MissingCheckerUnlogged(StopGate):
    def checker_missing(self, case: Case, question: Question) -> bool:
        return True


@mutant("keyless-consideration-ends-analysis", "PS-CHK-01", "a consideration that names no checker ends the analysis")
class KeylessConsiderationEndsAnalysis(StopGate):
    def checker_missing(self, case: Case, question: Question) -> bool:
        for one in case.arguments.considerations or ():
            if one.id == question.id and one.outcome is CheckerOutcome.KEYLESS:
                raise KeyError("checker")
        return super().checker_missing(case, question)


@mutant("crashed-checker-fails", "PS-CHK-02", "a checker that raises counts as failed")
class CrashedCheckerFails(StopGate):
    def checker_broke(self, case: Case, question: Question, error: BaseException) -> bool:
        return super().checker_broke(case, question, error) and isinstance(error, OSError)


@mutant("crashed-checker-ends-analysis", "PS-CHK-02", "the checkers after one that raised are not asked")
class CrashedCheckerEndsAnalysis(StopGate):
    def failures(self, case: Case, watch: Watch) -> list[Question] | None:
        questions, before = self.questions(case), len(case.trace.stacks)
        failed = []
        for question in questions:
            satisfied = None if watch.over() else self.ask(case, question, watch)
            if satisfied is None:
                return None
            if not satisfied:
                failed.append(question)
            if len(case.trace.stacks) > before:
                break
        return failed


@mutant("only-exception-is-caught", "PS-CHK-02", "a checker that asks to exit ends the whole analysis")
class OnlyExceptionIsCaught(StopGate):
    def checker_broke(self, case: Case, question: Question, error: BaseException) -> bool:
        if isinstance(error, SystemExit):
            raise error
        return super().checker_broke(case, question, error)


@mutant("crashed-checker-unlogged", "PS-CHK-02", "a checker that raises is passed over in silence")
class CrashedCheckerUnlogged(StopGate):
    def checker_broke(self, case: Case, question: Question, error: BaseException) -> bool:
        if isinstance(error, OSError):
            return super().checker_broke(case, question, error)
        return True


@mutant("checker-swallows-timeout", "PS-CHK-03", "the limit is an exception, which a checker may catch")
class CheckerSwallowsTimeout(Watch):
    def call(self, checker: Checker) -> Answer:
        if threading.current_thread() is not threading.main_thread():
            return super().call(checker)  # signals reach the main thread only; that is another mutant

        def expire(signum: int, frame: FrameType | None) -> None:
            raise TimeoutError("the checker took too long")

        before = signal.signal(signal.SIGALRM, expire)
        signal.setitimer(signal.ITIMER_REAL, max(self.limit_s(), 0.001))  # zero would switch the timer off
        try:
            return Answer(checker(threading.Event()))
        except TimeoutError:
            return Answer(expired=True)
        except BaseException as error:  # noqa: BLE001
            return Answer(error=error)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


@mutant("checker-without-limit", "PS-CHK-03", "only the whole analysis is limited, so one slow checker ends it")
class CheckerWithoutLimit(Watch):
    def limit_s(self) -> float:
        return max(0.0, self.remaining_s())


@mutant("expired-checker-fails", "PS-CHK-03", "a checker over its limit counts as failed")
class ExpiredCheckerFails(StopGate):
    def checker_expired(self, case: Case, question: Question) -> bool:
        super().checker_expired(case, question)
        return False


@mutant("expired-checker-unlogged", "PS-CHK-03", "a checker over its limit is passed over in silence")
class ExpiredCheckerUnlogged(StopGate):
    def checker_expired(self, case: Case, question: Question) -> bool:
        return True


@mutant("inner-alarm-cancels-outer", "PS-CHK-04", "the end of a checker's limit also takes down the limit of the whole")
class InnerAlarmCancelsOuter(Watch):
    def call(self, checker: Checker) -> Answer:
        answer = super().call(checker)
        self.deadline_s = math.inf
        return answer


@mutant("expired-analysis-blocks", "PS-CHK-04", "an analysis over its limit blocks")
class ExpiredAnalysisBlocks(StopGate):
    def expired(self, case: Case) -> CheckResult:
        super().expired(case)
        return blocked("timeout")


@mutant("expired-analysis-unnamed", "PS-CHK-04", "an analysis over its limit approves as if it were complete")
class ExpiredAnalysisUnnamed(StopGate):
    def expired(self, case: Case) -> CheckResult:
        super().expired(case)
        return approve("complete")


@mutant("alarm-lost-after-timeout", "PS-CHK-05", "the limit of the whole is gone after a checker met its own")
class AlarmLostAfterTimeout(Watch):
    def abandon(self) -> None:
        super().abandon()
        self.deadline_s = math.inf


@mutant("no-limits-off-main-thread", "PS-CHK-06", "off the main thread, where no alarm can be set, nothing is limited")
class NoLimitsOffMainThread(Watch):
    def call(self, checker: Checker) -> Answer:
        if threading.current_thread() is threading.main_thread():
            return super().call(checker)
        try:
            return Answer(checker(threading.Event()))
        except BaseException as error:  # noqa: BLE001
            return Answer(error=error)


@mutant("network-error-fails", "PS-CON-03", "a check whose network does not answer counts as failed")
class NetworkErrorFails(StopGate):
    def checker_unreachable(self, case: Case, question: Question, error: BaseException) -> bool:
        super().checker_unreachable(case, question, error)
        return False


@mutant("network-error-unlogged", "PS-CON-03", "a check whose network does not answer is passed over in silence")
class NetworkErrorUnlogged(StopGate):
    def checker_unreachable(self, case: Case, question: Question, error: BaseException) -> bool:
        return True


@mutant("only-first-failure-counts", "PS-PRM-02", "the analysis stops at the first failure, be it only a warning")
class OnlyFirstFailureCounts(StopGate):
    def decide(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        return super().decide(case, failed[:1])

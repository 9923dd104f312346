"""Mutants of session ids and semaphores: PS-SES, PS-LOOP-01, PS-LOOP-02."""

import os
import posixpath
from collections.abc import Sequence

from harness.systems.stop_gate.contract import CheckResult, LogCode
from harness.systems.stop_gate.mutants.table import blocked, logged, mutant
from harness.systems.stop_gate.reference.considerations import Question
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case
from harness.systems.stop_gate.reference.naming import Session
from harness.systems.stop_gate.reference.state import Store


@mutant("null-session-id-used-as-it-is", "PS-SES-01", "a missing id becomes the word None, without a warning")
class NullSessionIdUsedAsItIs(StopGate):
    def identify(self, case: Case) -> Session:
        if case.arguments.session_id:
            return super().identify(case)
        return Session("None", "None", "None")


@mutant("semaphore-without-dot", "PS-SES-02", "the semaphore is called <session_id>_completed")
class SemaphoreWithoutDot(Store):
    def semaphore_path(self, session: Session) -> str:
        return posixpath.join(self.runtime, f"{session.name}_completed")


@mutant("semaphore-never-written", "PS-SES-02", "completion is not recorded")
class SemaphoreNeverWritten(Store):
    def mark(self, session: Session, now_s: float) -> None:
        return


@mutant("semaphore-touched-again", "PS-SES-03", "an existing semaphore gets a new time, as a plain touch gives it")
class SemaphoreTouchedAgain(Store):
    def already_ran(self, session: Session, now_s: float) -> bool:
        found = super().already_ran(session, now_s)
        if found:
            self.files.set_time(self.safe(self.semaphore_path(session)), now_s)
        return found


@mutant("semaphore-stale-at-the-hour", "PS-SES-04", "a semaphore of exactly 3,600 s is stale")
class SemaphoreStaleAtTheHour(Store):
    def is_stale(self, age_s: float) -> bool:
        return age_s >= 3600


@mutant("semaphore-never-stale", "PS-SES-04", "a semaphore counts for ever")
class SemaphoreNeverStale(Store):
    def is_stale(self, age_s: float) -> bool:
        return False


@mutant("future-semaphore-blocks", "PS-SES-05", "a semaphore dated in the future blocks")
class FutureSemaphoreBlocks(StopGate):
    def already_ran(self, case: Case) -> CheckResult | None:
        result = super().already_ran(case)
        return blocked("clock_skew") if logged(case, LogCode.SEMAPHORE_IN_FUTURE) else result


@mutant("vanished-semaphore-raises", "PS-SES-06", "the semaphore is asked twice and may vanish in between")
class VanishedSemaphoreRaises(Store):
    def already_ran(self, session: Session, now_s: float) -> bool:
        path = self.semaphore_path(session)
        if os.path.lexists(path):
            os.stat(path)
        return super().already_ran(session, now_s)


@mutant("raw-session-id-in-paths", "PS-SES-07", "the session id is put into a path as it is")
class RawSessionIdInPaths(Store):
    def write_summary(self, session: Session, text: str) -> None:
        self.files.replace(posixpath.join(self.runtime, session.id, "summary.md"), text.encode())


@mutant("semaphore-tested-late", "PS-LOOP-01", "the semaphore is looked at after the transcript")
class SemaphoreTestedLate(StopGate):
    RULES = ("skipped", "disabled", "without_messages", "own_prompt", "already_ran", "analysed")


@mutant("semaphore-ignored", "PS-LOOP-01", "a session that already ran is analysed again")
class SemaphoreIgnored(StopGate):
    def already_ran(self, case: Case) -> CheckResult | None:
        case.session = self.identify(case)
        return None


@mutant("semaphore-on-block", "PS-LOOP-02", "a block records completion too, so the next stop is not checked")
class SemaphoreOnBlock(StopGate):
    def hold(self, case: Case, blockers: Sequence[Question]) -> CheckResult:
        case.store.mark(case.session, case.now_s)
        return super().hold(case, blockers)

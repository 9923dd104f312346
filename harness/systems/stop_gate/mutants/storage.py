"""Mutants of what is kept on disk: PS-FS."""

import posixpath
from collections.abc import Sequence

from harness.systems.stop_gate.contract import CheckResult, Decision, LogCode
from harness.systems.stop_gate.mutants.table import blocked, logged, mutant
from harness.systems.stop_gate.reference.considerations import Question
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case, approve
from harness.systems.stop_gate.reference.naming import Session
from harness.systems.stop_gate.reference.state import OutsideRootError, Store


@mutant("semaphore-failure-blocks", "PS-FS-01", "a semaphore that cannot be written blocks")
class SemaphoreFailureBlocks(StopGate):
    def let_go(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        result = super().let_go(case, failed)
        return blocked("semaphore") if logged(case, LogCode.SEMAPHORE_WRITE_FAILED) else result


@mutant("semaphore-failure-escapes", "PS-FS-01", "a semaphore that cannot be written breaks the check at its end")
class SemaphoreFailureEscapes(Store):
    def mark(self, session: Session, now_s: float) -> None:
        try:
            self.write_semaphore(session, now_s)
        except OutsideRootError as error:
            self.refused(error)


@mutant("semaphore-failure-unlogged", "PS-FS-01", "a semaphore that cannot be written is passed over in silence")
class SemaphoreFailureUnlogged(Store):
    def mark(self, session: Session, now_s: float) -> None:
        try:
            self.write_semaphore(session, now_s)
        except OutsideRootError as error:
            self.refused(error)
        except (OSError, ValueError):
            return


@mutant("summary-failure-escapes", "PS-FS-02", "a summary that cannot be written breaks the check at its end")
class SummaryFailureEscapes(Store):
    def keep_summary(self, session: Session, text: str) -> None:
        try:
            self.write_summary(session, text)
        except OutsideRootError as error:
            self.refused(error)


@mutant("summary-failure-loses-it", "PS-FS-02", "a summary that cannot be written is missing from the answer too")
class SummaryFailureLosesIt(StopGate):
    def let_go(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        result = super().let_go(case, failed)
        return approve(result.reasons[0]) if logged(case, LogCode.SUMMARY_WRITE_FAILED) else result


@mutant("summary-failure-blocks", "PS-FS-02", "a summary that cannot be written blocks")
class SummaryFailureBlocks(StopGate):
    def let_go(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        result = super().let_go(case, failed)
        return blocked("summary") if logged(case, LogCode.SUMMARY_WRITE_FAILED) else result


@mutant("summary-beside-semaphore", "PS-FS-03", "the summary is written to <runtime>/<session_id>.md")
class SummaryBesideSemaphore(Store):
    def summary_path(self, session: Session) -> str:
        return posixpath.join(self.runtime, f"{session.name}.md")


@mutant("summary-not-written", "PS-FS-03", "the summary is only in the answer")
class SummaryNotWritten(Store):
    def keep_summary(self, session: Session, text: str) -> None:
        return


@mutant("startswith-path-check", "PS-FS-04", "a sibling whose name begins like the runtime directory passes for it")
class StartswithPathCheck(Store):
    def is_within(self, path: str, root: str) -> bool:
        return path.startswith(root)


@mutant("links-not-resolved", "PS-FS-04", "paths are compared as they are written, links unfollowed")
class LinksNotResolved(Store):
    def resolved(self, path: str) -> str:
        return posixpath.normpath(path)


@mutant("refusal-blocks", "PS-FS-05", "a path that is refused blocks the stop")
class RefusalBlocks(StopGate):
    def conclude(self, case: Case, result: CheckResult) -> CheckResult:
        refused = logged(case, LogCode.PATH_OUTSIDE_ROOT) and result.decision is Decision.APPROVE
        return super().conclude(case, blocked("security") if refused else result)

"""Mutants of the response to an error: ER-PRG-01, ER-RPT-01 and 02, ER-SEV-01 and 02, ER-NB-01 to ER-NB-03."""

from collections.abc import Callable, Mapping
from typing import Any

from harness.systems.error_log.contract import (
    LOGGING_FAILURE,
    METRIC_FAILURE,
    NON_BLOCKING,
    Action,
    ErrorGiven,
    ErrorType,
    FinishArguments,
    FinishResult,
    Progress,
    Response,
    Severity,
)
from harness.systems.error_log.mutants.table import mutant, procedures, swapped, without
from harness.systems.error_log.reference.course import Course, Reporter
from harness.systems.error_log.reference.error_log import ErrorLog
from harness.systems.error_log.reference.records import Record
from harness.systems.error_log.reference.tables import HANDLING, RESPONSE_OF, Procedure


def handling(change: Callable[[Procedure], Procedure], *responses: Response) -> Mapping[Response, Procedure]:
    """The table with the procedure of some responses changed."""
    return {**HANDLING, **{response: change(HANDLING[response]) for response in responses}}


def graded(severity: Severity, response: Response) -> Mapping[str, Response]:
    """The table of responses with one severity changed."""
    return {**RESPONSE_OF, severity: response}


STOPPING = (Response.STOP, Response.RECOVER)


@mutant("kept-before-it-is-logged", "ER-PRG-01", "progress is kept first, then the error is logged")
class KeptBeforeItIsLogged(ErrorLog):
    handling = handling(swapped(Action.LOG, Action.PRESERVE), *STOPPING)


@mutant("resumable-before-it-is-kept", "ER-PRG-01", "the resume point is stored before the progress")
class ResumableBeforeItIsKept(ErrorLog):
    handling = handling(swapped(Action.PRESERVE, Action.ENABLE_RESUME), *STOPPING)


@mutant("reported-before-it-is-resumable", "ER-PRG-01", "the error is reported before there is a resume point")
class ReportedBeforeItIsResumable(ErrorLog):
    handling = handling(swapped(Action.ENABLE_RESUME, Action.REPORT), *STOPPING)


@mutant("nothing-is-kept-of-high-errors", "ER-PRG-01", "for high errors progress is not kept")
class NothingIsKeptOfHighErrors(ErrorLog):
    handling = handling(without(Action.PRESERVE), Response.RECOVER)


def _returned(name: str, description: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    def returned(self: Reporter, course: Course) -> dict[str, Any]:
        return change(Reporter.returned(self, course))

    mutant(name, "ER-RPT-01", description)(type("Returned", (Reporter,), {"returned": returned}))


_returned("status-is-error", "the returned status is error", lambda found: {**found, "status": "error"})
_returned(
    "report-has-no-progress",
    "the returned error has no progress",
    lambda found: {field: value for field, value in found.items() if field != "progress"},
)
_returned(
    "report-is-flat",
    "type, message and recovery stand in the returned error itself",
    lambda found: {**found["error"], "status": found["status"], "progress": found["progress"]},
)
_returned(
    "report-has-no-recovery",
    "the returned error does not say how to fix it",
    lambda found: {**found, "error": {**found["error"], "recovery": None}},
)
_returned(
    "completed-is-a-number",
    "of the completed phases their number is returned",
    lambda found: {**found, "progress": {**found["progress"], "completed": len(found["progress"]["completed"])}},
)


@mutant("another-type-is-returned", "ER-RPT-01", "the returned type is the message, and the message the type")
class AnotherTypeIsReturned(Reporter):
    def error(self, course: Course) -> dict[str, Any]:
        found = super().error(course)
        return {**found, "type": found["message"], "message": found["type"]}


@mutant("nothing-is-returned", "ER-RPT-01", "the error is reported, and nothing returned")
class NothingIsReturned(ErrorLog):
    def returned(self, course: Course) -> dict[str, Any] | None:
        return None


@mutant("failed-phases-are-completed", "ER-RPT-02", "the phase that failed is among the completed ones")
class FailedPhasesAreCompleted(Reporter):
    def completed(self, progress: Progress) -> list[str]:
        failed = [] if progress.failed_at is None else [progress.failed_at]
        return [*super().completed(progress), *failed]


@mutant("critical-goes-on", "ER-SEV-01", "a critical error does not stop the work")
class CriticalGoesOn(ErrorLog):
    def goes_on(self, response: Response) -> bool:
        return True


@mutant("critical-is-recovered", "ER-SEV-01", "a critical error is handled like a high one")
class CriticalIsRecovered(ErrorLog):
    responses = graded(Severity.CRITICAL, Response.RECOVER)


@mutant("nobody-is-alerted", "ER-SEV-01", "a critical error stops the work without an alert")
class NobodyIsAlerted(ErrorLog):
    handling = handling(without(Action.ALERT), Response.STOP)


@mutant("everything-stops", "ER-SEV-01", "every error stops the work, and waits")
class EverythingStops(ErrorLog):
    responses = dict.fromkeys(RESPONSE_OF, Response.STOP)


@mutant("high-is-worked-around", "ER-SEV-02", "a high error is worked around")
class HighIsWorkedAround(ErrorLog):
    responses = graded(Severity.HIGH, Response.WORKAROUND)


@mutant("medium-is-ignored", "ER-SEV-02", "a medium error is ignored")
class MediumIsIgnored(ErrorLog):
    responses = graded(Severity.MEDIUM, Response.IGNORE)


@mutant("low-is-recovered", "ER-SEV-02", "for a low error a recovery is attempted")
class LowIsRecovered(ErrorLog):
    responses = graded(Severity.LOW, Response.RECOVER)


@mutant("ignored-errors-are-not-logged", "ER-SEV-02", "a low error is ignored, and not logged")
class IgnoredErrorsAreNotLogged(ErrorLog):
    handling = handling(without(Action.LOG), Response.IGNORE)


@mutant("critical-commits-stop", "ER-NB-01", "a git failure that is graded critical stops the work")
class CriticalCommitsStop(ErrorLog):
    def response(self, error: ErrorGiven) -> Response:
        graded = self.responses[self.maker.severity(error, {})]
        if error.type == ErrorType.GIT_COMMIT_FAILURE and graded is Response.STOP:
            return graded
        return super().response(error)


@mutant("commit-failures-block", "ER-NB-01", "git failures are errors like others")
class CommitFailuresBlock(ErrorLog):
    def response(self, error: ErrorGiven) -> Response:
        found = super().response(error)
        return Response.STOP if error.type == ErrorType.GIT_COMMIT_FAILURE else found


@mutant("failed-commits-return-partial", "ER-NB-01", "the recovery from a git failure returns partial")
class FailedCommitsReturnPartial(ErrorLog):
    procedures = procedures(
        ErrorType.GIT_COMMIT_FAILURE,
        lambda found: Procedure(tuple(
            each._replace(action=Action.RETURN_PARTIAL) if each.action == Action.CONTINUE else each
            for each in found.steps
        )),
    )  # fmt: skip


@mutant("metrics-block", "ER-NB-02", "metrics that cannot be collected stop the work")
class MetricsBlock(ErrorLog):
    def response(self, error: ErrorGiven) -> Response:
        found = super().response(error)
        return Response.STOP if error.type == METRIC_FAILURE else found


@mutant("logs-block", "ER-NB-02", "a log that cannot be written stops the work")
class LogsBlock(ErrorLog):
    def response(self, error: ErrorGiven) -> Response:
        found = super().response(error)
        return Response.STOP if error.type == LOGGING_FAILURE else found


@mutant("critical-metrics-stop", "ER-NB-02", "metrics whose failure is graded critical stop the work")
class CriticalMetricsStop(ErrorLog):
    def response(self, error: ErrorGiven) -> Response:
        graded = self.responses[self.maker.severity(error, {})]
        if error.type in (METRIC_FAILURE, LOGGING_FAILURE) and graded is Response.STOP:
            return graded
        return super().response(error)


@mutant("nothing-is-reported-at-the-end", "ER-NB-03", "the report at the end is empty")
class NothingIsReportedAtTheEnd(ErrorLog):
    def note(self, name: str, record: Record) -> None:
        return


@mutant("last-failure-is-reported", "ER-NB-03", "of the non-blocking errors the last one is reported")
class LastFailureIsReported(ErrorLog):
    def note(self, name: str, record: Record) -> None:
        self.to_report = self.to_report if record["type"] not in NON_BLOCKING else []
        super().note(name, record)


@mutant("reported-again-and-again", "ER-NB-03", "what was reported is reported again")
class ReportedAgainAndAgain(ErrorLog):
    def finish(self, arguments: FinishArguments, now_s: float) -> FinishResult:
        before = list(self.to_report)
        found = super().finish(arguments, now_s)
        self.to_report = before
        return found


@mutant("one-of-a-kind-is-reported", "ER-NB-03", "of several non-blocking errors of a type the first one is reported")
class OneOfAKindIsReported(ErrorLog):
    def note(self, name: str, record: Record) -> None:
        if record["type"] not in {each.type for each in self.to_report}:
            super().note(name, record)


@mutant("every-error-is-reported-at-the-end", "ER-NB-03", "errors that block are reported at the end as well")
class EveryErrorIsReportedAtTheEnd(ErrorLog):
    def note(self, name: str, record: Record) -> None:
        super().note(name, record)
        if record["type"] not in NON_BLOCKING:
            super().note(name, {**record, "type": ErrorType.GIT_COMMIT_FAILURE})


@mutant("non-blocking-errors-are-not-logged", "ER-NB-03", "a non-blocking error is reported, and not logged")
class NonBlockingErrorsAreNotLogged(ErrorLog):
    handling = handling(without(Action.LOG), Response.CONTINUE)

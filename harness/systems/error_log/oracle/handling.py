"""How an error is handled while a task runs: ER-PRG-01, ER-PRG-03, ER-SEV-01, ER-SEV-02, ER-NB-01, ER-NB-02. Pure.

What agrees is owed: it counts once the record of the error is found in errors.json, so that steps that are only told
witness nothing. Source: document 002, Error Response Pattern, Severity Levels, Non-Blocking Errors.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from harness.systems.error_log.contract import (
    LOGGING_FAILURE,
    METRIC_FAILURE,
    NON_BLOCKING,
    Action,
    ErrorGiven,
    ErrorType,
    HandleResult,
    Response,
    Severity,
    Status,
)
from harness.systems.error_log.oracle import steps
from harness.systems.error_log.oracle.owed import Owed
from harness.systems.error_log.oracle.records import RESPONSES

_WITH_PROCEDURE: Final = frozenset(
    (ErrorType.TIMEOUT, ErrorType.STATUS_SYNC_FAILURE, ErrorType.BUILD_ERROR, ErrorType.JQ_PARSE_FAILURE,
     ErrorType.MCP_ABORT_ERROR, ErrorType.DELEGATION_INTERRUPTED)
)  # fmt: skip
OF_KIND: Final = {
    ErrorType.GIT_COMMIT_FAILURE.value: "ER-NB-01", METRIC_FAILURE: "ER-NB-02", LOGGING_FAILURE: "ER-NB-02",
}  # fmt: skip
_MENDING: Final = {  # what tells that a procedure worked
    ErrorType.STATUS_SYNC_FAILURE.value: Action.LOG_RESOLUTION,
    ErrorType.JQ_PARSE_FAILURE.value: Action.LOG_RESOLUTION,
    ErrorType.MCP_ABORT_ERROR.value: Action.RETRY,
}
_FOUR: Final = (Action.LOG, Action.PRESERVE, Action.ENABLE_RESUME, Action.REPORT)
_ANY: Final = (Action.PRESERVE, Action.ENABLE_RESUME, Action.REPORT)


class Broken(msgspec.Struct, frozen=True):
    """A clause that the answer contradicts."""

    clause: str
    expected: str
    observed: str
    of_storage: bool = True  # what cannot be stored under a fault may be the reason


Seen = Owed | Broken


def is_non_blocking(error: ErrorGiven) -> bool:
    """Does an error of that type never stop the execution?"""
    return isinstance(error.type, str) and error.type in NON_BLOCKING


def graded(error: ErrorGiven) -> str | None:
    """The severity that was given; None when none of the four was."""
    return error.severity if isinstance(error.severity, str) and error.severity in RESPONSES else None


def has_to_stop(error: ErrorGiven) -> bool:
    """Is it an error after which the task leaves off, or is recovered? Then all four steps are to be taken."""
    return graded(error) in (Severity.CRITICAL, Severity.HIGH) and not is_non_blocking(error)


def is_told_only(error: ErrorGiven, answer: HandleResult) -> bool:
    """Is it a logging that failed, and that was not logged for that?"""
    return error.type == LOGGING_FAILURE and not any(step.ok for step in steps.of(answer.steps, Action.LOG))


def was_mended(error: ErrorGiven, answer: HandleResult) -> bool:
    """Was it handled by the procedure of its type, and that worked? Then the task need not leave off."""
    mending = _MENDING.get(error.type) if isinstance(error.type, str) else None
    done = mending is not None and any(step.ok for step in steps.of(answer.steps, mending))
    return done and answer.continues


def handled(error: ErrorGiven, answer: HandleResult, *, at_phase: bool) -> Iterator[Seen]:
    """What the answer says of each clause; ``at_phase``: there is a phase to go on from."""
    if not is_told_only(error, answer):
        yield from _order(error, answer, at_phase=at_phase)
    if is_non_blocking(error):
        yield from _non_blocking(error, answer)
    elif (severity := graded(error)) is not None:
        yield from _by_severity(severity, answer)
    else:
        yield Owed(
            "ER-SEV-02", "an error without a severity is answered as the one of its record", response=answer.response
        )


def _order(error: ErrorGiven, answer: HandleResult, *, at_phase: bool) -> Iterator[Seen]:
    clause, expected = "ER-PRG-01", "log, preserve progress, enable resume, report"
    optional = _ANY if not has_to_stop(error) else () if at_phase else _ANY[:2]
    wrong = steps.disorder(answer.steps, *_FOUR, optional=optional)
    if not wrong:
        both = isinstance(error.type, str) and error.type in _WITH_PROCEDURE
        yield Owed(clause, expected, frozenset(("general", "procedure")) if both else None)
    elif isinstance(error.type, str) and error.type in _WITH_PROCEDURE:
        late = steps.disorder(answer.steps, Action.LOG, (Action.REPORT, Action.GUIDANCE), optional=tuple(Action))
        if late or not steps.has(answer.steps, Action.LOG):
            yield Broken(clause, f"{expected}, or the procedure's own", f"{steps.said(answer.steps)}: {wrong}")
        else:
            yield Owed(clause, expected, frozenset(("procedure",)))
    else:
        yield Broken(clause, expected, f"{steps.said(answer.steps)}: {wrong}")


def _non_blocking(error: ErrorGiven, answer: HandleResult) -> Iterator[Seen]:
    clause = OF_KIND[error.type]
    ok = answer.continues and answer.response == Response.CONTINUE
    expected = f"{error.type} is logged, and the execution continues"
    if not ok:
        yield Broken(clause, expected, f"response {answer.response!r}, continues {answer.continues}")
        return
    readings = frozenset(("told",)) if is_told_only(error, answer) else None
    yield Owed(clause, expected, readings)


def _by_severity(severity: str, answer: HandleResult) -> Iterator[Seen]:
    wanted = RESPONSES[severity]
    observed = f"response {answer.response!r}, continues {answer.continues}, steps {steps.said(answer.steps)}"
    if severity == Severity.CRITICAL:
        expected = "a critical error stops the work, with an alert, until it is fixed by hand"
        ok = answer.response == wanted and not answer.continues and steps.has(answer.steps, Action.ALERT)
        yield Owed("ER-SEV-01", expected) if ok else Broken("ER-SEV-01", expected, observed)
        return
    goes_on = severity == Severity.HIGH or answer.continues
    expected = f"an error that is {severity} is logged, and the response is {wanted.value}"
    ok = answer.response == wanted and goes_on
    yield Owed("ER-SEV-02", expected) if ok else Broken("ER-SEV-02", expected, observed)


def marked(answer: Any, *, in_file: bool | None) -> Seen:
    """Is the phase that was interrupted marked [PARTIAL]? ``in_file``: as the plan says, None when it says nothing."""
    clause, expected = "ER-PRG-03", "the interrupted phase is marked [PARTIAL], not failed"
    if in_file is False:
        return Broken(clause, expected, "its line in the plan says otherwise")
    if not steps.has(answer.steps, Action.MARK_PARTIAL):
        return Broken(clause, expected, steps.said(answer.steps))
    status = (answer.returned or {}).get("status")
    return Owed(clause, expected, frozenset(("either",)) if status == Status.FAILED else None)

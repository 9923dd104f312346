"""What records, the execution log and the answers of ``status`` show of a run. Pure.

Clauses AB-STA-01 to 05, AB-RTY-03 to 05, AB-PAR-02, AB-HLT-01 and 04, AB-ERR-05, AB-RES-01.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from harness.systems.phase_runner.contract.words import FINAL, MAX_ATTEMPTS, STATE_DIRECTORY, Status, phase_path
from harness.systems.phase_runner.oracle.asking import Call
from harness.systems.phase_runner.oracle.failures import OTHER, Outcome
from harness.systems.phase_runner.oracle.records import Record, read_record
from harness.systems.phase_runner.oracle.retries import agree_captured, judge_type
from harness.systems.phase_runner.oracle.run import NOT_RETRYABLE, Book, Phase, Run, Stands, Was

_HALT_LINE: Final = re.compile(rb"\bHALT\b")
_ALL: Final = frozenset(Status)
_FAILING: Final = frozenset((Status.RUNNING, Status.FAILED))
_CLAUSES: Final = {Stands.COMPLETE: "AB-PAR-02", Stands.FAILED: "AB-RTY-03"}


def shown_statuses(run: Run, phase: Phase) -> Collection[str]:
    """The statuses that a phase may show."""
    if phase.stands is Stands.COMPLETE:
        return (Status.COMPLETE, Status.PENDING, Status.BLOCKED) if phase.may_rerun else (Status.COMPLETE,)
    if phase.stands is Stands.RUNNING:
        return (Status.RUNNING,)
    if phase.stands is Stands.FAILED:
        return (Status.FAILED,)
    if phase.stands is Stands.UNSURE:
        return _ALL
    if phase.stands in (Stands.WAITING, Stands.CLAIMED):
        return _FAILING if phase.stands is Stands.WAITING else _ALL - {Status.COMPLETE}
    if run.is_halted:
        return (Status.BLOCKED,) if phase.row.phase_id in run.blocked else (Status.PENDING,)
    if phase.was in (Was.INTERRUPTED, Was.CUT_OFF):
        return _ALL - {Status.COMPLETE}
    before = {Was.FAILED: Status.FAILED, Was.BLOCKED: Status.BLOCKED}.get(phase.was)
    others = {Status.BLOCKED} if run.is_halting or run.triggers else set()
    return {Status.PENDING, *others, *(() if before is None else (before,))}


def _clause(run: Run, phase: Phase, shown: str) -> str:
    """The clause that is about a phase that shows another status than it has."""
    if shown == Status.COMPLETE:
        return "AB-ERR-05"
    if phase.stands is Stands.PENDING:
        return "AB-HLT-04" if run.is_halted else "AB-STA-04"
    if phase.stands is Stands.FAILED and phase.attempt < MAX_ATTEMPTS:
        return NOT_RETRYABLE
    return _CLAUSES.get(phase.stands, "AB-STA-04")


def judge_status(run: Run, call: Call, book: Book) -> None:
    """The answer of ``status``."""
    answer, asked = call.answer, frozenset(call.args.of)
    wanted = [each for each in run.phases if each in asked] if asked else list(run.phases)
    told = [each.phase_id for each in answer.phases]
    if run.is_vague or not call.is_calm:
        return
    if told or wanted:
        book.holds("AB-STA-04", told == wanted, "the phases that were asked for, in the order of the plan",
               f"{len(told)} phases, {told[:5]!r}")  # fmt: skip
    is_right = (answer.halted, answer.completed) == (run.is_halted, run.is_completed)
    if not is_right:
        book.breaks("AB-HLT-01", f"halted {run.is_halted}, completed {run.is_completed}", call.said[:400])
    for state in answer.phases:
        phase = run.phases.get(state.phase_id)
        if phase is None:
            continue
        allowed = shown_statuses(run, phase)
        if state.status not in allowed:
            clause = _clause(run, phase, state.status)
            book.breaks(clause, f"{state.phase_id!r} is {' or '.join(sorted(allowed))}", f"it is {state.status}")
        elif phase.stands is Stands.FAILED:
            judge_type(phase.last, state.error_type, book)


def judge_files(run: Run, call: Call, book: Book) -> None:
    """The records, and the execution log, that an operation finds."""
    if run.is_vague or not call.is_calm:
        return
    if run.is_halted and not run.is_logged:
        log = call.inputs.get("execution_log")
        run.is_logged = True
        if log is not None and (log.kind == "missing" or log.data is not None):
            is_there = log.data is not None and _HALT_LINE.search(log.data) is not None
            if not is_there:
                book.breaks("AB-HLT-01", "a halt is written into the execution log", "no line of it says HALT")
    for label, fact in call.inputs.items():
        kind, _, phase_id = label.partition(" ")
        phase = run.phases.get(phase_id) if kind == "record" else None
        if phase is None:
            continue
        record = read_record(fact, phase_id)
        if record.is_missing:
            _judge_absent(run, phase, call, book)
        elif record.is_corrupt:
            book.breaks("AB-STA-04" if "status" in record.why else "AB-STA-05", "a record that is valid", record.why)
        elif record.fields is not None:
            _judge_record(run, phase, record, book)


def _judge_absent(run: Run, phase: Phase, call: Call, book: Book) -> None:
    beside = f"{STATE_DIRECTORY}/phase-{phase.row.phase_id}.json"
    if beside in call.found:
        book.agrees("AB-STA-05", "one file a phase", ("beside",))
    elif call.found and (phase.stands is not Stands.PENDING or run.is_halted):
        book.breaks("AB-STA-05", "one file a phase", f"there is no {phase_path(phase.row.phase_id)}")


def _judge_record(run: Run, phase: Phase, record: Record, book: Book) -> None:
    book.agrees("AB-STA-05", "one file a phase", ("phases",))
    allowed = shown_statuses(run, phase)
    status = str(record.status)
    if status not in allowed:
        book.breaks(_clause(run, phase, status), f"{phase.row.phase_id!r} is {' or '.join(sorted(allowed))}",
                    f"its record says {status}")  # fmt: skip
        return
    book.agrees("AB-STA-04", "a status of the five")
    fields: Mapping[str, Any] = record.fields or {}
    if fields["attempt"] > MAX_ATTEMPTS or fields["max_attempts"] != MAX_ATTEMPTS:
        book.breaks("AB-RTY-01", "two attempts at most", f"{fields['attempt']} of {fields['max_attempts']}")
    elif phase.stands is Stands.RUNNING:
        _judge_running(phase, record, book)
    elif phase.stands is Stands.COMPLETE:
        _judge_complete(run, phase, record, book)
    elif phase.stands is Stands.FAILED:
        _judge_failed(phase, record, book)
    elif status == Status.BLOCKED and run.is_halted:
        _judge_blocked(run, phase, record, book)


def _judge_complete(run: Run, phase: Phase, record: Record, book: Book) -> None:
    fields: Mapping[str, Any] = record.fields or {}
    commit = fields.get("commit")
    message = commit.get("message") if isinstance(commit, Mapping) else None
    results = str([message, *(fields.get(name) for name in ("execution", "quality_gates", "verification"))])
    if phase.results and results != phase.results:
        clause = "AB-RTY-07" if _has_retry_beside(run, phase) else "AB-PAR-02"
        book.breaks(clause, "what is complete keeps its results", f"{phase.results[:150]} became {results[:150]}")
    elif phase.results and (phase.was is Was.COMPLETE or _has_retry_beside(run, phase)):
        book.agrees("AB-PAR-02", "what is complete keeps its results")
    phase.results = results
    if phase.attempt == MAX_ATTEMPTS and phase.was is not Was.COMPLETE and 1 in phase.failures:
        is_kept = _has_first(record, phase) and record.error.get("resolved_on_retry") is True
        book.holds("AB-STA-02", is_kept and fields["attempt"] == MAX_ATTEMPTS,
                   "attempt 2, attempt_1 kept, resolved_on_retry", _told(record), ("kept",))  # fmt: skip


def _has_retry_beside(run: Run, phase: Phase) -> bool:
    """Was a sibling of its batch launched a second time?"""
    phase_id = phase.row.phase_id
    return phase_id in run.batch and any(run.phases[each].attempt >= MAX_ATTEMPTS for each in run.batch - {phase_id})


def _judge_running(phase: Phase, record: Record, book: Book) -> None:
    attempt = (record.fields or {})["attempt"]
    if phase.attempt == MAX_ATTEMPTS and 1 in phase.failures:
        is_right = _has_first(record, phase) and attempt == MAX_ATTEMPTS
        book.holds("AB-STA-01", is_right, "running, attempt 2, error.attempt_1", _told(record))
        if is_right:
            book.agrees("AB-RTY-05", "the error that the context is made of", (_shape(record),))
    elif phase.attempt == 1 and attempt != 1:
        clause = "AB-RES-01" if phase.failed_before else "AB-STA-01"
        book.breaks(clause, "running, attempt 1", _told(record))
    elif phase.failed_before:
        book.agrees("AB-RES-01", "its attempts are counted anew", ("kept",) if record.error else ("cleared",))


def _judge_failed(phase: Phase, record: Record, book: Book) -> None:
    attempt = (record.fields or {})["attempt"]
    is_final = not phase.last.may_be_retried
    if phase.attempt < MAX_ATTEMPTS:
        return
    if is_final:
        if attempt in (1, MAX_ATTEMPTS):
            book.agrees(NOT_RETRYABLE, "it halts, whatever attempts are shown",
                        ("second_attempt" if attempt == MAX_ATTEMPTS else "first_counts",))  # fmt: skip
            return
    if 1 not in phase.failures:  # it was cut off, and counts
        return
    both = [_is_error(record.error.get(f"attempt_{number}"), phase.failures[number]) for number in (1, 2)]
    is_nested = all(both) and record.error.get("final") == FINAL
    is_flat = _is_error(record.error, phase.failures[2]) and all(
        isinstance(record.error.get(f"attempt_{number}_error"), str) for number in (1, 2)
    )
    second = record.error.get("attempt_2")
    if is_nested and isinstance(second, Mapping):
        said = f"{second.get('message')}\n{second.get('details')}"
        agree_captured(phase.failures[2], said, book)
    book.holds("AB-STA-03", (is_nested or is_flat) and attempt == MAX_ATTEMPTS,
               "attempt 2, both errors, and that it is final", _told(record),
               ("nested",) if is_nested else ("flat",))  # fmt: skip


def _judge_blocked(run: Run, phase: Phase, record: Record, book: Book) -> None:
    named = record.error.get("blocked_by")
    found = [run.phases.get(each) for each in named if isinstance(each, str)] if isinstance(named, list) else []
    is_named = bool(found) and all(each is not None and each.stands is Stands.FAILED for each in found)
    book.holds("AB-HLT-04", is_named, f"{phase.row.phase_id!r} names what blocks it", _told(record))


def _has_first(record: Record, phase: Phase) -> bool:
    """Is the first attempt told of, in one shape or the other?"""
    first = record.error.get("attempt_1")
    failure = phase.failures[1]
    return _is_error(first, failure) or (
        _is_error(record.error, failure) and isinstance(record.error.get("attempt_1_error"), str)
    )


def _shape(record: Record) -> str:
    return "nested" if isinstance(record.error.get("attempt_1"), Mapping) else "flat"


def _is_error(error: object, failure: Outcome) -> bool:
    """Is it an error with type and message, of that failure?"""
    if not isinstance(error, Mapping):
        return False
    told, message = error.get("type"), error.get("message")
    if not isinstance(told, str) or not isinstance(message, str):
        return False
    is_its_own = told in failure.types or OTHER in failure.types
    return is_its_own and (failure.is_silent or bool(message.strip()))


def _told(record: Record) -> str:
    fields = record.fields or {}
    return f"{fields.get('status')}, attempt {fields.get('attempt')}, error {str(fields.get('error'))[:250]}"

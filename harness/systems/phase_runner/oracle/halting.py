"""Whether a run halts when it has to, and only then, and goes on otherwise. Pure.

Clauses AB-RTY-01, 03 and 04, AB-CLS-01 to 03, AB-HLT-01 to 06, AB-PAR-05, AB-NRT-04, AB-RES-03, AB-PRT-01.
"""

from typing import Final

from harness.systems.phase_runner.contract import Summary
from harness.systems.phase_runner.oracle.asking import Call
from harness.systems.phase_runner.oracle.conflicts import Found, are_alike, clashes, has_changed, has_odd_paths
from harness.systems.phase_runner.oracle.failures import CLASHED, OTHER
from harness.systems.phase_runner.oracle.launching import Launched
from harness.systems.phase_runner.oracle.run import (
    CONFLICT,
    NOT_RETRYABLE,
    SECOND_FAILED,
    Book,
    Run,
    Stands,
    Was,
)
from harness.systems.phase_runner.oracle.summaries import Account

_GOES_ON: Final = "without a halt the run goes on until every phase is complete"
_LEFT_OUT: Final = {
    Was.FAILED: "AB-RES-01",
    Was.INTERRUPTED: "AB-RES-04",
    Was.BLOCKED: "AB-RES-03",
    Was.ASIDE: "AB-PRT-01",
}
_HALTS: Final = {
    SECOND_FAILED: "a failed second attempt halts the run",
    NOT_RETRYABLE: "what cannot be retried halts at once",
    CONFLICT: "phases of a batch that changed one file halt the run",
}


NONE_FOUND: Final = Found()


def find_clashes(run: Run, call: Call) -> Found:
    """The conflicts of the batch that is at work, once it is over, or halts."""
    is_over = not run.running or call.answer.halted or (call.answer.halting and not run.is_halting)
    if len(run.batch) < 2 or not is_over:
        return NONE_FOUND
    found = clashes(run.claims)
    done = {each for each in run.round if run.phases[each].is_complete}
    certain = tuple(clash for clash in found if len(clash.phases & done) > 1)
    is_odd = are_alike(run.claims) or any(has_odd_paths(result) for result in run.claims.values())
    changed = [each for each in done if each in run.claims and has_changed(run.claims[each])]
    is_clear = len(changed) > 1 and not found and not is_odd
    return Found({clash.path: clash for clash in found}, certain, is_odd, is_clear)


def settle(run: Run, call: Call, book: Book, found: Found, launched: Launched, *, was_idle: bool) -> None:
    """How the answer says that the run stands.

    ``was_idle``: nothing ran any more before what it ``launched``.
    """
    answer, was_halting = call.answer, run.is_halting
    is_strict = call.is_calm and not run.is_vague
    if answer.halted or answer.halting:
        _halts(run, call, book, found, is_strict=is_strict)
    elif was_halting:
        book.breaks("AB-HLT-01", "a run that halts is not taken up again", call.said[:400])
        _goes_on_after_retries(run, call, book)
        run.is_vague = True
    elif is_strict:
        _goes_on(run, call, book, found, launched, was_idle=was_idle)
    if answer.completed:
        _completes(run, book)


def _halts(run: Run, call: Call, book: Book, found: Found, *, is_strict: bool) -> None:
    answer = call.answer
    is_founded = bool(run.triggers or found.every or found.is_odd or run.is_halting)
    if is_strict and not is_founded:
        book.breaks(_unfounded(run, call), _GOES_ON, call.said[:400])
        run.is_vague = True
    elif is_strict and answer.halted:
        _agrees(run, call, book, found)
    if answer.halted and run.running:
        book.breaks("AB-HLT-01", "what runs is waited for before it halts", call.said[:400])
        if NOT_RETRYABLE in run.triggers:
            book.breaks("AB-PAR-05", "siblings finish before it halts", call.said[:400])
    elif is_strict and not answer.halted and not run.running:
        book.breaks("AB-HLT-01", "it halts when nothing runs any more", call.said[:400])
    if answer.halted and answer.summary is None:
        book.breaks("AB-HLT-03", "a run that halts has a summary", call.said[:400])
    elif answer.halted:
        Account(run, answer.summary, found, book, is_strict=is_strict and is_founded).judge(call.left)
        _finish(run, answer.summary)
    run.is_halting = run.has_waited = True
    run.is_halted = answer.halted


def _agrees(run: Run, call: Call, book: Book, found: Found) -> None:
    """What a halt that has a reason shows of the clauses that ask for it."""
    if run.running or call.answer.launch:
        return
    is_ready = any(each.stands is Stands.PENDING and not each.open for each in run.phases.values())
    if run.has_waited or is_ready:
        book.agrees("AB-HLT-02", "nothing is launched after a halt was triggered")
    if run.has_waited:
        book.agrees("AB-HLT-01", "what runs is waited for before it halts", ("waits",))
    for clause in run.triggers:
        if clause in _HALTS:
            book.agrees(clause, _HALTS[clause])
    if SECOND_FAILED in run.triggers:
        book.agrees("AB-RTY-01", "no phase has more than two attempts")
    last = [run.phases[each].last for each in run.batch if run.phases[each].stands is Stands.FAILED]
    if NOT_RETRYABLE in run.triggers or found.must_halt or any(not each.may_be_retried for each in last):
        book.agrees("AB-CLS-02", "what cannot be retried is not")
    if found.must_halt:
        book.agrees(NOT_RETRYABLE, _HALTS[NOT_RETRYABLE])
    if any(each.only == OTHER for each in last) and SECOND_FAILED not in run.triggers:
        book.agrees("AB-CLS-03", "it halts, since nobody says that it can be retried", ("halts",))
    if NOT_RETRYABLE in run.triggers and (run.waiting or run.has_waited):
        book.agrees("AB-PAR-05", "siblings finish before it halts", ("no_retry",) if run.waiting else None)


def _unfounded(run: Run, call: Call) -> str:
    """The clause that a halt without a reason breaks."""
    summary = call.answer.summary
    if summary is not None and summary.conflicts:
        return CONFLICT
    if call.op == "start" and any(phase.was is not Was.NEW for phase in run.phases.values()):
        return "AB-RES-01"
    if any(run.phases[each].must_be_retried for each in run.waiting):
        return "AB-CLS-01"
    if any(run.phases[each].is_complete and run.phases[each].attempt > 1 for each in run.round):
        return SECOND_FAILED
    return "AB-HLT-01"


def _goes_on(run: Run, call: Call, book: Book, found: Found, launched: Launched, *, was_idle: bool) -> None:
    """No halt is told: is none due, and does the run go on?"""
    if run.triggers or found.must_halt:
        _defers(run, call, book, found, launched)
        return
    if found.is_clear:
        book.agrees(CONFLICT, "different files are no conflict")
    for clash in found.certain:
        book.agrees(CONFLICT, f"{clash.path[:100]!r} is no conflict, since no line was changed twice", ("range",))
    if was_idle and any(run.phases[each].must_be_retried for each in run.waiting):
        if not launched.retries:
            book.breaks("AB-CLS-01", "what can be retried is", call.said[:400])
        run.is_vague = True
    elif not run.running and not call.answer.completed:
        if not launched.forbidden:
            _is_stuck(run, call, book)
        run.is_vague = True


def _defers(run: Run, call: Call, book: Book, found: Found, launched: Launched) -> None:
    """A halt is due, and is not told: it may wait for siblings, and for their retries in one reading."""
    if SECOND_FAILED not in run.triggers and run.running and not launched.others:
        if launched.retries:
            book.agrees("AB-PAR-05", "siblings that failed are retried before it halts", ("retried",))
        if found.must_halt:
            run.triggers[CONFLICT] = found.certain[0].path
        return
    for clause in [*run.triggers, *((CONFLICT,) * found.must_halt)]:
        book.breaks(clause, _HALTS.get(clause, _HALTS[NOT_RETRYABLE]), call.said[:400])
    _goes_on_after_retries(run, call, book)
    run.triggers.clear()
    run.is_vague = True


def _goes_on_after_retries(run: Run, call: Call, book: Book) -> None:
    """A run that goes on though one of several retries failed."""
    if run.has_failed_beside:
        book.breaks("AB-PAR-04", "if any retry fails the run halts", call.said[:400])


def _is_stuck(run: Run, call: Call, book: Book) -> None:
    """Nothing runs, and it neither halts nor is complete."""
    ready = {each.was for each in run.phases.values() if not each.is_complete and not each.open}
    clause = next((_LEFT_OUT[was] for was in _LEFT_OUT if was in ready), "AB-HLT-01")
    if any(run.phases[each].last.only == OTHER for each in run.waiting):
        book.breaks("AB-CLS-03", "what none of the types fits is retried, or halts", call.said[:400])
    for each in _and_stands_still(clause):
        book.breaks(each, _GOES_ON, call.said[:400])


def _and_stands_still(clause: str) -> tuple[str, ...]:
    """The clause that what was left out breaks, and the one that forbids to stand still where that only advises."""
    return (clause, "AB-HLT-01") if clause in ("AB-RES-03", "AB-RES-04") else (clause,)


def _completes(run: Run, book: Book) -> None:
    open_ = [each for each in run.phases.values() if not each.is_complete] if run.left else []
    lacking = [each for each in open_ if each.stands is not Stands.UNSURE]
    if lacking:
        first = lacking[0]
        clause = _LEFT_OUT.get(first.was, "AB-HLT-01")
        clause = clause if first.stands is Stands.PENDING else "AB-ERR-05"
        for each in _and_stands_still(clause):
            book.breaks(each, "it is completed when every phase is complete", f"{first.row.phase_id!r} is not")
        run.is_vague = True
    for phase in open_:
        if phase.stands is Stands.UNSURE:
            run.set_complete(phase)
    if any(each.may_rerun for each in run.phases.values()):
        book.agrees("AB-PRT-01", "what depends on what was put back stays complete", ("dependants_stay",))
    run.is_completed = True


def _finish(run: Run, summary: Summary) -> None:
    """What a summary says of the phases of which it is free to say so."""
    failed = {each.phase_id for each in summary.failed}
    completed = {each.phase_id for each in summary.completed}
    run.blocked = frozenset(each.phase_id for each in summary.blocked)
    for phase_id, phase in run.phases.items():
        if phase.stands is Stands.WAITING:
            run.set_aside(phase, Stands.FAILED)
        elif phase.is_complete and phase_id in failed:
            run.set_aside(phase, Stands.FAILED)
            phase.failures[max(phase.attempt, 1)] = CLASHED
        elif phase.stands is Stands.UNSURE and phase_id in completed:
            run.set_complete(phase)

"""A sub-agent, or a fresh verification, has ended: what that is, and what the answer makes of it. Pure.

Clauses AB-CLS-01 to 03, AB-RTY-01, AB-ERR-04, 05 and 07.
"""

from typing import Final

from harness.systems.phase_runner.contract.words import MAX_ATTEMPTS, LaunchKind, phase_path
from harness.systems.phase_runner.oracle.asking import Call, is_same
from harness.systems.phase_runner.oracle.failures import CLAUSES, Outcome, of_gates, of_report
from harness.systems.phase_runner.oracle.halting import find_clashes, settle
from harness.systems.phase_runner.oracle.launching import take_commits, take_launches
from harness.systems.phase_runner.oracle.run import REPORT, VERIFICATION, Book, Phase, Run, Stands

_ANSWERS: Final = {REPORT: "AB-HLT-01", VERIFICATION: "AB-ERR-05"}
_NOT_AWAITED: Final = {REPORT: "AB-RTY-01", VERIFICATION: "AB-ERR-05"}


def take_report(run: Run, call: Call, book: Book, *, is_watched: bool) -> None:
    """A report, or a verification, and its answer.

    ``is_watched``: nobody else can have written anything while it was at work.
    """
    args, answer = call.args, call.answer
    phase = run.phases.get(args.phase_id)
    outcome = of_report(args) if call.op == REPORT else of_gates(None if phase is None else phase.result, args.gates)
    is_awaited = phase is not None and phase.waits_for == call.op and phase.attempt == args.attempt
    is_possible = is_awaited or (run.is_vague and phase is not None and phase.stands is Stands.UNSURE)
    if answer is None or not answer.accepted:
        if is_watched:
            _judge_kept(call, book)
        _is_refused(run, call, outcome, phase, book, is_awaited=is_awaited)
        return
    if phase is None or not is_possible:
        what = "what is not awaited changes nothing"
        clause = "AB-PAR-02" if phase is not None and phase.is_complete else _NOT_AWAITED[call.op]
        clause = "AB-HLT-02" if run.is_halted else clause
        book.breaks(clause, what, call.said[:400])
        take_launches(run, answer, None, book)
        run.is_vague = True
        return
    if run.is_vague and not is_awaited:
        phase.attempt = min(max(args.attempt, 1), MAX_ATTEMPTS)
    claimed = _take_outcome(run, call, phase, outcome, book)
    found, was_idle = find_clashes(run, call), not run.running
    take_commits(run, answer.commits, book)
    launched = take_launches(run, answer, claimed, book)
    settle(run, call, book, found, launched, was_idle=was_idle)


def _judge_kept(call: Call, book: Book) -> None:
    """What is not accepted leaves its record as it was."""
    path = phase_path(call.args.phase_id)
    is_kept = not call.found or not call.left or is_same(call.found.get(path), call.left.get(path))
    if call.answer is not None and call.is_calm and not is_kept:
        book.breaks("AB-RTY-01", "what is not accepted changes nothing", f"{path} is another one")


def _is_refused(run: Run, call: Call, outcome: Outcome, phase: Phase | None, book: Book, *, is_awaited: bool) -> None:
    """Nothing was done, or nobody knows whether it was."""
    if call.answer is not None and (call.answer.launch or call.answer.commits):
        book.breaks("AB-RTY-01", "what is not accepted launches nothing", call.said[:400])
    if phase is None or not is_awaited:
        return
    if call.answer is None or not call.is_calm:
        if outcome.may_pass and call.op == VERIFICATION:
            run.lose(phase)
        run.is_vague = True
    elif not run.is_vague:
        book.breaks(_ANSWERS[call.op], "what is awaited is accepted", call.said[:400])
        run.is_vague = True


def _take_outcome(run: Run, call: Call, phase: Phase, outcome: Outcome, book: Book) -> Phase | None:
    """Follows what became of the phase; gives it when its claim is to be verified."""
    if call.op == VERIFICATION:
        _take_verification(run, call, phase, outcome, book)
        return None
    if outcome.result is not None:
        run.claims[phase.row.phase_id] = outcome.result
        phase.result = outcome.result
        phase.wanted_subject = outcome.result.commit_subject
    is_verified = any(
        each.kind is LaunchKind.VERIFICATION and each.phase_id == phase.row.phase_id for each in call.answer.launch
    )
    if is_verified:
        if not outcome.may_pass:
            clause = CLAUSES[min(outcome.types)]
            book.breaks(clause, f"it failed with {min(outcome.types)}", "its claim is verified")
        run.verify(phase)
        return phase
    if outcome.passes or (outcome.may_pass and not _is_taken_for_failed(run, call)):
        _take_unverified(run, call, phase, book)
        return None
    _fail(run, call, phase, outcome)
    return None


def _is_taken_for_failed(run: Run, call: Call) -> bool:
    """Is what may be a failure or a claim, and is not verified, a failure? It is unless a halt has another reason."""
    answer = call.answer
    if answer.summary is not None:
        return any(each.phase_id == call.args.phase_id for each in answer.summary.failed)
    if run.is_halting:
        return False
    found = find_clashes(run, call)
    return not answer.halting or not (run.triggers or found.every or found.is_odd)


def _take_unverified(run: Run, call: Call, phase: Phase, book: Book) -> None:
    """A claim that nobody verifies: only a halt may come between."""
    if run.is_halting or call.answer.halting or call.answer.halted or not call.is_calm:
        run.set_aside(phase, Stands.CLAIMED)
        return
    book.breaks("AB-ERR-05", "a verification for what is claimed", call.said[:400])
    run.lose(phase)


def _take_verification(run: Run, call: Call, phase: Phase, outcome: Outcome, book: Book) -> None:
    answer = call.answer
    if outcome.passes:
        run.set_complete(phase)
        return
    if not outcome.may_pass:
        _fail(run, call, phase, outcome)
        return
    phase_id = phase.row.phase_id
    is_retried = any(each.phase_id == phase_id for each in answer.launch)
    is_listed = answer.summary is not None and any(each.phase_id == phase_id for each in answer.summary.failed)
    if is_retried or is_listed:
        _fail(run, call, phase, outcome)
    elif answer.completed or answer.launch or answer.halted or any(phase_id in each.phases for each in answer.commits):
        run.set_complete(phase)
        if "AB-NRT-01" in map(CLAUSES.get, outcome.fails):
            book.agrees("AB-NRT-01", "a gate whose command is not there is skipped", ("skipped_gate",))
    else:
        run.lose(phase)


def _fail(run: Run, call: Call, phase: Phase, outcome: Outcome) -> None:
    """An attempt failed; what may be retried, or not, is as the answer has it."""
    failure = Outcome(outcome.fails, outcome.result, outcome.message, outcome.texts, outcome.files, outcome.missing)
    is_over = call.answer.halting or call.answer.halted
    is_final = phase.attempt >= MAX_ATTEMPTS or not failure.may_be_retried
    is_final = is_final or (is_over and not failure.must_be_retried and not run.is_halting)
    run.fail(phase, failure, is_final=is_final)

"""What an answer launches and commits, against what may be launched then. Pure.

Clauses AB-NRT-03, AB-HLT-02, AB-PAR-01 to 03, AB-RTY-01 and 07, AB-RES-02 to 04, AB-PRT-01, AB-ERR-05.
"""

from collections.abc import Collection, Iterable
from typing import Any, Final, NamedTuple

from harness.systems.phase_runner.contract import Commit, Launch
from harness.systems.phase_runner.contract.words import MAX_ATTEMPTS, CommitMode, LaunchKind
from harness.systems.phase_runner.oracle.failures import OTHER
from harness.systems.phase_runner.oracle.retries import judge_context
from harness.systems.phase_runner.oracle.run import Book, Phase, Run, Stands, Was

_AGAIN: Final = "what is complete is not launched again"


class Launched(NamedTuple):
    """How many retries an answer launched, how many other phases, and how many that it may not launch."""

    retries: int
    others: int
    forbidden: int


def take_launches(run: Run, answer: Any, claimed: Phase | None, book: Book) -> Launched:
    """Follows what an answer launches; ``claimed`` is the phase of which a verification may be launched."""
    is_busy = run.reporting > 0
    waiting = set(run.waiting) if answer.launch else set()
    launched = {each.phase_id for each in answer.launch}
    retried: set[str] = set()
    others: list[str] = []
    forbidden = 0
    for launch in answer.launch:
        phase = run.phases.get(launch.phase_id)
        if phase is None:
            book.breaks("AB-NRT-03", "a phase of the plan is launched", f"{launch.phase_id[:80]!r} is none")
        elif launch.kind is LaunchKind.VERIFICATION:
            _verification(phase, launch, claimed, book)
        elif _is_allowed(run, phase, answer, book):
            is_retry = phase.stands is Stands.WAITING
            if not is_retry and not waiting and not phase.open:
                _judge_company(run, phase, launched, book)
            (retried.add if is_retry else others.append)(launch.phase_id)
            _begin(run, phase, launch, book)
        else:
            forbidden += 1
    if run.waiting and is_busy and not retried and not others:
        book.agrees("AB-PAR-01", "siblings finish before a retry starts", ("waits",))
    elif waiting and is_busy and (retried or others):
        book.breaks("AB-PAR-01", "while a sibling runs, nothing is launched",
                    f"{min(retried or others)!r} is launched beside one that runs")  # fmt: skip
    elif retried:
        _judge_siblings(run, waiting, retried, others, book)
    return Launched(len(retried), len(others), forbidden)


def _judge_company(run: Run, phase: Phase, launched: Collection[str], book: Book) -> None:
    """Phases that name each other run together once all are ready, and no others do."""
    phase_id, wanted = phase.row.phase_id, "phases run together that name each other, all of them, and no others"
    if run.reporting and run.graph.groups[phase_id] != run.group:
        book.breaks("AB-PAR-01", wanted, f"{phase_id!r} is launched beside others")
        return
    beside = [run.phases[each] for each in phase.row.parallel_with if each in run.phases]
    lacking = [each for each in beside if each.stands is Stands.PENDING and each.row.phase_id not in launched]
    if phase.was is Was.NEW and lacking and all(_goes_with(each, phase_id) for each in beside):
        book.breaks("AB-PAR-01", wanted, f"{phase_id!r} is launched without {lacking[0].row.phase_id!r}")


def _goes_with(phase: Phase, sibling: str) -> bool:
    """Is it ready to run beside that sibling, and does it say so too?"""
    is_ready = not phase.open and phase.stands in (Stands.PENDING, Stands.RUNNING)
    return is_ready and phase.was is Was.NEW and sibling in phase.row.parallel_with


def _verification(phase: Phase, launch: Launch, claimed: Phase | None, book: Book) -> None:
    if phase is not claimed or launch.attempt != phase.attempt:
        book.breaks("AB-ERR-05", "what was claimed is verified, and nothing else", f"{launch.phase_id!r} is verified")


def _is_allowed(run: Run, phase: Phase, answer: Any, book: Book) -> bool:
    """May this phase be launched now? What may be followed all the same is."""
    phase_id = phase.row.phase_id
    if run.is_halting or run.is_halted or answer.halting or answer.halted:
        book.breaks("AB-HLT-02", "nothing is launched after a halt was triggered", f"{phase_id!r} is launched")
        return False
    if phase.is_complete and not phase.may_rerun:
        clause = "AB-RES-02" if phase.was is Was.COMPLETE else "AB-PAR-02"
        book.breaks(clause, _AGAIN, f"{phase_id!r} is")
        return False
    if phase.waits_for:
        book.breaks("AB-RTY-01", "a phase runs once at a time", f"{phase_id!r} is launched while it runs")
        return False
    if phase.stands is Stands.FAILED and phase.attempt >= MAX_ATTEMPTS:
        book.breaks("AB-RTY-01", "no phase has more than two attempts", f"{phase_id!r} is launched again")
        if phase.last.only == OTHER:
            book.breaks("AB-CLS-03", "nothing is retried without an end", f"{phase_id!r} is launched again")
        return False
    if phase.stands is Stands.FAILED:
        book.breaks("AB-CLS-02", "what cannot be retried is not", f"{phase_id!r} is launched again")
        return False
    needed = (run.phases[each] for each in phase.row.depends_on)
    early = [each.row.phase_id for each in needed if not each.is_complete and each.stands is not Stands.UNSURE]
    if phase.open and early:
        book.breaks(
            "AB-NRT-03", "what is launched has all its dependencies complete", f"{phase_id!r} lacks {early[0]!r}"
        )
    return True


def _begin(run: Run, phase: Phase, launch: Launch, book: Book) -> None:
    phase_id, is_retry = phase.row.phase_id, phase.stands is Stands.WAITING
    wanted = MAX_ATTEMPTS if is_retry else 1
    is_counted = phase.was in (Was.INTERRUPTED, Was.CUT_OFF) and launch.attempt == MAX_ATTEMPTS and not is_retry
    for each in phase.row.depends_on:
        if run.phases[each].stands is Stands.UNSURE:
            run.set_complete(run.phases[each])
    if phase.may_rerun:
        book.agrees("AB-PRT-01", "what depends on what was put back may run again", ("dependants_too",))
        phase.was = Was.NEW
    if launch.attempt != wanted and not is_counted and phase.stands is not Stands.UNSURE:
        clause = "AB-RES-01" if phase.was in (Was.FAILED, Was.BLOCKED) else "AB-RTY-01"
        book.breaks(clause, f"{phase_id!r} is in attempt {wanted}", f"it is launched in attempt {launch.attempt}")
    elif phase.was is Was.CUT_OFF:
        phase.was = Was.NEW
    elif phase.was is Was.INTERRUPTED and not is_retry:
        reading = "counted" if is_counted else "reset"
        known = phase.interrupted_at > 0
        book.agrees("AB-RES-04", "what was left running is executed again", (reading,) if known else None)
        phase.was = Was.NEW
    elif phase.was is Was.ASIDE:
        book.agrees("AB-PRT-01", "what was put back by hand runs", None)
        phase.was = Was.NEW
    elif phase.was is Was.BLOCKED:
        book.agrees("AB-RES-03", "what was blocked runs once its blockers are complete", ("runnable",))
        phase.was = Was.NEW
    elif phase.was is Was.FAILED and not is_retry:
        book.agrees("AB-RES-01", "what failed is executed, its attempts counted anew")
        phase.was = Was.NEW
    if is_retry:
        _judge_retry(run, phase, launch, book)
    run.begin(phase, MAX_ATTEMPTS if is_retry or is_counted else 1)


def _judge_retry(run: Run, phase: Phase, launch: Launch, book: Book) -> None:
    failure = phase.last
    judge_context(run, phase, launch.context, book)
    if failure.must_be_retried:
        book.agrees("AB-CLS-01", "what can be retried is")
    elif failure.only == OTHER:
        book.agrees("AB-CLS-03", "it is retried once", ("retried",))


def _judge_siblings(run: Run, waiting: set[str], retried: set[str], others: list[str], book: Book) -> None:
    """All retries begin together, and nothing else beside them."""
    sure = {each for each in waiting if run.phases[each].must_be_retried}
    if len(sure) > 1:
        book.holds("AB-PAR-03", sure <= retried, "all that failed are retried together", f"only {sorted(retried)} are")
    done = [each for each in run.batch - retried if run.phases[each].is_complete]
    if others:
        book.breaks("AB-RTY-07", "a retry runs in isolation", f"{others[0]!r} is launched beside it")
    elif done:
        book.agrees("AB-RTY-07", "a retry leaves its siblings alone")
        book.agrees("AB-PAR-02", _AGAIN)


def take_commits(run: Run, commits: Iterable[Commit], book: Book) -> None:
    """Follows what an answer commits: only what is complete, and nothing twice."""
    for commit in commits:
        for phase_id in commit.phases:
            phase = run.phases.get(phase_id)
            if phase is None or not (phase.is_complete or phase.stands is Stands.UNSURE):
                book.breaks("AB-ERR-05", "only what a fresh verification passed is committed", f"{phase_id[:80]!r} is")
            elif phase.is_committed and run.args.commit_mode is not CommitMode.SINGLE:
                clause = "AB-RTY-07" if _is_beside_retry(run, run.batch - {phase_id}) else "AB-PAR-02"
                book.breaks(clause, "a sibling keeps its commit", f"{phase_id!r} is committed again")
            else:
                phase.is_committed, phase.subject = True, commit.subject


def _is_beside_retry(run: Run, siblings: Collection[str]) -> bool:
    return any(run.phases[each].attempt >= MAX_ATTEMPTS for each in siblings)

"""Each operation, and what it says of each clause. Pure."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from harness.systems.error_log.contract import Action, ErrorGiven, ErrorType
from harness.systems.error_log.oracle import kinds, steps
from harness.systems.error_log.oracle.aggregation import judge_patterns, judge_read
from harness.systems.error_log.oracle.asking import Call
from harness.systems.error_log.oracle.handling import (
    Broken,
    Seen,
    graded,
    handled,
    has_to_stop,
    is_non_blocking,
    is_told_only,
    was_mended,
)
from harness.systems.error_log.oracle.logged import Known, Logged
from harness.systems.error_log.oracle.progress import Life
from harness.systems.error_log.oracle.records import RESPONSES
from harness.systems.error_log.oracle.reports import Due, judge_returned
from harness.systems.error_log.oracle.world import World

# what a fault may keep from being done, so that its step is not told
_STORED: Final = frozenset(("ER-PRG-01", "ER-PRG-03", "ER-TMO-01", "ER-SYN-01", "ER-MCP-02", "ER-DEL-01", "ER-DEL-03"))
_FIXES: Final = {
    "in_progress": {"in_progress": "fixed", "investigating": "resolved"},
    "fixed": {"fixed": "fixed", "resolved": "resolved"},
}


def logged(call: Call, world: World) -> Logged:
    """An error was logged, handled or recovered from, in whatever way: it is in the ledger from now on."""
    error = call.args.error if call.args is not None else None
    entry = Logged(
        name=call.args.name if call.args is not None else None,
        given=error,
        group=world.group,
        life=world.life(call),
        known=Known.MAYBE,
        at=call.at,
        grades=error is not None and error.severity is None,
    )
    world.ledger.logged.append(entry)
    if call.op != "log" and call.args is not None:
        progress = call.args.progress
        world.ledger.tells("task", progress.task)
        for n in range(len(progress.phases) + 1):
            world.ledger.tells("phase", n)
    entry.plain = call.op == "log"
    return entry


def waits(entry: Logged, call: Call) -> None:
    """The record could not be written, and waits in the memory of the process, if that lives on."""
    entry.known = Known.WAITING if call.process == 0 else Known.MAYBE
    entry.late = True


def waits_in(call: Call, world: World, label: str = "metadata") -> Life | None:
    """The process in whose memory waits what could not be written there; None where it was, or nobody knows."""
    waits_there = call.process == 0 and not world.beside and call.may_miss(label) and not call.is_unsteady
    return world.life(call) if waits_there else None


def settle(entry: Logged, seen: Iterable[Seen], call: Call, world: World, *, at_once: bool) -> None:
    """Notes what is broken, and owes what agrees to the record, or notes it ``at_once``."""
    excused = bool(call.shaken) and call.says_so
    for each in seen:
        if isinstance(each, Broken):
            if not (excused and each.clause in _STORED and each.of_storage):
                world.notes.breaks(each.clause, each.expected, each.observed)
        elif not at_once:
            entry.owed = (*entry.owed, each)
        elif not each.response:
            world.notes.agrees(each.clause, each.expected, each.readings)


def unanswered(call: Call, world: World, *clauses: str) -> None:
    """No answer came that has its form: a defect, unless something excuses it."""
    if not call.excused:
        for clause in clauses:
            world.notes.breaks(clause, "an answer", call.said)


def on_log(call: Call, world: World) -> None:
    """An error was logged."""
    entry, answer, notes = logged(call, world), call.answer, world.notes
    if answer is None:
        unanswered(call, world, "ER-LOG-01")
        return
    if call.args is not None and is_non_blocking(call.args.error):
        world.at_end.occurred(Due(call.args.name, call.args.error, world.life(call), certain=True))
    entry.answered = answer.record
    if answer.record is not None:
        world.ledger.identify(entry, answer.record)
    if answer.stored:
        entry.known = Known.REQUIRED
        world.ledger.written(world.life(call))
        if answer.record is None:
            notes.breaks("ER-LOG-01", "the record that was stored", call.said)
    elif call.may_miss("errors"):
        waits(entry, call)
        if answer.record is not None:
            world.ledger.judge_new(entry, answer.record)
            notes.agrees("ER-LOG-01", "an error that cannot be recorded is kept, and said not to be")
    else:
        notes.breaks("ER-LOG-01", "an error is recorded, or said why not", call.said)


def on_read(call: Call, world: World) -> None:
    """Records were read."""
    if call.answer is None:
        unanswered(call, world, "ER-AGG-01")
    elif call.args is not None:
        judge_read(call, world.ledger, world.notes)


def on_patterns(call: Call, world: World) -> None:
    """Patterns were asked for."""
    if call.answer is None:
        unanswered(call, world, "ER-AGG-01")
    else:
        judge_patterns(call, world.ledger, world.notes)


def on_set_fix_status(call: Call, world: World) -> None:
    """Somebody works on an error."""
    entry = world.ledger.named(call.args.name) if call.args is not None else None
    if entry is None:
        for each in world.ledger.logged:
            if call.args is None or each.name == call.args.name:
                each.fix = None
        return
    answer = call.answer
    before, entry.fix = entry.fix, None
    if answer is None:
        unanswered(call, world, "ER-LOG-09")
        return
    if answer.record is None or not answer.stored:
        known = entry.life == world.life(call) and entry.known is not Known.MAYBE
        if known and not world.beside and not call.may_miss("errors") and call.args.status in _FIXES:
            world.notes.breaks("ER-LOG-09", "the fix_status is set", call.said)
        entry.fix = before if answer.record is None and not world.beside else None
        return
    _judge_fix(call, entry, world)


def _judge_fix(call: Call, entry: Logged, world: World) -> None:
    found = call.answer.record.get("fix_status")
    entry.fix = found if isinstance(found, str) and not world.beside else None
    if entry.id is not None and call.answer.record.get("id") != entry.id:
        world.notes.breaks("ER-LOG-09", f"the record of {entry.name!r}, {entry.id!r}", call.said)
        return
    words = _FIXES.get(call.args.status)
    if words is None:
        return
    reading = words.get(found) if isinstance(found, str) else None
    expected = f"fix_status as it was set, {call.args.status}"
    world.notes.holds("ER-LOG-09", reading is not None, expected, f"{found!r}", (reading,) if reading else None)


def on_classify(call: Call, world: World) -> None:
    """A type was asked for."""
    if call.args is not None and not (call.answer is None and call.excused):
        found = None if call.answer is None else call.answer.type
        kinds.judge_type(call.args.incident, found, call.said, world.notes)


def on_handle(call: Call, world: World) -> None:
    """An error occurred while a task ran."""
    entry, answer = logged(call, world), call.answer
    if call.args is None:
        return
    error, progress = call.args.error, call.args.progress
    world.aftermath.touched = True
    calm = not (world.beside or call.may_miss("metadata", "plan"))
    keeps = answer is not None and has_to_stop(error) and not was_mended(error, answer)
    certain = keeps and calm
    kept = keeps and world.is_alone(progress.task) and not call.may_miss("metadata", "plan")
    known = world.tasks.of(progress.task)
    world.tasks.stopped(
        progress, point=progress.failed_at, certain=kept, waits_in=waits_in(call, world) if keeps else None
    )  # fmt: skip
    if keeps and not calm and progress.failed_at is not None and waits_in(call, world, "plan") is not None:
        world.aftermath.unmarked(progress.failed_at, progress.phases, world.life(call))
    elif certain and progress.failed_at is not None:
        world.tasks.written(world.life(call))
        world.aftermath.written(world.life(call), progress.completed)
    if is_non_blocking(error):
        world.at_end.occurred(Due(call.args.name, error, world.life(call), answer is not None))
    elif answer is not None:
        world.at_end.stopped(call.args.name)
    if answer is None:
        unanswered(call, world, "ER-PRG-01", "ER-RPT-01", *_by_type(error))
        return
    told_only = is_told_only(error, answer)
    missed = may_be_missing(call, entry, told_only=told_only)
    settle(entry, handled(error, answer, at_phase=progress.failed_at is not None), call, world, at_once=missed)
    if answer.returned is not None or steps.has(answer.steps, Action.REPORT) or not answer.continues:
        judge_returned(answer.returned, error, progress, known, world.tasks.ever(progress), world.notes)
    if not (world.beside or call.may_miss("plan")):
        world.aftermath.handled(progress)
    if certain and progress.failed_at is not None:
        world.aftermath.marked(answer, progress.failed_at, progress.phases)
        world.aftermath.stopped_at(progress.failed_at)


def may_be_missing(call: Call, entry: Logged, *, told_only: bool = False) -> bool:
    """Settles what is known of a record whose making is only told as a step; true when it may not be in the file."""
    if told_only:
        return True
    if call.may_miss("errors"):
        waits(entry, call)
        return True
    entry.known = Known.REQUIRED
    return False


def _by_type(error: ErrorGiven) -> tuple[str, ...]:
    if is_non_blocking(error):
        return ("ER-NB-01",) if error.type == "git_commit_failure" else ("ER-NB-02",)
    severity = graded(error)
    return ("ER-SEV-02",) if severity is None or RESPONSES[severity] != "stop" else ("ER-SEV-01",)


def on_begin(call: Call, world: World) -> None:
    """A delegation began."""
    if call.args is None:
        return
    world.ledger.tells("task", call.args.task)
    world.ledger.tells("session_id", call.args.session_id)
    lost = call.may_miss("metadata") or call.answer is None
    world.tasks.begun(call.args.task, call.args.status if not world.beside else None, may_be_lost=lost)
    if call.answer is None:
        unanswered(call, world, "ER-DEL-03")
        return
    wrote = (Action.WRITE_METADATA, Action.PRESERVE)
    refused = call.may_miss("metadata")  # then the work need not begin at all
    wrong = steps.disorder(call.answer.steps, wrote, Action.WORK, optional=(Action.WORK,) if refused else ())
    expected = "metadata are written before the work begins"
    if refused and not wrong:
        world.notes.agrees("ER-DEL-03", expected)
    elif wrong:
        world.notes.breaks("ER-DEL-03", expected, f"{wrong}: {steps.said(call.answer.steps)}")
    elif not world.beside:
        world.aftermath.begun()


def on_resume(call: Call, world: World) -> None:
    """The next invocation began."""
    if call.args is None:
        return
    world.ledger.tells("task", call.args.task)
    if call.answer is None:
        unanswered(call, world, "ER-RES-01", "ER-PRG-02")
    elif not call.may_miss("metadata", "plan"):
        world.tasks.judge_resumed(call.args.task, call.answer, world.notes)


def on_finish(call: Call, world: World) -> None:
    """The execution ended."""
    if call.answer is None:
        unanswered(call, world, "ER-NB-03")
        world.at_end.unanswered(call.process)
    else:
        recorded = world.ledger.of_procedures(ErrorType.GIT_COMMIT_FAILURE)
        world.at_end.judge(call.answer, world.life(call), world.notes, recorded=recorded)


OPERATIONS: Mapping[str, Callable[[Call, World], None]] = {
    "log": on_log,
    "read": on_read,
    "patterns": on_patterns,
    "set_fix_status": on_set_fix_status,
    "classify": on_classify,
    "handle": on_handle,
    "begin": on_begin,
    "resume": on_resume,
    "finish": on_finish,
}

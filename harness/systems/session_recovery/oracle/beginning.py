"""Operations that begin: their checkpoint, their subagents, their breaker: LK-SYS-01, LK-SYS-04, LK-SYS-05. Pure."""

from typing import Final

from harness.systems.notes import Notes
from harness.systems.session_recovery.contract import Action, BeginOperationArguments, BeginOperationResult, Kind
from harness.systems.session_recovery.oracle import steps
from harness.systems.session_recovery.oracle.asking import Call
from harness.systems.session_recovery.oracle.breakers import Guard, guard
from harness.systems.session_recovery.oracle.checkpoints import CLAUSE as SAVED
from harness.systems.session_recovery.oracle.checkpoints import LABEL, Checkpoints, Made

ISOLATED: Final = "LK-SYS-01"
GUARDED: Final = "LK-SYS-05"
REMOVED: Final = "LK-SYS-02"
_ALONE: Final = "implementing subagents that run at the same time have a worktree each"
_OBEYED: Final = "the breaker is consulted, and obeyed"


def is_parallel(args: BeginOperationArguments) -> bool:
    """Are several implementation subagents to be spawned at once?"""
    return args.kind is Kind.SPAWN and args.implementing and args.agents > 1


def judge_begin(call: Call, checkpoints: Checkpoints, notes: Notes, *, removed: bool) -> None:
    """An operation began, or did not; ``removed``: another has removed .loki/state."""
    args: BeginOperationArguments = call.args
    answer: BeginOperationResult = call.answer
    act = Action.SPAWN if args.kind is Kind.SPAWN else Action.PERFORM
    done = steps.has(answer.steps, Action.SPAWN, Action.PERFORM)
    stored = _stored(call, checkpoints, notes)
    if answer.performed != done or (answer.performed and not steps.has(answer.steps, act)):
        notes.breaks(SAVED, f"{act} is among the steps of an operation that began, and of no other", call.said)
        return
    if len(steps.of(answer.steps, Action.PERFORM)) > 1:
        notes.breaks(SAVED, "an operation begins once", call.said)
    if answer.performed and args.kind is not Kind.MINOR:
        _judge_saved(call, act, notes, stored=stored)
    stand = None if args.breaker is None else guard(call, args.breaker, call.at)
    if stand is not None:
        _judge_guarded(call, act, stand, notes)
    if is_parallel(args):
        _judge_isolated(call, notes)
    elif answer.performed and args.kind is Kind.SPAWN and not _most(answer) == _total(answer) == args.agents:
        notes.breaks(SAVED, f"{args.agents} subagents are spawned", steps.said(answer.steps) + f", {_total(answer)}")
    if not answer.performed:
        _judge_refused(call, stand, notes, removed=removed)


def _stored(call: Call, checkpoints: Checkpoints, notes: Notes) -> bool:
    """Was a checkpoint of that name told to be stored?"""
    args, answer = call.args, call.answer
    made = Made(args.name, args.state)
    told = [step for step in steps.of(answer.steps, Action.CHECKPOINT) if step.ok and step.detail in (args.name, "")]
    if told and answer.checkpoint is not None:
        checkpoints.stored(call, made, answer.checkpoint, notes)
        return True
    if steps.has(answer.steps, Action.CHECKPOINT) or answer.checkpoint is not None:
        checkpoints.maybe(made)
    return False


def _judge_saved(call: Call, act: Action, notes: Notes, *, stored: bool) -> None:
    """Before it began its state was checkpointed."""
    taken = [step for step in call.answer.steps if step.action != Action.CHECKPOINT or step.ok]
    wrong = "" if stored else "no checkpoint of that name, or none whose file is named"
    wrong = steps.disorder(taken, Action.CHECKPOINT, act) or wrong
    if wrong:
        notes.breaks(SAVED, f"a checkpoint before {act}", f"{wrong}: {call.said}")


def _judge_guarded(call: Call, act: Action, stand: Guard, notes: Notes) -> None:
    answer = call.answer
    told = [step.detail for step in steps.of(steps.until(answer.steps, act), Action.CHECK_BREAKER)]
    if answer.performed and stand.refuses:
        notes.breaks(GUARDED, f"nothing begins while the breaker is OPEN, for {stand.left_s:g} s more", call.said)
    elif not told and (answer.performed or (stand.refuses and "" not in stand.words)):
        notes.breaks(GUARDED, _OBEYED, f"no step check_breaker: {steps.said(answer.steps)}")
    elif told and stand.words and told[0] not in stand.words:
        notes.breaks(GUARDED, f"{_OBEYED}: it is {' or '.join(sorted(stand.words))!r}", f"{told[0][:80]!r}")
    elif stand.refuses or (stand.allows and answer.performed):
        notes.agrees(GUARDED, _OBEYED)


def _most(answer: BeginOperationResult) -> int:
    """How many subagents run at the same time at most."""
    return max((step.count or 0 for step in steps.of(answer.steps, Action.SPAWN)), default=0)


def _total(answer: BeginOperationResult) -> int:
    """How many subagents run, at the same time or one after the other."""
    return sum(step.count or 0 for step in steps.of(answer.steps, Action.SPAWN))


def _judge_isolated(call: Call, notes: Notes) -> None:
    args, most = call.args, _most(call.answer)
    if not call.answer.performed:
        if args.worktrees < args.agents:
            notes.agrees(ISOLATED, _ALONE)
        return
    said = f"{most} at the same time, {args.agents} being asked for, in {args.worktrees} worktrees"
    counts = [step.count for step in steps.of(call.answer.steps, Action.SPAWN)]
    if any(count is None or count < 1 for count in counts) or _total(call.answer) > args.agents:
        notes.breaks(ISOLATED, _ALONE, f"{said}: {steps.said(call.answer.steps)}")
    elif args.worktrees >= args.agents:
        notes.holds(ISOLATED, most == args.agents, "with a worktree each all of them run at the same time", said)
    elif most <= max(args.worktrees, 1):
        notes.agrees(ISOLATED, _ALONE)
    else:
        beside_main = args.worktrees > 0 and most == args.worktrees + 1
        notes.holds(ISOLATED, beside_main, _ALONE, said, ("main_counts",))


def _judge_refused(call: Call, stand: Guard | None, notes: Notes, *, removed: bool) -> None:
    """An operation did not begin: has it a reason?"""
    args = call.args
    if (is_parallel(args) and args.worktrees < args.agents) or (stand is not None and not stand.allows):
        return
    needs = args.kind is not Kind.MINOR
    if needs and call.may_miss(LABEL):
        notes.agrees(SAVED, "what cannot be checkpointed does not begin")
        return
    if removed and (needs or stand is not None):
        told = "who needs .loki/state, which another removed, says so"
        notes.holds(REMOVED, call.says_so, told, call.said, ("halts",))
        if call.says_so:
            return
    clause = GUARDED if stand is not None else SAVED
    if is_parallel(args) or (stand is None and _is_isolated_in_vain(call)):
        clause = ISOLATED
    notes.breaks(clause, "an operation that nothing forbids begins", call.said)


def _is_isolated_in_vain(call: Call) -> bool:
    """Was a spawn that needs no worktree refused, though nothing kept its checkpoint from being stored?"""
    args = call.args
    unsaved = any(not step.ok for step in steps.of(call.answer.steps, Action.CHECKPOINT))
    return args.kind is Kind.SPAWN and (args.implementing or args.agents > 1) and not unsaved

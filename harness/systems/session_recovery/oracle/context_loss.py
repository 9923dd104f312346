"""Turns that begin, and sessions that are resumed after a context loss: LK-GEN-01, LK-GEN-07, LK-RC-01. Pure."""

from collections.abc import Sequence
from typing import Final

from harness.systems import queue_files
from harness.systems.notes import Notes
from harness.systems.session_recovery.contract import Action, Outcome
from harness.systems.session_recovery.oracle import steps
from harness.systems.session_recovery.oracle.asking import Call
from harness.systems.session_recovery.oracle.checkpoints import Checkpoints
from harness.systems.session_recovery.oracle.documents import (
    Queues,
    content,
    continuity_agrees,
    is_text,
    occurs,
    phase,
    phase_agrees,
    shelf,
    shows,
)
from harness.systems.session_recovery.oracle.moves import CutOff

TURN: Final = "LK-GEN-01"
NEXT: Final = "LK-GEN-07"
RESUMED: Final = "LK-RC-01"
_READ: Final = (
    Action.READ_CONTINUITY,
    Action.READ_ORCHESTRATOR,
    Action.READ_IN_PROGRESS,
    Action.RESUME_FROM_CHECKPOINT,
)
_WORK: Final = queue_files.IN_PROGRESS
_FILES: Final = ("continuity", "orchestrator", _WORK, "checkpoint")


def judge_turn(call: Call, notes: Notes, *, beside: bool) -> None:
    """A turn began."""
    taken = steps.known(call.answer.steps)
    first = taken[0].action if taken else "no step"
    expected = "a turn begins with read_continuity, and its text"
    if first != Action.READ_CONTINUITY:
        notes.breaks(TURN, expected, steps.said(call.answer.steps))
    else:
        right = continuity_right(call)
        notes.holds(TURN, right, expected, f"{call.answer.continuity!r}"[:300])
    shelved = shelf(call.inputs.get(_WORK))
    idle = shelved.file is not None and not shelved.file.tasks and not shelved.file.odd
    if idle and _WORK not in call.shaken and not beside:
        _judge_next(call, notes)


def continuity_right(call: Call) -> bool:
    """Is the text of CONTINUITY.md what was told of it?"""
    said = call.answer.continuity
    return (
        "continuity" in call.unsteady
        or continuity_agrees(call.inputs.get("continuity"), said)
        or (said is None and call.may_miss("continuity"))
    )


def phase_right(call: Call) -> bool:
    """Is the phase of orchestrator.json what was told of it?"""
    said, label = call.answer.phase, "orchestrator"
    return (
        label in call.unsteady or phase_agrees(call.inputs.get(label), said) or (said is None and call.may_miss(label))
    )


def _judge_next(call: Call, notes: Notes) -> None:
    answer, tree = call.answer, call.args.tree
    expected = "with nothing claimed, the next action is that of the tree for the phase of orchestrator.json"
    told = f"phase {answer.phase!r}, action {answer.action!r}: {steps.said(answer.steps)}"[:400]
    if not phase_right(call):
        notes.breaks(NEXT, f"{expected}, {phase(call.inputs.get('orchestrator'))!r}", told)
        return
    silent: tuple[Action, ...] = (Action.DECIDE,) if answer.action is None else ()
    wrong = steps.disorder(answer.steps, Action.READ_ORCHESTRATOR, Action.DECIDE, optional=silent)
    decided = [step.detail for step in steps.of(answer.steps, Action.DECIDE)]
    if not wrong and answer.action is not None and answer.action not in decided:
        wrong = f"decide is not for {answer.action[:80]!r}"
    listed = answer.phase is not None and answer.phase in tree
    if wrong:
        notes.breaks(NEXT, expected, f"{wrong}: {told}")
    elif listed and answer.action == tree[answer.phase]:
        notes.agrees(NEXT, expected, ("given",))
    elif listed and answer.action is None:
        notes.breaks(NEXT, expected, told)
    elif answer.action is None:
        notes.agrees(NEXT, expected)
    else:
        notes.agrees(NEXT, expected, ("own",))


def judge_context_loss(
    call: Call, checkpoints: Checkpoints, notes: Notes, beside: Sequence[Call], open_: CutOff
) -> None:
    """A session was resumed after a context loss; ``beside`` are the other operations that ran.

    ``open_`` is what was cut off and may be done by now, with tasks that only stay in in-progress.json since it could
    not be rewritten.
    """
    answer = call.answer
    expected = "after a context loss: continuity, phase, interrupted tasks, last checkpoint, in this order"
    wrong = steps.disorder(answer.steps, *_READ)
    if wrong:
        notes.breaks(RESUMED, expected, f"{wrong}: {steps.said(answer.steps)}")
        return
    if not continuity_right(call):
        notes.breaks(RESUMED, "the text of CONTINUITY.md", f"{answer.continuity!r}"[:300])
    if not phase_right(call):
        expected_phase = phase(call.inputs.get("orchestrator"))
        notes.breaks(RESUMED, f"the phase of orchestrator.json, {expected_phase!r}", f"{answer.phase!r}"[:300])
    strange = _interrupted_wrong(call, open_) if not any(each.edits for each in beside) else ""
    if strange:
        notes.breaks(RESUMED, "the ids of the tasks of in-progress.json, each once", strange[:300])
    strange = checkpoints.wrong(call, beside)
    if strange:
        notes.breaks(RESUMED, strange, call.said)
    said = [step.detail for step in steps.of(answer.steps, Action.RESUME_FROM_CHECKPOINT) if step.ok and step.detail]
    if said and not shows(said[-1], answer.checkpoint or ""):
        notes.breaks(RESUMED, f"the session is resumed from {str(answer.checkpoint)[:80]!r}", f"{said[-1][:160]!r}")
    damaged = _is_damaged(call) or checkpoints.is_damaged(call)
    if answer.outcome is Outcome.FAILED and not (call.may_miss(*_FILES) or (damaged and call.says_so)):
        notes.breaks(RESUMED, "the session is recovered", call.said)
    notes.agrees(RESUMED, expected)


def _is_damaged(call: Call) -> bool:
    """Is one of the files there, and does not every reader find in it what belongs there?"""
    orchestrator = call.inputs.get("orchestrator")
    silent = bool(content(orchestrator)) and phase(orchestrator) is None
    return silent or bool(Queues(call.inputs).damaged) or not is_text(call.inputs.get("continuity"))


def _interrupted_wrong(call: Call, open_: CutOff) -> str:
    """What is wrong with the tasks that were told to be interrupted, "" when nothing is."""
    told: tuple[str, ...] = call.answer.interrupted
    queues = Queues(call.inputs)
    work = queues.in_progress
    if len(set(told)) != len(told):
        return f"one of them twice: {list(told)[:20]}"
    if work.damaged:
        unheard = [each for each in told if not occurs(each, work.data)]
        return f"{unheard[0][:80]!r} is not there" if unheard else ""
    if not work.is_known:
        return f"{told[0][:80]!r}, which cannot be known" if told and _WORK not in call.hidden else ""
    numbers = {str(entry.get("task_id")) for entry in work.nameless() if isinstance(entry, dict)}
    strangers = [each for each in told if not work.count(each) and each not in numbers]
    strangers = [each for each in strangers if not (open_.claims and queues.pending.count(each))]
    if strangers and _WORK not in call.unsteady:
        return f"{strangers[0][:80]!r} is not there"
    once = [each for each in work.ids() if sum(other.count(each) > 0 for other in queues.shelves.values()) == 1]
    missing = [each for each in once if each not in told and each not in open_.finishes]
    return f"{missing[0][:80]!r} is missing from {list(told)[:20]}" if missing and not call.may_miss(_WORK) else ""

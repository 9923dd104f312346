"""The history, gone through once, and the table of rules: each clause is what was noted of it. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from harness.core.history import History
from harness.systems import queue_files
from harness.systems.calls import worlds
from harness.systems.notes import Notes, noted_rules
from harness.systems.session_recovery.contract import SESSION, Kind, Reason
from harness.systems.session_recovery.oracle.asking import Call, calls
from harness.systems.session_recovery.oracle.beginning import is_parallel, judge_begin
from harness.systems.session_recovery.oracle.checkpoints import Made
from harness.systems.session_recovery.oracle.context_loss import judge_context_loss, judge_turn
from harness.systems.session_recovery.oracle.editing import RECOVERIES
from harness.systems.session_recovery.oracle.failed_tests import judge_test_failure
from harness.systems.session_recovery.oracle.moves import Changes, CutOff
from harness.systems.session_recovery.oracle.rate_limit import judge_rate_limit
from harness.systems.session_recovery.oracle.starting import judge_start
from harness.systems.session_recovery.oracle.world import STATE, World

CLAUSES: Final = (
    "LK-GEN-01", "LK-GEN-02", "LK-GEN-05", "LK-GEN-06", "LK-GEN-07", "LK-GEN-08",
    "LK-SYS-01", "LK-SYS-02", "LK-SYS-03", "LK-SYS-04", "LK-SYS-05", "LK-RC-01", "LK-RC-02", "LK-RC-03",
)  # fmt: skip


class View:
    """What a history shows: ``notes`` by clause."""

    def __init__(self, history: History) -> None:
        self.notes = Notes()
        changes = Changes()
        for groups in worlds(tuple(calls(history))):
            world = World(groups[0][0], self.notes, changes)
            for group in groups:
                self._take(group, world)
        changes.judge(self.notes)

    def _take(self, group: Sequence[Call], world: World) -> None:
        world.begin(group)
        world.edit()
        for call in group:
            if call.answer is None:
                self._unanswered(call, world)
            elif call.args is not None and call.op in _JUDGED:
                _JUDGED[call.op](call, world, group)
            elif call.args is None:
                world.checkpoints.did_something()
                world.ledger.did_something()
        world.end(group)

    def _unanswered(self, call: Call, world: World) -> None:
        """No answer came that has its form: a defect, unless something excuses it."""
        args = call.args
        if args is not None and call.op in ("checkpoint", "begin_operation"):
            world.checkpoints.maybe(Made(args.name, args.state))
        if args is not None and call.op == "start_task":
            world.specifications.may_change(args.task_id)
        if not call.excused:
            for clause in (*_to_blame(call), *((STATE,) if world.removed else ())):
                self.notes.breaks(clause, "an answer", call.said)


def _to_blame(call: Call) -> tuple[str, ...]:
    """The clauses that are broken when an operation is not answered."""
    args = call.args
    if call.op == "resume":
        return (RECOVERIES[args.reason],)
    if call.op == "start_task":
        return ("LK-GEN-08",) if args.interface is None else ("LK-GEN-06", "LK-GEN-08")
    if call.op == "begin_operation":
        guarded = ("LK-SYS-05",) if args.breaker is not None else ()
        saved = ("LK-SYS-04",) if args.kind is not Kind.MINOR or not guarded else ()
        return (*saved, *guarded, *(("LK-SYS-01",) if is_parallel(args) else ()))
    return _BLAMED[call.op]


_BLAMED: Final[Mapping[str, tuple[str, ...]]] = {
    "begin_turn": ("LK-GEN-01",),
    "claim": ("LK-GEN-02", "LK-SYS-03"),
    "complete": ("LK-GEN-05", "LK-SYS-03"),
    "ledger": ("LK-GEN-05",),
    "checkpoint": ("LK-SYS-04",),
}


def _others(call: Call, group: Sequence[Call]) -> list[Call]:
    return [each for each in group if each is not call]


def _on_turn(call: Call, world: World, group: Sequence[Call]) -> None:
    judge_turn(call, world.notes, beside=any(each.edits for each in group) or world.cut_off.claims > 0)


def _on_resume(call: Call, world: World, group: Sequence[Call]) -> None:
    if call.args.reason is Reason.CONTEXT_LOSS:
        behind = {task_id for task_id, queue in world.behind if queue == queue_files.IN_PROGRESS}
        finished = CutOff(world.cut_off.claims, world.cut_off.finishes | behind)
        judge_context_loss(call, world.checkpoints, world.notes, _others(call, group), finished)
    elif call.args.reason is Reason.RATE_LIMIT:
        judge_rate_limit(call, world.notes)
    else:
        judge_test_failure(call, world.notes)


def _on_start(call: Call, world: World, group: Sequence[Call]) -> None:
    beside = any(each.edits for each in group) or call.args.task_id in world.cut_off.finishes
    judge_start(call, world.specifications, world.notes, beside=beside)


def _on_ledger(call: Call, world: World, group: Sequence[Call]) -> None:
    world.ledger.asked(call, world.notes, beside=any(each.edits for each in group))


def _on_checkpoint(call: Call, world: World, group: Sequence[Call]) -> None:
    del group
    made = Made(call.args.name, call.args.state)
    if call.answer.stored:
        world.checkpoints.stored(call, made, call.answer.path, world.notes)
        world.made_anew(call)
        return
    world.checkpoints.maybe(made)
    if call.may_miss("checkpoint"):
        world.notes.agrees("LK-SYS-04", "what cannot be checkpointed is said not to be")
        return
    if world.removed:
        told = "who needs .loki/state, which another removed, says so"
        world.notes.holds(STATE, call.says_so, told, call.said, ("halts",))
    if not (world.removed and call.says_so):
        world.notes.breaks("LK-SYS-04", "the checkpoint is stored", call.said)


def _on_begin(call: Call, world: World, group: Sequence[Call]) -> None:
    del group
    judge_begin(call, world.checkpoints, world.notes, removed=world.removed)
    if call.answer.performed and call.args.kind is not Kind.MINOR:
        world.made_anew(call)


_JUDGED: Final[Mapping[str, Callable[[Call, World, Sequence[Call]], None]]] = {
    "begin_turn": _on_turn,
    "resume": _on_resume,
    "start_task": _on_start,
    "ledger": _on_ledger,
    "checkpoint": _on_checkpoint,
    "begin_operation": _on_begin,
}

RULES: Final = noted_rules(SESSION, CLAUSES)

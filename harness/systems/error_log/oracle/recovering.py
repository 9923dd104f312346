"""A procedure that was carried out, and what it says of each clause. Pure.

Clauses: those of procedures and retries, ER-DEL-02, and what is owed to the record and to the files.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from harness.systems.error_log.contract import Action, ErrorType, RecoverArguments, RecoverResult, RecoveryOutcome
from harness.systems.error_log.oracle import documents, procedures, retries, steps
from harness.systems.error_log.oracle.asking import Call
from harness.systems.error_log.oracle.handling import OF_KIND, Seen, is_non_blocking
from harness.systems.error_log.oracle.operations import logged, may_be_missing, settle, unanswered, waits_in
from harness.systems.error_log.oracle.progress import Life, Standing
from harness.systems.error_log.oracle.reports import Due, judge_returned
from harness.systems.error_log.oracle.world import World

CLAUSES: Final[Mapping[str, str]] = {
    ErrorType.TIMEOUT.value: "ER-TMO-01",
    ErrorType.STATUS_SYNC_FAILURE.value: "ER-SYN-01",
    ErrorType.BUILD_ERROR.value: "ER-BLD-01",
    ErrorType.JQ_PARSE_FAILURE.value: "ER-JQ-01",
    ErrorType.MCP_ABORT_ERROR.value: "ER-MCP-01",
    ErrorType.DELEGATION_INTERRUPTED.value: "ER-DEL-01",
}
_IN_PROGRESS: Final = "in_progress"


def on_recover(call: Call, world: World) -> None:
    """The procedure for an error's type was carried out."""
    entry, answer = logged(call, world), call.answer
    world.ledger.spare += 2
    world.aftermath.touched = True
    if call.args is None:
        return
    args: RecoverArguments = call.args
    kind = args.error.type if isinstance(args.error.type, str) else ""
    raw = documents.metadata(call.inputs.get("metadata"))
    known = world.tasks.of(args.progress.task)
    if answer is not None and answer.outcome not in tuple(RecoveryOutcome):
        world.notes.breaks(CLAUSES.get(kind, "ER-LOG-01"), "recovered, partial or failed", f"{answer.outcome!r}")
        answer = None
    elif answer is None:
        unanswered(call, world, CLAUSES.get(kind, "ER-LOG-01"))
    calm = answer is not None and not (world.beside or call.may_miss("metadata", "plan", "todo", "state"))
    _progressed(args, answer, raw, world, calm=calm, waits=waits_in(call, world))
    if is_non_blocking(args.error):
        world.at_end.occurred(Due(args.name, args.error, world.life(call), certain=False))
    elif kind == ErrorType.TIMEOUT and not args.facts.commit_succeeds:
        told = answer is not None and not call.may_miss("errors")
        world.at_end.occurred(Due(args.name, args.error, world.life(call), certain=told, implied=True))
    if answer is None:
        return
    missed = may_be_missing(call, entry)
    settle(entry, _seen(kind, call, raw, world), call, world, at_once=missed)
    if answer.returned is not None or steps.has(answer.steps, Action.REPORT):
        judge_returned(answer.returned, args.error, args.progress, known, world.tasks.ever(args.progress), world.notes)
    if kind == ErrorType.DELEGATION_INTERRUPTED:
        _judge_status(call, raw, known, world)
    if not (world.beside or call.may_miss("plan")):
        given = documents.stage({"partial_progress": args.error.partial_progress})
        world.aftermath.handled(args.progress, (documents.stage(raw), given))
    if calm:
        _in_files(kind, call, world)


def _seen(kind: str, call: Call, raw: Mapping[str, Any] | None, world: World) -> Iterator[Seen]:
    args, answer = call.args, call.answer
    if kind == ErrorType.STATUS_SYNC_FAILURE:
        certain = not call.may_miss("todo", "state")
        yield from procedures.diverged(args, answer, both=world.aftermath.tells_statuses(), certain=certain)
    elif kind == ErrorType.DELEGATION_INTERRUPTED:
        if "metadata" in call.inputs:
            yield from retries.interrupted(args, answer, raw)
    elif is_non_blocking(args.error):
        yield from procedures.non_blocking(OF_KIND[kind], answer)
    elif kind in _PROCEDURES:
        yield from _PROCEDURES[kind](args, answer)


_PROCEDURES: Final[Mapping[str, Callable[[RecoverArguments, RecoverResult], Iterator[Seen]]]] = {
    ErrorType.TIMEOUT.value: procedures.timed_out,
    ErrorType.BUILD_ERROR.value: procedures.build_failed,
    ErrorType.JQ_PARSE_FAILURE.value: retries.jq_failed,
    ErrorType.MCP_ABORT_ERROR.value: retries.mcp_aborted,
}


def _progressed(
    args: RecoverArguments, answer: RecoverResult | None, raw: Mapping[str, Any] | None, world: World, *,
    calm: bool, waits: Life | None,
) -> None:  # fmt: skip
    """Where the task goes on from, as far as the procedure says; ``waits``: who has it only in memory."""
    kind, progress = args.error.type, args.progress
    point, certain = progress.failed_at, False
    if kind == ErrorType.TIMEOUT:
        certain = calm
    elif kind == ErrorType.MCP_ABORT_ERROR:
        certain = calm and answer is not None and steps.has(answer.steps, Action.RETURN_PARTIAL)
    elif kind == ErrorType.DELEGATION_INTERRUPTED and raw is not None and raw["status"] == _IN_PROGRESS:
        found = documents.stage(raw) if raw.get("task") == progress.task else None
        certain = calm and found is not None and point in (None, found)
        point = found if certain else point
        if certain and world.tasks.of(progress.task).interrupted:
            return  # it is known already, with all that was completed and kept
    world.tasks.stopped(progress, point=point, certain=certain, waits_in=waits if kind == ErrorType.TIMEOUT else None)


def _judge_status(call: Call, raw: Mapping[str, Any] | None, known: Standing, world: World) -> None:
    """The task's status stays as it was; who keeps it in the metadata alone may not know it under a fault."""
    args, answer = call.args, call.answer
    if answer.task_status is None and (known.status_may_be_lost or call.may_miss("metadata")):
        return
    status = known.status
    if status is None and raw is not None and raw.get("task") == args.progress.task:
        status = raw.get("task_status") if isinstance(raw.get("task_status"), str) else None
    if status is not None and not world.beside:
        expected = f"the status of the task stays {status}"
        world.notes.holds("ER-DEL-02", answer.task_status == status, expected, f"{answer.task_status!r}")


def _in_files(kind: str, call: Call, world: World) -> None:
    """What the files have to show once it is done."""
    args, answer = call.args, call.answer
    phase = args.progress.failed_at
    if kind == ErrorType.TIMEOUT and phase is not None and steps.has(answer.steps, Action.MARK_PARTIAL):
        world.aftermath.marked(answer, phase, args.progress.phases)
        world.aftermath.stopped_at(phase)
    elif kind == ErrorType.STATUS_SYNC_FAILURE:
        taken = [step.detail for step in steps.of(answer.steps, Action.SYNC) if step.ok]
        if len(taken) == 1 and taken[0] in (procedures.TODO, procedures.STATE):
            world.aftermath.synced(taken[0])
    elif kind == ErrorType.BUILD_ERROR:
        world.watch_sources(call)
        world.aftermath.unchanged("source", "ER-BLD-01", "the source is as it was")
    elif kind == ErrorType.MCP_ABORT_ERROR:
        again = (steps.places(answer.steps, Action.RETRY) or [0])[-1]
        if not args.facts.retry_succeeds and steps.has(answer.steps[again:], Action.WRITE_METADATA):
            world.aftermath.partial(at_phase=phase is not None)
    elif kind == ErrorType.DELEGATION_INTERRUPTED:
        world.aftermath.same_statuses("ER-DEL-02", "the statuses of tasks stay as they were")

"""Claims and ends of tasks, alone and at once: LK-GEN-02, LK-GEN-05, LK-SYS-03. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.systems import queue_files
from harness.systems.notes import Notes
from harness.systems.session_recovery.contract import Claimed, Finished, Reason
from harness.systems.session_recovery.oracle import weather
from harness.systems.session_recovery.oracle.asking import Call
from harness.systems.session_recovery.oracle.documents import Queues, occurs
from harness.systems.session_recovery.oracle.ledger import Ledger
from harness.systems.session_recovery.oracle.moves import Changes, CutOff, Moves, has

CLAIMS: Final = "LK-GEN-02"
ENDS: Final = "LK-GEN-05"
LOCK: Final = "LK-SYS-03"
RECOVERIES: Final = {
    Reason.CONTEXT_LOSS: "LK-RC-01",
    Reason.RATE_LIMIT: "LK-RC-02",
    Reason.TEST_FAILURE: "LK-RC-03",
}
_ONCE: Final = "every task is handed out once, as long as it is pending"
_LOCKED: Final = "while another holds the lock, who edits a queue waits, or fails and changes nothing"
_AT_ONCE: Final = "who edits queues at once loses no task, and hands out none twice"
_DOUBTFUL: Final = (queue_files.BLOCKED, queue_files.DEAD_LETTER, queue_files.ABANDONED)


class Editing:
    """What the operations of one group do to the queues.

    ``halves`` are tasks that were left in two places by what was cut off before, ``behind`` those of which a copy was
    told to stay in a queue, with that queue, ``cut_off`` what was never answered before.
    """

    def __init__(
        self,
        group: Sequence[Call],
        before: Queues,
        owners: dict[str, str],
        halves: set[str],
        behind: set[tuple[str, str]],
        cut_off: CutOff,
        notes: Notes,
    ) -> None:
        self._group = [call for call in group if call.edits]
        self._before = before
        self._owners = owners
        self._halves = halves
        self._behind = behind
        self._cut_off = cut_off
        self._notes = notes
        self._beside = len(self._group) > 1
        self._locked = any(weather.locks_queues(call.faults) for call in self._group)
        self.moves = Moves(
            clauses=_to_blame(group, self._group, locked=self._locked),
            open_claims=cut_off.claims > 0,
            open_finishes=set(cut_off.finishes),
        )
        self._certain = self._claimable()

    def judge(self, ledger: Ledger, number: int, changes: Changes) -> None:
        """Notes what the answers say, and gathers what the queues have to show; ``number`` is the group's."""
        claims = [call for call in self._group if call.op == "claim"]
        for call in claims:
            self._claim(call, changes)
        self._judge_none(claims)
        completions = [call for call in self._group if call.op == "complete"]
        for call in completions:
            self._complete(call, completions, ledger, number)
        self._judge_lock()
        self._judge_together()

    def _claimable(self) -> set[str]:
        """The tasks that have to be handed out when somebody asks."""
        before = self._before
        others = [before.shelves[name] for name in queue_files.QUEUES if name != queue_files.PENDING]
        taken = {task_id for each in others for task_id in each.ids()}
        copies = {task_id for task_id, queue in self._behind if queue == queue_files.PENDING}
        return set(before.pending.ids()) - taken - self._halves - copies

    def _may_be_claimed(self, task_id: str) -> bool:
        before = self._before
        if not before.pending.count(task_id):
            known = before.pending.is_known or (before.pending.damaged and not occurs(task_id, before.pending.data))
            return not known
        if (task_id, queue_files.PENDING) in self._behind:
            return False
        taken = before.in_progress.count(task_id) or before.completed.count(task_id)
        return not taken or task_id in self._halves

    def _is_doubtful(self, call: Call) -> bool:
        """May a queue be none that it can read, or write?"""
        return not weather.QUEUES.isdisjoint(call.shaken) or bool(self._before.damaged) or not self._before.are_sound

    def _clause(self, clause: str) -> tuple[str, ...]:
        return (clause, LOCK) if self._beside else (clause,)

    def _breaks(self, clause: str, expected: str, observed: str) -> None:
        for each in self._clause(clause):
            self._notes.breaks(each, expected, observed)

    def _claim(self, call: Call, changes: Changes) -> None:
        answer = call.answer
        if answer is None or call.args is None:
            self.moves.open_claims = True
            return
        if answer.outcome is not Claimed.CLAIMED:
            if answer.task is not None:
                self._breaks(CLAIMS, "a task only where one was claimed", call.said)
            elif answer.outcome is Claimed.FAILED:
                self._failed(call, CLAIMS)
            return
        task_id = None if answer.task is None else queue_files.task_id(answer.task)
        if answer.task is None or task_id is None:
            self._breaks(CLAIMS, "the task that was claimed", call.said)
            self.moves.open_claims = True
            return
        if task_id in self.moves.claimed or not self._may_be_claimed(task_id):
            self._breaks(CLAIMS, _ONCE, f"{task_id[:80]!r} is none to claim: {call.said}")
            return
        self.moves.claimed[task_id] = answer.task
        self._may_stay(call, task_id, queue_files.PENDING)
        self._owners[task_id] = call.args.worker
        self._compare(task_id, answer.task, changes)
        if self._beside or self._before.in_progress.ids() or self._before.completed.ids():
            self._notes.agrees(CLAIMS, _ONCE)

    def _may_stay(self, call: Call, task_id: str, queue: str) -> None:
        """A queue that cannot be rewritten keeps its copy, when the answer says so."""
        if call.may_miss(queue):
            self.moves.left_behind.add((task_id, queue))

    def _compare(self, task_id: str, told: Mapping[str, Any], changes: Changes) -> None:
        found = self._before.pending.copies(task_id)
        if found:
            nearest = next((each for each in found if has(told, each)), found[0])
            changes.compare(nearest, told, (CLAIMS,), f"in the claimed task {task_id[:80]!r}")

    def _failed(self, call: Call, clause: str) -> None:
        """It could not: a fault, or who does the same at once, was in the way, and it says so."""
        unsteady = not weather.QUEUES.isdisjoint(call.unsteady)
        excused = self._is_doubtful(call) or self._beside
        if not (unsteady or (excused and call.says_so)):
            self._breaks(clause, "who fails was kept from a queue, and says so", call.said)
        if not self._locked:
            self._open(call)

    def _open(self, call: Call) -> None:
        """It was cut off, or failed on its way: all was done, nothing, or half of it."""
        if call.op == "claim":
            self.moves.open_claims = True
        elif call.args is not None:
            self.moves.open_finishes.add(call.args.task_id)
        else:
            self.moves.unknown = True

    def _judge_none(self, claims: Sequence[Call]) -> None:
        """Was nothing handed out although there was something?"""
        left = self._certain - set(self.moves.claimed)
        lost = sum(call.answer is None for call in self._group) + self._cut_off.claims
        for call in claims:
            if call.answer is None or call.answer.outcome is not Claimed.NONE or call.args is None:
                continue
            excused = self._is_doubtful(call) and (call.says_so or bool(call.unsteady) or self._before.pending.damaged)
            if len(left) > lost and not excused:
                self._breaks(CLAIMS, "what is pending is handed out", f"{min(left)[:80]!r} is: {call.said}")
            elif self._before.in_progress.ids() or self._before.completed.ids() or self._beside:
                self._notes.agrees(CLAIMS, _ONCE)
        failed = [call for call in self._group if call.answer is not None and call.answer.outcome == Claimed.FAILED]
        calm = not any(map(self._is_doubtful, self._group))
        if self._beside and calm and failed and len(failed) == len(self._group):
            self._breaks(CLAIMS, "of several at once one gets its way", failed[0].said)

    def _complete(self, call: Call, completions: Sequence[Call], ledger: Ledger, number: int) -> None:
        answer = call.answer
        if answer is None or call.args is None:
            self._open(call)
            ledger.maybe(call.args.task_id, struck=True) if call.args is not None else ledger.did_something()
            return
        task_id = call.args.task_id
        shelf = self._before.in_progress
        if answer.outcome is Finished.FAILED:
            self._failed(call, ENDS)
            ledger.maybe(task_id)
        elif answer.outcome is Finished.COMPLETED:
            there = (
                shelf.count(task_id) or task_id in self.moves.claimed or not shelf.is_known or self.moves.open_claims
            )
            if task_id in self.moves.finished or not there:
                self._breaks(ENDS, "a task is finished once, and only in progress", call.said)
                return
            self.moves.finished.add(task_id)
            self._may_stay(call, task_id, queue_files.IN_PROGRESS)
            ledger.completed(call, number, self._notes)
        elif (task_id, queue_files.IN_PROGRESS) in self._behind:
            return  # it was finished before, and only stays in the file
        elif task_id in self._cut_off.finishes and shelf.count(task_id):
            self.moves.finished.add(task_id)  # it has been by now
            self._may_stay(call, task_id, queue_files.IN_PROGRESS)
        elif shelf.count(task_id) and not self._is_someone_elses(call, completions):
            if not self._is_doubtful(call) or not (call.says_so or call.unsteady):
                self._breaks(ENDS, f"{task_id[:80]!r} is finished, since it is in progress", call.said)

    def _is_someone_elses(self, call: Call, completions: Sequence[Call]) -> bool:
        """May another worker have the task, or have finished it at the same time?"""
        task_id = call.args.task_id
        others = [each for each in completions if each is not call and each.args is not None]
        if any(each.args.task_id == task_id and _may_have_finished(each) for each in others):
            return True
        owner = self._owners.get(task_id)
        return owner is not None and owner != call.args.worker

    def _judge_lock(self) -> None:
        """Another process held the lock of the queues."""
        for call in self._group:
            if not weather.locks_queues(call.faults) or call.args is None:
                continue
            outcome = "" if call.answer is None else call.answer.outcome
            if outcome in (Claimed.CLAIMED, Finished.COMPLETED):
                self._notes.agrees(LOCK, _LOCKED, ("own",))
            elif outcome == Claimed.FAILED or (call.answer is None and call.excused):
                self._notes.agrees(LOCK, _LOCKED)

    def _judge_together(self) -> None:
        """Several edited queues at the same time."""
        answered = [call for call in self._group if call.answer is not None and call.args is not None]
        if self._beside and len(answered) > 1 and not self._locked:
            self._notes.agrees(LOCK, _AT_ONCE)


def _may_have_finished(call: Call) -> bool:
    return call.answer is None or call.answer.outcome is Finished.COMPLETED


def _to_blame(group: Sequence[Call], editors: Sequence[Call], *, locked: bool) -> tuple[str, ...]:
    """The clauses that are broken when a task is lost."""
    if len(editors) > 1 or locked:
        return (LOCK,)
    if len(editors) == 1:
        return (CLAIMS,) if editors[0].op == "claim" else (ENDS,)
    reads = [RECOVERIES[call.args.reason] for call in group if call.op == "resume" and call.args is not None]
    return tuple(reads[:1]) or (CLAIMS,)

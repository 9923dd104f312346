"""One world of a history, step by step: each operation is judged once the next one shows what it left. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from harness.core.fault import Fault
from harness.core.history import FileFact, InputFact
from harness.systems import file_faults
from harness.systems.calls import Call
from harness.systems.dead_letter.contract import FAILURES_AT_MOST, Strategy, Verdict
from harness.systems.dead_letter.oracle.asking import REVIEWS
from harness.systems.dead_letter.oracle.escalations import Escalations
from harness.systems.dead_letter.oracle.failing import judge_failure, judge_together
from harness.systems.dead_letter.oracle.keeping import Keeper
from harness.systems.dead_letter.oracle.letters import judge_file
from harness.systems.dead_letter.oracle.outcomes import judge_abandoned, judge_kept, judge_totals
from harness.systems.dead_letter.oracle.queues import State, Step, in_one_way, left_as, state_of
from harness.systems.dead_letter.oracle.reviews import Reviews
from harness.systems.dead_letter.oracle.values import same
from harness.systems.dead_letter.oracle.weather import ESCALATIONS, FILES
from harness.systems.notes import Notes
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, QUEUES

_UNANSWERED: Final = {
    "record_failure": "LK-DQ-01", "start_session": "LK-DQ-09", "review": "LK-DQ-11", "abandon": "LK-DQ-19",
    "list": "LK-DQ-02", "escalations": "LK-ES-07",
}  # fmt: skip
_MOVES: Final = (Verdict.RETRIED, Verdict.ABANDONED)
_LISTED: Final = {DEAD_LETTER: "LK-DQ-02", ABANDONED: "LK-DQ-20"}


class World:
    """What is known between two resets."""

    def __init__(self, first: Call, notes: Notes) -> None:
        self._notes = notes
        self._keeper = Keeper(notes)
        self._escalations = Escalations(notes)
        self._reviews = Reviews(notes, self._escalations)
        self._keeper.meet(state_of(first.done.begin.inputs, ()))
        self._group: Sequence[Call] = ()
        self._before: State | None = None
        self._standing: tuple[Fault, ...] = first.faults
        self._is_settled = True

    def take(self, group: Sequence[Call]) -> None:
        """A group of operations, as it was asked and answered: it shows what the one before left."""
        first = group[0]
        arrived = [*_without(first.faults, self._standing), *_without(self._standing, first.faults)]
        steady = FILES.damaged(file_faults.unsteady([*arrived, *first.faults]))
        labels = FILES.damaged(arrived) | steady
        inputs = first.done.begin.inputs
        files = first.found if not labels else {}
        self._ends(left_as(inputs, labels | self._untouched(inputs)), files)
        self._standing = first.faults
        if labels:
            self._keeper.forget()
            self._reviews.forget()
        if ESCALATIONS in labels:
            self._escalations.forget()
        self._group = group
        self._before = state_of(inputs, steady)

    def _untouched(self, inputs: Mapping[str, InputFact]) -> frozenset[str]:
        """The files of which nothing was known, and that are what they were."""
        before = self._before
        if before is None:
            return frozenset()
        same_data = {queue for queue, fact in inputs.items() if fact.data == before.data(queue)}
        return frozenset(queue for queue in before.unknown & same_data if in_one_way(inputs[queue].data) is not None)

    def end(self) -> None:
        """Nothing follows: of the last operations the answers alone are seen."""
        self._ends(None, {})

    def _ends(self, after: State | None, files: Mapping[str, FileFact]) -> None:
        if self._before is None:
            return
        step = Step(self._group, self._before, after, files, self._is_settled)
        for call in step.calls:
            if call.answer is None and not call.excused:
                self._notes.breaks(_UNANSWERED[call.op], "an answer", call.said)
        self._keeper.judge(step)
        judge_file(step, self._notes)
        if step.is_alone:
            self._alone(step, step.first)
        else:
            judge_together(step, self._notes)
            self._together(step)
        if step.loses_power:
            self._escalations.forget()
        self._is_settled = step.is_calm

    def _alone(self, step: Step, call: Call) -> None:
        if call.answer is None:
            if call.op in REVIEWS:
                self._reviews.struck(step, call)
                self._reviews.forget()
            elif call.args is not None and call.op == "record_failure":
                self._escalations.struck((call.args.task_id,))
        elif call.args is None:
            self._forget(step)
        elif call.op in REVIEWS:
            self._reviews.judge(step, call)
        elif call.op == "record_failure":
            judge_failure(step, call, self._notes)
            self._judge_notified(step, call)
            judge_totals(step, (0,), (0,), self._notes)
        elif call.op == "abandon":
            self._abandoned(step, call)
        elif call.op == "list":
            self._listed(step, call)
            judge_totals(step, (0,), (0,), self._notes)
        else:
            self._escalations.read(call)

    def _forget(self, step: Step) -> None:
        """What was asked was no operation of the contract: who answers it may have done anything that keeps tasks."""
        self._reviews.forget()
        self._escalations.struck(step.before.ids())

    def _together(self, step: Step) -> None:
        """What several do at once is done once: no move is told by two."""
        moved = [each.task_id for call in step.calls if call.op in REVIEWS and call.answer is not None
                 for each in call.answer.decisions if each.stored and each.decision in _MOVES]  # fmt: skip
        failed = {call.args.task_id for call in step.calls if call.op == "record_failure" and call.args is not None}
        for id_ in sorted({each for each in moved if moved.count(each) > 1} - failed):
            queues = [queue for queue, _ in step.after.copies(id_)] if step.after is not None else [DEAD_LETTER]
            if DEAD_LETTER not in queues:
                self._notes.breaks("LK-DQ-23", f"{id_!r} is moved once", "two operations say to have moved it")
        self._forget(step)

    def _judge_notified(self, step: Step, call: Call) -> None:
        """A task that moves may be escalated at once (LK-DQ-21)."""
        answer, id_ = call.answer, call.args.task_id
        if step.shaken or step.has_unended():
            self._escalations.struck((id_, *answer.notified))
            return
        told = id_ in answer.notified
        copies = step.after.copies(id_) if step.after is not None else step.before.copies(id_)
        count = answer.failure_count or 0
        task = {**(copies[0][1] if copies else {}), "failure_count": count}
        asked = [self._escalations.asked(id_, task, waits=False)] if told and count > FAILURES_AT_MOST else []
        self._escalations.judge(step, call, asked, answer.notified)
        if asked and step.after is not None and copies:
            ok = task.get("recovery_strategy") == Strategy.REQUIRES_HUMAN_REVIEW
            self._notes.holds("LK-DQ-21", ok, "a task of which a human was told has requires_human_review",
                              f"{task.get('recovery_strategy')!r}")  # fmt: skip
        elif answer.moved and not told:
            self._escalations.made[id_] = False

    def _abandoned(self, step: Step, call: Call) -> None:
        """A human gave a task up (LK-DQ-19, LK-DQ-20)."""
        id_, abandoned = call.args.task_id, call.answer.abandoned
        copies = step.before.copies(id_)
        queues = {queue for queue, _ in copies}
        if not copies and abandoned and not step.before.unknown:
            self._notes.breaks("LK-DQ-20", f"{id_!r}, which is nowhere, cannot be abandoned", call.said)
        if not abandoned:
            if queues & {DEAD_LETTER, ABANDONED} and not step.shaken:
                self._notes.breaks("LK-DQ-19", f"a human gives {id_!r} up", call.said)
            after = [] if step.after is None or step.shaken else step.after.copies(id_)
            if len(copies) == 1 and ABANDONED not in queues and any(queue == ABANDONED for queue, _ in after):
                self._notes.breaks("LK-DQ-20", f"{id_!r}, which is not given up, stays where it is", call.said)
            judge_totals(step, (0,), (0,), self._notes)
            return
        new = ABANDONED not in queues
        least = 1 if queues == {DEAD_LETTER} else 0
        judge_totals(step, (0,), range(least, 2) if new or len(copies) > 1 else (0,), self._notes)
        self._escalations.made.pop(id_, None)
        if step.after is None or not copies:
            return
        found = next((task for queue, task in step.after.copies(id_) if queue == ABANDONED), None)
        if found is not None:
            if new:
                judge_abandoned(copies[0][1], found, call.args.reason, self._notes)
                if len(copies) == 1:
                    judge_kept(copies[0][1], found, self._notes)
            if queues == {DEAD_LETTER}:
                self._notes.agrees("LK-DQ-19", "who a human gives up is abandoned")
        elif step.after.knows(ABANDONED):
            self._notes.breaks("LK-DQ-20", f"{id_!r} is in abandoned", f"it is not after {call.said}")

    def _listed(self, step: Step, call: Call) -> None:
        """The answer has the tasks of the queue, as they are stored before or after."""
        queue, told = call.args.queue, call.answer.tasks
        clause = _LISTED.get(queue, "LK-DQ-23")
        if queue not in QUEUES:
            if told:
                self._notes.breaks(clause, f"there is no queue {queue!r}", call.said)
            return
        states = [state for state in (step.before, step.after) if state is not None and state.knows(queue)]
        if step.shaken or not states or any(state.has_halves(queue) for state in states):
            return
        if not any(same(list(told), list(state.files[queue].tasks)) for state in states):
            expected = f"the tasks of {queue}: {states[0].files[queue].ids()}"[:300]
            self._notes.breaks(clause, expected, f"{call.said}"[:300])


def _without(faults: Sequence[Fault], others: Sequence[Fault]) -> list[Fault]:
    """``faults`` without ``others``, each as often as it is there: the same damage may be done twice."""
    left = list(faults)
    for fault in others:
        if fault in left:
            left.remove(fault)
    return left

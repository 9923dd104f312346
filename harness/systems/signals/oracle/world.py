"""One world of a history, step by step: each operation is judged once the next one shows what it left. Pure."""

from collections.abc import Sequence
from typing import Final

from harness.core.fault import Fault
from harness.systems import file_faults
from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.signals.contract import Channel
from harness.systems.signals.oracle.assessing import judge_assessment
from harness.systems.signals.oracle.deciding import Deciding
from harness.systems.signals.oracle.drifts import Drifts
from harness.systems.signals.oracle.files import State, Step, state_of
from harness.systems.signals.oracle.handoffs import Handoffs, judge_contained
from harness.systems.signals.oracle.healing import judge_classified, judge_healed, judge_map, judge_removed
from harness.systems.signals.oracle.keeping import Keeper
from harness.systems.signals.oracle.ledger import Ledger
from harness.systems.signals.oracle.requests import judge_pending, judge_request
from harness.systems.signals.oracle.weather import FILES, SIGNALS

_UNANSWERED: Final = {
    "report_drift": "LK-DR-04", "drifts": "LK-SG-02", "assess": "LK-HR-02", "request_review": "LK-HR-01",
    "reviews": "LK-HR-01", "decide": "LK-SG-05", "clarify": "LK-HR-06", "cancel": "LK-HR-06",
    "check_reviews": "LK-HR-06", "emit": "LK-SG-03", "consume": "LK-SG-01", "heal": "LK-HL-04",
    "classify_friction": "LK-HL-03", "remove_friction": "LK-HL-03",
}  # fmt: skip
_REQUESTS: Final = frozenset(("review", SIGNALS))


class World:
    """What is known between two resets."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._drifts = Drifts(notes)
        self._ledger = Ledger(notes)
        self._deciding = Deciding(self._ledger, notes)
        self._handoffs = Handoffs(notes)
        self._keeper = Keeper(notes)
        self._group: Sequence[Call] = ()
        self._before: State | None = None
        self._standing: tuple[Fault, ...] = ()

    def take(self, group: Sequence[Call]) -> None:
        """A group of operations, as it was asked and answered: it shows what the one before left."""
        first = group[0]
        arrived = [*_without(first.faults, self._standing), *_without(self._standing, first.faults)]
        steady = FILES.damaged(file_faults.unsteady([*arrived, *first.faults]))
        labels = FILES.damaged(arrived) | steady
        inputs = first.done.begin.inputs
        self._ends(state_of(inputs, _all(labels), {} if labels else first.found))
        self._standing = first.faults
        if labels:
            self._deciding.forget()
        if _REQUESTS & labels:
            self._ledger.forget()
        if SIGNALS in labels:
            self._handoffs.forget()
        self._group = group
        self._before = state_of(inputs, _all(steady), {} if steady else first.found)

    def end(self) -> None:
        """Nothing follows: of the last operations the answers alone are seen, and which files there are."""
        self._ends(None)

    def _ends(self, after: State | None) -> None:
        if self._before is None:
            return
        step = Step(self._group, self._before, after)
        self._ledger.meet(self._before)
        for call in step.calls:
            if call.answer is None and not call.excused:
                is_deaf = call.op == "check_reviews" and call.args is not None and call.args.alert != Channel.OK
                self._notes.breaks("LK-HR-07" if is_deaf else _UNANSWERED[call.op], "an answer", call.said)
        checks = any(call.op == "check_reviews" for call in step.calls)
        waiting = [id_ for id_, each in self._ledger.asked.items() if checks and each.blocks is not False]
        self._drifts.judge(step)
        self._handoffs.judge(step)
        judge_contained(step, self._notes)
        judge_map(step, self._notes)
        subjects = [id_ for call in step.calls for id_ in self._call(step, call)]
        self._ledger.judge_kept(step, subjects)
        self._keeper.judge(step, subjects, waiting)

    def _call(self, step: Step, call: Call) -> Sequence[str]:
        """Judges one operation; gives the tasks whose reviews it may have ended."""
        if call.args is None:
            return ()
        if call.op == "request_review":
            judge_request(step, call, self._ledger, self._notes)
            return ()
        if call.op in ("clarify", "cancel"):
            return self._deciding.resolve(step, call)
        if call.op == "check_reviews":
            return self._deciding.check(step, call)
        if call.answer is None:
            return ()
        if call.op == "assess":
            judge_assessment(call, self._notes)
        elif call.op == "reviews":
            judge_pending(step, call, self._ledger, self._notes)
        elif call.op == "heal":
            judge_healed(step, call, self._notes)
        elif call.op == "classify_friction":
            judge_classified(step, call, self._notes)
        elif call.op == "remove_friction":
            judge_removed(step, call, self._notes)
        return ()


def _all(labels: frozenset[str]) -> frozenset[str]:
    """These labels, with those of the files that stand where signals stand, named by their operation."""
    return labels | {"signal", "review_of_task"} if SIGNALS in labels else labels


def _without(faults: Sequence[Fault], others: Sequence[Fault]) -> list[Fault]:
    """``faults`` without ``others``, each as often as it is there: the same damage may be done twice."""
    left = list(faults)
    for fault in others:
        if fault in left:
            left.remove(fault)
    return left

"""How reviews end: by a decision, a clarification, a cancellation, or when their time is over. Pure."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from harness.systems import file_faults
from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.queue_files import (
    ABANDONED,
    BLOCKED,
    COMPLETED,
    DEAD_LETTER,
    IN_PROGRESS,
    PENDING,
)
from harness.systems.signals.contract import APPROVED, APPROVED_PATH, Channel
from harness.systems.signals.oracle.files import State, Step, Task, is_blocked
from harness.systems.signals.oracle.ledger import CONCERNS, WORK, Asked, Ledger
from harness.systems.signals.oracle.values import is_plain, read, same, texts

CANCELLED: Final = "cancelled"
_OVER: Final = (ABANDONED, COMPLETED, DEAD_LETTER)


class Decision(NamedTuple):
    """What stands in HUMAN_APPROVED. ``task_id`` None: it names none; ``is_clear``: every reader sees the same."""

    said: str
    task_id: str | None
    is_clear: bool


def decision_of(state: State) -> Decision | None:
    """The decision that is there; None when there is none, whoever reads it."""
    data = state.data("approved")
    found = read(data) if data is not None else None
    if found is None or not isinstance(found.value, Mapping):
        return None
    said, of = found.value.get("decision"), found.value.get("task_id")
    if not isinstance(said, str) or not said or not (of is None or isinstance(of, str)):
        return None
    is_clear = found.is_clean and bool(said.strip()) and of != ""
    return Decision(said, of or None, is_clear)


class _Owed(NamedTuple):
    """The review that a decision ends, which was to be carried out when the process died: as it stood then."""

    task_id: str
    asked: Asked
    records: int


class Deciding:
    """Judges how reviews end in one world."""

    def __init__(self, ledger: Ledger, notes: Notes) -> None:
        self._ledger, self._notes = ledger, notes
        self._owed: _Owed | None = None

    def forget(self) -> None:
        """Files were damaged: a decision that was to be carried out may be gone by that."""
        self._owed = None

    def resolve(self, step: Step, call: Call) -> list[str]:
        """A human made the task clear, or cancelled it (LK-HR-06); gives the task when its review may be over."""
        id_, answer, ledger = call.args.task_id, call.answer, self._ledger
        asked = ledger.asked.get(id_)
        if answer is None:
            ledger.doubt(id_)
            return [id_]
        if not answer.resolved:
            said = CANCELLED if call.op == "cancel" else call.args.clarification
            is_said = bool(said.strip()) and is_plain(said)
            if asked is not None and asked.is_certain and not step.minds(*CONCERNS) and is_said and step.is_alone:
                self._breaks("LK-HR-06", f"the human ends the review of {id_!r}", call.said)
            elif step.minds(*CONCERNS):
                ledger.doubt(id_)
            return [id_] if step.minds(*CONCERNS) else []
        if asked is None:
            if not ledger.is_open and not step.before.has_file(id_) and step.is_alone:
                self._breaks("LK-HR-06", f"no review of {id_!r} is pending", call.said)
            return [id_]
        if step.is_alone and step.after is not None:
            ok = self._is_over(step, call, id_)
            wanted = self._clarified if call.op == "clarify" else self._cancelled
            if ok and wanted(step, step.after, call) and self._is_seen(step, id_):
                self._notes.agrees("LK-HR-06", "a human ends a review")
        ledger.drop(id_)
        return [id_]

    def check(self, step: Step, call: Call) -> list[str]:
        """Somebody looked after the reviews; gives the tasks whose reviews may be over."""
        ledger, answer = self._ledger, call.answer
        decision = decision_of(step.before) if step.before.knows("approved") else None
        if answer is None or not step.is_alone:
            self._owed = self._owing(step, call, decision) or self._owed if step.is_alone else None
            for each in ledger.asked.values():
                each.is_certain = False
            ledger.unheard |= set(ledger.asked)
            return list(ledger.asked)
        resolved = [each.task_id for each in answer.resolved]
        self._carried_out(step, call)
        self._decided(step, call, decision)
        self._late(step, call, resolved)
        for id_ in dict.fromkeys((*resolved, *answer.timed_out)):
            ledger.drop(id_)
        if step.minds(*CONCERNS):
            touched = [id_ for id_, each in ledger.asked.items() if each.is_late(call) is not False]
            touched += [id_ for id_ in ledger.asked if decision is not None and decision.task_id in (None, id_)]
            for id_ in touched:
                ledger.doubt(id_)
            ledger.unheard |= set(touched)
            return [*resolved, *answer.timed_out, *touched]
        return [*resolved, *answer.timed_out]

    def _owing(self, step: Step, call: Call, decision: Decision | None) -> _Owed | None:
        """The review that the decision certainly ends, were it carried out.

        None when the power was lost: which of two removals in one directory lasts is nobody's promise.
        """
        if file_faults.loses_power(call.faults):
            return None
        if decision is None or not decision.is_clear or decision.task_id not in self._ledger.certain():
            return None
        asked = self._ledger.asked[str(decision.task_id)]
        if asked.is_late(call) is not False or step.minds(*CONCERNS):
            return None
        return _Owed(str(decision.task_id), asked, len(asked.records))

    def _carried_out(self, step: Step, call: Call) -> None:
        """A decision that is not there any more, though nobody answered, has ended its review by now."""
        owed, self._owed = self._owed, None
        if owed is None or step.minds(*CONCERNS) or not step.before.knows("approved"):
            return
        asked = self._ledger.asked.get(owed.task_id)
        is_same = asked is owed.asked and len(owed.asked.records) == owed.records
        if is_same and step.before.data("approved") is None and step.before.is_pending(owed.task_id) is True:
            self._breaks("LK-HR-06", f"the decision about {owed.task_id!r} is there, or was carried out", call.said)

    def _breaks(self, clause: str, expected: str, observed: str) -> None:
        self._notes.breaks(clause, expected, observed[:500])

    def _is_seen(self, step: Step, id_: str) -> bool:
        """Was the task in a queue, and are the queues seen?"""
        return step.after is not None and step.after.knows(*WORK) and bool(step.before.copies(id_))

    def _is_over(self, step: Step, call: Call, id_: str) -> bool:
        """Is the request gone? One that stood beside it may be left."""
        after, asked = step.after, self._ledger.asked.get(id_)
        if after is None or asked is None or len(asked.records) > 1 or after.is_pending(id_) is not True:
            return True
        self._breaks("LK-HR-06", f"the review of {id_!r} is over", f"it is pending after {call.said}")
        return False

    # -- a decision

    def _decided(self, step: Step, call: Call, decision: Decision | None) -> None:
        ledger, notes = self._ledger, self._notes
        certain, told = ledger.certain(), {each.task_id: each.decision for each in call.answer.resolved}
        hidden = step.minds("approved") or not step.before.knows("approved")
        for id_, said in told.items():
            named = decision is not None and same(said, decision.said) and decision.task_id in (None, id_)
            known = id_ in ledger.asked or ledger.is_open or step.before.has_file(id_)
            if not known or not (named or hidden):
                self._breaks("LK-SG-05", f"no decision about a pending review of {id_!r}", call.said)
                self._breaks("LK-HR-06", f"what is about another task leaves {id_!r} pending", call.said)
                return
        is_there = step.before.data("approved") is not None
        if hidden or step.minds(*CONCERNS) or not is_there or not certain or ledger.is_open:
            if not hidden and is_there and certain and (told or step.minds(*CONCERNS)):
                notes.agrees("LK-SG-05", "a decision is about the task it names")
            self._effects(step, call, told)
            return
        ok = True
        if decision is not None and decision.is_clear and decision.task_id is None:
            ok = self._unnamed(call, len(ledger.asked), len(certain), bool(told))
        elif decision is not None and decision.is_clear and decision.task_id in set(certain) - set(told):
            if ledger.asked[str(decision.task_id)].is_late(call) is False:
                ok = False
                self._breaks("LK-SG-05", f"a decision about {decision.task_id!r}", call.said)
        else:
            notes.agrees("LK-SG-05", "a decision is about the task it names")
        if ok:
            self._effects(step, call, told)

    def _unnamed(self, call: Call, possible: int, certain: int, told: bool) -> bool:
        notes = self._notes
        if certain > 1 and told:
            self._breaks("LK-SG-05", "a decision that names no task resolves none of several", call.said)
            return False
        if certain == possible == 1:
            is_late = self._ledger.asked[self._ledger.certain()[0]].is_late(call) is not False
            notes.agrees("LK-SG-05", "a decision that names no task",
                         ("one_pending",) if told else None if is_late else ("named",))  # fmt: skip
        elif certain > 1:
            notes.agrees("LK-SG-05", "a decision that names no task resolves none of several")
        return True

    def _effects(self, step: Step, call: Call, told: Mapping[str, str]) -> None:
        """What a decision leaves: it is used up, and its task goes on, or does not."""
        after, notes = step.after, self._notes
        for id_, said in told.items():
            ok = self._is_over(step, call, id_)
            placed = after is None or self._goes(step, after, call, id_, is_claimed=_lets_go_on(said))
            if ok and placed and self._is_seen(step, id_):
                notes.agrees("LK-HR-06", "a decision ends a review")
        left = step.left()
        if told and left and not step.minds("approved", "signals"):
            notes.holds("LK-SG-01", APPROVED_PATH not in left, "a decision is deleted when it was carried out",
                        f"it is there after {call.said}")  # fmt: skip

    def _goes(self, step: Step, after: State, call: Call, id_: str, *, is_claimed: bool | None) -> bool:
        """Is the task where it is claimed again, or where it is not? None: either will do."""
        if is_claimed is None or not after.knows(*WORK) or not step.before.knows(*WORK):
            return True
        found, was = after.copies(id_), step.before.copies(id_)
        if not any(queue in WORK for queue, _ in was):
            return True
        observed = f"{id_!r} is in {[(queue, task.get('status')) for queue, task in found]} after {call.said}"
        if is_claimed:
            allowed = {PENDING, self._ledger.origins.get(id_, IN_PROGRESS)}
            allowed |= {queue for queue, task in was if queue != BLOCKED}
            ok = any(queue in allowed and not is_blocked(task) for queue, task in found)
            expected = f"the task goes on in {sorted(allowed)}"
        else:
            ok = not any(_is_claimable(queue, task) for queue, task in found)
            expected = "the task is not where it would be claimed"
        if not ok:
            self._breaks("LK-HR-06", expected, observed)
        return ok

    # -- a human

    def _clarified(self, step: Step, after: State, call: Call) -> bool:
        id_ = call.args.task_id
        if not self._goes(step, after, call, id_, is_claimed=True):
            return False
        found, said = after.copies(id_), call.args.clarification
        if not after.knows_queues() or not found or not is_plain(said):
            return True
        if any(said in each for _, task in found for each in texts(task)):
            return True
        self._breaks("LK-HR-06", f"the task holds {said!r}", f"{found} after {call.said}")
        return False

    def _cancelled(self, step: Step, after: State, call: Call) -> bool:
        id_ = call.args.task_id
        found = after.copies(id_)
        if not after.knows_queues() or not step.before.knows_queues():
            return True
        if all(queue in _OVER or _is_cancelled(task) for queue, task in found):
            return True
        observed = f"{id_!r} is in {[(queue, task.get('status')) for queue, task in found]} after {call.said}"
        self._breaks("LK-HR-06", "a cancelled task is in no queue where it waits", observed)
        return False

    # -- nobody

    def _late(self, step: Step, call: Call, resolved: list[str]) -> None:
        """After 24 hours the task is in the dead letters, and an alert was sent (LK-HR-07)."""
        ledger, answer = self._ledger, call.answer
        for id_ in answer.timed_out:
            asked = ledger.asked.get(id_)
            if asked is None and not ledger.is_open and not step.before.has_file(id_):
                self._breaks("LK-HR-07", f"no review of {id_!r} is pending", call.said)
            elif asked is not None and asked.is_late(call) is False:
                self._breaks("LK-HR-07", f"the review of {id_!r} has time left", call.said)
        for id_, asked in ledger.asked.items():
            was = step.before.copies(id_)
            late = asked.is_late(call)
            late = id_ in answer.timed_out if late is None else late
            is_due = asked.is_certain and late and asked.blocks is True and id_ not in resolved
            if is_due and any(queue in WORK for queue, _ in was):
                self._timed_out(step, call, id_)
            elif asked.is_certain and asked.is_late(call) is False and id_ not in answer.timed_out:
                self._notes.agrees("LK-HR-07", "before 24 hours nothing times out")
        self._alerts(step, call)

    def _timed_out(self, step: Step, call: Call, id_: str) -> None:
        if step.minds(*CONCERNS) and id_ not in call.answer.timed_out:
            self._is_not_lost(step, call, id_)
            return
        if id_ not in call.answer.timed_out:
            self._breaks("LK-HR-07", f"the review of {id_!r} times out", call.said)
            return
        after, ledger = step.after, self._ledger
        if not any(each.task_id == id_ for each in call.answer.alerts):
            self._breaks("LK-HR-07", f"an alert for {id_!r}", call.said)
        if after is None or not after.knows_queues():
            return
        found = after.copies(id_)
        observed = f"{id_!r} is in {[queue for queue, _ in found]} after {call.said}"
        if [queue for queue, _ in found] != [DEAD_LETTER]:
            self._breaks("LK-HR-07", "the task is once in the dead letters", observed)
        elif after.is_pending(id_) is True and len(ledger.asked[id_].records) == 1:
            self._breaks("LK-HR-07", "the request is no longer pending", observed)
        else:
            self._letter(step, found[0][1], id_, observed)

    def _is_not_lost(self, step: Step, call: Call, id_: str) -> None:
        after = step.after
        if after is None or not after.knows_queues() or after.is_pending(id_) is not False:
            return
        if not any(queue == DEAD_LETTER for queue, _ in after.copies(id_)):
            self._breaks("LK-HR-07", "a task is in the dead letters before its request is gone", call.said)

    def _letter(self, step: Step, letter: Task, id_: str, observed: str) -> None:
        task_data, attempts, queue = letter.get("task_data"), letter.get("attempts"), letter.get("original_queue")
        title = next((task.get("title") for _, task in step.before.copies(id_)), None)
        kinds = [each.get("error_type") for each in attempts if isinstance(each, Mapping)] if isinstance(
            attempts, list) else []  # fmt: skip
        ok = isinstance(queue, str) and queue != "" and any(isinstance(each, str) and each for each in kinds)
        ok = ok and isinstance(task_data, Mapping) and (title is None or same(task_data.get("title"), title))
        last = attempts[-1] if isinstance(attempts, list) and attempts else None
        ok = ok and (not isinstance(last, Mapping) or isinstance(last.get("agent_id", ""), str))
        readings = ("pending",) if queue in (PENDING, IN_PROGRESS) and "timeout" in kinds else ("stated",)
        expected = "a dead letter with its task, the queue it came from and an attempt, by whom in a text"
        self._notes.holds("LK-HR-07", ok, expected, f"{str(dict(letter))[:300]}: {observed}"[:500], readings)

    def _alerts(self, step: Step, call: Call) -> None:
        ledger, answer = self._ledger, call.answer
        for alert in answer.alerts:
            may = alert.task_id in ledger.unheard or alert.task_id in answer.timed_out or ledger.is_open
            asked = ledger.asked.get(alert.task_id)
            if asked is not None and asked.is_late(call) is not False:
                # its task is dead, and its request cannot be deleted; or it is open what becomes of it
                is_open = asked.blocks is not True or not step.before.copies(alert.task_id)
                may = may or is_open or step.minds(*CONCERNS)
            if not may:
                self._breaks("LK-HR-07", f"no alert for {alert.task_id!r}", call.said)
            elif alert.ok is not (call.args.alert == Channel.OK):
                self._breaks("LK-HR-07", "whether the channel took the alert", call.said)
        for alert in answer.alerts:
            if alert.ok:
                ledger.unheard.discard(alert.task_id)
            else:
                ledger.unheard.add(alert.task_id)


def _lets_go_on(said: str) -> bool | None:
    """Does the decision let the task go on? None where it depends on who reads it: in other letters, or with blanks."""
    is_approval = said.strip().casefold() == APPROVED
    return None if is_approval and said != APPROVED else is_approval


def _is_cancelled(task: Task) -> bool:
    return bool(task.get("status") in (CANCELLED, "canceled"))


def _is_claimable(queue: str, task: Task) -> bool:
    status: Any = task.get("status")
    return queue in (PENDING, IN_PROGRESS) and status not in ("blocked", CANCELLED, "canceled", "rejected")

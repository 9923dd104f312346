"""What a drift is answered with (LK-DR-04 to 08), and how many there were. Pure."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.signals.contract import (
    ACCUMULATED_THRESHOLD,
    REVIEWER,
    SEVERE_DISTANCE,
    Action,
    Severity,
    StepTaken,
)
from harness.systems.signals.oracle.drift_log import (
    count_of,
    fields_of,
    is_legal,
    judge_listed,
    judge_log,
    judge_record,
    judge_records,
)
from harness.systems.signals.oracle.files import Step
from harness.systems.signals.oracle.values import is_plain

Count = tuple[int, int]  # at least, and at most
IMMEDIATE: Final = (Action.STOP, Action.LOG, Action.REASON, Action.REREAD)
GRAVE: Final = (Severity.HIGH, Severity.CRITICAL)
_ANY: Final[Count] = (1, 1_000_000)


class Known(msgspec.Struct, frozen=True):
    """The number of this drift, by reading of what is accumulated."""

    task: Count
    session: Count
    log: Count

    def may_be(self, *, consolidated: bool) -> frozenset[str]:
        """The readings in which a drift of these numbers is, or is not, consolidated."""
        found = {"task": self.task, "session": self.session, "log": self.log}
        if consolidated:
            return frozenset(name for name, (_, most) in found.items() if most >= ACCUMULATED_THRESHOLD)
        return frozenset(name for name, (least, _) in found.items() if least < ACCUMULATED_THRESHOLD)


class Drifts:
    """What is known of the drifts of one world."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._unstored: dict[str, int] = {}  # drifts that are in no line, and may count
        self._processes: set[int] = set()
        self._reported: dict[int, int] = {}  # by each process, at most
        self._since: dict[int, int] = {}  # by it since it may have begun
        self._weather: dict[int, Any] = {}

    def judge(self, step: Step) -> None:
        """Judges the log, and every report of the step."""
        reports = [call for call in step.calls if call.op == "report_drift"]
        self._processes |= {call.done.begin.process for call in reports}
        judge_log(step, self._notes)
        judge_records(step, self._notes, several=len(self._processes) > 1)
        for call in step.calls:
            process = call.done.begin.process
            if process > 0 or self._weather.get(process) != call.faults:
                self._since[process] = 0  # another process may answer
            self._weather[process] = call.faults
            if call.op == "report_drift" and call.args is not None:
                self._report(step, call, reports)
            elif call.op == "drifts" and call.args is not None and call.answer is not None:
                judge_listed(step, call, self._notes)
            if call.answer is None:
                self._since[process] = 0

    def _report(self, step: Step, call: Call, reports: Sequence[Call]) -> None:
        process, id_ = call.done.begin.process, call.args.task_id
        self._reported[process] = self._reported.get(process, 0) + 1
        self._since[process] = self._since.get(process, 0) + 1
        if call.answer is not None:
            self._answered(step, call, self._known(step, call, reports))
        if call.answer is None or not call.answer.stored:
            self._unstored[id_] = self._unstored.get(id_, 0) + 1

    def _known(self, step: Step, call: Call, reports: Sequence[Call]) -> Known:
        process, id_ = call.done.begin.process, call.args.task_id
        beside = len(reports) - 1
        session = (self._since[process], self._reported[process])
        task, log = count_of(step.before, id_), count_of(step.before, None)
        if task is None or log is None or step.minds("drift"):
            return Known(_ANY, session, _ANY)
        lost = sum(self._unstored.values())
        return Known(
            (task[0] + 1, task[1] + 1 + self._unstored.get(id_, 0) + beside),
            session,
            (log[0] + 1, log[1] + 1 + lost + beside),
        )

    def _answered(self, step: Step, call: Call, known: Known) -> None:
        legal = is_legal(fields_of(call))
        self._stored(step, call, legal=legal)
        if call.answer.record is not None and is_plain(call.answer.record):
            judge_record(step, call, call.answer.record, self._notes)
        if legal is not True or not call.args.task_id or not is_plain(call.args.task_id):
            return
        self._immediate(call)
        self._numbered(call, known)
        self._consolidated(step, call, known)
        self._paused(call, known)

    def _stored(self, step: Step, call: Call, *, legal: bool | None) -> None:
        answer, notes = call.answer, self._notes
        if legal is False and not answer.stored:
            told = any(entry.code == "drift_invalid" for entry in answer.log)
            notes.holds("LK-DR-02", told, "what is illegal is told", call.said, ("refused",))
        elif legal is True and not answer.stored and not step.minds("drift"):
            if call.args.task_id and is_plain(fields_of(call)):
                notes.breaks("LK-DR-04", "the drift is appended to the log", call.said)
        if answer.stored and answer.record is None:
            notes.breaks("LK-DR-01", "the record that is stored", call.said)

    def _immediate(self, call: Call) -> None:
        steps = known_steps(call.answer.steps)
        places = [steps.index(each) if each in steps else -1 for each in IMMEDIATE]
        ok = -1 not in places and places == sorted(places)
        logged = [each.ok for each in call.answer.steps if each.action == Action.LOG]
        if ok and logged[-1] is not call.answer.stored:
            self._notes.breaks("LK-DR-04", "the step log tells whether the drift is stored", call.said)
            return
        is_first = ok and all(each in IMMEDIATE for each in steps[: places[-1]])
        self._notes.holds("LK-DR-04", ok, "stop, log, reason, reread, in that order", call.said,
                          ("first", "among") if is_first else ("among",))  # fmt: skip

    def _numbered(self, call: Call, known: Known) -> None:
        """The first warns and goes on, the second and each later one escalates."""
        steps, notes = known_steps(call.answer.steps), self._notes
        escalates, consolidates = Action.ESCALATE in steps, Action.CONSOLIDATE in steps
        if known.task == (1, 1):
            if consolidates or is_grave(call.args) or (may_be_grave(call.args) and Action.PAUSE in steps):
                return  # who dispatches the reviewer may be the orchestrator
            if escalates:
                notes.breaks("LK-DR-05", "the first drift of a task escalates to nobody", call.said)
            else:
                ok = Action.WARN in steps and Action.CONTINUE in steps
                notes.holds("LK-DR-05", ok, "the first drift of a task: warn, and continue", call.said)
        elif known.task[0] > 1:
            clause = "LK-DR-06" if known.task[0] < ACCUMULATED_THRESHOLD else "LK-DR-07"
            if not escalates:
                notes.breaks(clause, "the second drift of a task, and each later one, escalates", call.said)
            elif clause == "LK-DR-06":
                notes.agrees(clause, "the second drift of a task escalates")

    def _consolidated(self, step: Step, call: Call, known: Known) -> None:
        steps, notes = known_steps(call.answer.steps), self._notes
        if Action.CLEAR_CONTEXT in steps:
            notes.breaks("LK-DR-07", "no signal clears the context", call.said)
        done = Action.CONSOLIDATE in steps
        readings = known.may_be(consolidated=done)
        if not readings:
            expected = "memory is consolidated" + ("" if not done else " from the third drift on")
            notes.breaks("LK-DR-07", expected, call.said)
            return
        if not done:
            # who keeps no drift never has three of them in a log: that shows nothing
            if known.may_be(consolidated=True) and known.task != _ANY and call.answer.stored:
                notes.agrees("LK-DR-07", "memory is consolidated at three", readings)
            self._untouched(step, call)
            return
        oks = [each.ok for each in call.answer.steps if each.action == Action.CONSOLIDATE]
        if Action.ESCALATE not in steps:
            notes.breaks("LK-DR-07", "what is consolidated is escalated", call.said)
        elif not oks[-1] and not step.minds("continuity", "signals"):
            notes.breaks("LK-DR-07", "working memory goes into CONTINUITY.md", call.said)
        elif not oks[-1] or not step.is_alone or self._has_memory(step, call) is not False:
            notes.agrees("LK-DR-07", "memory is consolidated at three", readings)
        else:
            notes.breaks("LK-DR-07", f"CONTINUITY.md holds {call.args.working_memory!r}"[:200], call.said)

    def _has_memory(self, step: Step, call: Call) -> bool | None:
        memory = call.args.working_memory
        if step.after is None or not step.after.knows("continuity") or not memory or not is_plain(memory):
            return None
        return memory.encode() in (step.after.data("continuity") or b"")

    def _untouched(self, step: Step, call: Call) -> None:
        memory = call.args.working_memory
        if not step.is_alone or not self._has_memory(step, call) or not step.before.knows("continuity"):
            return
        if memory.encode() not in (step.before.data("continuity") or b""):
            self._notes.breaks("LK-DR-07", "what is not consolidated stays out of CONTINUITY.md", call.said)

    def _paused(self, call: Call, known: Known) -> None:
        steps, notes = known_steps(call.answer.steps), self._notes
        reviewers = [each.detail.casefold() for each in call.answer.steps if each.action == Action.REVIEW]
        if is_grave(call.args):
            ok = Action.PAUSE in steps and any(REVIEWER in each for each in reviewers)
            notes.holds("LK-DR-08", ok, "pause the task, and review it by opus", call.said, ("by_kind",))
        elif known.task == (1, 1) and (reviewers or Action.PAUSE in steps) and not may_be_grave(call.args):
            notes.breaks("LK-DR-08", "a first drift that is low or medium pauses nothing", call.said)


def is_grave(args: Any) -> bool:
    """Is the reported drift high or critical?"""
    return args.severity in tuple(GRAVE)


def may_be_grave(args: Any) -> bool:
    """May it be read as one that pauses its task: of another severity than low and medium, or severely off track?"""
    distance = args.drift_distance
    is_severe = isinstance(distance, int | float) and distance >= SEVERE_DISTANCE
    return is_severe or args.severity not in ("low", "medium")


def known_steps(steps: Sequence[StepTaken]) -> list[str]:
    """The actions taken, in order, without an implementation's own words."""
    return [each.action for each in steps if each.action in tuple(Action)]

"""The review of the dead letters: when it is done, in which order, and what it decides (LK-DQ-09 to LK-DQ-22). Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from harness.systems.calls import Call
from harness.systems.dead_letter.contract import (
    DATA_FIELDS,
    STALE_AFTER_S,
    Decision,
    Happening,
    SessionResult,
    Strategy,
    TaskFacts,
    Verdict,
)
from harness.systems.dead_letter.oracle.conditions import (
    COMBINATIONS,
    NO,
    READINGS,
    UNCLEAR,
    YES,
    Maybe,
    Situation,
    Weighed,
)
from harness.systems.dead_letter.oracle.escalations import Asked, Escalations
from harness.systems.dead_letter.oracle.outcomes import Outcome, judge_totals
from harness.systems.dead_letter.oracle.queues import State, Step, Task
from harness.systems.dead_letter.oracle.values import is_text, same, texts
from harness.systems.notes import Notes
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, EMPTY, PENDING
from harness.systems.times import is_near, looks_like_time, stamp

_REASONS: Final = {Verdict.RETRIED: "LK-DQ-12", Verdict.ABANDONED: "LK-DQ-20", Verdict.HUMAN: "LK-DQ-21"}
_WAITING: Final = (Strategy.DEPENDENCY_BLOCKED, Strategy.RETRY_WITH_SIMPLER_APPROACH)
_IN_CALL: Final = frozenset(Happening)
_NO_LINK: Final = frozenset((*DATA_FIELDS, "task_id", "task_data", "attempts", "error_summary"))


class Reviews:
    """What reviews decided before: ``spent`` the tasks of reduced scope, by original; ``left`` who was left."""

    def __init__(self, notes: Notes, escalations: Escalations) -> None:
        self._notes = notes
        self._escalations = escalations
        self._spent: dict[str, str] = {}
        self._left: set[str] = set()

    def forget(self) -> None:
        """What was decided before may be undone."""
        self._spent, self._left = {}, set()

    def judge(self, step: Step, call: Call) -> None:
        """Notes what one review, or the beginning of a session, says and leaves."""
        answer: SessionResult = call.answer
        tasks = _letters(step.before)
        if call.op == "start_session":
            self._judge_staleness(step, call, has_tasks=bool(tasks))
        if not step.before.is_whole(DEAD_LETTER):
            return
        self._spent = {id_: made for id_, made in self._spent.items() if id_ in tasks}
        if not answer.reviewed:
            self._judge_not_reviewed(step, call, has_tasks=bool(tasks))
            if not answer.decisions:
                self._judge_nothing_done(step, call)
                return
        elif tasks:
            self._judge_trace(step, call)
        if answer.reviewed:
            self._judge_complete(step, call, tasks)
        self._judge_decisions(step, call, tasks)

    def _judge_staleness(self, step: Step, call: Call, *, has_tasks: bool) -> None:
        """LK-DQ-09: whether it is reviewed, and that work comes after."""
        answer: SessionResult = call.answer
        words = [word for word in answer.order if word in _IN_CALL]
        in_order = Happening.WORK in words and words.index(Happening.WORK) == len(words) - 1
        in_order = in_order and not (answer.reviewed and has_tasks and Happening.REVIEW not in words)
        if not in_order:
            expected = "the review of dead letters comes before work, with which a session begins"
            self._notes.breaks("LK-DQ-09", expected, f"{list(answer.order)}"[:300])
            return
        if not has_tasks or not step.before.is_whole(DEAD_LETTER) or call.at is None:
            return
        readings = _staleness(step.before, call)
        if readings is None or (step.shaken and not answer.reviewed):
            return
        found = {name for name, stale in readings.items() if stale is answer.reviewed}
        expected = f"last_reviewed {step.before.metadata().get('last_reviewed')!r}: reviewed {readings}"
        self._notes.holds("LK-DQ-09", bool(found), expected, call.said, found)

    def _judge_not_reviewed(self, step: Step, call: Call, *, has_tasks: bool) -> None:
        if step.is_calm and has_tasks and (call.op == "review" or call.answer.decisions):
            clause = "LK-DQ-11" if call.op == "review" else "LK-DQ-09"
            self._notes.breaks(clause, "the queue is reviewed to its end, or not at all", call.said)
        if step.after is not None and step.after.is_whole(DEAD_LETTER):
            before, after = (state.metadata().get("last_reviewed") for state in (step.before, step.after))
            if not same(before, after) and is_near(after, call.at):
                self._notes.breaks("LK-DQ-10", f"last_reviewed stays {before!r} without a review", f"{after!r}")

    def _judge_nothing_done(self, step: Step, call: Call) -> None:
        if not step.shaken and not step.has_unended():
            self._escalations.judge(step, call, (), call.answer.notified)
        judge_totals(step, (0,), (0,), self._notes)

    def _judge_trace(self, step: Step, call: Call) -> None:
        """LK-DQ-10: last_reviewed is written after everything was decided."""
        answer: SessionResult = call.answer
        words = [word for word in answer.order if word in _IN_CALL]
        numbers = {word: [n for n, each in enumerate(words) if each == word] for word in Happening}
        review, decided, written = (
            numbers[word] for word in (Happening.REVIEW, Happening.DECIDED, Happening.LAST_REVIEWED)
        )
        ok = bool(review and written) and len(decided) == len(answer.decisions)
        ok = ok and review[0] < min((*decided, written[0])) and max((*decided, -1)) < written[0]
        ok = ok and all(each.stored for each in answer.decisions)
        if not ok:
            expected = "review, decided once for each decision, last_reviewed; each decision stored"
            self._notes.breaks("LK-DQ-10", expected, call.said)
        elif step.after is not None and step.after.is_whole(DEAD_LETTER):
            found = step.after.metadata().get("last_reviewed")
            self._notes.holds("LK-DQ-10", is_near(found, call.at), "last_reviewed is the time of the review",
                              f"{found!r} after {call.said}")  # fmt: skip

    def _judge_complete(self, step: Step, call: Call, tasks: Mapping[str, Task]) -> None:
        """Every dead letter is decided about once, in the order of the file."""
        told = [each.task_id for each in call.answer.decisions]
        free = {id_ for id_ in step.before.ids() if len(step.before.copies(id_)) > 1 or step.before.is_unended(id_)}
        wanted = [id_ for id_ in tasks if id_ not in free]
        found = [id_ for id_ in told if id_ not in free]
        if found != wanted or max(Counter(told).values(), default=1) > 1:
            self._notes.breaks(
                "LK-DQ-11", f"each of {wanted} is decided about once, in this order"[:300], f"{told}"[:300]
            )
        for id_ in self._left & set(wanted) - set(found):
            self._notes.breaks("LK-DQ-22", f"{id_!r}, which waits, is decided about by each review", f"{told}"[:300])

    def _judge_decisions(self, step: Step, call: Call, tasks: Mapping[str, Task]) -> None:
        decisions: Sequence[Decision] = call.answer.decisions
        kinds = {each.task_id: each.decision for each in decisions}
        facts: Mapping[str, TaskFacts] = call.args.facts
        humans: list[Asked] = []
        for decision in decisions:
            copies = step.before.copies(decision.task_id)
            if len(copies) != 1 or decision.task_id not in tasks:  # a move of it may have been ended first
                if copies and decision.decision == Verdict.HUMAN:
                    humans.append(Asked(decision.task_id, copies[-1][1], None))
                continue
            situation = self._situation(decision.task_id, step.before, tasks, facts, kinds)
            known = decision.decision in tuple(Verdict)
            clause = _REASONS.get(Verdict(decision.decision), "LK-DQ-11") if known else "LK-DQ-11"
            if not known or not is_text(decision.reason) or not (decision.stored or step.shaken):
                self._notes.breaks(clause, "a word of Verdict, with a reason, stored", f"{decision}"[:300])
                continue
            self._judge_one(situation, decision)
            if decision.decision == Verdict.HUMAN and decision.stored:
                humans.append(self._escalations.asked(decision.task_id, situation.task, waits=situation.waits))
            if step.after is not None and decision.stored:
                Outcome(step, step.after, situation, decision, self._notes).judge()
            if decision.decision != Verdict.HUMAN:
                self._escalations.made.pop(decision.task_id, None)
        if step.shaken:
            self._escalations.judge_shaken(step, call, humans)
        else:
            self._escalations.judge(step, call, humans, call.answer.notified)
        self._judge_sums(step, decisions)
        self._remember(decisions)

    def _judge_one(self, situation: Situation, decision: Decision) -> None:
        """Notes which clauses, and which of their readings, a decision agrees with."""
        weighed = Weighed(situation)
        agreed = [taken for taken, kinds in zip(COMBINATIONS, weighed.permitted, strict=True)
                  if decision.decision in kinds]  # fmt: skip
        clauses = weighed.relevant()
        id_ = decision.task_id
        if situation.task.get("recovery_strategy") in _WAITING and id_ in self._left:
            clauses.append("LK-DQ-22")
        expected = f"{id_!r} is {' or '.join(weighed.wanted)}"
        if not agreed:
            for clause in clauses or ("LK-DQ-11",):
                self._notes.breaks(clause, expected, f"{decision}"[:300])
            met = [name for name, found in weighed.retries.items() if found == YES]
            for clause in met if len(met) == 1 else ():
                self._notes.breaks(clause, expected, f"{decision}"[:300])
            return
        for clause, names in READINGS.items():
            left = {taken[clause] for taken in agreed}
            if clause in clauses or len(left) < len(names):
                self._notes.agrees(clause, expected, left)
        for clause in clauses:
            if clause not in READINGS:
                self._notes.agrees(clause, expected, ("context",) if clause == "LK-ES-04" else None)

    def _situation(
        self,
        id_: str,
        state: State,
        tasks: Mapping[str, Task],
        facts: Mapping[str, TaskFacts],
        kinds: Mapping[str, str],
    ) -> Situation:
        causes = {each: facts[each].root_cause for each in tasks if each in facts}
        stay = [cause for each, cause in causes.items() if cause is not None
                and kinds.get(each) in (Verdict.HUMAN, Verdict.LEFT)]  # fmt: skip
        every = [cause for cause in causes.values() if cause is not None]
        spent: Maybe = YES if id_ in self._spent else UNCLEAR if _is_linked(id_, state) else NO
        return Situation(tasks[id_], facts.get(id_, TaskFacts()), stay, every, spent)

    def _judge_sums(self, step: Step, decisions: Iterable[Decision]) -> None:
        if step.after is None or not step.after.knows(PENDING, ABANDONED):
            return
        stored = [each for each in decisions if each.stored]
        retried = [each for each in stored if each.decision == Verdict.RETRIED]
        moved = [each for each in retried if _stands(step.after, each.task_id, PENDING)]
        given_up = [each for each in retried if _stands(step.after, each.task_id, ABANDONED)]
        made = len([each for each in retried if each.created is not None])
        abandoned = len([each for each in stored if each.decision == Verdict.ABANDONED])
        plain = len([each for each in moved if each.created is None])
        judge_totals(step, range(plain, max(len(moved), plain + made) + 1),
                     range(abandoned, abandoned + len(given_up) + 1), self._notes)  # fmt: skip
        if step.is_calm and step.is_settled and not step.before.unknown:
            announced = {each.created for each in retried}
            new = [id_ for id_ in step.after.ids() if id_ not in step.before.ids() and id_ not in announced]
            if new:
                self._notes.breaks("LK-DQ-15", "each task of reduced scope is told of", f"{new}"[:300])

    def _remember(self, decisions: Iterable[Decision]) -> None:
        for each in decisions:
            if each.decision == Verdict.LEFT and each.stored:
                self._left.add(each.task_id)
            elif each.decision != Verdict.LEFT:
                self._left.discard(each.task_id)
            if each.created is not None and each.stored:
                self._spent[each.task_id] = each.created

    def struck(self, step: Step, call: Call) -> None:
        """LK-DQ-10 of a review without an answer: last_reviewed is the old one, or all was decided."""
        tasks = _letters(step.before)
        self._escalations.struck(tasks)
        after = step.after
        if after is None or not tasks or not after.is_whole(DEAD_LETTER) or not step.before.is_whole(DEAD_LETTER):
            return
        before, found = (state.metadata().get("last_reviewed") for state in (step.before, after))
        if same(before, found):
            if call.excused:  # who merely says nothing shows nothing
                self._notes.agrees("LK-DQ-10", "a review that was cut off leaves last_reviewed")
            return
        facts = call.args.facts if call.args is not None else {}
        undone = [id_ for id_ in tasks if _is_undone(self._situation(id_, step.before, tasks, facts, {}), id_, after)]
        expected = f"last_reviewed stays {before!r} until everything is decided"
        self._notes.holds("LK-DQ-10", is_near(found, call.at) and not undone, expected, f"{found!r}, undone {undone}")


def _letters(state: State) -> Mapping[str, Task]:
    """The dead letters that have an id, the first of each, in the order of the file."""
    found = state.files.get(DEAD_LETTER, EMPTY)
    return {id_: found.find(id_) or {} for id_ in found.ids()}


def _stands(state: State, id_: str, queue: str) -> bool:
    return any(each == queue for each, _ in state.copies(id_))


def _staleness(state: State, call: Call) -> Mapping[str, bool] | None:
    """Whether a session has to review, by the reading; None when what stands there may be a time or none."""
    value = state.metadata().get("last_reviewed")
    found, now = stamp(value), call.at
    if found is None or now is None:
        return None if looks_like_time(value) else {"stale": True, "past": True, "every": True}
    age = now - found
    is_old, is_future = age > timedelta(seconds=STALE_AFTER_S), age < timedelta(0)
    return {"stale": is_old or is_future, "past": is_old, "every": True}


def _links(task: Task) -> Iterator[str]:
    for name, value in task.items():
        if name not in _NO_LINK:
            yield from texts(value)


def _is_linked(id_: str, state: State) -> bool:
    """Does that dead letter name another task, or does one name it?"""
    ids = set(state.ids()) - {id_}
    everyone: Iterator[tuple[str | None, Any]] = (
        (each, task) for each in state.ids() for _, task in state.copies(each)
    )
    return any(bool(ids & set(_links(task))) if each == id_ else id_ in _links(task) for each, task in everyone)


def _is_undone(situation: Situation, id_: str, after: State) -> bool:
    """Is what certainly had to be decided about that task not to be seen?"""
    decided = set(Weighed(situation).wanted)
    met = [clause for clause, found in situation.retries().items() if found != NO]
    here = next((task for queue, task in after.copies(id_) if queue == DEAD_LETTER), None)
    if here is None or len(decided) > 1 or met == ["LK-DQ-15"]:
        return False
    if decided == {Verdict.HUMAN}:
        return here.get("recovery_strategy") != Strategy.REQUIRES_HUMAN_REVIEW
    return decided != {Verdict.LEFT}

"""What the files have to show of each decision of a review, and of the totals. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from harness.systems.dead_letter import contract
from harness.systems.dead_letter.contract import (
    ABANDON_REASON,
    DATA_FIELDS,
    RECOVERY_REASON,
    TASK_FIELDS,
    Decision,
    Scope,
    Strategy,
    Verdict,
)
from harness.systems.dead_letter.oracle.conditions import YES, Situation
from harness.systems.dead_letter.oracle.failing import is_next, keeps_failures
from harness.systems.dead_letter.oracle.letters import is_strategy, judge_strategy
from harness.systems.dead_letter.oracle.queues import State, Step, Task
from harness.systems.dead_letter.oracle.values import is_text, same, texts
from harness.systems.notes import Notes
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, PENDING, is_count
from harness.systems.times import is_near

_NO_REASON: Final = frozenset((*TASK_FIELDS, *DATA_FIELDS, contract.FIX_COMMIT, contract.LINKED_TO))


class Outcome:
    """One decision that was stored, and the files after it."""

    def __init__(self, step: Step, after: State, situation: Situation, decision: Decision, notes: Notes) -> None:
        self._step, self._after, self._notes = step, after, notes
        self._situation, self._decision = situation, decision
        self._before = situation.task
        self._facts = situation.facts
        self.id = decision.task_id

    def judge(self) -> None:
        """Notes what the files show of it."""
        if self._decision.decision == Verdict.RETRIED:
            self._retried()
        elif self._decision.decision == Verdict.ABANDONED:
            task = self._in(ABANDONED, "LK-DQ-20")
            if task is not None:
                judge_abandoned(self._before, task, None, self._notes)
                judge_kept(self._before, task, self._notes)
                self._is_said(task)
                self._notes.holds("LK-DQ-07", task.get("recovery_strategy") == Strategy.PERMANENT_ABANDON,
                                  "an abandoned task is permanent_abandon", f"{task.get('recovery_strategy')!r}",
                                  ("added",))  # fmt: skip
        elif self._decision.decision == Verdict.HUMAN:
            self._human()
        else:
            self._left()

    def _in(self, queue: str, clause: str) -> Task | None:
        """The task as it stands in that queue; noted when it does not."""
        found = next((task for each, task in self._after.copies(self.id) if each == queue), None)
        if found is None and self._after.knows(queue):
            places = [each for each, _ in self._after.copies(self.id)]
            self._notes.breaks(clause, f"{self.id!r}, {self._decision.decision}, is in {queue}", f"it is in {places}")
        return found

    def _is_said(self, task: Task) -> None:
        """Is the strategy that was answered the stored one?"""
        said = self._decision.strategy
        if said is not None and not same(said, task.get("recovery_strategy")):
            expected = f"the stored recovery_strategy of {self.id!r} is {said!r}"
            self._notes.breaks("LK-DQ-07", expected, f"{task.get('recovery_strategy')!r}")

    def _human(self) -> None:
        task = self._in(DEAD_LETTER, "LK-DQ-21")
        if task is not None:
            ok = task.get("recovery_strategy") == Strategy.REQUIRES_HUMAN_REVIEW
            expected = "a task that needs a human stays, with requires_human_review"
            self._notes.holds("LK-DQ-21", ok, expected, f"{task.get('recovery_strategy')!r}")
            judge_strategy(task, self._notes)
            judge_kept(self._before, task, self._notes)
            self._is_said(task)

    def _left(self) -> None:
        task = self._in(DEAD_LETTER, "LK-DQ-11")
        if task is None:
            return
        judge_strategy(task, self._notes)
        judge_kept(self._before, task, self._notes)
        self._is_said(task)
        kinds = [each.get("error_type") for each in contract.failures_of(task)]
        dependent = sum(kind == "dependency" for kind in kinds)
        if not kinds or 0 < dependent < len(kinds) or not is_strategy(task):
            return
        wanted = Strategy.DEPENDENCY_BLOCKED if dependent else Strategy.RETRY_WITH_SIMPLER_APPROACH
        found, had = task.get("recovery_strategy"), self._before.get("recovery_strategy")
        readings = {"picked"} if found == wanted else set()
        if same(found, had) or not is_strategy(self._before):
            readings.add("kept")
        expected = f"the strategy of a task that failed for {sorted(set(map(str, kinds)))} is {wanted}"
        self._notes.holds("LK-DQ-24", bool(readings), expected, f"{found!r}, it had {had!r}", readings)

    def _retried(self) -> None:
        met = {clause: found for clause, found in self._situation.retries().items() if True in found}
        scope = self._facts.simpler_scope
        made = self._decision.created is not None
        if made and "LK-DQ-15" not in met:
            self._notes.breaks("LK-DQ-15", "no second task of reduced scope", f"{self._decision.created!r} was made")
        elif scope is not None and (made or set(met) == {"LK-DQ-15"}):
            self._simpler(scope, alone=set(met) == {"LK-DQ-15"})
            if set(met) == {"LK-DQ-15"} or not any(queue == PENDING for queue, _ in self._after.copies(self.id)):
                return
        task = self._in(PENDING, "LK-DQ-12")
        if task is not None:
            self._back(task, met, made=made)

    def _back(self, task: Task, met: Mapping[str, Any], *, made: bool) -> None:
        """The task itself went back to pending."""
        expected = "a task that went back to pending says why"
        self._notes.holds("LK-DQ-12", has_reason(self._before, task, RECOVERY_REASON), expected, f"{task}"[:400])
        self._is_said(task)
        done = {
            "LK-DQ-13": task.get("recovery_strategy") == Strategy.DEPENDENCY_RESOLVED,
            "LK-DQ-14": self._is_reset(task),
            "LK-DQ-15": made,
            "LK-DQ-16": any((self._facts.fixed_by or "") in each for each in texts(task)),
        }
        if "LK-DQ-14" in met:
            if met["LK-DQ-14"] == YES:
                expected = "failure_count is 0, and the new approach the last attempt, which has not failed"
                self._notes.holds("LK-DQ-14", done["LK-DQ-14"], expected, f"{task}"[:400])
        elif judge_kept(self._before, task, self._notes):
            self._notes.agrees("LK-DQ-14", "without a new approach failure_count stays")
        alone = len(met) == 1
        for clause in ("LK-DQ-13", "LK-DQ-16"):
            if alone and met.get(clause) == YES:
                self._notes.holds(clause, done[clause], _ACTIONS[clause], f"{task}"[:400])
        if not alone and YES in met.values() and not any(done[clause] for clause in met):
            self._notes.breaks("LK-DQ-12", f"one of {sorted(met)} is taken up", f"{task}"[:400])

    def _is_reset(self, task: Task) -> bool:
        """Is the count 0, and the new approach the last attempt, where it was not planned already?"""
        before, tried = contract.attempts_of(self._before), contract.attempts_of(task)
        if not tried or not is_count(task.get("failure_count")) or task.get("failure_count") != 0:
            return False
        last = tried[-1]
        if last.get("approach") != self._facts.new_approach or contract.has_failed(last):
            return False
        if len(tried) == len(before):
            return True
        follows = is_next(last.get("attempt_number"), tried[:-1]) and len(tried) == len(before) + 1
        return follows and is_near(last.get("timestamp"), self._step.first.at)

    def _simpler(self, scope: Scope, *, alone: bool) -> None:
        """A task of reduced scope was made, and is linked; the original is where a reading has it."""
        created = self._decision.created
        found = [] if created is None else self._after.copies(created)
        if created is not None and not found and not self._after.knows(PENDING):
            return
        data = contract.data_of(found[0][1]) if found else {}
        ok = len(found) == 1 and found[0][0] == PENDING and not self._step.before.copies(str(created))
        ok = ok and data.get("title") == scope.title and data.get("description") == scope.description
        ok = ok and any(each == self.id for name, value in found[0][1].items() if name != "task_id"
                        for each in texts(value))  # fmt: skip
        expected = f"a new task in pending with {scope.title!r}, which has {self.id!r} in one of its fields"
        if not ok:
            self._notes.breaks("LK-DQ-15", expected, f"{created!r}: {found}"[:400])
            return
        for _, task in self._after.copies(self.id):
            judge_kept(self._before, task, self._notes)
        readings = {_FATES[queue] for queue, _ in self._after.copies(self.id) if queue in _FATES}
        original = next((task for queue, task in self._after.copies(self.id) if queue == DEAD_LETTER), None)
        if original is not None and not any(each == created for name, value in original.items() if name != "task_id"
                                            for each in texts(value)):  # fmt: skip
            self._notes.breaks("LK-DQ-15", f"the original names {created!r}", f"{original}"[:400])
        elif alone and self._after.knows(*_FATES):
            self._notes.holds("LK-DQ-15", bool(readings), "the original stands in a queue", "it is gone", readings)


_ACTIONS: Final = {
    "LK-DQ-13": "a task whose dependency became available is dependency_resolved",
    "LK-DQ-16": "a task whose blocking bug was fixed names the commit",
}
_FATES: Final = {DEAD_LETTER: "stays", PENDING: "pending", ABANDONED: "abandoned"}


def has_reason(before: Task, after: Task, field: str) -> bool:
    """Has it a reason: in that field, or in another text that was not there before?"""
    new = [name for name, value in after.items() if name not in _NO_REASON and not same(before.get(name), value)]
    return is_text(after.get(field)) or any(is_text(each) for name in new for each in texts(after[name]))


def judge_abandoned(before: Task, task: Task, given: str | None, notes: Notes) -> None:
    """LK-DQ-20: an abandoned task has its reason, the ``given`` one where a human gave it."""
    ok = has_reason(before, task, ABANDON_REASON)
    if given is not None and is_text(given):
        ok = any(given in each for each in texts(task))
    notes.holds("LK-DQ-20", ok, f"an abandoned task says why{': ' + given if given else ''}"[:200], f"{task}"[:400])


def judge_kept(before: Task, task: Task, notes: Notes) -> bool:
    """LK-DQ-14, of a task for which no new approach was found; is it so?"""
    kept = keeps_failures(before, task)
    if not kept:
        count = contract.failure_count_of(before)
        expected = f"without a new approach failure_count stays {count}, and attempts as they are"
        added = len(contract.attempts_of(task)) - len(contract.attempts_of(before))
        notes.breaks("LK-DQ-14", expected, f"{task.get('failure_count')!r}, {added} more")
    return kept


def judge_totals(step: Step, recovered: Iterable[int], abandoned: Iterable[int], notes: Notes) -> None:
    """Each total grows by one of the given numbers, or stays, in every step alike."""
    if step.after is None or not step.is_calm or not step.after.knows(DEAD_LETTER):
        return
    if DEAD_LETTER in step.after.damaged or not step.before.is_whole(DEAD_LETTER) or step.has_unended():
        return
    named = (("LK-DQ-12", "total_recovered", recovered), ("LK-DQ-20", "total_abandoned", abandoned))
    for clause, name, numbers in named:
        before, after = (state.metadata().get(name) or 0 for state in (step.before, step.after))
        if not is_count(before):
            continue
        wanted = sorted(set(numbers))
        more = after - before if is_count(after) else None
        expected = f"{name} is {before}, and {' or '.join(map(str, wanted))} more"
        readings = {"counted"} if more in wanted else set()
        readings |= {"uncounted"} if more == 0 else set()
        if not readings:
            notes.breaks(clause, expected, f"{after!r} after {step.first.said}")
        elif len(readings) == 1:
            notes.agrees(clause, expected, readings)

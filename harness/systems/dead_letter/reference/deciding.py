"""What becomes of a dead letter: retried, else abandoned, else a human is asked, else it is left. Pure.

Source: document 000, Retry Conditions, Permanent Abandon Criteria, Escalation Triggers, Agent Workflow (L441-537).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from harness.ports.clock import to_seconds
from harness.systems.dead_letter.contract import (
    CONFIDENCE_AT_LEAST,
    IRREVERSIBLE,
    SECURITY,
    SECURITY_WORDS,
    SHARED_CAUSE_TASKS,
    STALE_AFTER_S,
    TaskFacts,
    Verdict,
    data_of,
)
from harness.systems.dead_letter.reference.failures import Analyst, Task
from harness.systems.dead_letter.reference.texts import one_line

NOTHING = TaskFacts()
_WORD = re.compile(r"[^\W_]+")


class Choice(NamedTuple):
    """What becomes of one task, and why: for a human the triggers, otherwise what applies, in words."""

    task: Task
    facts: TaskFacts
    verdict: Verdict
    reason: str


class Decider:
    """The tests of a review, in the order of the document (LK-DQ-11)."""

    stale_after_s = STALE_AFTER_S
    confidence_at_least = CONFIDENCE_AT_LEAST
    sharing_at_least = SHARED_CAUSE_TASKS

    def __init__(self, analyst: Analyst) -> None:
        self.analyst = analyst

    def is_stale(self, last_reviewed: object, now_s: float) -> bool:
        """Has the daily review to be done (LK-DQ-09)? A time that is none, or in the future, proves no review."""
        try:
            age_s = now_s - to_seconds(str(last_reviewed))
        except ValueError:
            return True
        return self.is_old(age_s)

    def is_old(self, age_s: float) -> bool:
        """Is a review of that age too old?"""
        return age_s < 0 or age_s > self.stale_after_s

    def choices(self, tasks: Iterable[Task], facts: Mapping[str, TaskFacts], linked: Mapping[str, str]) -> list[Choice]:
        """One for each task, in their order; ``linked`` are the simpler tasks, by the id of their original."""
        first = [self.first_choice(task, facts.get(task["task_id"], NOTHING), linked) for task in tasks]
        causes = Counter(each.facts.root_cause for each in first if self.shares(each))
        return [self.last_choice(each, causes) for each in first]

    def first_choice(self, task: Task, facts: TaskFacts, linked: Mapping[str, str]) -> Choice:
        """What needs no look at the other tasks; left when nothing is decided so far."""
        reasons = self.retry_reasons(facts)
        if reasons:
            return Choice(task, facts, Verdict.RETRIED, "; ".join(reasons))
        if facts.simpler_scope is not None:
            if task["task_id"] in linked:
                simpler = f"a simpler task was made of it: {linked[task['task_id']]}"
                return Choice(task, facts, Verdict.LEFT, simpler)
            return Choice(task, facts, Verdict.RETRIED, "a simpler scope is defined")
        reasons = self.abandon_reasons(task, facts)
        if reasons:
            return Choice(task, facts, Verdict.ABANDONED, "; ".join(reasons))
        return Choice(task, facts, Verdict.LEFT, "")

    def last_choice(self, choice: Choice, causes: Mapping[str | None, int]) -> Choice:
        """The choice, with what is known of the root causes; see LK-ES-03."""
        if choice.reason:
            return choice
        triggers = self.triggers(choice.task, choice.facts, causes[choice.facts.root_cause])
        if triggers:
            return choice._replace(verdict=Verdict.HUMAN, reason="; ".join(triggers))
        return choice._replace(reason="nothing has changed; it waits for the next review")

    def shares(self, choice: Choice) -> bool:
        """Does it count among the tasks that share a root cause?"""
        return choice.verdict == Verdict.LEFT and bool(choice.facts.root_cause)

    def retry_reasons(self, facts: TaskFacts) -> list[str]:
        """The retry conditions that are met with which the task itself goes back (L445-450)."""
        found = []
        if facts.dependency_available:
            found.append("the missing dependency is available")
        if facts.new_approach:
            found.append(f"there is a new approach: {one_line(facts.new_approach)}")
        if facts.fixed_by:
            found.append(f"the blocking bug was fixed by {one_line(facts.fixed_by)}")
        return found

    def abandon_reasons(self, task: Task, facts: TaskFacts) -> list[str]:
        """The abandon criteria that are met, but what a human says (L456-462)."""
        found = []
        if self.analyst.is_worn_out(task):
            found.append(f"{len(self.analyst.failures(task))} attempts failed")
        if self.analyst.is_stuck(task):
            found.append(f"the same error in {self.analyst.approaches_at_least} different approaches")
        if facts.dependency_never:
            found.append("its dependency will never be available")
        if facts.irrelevant:
            found.append("its scope is no longer relevant")
        return found

    def triggers(self, task: Task, facts: TaskFacts, sharing: int) -> list[str]:
        """What a human is needed for (L477-484); ``sharing`` tasks have its root cause."""
        found = []
        if self.is_critical(task, facts):
            found.append("security: it touches auth, secrets or permissions")
        if self.is_data_at_risk(facts):
            found.append("risk of data loss: the rollback of a deletion or migration failed")
        if sharing >= self.sharing_at_least:
            found.append(f"{sharing} tasks share a root cause: {one_line(facts.root_cause)}")
        if self.is_unsure(facts):
            found.append(f"confidence in a recovery strategy is below {self.confidence_at_least:.2f}")
        if facts.needs:
            found.append(f"it needs {', '.join(map(one_line, facts.needs)) or 'something from outside'}")
        if facts.readings > 1:
            found.append(f"its spec has {facts.readings} valid interpretations")
        return found

    def is_critical(self, task: Task, facts: TaskFacts) -> bool:
        """Does it touch auth, secrets or permissions, by what is said or by its words (LK-ES-01)?"""
        return not SECURITY.isdisjoint(facts.touches) or not SECURITY_WORDS.isdisjoint(self.words(task))

    def words(self, task: Task) -> set[str]:
        """The words of its title and description."""
        data = data_of(task)
        texts = [data[name] for name in ("title", "description") if isinstance(data.get(name), str)]
        return {word for text in texts for word in _WORD.findall(text.lower())}

    def is_data_at_risk(self, facts: TaskFacts) -> bool:
        """Did the rollback of a deletion or migration fail (LK-ES-02, reading ``rollback``)?"""
        return facts.rollback_failed and not IRREVERSIBLE.isdisjoint(facts.touches)

    def is_unsure(self, facts: TaskFacts) -> bool:
        """LK-ES-04."""
        return facts.confidence is not None and facts.confidence < self.confidence_at_least

"""Mutants of the dead-letter queue written from document 000 alone, without a look at what judges them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from harness.systems.dead_letter.contract import Happening, TaskFacts, failure_count_of
from harness.systems.dead_letter.mutants.table import TABLE as WRITTEN_KNOWING
from harness.systems.dead_letter.reference.deciding import NOTHING, Choice, Decider
from harness.systems.dead_letter.reference.failures import Analyst, Task
from harness.systems.dead_letter.reference.kept_queues import DeadLetterQueues
from harness.systems.dead_letter.reference.letters import Letters
from harness.systems.dead_letter.reference.review import Course, Reviewer
from harness.systems.mutant import Mutant

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants

DAY_S = 24 * 3600


@mutant("old-failures-still-count", "LK-DQ-01", "moves a task by all its failures, those before a new approach as well")
class OldFailuresStillCount(Letters):
    """Counts the attempts instead of reading the count that was reset."""

    def is_dead(self, task: Task) -> bool:
        """Has it failed too often to be tried again?"""
        return len(self.analyst.failures(task)) > self.failures_at_most


@mutant("first-origin-stays", "LK-DQ-04", "keeps the original_queue of the first time when a task comes back")
class FirstOriginStays(Letters):
    """A task that was here before has the field already."""

    def dead(self, task: Task, source: str) -> dict[str, Any]:
        """It as a dead letter."""
        known = task.get("original_queue")
        return super().dead(task, known if isinstance(known, str) else source)


@mutant("attempts-numbered-by-count", "LK-DQ-05", "numbers attempts by failure_count, anew after a new approach")
class AttemptsNumberedByCount(Letters):
    """Takes the count of failures for the number of the attempt."""

    def number(self, task: Task) -> int:
        """The number of the next attempt."""
        return failure_count_of(task) + 1


@mutant("stale-after-whole-days", "LK-DQ-09", "counts the age of a review in whole days, of which one is not too many")
class StaleAfterWholeDays(Decider):
    """The days of a difference, more than one."""

    def is_old(self, age_s: float) -> bool:
        """Is a review of that age too old?"""
        return age_s < 0 or age_s // DAY_S > 1


@mutant(
    "half-a-review-is-dated",
    "LK-DQ-10",
    "updates last_reviewed though a decision could not be stored",
    level="L2",
)
class HalfAReviewIsDated(Reviewer):
    """The date is written when the loop has ended, however it went."""

    def review(self, queues: DeadLetterQueues, course: Course) -> bool:
        """Reviews the queue."""
        done = super().review(queues, course)
        if not done and Happening.REVIEW in course.order and Happening.LAST_REVIEWED not in course.order:
            self.conclude(queues, course)
        return done


@mutant(
    "one-condition-at-a-time", "LK-DQ-14", "does not reset the count when a dependency came along with the approach"
)
class OneConditionAtATime(Letters):
    """The conditions are the branches of one if."""

    def retried(self, task: Task, facts: TaskFacts, reason: str, now_s: float) -> dict[str, Any]:
        """It as it goes back to pending."""
        before = failure_count_of(task)
        made = dict(super().retried(task, facts, reason, now_s))
        if facts.dependency_available and facts.new_approach:
            made["failure_count"] = before
        return made


@mutant("same-error-in-a-row", "LK-DQ-18", "sees one error in three approaches only in the last three attempts")
class SameErrorInARow(Analyst):
    """Another error in between, or a repeated approach, hides it."""

    def is_stuck(self, task: Task) -> bool:
        """Was there one error in three different approaches?"""
        latest = self.failures(task)[-self.approaches_at_least :]
        approaches = {each.get("approach") for each in latest if isinstance(each.get("approach"), str)} - {""}
        return len(approaches) >= self.approaches_at_least and len({self.error(each) for each in latest}) == 1


@mutant("one-notice-a-review", "LK-DQ-21", "tells a human of the first task that needs one in a review, of no other")
class OneNoticeAReview(Reviewer):
    """One notice a call, to spare the human."""

    def escalate(self, queues: DeadLetterQueues, choice: Choice, course: Course) -> None:
        """The task stays and waits for a human."""
        super().escalate(queues, choice, course)
        del course.notified[1:]


@mutant("first-two-of-a-cause-wait", "LK-ES-03", "escalates from the third task of a root cause on, not those before")
class FirstTwoOfACauseWait(Decider):
    """Counts while it decides."""

    def choices(self, tasks: Iterable[Task], facts: Mapping[str, TaskFacts], linked: Mapping[str, str]) -> list[Choice]:
        """One for each task."""
        causes: Counter[str | None] = Counter()
        found = []
        for task in tasks:
            choice = self.first_choice(task, facts.get(task["task_id"], NOTHING), linked)
            causes[choice.facts.root_cause] += self.shares(choice)
            found.append(self.last_choice(choice, causes))
        return found


@mutant("no-confidence-is-not-asked", "LK-ES-04", "takes a confidence of zero for one that nobody gave")
class NoConfidenceIsNotAsked(Decider):
    """Zero is falsy."""

    def is_unsure(self, facts: TaskFacts) -> bool:
        """Is the confidence too low?"""
        return bool(facts.confidence) and super().is_unsure(facts)

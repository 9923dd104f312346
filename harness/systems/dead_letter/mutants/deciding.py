"""Mutants of what is decided about a dead letter."""

from collections.abc import Mapping

from harness.systems.dead_letter.contract import SECURITY, TaskFacts, Touch, Verdict, failure_count_of
from harness.systems.dead_letter.mutants.table import mutant
from harness.systems.dead_letter.reference.deciding import Choice, Decider
from harness.systems.dead_letter.reference.failures import Analyst, Task


@mutant("a-day-is-old", "LK-DQ-09", "a review that is exactly 24 hours old is done again")
class ADayIsOld(Decider):
    def is_old(self, age_s: float) -> bool:
        return age_s < 0 or age_s >= self.stale_after_s


@mutant("two-days-are-fresh", "LK-DQ-09", "the queue is reviewed every second day")
class TwoDaysAreFresh(Decider):
    stale_after_s = 2 * Decider.stale_after_s


@mutant("no-time-is-fresh", "LK-DQ-09", "a queue that was never reviewed is not reviewed")
class NoTimeIsFresh(Decider):
    def is_stale(self, last_reviewed: object, now_s: float) -> bool:
        return last_reviewed is not None and super().is_stale(last_reviewed, now_s)


@mutant("abandoned-before-it-is-retried", "LK-DQ-11", "a task that meets an abandon criterion is never retried")
class AbandonedBeforeItIsRetried(Decider):
    def first_choice(self, task: Task, facts: TaskFacts, linked: Mapping[str, str]) -> Choice:
        reasons = self.abandon_reasons(task, facts)
        if reasons:
            return Choice(task, facts, Verdict.ABANDONED, "; ".join(reasons))
        return super().first_choice(task, facts, linked)


@mutant("a-human-is-asked-first", "LK-DQ-11", "a task that needs a human is never abandoned")
class AHumanIsAskedFirst(Decider):
    def last_choice(self, choice: Choice, causes: Mapping[str | None, int]) -> Choice:
        if choice.verdict != Verdict.ABANDONED:
            return super().last_choice(choice, causes)
        found = super().last_choice(choice._replace(reason=""), causes)
        return found if found.verdict == Verdict.HUMAN else choice


@mutant("blocked-is-not-checked-again", "LK-DQ-22", "a task that is dependency_blocked stays so, whatever is available")
class BlockedIsNotCheckedAgain(Decider):
    def first_choice(self, task: Task, facts: TaskFacts, linked: Mapping[str, str]) -> Choice:
        if task.get("recovery_strategy") == "dependency_blocked":
            return Choice(task, facts, Verdict.LEFT, "it is blocked")
        return super().first_choice(task, facts, linked)


@mutant("nine-attempts-are-too-many", "LK-DQ-17", "a task with nine attempts is abandoned")
class NineAttemptsAreTooMany(Analyst):
    attempts_at_most = 8


@mutant("ten-attempts-are-few", "LK-DQ-17", "a task with ten attempts is not abandoned")
class TenAttemptsAreFew(Analyst):
    attempts_at_most = 10


@mutant(
    "failures-are-counted-for-attempts", "LK-DQ-17", "the count, which a new approach resets, decides on abandoning"
)
class FailuresAreCountedForAttempts(Analyst):
    def is_worn_out(self, task: Task) -> bool:
        return failure_count_of(task) > self.attempts_at_most


@mutant("two-approaches-are-enough", "LK-DQ-18", "one error in two approaches is enough")
class TwoApproachesAreEnough(Analyst):
    approaches_at_least = 2


@mutant("four-approaches-are-needed", "LK-DQ-18", "one error in three approaches is not enough")
class FourApproachesAreNeeded(Analyst):
    approaches_at_least = 4


@mutant("any-error-is-the-same", "LK-DQ-18", "any three approaches that failed abandon a task")
class AnyErrorIsTheSame(Analyst):
    def error(self, attempt: Task) -> tuple[str, str]:
        return "", ""


def _without(facts: TaskFacts, **fields: bool) -> TaskFacts:
    kept = {name: getattr(facts, name) for name in facts.__struct_fields__}
    return TaskFacts(**{**kept, **fields})


@mutant("dependencies-may-always-come", "LK-DQ-19", "a task whose dependency can never arrive stays")
class DependenciesMayAlwaysCome(Decider):
    def abandon_reasons(self, task: Task, facts: TaskFacts) -> list[str]:
        return super().abandon_reasons(task, _without(facts, dependency_never=False))


@mutant("permissions-are-harmless", "LK-ES-01", "a task that touches permissions is not escalated for it")
class PermissionsAreHarmless(Decider):
    def is_critical(self, task: Task, facts: TaskFacts) -> bool:
        return not (SECURITY - {Touch.PERMISSIONS}).isdisjoint(facts.touches)


@mutant("everything-is-critical", "LK-ES-01", "a task that touches nothing is escalated")
class EverythingIsCritical(Decider):
    def is_critical(self, task: Task, facts: TaskFacts) -> bool:
        return True


@mutant("migrations-are-harmless", "LK-ES-02", "the failed rollback of a migration is not escalated")
class MigrationsAreHarmless(Decider):
    def is_data_at_risk(self, facts: TaskFacts) -> bool:
        return facts.rollback_failed and Touch.DELETION in facts.touches


@mutant("two-share-a-cause", "LK-ES-03", "two tasks with one root cause are escalated")
class TwoShareACause(Decider):
    sharing_at_least = 2


@mutant("four-share-a-cause", "LK-ES-03", "three tasks with one root cause are not escalated")
class FourShareACause(Decider):
    sharing_at_least = 4


@mutant("no-cause-is-a-cause", "LK-DQ-11", "tasks of which no root cause is known share one")
class NoCauseIsACause(Decider):
    def shares(self, choice: Choice) -> bool:
        return choice.verdict == Verdict.LEFT


@mutant("confidence-of-thirty-is-too-little", "LK-ES-04", "a confidence of exactly 0.30 is escalated")
class ConfidenceOfThirtyIsTooLittle(Decider):
    def is_unsure(self, facts: TaskFacts) -> bool:
        return facts.confidence is not None and facts.confidence <= self.confidence_at_least


@mutant("confidence-of-decisions-in-general", "LK-ES-04", "a confidence below 0.40 is escalated")
class ConfidenceOfDecisionsInGeneral(Decider):
    confidence_at_least = 0.40


@mutant("no-confidence-is-enough", "LK-ES-04", "a confidence of 0 is taken for none")
class NoConfidenceIsEnough(Decider):
    def is_unsure(self, facts: TaskFacts) -> bool:
        return bool(facts.confidence) and super().is_unsure(facts)


@mutant("keys-come-by-themselves", "LK-ES-05", "a need for keys or a third party is not escalated")
class KeysComeByThemselves(Decider):
    def triggers(self, task: Task, facts: TaskFacts, sharing: int) -> list[str]:
        return [each for each in super().triggers(task, facts, sharing) if not each.startswith("it needs")]


@mutant("two-readings-are-clear", "LK-ES-05", "a spec with two valid interpretations is not escalated")
class TwoReadingsAreClear(Decider):
    def triggers(self, task: Task, facts: TaskFacts, sharing: int) -> list[str]:
        found = super().triggers(task, facts, sharing)
        return [each for each in found if facts.readings > 2 or not each.endswith("interpretations")]

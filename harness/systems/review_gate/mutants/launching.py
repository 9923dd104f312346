"""Mutants of what is launched, and when."""

from harness.systems.review_gate.contract import REVIEWERS, Launch, LaunchKind, ReviewResult
from harness.systems.review_gate.mutants.table import mutant
from harness.systems.review_gate.reference.gate import MICROSECONDS, ReviewGate, microseconds
from harness.systems.review_gate.reference.state import DECIDED, REVIEWING, Memory, Round


@mutant("reviewers-beside-analysis", "LK-GEN-03", "the reviewers are launched together with static analysis")
class ReviewersBesideAnalysis(ReviewGate):
    def first_launches(self) -> tuple[Launch, ...]:
        return (*super().first_launches(), *self.launches(self.reviewers))


@mutant("analysis-is-left-out", "LK-GEN-03", "a review begins with nothing at all")
class AnalysisIsLeftOut(ReviewGate):
    def first_launches(self) -> tuple[Launch, ...]:
        return ()


@mutant("analysis-once-a-task", "LK-GEN-03", "after a fix the reviewers are launched without static analysis")
class AnalysisOnceATask(ReviewGate):
    def reopened(self, memory: Memory, task: str) -> tuple[Memory, ReviewResult]:
        found = Round(memory.round_of(task).number + 1, REVIEWING, self.reviewers)
        return memory.with_round(task, found), self.told(found, self.launches(self.reviewers))


@mutant("any-analysis-will-do", "LK-GEN-03", "static analysis may end in any round, and as often as it likes")
class AnyAnalysisWillDo(ReviewGate):
    def awaits_analysis(self, found: Round, number: int) -> bool:
        return found.is_open


@mutant("two-reviewers", "LK-REV-02", "two reviewers are launched")
class TwoReviewers(ReviewGate):
    reviewers = REVIEWERS[:2]


@mutant("four-reviewers", "LK-REV-02", "four reviewers are launched")
class FourReviewers(ReviewGate):
    reviewers = (*REVIEWERS, "reviewer-4")


@mutant("two-share-a-name", "LK-REV-02", "two of the reviewers have one name")
class TwoShareAName(ReviewGate):
    reviewers = (*REVIEWERS[:2], REVIEWERS[0])


@mutant("one-after-another", "LK-REV-02", "one reviewer is launched, the others are left for later")
class OneAfterAnother(ReviewGate):
    def launches(self, names: tuple[str, ...]) -> tuple[Launch, ...]:
        return super().launches(names)[:1]


@mutant("analysis-beside-reviewers", "LK-REV-02", "static analysis is launched once more with the reviewers")
class AnalysisBesideReviewers(ReviewGate):
    def launches(self, names: tuple[str, ...]) -> tuple[Launch, ...]:
        return (*super().launches(names), Launch(LaunchKind.STATIC_ANALYSIS, "again"))


@mutant("overdue-at-once", "LK-REV-02", "reviewers are launched anew before their time is over")
class OverdueAtOnce(ReviewGate):
    time_limit_s = 599.0


@mutant("overdue-to-the-second", "LK-REV-02", "reviewers are launched anew when just their time is over")
class OverdueToTheSecond(ReviewGate):
    def is_overdue(self, found: Round, now_s: float) -> bool:
        return found.stage == REVIEWING and microseconds(found, now_s) >= self.time_limit_s * MICROSECONDS


@mutant("all-are-launched-anew", "LK-REV-02", "when one is overdue all three are launched anew")
class AllAreLaunchedAnew(ReviewGate):
    def late(self, found: Round) -> tuple[str, ...]:
        return self.reviewers


@mutant("opus-reviews", "LK-REV-03", "reviewers are opus")
class OpusReviews(ReviewGate):
    def model(self, name: str) -> str | None:
        return "opus"


@mutant("no-model-is-named", "LK-REV-03", "no model is named")
class NoModelIsNamed(ReviewGate):
    def model(self, name: str) -> str | None:
        return None


@mutant("the-last-reviewer-is-opus", "LK-REV-03", "one of the three reviewers is opus")
class TheLastReviewerIsOpus(ReviewGate):
    def model(self, name: str) -> str | None:
        return "opus" if name == REVIEWERS[-1] else super().model(name)


@mutant("who-complained-reviews-again", "LK-REV-05", "after a fix one reviewer is launched")
class WhoComplainedReviewsAgain(ReviewGate):
    def wanted(self, found: Round) -> tuple[str, ...]:
        return self.reviewers if found.number == 1 else self.reviewers[-1:]


@mutant("two-review-again", "LK-REV-05", "after a fix two reviewers are launched")
class TwoReviewAgain(ReviewGate):
    def wanted(self, found: Round) -> tuple[str, ...]:
        return self.reviewers[: 3 if found.number == 1 else 2]


@mutant("a-fix-is-believed", "LK-REV-05", "what is said to be fixed passes")
class AFixIsBelieved(ReviewGate):
    def reopened(self, memory: Memory, task: str) -> tuple[Memory, ReviewResult]:
        found = Round(memory.round_of(task).number + 1, DECIDED)
        return memory.with_round(task, found), self.told(found)


@mutant("rounds-are-not-counted", "LK-REV-05", "a review after a fix is the same round")
class RoundsAreNotCounted(ReviewGate):
    def reopened(self, memory: Memory, task: str) -> tuple[Memory, ReviewResult]:
        return self.opened(memory.with_round(task, Round(memory.round_of(task).number - 1)), task)

"""Mutants of whoever has the phases of a plan reviewed."""

from harness.runtime.code_review import CodeReview
from harness.runtime.foreman import Foreman
from harness.runtime.mutants.table import mutant
from harness.runtime.trial import Steps
from harness.systems.review_gate.contract import Issue, ReportArguments, ReviewResult

NOTHING_FOUND: tuple[Issue, ...] = ()


@mutant("INT-52")
class Unreviewed(Foreman):
    """What is verified is not reviewed."""

    def _reviewed(self, task: str) -> Steps[bool]:
        yield from ()
        return True


@mutant("INT-52")
class BlockIgnored(Foreman):
    """A review that blocks is heard, and gone on from."""

    def _reviewed(self, task: str) -> Steps[bool]:
        yield from super()._reviewed(task)
        return True


class _LeftOver(CodeReview):
    def _round(self, number: int) -> Steps[ReviewResult]:
        answer = yield from super()._round(number)
        self._is_whole = True
        return answer


class _Unfixed(CodeReview):
    def _fixed(self, answer: ReviewResult) -> Steps[bool]:
        yield from ()
        return True


class _Overtaking(CodeReview):
    def _first_open(self) -> int:
        number = super()._first_open()
        return number + self._status(self._name_of(number)).accepted


class _Uncalled(CodeReview):
    def _returned(self, reviewers: tuple[str, ...], number: int) -> Steps[None]:
        yield from ()
        for reviewer in reviewers:
            self._gate.report(ReportArguments(self._name, number, reviewer, NOTHING_FOUND), self._now_s)


class _Unanalysed(CodeReview):
    def _analysed(self, number: int) -> Steps[tuple[Issue, ...]]:
        yield from ()
        return NOTHING_FOUND


@mutant("INT-52")
class ReviewersUncalled(Foreman):
    """The review of reviewers whom nobody called is told."""

    reviews = _Uncalled


@mutant("INT-52")
class Unanalysed(Foreman):
    """Static analysis is told to have found nothing, and was not run."""

    reviews = _Unanalysed


@mutant("INT-52")
class LeftOverCounts(Foreman):
    """What reviewers saw before the work was done once more counts for what it is now."""

    reviews = _LeftOver


@mutant("INT-52")
class Unfixed(Foreman):
    """What blocks is said to be fixed, and nobody has worked on it."""

    reviews = _Unfixed


@mutant("INT-52")
class ReviewOvertaken(Foreman):
    """The next review is begun while one is open."""

    reviews = _Overtaking

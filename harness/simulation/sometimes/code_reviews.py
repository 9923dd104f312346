"""What becomes of the reviews of what phases have done."""

from harness.core.events import CallRefused, ErrorsReported, SessionCut
from harness.core.plan_events import CodeReviewBegun, CodeReviewed, PhaseBegun, PhaseVerified, PlanDecided
from harness.simulation.sometimes.situation import Catalogue, Note, Situation, Takes
from harness.systems.circuit_breaker.contract import State
from harness.systems.phase_runner.contract.words import Mode
from harness.systems.review_gate.contract import Decision

SITUATIONS: Catalogue = {
    "review-blocks-is-fixed-and-passes": Situation(
        "a review blocks, what it found is fixed, and all reviewers pass it", ("LK-GEN-04", "LK-REV-05")
    ),
    "reviewer-is-lost-and-launched-again": Situation(
        "a reviewer does not return, and is launched again within its round", ("LK-REV-04",)
    ),
    "reviewer-meets-an-open-breaker": Situation(
        "a reviewer's call is refused by an OPEN breaker, and the round waits for it", ("LK-REV-04", "LK-CB-13")
    ),
    "session-dies-while-a-review-is-open": Situation(
        "a session is cut while a review is pending", ("LK-REV-04", "LK-REV-05")
    ),
    "review-cut-off-passes-later": Situation(
        "a review that a cut session has left open is passed in a later session", ("LK-REV-04", "LK-REV-05")
    ),
    "blocked-review-is-gone-on-with-by-a-sibling": Situation(
        "a phase is reviewed with the findings that block another one", ("LK-GEN-04", "AB-PAR-01")
    ),
}


class _Review:
    """One review, over all its rounds."""

    __slots__ = ("is_blocked", "is_cut", "is_fixed", "out", "phase")

    def __init__(self, phase: str) -> None:
        self.phase = phase  # that it was begun for
        self.is_blocked = False  # and not fixed since
        self.is_fixed = self.is_cut = False
        self.out: dict[str, str] = {}  # reviewers that have not returned, and the session they were launched in


class CodeReviewWatch:
    """Of all reviews of plans."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._reviews: dict[str, _Review] = {}  # that have not passed, by name
        self._current: dict[str, str] = {}  # the name, by session
        self._phases: dict[str, str] = {}  # by session
        self.takes: Takes = {
            PhaseBegun: self._phase_begun,
            CodeReviewBegun: self._begun,
            CodeReviewed: self._reviewed,
            PhaseVerified: self._verified,
            CallRefused: self._refused,
            PlanDecided: self._decided,
            ErrorsReported: self._ended,
            SessionCut: self._cut,
        }

    def _phase_begun(self, session: str, event: PhaseBegun) -> None:
        self._phases[session] = event.phase

    def _begun(self, session: str, event: CodeReviewBegun) -> None:
        if not event.begun:
            return
        phase = self._phases.get(session, "")
        review = self._reviews.setdefault(event.task, _Review(phase))
        if review.is_blocked and phase != review.phase:
            self._note("blocked-review-is-gone-on-with-by-a-sibling")
        self._current[session] = event.task

    def _reviewed(self, session: str, event: CodeReviewed) -> None:
        if (review := self._reviews.get(event.task)) is None:
            return
        if event.decision == Decision.BLOCKED:
            review.is_blocked = True
        elif event.operation == "fixed" and event.accepted:
            review.is_fixed = review.is_fixed or review.is_blocked
            review.is_blocked = False
        if event.accepted:
            self._launched(session, review, event)
        if event.decision == Decision.PASSED and event.accepted:
            if review.is_fixed:
                self._note("review-blocks-is-fixed-and-passes")
            if review.is_cut:
                self._note("review-cut-off-passes-later")
            del self._reviews[event.task]

    def _launched(self, session: str, review: _Review, event: CodeReviewed) -> None:
        """A session that takes a review up launches what the one before has lost: that is no reviewer that is lost."""
        if event.operation in ("open", "fixed"):
            review.out.clear()
        elif event.operation == "report":
            review.out.pop(event.reviewer, None)
        else:
            if event.operation == "status" and any(review.out.get(name) == session for name in event.launched):
                self._note("reviewer-is-lost-and-launched-again")
            review.out |= dict.fromkeys(event.launched, session)

    def _verified(self, session: str, event: PhaseVerified) -> None:
        self._current.pop(session, None)

    def _refused(self, session: str, event: CallRefused) -> None:
        if self._current.get(session) in self._reviews and event.state == State.OPEN:
            self._note("reviewer-meets-an-open-breaker")

    def _decided(self, session: str, event: PlanDecided) -> None:
        if event.decision == Mode.FRESH:
            self._reviews.clear()

    def _ended(self, session: str, event: ErrorsReported) -> None:
        self._current.pop(session, None)
        self._phases.pop(session, None)

    def _cut(self, session: str, event: SessionCut) -> None:
        review = self._reviews.get(self._current.pop(session, ""))
        self._phases.pop(session, None)
        if review is not None:
            review.is_cut = True
            self._note("session-dies-while-a-review-is-open")

"""What becomes of failures: logged or not, diagnosed fast or in full, recovered from, or a human's."""

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    CallBegun,
    CallEnded,
    Diagnosed,
    ErrorsReported,
    EscalationRaised,
    FailureObserved,
    FailureRecorded,
    NonBlockingFailed,
    RecoveryEnded,
    SessionCut,
    UseBegun,
    UseEnded,
)
from harness.runtime.trial import DONE
from harness.runtime.witness import ASKED
from harness.simulation.sometimes.machine import MachineWatch
from harness.simulation.sometimes.situation import Catalogue, Note, Situation, Takes
from harness.systems.diagnosis.contract import Reflection
from harness.systems.fallback.contract import Trigger

SITUATIONS: Catalogue = {
    "fast-path-helps": Situation(
        "a diagnosis takes the fast path, and the strategy that it recommends helps", ("DR-LRN-01", "DR-LRN-02")
    ),
    "fast-path-does-not-help": Situation(
        "a diagnosis takes the fast path, and the strategy that it recommends fails", ("DR-LRN-01", "DR-MEM-03")
    ),
    "one-session-learns-from-another": Situation(
        "a diagnosis takes the fast path to what has helped against that type of error in another session, and not yet "
        "in this one",
        ("DR-LRN-02", "DR-MEM-02"),
    ),
    "second-recovery-helps": Situation("a recovery fails, and another strategy helps", ("DR-REC-07", "DR-TRG-04")),
    "two-recoveries-fail-and-the-user-is-asked": Situation(
        "two recoveries of one failure fail, and the diagnosis asks the user", ("DR-REC-07",)
    ),
    "diagnosis-asks-before-the-third-failure": Situation(
        "the diagnosis asks the user of a call to a model that has failed once or twice", ("DR-REC-07", "LK-FB-04")
    ),
    "diagnosis-and-third-failure-agree": Situation(
        "the diagnosis and the third failure call the same human", ("DR-REC-07", "LK-FB-04")
    ),
    "session-dies-in-a-recovery": Situation(
        "a session is cut while a recovery is tried, so that its end is never told", ("DR-MEM-03", "LK-RC-01")
    ),
    "failure-is-not-stored-on-a-full-disk": Situation(
        "a failure cannot be stored, since the disk is full", ("ER-LOG-10",)
    ),
    "work-succeeds-without-a-log": Situation(
        "a call or use whose failure could not be stored is done in the end", ("ER-LOG-10", "ER-NB-02")
    ),
    "several-failures-beside-the-work-are-reported": Situation(
        "two failures beside the work, or more, are reported together", ("ER-NB-01", "ER-NB-03")
    ),
    "failure-beside-the-work-is-lost-with-its-session": Situation(
        "a session is cut before it has reported a failure beside its work", ("ER-NB-03", "ER-LOG-01")
    ),
}
_BOTH = {ASKED, Trigger.CONSECUTIVE_FAILURES.value}
_FEW = 2


class _Trial:
    """A call or use that is under way, and what is tried in it."""

    __slots__ = (
        "error_type",
        "failed",
        "failures",
        "is_call",
        "is_fast",
        "is_unstored",
        "recommended",
        "tried",
        "trying",
    )

    def __init__(self, *, is_call: bool) -> None:
        self.is_call = is_call  # to a model: local tools have no third-failure rule (LK-FB-04)
        self.failures = 0
        self.failed = 0  # recoveries
        self.tried: set[str] = set()  # strategies that have failed
        self.error_type = ""  # of the failure that is recovered from
        self.is_unstored = False
        self.recommended: tuple[str, bool] = ("", False)  # the strategy, and whether the fast path led to it
        self.trying = ""
        self.is_fast = False


class RecoveryWatch:
    """Of all failures; whether the disk is full is ``machine``'s to say."""

    def __init__(self, note: Note, machine: MachineWatch) -> None:
        self._note = note
        self._machine = machine
        self._trials: dict[str, _Trial] = {}
        self._beside: set[str] = set()  # sessions with a failure beside the work that is not reported
        self._helped: dict[tuple[str, str], set[str]] = {}  # by type of error and strategy: sessions it has helped in
        self.takes: Takes = {
            CallBegun: self._begun,
            UseBegun: self._begun,
            FailureObserved: self._failed,
            FailureRecorded: self._recorded,
            Diagnosed: self._diagnosed,
            AttemptStarted: self._started,
            AttemptSucceeded: self._succeeded,
            RecoveryEnded: self._recovered,
            EscalationRaised: self._escalated,
            CallEnded: self._ended,
            UseEnded: self._ended,
            NonBlockingFailed: self._failed_beside,
            ErrorsReported: self._reported,
            SessionCut: self._cut,
        }

    def _begun(self, session: str, event: CallBegun | UseBegun) -> None:
        self._trials[session] = _Trial(is_call=isinstance(event, CallBegun))

    def _failed(self, session: str, event: FailureObserved) -> None:
        if (trial := self._trials.get(session)) is not None:
            trial.failures += 1

    def _recorded(self, session: str, event: FailureRecorded) -> None:
        if event.stored:
            return
        if (trial := self._trials.get(session)) is not None:
            trial.is_unstored = True
        if self._machine.is_full:
            self._note("failure-is-not-stored-on-a-full-disk")

    def _diagnosed(self, session: str, event: Diagnosed) -> None:
        trial, is_fast = self._trials.get(session), event.reflection == Reflection.FAST
        if trial is not None and not trial.trying:
            trial.recommended = (event.strategy, is_fast)
            trial.error_type = event.error_type
        helped = self._helped.get((event.error_type, event.strategy))
        if is_fast and helped and session not in helped:
            self._note("one-session-learns-from-another")

    def _started(self, session: str, event: AttemptStarted) -> None:
        trial = self._trials.get(session)
        if trial is not None:
            trial.trying = event.strategy
            trial.is_fast = trial.recommended == (event.strategy, True)

    def _succeeded(self, session: str, event: AttemptSucceeded) -> None:
        trial = self._trials.get(session)
        if trial is not None and trial.trying:
            self._helped.setdefault((trial.error_type, trial.trying), set()).add(session)

    def _recovered(self, session: str, event: RecoveryEnded) -> None:
        if (trial := self._trials.get(session)) is None:
            return
        if trial.is_fast:
            self._note("fast-path-helps" if event.succeeded else "fast-path-does-not-help")
        if event.succeeded and trial.tried and trial.trying and trial.trying not in trial.tried:
            self._note("second-recovery-helps")
        if not event.succeeded:
            trial.failed += 1
            trial.tried.add(trial.trying)
        trial.trying, trial.is_fast = "", False
        trial.recommended = (event.next_strategy, False)

    def _escalated(self, session: str, event: EscalationRaised) -> None:
        trial = self._trials.get(session)
        if trial is None or ASKED not in event.triggers:
            return
        if set(event.triggers) >= _BOTH:
            self._note("diagnosis-and-third-failure-agree")
        elif trial.is_call and 0 < trial.failures <= _FEW:
            self._note("diagnosis-asks-before-the-third-failure")
        if trial.failed >= _FEW:
            self._note("two-recoveries-fail-and-the-user-is-asked")

    def _ended(self, session: str, event: CallEnded | UseEnded) -> None:
        trial = self._trials.pop(session, None)
        if trial is not None and trial.is_unstored and event.outcome == DONE:
            self._note("work-succeeds-without-a-log")

    def _failed_beside(self, session: str, event: NonBlockingFailed) -> None:
        self._beside.add(session)

    def _reported(self, session: str, event: ErrorsReported) -> None:
        self._beside.discard(session)
        if len(event.names) > 1:
            self._note("several-failures-beside-the-work-are-reported")

    def _cut(self, session: str, event: SessionCut) -> None:
        trial = self._trials.pop(session, None)
        if trial is not None and trial.trying:
            self._note("session-dies-in-a-recovery")
        if session in self._beside:
            self._beside.discard(session)
            self._note("failure-beside-the-work-is-lost-with-its-session")

"""Mutants of the signals written from document 000 alone, without a look at what judges them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.systems.mutant import Mutant
from harness.systems.signals.contract import (
    APPROVED,
    REJECTED,
    ROUTES,
    Action,
    DriftArguments,
    DriftResult,
    Severity,
    Signal,
)
from harness.systems.signals.mutants.table import TABLE as WRITTEN_KNOWING
from harness.systems.signals.reference.assessing import Assessor
from harness.systems.signals.reference.drifts import DriftRules, Drifts
from harness.systems.signals.reference.handoffs import Routes
from harness.systems.signals.reference.healing import Healing, Processing, Steps
from harness.systems.signals.reference.requests import Approvals, Decision, Request, RequestRules
from harness.systems.signals.reference.reviews import Reviews
from harness.systems.signals.reference.texts import seconds
from harness.systems.trace import Trace

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants

DAY_S = 24 * 3600


@mutant(
    "rejection-lies-around", "LK-SG-01", "deletes a decision that approves, and leaves one that was carried out else"
)
class RejectionLiesAround(Approvals):
    """Only an approval is cleaned up."""

    def remove(self, decision: Decision, trace: Trace) -> None:
        """Deletes a decision that was carried out."""
        if decision.decision.strip().casefold() == APPROVED:
            super().remove(decision, trace)


@mutant("nobody-signals-himself", "LK-SG-03", "lets the docs stream raise no DOCS_NEEDED, though any stream may")
class NobodySignalsHimself(Routes):
    """Who consumes a signal does not create it."""

    def may_emit(self, signal: str, by: str) -> bool:
        """Does that role create it?"""
        return super().may_emit(signal, by) and by != ROUTES[Signal(signal)][1]


@mutant("shouted-severity-kept", "LK-DR-02", "records a severity in capitals as it was given")
class ShoutedSeverityKept(DriftRules):
    """Compares without regard to case, and normalises nothing."""

    def is_severity(self, given: Any) -> bool:
        """Is it one of the four words?"""
        return isinstance(given, str) and given.lower() in tuple(Severity)


@mutant("low-drift-needs-no-reason", "LK-DR-04", "does not return to REASON after the first drift that is low")
class LowDriftNeedsNoReason(Drifts):
    """Continues at once where it has only to warn."""

    def report(self, arguments: DriftArguments, now_s: float) -> DriftResult:
        """An agent drifts off its task."""
        found = super().report(arguments, now_s)
        if arguments.severity != Severity.LOW or all(step.action != Action.CONTINUE for step in found.steps):
            return found
        steps = tuple(step for step in found.steps if step.action != Action.REASON)
        return msgspec.structs.replace(found, steps=steps)


@mutant("grave-drift-keeps-its-memory", "LK-DR-07", "consolidates nothing at a third drift that pauses the task anyway")
class GraveDriftKeepsItsMemory(DriftRules):
    """The rule of the severity replaces half of the rule of the number."""

    def by_number(self, number: int, *, grave: bool) -> list[Action]:
        """What the number of drifts asks for."""
        found = super().by_number(number, grave=grave)
        return [action for action in found if not grave or action != Action.CONSOLIDATE]


@mutant(
    "unknown-rollback-is-clear", "LK-HR-02", "asks about an irreversible operation only when a rollback is ruled out"
)
class UnknownRollbackIsClear(Assessor):
    """Nobody knows of a rollback is not that there is none, it thinks."""

    def is_irreversible(self, rollback: bool | None, *, irreversible: bool) -> bool:
        """An irreversible operation without a clear rollback."""
        return irreversible and rollback is False


@mutant("cost-in-whole-dollars", "LK-HR-04", "cuts a cost to whole dollars before it compares it")
class CostInWholeDollars(Assessor):
    """100.99 is 100."""

    def is_expensive(self, cost_usd_per_hour: float | None) -> bool:
        """A cost above the limit."""
        return super().is_expensive(None if cost_usd_per_hour is None else cost_usd_per_hour // 1)


@mutant("all-but-rejected-approves", "LK-HR-06", "lets a task go on with any decision that does not say rejected")
class AllButRejectedApproves(Reviews):
    """Only a rejection keeps it back."""

    def is_approval(self, decision: str) -> bool:
        """Does it let the task go on?"""
        return decision.strip().casefold() != REJECTED


@mutant("next-day-times-out", "LK-HR-07", "lets a review time out once the date has changed, not after 24 hours")
class NextDayTimesOut(RequestRules):
    """Counts days by the calendar."""

    def is_overdue(self, request: Request, now_s: float) -> bool:
        """Did its task wait for a decision too long?"""
        since_s = seconds(request.get("timestamp"))
        return since_s is not None and self.blocks(request) and now_s // DAY_S > since_s // DAY_S


@mutant("tested-code-is-not-paused", "LK-HL-04", "does not pause a modification whose tests turn out to be there")
class TestedCodeIsNotPaused(Healing):
    """Looks first, and pauses only if it has to."""

    def risk(self, processing: Processing) -> tuple[bool, Steps]:
        """The modification is paused until characterization tests are confirmed."""
        done, steps = super().risk(processing)
        if processing.arguments.tests_confirmed:
            steps = tuple(step for step in steps if step.action != Action.PAUSE_MODIFICATION)
        return done, steps

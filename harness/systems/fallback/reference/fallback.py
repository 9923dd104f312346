"""Ladders, and when a human is called. It keeps nothing."""

from collections.abc import Iterator, Sequence

from harness.core.log import LogEntry, LogLevel
from harness.ports.files import Files
from harness.systems.fallback.contract import (
    CONFIDENCE_LIMIT,
    CONSECUTIVE_FAILURES,
    ESCALATE,
    MODEL_LADDER,
    RECOVERY_CONFIDENCE_LIMIT,
    WORKFLOW_LADDER,
    Configuration,
    Decision,
    EscalationArguments,
    EscalationResult,
    Ladder,
    LogCode,
    NextArguments,
    NextResult,
    Trigger,
)


class Fallback:
    """What is tried next, and whether a human is called."""

    # -- operations

    def next(self, arguments: NextArguments, now_s: float = 0.0) -> NextResult:
        """The rung below the one that failed (LK-FB-01, LK-FB-02). What stands on none is for a human."""
        del now_s
        rungs = self.rungs(arguments.ladder)
        if arguments.current not in rungs:
            told = _warning(
                LogCode.RUNG_UNKNOWN, f"no rung of the ladder {arguments.ladder}: {arguments.current[:80]!r}"
            )
            return NextResult(self.unknown(rungs), (told,))
        return NextResult(self.below(rungs, arguments.current))

    def escalation(self, arguments: EscalationArguments, now_s: float = 0.0) -> EscalationResult:
        """Every reason to call a human (LK-FB-03 to LK-FB-05)."""
        del now_s
        triggers = tuple(self.triggers(arguments))
        return EscalationResult(bool(triggers), triggers, tuple(self.complaints(arguments)))

    # -- ladders

    def rungs(self, ladder: Ladder) -> Sequence[str]:
        """The rungs of a ladder, from the top; the last is the human."""
        return MODEL_LADDER if ladder is Ladder.MODEL else WORKFLOW_LADDER

    def below(self, rungs: Sequence[str], current: str) -> str:
        """The rung after that one; below the last there is none."""
        return rungs[min(rungs.index(current) + 1, len(rungs) - 1)]

    def unknown(self, rungs: Sequence[str]) -> str:
        """What comes after something that is no rung."""
        del rungs
        return ESCALATE

    # -- triggers

    def triggers(self, facts: EscalationArguments) -> Iterator[Trigger]:
        """The reasons to call a human, in the order of the document (LK-FB-03, LK-FB-04, LK-FB-05)."""
        if self.is_unsure(facts):
            yield Trigger.LOW_CONFIDENCE
        if self.has_failed(facts):
            yield Trigger.CONSECUTIVE_FAILURES
        if self.is_security_critical(facts):
            yield Trigger.SECURITY_CRITICAL
        if self.is_irreversible(facts):
            yield Trigger.IRREVERSIBLE

    def is_unsure(self, facts: EscalationArguments) -> bool:
        """Is the confidence below its limit (LK-FB-03)? What is none gives nobody confidence."""
        if facts.confidence is None:
            return False
        return facts.confidence < self.limit(facts.decision) or not 0 <= facts.confidence <= 1

    def limit(self, decision: Decision) -> float:
        """Below which confidence a human is called (LK-FB-03)."""
        return RECOVERY_CONFIDENCE_LIMIT if decision is Decision.RECOVERY_STRATEGY else CONFIDENCE_LIMIT

    def has_failed(self, facts: EscalationArguments) -> bool:
        """Has the task failed too often in a row (LK-FB-04)?"""
        return facts.consecutive_failures >= CONSECUTIVE_FAILURES

    def is_security_critical(self, facts: EscalationArguments) -> bool:
        """Is the decision security-critical (LK-FB-05)?"""
        return facts.security_critical

    def is_irreversible(self, facts: EscalationArguments) -> bool:
        """Can the operation not be taken back for certain (LK-FB-05)? A rollback nobody knows of is no clear one."""
        return facts.irreversible and facts.rollback is not True

    def complaints(self, facts: EscalationArguments) -> Iterator[LogEntry]:
        """A warning about each fact that is none."""
        if facts.confidence is not None and not 0 <= facts.confidence <= 1:
            yield _warning(LogCode.FACT_INVALID, f"no confidence: {facts.confidence}")
        if facts.consecutive_failures < 0:
            yield _warning(LogCode.FACT_INVALID, f"no number of failures: {facts.consecutive_failures}")


def _warning(code: LogCode, message: str) -> LogEntry:
    return LogEntry(LogLevel.WARNING, code.value, message)


def create(configuration: Configuration, files: Files | None = None) -> Fallback:
    """A reference; it needs neither."""
    del configuration, files
    return Fallback()

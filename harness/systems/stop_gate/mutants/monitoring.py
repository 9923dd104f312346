"""Mutants of counters, alerts and error context: PS-MON (all SHOULD)."""

from collections.abc import Sequence

from harness.systems.stop_gate.contract import Alert, LogCode, LogEntry, LogLevel
from harness.systems.stop_gate.mutants.table import mutant
from harness.systems.stop_gate.reference.considerations import NetworkUnreachableError, Question
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case
from harness.systems.stop_gate.reference.metrics import Counting, Tally


@mutant("timeouts-uncounted", "PS-MON-01", "time-outs do not raise their counter")
class TimeoutsUncounted(Counting):
    def counts(self, entries: Sequence[LogEntry]) -> dict[str, int]:
        return {**super().counts(entries), "power_steering_timeouts": 0}


@mutant("crashes-uncounted", "PS-MON-01", "crashed checkers do not raise their counter")
class CrashesUncounted(Counting):
    def counts(self, entries: Sequence[LogEntry]) -> dict[str, int]:
        return {**super().counts(entries), "power_steering_checker_crashes": 0}


@mutant("alerts-never-end", "PS-MON-02", "what is older than an hour still counts")
class AlertsNeverEnd(Counting):
    def in_window(self, at_s: float, now_s: float) -> bool:
        return True


@mutant("no-alerts", "PS-MON-02", "nothing ever raises an alert")
class NoAlerts(Counting):
    def alerts(self, tally: Tally, now_s: float) -> tuple[Alert, ...]:
        return ()


@mutant("errors-without-context", "PS-MON-03", "a crash is logged without its stack, session and transcript")
class ErrorsWithoutContext(StopGate):
    def checker_broke(self, case: Case, question: Question, error: BaseException) -> bool:
        if isinstance(error, NetworkUnreachableError):
            return super().checker_broke(case, question, error)
        case.trace.entries.append(LogEntry(LogLevel.ERROR, LogCode.CHECKER_RAISED, "crashed", checker=question.id))
        return True

"""Mutants of drift: its records, their number, what follows, and the log."""

from collections.abc import Iterable
from typing import Any

from harness.systems.signals.contract import Action, DriftArguments, Severity
from harness.systems.signals.mutants.table import mutant
from harness.systems.signals.reference.drift_log import Continuity, CurrentTask, DriftLog, Record
from harness.systems.signals.reference.drifts import DriftRules
from harness.systems.signals.reference.texts import encoded
from harness.systems.trace import Trace


@mutant("drifts-without-a-time", "LK-DR-01", "a drift record has no timestamp")
class DriftsWithoutATime(DriftRules):
    def record(self, arguments: DriftArguments, goal: str | None, now_s: float) -> dict[str, Any]:
        found = super().record(arguments, goal, now_s)
        del found["timestamp"]
        return found


@mutant("plan-and-drift-are-swapped", "LK-DR-01", "what was planned and what was found stand in each other's field")
class PlanAndDriftAreSwapped(DriftRules):
    def record(self, arguments: DriftArguments, goal: str | None, now_s: float) -> dict[str, Any]:
        found = super().record(arguments, goal, now_s)
        planned, detected = found["planned_action"], found["detected_drift"]
        return {**found, "planned_action": detected, "detected_drift": f"not: {planned}"}


@mutant("severities-are-not-checked", "LK-DR-02", "any text is recorded as a severity")
class SeveritiesAreNotChecked(DriftRules):
    def is_severity(self, given: Any) -> bool:
        return isinstance(given, str)


@mutant("distances-begin-at-zero", "LK-DR-02", "a distance of zero is recorded")
class DistancesBeginAtZero(DriftRules):
    def distance(self, given: Any) -> int | None:
        return 0 if given == 0 and given is not False else super().distance(given)


@mutant("goal-is-the-title", "LK-DR-03", "original_goal is the title of the current task")
class GoalIsTheTitle(CurrentTask):
    def goal(self, task_id: str, trace: Trace) -> str | None:
        found = self.read(trace)
        return super().goal(task_id, trace) and str((found or {}).get("title"))


@mutant("action-is-not-stopped", "LK-DR-04", "the current action is not stopped")
class ActionIsNotStopped(DriftRules):
    immediate = (Action.LOG, Action.REASON, Action.REREAD)


@mutant("task-is-read-before-reason", "LK-DR-04", "the current task is read again before the agent returns to REASON")
class TaskIsReadBeforeReason(DriftRules):
    immediate = (Action.STOP, Action.LOG, Action.REREAD, Action.REASON)


@mutant("first-drifts-are-not-warned-of", "LK-DR-05", "the first drift of a task logs no warning")
class FirstDriftsAreNotWarnedOf(DriftRules):
    def by_number(self, number: int, *, grave: bool) -> list[Action]:
        return [each for each in super().by_number(number, grave=grave) if each is not Action.WARN]


@mutant("first-drifts-escalate", "LK-DR-05", "the first drift of a task is escalated")
class FirstDriftsEscalate(DriftRules):
    def by_number(self, number: int, *, grave: bool) -> list[Action]:
        found = super().by_number(number, grave=grave)
        return [*found, Action.ESCALATE] if number == 1 and not grave else found


@mutant("second-drifts-are-warned-of-only", "LK-DR-06", "the second drift of a task is treated as the first")
class SecondDriftsAreWarnedOfOnly(DriftRules):
    def by_number(self, number: int, *, grave: bool) -> list[Action]:
        return super().by_number(1 if number == 2 else number, grave=grave)


@mutant("drifts-are-counted-in-memory", "LK-DR-06", "the number of drifts is forgotten with the process")
class DriftsAreCountedInMemory(DriftLog):
    def count(self, task_id: str, records: Iterable[Record]) -> int:
        return self.known[task_id] + 1


@mutant("names-are-prefixes", "LK-DR-05", "drifts of every task whose name begins alike are counted")
class NamesArePrefixes(DriftLog):
    def count(self, task_id: str, records: Iterable[Record]) -> int:
        return sum(each["task_id"].startswith(task_id) for each in records)


@mutant("threshold-is-four", "LK-DR-07", "working memory is consolidated from the fourth drift on")
class ThresholdIsFour(DriftRules):
    threshold = 4


@mutant("memory-is-not-written", "LK-DR-07", "working memory is said to be consolidated, and is not")
class MemoryIsNotWritten(Continuity):
    def consolidate(self, memory: str, trace: Trace) -> bool:
        return True


@mutant("context-is-cleared", "LK-DR-07", "after consolidation an explicit signal clears the context")
class ContextIsCleared(DriftRules):
    def responses(self, number: int, severity: str) -> list[Action]:
        found = super().responses(number, severity)
        return [*found, Action.CLEAR_CONTEXT] if Action.CONSOLIDATE in found else found


@mutant("only-critical-drift-pauses", "LK-DR-08", "high drift does not pause the task")
class OnlyCriticalDriftPauses(DriftRules):
    grave = frozenset({Severity.CRITICAL})


@mutant("sonnet-reviews-drift", "LK-DR-08", "a reviewer of another model is dispatched")
class SonnetReviewsDrift(DriftRules):
    def reviewer(self) -> str:
        return "sonnet"


@mutant("line-breaks-are-not-escaped", "LK-DR-09", "a line break of a description stands in the log as it is")
class LineBreaksAreNotEscaped(DriftLog):
    def line(self, record: Record) -> bytes:
        return encoded(record).replace(b"\\n", b"\n") + b"\n"


@mutant("torn-lines-are-gone", "LK-SG-02", "with each drift the log is written anew, without what is no record")
class TornLinesAreGone(DriftLog):
    def append(self, record: Record, trace: Trace) -> bool:
        data = self.file.read() or b"" if self.file.files.status(self.file.path) else b""
        lines = [line + b"\n" for line in data.split(b"\n") if line.strip() and self.record(line) is not None]
        stored = super().append(record, trace)
        if stored and b"".join(lines) != data:
            self.file.put(b"".join(lines) + self.line(record))
        return stored


@mutant("log-is-begun-anew", "LK-SG-02", "the log is deleted once a task has drifted five times")
class LogIsBegunAnew(DriftLog):
    def number(self, task_id: str, *, stored: bool, trace: Trace) -> int:
        found = super().number(task_id, stored=stored, trace=trace)
        if found == 5:
            self.file.remove()
        return found

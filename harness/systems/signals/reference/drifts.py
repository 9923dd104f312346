"""What happens when an agent drifts off its task: Processing Rules and Automated Responses (LK-DR)."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from harness.ports.files import Files
from harness.systems.signals.contract import (
    ACCUMULATED_THRESHOLD,
    CONTINUITY_PATH,
    CURRENT_TASK_PATH,
    DRIFT_PATH,
    REVIEWER,
    Action,
    DriftArguments,
    DriftResult,
    DriftsArguments,
    DriftsResult,
    LogCode,
    Severity,
    StepTaken,
)
from harness.systems.signals.reference.drift_log import Continuity, CurrentTask, DriftLog
from harness.systems.signals.reference.kept_file import SignalsLock
from harness.systems.signals.reference.texts import plain, shown, timestamp, writable
from harness.systems.trace import Trace

Place = Callable[[str], str]
"""Gives the path of a file of the contract."""

MOST_STEPS_OFF: Final = 2**63 - 1  # readers of JSON in other languages have no larger whole numbers


class DriftRules:
    """The rules about one drift. Pure."""

    threshold = ACCUMULATED_THRESHOLD
    grave: frozenset[str] = frozenset({Severity.HIGH, Severity.CRITICAL})
    immediate: tuple[Action, ...] = (Action.STOP, Action.LOG, Action.REASON, Action.REREAD)

    def is_valid(self, arguments: DriftArguments) -> bool:
        """Is its severity one of the four words, and its distance a whole number from 1 on (LK-DR-02)?"""
        return self.is_severity(arguments.severity) and self.distance(arguments.drift_distance) is not None

    def is_severity(self, given: Any) -> bool:
        """Is it one of the four words?"""
        return isinstance(given, str) and given in tuple(Severity)

    def distance(self, given: Any) -> int | None:
        """The distance as a whole number; None when it is none."""
        if isinstance(given, bool) or not isinstance(given, int | float):
            return None
        return int(given) if 1 <= given <= MOST_STEPS_OFF and given == int(given) else None

    def record(self, arguments: DriftArguments, goal: str | None, now_s: float) -> dict[str, Any]:
        """The record, with all eight fields (LK-DR-01)."""
        record = {
            "timestamp": self.timestamp(now_s),
            "task_id": arguments.task_id,
            "planned_action": arguments.planned_action,
            "detected_drift": arguments.detected_drift,
            "severity": arguments.severity,
            "agent": arguments.agent,
            "original_goal": goal,
            "drift_distance": self.distance(arguments.drift_distance),
        }
        found: dict[str, Any] = plain(record)
        return found

    def timestamp(self, now_s: float) -> str:
        """The time of the report."""
        return timestamp(now_s)

    def responses(self, number: int, severity: str) -> list[Action]:
        """What follows the four immediate steps, for this drift of its task, counted from 1."""
        found = list(self.by_number(number, grave=severity in self.grave))
        return found + (self.by_severity() if severity in self.grave else [])

    def by_number(self, number: int, *, grave: bool) -> list[Action]:
        """What the number of drifts asks for: a first one that is grave is paused and not continued."""
        if number >= self.threshold:
            return [Action.ESCALATE, Action.CONSOLIDATE]
        if number > 1:
            return [Action.ESCALATE]
        return [Action.WARN] if grave else [Action.WARN, Action.CONTINUE]

    def by_severity(self) -> list[Action]:
        """What high and critical ask for."""
        return [Action.PAUSE, Action.REVIEW]

    def reviewer(self) -> str:
        """Who reviews (LK-DR-08)."""
        return REVIEWER


class Drifts:
    """Reports of drift, on their files. No method raises."""

    rules_class = DriftRules
    log_class = DriftLog
    current_class = CurrentTask
    continuity_class = Continuity

    def __init__(self, place: Place, files: Files, lock: SignalsLock) -> None:
        self.lock = lock
        self.rules = self.rules_class()
        self.log = self.log_class(place(DRIFT_PATH), files)
        self.current = self.current_class(place(CURRENT_TASK_PATH), files)
        self.continuity = self.continuity_class(place(CONTINUITY_PATH), files)

    def report(self, arguments: DriftArguments, now_s: float) -> DriftResult:
        """An agent drifts off its task."""
        trace = Trace()
        task_id = writable(arguments.task_id)
        record = self.made(arguments, task_id, now_s, trace)
        with self.lock.held(trace) as held:
            stored = record is not None and self.log.append(record, trace)  # one write: without the lock, if need be
            responses: list[Action] = []
            if record is not None:
                number = self.log.number(task_id, stored=stored, trace=trace)
                responses = self.rules.responses(number, record["severity"])
            facts = {
                Action.LOG: lambda: stored,
                Action.REREAD: lambda: self.current.read(trace) is not None,
                Action.CONSOLIDATE: lambda: (
                    held and self.continuity.consolidate(writable(arguments.working_memory), trace)
                ),
            }
            steps = [self.step(action, facts) for action in (*self.rules.immediate, *responses)]
        return DriftResult(record, stored, tuple(steps), trace.told())

    def made(self, arguments: DriftArguments, task_id: str, now_s: float, trace: Trace) -> dict[str, Any] | None:
        """The record; None, and told, when the report is invalid."""
        if self.rules.is_valid(arguments):
            return self.rules.record(arguments, self.current.goal(task_id, trace), now_s)
        trace.warning(
            LogCode.DRIFT_INVALID, f"severity {shown(arguments.severity)}, distance {shown(arguments.drift_distance)}"
        )
        return None

    def step(self, action: Action, facts: Mapping[Action, Callable[[], bool]]) -> StepTaken:
        """Takes a step."""
        if action is Action.REVIEW:
            return StepTaken(action, detail=self.rules.reviewer())
        return StepTaken(action, ok=facts[action]() if action in facts else True)

    def records(self, arguments: DriftsArguments) -> DriftsResult:
        """The records, for the audit."""
        trace = Trace()
        wanted = None if arguments.task_id is None else writable(arguments.task_id)
        found = self.log.records(trace) or []
        return DriftsResult(tuple(each for each in found if wanted in (None, each["task_id"])), trace.told())

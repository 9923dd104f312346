"""Tasks as they are written: with one more failure, as dead letters, and on their way out of the queue. Pure.

Source: document 000, Schema (L386-423), Retry Conditions, Recovery Strategies. Fields that are not named there stay.
"""

from collections.abc import Mapping
from typing import Any

from harness.ports.clock import to_text
from harness.systems.dead_letter.contract import (
    ABANDON_REASON,
    FAILURES_AT_MOST,
    FIX_COMMIT,
    LINKED_TO,
    RECOVERY_REASON,
    AttemptGiven,
    ErrorType,
    Priority,
    Scope,
    Strategy,
    TaskFacts,
    attempts_of,
    data_of,
    failure_count_of,
    failures_of,
)
from harness.systems.dead_letter.reference.failures import Analyst, Task
from harness.systems.dead_letter.reference.texts import as_text, writable
from harness.systems.queue_files import IN_PROGRESS, PENDING, is_count

SIMPLER_TASK = "simpler_task"
"""The field of an original with the id of the task of reduced scope that was made from it."""
ESCALATIONS = "escalations"
"""The field of a task with the names of its escalation files."""
REPLACED = "replaced"
"""The field of a task with what stood where the schema has something of another type."""
UNKNOWN = "unknown"
_LARGEST_COUNT = 2**53  # JSON readers know no larger ones exactly


class Letters:
    """How the tasks of the queues are changed. Each method gives a new task and leaves the given one as it is."""

    failures_at_most = FAILURES_AT_MOST

    def __init__(self, analyst: Analyst) -> None:
        self.analyst = analyst

    # -- a failure

    def failed(self, task: Task, given: AttemptGiven, now_s: float) -> dict[str, Any]:
        """It with one more failed attempt (L378, L398-407)."""
        made = self.keeping(task, "attempts", list)
        made["failure_count"] = self.count(task)
        made["attempts"] = [*self.entries(task), self.attempt(task, given, now_s)]
        return made

    def count(self, task: Task) -> int:
        """Its failure_count after one more failure."""
        return failure_count_of(task) + 1

    def attempt(self, task: Task, given: AttemptGiven, now_s: float) -> dict[str, Any]:
        """The attempt as it is kept (LK-DQ-05)."""
        return {
            "attempt_number": self.number(task),
            "timestamp": self.timestamp(now_s),
            "approach": as_text(given.approach) or UNKNOWN,
            "error_type": self.error_type(given.error_type),
            "error_message": self.message(given.error_message),
            "agent_id": as_text(given.agent_id) or UNKNOWN,
        }

    def number(self, task: Task) -> int:
        """The number after those of its attempts."""
        attempts = attempts_of(task)
        known = [each.get("attempt_number") for each in attempts]
        numbers = [int(each) for each in known if is_count(each) and each is not None and each < _LARGEST_COUNT]
        return max([len(attempts), *numbers]) + 1

    def timestamp(self, now_s: float) -> str:
        """A time as it is written."""
        return to_text(now_s)

    def error_type(self, given: Any) -> str:
        """One of the four (LK-DQ-06, reading ``closed``): what nobody can classify has not been validated."""
        word = as_text(given)
        return word if word in set(ErrorType) else ErrorType.VALIDATION

    def message(self, given: Any) -> str:
        """The whole error message."""
        return as_text(given)

    def entries(self, task: Task) -> list[Any]:
        """Its attempts, and what else stands among them."""
        found = task.get("attempts")
        return found if isinstance(found, list) else []

    # -- into the queue

    def is_dead(self, task: Task) -> bool:
        """Has it failed too often to be tried again (LK-DQ-01)?"""
        return failure_count_of(task) > self.failures_at_most

    def dead(self, task: Task, source: str) -> dict[str, Any]:
        """It as a dead letter that comes from the queue ``source`` (LK-DQ-03)."""
        made = self.keeping(task, "task_data", dict)
        made["original_queue"] = self.original_queue(source)
        made["first_failure"], made["last_failure"] = self.times(task)
        made["error_summary"] = self.analyst.summary(task)
        made["recovery_strategy"] = self.analyst.strategy(task)
        made["task_data"] = self.data(task)
        return made

    def original_queue(self, source: str) -> str:
        """LK-DQ-04: one of two, whatever queue it was (reading ``pending``)."""
        return source if source in (PENDING, IN_PROGRESS) else PENDING

    def times(self, task: Task) -> tuple[str | None, str | None]:
        """When it failed first and last (LK-DQ-08, reading ``attempts``); None where that is not known."""
        found = [each.get("timestamp") for each in failures_of(task)]
        times = [each for each in found if isinstance(each, str)]
        return (times[0], times[-1]) if times else (None, None)

    def data(self, task: Task) -> dict[str, Any]:
        """Its task_data (L409-414), with something in the place of what is missing."""
        inner = task.get("task_data")
        known = {name: value for name, value in data_of(task).items() if value is not None}
        empty = {"title": "", "description": "", "dependencies": []}
        return {
            **empty,
            **(inner if isinstance(inner, dict) else {}),
            **empty,
            **known,
            "priority": self.priority(known.get("priority")),
        }

    def priority(self, found: Any) -> str:
        """The one it had, medium when that is none."""
        return found if isinstance(found, str) and found in set(Priority) else Priority.MEDIUM

    # -- what a review does

    def retried(self, task: Task, facts: TaskFacts, reason: str, now_s: float) -> dict[str, Any]:
        """It as it goes back to pending (L445-450, L521-524)."""
        made = {**task, RECOVERY_REASON: reason}
        made["recovery_strategy"] = self.recovered_strategy(facts)
        if facts.new_approach:
            made = self.renewed(made, facts.new_approach, now_s)
        if facts.fixed_by:
            made[FIX_COMMIT] = writable(facts.fixed_by)
        return made

    def recovered_strategy(self, facts: TaskFacts) -> str | None:
        """LK-DQ-13; of the other conditions the document names none."""
        return Strategy.DEPENDENCY_RESOLVED if facts.dependency_available else None

    def renewed(self, task: Task, approach: str, now_s: float) -> dict[str, Any]:
        """What changes with a new approach: the count, and an attempt that is only planned (LK-DQ-14)."""
        made = self.keeping(task, "attempts", list)
        planned = {
            "attempt_number": self.number(task),
            "timestamp": self.timestamp(now_s),
            "approach": writable(approach),
            "error_type": None,
            "error_message": None,
            "agent_id": None,
        }
        return {**made, "failure_count": 0, "attempts": [*self.entries(task), planned]}

    def reduced(self, task: Task, scope: Scope, task_id: str) -> dict[str, Any]:
        """The new task of a simpler scope, linked to its original (LK-DQ-15)."""
        known = self.data(task)
        return {
            "task_id": task_id,
            "title": writable(scope.title),
            "description": writable(scope.description),
            "dependencies": known["dependencies"],
            "priority": known["priority"],
            LINKED_TO: task["task_id"],
            "failure_count": 0,
            "attempts": [],
        }

    def simplified(self, task: Task, created: str, strategy: str) -> dict[str, Any]:
        """The original of that new task, which stays."""
        return {**task, SIMPLER_TASK: created, "recovery_strategy": strategy}

    def abandoned(self, task: Task, reason: str) -> dict[str, Any]:
        """It as it is given up, with the reason (LK-DQ-20)."""
        return {**task, ABANDON_REASON: writable(reason), "recovery_strategy": Strategy.PERMANENT_ABANDON}

    def escalated(self, task: Task, name: str) -> dict[str, Any]:
        """It as it waits for a human, with the name of its new escalation file (LK-DQ-21)."""
        names = self.escalations(task)
        return {
            **task,
            ESCALATIONS: names if name in names else [*names, name],
            "recovery_strategy": Strategy.REQUIRES_HUMAN_REVIEW,
        }

    def escalations(self, task: Task) -> list[str]:
        """The names of its escalation files."""
        found = task.get(ESCALATIONS)
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []

    def keeping(self, task: Task, name: str, kind: type) -> dict[str, Any]:
        """A copy of it; a value of another type than the field has is kept beside, for it is about to be replaced."""
        found = task.get(name)
        if found is None or isinstance(found, kind):
            return dict(task)
        before = task.get(REPLACED)
        return {**task, REPLACED: {**(before if isinstance(before, Mapping) else {}), name: found}}

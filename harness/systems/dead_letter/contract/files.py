"""What stands in the queue files, and how a stored task is read, whoever wrote it. Pure.

A task in pending, in-progress or blocked has a ``task_id``, and ``title``, ``description``, ``dependencies`` and
``priority`` either beside it or in a ``task_data``; both are read, and whoever writes may write either. A task that has
failed has ``failure_count`` and ``attempts`` beside its ``task_id``, in these queues as in dead-letter. Any further
fields, beside ``task_id`` or in ``task_data``, are somebody's, and are kept wherever the task goes; so are the other
tasks of a file, its entries that are no tasks, and the fields beside its ``tasks``.

A task that went back to pending says why in ``recovery_reason``, an abandoned one in ``abandon_reason`` (other text
fields that were not there before are read as well); a reference to the fix stands in ``fix_commit``, the link from a
task of reduced scope to its original in ``linked_to`` (the values may stand in any field). The document names none of
these fields. Source: document 000, Schema (L386-423), Retry Conditions, Permanent Abandon Criteria.
"""

from collections.abc import Mapping
from typing import Any, Final

from harness.systems.queue_files import is_count

DATA_FIELDS: Final = ("title", "description", "dependencies", "priority")
TASK_FIELDS: Final = (
    "task_id",
    "original_queue",
    "failure_count",
    "first_failure",
    "last_failure",
    "error_summary",
    "attempts",
    "recovery_strategy",
    "task_data",
)
"""The fields of a dead letter (L391-414)."""
ATTEMPT_FIELDS: Final = ("attempt_number", "timestamp", "approach", "error_type", "error_message", "agent_id")
METADATA_FIELDS: Final = ("last_reviewed", "total_abandoned", "total_recovered")
RECOVERY_REASON: Final = "recovery_reason"
ABANDON_REASON: Final = "abandon_reason"
FIX_COMMIT: Final = "fix_commit"
LINKED_TO: Final = "linked_to"


def data_of(task: Mapping[str, Any]) -> Mapping[str, Any]:
    """Title, description, dependencies and priority of a task, those that it has, as they are.

    What ``task_data`` has stands before what the task has beside it. The values may be of any type.
    """
    inner = task.get("task_data")
    beside = {name: task[name] for name in DATA_FIELDS if name in task}
    within = {name: inner[name] for name in DATA_FIELDS if name in inner} if isinstance(inner, Mapping) else {}
    return {**beside, **within}


def attempts_of(task: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The entries of ``attempts`` that are objects, in their order; none when it is no array."""
    found = task.get("attempts")
    return tuple(each for each in found if isinstance(each, Mapping)) if isinstance(found, list | tuple) else ()


def has_failed(attempt: Mapping[str, Any]) -> bool:
    """Did that attempt fail? One without an error was only planned: a new approach that nobody has tried (LK-DQ-14).

    Without an error is one whose ``error_type`` and ``error_message`` are each null, empty or left out.
    """
    return attempt.get("error_type") not in (None, "") or attempt.get("error_message") not in (None, "")


def failures_of(task: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The attempts that failed, in their order: those that "total attempts" and "same error" speak of (L458-459)."""
    return tuple(each for each in attempts_of(task) if has_failed(each))


def failure_count_of(task: Mapping[str, Any]) -> int:
    """How often it failed since its count was last reset: ``failure_count``, where that is a whole number from 0 on.

    Otherwise the number of attempts that failed.
    """
    found = task.get("failure_count")
    return int(found) if is_count(found) and found is not None else len(failures_of(task))


def normalised(message: object) -> str:
    """An error message without what differs from time to time (LK-DQ-18, reading ``both``).

    Its case is folded, each run of digits is "#", each run of white space one space, none at the ends; "" when it is
    no text.
    """
    if not isinstance(message, str):
        return ""
    digitless = "".join("#" if each.isdecimal() else each for each in message.casefold())
    while "##" in digitless:
        digitless = digitless.replace("##", "#")
    return " ".join(digitless.split())

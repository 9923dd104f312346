"""What dead-letter.json has to look like once something was written to it (LK-DQ-02 to LK-DQ-08). Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.systems.dead_letter import contract
from harness.systems.dead_letter.contract import DATA_FIELDS, TASK_FIELDS, Priority, Strategy
from harness.systems.dead_letter.oracle.keeping import well_formed
from harness.systems.dead_letter.oracle.queues import Copy, Step, Task
from harness.systems.dead_letter.oracle.values import is_text, same
from harness.systems.notes import Notes
from harness.systems.queue_files import BLOCKED, DEAD_LETTER, IN_PROGRESS, PENDING, is_count
from harness.systems.times import stamp

_STORED: Final = frozenset(Strategy) - {Strategy.DEPENDENCY_RESOLVED}


def judge_file(step: Step, notes: Notes) -> None:
    """LK-DQ-02: the file that was written is an object with tasks and metadata."""
    if not step.is_calm or step.after is None or not step.wrote(DEAD_LETTER):
        return
    said = f"{(step.after.data(DEAD_LETTER) or b'')[:200]!r}"
    beside = None if DEAD_LETTER in step.after.damaged else step.after.files[DEAD_LETTER].metadata
    metadata = (beside or {}).get("metadata")
    if not isinstance(metadata, Mapping):
        notes.breaks("LK-DQ-02", "dead-letter.json is an object with tasks and metadata", said)
        return
    before = step.before.metadata()
    when = metadata.get("last_reviewed")
    ok = when is None or stamp(when) is not None or same(when, before.get("last_reviewed"))
    for name in ("total_abandoned", "total_recovered"):
        total = metadata.get(name)
        ok = ok and name in metadata and (is_count(total) or (name in before and same(total, before[name])))
    notes.holds("LK-DQ-02", ok, "metadata have last_reviewed, a time or null, and two counts", f"{dict(metadata)}")


def is_strategy(task: Task) -> bool:
    """Has it a strategy that a dead letter may have?"""
    found = task.get("recovery_strategy")
    return isinstance(found, str) and found in _STORED


def judge_strategy(task: Task, notes: Notes) -> None:
    """LK-DQ-07, of a task that was written to dead-letter."""
    notes.holds("LK-DQ-07", is_strategy(task), f"recovery_strategy is one of {sorted(_STORED)}",
                f"{task.get('recovery_strategy')!r}", ("added",))  # fmt: skip


def judge_letter(task: Task, came: Sequence[Copy], notes: Notes) -> None:
    """LK-DQ-03, 04, 07 and 08, of a task that was moved; ``came`` is where it stood before, and what it had."""
    judge_strategy(task, notes)
    _judge_fields(task, came, notes)
    _judge_origin(task, came, notes)
    _judge_times(task, came, notes)


def _judge_fields(task: Task, came: Sequence[Copy], notes: Notes) -> None:
    missing = [name for name in TASK_FIELDS if name not in task]
    inner = task.get("task_data")
    if missing or not isinstance(inner, Mapping):
        notes.breaks("LK-DQ-03", f"a dead letter has {', '.join(TASK_FIELDS)}", f"{missing or ['task_data']} missing")
        return
    typed = is_text(task["error_summary"]) and is_count(task["failure_count"]) and isinstance(task["attempts"], list)
    lost = [_lost(inner, well_formed(contract.data_of(before))) for _, before in came]
    lost = [[name for name in each if name != "priority"] for each in lost]
    ok = typed and any(not each for each in lost)
    known = [name for name in DATA_FIELDS if inner.get(name) is None]
    expected = "error_summary is a text, failure_count a count, and task_data has what the task had"
    notes.holds("LK-DQ-03", ok, expected, f"{task}"[:400], ("known",) if known else None)


def _lost(inner: Mapping[str, Any], data: Mapping[str, Any]) -> list[str]:
    return [name for name, value in data.items() if not same(inner.get(name), value)]


def _judge_origin(task: Task, came: Sequence[Copy], notes: Notes) -> None:
    origin, inner = task.get("original_queue"), task.get("task_data")
    priority = inner.get("priority") if isinstance(inner, Mapping) else None
    readings: set[str] = set()
    for queue, before in came:
        right = {"pending": {queue if queue in (PENDING, IN_PROGRESS) else PENDING},
                 "added": {queue if queue in (PENDING, IN_PROGRESS, BLOCKED) else PENDING}}  # fmt: skip
        had = contract.data_of(before).get("priority")
        free = had not in tuple(Priority) and (priority in tuple(Priority) or same(priority, had))
        if same(priority, had) or free:
            readings |= {name for name, each in right.items() if isinstance(origin, str) and origin in each}
    expected = f"original_queue is {' or '.join(queue for queue, _ in came)}, and priority what it was"
    notes.holds("LK-DQ-04", bool(readings), expected, f"{origin!r}, {priority!r}", readings)


def _judge_times(task: Task, came: Sequence[Copy], notes: Notes) -> None:
    """LK-DQ-08. Where attempts have no times, or there are fewer than failures, only the order is judged."""
    first, last = stamp(task.get("first_failure")), stamp(task.get("last_failure"))
    if first is None or last is None:
        notes.breaks("LK-DQ-08", "first_failure and last_failure are times",
                     f"{task.get('first_failure')!r}, {task.get('last_failure')!r}")  # fmt: skip
        return
    times = [stamp(each.get("timestamp")) for each in contract.failures_of(task)]
    known = [each for each in times if each is not None]
    count = contract.failure_count_of(task)
    if len(known) < len(times) or not known or count > len(known):
        ok = first <= last or known != sorted(known)
        notes.holds("LK-DQ-08", ok, "first_failure is not later than last_failure", f"{first}, {last}")
        return
    own = {stamp(before.get("first_failure")) for _, before in came} - {None}
    begins = {"attempts": {known[0], min(known)}, "reset": {known[max(0, len(known) - max(1, count))]}}
    readings = {name for name, each in begins.items() if first in each}
    if not readings and first in own:
        readings = {"attempts", "reset"}
    ok = bool(readings) and last in (known[-1], max(known))
    notes.holds("LK-DQ-08", ok, "they are the times of the first and the last failure", f"{first}, {last}", readings)

"""The words in which the scenarios of dead-letter queues are written."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Self

from harness.core.scenario import FORMAT, FileSpec, Operation, Scenario, ScenarioLevel, World
from harness.systems import story
from harness.systems.dead_letter.contract import QUEUE, QUEUE_PATHS, STALE_AFTER_S, SYSTEM
from harness.systems.queue_files import DEAD_LETTER, IN_PROGRESS, PENDING

CLOCK: Final = "2026-03-01T12:00:00Z"
_NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
_FIRST_FAILURE: Final = datetime(2026, 2, 20, 9, 30, tzinfo=UTC)
DAY_S: Final = STALE_AFTER_S
LONG_AGO_S: Final = 28 * 3600.0  # how long ago the queue of an ordinary world was reviewed: it is stale
CONTROL_NEW: Final = "new"  # in every world: who moves every task, or none, fails one of the two
CONTROL_FOURTH: Final = "fourth"
KINDS: Final = ("test_failure", "timeout", "validation")
APPROACHES: Final = ("direct", "cached")  # two: the same error in three abandons a task
_WORDS: Final = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet", "kilo")

Allowed = tuple[Mapping[str, Any], ...]
Task = Mapping[str, Any]
Files = Mapping[str, FileSpec]
Facts = Mapping[str, Mapping[str, Any]]
ANY: Final[Allowed] = ({},)

COUNTED: Final = ("LK-DQ-01", "LK-DQ-05", "LK-DQ-06")
MOVED: Final = (*COUNTED, "LK-DQ-02", "LK-DQ-03", "LK-DQ-04", "LK-DQ-07", "LK-DQ-08")


def ago(seconds: float) -> str:
    """The time so many seconds before the world's clock, as RFC 3339."""
    return (_NOW - timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def attempts(
    count: int, kinds: Sequence[str] = KINDS, approaches: Sequence[str] = APPROACHES, messages: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """So many failed attempts, an hour apart; kinds, approaches and messages come in turn."""
    return [
        {
            "attempt_number": number + 1,
            "timestamp": (_FIRST_FAILURE + timedelta(hours=number)).isoformat().replace("+00:00", "Z"),
            "approach": approaches[number % len(approaches)],
            "error_type": kinds[number % len(kinds)],
            "error_message": messages[number % len(messages)] if messages else f"{_WORDS[number % 11]} fails",
            "agent_id": f"agent-{number % 3}",
        }
        for number in range(count)
    ]


def data(id_: str, **fields: Any) -> dict[str, Any]:
    """The data of a task: nothing in its words needs a human."""
    whole = {"title": f"Write part {id_}", "description": f"The part {id_} of the parser", "dependencies": ["part-0"]}
    return {**whole, "priority": "high", **fields}


def task(id_: str, failures: int = 0, **fields: Any) -> dict[str, Any]:
    """A task as it stands in pending or in-progress, its data beside its id; with as many failures as that."""
    failed = {"failure_count": failures, "attempts": attempts(failures)} if failures else {}
    return {"task_id": id_, **data(id_), **failed, **fields}


def dead(id_: str, failures: int = 5, **fields: Any) -> dict[str, Any]:
    """A dead letter as the document has it; ``attempts`` and any other field may be given."""
    tried = fields.pop("attempts", attempts(failures))
    whole = {
        "task_id": id_,
        "original_queue": "pending",
        "failure_count": failures,
        "first_failure": tried[0]["timestamp"] if tried else ago(9 * DAY_S),
        "last_failure": tried[-1]["timestamp"] if tried else ago(8 * DAY_S),
        "error_summary": "Several failures",
        "attempts": tried,
        "recovery_strategy": "retry_with_simpler_approach",
        "task_data": data(id_, **fields.pop("task_data", {})),
    }
    return {**whole, **fields}


def text(value: Any, **how: Any) -> FileSpec:
    """A file with that JSON, in as few characters as it needs unless ``how`` says: scenarios hold much of it."""
    return FileSpec(text=json.dumps(value, **(how or {"separators": (",", ":")})))


def queue(*tasks: Any, **beside: Any) -> FileSpec:
    """A queue file with these tasks."""
    return text({"tasks": list(tasks), **beside})


def letters(*tasks: Any, reviewed: Any = None, **beside: Any) -> FileSpec:
    """A dead-letter file, reviewed long ago or when ``reviewed`` says."""
    when = ago(LONG_AGO_S) if reviewed is None else reviewed
    metadata = {"last_reviewed": when, "total_abandoned": 2, "total_recovered": 3}
    return queue(*tasks, metadata=metadata, **beside)


def pending(*tasks: Any) -> FileSpec:
    """The pending file, with the tasks of the control and these."""
    return queue(task(CONTROL_NEW), task(CONTROL_FOURTH, 4), *tasks)


_RUNNING: Final = (task("idle"), task("running", 4), task("third", 3))
FILES: Final[Files] = {
    QUEUE_PATHS[PENDING]: pending(),
    QUEUE_PATHS[IN_PROGRESS]: queue(*_RUNNING),
    QUEUE_PATHS[DEAD_LETTER]: letters(dead("old")),
}
"""An ordinary world: tasks at work, and one dead letter that nothing is known of and that waits."""


def only(*tasks: Any, reviewed: Any = None) -> Files:
    """What a world has of the dead-letter queue when it holds these."""
    return {QUEUE_PATHS[DEAD_LETTER]: letters(*tasks, reviewed=reviewed)}


class Story(story.Story):
    """Steps as they are told, one method a thing that happens. Times are in seconds since the reset."""

    def fail(
        self, id_: str, kind: Any = "test_failure", approach: Any = APPROACHES[0], message: Any = "it does not hold",
        agent: Any = "agent-7", process: int = 0,
    ) -> Self:  # fmt: skip
        """An attempt at that task failed."""
        return self.do(failed(id_, kind, approach, message, agent), process)

    def fails(self, id_: str, times: int) -> Self:
        """So many attempts failed, a minute apart."""
        for number in range(times):
            one = attempts(number + 1)[-1]
            self.later(60).fail(id_, one["error_type"], one["approach"], one["error_message"])
        return self

    def session(self, facts: Facts | None = None, process: int = 0) -> Self:
        """A session begins; ``facts`` by task id."""
        return self.do(asked("start_session", facts or {}), process)

    def review(self, facts: Facts | None = None, process: int = 0) -> Self:
        """Somebody asks for a review."""
        return self.do(asked("review", facts or {}), process)

    def abandon(self, id_: str, reason: str = "The feature was dropped", by: str = "alice", process: int = 0) -> Self:
        """A human gives that task up."""
        return self.do(Operation("abandon", {"task_id": id_, "by": by, "reason": reason}), process)

    def list(self, name: str = DEAD_LETTER, process: int = 0) -> Self:
        """Which tasks stand in that queue? The history of it shows every queue."""
        return self.do(Operation("list", {"queue": name}), process)

    def escalations(self, process: int = 0) -> Self:
        """What was a human asked?"""
        return self.do(Operation("escalations"), process)

    def look(self) -> Self:
        """Everything that is on disk."""
        return self.escalations().list()

    def control(self) -> Self:
        """In calm weather one task fails for the first time, and one for the fifth; then a fresh world."""
        return self.fail(CONTROL_NEW).fail(CONTROL_FOURTH).look().reset()


def failed(
    id_: str, kind: Any = "test_failure", approach: Any = APPROACHES[0], message: Any = "it does not hold",
    agent: Any = "agent-7",
) -> Operation:  # fmt: skip
    """The operation that records a failure, which nobody does yet."""
    attempt = {"approach": approach, "error_type": kind, "error_message": message, "agent_id": agent}
    return Operation("record_failure", {"task_id": id_, "attempt": attempt})


def asked(name: str, facts: Facts) -> Operation:
    """A session's beginning, or a review, with these facts."""
    return Operation(name, {"facts": {id_: dict(each) for id_, each in facts.items()}} if facts else {})


def calm() -> Story:
    """A story that begins with the control."""
    return Story().control()


def scenario(
    name: str,
    title: str,
    clauses: Iterable[str],
    told: Story,
    allowed: Allowed = ANY,
    *,
    files: Files | None = None,
    level: ScenarioLevel = "L1",
) -> Scenario:
    """The story as a scenario in the ordinary world, with ``files`` beside or instead of what stands there.

    Of the tasks in progress those that have failed are only there when the story speaks of them: they take much room.
    ``clauses`` come sorted, ``allowed`` is what its last operation may give.
    """
    said = repr(told.steps)
    running = [each for each in _RUNNING if "attempts" not in each or repr(each["task_id"]) in said]
    return Scenario(
        format=FORMAT,
        id=f"dlq-{name}",
        title=title,
        system=SYSTEM,
        profile=QUEUE,
        level=level,
        clauses=tuple(sorted(set(clauses))),
        world=World(CLOCK, {**FILES, QUEUE_PATHS[IN_PROGRESS]: queue(*running), **(files or {})}),
        steps=told.steps,
        allowed=allowed,
    )

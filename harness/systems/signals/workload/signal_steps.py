"""The words in which the scenarios of signals are written."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from harness.core.scenario import FORMAT, FileSpec, Operation, Scenario, ScenarioLevel, World
from harness.systems import queue_files, story
from harness.systems.signals.contract import (
    APPROVED,
    CONTINUITY_PATH,
    CURRENT_TASK_PATH,
    QUEUE_PATHS,
    ROUTES,
    SIGNALS,
    SIGNALS_DIRECTORY,
    SYSTEM,
    Signal,
)

CLOCK: Final = "2026-03-01T12:00:00Z"
DAY_S: Final = 86_400.0
LOKI: Final = SIGNALS_DIRECTORY.rpartition("/")[0]
QUEUES: Final = f"{LOKI}/queue"
GOAL: Final = "Add login endpoint per OpenAPI spec"
AGENT: Final = "eng-001-backend-api"
CURRENT: Final = "task-042"  # what current-task.json holds
OTHER: Final = "task-043"
REVIEWED: Final = "task-099"  # in progress, and asked about
ALSO_REVIEWED: Final = "task-100"  # the same
WAITING: Final = ("task-050", "task-051")  # pending
CONTROL: Final = "task-control"  # that of the drift which shows, in every scenario, that one is kept
CONTINUITY: Final = "# Continuity\n\nPhase: DEVELOPMENT\n"

Allowed = tuple[Mapping[str, Any], ...]
ANY: Final[Allowed] = ({},)


def task(id_: str, title: str | None = None, **fields: Any) -> dict[str, Any]:
    """A task as the queues hold it."""
    return {"task_id": id_, "title": title or f"What {id_} is about", "priority": "medium", **fields}


def text(value: Any, **how: Any) -> FileSpec:
    """A file that holds that value as JSON."""
    return FileSpec(text=json.dumps(value, **how))


def queue(*tasks: Mapping[str, Any]) -> FileSpec:
    """A queue file with these tasks."""
    return text({"tasks": list(tasks)})


def current(goal: Any = GOAL, id_: str = CURRENT) -> FileSpec:
    """A current-task.json with that goal."""
    return text({"task_id": id_, "title": f"What {id_} is about", "goal": goal})


FILES: Final[Mapping[str, FileSpec]] = {
    CURRENT_TASK_PATH: current(),
    CONTINUITY_PATH: FileSpec(text=CONTINUITY),
    QUEUE_PATHS[queue_files.PENDING]: queue(*map(task, WAITING)),
    QUEUE_PATHS[queue_files.IN_PROGRESS]: queue(
        task(CURRENT), task(REVIEWED, description="Deploy to production", dependencies=[]), task(ALSO_REVIEWED)
    ),
}
"""What stands in the world: a task at work, two that will be asked about, two that wait."""


def drifted(
    number: int, of: str = CURRENT, severity: Any = "medium", distance: Any = 2, **fields: Any
) -> dict[str, Any]:
    """The arguments of a report; its number makes it one of its own."""
    whole = {
        "task_id": of, "planned_action": "Implement user authentication",
        "detected_drift": f"Started refactoring database schema instead, {number}", "severity": severity,
        "agent": AGENT, "drift_distance": distance,
    }  # fmt: skip
    return {**whole, **fields}


def wanted(of: str = REVIEWED, **fields: Any) -> dict[str, Any]:
    """The arguments of a request for a review."""
    whole = {
        "task_id": of, "reason": "security_decision", "context": f"{of} requires AWS production credentials",
        "severity": "critical", "blocking": True,
    }  # fmt: skip
    return {**whole, **fields}


def decision(of: str | None = REVIEWED, said: Any = APPROVED, **fields: Any) -> str:
    """What a human writes into HUMAN_APPROVED."""
    return json.dumps({**({} if of is None else {"task_id": of}), "decision": said, **fields})


def friction(id_: str = "friction-042", **fields: Any) -> dict[str, Any]:
    """The payload of a friction that was found."""
    whole = {
        "friction_id": id_, "location": "src/billing/invoice.py:234", "behavior": f"Sleeps before it commits, {id_}",
        "classification": "unknown", "agent": "eng-001-healer",
    }  # fmt: skip
    return {**whole, **fields}


class Story(story.Story):
    """Steps as they are told, one method a thing that happens. Times are in seconds since the reset.

    Every drift that is reported says something else, so that no two records are alike.
    """

    def __init__(self) -> None:
        super().__init__()
        self._drifts = self._named = 0

    def named(self, word: str) -> str:
        """A name of that kind which nothing has yet."""
        self._named += 1
        return f"{word}-{self._named}"

    def reported(self, of: str = CURRENT, severity: Any = "medium", distance: Any = 2, **fields: Any) -> Operation:
        """The report of a drift, which nobody makes yet."""
        self._drifts += 1
        return Operation("report_drift", drifted(self._drifts, of, severity, distance, **fields))

    def drift(
        self, of: str = CURRENT, severity: Any = "medium", distance: Any = 2, process: int = 0, **fields: Any
    ) -> Self:
        """An agent drifts off that task."""
        return self.do(self.reported(of, severity, distance, **fields), process)

    def drifts(self, of: str | None = None, process: int = 0) -> Self:
        """The records of that task, or all. The history of it shows every file, too."""
        return self.do(Operation("drifts", {} if of is None else {"task_id": of}), process)

    def assess(self, **facts: Any) -> Self:
        """Does this need a human?"""
        return self.do(Operation("assess", facts))

    def review(self, of: str = REVIEWED, process: int = 0, **fields: Any) -> Self:
        """A human is asked about that task."""
        return self.do(requested(of, **fields), process)

    def reviews(self, of: str | None = None, process: int = 0) -> Self:
        """The pending requests of that task, or all."""
        return self.do(Operation("reviews", {} if of is None else {"task_id": of}), process)

    def decide(self, said: str | None = None) -> Self:
        """A human writes that into HUMAN_APPROVED: that the task may go on, where nothing is given."""
        return self.do(Operation("decide", {"text": decision() if said is None else said}))

    def clarify(self, of: str = REVIEWED, clarification: str = "Use the staging account") -> Self:
        """A human makes the task clear."""
        return self.do(Operation("clarify", {"task_id": of, "clarification": clarification}))

    def cancel(self, of: str = REVIEWED) -> Self:
        """A human cancels the task."""
        return self.do(Operation("cancel", {"task_id": of}))

    def check(self, alert: str | None = None, process: int = 0) -> Self:
        """Somebody looks after the reviews."""
        return self.do(Operation("check_reviews", {} if alert is None else {"alert": alert}), process)

    def emit(
        self, signal: str, name: str | None = None, payload: Mapping[str, Any] | None = None, *, by: str | None = None,
        process: int = 0,
    ) -> Self:  # fmt: skip
        """A signal is raised, by who creates it unless ``by`` says otherwise."""
        return self.do(emitted(signal, name, payload, by=by), process)

    def consume(
        self, signal: str, name: str | None = None, *, by: str | None = None, handler: str | None = None,
        process: int = 0,
    ) -> Self:  # fmt: skip
        """A workflow signal is handled, by who consumes it unless ``by`` says otherwise."""
        return self.do(consumed(signal, name, by=by, handler=handler), process)

    def heal(self, signal: str, *, by: str | None = None, **facts: Any) -> Self:
        """A healing signal is processed, by who consumes it unless ``by`` says otherwise."""
        return self.do(Operation("heal", {"signal": signal, "by": by or consumer(signal), **facts}))

    def classify(self, friction_id: str = "friction-042", classification: str = "business_rule") -> Self:
        """Somebody classifies a friction."""
        return self.do(Operation("classify_friction", {"friction_id": friction_id, "classification": classification}))

    def remove(self, friction_id: str = "friction-042") -> Self:
        """Somebody wants to remove it."""
        return self.do(Operation("remove_friction", {"friction_id": friction_id}))

    def control(self) -> Self:
        """In calm weather a drift is reported, and only its own task has it; then a fresh world."""
        self.do(Operation("report_drift", drifted(0, CONTROL, "low", 1)))
        return self.drifts(CONTROL).drifts(OTHER).reset()


def requested(of: str = REVIEWED, **fields: Any) -> Operation:
    """The operation that asks a human about that task."""
    return Operation("request_review", wanted(of, **fields))


def creator(signal: str) -> str:
    """Who creates it; of several the first by name."""
    found = ROUTES.get(signal)  # type: ignore[call-overload]  # a word that is none of Signal has no route
    return min(found[0]).value if found else "feature"


def consumer(signal: str) -> str:
    """Who consumes it."""
    found = ROUTES.get(signal)  # type: ignore[call-overload]  # as above
    return found[1].value if found else "testing"


def emitted(
    signal: str, name: str | None = None, payload: Mapping[str, Any] | None = None, *, by: str | None = None
) -> Operation:
    """The operation that raises a signal."""
    if payload is None:
        payload = friction() if signal == Signal.FRICTION_DETECTED else {"said": f"{signal} {name or ''}".strip()}
    args = {"signal": str(signal), "by": by or creator(signal), "payload": dict(payload)}
    return Operation("emit", args if name is None else {**args, "name": name})


def consumed(
    signal: str, name: str | None = None, *, by: str | None = None, handler: str | None = None
) -> Operation:  # fmt: skip
    """The operation that handles a signal."""
    args = {"signal": str(signal), "by": by or consumer(signal)}
    more = {"name": name, "handler": handler}
    return Operation("consume", {**args, **{key: value for key, value in more.items() if value is not None}})


def calm() -> Story:
    """A story that begins with the control."""
    return Story().control()


def scenario(
    name: str,
    title: str,
    clauses: Sequence[str],
    story: Story,
    allowed: Allowed = ANY,
    *,
    files: Mapping[str, FileSpec] | None = None,
    clock: str = CLOCK,
    level: ScenarioLevel = "L1",
) -> Scenario:
    """The story as a scenario, with ``files`` beside or instead of what stands in the world.

    ``clauses`` come sorted, ``allowed`` is what its last operation may give.
    """
    return Scenario(
        format=FORMAT,
        id=f"signals-{name}",
        title=title,
        system=SYSTEM,
        profile=SIGNALS,
        level=level,
        clauses=tuple(sorted(set(clauses))),
        world=World(clock, {**FILES, **(files or {})}),
        steps=story.steps,
        allowed=allowed,
    )

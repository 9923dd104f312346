"""The words in which the scenarios of sessions are written, and the world that they begin in."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from harness.core.scenario import FORMAT, FileSpec, Operation, Scenario, ScenarioLevel, World
from harness.systems import queue_files, story
from harness.systems.session_recovery.contract import (
    BREAKERS_PATH,
    CONTINUITY_PATH,
    HOME,
    IN_PROGRESS_PATH,
    ORCHESTRATOR_PATH,
    PENDING_PATH,
    SESSION,
    SYSTEM,
)

CLOCK: Final = "2026-03-01T12:00:00Z"
CONTROL: Final = "control"  # the worker, and the operation, of what every scenario shows in calm weather
FIRST: Final = "task-001"
SECOND: Final = "task-002"
UNKNOWN: Final = "task-404"  # no queue has it
CLOSED: Final = "api/claude"
OPEN: Final = "api/openai"
HALF_OPEN: Final = "api/codex"
COMMIT: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
INTERFACE: Final = "GET /orders/{id} -> Order"
LEFT_S: Final = 200.0  # of the cooldown of OPEN, when a scenario begins

Allowed = tuple[Mapping[str, Any], ...]
ANY: Final[Allowed] = ({},)

CONTINUITY: Final = "# Continuity\n\nGoal: ship the order service.\nMistakes: do not mock the clock twice.\n"
TREE: Final = {"BOOTSTRAP": "read the brief", "DEVELOPMENT": "claim a task", "QA": "run the suite"}


def task(id_: Any, **fields: Any) -> dict[str, Any]:
    """A task of that id, as it stands in a queue."""
    whole = {
        "task_id": id_, "title": f"Title of {id_}", "description": f"What {id_} has to do, in a sentence.",
        "dependencies": [], "priority": "high", "created_by": {"agent": "orch-001", "notes": [1, None]},
    }  # fmt: skip
    return {**whole, **fields}


def as_json(value: Any, **how: Any) -> FileSpec:
    """A file with that value."""
    return FileSpec(text=json.dumps(value, **how))


def queue(*tasks: Any) -> FileSpec:
    """A queue file with these entries."""
    return as_json({"tasks": list(tasks)})


def path_of(name: str) -> str:
    """The file of that queue in the world."""
    return f"{HOME}/{queue_files.path_of(name)}"


def breaker(state: Any = "OPEN", **fields: Any) -> dict[str, Any]:
    """A breaker; one that is OPEN failed a hundred seconds ago."""
    found = {
        "state": state, "failure_count": 0, "success_count": 0, "last_failure_time": None,
        "last_state_change": "2026-03-01T11:00:00Z", "cooldown_until": None, "failure_window_start": None,
    }  # fmt: skip
    if state == "OPEN":
        at = "2026-03-01T11:58:20Z"
        found |= {"failure_count": 3, "last_failure_time": at, "last_state_change": at, "failure_window_start": at}
        found["cooldown_until"] = "2026-03-01T12:03:20Z"
    return {**found, **fields}


BREAKERS: Final[Mapping[str, Any]] = {
    CLOSED: breaker("CLOSED"),
    OPEN: breaker(),
    HALF_OPEN: breaker("HALF_OPEN", success_count=1),
}
FILES: Final[Mapping[str, FileSpec]] = {
    CONTINUITY_PATH: FileSpec(text=CONTINUITY),
    ORCHESTRATOR_PATH: as_json({"phase": "DEVELOPMENT", "version": 3, "agents": ["eng-001"]}),
    PENDING_PATH: queue(task(FIRST), task(SECOND, priority="low")),
    IN_PROGRESS_PATH: queue(),
    BREAKERS_PATH: as_json(BREAKERS),
}
"""What stands in the world: two tasks to claim, none in progress, a breaker in each of its states."""


def claimed(worker: str) -> Operation:
    """The operation of a worker who wants a task."""
    return Operation("claim", {"worker": worker})


def completed(task_id: str, worker: str = "w1") -> Operation:
    """The operation of a worker who has finished that task."""
    return Operation("complete", {"worker": worker, "task_id": task_id})


def checkpointed(name: str, state: Mapping[str, Any] | None = None) -> Operation:
    """The operation that checkpoints the state, one of its own unless it is given."""
    return Operation("checkpoint", {"name": name, "state": {"at": name} if state is None else dict(state)})


class Story(story.Story):
    """Steps as they are told, one method a thing that happens. Times are in seconds since the reset.

    Operations and checkpoints get names of their own, ``n1``, ``n2`` and so on, where none is given.
    """

    def __init__(self) -> None:
        super().__init__()
        self._named = 0

    def named(self) -> str:
        """A name for the next operation or checkpoint."""
        self._named += 1
        return f"n{self._named}"

    def turn(self, tree: Mapping[str, str] | None = None, process: int = 0) -> Self:
        """A turn begins."""
        return self.do(Operation("begin_turn", {"tree": dict(TREE if tree is None else tree)}), process)

    def lose_context(self, process: int = 0) -> Self:
        """The context is lost."""
        return self.do(Operation("resume", {"reason": "context_loss"}), process)

    def limit(self, breaker: str = OPEN, process: int = 0, **facts: Any) -> Self:
        """A rate limit was hit."""
        return self._resume("rate_limit", {"breaker": breaker, **facts}, process)

    def fail_tests(self, process: int = 0, **facts: Any) -> Self:
        """Tests failed."""
        whole = {"output": "FAILED test_orders.py::test_total - assert 3 == 4", **facts}
        return self._resume("test_failure", whole, process)

    def _resume(self, reason: str, facts: Mapping[str, Any], process: int) -> Self:
        return self.do(Operation("resume", {"reason": reason, "facts": dict(facts)}), process)

    def claim(self, worker: str = "w1", process: int = 0) -> Self:
        """A worker wants a task."""
        return self.do(claimed(worker), process)

    def start(self, task_id: str = FIRST, interface: str | None = None, process: int = 0) -> Self:
        """Work on that task begins."""
        args = {"task_id": task_id} if interface is None else {"task_id": task_id, "interface": interface}
        return self.do(Operation("start_task", args), process)

    def complete(self, task_id: str = FIRST, worker: str = "w1", process: int = 0) -> Self:
        """A worker has finished that task."""
        return self.do(completed(task_id, worker), process)

    def ledger(self, process: int = 0) -> Self:
        """What has been finished? The history of it shows every file, too."""
        return self.do(Operation("ledger"), process)

    def checkpoint(self, state: Mapping[str, Any] | None = None, *, name: str | None = None, process: int = 0) -> Self:
        """The state is checkpointed."""
        return self.do(checkpointed(self.named() if name is None else name, state), process)

    def begin(self, kind: str = "major", *, name: str | None = None, process: int = 0, **how: Any) -> Self:
        """An operation is to begin."""
        name = self.named() if name is None else name
        return self.do(
            Operation("begin_operation", {"name": name, "kind": kind, "state": {"of": name}, **how}), process
        )

    def spawn(self, agents: int, worktrees: int, *, implementing: bool = True, **how: Any) -> Self:
        """So many subagents are to be spawned at once."""
        return self.begin("spawn", agents=agents, worktrees=worktrees, implementing=implementing, **how)

    def control(self) -> Self:
        """In calm weather a task is claimed, and of two guarded operations one begins; then a fresh world."""
        self.claim(CONTROL).begin("minor", name="control-1", breaker=CLOSED)
        return self.begin("minor", name="control-2", breaker=OPEN).lose_context().reset()


def calm() -> Story:
    """A story that begins with the control."""
    return Story().control()


def scenario(
    name: str,
    title: str,
    clauses: Sequence[str],
    story: Story,
    *,
    files: Mapping[str, FileSpec] | None = None,
    level: ScenarioLevel = "L1",
) -> Scenario:
    """The story as a scenario, with ``files`` beside or instead of what stands in the world.

    ``clauses`` come sorted, without their ``LK-``. Judged is every answer; the last one may be any.
    """
    return Scenario(
        format=FORMAT,
        id=f"session-{name}",
        title=title,
        system=SYSTEM,
        profile=SESSION,
        level=level,
        clauses=tuple(sorted({f"LK-{clause}" for clause in clauses})),
        world=World(CLOCK, {**FILES, **(files or {})}),
        steps=story.steps,
        allowed=ANY,
    )

"""The words in which the scenarios of error logs are written."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from harness.core.scenario import (
    FORMAT,
    FileSpec,
    Operation,
    Scenario,
    ScenarioLevel,
    World,
)
from harness.systems import story
from harness.systems.error_log.contract import (
    ERRORS_PATH,
    LOG,
    PLAN_PATH,
    SOURCE_PATH,
    STATE_PATH,
    SYSTEM,
    TODO_PATH,
)

CLOCK: Final = "2026-03-01T12:00:00Z"
SESSION: Final = "sess_1772366400_a1b2c3"
OTHER: Final = "sess_1772366460_d4e5f6"
CONTROL: Final = "sess_1772366400_c0ffee"  # that of the record which shows, in every scenario, that one is kept
TASK: Final = 259
OTHER_TASK: Final = 260
SPECS: Final = ERRORS_PATH.rpartition("/")[0]
PHASES: Final = ("phase1", "phase2", "phase3")
PATH: Final = ("orchestrator", "implement", "skill-implementer", "general-implementation-agent")
INSTANT_S: Final = 0.000001
UNTOLD: Final = "(untold)"  # the message of an error that gets one of its own
_MICROSECONDS = 1_000_000

Allowed = tuple[Mapping[str, Any], ...]
ANY: Final[Allowed] = ({},)

PLAN: Final = """# Implementation plan: task 259

### Phase 1: Research [COMPLETED]
- [x] read what is there

### Phase 2: Implement [IN PROGRESS]
- [ ] write the parser

### Phase 3: Verify [NOT STARTED]
- [ ] run the tests
"""
TODO: Final = "# TODO\n\n- [ ] 258: Tidy the docs [PLANNED]\n- [ ] 259: Write the parser [IMPLEMENTING]\n"
STATE: Final = '{"tasks": {"258": "planned", "259": "completed"}}\n'
SOURCE: Final = "def main():\n    return 1 +\n"
FILES: Final[Mapping[str, FileSpec]] = {
    PLAN_PATH: FileSpec(text=PLAN),
    TODO_PATH: FileSpec(text=TODO),
    STATE_PATH: FileSpec(text=STATE),
    SOURCE_PATH: FileSpec(text=SOURCE),
}
"""What stands in the world of a task: its plan, both lists of statuses, which differ, and a source."""


def given(kind: Any = "validation_failed", message: Any = UNTOLD, **fields: Any) -> dict[str, Any]:
    """An error of that type as an argument."""
    return {"type": kind, "message": message, **fields}


def context(session: Any = SESSION, **fields: Any) -> dict[str, Any]:
    """The context of a record, all five of its fields."""
    whole = {"session_id": session, "command": "/implement", "task": TASK, "phase": 2, "checkpoint": "GATE_OUT"}
    return {**whole, **fields}


def progress(
    completed: Sequence[str] = PHASES[:1],
    failed_at: str | None = PHASES[1],
    *,
    task: int = TASK,
    phases: Sequence[str] = PHASES,
    partial: Any = None,
) -> dict[str, Any]:
    """How far a task is."""
    found = {"task": task, "phases": list(phases), "completed": list(completed), "failed_at": failed_at}
    return found if partial is None else {**found, "partial": partial}


class Story(story.Story):
    """Steps as they are told, one method a thing that happens. Errors get names of their own, ``e1``, ``e2`` and so on.

    Where no message is given it has the error's name, so that no two are alike. Times are in seconds since the reset.
    """

    def __init__(self) -> None:
        super().__init__()
        self._errors = 0

    def logged(self, error: Mapping[str, Any], name: str | None = None) -> Operation:
        """The operation that logs that error, which nobody does yet."""
        name = name or self.named()
        return Operation("log", {"name": name, "error": _told(error, name)})

    def log(
        self, kind: Any = "validation_failed", *, session: str | None = SESSION, name: str | None = None,
        process: int = 0, **fields: Any,
    ) -> Self:  # fmt: skip
        """An error occurs, in that session unless ``context`` says otherwise."""
        error = {"context": context(session), **fields} if session is not None else fields
        return self.do(self.logged(given(kind, **error), name), process)

    def read(self, session: str | None = None, process: int = 0) -> Self:
        """The records of that session, or all. The history of it shows every file, too."""
        return self.do(Operation("read", {} if session is None else {"session_id": session}), process)

    def patterns(self) -> Self:
        """Which errors recur?"""
        return self.do(Operation("patterns"))

    def fix(self, name: str, status: str = "fixed", process: int = 0) -> Self:
        """Somebody works on that error."""
        return self.do(Operation("set_fix_status", {"name": name, "status": status}), process)

    def classify(self, source: str, **incident: Any) -> Self:
        """Which type is that?"""
        return self.do(Operation("classify", {"incident": {"source": source, **incident}}))

    def handle(
        self, kind: Any, severity: Any = "high", far: Mapping[str, Any] | None = None, *, name: str | None = None,
        process: int = 0, **fields: Any,
    ) -> Self:  # fmt: skip
        """An error occurs while a task runs."""
        name = name or self.named()
        error = _told(given(kind, severity=severity, context=context(), **fields), name)
        args = {"name": name, "error": error, "progress": dict(far or progress())}
        return self.do(Operation("handle", args), process)

    def recover(
        self, kind: str, far: Mapping[str, Any] | None = None, facts: Mapping[str, Any] | None = None, *,
        name: str | None = None, severity: Any = "high", process: int = 0, **fields: Any,
    ) -> Self:  # fmt: skip
        """The procedure for that type is carried out."""
        name = name or self.named()
        error = _told(given(kind, **{"severity": severity, "context": context(), **fields}), name)
        args = {"name": name, "error": error, "progress": dict(far or progress())}
        return self.do(Operation("recover", args if facts is None else {**args, "facts": dict(facts)}), process)

    def begin(
        self, status: str = "implementing", *, task: int = TASK, session: str = SESSION, process: int = 0
    ) -> Self:
        """A delegation begins."""
        args = {
            "task": task, "session_id": session, "agent": PATH[-1], "delegation_path": list(PATH), "status": status,
        }  # fmt: skip
        return self.do(Operation("begin", args), process)

    def resume(self, task: int = TASK, process: int = 0) -> Self:
        """The next invocation of the command begins."""
        return self.do(Operation("resume", {"task": task}), process)

    def finish(self) -> Self:
        """The execution ends."""
        return self.do(Operation("finish"))

    def named(self) -> str:
        """A name for the next error."""
        self._errors += 1
        return f"e{self._errors}"

    def control(self) -> Self:
        """In calm weather an error is logged, and only its own session has it; then a fresh world."""
        self.log("validation_failed", session=CONTROL, name="control", severity="low")
        return self.read(CONTROL).read(OTHER).reset()


def _told(error: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The error, with a message of its own where none was given."""
    return {**error, "message": f"what happened to {name}"} if error.get("message") == UNTOLD else dict(error)


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
    """The story as a scenario in the world of a task, with ``files`` beside or instead of what stands there.

    ``clauses`` come sorted, ``allowed`` is what its last operation may give.
    """
    return Scenario(
        format=FORMAT,
        id=f"log-{name}",
        title=title,
        system=SYSTEM,
        profile=LOG,
        level=level,
        clauses=tuple(sorted(set(clauses))),
        world=World(clock, {**FILES, **(files or {})}),
        steps=story.steps,
        allowed=allowed,
    )

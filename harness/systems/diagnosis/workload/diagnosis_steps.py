"""The words in which the scenarios of diagnoses are written."""

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
from harness.systems.diagnosis.contract import PREVIOUS_ACTIONS, REFLECTION, SYSTEM, ModelBehaviour, Reflection
from harness.systems.diagnosis.workload.failures import AVAILABLE, GIT, REPO_BROWSER, REPOSITORY, Failure

CLOCK: Final = "2026-03-01T12:00:00Z"
GOAL: Final = f"Clone {REPOSITORY} and count its lines"
CONTROL: Final = "control"  # how the calls of the control begin
FIRST_ITERATION: Final = 2  # that of the example of the document
TOOK: Final = 3  # iterations of a recovery, in the example of the document

Allowed = tuple[Mapping[str, Any], ...]
ANY: Final[Allowed] = ({},)
SILENT: Final[Allowed] = ({"reflection": Reflection.NONE.value},)
FULL: Final[Allowed] = ({"reflection": Reflection.FULL.value},)
REFLECTED: Final[Allowed] = (*FULL, {"reflection": Reflection.FAST.value})
ASKS: Final[Allowed] = ({"asks_user": True},)
GOES_ON: Final[Allowed] = ({"asks_user": False}, {})

_UNSET: Final = object()


def context(
    iteration: int = FIRST_ITERATION,
    previous: Sequence[Mapping[str, Any]] = (),
    tools: Any = AVAILABLE,
) -> dict[str, Any]:
    """The context of an observation as the document has it."""
    return {
        "iteration": iteration,
        "previousActions": [dict(each) for each in previous],
        "availableTools": list(tools) if isinstance(tools, tuple) else tools,
        "workspaceState": {"files": ["README.md"], "directories": ["src"]},
        "taskGoal": GOAL,
    }


def action(tool: Any, args: Any, result: str = "ok", *, success: bool = True) -> dict[str, Any]:
    """One of the previous actions of a context."""
    return {"tool": tool, "args": args, "result": result, "success": success}


def observed(call: str, failure: Failure, where: Any, model: Mapping[str, Any] | None = None) -> Operation:
    """That tool call failed, in the context ``where``."""
    args = {
        "call": call,
        "tool": failure.tool,
        "args": failure.args,
        "success": False,
        "error": failure.error,
        "context": where,
    }
    return Operation("observe", args if model is None else {**args, "model": dict(model)})


def worked(call: str, where: Any) -> Operation:
    """A tool call succeeded."""
    args = {"call": call, "tool": "read_file", "args": {"path": "README.md"}, "success": True, "context": where}
    return Operation("observe", args)


def outcome(call: str, *, success: bool, iterations: int = TOOK) -> Operation:
    """The strategy in force for that call was tried."""
    return Operation("outcome", {"call": call, "success": success, "iterations": iterations})


def script(behaviour: ModelBehaviour, text: str = "", delay_s: float = 0.0) -> dict[str, Any]:
    """What the model of an observation does."""
    said = {"behaviour": behaviour.value, "text": text} if text else {"behaviour": behaviour.value}
    return {**said, "delay_s": delay_s} if delay_s else said


class Story(story.Story):
    """Steps as they are told, one method a thing that happens; calls get names of their own, ``c1``, ``c2`` and so on.

    Iterations are counted, and of previous actions the last ``kept`` supplied, as the agent does that is played.
    """

    def __init__(self, kept: int = PREVIOUS_ACTIONS) -> None:
        self._kept = kept
        super().__init__()
        self._calls = 0
        self._iteration = FIRST_ITERATION - 1
        self._previous: list[Mapping[str, Any]] = []
        self.call = ""  # the last call that failed

    def ok(self, call: str | None = None, process: int = 0) -> Self:
        """A tool call succeeds. The history of it shows the files, too: what was found when it began."""
        operation = worked(self._named(call), self._context())
        self._remember(action("read_file", {"path": "README.md"}))
        return self.do(operation, process)

    def fail(
        self,
        failure: Failure = GIT,
        call: str | None = None,
        *,
        model: Mapping[str, Any] | None = None,
        tools: Any = AVAILABLE,
        where: Any = _UNSET,
        process: int = 0,
    ) -> Self:
        """A tool call fails. ``where`` is its context, of any shape, where that is not the agent's."""
        found = self._context(tools)
        self.call = self._named(call)
        operation = observed(self.call, failure, found if where is _UNSET else where, model)
        self._remember(action(failure.tool, failure.args, "failed", success=False))
        return self.do(operation, process)

    def tried(self, *, success: bool, call: str | None = None, iterations: int = TOOK, process: int = 0) -> Self:
        """The strategy in force was tried, for the last call where none is named."""
        return self.do(outcome(call or self.call, success=success, iterations=iterations), process)

    def recovered(self, failure: Failure = GIT, times: int = 1, process: int = 0) -> Self:
        """A call fails and its recovery succeeds, again and again."""
        for _ in range(times):
            self.fail(failure, process=process).tried(success=True, process=process)
        return self

    def gave_up(self, times: int = 2) -> Self:
        """The recovery of the last call fails so many times."""
        for _ in range(times):
            self.tried(success=False, iterations=1)
        return self

    def prompt(self, call: str | None = None) -> Self:
        """What does the next reflection read of the last call?"""
        return self.do(Operation("prompt", {"call": call or self.call}))

    def report(self, call: str | None = None) -> Self:
        """What is the user shown of the last call?"""
        return self.do(Operation("report", {"call": call or self.call}))

    def shown(self, call: str | None = None) -> Self:
        """Both."""
        return self.prompt(call).report(call)

    def reset(self) -> Self:
        """A fresh world."""
        self._iteration, self._previous = FIRST_ITERATION - 1, []
        return super().reset()

    def control(self) -> Self:
        """In calm weather a success says nothing and a failure is diagnosed, as what it is; then a fresh world."""
        self.do(worked(f"{CONTROL}-1", context())).do(observed(f"{CONTROL}-2", GIT, context()))
        return self.do(observed(f"{CONTROL}-3", REPO_BROWSER, context())).reset()

    def _context(self, tools: Any = AVAILABLE) -> dict[str, Any]:
        self._iteration += 1
        return context(self._iteration, self._previous, tools)

    def _remember(self, done: Mapping[str, Any]) -> None:
        self._previous = [*self._previous, done][-self._kept :]

    def _named(self, call: str | None) -> str:
        self._calls += call is None
        return f"c{self._calls}" if call is None else call


def calm(kept: int = PREVIOUS_ACTIONS) -> Story:
    """A story that begins with the control."""
    return Story(kept).control()


def scenario(
    name: str,
    title: str,
    clauses: Sequence[str],
    story: Story,
    allowed: Allowed,
    *,
    files: Mapping[str, FileSpec] | None = None,
    flags: Mapping[str, str] | None = None,
    config: Mapping[str, Any] | None = None,
    level: ScenarioLevel = "L1",
) -> Scenario:
    """The story as a scenario; ``clauses`` come sorted, ``allowed`` is what its last operation may give."""
    asked: dict[str, Any] = dict(config or {})
    if flags:
        asked["flags"] = dict(flags)
    return Scenario(
        format=FORMAT,
        id=f"diagnosis-{name}",
        title=title,
        system=SYSTEM,
        profile=REFLECTION,
        level=level,
        clauses=tuple(sorted(set(clauses))),
        world=World(CLOCK, dict(files or {}), asked),
        steps=story.steps,
        allowed=allowed,
    )

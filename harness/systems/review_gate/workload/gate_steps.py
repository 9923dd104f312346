"""The words in which the scenarios of a review gate are written."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Self

from harness.core.scenario import FORMAT, FileSpec, Operation, Scenario, ScenarioLevel, World
from harness.systems import story
from harness.systems.review_gate.contract import GATE, REVIEWERS, SYSTEM

CLOCK: Final = "2026-03-01T12:00:00Z"
FIRST: Final = "task-001"
SECOND: Final = "task-002"
THIRD: Final = "task-003"
CONTROL: Final = "control-1"
CONTROL_NEXT: Final = "control-2"
ONE, TWO, THREE = REVIEWERS

Allowed = tuple[Mapping[str, Any], ...]
Found = Mapping[str, Any]
ANY: Final[Allowed] = ({},)
BEGUN: Final[Allowed] = ({"begun": True},)
NOT_BEGUN: Final[Allowed] = ({"begun": False},)
PENDING: Final[Allowed] = ({"decision": "pending"},)
BLOCKED: Final[Allowed] = ({"decision": "blocked"},)
PASSED: Final[Allowed] = ({"decision": "passed"},)
REFUSED: Final[Allowed] = ({"accepted": False},)

OPENED: Final = ("LK-GEN-03",)
LAUNCHED: Final = ("LK-GEN-03", "LK-REV-02", "LK-REV-03")
WAITED: Final = (*LAUNCHED, "LK-REV-04")
HELD: Final = ("LK-REV-01",)
STOPPED: Final = ("LK-GEN-04",)
AGAIN: Final = (*WAITED, *STOPPED, "LK-REV-05")
EVERY: Final = (*AGAIN, *HELD)


def issue(severity: str, message: str = "") -> dict[str, Any]:
    """A finding; its message, where none is given, says how bad it is."""
    return {"severity": severity, "message": message or f"A {severity} finding"}


def begun(task: str = FIRST) -> Operation:
    """The operation that begins a task."""
    return Operation("begin_task", {"task": task})


def opened(task: str = FIRST) -> Operation:
    """The operation that opens its review."""
    return Operation("open", {"task": task})


def analysed(number: int = 1, *issues: Found, task: str = FIRST) -> Operation:
    """The operation that tells of a static analysis."""
    return Operation("analysed", {"task": task, "round": number, **_with(issues)})


def reported(reviewer: str, number: int = 1, *issues: Found, task: str = FIRST) -> Operation:
    """The operation that tells of a reviewer."""
    return Operation("report", {"task": task, "round": number, "reviewer": reviewer, **_with(issues)})


def fixed(task: str = FIRST) -> Operation:
    """The operation that says that all is fixed."""
    return Operation("fixed", {"task": task})


def asked(task: str = FIRST) -> Operation:
    """The question how a review stands."""
    return Operation("status", {"task": task})


def _with(issues: tuple[Found, ...]) -> dict[str, Any]:
    return {"issues": [dict(each) for each in issues]} if issues else {}


class Story(story.Story):
    """Steps as they are told, one method a thing that happens. Times are in seconds since the reset."""

    def begin(self, task: str = FIRST, process: int = 0) -> Self:
        """A task is to begin."""
        return self.do(begun(task), process)

    def open(self, task: str = FIRST, process: int = 0) -> Self:
        """Its review begins."""
        return self.do(opened(task), process)

    def analyse(self, number: int = 1, *issues: Found, task: str = FIRST, process: int = 0) -> Self:
        """Static analysis has ended."""
        return self.do(analysed(number, *issues, task=task), process)

    def report(self, reviewer: str, number: int = 1, *issues: Found, task: str = FIRST, process: int = 0) -> Self:
        """A reviewer has returned."""
        return self.do(reported(reviewer, number, *issues, task=task), process)

    def fix(self, task: str = FIRST, process: int = 0) -> Self:
        """All is fixed."""
        return self.do(fixed(task), process)

    def status(self, task: str = FIRST, process: int = 0) -> Self:
        """How does the review stand?"""
        return self.do(asked(task), process)

    def launch(self, task: str = FIRST) -> Self:
        """A task is begun, and its review gets as far as the launch of its reviewers."""
        return self.begin(task).open(task).analyse(task=task)

    def rest(self, number: int = 1, *issues: Found, task: str = FIRST) -> Self:
        """All three return, the last one with these findings."""
        return self.report(ONE, number, task=task).report(TWO, number, task=task).report(
            THREE, number, *issues, task=task
        )  # fmt: skip

    def review(self, task: str = FIRST, *issues: Found) -> Self:
        """A task is begun and reviewed once."""
        return self.launch(task).rest(1, *issues, task=task)

    def again(self, number: int = 2, *issues: Found, task: str = FIRST) -> Self:
        """All is fixed, and reviewed again."""
        return self.fix(task).analyse(number, task=task).rest(number, *issues, task=task)

    def control(self) -> Self:
        """In calm weather a task does not begin before the review of the one before, and begins then; a fresh world."""
        self.begin(CONTROL).begin(CONTROL_NEXT).open(CONTROL).analyse(task=CONTROL).rest(1, task=CONTROL)
        return self.begin(CONTROL_NEXT).reset()


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
    files: Mapping[str, FileSpec] | None = None,
    level: ScenarioLevel = "L1",
) -> Scenario:
    """The story as a scenario; ``clauses`` come sorted, ``allowed`` is what its last operation may give."""
    return Scenario(
        format=FORMAT,
        id=f"review-{name}",
        title=title,
        system=SYSTEM,
        profile=GATE,
        level=level,
        clauses=tuple(sorted(set(clauses))),
        world=World(CLOCK, files or {}),
        steps=told.steps,
        allowed=allowed,
    )

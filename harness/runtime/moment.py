"""What a trial needs of its session: time, the stream of events, the error log, and what the session remembers."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from harness.core.events import FailureObserved
from harness.ports.clock import Clock
from harness.ports.launcher import Ended
from harness.runtime.witness import Note
from harness.systems.diagnosis.contract import PREVIOUS_ACTIONS


class Work(NamedTuple):
    """What is tried: a tool with arguments for a goal, by a command whose words may have names in braces."""

    task: str
    tool: str
    args: Mapping[str, Any]
    goal: str
    command: tuple[str, ...]
    env: Mapping[str, str]
    timeout_s: float


class Tally:
    """What a session remembers of its tasks: failures since the last success, and which a human has."""

    def __init__(self) -> None:
        self.failures: dict[str, int] = {}
        self.with_human: set[str] = set()


class History:
    """The last actions of a session, as a diagnosis is told of them; ``tools`` are those it may use."""

    def __init__(self, tools: tuple[str, ...]) -> None:
        self._tools = tools
        self._iteration = 0
        self._last: deque[Mapping[str, Any]] = deque(maxlen=PREVIOUS_ACTIONS + 1)

    def add(self, tool: str, args: Mapping[str, Any], result: str, *, success: bool) -> None:
        """A tool was called."""
        self._iteration += 1
        self._last.append({"tool": tool, "args": dict(args), "result": result, "success": success})

    def context(self, goal: str) -> dict[str, Any]:
        """The context of the last action, for its diagnosis (Input Context)."""
        return {
            "iteration": self._iteration,
            "previousActions": list(self._last)[:-1],  # the last one is what is diagnosed
            "availableTools": list(self._tools),
            "workspaceState": {"files": [], "directories": []},
            "taskGoal": goal,
        }


class Moment(NamedTuple):
    """``observed`` tells of a failure, ``record`` enters it in the error log, ``say`` goes into the transcript."""

    clock: Clock
    note: Note
    observed: Callable[[str, Ended], FailureObserved]
    record: Callable[[str, FailureObserved], None]
    say: Callable[[str, str], None]
    tally: Tally
    history: History

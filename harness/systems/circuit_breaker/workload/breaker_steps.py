"""The words in which the scenarios of circuit breakers are written."""

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
from harness.systems.circuit_breaker.contract import BREAKER, RECOVERY_LOG_PATH, STATE_PATH, SYSTEM, Outcome

CLOCK: Final = "2026-03-01T12:00:00Z"
NAME: Final = "api/claude"
OTHER: Final = "api/openai"
THIRD: Final = "api/codex"
CONTROL: Final = "control/api"  # the breaker that shows, in every scenario, that it permits and that it refuses
ERROR: Final = "HTTP 503"
STATE_DIRECTORY: Final = STATE_PATH.rpartition("/")[0]
LOG_DIRECTORY: Final = RECOVERY_LOG_PATH.rpartition("/")[0]

INSTANT_S: Final = 0.000001  # the least by which two times differ
WINDOW_S: Final = 60.0
COOLDOWN_S: Final = 300.0
INTERVAL_S: Final = 10.0
_MICROSECONDS = 1_000_000

Allowed = tuple[Mapping[str, Any], ...]
PERMITTED: Final[Allowed] = ({"permitted": True},)
REFUSED: Final[Allowed] = ({"permitted": False},)
EITHER: Final[Allowed] = (*PERMITTED, *REFUSED)

# where what is written lies: it has to stand for a fault to strike it before anything was written
DIRECTORIES: Final[Mapping[str, FileSpec]] = {
    place: FileSpec("directory") for place in (STATE_DIRECTORY, LOG_DIRECTORY)
}


def state(*names: str) -> Allowed:
    """The results of an inspection, or of a record, that say one of these states."""
    return tuple({"state": name} for name in names)


IS_CLOSED: Final = state("CLOSED")
IS_OPEN: Final = state("OPEN")
IS_HALF_OPEN: Final = state("HALF_OPEN")


def acquire(name: str, call: str, *, urgent: bool = True) -> Operation:
    """May the guarded operation run?"""
    args: dict[str, Any] = {"name": name, "call": call}
    return Operation("acquire", args if urgent else {**args, "urgent": False})


def success(name: str, call: str) -> Operation:
    """The guarded operation succeeded."""
    return Operation("record", {"name": name, "call": call, "outcome": Outcome.SUCCESS.value})


def failure(name: str, call: str, error: str | None = ERROR) -> Operation:
    """The guarded operation failed, and said ``error``."""
    args = {"name": name, "call": call, "outcome": Outcome.FAILURE.value}
    return Operation("record", args if error is None else {**args, "error": error})


def inspect(name: str) -> Operation:
    """How does a breaker stand?"""
    return Operation("inspect", {"name": name})


class Story(story.Story):
    """Steps as they are told, one method a thing that happens; calls get names of their own, ``c1``, ``c2`` and so on.

    ``name`` is the breaker that is meant where none is named. Times are in seconds since the last reset.
    """

    def __init__(self, name: str = NAME) -> None:
        self.name = name
        super().__init__()
        self._calls = 0

    def ask(self, name: str | None = None, *, call: str | None = None, urgent: bool = True, process: int = 0) -> Self:
        """May the guarded operation run? ``call`` is named where its result is told later."""
        return self.do(acquire(name or self.name, call or self._call(), urgent=urgent), process)

    def succeeded(self, call: str, name: str | None = None, process: int = 0) -> Self:
        """The guarded operation of that call succeeded."""
        return self.do(success(name or self.name, call), process)

    def failed(self, call: str, name: str | None = None, error: str | None = ERROR, process: int = 0) -> Self:
        """The guarded operation of that call failed."""
        return self.do(failure(name or self.name, call, error), process)

    def ok(self, name: str | None = None, times: int = 1, process: int = 0) -> Self:
        """A call that succeeds at once, or several, one after the other."""
        for _ in range(times):
            call = self._call()
            self.ask(name, call=call, process=process).succeeded(call, name, process)
        return self

    def fail(self, name: str | None = None, times: int = 1, error: str | None = ERROR, process: int = 0) -> Self:
        """A call that fails at once, or several, one after the other."""
        for _ in range(times):
            call = self._call()
            self.ask(name, call=call, process=process).failed(call, name, error, process)
        return self

    def fails_at(self, *times_s: float, name: str | None = None) -> Self:
        """A call that fails at each of these times."""
        for seconds in times_s:
            self.at(seconds).fail(name)
        return self

    def look(self, name: str | None = None) -> Self:
        """How does the breaker stand? The history of the next operation shows the files, too."""
        return self.do(inspect(name or self.name))

    def capacity(self, *agents: int) -> Self:
        """How much may run now, of so many agents?"""
        for count in agents or (5,):
            self.do(Operation("capacity", {"agents": count}))
        return self

    def configure(self, **tunables: Any) -> Self:
        """Tunables are set in this process."""
        return self.do(Operation("configure", {"tunables": tunables}))

    def control(self, threshold: int = 3) -> Self:
        """In calm weather one breaker permits, and opens, and refuses; then a fresh world."""
        return self.fail(CONTROL, threshold).ask(CONTROL).reset()

    def healed(self, name: str | None = None) -> Self:
        """Three successes far enough apart: whatever is not OPEN is CLOSED then."""
        return self.ok(name).later(INTERVAL_S).ok(name).later(INTERVAL_S).ok(name)

    def control_after(self) -> Self:
        """The control where something is wrong from the beginning: healed first, if it needs to be."""
        return self.healed(CONTROL).fail(CONTROL, 3).ask(CONTROL)

    def trip(self, name: str | None = None) -> Self:
        """Three failures at once."""
        return self.fail(name, 3)

    def cooled(self, name: str | None = None) -> Self:
        """Three failures at once, and time goes on to the end of the cooldown."""
        return self.trip(name).later(COOLDOWN_S)

    def recovered(self, name: str | None = None) -> Self:
        """The breaker opens, cools down, and closes by three probes, 320 seconds later."""
        return self.cooled(name).healed(name)

    def _call(self) -> str:
        self._calls += 1
        return f"c{self._calls}"


def calm(name: str = NAME, threshold: int = 3) -> Story:
    """A story that begins with the control, in a world in which so many failures open a breaker."""
    return Story(name).control(threshold)


def scenario(
    name: str,
    title: str,
    clauses: Sequence[str],
    story: Story,
    allowed: Allowed,
    *,
    files: Mapping[str, FileSpec] | None = None,
    tunables: Mapping[str, Any] | None = None,
    clock: str = CLOCK,
    level: ScenarioLevel = "L1",
) -> Scenario:
    """The story as a scenario; ``clauses`` come sorted, ``allowed`` is what its last operation may give."""
    config = {"tunables": dict(tunables)} if tunables else {}
    return Scenario(
        format=FORMAT,
        id=f"breaker-{name}",
        title=title,
        system=SYSTEM,
        profile=BREAKER,
        level=level,
        clauses=tuple(sorted(set(clauses))),
        world=World(clock, dict(files or {}), config),
        steps=story.steps,
        allowed=allowed,
    )

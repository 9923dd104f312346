"""Candidates for scenarios nobody wrote down: errors, tasks, one fault and time, put together by chance.

The chance is a ``random.Random``, so the same seed composes the same candidates on every Python version. Whether a
candidate is worth keeping is for the caller to find out by playing it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from random import Random
from typing import Any, TypeVar

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.error_log.contract import LOGGING_FAILURE, METRIC_FAILURE, ErrorType, Severity
from harness.systems.error_log.workload import fault_places as places
from harness.systems.error_log.workload.error_log_steps import (
    ANY,
    OTHER,
    PHASES,
    SESSION,
    Allowed,
    Story,
    calm,
    progress,
    scenario,
)
from harness.systems.error_log.workload.handling_boundaries import GOES_ON, STOPS

T = TypeVar("T")
CALM_SHARE = 6  # one candidate in so many has no fault, where the caller names none
MOST_ACTIONS = 6  # before the fault, and after it
# what every log witnesses that survives, whichever permitted reading it takes
CLAUSES = ("ER-LOG-02", "ER-LOG-03", "ER-LOG-04", "ER-LOG-05", "ER-LOG-09", "ER-SEV-01")
CALM_CLAUSES = (
    *CLAUSES, "ER-LOG-01", "ER-LOG-07", "ER-LOG-08", "ER-AGG-01", "ER-PRG-01", "ER-PRG-02", "ER-PRG-03", "ER-RES-01",
    "ER-RPT-01", "ER-SEV-02", "ER-TMO-01", "ER-SYN-01", "ER-BLD-01", "ER-JQ-01", "ER-MCP-01", "ER-MCP-02", "ER-DEL-01",
    "ER-DEL-02", "ER-DEL-03", "ER-NB-01", "ER-NB-02", "ER-NB-03",
)  # fmt: skip
KINDS = tuple(kind.value for kind in ErrorType)
_NEVER_STOP = (ErrorType.GIT_COMMIT_FAILURE.value, METRIC_FAILURE, LOGGING_FAILURE)
FACTS: tuple[Mapping[str, Any], ...] = (
    {}, {"commit_succeeds": False}, {"retry_succeeds": False, "command": "search"},
    {"retry_succeeds": False, "alternative": "grep", "command": "search"},
    {"todo_changed": "2026-02-28T09:00:00Z", "state_changed": "2026-02-28T10:00:00Z"},
    {"todo_changed": "2026-02-28T11:00:00Z", "state_changed": "2026-02-28T10:00:00Z"},
    {"command": "jq '.[] | select(.a != \"x\")' state.json", "output": "jq: error: syntax error"},
)  # fmt: skip


def candidates(profile: str, rng: Random, faults: Sequence[str], *, calm: bool) -> Iterator[Scenario]:
    """Candidates without end, one of ``faults`` in each, in turn; with ``calm`` now and then none.

    They have no id, no title and no clauses yet; see ``title`` and ``meant``.
    """
    del profile
    names = [name for name in faults if places.of(name)]
    usable = [names.pop(rng.randrange(len(names))) for _ in range(len(names))]
    for position, name in enumerate(cycle(usable or [""])):
        if not usable and not calm:
            return
        yield _composed(rng, None if not usable or (calm and position % CALM_SHARE == 0) else name)


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who always stops, or never does, fails one of them."""
    del profile
    return (
        candidate(calm().handle(ErrorType.BUILD_ERROR, "critical"), STOPS),
        candidate(calm().handle(ErrorType.GIT_COMMIT_FAILURE, "critical"), GOES_ON),
    )


def without_place(profile: str, faults: Sequence[str]) -> tuple[str, ...]:
    """Those of ``faults`` that cannot strike an error log."""
    del profile
    return tuple(name for name in faults if not places.of(name))


def candidate(story: Story, allowed: Allowed = ()) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, allowed, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate")


def meant(scenario: Scenario) -> tuple[str, ...]:
    """The clauses that a scenario of these may be meant for; of these it is for those that the reference witnesses."""
    return CLAUSES if any(step.fault for step in scenario.steps) else CALM_CLAUSES


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says."""
    del permitted
    return scenario.allowed or ANY


def unsteady(name: str) -> bool:
    """May two runs under the fault of that name rightly end differently?"""
    return places.unsteady(name)


def title(scenario: Scenario) -> str:
    """What happens in the scenario after its control, in a line."""
    resets = [number for number, step in enumerate(scenario.steps) if step.op is not None and step.op.name == "reset"]
    words: list[str] = []
    for step in scenario.steps[resets[-1] + 1 if resets else 0 :]:
        words += _words(step)
    return "Found: " + "; ".join(dict.fromkeys(words))


def _words(step: Step) -> list[str]:
    if step.op is not None:
        return [_described(step.op)]
    if step.fault is not None:
        place = (step.fault.path or "").rpartition("/")[2]
        return [f"{step.fault.name} at {place}" if place else step.fault.name]
    return [] if step.clock is None else [f"{step.clock.by_s:+g} s"]


def _described(operation: Operation) -> str:
    error = operation.args.get("error")
    if isinstance(error, Mapping):
        return f"{operation.name} {error.get('severity') or ''} {error.get('type')}".replace("  ", " ")
    return operation.name


class _Chance:
    """A story by chance: a task that fails now and then, is resumed, and gets further."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.story = calm()
        self._completed = 1  # as the plan says

    def go_on(self) -> None:
        """A few more things happen."""
        for _ in range(self._rng.randrange(1, MOST_ACTIONS)):
            self._one_thing()

    def _one_thing(self) -> None:
        story, rng = self.story, self._rng
        match rng.randrange(9):
            case 0:
                story.read(_one(rng, (SESSION, OTHER, None)))
            case 1:
                story.patterns()
            case 2:
                name = story.named()
                story.log(_one(rng, KINDS), name=name, session=_one(rng, (SESSION, OTHER)))
                story.fix(name, _one(rng, ("in_progress", "fixed")))
            case 3:
                story.later(_one(rng, (0.001, 61.0, 86400.0)))
            case 4:
                story.begin(_one(rng, ("researching", "implementing"))).read()
            case 5:
                story.recover(_one(rng, KINDS), self._far(), _one(rng, FACTS)).read()
            case 6:
                story.handle(_one(rng, (*KINDS, *_NEVER_STOP)), _one(rng, tuple(Severity)).value, self._far()).resume()
            case 7:
                story.resume().finish()
            case _:
                story.log(_one(rng, KINDS), severity=_one(rng, tuple(Severity)).value)

    def _far(self) -> dict[str, Any]:
        self._completed = min(self._completed + self._rng.randrange(2), len(PHASES) - 1)
        return progress(PHASES[: self._completed], PHASES[self._completed], partial=_one(self._rng, (None, "half")))


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=_one(rng, places.of(name))))
        chance.story.log("timeout").read(SESSION)
    chance.go_on()
    story = chance.story.read()
    if rng.randrange(2):
        return candidate(story.handle(ErrorType.VALIDATION_FAILED, "critical"), STOPS)
    return candidate(story.handle(_one(rng, _NEVER_STOP), "critical"), GOES_ON)


def _one(rng: Random, choices: Sequence[T]) -> T:
    return choices[rng.randrange(len(choices))]

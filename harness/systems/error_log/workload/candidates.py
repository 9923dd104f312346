"""Candidates for scenarios nobody wrote down: errors, tasks, one fault and time, put together by chance."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.error_log.contract import LOGGING_FAILURE, METRIC_FAILURE, ErrorType, Severity
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
from harness.systems.error_log.workload.fault_rows import PLACES
from harness.systems.error_log.workload.handling_boundaries import GOES_ON, STOPS
from harness.systems.search import Search, one

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


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who always stops, or never does, fails one of them."""
    del profile
    return (
        candidate(calm().handle(ErrorType.BUILD_ERROR, "critical"), STOPS),
        candidate(calm().handle(ErrorType.GIT_COMMIT_FAILURE, "critical"), GOES_ON),
    )


def candidate(story: Story, allowed: Allowed = ()) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, allowed, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate")


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says."""
    del permitted
    return scenario.allowed or ANY


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
                story.read(one(rng, (SESSION, OTHER, None)))
            case 1:
                story.patterns()
            case 2:
                name = story.named()
                story.log(one(rng, KINDS), name=name, session=one(rng, (SESSION, OTHER)))
                story.fix(name, one(rng, ("in_progress", "fixed")))
            case 3:
                story.later(one(rng, (0.001, 61.0, 86400.0)))
            case 4:
                story.begin(one(rng, ("researching", "implementing"))).read()
            case 5:
                story.recover(one(rng, KINDS), self._far(), one(rng, FACTS)).read()
            case 6:
                story.handle(one(rng, (*KINDS, *_NEVER_STOP)), one(rng, tuple(Severity)).value, self._far()).resume()
            case 7:
                story.resume().finish()
            case _:
                story.log(one(rng, KINDS), severity=one(rng, tuple(Severity)).value)

    def _far(self) -> dict[str, Any]:
        self._completed = min(self._completed + self._rng.randrange(2), len(PHASES) - 1)
        return progress(PHASES[: self._completed], PHASES[self._completed], partial=one(self._rng, (None, "half")))


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=one(rng, PLACES.of(name))))
        chance.story.log("timeout").read(SESSION)
    chance.go_on()
    story = chance.story.read()
    if rng.randrange(2):
        return candidate(story.handle(ErrorType.VALIDATION_FAILED, "critical"), STOPS)
    return candidate(story.handle(one(rng, _NEVER_STOP), "critical"), GOES_ON)


SEARCH = Search(PLACES, _composed, _described, struck=CLAUSES, calm=CALM_CLAUSES)
candidates, meant, title = SEARCH.candidates, SEARCH.meant, SEARCH.title
unsteady, without_place = SEARCH.unsteady, PLACES.without

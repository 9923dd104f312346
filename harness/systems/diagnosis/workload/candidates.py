"""Candidates for scenarios nobody wrote down: worlds, failures, one fault, put together by chance."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.diagnosis.contract import ErrorType, Flag
from harness.systems.diagnosis.workload.diagnosis_steps import FULL, SILENT, Allowed, Story, calm, scenario
from harness.systems.diagnosis.workload.failures import FIRST, GIT, LOOK_ALIKES, OF_TYPE, READ, UNKNOWN, Failure
from harness.systems.diagnosis.workload.fault_rows import PLACES
from harness.systems.diagnosis.workload.model_texts import BROKEN, RAISES, RIGHT, UNTRUE
from harness.systems.diagnosis.workload.type_boundaries import TOOL_SETS
from harness.systems.search import Search, one

MOST_ACTIONS = 5  # before the fault, and after it
KEPT = 1  # previous actions that are supplied
FAILURES: tuple[Failure, ...] = (
    *(FIRST[kind] for kind in ErrorType if kind in FIRST), GIT, GIT, READ, UNKNOWN[0], LOOK_ALIKES[0],
    OF_TYPE[ErrorType.PERMISSION_DENIED][0],
)  # fmt: skip
MODELS: tuple[Mapping[str, Any] | None, ...] = (
    None, None, None, None, RIGHT, RAISES, *(each[2] for each in BROKEN[:4]), *(each[2] for each in UNTRUE[:4]),
)  # fmt: skip
FLAGS: tuple[Mapping[str, str], ...] = (
    {}, {}, {}, {Flag.WHY_DEPTH.value: "3"}, {Flag.TEMPERATURE.value: "0"}, {Flag.MAX_RECOVERY_ATTEMPTS.value: "1"},
    {Flag.FAST_RECOVERY.value: "0"}, {Flag.STORE_FULL.value: "0"}, {Flag.MAX_TOKENS.value: "256"},
)  # fmt: skip
# what every diagnosis shows, whichever permitted reading it takes and whatever became of the files
CLAUSES = (
    "DR-TRG-01", "DR-OUT-02", "DR-OUT-03", "DR-OUT-04", "DR-OUT-05", "DR-OUT-06", "DR-OUT-07", "DR-OUT-09",
    "DR-CLS-01", "DR-CLS-02", "DR-CLS-03", "DR-CLS-04", "DR-CLS-13", "DR-PRM-01", "DR-UI-01",
)  # fmt: skip
CALM_CLAUSES = (
    *CLAUSES, "DR-TRG-03", "DR-TRG-04", "DR-IN-01", "DR-IN-02", "DR-IN-03", "DR-CLS-05", "DR-CLS-06", "DR-CLS-07",
    "DR-CLS-08", "DR-CLS-09", "DR-CLS-10", "DR-CLS-11", "DR-REC-07", "DR-LOG-01", "DR-LOG-02", "DR-MEM-01",
    "DR-MEM-02", "DR-MEM-03", "DR-LRN-01", "DR-CFG-03", "DR-CFG-04", "DR-CFG-05",
)  # fmt: skip


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who always reflects, or never, fails one of them."""
    del profile
    return candidate(calm().fail(READ).ok(), SILENT), candidate(calm().ok().fail(READ), FULL)


def candidate(story: Story, allowed: Allowed = (), flags: Mapping[str, str] | None = None) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, allowed, flags=flags, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate")


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says, else those alternatives that are ``permitted``."""
    return scenario.allowed or tuple(permitted((*SILENT, *FULL)))


def _described(operation: Operation) -> str:
    args = operation.args
    if operation.name == "outcome":
        return f"{'success' if args['success'] else 'failure'} of {args['call']}"
    if operation.name == "observe":
        return f"{args['tool']} works" if args["success"] else f"{args['tool']} fails"
    return f"{operation.name} of {args['call']}"


def _go_on(story: Story, rng: Random) -> None:
    """A few more things happen."""
    for _ in range(rng.randrange(1, MOST_ACTIONS)):
        failure = one(rng, FAILURES)
        match rng.randrange(7):
            case 0:
                story.ok()
            case 1:
                story.fail(failure).shown()
            case 2:
                story.fail(failure, tools=one(rng, tuple(TOOL_SETS.values())))
            case 3:
                story.recovered(failure, rng.randrange(1, 4))
            case 4:
                story.fail(failure).gave_up(rng.randrange(1, 4))
            case _:
                story.fail(failure, model=one(rng, MODELS))


def _composed(rng: Random, name: str | None) -> Scenario:
    story = calm(KEPT)
    _go_on(story, rng)
    flags: Mapping[str, str] = {}
    if name is not None:
        story.take(Step(fault=one(rng, PLACES.of(name))))
        story.ok().fail(GIT).ok()
    else:
        flags = one(rng, FLAGS)
    _go_on(story, rng)
    return candidate(story.ok(), flags=flags)


SEARCH = Search(PLACES, _composed, _described, struck=CLAUSES, calm=CALM_CLAUSES)
candidates, meant, title = SEARCH.candidates, SEARCH.meant, SEARCH.title
unsteady, without_place = SEARCH.unsteady, PLACES.without

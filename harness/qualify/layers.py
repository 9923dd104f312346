"""The layers of detection: by what kind of situation a mutant is killed."""

import msgspec

from harness.core.scenario import Explore, Scenario, Step
from harness.explore.enumerated import explored_steps

SCENARIO, STATEFUL, SWEEP, CRASH, SCHEDULE, CLOCK = "scenario", "stateful", "sweep", "crash", "schedule", "clock"
LAYERS = (SCENARIO, STATEFUL, SWEEP, CRASH, SCHEDULE, CLOCK)
"""All of them; a search by the state machine (stateful) is run for the whole matrix only."""
_ENDS = ("killed", "torn", "power")


def layer_of(scenario: Scenario) -> str:
    """The layer a scenario belongs to, or one of its variants: by what goes wrong in it."""
    met = struck(scenario)
    if (
        "crash" in met
        or any(f"syscall.{kind}" in met for kind in _ENDS)
        or any(word.rpartition(".")[2] in _ENDS for word in met if word.startswith("process."))
    ):
        return CRASH
    if "schedule" in met:
        return SCHEDULE
    if "syscall" in met:
        return SWEEP
    return CLOCK if "clock_step" in met or "clock" in met else SCENARIO


def layers_of(scenario: Scenario) -> frozenset[str]:
    """The layers of a scenario and of its variants."""
    if not explored_steps(scenario):
        return frozenset({layer_of(scenario)})
    kinds = {kind for step in scenario.steps if step.explore is not None for kind in step.explore.kinds}
    found = {CRASH for kind in kinds if kind in _ENDS}
    return frozenset(
        found | {SWEEP for kind in kinds if kind == "errno"} | {SCHEDULE for kind in kinds if kind == SCHEDULE}
    )


def kinds_of(scenario: Scenario) -> frozenset[str]:
    """What is explored in it; of operations that begin together, that is their order."""
    found = {kind for step in scenario.steps if step.explore is not None for kind in step.explore.kinds}
    return frozenset(found | {"schedule" for step in scenario.steps if step.schedule is not None})


def narrowed(scenario: Scenario, kinds: frozenset[str]) -> Scenario:
    """The scenario in which nothing but those kinds is explored."""
    steps: list[Step] = []
    for step in scenario.steps:
        left = () if step.explore is None else tuple(kind for kind in step.explore.kinds if kind in kinds)
        if step.explore is None or left:
            steps.append(step if step.explore is None else Step(process=step.process, explore=Explore(left)))
    return msgspec.structs.replace(scenario, steps=tuple(steps))


def struck(scenario: Scenario) -> frozenset[str]:
    """What goes wrong in a scenario: its faults, their families, ``clock_step``, ``crash`` and ``schedule``."""
    found: set[str] = set()
    for step in (inner for outer in scenario.steps for inner in _with_inner(outer)):
        if step.fault is not None:
            found |= {step.fault.name, step.fault.family}
        found |= {word for word in ("schedule",) if step.schedule is not None}
        found |= {f"syscall.{kind}" for kind in (step.explore.kinds if step.explore is not None else ())}
        found |= {word for word in ("syscall",) if step.explore is not None}
        found |= {word for word in ("clock_step",) if step.clock is not None}
        found |= {word for word in ("crash",) if step.crash is not None}
    return frozenset(found)


def _with_inner(step: Step) -> tuple[Step, ...]:
    return (step, *(step.repeat.steps if step.repeat is not None else ()))

"""Where each fault can strike a stop gate, and with which quantities, read from the tables of both profiles."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import msgspec

from harness.core.scenario import FileSpec, Step
from harness.systems.stop_gate.contract import GATE
from harness.systems.stop_gate.workload import gate_faults, stop_faults
from harness.systems.stop_gate.workload.gate_legs import LIBRARY
from harness.systems.stop_gate.workload.stop_tours import Strike

LOST = ("jsonl.torn_tail", "jsonl.interleaved")
DECLARED = ("{config}", "{runtime}", "{semaphore}")  # places that a hook's target file names
# these strike while an operation runs: two runs may rightly end differently
_UNSTEADY = frozenset(
    ("filesystem.vanishing", "filesystem.growing", "clock.jump", "process.killed", "process.paused",
     "process.lock_held", "process.slow_disk", "collaborator.slow", "collaborator.hangs", "environment.stdout_slow")
)  # fmt: skip


class Place(NamedTuple):
    """One way a fault strikes: the steps that put it there, or for a hook its ``strike``, and the files it needs."""

    steps: tuple[Step, ...] = ()
    strike: Strike | None = None
    files: Mapping[str, FileSpec] = {}


def of(profile: str, name: str) -> tuple[Place, ...]:
    """Every way in which the fault of that name strikes in that profile; none when it does not."""
    return (_gate() if profile == GATE else _hook()).get(name, ())


def unsteady(name: str) -> bool:
    """May two runs under this fault rightly end differently, because it strikes while an operation runs?"""
    return name in _UNSTEADY


def without_damage(step: Step) -> Step:
    """The step's fault with its damaged lines deleted: a control."""
    if step.fault is None:
        return step
    params = {**step.fault.params, "deleted": True}
    return msgspec.structs.replace(step, fault=msgspec.structs.replace(step.fault, params=params))


@cache
def _gate() -> Mapping[str, tuple[Place, ...]]:
    found: dict[str, list[Place]] = {}
    for row in gate_faults.rows():
        # what lies in the library is for the tours; candidates have one transcript
        steps = tuple(step for step in row.steps if step.fault and not (step.fault.path or "").startswith(LIBRARY))
        names = {step.fault.name for step in row.steps if step.fault}
        if len(names) == 1 and steps and len(row.steps) >= len(steps):
            place = Place(steps, files=row.files)
            known = found.setdefault(names.pop(), [])
            if place not in known:
                known.append(place)
    return {name: tuple(places) for name, places in found.items()}


@cache
def _hook() -> Mapping[str, tuple[Place, ...]]:
    found: dict[str, list[Place]] = {}
    for row in stop_faults.rows():
        for strike in row.strikes:
            place = Place(strike=strike, files=row.files)
            known = found.setdefault(strike.name, [])
            if place not in known:
                known.append(place)
    return {name: tuple(places) for name, places in found.items()}

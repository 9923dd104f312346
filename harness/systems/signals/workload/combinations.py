"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Mapping, Sequence

import msgspec

from harness.core.fault import Fault
from harness.core.scenario import Scenario, Step
from harness.systems.signals.contract import DRIFT_PATH, REVIEW_PATH
from harness.systems.signals.workload import fault_places as places
from harness.systems.signals.workload.candidates import candidate
from harness.systems.signals.workload.legs import ASKS, DRIFTS, HANDS, told
from harness.systems.signals.workload.review_boundaries import ASKED
from harness.systems.signals.workload.signal_steps import CURRENT, Story
from harness.systems.swarm import CALLS

# faults at a file call strike where an implementation makes it; these calls every one makes, or is free to
AT_CALLS: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("syscall.errno", DRIFT_PATH, {"call": "openat", "errno": "EIO"}),
        Fault("syscall.killed", DRIFT_PATH, {"call": "openat"}),
        Fault("syscall.delayed", DRIFT_PATH, {"call": "openat", "delay_ms": 20}),
        Fault("syscall.torn", DRIFT_PATH + "*", {"call": "write", "bytes": 1}),
    )
}


def slots(profile: str, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The faults by what they strike; of one slot only one can stand at a time. Those without a place are left out."""
    del profile
    found: dict[str, list[str]] = {}
    for name in names:
        if name in AT_CALLS:
            found.setdefault(CALLS, []).append(name)
        elif places.of(name):
            found.setdefault(_slot(_placed(name)), []).append(name)
    return {slot: tuple(of_slot) for slot, of_slot in found.items()}


def _placed(name: str) -> Fault:
    """Where it strikes: storage at the requests where it can, so that the drift log may be damaged beside it."""
    every = places.of(name)
    storage = [fault for fault in every if fault.family == "filesystem" and fault.path == REVIEW_PATH]
    return (*storage, *every)[0]


def _slot(fault: Fault) -> str:
    """What the fault strikes: the requests, the drift log and all else that is stored, or without a path its family."""
    if fault.path is None:
        return fault.family
    return "reviews" if fault.path == REVIEW_PATH else "drift"


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """A drift and a request in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control().drift().review(CURRENT).reviews(CURRENT)
    for name in names:
        if name not in AT_CALLS:
            story.take(Step(fault=_placed(name)))
    for name in names:
        if name in AT_CALLS:  # they come last, since each strikes the next operation only
            story.take(Step(fault=AT_CALLS[name]))
    told(story, (DRIFTS, ASKS, HANDS))
    story.assess(cost_usd_per_hour=100.01)
    return msgspec.structs.replace(candidate(story, ASKED), level="L2")

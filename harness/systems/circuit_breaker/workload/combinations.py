"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Mapping, Sequence

import msgspec

from harness.core.fault import Fault
from harness.core.scenario import Scenario, Step
from harness.systems.circuit_breaker.contract import RECOVERY_LOG_PATH, STATE_PATH
from harness.systems.circuit_breaker.workload import fault_places as places
from harness.systems.circuit_breaker.workload.breaker_steps import LOG_DIRECTORY, OTHER, Story
from harness.systems.circuit_breaker.workload.candidates import candidate
from harness.systems.circuit_breaker.workload.legs import ASKED_WHILE_OPEN, HEALS, LONG_AFTER, OPENS, told
from harness.systems.swarm import CALLS

STORAGE = "storage"
# faults at a file call strike where an implementation makes it; these calls every one makes, or is free to
AT_CALLS: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("syscall.errno", STATE_PATH, {"call": "openat", "errno": "EIO"}),
        Fault("syscall.killed", STATE_PATH, {"call": "openat"}),
        Fault("syscall.delayed", STATE_PATH, {"call": "openat", "delay_ms": 20}),
        Fault("syscall.torn", STATE_PATH + "*", {"call": "write", "bytes": 1}),
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
            found.setdefault(_slot(places.of(name)[0]), []).append(name)
    return {slot: tuple(of_slot) for slot, of_slot in found.items()}


def _slot(fault: Fault) -> str:
    """What the fault strikes: what is written about breakers, the log of recoveries, or without a path its family."""
    if fault.path is None:
        return fault.family
    return LOG_DIRECTORY if fault.path in (LOG_DIRECTORY, RECOVERY_LOG_PATH) else STORAGE


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """Both sides in calm weather, then all of these faults at once; it has no id, title or clauses yet."""
    del profile
    story = Story().control()
    told(story, (OPENS,))
    for name in names:
        if name not in AT_CALLS:
            story.take(Step(fault=places.of(name)[0]))
    for name in names:
        if name in AT_CALLS:  # they come last, since each strikes the next operation only
            story.take(Step(fault=AT_CALLS[name]))
    told(story, (ASKED_WHILE_OPEN, LONG_AFTER, HEALS))
    return msgspec.structs.replace(candidate(story.trip().ask(OTHER).ask(), ()), level="L2")

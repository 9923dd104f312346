"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Mapping, Sequence

import msgspec

from harness.core.fault import Fault
from harness.core.scenario import Scenario, Step
from harness.systems.diagnosis.contract import SESSION_MEMORY_PATH
from harness.systems.diagnosis.workload import fault_places as places
from harness.systems.diagnosis.workload.candidates import KEPT, candidate
from harness.systems.diagnosis.workload.diagnosis_steps import calm
from harness.systems.diagnosis.workload.failures import GIT, SLOW
from harness.systems.diagnosis.workload.legs import LEARNS, LOOKS, RECOVERS, told
from harness.systems.swarm import CALLS

# faults at a file call strike where an implementation makes it; these calls every one makes, or is free to
AT_CALLS: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("syscall.errno", SESSION_MEMORY_PATH, {"call": "openat", "errno": "EIO"}),
        Fault("syscall.killed", SESSION_MEMORY_PATH, {"call": "openat"}),
        Fault("syscall.delayed", SESSION_MEMORY_PATH, {"call": "openat", "delay_ms": 20}),
        Fault("syscall.torn", SESSION_MEMORY_PATH + "*", {"call": "write", "bytes": 1}),
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
            fault = places.of(name)[0]
            found.setdefault(fault.family if fault.path is None else "files", []).append(name)
    return {slot: tuple(of_slot) for slot, of_slot in found.items()}


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """Both sides in calm weather, then all of these faults at once; it has no id, title or clauses yet."""
    del profile
    story = calm(KEPT)
    told(story, (LEARNS,))
    for name in names:
        if name not in AT_CALLS:
            story.take(Step(fault=places.of(name)[0]))
    for name in names:
        if name in AT_CALLS:  # they come last, since each strikes the next operation only
            story.take(Step(fault=AT_CALLS[name]))
    told(story, (LOOKS, RECOVERS))
    return msgspec.structs.replace(candidate(story.fail(SLOW).fail(GIT).ok(), ()), level="L2")

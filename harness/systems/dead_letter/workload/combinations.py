"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Mapping, Sequence

import msgspec

from harness.core.fault import Fault
from harness.core.scenario import Scenario, Step
from harness.systems.dead_letter.contract import DEAD_LETTER_PATH, PENDING_PATH
from harness.systems.dead_letter.workload import fault_places as places
from harness.systems.dead_letter.workload.candidates import candidate
from harness.systems.dead_letter.workload.dead_letter_steps import Story
from harness.systems.dead_letter.workload.legs import BEFORE, FACTS, FAILS, told
from harness.systems.swarm import CALLS

# faults at a file call strike where an implementation makes it; these calls every one makes, or is free to
AT_CALLS: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("syscall.errno", DEAD_LETTER_PATH, {"call": "openat", "errno": "EIO"}),
        Fault("syscall.killed", DEAD_LETTER_PATH, {"call": "openat"}),
        Fault("syscall.delayed", DEAD_LETTER_PATH, {"call": "openat", "delay_ms": 20}),
        Fault("syscall.torn", DEAD_LETTER_PATH + "*", {"call": "write", "bytes": 1}),
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
    """Where it strikes: storage at pending.json where it can, so that dead-letter.json may be damaged beside it."""
    every = places.of(name)
    storage = [fault for fault in every if fault.family == "filesystem" and fault.path == PENDING_PATH]
    return (*storage, *every)[0]


def _slot(fault: Fault) -> str:
    """What the fault strikes: the pending queue, the dead letters, or without a path its family."""
    if fault.path is None:
        return fault.family
    return "pending" if fault.path == PENDING_PATH else "letters"


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """Two failures in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control()
    told(story, (BEFORE,))
    for name in names:
        if name not in AT_CALLS:
            story.take(Step(fault=_placed(name)))
    for name in names:
        if name in AT_CALLS:  # they come last, since each strikes the next operation only
            story.take(Step(fault=AT_CALLS[name]))
    told(story, (FAILS,))
    story.review(FACTS).look().abandon("dropped").look()
    return msgspec.structs.replace(candidate(story), level="L2")

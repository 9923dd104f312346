"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Mapping, Sequence

import msgspec

from harness.core.fault import Fault
from harness.core.scenario import Scenario, Step
from harness.systems.session_recovery.contract import PENDING_PATH, QUEUE_DIRECTORY, STATE_DIRECTORY
from harness.systems.session_recovery.workload import fault_places as places
from harness.systems.session_recovery.workload.candidates import candidate
from harness.systems.session_recovery.workload.legs import FAILS_TESTS, GUARDS, LIMITED, WORK, told
from harness.systems.session_recovery.workload.session_steps import ANY, Story
from harness.systems.swarm import CALLS

# faults at a file call strike where an implementation makes it; these calls every one makes, or is free to
AT_CALLS: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("syscall.errno", PENDING_PATH, {"call": "openat", "errno": "EIO"}),
        Fault("syscall.killed", PENDING_PATH, {"call": "openat"}),
        Fault("syscall.delayed", PENDING_PATH, {"call": "openat", "delay_ms": 20}),
        Fault("syscall.torn", PENDING_PATH + "*", {"call": "write", "bytes": 1}),
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
    """Where it strikes: storage below .loki/state where it can, so that a queue may be damaged beside it."""
    every = places.of(name)
    state = [each for each in every if each.family == "filesystem" and _slot(each) == "state"]
    return (*state, *every)[0]


def _slot(fault: Fault) -> str:
    """What the fault strikes: the queues, the state, other files, or without a path its family."""
    if fault.path is None:
        return fault.family
    if fault.path.startswith(QUEUE_DIRECTORY):
        return "queues"
    return "state" if fault.path.startswith(STATE_DIRECTORY) else "others"


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """A claimed task and a checkpoint in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control().claim("w1").checkpoint().lose_context()
    for name in names:
        if name not in AT_CALLS:
            story.take(Step(fault=_placed(name)))
    for name in names:
        if name in AT_CALLS:  # they come last, since each strikes the next operation only
            story.take(Step(fault=AT_CALLS[name]))
    told(story, (*WORK, GUARDS, LIMITED, FAILS_TESTS))
    return msgspec.structs.replace(candidate(story.spawn(2, 0), ANY), level="L2")

"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Mapping, Sequence

import msgspec

from harness.core.fault import Fault
from harness.core.scenario import Scenario, Step
from harness.systems.error_log.contract import ERRORS_PATH, METADATA_PATH, ErrorType
from harness.systems.error_log.workload import fault_places as places
from harness.systems.error_log.workload.candidates import candidate
from harness.systems.error_log.workload.error_log_steps import SESSION, Story
from harness.systems.error_log.workload.handling_boundaries import STOPS
from harness.systems.error_log.workload.legs import FAR, GOES_ON, LOGS, TIMES_OUT, told
from harness.systems.swarm import CALLS

# faults at a file call strike where an implementation makes it; these calls every one makes, or is free to
AT_CALLS: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("syscall.errno", ERRORS_PATH, {"call": "openat", "errno": "EIO"}),
        Fault("syscall.killed", ERRORS_PATH, {"call": "openat"}),
        Fault("syscall.delayed", ERRORS_PATH, {"call": "openat", "delay_ms": 20}),
        Fault("syscall.torn", ERRORS_PATH + "*", {"call": "write", "bytes": 1}),
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
    """Where it strikes: storage at the metadata where it can, so that errors.json may be damaged beside it."""
    every = places.of(name)
    storage = [fault for fault in every if fault.family == "filesystem" and fault.path == METADATA_PATH]
    return (*storage, *every)[0]


def _slot(fault: Fault) -> str:
    """What the fault strikes: the metadata, what is logged, or without a path its family."""
    if fault.path is None:
        return fault.family
    return "metadata" if fault.path == METADATA_PATH else "errors"


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """An error and an interrupted task in calm weather, then all of these faults at once.

    It has no id, title or clauses yet.
    """
    del profile
    story = Story().control().log("parse_error").handle(ErrorType.DELEGATION_HANG, "high", FAR).read(SESSION)
    for name in names:
        if name not in AT_CALLS:
            story.take(Step(fault=_placed(name)))
    for name in names:
        if name in AT_CALLS:  # they come last, since each strikes the next operation only
            story.take(Step(fault=AT_CALLS[name]))
    told(story, (LOGS, GOES_ON, TIMES_OUT))
    story.handle(ErrorType.VALIDATION_FAILED, "critical")
    return msgspec.structs.replace(candidate(story, STOPS), level="L2")

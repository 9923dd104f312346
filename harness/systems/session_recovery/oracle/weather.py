"""The files of a session, where an implementation keeps them, as faults strike them. Pure."""

from collections.abc import Iterable, Mapping
from typing import Final

from harness.core.fault import Fault
from harness.systems import queue_files
from harness.systems.file_faults import (
    ERRNO,
    LOCK_HELD,
    SILENCING,
    SYSCALL,
    Takes,
    directory_of,
    is_below,
    paths_of,
    row,
)
from harness.systems.session_recovery.contract import (
    BREAKERS_PATH,
    CHECKPOINT_PATH,
    CONTINUITY_PATH,
    HOME,
    LEDGER_PATH,
    ORCHESTRATOR_PATH,
    SPECIFICATION_PATH,
    STATE_DIRECTORY,
)

QUEUES: Final = frozenset(queue_files.QUEUES)
Places = Mapping[str, frozenset[str]]
PLACES: Final[Places] = {
    "continuity": frozenset((CONTINUITY_PATH,)),
    "orchestrator": frozenset((ORCHESTRATOR_PATH,)),
    "breakers": frozenset((BREAKERS_PATH,)),
    "checkpoint": frozenset((CHECKPOINT_PATH,)),
    "ledger": frozenset((LEDGER_PATH,)),
    "specification": frozenset((SPECIFICATION_PATH,)),
    **{queue: frozenset((f"{HOME}/{queue_files.path_of(queue)}",)) for queue in queue_files.QUEUES},
}
EVERY: Final = frozenset(PLACES)
_LOKI: Final = f"{HOME}/.loki"


def shaken(faults: Iterable[Fault], places: Places) -> frozenset[str]:
    """The files, by label, that an operation under these faults may be kept from reading or writing."""
    return _taken(faults, places, Takes.STORAGE)


def hidden(faults: Iterable[Fault], places: Places) -> frozenset[str]:
    """The files, by label, of which a history does not show what became of them."""
    return _taken(faults, places, Takes.SIGHT)


def damaged(faults: Iterable[Fault], places: Places) -> frozenset[str]:
    """The files, by label, whose content these faults took when they were put in place."""
    return _taken(faults, places, Takes.CONTENT)


def locks_queues(faults: Iterable[Fault]) -> bool:
    """Does another process hold the lock of the queues?"""
    held = [fault for fault in faults if fault.name == LOCK_HELD]
    return not QUEUES.isdisjoint(_taken(held, PLACES, Takes.STORAGE))


def strikes_state(faults: Iterable[Fault]) -> bool:
    """Do faults that take what is in a file, or hide it, strike .loki/state, or what is in it or above it?"""
    paths = [
        path for fault in faults if row(fault.name).takes & (Takes.CONTENT | Takes.SIGHT) for path in paths_of(fault)
    ]
    return any(is_below(STATE_DIRECTORY, directory_of(path)) or is_below(path, STATE_DIRECTORY) for path in paths)


def silences(fault: Fault) -> bool:
    """May no answer come under this fault, which is nobody's defect?"""
    if fault.name == ERRNO:
        return not any(is_below(path, HOME) for path in paths_of(fault))
    return fault.name in SILENCING or fault.family == SYSCALL


def _taken(faults: Iterable[Fault], places: Places, what: Takes) -> frozenset[str]:
    return frozenset(label for fault in faults if what in row(fault.name).takes for label in _labels(fault, places))


def _labels(fault: Fault, places: Places) -> frozenset[str]:
    """The files that lie on the way of the fault.

    Of what lies beside them (a lock, a temporary file) every one in that directory; of a call that fails elsewhere
    all, since locks may lie there.
    """
    paths = paths_of(fault)
    if row(fault.name).everywhere or (fault.name == ERRNO and not paths):
        return EVERY
    found: set[str] = set()
    for path in paths:
        place = directory_of(path) if fault.name == "filesystem.parent_missing" else path
        labels = {label for label, files in places.items() if any(is_below(file, place) for file in files)}
        if not labels:
            known = {label: {directory_of(file) for file in files} - {_LOKI} for label, files in places.items()}
            beside = {label for label, around in known.items() if any(is_below(place, each) for each in around)}
            labels = beside or (set(EVERY) if fault.name == ERRNO else set())
        found |= labels
    if any(is_below(path, STATE_DIRECTORY) or is_below(STATE_DIRECTORY, path) for path in paths):
        found |= {"checkpoint"} if found else set()
    return frozenset(found)

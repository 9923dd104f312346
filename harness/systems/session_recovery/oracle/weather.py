"""What a fault may take from a session: one row a fault, with its reason. Pure.

A session keeps everything in files. Under a fault that keeps one from being read or written, what was to be done there
may fail, as long as the answer says so; what stood there before stays. What damages a file strikes once, when it is
done: the session goes on with what is there then. All other faults take nothing from an operation that answers.
"""

from collections.abc import Iterable, Mapping
from enum import Flag, auto
from typing import Final

import msgspec

from harness.core.fault import Fault, Injection
from harness.systems import queue_files
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
SYSCALL: Final = "syscall"
ERRNO: Final = "syscall.errno"
LOCK_HELD: Final = "process.lock_held"


class Takes(Flag):
    """What a fault takes: once, what is in the file; while it stands, that it is written, read, and shown to others."""

    NOTHING = 0
    CONTENT = auto()
    STORAGE = auto()
    SIGHT = auto()


class Row(msgspec.Struct, frozen=True):
    """What one fault takes. ``everywhere``: of every file, wherever it is said to strike."""

    takes: Takes
    why: str
    everywhere: bool = False


_NOTHING, _CONTENT, _STORAGE, _SIGHT = Takes.NOTHING, Takes.CONTENT, Takes.STORAGE, Takes.SIGHT

ROWS: Final[dict[str, Row]] = {
    "json_document.*": Row(_CONTENT, "what is in the file is not what was written"),
    "jsonl.*": Row(_CONTENT, "what is in the file is not what was written"),
    "filesystem.*": Row(_CONTENT | _STORAGE | _SIGHT, "the file is gone, and another thing is in its place"),
    "filesystem.missing": Row(_CONTENT, "nothing is there, as before the first start"),
    "filesystem.parent_missing": Row(_CONTENT, "nothing is there, as before the first start"),
    "filesystem.empty": Row(_CONTENT, "what was in the file is gone"),
    "filesystem.garbled": Row(_CONTENT, "what is in the file is garbage"),
    "filesystem.full": Row(_STORAGE, "the file cannot be written"),
    "filesystem.no_inodes": Row(_STORAGE, "no file can be made anew"),
    "filesystem.read_only": Row(_STORAGE, "the file cannot be written"),
    "filesystem.unreadable": Row(_STORAGE | _SIGHT, "the file cannot be read"),
    "filesystem.not_writable": Row(_STORAGE, "the file cannot be written"),
    "filesystem.busy": Row(_STORAGE, "the file cannot be replaced"),
    "filesystem.aged": Row(_NOTHING, "what is in the files tells the time, not their age"),
    "filesystem.leftover": Row(_NOTHING, "what others left beside the file is none of the session's"),
    "identifier.*": Row(_NOTHING, "shows in the arguments"),
    "clock.*": Row(_NOTHING, "the time of each operation is told, and shows in the history"),
    "process.*": Row(_NOTHING, "what ends or slows a process leaves what is on disk"),
    "process.few_descriptors": Row(_STORAGE, "no file can be opened", everywhere=True),
    "process.file_size": Row(_STORAGE, "no file can be written", everywhere=True),
    LOCK_HELD: Row(_STORAGE, "who cannot get its lock cannot read or write"),
    "environment.*": Row(_NOTHING, "the session is told where its home is"),
    "environment.read_only_home": Row(_STORAGE, "no file can be written", everywhere=True),
    "environment.odd_umask": Row(_STORAGE, "a file that is made anew cannot be read again", everywhere=True),
    "collaborator.*": Row(_NOTHING, "nobody is asked"),
    "network.*": Row(_NOTHING, "the session asks no service"),
    ERRNO: Row(_STORAGE, "the call that failed may have been the one that reads or writes"),
    "syscall.*": Row(_NOTHING, "an operation that was cut off has no answer, and was done or not"),
}
UNKNOWN: Final = Row(_CONTENT | _STORAGE | _SIGHT, "nobody has said what this fault takes", everywhere=True)
# under these no process answers, or none can be begun
SILENCING: Final = frozenset(
    ("process.killed", "process.few_descriptors", "process.file_size", "environment.deleted_cwd", "environment.nothing",
     "environment.no_path", "environment.stdin_closed", "environment.stdout_closed", "environment.stdout_full")
)  # fmt: skip
_UNSTEADY: Final = ("filesystem.vanishing", "filesystem.growing")


def row(name: str) -> Row:
    """The row of the fault of that name."""
    return ROWS.get(name) or ROWS.get(f"{name.partition('.')[0]}.*") or UNKNOWN


def struck(injections: Iterable[Injection]) -> tuple[Fault, ...]:
    """The faults that were put in place; of those at single calls the ones that were met there."""
    return tuple(
        each.fault
        for each in injections
        if (each.armed or each.fault.path is not None) and (each.proof or each.fault.family != SYSCALL)
    )


def shaken(faults: Iterable[Fault], places: Places) -> frozenset[str]:
    """The files, by label, that an operation under these faults may be kept from reading or writing."""
    return _taken(faults, places, Takes.STORAGE)


def hidden(faults: Iterable[Fault], places: Places) -> frozenset[str]:
    """The files, by label, of which a history does not show what became of them."""
    return _taken(faults, places, Takes.SIGHT)


def damaged(faults: Iterable[Fault], places: Places) -> frozenset[str]:
    """The files, by label, whose content these faults took when they were put in place."""
    return _taken(faults, places, Takes.CONTENT)


def unsteady(faults: Iterable[Fault]) -> list[Fault]:
    """The faults that damage their file again and again while they stand."""
    return [fault for fault in faults if fault.name in _UNSTEADY]


def loses_power(fault: Fault) -> bool:
    """Does the machine lose power? What is on disk then comes from another run of the same operations."""
    return fault.name == "syscall.power"


def tells_no_time(faults: Iterable[Fault]) -> bool:
    """Is who asks the machine's clock told another time than the history says?"""
    return any(fault.family == "clock" for fault in faults)


def locks_queues(faults: Iterable[Fault]) -> bool:
    """Does another process hold the lock of the queues?"""
    held = [fault for fault in faults if fault.name == LOCK_HELD]
    return not QUEUES.isdisjoint(_taken(held, PLACES, Takes.STORAGE))


def strikes_state(faults: Iterable[Fault]) -> bool:
    """Do faults that take what is in a file, or hide it, strike .loki/state, or what is in it or above it?"""
    paths = [
        path for fault in faults if row(fault.name).takes & (Takes.CONTENT | Takes.SIGHT) for path in _paths(fault)
    ]
    return any(_below(STATE_DIRECTORY, _root(path)) or _below(path, STATE_DIRECTORY) for path in paths)


def silences(fault: Fault) -> bool:
    """May no answer come under this fault, which is nobody's defect?"""
    if fault.name == ERRNO:
        return not any(_below(path, HOME) for path in _paths(fault))
    return fault.name in SILENCING or fault.family == SYSCALL


def _taken(faults: Iterable[Fault], places: Places, what: Takes) -> frozenset[str]:
    return frozenset(label for fault in faults if what in row(fault.name).takes for label in _labels(fault, places))


def _labels(fault: Fault, places: Places) -> frozenset[str]:
    """The files that lie on the way of the fault.

    Of what lies beside them (a lock, a temporary file) every one in that directory; of a call that fails elsewhere
    all, since locks may lie there.
    """
    paths = _paths(fault)
    if row(fault.name).everywhere or (fault.name == ERRNO and not paths):
        return EVERY
    found: set[str] = set()
    for path in paths:
        place = _root(path) if fault.name == "filesystem.parent_missing" else path
        labels = {label for label, files in places.items() if any(_below(file, place) for file in files)}
        if not labels:
            beside = {label for label, files in places.items() if any(_below(place, _root(file)) for file in files
                                                                      if _root(file) != f"{HOME}/.loki")}  # fmt: skip
            labels = beside or (set(EVERY) if fault.name == ERRNO else set())
        found |= labels
    if any(_below(path, STATE_DIRECTORY) or _below(STATE_DIRECTORY, path) for path in paths):
        found |= {"checkpoint"} if found else set()
    return frozenset(found)


def _paths(fault: Fault) -> tuple[str, ...]:
    """The path that was struck, and the second one of a call that has two."""
    return tuple(path for path in (fault.path, fault.params.get("to")) if isinstance(path, str) and path)


def _root(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0]


def _below(path: str, place: str) -> bool:
    return f"{path}/".startswith(f"{place.rstrip('/')}/")

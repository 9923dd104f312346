"""What a fault may take from an error log: one row a fault, with its reason. Pure.

The log keeps what it knows in files. Under a fault that keeps one from being read or written, what was to be kept
there may be missing, as long as the answer says so; what was acknowledged before stays. What damages a file strikes
once, when it is done: the log goes on with what is there then. All other faults take nothing from an operation that
answers.
"""

from collections.abc import Iterable
from enum import Flag, auto
from typing import Final

import msgspec

from harness.core.fault import Fault, Injection
from harness.systems.error_log.contract import (
    ERRORS_PATH,
    METADATA_PATH,
    PLAN_PATH,
    SOURCE_PATH,
    STATE_PATH,
    TODO_PATH,
)

PATHS: Final = {
    "errors": ERRORS_PATH,
    "metadata": METADATA_PATH,
    "plan": PLAN_PATH,
    "todo": TODO_PATH,
    "state": STATE_PATH,
    "source": SOURCE_PATH,
}
EVERY: Final = frozenset(PATHS)
DIRECTORY: Final = ERRORS_PATH.rpartition("/")[0]
SYSCALL: Final = "syscall"
ERRNO: Final = "syscall.errno"


class Takes(Flag):
    """What a fault takes: nothing; once, what is in the file; while it stands, that it can be read and written."""

    NOTHING = 0
    CONTENT = auto()
    STORAGE = auto()


class Row(msgspec.Struct, frozen=True):
    """What one fault takes. ``everywhere``: of every file, wherever it is said to strike."""

    takes: Takes
    why: str
    everywhere: bool = False


_NOTHING, _CONTENT, _STORAGE = Takes.NOTHING, Takes.CONTENT, Takes.STORAGE

ROWS: Final[dict[str, Row]] = {
    "json_document.*": Row(_CONTENT, "what is in the file is not what was written"),
    "jsonl.*": Row(_CONTENT, "what is in the file is not what was written"),
    "filesystem.*": Row(_CONTENT | _STORAGE, "the file is gone, and another thing is in its place"),
    "filesystem.missing": Row(_CONTENT, "nothing is there, as before the first start"),
    "filesystem.parent_missing": Row(_CONTENT, "nothing is there, as before the first start"),
    "filesystem.empty": Row(_CONTENT, "what was in the file is gone"),
    "filesystem.garbled": Row(_CONTENT, "what is in the file is garbage"),
    "filesystem.full": Row(_STORAGE, "the file cannot be written"),
    "filesystem.no_inodes": Row(_STORAGE, "no file can be made anew"),
    "filesystem.read_only": Row(_STORAGE, "the file cannot be written"),
    "filesystem.unreadable": Row(_STORAGE, "the file cannot be read"),
    "filesystem.not_writable": Row(_STORAGE, "the file cannot be written"),
    "filesystem.busy": Row(_STORAGE, "the file cannot be replaced"),
    "filesystem.aged": Row(_NOTHING, "what is in the files tells the time, not their age"),
    "filesystem.leftover": Row(_NOTHING, "what others left beside the file is none of the log's"),
    "identifier.*": Row(_NOTHING, "shows in the arguments"),
    "clock.*": Row(_NOTHING, "the time of each operation is told, and shows in the history"),
    "process.*": Row(_NOTHING, "what ends or slows a process leaves what is on disk"),
    "process.few_descriptors": Row(_STORAGE, "no file can be opened", everywhere=True),
    "process.file_size": Row(_STORAGE, "no file can be written", everywhere=True),
    "process.lock_held": Row(_STORAGE, "who cannot get its lock cannot write"),
    "environment.*": Row(_NOTHING, "the log is told where its home is"),
    "environment.read_only_home": Row(_STORAGE, "no file can be written", everywhere=True),
    "environment.odd_umask": Row(_STORAGE, "a file that is made anew cannot be read again", everywhere=True),
    "collaborator.*": Row(_NOTHING, "how git, jq and tools end comes with the operation"),
    "network.*": Row(_NOTHING, "the log asks no service"),
    "syscall.errno": Row(_STORAGE, "the call that failed may have been the one that reads or writes"),
    "syscall.*": Row(_NOTHING, "an operation that was cut off has no answer, and was done or not"),
}
UNKNOWN: Final = Row(_CONTENT | _STORAGE, "nobody has said what this fault takes", everywhere=True)
# under these no process answers, or none can be begun
SILENCING: Final = frozenset(
    ("process.killed", "process.few_descriptors", "process.file_size", "environment.deleted_cwd", "environment.nothing",
     "environment.no_path", "environment.stdin_closed", "environment.stdout_closed", "environment.stdout_full")
)  # fmt: skip
# whatever of these families begins or ends, another process answers from then on
RESTARTING: Final = frozenset(("clock", "process", SYSCALL, "environment", "collaborator", "network"))


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


def shaken(faults: Iterable[Fault]) -> frozenset[str]:
    """The files, by label, that an operation under these faults may be kept from reading or writing."""
    return frozenset(label for fault in faults if Takes.STORAGE in row(fault.name).takes for label in _labels(fault))


def damaged(faults: Iterable[Fault]) -> frozenset[str]:
    """The files, by label, whose content these faults took when they were put in place."""
    return frozenset(label for fault in faults if Takes.CONTENT in row(fault.name).takes for label in _labels(fault))


def keeps_on(faults: Iterable[Fault]) -> list[Fault]:
    """The faults that damage their file again and again while they stand."""
    return [fault for fault in faults if fault.name in ("filesystem.vanishing", "filesystem.growing")]


def loses_power(fault: Fault) -> bool:
    """Does the machine lose power? What is on disk then comes from another run of the same operations."""
    return fault.name == "syscall.power"


def tells_no_time(faults: Iterable[Fault]) -> bool:
    """Is who asks the machine's clock told another time than the history says?"""
    return any(fault.family == "clock" for fault in faults)


def silences(fault: Fault) -> bool:
    """May no answer come under this fault, which is nobody's defect?"""
    if fault.name == ERRNO:
        return not _labels(fault)
    return fault.name in SILENCING or fault.family == SYSCALL


def _labels(fault: Fault) -> frozenset[str]:
    """The files that lie on the way of the fault; every one of the directory for what lies beside them, a lock say."""
    if row(fault.name).everywhere:
        return EVERY
    found: set[str] = set()
    for path in _paths(fault):
        place = path.rpartition("/")[0] if fault.name == "filesystem.parent_missing" else path
        labels = {label for label, file in PATHS.items() if _below(file, place)}
        if not labels and _below(place, DIRECTORY):
            labels = {label for label, file in PATHS.items() if _below(file, DIRECTORY)}
        found |= labels
    return frozenset(found)


def _paths(fault: Fault) -> tuple[str, ...]:
    """The path that was struck, and the second one of a call that has two."""
    return tuple(path for path in (fault.path, fault.params.get("to")) if isinstance(path, str) and path)


def _below(path: str, place: str) -> bool:
    return f"{path}/".startswith(f"{place.rstrip('/')}/")

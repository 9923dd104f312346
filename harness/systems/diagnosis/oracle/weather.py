"""What a fault may take from a diagnosis: one row a fault, with its reason. Pure.

A diagnosis is made of what was observed: no fault takes it. What is kept are lines in three files. Who cannot write
loses the line that was to be written, and says so in its log; never an earlier line. What damages a file strikes once,
when it is done, and what stands there afterwards is what is known next.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

import msgspec

from harness.core.fault import Fault, Injection

SYSCALL: Final = "syscall"
ERRNO: Final = "syscall.errno"
POWER: Final = "syscall.power"
KILLED: Final = "process.killed"
DELAYED: Final = "syscall.delayed"
HOME: Final = "{home}"


class Takes(StrEnum):
    """What a fault takes: nothing; once, what was in a file; or, while it stands, that it can be read and written."""

    NOTHING = "nothing"
    CONTENT = "content"
    STORAGE = "storage"


class Row(msgspec.Struct, frozen=True):
    """What one fault takes. ``everywhere``: of every file, wherever it is said to strike."""

    takes: Takes
    why: str
    everywhere: bool = False


_NOTHING, _CONTENT, _STORAGE = Takes.NOTHING, Takes.CONTENT, Takes.STORAGE

ROWS: Final[dict[str, Row]] = {
    "json_document.*": Row(_CONTENT, "the lines are not what was written"),
    "jsonl.*": Row(_CONTENT, "lines are damaged, or strange ones stand among them"),
    "filesystem.*": Row(_STORAGE, "the file cannot be read or written"),
    "filesystem.missing": Row(_CONTENT, "nothing is there, as before the first start"),
    "filesystem.parent_missing": Row(_CONTENT, "nothing is there, as before the first start"),
    "filesystem.empty": Row(_CONTENT, "the lines are gone"),
    "filesystem.garbled": Row(_CONTENT, "the lines are garbage"),
    "filesystem.aged": Row(_NOTHING, "no line is known by the age of its file"),
    "filesystem.leftover": Row(_NOTHING, "what others left beside the files is none of ours"),
    "identifier.*": Row(_NOTHING, "shows in the arguments"),
    "clock.*": Row(_NOTHING, "the time of each call is told"),
    "process.*": Row(_NOTHING, "what ends or slows a process leaves what is on disk"),
    "process.few_descriptors": Row(_STORAGE, "no file can be opened", everywhere=True),
    "process.file_size": Row(_STORAGE, "no file can be written", everywhere=True),
    "process.lock_held": Row(_STORAGE, "who cannot get its lock cannot write", everywhere=True),
    "environment.*": Row(_NOTHING, "a diagnosis is told where its home is"),
    "environment.read_only_home": Row(_STORAGE, "no file can be written", everywhere=True),
    "environment.odd_umask": Row(_STORAGE, "a file that is made anew cannot be read again", everywhere=True),
    "collaborator.*": Row(_NOTHING, "the diagnosis is made without it"),
    "network.*": Row(_NOTHING, "no service is asked"),
    "syscall.errno": Row(_STORAGE, "the call that failed may have been the one that writes the line"),
    "syscall.*": Row(_NOTHING, "an operation that was cut off has no answer, and wrote its line or not"),
}
UNKNOWN: Final = Row(_STORAGE, "nobody has said what this fault takes", everywhere=True)
# these write into the file, and take it away, while operations run
RESTLESS: Final = frozenset(("filesystem.vanishing", "filesystem.growing"))
# under these no process answers, or none can be begun
SILENCING: Final = frozenset(
    (KILLED, "process.few_descriptors", "process.file_size", "environment.deleted_cwd", "environment.nothing",
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


def shakes(fault: Fault, path: str) -> bool:
    """May an operation under this fault lose the line that it was to write into that file, or not read it?"""
    found = row(fault.name)
    if found.takes is not Takes.STORAGE:
        return False
    if fault.family == SYSCALL:  # a lock, or a temporary file, may lie anywhere
        return True
    return found.everywhere or strikes(fault, path)


def damages(fault: Fault, path: str) -> bool:
    """Did it take something from what stood in the file at ``path``, when it was put in place?"""
    return row(fault.name).takes is Takes.CONTENT and strikes(fault, path)


def disturbs(fault: Fault, path: str) -> bool:
    """Is what the file holds, while it stands or after it, not what the implementation has left there?"""
    return fault.name == POWER or (fault.name in RESTLESS and strikes(fault, path))


def strikes(fault: Fault, path: str) -> bool:
    """Does it strike that file, a directory above it, or what stands right beside it, as its lock does?"""
    if fault.path is None:
        return False
    place = fault.path.rpartition("/")[0] if fault.name == "filesystem.parent_missing" else fault.path
    return f"{path}/".startswith(f"{place.rstrip('/')}/") or fault.path.startswith(path)


def silences(fault: Fault) -> bool:
    """May no answer come under this fault, which is nobody's defect?"""
    if fault.name == ERRNO:
        places = [place for place in (fault.path, fault.params.get("to")) if isinstance(place, str)]
        return not any(f"{place}/".startswith(f"{HOME}/") for place in places)
    return fault.name in SILENCING or (fault.family == SYSCALL and fault.name != DELAYED)

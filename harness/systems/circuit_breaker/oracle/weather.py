"""What a fault may take from a circuit breaker: one row a fault, with its reason. Pure.

A breaker keeps what it knows in one file. Who cannot read or write it answers from memory, as in calm weather, or with
care: HALF_OPEN is careful, CLOSED is not where a breaker was known to be OPEN. Only what another process did may be
lost then. What damages the file strikes once, when it is done, and
what is so afterwards is the next thing known. All other faults take nothing from an operation that answers.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

import msgspec

from harness.core.fault import Fault, Injection
from harness.systems.circuit_breaker.contract import RECOVERY_LOG_PATH, STATE_PATH

STATE_DIRECTORY: Final = STATE_PATH.rpartition("/")[0]
LOG_DIRECTORY: Final = RECOVERY_LOG_PATH.rpartition("/")[0]
SYSCALL: Final = "syscall"
ERRNO: Final = "syscall.errno"
POWER: Final = "syscall.power"


class Takes(StrEnum):
    """What a fault takes: nothing; once, what was on disk; or, while it stands, that it can be read and written."""

    NOTHING = "nothing"
    CONTENT = "content"
    FILE = "the file itself"
    STORAGE = "storage"


class Row(msgspec.Struct, frozen=True):
    """What one fault takes. ``everywhere``: of every file, wherever it is said to strike."""

    takes: Takes
    why: str
    everywhere: bool = False


_NOTHING, _CONTENT, _FILE, _STORAGE = Takes.NOTHING, Takes.CONTENT, Takes.FILE, Takes.STORAGE

ROWS: Final[dict[str, Row]] = {
    "json_document.*": Row(_CONTENT, "the records are not what was written"),
    "jsonl.*": Row(_CONTENT, "the file is no JSON document then"),
    "filesystem.*": Row(_STORAGE, "the file cannot be read, written, or replaced"),
    "filesystem.missing": Row(_FILE, "nothing is there, as before the first start"),
    "filesystem.parent_missing": Row(_FILE, "nothing is there, as before the first start"),
    "filesystem.empty": Row(_CONTENT, "the records are gone, and the file is there"),
    "filesystem.garbled": Row(_CONTENT, "the records are garbage"),
    "filesystem.aged": Row(_NOTHING, "what is in the file tells the time, not its age"),
    "filesystem.leftover": Row(_NOTHING, "what others left beside the file is none of the breaker's"),
    "identifier.*": Row(_NOTHING, "shows in the arguments: another name is another breaker"),
    "clock.*": Row(_NOTHING, "the time of each call is told, and shows in the history"),
    "clock.jump": Row(_STORAGE, "who asks the machine's clock is told another time at each call", everywhere=True),
    "clock.frozen": Row(_STORAGE, "who asks the machine's clock is told the same time at each call", everywhere=True),
    "process.*": Row(_NOTHING, "what ends or slows a process leaves what is on disk"),
    "process.few_descriptors": Row(_STORAGE, "the file cannot be opened", everywhere=True),
    "process.file_size": Row(_STORAGE, "the file cannot be written", everywhere=True),
    "process.lock_held": Row(_STORAGE, "who cannot get its lock cannot write"),
    "environment.*": Row(_NOTHING, "a breaker is told where its home is"),
    "environment.read_only_home": Row(_STORAGE, "the file cannot be written", everywhere=True),
    "environment.odd_umask": Row(_STORAGE, "a file that is made anew cannot be read again", everywhere=True),
    "collaborator.*": Row(_NOTHING, "a breaker calls no program"),
    "network.*": Row(_NOTHING, "a breaker asks no service"),
    "syscall.errno": Row(_STORAGE, "the call that failed may have been the one that reads or writes"),
    "syscall.*": Row(_NOTHING, "an operation that was cut off has no answer, and was done or not"),
}
UNKNOWN: Final = Row(_STORAGE, "nobody has said what this fault takes", everywhere=True)
# under these no process answers, or none can be begun
SILENCING: Final = frozenset(
    ("process.killed", "process.few_descriptors", "process.file_size", "environment.deleted_cwd", "environment.nothing",
     "environment.no_path", "environment.stdin_closed", "environment.stdout_closed", "environment.stdout_full")
)  # fmt: skip
# whatever of these families begins or ends, another process answers from then on
RESTARTING: Final = frozenset(("clock", "process", "syscall", "environment", "collaborator", "network"))


_HIDING: Final = ("filesystem.dangling_link", "filesystem.vanishing")  # nothing can be seen there, now and then or ever


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


def shakes(fault: Fault) -> bool:
    """May an operation under this fault lose its effect, or answer with care?"""
    found = row(fault.name)
    if found.takes is not Takes.STORAGE:
        return False
    if fault.family == SYSCALL:  # a lock, or a temporary file, may lie anywhere
        return not _paths(fault) or not all(_below(path, LOG_DIRECTORY) for path in _paths(fault))
    return found.everywhere or strikes(fault, STATE_DIRECTORY)


def damages(fault: Fault) -> Takes:
    """What it took from the state file when it was put in place: CONTENT, FILE, or NOTHING."""
    found = row(fault.name).takes
    if found not in (Takes.CONTENT, Takes.FILE) or fault.path is None:
        return Takes.NOTHING
    path = fault.path.rpartition("/")[0] if fault.name == "filesystem.parent_missing" else fault.path
    return found if _below(STATE_PATH, path) else Takes.NOTHING


def vanishes(fault: Fault) -> bool:
    """Does the state file look as before the first start?"""
    return damages(fault) is Takes.FILE or (fault.name in _HIDING and strikes(fault, STATE_DIRECTORY))


def strikes(fault: Fault, directory: str) -> bool:
    """Does it strike that directory, one above it, or anything in it?"""
    return any(_below(path, directory) or _below(directory, path) for path in _paths(fault))


def _paths(fault: Fault) -> tuple[str, ...]:
    """The path that was struck, and the second one of a call that has two."""
    return tuple(path for path in (fault.path, fault.params.get("to")) if isinstance(path, str) and path)


def _below(path: str, place: str) -> bool:
    return f"{path}/".startswith(f"{place.rstrip('/')}/")


def takes_log(fault: Fault) -> bool:
    """May a line of the recovery log be lost, or the log itself?"""
    found = row(fault.name)
    if fault.name == POWER:
        return True
    return found.takes is not Takes.NOTHING and (found.everywhere or strikes(fault, LOG_DIRECTORY))


def silences(fault: Fault) -> bool:
    """May no answer come under this fault, which is nobody's defect?"""
    if fault.name == ERRNO:
        return not (strikes(fault, STATE_DIRECTORY) or strikes(fault, LOG_DIRECTORY))
    return fault.name in SILENCING or fault.family == SYSCALL


def kills(fault: Fault) -> bool:
    """Does it end a process in the middle of an operation?"""
    return fault.name == "process.killed" or (fault.family == SYSCALL and fault.name != ERRNO)

"""What a fault may take from a system that keeps all it knows in files: one row a fault, with its reason. Pure.

Under a fault that keeps a file from being read or written, what was to be done there may be answered as not done; what
was acknowledged before stays. What damages a file strikes once, when it is done: the system goes on with what is there
then. All other faults take nothing from an operation that answers.
"""

from collections.abc import Iterable, Mapping
from enum import Flag, auto
from typing import Final

import msgspec

from harness.core.fault import Fault, Injection

SYSCALL: Final = "syscall"
ERRNO: Final = "syscall.errno"
LOCK_HELD: Final = "process.lock_held"


class Takes(Flag):
    """What a fault takes: once, what is in the file; while it stands, reading and writing it; any sight of it."""

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

ROWS: Final[Mapping[str, Row]] = {
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
    "filesystem.leftover": Row(_NOTHING, "what others left beside the file is none of the system's"),
    "identifier.*": Row(_NOTHING, "shows in the arguments"),
    "clock.*": Row(_NOTHING, "the time of each operation is told, and shows in the history"),
    "process.*": Row(_NOTHING, "what ends or slows a process leaves what is on disk"),
    "process.few_descriptors": Row(_STORAGE, "no file can be opened", everywhere=True),
    "process.file_size": Row(_STORAGE, "no file can be written", everywhere=True),
    LOCK_HELD: Row(_STORAGE, "who cannot get its lock cannot read or write"),
    "environment.*": Row(_NOTHING, "the system is told where its home is"),
    "environment.read_only_home": Row(_STORAGE, "no file can be written", everywhere=True),
    "environment.odd_umask": Row(_STORAGE, "a file that is made anew cannot be read again", everywhere=True),
    "collaborator.*": Row(_NOTHING, "nobody else is asked, or what they said comes with the operation"),
    "network.*": Row(_NOTHING, "no service is asked"),
    ERRNO: Row(_STORAGE, "the call that failed may have been the one that reads or writes"),
    "syscall.*": Row(_NOTHING, "an operation that was cut off has no answer, and was done or not"),
}
UNKNOWN: Final = Row(_CONTENT | _STORAGE | _SIGHT, "nobody has said what this fault takes", everywhere=True)
SILENCING: Final = frozenset(
    ("process.killed", "process.few_descriptors", "process.file_size", "environment.deleted_cwd", "environment.nothing",
     "environment.no_path", "environment.stdin_closed", "environment.stdout_closed", "environment.stdout_full")
)  # fmt: skip
"""Under these no process answers, or none can be begun."""
RESTARTING: Final = frozenset(("clock", "process", SYSCALL, "environment", "collaborator", "network"))
"""Whatever fault of these families begins or ends, another process answers from then on."""
_UNSTEADY: Final = frozenset(("filesystem.vanishing", "filesystem.growing"))


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


def unsteady(faults: Iterable[Fault]) -> list[Fault]:
    """The faults that damage their file again and again while they stand."""
    return [fault for fault in faults if fault.name in _UNSTEADY]


def loses_power(faults: Iterable[Fault]) -> bool:
    """Does the machine lose power? What is on disk then comes from another run of the same operations."""
    return any(fault.name == "syscall.power" for fault in faults)


def tells_no_time(faults: Iterable[Fault]) -> bool:
    """Is who asks the machine's clock told another time than the history says?

    Every other fault of a clock moves the time of the scenario too.
    """
    return any(fault.name == "clock.jump" for fault in faults)


def paths_of(fault: Fault) -> tuple[str, ...]:
    """The path that was struck, and the second one of a call that has two."""
    return tuple(path for path in (fault.path, fault.params.get("to")) if isinstance(path, str) and path)


def directory_of(path: str) -> str:
    """The directory that holds the file or directory at ``path``."""
    return path.rstrip("/").rpartition("/")[0]


def is_below(path: str, place: str) -> bool:
    """Is it that place, or inside it?"""
    return f"{path}/".startswith(f"{place.rstrip('/')}/")


class Files:
    """The files of one system, by label, and what faults take from them.

    What strikes something else inside ``directory``, a lock or a temporary file say, strikes all of its files that lie
    there. What names no place strikes every file.
    """

    def __init__(self, paths: Mapping[str, str], directory: str) -> None:
        self.paths = dict(paths)
        self.every = frozenset(paths)
        self._directory = directory
        self._beside = frozenset(label for label, path in paths.items() if is_below(path, directory))

    def shaken(self, faults: Iterable[Fault]) -> frozenset[str]:
        """The files, by label, that an operation under these faults may be kept from reading or writing."""
        return self._taken(faults, Takes.STORAGE)

    def damaged(self, faults: Iterable[Fault]) -> frozenset[str]:
        """The files, by label, whose content these faults took when they were put in place."""
        return self._taken(faults, Takes.CONTENT)

    def hidden(self, faults: Iterable[Fault]) -> frozenset[str]:
        """The files, by label, of which a history does not show under these faults what became of them."""
        return self._taken(faults, Takes.SIGHT)

    def silences(self, fault: Fault) -> bool:
        """May no answer come under this fault, which is nobody's defect?"""
        if fault.name == ERRNO:  # a call that fails for another file than these is the process's own business
            return not paths_of(fault) or not self._struck_by(fault)
        return fault.name in SILENCING or fault.family == SYSCALL

    def _taken(self, faults: Iterable[Fault], what: Takes) -> frozenset[str]:
        return frozenset(label for fault in faults if what in row(fault.name).takes for label in self._struck_by(fault))

    def _struck_by(self, fault: Fault) -> frozenset[str]:
        paths = paths_of(fault)
        if row(fault.name).everywhere or (fault.name == ERRNO and not paths):
            return self.every
        found: frozenset[str] = frozenset()
        for path in paths:
            place = directory_of(path) if fault.name == "filesystem.parent_missing" else path
            labels = frozenset(label for label, file in self.paths.items() if is_below(file, place))
            found |= labels or (self._beside if is_below(place, self._directory) else frozenset())
        return found

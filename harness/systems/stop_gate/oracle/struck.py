"""What a fault at one file call may take from a stop gate. Pure.

Such a fault (family ``syscall``, level L3) strikes one call of one operation, and nothing before or after it. What it
may take hangs on the path it struck and on what the call does: who cannot read the transcript lets the session end,
who cannot read the configuration goes on with the defaults, and a semaphore or a summary that cannot be written
changes nothing else. What was killed at a call gives no answer; what it left on disk has to be harmless, so that later
operations, in calm weather again, are judged as any other. Sources: document 004, Core Principle, 2.3, 4.1, 4.2, 5.1
and 5.2.
"""

import msgspec

from harness.core.fault import Fault, Injection

FAMILY = "syscall"
ERRNO = "syscall.errno"
KILLS = frozenset({"process.killed", "syscall.killed", "syscall.torn", "syscall.power"})  # by the harness itself
GONE = "ENOENT"  # what a call says of a file that vanished since it was last seen
_NO_ROOM = frozenset({"ENOSPC", "EDQUOT", "EROFS"})  # met by an open that makes or writes, never by one that reads
_CHANGING = (
    "write", "pwrite", "fsync", "fdatasync", "sync", "rename", "link", "symlink", "unlink", "rmdir", "mkdir", "mknod",
    "truncate", "ftruncate", "fallocate", "creat", "utim", "futim", "chmod", "fchmod", "chown", "lchown", "fchown",
    "sendfile", "copy_file_range", "splice",
)  # fmt: skip


class Places(msgspec.Struct, frozen=True):
    """The paths an operation reads and writes by document 004."""

    transcript: str
    config: str
    semaphore: str
    summary: str

    @property
    def session(self) -> str:
        """The directory of the summary, which is the session's own."""
        return self.summary.rpartition("/")[0]


def is_errno(injection: Injection) -> bool:
    """Did a call fail that the harness met?"""
    return injection.fault.name == ERRNO and injection.armed and injection.proof != ""


def paths(fault: Fault) -> tuple[str, ...]:
    """The path that was struck, and the second one of a call that has two."""
    second = fault.params.get("to")
    return tuple(path for path in (fault.path, second) if isinstance(path, str) and path)


def writes(fault: Fault) -> bool:
    """Does the call change what is on disk? An open that makes its file shows only by how it can fail."""
    call = str(fault.params.get("call", ""))
    return call.startswith(_CHANGING) or fault.params.get("errno") in _NO_ROOM


def at(fault: Fault, *places: str) -> bool:
    """Were only these paths struck, or what lies below them?"""
    return all(any(_within(path, place) for place in places) for path in paths(fault))


def in_the_way(fault: Fault, place: str) -> bool:
    """Was that path struck, or a directory above it?"""
    return any(_within(place, path) for path in paths(fault))


def leaves_answer(injection: Injection, places: Places) -> bool:
    """Has a gate to answer as if that call had not failed, as far as its configuration says the same?"""
    if not is_errno(injection):
        return not injection.proof  # it never came to that call
    fault = injection.fault
    if at(fault, places.config, places.session):
        return True
    return at(fault, places.semaphore) and (writes(fault) or fault.params.get("errno") == GONE)


def keeps(injection: Injection, places: Places, path: str) -> bool:
    """Has ``path``, the semaphore or the summary, to be written as if that call had not failed?"""
    if not is_errno(injection):
        return not injection.proof
    other = places.semaphore if path == places.summary else places.session
    return at(injection.fault, places.transcript, places.config, other)


def refuses(injection: Injection, places: Places, path: str) -> bool:
    """Did a call fail by which ``path``, the semaphore or the summary, is written?"""
    if not is_errno(injection) or not writes(injection.fault):
        return False
    beside = path == places.summary and at(injection.fault, places.session)  # a temporary file, renamed afterwards
    return beside or in_the_way(injection.fault, path)


def hides(injection: Injection, path: str) -> bool:
    """Did a call fail by which what stands at ``path`` may have been read?"""
    return is_errno(injection) and in_the_way(injection.fault, path)


def _within(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place.rstrip('/')}/")

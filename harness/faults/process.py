"""What happens to a process: signals while it works, a slow disk, limits, a lock that someone else holds.

``killed``, ``paused`` and ``restarted`` are carried out by the session that starts the process; see targets/strikes.py.
"""

import re
import signal
from collections.abc import Mapping

from harness.core.fault import Fault, Scalar
from harness.errors import MachineError
from harness.faults.kind import FaultKind, Param, whole
from harness.faults.probing import calm, met, said
from harness.sandbox import MakeDirectory, Surroundings
from harness.sandbox.room import Room

REMEDY = "apt-get install strace"
LOG = "{tools}/strace.log"
# what a program does to files; reading is left out, because pipes and libraries are read all the time
SLOW_CALLS = (
    "write", "pwrite64", "writev", "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat",
    "mkdir", "mkdirat", "link", "linkat", "ftruncate", "truncate", "flock",
)  # fmt: skip
# -D: the program stays our child, so that it ends when it ends, whatever it left running
OPTIONS = ("-D", "-f", "-qq", "--seccomp-bpf", "-o", LOG, "-e", f"trace={','.join(f'?{c}' for c in SLOW_CALLS)}")
LEFT_FOR_LOADER = 3  # with fewer than this, not even the standard streams could be open

_SIGNAL = Param("text", "SIGKILL", "which signal", choices=("SIGKILL", "SIGTERM"))
_AT = Param("share", 0.5, "when, as a share of its duration in calm weather")

KINDS = (
    FaultKind(
        "process.killed", "the next operation only: `signal` strikes while it runs", {"signal": _SIGNAL, "at": _AT}
    ),
    FaultKind(
        "process.slow_disk",
        "every change of a file takes `delay_ms` longer",
        {"delay_ms": Param("whole", 5, "milliseconds", low=1, high=1000)},
    ),
    FaultKind(
        "process.paused",
        "every operation stands still for `for_ms` while it runs",
        {"for_ms": Param("whole", 100, "milliseconds", low=1, high=5000)},
    ),
    FaultKind(
        "process.few_descriptors",
        "a process may have `count` open files (EMFILE)",
        {"count": Param("whole", 16, "open files, the standard streams among them", low=LEFT_FOR_LOADER, high=1024)},
    ),
    FaultKind(
        "process.file_size",
        "a file may have `bytes` (a short write, EFBIG, SIGXFSZ)",
        {"bytes": Param("whole", 0, "bytes", low=0, high=16 * 1024 * 1024)},
    ),
    FaultKind(
        "process.lock_held", "another process holds the path, or each file in it, and its lock files", placed=True
    ),
    FaultKind("process.restarted", "the process is ended between two operations, and started anew"),
)
BY_SESSION = frozenset(("killed", "paused", "restarted"))


def place(room: Room, kind: str, path: str, params: Mapping[str, Scalar]) -> str:
    """Puts that fault in place and gives the proof; "" for those that only a session can carry out.

    MachineError when this machine refuses it.
    """
    if kind == "slow_disk":
        return _slow_disk(room, whole(params, "delay_ms"))
    if kind == "few_descriptors":
        return _few_descriptors(room, whole(params, "count"))
    if kind == "file_size":
        return _file_size(room, whole(params, "bytes"))
    return _lock_held(room, path) if kind == "lock_held" else ""


def signal_of(fault: Fault) -> signal.Signals:
    """The signal that ``process.killed`` sends."""
    return signal.Signals[str(fault.params.get("signal", _SIGNAL.default))]


def share_of(fault: Fault) -> float:
    """When ``process.killed`` strikes, as a share of the duration in calm weather."""
    return float(fault.params.get("at", _AT.default) or 0)


def pause_of(fault: Fault) -> float:
    """How long ``process.paused`` holds an operation, in seconds."""
    return whole({"for_ms": 100, **fault.params}, "for_ms") / 1000


def few_descriptors(count: int) -> Surroundings:
    """Those in which a process may have so many open files, its three streams among them."""
    # by a shell of its own: an agent that could open no more itself could not hand over the standard streams
    return Surroundings(prefix=("/bin/sh", "-c", 'ulimit -n "$0" && exec "$@"', str(count)))


def _slow_disk(room: Room, delay_ms: int) -> str:
    delay = ("-e", f"inject={','.join(f'?{c}' for c in SLOW_CALLS)}:delay_enter={delay_ms}ms")
    strace = said(calm(room, "command -v strace"))
    if not strace.startswith("/"):
        raise MachineError(f"a slow disk is made by strace, which is not installed; {REMEDY}")
    # by its path: not every implementation is given a PATH to look it up in
    prefix = (strace, *OPTIONS, *delay)
    works = calm(room, 'exec "$@"', *prefix, "true")
    if works.exit_code != 0 or works.stderr:
        why = works.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it gives no reason"]
        raise MachineError(f"a slow disk is made by strace, which is refused here: {why[0]}")
    room.surround(Surroundings(prefix=prefix))
    met(room, 'echo x > "$1"', room.roots.resolve("{tools}/slow"))
    delayed = (room.read(LOG, 1 << 20).data or b"").count(b"(DELAYED)")
    return f"{delayed} delayed" if delayed else ""


def _few_descriptors(room: Room, count: int) -> str:
    room.surround(few_descriptors(count))
    # paste has all its files open at once; with very few not even its own libraries
    ended = met(room, 'exec paste "$@"', *["/dev/null"] * (count + 1))
    return "EMFILE" if re.search("Too many open files|Error 24", said(ended)) else ""


def _file_size(room: Room, size_bytes: int) -> str:
    room.surround(Surroundings(limits={"file_size": size_bytes}))
    script = 'trap \'\' XFSZ; head -c "$1" /dev/zero > "$2"; rm -f "$2"'
    ended = met(room, script, str(size_bytes + 1), room.roots.resolve("{tools}/size"))
    return "EFBIG" if "File too large" in said(ended) else ""


def _lock_held(room: Room, path: str) -> str:
    below = path.rstrip("/") + "/"
    kind = room.read(path, 1).kind
    if kind == "directory":
        files = [name for name, fact in room.snapshot().items() if name.startswith(below) and fact.kind == "file"]
        locks = [*files, below + ".lock", below + "lock"]
    else:
        locks = [path, path + ".lock"]
        above = path.rpartition("/")[0]
        if room.read(above, 1).kind == "missing":
            room.apply([MakeDirectory(above)])
    room.meddle(("@locking", *dict.fromkeys(locks)))
    ended = met(room, 'flock -n -E 75 "$1" true', room.roots.resolve(locks[-1]))
    return "held" if ended.exit_code == 75 else ""

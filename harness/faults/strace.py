"""A second opinion on injected errors: strace makes one call of a program fail, as the supervisor would.

It agrees on errors only: it cannot tear a write, its ``retval`` returns what was never done, and with a filter of its
own (``--seccomp-bpf``) it forgets signals without a word, so it is used for nothing else here and without that filter.
It counts the calls of each process by itself, and a path it compares with what the program wrote, letter by letter.
"""

import errno
import os
from typing import Final

from harness.errors import MachineError
from harness.faults.probing import calm, said
from harness.faults.syscalls.sites import Site
from harness.sandbox.room import Room

REMEDY: Final = "apt-get install strace"
_INJECTED: Final = b"(INJECTED)"
_QUIET: Final = ("-D", "-f", "--quiet=all", "-s", "0")  # -D: the program stays our child, so that it ends when it ends


def place(room: Room) -> str:
    """Where strace stands in that room. MachineError where it is not installed, or may not trace."""
    found = said(calm(room, "command -v strace"))
    if not found.startswith("/"):
        raise MachineError(f"strace is not installed; {REMEDY}")
    works = calm(room, 'exec "$@"', found, *_QUIET, "-e", "trace=?none", "true")
    if works.exit_code != 0:
        why = works.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it gives no reason"]
        raise MachineError(f"strace is refused here: {why[0]}")
    return found


def prefix(strace: str, site: Site, name: str, folder: str, log: str) -> tuple[str, ...]:
    """What to put before a command so that its call at ``site`` fails with the error ``name``.

    The paths of ``site`` are absolute, ``folder`` is the command's own and ``log`` where the proof is written.
    ValueError for an error that nobody knows.
    """
    if not hasattr(errno, name):
        raise ValueError(f"there is no error {name!r}")
    paths = [word for path in site.paths[:1] for form in _forms(path, folder) for word in ("-P", form)]
    strike = f"inject={site.call}:error={name}:when={site.nth}"
    return (strace, *_QUIET, "-o", log, *paths, "-e", f"trace={site.call}", "-e", strike)


def proofs(log: bytes) -> list[str]:
    """The names of the errors that were given, in order, from what was written to the log."""
    lines = [line for line in log.splitlines() if line.rstrip().endswith(_INJECTED)]
    return [line.rpartition(b"= -1 ")[2].split()[0].decode() for line in lines]


def _forms(path: str, folder: str) -> list[str]:
    """How a program that works in ``folder`` may write that path."""
    short = os.path.relpath(path, folder)
    return [path, short, f"./{short}"] if not short.startswith("..") else [path, short]

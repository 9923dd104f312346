"""What a process finds around it: variables, its directory, its standard streams, its umask. Proven by a process."""

from collections.abc import Mapping
from typing import NamedTuple

from harness.faults.kind import FaultKind
from harness.faults.probing import met, said
from harness.sandbox import Surroundings
from harness.sandbox.room import Room

NOWHERE = "/nonexistent"  # the name Debian keeps free for homes that are not there
NO_LANGUAGE = "xx_XX.KOI8-X"
STREAMS = ("stdin_closed", "stdout_closed", "stderr_closed", "stdout_full", "stderr_full", "stdout_slow")

KINDS = (
    FaultKind("environment.no_home", "the variable HOME is not set"),
    FaultKind("environment.empty_home", "HOME is empty"),
    FaultKind("environment.missing_home", "HOME names a directory that is not there"),
    FaultKind("environment.read_only_home", "the home is a read-only mount (EROFS)"),
    FaultKind("environment.odd_locale", "the variables of the language name one that nobody has"),
    FaultKind("environment.no_path", "PATH is empty"),
    FaultKind("environment.no_tmpdir", "TMPDIR names a directory that is not there"),
    FaultKind("environment.nothing", "there are no variables at all"),
    FaultKind("environment.deleted_cwd", "the directory it is started in has been removed"),
    FaultKind("environment.odd_umask", "the umask takes every permission (0777)"),
    FaultKind("environment.stdin_closed", "standard input is closed (hook processes only)"),
    FaultKind("environment.stdout_closed", "standard output is closed (hook processes only)"),
    FaultKind("environment.stderr_closed", "standard error is closed"),
    FaultKind("environment.stdout_full", "standard output is /dev/full (hook processes only)"),
    FaultKind("environment.stderr_full", "standard error is /dev/full"),
    FaultKind("environment.stdout_slow", "standard output is a full pipe, drained after 0.3 s (hook processes only)"),
)


class _Change(NamedTuple):
    """What surrounds a process, and how a process shows that it does: ``script`` then prints ``shows``."""

    surroundings: Surroundings
    script: str
    shows: str
    proof: str


def _variables(proof: str, **values: str | None) -> _Change:
    # the first one tells for all: they are set in one go
    name, value = next(iter(values.items()))
    script = f'if [ "${{{name}+set}}" ]; then echo "is ${name}."; else echo unset; fi'
    shows = "unset" if value is None else f"is {value}."
    return _Change(Surroundings(environment=dict(values)), script, shows, proof)


_CHANGES: Mapping[str, _Change] = {
    "no_home": _variables("unset", HOME=None),
    "empty_home": _variables("empty", HOME=""),
    "missing_home": _Change(
        Surroundings(environment={"HOME": f"{NOWHERE}/home"}),
        'cd "$HOME" || echo "no $HOME."',
        f"no {NOWHERE}/home.",
        "ENOENT",
    ),
    "odd_locale": _variables("changed", LC_ALL=NO_LANGUAGE, LANG=NO_LANGUAGE, LANGUAGE=NO_LANGUAGE),
    "no_path": _variables("empty", PATH=""),
    "no_tmpdir": _Change(
        Surroundings(environment=dict.fromkeys(("TMPDIR", "TEMP", "TMP"), f"{NOWHERE}/folder")),
        'cd "$TMPDIR" || echo "no $TMPDIR."',
        f"no {NOWHERE}/folder.",
        "ENOENT",
    ),
    "nothing": _Change(Surroundings(bare_environment=True), "tr '\\0' '\\n' < /proc/$$/environ | wc -c", "0", "empty"),
    "deleted_cwd": _Change(Surroundings(deleted_cwd=True), "readlink /proc/$$/cwd", "(deleted)", "deleted"),
    "odd_umask": _Change(Surroundings(umask=0o777), "umask", "0777", "0777"),
    "stdin_closed": _Change(Surroundings(stdin="closed"), "[ -e /proc/$$/fd/0 ] || echo closed", "closed", "closed"),
    "stdout_closed": _Change(
        Surroundings(stdout="closed"), "[ -e /proc/$$/fd/1 ] || echo closed >&2", "closed", "closed"
    ),
    "stderr_closed": _Change(Surroundings(stderr="closed"), "[ -e /proc/$$/fd/2 ] || echo closed", "closed", "closed"),
    "stdout_full": _Change(Surroundings(stdout="full"), "echo x || echo refused >&2", "refused", "ENOSPC"),
    "stderr_full": _Change(
        Surroundings(stderr="full"), "exec 3>&1; echo x >&2 || echo refused >&3", "refused", "ENOSPC"
    ),
    "stdout_slow": _Change(
        Surroundings(stdout="slow"), "timeout 0.005 sh -c 'echo x' || echo full >&2", "full", "EAGAIN"
    ),
}


def place(room: Room, kind: str) -> str:
    """Puts that fault around whatever is started from now on, and gives the proof; MachineError when refused."""
    if kind == "read_only_home":
        return room.read_only("{home}")
    change = _CHANGES[kind]
    room.surround(change.surroundings)
    ended = met(room, change.script)
    return change.proof if change.shows in said(ended) else ""

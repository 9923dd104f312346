"""The faults of the fault table that a system which keeps nothing can meet, and how each is put in place.

None of them damages anything such a system has. They show that it needs nothing: no home, no clock, no disk, no
network, no program, and no process that lives on.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.core.fault import Fault, Scalar
from harness.core.scenario import ClockStep, FileSpec, Step

FOLDER = "{home}/.loki"
FILE = f"{FOLDER}/state/notes.json"  # nobody's: what stands where another system would keep its state
FILES: Mapping[str, FileSpec] = {FILE: FileSpec(text="{}\n")}
YEAR_S = 365 * 24 * 3600
MOVES_S: Mapping[str, float] = {
    "back-an-hour": -3600.0,
    "forward-a-day": 86400.0,
    "past-9990": 7964 * YEAR_S,  # only by the time of a call: under a clock of that year no Python starts
}
KILLED = "process.killed"
# these strike while an operation runs: two runs may rightly end differently
UNSTEADY = frozenset(
    ("filesystem.vanishing", "filesystem.growing", "clock.jump", KILLED, "process.paused", "process.lock_held",
     "process.slow_disk", "collaborator.slow", "collaborator.hangs", "environment.stdout_slow")
)  # fmt: skip


class Row(NamedTuple):
    """One fault: the steps that put it there; ``name`` says what goes wrong, and is part of the scenario's name."""

    name: str
    steps: tuple[Step, ...]

    @property
    def title(self) -> str:
        """What goes wrong, in words."""
        words = self.name.replace("-", " ")
        return words[0].upper() + words[1:]


def row(kind: str, path: str | None = None, suffix: str = "", **params: Scalar) -> Row:
    """The row of one fault, named after it."""
    words = (*kind.replace("_", "-").split("."), suffix)
    return Row("-".join(word for word in words if word), (Step(fault=Fault(kind, path, params)),))


_STORAGE = (
    "missing", "read_only", "full", "no_inodes", "not_writable", "unreadable", "file_for_directory", "symlink_loop",
    "dangling_link", "link_outside", "vanishing",
)  # fmt: skip
_ENVIRONMENT = (
    "no_home", "empty_home", "missing_home", "read_only_home", "odd_locale", "no_path", "no_tmpdir", "nothing",
    "deleted_cwd", "odd_umask", "stderr_closed", "stderr_full",
)  # fmt: skip
_NETWORK = ("refused", "timeout", "rate_limited", "rate_limited_retry_after", "server_error", "garbage")
_COLLABORATORS = ("missing", "hangs", "raises", "exits", "garbage", "slow")


def rows() -> Iterator[Row]:
    """The whole table but for identifiers, which are a system's own, in a fixed order."""
    yield from _processes()
    for kind in _STORAGE:
        yield row(f"filesystem.{kind}", FOLDER)
    yield row("filesystem.leftover", FILE)
    yield from _clocks()
    for kind in _ENVIRONMENT:
        yield row(f"environment.{kind}")
    for kind in _NETWORK:
        yield row(f"network.{kind}")
    for kind in _COLLABORATORS:
        yield row(f"collaborator.{kind}", program="git")


def _processes() -> Iterator[Row]:
    yield row("process.restarted")
    for signal in ("SIGKILL", "SIGTERM"):
        yield row(KILLED, None, signal.lower(), signal=signal, at=0.0)
    yield row("process.paused", for_ms=20)
    yield row("process.slow_disk", delay_ms=2)
    yield row("process.few_descriptors", count=16)
    yield row("process.file_size", bytes=0)
    yield row("process.lock_held", FILE)


def _clocks() -> Iterator[Row]:
    for name, by_s in MOVES_S.items():
        yield Row(f"moved-{name}", (Step(clock=ClockStep(by_s)),))
    for kind in ("frozen", "year_1970", "year_2038", "year_9999"):
        yield row(f"clock.{kind}")
    for kind in ("back", "forward", "jump"):
        yield row(f"clock.{kind}", by_s=7200)
    yield row("clock.time_zone", name="Pacific/Kiritimati")


def identifiers(fields: Sequence[str], kinds: Sequence[str]) -> Iterator[Row]:
    """The rows of these faults of an identifier, for each of these arguments."""
    for field in fields:
        for kind in kinds:
            yield row(f"identifier.{kind}", None, field.replace("_", "-"), field=field)


def faults_of(steps: Sequence[Step]) -> tuple[Fault, ...]:
    """The faults that these steps put in place."""
    return tuple(step.fault for step in steps if step.fault is not None)

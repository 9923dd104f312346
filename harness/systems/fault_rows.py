"""What several systems' tables of faults share: a row, what strikes files, what surrounds a process. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from harness.core.fault import Fault, Scalar
from harness.systems.fault_kinds import DOCUMENTS, IDENTIFIERS, LINES

YEAR_S = 365 * 24 * 3600
_FAR_S = 1000 * YEAR_S


class Row(NamedTuple):
    """One fault at one place, or a move of the clock ``by_s``.

    ``name`` says what goes wrong, and is part of the scenario's; ``group`` says which tours meet it.
    """

    name: str
    group: str
    fault: Fault | None = None
    by_s: float = 0.0

    @property
    def goes_back(self) -> bool:
        """Does time go back?"""
        return self.by_s < 0 or (self.fault is not None and self.fault.name in ("clock.back", "clock.year_1970"))

    @property
    def goes_far(self) -> bool:
        """Does time go to where seconds, as numbers with a point, hold no microseconds any more?"""
        return self.by_s > _FAR_S or (self.fault is not None and self.fault.name == "clock.year_9999")

    @property
    def title(self) -> str:
        """What goes wrong, in words."""
        words = self.name.replace("-", " ")
        return words[0].upper() + words[1:]


def row(place: str, group: str, kind: str, path: str | None = None, suffix: str = "", **params: Scalar) -> Row:
    """The row of one fault; its name is made of the place, the fault's kind and ``suffix``."""
    word = kind.partition(".")[2].replace("_", "-")
    return Row("-".join(part for part in (place, word, suffix) if part), group, Fault(kind, path, params))


def documents(place: str, group: str, path: str, *kinds: str) -> Iterator[Row]:
    """The JSON document at that path is damaged in these ways, or in all."""
    for kind in kinds or DOCUMENTS:
        yield row(place, group, f"json_document.{kind}", path)


def lines(place: str, group: str, path: str, *kinds: str) -> Iterator[Row]:
    """The lines of the file at that path are damaged in these ways, or in all."""
    for kind in kinds or LINES:
        yield row(place, group, f"jsonl.{kind}", path)


def files(place: str, group: str, path: str, *kinds: str, suffix: str = "") -> Iterator[Row]:
    """The file system does this to the file or directory at that path."""
    for kind in kinds:
        yield row(place, group, f"filesystem.{kind}", path, suffix)


_MOVES_S: Mapping[str, float] = {
    "back-an-instant": -0.000001,
    "back-a-minute": -60.0,
    "back-an-hour": -3600.0,
    "forward-a-day": 86400.0,
    "to-1970": -56 * YEAR_S,
    "past-2038": 13 * YEAR_S,
    "past-9990": 7970 * YEAR_S,  # only by the time of a call: under a clock of that year no Python starts
}


def moves(group: str, *words: str) -> Iterator[Row]:
    """The clock goes to another time between two operations: those moves, as ``back-an-hour``, or all."""
    for word in words or _MOVES_S:
        yield Row(f"moved-{word}", group, by_s=_MOVES_S[word])


_CLOCKS: tuple[tuple[str, str, Mapping[str, Scalar]], ...] = (
    ("back", "", {"by_s": 3600}),
    ("forward", "", {"by_s": 7200}),
    ("frozen", "", {}),
    ("jump", "forward", {"by_s": 7200}),
    ("jump", "back", {"by_s": -7200}),
    ("year_1970", "", {}),
    ("year_2038", "", {}),
    ("year_9999", "", {}),
    ("time_zone", "east", {"name": "Pacific/Kiritimati"}),
    ("time_zone", "daylight-saving", {"name": "America/New_York"}),
)


def clocks(group_of: Callable[[str], str]) -> Iterator[Row]:
    """The faults of the family clock, each in the group that ``group_of`` says of its kind."""
    for kind, suffix, params in _CLOCKS:
        yield row("clock", group_of(kind), f"clock.{kind}", None, suffix, **params)


def times(group: str, *words: str) -> Iterator[Row]:
    """The clock is moved between two operations, as ``moves`` has it, and it goes wrong."""
    yield from moves(group, *words)
    yield from clocks(lambda _: group)


def processes(surrounded: str, limited: str, small_bytes: int = 64) -> Iterator[Row]:
    """A process that is slow or begun again, and, in the group ``limited``, one that can open or write next to nothing.

    ``small_bytes`` is the longest file that the last of them can write.
    """
    yield row("process", surrounded, "process.slow_disk", delay_ms=1)
    yield row("process", surrounded, "process.paused", for_ms=2)
    yield row("process", limited, "process.few_descriptors", count=16)
    for size in (0, small_bytes):
        yield row("process", limited, "process.file_size", None, str(size), bytes=size)
    yield row("process", "restarted", "process.restarted")


def locks(paths: Mapping[str, str], group: str = "locked") -> Iterator[Row]:
    """Another process holds the lock of one of these files or directories, by the suffix of its row."""
    for suffix, path in paths.items():
        yield row("process", group, "process.lock_held", path, suffix)


def kills(group: str) -> Iterator[Row]:
    """A process that is killed as it begins, or in the middle, by either signal."""
    for signal in ("SIGKILL", "SIGTERM"):
        for at in (0.0, 0.5):
            suffix = f"{signal.lower()}-at-{int(at * 100)}"
            yield row("process", group, "process.killed", None, suffix, signal=signal, at=at)


_ENVIRONMENTS = (
    "no_home", "empty_home", "missing_home", "odd_locale", "no_path", "no_tmpdir", "nothing", "deleted_cwd",
    "stderr_closed", "stderr_full",
)  # fmt: skip


def environments(surrounded: str, limited: str) -> Iterator[Row]:
    """What is around the process is odd; in the group ``limited`` so that files cannot be written, or read again."""
    for kind in _ENVIRONMENTS:
        yield row("environment", surrounded, f"environment.{kind}")
    for kind in ("read_only_home", "odd_umask"):
        yield row("environment", limited, f"environment.{kind}")


def surroundings(timed: Iterable[Row], locked: Iterable[Row], limited: str, small_bytes: int = 64) -> Iterator[Row]:
    """All that surrounds a process: ``timed`` by its clock, ``locked`` out by others, slow, poor, killed, begun again.

    ``limited`` is the group of what keeps every file from being written; ``small_bytes`` as in ``processes``.
    """
    yield from timed
    yield from processes("surrounded", limited, small_bytes)
    yield from locked
    yield from kills("killed")
    yield from environments("surrounded", limited)


def identifiers(place: str, group: str, field: str, kinds: Iterable[str] = IDENTIFIERS) -> Iterator[Row]:
    """The identifier in that field of the operation's arguments becomes odd in these ways."""
    for kind in kinds:
        yield row(place, group, f"identifier.{kind}", field=field)


def full(place: str, group: str, path: str, *free_bytes: int) -> Iterator[Row]:
    """The disk at that place has so many bytes left."""
    for free in free_bytes:
        yield row(place, group, "filesystem.full", path, f"after-{free}-bytes", free_bytes=free)

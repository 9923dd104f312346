"""Clocks that are wrong, for processes in any language, by libfaketime: only what they read, never the machine's own.

Two things are done that its manual does not tell. A copy is used that does not answer for clock_nanosleep(2): with
FAKETIME_DONT_FAKE_MONOTONIC the library's own makes Python's time.sleep fail, and without that variable the monotonic
clock follows the wall clock, so that a wait with a time-out lasts for ever in Python 3.11 and later. And what steps
while a program runs is a file that comes and goes, since without the file the time is the machine's. Times of files
stay what they are. Static programs, which the library cannot reach, are told ``wall_clock`` by a supervisor.
"""

import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from harness.core.fault import Scalar
from harness.errors import MachineError
from harness.faults.kind import FaultKind, Param, whole
from harness.faults.probing import met, said
from harness.sandbox import Surroundings, WallClock, Write
from harness.sandbox.room import Room
from harness.sandbox.roots import TMP

Params = Mapping[str, Scalar]
REMEDY = "apt-get install faketime"
LIBRARY_PLACES: tuple[str, ...] = (
    "/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime", "/usr/lib/*-linux-gnu*/faketime",
    "/usr/lib/faketime", "/usr/lib64/faketime", "/usr/local/lib/faketime",
)  # fmt: skip
LIBRARY_NAMES = ("libfaketimeMT.so.1", "libfaketime.so.1")  # the first locks, for programs with threads
_COPY = "{tools}/libfaketime.so"
_TIME_FILE = "{tools}/time"
_HIDDEN_FILE = "{tools}/no-time"
# what libfaketime leaves in shared memory when a process is killed: no file of the program's. The C library gives a
# semaphore the last of these names until it is made
STRAYS = re.compile(
    r"/dev/shm/(faketime_shm_.*|sem\.faketime_sem_.*|sem\.[A-Za-z0-9]{6})",  # noqa: S108 - names to be left out
    re.DOTALL,
)
LATEST_S = 253_402_300_799  # the last second of the year 9999
_YEARS: Mapping[str, int] = {
    "year_1970": 10,  # seconds since the epoch
    "year_2038": 2_147_483_640,  # eight seconds before 32 bits are full
    "year_9999": 253_402_128_000,  # 9999-12-30, so that a scenario can still go on for a day
}
_BY_S = Param("whole", 3600, "seconds", low=1, high=10**9)
_STEP_S = Param("whole", 3600, "seconds, negative is backwards", low=-(10**9), high=10**9)
_ZONE = Param("text", "America/New_York", "a name of the time zone database")
_TOLERANCE_S = 5

KINDS = (
    FaultKind("clock.back", "the clock has gone back by `by_s` seconds", {"by_s": _BY_S}),
    FaultKind("clock.forward", "the clock has gone forward by `by_s` seconds", {"by_s": _BY_S}),
    FaultKind("clock.frozen", "the clock stands still"),
    FaultKind("clock.jump", "the clock steps by `by_s` and back again, all the time", {"by_s": _STEP_S}),
    FaultKind("clock.year_1970", "the clock says 1970"),
    FaultKind("clock.year_2038", "the clock says 2038, seconds before 32 bits overflow"),
    FaultKind("clock.year_9999", "the clock says 9999, more than 64 bits of nanoseconds hold"),
    FaultKind("clock.time_zone", "TZ is `name`", {"name": _ZONE}),
)


def shift_s(kind: str, params: Params, now_s: float) -> float:
    """By how many seconds that fault moves the time that an operation is given; 0.0 for one that does not."""
    if kind in _YEARS:
        return _YEARS[kind] - now_s
    direction = {"back": -1.0, "forward": 1.0}.get(kind, 0.0)
    return direction * whole({"by_s": _BY_S.default, **params}, "by_s") if direction else 0.0


def not_before_1970(by_s: float, now_s: float) -> float:
    """That move of a clock, cut where it would end before 1970: no kernel sets one so (settimeofday(2): EINVAL)."""
    return max(by_s, -max(now_s, 0.0))


def wall_clock(kind: str, params: Params, now_s: float) -> WallClock:
    """What a supervisor tells programs while that fault stands, where the machine's clock says ``now_s``."""
    if kind == "frozen":
        return WallClock(stands_at_s=float(int(now_s)))
    if kind == "jump":
        return WallClock(steps_by_s=float(whole(params, "by_s")))
    return WallClock(moved_s=shift_s(kind, params, now_s))


def place(room: Room, kind: str, params: Params, now_s: float) -> str:
    """Sets the clock of whatever is started from now on, where the machine's says ``now_s``, and gives the proof.

    MachineError when this machine refuses it.
    """
    if kind == "time_zone":
        name = str(params["name"])
        room.surround(Surroundings(environment={"TZ": name}))
        return "changed" if said(met(room, 'echo "$TZ"')) == name else ""
    if kind == "frozen":
        return set_clock(room, f"{int(now_s)}", int(now_s))
    if kind == "jump":
        return _stepping(room, whole(params, "by_s"), now_s)
    return move(room, shift_s(kind, params, now_s), now_s)


def move(room: Room, by_s: float, now_s: float) -> str:
    """Moves the clock of whatever is started from now on; see ``place``."""
    return set_clock(room, f"{by_s:+.6f}", now_s + by_s)


def set_clock(room: Room, time: str, expected_s: float) -> str:
    """Gives every process the time that ``time`` says to libfaketime, and the proof that one then read it."""
    _preload(room)
    room.apply([Write(_TIME_FILE, time.encode() + b"\n")])
    read = said(met(room, "date +%s"))
    return "moved" if read.lstrip("-").isdigit() and abs(int(read) - expected_s) < _TOLERANCE_S else ""


def _stepping(room: Room, by_s: int, now_s: float) -> str:
    moved = move(room, by_s, now_s)
    room.meddle(("@vanishing", _TIME_FILE, _HIDDEN_FILE))
    return "stepped" if moved and len(room.watch(_TIME_FILE)) > 1 else ""


def _preload(room: Room) -> None:
    if room.roots.tmp != TMP:
        # its shared memory lies where the machine's own is, and would stay there
        raise MachineError("the clock is moved in namespaces only, which this machine refuses")
    found = library()
    if found is None:
        raise MachineError(f"the clock of processes is moved by libfaketime, which is not installed; {REMEDY}")
    variables = {
        "LD_PRELOAD": _COPY,
        "FAKETIME_TIMESTAMP_FILE": _TIME_FILE,
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_FMT": "%s",
        "NO_FAKE_STAT": "1",
    }
    if room.surroundings.environment.get("LD_PRELOAD") != _COPY:
        room.apply([Write(_COPY, without_sleep(found.read_bytes()), 0o755)])
        room.surround(Surroundings(environment=dict(variables)))


def library() -> Path | None:
    """Where libfaketime is installed; None when it is not."""
    for place in LIBRARY_PLACES:
        for folder in sorted(Path("/").glob(place.lstrip("/"))):
            for name in LIBRARY_NAMES:
                if (folder / name).is_file():
                    return folder / name
    return None


_SYMBOL: Final = b"clock_nanosleep"
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_DYNAMIC_SYMBOLS = 11


def without_sleep(library_data: bytes) -> bytes:
    """The shared library without its clock_nanosleep, so that the C library's own is found; the same if it has none.

    The name in its table of dynamic symbols is made one that nobody asks for; hashes and sizes stay as they are.
    """
    data = bytearray(library_data)
    for _, kind, _, _, _, _, link, _, _, _ in _sections(data):
        if kind == _DYNAMIC_SYMBOLS:
            _, _, _, _, start, size, *_ = _sections(data)[link]
            at = data.find(b"\0" + _SYMBOL + b"\0", start, start + size)
            if at >= 0:
                data[at + 1] = ord("x")
    return bytes(data)


def _sections(data: bytearray) -> list[tuple[int, ...]]:
    if data[:6] != b"\x7fELF\x02\x01" or len(data) < _HEADER.size:
        return []  # not of a 64-bit little-endian machine: left as it is
    header = _HEADER.unpack_from(data)
    start, count = header[6], header[12]
    return [_SECTION.unpack_from(data, start + number * _SECTION.size) for number in range(count)]

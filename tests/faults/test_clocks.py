"""A clock that is wrong for every program in the sandbox, for none outside, and right again after a reset."""

import os
import struct
import sys
import time
from collections.abc import Iterator

import needs
import pytest
from placing import is_calm, placed, run, told

from harness.core.fault import Fault
from harness.faults import clock
from harness.sandbox import Sandbox, SandboxPlan, exposure_for

PYTHON = os.path.realpath(sys.executable)
MOVED = {
    "back": ({"by_s": 7200}, lambda now_s: now_s - 7200), "forward": ({"by_s": 90}, lambda now_s: now_s + 90),
    "year_1970": ({}, lambda _: 10), "year_2038": ({}, lambda _: 2_147_483_640),
    "year_9999": ({}, lambda _: 253_402_128_000), "frozen": ({}, lambda now_s: now_s),
}  # fmt: skip


@pytest.fixture(scope="module")
def _with_python() -> Iterator[Sandbox]:
    found = exposure_for((PYTHON,), search=os.defpath, home=os.path.expanduser("~"), cwd="/")
    with Sandbox(SandboxPlan(exposed=found.paths)) as sandbox:
        yield sandbox


@pytest.fixture
def python(_with_python):
    """Runs Python code in a sandbox, in the surroundings that stand."""
    _with_python.fresh()
    return _with_python


def code(sandbox: Sandbox, text: str) -> str:
    return told(sandbox, f"{PYTHON} -S -E -c '{text}'")


@needs.libfaketime
@pytest.mark.parametrize("kind", MOVED)
def test_a_program_reads_another_time(contained, kind):
    params, moved = MOVED[kind]
    injection = placed(contained, f"clock.{kind}", **params)
    assert (injection.armed, injection.proof) == (True, "moved")
    assert abs(int(told(contained, "date +%s")) - moved(time.time())) < 30
    assert is_calm(contained)
    assert abs(int(told(contained, "date +%s")) - time.time()) < 30


@needs.libfaketime
def test_a_frozen_clock_stands_still_and_sleeping_does_not(python):
    placed(python, "clock.frozen")
    assert code(python, "import time; a = time.time(); time.sleep(0.02); print(time.time() - a)") == "0.0"


@needs.libfaketime
@pytest.mark.parametrize("kind", ["back", "forward", "frozen", "year_1970", "year_2038"])
@pytest.mark.parametrize(
    "wait",
    [
        "time.sleep(0.02)", "threading.Event().wait(0.02)", "select.select([], [], [], 0.02)",
        "queue.Queue().put(1, timeout=0.02)", "threading.Condition(c).wait(0.02)",
    ],
)  # fmt: skip
def test_waiting_takes_as_long_as_it_should(python, kind, wait):
    placed(python, f"clock.{kind}")
    script = f"import time, threading, select, queue; c = threading.Lock(); c.acquire(); a = time.monotonic(); {wait}; print(time.monotonic() - a)"
    spent_s = float(code(python, script))
    assert spent_s < 1.0
    assert spent_s >= 0.019 or "put" in wait


@needs.libfaketime
@pytest.mark.parametrize("by_s", [3600, -3600])
def test_a_jumping_clock_steps_both_ways_within_one_program(python, by_s):
    assert placed(python, "clock.jump", by_s=by_s).proof == "stepped"
    script = "import time\na = time.time(); end = time.monotonic() + 10; up = down = 0\nwhile not (up and down) and time.monotonic() < end:\n    b = time.time(); up |= b - a > 1800; down |= a - b > 1800; a = b\nprint(up, down)"
    assert code(python, script) == "1 1"
    assert is_calm(python)


@needs.libfaketime
def test_the_times_of_files_stay_what_they_are(python):
    placed(python, "clock.forward", by_s=10**6)
    script = 'import os; open("a", "w").close(); print(os.stat("a").st_mtime)'
    assert abs(float(code(python, script)) - time.time()) < 30


@pytest.mark.parametrize("zone", ["America/New_York", "Pacific/Kiritimati", "no/such/zone"])
def test_a_time_zone_is_a_variable(sandbox, zone):
    injection = placed(sandbox, "clock.time_zone", name=zone)
    assert (injection.armed, injection.proof) == (True, "changed")
    assert told(sandbox, "echo $TZ") == zone


def test_without_the_library_nothing_is_armed_and_the_remedy_is_told(contained, monkeypatch):
    monkeypatch.setattr(clock, "LIBRARY_PLACES", ("/no/such/place",))
    for kind in ("back", "frozen", "jump", "year_1970"):
        injection = placed(contained, f"clock.{kind}")
        assert (injection.armed, injection.proof) == (
            False, "the clock of processes is moved by libfaketime, which is not installed; apt-get install faketime",
        )  # fmt: skip
    assert is_calm(contained)


def test_without_namespaces_nothing_is_armed(plain):
    injection = placed(plain, "clock.back")
    assert (injection.armed, injection.proof) == (
        False,
        "the clock is moved in namespaces only, which this machine refuses",
    )
    assert run(plain, "env | grep -c LD_PRELOAD").stdout == b"0\n"


def test_a_library_that_cannot_be_loaded_proves_nothing(contained, monkeypatch, tmp_path):
    (tmp_path / "libfaketime.so.1").write_bytes(b"\x7fELF no library")
    monkeypatch.setattr(clock, "LIBRARY_PLACES", (str(tmp_path),))
    assert placed(contained, "clock.back").proof == ""


@pytest.mark.parametrize(
    ("kind", "params", "shift_s"),
    [
        ("back", {"by_s": 5}, -5.0), ("forward", {}, 3600.0), ("year_1970", {}, -90.0), ("frozen", {}, 0.0),
        ("jump", {"by_s": 5}, 0.0), ("time_zone", {"name": "x"}, 0.0),
    ],
)  # fmt: skip
def test_the_time_that_is_told_moves_with_the_clock(kind, params, shift_s):
    assert shift_s == clock.shift_s(kind, Fault(f"clock.{kind}", None, params).params, 100.0)


def test_only_the_name_that_makes_sleeping_fail_is_taken_from_the_library():
    names = b"\0time\0clock_nanosleep\0xclock_nanosleep\0"
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01", 3, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 2, 0)
    table = struct.pack("<IIQQQQIIQQ", 0, 11, 0, 0, 0, 0, 1, 0, 0, 24)  # dynamic symbols, named by section 1
    table += struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, 64 + 128, len(names), 0, 0, 0, 0)
    before = header + table + names + b"\0clock_nanosleep\0"
    after = header + table + b"\0time\0xlock_nanosleep\0xclock_nanosleep\0" + b"\0clock_nanosleep\0"
    assert after == clock.without_sleep(before)
    assert clock.without_sleep(before.replace(b"time\0clock", b"time\0other")) == before.replace(
        b"time\0clock", b"time\0other"
    )


@pytest.mark.parametrize("data", [b"", b"text", b"\x7fELF\x01\x01" + bytes(100), b"\x7fELF\x02\x01"])
def test_what_is_no_such_library_stays_as_it_is(data):
    assert data == clock.without_sleep(data)

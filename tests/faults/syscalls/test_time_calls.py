"""A clock told by the supervisor: to any program, its children and theirs, while all other clocks stay as they are."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.errors import MachineError
from harness.faults.syscalls import Go, Supervisor, TimeCalls, memory
from harness.sandbox import Run, Sandbox, SandboxPlan, WallClock, base_environment, exposure_for
from harness.sandbox.plan import Ended

PYTHON = (os.path.realpath(sys.executable), "-S", "-E", "-c")
THEN_S = 1_000_000_000
THEN = WallClock(stands_at_s=THEN_S)
ALL_WALL_CLOCKS = "import time\nfor c in (0, 5, 11): print(time.clock_gettime(c))\nprint(time.time())"


@pytest.fixture(scope="module", params=[False, True], ids=["namespaces", "plain"])
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox of either kind that shows our Python."""
    found = exposure_for(PYTHON[:1], search=os.defpath, home=os.path.expanduser("~"), cwd="/")
    with Sandbox(SandboxPlan(exposed=found.paths, force_fallback=request.param)) as sandbox:
        yield sandbox


def ended(
    box: Sandbox, clock: WallClock, *argv: str, read_ns: Callable[[int], int] = time.clock_gettime_ns
) -> tuple[Ended, int]:
    """How it ends where that clock is told, and how often it asked."""
    times = TimeCalls(clock, read_ns)
    with Supervisor(lambda _: Go(), below=(), names=frozenset(), times=times) as supervisor:
        run = Run(
            argv=argv, env=base_environment(box.roots), cwd="{home}", timeout_s=20.0, filter=supervisor.filter()
        )  # fmt: skip
        (end,) = box.run_together([run])
    return end, times.readings(0)


def told(box: Sandbox, clock: WallClock, *argv: str, **options: Callable[[int], int]) -> list[str]:
    """What it prints where that clock is told, by lines."""
    end, _ = ended(box, clock, *argv, **options)
    assert (end.exit_code, end.signal, end.stderr) == (0, None, b"")
    return end.stdout.decode().splitlines()


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        (WallClock(), [50.25, 50.25, 50.25, 50.25]),
        (WallClock(moved_s=-7200), [-7149.75, -7149.75, -7149.75, -7149.75]),
        (WallClock(moved_s=90.5), [140.75, 140.75, 140.75, 140.75]),
        (WallClock(stands_at_s=7), [7, 7, 7, 7]),
        (WallClock(steps_by_s=3600), [3650.25, 50.25, 3650.25, 50.25]),
        (WallClock(steps_by_s=-3600, steps_from=3), [50.25, 50.25, -3549.75, -3549.75]),
        (WallClock(moved_s=253_402_128_000), [253_402_128_050.25] * 4),
    ],
)
def test_each_answer_is_the_one_the_clock_gives(clock, expected):
    assert expected == [clock.told_ns(50_250_000_000, reading) / 1e9 for reading in (1, 2, 3, 4)]


def test_a_program_is_told_the_time_by_every_wall_clock(box):
    moved = WallClock(moved_s=THEN_S)
    assert told(box, moved, *PYTHON, ALL_WALL_CLOCKS, read_ns=lambda clock: 25_000_000_000 + clock) == [
        "1000000025.0", "1000000025.0", "1000000025.0", "1000000025.0",
    ]  # fmt: skip


def test_the_machines_monotonic_clocks_are_read_by_the_program(box):
    before = time.monotonic_ns(), time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    script = "import time; print(time.monotonic_ns(), time.clock_gettime_ns(time.CLOCK_BOOTTIME))"
    (line,) = told(box, THEN, *PYTHON, script)
    after = time.monotonic_ns(), time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    for first, read, last in zip(before, map(int, line.split()), after, strict=True):
        assert first <= read <= last


def test_children_grandchildren_and_what_a_shell_executes_are_told_it_too(box):
    inner = "date +%s; (date +%s); sh -c 'sh -c \"date +%s\"; exec date +%s'; setsid date +%s; date +%s | cat"
    script = f"import subprocess; subprocess.run(['sh', '-c', {inner!r}])"
    assert told(box, THEN, *PYTHON, script) == [str(THEN_S)] * 6


def test_a_forked_process_that_executes_nothing_is_told_it_too(box):
    script = "import os, time\nif os.fork(): os.wait()\nprint(time.time(), flush=True)"
    assert told(box, THEN, *PYTHON, script) == ["1000000000.0"] * 2


def test_threads_are_told_it_too(box):
    script = (
        "import threading, time\ndef ask(): print(time.time(), flush=True)\n"
        "for thread in [threading.Thread(target=ask) for _ in range(3)]: thread.start(); thread.join()"
    )
    assert told(box, THEN, *PYTHON, script) == ["1000000000.0"] * 3


@pytest.mark.parametrize("clock", [WallClock(moved_s=-86400), WallClock(moved_s=86400), THEN])
@pytest.mark.parametrize(
    "wait",
    [
        "time.sleep(0.02)", "threading.Event().wait(0.02)", "select.select([], [], [], 0.02)",
        "threading.Condition(lock).wait(0.02)", "queue.Queue().get(timeout=0.02)",
    ],
)  # fmt: skip
def test_waiting_takes_as_long_as_it_should(box, clock, wait):
    script = (
        "import time, threading, select, queue\nlock = threading.Lock(); lock.acquire(); began = time.monotonic()\n"
        f"try: {wait}\nexcept queue.Empty: pass\nprint(time.monotonic() - began)"
    )
    (spent_s,) = map(float, told(box, clock, *PYTHON, script))
    assert 0.019 <= spent_s < 2.0


def test_the_times_of_files_stay_the_machines(box):
    before = time.time() - 1
    script = 'import os; open("a", "w").close(); print(os.stat("a").st_mtime)'
    (dated_s,) = map(float, told(box, THEN, *PYTHON, script))
    assert before <= dated_s <= time.time() + 1


def test_questions_are_counted_and_those_for_other_clocks_are_not(box):
    script = "import time; [time.time() for _ in range(5)]; [time.monotonic() for _ in range(50)]"
    _, silent = ended(box, THEN, *PYTHON, "pass")
    _, asking = ended(box, THEN, *PYTHON, script)
    assert asking - silent == 5


def test_an_address_that_is_not_the_programs_is_refused_as_the_kernel_does(box):
    script = (
        "import ctypes, errno; libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.clock_gettime(0, ctypes.c_void_p(8)), errno.errorcode[ctypes.get_errno()])"
    )
    assert told(box, THEN, *PYTHON, script) == ["-1 EFAULT"]


def test_a_clock_that_the_machine_lacks_is_refused_as_the_kernel_does(box):
    def without_tai(clock: int) -> int:
        if clock == time.CLOCK_TAI:
            raise OSError(22, "no such clock")
        return 0

    script = "import time\ntry: time.clock_gettime(11)\nexcept OSError as error: print(error.errno, time.time())"
    assert told(box, WallClock(), *PYTHON, script, read_ns=without_tai) == ["22 0.0"]


def test_runs_of_one_supervisor_have_each_their_own_count(box):
    times = TimeCalls(WallClock(stands_at_s=0, steps_by_s=60, steps_from=2))
    with Supervisor(lambda _: Go(), below=(), names=frozenset(), times=times) as supervisor:
        runs = [
            Run(
                argv=("sh", "-c", "date +%s; date +%s"), env=base_environment(box.roots), cwd="/", timeout_s=20.0,
                filter=supervisor.filter(),
            )
            for _ in range(3)
        ]  # fmt: skip
        ends = box.run_together(runs)
    assert [end.stdout for end in ends] == [b"0\n60\n"] * 3
    assert [times.readings(number) for number in range(3)] == [2, 2, 2]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sandbox, Path]]:
    """A sandbox, and the folder it shows: a C program, static and dynamic."""
    folder = tmp_path_factory.mktemp("programs")
    source = Path(__file__).with_name("asks_the_time.c")
    for name, how in (("static", "-static"), ("dynamic", "-pie")):
        subprocess.run(["cc", "-O1", how, "-o", folder / name, source, "-lpthread"], check=True)
    with Sandbox(SandboxPlan(exposed=(str(folder),))) as sandbox:
        yield sandbox, folder


NOW = "1000000000.000000000 1000000000.000000000 1000000000.000000 1000000000"


@pytest.mark.tools
def test_static_and_dynamic_programs_are_told_it_through_every_exec(programs):
    box, folder = programs
    before = time.monotonic()
    lines = told(box, THEN, *(f"{folder}/{name}" for name in ("static", "static", "dynamic", "static")))
    assert [line.rsplit(" ", 1)[0] for line in lines] == [NOW] * 4
    monotonic = [float(line.rsplit(" ", 1)[1]) for line in lines]
    in_order = [before, *monotonic, time.monotonic()]
    assert sorted(in_order) == in_order


@pytest.mark.tools
@pytest.mark.parametrize("language", ["python", "node", "perl", "bash"])
def test_a_static_child_is_told_it_whatever_started_it(programs, language):
    box, folder = programs
    place = f"{folder}/static"
    starts = {
        "python": ("/usr/bin/python3", "-c", f"import subprocess; subprocess.run([{place!r}])"),
        "node": ("node", "-e", f"process.stdout.write(require('child_process').execFileSync({place!r}))"),
        "perl": ("perl", "-e", f"system({place!r})"),
        "bash": ("bash", "-c", f"{shlex.quote(place)} | cat"),
    }
    (line,) = told(box, THEN, *starts[language])
    assert line.rsplit(" ", 1)[0] == NOW


@pytest.mark.tools
@pytest.mark.parametrize("name", ["static", "dynamic"])
@pytest.mark.parametrize(
    "clock", [WallClock(), WallClock(moved_s=-86400), WallClock(moved_s=86400), WallClock(moved_s=-1, steps_by_s=9)]
)
def test_waits_until_a_moment_of_the_wall_clock_end_in_the_time_told(programs, name, clock):
    box, folder = programs
    waits = [line.rsplit(" ", 2) for line in told(box, clock, f"{folder}/{name}", "-")]
    assert [(what, sound) for what, sound, _ in waits] == [
        ("condition", "1"), ("given back", "1"), ("until", "1"), ("for", "1"),
    ]  # fmt: skip
    spent = {what: float(spent_s) for what, _, spent_s in waits}
    assert {what: 0.019 <= spent_s < 2.0 for what, spent_s in spent.items()} == dict.fromkeys(spent, True), spent


@pytest.mark.tools
def test_node_reads_it_and_its_timers_go_on(programs):
    box, _ = programs
    script = (
        "const a = Date.now(), b = performance.now();"
        "setTimeout(() => console.log(a, Date.now() - a, performance.now() - b >= 20), 21)"
    )
    assert told(box, THEN, "node", "-e", script) == ["1000000000000 0 true"]


def test_a_machine_that_refuses_the_answer_ends_the_supervision(box, monkeypatch):
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(memory, "write", refused)
    with pytest.raises(MachineError, match="does not let us write into a program we start"):
        told(box, THEN, "date")


SLEEPS = """
import ctypes, time
libc = ctypes.CDLL(None)
class Moment(ctypes.Structure): _fields_ = (("s", ctypes.c_long), ("ns", ctypes.c_long))
def until(moment): return libc.clock_nanosleep(0, 1, ctypes.byref(moment) if moment else ctypes.c_void_p(8), None)
"""


@pytest.mark.parametrize("clock", [WallClock(), WallClock(moved_s=-86400), WallClock(moved_s=86400), THEN])
def test_sleeping_until_a_moment_ends_in_the_time_told_and_leaves_the_moment_as_it_was(box, clock):
    script = (
        f"{SLEEPS}began = time.monotonic(); then = time.time_ns() + 20_000_000; m = Moment(*divmod(then, 10**9))\n"
        "print(until(m), until(m), time.monotonic() - began, time.time_ns() > 0 and m.s * 10**9 + m.ns == then)"
    )
    first, second, spent_s, kept = told(box, clock, *PYTHON, script)[0].split()
    assert (first, second, 0.019 <= float(spent_s) < 2.0, kept) == ("0", "0", True, "True")


def test_a_moment_that_is_none_and_one_that_cannot_be_read_are_refused_by_the_kernel(box):
    script = f"{SLEEPS}print(until(Moment(0, -1)), until(Moment(-1, 0)), until(Moment(0, 10**9)), until(None))"
    assert told(box, THEN, *PYTHON, script) == ["22 22 22 14"]


def test_what_a_program_made_of_its_moment_while_it_waited_stays(box):
    script = (
        f"{SLEEPS}import threading\nm = Moment(*divmod(time.time_ns() + 50_000_000, 10**9))\n"
        "def change(): time.sleep(0.01); m.s, m.ns = 7, 8\n"
        "thread = threading.Thread(target=change); thread.start(); until(m); thread.join(); time.time(); print(m.s, m.ns)"
    )
    assert told(box, WallClock(moved_s=60), *PYTHON, script) == ["7 8"]

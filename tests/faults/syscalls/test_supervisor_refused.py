"""Where a supervisor cannot work it says so: to no run it looks as if nothing had been armed."""

import contextlib
import errno
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from supervised import PYTHON, a_run, ended, showing_python, supervisor

import harness
from harness.errors import MachineError
from harness.faults.syscalls import Delay, Fail, Go, Hold, Supervisor, filters, memory

NESTED = """
import sys; sys.path[:0] = sys.argv[1:]
from harness.errors import MachineError
from harness.faults.syscalls import Fail, Supervisor
from harness.sandbox import Run, Sandbox, SandboxPlan, base_environment
with Sandbox(SandboxPlan(force_fallback=True)) as box:
    try:
        with Supervisor(lambda call: Fail("EIO"), below=(box.roots.home,)) as sup:
            run = Run(argv=("true",), env=base_environment(box.roots), cwd="/", timeout_s=20.0, filter=sup.filter())
            print(box.run_together([run])[0].start_error)
    except MachineError as error:
        print(error)
"""


def test_a_second_supervisor_of_the_same_processes_says_that_the_machine_refuses_it():
    path = [
        str(Path(harness.__file__).parent.parent),
        *(place for place in sys.path if place.endswith("site-packages")),
    ]
    with showing_python(*path) as box:
        end = ended(box, lambda call: Go(), *PYTHON, NESTED, *path)
    assert b"" == end.stderr
    assert ["EBUSY", "another supervisor listens to what runs here already, and a second one cannot"] == (
        end.stdout.decode().splitlines()
    )


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOSYS, "this kernel has no seccomp filters"),
        (errno.EINVAL, "this kernel has no user notification of system calls (Linux 5.0 has it)"),
        (errno.EACCES, "this machine refuses to put a filter on what we start"),
        (errno.ENOMEM, "this machine refuses a supervisor: Cannot allocate memory"),
    ],
)
def test_a_filter_that_cannot_be_had_is_a_matter_of_the_machine(number, sentence):
    with contextlib.ExitStack() as stack:
        stack.enter_context(pytest.raises(MachineError, match=sentence.replace("(", r"\(").replace(")", r"\)")))
        sup = stack.enter_context(Supervisor(lambda call: Go(), below=()))
        os.write(sup.filter().listener_to, struct.pack("i", number))
        assert sup._all[0].over.wait(20)


def test_a_refusal_that_comes_when_the_service_has_ended_is_heard_all_the_same():
    sup = Supervisor(lambda call: Go(), below=())
    os.write(sup.filter().listener_to, struct.pack("i", errno.EBUSY))
    sup.filter()
    with pytest.raises(MachineError, match="a second one cannot"):
        sup.__exit__(None, None, None)


def test_a_machine_that_does_not_let_us_look_into_programs_ends_the_run(both, monkeypatch):
    def refused(tid, descriptor):
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(memory, "path_of_descriptor", refused)
    ends = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(pytest.raises(MachineError, match="does not let us look into the programs we start"))
        sup = stack.enter_context(supervisor(both, lambda call: Go()))
        ends += both.run_together([a_run(both, sup, "sh", "-c", "> ~/a; echo on > ~/a")])
    assert signal.SIGKILL == ends[0].signal


def test_without_libseccomp_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(filters.ctypes.util, "find_library", lambda name: None)
    filters._seccomp.cache_clear()
    with pytest.raises(MachineError, match="apt-get install libseccomp2"):
        filters._seccomp()


def test_a_machine_whose_calls_nobody_knows_is_named():
    with pytest.raises(MachineError, match="the system calls of pdp11 are not known"):
        filters.numbers("pdp11")


@contextlib.contextmanager
def old_program(folder, sup):
    """A program under an old kernel's filter, which makes a directory."""
    given = sup.filter()
    script = str(Path(__file__).with_name("asks_again.py"))
    words = [sys.executable, "-S", "-E", script, str(given.listener_to), given.program.hex()]
    options = {"pass_fds": [given.listener_to], "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(words, cwd=folder, **options) as program:
        try:
            yield program
        finally:
            program.kill()


MAKING = frozenset({"mkdir", "mkdirat"})


def signalled(pid, until):
    """Sends a signal and waits until the thread has taken it: it asks again with another cookie."""
    os.kill(pid, signal.SIGUSR1)
    while not until():
        time.sleep(0.001)


def pending(pid):
    with open(f"/proc/{pid}/status") as status:
        return any(line.startswith(("SigPnd", "ShdPnd")) and int(line.split()[1], 16) for line in status)


@pytest.mark.parametrize(
    ("answer", "expected", "proofs"),
    [(Go(), "1\n", []), (Fail("EIO"), "", ["EIO"]), (Delay(0.0), "1\n", ["delayed"])],
)
def test_a_call_that_a_signal_made_come_twice_is_one_call(tmp_path, answer, expected, proofs):
    calls = []

    def decide(call):
        calls.append(call)
        signalled(call.pid, lambda: not pending(call.pid))
        return answer

    with Supervisor(decide, below=(str(tmp_path),), names=MAKING) as sup, old_program(tmp_path, sup) as program:
        said, _ = program.communicate(timeout=20)
    assert (expected, 1) == (said, len(calls))
    assert (0 if expected else 1) == program.returncode
    assert proofs == [each.proof for each in sup.struck]


def test_a_held_call_that_a_signal_made_come_twice_is_held_on(tmp_path):
    calls = []
    held = threading.Event()

    def decide(call):
        calls.append(call)
        held.set()
        return Hold()

    with Supervisor(decide, below=(str(tmp_path),), names=MAKING) as sup, old_program(tmp_path, sup) as program:
        assert held.wait(20)
        first = sup._all[0].waiting[calls[0].tid].cookie
        signalled(program.pid, lambda: sup._all[0].waiting[calls[0].tid].cookie != first)
        assert sup.answer(calls[0], Go())
        said, _ = program.communicate(timeout=20)
    assert ("1\n", 1) == (said, len(calls))

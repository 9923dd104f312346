"""What a supervisor does to a call: it fails, it is killed, torn, delayed, held; and that each of these is proven."""

import errno
import os
import signal
import threading
import time

import pytest
from supervised import PYTHON, Seen, a_run, data, on, said, struck, supervisor

from harness.faults.syscalls import Delay, Fail, Give, Go, Hold, Kill, Kind, Torn
from harness.sandbox import Write

SAY = """
import os, sys
def tried(name, *args):
    try:
        print(name, getattr(os, name)(*args))
    except OSError as error:
        print(name, error.errno)
"""
WRITING = 'import os\nfd = os.open("a", os.O_CREAT | os.O_RDWR)\n'


def test_a_call_fails_with_the_error_it_is_given_and_is_not_done(both):
    end, proofs = struck(both, on(Fail("EDQUOT"), "mkdir"), *PYTHON, SAY + "tried('mkdir', 'd'); tried('listdir')")
    assert (0, f"mkdir {errno.EDQUOT}\nlistdir []\n") == said(end)
    assert ["EDQUOT"] == proofs


@pytest.mark.parametrize("name", ["EIO", "ENOSPC", "EROFS", "ELOOP", "EOVERFLOW"])
def test_any_error_can_be_given(room, name):
    end, proofs = struck(room, on(Fail(name), "mkdir"), *PYTHON, SAY + "tried('mkdir', 'd')")
    assert ((0, f"mkdir {getattr(errno, name)}\n"), [name]) == (said(end), proofs)


def test_an_interrupted_call_is_made_again_by_who_knows_of_that(room):
    seen = Seen(room, lambda call: call.kind is Kind.WRITE)
    interrupt = on(Fail("EINTR"), "write")

    def decide(call):
        seen(call)
        return interrupt(call)

    end, proofs = struck(room, decide, *PYTHON, WRITING + "print(os.write(fd, b'whole'))")
    assert (0, "5\n") == said(end)
    assert (["EINTR"], [("write", "/a")] * 2) == (proofs, seen), "Python does, as PEP 475 says"


def test_a_close_that_fails_has_let_go_of_its_file(room):
    script = """
import errno, fcntl, os
fd = os.open("a", os.O_CREAT | os.O_RDWR); fcntl.flock(fd, fcntl.LOCK_EX)
try:
    os.close(fd)
except OSError as error:
    print(errno.errorcode[error.errno])
fcntl.flock(os.open("a", os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)
print("locked anew")
"""
    end, proofs = struck(room, on(Fail("EIO"), "close", "/a"), *PYTHON, script)
    assert (0, "EIO\nlocked anew\n") == said(end)
    assert ["EIO"] == proofs


def test_a_call_returns_what_it_is_given_without_being_done(room):
    end, proofs = struck(room, on(Give(3), "write"), *PYTHON, WRITING + "print(os.write(fd, b'hello'))")
    assert ((0, "3\n"), ["given"], b"") == (said(end), proofs, data(room, "{home}/a"))


def test_a_run_is_killed_before_the_call(both):
    end, proofs = struck(both, on(Kill(), "unlinkat", "/a"), "sh", "-c", "echo x > ~/a; rm ~/a; echo after")
    assert (signal.SIGKILL, b"", ["SIGKILL"]) == (end.signal, end.stdout, proofs)
    assert b"x\n" == data(both, "{home}/a")


def test_all_of_the_run_is_killed_wherever_it_has_gone(both):
    script = """
import os, subprocess, time
kept = subprocess.Popen(["sleep", "1000"])
subprocess.run(["sh", "-c", "setsid sh -c 'sleep 1000 & exec sleep 1000' < /dev/null & exit"])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "1000"])
    os._exit(0)
os.wait()
while int(os.popen("ps -e -o comm= | grep -c sleep").read() or 0) < 4: time.sleep(0.01)
open("now", "w")
"""
    end, proofs = struck(both, on(Kill(), "openat", "/now"), *PYTHON, script)
    assert (signal.SIGKILL, ["SIGKILL"], ()) == (end.signal, proofs, end.children_left)
    assert () == both.kill_everything()


def test_a_program_without_a_handler_dies_of_sigterm_before_the_call(both):
    end, proofs = struck(both, on(Kill("SIGTERM"), "mkdir"), *PYTHON, SAY + "tried('mkdir', 'd')")
    assert (signal.SIGTERM, b"", ["SIGTERM"]) == (end.signal, end.stdout, proofs)
    assert "missing" == both.read("{home}/d", 1).kind


def test_a_handler_of_sigterm_runs_before_the_call_which_is_then_done(room):
    script = (
        SAY + "import signal; signal.signal(15, lambda n, f: tried('listdir')); tried('mkdir', 'd'); tried('listdir')"
    )
    end, proofs = struck(room, on(Kill("SIGTERM"), "mkdir"), *PYTHON, script)
    assert (0, ["SIGTERM"]) == (end.exit_code, proofs)
    lines = end.stdout.decode().splitlines()
    assert "mkdir None" in lines
    assert "listdir ['d']" == lines[-1]


def test_sigterm_meets_the_children_too(both):
    script = "trap 'echo caught; exit 3' TERM; sh -c '> ~/a; echo not reached'; echo nor this"
    end, proofs = struck(both, on(Kill("SIGTERM"), "openat", "/a"), "sh", "-c", script)
    assert ((3, "caught\n"), ["SIGTERM"]) == (said(end), proofs)


TORN = {
    "write": ("write", "n = os.write(fd, b'0123456789')"),
    "pwrite": ("pwrite64", "n = os.pwrite(fd, b'0123456789', 2)"),
    "writev": ("writev", "n = os.writev(fd, [b'01', b'', b'234', b'56789'])"),
    "pwritev": ("pwritev2", "n = os.pwritev(fd, [b'01', b'23456789'], 2)"),
    "sendfile": ("sendfile", "s = os.open('from', 0); n = os.sendfile(fd, s, None, 10); print(os.lseek(s, 0, 1))"),
    "sendfile_at": ("sendfile", "s = os.open('from', 0); n = os.sendfile(fd, s, 3, 7); print(os.lseek(s, 0, 1))"),
    "copy": ("copy_file_range", "s = os.open('from', 0); n = os.copy_file_range(s, fd, 10); print(os.lseek(s, 0, 1))"),
    "copy_at": ("copy_file_range", "s = os.open('from', 0); n = os.copy_file_range(s, fd, 7, 3, 2); print(os.lseek(s, 0, 1))"),
}  # fmt: skip
SHORT = {
    "write": (b"01234", "5 5\n"),
    "pwrite": (b"\0\00001234", "5 0\n"),
    "writev": (b"01234", "5 5\n"),
    "pwritev": (b"\0\00001234", "5 0\n"),
    "sendfile": (b"01234", "5\n5 5\n"),
    "sendfile_at": (b"34567", "0\n5 5\n"),
    "copy": (b"01234", "5\n5 5\n"),
    "copy_at": (b"\0\00034567", "0\n5 0\n"),
}


@pytest.mark.parametrize("way", sorted(TORN))
def test_a_short_write_writes_what_it_says_and_moves_the_file_on_so_far(room, way):
    room.apply([Write("{home}/from", b"0123456789")])
    name, script = TORN[way]
    end, proofs = struck(
        room, on(Torn(5, kill=False), name, "/a"), *PYTHON, f"{WRITING}{script}; print(n, os.lseek(fd, 0, 1))"
    )
    written, told = SHORT[way]
    assert ((0, told), ["5 bytes"], written) == (said(end), proofs, data(room, "{home}/a"))


@pytest.mark.parametrize("way", sorted(TORN))
def test_a_torn_write_leaves_its_first_bytes_and_no_program(both, way):
    both.apply([Write("{home}/from", b"0123456789")])
    name, script = TORN[way]
    end, proofs = struck(both, on(Torn(5), name, "/a"), *PYTHON, WRITING + script)
    assert (signal.SIGKILL, ["5 bytes"], SHORT[way][0]) == (end.signal, proofs, data(both, "{home}/a"))


def test_who_is_told_of_a_short_write_writes_the_rest(room):
    command = "dd if=/dev/zero of=a bs=10 count=1 2> /dev/null"
    _, proofs = struck(room, on(Torn(3, kill=False), "write"), "sh", "-c", command)
    assert (["3 bytes"], b"\0" * 10) == (proofs, data(room, "{home}/a"))


@pytest.mark.parametrize("size", [0, 9])
def test_a_write_is_torn_at_its_first_and_its_last_byte(room, size):
    end, proofs = struck(room, on(Torn(size), "write"), *PYTHON, WRITING + "os.write(fd, b'0123456789')")
    assert (signal.SIGKILL, [f"{size} bytes"], b"0123456789"[:size]) == (end.signal, proofs, data(room, "{home}/a"))


def test_a_long_write_is_torn_where_it_is_asked_to_be(room):
    end, proofs = struck(room, on(Torn(1_000_003), "write"), *PYTHON, WRITING + "os.write(fd, b'x' * 5_000_000)")
    assert (signal.SIGKILL, ["1000003 bytes"]) == (end.signal, proofs)
    assert 1_000_003 == room.read("{home}/a", 1).size


@pytest.mark.parametrize("size", [10, 11])
def test_a_write_that_is_no_longer_is_not_torn_and_nothing_claims_it_was(room, size):
    end, proofs = struck(room, on(Torn(size), "write"), *PYTHON, WRITING + "print(os.write(fd, b'0123456789'))")
    assert ((0, "10\n"), []) == (said(end), proofs)


def test_what_is_no_write_to_a_file_is_not_torn(room):
    script = "import os; os.mkfifo('p'); r = os.open('p', os.O_RDWR); print(os.write(r, b'0123456789'))"
    end, proofs = struck(room, on(Torn(5), "write", "/p"), *PYTHON, script)
    assert ((0, "10\n"), []) == (said(end), proofs)
    end, proofs = struck(room, on(Torn(0), "mkdir", "/d"), "mkdir", "d")
    assert (0, []) == (end.exit_code, proofs)


def test_a_write_that_could_not_be_done_anyway_fails_as_it_would_have(room):
    script = "import os; open('a', 'w').close(); fd = os.open('a', os.O_RDONLY)\ntry: os.write(fd, b'0123456789')\nexcept OSError as e: print(e.errno)"
    end, proofs = struck(room, on(Torn(5), "write", "/a"), *PYTHON, script)
    assert ((0, "9\n"), ["EBADF"]) == (said(end), proofs)


def test_a_write_before_the_beginning_fails_as_it_would_have(room):
    script = WRITING + "import ctypes\nprint(ctypes.CDLL(None).pwrite(fd, b'0123456789', 10, ctypes.c_long(-5)))"
    end, proofs = struck(room, on(Torn(5), "pwrite64"), *PYTHON, script)
    assert ((0, "-1\n"), ["EINVAL"]) == (said(end), proofs)


def test_a_call_is_done_only_after_the_delay(room):
    script = "import time; t = time.monotonic(); open('a', 'w'); print(time.monotonic() - t)"
    end, proofs = struck(room, on(Delay(0.15), "openat", "/a"), *PYTHON, script)
    assert (0.15 <= float(end.stdout), ["delayed"], "file") == (True, proofs, room.read("{home}/a", 1).kind)


def test_a_delayed_call_holds_up_nobody_else(room):
    script = "(> ~/slow; echo slow) & (> ~/quick; echo quick); wait"
    end, _ = struck(room, on(Delay(0.3), "openat", "/slow"), "sh", "-c", script)
    assert (0, "quick\nslow\n") == said(end)


class Held:
    """Holds the calls of one name and tells when so many are held."""

    def __init__(self, name: str, count: int = 1) -> None:
        self.name = name
        self.calls = []
        self.count = count
        self.all = threading.Event()

    def __call__(self, call):
        if call.name != self.name:
            return Go()
        self.calls.append(call)
        if len(self.calls) == self.count:
            self.all.set()
        return Hold()


def test_held_calls_are_released_in_the_order_of_whoever_holds_them(both):
    held = Held("mkdir", 2)
    with supervisor(both, held, names=frozenset({"mkdir", "mkdirat"})) as sup:
        runs = [a_run(both, sup, "mkdir", "d") for _ in range(2)]
        ends = []
        thread = threading.Thread(target=lambda: ends.extend(both.run_together(runs)))
        thread.start()
        assert held.all.wait(20)
        first = max(held.calls, key=lambda call: call.run)
        assert not os.path.exists(f"/proc/{first.pid}/root{first.paths[0]}")
        assert sup.answer(first, Go())
        while not sup._all[1].over.wait(20):
            pass
        assert sup.answer(next(call for call in held.calls if call is not first), Go())
        assert not sup.answer(first, Go()), "it waits no more"
        thread.join()
    assert [1, 0] == [end.exit_code for end in ends], "the second made the directory"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(Fail("EIO"), (1, None)), (Kill(), (None, 9)), (Give(0), (0, None)), (Delay(0.0), (0, None))],
)
def test_a_held_call_can_be_answered_in_any_way(room, answer, expected):
    held = Held("mkdir")
    ends = []
    with supervisor(room, held) as sup:
        thread = threading.Thread(target=lambda: ends.extend(room.run_together([a_run(room, sup, "mkdir", "d")])))
        thread.start()
        assert held.all.wait(20)
        assert sup.answer(held.calls[0], answer)
        thread.join()
    assert expected == (ends[0].exit_code, ends[0].signal)
    assert ("directory" if isinstance(answer, Delay) else "missing") == room.read("{home}/d", 1).kind


def test_a_call_of_who_is_gone_cannot_be_answered(room):
    held = Held("mkdir")
    with supervisor(room, held) as sup:
        end = room.run_together([a_run(room, sup, "timeout", "-s", "KILL", "0.1", "mkdir", "d")])[0]
        assert held.all.is_set()
        assert not sup.answer(held.calls[0], Go())
        assert not sup.answer(held.calls[0], Torn(0))
    assert end.exit_code is None or end.exit_code == 137


def test_who_is_still_held_at_the_end_is_killed(both):
    held = Held("mkdir")
    ends = []
    with supervisor(both, held) as sup:
        thread = threading.Thread(target=lambda: ends.extend(both.run_together([a_run(both, sup, "mkdir", "d")])))
        thread.start()
        assert held.all.wait(20)
    thread.join()
    assert signal.SIGKILL == ends[0].signal, "without anybody to answer, its call would fail as if the kernel had none"
    assert "missing" == both.read("{home}/d", 1).kind
    sup.close()
    assert not sup.answer(held.calls[0], Go())


def interrupted(box, *argv):
    """Runs that command until it makes a directory, which it never gets to do; KeyboardInterrupt."""
    held = Held("mkdir")
    main = threading.main_thread().ident
    threading.Thread(target=lambda: held.all.wait(20) and signal.pthread_kill(main, signal.SIGINT)).start()
    with supervisor(box, held) as sup:
        box.run_together([a_run(box, sup, *argv)])


def test_an_interruption_leaves_neither_processes_nor_descriptors_nor_threads(both):
    before = (len(os.listdir("/proc/self/fd")), threading.active_count())
    with pytest.raises(KeyboardInterrupt):
        interrupted(both, "sh", "-c", "sleep 1000 & mkdir d")
    assert () == both.kill_everything()
    while threading.active_count() > before[1]:
        time.sleep(0.001)
    assert before == (len(os.listdir("/proc/self/fd")), threading.active_count())


def broken(call):
    raise ZeroDivisionError(call.name)


def supervised_by_what_breaks(box, ends, then=lambda sup: None):
    with supervisor(box, broken) as sup:
        ends += box.run_together([a_run(box, sup, "sh", "-c", "> ~/a; echo on")])
        then(sup)


def test_a_decision_that_breaks_ends_the_run_and_is_raised_where_the_supervisor_is_used(both):
    ends = []
    with pytest.raises(ZeroDivisionError, match="openat"):
        supervised_by_what_breaks(both, ends)
    assert (signal.SIGKILL, b"") == (ends[0].signal, ends[0].stdout)


def test_a_service_that_has_broken_starts_nothing_more(room):
    def again(sup):
        with pytest.raises(ZeroDivisionError):
            sup.filter()
        raise LookupError

    with pytest.raises(LookupError):  # what breaks in the context is not hidden by what broke the service
        supervised_by_what_breaks(room, [], again)


def test_a_supervisor_that_was_never_used_can_be_closed(room):
    sup = supervisor(room, lambda call: Go())
    sup.filter()
    sup.close()
    sup.close()


def test_a_command_that_cannot_be_started_is_an_end_like_any_other(both):
    with supervisor(both, lambda call: Go()) as sup:
        (end,) = both.run_together([a_run(both, sup, "/no/such")])
        sup.started(0)
        (other,) = both.run_together([a_run(both, sup, "/etc/passwd")])
        sup.started(1)
        assert sup._all[0].over.wait(20)
        assert sup._all[1].over.wait(20)
        (last,) = both.run_together([a_run(both, sup, "true")])
    assert ["ENOENT", "EACCES", ""] == [end.start_error, other.start_error, last.start_error]


def test_killing_what_has_ended_or_not_begun_harms_nobody(room):
    with supervisor(room, lambda call: Go()) as sup:
        run = a_run(room, sup, "true")
        sup.kill(0)
        room.run_together([run])
        sup.kill(0)
    assert [] == sup.struck


def test_a_signal_to_who_is_gone_is_no_proof(room):
    def decide(call):
        if call.name == "mkdir":
            os.kill(call.pid, signal.SIGKILL)
            while room_alive(call.tid):
                time.sleep(0.001)
            return Kill("SIGTERM")
        return Go()

    end, proofs = struck(room, decide, "mkdir", "d")
    assert (signal.SIGKILL, []) == (end.signal, proofs)


def room_alive(tid: int) -> bool:
    """Whether that thread has not died yet; one that nobody has waited for has."""
    try:
        with open(f"/proc/{tid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False

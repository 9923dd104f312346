"""The supervisor comes to its end however busy the machine is; if it did not, nobody else would be blamed."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest
from supervised import PYTHON, a_run, showing_python, supervisor

from harness.errors import HarnessFault
from harness.faults.syscalls import Go, Supervisor, ending

STARTS = 80
AT_ONCE = 4
BUSY = 4
WORK = """
import os, sys, threading
def work(name):
    with open(name, "w") as file: file.write("x")
    os.rename(name, name + "2")
threads = [threading.Thread(target=work, args=(f"{os.getpid()}-{n}",)) for n in range(3)]
for thread in threads: thread.start()
pid = os.fork()
work(f"{os.getpid()}-child")
if not pid: os._exit(0)
os.waitpid(pid, 0)
for thread in threads: thread.join()
if sys.argv[1] == "leaves a child behind" and not os.fork():
    while True: os.listdir(".")
"""


@contextmanager
def a_busy_machine():
    """Loops that compute, one more than there are processors here, for as long as this lasts."""
    with ExitStack() as stack:
        for _ in range(BUSY):
            loop = stack.enter_context(subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]))
            stack.callback(loop.kill)
        yield


def starts(box, ways):
    """How many starts, every call of which was watched, ended well."""
    good = 0
    for way in ways:
        box.fresh()
        with supervisor(box, lambda call: Go(), below=("/",)) as sup:
            (end,) = box.run_together([a_run(box, sup, *PYTHON, WORK, way, timeout_s=120.0)])
        good += (0, b"", False) == (end.exit_code, end.stderr, end.timed_out)
        assert sup.over(0)
    return good


def test_starts_on_a_busy_machine_all_come_to_their_end():
    ways = ["ends", "leaves a child behind"] * (STARTS // AT_ONCE // 2)
    with ExitStack() as stack, a_busy_machine(), ThreadPoolExecutor(AT_ONCE) as pool:
        boxes = [stack.enter_context(showing_python()) for _ in range(AT_ONCE)]
        assert STARTS == sum(pool.map(lambda box: starts(box, ways), boxes))


def test_a_service_that_hangs_is_ended_by_our_own_limit_and_we_are_blamed(room, monkeypatch):
    stuck, go_on = threading.Event(), threading.Event()

    def decide(call):
        stuck.set()
        go_on.wait()
        return Go()

    def limited(thread, kill):
        assert stuck.wait(60)
        return join(thread, kill, 0.2)

    join = ending.join
    monkeypatch.setattr(ending, "join", limited)
    sup = supervisor(room, decide)
    sup.__enter__()
    (end,) = room.run_together([a_run(room, sup, *PYTHON, "open('a', 'w')", timeout_s=1.0)])
    assert end.timed_out
    with pytest.raises(HarnessFault, match=r"did not end in 0\.2 s: it hangs in wait, line \d+ of threading"):
        sup.close()
    go_on.set()
    sup._thread.join()


def test_what_the_service_waits_for_is_killed_before_it_is_given_up(monkeypatch):
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    ending.join(thread, over.set, 0.02)
    assert not thread.is_alive()


def test_a_thread_whose_place_is_not_known_is_told_too():
    assert "a place that is not known" == ending._place(threading.Thread())


def test_an_event_of_a_number_that_was_closed_meanwhile_is_not_taken_for_anothers(monkeypatch):
    supervisor = Supervisor(lambda call: Go(), below=("/nowhere",), rest=lambda idle: 0.0)
    first, second = (socket.socketpair() for _ in range(2))
    attended = []
    monkeypatch.setattr(supervisor, "quiet", lambda: setattr(supervisor, "_closing", len(attended) > 1))

    def attend(run, fd, event):
        attended.append(run)
        supervisor._forget(fd)
        other = second if fd == first[0].fileno() else first
        number = other[0].fileno()
        if len(attended) == 1:  # the number of the one whose event comes next becomes another's, who says nothing
            supervisor._forget(number)
            os.dup2(silent[0].fileno(), number)
            supervisor._watch(number, "another")
            supervisor._watch(last[0].fileno(), "last")

    monkeypatch.setattr(supervisor, "_attend", attend)
    with contextlib.ExitStack() as stack:
        silent, last = (socket.socketpair() for _ in range(2))
        for pair in (first, second, silent, last):
            for end in pair:
                stack.enter_context(end)
        for here, there in (first, second, last):
            there.send(b"!")
            if here is not last[0]:
                supervisor._watch(here.fileno(), "known")
        supervisor._serve()
        supervisor.close()
    assert ["known", "last"] == attended
    assert supervisor.failure is None

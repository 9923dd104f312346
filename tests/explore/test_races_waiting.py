"""What blocks is not what hangs: locks, pipes, sleeps and time-outs of racing processes."""

import pytest
from racing import Racing, Seen, all_exit_0, python, sandbox_for, texts

from harness.explore.races import RaceBounds

TWO_LOCKS = """
import fcntl, sys
first = open(sys.argv[1], "a"); fcntl.flock(first, fcntl.LOCK_EX)
second = open(sys.argv[2], "a"); fcntl.flock(second, fcntl.LOCK_EX)
"""
# counts in a file, with a lock of its own making
COUNT = """
import os, time
while True:
    try:
        os.close(os.open("lock", os.O_CREAT | os.O_EXCL | os.O_WRONLY)); break
    except FileExistsError:
        time.sleep(0.05)
n = int(open("n").read())
open("n", "w").write(str(n + 1))
os.unlink("lock")
"""
COUNT_BASH = "until mkdir lock 2>/dev/null; do sleep 0.1; done; read -r n <n; echo $((n+1)) >n; rmdir lock"


def counted(seen: Seen) -> str:
    return "" if seen.files["n"].strip() == b"2" else f"n is {seen.files['n']!r}"


@pytest.fixture(scope="module")
def box():
    with sandbox_for(["bash"]) as box:
        yield box


def test_two_locks_in_opposite_order_are_a_deadlock_that_says_who_waits_where(box):
    race = Racing(box, [python(TWO_LOCKS, "x", "y"), python(TWO_LOCKS, "y", "x")])
    report = race.explore(all_exit_0)
    assert f"deadlock: 0: flock({race.state}/y), 1: flock({race.state}/x)" == report.smallest.verdict
    assert (1, True) == (len(report.failures), report.exhausted)
    assert 0 < report.failing < report.judged
    again = race.replay(all_exit_0, report.smallest.choices)
    assert (report.smallest.verdict, report.smallest.order) == (again.verdict, again.order)


def test_two_locks_in_one_order_are_passed_exhaustively(box):
    report = Racing(box, [python(TWO_LOCKS, "x", "y")] * 2).explore(all_exit_0)
    assert (0, True, "") == (report.failing, report.exhausted, report.cut)
    assert report.schedules > 1


def test_a_process_that_waits_for_nobody_is_a_deadlock_of_its_own(box):
    report = Racing(box, [["bash", "-c", "mkfifo f 2>/dev/null; read -r line <f"]]).explore(all_exit_0)
    assert (1, 1) == (report.schedules, report.failing)
    assert report.smallest.verdict.startswith("deadlock: 0: ")


@pytest.mark.parametrize("command", [python(COUNT), ["bash", "-c", COUNT_BASH]], ids=["python", "bash"])
def test_a_loop_that_sleeps_around_a_lock_has_few_orders_and_no_hang(box, command):
    report = Racing(box, [command] * 2, {"n": b"0\n"}).explore(counted)
    assert (0, True, "") == (report.failing, report.exhausted, report.cut)
    assert 1 < report.schedules < 20


def test_a_sleep_lasts_no_time(box):
    report = Racing(box, [["bash", "-c", "sleep 1000; echo 1 >>a; sleep 1000; echo 2 >>a"]] * 2).explore(
        lambda seen: "" if len(seen.files["a"]) == 8 else "lost"
    )
    assert (0, True) == (report.failing, report.exhausted)


def test_a_deadline_that_only_time_can_bring_is_waited_for(box):
    code = """
import os, time
deadline = time.monotonic() + 0.3
while os.path.exists("stale") and time.monotonic() < deadline:
    time.sleep(0.01)
print(os.path.exists("stale"))
"""
    report = Racing(box, [python(code)], {"stale": b""}).explore(
        lambda seen: "" if seen.ends[0].stdout == b"True\n" else "gave up"
    )
    assert (1, 1, 0) == (report.schedules, report.judged, report.failing)


def test_a_loop_without_a_sleep_is_cut_and_told(box):
    spin = "set -C; until { : >lock; } 2>/dev/null; do :; done; rm lock"
    report = Racing(box, [["bash", "-c", spin]] * 2).explore(all_exit_0, bounds=RaceBounds(schedules=10, steps=100))
    assert (0, False) == (report.failing, report.exhausted)
    assert "in vain" in report.cut
    assert "100000000" not in report.cut


def test_a_run_that_computes_for_ever_is_inconclusive_and_no_verdict(box):
    report = Racing(box, [["bash", "-c", ": >a; while :; do :; done"]]).explore(
        all_exit_0, bounds=RaceBounds(idle_s=0.3)
    )
    assert (0, 0, False) == (report.judged, report.failing, report.exhausted)
    assert ("nothing came to rest, and nothing happened, for 0.3 s",) == report.inconclusive


def test_a_wait_with_a_time_out_is_no_deadlock(box):
    code = """
import select, os
r, w = os.pipe()
open("a", "a").close()
select.select([r], [], [], 0.05)
open("b", "a").close()
"""
    report = Racing(box, [python(code)]).explore(all_exit_0)
    assert (1, 0, ["0: openat(a)", "0: openat(b)"]) == (
        report.judged,
        report.failing,
        texts(Racing(box, [python(code)]).replay(all_exit_0, ()).order),
    )


def test_a_lock_given_up_by_an_alarm_is_no_deadlock(box):
    code = """
import fcntl, signal
def late(*_): raise TimeoutError
signal.signal(signal.SIGALRM, late)
held = open("a", "a"); fcntl.flock(held, fcntl.LOCK_EX)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    with open("a", "a") as again: fcntl.flock(again, fcntl.LOCK_EX)
except TimeoutError: print("late")
"""
    report = Racing(box, [python(code)]).explore(lambda seen: seen.ends[0].stdout.decode())
    assert ("late\n", 1) == (report.smallest.verdict, report.judged)


def test_what_comes_through_standard_input_is_waited_for(box):
    report = Racing(box, [["bash", "-c", "cat >>a"]] * 2, stdin=b"line\n" * 20_000).explore(
        lambda seen: "" if len(seen.files["a"]) == 200_000 else f"{len(seen.files['a'])} bytes",
        bounds=RaceBounds(schedules=3, beyond=0),
    )
    assert (3, 0, ()) == (report.judged, report.failing, report.inconclusive)


def test_output_larger_than_a_pipe_is_collected_meanwhile(box):
    report = Racing(box, [["bash", "-c", ": >a; printf %300000d 1; : >b"]] * 2).explore(
        lambda seen: "" if all(len(end.stdout) == 300_000 for end in seen.ends) else "short",
        bounds=RaceBounds(schedules=3, beyond=0),
    )
    assert (0, ()) == (report.failing, report.inconclusive)


def test_a_run_that_cannot_be_started_does_not_hold_up_the_other(box):
    seen: list[Seen] = []
    Racing(box, [["bash", "-c", "echo 1 >a"], ["/nowhere"]]).explore(lambda each: seen.append(each) or "")
    assert ["", "ENOENT"] == [end.start_error for end in seen[0].ends]
    assert b"1\n" == seen[0].files["a"]

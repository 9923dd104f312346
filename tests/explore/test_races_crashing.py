"""One process dies before one of its calls while the other goes on: in every order, at every call."""

import pytest
from racing import Racing, Seen, python, sandbox_for, texts

ONCE = """
import os
try: os.close(os.open("lock", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
except FileExistsError: raise SystemExit(0)
os.close(os.open("done", os.O_CREAT | os.O_WRONLY))
os.unlink("lock")
"""
FLOCKED = """
import fcntl, os
lock = open("lock", "a"); fcntl.flock(lock, fcntl.LOCK_EX)
os.close(os.open("done", os.O_CREAT | os.O_WRONLY))
"""


@pytest.fixture(scope="module")
def box():
    with sandbox_for(["bash"]) as box:
        yield box


def freed(seen: Seen) -> str:
    return "the lock stays for ever" if "lock" in seen.files else ""


def test_a_lock_file_outlives_the_process_that_dies_with_it(box):
    report = Racing(box, [python(ONCE)] * 2).explore(freed, crashing=(0,))
    assert ("the lock stays for ever", (0,), True) == (
        report.smallest.verdict,
        report.smallest.killed,
        report.exhausted,
    )
    assert "0: kill" in texts(report.smallest.order)


def test_without_a_death_the_same_programs_are_sound(box):
    report = Racing(box, [python(ONCE)] * 2).explore(freed)
    assert (0, True) == (report.failing, report.exhausted)


def test_a_lock_of_the_kernel_is_freed_by_the_death_of_its_holder(box):
    report = Racing(box, [python(FLOCKED)] * 2).explore(
        lambda seen: "" if seen.ends[1].exit_code == 0 and "done" in seen.files else "the other is stuck", crashing=(0,)
    )
    assert (0, True) == (report.failing, report.exhausted)


def test_the_run_is_killed_before_each_of_its_calls_and_also_not_at_all(box):
    seen: set[tuple[tuple[int, ...], tuple[str, ...]]] = set()

    def judge(each: Seen) -> str:
        seen.add((each.killed, tuple(sorted(each.files))))
        return ""

    report = Racing(box, [["bash", "-c", ": >a; : >b; : >c"], ["bash", "-c", ":"]]).explore(judge, crashing=(0,))
    assert {((), ("a", "b", "c")), ((0,), ()), ((0,), ("a",)), ((0,), ("a", "b"))} == seen
    assert report.exhausted


def test_a_death_is_replayed_by_its_choices(box):
    race = Racing(box, [python(ONCE)] * 2)
    failure = race.explore(freed, crashing=(0,)).smallest
    again = race.replay(freed, failure.choices, crashing=(0,))
    assert (failure.verdict, failure.order, failure.killed) == (again.verdict, again.order, again.killed)

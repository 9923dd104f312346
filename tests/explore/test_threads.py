"""Threads as processes under a chosen order. Source: issue 4, "Schedules"; FAULTS.md: three states, not two."""

import fcntl
import os
import pathlib
import tempfile
import threading
import time

import pytest
from watched import standing

from harness.errors import UntestableError
from harness.explore.in_process import threads
from harness.explore.in_process.threads import Threads, race
from harness.explore.schedules import Schedules, replay
from harness.explore.state_folder import contents, settle

boundary = pytest.fixture(standing)


def raced(boundary, *bodies, judge=lambda _ends: "", before=None, **options):
    return race(boundary, before or {}, bodies, judge, Schedules(**options))


def once(boundary, choices, *bodies):
    schedule = replay(choices)
    return schedule, Threads(boundary, schedule, bodies).run()


def writes(boundary, name, text):
    def body():
        with open(f"{boundary.directory}/{name}", "a", encoding="utf-8") as file:
            file.write(text)

    return body


def test_choices_decide_who_writes_first(boundary):
    for choices, expected in (([0, 0, 0, 1, 1, 1], b"01"), ([1, 0, 1, 0, 1, 0], b"10")):
        settle(boundary.directory, {})
        schedule, _ = once(boundary, choices, writes(boundary, "a", "0"), writes(boundary, "a", "1"))
        assert (tuple(choices), "exited") == (schedule.choices, schedule.end)
        assert {"a": expected} == contents(boundary.directory)[0]


def test_results_and_errors_are_those_of_each_body(boundary):
    def fails():
        raise ValueError("mine")

    ends = once(boundary, [], lambda: 7, fails)[1]
    assert (7, "mine") == (ends[0].result, str(ends[1].error))


def test_sleeping_takes_no_time_in_a_schedule_and_is_a_step(boundary):
    begun = time.monotonic()
    schedule, _ = once(boundary, [], lambda: time.sleep(3600))
    assert ["nanosleep"] == [step.name for step in schedule.trace]
    assert time.monotonic() - begun < 60


def test_independent_files_are_one_schedule(boundary):
    found = raced(boundary, *(writes(boundary, name, name) for name in "abc"))
    assert (1, True) == (found.coverage.run, found.coverage.exhausted)


def test_a_waiting_flock_is_no_hang_and_goes_on_when_the_lock_is_given_up(boundary):
    def holds(name):
        def body():
            with open(f"{boundary.directory}/lock", "w", encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                writes(boundary, "log", name)()
                writes(boundary, "log", name)()

        return body

    def judge(_ends):
        text = contents(boundary.directory)[0]["log"].decode()
        return "" if text in ("aabb", "bbaa") else text

    found = raced(boundary, holds("a"), holds("b"), judge=judge)
    assert ((), True) == (found.races, found.coverage.exhausted)
    assert found.coverage.run > 1


def test_three_that_wait_for_one_lock_get_it_in_every_order(boundary):
    order, orders = [], set()

    def body(name):
        def run():
            with open(f"{boundary.directory}/lock", "a", encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                order.append(name)
                fcntl.flock(file, fcntl.LOCK_UN)

        return run

    def judge(_ends):
        orders.add("".join(order))
        order.clear()
        return ""

    found = raced(boundary, *map(body, "abc"), judge=judge)
    assert (True, 0) == (found.coverage.exhausted, found.coverage.deadlocks)
    assert {"abc", "acb", "bac", "bca", "cab", "cba"} == orders


def test_a_lock_on_a_file_that_was_closed_meanwhile_fails_as_ever(boundary):
    file = []

    def closes():
        file.append(os.open(f"{boundary.directory}/lock", os.O_CREAT))
        os.close(file[0])
        os.path.exists(f"{boundary.directory}/x")

    def waits():
        mine = os.open(f"{boundary.directory}/lock", os.O_CREAT)
        other = os.open(f"{boundary.directory}/lock", os.O_CREAT)
        fcntl.flock(mine, fcntl.LOCK_EX)
        os.close(other)
        fcntl.flock(other, fcntl.LOCK_EX)

    ends = once(boundary, [], closes, waits)[1]
    assert "Bad file descriptor" in str(ends[1].error)


def test_a_lock_that_only_threads_know_stops_nobody_else(boundary):
    lock = threading.Lock()

    def body(name):
        def run():
            with lock:
                writes(boundary, "log", name)()

        return run

    schedule, ends = once(boundary, [], body("a"), body("b"))
    assert ("exited", [None, None]) == (schedule.end, [end.error for end in ends])
    assert {"log": b"ab"} == contents(boundary.directory)[0]


def test_a_deadlock_of_such_locks_is_reported_and_does_not_hang(boundary):
    first, second = threading.Lock(), threading.Lock()

    def body(one, other):
        def run():
            with one:
                os.path.exists(f"{boundary.directory}/x")
                with other:
                    pass

        return run

    schedule, ends = once(boundary, [], body(first, second), body(second, first))
    assert ("deadlock", (0, 1), True) == (schedule.end, schedule.stuck, all(end.killed for end in ends))
    first.release()  # lets them end
    second.release()


def test_who_is_left_when_a_schedule_is_given_up_changes_nothing(boundary):
    class GivesUp(type(replay([]))):
        def choose(self, held, blocked=()):
            return super().choose(held, blocked) if len(self.trace) < 2 else None

    schedule = GivesUp(replay([])._chooser, "test")
    ends = Threads(boundary, schedule, [writes(boundary, "a", "x"), writes(boundary, "b", "x")]).run()
    assert [True, True] == [end.killed for end in ends]
    assert {"a": b"x"} == contents(boundary.directory)[0]


def test_a_thread_that_loops_without_any_call_is_untestable(boundary, monkeypatch):
    monkeypatch.setattr(threads, "STEP_S", 0.05)
    go_on = [True]

    def loops():
        while go_on[0]:
            pass

    with pytest.raises(UntestableError, match="no thread came to a file call"):
        once(boundary, [], loops)
    go_on[0] = False


def test_two_names_of_one_file_depend_on_each_other(boundary):
    def makes():
        os.link(f"{boundary.directory}/a", f"{boundary.directory}/b")
        writes(boundary, "b", "1")()
        writes(boundary, "b", "2")()

    def reads():
        return pathlib.Path(boundary.directory, "a").read_text()

    found = raced(boundary, makes, reads, before={"a": b"0"}, judge=lambda ends: ends[1].result)
    assert {"0", "01", "012"} == {each.complaint for each in found.races}


def test_a_close_that_gives_up_a_lock_depends_on_who_wants_it(boundary):
    def tries():
        with open(f"{boundary.directory}/lock", "a", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return "busy"
            return "locked"

    def holds():
        with open(f"{boundary.directory}/lock", "a", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)

    found = raced(boundary, tries, holds, before={"lock": b""}, judge=lambda ends: ends[0].result)
    assert {"busy", "locked"} == {each.complaint for each in found.races}


def test_calls_outside_the_bodies_are_not_held(boundary):
    seen = []

    def judge(_ends):
        seen.append(os.listdir(boundary.directory))
        return ""

    raced(boundary, writes(boundary, "a", "x"), judge=judge)
    assert [["a"]] == seen


def test_the_first_race_tells_who_did_what(boundary):
    def touch():
        if not os.path.exists(f"{boundary.directory}/s"):
            writes(boundary, "s", "x")()

    found = raced(
        boundary, touch, touch, judge=lambda _ends: "" if contents(boundary.directory)[0]["s"] == b"x" else "two"
    )
    steps = [(step.process, step.name) for step in found.races[0].trace]
    assert {(0, "stat"), (1, "stat")} <= set(steps[: max(steps.index((number, "open")) for number in (0, 1))])


def test_nothing_stays_behind(boundary):
    before = threading.active_count(), len(os.listdir("/proc/self/fd"))
    raced(boundary, writes(boundary, "a", "x"), writes(boundary, "a", "y"))
    assert before == (threading.active_count(), len(os.listdir("/proc/self/fd")))


def saves_by_a_temporary_file(boundary, text):
    def body():
        number, name = tempfile.mkstemp(dir=boundary.directory)
        os.write(number, text)
        os.close(number)
        os.replace(name, f"{boundary.directory}/state")

    return body


def test_names_that_are_made_up_are_no_change_of_mind(boundary):
    bodies = [saves_by_a_temporary_file(boundary, text) for text in (b"0", b"1")]
    found = raced(boundary, *bodies, judge=lambda _ends: contents(boundary.directory)[0]["state"].decode())
    assert ({"0", "1"}, True, 0) == (
        {one.complaint for one in found.races},
        found.coverage.exhausted,
        found.coverage.untold,
    )


def test_another_file_each_time_is_told_and_not_exhausted(boundary):
    names = iter("abcdefgh" * 100)

    def body():
        os.stat(f"{boundary.directory}/{next(names)}")
        writes(boundary, "log", "x")()

    found = raced(boundary, body, body, before=dict.fromkeys("abcdefgh", b""))
    assert not found.coverage.exhausted
    assert found.coverage.untold > 0

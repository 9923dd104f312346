"""Each seeded defect is found by the layer that should, and its correct twin passes. Source: issue 4, "Shows"."""

import functools
import sqlite3
import threading

import pytest
import seeded
from watched import standing

from harness.explore.in_process.crashes import crashes
from harness.explore.in_process.subject import Subject
from harness.explore.in_process.sweep import sweep
from harness.explore.in_process.threads import judged, race
from harness.explore.schedules import Schedules, replay
from harness.explore.state_folder import settle

boundary = pytest.fixture(standing)
BEFORE = {"s.json": b'{"n": 7}'}


def counter(boundary, operate):
    directory = boundary.directory

    def survives(finished):
        found = seeded.load(directory)
        return "" if found == seeded.NEW or (found == seeded.OLD and not finished) else f"the counter says {found}"

    def judge(ended):
        if ended.error is not None:
            return f"raised {ended.error!r}"
        found = seeded.load(directory)
        wanted = (
            {seeded.OLD, seeded.NEW} if ended.killed else {seeded.NEW} if ended.result == "counted" else {seeded.OLD}
        )
        return "" if found in wanted | {seeded.NEW} else f"answered {ended.result}, the counter says {found}"

    return Subject(
        directory,
        BEFORE,
        functools.partial(operate, directory),
        judge,
        functools.partial(seeded.load, directory),
        survives,
    )


@pytest.mark.parametrize(
    ("operate", "kill", "power"),
    [
        (seeded.atomic, False, False),
        (seeded.truncates_in_place, True, True),
        (seeded.renames_without_sync, False, True),
        (seeded.forgets_the_directory, False, True),
        (seeded.removes_before_it_renames, True, True),
    ],
)
def test_crashes_find_what_is_not_atomic_or_not_durable(boundary, operate, kill, power):
    subject = counter(boundary, operate)
    killed, powered = crashes(boundary, subject), crashes(boundary, subject, "power")
    assert (kill, power) == (bool(killed.failures), bool(powered.failures))
    assert [("", True), ("", True)] == [(each.recording.missed, each.coverage.exhausted) for each in (killed, powered)]


def test_a_failing_state_says_when_the_crash_came_and_what_is_wrong(boundary):
    found = crashes(boundary, counter(boundary, seeded.truncates_in_place)).failures
    assert "killed after truncate s.json to 0 bytes" == found[0].state.label
    assert found[0].complaint.startswith("the recovery raised JSONDecodeError")


def test_a_lost_rename_is_told_as_lost(boundary):
    found = crashes(boundary, counter(boundary, seeded.forgets_the_directory), "power").failures
    assert [
        ("power lost after change 4, rename s.tmp to s.json; lost: rename s.tmp to s.json", "the counter says 7")
    ] == [(each.state.label, each.complaint) for each in found if "create" not in each.state.label.split("lost:")[1]]


@pytest.mark.parametrize(
    ("operate", "found"), [(seeded.reports, False), (seeded.excepts_too_little, True), (seeded.swallows, True)]
)
def test_the_sweep_finds_what_excepts_too_little_and_what_swallows(boundary, operate, found):
    swept = sweep(boundary, counter(boundary, operate))
    assert (found, ()) == (bool(swept.failures), swept.unfired)
    assert swept.strikes > 3 * len(swept.sites) / 2


def log(boundary, append):
    directory = boundary.directory

    def survives(_finished):
        found = seeded.records(directory)
        return "" if 1 in found and 3 in found else f"the log holds {found}"

    return Subject(
        directory,
        {"log": b"1\n"},
        lambda: append(directory, {"two": 2}),
        recover=lambda: append(directory, 3),
        survives=survives,
    )


@pytest.mark.parametrize(("append", "found"), [(seeded.append, True), (seeded.complete_and_append, False)])
def test_crashes_find_an_append_after_a_torn_line(boundary, append, found):
    assert found == bool(crashes(boundary, log(boundary, append)).failures)


def test_a_recovery_that_is_not_atomic_is_found_only_at_depth_two(boundary):
    directory = boundary.directory

    def rewrite():
        """Sound unless it crashes: what it read is in its memory alone while it writes."""
        found = seeded.records(directory)
        with open(f"{directory}/log", "w", encoding="utf-8") as file:
            file.writelines(f"{record}\n" for record in found)

    subject = Subject(
        directory,
        {"log": b"1\n"},
        lambda: seeded.append(directory, 2),
        recover=rewrite,
        survives=lambda _finished: "" if 1 in seeded.records(directory) else "the first record is gone",
    )
    assert () == crashes(boundary, subject).failures
    deep = crashes(boundary, subject, deep=True)
    assert "killed before the first change; then, in recovery, killed after truncate log to 0 bytes" == (
        deep.failures[0].state.label
    )
    assert deep.deep.distinct > deep.coverage.distinct


def through_sqlite(directory):
    connection = sqlite3.connect(f"{directory}/db")
    with connection:
        connection.execute("create table if not exists t (x)")
    connection.close()


@pytest.mark.parametrize("deep", [False, True])
def test_what_is_written_by_calls_that_are_not_seen_is_never_called_exhausted(boundary, deep):
    operate = functools.partial(through_sqlite, boundary.directory)
    subject = Subject(boundary.directory, {"s.json": b"1"}, lambda: None if deep else operate(), recover=operate)
    found = crashes(boundary, subject, deep=deep)
    both_depths = found.coverage + found.deep
    assert (False, "changed by calls that were not seen: db") == (both_depths.exhausted, both_depths.cut)


def both(judge):
    return lambda ends: next((repr(end.error) for end in ends if end.error), "") or judge(ends)


def one_got_it(ends):
    got = sum(end.result not in ("taken", None) for end in ends)
    return "" if got == 1 else f"{got} got it"


def counts_two(directory):
    def judge(_ends):
        with open(f"{directory}/count", encoding="utf-8") as file:
            found = file.read()
        return "" if found == "2" else f"counted {found}"

    return judge


def bodies(boundary, operate, named):
    if named:
        return [functools.partial(operate, boundary.directory, name) for name in ("one", "two")]
    return [functools.partial(operate, boundary.directory)] * 2


RACES = [
    (seeded.check_then_touch, False, {}, True),
    (seeded.create_exclusively, False, {}, False),
    (seeded.increment, True, {"count": b"0"}, True),
    (seeded.increment_under_flock, True, {"count": b"0"}, False),
    (seeded.increment_under_exclusive_file, True, {"count": b"0"}, False),
    (seeded.take_stale_lock, True, {"lock": b"dead"}, True),
    (seeded.take_lock_by_flock, True, {"lock": b"dead"}, False),
]


@pytest.mark.parametrize(("operate", "named", "before", "found"), RACES)
def test_schedules_find_races_and_pass_correct_twins(boundary, operate, named, before, found):
    judge = both(counts_two(boundary.directory) if "count" in before else one_got_it)
    raced = race(boundary, before, bodies(boundary, operate, named), judge, Schedules())
    assert found == bool(raced.races)
    assert raced.coverage.exhausted or "in vain" in raced.coverage.cut


def test_a_race_is_repeated_exactly_a_hundred_times(boundary):
    run = bodies(boundary, seeded.increment, named=True)
    before, judge = {"count": b"0"}, both(counts_two(boundary.directory))
    first = race(boundary, before, run, judge, Schedules()).races[0]
    for _ in range(100):
        settle(boundary.directory, before)
        schedule = replay(first.choices)
        assert first.complaint == judged(boundary, schedule, run, judge)
        assert first.trace == tuple(schedule.trace)


def test_a_deadlock_is_a_race_and_everybody_is_ended(boundary):
    before = threading.active_count()
    run = [
        functools.partial(seeded.lock_two, boundary.directory, "a", "b"),
        functools.partial(seeded.lock_two, boundary.directory, "b", "a"),
    ]
    raced = race(boundary, {}, run, both(lambda _ends: ""), Schedules())
    assert {"deadlock: 0, 1 wait for each other"} == {found.complaint for found in raced.races}
    assert (len(raced.races), True) == (raced.coverage.deadlocks, raced.coverage.exhausted)
    assert before == threading.active_count()

"""The reference's recovery log and its clock: a line for each recovery, never lost or doubled; times that step."""

import errno
import json

import pytest
from breaker_reference_world import CLOSED, HALF_OPEN, NAME, OPEN, Failing, World, codes

from harness.systems.circuit_breaker.reference import recovery_log

LINE = "2026-03-01T12:05:20Z Circuit recovered: api/claude"
NO_SPACE = OSError(errno.ENOSPC, "no space left on device")


@pytest.fixture
def files():
    return Failing()


@pytest.fixture
def world(files):
    return World("/world", files)


@pytest.fixture
def closing(world):
    """One success more closes it, at 320 s."""
    world.fail(0, 0, 0)
    world.ok(300, 310)
    return world


# -- the recovery log


def test_each_recovery_is_one_line(closing):
    assert CLOSED == closing.ok(320.9)
    closing.fail(400, 400, 400)
    closing.ok(700, 710, 720)
    assert [LINE, "2026-03-01T12:12:00Z Circuit recovered: api/claude"] == closing.lines()


def test_what_stands_in_the_log_stays(closing, files):
    files.append(closing.log, b"by hand\ntorn")
    closing.ok(320)
    assert ["by hand", "torn", LINE] == closing.lines()


def test_a_line_break_in_a_name_breaks_no_line(world):
    name = "a\nb\rc\\"
    world.fail(0, 0, 0, name=name)
    world.ok(300, 310, 320, name=name)
    assert ["2026-03-01T12:05:20Z Circuit recovered: a\\nb\\rc\\\\"] == world.lines()


def test_a_line_that_cannot_be_written_is_written_later(closing, files):
    files.broken["append_lines"] = NO_SPACE
    call = closing.call()
    closing.ask(320, call=call)
    told = closing.tell("success", call, 320)
    assert (CLOSED, ["log_write_failed"]) == (told.state, codes(told))
    assert ["log_write_failed"] == codes(closing.look(321))
    files.broken.clear()
    assert [] == codes(closing.capacity(322))
    assert [] == codes(closing.ask(323))
    assert [LINE] == closing.lines()


def test_a_line_that_was_written_and_reported_as_failed_is_not_doubled(closing, files):
    real = files.append_lines

    def append(path, data):
        real(path, data)
        raise NO_SPACE

    files.append_lines = append
    closing.ok(320)
    files.append_lines = real
    closing.look(321)
    assert [LINE] == closing.lines()


def test_the_next_process_adds_the_line_of_one_that_was_killed(closing, files):
    files.broken["append_lines"] = NO_SPACE
    closing.ok(320)
    files.broken.clear()
    next_one = closing.opened()
    next_one.look(321, "something else")
    assert [LINE] == next_one.lines()
    closing.opened().look(322)
    closing.look(322)
    assert [LINE] == closing.lines()


def test_nobody_adds_the_line_of_another_process_without_the_lock(closing, files):
    files.broken["append_lines"] = NO_SPACE
    closing.ok(320)
    files.broken = {"lock": TimeoutError("held")}
    other = closing.opened()
    assert ["lock_failed"] == codes(other.look(321))
    files.broken.clear()
    assert [] == codes(other.look(322))
    assert [LINE] == other.lines()


def test_the_mark_of_a_line_goes_with_the_next_change(closing):
    closing.ok(320)
    assert closing.written()[NAME]["extra"]["unlogged"]
    closing.fail(321)
    assert "unlogged" not in closing.written()[NAME]["extra"]


def test_a_log_too_long_to_be_read_is_taken_to_have_the_line(closing, files, monkeypatch):
    monkeypatch.setattr(recovery_log, "LIMIT_BYTES", 8)
    files.broken["append_lines"] = NO_SPACE
    closing.ok(320)
    files.broken.clear()
    files.append(closing.log, b"so many lines\n")
    closing.opened().look(321)
    assert ["so many lines"] == closing.lines()


# -- clocks that step


def test_a_clock_set_back_cuts_the_cooldown_to_its_length(world):
    world.fail(0, 0, 0)
    assert (300.0, "2026-03-01T11:05:00Z", OPEN) == (
        world.look(-3600).wait_s, world.look(-3600).cooldown_until, world.look(-3600).state,
    )  # fmt: skip
    asked = world.ask(-3600)
    assert (False, 300.0, ["clock_stepped"]) == (asked.permitted, asked.wait_s, codes(asked))
    assert [] == codes(world.ask(-3599))
    assert [False, True] == [world.opened().ask(at).permitted for at in (-3300.000001, -3300)]


def test_a_cooldown_is_cut_to_its_own_length_whatever_is_configured_since(world):
    world.set(cooldown_s=1000)
    world.fail(0, 0, 0)
    later = world.opened()
    assert (999.0, []) == (later.ask(1).wait_s, codes(later.ask(1)))
    assert later.ask(-50).wait_s == 1000.0


def test_a_foreign_record_from_the_future_waits_no_longer_than_a_cooldown(world, files):
    record = {
        "state": "OPEN", "failure_count": 3, "last_failure_time": None, "last_state_change": "2026-03-01T12:00:00Z",
        "cooldown_until": "2099-01-01T00:00:00Z",
    }  # fmt: skip
    files.replace(world.state, json.dumps({NAME: record}).encode())
    assert (300.0, OPEN) == (world.ask(0).wait_s, world.look(0).state)
    assert world.ask(300).permitted


def test_a_clock_set_forward_ends_the_cooldown_and_nothing_else(world):
    world.fail(0, 0, 0)
    assert (HALF_OPEN, "2026-03-01T12:05:00Z") == (world.ask(1e9).state, world.look(1e9).last_state_change)


def test_a_clock_set_back_leaves_probes_an_interval_apart(world):
    world.fail(0, 0, 0)
    world.ask(300)
    assert [False, False, True] == [world.ask(at).permitted for at in (-100, -90.000001, -90)]


def test_failures_ahead_of_the_clock_count_as_of_now(world):
    world.fail(0, 1)
    assert 2 == world.look(-3600).failure_count
    assert OPEN == world.fail(-3600)


def test_a_recovery_ahead_of_the_clock_begins_its_ramp_anew(closing):
    closing.ok(320)
    assert [3, 3, 4, 5] == [closing.capacity(at).agents for at in (100, 159, 160, 220)]
    assert [4] == [closing.opened().capacity(160).agents]
    assert closing.ask(50).permitted


@pytest.mark.parametrize("at", [-1_772_366_400.0, 2.0**31, 2.0**32, 251_000_000_000.0, -60_000_000_000.0])
def test_years_are_no_hindrance(world, at):
    assert (OPEN, False) == (world.fail(at, at, at), world.ask(at + 299).permitted)
    assert CLOSED == world.ok(at + 300, at + 310, at + 320)

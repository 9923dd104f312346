"""Time: texts and seconds mean each other, and a fake clock moves only when told."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ports.clock import FakeClock, FakeWaiter, RealClock, RealWaiter, to_seconds, to_text


@given(st.integers(-62_135_596_800_000_000, 253_402_300_799_000_000))
def test_a_time_survives_its_text_to_the_microsecond(microseconds):
    seconds = microseconds / 1e6
    # beyond 2**52 microseconds a float itself is coarser
    assert abs(to_seconds(to_text(seconds)) - seconds) < 2e-5
    assert to_text(seconds).endswith("Z")


@given(st.integers(0, 4_102_444_800_000))
def test_texts_of_our_century_are_exact(milliseconds):
    assert to_text(to_seconds(to_text(milliseconds / 1000))) == to_text(milliseconds / 1000)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0.0),
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("2026-03-01T12:00:00.250000Z", 1772366400.25),
        ("1969-12-31T23:59:58.500000Z", -1.5),
    ],
)
def test_a_text_means_seconds_since_the_epoch(text, seconds):
    assert seconds == to_seconds(text)
    assert to_text(seconds) == text.replace("01:00:00+01:00", "00:00:00Z")


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01T00:00:00Z", "2026-03-01T12:00:00", "2026-03-01"])
def test_a_text_without_a_moment_in_it_is_refused(text):
    with pytest.raises(ValueError):
        to_seconds(text)


def test_a_fake_clock_moves_only_when_it_is_told():
    clock = FakeClock(100.0)
    assert (clock.now_s(), clock.now_s()) == (100.0, 100.0)
    clock.move(3600.0)
    clock.move(-0.5)
    assert clock.now_s() == 3699.5


def test_a_real_clock_tells_the_machines_time():
    before = time.time()
    assert before <= RealClock().now_s() <= time.time()


def test_a_fake_waiter_moves_its_clock_instead_of_waiting():
    clock = FakeClock(100.0)
    FakeWaiter(clock).wait(3600.0)
    assert clock.now_s() == 3700.0


def test_a_real_waiter_lets_the_time_pass():
    before = time.monotonic()
    RealWaiter().wait(0.002)
    assert time.monotonic() - before >= 0.002

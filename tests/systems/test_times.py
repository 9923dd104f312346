"""Times as implementations write them."""

from datetime import UTC, datetime

import pytest

from harness.systems.times import instant, is_near, looks_like_time, stamp

TEN = datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["2026-03-01T10:00:00Z", "2026-03-01t10:00:00z", "2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00",
     " 2026-03-01 10:00:00.0000000004Z"],
)  # fmt: skip
def test_an_instant_is_read_however_it_is_written(text):
    assert TEN == instant(text)


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01T10:00:00Z", None, 3, "0001-01-01T00:00:00+23:00"])
def test_what_is_no_time_is_none(text):
    assert None is instant(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2026-03-01T10:00:00Z", TEN), ("2026-03-01T10:00:00", None), ("2026-03-01", None), (7, None)],
)
def test_a_stamp_has_an_offset(text, expected):
    assert expected == stamp(text)


@pytest.mark.parametrize(
    ("text", "expected"), [("2026-03-01T23:59:60Z", True), ("2026-03-01", True), ("later", False), (None, False)]
)
def test_what_looks_like_a_time(text, expected):
    assert expected is looks_like_time(text)


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("2026-03-01T10:00:01Z", TEN, True),
        ("2026-03-01T09:59:59Z", TEN, True),
        ("2026-03-01T10:00:01.1Z", TEN, False),
        ("2031-03-01T10:00:00Z", None, True),
        ("2026-03-01T10:00:00", TEN, False),
    ],
)
def test_near_is_within_a_second_and_any_time_where_nobody_knows_it(text, at, expected):
    assert expected is is_near(text, at)

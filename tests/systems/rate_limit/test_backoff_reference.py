"""The reference of rate limit handling, each operation by itself. Source: document 000, Rate Limit Handling."""

import time

import msgspec
import pytest

from harness.systems.rate_limit.contract import (
    ClassifyArguments,
    Configuration,
    ConfigureArguments,
    DelayArguments,
    LogCode,
    Tunables,
)
from harness.systems.rate_limit.reference import create

TEN_MEGABYTES = 10 * 1024 * 1024
A_WHILE_S = 5.0  # processor time that a linear search of so many bytes stays far below


def limited(status=None, message=None):
    return create(Configuration("/home")).classify(ClassifyArguments(status, message)).rate_limited


def tuned(**tunables):
    return create(Configuration("/home", tunables))


def delay(reference, retry):
    result = reference.next_delay(DelayArguments(retry))
    assert 0.0 == result.jitter_s
    return result.delay_s if result.retry else None


@pytest.mark.parametrize(
    ("status", "expected"), [(429, True), (428, False), (430, False), (200, False), (503, False), (None, False)]
)
def test_429_alone_is_a_rate_limit(status, expected):
    assert expected is limited(status)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("rate limit", True),
        ("RATE LIMITED", True),
        ("rate-limits", True),
        ("rate_limit_error", True),
        ("rate\nlimiting", True),
        ("rate  limit", True),
        ("\x00rate limit\x00", True),
        ("corporate limits", False),
        ("rate limiter", False),
        ("ratelimit", False),
        ("r\u0430te limit", False),
        ("limit", False),
        ("", False),
    ],
)
def test_the_words_are_found_as_whole_words(message, expected):
    assert expected is limited(None, message)


@pytest.mark.parametrize("filling", ["x", "rate ", "rate limi", "\u00e9", " ", "-_"])
def test_ten_megabytes_are_searched_in_a_moment(filling):
    long = filling * (TEN_MEGABYTES // len(filling.encode()))
    begun_s = time.process_time()
    assert not limited(None, long)
    assert limited(None, f"{long} rate limit")
    assert A_WHILE_S > time.process_time() - begun_s


def test_delays_double_up_to_the_fifth_retry_and_there_is_no_sixth():
    assert [5.0, 10.0, 20.0, 40.0, 80.0, None, None] == [delay(tuned(), n) for n in (1, 2, 3, 4, 5, 6, 10**9)]


@pytest.mark.parametrize("number", [0, -1, -(10**9)])
def test_a_number_below_one_is_no_retry_and_is_logged(number):
    result = tuned().next_delay(DelayArguments(number))
    assert (False, None) == (result.retry, result.delay_s)
    assert [LogCode.RETRY_INVALID] == [entry.code for entry in result.log]


def test_no_delay_is_longer_than_the_longest():
    assert [37.5, 75.0, 150.0, 300.0, 300.0] == [delay(tuned(initial_delay_s=37.5), n) for n in (1, 2, 3, 4, 5)]
    assert 299.999 == pytest.approx(delay(tuned(initial_delay_s=37.499875), 4), abs=1e-9)
    assert 300.0 == delay(tuned(initial_delay_s=37.500125), 4)


@pytest.mark.parametrize("number", [7, 64, 1024, 1025, 1030, 10**6])
def test_a_million_retries_do_not_overflow(number):
    assert 300.0 == delay(tuned(max_retries=10**6), number)
    assert 5.0 == delay(tuned(max_retries=10**6, multiplier=1), number)


def test_tunables_are_taken_and_hold():
    reference = tuned()
    result = reference.configure(ConfigureArguments({"initial_delay_s": 1, "max_retries": 2}))
    assert result.accepted
    assert Tunables(1, 300.0, 2.0, 2) == result.tunables
    assert [1, 2.0, None] == [delay(reference, n) for n in (1, 2, 3)]


@pytest.mark.parametrize("name", Tunables.__struct_fields__)
@pytest.mark.parametrize(
    "value", [-1, -0.5, "NaN", "5", "Infinity", None, True, False, [5], float("nan"), float("inf"), -(10**400)]
)
def test_a_value_that_is_no_tunable_is_refused_and_changes_nothing(name, value):
    reference = tuned()
    result = reference.configure(ConfigureArguments({"multiplier": 3.0, name: value}))
    assert not result.accepted
    assert Tunables() == result.tunables == reference.tunables
    assert [LogCode.TUNABLE_INVALID] == [entry.code for entry in result.log]


@pytest.mark.parametrize(
    ("given", "accepted"),
    [
        ({"max_retries": 0}, True),
        ({"max_retries": 2.5}, False),
        ({"max_retries": 5.0}, False),
        ({"initial_delay_s": 0}, False),
        ({"max_delay_s": 0}, False),
        ({"multiplier": 1}, True),
        ({"multiplier": 0.999}, False),
        ({"max_delay_s": 10**400}, False),
        ({"colour": "red"}, False),
        ({}, True),
    ],
)
def test_the_edges_of_tunables(given, accepted):
    assert accepted is tuned().configure(ConfigureArguments(given)).accepted


def test_a_configuration_with_a_value_that_is_none_is_refused():
    with pytest.raises(msgspec.ValidationError, match="max_retries"):
        tuned(max_retries=-1)

"""The oracle of rate limit handling, told histories by hand: it passes what the document permits, and nothing else.

Source: document 000, Rate Limit Handling; readings of LK-RL-02, LK-RL-04 and LK-RL-06.
"""

import pytest
from stateless_sessions import failing
from told_backoff import classified, delayed, told

from harness.systems.rate_limit.oracle.mentions import mentions

SAYS_SO = "Rate limit exceeded"
ALL = ("whole_words", "beginning_of_words", "anywhere")
JITTERS = ("no_jitter", "jitter_added")


# -- detection


def test_429_has_to_be_a_rate_limit():
    assert "PASS" == classified((429, None, True)).verdict("LK-RL-01")
    assert "FAIL" == classified((429, None, False)).verdict("LK-RL-01")
    assert "FAIL" == classified((429, None, "yes")).verdict("LK-RL-01")


def test_429_is_one_whatever_the_message_says():
    assert {"LK-RL-01"} == failing(classified((429, SAYS_SO, False)).findings())


@pytest.mark.parametrize("status", [None, 0, -429, 200, 404, 428, 430, 4290])
def test_another_status_alone_is_none(status):
    assert "FAIL" == classified((status, None, True)).verdict("LK-RL-01")
    assert None is classified((status, None, False)).verdict("LK-RL-01")


def test_a_control_that_fails_fails_the_clause_that_others_witness():
    assert "FAIL" == classified((429, None, True), (404, None, True)).verdict("LK-RL-01")
    assert "FAIL" == classified((None, SAYS_SO, True), (None, "no route to host", True)).verdict("LK-RL-02")


def test_a_message_without_the_words_that_is_taken_for_a_limit_breaks_the_clause_of_messages():
    assert {"LK-RL-02"} == failing(classified((400, "no route to host", True)).findings())


@pytest.mark.parametrize("status", [None, 200, 400, 503])
def test_the_words_make_a_rate_limit_whatever_the_status(status):
    assert "PASS" == classified((status, SAYS_SO, True)).verdict("LK-RL-02")
    assert "FAIL" == classified((status, SAYS_SO, False)).verdict("LK-RL-02")


@pytest.mark.parametrize(
    ("message", "readings"),
    [
        ("corporate limits", ("anywhere",)),
        ("the rate limiter", ("beginning_of_words", "anywhere")),
        ("corporate limits and the rate limiter", ("beginning_of_words", "anywhere")),
    ],
)
def test_longer_words_are_limits_in_some_readings(message, readings):
    assert readings == classified((None, message, True)).readings("LK-RL-02")
    assert tuple(name for name in ALL if name not in readings) == classified((None, message, False)).readings(
        "LK-RL-02"
    )


def test_two_readings_of_longer_words_are_a_deviation():
    history = classified((None, "corporate limits", True), (None, "the rate limiter", False))
    assert "FAIL" == history.verdict("LK-RL-02")


def test_longer_words_of_a_failing_server_say_nothing():
    assert None is classified((503, "corporate limits", True)).verdict("LK-RL-02")


def test_failures_of_the_server_are_all_limits_or_none():
    assert ("no_further_source",) == classified((503, None, False), (500, "boom", False)).readings("LK-RL-03")
    assert ("whatever_backs_off",) == classified((503, None, True)).readings("LK-RL-03")
    assert "FAIL" == classified((503, None, True), (500, None, False)).verdict("LK-RL-03")
    assert "FAIL" == classified((503, None, 1)).verdict("LK-RL-03")
    assert set() == failing(classified((503, None, True)).findings()) - {"LK-RL-03"}


@pytest.mark.parametrize(
    ("status", "message", "clause"),
    [
        (429, None, "LK-RL-01"),
        (404, None, "LK-RL-01"),
        (None, SAYS_SO, "LK-RL-02"),
        (None, "corporate limits", "LK-RL-02"),
        (None, "no route", "LK-RL-02"),
        (503, None, "LK-RL-03"),
    ],
)
def test_a_failure_that_is_not_classified_breaks_the_clause_it_asks_about(status, message, clause):
    args = {"status": status, "message": message}
    assert {clause} == failing(told().info("classify", args).findings())
    assert {clause} == failing(told().fail("classify", args).findings())


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("rate limit", (True, True, True)),
        ("RATE-LIMITED", (True, True, True)),
        ("rate_limit_error", (True, True, True)),
        ("my_rate limits", (True, True, True)),
        ("rate limiting", (True, True, True)),
        ("rate limitless", (False, True, True)),
        ("operate limits", (False, False, True)),
        ("", (False, False, False)),
        ("the limit of the rate", (False, False, False)),
        ("r\u0430te limit", (False, False, False)),
        ("rate limit9", None),
        ("\u00e9rate limit", None),
        ("ratelimit", None),
        ("rate\u2011limit", None),
        ("rate  limit", None),
        ("HTTP 429", None),
        ("too many requests", None),
        ("quota exceeded", None),
        ("\uff52\uff41\uff54\uff45 \uff4c\uff49\uff4d\uff49\uff54", None),
    ],
)
def test_what_a_message_says_by_reading(message, expected):
    said = mentions(message)
    assert expected == (None if said is None else tuple(said.values()))


def test_what_is_left_open_breaks_nothing():
    for answer in (True, False):
        assert set() == failing(classified((None, "ratelimit", answer), (400, "HTTP 429", answer)).findings())


# -- delays


def test_the_nominal_delays_pass():
    history = delayed((1, 5), (2, 10), (3, 20.0), (4, 40), (5, 80), (6, None))
    assert {"LK-RL-04": "PASS", "LK-RL-06": "PASS"} == {each.clause: each.verdict for each in history.findings()}
    assert JITTERS == history.readings("LK-RL-04")
    assert ("five_retries",) == history.readings("LK-RL-06")


@pytest.mark.parametrize("delay_s", [0, 2.5, 4.999, 5.001, 10, -5, "5", True, 10**400])
def test_another_first_delay_fails(delay_s):
    assert {"LK-RL-04"} <= failing(delayed((1, delay_s)).findings())


def test_a_retry_that_is_made_without_a_delay_fails():
    history = told().ok("next_delay", {"retry": 1}, {"retry": True, "delay_s": None})
    assert {"LK-RL-04"} == failing(history.findings())


@pytest.mark.parametrize(
    ("delay_s", "jitter_s", "verdict"),
    [(7.5, 2.5, "PASS"), (10, 5, "PASS"), (11, 6, "FAIL"), (7.5, 0, "FAIL"), (4.0, -1.0, "FAIL"), (7.5, "2.5", "FAIL")],
)
def test_a_jitter_is_stated_and_on_top_and_no_longer_than_the_delay(delay_s, jitter_s, verdict):
    answer = {"retry": True, "delay_s": delay_s, "jitter_s": jitter_s}
    assert verdict == told().ok("next_delay", {"retry": 1}, answer).verdict("LK-RL-04")


def test_a_jitter_settles_the_reading():
    history = told().ok("next_delay", {"retry": 1}, {"retry": True, "delay_s": 6, "jitter_s": 1})
    assert ("jitter_added",) == history.readings("LK-RL-04")


@pytest.mark.parametrize("initial_s", [37.499875, 37.5, 37.500125, 37.6, 75.0])
def test_the_longest_delay_is_kept_to_at_its_edge(initial_s):
    nominal_s = initial_s * 8
    longest = min(nominal_s, 300.0)
    assert set() == failing(delayed((4, longest), history=told(initial_delay_s=initial_s)).findings())
    for wrong_s in (longest + 0.001, longest - 0.001):
        broken = failing(delayed((4, wrong_s), history=told(initial_delay_s=initial_s)).findings())
        assert broken
        assert ("LK-RL-05" in broken) is (nominal_s >= 300), wrong_s


def test_a_delay_above_the_longest_breaks_only_that_clause():
    assert {"LK-RL-05"} == failing(delayed((4, 600.0), history=told(initial_delay_s=75.0)).findings())
    assert {"LK-RL-05"} == failing(delayed((3, 300.1), history=told(initial_delay_s=75.0)).findings())


def test_jitter_does_not_make_the_longest_longer():
    answer = {"retry": True, "delay_s": 301.0, "jitter_s": 1.0}
    history = told(initial_delay_s=75.0).ok("next_delay", {"retry": 4}, answer)
    assert {"LK-RL-05"} == failing(history.findings())


def test_a_delay_that_is_none_is_not_the_longest():
    history = told(initial_delay_s=75.0).ok("next_delay", {"retry": 4}, {"retry": True, "delay_s": "300"})
    assert {"LK-RL-05"} == failing(history.findings())


def test_whoever_waits_longest_always_fails_both():
    rows = tuple((number, 300.0) for number in (1, 2, 3, 4, 5))
    assert {"LK-RL-04", "LK-RL-05"} == failing(delayed(*rows, history=told(initial_delay_s=75.0)).findings())


def test_whoever_waits_five_seconds_always_fails_both():
    rows = tuple((number, 5.0) for number in (1, 2, 3, 4, 5))
    assert {"LK-RL-04", "LK-RL-05"} == failing(delayed(*rows, history=told(initial_delay_s=75.0)).findings())


def test_delays_that_no_float_holds_are_the_longest():
    history = delayed((1030, 300.0), (10**6, 300.0), history=told(max_retries=10**6))
    assert "PASS" == history.verdict("LK-RL-05")
    assert {"LK-RL-05"} == failing(told(max_retries=10**6).fail("next_delay", {"retry": 10**6}).findings())


def test_a_retry_that_is_not_answered_breaks_the_clause_it_asks_about():
    assert {"LK-RL-04"} == failing(told().info("next_delay", {"retry": 1}).findings())
    assert {"LK-RL-06"} == failing(told().info("next_delay", {"retry": 6}).findings())


# -- retries


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        (((5, 80), (6, None)), "PASS"),
        (((4, 40), (5, None), (6, None)), "PASS"),
        (((5, 80), (6, 160)), "FAIL"),
        (((3, None), (6, None)), "FAIL"),
        (((6, None),), "PASS"),
        (((5, 80),), None),
        (((3, None),), "FAIL"),
        (((5, 80), (5, None), (6, None)), "FAIL"),
    ],
)
def test_the_number_of_retries(rows, verdict):
    assert verdict == delayed(*rows).verdict("LK-RL-06")


def test_five_attempts_in_all_is_a_reading():
    assert ("five_attempts",) == delayed((4, 40), (5, None), (6, None)).readings("LK-RL-06")


def test_an_answer_that_is_neither_yes_nor_no_fails():
    assert {"LK-RL-06"} <= failing(told().ok("next_delay", {"retry": 6}, {}).findings())
    assert {"LK-RL-06"} <= failing(told().ok("next_delay", {"retry": 2}, {"retry": 1}).findings())


@pytest.mark.parametrize("number", [0, -1, -(10**9)])
def test_a_number_that_no_retry_has_breaks_nothing(number):
    assert set() == failing(delayed((number, 5.0), (number, None)).fail("next_delay", {"retry": number}).findings())


def test_arguments_that_are_none_bind_nobody():
    history = told().fail("next_delay", {"retry": "x"}).info("next_delay", {}).ok("classify", {"status": "x"}, {})
    assert () == history.findings()


# -- what is asked for, and faults


def test_what_a_scenario_is_meant_for_and_does_not_show_is_inconclusive():
    assert ["INCONCLUSIVE"] == [each.verdict for each in told().findings("LK-RL-05")]


def test_an_unproven_fault_withholds_what_had_passed():
    history = classified((429, None, True)).under("clock.frozen", proof="")
    history.ok("classify", {"status": 429}, {"rate_limited": True})
    assert ["INCONCLUSIVE"] == [each.verdict for each in history.findings("LK-RL-01")]


def test_what_may_end_an_operation_is_permitted():
    history = delayed((4, 300.0), history=told(initial_delay_s=75.0))
    assert ({"delay_s": 300.0},) == history.permitted({"delay_s": 300.0}, {"delay_s": 600.0}, {"retry": False})
    assert ({"rate_limited": False},) == told().lost("classify", {"status": 404}).permitted(
        {"rate_limited": True}, {"rate_limited": False}
    )
    assert () == told().permitted({"rate_limited": True})

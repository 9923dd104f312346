"""The oracle of rate limit handling follows tunables: what was taken holds, and what is none is not in force.

Source: issue 5, Bad input; LK-RL-04 to LK-RL-06.
"""

import msgspec
import pytest
from stateless_sessions import failing
from told_backoff import DEFAULTS, configured, delayed, told

from harness.systems.rate_limit.oracle.tuning import Worth, worth


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("initial_delay_s", 0, Worth.NONE),
        ("initial_delay_s", -0.1, Worth.NONE),
        ("initial_delay_s", 0.001, Worth.TAKEN),
        ("initial_delay_s", 1e16, Worth.OPEN),
        ("max_delay_s", float("nan"), Worth.NONE),
        ("max_delay_s", 10**400, Worth.OPEN),
        ("max_delay_s", -(10**400), Worth.NONE),
        ("multiplier", 0.999, Worth.NONE),
        ("multiplier", 1, Worth.TAKEN),
        ("max_retries", 0, Worth.OPEN),
        ("max_retries", 5.0, Worth.OPEN),
        ("max_retries", 2.5, Worth.NONE),
        ("max_retries", 2**31, Worth.OPEN),
        ("max_retries", float("inf"), Worth.OPEN),
        ("max_retries", 10**6, Worth.TAKEN),
        *(("max_retries", value, Worth.NONE) for value in (True, None, "5", [5], -1)),
    ],
)
def test_what_a_value_is_worth(name, value, expected):
    assert expected is worth(name, value)


def test_tunables_that_were_taken_hold():
    history = configured({"initial_delay_s": 8.0}, {"initial_delay_s": 8.0})
    assert "PASS" == delayed((1, 8.0), (2, 16.0), history=history).verdict("LK-RL-04")
    history = configured({"initial_delay_s": 8.0}, {"initial_delay_s": 8.0})
    assert {"LK-RL-04"} == failing(delayed((1, 5.0), history=history).findings())


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("initial_delay_s", "LK-RL-04"),
        ("multiplier", "LK-RL-04"),
        ("max_delay_s", "LK-RL-05"),
        ("max_retries", "LK-RL-06"),
    ],
)
def test_what_becomes_of_a_value_that_is_no_tunable_is_open_and_others_hold(name, clause):
    for value in (-1, "7", None):
        assert set() == failing(configured({name: value}, {}, accepted=False).findings())
        assert set() == failing(configured({name: value}, {}, accepted=True).findings())
        assert set() == failing(configured({name: value}, {name: -1}).findings())
        assert set() == failing(configured({name: value}, {name: 7}).findings())
    assert {clause} == failing(configured({name: 7}, {}).findings())
    assert {clause} == failing(configured({name: 7}, {name: 7}, accepted=False).findings())
    assert {clause} == failing(configured({}, {name: 7}).findings())


def test_nothing_is_judged_while_a_value_that_is_no_tunable_is_in_force():
    taken = configured({"initial_delay_s": -1}, {"initial_delay_s": -1})
    assert set() == failing(delayed((1, 0.0), (9, 300.0), history=taken).findings())
    again = taken.ok("configure", {"tunables": {"initial_delay_s": 5}}, {"accepted": True, "tunables": DEFAULTS})
    assert {"LK-RL-04"} == failing(delayed((1, 0.0), history=again).findings())


def test_the_default_may_be_taken_for_what_is_none():
    history = told(initial_delay_s=9.0).ok(
        "configure", {"tunables": {"initial_delay_s": 0}}, {"accepted": True, "tunables": DEFAULTS}
    )
    assert set() == failing(delayed((1, 5.0), history=history).findings())


def test_of_good_values_beside_bad_ones_either_is_right():
    for multiplier in (2.0, 3.0):
        given = {"multiplier": 3.0, "max_retries": -1}
        history = configured(given, {"multiplier": multiplier}, accepted=False)
        assert set() == failing(delayed((2, 5.0 * multiplier), history=history).findings())


def test_a_name_that_is_none_changes_nothing():
    assert set() == failing(configured({"colour": "red"}, {}, accepted=False).findings())
    assert set() == failing(configured({"colour": "red"}, {}, accepted=True).findings())


def test_an_answer_without_tunables_fails_and_changes_nothing():
    history = told().ok("configure", {"tunables": {"max_retries": 3}}, {"accepted": True})
    assert {"LK-RL-04", "LK-RL-05", "LK-RL-06"} == failing(history.findings())
    assert {"LK-RL-06"} == failing(configured({}, {"max_retries": "many"}, history=told()).findings())


def test_tunables_may_be_refused_as_a_whole():
    history = told().fail("configure", {"tunables": {"max_retries": 3}})
    assert set() == failing(delayed((5, 80), (6, None), history=history).findings())


def test_who_dies_of_tunables_breaks_their_clauses():
    history = told().info("configure", {"tunables": {"max_retries": -1, "colour": 1}})
    assert {"LK-RL-06"} == failing(history.findings())


def test_an_answer_is_lost_with_the_process_that_was_killed():
    history = told().under("process.killed").info("configure", {"tunables": {"max_retries": 3}})
    history.standing = ()
    for most in (3, 5):
        told_on = delayed((most + 1, None), (most, 5.0 * 2 ** (most - 1)), history=None)
        told_on.entries = [*history.entries, *renumbered(told_on.entries, len(history.entries))]
        assert set() == failing(told_on.findings()), most


def renumbered(entries, start):
    return [msgspec.structs.replace(entry, n=entry.n + start) for entry in entries]


def test_a_restart_may_lose_tunables_but_not_half_of_them():
    given = {"initial_delay_s": 9.0, "max_retries": 3}
    for rows, broken in (
        (((1, 9.0), (4, None)), set()),
        (((1, 5.0), (5, 80.0), (6, None)), set()),
        (((1, 9.0), (5, 80.0)), {"LK-RL-06"}),
    ):
        history = configured(given, given).under("process.restarted")
        assert broken == failing(delayed(*rows, history=history).findings()), rows


def test_processes_beside_it_have_tunables_of_their_own():
    history = configured({"initial_delay_s": 9.0}, {"initial_delay_s": 9.0})
    history.ok("next_delay", {"retry": 1}, {"retry": True, "delay_s": 5.0}, process=1)
    history.ok("next_delay", {"retry": 1}, {"retry": True, "delay_s": 9.0})
    assert set() == failing(history.findings())


def test_a_reset_begins_with_the_tunables_of_the_world():
    history = configured({"initial_delay_s": 9.0}, {"initial_delay_s": 9.0}).reset()
    assert set() == failing(delayed((1, 5.0), history=history).findings())

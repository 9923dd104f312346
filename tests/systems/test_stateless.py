"""Calls of systems that keep nothing, as their oracles look at them."""

import pytest
from stateless_sessions import Told

from harness.systems.fallback.contract import OPERATIONS
from harness.systems.stateless import Ended, calls, number

RUNG = {"ladder": "model", "current": "opus"}


def told():
    return Told("fallback")


def seen(history):
    return calls(history.history(), OPERATIONS)


def test_a_call_ends_as_it_is_told():
    history = told().ok("next", RUNG, {"next": "sonnet"}).fail("next", RUNG).info("next", RUNG).lost("next", RUNG)
    assert [Ended.ANSWERED, Ended.REFUSED, Ended.SILENT, Ended.EXCUSED] == [call.ended for call in seen(history)]


@pytest.mark.parametrize("name", ["process.killed", "environment.deleted_cwd", "syscall.killed", "syscall.errno"])
def test_a_fault_may_take_an_answer(name):
    assert [Ended.EXCUSED] == [call.ended for call in seen(told().under(name).info("next", RUNG))]


@pytest.mark.parametrize("name", ["environment.no_home", "clock.year_2038", "process.paused", "filesystem.read_only"])
def test_no_other_fault_takes_one(name):
    assert [Ended.SILENT] == [call.ended for call in seen(told().under(name).info("next", RUNG))]


def test_what_is_no_operation_of_the_contract_is_no_call():
    assert [] == list(seen(told().ok("dance", {}, {})))


def test_arguments_that_are_none_bind_nobody():
    (call,) = seen(told().ok("next", {"ladder": "stairs", "current": "opus"}, {}))
    assert call.args is None
    assert not call.binds


def test_a_reset_begins_another_world():
    history = told().ok("next", RUNG, {}).reset().ok("next", RUNG, {})
    assert [0, 1] == [call.segment for call in seen(history)]


def test_another_process_may_answer_after_a_fault_of_its_surroundings_and_after_silence():
    history = told().ok("next", RUNG, {}).under("process.restarted").ok("next", RUNG, {}).ok("next", RUNG, {})
    history.info("next", RUNG).ok("next", RUNG, {}).under("filesystem.full", "{home}/x").ok("next", RUNG, {})
    assert [False, True, False, False, True, False] == [call.restarted for call in seen(history)]


def test_those_begun_beside_others_may_be_new_each_time():
    assert [True, True] == [
        call.restarted for call in seen(told().ok("next", RUNG, {}, process=1).ok("next", RUNG, {}, process=1))
    ]


def test_what_was_asked_and_answered_is_told_in_a_line():
    (call,) = seen(told().ok("next", {**RUNG, "current": "x" * 300}, {"next": "escalate"}))
    assert call.said.startswith("next ladder 'model', current 'xxx")
    assert call.said.endswith("... : answered next 'escalate'") or " ...: answered" in call.said


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1.0),
        (0.5, 0.5),
        (True, None),
        ("1", None),
        (None, None),
        (10**400, float("inf")),
        (-(10**400), float("-inf")),
    ],
)
def test_a_number_is_one_of_json(value, expected):
    assert expected == number(value)

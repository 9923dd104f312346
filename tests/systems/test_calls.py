"""The operations of a history, as oracles that model files follow them."""

from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec
import pytest

from harness.core.fault import Fault, Injection
from harness.core.history import Completed, Entry, EntryType, FileFact, History, InputFact
from harness.core.log import LogEntry, LogLevel
from harness.systems import calls
from harness.systems.calls import Call

NOW = "2026-03-01T10:00:00Z"


class Asks(msgspec.Struct):
    count: int = 0
    deep: Mapping[str, object] = {}


class Answers(msgspec.Struct):
    total: int
    log: tuple[LogEntry, ...] = ()


class Nested(msgspec.Struct):
    deep: "Nested | None" = None


OPERATIONS = {"add": (Asks, Answers)}


def begun(value, op="add", n=0, process=0, **facts):
    return Entry(n, process, EntryType.INVOKE, op, value, NOW, **facts)


def ended(value, of=EntryType.OK, n=1, **facts):
    return Entry(n, 0, of, "add", value, NOW, **facts)


def made(begin, end, *faults):
    done = Completed(begin, end)
    return Call(done, "add", calls.arguments_of(done, OPERATIONS), calls.answer_of(done, OPERATIONS), faults,
                frozenset(), False)  # fmt: skip


def test_only_operations_of_the_contract_and_resets_are_calls():
    entries = (begun({}, "reset"), begun({}, "dance", 2), begun({"count": 1}, "add", 4))
    asked = [done.begin.op for done in calls.operations_of(History(entries), OPERATIONS)]
    assert ["reset", "add"] == asked


@pytest.mark.parametrize(
    ("value", "expected"), [({"count": 2}, Asks(2)), ({"count": "two"}, None), (None, None), ({"deep": 3}, None)]
)
def test_arguments_have_the_form_of_the_contract_or_are_none(value, expected):
    assert expected == calls.arguments_of(Completed(begun(value), None), OPERATIONS)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (ended({"total": 3}), Answers(3)),
        (ended({"total": None}), None),
        (ended({"total": 3}, EntryType.FAIL), None),
        (ended({"total": 3}, EntryType.INFO), None),
        (None, None),
    ],
)
def test_an_answer_has_the_form_of_the_contract_or_is_none(end, expected):
    assert expected == calls.answer_of(Completed(begun({}), end), OPERATIONS)


def test_a_reset_asks_nothing_and_answers_nothing():
    reset = Completed(begun({"count": 1}, "reset"), Entry(1, 0, EntryType.OK, "reset", {"total": 1}, NOW))
    assert (None, None) == (calls.arguments_of(reset, OPERATIONS), calls.answer_of(reset, OPERATIONS))


def test_what_is_nested_too_deep_to_be_followed_has_no_form():
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"deep": deep}
    assert None is calls.converted(deep, Nested)


@pytest.mark.parametrize(
    ("end", "silent", "expected"),
    [
        (None, False, True),
        (ended({"blame": "harness"}, EntryType.INFO), False, True),
        (ended({"blame": "implementation"}, EntryType.INFO), False, False),
        (ended({}, EntryType.FAIL), True, True),
        (ended({}, EntryType.FAIL), False, False),
    ],
)
def test_who_gave_no_answer_is_excused_by_the_harness_and_by_faults_that_silence(end, silent, expected):
    excused = calls.is_excused(Completed(begun({}), end), [Fault("process.killed")], lambda _: silent)
    assert expected is excused


def test_a_call_says_where_it_stands_and_what_it_saw():
    seen, fact = {"f": FileFact("file", 3)}, {"queue": InputFact("file", 3, b"[]\n")}
    call = made(begun({}, n=4, process=2, files=seen, inputs=fact), ended({"total": 1}, n=7, files=seen))
    assert (4, 7, 2) == (call.n, call.ended, call.process)
    assert (seen, seen, fact) == (call.found, call.left, call.inputs)


def test_a_call_without_an_end_ends_where_it_began():
    call = made(begun({}, n=4), None)
    assert (4, {}, None) == (call.ended, call.left, call.answer)


def test_the_time_is_what_was_told_unless_the_clock_is_struck():
    noon = datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert (noon, noon) == (made(begun({}), None).at, made(begun({}), None).told)
    struck = made(begun({}), None, Fault("clock.jump"))
    assert (None, noon) == (struck.at, struck.told)


@pytest.mark.parametrize(
    ("level", "expected"), [(LogLevel.WARNING, True), (LogLevel.ERROR, True), (LogLevel.INFO, False)]
)
def test_an_answer_says_so_by_a_warning_or_an_error(level, expected):
    said = {"total": 1, "log": [{"level": level.value, "code": "io_error"}]}
    assert expected is made(begun({}), ended(said)).says_so


def test_no_answer_says_nothing():
    assert not made(begun({}), None).says_so


def test_calls_that_overlap_are_together():
    found = [made(begun({}, n=n), ended({}, n=end)) for n, end in ((0, 3), (1, 2), (3, 4), (5, 6), (7, 9), (8, 10))]
    assert [[0, 1, 3], [5], [7, 8]] == [[call.n for call in group] for group in calls.groups(found)]
    assert [] == list(calls.groups([]))


def test_a_person_is_shown_what_was_asked_and_what_came():
    answered = made(begun({"count": 2}), ended({"total": 3}, faults=(Injection(Fault("clock.back"), True),)))
    assert f"add count 2 at {NOW}: ok total 3" == answered.said
    assert f"add count 2 at {NOW}: no answer" == made(begun({"count": 2}), None).said


def test_what_a_person_is_shown_is_short_and_begins_with_what_matters():
    assert "b 2, a 1, c 3" == calls.shown({"a": 1, "b": 2, "c": 3}, ("b",))
    long = calls.shown({f"field_{n}": "x" * 200 for n in range(9)})
    assert (300, " ...") == (len(long), long[-4:])


def test_what_is_nested_too_deep_is_said_to_be():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert "a (nested too deep to be shown)" == calls.shown({"a": deep})

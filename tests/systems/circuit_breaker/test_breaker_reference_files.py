"""The reference's state file: what it says, what it is taken for when it is damaged, gone or out of reach."""

import errno
import json

import pytest
from breaker_reference_world import CLOSED, HALF_OPEN, NAME, NOW, OPEN, Failing, World, codes

from harness.systems.circuit_breaker.contract import LONGEST_NAME
from harness.systems.circuit_breaker.reference.state_file import ASIDE_NUMBERS, LIMIT_BYTES

NO_SPACE = OSError(errno.ENOSPC, "no space left on device")

# the document's own example, word for word
EXAMPLE = {
    "api/claude": {
        "state": "CLOSED", "failure_count": 0, "success_count": 0, "last_failure_time": None,
        "last_state_change": "2025-01-20T10:30:00Z", "cooldown_until": None, "failure_window_start": None,
    },
    "api/openai": {
        "state": "OPEN", "failure_count": 3, "success_count": 0, "last_failure_time": "2025-01-20T10:35:42Z",
        "last_state_change": "2025-01-20T10:35:42Z", "cooldown_until": "2025-01-20T10:40:42Z",
        "failure_window_start": "2025-01-20T10:34:50Z",
    },
    "api/codex": {
        "state": "HALF_OPEN", "failure_count": 0, "success_count": 1, "last_failure_time": "2025-01-20T10:25:00Z",
        "last_state_change": "2025-01-20T10:30:00Z", "cooldown_until": None, "failure_window_start": None,
    },
}  # fmt: skip
AT_EXAMPLE = 1_737_369_342.0 - NOW  # 2025-01-20T10:35:42Z, as these tests count


def example(files, **changes):
    world = World("/world", files)
    document = json.loads(json.dumps(EXAMPLE))
    for name, fields in changes.items():
        document[name.replace("_", "/")].update(fields)
    files.replace(world.state, json.dumps(document).encode())
    return world


@pytest.fixture
def files():
    return Failing()


@pytest.fixture
def world(files):
    return World("/world", files)


# -- what is written


def test_a_record_has_the_seven_fields_of_the_document(world):
    world.fail(0, 1.5, 2)
    record = world.written()[NAME]
    extra = record.pop("extra")
    assert record == {
        "state": "OPEN", "failure_count": 3, "success_count": 0, "last_failure_time": "2026-03-01T12:00:02Z",
        "last_state_change": "2026-03-01T12:00:02Z", "cooldown_until": "2026-03-01T12:05:02Z",
        "failure_window_start": "2026-03-01T12:00:00Z",
    }  # fmt: skip
    assert ("HTTP 503", 300.0, "2026-03-01T12:00:01.500000Z") == (
        extra["last_error"], extra["cooldown_s"], extra["failures"][1],
    )  # fmt: skip


def test_nothing_is_written_for_a_breaker_that_never_failed(world, files):
    world.ok(0, 1)
    world.look()
    world.capacity()
    assert files.contents == {}


def test_looking_and_refusing_write_nothing(world, files):
    world.fail(0, 0, 0)
    before = dict(files.contents)
    world.look(400)
    world.ask(1)
    world.capacity(400)
    assert files.contents == before


def test_a_process_goes_on_where_another_one_stopped(world):
    world.fail(0, 0)
    assert world.opened().fail(1) == OPEN
    assert (False, "HTTP 503") == (world.ask(1).permitted, world.opened().ask(2).error)
    assert world.opened().ask(301).permitted
    assert not world.ask(302).permitted


def test_the_documents_example_is_read(files):
    world = example(files)
    assert (True, CLOSED) == (world.ask(AT_EXAMPLE).permitted, world.look(AT_EXAMPLE).state)
    assert (300.0, False) == (
        world.look(AT_EXAMPLE, "api/openai").wait_s, world.ask(AT_EXAMPLE + 299, "api/openai").permitted,
    )  # fmt: skip
    assert world.ask(AT_EXAMPLE + 300, "api/openai").permitted
    assert world.ok(AT_EXAMPLE, AT_EXAMPLE + 10, name="api/codex") == CLOSED


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"failure_count": 2, "last_failure_time": "2025-01-20T10:35:42Z"}, OPEN),
        ({"failure_count": 2, "last_failure_time": "2025-01-20T10:34:41Z"}, CLOSED),
        (
            {
                "failure_count": 2,
                "failure_window_start": "2025-01-20T10:34:41Z",
                "last_failure_time": "2025-01-20T10:35:42Z",
            },
            CLOSED,
        ),
        ({"failure_count": 2}, CLOSED),
        ({"failure_count": 2, "last_state_change": "2025-01-20T10:35:30Z"}, OPEN),
        ({"failure_count": 10**30, "last_failure_time": "2025-01-20T10:35:42Z"}, OPEN),
        ({"failure_count": 2.0, "last_failure_time": "2025-01-20T10:35:42Z"}, OPEN),
    ],
)
def test_the_counts_of_a_foreign_record_are_taken_on(files, fields, state):
    assert example(files, api_claude=fields).fail(AT_EXAMPLE) == state


def test_an_open_record_without_an_end_is_open_for_a_cooldown(files):
    world = example(files, api_openai={"cooldown_until": None})
    assert [False, True] == [world.ask(AT_EXAMPLE + at, "api/openai").permitted for at in (299.999999, 300)]


def test_fields_of_others_stay(files):
    world = example(files, api_claude={"owner": {"team": 7}})
    before = world.written()
    world.fail(AT_EXAMPLE)
    after = world.written()
    assert ({"team": 7}, 1) == (after["api/claude"]["owner"], after["api/claude"]["failure_count"])
    assert {name: before[name] for name in ("api/openai", "api/codex")} == {
        name: after[name] for name in ("api/openai", "api/codex")
    }


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "/",
        "..",
        "a/../../b",
        "x\0y",
        "n\u00e9e",
        "ne\u0301e",
        "\U0001f642\u202e",
        "x" * LONGEST_NAME,
        "*",
        '"\\\n',
    ],
    ids=lambda name: ascii(name)[:20],
)
def test_any_text_is_a_name_and_no_path(world, files, name):
    world.fail(0, 0, 0, name=name)
    assert (False, True) == (world.opened().ask(1, name).permitted, world.ask(1, "other").permitted)
    assert set(files.contents) == {world.state}
    for at in (300, 310, 320):
        world.ok(at, name=name)
    assert len(world.lines()) == 1


@pytest.mark.parametrize("name", ["x" * (LONGEST_NAME + 1), "\ud800"], ids=["long", "surrogate"])
def test_a_name_that_is_none_is_refused_and_kept_nowhere(world, files, name):
    asked, told, looked = world.ask(name=name), world.tell("failure", "x", name=name), world.look(name=name)
    assert (False, "refused", CLOSED, CLOSED, CLOSED) == (
        asked.permitted, asked.held, asked.state, told.state, looked.state,
    )  # fmt: skip
    assert [["name_invalid"]] * 3 == [codes(each) for each in (asked, told, looked)]
    assert files.contents == {}


def test_calls_and_errors_that_no_file_can_hold_are_written_out(world):
    world.fail(0, 0, error="\ud800")
    world.ask(0, call="\udfff")
    assert world.tell("failure", "\udfff", 0, error="lone \ud800").state == OPEN
    assert world.opened().ask(1).error == "lone \\ud800"


# -- a file that is none

DAMAGE = {
    "empty": b"", "truncated": b'{"api/claude": {"state": "OP', "list": b"[]", "null": b"null", "number": b"3",
    "bytes": b"\xff\xfe", "bom": b"\xef\xbb\xbf{}", "nul": b"\0" * 40, "nan": b'{"a": NaN}', "deep": b'{"a": ' + b"[" * 100_000,
    "record-null": b'{"api/claude": null}', "record-empty": b'{"api/claude": {}}',
}  # fmt: skip
RECORDS = {
    "lower-case": {"state": "open"}, "no-state": {"state": None}, "text-count": {"failure_count": "3"},
    "true-count": {"failure_count": True}, "negative": {"success_count": -1}, "fraction": {"failure_count": 2.5},
    "number-time": {"last_failure_time": 1_737_369_342}, "no-offset": {"last_state_change": "2025-01-20T10:35:42"},
    "no-change": {"last_state_change": None}, "words": {"cooldown_until": "soon"}, "extra": {"extra": 7},
}  # fmt: skip


def assert_quarantined(world, at):
    """Whatever the name, one probe an interval, and three successes until it is trusted."""
    for name in ("api/openai", "brand/new"):
        assert (HALF_OPEN, True, False) == (
            world.look(at, name).state, world.ask(at, name, "p").permitted, world.opened().ask(at, name).permitted,
        )  # fmt: skip
        assert world.tell("success", "p", at, name).state == HALF_OPEN
        assert world.ok(at + 10, at + 20, name=name) == CLOSED
        assert world.opened().look(at + 20, name).state == CLOSED


@pytest.mark.parametrize("data", DAMAGE.values(), ids=DAMAGE)
def test_a_file_that_is_none_is_kept_aside_and_everybody_is_tested(world, files, data):
    files.replace(world.state, data)
    asked = world.ask(0, call="first")
    assert (HALF_OPEN, ["state_invalid"]) == (asked.state, codes(asked))
    assert (data, NAME) == (files.contents[f"{world.state}.corrupt-1"][0], *world.written())
    assert codes(world.look()) == []
    assert_quarantined(world, 100)


@pytest.mark.parametrize("fields", RECORDS.values(), ids=RECORDS)
def test_a_record_that_is_none_spoils_the_file(files, fields):
    world = example(files, api_claude=fields)
    assert "state_invalid" in codes(world.look(AT_EXAMPLE))
    assert_quarantined(world, AT_EXAMPLE)


def test_a_file_that_goes_bad_puts_what_a_process_knew_in_quarantine(world, files):
    world.fail(0, 0, 0)
    world.ok(0, name="other")
    files.replace(world.state, b"{")
    assert (2, HALF_OPEN, HALF_OPEN) == (world.capacity(1).agents, world.look(2).state, world.look(2, "other").state)
    assert "2026-03-01T12:00:01Z" == world.look(3).last_state_change


def test_a_bad_file_that_cannot_be_kept_stays_where_it_is(world, files):
    files.replace(world.state, b"{")
    files.broken["create"] = NO_SPACE
    assert codes(world.ask(0, call="p")) == ["state_invalid", "state_write_failed"]
    assert (b"{", False) == (world.read(world.state), world.ask(5).permitted)
    assert world.tell("success", "p", 5).state == HALF_OPEN
    assert world.ok(10, 20) == CLOSED
    files.broken.clear()
    world.ask(21)
    assert (CLOSED, 1) == (world.written()[NAME]["state"], len(world.lines()))


def test_so_many_bad_files_are_kept(world, files):
    for number in range(len(ASIDE_NUMBERS) + 3):
        files.replace(world.state, b"{%d" % number)
        assert "state_invalid" in codes(world.look(number))
    kept = sorted(path for path in files.contents if "corrupt" in path)
    assert (len(ASIDE_NUMBERS), b"{0") == (len(kept), files.contents[f"{world.state}.corrupt-1"][0])


def test_a_file_too_large_to_be_one_is_none(world, files):
    files.replace(world.state, b" " * (LIMIT_BYTES + 1))
    assert world.look().state == HALF_OPEN


# -- a file that is missing


def test_without_a_file_breakers_are_closed(world):
    assert (CLOSED, [], True) == (world.look().state, codes(world.look()), world.ask().permitted)


def test_a_file_that_vanished_is_put_back_by_who_knows_it(world, files):
    world.fail(0, 0, 0)
    world.fail(0, name="other")
    files.remove(world.state)
    asked = world.ask(1)
    assert (False, ["state_invalid"]) == (asked.permitted, codes(asked))
    assert {NAME: "OPEN", "other": "CLOSED"} == {name: each["state"] for name, each in world.written().items()}


def test_a_record_that_vanished_is_put_back_by_who_knows_it(world, files):
    world.fail(0, 0, 0)
    files.replace(world.state, b"{}")
    assert (OPEN, "OPEN") == (world.look(1).state, world.written()[NAME]["state"])

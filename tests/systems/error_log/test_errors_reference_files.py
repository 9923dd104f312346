"""errors.json as it may be found, and storage that refuses: nothing is lost while the process lives."""

import errno
import json

import pytest
from errors_reference_world import Failing, World, codes

from harness.ports.fake_files import FakeFiles
from harness.systems.error_log.reference.errors_file import InvalidFileError, contents_of
from harness.systems.error_log.reference.kept_file import ASIDE_NUMBERS, LIMIT_BYTES

FOREIGN = '{"id":"err_1_abc","type":"timeout","name":"foreign","n":123456789012345678901234567890,"e":1e999,"x":{"a":"\\u00fc"}}'
CORRUPT = (b"", b"null", b"3", b'"x"', b"{", b"[1", b'{"errors":null}', b'{"errors":{}}', b'{"errors":[],"errors":[]}',
           b"\xff", b'{"errors":[NaN]}', b'{"errors":[' + b"[" * 100_000, b"[" * 2000 + b"]" * 2000,
           b'{"n":' + b"9" * 5000 + b',"errors":3}', b'{"errors":[]}{')  # fmt: skip


@pytest.fixture
def world():
    return World(files=Failing())


@pytest.mark.parametrize("data", CORRUPT, ids=[f"c{number}" for number in range(len(CORRUPT))])
def test_what_is_no_log_is_kept_aside_and_begun_anew(world, data):
    world.put("errors", data)
    found = world.log("a")
    assert (["errors_invalid"], True) == (codes(found), found.stored)
    assert world.files.read(world.path("errors") + ".corrupt-1", 1 << 30) == data
    assert world.in_file() == ["a"]


def test_what_this_process_knew_of_a_file_that_was_damaged_is_put_back(world):
    world.log("a")
    whole = world.text("errors")
    world.put("errors", whole[:40])
    assert (codes(world.read_all()), world.names()) == (["errors_invalid"], ["a"])
    world.log("b")
    assert world.in_file() == ["a", "b"]
    assert world.opened().names() == ["a", "b"]


def test_bad_files_are_kept_under_sixteen_names_and_then_evidence_enough_is(world):
    for number in range(len(ASIDE_NUMBERS) + 2):
        world.put("errors", b"bad")
        world.log(f"{number}")
    assert sum("corrupt" in path for path in world.files.contents) == len(ASIDE_NUMBERS)
    assert len(world.in_file()) == len(ASIDE_NUMBERS) + 2


def test_a_bad_file_that_cannot_be_kept_aside_stays_and_so_does_the_record(world):
    world.put("errors", b"bad")
    world.files.broken["create", None] = OSError(errno.ENOSPC, "full")
    found = world.log("a")
    assert (["errors_invalid", "errors_write_failed"], False) == (codes(found), found.stored)
    assert world.text("errors") == b"bad"
    world.files.broken.clear()
    assert world.log("b").stored
    assert world.in_file() == ["a", "b"]


@pytest.mark.parametrize("shape", ['{"v":1,"errors":[%s],"z":[1, 2]}', "[%s]", '\ufeff{"errors" : [ %s ]}'])
def test_what_others_wrote_is_kept_with_its_shape(world, shape):
    world.put("errors", (shape % f'{FOREIGN},7,{{"id":5}},{{"id":"b","type":"x","name":"n"}}').encode())
    assert world.names() == ["foreign", "n"]
    world.log("a")
    assert world.fix("foreign").record["fix_status"] == "fixed"
    text = world.text("errors").decode()
    before = json.loads(shape.lstrip("\ufeff") % FOREIGN)
    after = json.loads(text)
    if isinstance(before, dict):
        assert {**before, "errors": 0} == {**after, "errors": 0}
        assert list(before) == list(after)
    records = after if isinstance(after, list) else after["errors"]
    assert [json.loads(FOREIGN) | {"fix_status": "fixed"}, 7, {"id": 5}] == records[:3]
    assert [each.get("name") for each in records[3:]] == ["n", "a"]
    assert "123456789012345678901234567890" in text
    assert "1e999" in text
    assert world.opened().names() == ["foreign", "n", "a"]


def test_an_object_without_errors_gets_them(world):
    world.put("errors", b'{"v":1}')
    world.log("a")
    assert world.written()["v"] == 1
    assert world.in_file() == ["a"]
    assert world.text("errors").startswith(b'{"v":1,"errors":[\n')


def test_an_empty_list_stays_a_list(world):
    world.put("errors", b" []\n")
    world.log("a")
    assert [each["name"] for each in world.written()] == ["a"]


def test_numbers_that_no_machine_holds_come_back_as_texts(world):
    world.put("errors", b'[{"id":"a","type":"b","name":"n","huge":' + b"9" * 5000 + b"}]")
    assert world.records() == [{"id": "a", "type": "b", "name": "n", "huge": "9" * 5000}]


def test_halves_of_surrogate_pairs_do_not_damage_a_log(world):
    world.put("errors", rb'[{"id":"a","type":"b","name":"\ud800 \\ud800 \ud83d\ude00"}]')
    assert world.names() == ["\\ud800 \\ud800 \U0001f600"]
    world.log("z")
    assert len(world.opened().records()) == 2


def test_a_number_for_an_id_makes_no_record():
    assert contents_of(b'[{"id":1e999,"type":"x"}]').ids == set()
    with pytest.raises(InvalidFileError, match="twice"):
        contents_of(b'{"errors":[],"errors":[{"id":"a","type":"b"}]}')


def test_two_processes_add_to_one_file(world):
    other = world.opened()
    world.log("a")
    other.log("b")
    world.log("c")
    assert world.in_file() == ["a", "b", "c"] == other.names()


def test_a_file_that_was_removed_is_begun_anew(world):
    world.log("a")
    world.files.remove(world.path("errors"))
    assert world.names() == []
    assert world.log("b").log == ()
    assert world.in_file() == ["b"]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("read", ["errors_unreadable", "errors_write_failed"]), ("replace", ["errors_write_failed"]),
        ("lock", ["lock_failed", "errors_write_failed"]),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_kept_in_order_and_goes_in_with_the_next(world, method, expected):
    world.log("a")
    world.files.broken[method, "errors"] = OSError(errno.EIO, "broken")
    found = [world.log(name) for name in ("b", "c")]
    assert [(expected, False)] * 2 == [(codes(each), each.stored) for each in found]
    assert world.names() == ["a", "b", "c"]
    assert world.names("nobody") == []
    changed = world.fix("b")
    assert ("fixed", False) == (changed.record["fix_status"], changed.stored)
    assert [each.get("fix_status") for each in world.records()] == ["unfixed", "fixed", "unfixed"]
    world.files.broken.clear()
    assert world.opened().names() == ["a"]
    assert world.log("d").stored
    assert world.in_file() == ["a", "b", "c", "d"]
    assert [each["fix_status"] for each in world.opened().records()] == ["unfixed", "fixed", "unfixed", "unfixed"]


def test_a_fix_status_that_cannot_be_written_is_kept_too(world):
    world.log("a")
    world.files.broken["replace", "errors"] = OSError(errno.ENOSPC, "full")
    found = world.fix("a")
    assert (False, "fixed") == (found.stored, world.records()[0]["fix_status"])
    world.files.broken.clear()
    world.finish()
    assert world.opened().records()[0]["fix_status"] == "fixed"


@pytest.mark.parametrize("operate", [World.begin, World.finish, lambda world: world.fix("nobody")])
def test_other_operations_write_what_was_left(world, operate):
    world.files.broken["replace", "errors"] = OSError(errno.ENOSPC, "full")
    world.log("a")
    world.files.broken.clear()
    operate(world)
    assert world.in_file() == ["a"]


def test_what_stands_there_and_is_no_file_is_not_overwritten(world):
    world.files.replace(world.path("errors") + "/x", b"")
    found = world.log("a")
    assert (False, ["errors_unreadable", "errors_write_failed"]) == (found.stored, codes(found))


def test_a_file_beyond_the_limit_is_not_read(world, monkeypatch):
    monkeypatch.setattr("harness.systems.error_log.reference.kept_file.LIMIT_BYTES", 100)
    world.put("errors", b" " * 101)
    assert codes(world.log("a")) == ["errors_unreadable", "errors_write_failed"]
    assert LIMIT_BYTES == 1 << 28


def test_fix_status_changes_the_record_of_that_name_alone(world):
    for name in ("a", "b", "a"):
        world.log(name)
    assert world.fix("a", "in_progress").stored
    assert [each["fix_status"] for each in world.records()] == ["unfixed", "unfixed", "in_progress"]
    found = world.opened().fix("b")
    assert (True, "fixed") == (found.stored, found.record["fix_status"])


def test_a_name_that_nobody_knows_and_a_status_that_is_none_change_nothing(world):
    world.log("a")
    before = world.text("errors")
    unknown, none, neither = world.fix("b"), world.fix("a", "done"), world.fix("b", "done")
    assert (None, False, ["name_unknown"]) == (unknown.record, unknown.stored, codes(unknown))
    assert ("unfixed", False, ["error_invalid"]) == (none.record["fix_status"], none.stored, codes(none))
    assert (None, ["error_invalid"]) == (neither.record, codes(neither))
    assert before == world.text("errors")


def test_records_are_linked_by_session_in_order_whatever_the_clock_does(world):
    for number, (session, at) in enumerate((("s1", 5), ("s2", 4), ("s1", 3), (None, 2), ("S1", 1), ("s1", 5))):
        world.log(f"{number}", at=at, context={"session_id": session})
    assert (["0", "2", "5"], ["1"], []) == (world.names("s1"), world.names("s2"), world.names("s"))
    assert world.names() == ["0", "1", "2", "3", "4", "5"]


def test_a_pattern_is_a_type_with_more_than_one_record(world):
    for kind, session in (("timeout", "s1"), ("timeout", "s1"), ("timeout", None), ("build_error", "s2"),
                          ("parse_error", None), ("parse_error", None)):  # fmt: skip
        world.log(kind, kind=kind, context={"session_id": session})
    world.put("errors", world.text("errors").replace(b'"context":{"session_id":"s2"', b'"context":7,"c":{"s":"s2"'))
    assert world.patterns() == {"timeout": (3, 1), "parse_error": (2, 0)}


def test_the_reference_needs_no_files_of_its_own(tmp_path):
    world = World(str(tmp_path))
    world.log("a")
    assert world.in_file() == ["a"]
    assert World(str(tmp_path)).names() == ["a"]
    assert World(files=FakeFiles()).names() == []

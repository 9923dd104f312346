"""The queue files as read: either form, and whatever else stands there."""

import json

import pytest

from harness.systems import queue_files
from harness.systems.queue_files import EMPTY, QueueFile, is_count, path_of, places, read, task_id


def test_the_path_of_a_queue():
    assert path_of("dead-letter") == ".loki/queue/dead-letter.json"
    assert {".loki/queue"} == {path_of(each).rpartition("/")[0] for each in queue_files.QUEUES}


def test_a_file_that_is_not_there_is_empty():
    assert read(None) is EMPTY


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_an_object_with_tasks_and_a_bare_array_are_read(mark):
    assert read(mark + b'{"v":1,"tasks":[{"task_id":"a"},7,{}],"m":{}}') == QueueFile(
        ({"task_id": "a"}, {}), (7,), {"v": 1, "m": {}}
    )
    assert read(mark + b' [null,{"task_id":"a"}]') == QueueFile(({"task_id": "a"},), (None,), None)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\x00", b"\xff\xfe[\x00]\x00", b'["\xff"]', b"{", b'{"tasks":[', b"7", b"null", b'"x"', b"NaN", b"{}",
        b'{"tasks":{}}', b'{"tasks":null}', b"[NaN]", b"[1e400,Infinity]", b"[] []",
        b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b"[1e400," + b"[" * 100_000 + b"]" * 100_001,
        b'[{"a":' + b"[" * 400 + b"]" * 400 + b"}]", b'{"tasks":[],"m":' + b"[" * 400 + b"]" * 400 + b"}",
    ],
    ids=str,
)  # fmt: skip
def test_what_is_damaged_is_none(data):
    assert read(data) is None


def test_both_forms_may_be_nested_as_deep():
    def deep(levels):
        return b"[" * levels + b"]" * levels

    for levels, whole in ((198, True), (199, False)):
        found = (read(b"[" + deep(levels) + b"]"), read(b'{"tasks":[' + deep(levels) + b"]}"))
        assert [each is not None for each in found] == [whole, whole]
    assert read(b'{"tasks":[],"m":' + deep(199) + b"}") is not None
    assert read(b'{"tasks":[],"m":' + deep(200) + b"}") is None


def test_halves_of_surrogate_pairs_are_read_as_the_texts_of_their_escapes():
    for data in (rb'[{"task_id":"\ud800"}]', rb'[{"task_id":"\uD800","\udc00":"\ud83d\ude00\\ud800"}]'):
        found = read(data)
        json.dumps(found.tasks, ensure_ascii=False).encode()
        assert found.ids()[0].lower() == "\\ud800"
    assert found.tasks[0]["\\udc00"] == "😀\\ud800"


def test_numbers_beyond_those_of_a_machine_are_numbers():
    whole, large, float_, huge = read(b"[%d,%d,1e400,%s]" % (10**30, 10**299, b"1" * 5000)).odd
    assert (whole, large) == (10**30, 10**299)
    assert float_ == huge == float("inf")


def test_of_names_that_stand_twice_the_last_counts():
    assert read(b'{"tasks":[1],"tasks":[2],"m":1,"m":2}') == QueueFile((), (2,), {"m": 2})


def test_ten_megabytes_are_read():
    assert read(json.dumps([{"task_id": "a" * 10_485_760}]).encode()).ids() == ("a" * 10_485_760,)


@pytest.mark.parametrize(
    ("task", "expected"),
    [({"task_id": "a"}, "a"), ({"task_id": ""}, None), ({"task_id": 1}, None), ({"id": "a"}, None)],
)
def test_the_id_of_a_task(task, expected):
    assert task_id(task) == expected


def test_tasks_are_found_by_id():
    found = read(b'[{"task_id":"a","n":1},{"task_id":3},{"task_id":"b"},{"task_id":"a","n":2}]')
    assert found.ids() == ("a", "b", "a")
    assert found.find("a") == {"task_id": "a", "n": 1}
    assert found.find("c") is None
    assert list(places({"pending": found, "blocked": None, "completed": found}, "a")) == [
        "pending", "pending", "completed", "completed",
    ]  # fmt: skip
    assert list(places({"pending": found}, "c")) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, True), (5, True), (5.0, True), (10**400, True), (-1, False), (-1.0, False), (1.5, False), (True, False),
        (False, False), (float("inf"), False), (float("nan"), False), ("5", False), (None, False), ([], False),
    ],
)  # fmt: skip
def test_a_count(value, expected):
    assert is_count(value) is expected


def test_numbers_that_no_float_holds_are_told_as_null():
    found = read(b'[{"task_id":"a","x":[1e400,-1e400,{"y":1e999}],"z":1.5,"n":true}]').tasks[0]
    assert {"task_id": "a", "x": [None, None, {"y": None}], "z": 1.5, "n": True} == queue_files.answerable(found)
    assert queue_files.answerable(None) is None


def test_copies_stand_by_id_in_the_order_of_the_files_and_what_has_no_id_is_in_none():
    first, second, odd = {"task_id": "b", "n": 1}, {"task_id": "a"}, {"task_id": ""}
    files = {
        "pending": QueueFile((first, odd), (), {}),
        "dead-letter": QueueFile((second, {"task_id": "b", "n": 2}), (), {}),
    }
    assert {
        "b": [("pending", first), ("dead-letter", {"task_id": "b", "n": 2})],
        "a": [("dead-letter", second)],
    } == queue_files.copies_by_id(files)

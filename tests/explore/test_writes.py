"""Changes of files as values. Source: issue 4, "Crash states"; rename(2), link(2), write(2)."""

import msgspec
import pytest

from harness.errors import HarnessFault
from harness.explore.writes import (
    DIRECTORY,
    Change,
    Create,
    Exchange,
    Link,
    MakeDirectory,
    MakeSymbolicLink,
    RemoveDirectory,
    Rename,
    SymbolicLink,
    Sync,
    SyncAll,
    Tree,
    Truncate,
    Unlink,
    Write,
    told,
)


def after(before, *changes):
    tree = Tree.of(before)
    for change in changes:
        tree.apply(change)
    return tree.files()[0]


@pytest.mark.parametrize(
    ("expected", "changes"),
    [
        ({"a": b""}, [Create("a")]),
        ({"a": b"xy"}, [Create("a"), Write("a", 0, b"xy")]),
        ({"a": b"\0\0xy"}, [Create("a"), Write("a", 2, b"xy")]),
        ({"a": b"1xy4"}, [Create("a"), Write("a", 0, b"1234"), Write("a", 1, b"xy")]),
        ({"a": b"12"}, [Create("a"), Write("a", 0, b"1234"), Truncate("a", 2)]),
        ({"a": b"1\0\0"}, [Create("a"), Write("a", 0, b"1"), Truncate("a", 3)]),
        ({}, [Create("a"), Unlink("a")]),
        ({"d": DIRECTORY, "d/a": b""}, [MakeDirectory("d"), Create("d/a")]),
        ({}, [MakeDirectory("d"), RemoveDirectory("d")]),
        ({"l": SymbolicLink("a")}, [MakeSymbolicLink("l", "a")]),
        ({"a": b""}, [Create("a"), Sync("a"), Sync("."), SyncAll()]),
    ],
)
def test_a_change_does_what_the_call_did(expected, changes):
    assert expected == after({}, *changes)


def test_a_rename_takes_the_bytes_along_and_removes_what_had_the_name():
    assert {"s": b"new"} == after({"s": b"old", "t": b"new"}, Rename("t", "s"))


def test_a_rename_of_a_directory_takes_along_what_is_in_it():
    assert {"e": DIRECTORY, "e/a": b"1"} == after({"d": DIRECTORY, "d/a": b"1"}, Rename("d", "e"))


def test_a_rename_between_two_names_of_one_file_does_nothing():
    assert {"a": b"1", "b": b"1"} == after({"a": b"1"}, Link("a", "b"), Rename("a", "b"))


def test_an_exchange_swaps_two_names():
    assert {"a": b"2", "b": b"1"} == after({"a": b"1", "b": b"2"}, Exchange("a", "b"))


def test_what_is_written_under_one_name_stands_under_the_other():
    assert {"a": b"x", "b": b"x"} == after({"a": b"1"}, Link("a", "b"), Write("a", 0, b"x"))


def test_a_second_name_is_told_as_a_link_and_survives_the_way_through_files():
    tree = Tree.of({"a": b"1"})
    tree.apply(Link("a", "b"))
    files, links = tree.files()
    assert {"b": "a"} == links
    again = Tree.of(files, links)
    again.apply(Write("b", 0, b"2"))
    assert {"a": b"2", "b": b"2"} == again.files()[0]


@pytest.mark.parametrize("change", [Unlink("x"), Write("x", 0, b"1"), Rename("x", "y"), Create("x/y"), Sync("x/y")])
def test_a_change_of_what_nothing_made_is_a_recording_that_is_not_whole(change):
    tree = Tree.of({})
    with pytest.raises(HarnessFault, match="the recording is not whole"):
        tree.inode(change.path) if isinstance(change, Sync) else tree.apply(change)


def test_bytes_cannot_be_written_to_a_directory():
    with pytest.raises(HarnessFault, match="no regular file"):
        after({"d": DIRECTORY}, Write("d", 0, b"1"))


def test_a_copy_of_a_tree_changes_alone():
    tree = Tree.of({"a": b"1"})
    tree.copy().apply(Unlink("a"))
    assert {"a": b"1"} == tree.files()[0]


def test_changes_are_written_and_read_as_json():
    changes = [Create("a"), Write("a", 0, b"\xff"), Sync("."), SyncAll(), Rename("a", "b")]
    assert changes == msgspec.json.decode(msgspec.json.encode(changes), type=list[Change])


@pytest.mark.parametrize(
    ("expected", "change"),
    [
        ("write 2 bytes at 3 of a", Write("a", 3, b"xy")),
        ("truncate a to 0 bytes", Truncate("a")),
        ("rename a to b", Rename("a", "b")),
        ("link a to b", Link("a", "b")),
        ("exchange a and b", Exchange("a", "b")),
        ("make the symbolic link a to b", MakeSymbolicLink("a", "b")),
        ("make directory d", MakeDirectory("d")),
        ("remove directory d", RemoveDirectory("d")),
        ("create a", Create("a")),
        ("sync a", Sync("a")),
        ("sync the directory itself", Sync(".")),
        ("unlink a", Unlink("a")),
        ("sync everything", SyncAll()),
    ],
)
def test_a_change_is_told_in_words(expected, change):
    assert expected == told(change)

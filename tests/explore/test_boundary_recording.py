"""What Python code changes is recorded as it was changed. Source: issue 4, "Crash states"."""

import mmap
import os
import pathlib
import shutil
import sqlite3

import pytest
from watched import Seen, standing

from harness.explore.in_process.originals import ORIGINAL
from harness.explore.in_process.recording import record
from harness.explore.writes import (
    Create,
    Link,
    MakeDirectory,
    MakeSymbolicLink,
    RemoveDirectory,
    Rename,
    Sync,
    SyncAll,
    Truncate,
    Unlink,
    Write,
)
from harness.faults.syscalls.supervisor import Torn

boundary = pytest.fixture(standing)


def recorded(boundary, function, before=None):
    before = before or {}
    for name, data in before.items():
        (pathlib.Path(boundary.directory) / name).write_bytes(data)
    return record(boundary, before, function)


def both(path, **more):
    return os.path.join(path, "a"), os.path.join(path, "b")


def descriptor_calls(path):
    file = os.open(os.path.join(path, "a"), os.O_CREAT | os.O_RDWR)
    os.write(file, b"12")
    os.pwrite(file, b"9", 5)
    os.writev(file, [b"3", b"4"])
    os.ftruncate(file, 3)
    os.fsync(file)
    os.close(file)


def appends(path):
    with open(os.path.join(path, "a"), "a") as file:
        file.write("more")


def copies(path):
    shutil.copyfile(os.path.join(path, "a"), os.path.join(path, "b"))


def synchronous(path):
    file = os.open(os.path.join(path, "a"), os.O_CREAT | os.O_WRONLY | os.O_DSYNC)
    os.write(file, b"1")
    os.close(file)


def after_rename(path):
    with open(os.path.join(path, "t"), "w") as file:
        os.rename(os.path.join(path, "t"), os.path.join(path, "s"))
        file.write("x")


def unnamed(path):
    with open(os.path.join(path, "t"), "w") as file:
        os.unlink(os.path.join(path, "t"))
        file.write("x")


def directories(path):
    os.makedirs(os.path.join(path, "d", "e"))
    os.rmdir(os.path.join(path, "d", "e"))


def failing(path):
    with pytest.raises(FileNotFoundError):
        os.unlink(os.path.join(path, "x"))


def syncs_directory(path):
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)
    os.close(file)
    os.sync()


def allocate(path):
    file = os.open(os.path.join(path, "a"), os.O_CREAT | os.O_RDWR)
    os.posix_fallocate(file, 0, 8)
    os.close(file)


@pytest.mark.parametrize(
    ("expected", "function", "before"),
    [
        (
            [Create("a"), Write("a", 0, b"12"), Write("a", 5, b"9"), Write("a", 2, b"34"), Truncate("a", 3), Sync("a")],
            descriptor_calls,
            {},
        ),
        ([Write("a", 3, b"more")], appends, {"a": b"old"}),
        ([Create("b"), Write("b", 0, b"old")], copies, {"a": b"old"}),
        ([Create("a"), Write("a", 0, b"1"), Sync("a")], synchronous, {}),
        ([Create("t"), Rename("t", "s"), Write("s", 0, b"x")], after_rename, {}),
        ([Create("t"), Unlink("t")], unnamed, {}),
        ([MakeDirectory("d"), MakeDirectory("d/e"), RemoveDirectory("d/e")], directories, {}),
        ([Truncate("a"), Write("a", 0, b"x")], lambda path: pathlib.Path(path, "a").write_text("x"), {"a": b"old"}),
        ([Link("a", "b")], lambda path: os.link(*both(path)), {"a": b"1"}),
        ([MakeSymbolicLink("b", "a")], lambda path: os.symlink("a", both(path)[1]), {}),
        ([], failing, {}),
        ([Sync("."), SyncAll()], syncs_directory, {}),
        ([Create("a"), Truncate("a", 8)], allocate, {}),
    ],
)
def test_what_was_changed_is_recorded(boundary, expected, function, before):
    found = recorded(boundary, lambda: function(boundary.directory), before)
    assert (tuple(expected), "") == (found.changes, found.missed)


def test_of_a_short_write_only_what_was_written_is_recorded(boundary, tmp_path):
    def short():
        file = os.open(tmp_path / "a", os.O_CREAT | os.O_WRONLY)
        with boundary.under(Seen({"write": Torn(2, kill=False)})):
            os.write(file, b"12345")
        os.close(file)

    assert (Create("a"), Write("a", 0, b"12")) == recorded(boundary, short).changes


def through_mapping(path):
    with open(os.path.join(path, "a"), "r+b") as file, mmap.mmap(file.fileno(), 0) as view:
        view[0] = ord("x")


def through_sqlite(path):
    connection = sqlite3.connect(os.path.join(path, "db"))
    connection.execute("create table t (x)")
    connection.close()


@pytest.mark.parametrize(("function", "name"), [(through_mapping, "a"), (through_sqlite, "db")])
def test_what_was_changed_unseen_is_told(boundary, function, name):
    found = recorded(boundary, lambda: function(boundary.directory), {"a": b"old"})
    assert f"changed by calls that were not seen: {name}" == found.missed


def test_a_change_of_what_was_made_unseen_is_told(boundary, tmp_path):
    def half_seen():
        ORIGINAL.close(ORIGINAL.os_open(tmp_path / "x", os.O_CREAT))
        os.unlink(tmp_path / "x")

    assert "the recording is not whole" in recorded(boundary, half_seen).missed


def test_copies_by_the_kernel_are_recorded_where_they_land(boundary, tmp_path):
    (tmp_path / "a").write_bytes(b"12345")

    def copy():
        source, target = os.open(tmp_path / "a", os.O_RDONLY), os.open(tmp_path / "b", os.O_CREAT | os.O_WRONLY)
        os.copy_file_range(source, target, 2, 0, 4)
        os.sendfile(target, source, 2, 3)
        os.close(source)
        os.close(target)

    found = record(boundary, {"a": b"12345"}, copy)
    assert ((Create("b"), Write("b", 4, b"12"), Write("b", 0, b"345")), "") == (found.changes, found.missed)

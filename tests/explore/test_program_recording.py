"""File calls become changes. Source: issue 4, "Crash states"; open(2), rename(2), fallocate(2), link(2)."""

import os

import pytest

from harness.explore.recording import Seen, recorded, touched
from harness.explore.writes import (
    DIRECTORY,
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
    Truncate,
    Unlink,
    Write,
)
from harness.faults.syscalls import Kind

BEFORE = {"a": b"old", "d": DIRECTORY, "d/f": b"", "empty": DIRECTORY, "l": SymbolicLink("a")}
CREATE, CUT = os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def opened(path, flags, name="openat"):
    return Seen(name=name, kind=Kind.OPEN, paths=(path,), flags=flags)


def wrote(path, data, offset=None, **more):
    return Seen(name="write", kind=Kind.WRITE, paths=(path,), data=data, length=len(data), offset=offset, **more)


def called(name, kind, *paths, **more):
    return Seen(name=name, kind=kind, paths=paths, **more)


ROWS = {
    "a new file is created": (opened("n", CREATE), [Create("n")]),
    "one that is there is not": (opened("a", CREATE), []),
    "nor where its directory is missing": (opened("x/n", CREATE), []),
    "nor below a file": (opened("a/n", CREATE), []),
    "an exclusive open of a file that is there fails": (opened("a", CUT | os.O_EXCL), []),
    "truncating an open cuts": (opened("a", CUT), [Truncate("a")]),
    "an empty file is not cut": (opened("d/f", CUT), []),
    "a file opened to be read is not cut": (opened("a", os.O_RDONLY | os.O_TRUNC), []),
    "a directory is not cut": (opened("d", CUT), []),
    "a file elsewhere is none of ours": (opened(None, CUT), []),
    "a file without a name is no change": (opened("d", os.O_TMPFILE | os.O_RDWR), []),
    "mknod makes a file": (opened("n", CREATE | os.O_EXCL, "mknodat"), [Create("n")]),
    "a write lands at its offset": (wrote("a", b"xy", 1), [Write("a", 1, b"xy")]),
    "or at the end of the file": (wrote("a", b"xy"), [Write("a", 3, b"xy")]),
    "a write of nothing is none": (wrote("a", b""), []),
    "a write to a file that has no name any more is none": (wrote("a", b"x", 0, nameless=True), []),
    "a write that is through to the disk is synced": (
        wrote("a", b"x", 0, durable=True),
        [Write("a", 0, b"x"), Sync("a")],
    ),
    "a write to what nobody made fails": (wrote("n", b"x", 0), []),
    "truncate cuts": (called("truncate", Kind.TRUNCATE, "a", length=1), [Truncate("a", 1)]),
    "ftruncate to the size it has changes nothing": (called("ftruncate", Kind.TRUNCATE, "a", length=3), []),
    "fallocate makes a file longer": (called("fallocate", Kind.TRUNCATE, "a", offset=2, length=3), [Truncate("a", 5)]),
    "never shorter": (called("fallocate", Kind.TRUNCATE, "a", offset=0, length=1), []),
    "nor when the size is kept": (called("fallocate", Kind.TRUNCATE, "a", offset=2, length=3, flags=1), []),
    "fsync of a file": (called("fsync", Kind.SYNC, "a"), [Sync("a")]),
    "fsync of the directory itself": (called("fsync", Kind.SYNC, "."), [Sync(".")]),
    "fsync of a file elsewhere": (called("fsync", Kind.SYNC, None), []),
    "sync": (called("sync", Kind.SYNC), [SyncAll()]),
    "sync_file_range promises nothing": (called("sync_file_range", Kind.SYNC, "a"), []),
    "rename": (called("rename", Kind.RENAME, "a", "b"), [Rename("a", "b")]),
    "rename over a file": (called("rename", Kind.RENAME, "a", "d/f"), [Rename("a", "d/f")]),
    "rename of nothing fails": (called("rename", Kind.RENAME, "x", "b"), []),
    "rename to itself is nothing": (called("rename", Kind.RENAME, "a", "a"), []),
    "a file does not replace a directory": (called("rename", Kind.RENAME, "a", "empty"), []),
    "a directory replaces an empty one": (called("rename", Kind.RENAME, "d", "empty"), [Rename("d", "empty")]),
    "but no full one": (called("rename", Kind.RENAME, "empty", "d"), []),
    "rename without replacing": (called("renameat2", Kind.RENAME, "a", "d/f", flags=1), []),
    "rename into a missing directory": (called("rename", Kind.RENAME, "a", "x/b"), []),
    "exchange": (called("renameat2", Kind.RENAME, "a", "d", flags=2), [Exchange("a", "d")]),
    "exchange with nothing fails": (called("renameat2", Kind.RENAME, "a", "b", flags=2), []),
    "moved out, a file is gone": (called("rename", Kind.RENAME, "a", None), [Unlink("a")]),
    "link": (called("link", Kind.LINK, "a", "b"), [Link("a", "b")]),
    "link to a name that is taken fails": (called("link", Kind.LINK, "a", "d/f"), []),
    "a directory has one name": (called("link", Kind.LINK, "d", "b"), []),
    "symlink": (called("symlink", Kind.SYMLINK, "b", target="a"), [MakeSymbolicLink("b", "a")]),
    "mkdir": (called("mkdir", Kind.MKDIR, "b"), [MakeDirectory("b")]),
    "mkdir of what is there fails": (called("mkdir", Kind.MKDIR, "a"), []),
    "unlink": (called("unlink", Kind.UNLINK, "l"), [Unlink("l")]),
    "unlink of a directory fails": (called("unlink", Kind.UNLINK, "d"), []),
    "rmdir": (called("rmdir", Kind.RMDIR, "empty"), [RemoveDirectory("empty")]),
    "rmdir of a full directory fails": (called("rmdir", Kind.RMDIR, "d"), []),
    "looking changes nothing": (called("stat", Kind.STAT, "a"), []),
}


@pytest.mark.parametrize(("call", "expected"), ROWS.values(), ids=ROWS)
def test_a_call_changes(call, expected):
    assert tuple(expected) == recorded([call], BEFORE).changes


DOUBTS = {
    "copies": called("copy_file_range", Kind.COPY, "a", length=3),
    "mappings": called("mmap", Kind.MAP, "a"),
    "a file moved in": called("rename", Kind.RENAME, None, "b"),
    "a directory moved out": called("rename", Kind.RENAME, "d", None),
    "a name for a file elsewhere": called("link", Kind.LINK, None, "b"),
    "a link whose text is not known": called("symlink", Kind.SYMLINK, "b"),
    "a node of some kind": opened("n", CREATE | os.O_EXCL, "mknodat"),
    "a punched hole": called("fallocate", Kind.TRUNCATE, "a", offset=0, length=1, flags=3),
    "data that was too long to be read": Seen(
        name="write", kind=Kind.WRITE, paths=("a",), data=b"x", length=2, offset=0
    ),
}


@pytest.mark.parametrize("call", DOUBTS.values(), ids=DOUBTS)
def test_what_cannot_be_told_as_changes_is_said(call):
    assert 1 == len(recorded([call], BEFORE).doubts)


def test_what_was_written_before_a_rename_is_written_to_the_new_name_after_it():
    calls = [opened("t", CREATE), wrote("t", b"1", 0), called("rename", Kind.RENAME, "t", "a"), wrote("a", b"2", 1)]
    found = recorded(calls, BEFORE)
    assert (Create("t"), Write("t", 0, b"1"), Rename("t", "a"), Write("a", 1, b"2")) == found.changes
    assert b"12" == found.after["a"]


def test_each_call_knows_how_many_changes_came_before_it():
    calls = [opened("t", CREATE), called("stat", Kind.STAT, "t"), wrote("t", b"1", 0), called("close", Kind.CLOSE, "t")]
    assert (0, 1, 1, 2) == recorded(calls, BEFORE).done


def test_the_paths_that_have_to_be_known_are_those_named_and_what_leads_there():
    calls = [opened("x/y/z", CREATE), called("rename", Kind.RENAME, "a", None), called("fsync", Kind.SYNC, ".")]
    assert {"x", "x/y", "x/y/z", "a", "."} == touched(calls)

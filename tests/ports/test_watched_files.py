"""FakeFiles tells of each change of what a file holds."""

import errno

import pytest

from harness.ports.fake_files import FakeFiles


@pytest.fixture
def files():
    made = FakeFiles()
    made.seen = []
    made.watch = lambda path: made.seen.append((path, None if path not in made.contents else made.contents[path][0]))
    return made


def test_every_change_is_told_after_it_was_made(files):
    files.create("/a", b"1", 0.0)
    files.replace("/a", b"2")
    files.append("/a", b"3")
    files.append_lines("/a", b"4\n")
    files.remove("/a")
    files.put("/b", b"5")
    files.put("/b", None)
    told = [("/a", b"1"), ("/a", b"2"), ("/a", b"23"), ("/a", b"23\n4\n"), ("/a", None), ("/b", b"5"), ("/b", None)]
    assert told == files.seen


def test_a_change_that_is_not_made_is_not_told(files):
    files.replace("/a", b"1")
    files.fail = OSError(errno.ENOSPC, "full")
    with pytest.raises(OSError, match="full"):
        files.replace("/a", b"2")
    files.fail = None
    files.create("/a", b"2", 0.0)
    files.remove("/b")
    files.put("/a", b"1")
    files.set_time("/a", 5.0)
    assert [("/a", b"1")] == files.seen


def test_what_grows_in_place_is_told_as_well(files):
    files.replace("/a", b"x" * 70000)
    files.append("/a", b"y")
    assert [70000, 70001] == [
        len(data) if number == 0 else len(files.contents["/a"][0]) for number, (_, data) in enumerate(files.seen)
    ]

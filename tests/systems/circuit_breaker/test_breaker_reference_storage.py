"""The reference where the storage refuses: it answers from memory, says so, and saves what it could not."""

import errno
import json
import os

import pytest
from breaker_reference_world import CLOSED, HALF_OPEN, NAME, OPEN, Failing, World, codes

from harness.ports.fake_files import FakeFiles

NO_SPACE = OSError(errno.ENOSPC, "no space left on device")
IO = OSError(errno.EIO, "input/output error")


@pytest.fixture
def files():
    return Failing()


@pytest.fixture
def world(files):
    return World("/world", files)


# -- a file that is out of reach


@pytest.mark.parametrize("error", [IO, PermissionError(errno.EACCES, "no"), NotADirectoryError(errno.ENOTDIR, "no")])
def test_what_cannot_be_read_is_answered_from_memory(world, files, error):
    world.fail(0, 0, 0)
    world.ok(0, name="calm")
    stranger = world.opened()
    files.broken["read"] = error
    asked = world.ask(1)
    assert (False, "HTTP 503", ["state_unreadable"]) == (asked.permitted, asked.error, codes(asked))
    assert (CLOSED, HALF_OPEN) == (world.look(1, "calm").state, world.look(1, "never/seen").state)
    assert (HALF_OPEN, HALF_OPEN) == (stranger.look(1).state, stranger.look(2).state)
    assert "2026-03-01T12:00:01Z" == stranger.look(3).last_state_change
    assert (2, 2) == (world.capacity(1).agents, stranger.capacity(1).agents)


def test_what_was_not_read_is_not_overwritten(world, files):
    world.fail(0, 0, 0, name="other")
    world.fail(0, 0)
    before = world.written()
    files.broken["read"] = IO
    call = world.call()
    world.ask(1, call=call)
    told = world.tell("failure", call, 1)
    assert (OPEN, ["state_unreadable", "state_write_failed"]) == (told.state, codes(told))
    assert before == json.loads(files.contents[world.state][0])
    assert not world.ask(2).permitted
    files.broken.clear()
    assert not world.ask(3).permitted
    assert {"OPEN"} == {record["state"] for record in world.written().values()}


@pytest.mark.parametrize("method", ["replace", "lock"])
def test_what_cannot_be_written_is_remembered_and_saved_later(world, files, method):
    files.broken[method] = TimeoutError("held") if method == "lock" else NO_SPACE
    expected = ["lock_failed", "state_write_failed"] if method == "lock" else ["state_write_failed"]
    for number in range(3):
        call = world.call()
        assert world.ask(number, call=call).permitted
        assert codes(world.tell("failure", call, number, error="gone")) == expected
    assert (OPEN, False, "gone") == (world.look(3).state, world.ask(3).permitted, world.ask(3).error)
    assert world.state not in files.contents
    files.broken.clear()
    assert codes(world.capacity(4)) == []
    assert ("OPEN", False) == (world.written()[NAME]["state"], world.opened().ask(5).permitted)


def test_a_breaker_closes_and_is_logged_although_its_state_cannot_be_saved(world, files):
    world.fail(0, 0, 0)
    files.broken["replace"] = NO_SPACE
    assert world.ok(300, 310, 320) == CLOSED
    assert ["2026-03-01T12:05:20Z Circuit recovered: api/claude"] == world.lines()
    files.broken.clear()
    world.ask(321)
    assert ("CLOSED", 1) == (world.written()[NAME]["state"], len(world.lines()))


def test_what_others_wrote_meanwhile_wins_unless_it_is_less_strict(world, files):
    files.broken["replace"] = NO_SPACE
    world.fail(1, name="closed here")
    world.fail(1, 1, 1, name="open here")
    files.broken.clear()
    other = world.opened()
    other.fail(2, 2, 2, name="closed here")
    other.fail(2, name="open here")
    assert [OPEN, OPEN] == [world.look(3, name).state for name in ("closed here", "open here")]
    assert {"OPEN"} == {record["state"] for record in world.written().values()}


def test_a_write_that_failed_after_it_was_done_is_done(world, files):
    real = files.replace

    def replace(path, data):
        real(path, data)
        raise IO

    files.replace = replace
    assert world.fail(0, 0, 0) == OPEN
    files.replace = real
    assert (False, []) == (world.ask(1).permitted, codes(world.ask(1)))


def test_nobody_knows_whether_there_was_a_bad_file(world, files):
    files.broken["look"] = IO
    asked = world.ask(call="p")
    assert (HALF_OPEN, ["state_unreadable"]) == (asked.state, list(dict.fromkeys(codes(asked))))


# -- real storage


@pytest.mark.parametrize("kind", ["directory", "fifo", "loop", "file-for-directory"])
def test_strange_things_in_the_place_of_the_file_are_answered(home, kind):
    world = World(home)
    if kind == "file-for-directory":
        with open(f"{home}/.loki", "wb"):
            pass
    else:
        os.makedirs(os.path.dirname(world.state))
        if kind == "directory":
            os.mkdir(world.state)
        elif kind == "fifo":
            os.mkfifo(world.state)
        else:
            os.symlink(world.state, world.state)
    asked = world.ask(0, call="p")
    assert (True, HALF_OPEN) == (asked.permitted, asked.state)
    assert "state_unreadable" in codes(asked)
    assert OPEN == world.tell("failure", "p", 1).state
    assert not world.ask(2).permitted
    assert world.capacity(2).agents == 2


def test_names_are_never_paths(home):
    world = World(home)
    for name in ("../../outside", "/etc/passwd", "a/b/c"):
        world.fail(0, 0, 0, name=name)
    found = sorted(os.path.relpath(os.path.join(top, name), home) for top, _, names in os.walk(home) for name in names)
    assert [".loki/state/circuit-breakers.json", ".loki/state/circuit-breakers.json.lock"] == found


def test_a_file_in_memory_is_answered_as_one_on_disk(home):
    found = []
    for world in (World(home), World("/world", FakeFiles())):
        world.fail(0, 1, 2)
        world.ok(302, 312, 322)
        found.append((world.written(), world.lines()))
    assert found[0] == found[1]

"""One crash state after the other in one directory. Source: issue 4, "Crash states"."""

import os
import socket

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from harness.explore.state_folder import contents, settle
from harness.explore.writes import DIRECTORY, SymbolicLink

PLACES = ("a", "b", "d", "d/a", "d/e", "d/e/a")
VALUES = st.one_of(st.binary(max_size=3), st.just(DIRECTORY), st.just(SymbolicLink("b")))


def consistent(drawn):
    return {
        path: value
        for path, value in drawn.items()
        if all(
            isinstance(drawn.get(path[:end], DIRECTORY), type(DIRECTORY))
            for end in range(len(path))
            if path[end] == "/"
        )
    }


STATES = st.dictionaries(st.sampled_from(PLACES), VALUES, max_size=6).map(consistent)


def whole(files):
    parents = {path[:end]: DIRECTORY for path in files for end in range(len(path)) if path[end] == "/"}
    return {**parents, **files}


@given(st.lists(STATES, min_size=2, max_size=4))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_stood_there_the_next_state_stands_there_afterwards(tmp_path, found):
    for files in found:
        settle(str(tmp_path), files)
        assert (whole(files), {}) == contents(str(tmp_path))


def test_a_file_with_the_right_bytes_is_left_alone(tmp_path):
    settle(str(tmp_path), {"a": b"1", "b": b"2"})
    os.utime(tmp_path / "a", (1, 1))
    settle(str(tmp_path), {"a": b"1", "b": b"3"})
    assert (1, b"3") == (os.stat(tmp_path / "a").st_mtime, (tmp_path / "b").read_bytes())


def test_hard_links_are_made_and_parted_again(tmp_path):
    settle(str(tmp_path), {"a": b"1", "b": b"1"}, {"b": "a"})
    assert ({"a": b"1", "b": b"1"}, {"b": "a"}) == contents(str(tmp_path))
    settle(str(tmp_path), {"a": b"1", "b": b"2"})
    assert ({"a": b"1", "b": b"2"}, {}) == contents(str(tmp_path))


def test_what_the_code_took_rights_from_is_written_again(tmp_path):
    settle(str(tmp_path), {"a": b"1"})
    os.chmod(tmp_path / "a", 0)
    settle(str(tmp_path), {"a": b"2"})
    assert b"2" == (tmp_path / "a").read_bytes()


@pytest.mark.parametrize("make", ["fifo", "socket"])
def test_what_is_no_file_is_no_content_and_is_removed(tmp_path, make):
    place = str(tmp_path / "a")
    if make == "fifo":
        os.mkfifo(place)
    else:
        socket.socket(socket.AF_UNIX).bind(place)
    assert {} == contents(str(tmp_path))[0]
    settle(str(tmp_path), {"a": b"1"})
    assert {"a": b"1"} == contents(str(tmp_path))[0]

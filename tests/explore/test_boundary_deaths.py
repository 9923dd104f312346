"""A simulated process dies, and nothing of it happens afterwards. Source: issue 4; FAULTS.md."""

import fcntl
import gc
import os

import pytest
from watched import Seen, standing

from harness.errors import HarnessFault
from harness.explore.in_process.calls import Killed
from harness.explore.in_process.originals import ORIGINAL
from harness.explore.in_process.subject import lived
from harness.explore.state_folder import contents
from harness.faults.syscalls.supervisor import Kill, Torn

boundary = pytest.fixture(standing)


def test_a_killed_process_changes_nothing_more_whatever_it_cleans_up(boundary, tmp_path):
    def careful():
        file = (tmp_path / "tmp").open("w")
        try:
            file.write("x")
            os.mkdir(tmp_path / "d")
        finally:
            file.close()
            os.unlink(tmp_path / "tmp")

    with boundary.under(Seen({"mkdir": Kill()})):
        assert lived(boundary, careful).killed
    assert {"tmp": b""} == contents(str(tmp_path))[0]


def test_a_killed_process_that_catches_everything_changes_nothing_either(boundary, tmp_path):
    def stubborn():
        for path in ("a", "b"):
            try:
                os.mkdir(tmp_path / path)
            except BaseException:  # noqa: BLE001 - code like this exists
                with_suppress(lambda: os.mkdir(tmp_path / "c"))

    with boundary.under(Seen({"mkdir": Kill()})):
        assert lived(boundary, stubborn).killed
    assert [] == os.listdir(tmp_path)


def with_suppress(function):
    try:
        function()
    except BaseException:  # noqa: BLE001 - code like this exists
        return


def test_what_a_dead_process_left_in_buffers_is_never_written_and_nothing_stays_open(boundary, tmp_path):
    kept = []
    before = len(ORIGINAL.listdir("/proc/self/fd"))

    def dies():
        kept.append((tmp_path / "a").open("w"))
        kept[0].write("never")
        kept.append(os.open(tmp_path / "b", os.O_CREAT))
        os.mkdir(tmp_path / "d")

    with boundary.under(Seen({"mkdir": Kill()})):
        lived(boundary, dies)
    kept.clear()
    gc.collect()
    assert (before, b"") == (len(ORIGINAL.listdir("/proc/self/fd")), (tmp_path / "a").read_bytes())


def test_a_file_that_is_forgotten_while_its_process_dies_is_closed(boundary, tmp_path):
    before = len(ORIGINAL.listdir("/proc/self/fd"))

    def dies():
        file = (tmp_path / "a").open("w")
        file.write("never")
        try:
            os.mkdir(tmp_path / "d")
        finally:
            del file

    with boundary.under(Seen({"mkdir": Kill()})):
        lived(boundary, dies)
    gc.collect()
    assert (before, b"") == (len(ORIGINAL.listdir("/proc/self/fd")), (tmp_path / "a").read_bytes())


def test_nobody_is_asked_about_the_calls_of_the_dead(boundary, tmp_path):
    def dies():
        try:
            os.mkdir(tmp_path / "d")
        finally:
            os.mkdir(tmp_path / "e")

    with boundary.under(Seen({"mkdir": Kill()})) as handler:
        lived(boundary, dies)
    assert [("mkdir", "d")] == handler.names


def test_the_lock_of_a_dead_process_is_free(boundary, tmp_path):
    def dies():
        file = os.open(tmp_path / "lock", os.O_CREAT)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            os.mkdir(tmp_path / "d")
        finally:
            os.close(file)

    with boundary.under(Seen({"mkdir": Kill()})):
        lived(boundary, dies)
    with open(tmp_path / "lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_torn_write_kills_after_its_bytes(boundary, tmp_path):
    with boundary.under(Seen({"write": Torn(2)})):
        assert lived(boundary, lambda: (tmp_path / "a").write_text("12345")).killed
    assert b"12" == (tmp_path / "a").read_bytes()


def test_a_kill_outside_a_process_is_our_mistake(boundary, tmp_path):
    with boundary.under(Seen({"mkdir": Kill()})), pytest.raises(HarnessFault, match="outside"):
        os.mkdir(tmp_path / "d")


def test_a_killed_that_nobody_asked_for_is_let_through(boundary):
    def raises():
        raise Killed

    with pytest.raises(Killed):
        lived(boundary, raises)

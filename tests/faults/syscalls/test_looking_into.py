"""Looking into a process and ending all that it started, where something is in the way: gone, closed, refused, cut off."""

import ctypes
import errno
import fcntl
import os
import resource
import signal
import subprocess
import sys

import pytest
from supervised import PYTHON, Seen, a_run, ended, on, said, struck, supervisor

from harness.faults.syscalls import Call, Go, Kind, Torn, memory, notification, tearing, tree
from harness.faults.syscalls.calls import SIGNATURES
from harness.faults.syscalls.reading import written

OWN = os.getpid()


def gone():
    """The id of a process that was there."""
    with subprocess.Popen(["true"]) as process:
        pass
    return process.pid


def address(data):
    """Where some bytes of ours lie, and what keeps them there."""
    buffer = ctypes.create_string_buffer(data, len(data))
    return ctypes.addressof(buffer), buffer


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 4000, 4095])
def test_a_text_is_read_to_its_end_however_long(size):
    text = b"x" * size
    place, _kept = address(text + b"\0more")
    assert text == memory.Texts().at(OWN, place)


def test_a_text_without_an_end_is_cut_where_no_path_goes_on():
    place, _kept = address(b"x" * 10_000)
    found = memory.Texts().at(OWN, place)
    assert 4096 <= len(found) < 4096 + 256


def test_what_one_text_left_behind_is_no_part_of_the_next():
    texts = memory.Texts()
    long, _kept = address(b"x" * 200 + b"\0")
    short, _kept_too = address(b"ab\0")
    assert (b"x" * 200, b"ab") == (texts.at(OWN, long), texts.at(OWN, short))


def test_memory_that_is_not_there_cannot_be_read_or_written():
    for attempt in (
        lambda: memory.Texts().at(OWN, 8),
        lambda: memory.read(OWN, 8, 4),
        lambda: memory.write(OWN, 8, b"x"),
        lambda: memory.vector(OWN, 8, 1, 10),
    ):
        with pytest.raises(OSError, match="Bad address"):
            attempt()
    with pytest.raises(ProcessLookupError):
        memory.read(gone(), 8, 4)


def test_parts_are_joined_up_to_a_limit():
    one, _one = address(b"abc")
    two, _two = address(b"defg")
    parts, _parts = address(memory._PART.pack(one, 3) + memory._PART.pack(0, 0) + memory._PART.pack(two, 4))
    assert (7, b"abcdefg") == (memory.vector_length(OWN, parts, 3), memory.vector(OWN, parts, 3, 100))
    assert [b"", b"ab", b"abcde"] == [memory.vector(OWN, parts, 3, limit) for limit in (0, 2, 5)]
    assert (0, b"") == (memory.vector_length(OWN, parts, 0), memory.vector(OWN, parts, 0, 5))


def test_what_a_descriptor_is_open_on(tmp_path):
    with open(tmp_path / "file", "wb") as file:
        assert str(tmp_path / "file") == memory.path_of_descriptor(OWN, file.fileno())
        assert str(tmp_path / "file") == memory.folder_of(OWN, file.fileno())
        os.unlink(tmp_path / "file")
        assert str(tmp_path / "file") == memory.path_of_descriptor(OWN, file.fileno())
    assert "" == memory.path_of_descriptor(OWN, 999_999)
    read, write = os.pipe()
    assert "" == memory.path_of_descriptor(OWN, read)
    os.close(read)
    os.close(write)
    assert os.getcwd() == memory.folder_of(OWN, -100) == memory.folder_of(OWN, None)
    assert "" == memory.folder_of(gone(), None)


def test_a_look_that_is_refused_is_no_empty_answer(monkeypatch):
    def refused(path):
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(memory.os, "readlink", refused)
    with pytest.raises(PermissionError):
        memory.path_of_descriptor(OWN, 0)
    with pytest.raises(PermissionError):
        memory.folder_of(OWN, None)


def test_a_directory_is_found_behind_its_links(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").write_text("")
    found = [memory.real_folder(OWN, os.fsencode(tmp_path / name)) for name in ("link", "real", "file", "none")]
    real = os.path.realpath(tmp_path / "real")
    assert [real, real, "", ""] == found


def test_a_thread_belongs_to_its_process_and_one_that_is_gone_to_itself():
    assert OWN == memory.process_of(OWN)
    assert (pid := gone()) == memory.process_of(pid)


def test_a_descriptor_of_another_is_borrowed_or_refused():
    with pytest.raises(OSError, match="Bad file descriptor"):
        memory.descriptor_of(OWN, 999_999)
    with pytest.raises(ProcessLookupError):
        memory.descriptor_of(gone(), 0)


def test_what_is_no_listener_is_an_error_and_no_call():
    with open(os.devnull) as nothing:
        for attempt in (notification.receive, lambda fd: notification.proceed(fd, 1)):
            with pytest.raises(OSError, match="Inappropriate ioctl"):
                attempt(nothing.fileno())
        assert not notification.waits(nothing.fileno(), 1)
        assert not notification.release(nothing.fileno(), 1, 0)
        notification.prepare(nothing.fileno())


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EINTR])
def test_a_call_that_was_taken_back_is_none(monkeypatch, number):
    def taken_back(fd, request, data):
        raise OSError(number, "taken back")

    monkeypatch.setattr(notification.fcntl, "ioctl", taken_back)
    assert notification.receive(0) is None
    assert fcntl is notification.fcntl


def test_a_call_that_was_taken_back_asks_nobody(room, monkeypatch):
    receive, taken = notification.receive, []

    def first_is_taken_back(listener):
        if taken:
            return receive(listener)
        taken.append(listener)
        return None

    monkeypatch.setattr(notification, "receive", first_is_taken_back)
    seen = Seen(room)
    assert (0, "") == said(ended(room, seen, "sh", "-c", "> ~/a"))
    assert ("openat", "/a") in seen


def test_what_is_no_write_writes_nothing():
    assert b"" == written(OWN, SIGNATURES["fsync"], (0, 0, 0, 0, 0, 0), 10)


def call(**fields):
    usual = {"run": 0, "process": 0, "name": "write", "kind": Kind.WRITE, "paths": ("/a",), "pid": OWN, "length": 10}
    return Call(**{**usual, **fields})


def test_a_write_of_who_is_gone_cannot_be_torn():
    assert not tearing.tearable(call(pid=gone(), descriptor=1), 5)
    assert not tearing.tearable(call(), 5)
    assert 0 == tearing.tear(call(), 0)


def test_a_copy_that_does_not_fit_leaves_the_rest_to_be_read(room, monkeypatch):
    monkeypatch.setattr(tearing.os, "write", lambda fd, data, write=os.write: write(fd, data[:2]))
    script = "import os; open('from', 'w').write('0123456789'); s = os.open('from', 0); d = os.open('a', os.O_CREAT | os.O_WRONLY); print(os.sendfile(d, s, None, 10), os.lseek(s, 0, 1))"
    end, proofs = struck(room, on(Torn(5, kill=False), "sendfile"), *PYTHON, script)
    assert ((0, "2 2\n"), ["2 bytes"]) == (said(end), proofs)


def test_a_tree_that_is_gone_has_no_members_and_kills_nobody():
    found = tree.Tree(gone())
    assert (set(), False, False) == (found.members(), found.end(), found.send(signal.SIGTERM))


def test_a_tree_of_an_agent_holds_orphans_and_no_others():
    soft, hard = resource.getrlimit(tree._LIMIT)
    script = "(sleep 100 & exec setsid sleep 100) & sleep 100"
    other = subprocess.Popen(["sleep", "100"])
    limit = f"import resource, os; resource.setrlimit({tree._LIMIT}, ({soft - 7}, {hard})); os.execvp('sh', ['sh', '-c', {script!r}])"
    main = subprocess.Popen([sys.executable, "-S", "-E", "-c", limit])
    try:
        while len(subprocess.run(["pgrep", "-P", str(main.pid)], capture_output=True, check=False).stdout.split()) < 2:
            pass
        found = tree.Tree(main.pid)
        while len(members := found.members()) < 4:
            pass
        assert main.pid in members
        assert other.pid not in members
        assert found.end()
        assert -signal.SIGKILL == main.wait()
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_run_that_was_never_marked_holds_its_own_children_only():
    other = subprocess.Popen(["sleep", "100"])
    main = subprocess.Popen(["sh", "-c", "sleep 100 & sleep 100"])
    try:
        found = tree.Tree(main.pid)
        while len(members := found.members()) < 3:
            pass
        assert other.pid not in members
        assert found.end()
        assert -signal.SIGKILL == main.wait()
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_which_process_a_run_began_with_and_when_it_is_over(room):
    with supervisor(room, lambda call: Go()) as sup:
        run = a_run(room, sup, "true")
        assert (0, False) == (sup.main(0), sup.over(0))
        room.run_together([run])
        assert sup._all[0].over.wait(20)
        assert (True, True) == (sup.main(0) > 0, sup.over(0))

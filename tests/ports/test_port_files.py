"""Files: one contract, kept by the machine's file system and by the one in memory."""

import contextlib
import errno
import fcntl
import os
import threading
from pathlib import Path

import pytest

from harness import ports
from harness.ports.fake_files import FakeFiles
from harness.ports.files import Files, NotRegularError, RealFiles, Status


@pytest.fixture(params=["real", "fake"])
def files(request: pytest.FixtureRequest) -> Files:
    return RealFiles() if request.param == "real" else FakeFiles()


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "place")


def open_below(directory: Path) -> list[str]:
    """What is open below the directory: other threads of this process may open what they like."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):
            found.append(os.readlink(f"/proc/self/fd/{number}").removesuffix(" (deleted)"))
    return sorted(path for path in found if path.startswith(str(directory)))


class TestBoth:
    def test_what_is_not_there_has_no_status_and_cannot_be_read(self, files, place):
        assert files.status(f"{place}/none") is None
        with pytest.raises(FileNotFoundError):
            files.read(f"{place}/none", 10)
        with pytest.raises(FileNotFoundError):
            files.set_time(f"{place}/none", 1.0)
        files.remove(f"{place}/none")

    def test_a_created_file_has_its_bytes_and_time_and_its_parents(self, files, place):
        assert files.create(f"{place}/deep/er/a", b"text", 1000.5) is True
        assert files.status(f"{place}/deep/er/a") == Status("file", 4, 1000.5)
        assert files.read(f"{place}/deep/er/a", 100) == b"text"
        assert files.status(f"{place}/deep").kind == "directory"
        assert files.status(f"{place}/deep/").kind == "directory"

    def test_only_the_first_creates(self, files, place):
        assert files.create(f"{place}/a", b"first", 1.0) is True
        assert files.create(f"{place}/a", b"second", 2.0) is False
        assert (files.read(f"{place}/a", 9), files.status(f"{place}/a").mtime_s) == (b"first", 1.0)

    def test_a_directory_is_never_a_file(self, files, place):
        files.append(f"{place}/d/a", b"1")
        assert files.create(f"{place}/d", b"", 1.0) is False
        with pytest.raises(NotRegularError):
            files.read(f"{place}/d", 10)
        for change in (files.replace, files.append):
            with pytest.raises(IsADirectoryError):
                change(f"{place}/d", b"x")
        with pytest.raises(OSError, match="directory"):
            files.remove(f"{place}/d")
        with pytest.raises(IsADirectoryError), files.lock(f"{place}/d", 0.0):
            pass
        assert files.read(f"{place}/d/a", 10) == b"1"

    def test_nothing_can_be_below_a_file(self, files, place):
        files.append(f"{place}/a", b"1")
        assert files.status(f"{place}/a/b") is None
        files.remove(f"{place}/a/b")
        for change in (
            lambda: files.create(f"{place}/a/b/c", b"", 1.0),
            lambda: files.replace(f"{place}/a/b/c", b""),
            lambda: files.append(f"{place}/a/b/c", b""),
            lambda: files.lock(f"{place}/a/b/c", 0.0).__enter__(),
            lambda: files.read(f"{place}/a/b/c", 1),
        ):
            with pytest.raises(OSError):
                change()
        assert files.read(f"{place}/a", 10) == b"1"

    @pytest.mark.parametrize(
        ("offset", "limit", "expected"),
        [(0, 3, b"con"), (3, 2, b"te"), (3, 99, b"tents"), (8, 9, b""), (99, 9, b""), (3, 0, b"")],
    )
    def test_a_read_begins_at_its_offset(self, files, place, offset, limit, expected):
        files.append(f"{place}/a", b"contents")
        assert expected == files.read_from(f"{place}/a", offset, limit)

    @pytest.mark.parametrize(
        ("limit", "expected"), [(0, b""), (1, b"0"), (9, b"012345678"), (10, b"0123456789"), (11, b"0123456789")]
    )
    def test_a_read_ends_at_its_limit(self, files, place, limit, expected):
        files.append(f"{place}/a", b"0123456789")
        assert expected == files.read(f"{place}/a", limit)

    def test_an_append_makes_the_file_and_adds_to_its_end(self, files, place):
        files.append(f"{place}/a", b"1")
        files.append(f"{place}/a", b"2")
        assert files.read(f"{place}/a", 10) == b"12"

    def test_a_replaced_file_has_only_the_new_bytes(self, files, place):
        files.replace(f"{place}/a", b"a long text")
        files.replace(f"{place}/a", b"short")
        assert files.read(f"{place}/a", 99) == b"short"

    def test_a_removed_file_is_gone_and_can_be_made_again(self, files, place):
        files.append(f"{place}/a", b"1")
        files.remove(f"{place}/a")
        assert files.status(f"{place}/a") is None
        assert files.create(f"{place}/a", b"2", 1.0) is True

    def test_a_time_is_set_as_asked(self, files, place):
        files.append(f"{place}/a", b"1")
        files.set_time(f"{place}/a", 1234.5)
        assert files.status(f"{place}/a") == Status("file", 1, 1234.5)

    def test_a_path_is_resolved_to_one_without_dots(self, files):
        assert files.resolve("/nowhere/a/../b/./c") == "/nowhere/b/c"

    def test_a_lock_can_be_taken_again_after_it_is_given_back(self, files, place):
        for _ in range(2):
            with files.lock(f"{place}/deep/lock", 0.0):
                pass


class TestReal:
    """What only a real file system has: links, FIFOs, other processes, full disks."""

    files = RealFiles()

    @pytest.mark.parametrize("kind", ["fifo", "directory"])
    def test_reading_what_is_no_file_is_refused_at_once_and_leaks_nothing(self, tmp_path, kind):
        path = tmp_path / "odd"
        os.mkfifo(path) if kind == "fifo" else path.mkdir()
        before = open_below(tmp_path)
        for _ in range(3):
            with pytest.raises(NotRegularError, match="no regular file"):
                self.files.read(str(path), 10)
        assert before == open_below(tmp_path)

    @pytest.mark.parametrize("listened_to", [False, True])
    def test_a_fifo_never_makes_anybody_wait(self, tmp_path, listened_to):
        path = str(tmp_path / "pipe")
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK) if listened_to else None
        before = open_below(tmp_path)
        assert self.files.status(path).kind == "other"
        assert self.files.create(path, b"x", 1.0) is False
        with pytest.raises(OSError) as caught:
            self.files.append(path, b"x")
        assert listened_to is isinstance(caught.value, NotRegularError)
        self.files.replace(path, b"a file now")
        assert self.files.status(path).kind == "file"
        assert before == open_below(tmp_path)
        if reader is not None:
            os.close(reader)

    def test_a_link_is_followed_by_reads_and_never_by_writes(self, tmp_path):
        victim, link = tmp_path / "victim", str(tmp_path / "link")
        victim.write_bytes(b"mine")
        os.symlink(victim, link)
        assert self.files.read(link, 10) == b"mine"
        assert self.files.create(link, b"x", 1.0) is False
        for change in (lambda: self.files.append(link, b"x"), lambda: self.files.lock(link, 0.0).__enter__()):
            with pytest.raises(OSError) as caught:
                change()
            assert caught.value.errno == errno.ELOOP
        self.files.replace(link, b"new")
        assert (victim.read_bytes(), Path(link).read_bytes(), os.path.islink(link)) == (b"mine", b"new", False)

    def test_a_dangling_link_is_nothing_to_read_and_something_to_create_over(self, tmp_path):
        link = str(tmp_path / "link")
        os.symlink(tmp_path / "nowhere", link)
        assert self.files.status(link) is None
        assert self.files.create(link, b"x", 1.0) is False
        assert not (tmp_path / "nowhere").exists()

    def test_links_are_resolved(self, tmp_path):
        (tmp_path / "a").mkdir()
        os.symlink(tmp_path / "a", tmp_path / "b")
        assert self.files.resolve(f"{tmp_path}/b/new") == f"{os.path.realpath(tmp_path)}/a/new"

    def test_a_loop_of_links_is_an_error(self, tmp_path):
        os.symlink(tmp_path / "loop", tmp_path / "loop")
        with pytest.raises(OSError) as caught:
            self.files.status(str(tmp_path / "loop"))
        assert caught.value.errno == errno.ELOOP

    @pytest.mark.parametrize("failing", ["write", "replace"])
    def test_a_replace_that_fails_leaves_the_old_file_and_no_temporary_one(self, tmp_path, monkeypatch, failing):
        path = tmp_path / "a"
        path.write_bytes(b"old")
        before = open_below(tmp_path)

        def refuse(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, failing, refuse)
        with pytest.raises(OSError, match="No space"):
            self.files.replace(str(path), b"new")
        monkeypatch.undo()
        assert (path.read_bytes(), os.listdir(tmp_path)) == (b"old", ["a"])
        assert before == open_below(tmp_path)

    def test_a_create_that_fails_leaves_nothing_in_the_way_of_the_next(self, tmp_path, monkeypatch):
        path = str(tmp_path / "a")

        def refuse(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", refuse)
            with pytest.raises(OSError, match="No space"):
                self.files.create(path, b"text", 1.0)
        assert self.files.status(path) is None
        assert self.files.create(path, b"text", 1.0) is True

    def test_a_short_write_is_gone_on_with(self, tmp_path, monkeypatch):
        write = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data)[:3]))
        for change in (
            lambda path: self.files.append(path, b"0123456789"),
            lambda path: self.files.replace(path, b"0123456789"),
        ):
            change(str(tmp_path / "a"))
            assert self.files.read(str(tmp_path / "a"), 99) == b"0123456789"
            self.files.remove(str(tmp_path / "a"))

    def test_after_a_refused_append_the_next_one_works(self, tmp_path):
        path = tmp_path / "log"
        path.mkdir()
        with pytest.raises(IsADirectoryError):
            self.files.append(str(path), b"lost\n")
        path.rmdir()
        self.files.append(str(path), b"kept\n")
        assert path.read_bytes() == b"kept\n"

    def test_readers_of_a_replaced_file_see_one_text_or_the_other_whole(self, tmp_path):
        path = str(tmp_path / "a")
        texts = (b"a" * 200_000, b"b" * 100_000)
        self.files.replace(path, texts[0])
        done = threading.Event()
        seen: set[bytes] = set()

        def watch() -> None:
            while not done.is_set():
                seen.add(self.files.read(path, 10**6))

        watcher = threading.Thread(target=watch)
        watcher.start()
        for n in range(100):
            self.files.replace(path, texts[n % 2])
        done.set()
        watcher.join()
        assert seen <= set(texts)

    def test_a_lock_somebody_holds_times_out_and_leaks_nothing(self, tmp_path):
        path = str(tmp_path / "lock")
        with self.files.lock(path, 0.0):
            assert [path] == open_below(tmp_path)
            with pytest.raises(TimeoutError, match="stays locked"), RealFiles().lock(path, 0.01):
                pass
            (waiting,) = [thread for thread in threading.enumerate() if thread.name == "file-lock"]
        waiting.join(20.0)  # it gets the lock, too late, and gives it back
        assert [] == open_below(tmp_path)
        with RealFiles().lock(path, 0.0):
            pass

    def test_a_lock_is_waited_for(self, tmp_path, monkeypatch):
        path = str(tmp_path / "lock")
        order: list[str] = []
        waiting = threading.Event()
        flock = fcntl.flock

        def second() -> None:
            with RealFiles().lock(path, 30.0):
                order.append("second")

        def told(descriptor: int, operation: int) -> None:
            waiting.set()
            flock(descriptor, operation)

        other = threading.Thread(target=second)
        with self.files.lock(path, 0.0):
            monkeypatch.setattr(fcntl, "flock", told)
            other.start()
            assert waiting.wait(20.0)
            order.append("first")
        other.join()
        assert order == ["first", "second"]

    def test_a_lock_that_comes_too_late_is_given_back(self, tmp_path):
        path = str(tmp_path / "lock")
        with self.files.lock(path, 0.0), pytest.raises(TimeoutError, match="stays locked"), self.files.lock(path, 0.01):
            pass
        with self.files.lock(path, 30.0):
            pass

    @pytest.mark.parametrize("number", [errno.ENOLCK, errno.EIO])
    def test_a_lock_that_is_refused_says_why_and_leaks_nothing(self, tmp_path, monkeypatch, number):
        def refuse(*_: object) -> None:
            raise OSError(number, "refused")

        monkeypatch.setattr(fcntl, "flock", refuse)
        before = open_below(tmp_path)
        with pytest.raises(OSError, match="refused"), self.files.lock(str(tmp_path / "lock"), 30.0):
            pass
        assert before == open_below(tmp_path)

    def test_a_lock_that_no_thread_can_wait_for_is_refused(self, tmp_path, monkeypatch):
        def refuse(_: object) -> None:
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr(threading.Thread, "start", refuse)
        before = open_below(tmp_path)
        with pytest.raises(BlockingIOError, match="cannot be waited for"), self.files.lock(str(tmp_path / "lock"), 1.0):
            pass
        assert before == open_below(tmp_path)

    def test_a_lock_is_given_back_when_its_holder_fails(self, tmp_path):
        path = str(tmp_path / "lock")
        with pytest.raises(KeyError), self.files.lock(path, 0.0):
            raise KeyError
        with self.files.lock(path, 0.0):
            pass


class TestFake:
    @pytest.mark.parametrize(
        "change",
        [
            lambda files: files.create("/new", b"", 1.0),
            lambda files: files.replace("/a", b""),
            lambda files: files.append("/a", b""),
            lambda files: files.remove("/a"),
            lambda files: files.set_time("/a", 1.0),
            lambda files: files.lock("/lock", 1.0).__enter__(),
        ],
    )
    def test_storage_told_to_fail_refuses_every_change_until_it_is_told_otherwise(self, change):
        files = FakeFiles()
        files.append("/a", b"1")
        files.fail = OSError(errno.ENOSPC, "full")
        with pytest.raises(OSError, match="full"):
            change(files)
        assert files.contents == {"/a": (b"1", 0.0)}
        assert files.read("/a", 9) == b"1"
        files.fail = None
        change(files)


def test_a_port_is_loaded_by_its_name_and_nothing_else_is():
    assert {name: getattr(ports, name).__name__ for name in ports.__all__} == {name: name for name in ports.__all__}
    with pytest.raises(AttributeError, match="no attribute 'Cloak'"):
        _ = ports.Cloak


def test_a_large_fake_file_is_added_to_in_place_and_reads_the_same():
    files, lines = FakeFiles(), [b"%d\n" % number for number in range(30_000)]
    for line in lines:
        files.append_lines("/a", line)
    whole = b"".join(lines)
    assert files.read("/a", 1 << 20) == whole
    assert type(files.read_from("/a", len(whole) - 6, 99)) is bytes
    assert files.read_from("/a", len(whole) - 6, 99) == lines[-1]

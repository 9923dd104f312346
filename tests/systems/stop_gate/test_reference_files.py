"""The Files and Clock ports: the real one and the fake one have the same manners."""

import os
import shutil
import tempfile
import threading

import pytest

from harness import ports
from harness.ports.clock import FakeClock, RealClock, to_seconds, to_text
from harness.ports.fake_files import FakeFiles
from harness.ports.files import NotRegularError, RealFiles, Status


@pytest.fixture
def root():
    path = os.path.realpath(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    yield path
    shutil.rmtree(path)


@pytest.fixture(params=[RealFiles, FakeFiles])
def files(request):
    return request.param()


def test_create_replace_append_remove(files, root):
    path = f"{root}/a/b"
    assert files.status(path) is None
    assert files.create(path, b"1", 7.0)
    assert not files.create(path, b"2", 8.0)
    assert files.status(path) == Status("file", 1, 7.0)
    files.append(path, b"23")
    assert files.read(path, 100) == b"123"
    assert files.read(path, 2) == b"12"
    files.replace(path, b"x" * 200_000)
    assert files.read(path, 1_000_000) == b"x" * 200_000
    files.set_time(path, 9.0)
    assert files.status(path).mtime_s == 9.0
    assert files.status(f"{root}/a").kind == "directory"
    with pytest.raises(NotRegularError):
        files.read(f"{root}/a", 1)
    files.remove(path)
    files.remove(path)
    with pytest.raises(FileNotFoundError):
        files.read(path, 1)
    files.append(path, b"new")
    assert files.read(path, 10) == b"new"
    assert files.resolve(f"{root}/x/../a") == f"{root}/a"
    with files.lock(f"{root}/lock", 0.0):
        pass


def test_replace_leaves_nothing_behind(root):
    files = RealFiles()
    os.mkdir(f"{root}/d")
    with pytest.raises(OSError, match="d"):
        files.replace(f"{root}/d", b"x")
    assert os.listdir(root) == ["d"]


def test_links_in_the_last_place_are_not_followed(root):
    files = RealFiles()
    os.symlink(f"{root}/target", f"{root}/link")
    assert not files.create(f"{root}/link", b"", 0.0)
    with pytest.raises(OSError, match="link"):
        files.append(f"{root}/link", b"")
    with pytest.raises(OSError, match="link"), files.lock(f"{root}/link", 0.0):
        pass
    files.replace(f"{root}/link", b"x")
    assert os.listdir(root) == ["link"]


def test_what_is_no_file_is_never_waited_for(root):
    files = RealFiles()
    os.mkfifo(f"{root}/fifo")
    assert files.status(f"{root}/fifo").kind == "other"
    with pytest.raises(NotRegularError):
        files.read(f"{root}/fifo", 1)
    with pytest.raises(OSError, match="fifo"):
        files.append(f"{root}/fifo", b"x")


def test_a_lock_is_one_holders(root):
    files, order = RealFiles(), []
    with files.lock(f"{root}/lock", 1.0):
        with pytest.raises(TimeoutError), files.lock(f"{root}/lock", 0.01):
            pass
        waiting = threading.Thread(target=lambda: take(files, f"{root}/lock", order))
        waiting.start()
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]


def take(files, path, order):
    with files.lock(path, 30.0):
        order.append("second")


def test_the_fake_refuses_when_told():
    files = FakeFiles()
    files.fail = OSError(28, "full")
    for change in (
        lambda: files.create("/a", b"", 0),
        lambda: files.replace("/a", b""),
        lambda: files.append("/a", b""),
    ):
        with pytest.raises(OSError, match="full"):
            change()


def test_clocks():
    clock = FakeClock(5.0)
    clock.move(-2.0)
    assert clock.now_s() == 3.0
    assert RealClock().now_s() > 1_700_000_000
    assert to_seconds(to_text(1.5)) == 1.5
    with pytest.raises(ValueError, match="offset"):
        to_seconds("2026-03-01T12:00:00")


def test_the_room_loads_what_is_asked_for():
    assert all(getattr(ports, name) for name in ports.__all__)
    with pytest.raises(AttributeError, match="Nothing"):
        ports.Nothing  # noqa: B018 - asking is the test

"""File calls of Python code are seen, answered and recorded. Source: issue 4; FAULTS.md "What bites"."""

import builtins
import errno
import fcntl
import io
import os
import shutil
import tempfile
import time
import types

import pytest
from watched import Seen, standing

from harness.errors import HarnessFault
from harness.explore.in_process.boundary import Boundary
from harness.explore.in_process.calls import Handler
from harness.explore.in_process.originals import ORIGINAL, patched
from harness.faults.syscalls.calls import Kind
from harness.faults.syscalls.supervisor import Delay, Fail, Go, Torn

boundary = pytest.fixture(standing)


def seen(boundary, function, **answers):
    with boundary.under(Seen(answers)) as handler:
        function()
    return handler.names


# what is seen


def test_a_file_is_opened_written_and_closed_with_real_buffering(boundary, tmp_path):
    def write():
        with open(tmp_path / "a", "w") as file:
            file.write("x")
            file.write("y")

    with boundary.under(Seen()) as handler:
        write()
    assert [("open", "a"), ("write", "a"), ("close", "a")] == handler.names
    assert b"xy" == handler.calls[1].data


@pytest.mark.parametrize(
    ("expected", "function"),
    [
        (["stat"], lambda path: os.path.exists(path / "x")),
        (["stat"], lambda path: (path / "x").is_file()),
        (["lstat"], lambda path: os.path.islink(path / "x")),
        (["access"], lambda path: os.access(path / "x", os.R_OK)),
        (["getdents64"], lambda path: os.listdir(path / ".")),
        (["getdents64"], lambda path: list(path.iterdir())),
        (["open", "write", "close"], lambda path: (path / "x").write_text("1")),
        (["open", "read", "close"], lambda path: (path / "old").read_bytes()),
        (["open", "read", "close"], lambda path: (path / "old").read_text()),
        (["unlink"], lambda path: (path / "old").unlink()),
        (["unlink"], lambda path: os.remove(path / "old")),
        (["rename"], lambda path: (path / "old").replace(path / "x")),
        (["rename"], lambda path: shutil.move(path / "old", path / "x")),
        (["mkdir"], lambda path: os.makedirs(path / "d")),
        (["mkdir", "rmdir"], lambda path: [os.mkdir(path / "d"), os.rmdir(path / "d")]),
        (["link"], lambda path: os.link(path / "old", path / "x")),
        (["symlink"], lambda path: (path / "x").symlink_to("old")),
        (["truncate"], lambda path: os.truncate(path / "old", 0)),
        (["chmod"], lambda path: (path / "old").chmod(0o600)),
        (["utimensat"], lambda path: os.utime(path / "old")),
        (["sync"], lambda path: os.sync()),
    ],
)
def test_calls_are_seen_however_the_library_is_asked(boundary, tmp_path, expected, function):
    (tmp_path / "old").write_bytes(b"1")
    names = [name for name, *_ in seen(boundary, lambda: function(tmp_path))]
    assert expected == [name for name in names if name in expected or name not in ("stat", "lstat", "fstat")]


def test_a_temporary_file_is_seen(boundary, tmp_path):
    def write():
        with tempfile.NamedTemporaryFile("w", dir=tmp_path, delete=False) as file:
            file.write("x")
        os.replace(file.name, tmp_path / "a")

    names = [name for name, *_ in seen(boundary, write) if name not in ("stat", "fstat", "lstat")]
    assert ["open", "write", "close", "rename"] == names


def test_calls_on_descriptors_have_the_name_the_file_has_now(boundary, tmp_path):
    descriptor = os.open(tmp_path / "a", os.O_CREAT | os.O_WRONLY)
    os.rename(tmp_path / "a", tmp_path / "b")
    names = seen(boundary, lambda: [os.write(descriptor, b"x"), os.fsync(descriptor), os.close(descriptor)])
    assert [("write", "b"), ("fsync", "b"), ("close", "b")] == names


def test_an_open_through_a_symbolic_link_has_the_name_of_the_file(boundary, tmp_path):
    os.symlink("a", tmp_path / "l")
    assert ("open", "a") == seen(boundary, lambda: (tmp_path / "l").write_text("x"))[0]


def test_paths_below_a_descriptor_and_relative_ones_are_found(boundary, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    directory = os.open(".", os.O_RDONLY)
    names = seen(
        boundary,
        lambda: [os.close(os.open("a", os.O_CREAT | os.O_WRONLY, dir_fd=directory)), os.stat("a"), os.stat(b"a")],
    )
    os.close(directory)
    assert [("open", "a"), ("close", "a"), ("stat", "a"), ("stat", "a")] == names


def test_files_elsewhere_are_not_asked_about(boundary, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    assert [] == seen(boundary, lambda: [(other / "a").write_text("x"), os.listdir(other), time.sleep(0)])


def everything(directory):
    """Each function that is exchanged, once, on files in ``directory``."""
    one, other = str(directory / "one"), str(directory / "other")
    file = os.open(one, os.O_CREAT | os.O_RDWR)
    target = os.open(other, os.O_CREAT | os.O_RDWR)
    os.write(file, b"12345")
    os.pwritev(file, [b"6"], 5)
    os.posix_fallocate(file, 0, 6)
    os.copy_file_range(file, target, 2, 0, 0)
    os.lseek(file, 0, os.SEEK_SET)
    os.sendfile(target, file, 0, 3)
    os.ftruncate(file, 4)
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.flock(file, fcntl.LOCK_UN)
    fcntl.lockf(file, fcntl.LOCK_EX)
    read = os.pread(file, 9, 0)
    os.fchmod(file, 0o600)
    os.fsync(file)
    os.close(file)
    os.close(target)
    os.symlink("one", directory / "symlink")
    os.link(one, directory / "link")
    os.truncate(one, 2)
    os.rename(other, directory / "renamed")
    os.mkdir(directory / "d")
    os.rmdir(directory / "d")
    os.unlink(directory / "link")
    return read, sorted(os.listdir(directory)), os.stat(one).st_size


def test_everything_does_what_it_did_inside_and_elsewhere(boundary, tmp_path, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    with boundary.under(Seen()) as handler:
        there = everything(elsewhere)
    assert [] == handler.names
    with boundary.under(Seen()) as handler:
        assert there == everything(tmp_path)
    assert {"copy_file_range", "sendfile", "fallocate", "flock", "fcntl", "pread64"} < {
        name for name, *_ in handler.names
    }
    assert (b"1234", ["one", "renamed", "symlink"], 2) == there


def test_functions_taken_by_name_are_exchanged_in_modules_that_are_named(tmp_path):
    module = types.ModuleType("under_test")
    module.replace, module.reader = os.replace, open
    with Boundary(str(tmp_path), [module]) as boundary:
        (tmp_path / "a").write_text("x")
        assert ("rename", "a", "b") in seen(boundary, lambda: module.replace(tmp_path / "a", tmp_path / "b"))
    assert (os.replace, open) == (module.replace, module.reader)


@pytest.mark.parametrize("mode", ["w", "wb", "r", "rb", "a", "x", "r+", "w+b", "rt"])
def test_file_objects_are_of_the_types_of_the_library(boundary, tmp_path, mode):
    if "x" not in mode:
        (tmp_path / "a").write_text("old\n")
    with open(tmp_path / "a", mode) as ours:
        kind, name = type(ours), ours.mode
    if "x" in mode:
        os.unlink(tmp_path / "a")
    with ORIGINAL.open(tmp_path / "a", mode) as theirs:
        assert (type(theirs), theirs.mode) == (kind, name)


def test_an_unbuffered_file_writes_at_once(boundary, tmp_path):
    with open(tmp_path / "a", "wb", buffering=0) as file, boundary.under(Seen()) as handler:
        file.write(b"1")
        file.truncate(0)
        assert [("write", "a"), ("ftruncate", "a")] == handler.names


@pytest.mark.parametrize(("mode", "more"), [("w", {"buffering": 0}), ("wb", {"encoding": "utf-8"}), ("q", {})])
def test_what_the_library_refuses_is_refused(boundary, tmp_path, mode, more):
    with pytest.raises(ValueError):
        (tmp_path / "a").open(mode, **more)


def test_line_buffering_of_bytes_is_warned_about_as_the_library_does(boundary, tmp_path):
    with pytest.warns(RuntimeWarning, match="line buffering"):
        open(tmp_path / "a", "wb", buffering=1).close()


def test_an_encoding_that_does_not_exist_leaves_nothing_open(boundary, tmp_path):
    before = len(ORIGINAL.listdir("/proc/self/fd"))
    with pytest.raises(LookupError):
        (tmp_path / "a").open("w", encoding="klingon")
    assert before == len(ORIGINAL.listdir("/proc/self/fd"))


def test_opening_a_directory_fails_as_ever(boundary, tmp_path):
    with pytest.raises(IsADirectoryError):
        tmp_path.open()


# what is answered


def test_a_call_fails_with_the_errno_and_is_not_done(boundary, tmp_path):
    with boundary.under(Seen({"mkdir": Fail("ENOSPC")})), pytest.raises(OSError) as caught:
        os.mkdir(tmp_path / "d")
    assert (errno.ENOSPC, [], "d") == (caught.value.errno, os.listdir(tmp_path), caught.value.filename)


def test_a_failing_close_gives_the_descriptor_back(boundary, tmp_path):
    descriptor = os.open(tmp_path / "a", os.O_CREAT)
    with boundary.under(Seen({"close": Fail("EIO")})), pytest.raises(OSError):
        os.close(descriptor)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_a_short_write_is_a_true_one(boundary, tmp_path):
    descriptor = os.open(tmp_path / "a", os.O_CREAT | os.O_WRONLY)
    with boundary.under(Seen({"write": Torn(2, kill=False)})):
        assert 2 == os.write(descriptor, b"12345")
    os.close(descriptor)
    assert b"12" == (tmp_path / "a").read_bytes()


def test_a_short_write_of_vectors_is_one_too(boundary, tmp_path):
    descriptor = os.open(tmp_path / "a", os.O_CREAT | os.O_WRONLY)
    with boundary.under(Seen({"writev": Torn(3, kill=False), "pwritev": Torn(1, kill=False)})):
        assert [3, 1] == [os.writev(descriptor, [b"12", b"34"]), os.pwritev(descriptor, [b"ab"], 5)]
    os.close(descriptor)
    assert b"123\0\0a" == (tmp_path / "a").read_bytes()


def test_a_buffer_writes_the_rest_after_a_short_write(boundary, tmp_path):
    class Once(Handler):
        done = False

        def before(self, call):
            if call.kind is Kind.WRITE and not self.done:
                self.done = True
                return Torn(1, kill=False)
            return Go()

    with boundary.under(Once()):
        (tmp_path / "a").write_text("12345")
    assert "12345" == (tmp_path / "a").read_text()


def test_a_delayed_call_is_done(boundary, tmp_path):
    with boundary.under(Seen({"mkdir": Delay(0.001)})):
        os.mkdir(tmp_path / "d")
    assert ["d"] == os.listdir(tmp_path)


def test_nested_handlers_are_asked_the_inner_one_first_and_are_gone_afterwards(boundary, tmp_path):
    with boundary.under(Seen({"mkdir": Fail("EIO")})) as outer:
        with boundary.under(Seen({"mkdir": Fail("EPERM")})), pytest.raises(PermissionError):
            os.mkdir(tmp_path / "d")
        assert [] == outer.names
        with pytest.raises(OSError, match="Input/output"):
            os.mkdir(tmp_path / "d")
    os.mkdir(tmp_path / "d")


# one owner


def test_only_one_boundary_stands_at_a_time(boundary, tmp_path):
    with pytest.raises(HarnessFault, match="stands around"), Boundary(str(tmp_path)):
        pass
    assert os.path.exists(tmp_path)


def fail_inside(error):
    assert patched()
    raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_everything_is_put_back_whatever_happens_inside(tmp_path, error):
    with pytest.raises(error), Boundary(str(tmp_path)) as boundary, boundary.under(Seen()):
        fail_inside(error)
    assert [] == patched()
    assert (builtins.open, io.open) == (ORIGINAL.open, ORIGINAL.open)


def test_everything_is_put_back_when_it_cannot_be_put_in_place(tmp_path, monkeypatch):
    class Broken(types.ModuleType):
        def __setattr__(self, name, value):
            raise RuntimeError

    module = Broken("broken")
    vars(module)["replace"] = os.replace
    with pytest.raises(RuntimeError), Boundary(str(tmp_path), [module]):
        pass
    assert [] == patched()


def test_what_the_library_says_a_function_supports_is_as_before(tmp_path):
    before = [set(each) for each in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks)]
    with Boundary(str(tmp_path)):
        assert os.stat in os.supports_dir_fd
        (tmp_path / "d" / "e").mkdir(parents=True)
        shutil.rmtree(tmp_path / "d")
    assert before == [os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks]
    assert [] == os.listdir(tmp_path)


def test_a_file_that_outlives_the_boundary_goes_on_working(tmp_path):
    with Boundary(str(tmp_path)):
        file = (tmp_path / "a").open("w")
    file.write("x")
    file.close()
    assert "x" == (tmp_path / "a").read_text()

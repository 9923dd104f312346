"""The mistakes with files that mutants make: what each leaves on a real disk, and where they do as the reference does."""

import contextlib
import errno
import json

import pytest

from harness.core.log import LogEntry, LogLevel
from harness.ports.fake_files import FakeFiles
from harness.ports.files import RealFiles
from harness.systems import file_mistakes
from harness.systems.file_mistakes import (
    escaping_io_errors,
    hold_by_file,
    raising,
    rename_unsynced,
    tells_io_error,
    write_in_place,
)
from harness.systems.queue_store import Queues, QueueStore

WAYS = (write_in_place, rename_unsynced)


def refused(_):
    raise AssertionError("it was done safely")


@pytest.mark.parametrize("write", WAYS)
def test_a_file_is_written_and_nothing_stays_beside_it(tmp_path, write):
    for data in (b"first", b"2"):
        write(RealFiles(), str(tmp_path / "new" / "file"), data, refused)
        assert {"file": data} == {each.name: each.read_bytes() for each in (tmp_path / "new").iterdir()}


@pytest.mark.parametrize("write", WAYS)
def test_what_no_real_file_takes_is_done_safely(tmp_path, write):
    safely = []
    write(FakeFiles(), "/file", b"x", safely.append)
    (tmp_path / "file").mkdir()
    write(RealFiles(), str(tmp_path / "file"), b"y", safely.append)
    assert [b"x", b"y"] == safely


class SourceFirst(Queues):
    _write_destination_first = file_mistakes.write_source_first


@pytest.mark.parametrize("refuses", [False, True])
def test_a_task_leaves_its_queue_first_and_comes_back_when_the_next_one_cannot_be_written(
    tmp_path, monkeypatch, refuses
):
    home = str(tmp_path)
    files, written = RealFiles(), []
    files.replace(f"{home}/.loki/queue/pending.json", b'[{"task_id":"a"}]')
    replace = RealFiles.replace

    def watched(self, path, data):
        written.append(path.rpartition("/")[2])
        if refuses and path.endswith("completed.json"):
            raise OSError(errno.ENOSPC, "full")
        replace(self, path, data)

    monkeypatch.setattr(RealFiles, "replace", watched)
    store = QueueStore(files, home)
    store.queues_class = SourceFirst
    with store.held() as queues, pytest.raises(OSError, match="full") if refuses else contextlib.nullcontext():
        queues.move("a", "pending", "completed")
    back = ["pending.json"] if refuses else []
    assert ["pending.json", "completed.json", *back] == written
    pending = json.loads(files.read(f"{home}/.loki/queue/pending.json", 999))
    assert [each["task_id"] for each in pending] == (["a"] if refuses else [])


def test_a_lock_that_is_a_file_goes_with_who_holds_it_and_keeps_others_out(tmp_path, monkeypatch):
    monkeypatch.setattr(file_mistakes, "PATIENCE_S", 0.01)
    lock = tmp_path / "lock"
    with contextlib.ExitStack() as held:
        hold_by_file(RealFiles(), str(lock), held)
        with contextlib.ExitStack() as other, pytest.raises(TimeoutError):
            hold_by_file(RealFiles(), str(lock), other)
        assert lock.exists()
    assert not lock.exists()
    with contextlib.ExitStack() as held:
        hold_by_file(FakeFiles(), str(lock), held)
        assert not lock.exists()


def test_of_errors_of_storage_an_io_error_escapes_as_another():
    with pytest.raises(RuntimeError, match="broken"), escaping_io_errors():
        raise OSError(errno.EIO, "Input/output error")
    with pytest.raises(OSError, match="full"), escaping_io_errors():
        raise OSError(errno.ENOSPC, "full")


def test_a_log_tells_of_an_io_error_or_of_another():
    entries = [LogEntry(LogLevel.ERROR, "x", f"{OSError(number, 'y')}") for number in (errno.ENOSPC, errno.EIO)]
    assert [False, True] == [tells_io_error(entries[:count]) for count in (1, 2)]


class RefusedLock(contextlib.AbstractContextManager):
    def __enter__(self):
        raise BlockingIOError("somebody else holds it")

    def __exit__(self, *error):
        pytest.fail("what was never held was given back")


def test_a_lock_that_raises_gives_an_error_nobody_answers_for_and_one_that_is_had_is_held():
    with pytest.raises(RuntimeError, match="the state is locked"), raising(RefusedLock()):
        pytest.fail("it went on without the lock")
    held = []

    @contextlib.contextmanager
    def lock():
        held.append("taken")
        yield
        held.append("given back")

    with raising(lock()):
        held.append("work")
    assert ["taken", "work", "given back"] == held


def test_an_error_of_the_work_under_a_lock_is_the_works_own():
    with pytest.raises(OSError, match="disk full"), raising(contextlib.nullcontext()):
        raise OSError("disk full")

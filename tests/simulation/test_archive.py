"""What is set aside so that files do not grow with the days. Source: issue 10, "memory flat over 365 days"."""

import pytest

from harness.core.events import FailureRecorded
from harness.core.task_events import TaskCompleted
from harness.ports.fake_files import FakeFiles
from harness.simulation import archive
from harness.simulation.archive import FINISHED, LARGEST, LOGGED, Archive
from harness.simulation.session import HOME
from harness.systems.dead_letter.contract import COMPLETED_PATH, ESCALATIONS_PATH
from harness.systems.diagnosis.contract import EPISODIC_MEMORY_PATH
from harness.systems.error_log.contract import ERRORS_PATH

FAILED = FailureRecorded(at="", correlation_id="", record_id="r", stored=True)
DONE = TaskCompleted(at="", correlation_id="", task="t", outcome="completed", recorded=True)


class Told:
    """What the invariants are told of."""

    def __init__(self):
        self.paths = []

    def archived(self, paths):
        self.paths += paths


def archived(sizes, events=()):
    """The paths that are gone when a session ends after those events, of files of those sizes."""
    files, told = FakeFiles(), Told()
    files.contents.update({path.replace("{home}", HOME): (b"x" * size, 0.0) for path, size in sizes.items()})
    before = set(files.contents)
    kept = Archive(files, lambda path, files: files.contents.pop(path, None), told)
    for event in events:
        kept.take(event)
    kept.look()
    gone = before - set(files.contents)
    assert gone == before & set(told.paths)
    return {path.replace(HOME, "{home}") for path in gone}


@pytest.mark.parametrize("path", LARGEST)
def test_what_is_only_added_to_is_set_aside_when_it_is_large(path):
    assert set() == archived({path: LARGEST[path]})
    assert {path} == archived({path: LARGEST[path] + 1})


@pytest.mark.parametrize(
    ("path", "event", "least"),
    [
        (ERRORS_PATH, FAILED, LOGGED),
        (COMPLETED_PATH, DONE, FINISHED),
        (f"{ESCALATIONS_PATH}/t.md", DONE, FINISHED),
    ],
)
def test_records_and_finished_tasks_are_set_aside_when_there_are_many(path, event, least):
    sizes = {path: 1, EPISODIC_MEMORY_PATH: 1}
    assert set() == archived(sizes, [event] * (least - 1))
    assert {path} == archived(sizes, [event] * least)


def test_what_was_set_aside_is_counted_anew(monkeypatch):
    files, told = FakeFiles(), Told()
    kept = Archive(files, lambda path, files: None, told)
    monkeypatch.setattr(archive, "LOGGED", 2)
    counts = []
    for _ in range(5):
        kept.take(FAILED)
        kept.look()
        counts.append(len(told.paths))
    assert [0, 3, 3, 6, 6] == counts

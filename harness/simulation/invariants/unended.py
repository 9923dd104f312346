"""What is left to do when nothing more goes wrong: tasks and phases that nobody has brought to an end."""

import posixpath
from collections.abc import Iterator

from harness.ports.fake_files import FakeFiles
from harness.simulation.invariants import shapes
from harness.simulation.invariants.shapes import Data
from harness.systems.phase_runner.contract.words import CONFIG_PATH, HOME, Status, phase_path
from harness.systems.queue_files import BLOCKED, IN_PROGRESS, PENDING, path_of
from harness.systems.signals.contract import REVIEW_PATH


def unended(files: FakeFiles, home: str) -> tuple[str, ...]:
    """The tasks that are pending, in progress, or blocked while no human is asked; then the phases of a plan that runs.

    A task is named by its id, a phase by ``plan/phase``. A plan that has failed waits for a human, and so do its
    phases. What cannot be read is named by its path: nobody can bring it to an end.
    """
    return tuple(dict.fromkeys((*_tasks(files, home), *_phases(files, home))))


def _tasks(files: FakeFiles, home: str) -> Iterator[str]:
    asked = _read(files, REVIEW_PATH.format(home=home))
    waiting = set[str]() if asked is None else shapes.requests(asked) or set()
    for queue in (PENDING, IN_PROGRESS, BLOCKED):
        path = posixpath.join(home, path_of(queue))
        data = _read(files, path)
        found = [] if data is None else shapes.queue(data)
        if found is None:
            yield path
        else:
            yield from (task for task in found if queue != BLOCKED or task not in waiting)


def _phases(files: FakeFiles, home: str) -> Iterator[str]:
    path = CONFIG_PATH.format(home=home)
    data = _read(files, path)
    if data is None:
        return
    config = shapes.config(data)
    if config is None:
        yield path
        return
    statuses: dict[str, str] = {}
    for phase_id in config.phase_ids:
        path = phase_path(phase_id).replace(HOME, home)  # an id may be anything
        data = _read(files, path)
        phase = None if data is None else shapes.phase(data)
        if phase is None:
            yield path
        else:
            statuses[phase_id] = phase.status
    if Status.FAILED in statuses.values():
        return
    yield from (f"{config.plan_path}/{name}" for name, status in statuses.items() if status != Status.COMPLETE)


def _read(files: FakeFiles, path: str) -> Data | None:
    found = files.contents.get(path)
    return None if found is None else found[0]

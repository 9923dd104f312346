"""What a team sets aside from time to time, so that neither files nor the memory of a simulation grow with its days."""

from collections.abc import Callable
from typing import Final

from harness.core.events import FailureRecorded, SessionEvent
from harness.core.task_events import TaskCompleted
from harness.ports.fake_files import FakeFiles
from harness.simulation.invariants import Invariants
from harness.simulation.session import HOME
from harness.systems.dead_letter.contract import ABANDONED_PATH, COMPLETED_PATH, ESCALATIONS_PATH
from harness.systems.diagnosis.contract import CONTEXT_LOG_PATH, EPISODIC_MEMORY_PATH, SESSION_MEMORY_PATH
from harness.systems.error_log.contract import ERRORS_PATH
from harness.systems.session_recovery.contract import LEDGER_PATH
from harness.systems.signals.contract import DRIFT_PATH

LOGGED: Final = 40  # records of failures: each rewrites errors.json
FINISHED: Final = 8  # tasks
_OF_FAILURES: Final = (ERRORS_PATH, SESSION_MEMORY_PATH, CONTEXT_LOG_PATH)  # what was learned is in the episodic memory
_OF_TASKS: Final = (COMPLETED_PATH, ABANDONED_PATH, LEDGER_PATH)
LARGEST: Final = {EPISODIC_MEMORY_PATH: 2 << 20, DRIFT_PATH: 1 << 18}
"""Bytes of files that are only ever added to, and read whole; seven days of five agents stay below."""


class Archive:
    """``remove`` takes one file away from where systems look for it."""

    def __init__(self, files: FakeFiles, remove: Callable[[str, FakeFiles], None], invariants: Invariants) -> None:
        self._files = files
        self._remove = remove
        self._invariants = invariants
        self._logged = self._finished = 0

    def take(self, event: SessionEvent) -> None:
        """One more event."""
        self._logged += isinstance(event, FailureRecorded)
        self._finished += isinstance(event, TaskCompleted)

    def look(self) -> None:
        """A session has ended: is there enough to set something aside?"""
        if self._logged >= LOGGED:
            self._logged = 0
            self.set_aside(*_OF_FAILURES)
        if self._finished >= FINISHED:
            self._finished = 0
            escalations = f"{ESCALATIONS_PATH.format(home=HOME)}/"
            self.set_aside(*_OF_TASKS, *[path for path in self._files.contents if path.startswith(escalations)])
        self.set_aside(*[path for path, most in LARGEST.items() if self._size(path) > most])

    def _size(self, path: str) -> int:
        return len(self._files.contents.get(path.replace("{home}", HOME), (b"",))[0])

    def set_aside(self, *paths: str) -> None:
        """These begin anew."""
        whole = tuple(path.replace("{home}", HOME) for path in paths)
        for path in whole:
            self._remove(path, self._files)
        self._invariants.archived(whole)

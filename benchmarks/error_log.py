"""What the reference error log costs: a logged error against the same file rewritten by hand."""

import fcntl
import os
import tempfile
import time
from collections.abc import Callable

from benchmarks.measure import Figure, ratios
from harness.systems.error_log.contract import ERRORS_PATH, Configuration, ErrorGiven, LogArguments
from harness.systems.error_log.reference import ErrorLog, create

RECORDS = (10, 100, 1000)
LOGGED = 50  # a round
NOW_S = 1_772_366_400.0
GIVEN = ErrorGiven(
    type="timeout",
    message="Phase 2 exceeded its time limit of 600 s",
    severity="high",
    context={
        "session_id": "sess_1736700000_abc123",
        "command": "/implement",
        "task": 259,
        "phase": 2,
        "checkpoint": "GATE_OUT",
    },
    trajectory={
        "delegation_path": ["orchestrator", "implement", "skill-implementer", "general-implementation-agent"],
        "failed_at_depth": 3,
    },
    recovery={"suggested_action": "Run /implement 259 to resume from phase 2", "auto_recoverable": True},
)


def logged() -> list[tuple[str, Figure]]:
    """An error logged : lock, write as many bytes, sync, rename and sync the directory, without reading or thinking."""
    found = []
    for label, place, goal in (("disk", None, "at most 2.0"), ("memory", "/dev/shm", "told, no goal")):
        if place is None or os.path.isdir(place):
            for records in RECORDS:
                with tempfile.TemporaryDirectory(dir=place) as base:
                    text = f"error logged ({label}, {records} records) : bare locked rewrite"
                    found.append((f"logged-{label}-{records}", Figure(_logged(base, records), "", text, goal)))
    return found


def _logged(base: str, records: int) -> tuple[float, ...]:
    log = create(Configuration(base))
    path = ERRORS_PATH.replace("{home}", base)
    for number in range(records):
        _log(log, number)
    with open(path, "rb") as file:
        start = file.read()

    def ours() -> float:
        _restore(path, start)
        _log(log, 0)  # the file was changed from outside: who reads it anew pays for that once, and not here
        return _timed(lambda number: _log(log, number))

    def bare() -> float:
        return _timed(lambda _: _bare(path, start))

    return ratios(ours, bare)


def _timed(body: Callable[[int], None]) -> float:
    begun = time.perf_counter()
    for number in range(LOGGED):
        body(number)
    return time.perf_counter() - begun


def _log(log: ErrorLog, number: int) -> None:
    log.log(LogArguments(f"error {number}", GIVEN), now_s=NOW_S + number)


def _restore(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


def _bare(path: str, data: bytes) -> None:
    """Nothing but what makes a rewrite safe, with the standard library."""
    lock = os.open(f"{path}.bare-lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(f"{path}.new", "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.new", f"{path}.bare")
        directory = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    finally:
        os.close(lock)

"""What the reference's queues cost: a review of many dead letters, and claims by eight processes at once."""

import fcntl
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

from benchmarks.measure import Figure, ratios
from harness.systems import queue_files
from harness.systems.dead_letter import reference as dead_letter_reference
from harness.systems.dead_letter.contract import Configuration as Letters
from harness.systems.dead_letter.contract import SessionArguments
from harness.systems.session_recovery import reference as session_recovery_reference
from harness.systems.session_recovery.contract import ClaimArguments, Claimed
from harness.systems.session_recovery.contract import Configuration as Recovery

LETTERS = 10_000
REVIEWS = 5
WORKERS = 8
CLAIMS = 15  # a worker, of a queue of that many tasks for each
ROUNDS = 5
NOW_S = 1_772_366_400.0
BARE_LOCK = "bare-lock"


def review() -> Figure:
    """Seconds until each of 10,000 dead letters, on disk, was decided about: all are left for the next review."""
    seconds = []
    for _ in range(REVIEWS):
        with tempfile.TemporaryDirectory() as home:
            _write(home, queue_files.DEAD_LETTER, {"tasks": [_letter(number) for number in range(LETTERS)]})
            made = dead_letter_reference.create(Letters(home))
            begun = time.perf_counter()
            result = made.review(SessionArguments(), NOW_S)
            seconds.append(time.perf_counter() - begun)
            assert result.reviewed
            assert len(result.decisions) == LETTERS
    return Figure(tuple(seconds), " s", f"a review of {LETTERS:,} dead letters", "under 1 s")


def claims() -> list[tuple[str, Figure]]:
    """Claims a second by eight processes : a bare lock and renames by as many.

    What is bare either rewrites both queues as safely, or only renames a file for each task.
    """
    found = []
    for label, bare in (("both", _bare_rewrites), ("rename", _bare_rename)):
        values = ratios(lambda bare=bare: _rate(bare), lambda: _rate(_claims), ROUNDS)  # type: ignore[misc]  # bound above
        goal = "at least 0.5" if label == "both" else "told, no goal"
        words = "lock and rewrite of both files" if label == "both" else "lock and rename of one file"
        found.append((f"claims-{label}", Figure(values, "", f"claims by {WORKERS} processes : bare {words}", goal)))
    return found


def _rate(worker: Callable[[str, int], None]) -> float:
    """Seconds a claim; the less, the higher the rate."""
    with tempfile.TemporaryDirectory() as home:
        tasks = [{"task_id": f"task-{number}", "title": "t"} for number in range(WORKERS * CLAIMS)]
        _write(home, queue_files.PENDING, {"tasks": tasks})
        os.mkdir(os.path.join(home, "one"))
        for number in range(WORKERS * CLAIMS):
            open(os.path.join(home, "one", f"{number}"), "wb").close()
        context = multiprocessing.get_context("fork")
        workers = [context.Process(target=worker, args=(home, number)) for number in range(WORKERS)]
        begun = time.perf_counter()
        for each in workers:
            each.start()
        for each in workers:
            each.join()
        taken = time.perf_counter() - begun
        assert [each.exitcode for each in workers] == [0] * WORKERS
        return taken / (WORKERS * CLAIMS)


def _claims(home: str, number: int) -> None:
    made = session_recovery_reference.create(Recovery(home))
    for _ in range(CLAIMS):
        while made.claim(ClaimArguments(f"worker-{number}"), NOW_S).outcome is not Claimed.CLAIMED:
            pass  # the lock could not be had in time; it is asked for again, and that costs


def _bare_rewrites(home: str, number: int) -> None:
    """Takes the first task of pending, writes it to in-progress and rewrites pending, with the standard library."""
    del number
    for _ in range(CLAIMS):
        with _Locked(home):
            pending = _read(home, queue_files.PENDING)
            taken = pending["tasks"].pop(0)
            progress = _read(home, queue_files.IN_PROGRESS)
            progress["tasks"].append(taken)
            _write(home, queue_files.IN_PROGRESS, progress)
            _write(home, queue_files.PENDING, pending)


def _bare_rename(home: str, number: int) -> None:
    """Takes the lock and renames a file of its own."""
    for each in range(CLAIMS):
        with _Locked(home):
            path = os.path.join(home, "one", f"{number * CLAIMS + each}")
            os.rename(path, f"{path}.taken")


class _Locked:
    """A bare flock."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, BARE_LOCK)

    def __enter__(self) -> None:
        self._lock = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)


def _read(home: str, queue: str) -> Any:
    try:
        with open(os.path.join(home, queue_files.path_of(queue)), "rb") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"tasks": []}


def _write(home: str, queue: str, document: Any) -> None:
    path = os.path.join(home, queue_files.path_of(queue))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.new", "wb") as file:
        file.write(json.dumps(document).encode())
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.new", path)


def _letter(number: int) -> dict[str, Any]:
    """A task with five failed attempts that differ, as the document has it."""
    attempts = [
        {
            "attempt_number": attempt,
            "timestamp": f"2026-02-27T1{attempt}:00:00Z",
            "approach": f"approach {attempt % 2}",
            "error_type": "test_failure",
            "error_message": f"test {number + attempt} failed",
            "agent_id": "eng-001",
        }
        for attempt in range(1, 6)
    ]
    return {
        "task_id": f"task-{number}",
        "original_queue": "pending",
        "failure_count": 5,
        "first_failure": attempts[0]["timestamp"],
        "last_failure": attempts[-1]["timestamp"],
        "error_summary": "a test fails",
        "attempts": attempts,
        "recovery_strategy": "retry_with_simpler_approach",
        "task_data": {"title": "Paint", "description": "Paint the wall", "dependencies": [], "priority": "low"},
    }

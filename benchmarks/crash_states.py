"""How many crash states of an operation in this process are put on disk, recovered from and judged a second."""

import json
import os
import tempfile
import time
from collections.abc import Callable

from benchmarks.measure import Figure, ratios
from harness.explore.in_process.boundary import Boundary
from harness.explore.in_process.crashes import crashes
from harness.explore.in_process.subject import Subject
from harness.explore.in_process.threads import race
from harness.explore.schedules import Schedules

ROUNDS = 9
SIZE = 2000  # bytes of the state: each of them is a crash
MEMORY = "/dev/shm"


def _counter(directory: str) -> Subject:
    """A counter in a JSON file, replaced atomically and made durable."""
    path = f"{directory}/state.json"

    def load() -> dict[str, object]:
        with open(path, "rb") as file:
            return dict(json.load(file))

    def count() -> None:
        state = load()
        state["count"] = 8
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.new", path)
        descriptor = os.open(directory, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    before = {"state.json": json.dumps({"count": 7, "text": "x" * SIZE}).encode()}
    return Subject(
        directory,
        before,
        count,
        recover=load,
        survives=lambda finished: "" if load()["count"] in ((8,) if finished else (7, 8)) else "lost",
    )


def rate() -> list[tuple[str, Figure]]:
    """States a second of processor time, and what a state costs : a bare recovery of the same file."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as directory:
        subject = _counter(directory)

        def states() -> float:
            begun = time.process_time()
            with Boundary(directory) as boundary:
                found = crashes(boundary, subject)
            assert not found.failures
            return (time.process_time() - begun) / found.coverage.distinct

        def bare() -> float:
            begun = time.process_time()
            for _ in range(500):
                subject.recover()
            return (time.process_time() - begun) / 500

        costs = ratios(states, bare, ROUNDS)
        rates = tuple(1 / states() for _ in range(ROUNDS))
    text = f"crash states a second of a state of {SIZE} bytes, recovered twice and judged"
    return [
        ("states", Figure(rates, "/s", text, "at least 5000")),
        ("state", Figure(costs, "", "one crash state : one bare recovery of the same file", "told, none")),
    ]


def threads() -> Figure:
    """Seconds until every order of a check and a touch by two threads was run."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as directory:
        path = f"{directory}/semaphore"

        def touch() -> bool:
            if os.path.exists(path):
                return False
            with open(path, "w", encoding="utf-8"):
                return True

        bodies: list[Callable[[], object]] = [touch, touch]

        def exhausted() -> float:
            begun = time.perf_counter()
            with Boundary(directory) as boundary:
                found = race(boundary, {}, bodies, lambda ends: "two" * all(end.result for end in ends), Schedules())
            assert found.coverage.exhausted
            assert found.races
            return time.perf_counter() - begun

        values = tuple(exhausted() for _ in range(ROUNDS))
    return Figure(values, "s", "check-then-touch by two threads, every order", "under 1 s")

"""What the reference circuit breaker costs: a closed call in memory, and one failure recorded in the file."""

import contextlib
import fcntl
import importlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable

from benchmarks.measure import Figure, ratios
from harness.systems.circuit_breaker.contract import (
    STATE_PATH,
    AcquireArguments,
    Configuration,
    Outcome,
    RecordArguments,
    Tunables,
)
from harness.systems.circuit_breaker.reference import create
from harness.systems.circuit_breaker.reference.breaker import Breaker
from harness.systems.circuit_breaker.reference.pace import Tuning

CALLS = 20_000
RECORDS = 200
BREAKERS = 3  # as many as the document's example has
NOW_S = 1_772_366_400.0
NOW_US = 1_772_366_400_000_000
NEVER = 10**9  # failures that open: a breaker that opens would write less


def decisions() -> list[tuple[str, Figure]]:
    """A closed call, asked for and told of : one through circuitbreaker's decorator; without and with a lock.

    With the lock the call is told of under it. Asking a CLOSED breaker reads one attribute, and needs none.
    """
    names = [str(number) for number in range(CALLS)]
    lock = threading.Lock()
    success = Outcome.SUCCESS

    guarded = importlib.import_module("circuitbreaker").circuit(lambda: None)  # only this figure needs the library

    def theirs() -> None:
        for _ in names:
            guarded()

    def ours() -> None:
        breaker = Breaker(Tuning().pace(Tunables()))
        for name in names:
            if breaker.ask(name, NOW_US) is None:
                breaker.tell(name, success, NOW_US)

    def ours_locked() -> None:
        breaker = Breaker(Tuning().pace(Tunables()))
        for name in names:
            if breaker.ask(name, NOW_US) is None:
                with lock:
                    breaker.tell(name, success, NOW_US)

    bare = ratios(_timed(ours), _timed(theirs))
    locked = ratios(_timed(ours_locked), _timed(theirs))
    text = "closed call in memory : through circuitbreaker"
    return [
        ("decision", Figure(bare, "", text, "at most 0.6")),
        ("locked", Figure(locked, "", f"{text}, ours with a lock", "at most 1.0")),
    ]


def record() -> list[tuple[str, Figure]]:
    """A failure counted in the state file : locked, read, parsed, counted, written, synced and renamed by hand."""
    found = []
    for label, place in (("memory", "/dev/shm"), ("disk", None)):
        if place is None or os.path.isdir(place):
            with tempfile.TemporaryDirectory(dir=place) as base:
                text = f"failure recorded ({label}) : raw read-modify-write"
                found.append((f"record-{label}", Figure(_records(base), "", text, "at most 1.3")))
    return found


def _records(base: str) -> tuple[float, ...]:
    path = STATE_PATH.replace("{home}", base)
    breakers = create(Configuration(base, {"threshold": NEVER, "window_s": 1e-6}))
    numbers = iter(range(10**9))

    def fail(name: str) -> None:
        at_s = NOW_S + next(numbers)
        breakers.record(RecordArguments(name, f"{at_s}", Outcome.FAILURE, "HTTP 503"), at_s)

    for number in range(BREAKERS):
        breakers.acquire(AcquireArguments(f"api/{number}", "0"), NOW_S)
        fail(f"api/{number}")

    def ours() -> None:
        for _ in range(RECORDS):
            fail("api/0")

    def raw() -> None:
        for _ in range(RECORDS):
            _raw(path)

    return ratios(_timed(ours), _timed(raw))


def _raw(path: str) -> None:
    """The same steps with the standard library and nothing else: what any implementation has to do."""
    with open(f"{path}.lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(path, "rb") as file:
            state = json.load(file)
        state["api/0"]["failure_count"] += 1
        with open(f"{path}.new", "wb") as file:
            file.write(json.dumps(state).encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.new", path)
        with contextlib.closing(_Directory(os.path.dirname(path))) as directory:
            os.fsync(directory.descriptor)


class _Directory:
    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def close(self) -> None:
        os.close(self.descriptor)


def _timed(body: Callable[[], None]) -> Callable[[], float]:
    def once() -> float:
        begun = time.perf_counter()
        body()
        return time.perf_counter() - begun

    return once

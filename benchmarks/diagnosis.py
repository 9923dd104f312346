"""What the reference diagnosis costs: without a model, on huge texts, and beside memories of many records."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import msgspec

from benchmarks.measure import ROUNDS, Figure, ratios
from harness.systems.diagnosis.contract import (
    CONTEXT_LOG_PATH,
    EPISODIC_MEMORY_PATH,
    SESSION_MEMORY_PATH,
    Configuration,
    ObserveArguments,
)
from harness.systems.diagnosis.reference import DiagnosticReflection, create

NOW_S = 1_772_366_400.0
CALLS = 200
SIZES = (10, 1_000, 100_000)
HUGE = 10 << 20

_CONTEXT = {
    "iteration": 2,
    "previousActions": [],
    "availableTools": ["run_bash", "read_file", "read_dir", "write_file", "http_fetch"],
    "workspaceState": {"files": [], "directories": []},
    "taskGoal": "Build it",
}
_FAILURES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("run_bash", {"command": "git clone https://github.com/a/b"}, {"message": "exit code 127", "code": 127}),
    ("write_file", {"path": "/etc/x", "content": "x"}, {"message": "EACCES: permission denied", "code": "EACCES"}),
    ("run_bash", {"command": "pytest -q"}, {"message": "Command timed out after 30 s", "code": 124}),
    ("http_fetch", {"url": "https://example.com"}, {"message": "getaddrinfo ENOTFOUND example.com"}),
    (
        "run_bash",
        {"command": "python3 a.py"},
        {"message": "failed", "code": 1, "stderr": "SyntaxError: invalid syntax"},
    ),
    ("run_bash", {"command": "./a"}, {"message": "failed", "code": 1, "stderr": "something else went wrong"}),
)


def seconds() -> list[tuple[str, Figure]]:
    """The median of a diagnosis without a model, in ms, on memory and on disk; and of texts of 10 MiB."""
    found = []
    huge = "x " * (HUGE // 2)
    for label, place in (("memory", "/dev/shm"), ("disk", None)):
        if place is None or os.path.isdir(place):
            with tempfile.TemporaryDirectory(dir=place) as base:
                text = f"median of a diagnosis without a model ({label})"
                figure = Figure(_medians_ms(create(Configuration(base)), ""), " ms", text, "under 1 ms")
                found.append((f"diagnosis-{label}", figure))
    with tempfile.TemporaryDirectory() as base:
        figure = Figure(_medians_ms(create(Configuration(base)), huge), " ms", "the same, texts of 10 MiB", "told")
        found.append(("diagnosis-huge", figure))
    return found


def memories() -> list[tuple[str, Figure]]:
    """A diagnosis beside memories of 1,000 and of 100,000 records : one beside memories of 10."""
    found = []
    with tempfile.TemporaryDirectory() as base:
        kept = {size: _grown(os.path.join(base, str(size)), size) for size in SIZES}
        for size in SIZES[1:]:
            values = ratios(_timed(kept[size]), _timed(kept[SIZES[0]]))
            text = f"a diagnosis beside {size:,} records : beside {SIZES[0]}"
            found.append((f"memories-{size}", Figure(values, "", text, "about 1, at most 1.1")))
    return found


def _medians_ms(reflection: DiagnosticReflection, text: str) -> tuple[float, ...]:
    return tuple(1000 * statistics.median(_each(reflection, text)) for _ in range(ROUNDS))


def _each(reflection: DiagnosticReflection, text: str) -> list[float]:
    found = []
    for number in range(CALLS if not text else len(_FAILURES)):
        tool, args, error = _FAILURES[number % len(_FAILURES)]
        if text:
            error = {**error, "message": error["message"] + text, "stderr": text, "stdout": text}
        arguments = ObserveArguments(f"c{number}", tool, args, False, error, _CONTEXT)
        begun = time.perf_counter()
        reflection.observe(arguments, NOW_S)
        found.append(time.perf_counter() - begun)
    return found


def _timed(reflection: DiagnosticReflection) -> Callable[[], float]:
    return lambda: sum(_each(reflection, ""))


def _grown(home: str, size: int) -> DiagnosticReflection:
    """A reflection that has read memories of that size."""
    os.makedirs(home)
    record = {
        "error_encountered": {"type": "timeout", "tool": "run_bash", "diagnosis": "d" * 100, "root_cause": "timeout"},
        "reusable_pattern": {"trigger": "other_timeout", "action": "reduce_scope", "success_rate": 1.0},
    }
    line = msgspec.json.encode(record) + b"\n"
    for path in (SESSION_MEMORY_PATH, EPISODIC_MEMORY_PATH, CONTEXT_LOG_PATH):
        with open(path.replace("{home}", home), "wb") as file:
            file.write(line * size)
    found = create(Configuration(home))
    _each(found, "")
    return found

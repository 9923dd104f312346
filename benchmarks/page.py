"""reports/performance.md: every figure that was measured, and on which machine."""

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from benchmarks.measure import Figure, quartiles
from harness import __version__

_CPUS = Path("/proc/cpuinfo")
_MEMORY = Path("/proc/meminfo")


def page(figures: Sequence[tuple[str, Figure]], missing: Mapping[str, str], today: date) -> str:
    """The page, in Markdown: a row a figure, its goal, and whether it is reached; and why others are ``missing``."""
    lines = [
        "# Performance",
        "",
        f"Written by `python -m benchmarks --page reports/performance.md`, windtunnel {__version__}, on {today}:",
        f"{machine()}.",
        "",
        "Each figure but those in seconds and MB is a ratio of two things, measured in turn in one run, so that the",
        "machine cancels out. [benchmarks/README.md](../benchmarks/README.md) says what is compared. A goal is reached",
        "`almost` when the median misses it and the nearer quartile does not.",
        "",
        "| figure | median | quartiles | rounds | what is compared | goal | reached |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name, figure in figures:
        low, middle, high = quartiles(figure.values)
        spread = f"{low:.3f} to {high:.3f}"
        measured = (f"`{name}`", f"{middle:.3f}{figure.unit}", spread, f"{len(figure.values)}")
        row = (*measured, figure.meaning, figure.goal, figure.reached() or "-")
        lines.append(f"| {' | '.join(row)} |")
    if missing:
        lines += [
            "",
            *(f"`{name}` was not measured: {why.replace(str(Path.home()), '~')}." for name, why in missing.items()),
        ]
    return "\n".join(lines) + "\n"


def machine() -> str:
    """Processors, memory, kernel and Python, and no name of a host."""
    model = _field(_CPUS, "model name") or platform.machine()
    memory_gib = int((_field(_MEMORY, "MemTotal") or "0 kB").split()[0]) / 1024**2
    cpus = len(os.sched_getaffinity(0))
    return f"{cpus} x {model}, {memory_gib:.0f} GiB, Linux {platform.release()}, Python {sys.version.split()[0]}"


def _field(path: Path, name: str) -> str:
    for line in path.read_text("utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""

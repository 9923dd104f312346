"""How many processors this process may use."""

import os
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


def available(cgroups: Path = CGROUPS, own: Path = OWN_CGROUP) -> int:
    """The processors of its affinity mask, or fewer where the quota of a control group is smaller, rounded up; from 1.

    Source: sched_getaffinity(2); Documentation/admin-guide/cgroup-v2.rst, cpu.max; for version 1 cpu.cfs_quota_us.
    """
    quotas = [quota for folder in _folders(cgroups, own) if (quota := _quota(folder)) is not None]
    return max(1, min([len(os.sched_getaffinity(0)), *quotas]))


def _folders(cgroups: Path, own: Path) -> list[Path]:
    """The control groups that bind this process: its own and each above it, and what a container sees as the root."""
    found = [cgroups, cgroups / "cpu"]
    for line in _text(own).splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if not controllers or "cpu" in controllers.split(","):
            base = cgroups / "cpu" if controllers else cgroups
            place = base / path.lstrip("/")
            found += [each for each in (place, *place.parents) if each.is_relative_to(base)]
    return found


def _quota(folder: Path) -> int | None:
    """The processors that a control group leaves, None for all."""
    words = _text(folder / "cpu.max").split() or [
        _text(folder / "cpu.cfs_quota_us").strip(),
        _text(folder / "cpu.cfs_period_us").strip(),
    ]
    if len(words) == 2 and all(word.isdecimal() for word in words) and int(words[1]):
        return -(-int(words[0]) // int(words[1]))
    return None  # "max", -1, or no such file


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except (OSError, ValueError):
        return ""

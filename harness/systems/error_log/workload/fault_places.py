"""Where each fault can strike an error log, and with which quantities, read from the table of rows."""

from collections.abc import Mapping
from functools import cache

from harness.core.fault import Fault
from harness.systems.error_log.workload.fault_rows import rows

# these strike while an operation runs: two runs may rightly end differently
_UNSTEADY = frozenset(
    ("filesystem.vanishing", "filesystem.growing", "clock.jump", "process.killed", "process.paused",
     "process.lock_held", "process.slow_disk")
)  # fmt: skip


def of(name: str) -> tuple[Fault, ...]:
    """Every way in which the fault of that name strikes; none when it does not."""
    return _places().get(name, ())


def unsteady(name: str) -> bool:
    """May two runs under this fault rightly end differently, because it strikes while an operation runs?"""
    return name in _UNSTEADY


@cache
def _places() -> Mapping[str, tuple[Fault, ...]]:
    found: dict[str, tuple[Fault, ...]] = {}
    for row in rows():
        if row.fault is not None:
            known = found.get(row.fault.name, ())
            found[row.fault.name] = known if row.fault in known else (*known, row.fault)
    return found

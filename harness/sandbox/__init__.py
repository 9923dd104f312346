"""Where implementations under test live: a private world for a command, without the person's files or network."""

from harness.sandbox.exposure import Exposure, exposure_for
from harness.sandbox.plan import (
    CALM,
    Containment,
    Ended,
    Filter,
    Interruption,
    Run,
    SandboxPlan,
    Surroundings,
    WallClock,
)
from harness.sandbox.probe import MachineFacts, WayFact, probe
from harness.sandbox.roots import Roots, base_environment
from harness.sandbox.running import Running
from harness.sandbox.sandbox import Sandbox
from harness.sandbox.wire import (
    Action,
    Chmod,
    MakeDirectory,
    MakeFifo,
    Remove,
    SetTime,
    Symlink,
    Write,
)

__all__ = [
    "CALM",
    "Action",
    "Chmod",
    "Containment",
    "Ended",
    "Exposure",
    "Filter",
    "Interruption",
    "MachineFacts",
    "MakeDirectory",
    "MakeFifo",
    "Remove",
    "Roots",
    "Run",
    "Running",
    "Sandbox",
    "SandboxPlan",
    "SetTime",
    "Surroundings",
    "Symlink",
    "WallClock",
    "WayFact",
    "Write",
    "base_environment",
    "exposure_for",
    "probe",
]

"""The outside in small pieces, each with a real and a fake implementation of the same few methods.

A name is loaded when it is first asked for: what needs only files does not pay for importing subprocess.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.ports.clock import Clock, FakeClock, FakeWaiter, RealClock, RealWaiter, Waiter
    from harness.ports.fake_files import FakeFiles
    from harness.ports.files import Files, NotRegularError, RealFiles, Status
    from harness.ports.launcher import Ended, FakeLauncher, Launcher, RealLauncher

__all__ = [
    "Clock",
    "Ended",
    "FakeClock",
    "FakeFiles",
    "FakeLauncher",
    "FakeWaiter",
    "Files",
    "Launcher",
    "NotRegularError",
    "RealClock",
    "RealFiles",
    "RealLauncher",
    "RealWaiter",
    "Status",
    "Waiter",
]

_MODULES = {
    "clock": ("Clock", "FakeClock", "FakeWaiter", "RealClock", "RealWaiter", "Waiter"),
    "fake_files": ("FakeFiles",),
    "files": ("Files", "NotRegularError", "RealFiles", "Status"),
    "launcher": ("Ended", "FakeLauncher", "Launcher", "RealLauncher"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"harness.ports.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

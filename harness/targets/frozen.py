"""Code that reads the machine's clock itself, called in a process whose clock is moved by freezegun.

Each call begins at the time of the scenario and goes on from there, also for ``time.monotonic``. A clock that stands
still is exact to the second a scenario is about, but who polls it for a deadline waits for ever. Times of files are
the kernel's and are not moved.
"""

import importlib.util
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from harness.errors import UsageError

_TURN = threading.RLock()  # freezegun patches modules: two times at once would be undone in the wrong order


def require_freezegun(who: str) -> None:
    """UsageError, naming ``who`` needs it, when freezegun is not installed."""
    if importlib.util.find_spec("freezegun") is None:
        raise UsageError(f"{who} reads the system's clock, which needs freezegun: pip install 'windtunnel[all]'")


@contextmanager
def at(now_s: float, *, stands_still: bool = False) -> Iterator[None]:
    """The clocks of this process begin at ``now_s``, in seconds since the epoch, until the end of the block."""
    from freezegun import freeze_time  # noqa: PLC0415 - of the extra `all`, for code that asks for it

    with _TURN, freeze_time(datetime.fromtimestamp(now_s, UTC), tick=not stands_still):
        yield


def frozen(
    create: Callable[[Mapping[str, Any]], Any], *, stands_still: bool = False
) -> Callable[[Mapping[str, Any]], Any]:
    """``create`` for a DirectSession, for implementations whose operations take arguments only and read the clock.

    Operations of one schedule take turns, since a process has one clock.
    """
    require_freezegun(getattr(create, "__qualname__", "the implementation"))
    return lambda config: _Frozen(create(config), stands_still)


class _Frozen:
    """An implementation with a method an operation, of arguments and the time in seconds."""

    def __init__(self, inner: Any, stands_still: bool) -> None:
        self._inner = inner
        self._stands_still = stands_still

    def __getattr__(self, operation: str) -> Callable[[Mapping[str, Any], float], Any]:
        def call(args: Mapping[str, Any], now_s: float) -> Any:
            with at(now_s, stands_still=self._stands_still):
                return getattr(self._inner, operation)(args)

        return call

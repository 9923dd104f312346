"""The library's own functions, kept while others stand in their places, and putting them back."""

import builtins
import contextlib
import fcntl
import io
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any, Final

# by name, as the code in this package calls them whatever stands in their places
ORIGINAL: Final = SimpleNamespace(
    **{name: getattr(os, name) for name in dir(os) if callable(getattr(os, name))} | {
        "os_open": os.open,
        "open": io.open,
        "flock": fcntl.flock,
        "lockf": fcntl.lockf,
        "sleep": time.sleep,
    }
)  # fmt: skip
_OWNERS: Final[tuple[ModuleType, ...]] = (builtins, io, os, fcntl, time)
_FUNCTIONS: Final = {
    (owner, name): value for owner in _OWNERS for name, value in vars(owner).items() if callable(value)
}
_SUPPORTS: Final[tuple[set[Any], ...]] = (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks)

Place = tuple[ModuleType, str]


def exists(path: str) -> bool:
    """Whether something is there, be it a link to nothing."""
    try:
        ORIGINAL.lstat(path)
    except OSError:
        return False
    return True


def patched() -> list[str]:
    """The functions that are not the library's own at this moment; none once every boundary is gone."""
    return sorted(
        f"{owner.__name__}.{name}" for (owner, name), value in _FUNCTIONS.items() if vars(owner).get(name) is not value
    )


def taken_by_name(
    modules: Iterable[ModuleType], places: Mapping[Place, Any]
) -> Iterator[tuple[ModuleType, str, Place]]:
    """Where these modules hold functions of ``places`` under names of their own."""
    by_identity = {id(_FUNCTIONS[place]): place for place in places}
    for module in modules:
        for name, value in list(vars(module).items()):
            if id(value) in by_identity and (module, name) not in places:
                yield module, name, by_identity[id(value)]


class Patches:
    """Functions that stand in the places of others, put back in reverse order."""

    def __init__(self) -> None:
        self._put: list[tuple[ModuleType, str, Any, Any]] = []

    def put(self, owner: ModuleType, name: str, function: Any) -> None:
        """``function`` stands for ``owner.name`` from now on, also where the library asks what a function supports."""
        original = getattr(owner, name)
        setattr(owner, name, function)
        self._put.append((owner, name, original, function))
        for supporting in _SUPPORTS:
            if original in supporting:
                supporting.add(function)

    def restore(self) -> None:
        """Everything as it was, also when one place refuses; what it raised is let through at the end."""
        with contextlib.ExitStack() as every:
            for put in self._put:
                every.callback(_back, *put)
            self._put = []


def _back(owner: ModuleType, name: str, original: Any, function: Any) -> None:
    for supporting in _SUPPORTS:
        supporting.discard(function)
    setattr(owner, name, original)

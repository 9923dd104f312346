"""What a directory holds, as facts that can be compared without its bytes."""

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from harness.explore.writes import DIRECTORY, Contents, Files, SymbolicLink


class Fact(NamedTuple):
    """What tells one file from another: kind, size and SHA-256 of a regular file (or the text of a link)."""

    kind: str
    size: int = 0
    digest: str = ""


def fact_of(contents: Contents | None) -> Fact | None:
    """The fact of contents in a recording; None for nothing."""
    if contents is None:
        return None
    if contents is DIRECTORY:
        return Fact("directory")
    if isinstance(contents, SymbolicLink):
        return Fact("symlink")
    assert isinstance(contents, bytes)  # noqa: S101 - the only kind left
    return Fact("file", len(contents), hashlib.sha256(contents).hexdigest())


def beginning(directory: str, paths: Iterable[str]) -> dict[str, Contents]:
    """What the person's directory holds at ``paths`` (relative to it), with everything below those directories."""
    found: dict[str, Contents] = {}
    waiting = [path for path in paths if path != "."]
    while waiting:
        path = waiting.pop()
        place = os.path.join(directory, path)
        try:
            mode = os.lstat(place).st_mode
            if path in found:
                continue
            if stat.S_ISDIR(mode):
                found[path] = DIRECTORY
                waiting += [f"{path}/{name}" for name in os.listdir(place)]
            elif stat.S_ISLNK(mode):
                found[path] = SymbolicLink(os.readlink(place))
            elif stat.S_ISREG(mode):
                with open(place, "rb") as file:
                    found[path] = file.read()
        except OSError:
            continue  # not there, or not to be read: then the program cannot read it either
    return found


_DIRECTORY = Fact("directory")


class Forecast(msgspec.Struct, frozen=True):
    """What must have become of some paths: how they began and how they are to be; None for nothing there."""

    begun: Mapping[str, Fact | None]
    expected: Mapping[str, Fact | None]

    def wrong(self, differences: Mapping[str, Fact | None]) -> list[str]:
        """The paths that are otherwise, given what differs from the beginning."""
        found = [path for path, fact in self.expected.items() if self._now(path, differences) != fact]
        return sorted([*found, *(path for path in differences if path not in self.expected)])

    def _now(self, path: str, differences: Mapping[str, Fact | None]) -> Fact | None:
        """What is there now; with a directory everything below it is gone, of which differences need not tell."""
        if path in differences:
            return differences[path]
        parts = path.split("/")
        for count in range(1, len(parts)):
            above = "/".join(parts[:count])
            if above in differences and differences[above] != _DIRECTORY:
                return None
        return self.begun.get(path)


def forecast(paths: Iterable[str], before: Files, after: Files) -> Forecast:
    """That ``paths``, which were as in ``before``, are as in ``after``, and that no other changed."""
    named = {path for path in (*paths, *before, *after) if path != "."}
    return Forecast(
        {path: fact_of(before.get(path)) for path in named}, {path: fact_of(after.get(path)) for path in named}
    )

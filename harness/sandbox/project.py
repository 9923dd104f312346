"""The person's project inside a sandbox, an overlay or a copy: either way the real one stays as it is."""

import os
import stat
from typing import Final, Protocol

from harness.core.history import FileFact
from harness.sandbox import files, mounts

COPY_LIMIT_BYTES: Final = 256 * 1024 * 1024  # a copy lives in memory, and each fresh sandbox pays for it again
_OPAQUE: Final = "user.overlay.opaque"


class ProjectTooLargeError(Exception):
    """The project would have to be copied and is larger than ``COPY_LIMIT_BYTES``."""


class Project(Protocol):
    """What the agent needs of a project: to bring it back, and to say what became different.

    ``space`` is the mount point of the tmpfs that everything written to it lies on.
    """

    space: str

    def reset(self) -> None:
        """Bring back the beginning; no process may be alive."""

    def differences(self) -> dict[str, FileFact]:
        """Facts of what differs from the beginning, by path relative to the project."""


class OverlayProject:
    """An overlay mounted at ``target``; ``lower`` shows the real project, ``base`` is a tmpfs of ours."""

    def __init__(self, lower: str, base: str, target: str) -> None:
        self._lower = lower
        self.space = base
        self._base = base
        self._upper = f"{base}/upper"
        self._work = f"{base}/work"
        self._target = target
        self._mount()

    def _mount(self) -> None:
        os.mkdir(self._upper)
        os.mkdir(self._work)
        os.chmod(self._upper, stat.S_IMODE(os.stat(self._lower).st_mode))
        places = f"lowerdir={self._lower},upperdir={self._upper},workdir={self._work},userxattr"
        mounts.mount("overlay", self._target, "overlay", mounts.NO_SUID | mounts.NO_DEVICES, places)
        self._beginning = self._state()

    def _state(self) -> tuple[int, int]:
        found = os.lstat(self._upper)
        return found.st_ctime_ns, len(os.listdir(self._upper))

    def reset(self) -> None:
        """Mount a new upper layer, unless nobody wrote: whatever is written shows at the top of the upper layer."""
        if self._state() == self._beginning:
            return
        mounts.unmount(self._target)
        files.empty(self._base)
        self._mount()

    def differences(self) -> dict[str, FileFact]:
        """The upper layer, without what was copied up and not changed; whiteouts are of kind ``deleted``."""
        found: dict[str, FileFact] = {}
        for path, state in files.walk(self._upper):
            name = path[len(self._upper) + 1 :]
            below = f"{self._lower}/{name}"
            if stat.S_ISCHR(state.st_mode) and state.st_rdev == 0:
                found[name] = FileFact("deleted")
            elif stat.S_ISDIR(state.st_mode):
                if not self._same_directory(path, state, below):
                    found[name] = files.fact(path, state)
                if _is_opaque(path):
                    found.update(self._hidden_below(name, below))
            else:
                now = files.fact(path, state)
                if now != _fact_below(below, state):
                    found[name] = now
        return found

    @staticmethod
    def _same_directory(path: str, state: os.stat_result, below: str) -> bool:
        try:
            return os.lstat(below).st_mode == state.st_mode and not _is_opaque(path)
        except OSError:
            return False

    def _hidden_below(self, name: str, below: str) -> dict[str, FileFact]:
        gone = [
            entry.name for entry in files.entries(below) if not os.path.lexists(f"{self._upper}/{name}/{entry.name}")
        ]
        return {f"{name}/{entry}": FileFact("deleted") for entry in gone}


def _is_opaque(path: str) -> bool:
    try:
        return os.getxattr(path, _OPAQUE, follow_symlinks=False) == b"y"
    except OSError:
        return False


def _fact_below(path: str, state: os.stat_result) -> FileFact | None:
    """The fact of the original, if it may equal the copy that has ``state``: reading it is worth it only then."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    alike = (found.st_mode, found.st_size, found.st_mtime_ns) == (state.st_mode, state.st_size, state.st_mtime_ns)
    return files.fact(path, found) if alike else None


class CopiedProject:
    """A copy at ``target`` of the project at ``source``. Raises ProjectTooLargeError."""

    def __init__(self, source: str, target: str) -> None:
        self.space = target
        self._source = source
        self._target = target
        size = 0
        for _, found in files.walk(source, strict=True):
            size += found.st_size if stat.S_ISREG(found.st_mode) else 0
            if size > COPY_LIMIT_BYTES:
                raise ProjectTooLargeError
        self._fill()

    def _fill(self) -> None:
        files.copy_tree(self._source, self._target)
        self._mode = stat.S_IMODE(os.stat(self._source).st_mode) | 0o700
        os.chmod(self._target, self._mode)
        self._beginning = self._identities()

    def _identities(self) -> dict[str, tuple[int, int, int]]:
        # The change time cannot be set back by a program, so together with the inode it tells any change.
        start = len(self._target) + 1
        return {
            path[start:]: (found.st_mode, found.st_ino, 0 if stat.S_ISDIR(found.st_mode) else found.st_ctime_ns)
            for path, found in files.walk(self._target)
        }

    def reset(self) -> None:
        """Copy again, unless nothing differs."""
        if self._identities() != self._beginning:
            files.empty(self._target)
            self._fill()
        os.chmod(self._target, self._mode)

    def differences(self) -> dict[str, FileFact]:
        """What was made, changed or deleted since the copy."""
        now = self._identities()
        gone = self._beginning.keys() - now.keys()
        tops = [name for name in gone if os.path.dirname(name) not in gone]
        found = {name: FileFact("deleted") for name in tops}
        for name, identity in now.items():
            if self._beginning.get(name) != identity:
                path = f"{self._target}/{name}"
                found[name] = files.fact(path, os.lstat(path))
        return dict(sorted(found.items()))


class EmptyProject:
    """No project was given: a directory that begins empty."""

    def __init__(self, target: str) -> None:
        self.space = target
        self._target = target

    def reset(self) -> None:
        """Empty it again."""
        files.empty(self._target)
        os.chmod(self._target, 0o755)

    def differences(self) -> dict[str, FileFact]:
        """All of it."""
        start = len(self._target) + 1
        return {path[start:]: files.fact(path, found) for path, found in files.walk(self._target)}

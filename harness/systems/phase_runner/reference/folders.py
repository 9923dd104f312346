"""What a directory holds, and that it goes away: the part of a file system that ports.files leaves out."""

import contextlib
import os
from typing import Protocol


class Folders(Protocol):
    """Every method may raise OSError. Paths are absolute texts."""

    def names(self, path: str) -> list[str]:
        """The names of what stands in a directory, sorted; none when there is no such directory."""
        ...

    def remove(self, path: str) -> None:
        """Removes an empty directory; nothing happens when there is none."""
        ...


class RealFolders:
    """The machine's file system."""

    def names(self, path: str) -> list[str]:
        """See Folders.names."""
        try:
            return sorted(os.listdir(path))
        except FileNotFoundError:
            return []

    def remove(self, path: str) -> None:
        """See Folders.remove."""
        with contextlib.suppress(FileNotFoundError):
            os.rmdir(path)

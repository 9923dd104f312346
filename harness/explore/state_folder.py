"""A directory on disk that holds one crash state after the other, and is only changed where they differ."""

import contextlib
import os
import shutil
from collections.abc import Mapping

# taken by name: they must be the library's own while a boundary stands in this process
from os import close, fstat, ftruncate, link, mkdir, pread, pwrite, readlink, scandir, symlink, unlink
from os import open as open_descriptor
from typing import Final

from harness.explore.writes import DIRECTORY, Contents, Files, SymbolicLink

_NO_LINKS: Final[Mapping[str, str]] = {}
_MODE: Final = 0o644


def contents(directory: str) -> tuple[dict[str, Contents], dict[str, str]]:
    """What stands below ``directory``, and for each further name of a file its first; sockets and the like are left."""
    files: dict[str, Contents] = {}
    links: dict[str, str] = {}
    first: dict[int, str] = {}
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        with scandir(f"{directory}/{prefix}") as entries:
            names = sorted(entries, key=lambda entry: entry.name)
        for entry in names:
            path = prefix + entry.name
            if entry.is_symlink():
                files[path] = SymbolicLink(readlink(entry.path))
            elif entry.is_dir():
                files[path] = DIRECTORY
                waiting.append(f"{path}/")
            elif entry.is_file():
                files[path], inode = _read(entry.path)
                if first.setdefault(inode, path) != path:
                    links[path] = first[inode]
    return files, links


def _read(path: str) -> tuple[bytes, int]:
    descriptor = open_descriptor(path, os.O_RDONLY)
    try:
        status = fstat(descriptor)
        return pread(descriptor, status.st_size, 0), status.st_ino
    finally:
        close(descriptor)


def settle(directory: str, files: Files, links: Mapping[str, str] = _NO_LINKS) -> None:
    """Makes what stands below ``directory`` be ``files``, whatever was done to it since.

    Files that hold the right bytes are left alone: modes and times are not part of a state.
    """
    parents = {path[:end] for path in files for end in range(len(path)) if path[end] == "/"}
    with scandir(directory) as entries:
        present = list(entries)
    for entry in present:
        _clear(entry, entry.name, files, parents)
    for path in sorted(parents):
        with contextlib.suppress(FileExistsError):
            mkdir(f"{directory}/{path}")
    for path, wanted in files.items():
        place = f"{directory}/{path}"
        if isinstance(wanted, bytes):
            if path not in links:
                _write(place, wanted)
        elif isinstance(wanted, SymbolicLink):
            symlink(wanted.target, place)
        elif path not in parents:
            with contextlib.suppress(FileExistsError):
                mkdir(place)
    for path, first in links.items():
        _remove(f"{directory}/{path}")
        link(f"{directory}/{first}", f"{directory}/{path}")


def _clear(entry: "os.DirEntry[str]", path: str, files: Files, parents: set[str]) -> None:
    """Removes what has no place in ``files``, or is of another kind there; symbolic links are made anew."""
    wanted = files.get(path)
    if wanted is DIRECTORY or path in parents:
        if entry.is_dir(follow_symlinks=False):
            with scandir(entry.path) as entries:
                inside = list(entries)
            for other in inside:
                _clear(other, f"{path}/{other.name}", files, parents)
            return
    elif isinstance(wanted, bytes) and entry.is_file(follow_symlinks=False):
        return
    _remove(entry.path)


def _remove(path: str) -> None:
    try:
        unlink(path)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        shutil.rmtree(path)


def _write(path: str, wanted: bytes) -> None:
    try:
        descriptor = open_descriptor(path, os.O_RDWR | os.O_CREAT, _MODE)
    except PermissionError:  # the code under test took its rights away
        unlink(path)
        descriptor = open_descriptor(path, os.O_RDWR | os.O_CREAT, _MODE)
    try:
        status = fstat(descriptor)
        if status.st_nlink > 1:  # what is written here would stand under the other name as well
            close(descriptor)
            unlink(path)
            descriptor = open_descriptor(path, os.O_RDWR | os.O_CREAT, _MODE)
        elif status.st_size == len(wanted) and pread(descriptor, len(wanted), 0) == wanted:
            return
        if status.st_size > len(wanted):
            ftruncate(descriptor, len(wanted))
        written = 0
        while written < len(wanted):
            written += pwrite(descriptor, wanted[written:], written)
    finally:
        close(descriptor)

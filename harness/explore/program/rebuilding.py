"""Directories below the state directory, made anew inside an overlay: there the kernel renames no directory of below.

An overlay answers EXDEV when a directory that lies in its lower layer is renamed (the kernel's overlayfs.rst, "renaming
directories"), which the person's own disk would not.
"""

import os
import stat
from collections.abc import Mapping
from typing import Final, NamedTuple

from harness.explore.program.facts import Fact, beginning, fact_of
from harness.explore.writes import DIRECTORY, SymbolicLink
from harness.sandbox import Action, Chmod, MakeDirectory, Remove, SetTime, Symlink, Write

FILES: Final = 500  # more would cost each state more than its check
BYTES: Final = 4 * 1024 * 1024
_TOO_MUCH: Final = f"they hold more than {FILES} files or {BYTES >> 20} MiB, or something that is no file"


class Anew(NamedTuple):
    """What makes the subdirectories anew, the facts of what they hold, and what is said when that is not done."""

    actions: tuple[Action, ...] = ()
    begun: Mapping[str, Fact | None] = {}
    refused: tuple[str, ...] = ()


def rebuilding(directory: str, prefix: str) -> Anew:
    """How to make each subdirectory of ``directory``, which is ``prefix`` inside, anew.

    Not when there is too much, or when something in there is no file, link or directory.
    """
    names = [entry.name for entry in os.scandir(directory) if entry.is_dir(follow_symlinks=False)]
    if not names:
        return Anew()
    if _is_too_much(directory, names):
        return Anew(refused=(f"a directory below --dir that was there cannot be renamed here (EXDEV): {_TOO_MUCH}",))
    held = beginning(directory, names)
    actions: list[Action] = [Remove(f"{prefix}/{name}") for name in sorted(names)]
    late: list[Action] = []
    for path in sorted(held):
        contents, place = held[path], f"{prefix}/{path}"
        found = os.lstat(os.path.join(directory, path))
        if contents is DIRECTORY:
            actions.append(MakeDirectory(place))
            late.append(Chmod(place, stat.S_IMODE(found.st_mode)))
        elif isinstance(contents, SymbolicLink):
            actions.append(Symlink(place, contents.target))
        else:
            assert isinstance(contents, bytes)  # noqa: S101 - the only kind left
            actions.append(Write(place, contents, stat.S_IMODE(found.st_mode), found.st_mtime))
            continue
        late.append(SetTime(place, found.st_mtime))
    return Anew((*actions, *reversed(late)), {path: fact_of(contents) for path, contents in held.items()})


def _is_too_much(directory: str, names: list[str]) -> bool:
    files = size = 0
    waiting = [os.path.join(directory, name) for name in names]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            return True
        for entry in entries:
            found = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                waiting.append(entry.path)
            elif not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
                return True
            files += 1
            size += found.st_size
            if files > FILES or size > BYTES:
                return True
    return False

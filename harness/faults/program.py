"""What a command really starts: the interpreter behind its first line, and whether libraries can be put before it."""

import os
import shutil
import struct
from collections.abc import Iterator
from typing import Final

_HOPS: Final = 5  # a script run by a script run by a script
_LINE_BYTES: Final = 256  # the kernel reads no more of a first line
_INTERPRETER: Final = 3  # PT_INTERP: the program asks for a dynamic loader
_SEGMENT = struct.Struct("<I")


def chain(command: str, folder: str, search: str) -> Iterator[str]:
    """The files that are executed in turn, beginning with ``command``; nothing for one that is not found."""
    place: str | None = os.path.join(folder, command) if os.sep in command else shutil.which(command, path=search)
    for _ in range(_HOPS):
        if place is None or not os.path.isfile(place):
            return
        yield place
        words = first_line(place)
        if not words:
            return
        place = words[0]
        if os.path.basename(place) == "env":
            yield place
            named = looked_up(words)
            place = shutil.which(named, path=search) if named else None


def looked_up(words: tuple[str, ...]) -> str:
    """The program that a first line has looked up in PATH by env, "" for one that does not."""
    if not words or os.path.basename(words[0]) != "env":
        return ""
    return next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")


def first_line(path: str) -> tuple[str, ...]:
    """The words of a script's ``#!`` line; none for what is no script or cannot be read."""
    try:
        with open(path, "rb") as file:
            line = file.read(_LINE_BYTES).split(b"\n", 1)[0]
    except OSError:
        return ()
    return tuple(os.fsdecode(line[2:]).split()) if line.startswith(b"#!") else ()


def is_static(path: str) -> bool:
    """Is that an ELF program without a dynamic loader? False for anything else, and for what cannot be told."""
    try:
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:4] != b"\x7fELF" or head[5] != 1:
                return False
            wide = head[4] == 2
            start, size, count = (
                (*struct.unpack_from("<Q", head, 32), *struct.unpack_from("<HH", head, 54))
                if wide
                else (*struct.unpack_from("<I", head, 28), *struct.unpack_from("<HH", head, 42))
            )
            file.seek(start)
            table = file.read(size * count)
        return all(_SEGMENT.unpack_from(table, size * number)[0] != _INTERPRETER for number in range(count))
    except (OSError, struct.error, IndexError):
        return False

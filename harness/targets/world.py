"""Turns a scenario's world into the file actions that make it in a sandbox."""

import re
from collections.abc import Mapping

from harness.core.scenario import FileSpec, World
from harness.errors import FileFormatError
from harness.sandbox import Action, MakeDirectory, MakeFifo, Remove, SetTime, Symlink, Write

PAD_LINE_BYTES = 4096  # blank, and long: millions of empty lines would time a shell hook instead of testing it
_PLACED = re.compile(r"/|\{(home|project|tmp|outside|config|semaphore|runtime)\}")
DEFAULT_FILE_MODE = 0o644
DEFAULT_DIRECTORY_MODE = 0o755


def actions(world: World, now_s: float, samples: Mapping[str, bytes]) -> list[Action]:
    """The actions, in the order of the world's files; FileFormatError when a file cannot be made as it says."""
    made: list[Action] = []
    for path, spec in world.files.items():
        made.extend(_file_actions(path, spec, now_s, samples))
    return made


def _file_actions(path: str, spec: FileSpec, now_s: float, samples: Mapping[str, bytes]) -> list[Action]:
    if not _PLACED.match(path):
        raise FileFormatError(f"the world's file {path} has to begin with a root such as {{home}}")
    mtime_s = None if spec.age_s is None else now_s - spec.age_s
    made: list[Action]
    if spec.kind == "absent":
        return [Remove(path)]
    if spec.kind == "directory":
        made = [MakeDirectory(path, DEFAULT_DIRECTORY_MODE if spec.mode is None else spec.mode)]
    elif spec.kind == "fifo":
        made = [MakeFifo(path)]
    elif spec.kind == "symlink":
        if spec.target is None:
            raise FileFormatError(f"the world's link {path} has no target")
        return [Symlink(path, spec.target)]
    else:
        mode = DEFAULT_FILE_MODE if spec.mode is None else spec.mode
        return [Write(path, content(path, spec, samples), mode, mtime_s)]
    return made if mtime_s is None else [*made, SetTime(path, mtime_s)]


def content(path: str, spec: FileSpec, samples: Mapping[str, bytes]) -> bytes:
    """The bytes of a file of the world."""
    if spec.sample is not None:
        if spec.sample not in samples:
            raise FileFormatError(f"the world's file {path} wants the sample {spec.sample!r}, which nobody gave")
        data = samples[spec.sample]
    elif spec.base64 is not None:
        data = spec.base64
    else:
        data = (spec.text or "").encode("utf-8", "surrogatepass")
    return data if spec.pad_bytes is None else _padded(path, data, spec.pad_bytes)


def _padded(path: str, data: bytes, size: int) -> bytes:
    if data and len(data) != size and not data.endswith(b"\n"):
        data += b"\n"
    missing = size - len(data)
    if missing < 0:
        raise FileFormatError(f"the world's file {path} has {len(data)} bytes, more than its pad_bytes of {size}")
    whole, rest = divmod(missing, PAD_LINE_BYTES)
    blank = b" " * (PAD_LINE_BYTES - 1) + b"\n"
    return data + blank * whole + (b" " * (rest - 1) + b"\n" if rest else b"")

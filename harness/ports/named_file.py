"""All of a file that a person named: a FIFO, a device or one without end is refused, and never waited for."""

import errno
from pathlib import Path

from harness.ports.files import NotRegularError, RealFiles

SMALL_BYTES = 4 * 1024 * 1024  # what a person writes: a key, a baseline, a script


def read_named(path: Path, most_bytes: int = SMALL_BYTES) -> bytes:
    """The whole of a regular file, or of what a link to one names; else OSError, whose ``strerror`` says why in words.

    Its size is looked at before anything is read.
    """
    files = RealFiles()
    found = files.status(str(path))
    size = found.size if found is not None and found.kind == "file" else 0
    try:
        # a file may grow meanwhile, and those of /proc have no size
        data = b"" if size > most_bytes else files.read(str(path), most_bytes + 1)
    except NotRegularError as error:
        why = "it is a directory" if path.is_dir() else "it is no regular file"
        raise OSError(errno.EINVAL, why, str(path)) from error
    if size > most_bytes or len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"it has more than {most_bytes:,} bytes", str(path))
    return data

"""Stands before a hook in a host's settings: keeps what the host gave it, then becomes the hook.

``python -I -S recorder.py FOLDER NAME WORD...`` writes FOLDER/N for call N (from 0; O_EXCL, so that hooks that run at
the same time get different numbers): one JSON object with ``hook`` (NAME), ``stdin`` and ``transcript`` (base64; null
when none is named or there), whether standard input was ``closed``, ``environment`` and ``cwd``. Then it is the hook:
the same process, its streams and its group, so that the host starts, waits for and kills what its user would have
configured; only standard input is another stream, of the same kind.
Imported by nobody; the standard library only, and little of it.
"""

import binascii
import json
import os
import select
import socket
import stat
import sys

SILENCE_S = 1.0  # after a whole object, of a host that does not close the stream
CHUNK = 1 << 16
LIMIT_BYTES = 8 * 1024 * 1024  # of a transcript that is kept


def _given() -> tuple[bytes, bool]:
    """What the host wrote, and whether it closed the stream."""
    given = b""
    while not _is_object(given) or select.select([0], [], [], SILENCE_S)[0]:
        chunk = os.read(0, CHUNK)
        if not chunk:
            return given, True
        given += chunk
    return given, False


def _is_object(text: bytes) -> bool:
    if not text.rstrip().endswith(b"}"):
        return False
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _transcript(given: bytes) -> bytes | None:
    try:
        path = json.loads(given).get("transcript_path")
        with open(path, "rb") as file:
            return file.read(LIMIT_BYTES)
    except (OSError, ValueError, AttributeError, TypeError):
        return None


def _base64(data: bytes | None) -> str | None:
    return None if data is None else binascii.b2a_base64(data, newline=False).decode()


def _keep(folder: str, call: dict[str, object]) -> None:
    whole = f"{folder}/.{os.getpid()}"  # a host may be killed at any moment: a call is there whole, or not at all
    with open(whole, "wb") as file:
        file.write(json.dumps(call).encode())
    number = sum(not name.startswith(".") for name in os.listdir(folder))
    while True:
        try:
            os.link(whole, f"{folder}/{number}")
        except FileExistsError:
            number += 1
            continue
        os.unlink(whole)
        return


def _again(given: bytes) -> int:
    """A descriptor to read ``given`` from: a stream of the kind the host gave where it takes all of it, else a file."""
    kind = os.fstat(0).st_mode
    if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
        ours, theirs = (os.dup(end.fileno()) for end in socket.socketpair()) if stat.S_ISSOCK(kind) else os.pipe()[::-1]
        os.set_blocking(ours, False)
        try:
            if os.write(ours, given) == len(given):
                os.close(ours)
                return theirs
        except BlockingIOError:
            pass
        os.close(ours)
        os.close(theirs)
    again = os.memfd_create("stdin")
    with open(again, "wb", closefd=False) as file:
        file.write(given)
    os.lseek(again, 0, os.SEEK_SET)
    return again


def main() -> None:
    """Keep the call, then become the hook."""
    folder, name, *words = sys.argv[1:]
    given, closed = _given()
    _keep(
        folder,
        {
            "hook": name,
            "stdin": _base64(given),
            "closed": closed,
            "transcript": _base64(_transcript(given)),
            "environment": dict(os.environ),
            "cwd": os.getcwd(),
        },
    )
    os.dup2(_again(given), 0)
    os.execvp(words[0], words)  # noqa: S606  # the hook, as its user configured it


if __name__ == "__main__":
    main()

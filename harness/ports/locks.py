"""Waiting for a file's lock, for a limited time."""

import contextlib
import fcntl
import os
import queue
import threading


def take(descriptor: int, path: str, timeout_s: float) -> None:
    """Takes the lock of the open file; TimeoutError after ``timeout_s``, OSError when it is refused.

    flock has no time-out of its own, so a thread waits for it, and is left behind. It waits on a descriptor of its own:
    should the lock come too late, it is given back when that is closed.
    """
    if timeout_s <= 0:
        _flock(descriptor, path, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    answers: queue.SimpleQueue[OSError | None] = queue.SimpleQueue()
    own = os.dup(descriptor)
    try:
        threading.Thread(target=lambda: answers.put(_waited(own, path)), name="file-lock", daemon=True).start()
    except RuntimeError as error:  # no more threads: another limit of the machine that is met
        os.close(own)
        raise BlockingIOError(f"{path} cannot be waited for") from error
    try:
        refused = answers.get(timeout=timeout_s)
    except queue.Empty as error:
        raise TimeoutError(f"{path} stays locked") from error
    if refused is not None:
        raise refused


def _waited(descriptor: int, path: str) -> OSError | None:
    """Why the lock was refused, when it was; the descriptor is closed, so that only the caller's keeps the lock."""
    try:
        _flock(descriptor, path, fcntl.LOCK_EX)
    except OSError as error:
        return error
    finally:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    return None


def _flock(descriptor: int, path: str, operation: int) -> None:
    try:
        fcntl.flock(descriptor, operation)
    except BlockingIOError as error:
        raise TimeoutError(f"{path} stays locked") from error

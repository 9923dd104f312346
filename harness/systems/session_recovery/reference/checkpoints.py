"""The last checkpoint: one file below .loki/state, replaced whole, so that it is the one that was made last."""

from collections.abc import Mapping
from typing import Any

from harness.ports.files import Files
from harness.systems import queue_files
from harness.systems.queue_document import encoded
from harness.systems.session_recovery.contract import CHECKPOINT_PATH, Checkpoint, LogCode
from harness.systems.session_recovery.reference.trace import Trace
from harness.systems.session_recovery.reference.world_files import LIMIT_BYTES


class Checkpoints:
    """The checkpoints of the project at ``home``. No method raises."""

    def __init__(self, home: str, files: Files) -> None:
        self.home = home
        self.files = files

    def path(self) -> str:
        """Where the last one lies, below the home."""
        return CHECKPOINT_PATH.removeprefix("{home}/")

    def store(self, name: str, state: Mapping[str, Any], trace: Trace) -> bool:
        """Makes this the last one; False when it could not be stored, and then the one before is the last."""
        try:
            self.put(self.data(name, state))
        except (OSError, ValueError) as error:  # InvalidTaskError is a ValueError
            trace.error(LogCode.CHECKPOINT_WRITE_FAILED, "the checkpoint is not stored", error)
            return False
        return True

    def data(self, name: str, state: Mapping[str, Any]) -> bytes:
        """The file that says so; ValueError when JSON cannot."""
        return encoded({"name": name, "state": state})

    def put(self, data: bytes) -> None:
        """Replaces the file; a directory that was removed on the way is made anew (LK-SYS-02)."""
        try:
            self.replace(data)
        except FileNotFoundError:
            self.replace(data)

    def replace(self, data: bytes) -> None:
        """Replaces the file: whole, and there after a loss of power."""
        self.files.replace(f"{self.home}/{self.path()}", data)

    def last(self, trace: Trace) -> Checkpoint | None:
        """The one that was made last, by whichever process; None when there is none (LK-RC-01)."""
        try:
            data = self.files.read(f"{self.home}/{self.path()}", LIMIT_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            trace.unreadable(LogCode.CHECKPOINT_INVALID, "the checkpoint cannot be read", error)
            return None
        try:
            return self.checkpoint_of(data)
        except ValueError as error:
            trace.error(LogCode.CHECKPOINT_INVALID, "the checkpoint is damaged", error)
            return None

    def checkpoint_of(self, data: bytes) -> Checkpoint:
        """The checkpoint in a file; ValueError when it is none."""
        document = queue_files.decode(queue_files.text_of(data))
        name, state = (document.get(key) for key in ("name", "state")) if isinstance(document, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(state, dict):
            raise ValueError("no object with name and state")
        return Checkpoint(name, state)

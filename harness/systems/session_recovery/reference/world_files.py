"""The two files that tell a session where it is: CONTINUITY.md and orchestrator.json. They are read, never written."""

from harness.ports.files import Files
from harness.systems import queue_files
from harness.systems.session_recovery.contract import SHOWN_CHARACTERS, LogCode
from harness.systems.session_recovery.reference.trace import Trace

LIMIT_BYTES = 1 << 28  # what is longer was not written for this, and is not read into memory
LONGEST_CHARACTER_BYTES = 4  # in UTF-8


class Continuity:
    """CONTINUITY.md, the working memory of the agents. No method raises."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files

    def read(self, trace: Trace) -> str | None:
        """Its text, or the beginning of it; None when there is none that can be read (LK-GEN-01)."""
        try:
            return self.shown(self.files.read(self.path, SHOWN_CHARACTERS * LONGEST_CHARACTER_BYTES))
        except FileNotFoundError:
            trace.warning(LogCode.CONTINUITY_UNREADABLE, "there is no CONTINUITY.md")
        except OSError as error:
            trace.unreadable(LogCode.CONTINUITY_UNREADABLE, "CONTINUITY.md cannot be read", error)
        return None

    def shown(self, data: bytes) -> str:
        """What is handed on of it: the beginning; bytes that are no UTF-8 are replaced."""
        return data.decode(errors="replace")[:SHOWN_CHARACTERS]


class Orchestrator:
    """orchestrator.json, which has the phase. No method raises."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files

    def phase(self, trace: Trace) -> str | None:
        """The current phase; None when there is none (Context Loss Recovery 2)."""
        try:
            data = self.files.read(self.path, LIMIT_BYTES)
        except FileNotFoundError:
            trace.warning(LogCode.ORCHESTRATOR_INVALID, "there is no orchestrator.json")
            return None
        except OSError as error:
            trace.unreadable(LogCode.ORCHESTRATOR_INVALID, "orchestrator.json cannot be read", error)
            return None
        try:
            return self.phase_of(data)
        except ValueError as error:
            trace.error(LogCode.ORCHESTRATOR_INVALID, "orchestrator.json has no phase", error)
            return None

    def phase_of(self, data: bytes) -> str:
        """The phase that the file names; ValueError when it names none."""
        document = queue_files.decode(queue_files.text_of(data))
        found = document.get("phase") if isinstance(document, dict) else None
        if not isinstance(found, str) or not found:
            raise ValueError("no object with a phase")
        return found

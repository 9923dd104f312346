"""The log of attempts, a line each, which only grows (LK-RAT-07).

It is appended to in one write and replaced never: what others wrote stays, whatever it is.
"""

import json
from typing import Final

from harness.ports.files import Files
from harness.systems.rationalization.contract import ATTEMPTS_PATH, Attempt, LogCode
from harness.systems.trace import Trace

LIMIT_BYTES: Final = 64 * 2**20  # of a log that is read
LOCK_S: Final = 0.5  # an append holds the lock for milliseconds; who holds it longer hangs


class Attempts:
    """The log. No method raises."""

    def __init__(self, home: str, files: Files) -> None:
        self.home = home
        self.files = files
        self.path = f"{home}/{self.name()}"

    def name(self) -> str:
        """Where it lies, below the home."""
        return ATTEMPTS_PATH.removeprefix("{home}/")

    def add(self, attempt: Attempt, trace: Trace) -> bool:
        """Logs an attempt; False when that failed."""
        try:
            with self.files.lock(f"{self.path}.lock", LOCK_S):
                self.write(self.line(attempt))
        except OSError as error:
            trace.error(LogCode.ATTEMPT_UNLOGGED, "the attempt is not logged", error)
            return False
        return True

    def write(self, data: bytes) -> None:
        """Adds a line, whole; may raise OSError."""
        self.files.append_lines(self.path, data)

    def line(self, attempt: Attempt) -> bytes:
        """What is written of an attempt."""
        fields = {"timestamp": attempt.timestamp, "agent": attempt.agent, "action": attempt.action}
        return json.dumps({**fields, "phrases": list(attempt.phrases)}).encode() + b"\n"

    def read(self, trace: Trace) -> tuple[Attempt, ...]:
        """Every attempt, in the order of logging; lines that are none are told, and stay."""
        try:
            data = self.files.read(self.path, LIMIT_BYTES)
        except FileNotFoundError:
            return ()
        except OSError as error:
            trace.error(LogCode.ATTEMPTS_UNREADABLE, "the attempts cannot be read", error)
            return ()
        found = []
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip():
                attempt = self.parsed(line)
                if attempt is None:
                    trace.warning(LogCode.ATTEMPTS_INVALID, f"line {number} is no attempt")
                else:
                    found.append(attempt)
        return tuple(found)

    def parsed(self, line: bytes) -> Attempt | None:
        """The attempt in a line; None when it is none."""
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict):
            return None
        texts = [value.get(name) for name in ("timestamp", "agent", "action")]
        phrases = value.get("phrases")
        if not all(isinstance(each, str) for each in texts) or not isinstance(phrases, list):
            return None
        if not all(isinstance(each, str) for each in phrases):
            return None
        return Attempt(*texts, tuple(phrases))

"""The log of attempts, a line each, which only grows (LK-RAT-07).

It is appended to in one write and replaced never: what others wrote stays, whatever it is. So no lock is needed, and
nobody waits for one who hangs.
"""

import json
from typing import Final

import msgspec

from harness.ports.files import Files
from harness.systems.rationalization.contract import ATTEMPTS_PATH, Attempt, LogCode
from harness.systems.trace import Trace

LIMIT_BYTES: Final = 64 * 2**20  # of a log that is read


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
            data = self.data()
        except OSError as error:
            trace.error(LogCode.ATTEMPTS_UNREADABLE, "the attempts cannot be read", error)
            return ()
        return self.attempts(data, trace)

    def data(self) -> bytes:
        """What is in the log, nothing where there is none; may raise OSError."""
        try:
            return self.files.read(self.path, LIMIT_BYTES)
        except FileNotFoundError:
            return b""

    def attempts(self, data: bytes, trace: Trace) -> tuple[Attempt, ...]:
        """Every attempt that is in a log."""
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
        try:
            return msgspec.convert(value, Attempt)
        except msgspec.ValidationError:
            return None

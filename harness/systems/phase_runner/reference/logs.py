"""The execution log and the logs of phases. They are told about, and never stop a run."""

import re
from collections.abc import Sequence
from typing import Final

from harness.ports.files import Files
from harness.systems.phase_runner.contract.words import (
    EXECUTION_LOG_PATH,
    LOG_END_LINES,
    LOG_LINES,
    Event,
    LogCode,
    log_path,
)
from harness.systems.phase_runner.reference.records import writable
from harness.systems.trace import Trace

LIMIT_BYTES: Final = 1 << 28  # what is longer was not written by this, and is not read into memory
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")  # whatever some reader takes for the end of a line


class Logs:
    """The logs of a run. No method raises."""

    def __init__(self, home: str, files: Files) -> None:
        self.home = home
        self.files = files

    def tell(self, at: str, events: Sequence[tuple[Event, str]], trace: Trace) -> None:
        """Adds a line for each event to the execution log."""
        lines = "".join(f"{at} {event} {one_line(what)}".rstrip() + "\n" for event, what in events)
        if not lines:
            return
        try:
            self.files.append_lines(self.place(EXECUTION_LOG_PATH), writable(lines).encode())
        except OSError as error:
            trace.error(LogCode.LOG_WRITE_FAILED, "the execution log cannot be written", error)

    def keep(self, phase_id: str, heading: str, text: str, trace: Trace) -> None:
        """Adds a heading and a text to the log of a phase, which keeps its first and its last lines."""
        path = self.place(log_path(phase_id))
        added = writable(f"{one_line(heading)}\n{text}".rstrip("\n") + "\n").encode()
        try:
            before = self.before(path)
            lines = (before + added).split(b"\n")[:-1]
            if len(lines) <= LOG_LINES:
                self.files.append_lines(path, added)
            else:
                self.files.replace(path, b"".join(line + b"\n" for line in self.cut(lines)))
        except OSError as error:
            trace.error(LogCode.LOG_WRITE_FAILED, f"the log of phase {phase_id} cannot be written", error)

    def before(self, path: str) -> bytes:
        """What stands in a log, in whole lines."""
        try:
            data = self.files.read(path, LIMIT_BYTES)
        except FileNotFoundError:
            return b""
        return data if not data or data.endswith(b"\n") else data + b"\n"

    def cut(self, lines: list[bytes]) -> list[bytes]:
        """The first and the last lines."""
        return [*lines[:LOG_END_LINES], *lines[-LOG_END_LINES:]]

    def place(self, path: str) -> str:
        """The path of a file of the contract."""
        return path.replace("{home}", self.home)


def one_line(text: str) -> str:
    """The text without line ends."""
    return _BREAKS.sub(" ", text)

"""The recovery log: one line each time a breaker closes (LK-RP-06)."""

from datetime import UTC, datetime

from harness.ports.files import Files

LIMIT_BYTES = 16 * 1024 * 1024  # 200,000 recoveries; a line further on is taken to be there


class RecoveryLog:
    """The log at ``path``. Lines are added, and nothing else is ever done to it; every method may raise OSError."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files

    def line(self, name: str, recovered: datetime) -> str:
        """The line of one recovery, without its end. A line break in a name is written as two characters."""
        told = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r") if _breaks(name) else name
        return f"{self.time(recovered)} Circuit recovered: {told}"

    def time(self, recovered: datetime) -> str:
        """UTC, to the second."""
        return recovered.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    def add(self, name: str, recovered: datetime) -> None:
        """Appends the line."""
        self.files.append_lines(self.path, f"{self.line(name, recovered)}\n".encode())

    def restore(self, name: str, recovered: datetime) -> None:
        """Appends the line unless it is there already; of one that was torn what is missing."""
        line = f"{self.line(name, recovered)}\n".encode()
        try:
            data = self.files.read(self.path, LIMIT_BYTES)
        except FileNotFoundError:
            data = b""
        *whole, last = data.split(b"\n")
        if len(data) == LIMIT_BYTES or line[:-1] in whole:
            return
        if last and line.startswith(last):
            self.files.append(self.path, line.removeprefix(last))
        else:
            self.add(name, recovered)


def _breaks(name: str) -> bool:
    return "\n" in name or "\r" in name

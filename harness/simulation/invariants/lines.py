"""A file of JSON lines, as it grows: each line is looked at once."""

import msgspec

from harness.simulation.invariants.shapes import Data


class Lines:
    """What was seen of one file. A file that FakeFiles grows in place is the same bytearray, and only longer."""

    def __init__(self) -> None:
        self._seen: Data = b""
        self._whole = 0  # bytes up to the end of the last whole line that was looked at
        self.is_torn = False
        """Does the file end in the middle of a line?"""

    def forget(self) -> None:
        """The file was archived."""
        self._seen, self._whole, self.is_torn = b"", 0, False

    def take(self, data: Data | None) -> tuple[list[bytes], bool]:
        """The whole lines that are new; and are those that were there before still there?"""
        data = b"" if data is None else data
        stays = data is self._seen or data.startswith(memoryview(self._seen)[: self._whole])
        begin = self._whole if stays else 0
        end = data.rfind(b"\n", begin) + 1 or begin
        self._seen, self._whole, self.is_torn = data, end, end < len(data)
        return bytes(data[begin:end]).split(b"\n")[:-1], stays


def are_json(lines: list[bytes]) -> bool:
    """Is each of them one JSON object?"""
    return all(_is_object(line) for line in lines)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except (ValueError, RecursionError):
        return False

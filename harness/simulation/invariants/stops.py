"""Is a stop granted whatever is broken, and after how many blocks?"""

from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from harness.core.events import ErrorsReported, SessionCut, SessionEvent, StopAnswered
from harness.simulation.invariants.rules import BLOCKS_BOUNDED, STOP_GRANTED
from harness.simulation.invariants.shapes import Data
from harness.systems.stop_gate.contract import INVALID_LINES_TOLERATED, TRANSCRIPT_LIMIT_BYTES, Decision

MOST_BLOCKS = 25  # PS-LOOP-04, our reading


class Stops:
    """``transcript`` gives that of a session, None when there is no such file."""

    def __init__(self, transcript: Callable[[str], Data | None]) -> None:
        self._transcript = transcript
        self._blocks: Counter[str] = Counter()

    def take(self, session: str, event: SessionEvent) -> Iterator[str]:
        """What this event breaks."""
        if isinstance(event, SessionCut | ErrorsReported):
            self._blocks.pop(session, None)
        elif isinstance(event, StopAnswered) and event.decision == Decision.BLOCK:
            if is_unreadable(self._transcript(session)):
                yield STOP_GRANTED
            self._blocks[session] += 1
            if self._blocks[session] > MOST_BLOCKS:
                yield BLOCKS_BOUNDED


def is_unreadable(transcript: Data | None) -> bool:
    """Does the document demand that a stop be granted with this transcript: none, empty, too large or malformed?"""
    if transcript is None or len(transcript) > TRANSCRIPT_LIMIT_BYTES:
        return True
    lines = [line for line in transcript.splitlines() if line.strip()]
    invalid = sum(not _is_json(line) for line in lines)
    return invalid == len(lines) or invalid > INVALID_LINES_TOLERATED


def _is_json(line: Data) -> bool:
    try:
        msgspec.json.decode(line)
    except ValueError:
        return False
    return True

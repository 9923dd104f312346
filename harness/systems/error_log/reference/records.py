"""How a record of errors.json is made of what was given (002, Log the Error). Pure: time and chance are arguments."""

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from harness.systems.error_log.contract import ErrorGiven, LogCode, Severity
from harness.systems.error_log.reference.tables import ANY_DEFAULT, DEFAULT_OF, UNKNOWN
from harness.systems.error_log.reference.texts import as_text, plain
from harness.systems.trace import Trace

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LATEST_S = (datetime.max.replace(tzinfo=UTC) - EPOCH).total_seconds() - 1
EARLIEST_S = (datetime.min.replace(tzinfo=UTC) - EPOCH).total_seconds()
ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
SUFFIX_CHARACTERS = 6
ENTROPY_BYTES = 8
UNFIXED = "unfixed"

CONTEXT_KINDS: Mapping[str, type] = {"session_id": str, "command": str, "task": int, "phase": int, "checkpoint": str}
SEVERITIES = frozenset(Severity)

Record = dict[str, Any]
Entropy = Callable[[int], bytes]


class Occasion(NamedTuple):
    """What is known of an error beside what was given.

    ``context`` fills what the given one lacks, ``added`` are further fields of it; ``delegation_path`` is that of the
    task when one began here.
    """

    name: str
    now_s: float
    context: Mapping[str, Any] = {}
    added: Mapping[str, Any] = {}
    delegation_path: tuple[str, ...] = ()


class RecordMaker:
    """Makes records. What was given and does not fit is not lost: it stands in the record's field ``invalid``."""

    def __init__(self, entropy: Entropy) -> None:
        self.entropy = entropy

    def record(self, error: ErrorGiven, occasion: Occasion, taken: Collection[str], trace: Trace) -> Record:
        """The record of an error, with an id that is none of those taken."""
        invalid: dict[str, Any] = {}
        context = self.context(error, occasion, invalid)
        record: Record = {
            "id": self.id(occasion.now_s, taken),
            "timestamp": self.timestamp(occasion.now_s),
            "type": self.type(error, invalid),
            "severity": self.severity(error, invalid),
            "message": self.message(error, invalid),
            "context": context,
            "trajectory": self.trajectory(error, occasion, invalid),
            "recovery": self.recovery(error, invalid),
            "fix_status": self.fix_status(error),
            "name": as_text(occasion.name),
        }
        if invalid:
            record["invalid"] = invalid
            trace.warning(LogCode.ERROR_INVALID, f"kept apart, since it fits nowhere: {', '.join(invalid)}")
        return record

    def id(self, now_s: float, taken: Collection[str]) -> str:
        """ER-LOG-03: err_ and the time in ms, and a suffix, since two errors may occur in one tick (our reading)."""
        milliseconds = max(0, round(clamped(now_s) * 1000))
        number = int.from_bytes(self.entropy(ENTROPY_BYTES), "big")
        while (found := f"err_{milliseconds}_{suffix(number)}") in taken:
            number += 1
        return found

    def timestamp(self, now_s: float) -> str:
        """The time in UTC, to the millisecond."""
        at = EPOCH + timedelta(milliseconds=round(clamped(now_s) * 1000))
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def type(self, error: ErrorGiven, invalid: dict[str, Any]) -> str:
        """The given type, which may be a new one: the list is open (our reading of ER-CAT-03)."""
        given = error.type
        if isinstance(given, str) and given.strip():
            return as_text(given)
        invalid["type"] = plain(given)
        return UNKNOWN

    def severity(self, error: ErrorGiven, invalid: dict[str, Any]) -> str:
        """The given severity in lower case; the type's when none is given."""
        given = error.severity
        if isinstance(given, str) and given.strip().lower() in SEVERITIES:
            return str(given.strip().lower())
        if given is not None:
            invalid["severity"] = plain(given)
        default = DEFAULT_OF.get(as_text(error.type), ANY_DEFAULT)
        return str(default.severity)

    def message(self, error: ErrorGiven, invalid: dict[str, Any]) -> str:
        """The message as a text, whole; what is none, as JSON."""
        if isinstance(error.message, str):
            return as_text(error.message)
        given = plain(error.message)
        invalid["message"] = given
        return given if isinstance(given, str) else msgspec.json.encode(given).decode()

    def context(self, error: ErrorGiven, occasion: Occasion, invalid: dict[str, Any]) -> dict[str, Any]:
        """ER-LOG-05: the five fields, null where they do not apply, and whatever else was given."""
        given = self._fields("context", error.context, invalid)
        found: dict[str, Any] = {}
        for field, kind in CONTEXT_KINDS.items():
            value = given.pop(field, None)
            if value is not None and not _is(value, kind):
                invalid[f"context.{field}"] = value
                value = None
            found[field] = occasion.context.get(field) if value is None else value
        found.update(given)
        found.update({field: plain(value) for field, value in occasion.added.items()})
        if error.partial_progress is not None:
            found["partial_progress"] = plain(error.partial_progress)
        return found

    def trajectory(self, error: ErrorGiven, occasion: Occasion, invalid: dict[str, Any]) -> dict[str, Any] | None:
        """ER-LOG-07: the path, outermost first, and a place in it; null when none is known."""
        given = self._fields("trajectory", error.trajectory, invalid)
        path = given.pop("delegation_path", None)
        if not isinstance(path, list) or not path or not all(isinstance(each, str) for each in path):
            if path is not None:
                invalid["trajectory.delegation_path"] = path
            path = [as_text(each) for each in occasion.delegation_path]
        if not path:
            if given:
                invalid["trajectory"] = given
            return None
        return {"delegation_path": path, "failed_at_depth": self.depth(path, given, invalid), **given}

    def depth(self, path: list[str], given: dict[str, Any], invalid: dict[str, Any]) -> int:
        """The index, counted from 0 (our reading), within the path; the innermost when none is given."""
        depth = given.pop("failed_at_depth", None)
        if _is(depth, int) and 0 <= depth < len(path):
            return int(depth)
        if depth is not None:
            invalid["trajectory.failed_at_depth"] = depth
        return len(path) - 1

    def recovery(self, error: ErrorGiven, invalid: dict[str, Any]) -> dict[str, Any]:
        """ER-LOG-08: what to do, and whether that can be done without anybody; the type's where none is given."""
        given = self._fields("recovery", error.recovery, invalid)
        default = DEFAULT_OF.get(as_text(error.type), ANY_DEFAULT)
        found: dict[str, Any] = {
            "suggested_action": default.suggested_action,
            "auto_recoverable": default.auto_recoverable,
        }
        for field, kind in (("suggested_action", str), ("auto_recoverable", bool)):
            value = given.pop(field, None)
            if isinstance(value, kind):
                found[field] = value
            elif value is not None:
                invalid[f"recovery.{field}"] = value
        return {**found, **given}

    def fix_status(self, error: ErrorGiven) -> str:
        """ER-LOG-09."""
        return UNFIXED

    def _fields(self, field: str, given: Any, invalid: dict[str, Any]) -> dict[str, Any]:
        found = plain(given)
        if isinstance(found, dict):
            return found
        if found is not None:
            invalid[field] = found
        return {}


def clamped(now_s: float) -> float:
    """The time within what a date can say."""
    return min(max(now_s, EARLIEST_S), LATEST_S)


def suffix(number: int) -> str:
    """The number as so many letters and digits."""
    letters = []
    for _ in range(SUFFIX_CHARACTERS):
        number, place = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[place])
    return "".join(reversed(letters))


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))

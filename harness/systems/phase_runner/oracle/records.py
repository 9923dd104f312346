"""What stands in the record of a phase, as far as every reader sees the same. Pure."""

import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from harness.core.history import InputFact
from harness.systems.phase_runner.contract.words import MAX_ATTEMPTS, VERSION, Status

_NEEDED: Final = ("phase_id", "phase_name", "status", "attempt", "max_attempts")
_DEEPEST: Final = 100  # levels
_KNOWN: Final = frozenset(Status)


class Record(msgspec.Struct, frozen=True):
    """What a file is as the record of a phase: ``fields`` when it is sound, none otherwise.

    ``is_missing``: nothing is there. ``is_corrupt``: it is certainly no valid record, for the reason ``why``. What is
    neither, and not sound, some take for one.
    """

    fields: Mapping[str, Any] | None = None
    is_missing: bool = False
    is_corrupt: bool = False
    why: str = ""

    @property
    def status(self) -> str | None:
        """The status that it has; None when it is not sound."""
        return None if self.fields is None else str(self.fields["status"])

    @property
    def is_usual(self) -> bool:
        """Is it sound, with attempts that there may be?"""
        fields = self.fields or {"attempt": MAX_ATTEMPTS + 1}
        return bool(fields["attempt"] <= MAX_ATTEMPTS and fields["max_attempts"] == MAX_ATTEMPTS)

    @property
    def is_doubtful(self) -> bool:
        """May it be taken for one, or not?"""
        return self.fields is None and not self.is_missing and not self.is_corrupt

    @property
    def error(self) -> Mapping[str, Any]:
        """What went wrong, as it stands there; empty for null."""
        found = (self.fields or {}).get("error")
        return found if isinstance(found, Mapping) else {}


DOUBTFUL: Final = Record()


def read_record(fact: InputFact | None, phase_id: str) -> Record:
    """The record of that phase, in that file."""
    if fact is None or (fact.kind == "file" and fact.data is None):
        return DOUBTFUL
    if fact.kind == "missing":
        return Record(is_missing=True)
    if fact.kind != "file" or fact.data is None:
        return DOUBTFUL
    found, is_clean = decoded(fact.data)
    if found is None:
        return Record(is_corrupt=True, why="it is no JSON object")
    lost = [name for name in _NEEDED if name not in found]
    if lost:
        return Record(is_corrupt=True, why=f"it has no {lost[0]}")
    if found["status"] not in tuple(_KNOWN):
        return Record(is_corrupt=True, why="its status is none of the five")
    numbers = [found["attempt"], found["max_attempts"]]
    is_plain = all(isinstance(each, int) and not isinstance(each, bool) and each >= 0 for each in numbers)
    is_its_own = found["phase_id"] == phase_id and _is_text(found["phase_name"])
    error = found.get("error")
    if is_clean and is_plain and is_its_own and (error is None or isinstance(error, Mapping)):
        return Record(found)
    return DOUBTFUL


def _is_text(value: object) -> bool:
    """Is it a text that UTF-8 can hold?"""
    return isinstance(value, str) and not any("\ud800" <= each <= "\udfff" for each in value)


def decoded(data: bytes) -> tuple[Mapping[str, Any] | None, bool]:
    """The object that stands in these bytes, None when no reader finds one, and whether every reader finds the same."""
    repeated: list[bool] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated.append(len({name for name, _ in found}) < len(found))
        return dict(found)

    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None, False
    try:
        value = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return None, False
    if not isinstance(value, dict):
        return None, False
    is_clean = not any(repeated) and not text.startswith("\ufeff") and "NaN" not in text and "Infinity" not in text
    return value, is_clean and _is_shallow(value)


def _is_shallow(value: Mapping[str, Any]) -> bool:
    """Is it nested no deeper than anybody reads?"""
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        level = [each for held in level for each in (held.values() if isinstance(held, dict) else held)
                 if isinstance(each, dict | list)]  # fmt: skip
        if not level:
            return True
    return False


def is_usual_config(fact: InputFact | None) -> bool:
    """Is config.json one that every implementation of this contract reads, or not there at all?"""
    if fact is None or fact.kind == "missing":
        return True
    found = decoded(fact.data)[0] if fact.data is not None else None
    return found is not None and found.get("version") == VERSION and isinstance(found.get("phases"), Mapping)

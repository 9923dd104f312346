"""What was seen of an operation and counts only once the record of its error is found. Pure.

Steps that are only told witness nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from harness.systems.error_log.contract import Severity
from harness.systems.error_log.oracle import documents
from harness.systems.error_log.oracle.records import RESPONSES
from harness.systems.notes import Notes


class Owed(msgspec.Struct, frozen=True):
    """An observation that counts once the record is found; with ``texts`` only if the record has them all."""

    clause: str
    expected: str
    readings: frozenset[str] | None = None
    texts: tuple[str, ...] = ()
    progress: tuple[str, ...] | None = None  # the record has to have partial_progress, with one of these texts if any
    response: str = ""  # that of the severity that the record has


def shows(text: str, strings: Sequence[str]) -> bool:
    """Does the text stand in one of these, or line by line in several?"""
    if any(text in string for string in strings):
        return True
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and all(any(line in string for string in strings) for line in lines)


def _has_progress(wanted: Sequence[str], record: Mapping[str, Any]) -> bool:
    """Has the record a partial_progress, anywhere, with one of these texts?"""
    found = [each["partial_progress"] for each in documents.objects(record) if "partial_progress" in each]
    kept = [tuple(documents.leaves(each)) for each in found if each is not None]
    return bool(kept) and (
        not wanted or any(text in string for strings in kept for text in wanted for string in strings)
    )


def pay(owed: Owed, record: Mapping[str, Any], notes: Notes) -> None:
    """Notes what was owed to the record, now that it was found."""
    strings = tuple(documents.texts(record))
    lacking = [text for text in owed.texts if not shows(text, strings)]
    if lacking:
        notes.breaks(owed.clause, f"the record has {lacking[0][:200]!r}", f"{str(record)[:300]}")
        return
    readings = owed.readings
    if owed.response:
        severity = record.get("severity")
        clause = "ER-SEV-01" if severity == Severity.CRITICAL else owed.clause
        wanted = RESPONSES.get(severity) if isinstance(severity, str) else None
        notes.holds(clause, owed.response == wanted, f"{owed.expected}, {severity!r}", owed.response)
        return
    if owed.progress is not None:
        if not _has_progress(owed.progress, record):
            expected = f"the record has the partial_progress {' or '.join(owed.progress)}".rstrip()
            notes.breaks(owed.clause, expected, f"{str(record)[:300]}")
            return
        context = record.get("context")
        if isinstance(context, Mapping) and context.get("partial_progress") is not None:
            readings = frozenset(("context",))
        else:
            readings = frozenset(("record",))
    notes.agrees(owed.clause, owed.expected, readings)

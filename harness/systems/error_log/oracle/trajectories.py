"""The trajectory of a record: ER-LOG-07. Pure.

An index that both bases permit has to be kept; of the first and of the one past the last element what is kept tells the
base; any other index stands in no record. Source: document 002, Log the Error.
"""

from collections.abc import Mapping
from typing import Any, Final

from harness.systems.error_log.oracle.documents import same
from harness.systems.notes import Notes

_CLAUSE: Final = "ER-LOG-07"
_EXPECTED: Final = "a trajectory has a delegation_path, and failed_at_depth, an index into it"


def judge_trajectory(found: object, given: object, notes: Notes) -> None:
    """Notes whether a record's trajectory is the one that was given, or has its form."""
    path, depth = _parts(given)
    if path is None:
        _judge_form(found, given, notes)
    elif depth is None or not 0 <= depth <= len(path):
        _judge_form(found, given, notes, path, expects=True)
    elif 0 < depth < len(path):
        kept = isinstance(found, Mapping) and _keeps(found, path) and same(found.get("failed_at_depth"), depth)
        notes.holds(_CLAUSE, kept, f"trajectory {given!r} as it was given", f"{found!r}")
    else:
        kept = isinstance(found, Mapping) and same(found.get("failed_at_depth"), depth)
        at_first = depth == 0
        if not kept:
            _judge_form(found, given, notes, path, readings=("one_based",) if at_first else ("zero_based",))
        elif isinstance(found, Mapping) and _keeps(found, path):
            notes.agrees(_CLAUSE, _EXPECTED, ("zero_based",) if at_first else ("one_based",))
        else:
            notes.breaks(_CLAUSE, f"delegation_path {path!r} as it was given", f"{found!r}")


def _parts(given: object) -> tuple[list[str] | None, int | None]:
    """The path and the index that were given, as far as they have their form."""
    if not isinstance(given, Mapping):
        return None, None
    path, depth = given.get("delegation_path"), given.get("failed_at_depth")
    if not _is_path(path):
        return None, None
    return path, depth if isinstance(depth, int) and not isinstance(depth, bool) else None


def _is_path(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _keeps(found: Mapping[str, Any], path: list[str]) -> bool:
    return same(found.get("delegation_path"), path)


def _judge_form(
    found: object,
    given: object,
    notes: Notes,
    path: list[str] | None = None,
    *,
    expects: bool = False,
    readings: tuple[str, ...] | None = None,
) -> None:
    """A trajectory that the log made itself, or corrected: none, or one that has its form.

    ``expects``: something impossible was given, so that its absence says something too.
    """
    if found is None or (given is None and isinstance(found, Mapping) and not found.get("delegation_path")):
        if expects or readings is not None:
            notes.agrees(_CLAUSE, _EXPECTED, readings)
        return
    kept, depth = _parts(found)
    ok = kept is not None and depth is not None and 0 <= depth <= len(kept) and path in (None, kept)
    ends = {0: "zero_based", len(kept or ()): "one_based"}
    if ok and depth in ends:
        shown = frozenset((ends[depth],))
        readings = tuple(shown if readings is None else shown & frozenset(readings))
        ok = bool(readings)
    notes.holds(_CLAUSE, ok, _EXPECTED, f"{found!r}, given {given!r}", readings)

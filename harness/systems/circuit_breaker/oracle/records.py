"""The state file from one operation to the next, against what the model knows: LK-CB-01 to 08, 26 and 27. Pure."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from harness.core.history import InputFact
from harness.systems.circuit_breaker.contract import State
from harness.systems.circuit_breaker.oracle import fields
from harness.systems.circuit_breaker.oracle.breaker import FAILURES, Limits
from harness.systems.circuit_breaker.oracle.notes import Notes
from harness.systems.circuit_breaker.oracle.state_file import (
    COUNTS,
    KNOWN,
    REQUIRED,
    Belief,
    Raw,
    instant,
    is_valid,
    read,
    whole,
)

_WHOLE: Final = "the state file is one JSON object, with a record for each breaker"


class Records:
    """What was found in the state file of one world. ``first`` is what stood there in the beginning."""

    def __init__(self, first: InputFact | None) -> None:
        self._data = first
        self._raw: Raw = read(first) or {}
        self._first = self._raw
        self.lost: set[str] = set()  # breakers whose record was not there when it had to be
        # files and records that were wrong when they were found: nobody has to mend them
        self._bad = first if read(first) is None and first is not None and first.kind != "missing" else None
        self._wrong: dict[str, Any] = {name: raw for name, raw in self._raw.items() if not is_valid(raw)}
        if self._wrong:
            self._raw = {}  # it may be given up whole
        self._extra = {
            name: frozenset(raw) - KNOWN
            for name, raw in self._first.items()
            if isinstance(raw, Mapping) and frozenset(raw) - KNOWN
        }

    @property
    def is_strange(self) -> bool:
        """Did a record have fields that nobody knows?"""
        return bool(self._extra)

    def look(
        self,
        fact: InputFact | None,
        beliefs: dict[str, Belief],
        touched: Collection[str],
        used: Collection[str],
        at: int,
        limit: Limits,
        notes: Notes,
        *,
        lost_to: str,
    ) -> None:
        """Notes what the file says of each breaker ``touched``, and that nothing changed of those not ``used``.

        ``lost_to`` is the clause to blame where an update is not there. ``beliefs`` lose what the file contradicts.
        """
        if fact == self._bad or (fact == self._data and not used):
            return
        raw = read(fact)
        if raw is None:
            self._missing(fact, beliefs, touched, notes, lost_to)
            return
        self._bad = None
        self._others(raw, used, notes)
        for name in sorted(touched):
            if name not in raw:
                if _is_remembered(beliefs[name]):
                    self.lost.add(name)
                    notes.breaks(lost_to, f"{_WHOLE}; one of {name[:80]!r}", "there is none")
            elif name in self._wrong and raw[name] == self._wrong[name]:
                pass  # as it was found
            elif raw[name] == self._first.get(name) or _is_shaped(name, raw[name], notes):
                seen = fields.in_file(name, raw[name])
                beliefs[name] = fields.compare(seen, beliefs[name], at, limit, notes)
                self._note_extra(name, raw[name], notes)
        self._data = fact
        # of a file that may be given up whole only what was written anew has to stay
        self._raw = {name: each for name, each in raw.items() if not self._wrong or each != self._first.get(name)}

    def _missing(
        self,
        fact: InputFact | None,
        beliefs: Mapping[str, Belief],
        touched: Collection[str],
        notes: Notes,
        lost_to: str,
    ) -> None:
        if fact is None or (fact.kind == "file" and fact.data is None):
            return  # too large for a history, or not told in it
        if fact.kind == "missing" and not any(_is_remembered(beliefs[name]) for name in touched):
            return
        if fact.kind != "missing" or self._raw:
            self.lost |= set(touched)  # who never had a file keeps its breakers in memory, and is followed there
        notes.breaks(lost_to, _WHOLE, f"there is a {fact.kind}, {(fact.data or b'')[:120]!r}")
        self._bad = fact

    def _others(self, raw: Raw, used: Collection[str], notes: Notes) -> None:
        """Breakers are independent: whoever was not used is as it was."""
        for name, before in self._raw.items():
            after = raw.get(name)
            if name in used or after == before or name in self._wrong or not is_valid(before):
                continue
            if isinstance(after, Mapping) and is_valid(after):
                if _moved_alike(before, after):
                    continue
                forgotten = after["state"] == State.CLOSED or before["state"] == State.CLOSED
            else:
                forgotten = True
            if forgotten:
                clause = "LK-CB-08" if self.is_strange else "LK-CB-01"
                notes.breaks(clause, f"{name[:80]!r} as it was: {before}", f"{after}, and nobody used it")

    def _note_extra(self, name: str, raw: Raw, notes: Notes) -> None:
        if name in self._extra:
            kept = self._extra[name] <= frozenset(raw)
            notes.agrees("LK-CB-08", "a record with fields that nobody knows is used", ("kept" if kept else "dropped",))


def _moved_alike(before: Raw, after: Raw) -> bool:
    changed = instant(before["last_state_change"]) == instant(after["last_state_change"])
    return bool(before["state"] == after["state"]) and changed


def _is_remembered(belief: Belief) -> bool:
    """Has that breaker surely something to be written down? What is only supposed of it has not."""
    return all((each.mode is not State.CLOSED and not each.unsure & FAILURES) or each.failures for each in belief)


def _is_shaped(name: str, raw: object, notes: Notes) -> bool:
    """Notes whether a record has the form that the schema gives it; true when its values can be compared."""
    if not isinstance(raw, Mapping):
        notes.breaks("LK-CB-01", _WHOLE, f"{name[:80]!r} is {raw!r}")
        return False
    before = sum(map(notes.broken, _SHAPES))
    where = f"the record of {name[:80]!r}"
    missing = [key for key in REQUIRED if key not in raw and key != "last_failure_time"]
    _note(notes, "LK-CB-02", not missing, f"{where} has its required fields", f"{missing} missing")
    if "state" in raw:
        _note(notes, "LK-CB-03", raw["state"] in tuple(State), f"{where} has one of three states", f"{raw['state']!r}")
    _note_counts(raw, where, notes)
    _note_times(raw, where, notes)
    return sum(map(notes.broken, _SHAPES)) == before and is_valid(raw)


_SHAPES: Final = ("LK-CB-02", "LK-CB-03", "LK-CB-04", "LK-CB-05", "LK-CB-06", "LK-CB-07")


def _note(notes: Notes, clause: str, agrees: bool, expected: str, observed: str) -> None:
    if agrees:
        notes.agrees(clause, expected)
    else:
        notes.breaks(clause, expected, observed)


def _note_counts(raw: Raw, where: str, notes: Notes) -> None:
    given = {key: raw[key] for key in COUNTS if key in raw}
    wrong = {key: value for key, value in given.items() if whole(value) is None}
    expected = "counts are integers of at least zero"
    if wrong:
        notes.breaks("LK-CB-04", f"{expected} in {where}", f"{wrong}")
    elif given:
        floats = any(isinstance(value, float) for value in given.values())
        notes.agrees("LK-CB-04", expected, ("integral_numbers",) if floats else None)


def _note_times(raw: Raw, where: str, notes: Notes) -> None:
    changed = raw.get("last_state_change")
    if "last_state_change" in raw and instant(changed) is None:
        notes.breaks("LK-CB-07", f"last_state_change is a time in {where}", f"{changed!r}")
    for clause, keys in (
        ("LK-CB-05", ("last_failure_time",)),
        ("LK-CB-06", ("cooldown_until", "failure_window_start")),
    ):
        wrong = {key: raw[key] for key in keys if raw.get(key) is not None and instant(raw[key]) is None}
        if wrong:
            notes.breaks(clause, f"an RFC 3339 time, null or absent in {where}", f"{wrong}")
            continue
        ways = {"absent" if key not in raw else "null" for key in keys if raw.get(key) is None}
        readings = ways if len(ways) == 1 else None
        notes.agrees(clause, "an RFC 3339 time, null or absent", readings)

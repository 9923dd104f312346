"""What one process knows of the records, and which of it the file does not have yet. Pure."""

from collections.abc import Mapping
from datetime import datetime

from harness.systems.circuit_breaker.reference.breaker import CLOSED, HALF_OPEN, OPEN
from harness.systems.circuit_breaker.reference.records import Records, Stored

SEVERITY = {CLOSED: 0, HALF_OPEN: 1, OPEN: 2}


class Memory:
    """The records as they were last read or decided on here.

    ``known`` has None for a breaker that the file had no record of. ``unsaved`` has what the file said, by name, where
    this process has decided further and could not save it. ``pending`` are recoveries whose line may be missing from
    the recovery log: true where the log has to be looked at first. ``doubted`` is since when (microseconds) a breaker
    could not be known.
    """

    def __init__(self) -> None:
        self.known: dict[str, Stored | None] = {}
        self.unsaved: dict[str, Stored | None] = {}
        self.pending: dict[tuple[str, datetime], bool] = {}
        self.in_doubt = False
        self.doubted: dict[str, int] = {}
        self._logged: dict[str, datetime] = {}
        self._seen: Records | None = None

    # -- records

    def read(self, records: Records) -> list[str]:
        """Takes in the records of a file that was read; gives the names of those that vanished from it.

        What was not saved stays, unless somebody else has moved the breaker meanwhile to what is as strict. What
        vanished is kept: a breaker that this process knows to be OPEN does not become CLOSED as its record is lost.
        """
        self.in_doubt = False
        if records is self._seen and not self.unsaved:
            return []
        self._seen = records
        merged: dict[str, Stored | None] = dict(records)
        vanished: list[str] = []
        for name, ours in self.known.items():
            theirs = records.get(name)
            if name in self.unsaved:
                if ours != theirs and (theirs == self.unsaved[name] or _severity(ours) > _severity(theirs)):
                    merged[name] = ours
                else:
                    del self.unsaved[name]
            elif theirs is None:
                merged[name] = ours
                if ours is not None:
                    self.unsaved[name] = None
                    vanished.append(name)
        self.known = merged
        self._look_for_recoveries(records)
        return vanished

    def doubt(self, quarantined: Stored) -> None:
        """The file is none: what this process knew may be what it said before, and is put in quarantine, once."""
        if not self.in_doubt:
            self.in_doubt = True
            self.known = dict.fromkeys(self.known, quarantined)
            self.unsaved = dict.fromkeys(self.known)
            self._seen = None

    def records(self) -> list[tuple[str, Stored]]:
        """All that are known."""
        return [(name, record) for name, record in self.known.items() if record is not None]

    def keep(self, name: str, record: Stored) -> None:
        """Notes a decision that is not in the file."""
        if name not in self.unsaved:
            self.unsaved[name] = self.known.get(name)
        self.known[name] = record

    def changes(self) -> Mapping[str, Stored]:
        """The records that the file lacks."""
        return {name: record for name in self.unsaved if (record := self.known[name]) is not None}

    def saved(self, records: Records) -> None:
        """The file has these records now, and lacks none."""
        self.unsaved.clear()
        self._seen = records

    # -- recoveries

    def recovered(self, name: str, at: datetime) -> None:
        """The breaker has closed, and its line is missing: surely, unless another process may have added it."""
        self.pending.setdefault((name, at), False)

    def logged(self, name: str, at: datetime) -> None:
        """The line is in the log."""
        self.pending.pop((name, at), None)
        self._logged[name] = at

    def is_logged(self, name: str, at: datetime) -> bool:
        """Is the line of that recovery known to be in the log?"""
        return self._logged.get(name) == at

    def _look_for_recoveries(self, records: Records) -> None:
        for name, record in records.items():
            at = record.last_state_change  # the clock cannot draw it in, as it can the beginning of a ramp
            if record.extra.unlogged and not self.is_logged(name, at):
                self.pending.setdefault((name, at), True)


def _severity(record: Stored | None) -> int:
    return SEVERITY[CLOSED if record is None else record.state]

"""An error of the history and its record, as far as either is known. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec

from harness.core.history import InputFact
from harness.systems.error_log.contract import ErrorGiven
from harness.systems.error_log.oracle import documents
from harness.systems.error_log.oracle.documents import same
from harness.systems.error_log.oracle.owed import Owed
from harness.systems.error_log.oracle.records import is_kept, session_of


class Known(Enum):
    """What is known of a record: it has to be there; it waits in a process's memory; it may be there, or not."""

    REQUIRED = "required"
    WAITING = "waiting"
    MAYBE = "maybe"


class Logged(msgspec.Struct, kw_only=True):
    """One error of the history and its record.

    ``given`` is None for a record that stood there in the beginning, or whose arguments are not known. ``group`` counts
    what did not overlap; ``life`` is the process that made it, in its life. ``found``: as first found in the file.
    """

    name: str | None
    given: ErrorGiven | None
    group: int
    life: tuple[int, int]
    known: Known
    at: datetime | None = None
    answered: Mapping[str, Any] | None = None
    found: Mapping[str, Any] | None = None
    id: str | None = None
    fix: str | None = "unfixed"  # None: any
    owed: tuple[Owed, ...] = ()
    grades: bool = False  # it came without a severity
    late: bool = False  # it waited in a memory, and may stand behind others that did not
    plain: bool = False  # it was logged, and nothing else: no procedure leaves more than the record

    @property
    def record(self) -> Mapping[str, Any] | None:
        """What is known of the record."""
        return self.found if self.found is not None else self.answered

    @property
    def is_of_others(self) -> bool:
        """Did it stand there in the beginning?"""
        return self.given is None and self.group < 0

    @property
    def session(self) -> str | None:
        """The session it belongs to, as the record says, or what was given."""
        if self.record is not None:
            return session_of(self.record)
        context = self.given.context if self.given is not None else None
        session = context.get("session_id") if isinstance(context, Mapping) else None
        return session if isinstance(session, str) else None


def direction(groups: Sequence[int]) -> int:
    """1 for groups that go up, -1 for those that go down, 0 for neither."""
    return (groups[0] < groups[-1]) - (groups[0] > groups[-1]) if groups else 0


def is_taken_over(bad: InputFact, errors: documents.Errors) -> bool:
    """Was what stood there read after all, as some readers do? The operation may have changed a status since."""
    read = documents.errors(bad, lenient=True)
    if read is None:
        return False
    lasting = [{name: value for name, value in each.items() if name != "fix_status"} for each in read.records]
    return all(any(has(record, each) for record in errors.records) for each in lasting)


def is_vague(each: Logged) -> bool:
    """May any record be its own? Then those that are sure of theirs come first."""
    given = each.given
    return each.id is None and each.found is None and not (given and is_kept(given.type) and is_kept(given.message))


def has(record: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Does the record have all that is wanted, whatever else?"""
    return all(name in record and same(record[name], value) for name, value in wanted.items())


def said(each: Logged) -> str:
    """What is known of it, for a person."""
    return str(each.record if each.record is not None else each.given)[:200]

"""One numbered requirement read out of a specification document, and the catalogue of a system's requirements."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

import msgspec


class Level(StrEnum):
    """How binding a clause is: MUST decides conformance, SHOULD decides strictness, MAY informs."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    MAY = "MAY"


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One permitted interpretation of an ambiguous clause; ``ours`` marks the one the reference takes."""

    meaning: str
    ours: bool = False


class Clause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One requirement.

    ``profiles`` maps each view it is judged in to the optional group that binds an implementation to it there, null
    when everybody is bound; a profile that is no key does not show the clause at all;
    ``widened_by`` maps a view in which everybody is bound to the optional group of which the clause asks more;
    ``readings`` maps the name of each permitted reading to its meaning, empty when the clause is unambiguous;
    ``witness`` says in words what proves that the clause's situation was entered.
    """

    id: str
    system: str
    statement: str
    level: Level
    source: str
    kind: str
    witness: str
    profiles: Mapping[str, str | None]
    ambiguous: bool = False
    readings: Mapping[str, Reading] = msgspec.field(default_factory=dict)
    widened_by: Mapping[str, str] = msgspec.field(default_factory=dict)
    note: str = ""

    @property
    def is_loose(self) -> bool:
        """True for an ambiguous clause with no written reading: nothing can establish it."""
        return self.ambiguous and not self.readings


class Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every clause of one system, in document order, and the optional groups its contract names."""

    system: str
    documents: tuple[str, ...]
    clauses: tuple[Clause, ...]
    groups: Mapping[str, str] = msgspec.field(default_factory=dict)

    def __iter__(self) -> Iterator[Clause]:
        return iter(self.clauses)

    def __contains__(self, clause_id: object) -> bool:
        return any(clause.id == clause_id for clause in self.clauses)

    def __getitem__(self, clause_id: str) -> Clause:
        """The clause of that id; KeyError when the system has none."""
        for clause in self.clauses:
            if clause.id == clause_id:
                return clause
        raise KeyError(clause_id)

    def judged_in(self, profile: str) -> tuple[Clause, ...]:
        """The clauses that show in ``profile``, in document order."""
        return tuple(clause for clause in self.clauses if profile in clause.profiles)

    def groups_of(self, profile: str) -> tuple[str, ...]:
        """The optional groups that bind to some clause, or widen it, in ``profile``, in the order of ``groups``."""
        judged = self.judged_in(profile)
        needed = {asked.get(profile) for clause in judged for asked in (clause.profiles, clause.widened_by)}
        return tuple(group for group in self.groups if group in needed)

"""What was seen of each clause while a history is gone through, in order; the rules read it. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from harness.systems.rules import Judgement, Rule, Rules, combine, failed, passed


class Notes:
    """Judgements by clause. Of what agrees only the number is kept, of each way of agreeing in words once."""

    def __init__(self) -> None:
        self._agreed: dict[str, dict[tuple[str, frozenset[str] | None], int]] = {}
        self._broken: dict[str, list[Judgement]] = {}

    def agrees(self, clause: str, expected: str, readings: Iterable[str] | None = None) -> None:
        """An observation agrees with the clause, in every reading or in those named."""
        key = (expected, None if readings is None else frozenset(readings))
        each = self._agreed.setdefault(clause, {})
        each[key] = each.get(key, 0) + 1

    def breaks(self, clause: str, expected: str, observed: str) -> None:
        """An observation contradicts the clause in every reading."""
        self._broken.setdefault(clause, []).append(failed(expected, observed))

    def holds(self, clause: str, ok: bool, expected: str, observed: str, readings: Iterable[str] | None = None) -> bool:
        """``agrees`` or ``breaks``, as ``ok`` says, which it gives back."""
        if ok:
            self.agrees(clause, expected, readings)
        else:
            self.breaks(clause, expected, observed)
        return ok

    def judgement(self, clause: str) -> Judgement | None:
        """All observations of the clause as one; None when there is none."""
        agreed = [
            passed(expected, readings=readings, witnesses=count)
            for (expected, readings), count in self._agreed.get(clause, {}).items()
        ]
        return combine([*self._broken.get(clause, ()), *agreed])


class Noted(Protocol):
    """What a history shows."""

    @property
    def notes(self) -> Notes:
        """What was seen of each clause."""


def noted_rules(profile: str, clauses: Iterable[str]) -> Rules[Noted]:
    """The rules of a profile in which each of these clauses is what was noted of it."""
    rules: Rules[Noted] = Rules(profile)
    for clause in clauses:
        rules.rule(clause)(_noted(clause))
    return rules


def _noted(clause: str) -> Rule[Noted]:
    return lambda view: view.notes.judgement(clause)


def numbered(document: str, last: Mapping[str, int]) -> Iterator[str]:
    """The clauses of that document, of each kind from 1 to its last."""
    return (f"{document}-{kind}-{number:02d}" for kind, until in last.items() for number in range(1, until + 1))

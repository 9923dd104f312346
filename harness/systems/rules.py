"""The table of rules: one small function a clause, and how what they say becomes findings. Pure.

A rule looks at a *view* (whatever its profile makes of a scenario and a history) and returns None when the clause's
situation was not entered there, else a Judgement. Source: CERTIFICATION.md, "A check" and "A clause".
"""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import msgspec

from harness.core.clause import Catalogue, Clause
from harness.core.finding import CheckVerdict, Finding
from harness.core.scenario import Scenario

TEXT_LIMIT = 600  # characters of expected/observed: a person reads them; the history has the rest


class Judgement(msgspec.Struct, frozen=True):
    """What one observation says about one clause.

    ``witnesses`` counts how often the situation was entered; ``readings`` are the readings this observation is
    compatible with, None when it speaks against none of them.
    """

    ok: bool
    expected: str
    observed: str
    witnesses: int = 1
    readings: frozenset[str] | None = None
    reason: str = ""


def passed(
    expected: str, observed: str = "as expected", *, readings: Iterable[str] | None = None, witnesses: int = 1
) -> Judgement:
    """The observation agrees with the clause, in every reading or in those named; with none named it fails."""
    named = None if readings is None else frozenset(readings)
    if named is not None and not named:
        return failed(expected, observed, witnesses=witnesses)
    return Judgement(True, expected, observed, witnesses, named)


def failed(expected: str, observed: str, *, witnesses: int = 1, reason: str = "") -> Judgement:
    """The observation contradicts the clause in every permitted reading."""
    return Judgement(False, expected, observed, witnesses, frozenset(), reason)


def combine(judgements: Iterable[Judgement | None]) -> Judgement | None:
    """Several observations of one clause as one: any failure fails, readings intersect, witnesses add.

    None when there is no observation. Observations that each agree with some reading, but not with a common one,
    are a failure: the implementation takes two readings in one run.
    """
    seen = [judgement for judgement in judgements if judgement is not None]
    if not seen:
        return None
    witnesses = sum(judgement.witnesses for judgement in seen)
    bad = [judgement for judgement in seen if not judgement.ok]
    if bad:
        more = f" (and {len(bad) - 1} more like it)" if len(bad) > 1 else ""
        first = bad[0]
        return failed(first.expected, first.observed + more, witnesses=witnesses, reason=first.reason)
    named = [judgement.readings for judgement in seen if judgement.readings is not None]
    common = frozenset.intersection(*named) if named else None
    if common is not None and not common:
        each = "; ".join(f"{' or '.join(sorted(names))}" for names in dict.fromkeys(named))
        return failed(
            "one reading, kept to",
            f"observations of different readings: {each}",
            witnesses=witnesses,
            reason="inconsistent",
        )
    return Judgement(True, seen[0].expected, seen[0].observed, witnesses, common)


V = TypeVar("V")
Rule = Callable[[V], Judgement | None]


class Rules(Generic[V]):
    """The rules of one profile, by clause id."""

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self._table: dict[str, Rule[V]] = {}

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clause ids that have a rule, in the order of registration."""
        return tuple(self._table)

    def rule(self, clause_id: str) -> Callable[[Rule[V]], Rule[V]]:
        """Registers a function as the rule of that clause; ValueError when the clause has one already."""

        def register(function: Rule[V]) -> Rule[V]:
            if clause_id in self._table:
                raise ValueError(f"{clause_id} has two rules")
            self._table[clause_id] = function
            return function

        return register

    def judge(self, view: V, scenario: Scenario, catalogue: Catalogue) -> tuple[Finding, ...]:
        """One finding a witnessed clause, and INCONCLUSIVE for those the scenario is meant to witness and did not."""
        findings: list[Finding] = []
        for clause in catalogue.judged_in(self.profile):
            finding = self._finding(clause, view)
            if finding is None and clause.id in scenario.clauses:
                finding = _inconclusive(clause.id, f"its situation was not entered: {clause.witness}")
            if finding is not None:
                findings.append(finding)
        shown = {finding.clause for finding in findings}
        findings += [
            _inconclusive(name, f"the profile {self.profile} does not show this clause")
            for name in dict.fromkeys(scenario.clauses)
            if name not in shown
        ]
        return tuple(findings)

    def _finding(self, clause: Clause, view: V) -> Finding | None:
        rule = self._table.get(clause.id)
        if rule is None:
            return None
        try:
            judgement = rule(view)
        except Exception as error:  # noqa: BLE001 - a rule that raises is our defect, never the implementation's
            why = f"the rule raised {type(error).__name__}: {error}"
            return Finding(clause.id, CheckVerdict.HARNESS_ERROR, reason=why)
        return None if judgement is None else _rolled(clause, judgement)


def _rolled(clause: Clause, judgement: Judgement) -> Finding:
    """The judgement as a finding, its readings in the order of the catalogue."""
    readings: tuple[str, ...] | None = None
    if clause.readings:
        named = judgement.readings
        readings = tuple(name for name in clause.readings if named is None or name in named)
    if judgement.ok and readings == ():
        unknown = ", ".join(sorted(judgement.readings or ()))
        return Finding(clause.id, CheckVerdict.HARNESS_ERROR, reason=f"the catalogue has no reading named {unknown}")
    return Finding(
        clause.id,
        CheckVerdict.PASS if judgement.ok else CheckVerdict.FAIL,
        readings,
        max(judgement.witnesses, 1),
        judgement.reason,
        _short(judgement.expected),
        _short(judgement.observed),
    )


def _inconclusive(clause_id: str, reason: str) -> Finding:
    return Finding(clause_id, CheckVerdict.INCONCLUSIVE, reason=reason)


def _short(text: str) -> str:
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 4] + " ..."

"""How findings roll up: checks to clause verdicts, clauses to a system's level, systems to an outcome and exit code.

Pure. Source: CERTIFICATION.md, "A clause", "Levels" and "Exit codes".
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec

from harness.core.clause import Catalogue, Clause, Level
from harness.core.finding import CheckVerdict, Finding


class ClauseVerdict(StrEnum):
    """What is known of one clause after a run."""

    CONFORMS = "CONFORMS"
    DEVIATES = "DEVIATES"
    NOT_ESTABLISHED = "NOT_ESTABLISHED"
    NOT_APPLICABLE = "NOT_APPLICABLE"


class Outcome(StrEnum):
    """What a run says of an implementation, in one word."""

    CONFORMANT = "conformant"
    NONCONFORMANT = "nonconformant"
    INCONCLUSIVE = "inconclusive"
    UNTESTABLE = "untestable"
    HARNESS_FAULT = "harness_fault"
    INTERRUPTED = "interrupted"


EXIT_CODES: Mapping[Outcome, int] = {
    Outcome.CONFORMANT: 0,
    Outcome.NONCONFORMANT: 1,
    Outcome.HARNESS_FAULT: 3,
    Outcome.UNTESTABLE: 4,
    Outcome.INCONCLUSIVE: 5,
    Outcome.INTERRUPTED: 130,
}


class JudgedScenario(msgspec.Struct, frozen=True):
    """One scenario's findings; ``size`` orders failures, so that the smallest is shown."""

    scenario: str
    profile: str
    size: int
    findings: tuple[Finding, ...]


class ClauseResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=False):
    """One clause's verdict: why, how often its situation was entered, by which reading, and the smallest failure."""

    verdict: ClauseVerdict
    reason: str = ""
    witnesses: int = 0
    reading: str | None = None
    scenario: str | None = None
    failures: tuple[str, ...] = ()


class SystemResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All clauses of one system and the level they amount to; ``stopped_by`` is the first clause that stops L1."""

    level: str | None
    clauses: Mapping[str, ClauseResult]
    stopped_by: str | None = None
    strict: bool = True


def roll_up_clause(
    clause: Clause, profiles: Mapping[str, Sequence[str]], judged: Iterable[JudgedScenario]
) -> ClauseResult:
    """The verdict of ``clause``, for an implementation judged in ``profiles`` (each with the groups it declares)."""
    applicable = {
        profile
        for profile, groups in profiles.items()
        if profile in clause.profiles and clause.profiles[profile] in (None, *groups)
    }
    if not applicable:
        return ClauseResult(ClauseVerdict.NOT_APPLICABLE, _why_not_applicable(clause, profiles))
    seen = [
        (scenario, finding)
        for scenario in judged
        if scenario.profile in applicable
        for finding in scenario.findings
        if finding.clause == clause.id
    ]
    witnesses = sum(finding.witnesses for _, finding in seen)
    failed = [(scenario, finding) for scenario, finding in seen if finding.verdict is CheckVerdict.FAIL]
    if failed:
        failed.sort(key=lambda pair: (pair[0].size, pair[0].scenario))
        smallest, finding = failed[0]
        ids = tuple(dict.fromkeys(scenario.scenario for scenario, _ in failed))
        return ClauseResult(
            ClauseVerdict.DEVIATES, finding.reason or finding.observed, witnesses, None, smallest.scenario, ids
        )
    return _without_failure(clause, seen, witnesses)


def _without_failure(clause: Clause, seen: Sequence[tuple[JudgedScenario, Finding]], witnesses: int) -> ClauseResult:
    def not_established(reason: str, scenario: str | None = None) -> ClauseResult:
        return ClauseResult(ClauseVerdict.NOT_ESTABLISHED, reason, witnesses, None, scenario)

    if clause.is_loose:
        return not_established("loose: the clause is ambiguous and has no written readings")
    broken = [(scenario, finding) for scenario, finding in seen if finding.verdict is CheckVerdict.HARNESS_ERROR]
    if broken:
        scenario, finding = broken[0]
        return not_established(f"the harness broke: {finding.reason}", scenario.scenario)
    missing = [(scenario, finding) for scenario, finding in seen if finding.verdict is CheckVerdict.INCONCLUSIVE]
    if missing:
        scenario, finding = missing[0]
        return not_established(finding.reason or "its situation was not entered", scenario.scenario)
    passes = [(scenario, finding) for scenario, finding in seen if finding.verdict is CheckVerdict.PASS]
    if not passes or witnesses == 0:
        return not_established("untested: no scenario of this run entered its situation")
    readings = [set(finding.readings) for _, finding in passes if finding.readings is not None]
    surviving = set.intersection(*readings) if readings else set()
    if readings and not surviving:
        where = _first_disagreement(passes)
        return ClauseResult(
            ClauseVerdict.DEVIATES, "inconsistent: different readings in one run", witnesses, None, where, (where,)
        )
    return ClauseResult(ClauseVerdict.CONFORMS, "", witnesses, _named(clause, surviving))


def _first_disagreement(passes: Sequence[tuple[JudgedScenario, Finding]]) -> str:
    common: set[str] | None = None
    for scenario, finding in passes:
        if finding.readings is None:
            continue
        common = set(finding.readings) if common is None else common & set(finding.readings)
        if not common:
            return scenario.scenario
    raise AssertionError("called only when no reading survives")  # pragma: no cover - unreachable by its one caller


def _named(clause: Clause, surviving: set[str]) -> str | None:
    ordered = [name for name in clause.readings if name in surviving]
    return " or ".join(ordered) or None


def _why_not_applicable(clause: Clause, profiles: Mapping[str, Sequence[str]]) -> str:
    here = [profile for profile in profiles if profile in clause.profiles]
    if here:
        return f"group {clause.profiles[here[0]]} is not declared"
    return f"shows only in profile {' and '.join(clause.profiles)}"


def roll_up_system(
    catalogue: Catalogue,
    profiles: Mapping[str, Sequence[str]],
    judged: Sequence[JudgedScenario],
    declared: Mapping[str, str] | None = None,
) -> SystemResult:
    """Every clause's verdict, and L1 when each applicable MUST conforms and at least one was witnessed.

    ``declared`` are the clauses that the implementation itself says it does not implement, with its reasons: honest,
    and not conformant; one that binds nobody here stays not applicable.
    """
    clauses = {clause.id: roll_up_clause(clause, profiles, judged) for clause in catalogue}
    for clause_id, why in (declared or {}).items():
        if clause_id in clauses and clauses[clause_id].verdict is not ClauseVerdict.NOT_APPLICABLE:
            reason = f"declared: {why}" if why else "declared"
            clauses[clause_id] = ClauseResult(ClauseVerdict.DEVIATES, reason, clauses[clause_id].witnesses)
    musts = [clause.id for clause in catalogue if clause.level is Level.MUST]
    bound = [id_ for id_ in musts if clauses[id_].verdict is not ClauseVerdict.NOT_APPLICABLE]
    open_ones = [id_ for id_ in bound if clauses[id_].verdict is not ClauseVerdict.CONFORMS]
    # a deviation says more than a clause nobody could look at
    open_ones.sort(key=lambda id_: clauses[id_].verdict is not ClauseVerdict.DEVIATES)
    strict = all(
        clauses[clause.id].verdict in (ClauseVerdict.CONFORMS, ClauseVerdict.NOT_APPLICABLE)
        for clause in catalogue
        if clause.level is Level.SHOULD
    )
    return SystemResult(
        level="L1" if bound and not open_ones else None,
        clauses=clauses,
        stopped_by=open_ones[0] if open_ones else None,
        strict=strict,
    )


def outcome_of(catalogues: Iterable[Catalogue], systems: Mapping[str, SystemResult]) -> Outcome:
    """The outcome of a run that came to its end."""
    verdicts: set[ClauseVerdict] = set()
    for catalogue in catalogues:
        for clause in catalogue:
            if clause.level is Level.MUST:
                verdicts.add(systems[catalogue.system].clauses[clause.id].verdict)
    if ClauseVerdict.DEVIATES in verdicts:
        return Outcome.NONCONFORMANT
    if not systems or any(result.level is None for result in systems.values()):
        return Outcome.INCONCLUSIVE
    return Outcome.CONFORMANT


def outcome_of_some(clauses: Sequence[str], catalogue: Catalogue, result: SystemResult) -> Outcome:
    """The outcome of a run that was asked for these clauses only; a MUST that deviates counts all the same."""
    verdicts = {clause: found.verdict for clause, found in result.clauses.items()}
    decisive = {*clauses, *(clause.id for clause in catalogue if clause.level is Level.MUST)}
    if any(verdicts[clause] is ClauseVerdict.DEVIATES for clause in decisive):
        return Outcome.NONCONFORMANT
    asked = {verdicts[clause] for clause in clauses}
    return Outcome.CONFORMANT if asked == {ClauseVerdict.CONFORMS} else Outcome.INCONCLUSIVE

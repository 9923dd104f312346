"""How findings roll up: checks to clause verdicts, clauses to a system's level; see outcome.py for the rest.

Pure. Source: CERTIFICATION.md, "A clause" and "Levels".
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec

from harness.core import chaos
from harness.core.chaos import Simulated
from harness.core.clause import Catalogue, Clause, Level
from harness.core.finding import CheckVerdict, Finding

L1, L2, L3, L4 = "L1", "L2", "L3", "L4"
LEVELS = (L1, L2, L3, L4)  # those that this version can show, the first one first; each needs the one before


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
    """One scenario's findings; ``size`` orders failures, so that the smallest is shown.

    ``struck`` are the clauses whose situation was entered while a fault stood that the harness had proven.
    """

    scenario: str
    profile: str
    size: int
    findings: tuple[Finding, ...]
    level: str = L1
    struck: frozenset[str] = frozenset()


class Exploration(msgspec.Struct, frozen=True):
    """A scenario of L3 whose variants were enumerated: the clauses it is meant for, and why not all are known.

    ``bounded`` says which orders a stated bound has left out. That does not keep from L3, which is about the schedules
    that were explored; it is told with it.
    """

    scenario: str
    profile: str
    clauses: tuple[str, ...]
    unfinished: str = ""
    bounded: str = ""


class ClauseResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=False):
    """One clause's verdict: why, how often its situation was entered, by which reading, and the smallest failure."""

    verdict: ClauseVerdict
    reason: str = ""
    witnesses: int = 0
    reading: str | None = None
    scenario: str | None = None
    failures: tuple[str, ...] = ()


class LevelResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=False):
    """Was a level reached? ``stopped_by`` is the first clause that stops it, ``reason`` says how, ``open`` are all.

    The ``reason`` of one that is reached is the bound within which it is, "" when there is none.
    """

    reached: bool
    stopped_by: str | None = None
    reason: str = ""
    open: tuple[str, ...] = ()


class PowerLoss(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=False):
    """What a loss of power does, apart from any level: ``survived`` when every state was judged and no clause failed.

    ``states`` were judged; ``failures`` maps a clause to the scenarios in which it failed; ``cut`` says what is
    missing; ``model`` names what may be lost.
    """

    survived: bool
    states: int
    model: str
    failures: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    cut: str = ""


class SystemResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All clauses of one system, and the highest level they amount to.

    ``levels`` says of each level of the run's scope whether it was reached; ``stopped_by`` is the clause that stops
    the first one that was not. ``power_loss`` is None where nothing was found out about it. ``simulated`` is what L4
    rests on.
    """

    level: str | None
    clauses: Mapping[str, ClauseResult]
    stopped_by: str | None = None
    strict: bool = True
    levels: Mapping[str, LevelResult] = msgspec.field(default_factory=dict)
    power_loss: PowerLoss | None = None
    simulated: tuple[Simulated, ...] = ()


def roll_up_clause(
    clause: Clause, profiles: Mapping[str, Sequence[str]], judged: Iterable[JudgedScenario]
) -> ClauseResult:
    """The verdict of ``clause``, for an implementation judged in ``profiles`` (each with the groups it declares)."""
    applicable = _applicable(clause, profiles)
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


def _applicable(clause: Clause, profiles: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The profiles of this run in which the clause binds the implementation."""
    return tuple(
        profile
        for profile, groups in profiles.items()
        if profile in clause.profiles and clause.profiles[profile] in (None, *groups)
    )


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
    level: str = L1,
    explorations: Sequence[Exploration] = (),
    simulated: Sequence[Simulated] = (),
) -> SystemResult:
    """Every clause's verdict over all scenarios, and how far they reach on the way to ``level``.

    ``declared`` are the clauses that the implementation itself says it does not implement, with its reasons: honest,
    and not conformant; one that binds nobody here stays not applicable. ``explorations`` are what L3 rests on,
    ``simulated`` what L4 does.
    """

    def known_at(highest: str) -> dict[str, ClauseResult]:
        below = [scenario for scenario in judged if scenario.level <= highest]
        return clauses if len(below) == len(judged) else _clauses(catalogue, profiles, below, declared or {})

    clauses = _clauses(catalogue, profiles, judged, declared or {})
    levels = {L1: _level(catalogue, known_at(L1), {})}
    if level >= L2:
        levels[L2] = _second(catalogue, known_at(L2), profiles, judged, levels[L1])
    if level >= L3:
        levels[L3] = _third(catalogue, clauses, profiles, judged, explorations, levels[L2])
    if level >= L4:
        levels[L4] = _fourth(clauses, profiles, simulated, levels[L3])
        clauses = {id_: _in_chaos(id_, found, chaos.failing(simulated)) for id_, found in clauses.items()}
    strict = all(
        clauses[clause.id].verdict in (ClauseVerdict.CONFORMS, ClauseVerdict.NOT_APPLICABLE)
        for clause in catalogue
        if clause.level is Level.SHOULD
    )
    reached = [name for name, found in levels.items() if found.reached]
    return SystemResult(
        level=reached[-1] if reached else None,
        clauses=clauses,
        stopped_by=next((found.stopped_by for found in levels.values() if not found.reached), None),
        strict=strict,
        levels=levels,
        simulated=tuple(simulated),
    )


def _clauses(
    catalogue: Catalogue,
    profiles: Mapping[str, Sequence[str]],
    judged: Sequence[JudgedScenario],
    declared: Mapping[str, str],
) -> dict[str, ClauseResult]:
    found: dict[str, list[JudgedScenario]] = {clause.id: [] for clause in catalogue}
    for scenario in judged:
        for finding in scenario.findings:
            if finding.clause in found:  # thousands of variants: each clause looks at its own findings only
                found[finding.clause].append(msgspec.structs.replace(scenario, findings=(finding,)))
    clauses = {clause.id: roll_up_clause(clause, profiles, found[clause.id]) for clause in catalogue}
    for clause_id, why in declared.items():
        if clause_id in clauses and clauses[clause_id].verdict is not ClauseVerdict.NOT_APPLICABLE:
            reason = f"declared: {why}" if why else "declared"
            clauses[clause_id] = ClauseResult(ClauseVerdict.DEVIATES, reason, clauses[clause_id].witnesses)
    return clauses


def _level(catalogue: Catalogue, clauses: Mapping[str, ClauseResult], further: Mapping[str, str]) -> LevelResult:
    """Reached when there is a MUST that binds, each of them conforms, and none has a ``further`` reason against it."""
    bound = [
        clause.id
        for clause in catalogue
        if clause.level is Level.MUST and clauses[clause.id].verdict is not ClauseVerdict.NOT_APPLICABLE
    ]
    if not bound:
        return LevelResult(reached=False, reason="no MUST clause binds this implementation")
    failing = [id_ for id_ in bound if clauses[id_].verdict is not ClauseVerdict.CONFORMS]
    # a deviation says more than a clause nobody could look at
    failing.sort(key=lambda id_: clauses[id_].verdict is not ClauseVerdict.DEVIATES)
    stopping = {id_: clauses[id_].reason for id_ in failing}
    stopping |= {id_: why for id_, why in further.items() if id_ in bound and id_ not in stopping}
    if not stopping:
        return LevelResult(reached=True)
    stopper = next(iter(stopping))
    return LevelResult(reached=False, stopped_by=stopper, reason=stopping[stopper], open=tuple(stopping))


def _second(
    catalogue: Catalogue,
    clauses: Mapping[str, ClauseResult],
    profiles: Mapping[str, Sequence[str]],
    judged: Sequence[JudgedScenario],
    first: LevelResult,
) -> LevelResult:
    """L2: L1, no MUST fails anywhere, and each was met again under a proven fault, in every profile it binds in."""
    if not first.reached:
        return msgspec.structs.replace(first, reason=f"{L1} is not reached: {first.reason}")
    further: dict[str, str] = {}
    for clause in catalogue:
        for profile in _applicable(clause, profiles):
            if not _met(clause.id, judged, L2, profile):
                further.setdefault(clause.id, f"no scenario of {L2} met it under a proven fault in profile {profile}")
    return _level(catalogue, clauses, further)


def _third(
    catalogue: Catalogue,
    clauses: Mapping[str, ClauseResult],
    profiles: Mapping[str, Sequence[str]],
    judged: Sequence[JudgedScenario],
    explorations: Sequence[Exploration],
    second: LevelResult,
) -> LevelResult:
    """L3: L2, no MUST fails, each that is named was met under what was enumerated, and nothing was left out."""
    if not second.reached:
        return msgspec.structs.replace(second, reason=f"{L2} is not reached: {second.reason}")
    further: dict[str, str] = {}
    for profile in profiles:
        named = {id_ for each in explorations if each.profile == profile for id_ in each.clauses}
        if not named:
            return LevelResult(reached=False, reason=f"nothing was explored in profile {profile}")
        for clause in catalogue:
            if clause.id in named and not _met(clause.id, judged, L3, profile):
                further.setdefault(clause.id, f"nothing that {L3} enumerates met it in profile {profile}")
    result = _level(catalogue, clauses, further)
    if not result.reached:
        return result
    cut = [f"{each.scenario}: {each.unfinished}" for each in explorations if each.unfinished]
    if cut:
        return LevelResult(reached=False, reason=f"cut: {_first_of(cut)}")
    bounded = [f"{each.scenario}: {each.bounded}" for each in explorations if each.bounded]
    return LevelResult(reached=True, reason=f"orders cut: {_first_of(bounded)}" if bounded else "")


def _fourth(
    clauses: Mapping[str, ClauseResult],
    profiles: Mapping[str, Sequence[str]],
    simulated: Sequence[Simulated],
    third: LevelResult,
) -> LevelResult:
    """L4: L3, and in every profile simulations that came to their ends, asked it something and broke no rule."""
    bound = [id_ for id_, found in clauses.items() if found.verdict is not ClauseVerdict.NOT_APPLICABLE]
    stop = chaos.stop(simulated, tuple(profiles), bound)
    if not third.reached:
        return msgspec.structs.replace(third, reason=f"{L3} is not reached: {third.reason}")
    if stop is not None:
        first = next(iter(stop.clauses), None)
        return LevelResult(reached=False, stopped_by=first, reason=stop.reason, open=stop.clauses)
    return LevelResult(reached=True, reason=chaos.within(simulated))


def _in_chaos(id_: str, found: ClauseResult, failing: Mapping[str, str]) -> ClauseResult:
    """A clause that a broken rule of a simulation rests on deviates, unless it binds nobody here."""
    if id_ not in failing or found.verdict in (ClauseVerdict.NOT_APPLICABLE, ClauseVerdict.DEVIATES):
        return found
    return msgspec.structs.replace(
        found, verdict=ClauseVerdict.DEVIATES, reason=failing[id_], reading=None, scenario=None
    )


def _first_of(scenarios: Sequence[str]) -> str:
    more = f", and {len(scenarios) - 1} more scenarios" if len(scenarios) > 1 else ""
    return f"{scenarios[0]}{more}"


def _met(clause_id: str, judged: Sequence[JudgedScenario], level: str, profile: str) -> bool:
    return any(
        scenario.level == level
        and scenario.profile == profile
        and clause_id in scenario.struck
        and _passed(clause_id, scenario)
        for scenario in judged
    )


def _passed(clause_id: str, scenario: JudgedScenario) -> bool:
    return any(found.clause == clause_id and found.verdict is CheckVerdict.PASS for found in scenario.findings)

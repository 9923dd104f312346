"""How a run ends: what stopped it, its verdict, its digest, its counts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from harness.certify import corpus
from harness.certify.chaos import defect, rolled_up
from harness.certify.events import RunFinished, ScenarioJudged, SearchFinished, SystemSimulated
from harness.certify.explored import POWER, Explored, is_power
from harness.certify.flaky import FLAKY
from harness.certify.ledger import Looked, fail_open, ledger
from harness.certify.plan import RunPlan, in_scope, level_of_found
from harness.certify.qualified import why_not
from harness.certify.weather import TOGETHER
from harness.core.digest import sha256_of
from harness.core.finding import CheckVerdict
from harness.core.outcome import outcome_of, outcome_of_some
from harness.core.scenario import Scenario
from harness.core.verdict import (
    EXIT_CODES,
    ClauseVerdict,
    Exploration,
    JudgedScenario,
    LevelResult,
    Outcome,
    PowerLoss,
    SystemResult,
    roll_up_system,
)
from harness.errors import HarnessFault, MachineError, UntestableError, WindtunnelError
from harness.explore.power_variants import MODEL
from harness.faults import catalogue as faults
from harness.faults import rows as fault_table
from harness.systems import registry

UNFINISHED = "the run did not come to its end"


class Varied(NamedTuple):
    """What became of the variants of a run: each as it was judged, and what was enumerated.

    ``operations`` were asked for by what was judged without a history, here and beside.
    """

    judged: Sequence[ScenarioJudged] = ()
    explored: tuple[Explored, ...] = ()
    operations: int = 0


NOTHING_VARIED = Varied()


class Interrupted:
    """Ctrl-C was pressed."""


class End:
    """Why a run ended before its plan did; the first cause is the one that is told."""

    def __init__(self) -> None:
        self.outcome: Outcome | None = None
        self.message = ""
        self.cut = ""

    def because(self, cause: WindtunnelError | Interrupted) -> None:
        """Takes note of a cause."""
        if self.outcome is not None:
            return
        if isinstance(cause, Interrupted):
            self.outcome, self.message = Outcome.INTERRUPTED, "what was judged until then is kept"
        else:
            untestable = isinstance(cause, UntestableError | MachineError)
            self.outcome = Outcome.UNTESTABLE if untestable else Outcome.HARNESS_FAULT
            self.message = str(cause)


def footer(
    plan: RunPlan,
    judged: Sequence[ScenarioJudged],
    end: End,
    declared: Mapping[str, str] | None = None,
    searches: Sequence[SearchFinished] = (),
    varied: Varied = NOTHING_VARIED,
    simulated: Sequence[SystemSimulated] = (),
) -> RunFinished:
    """The last event of a run in which that was judged; ``declared`` are clauses declared not implemented."""
    explored = varied.explored
    ordered = sorted([*judged, *varied.judged], key=lambda event: (event.origin, event.scenario.id))
    broken = _broken(ordered) or defect(simulated)
    if broken is not None:
        end.because(broken)
    complete = end.outcome is None and not end.cut
    systems = {
        system.name: _rolled_up(plan, system, ordered, declared, explored, simulated, complete=complete)
        for system in plan.systems
    }
    catalogues = [system.catalogue for system in plan.systems]
    outcome = end.outcome or (
        outcome_of_some(plan.only, catalogues, systems) if plan.only else outcome_of(catalogues, systems)
    )
    if end.cut and outcome is Outcome.CONFORMANT:
        outcome = Outcome.INCONCLUSIVE
    return RunFinished(
        outcome=outcome,
        exit_code=EXIT_CODES[outcome],
        strict=outcome is Outcome.CONFORMANT and all(result.strict for result in systems.values()),
        digest=_digest(plan, ordered, systems, explored),
        certificate=_certificate(plan, end.cut, outcome, ordered),
        message=end.message or end.cut,
        systems=systems,
        counts=_counts(ordered, systems, searches, varied),
        complete=complete,
        explored=explored,
        ledger=ledger(
            [clause for catalogue in catalogues for clause in catalogue],
            {id_: found for result in systems.values() for id_, found in result.clauses.items()},
            {reach.profile: reach.groups for reach in plan.reaches},
            [Looked(e.scenario.profile, e.scenario.clauses, e.findings, e.weather) for e in ordered],
            (*(kind.name for kind in faults.EVERY), TOGETHER),
            fault_table.rows(),
        ),
        # a scenario that search found is one of the cases its shard counted
        fail_open=fail_open(
            [
                *(event.weather.trials for event in ordered if event.origin != "search"),
                *(search.trials for search in searches),
            ]
        ),
    )


def _rolled_up(
    plan: RunPlan,
    system: registry.System,
    judged: Sequence[ScenarioJudged],
    declared: Mapping[str, str] | None,
    explored: Sequence[Explored],
    simulated: Sequence[SystemSimulated],
    *,
    complete: bool,
) -> SystemResult:
    rolled = [
        JudgedScenario(
            event.scenario.id,
            event.scenario.profile,
            _size(event),
            event.findings,
            event.scenario.level if event.origin != "search" else level_of_found(event.scenario),
            frozenset(event.weather.struck),
        )
        for event in judged
        if not is_power(event.scenario) and event.scenario.system == system.name
    ]
    profiles = plan.profiles_of(system)
    mine = [each for each in explored if each.profile in profiles]
    explorations = [Exploration(each.scenario, each.profile, each.clauses, each.cut, each.bounded) for each in mine]
    stood = rolled_up(plan, system.name, simulated)
    result = roll_up_system(system.catalogue, profiles, rolled, declared, plan.level, explorations, stood)
    lost = [event for event in judged if event.scenario.system == system.name]
    result = msgspec.structs.replace(result, power_loss=_power_loss(lost, mine))
    if plan.only:
        why = f"only {', '.join(plan.only)} was asked for"
        return _without_level(result, why)
    return result if complete else _without_level(_unestablished(result), UNFINISHED)


def _power_loss(judged: Sequence[ScenarioJudged], explored: Sequence[Explored]) -> PowerLoss | None:
    """What became of the variants in which the machine loses power; None when there was none to play."""
    asked = [each for each in explored if POWER in each.kinds]
    if not asked:
        return None
    failures: dict[str, list[str]] = {}
    states = [event for event in judged if is_power(event.scenario)]
    for event in states:
        for finding in event.findings:
            if finding.verdict is CheckVerdict.FAIL:
                failures.setdefault(finding.clause, []).append(event.scenario.id)
    cut = "; ".join(f"{each.scenario}: {each.power_cut}" for each in asked if each.power_cut)
    left = sum(each.kinds[POWER].planned for each in asked) - len(states)
    cut = cut or (f"{left:,} states were not judged" if left else "")
    names = {clause: tuple(ids) for clause, ids in sorted(failures.items())}
    return PowerLoss(bool(states) and not names and not cut, len(states), MODEL, names, cut)


def _without_level(result: SystemResult, why: str) -> SystemResult:
    levels = {name: LevelResult(reached=False, reason=why) for name in result.levels}
    return msgspec.structs.replace(result, level=None, levels=levels)


def _unestablished(result: SystemResult) -> SystemResult:
    """What is known after a run that was cut short: what failed, failed; of the rest nothing is established."""
    reason = f"{UNFINISHED}; what was judged of it had passed"
    clauses = {
        id_: msgspec.structs.replace(found, verdict=ClauseVerdict.NOT_ESTABLISHED, reason=reason, reading=None)
        if found.verdict is ClauseVerdict.CONFORMS
        else found
        for id_, found in result.clauses.items()
    }
    return msgspec.structs.replace(result, clauses=clauses)


def _broken(judged: Sequence[ScenarioJudged]) -> HarnessFault | None:
    """A check in which the harness itself broke says nothing of the implementation."""
    for event in judged:
        for finding in event.findings:
            if finding.verdict is CheckVerdict.HARNESS_ERROR:
                return HarnessFault(f"the check of {finding.clause} broke in {event.scenario.id}: {finding.reason}")
    return None


def _digest(
    plan: RunPlan,
    judged: Sequence[ScenarioJudged],
    systems: Mapping[str, SystemResult],
    explored: Sequence[Explored],
) -> str:
    """What was run, what became of every check that a scenario is meant for or that did not pass, and the verdicts.

    What a scenario passes besides what it is meant for may hang on who wins a race; it counts by the verdicts only. So
    do the readings that a passed check leaves open: when a signal strikes decides how much of an operation is seen.
    So may which variants there are: of what was explored only what failed counts, by clause, and what was exhausted.
    """
    checks = sorted(
        (event.scenario.id, finding.clause, finding.verdict.value)
        for event in judged
        for finding in event.findings
        if event.origin != "explored"
        and (finding.clause in event.scenario.clauses or finding.verdict is not CheckVerdict.PASS)
    )
    varied = sorted(
        {
            ("explored", finding.clause, finding.verdict.value)
            for event in judged
            for finding in event.findings
            if event.origin == "explored" and finding.verdict is not CheckVerdict.PASS
        }
    )
    exhausted = [(each.scenario, each.profile, not each.cut) for each in explored]
    verdicts = sorted(
        (id_, found.verdict.value, found.reading or "")
        for result in systems.values()
        for id_, found in result.clauses.items()
    )
    chosen = sorted(scenario.id for scenario in plan.scenarios if in_scope(scenario, plan.level))
    scope = [*plan.names, plan.level, plan.cases, chosen]
    suite = corpus.digest(plan.names)
    parts = [suite, [reach.digest for reach in plan.reaches], plan.seed, scope, checks, verdicts, varied, exhausted]
    return sha256_of([*parts, *_of_simulations(systems)])


def _of_simulations(systems: Mapping[str, SystemResult]) -> list[object]:
    """What enters the digest of a run at L4; of one that broke a rule the rules, since time-outs may be among it."""
    found = [
        (
            name,
            each.profile,
            each.days,
            each.agents,
            played.seed,
            [broken.rule for broken in played.broken] or played.digest,
        )
        for name, result in sorted(systems.items())
        for each in result.simulated
        for played in each.seeds
    ]
    return [found] if found else []


def _size(event: ScenarioJudged) -> int:
    """Of a scenario that failed, as it is stored: a run that is read again has the same smallest failure."""
    if not any(finding.verdict is CheckVerdict.FAIL for finding in event.findings):
        return 0
    stored = msgspec.json.decode(msgspec.json.encode(event.scenario), type=Scenario)  # a whole number becomes a float
    return len(msgspec.json.encode(stored))


def _certificate(plan: RunPlan, cut: str, outcome: Outcome, judged: Sequence[ScenarioJudged]) -> str:
    """``issued``, or why there is none."""
    reasons: list[str] = []
    if plan.only:
        reasons.append(f"only {', '.join(plan.only)} was asked for")
    if plan.budget_s is not None or cut:
        reasons.append(cut or "a budget was set")
    if any(reach.carrier == "in_process" for reach in plan.reaches):
        reasons.append("the carrier was in_process")
    if plan.baselined:
        reasons.append("a baseline was used")
    if any(finding.reason == FLAKY for event in judged for finding in event.findings):
        reasons.append("a check was flaky")
    if outcome in (Outcome.UNTESTABLE, Outcome.HARNESS_FAULT, Outcome.INTERRUPTED):
        reasons.append("the run did not come to its end")
    reasons.append(why_not(plan.names))
    said = "; ".join(filter(None, reasons))
    return f"refused({said})" if said else "issued"


def _counts(
    judged: Sequence[ScenarioJudged],
    systems: Mapping[str, SystemResult],
    searches: Sequence[SearchFinished],
    varied: Varied,
) -> dict[str, int]:
    kinds = {"PASS": 0, "FAIL": 0, "INCONCLUSIVE": 0}
    for event in judged:
        for finding in event.findings:
            if finding.verdict.value in kinds:
                kinds[finding.verdict.value] += 1
    return {
        "scenarios": sum(event.origin != "explored" for event in judged),
        "operations": sum(event.operations() for event in judged) + varied.operations,
        "faults": sum(under.fired for event in judged for under in event.weather.faults.values()),
        "witnesses": sum(clause.witnesses for result in systems.values() for clause in result.clauses.values()),
        "checks_passed": kinds["PASS"],
        "checks_failed": kinds["FAIL"],
        "checks_inconclusive": kinds["INCONCLUSIVE"],
        "variants": sum(event.origin == "explored" for event in judged),
        "search_cases": sum(search.cases for search in searches),
        "search_operations": sum(search.operations for search in searches),
    }

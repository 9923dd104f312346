"""How a run ends: what stopped it, its verdict, its digest, its counts."""

from collections.abc import Mapping, Sequence

import msgspec

from harness.certify import corpus
from harness.certify.events import RunFinished, ScenarioJudged
from harness.certify.plan import RunPlan
from harness.core.digest import sha256_of
from harness.core.history import EntryType
from harness.core.scenario import Scenario
from harness.core.verdict import (
    EXIT_CODES,
    JudgedScenario,
    Outcome,
    SystemResult,
    outcome_of,
    outcome_of_some,
    roll_up_system,
)
from harness.errors import MachineError, UntestableError, WindtunnelError


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
    plan: RunPlan, judged: Sequence[ScenarioJudged], end: End, declared: Mapping[str, str] | None = None
) -> RunFinished:
    """The last event of a run in which that was judged; ``declared`` are clauses declared not implemented."""
    profiles = {reach.profile: reach.groups for reach in plan.reaches}
    ordered = sorted(judged, key=lambda event: (event.origin, event.scenario.id))
    rolled = [
        JudgedScenario(event.scenario.id, event.scenario.profile, _size(event.scenario), event.findings)
        for event in ordered
    ]
    systems = {plan.system.name: roll_up_system(plan.system.catalogue, profiles, rolled, declared)}
    if plan.only:
        systems = {name: msgspec.structs.replace(result, level=None) for name, result in systems.items()}
    outcome = end.outcome or (
        outcome_of_some(plan.only, plan.system.catalogue, systems[plan.system.name])
        if plan.only
        else outcome_of((plan.system.catalogue,), systems)
    )
    if end.cut and outcome is Outcome.CONFORMANT:
        outcome = Outcome.INCONCLUSIVE
    if outcome is not Outcome.CONFORMANT:
        # a run that did not come to its end shows no level, whatever it had seen by then
        systems = {name: msgspec.structs.replace(result, level=None) for name, result in systems.items()}
    return RunFinished(
        outcome=outcome,
        exit_code=EXIT_CODES[outcome],
        strict=outcome is Outcome.CONFORMANT and all(result.strict for result in systems.values()),
        digest=_digest(plan, ordered),
        certificate=_certificate(plan, end.cut),
        message=end.message or end.cut,
        systems=systems,
        counts=_counts(ordered, systems),
    )


def _digest(plan: RunPlan, judged: Sequence[ScenarioJudged]) -> str:
    checks = sorted(
        (event.scenario.id, finding.clause, finding.verdict.value, sorted(finding.readings or ()))
        for event in judged
        for finding in event.findings
    )
    scope = [plan.system.name, plan.level, plan.cases, sorted(scenario.id for scenario in plan.scenarios)]
    suite = corpus.digest((plan.system.name,))
    return sha256_of([suite, [reach.digest for reach in plan.reaches], plan.seed, scope, checks])


def _size(scenario: Scenario) -> int:
    return len(msgspec.json.encode(scenario))


def _certificate(plan: RunPlan, cut: str) -> str:
    reasons: list[str] = []
    if plan.only:
        reasons.append(f"only {', '.join(plan.only)} was asked for")
    if plan.budget_s is not None or cut:
        reasons.append(cut or "a budget was set")
    if any(reach.carrier == "in_process" for reach in plan.reaches):
        reasons.append("the carrier was in_process")
    reasons.append("this version of the harness is not qualified at every layer yet")
    return f"refused({'; '.join(reasons)})"


def _counts(judged: Sequence[ScenarioJudged], systems: Mapping[str, SystemResult]) -> dict[str, int]:
    entries = [entry for event in judged for entry in event.history if entry.type is EntryType.INVOKE]
    proven = {
        (event.scenario.id, injection.fault.name, injection.fault.path)
        for event in judged
        for entry in event.history
        for injection in entry.faults
        if injection.armed and injection.proof
    }
    kinds = {"PASS": 0, "FAIL": 0, "INCONCLUSIVE": 0}
    for event in judged:
        for finding in event.findings:
            if finding.verdict.value in kinds:
                kinds[finding.verdict.value] += 1
    return {
        "scenarios": len(judged),
        "operations": sum(entry.op != "reset" for entry in entries),
        "faults": len(proven),
        "witnesses": sum(clause.witnesses for result in systems.values() for clause in result.clauses.values()),
        "checks_passed": kinds["PASS"],
        "checks_failed": kinds["FAIL"],
        "checks_inconclusive": kinds["INCONCLUSIVE"],
    }

"""Failures as a person wants to read them: grouped, the smallest scenario first, with the command that replays it."""

import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from harness.certify.events import RunFinished, RunStarted, ScenarioJudged
from harness.core.clause import Catalogue, Clause
from harness.core.finding import CheckVerdict, Finding
from harness.core.verdict import ClauseVerdict


class Failure(NamedTuple):
    """One clause that does not hold, and how it shows."""

    clause: Clause
    finding: Finding | None
    reason: str
    scenario: str | None
    title: str
    others: tuple[str, ...]


def failures(finished: RunFinished, judged: Iterable[ScenarioJudged], catalogues: Sequence[Catalogue]) -> list[Failure]:
    """Every clause that DEVIATES, in document order, each with its smallest failing scenario."""
    by_id = {event.scenario.id: event for event in judged}
    found: list[Failure] = []
    for catalogue in catalogues:
        for clause in catalogue:
            result = finished.systems[catalogue.system].clauses[clause.id]
            if result.verdict is not ClauseVerdict.DEVIATES:
                continue
            event = by_id.get(result.scenario or "")
            finding = _failing(event, clause.id)
            others = tuple(name for name in result.failures if name != result.scenario)
            title = event.scenario.title if event else ""
            found.append(Failure(clause, finding, result.reason, result.scenario, title, others))
    return found


def replay_command(scenario: str, directory: str, started: RunStarted) -> str:
    """The one command that plays the failing scenario again."""
    return f"windtunnel replay {shlex.quote(f'{directory}/scenarios/{scenario}.yaml')} {started.replay}"


def _failing(event: ScenarioJudged | None, clause: str) -> Finding | None:
    if event is None:
        return None
    for finding in event.findings:
        if finding.clause == clause and finding.verdict is CheckVerdict.FAIL:
            return finding
    return None

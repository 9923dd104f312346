"""Failures as a person wants to read them: grouped, the smallest scenario first, with the command that replays it."""

import hashlib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from harness.certify.events import RunFinished, ScenarioJudged
from harness.core import scenario as scenario_format
from harness.core.clause import Catalogue, Clause
from harness.core.finding import CheckVerdict, Finding
from harness.core.scenario import Scenario
from harness.core.verdict import ClauseVerdict

DEFAULT_REPORT = "windtunnel-report"  # where a run's results go, and where `replay` looks for a short id
SHORT_ID_CHARACTERS = 6  # of the file's SHA-256: hundreds of failures seldom share so many


class Failure(NamedTuple):
    """One clause that does not hold, and how it shows; ``short`` and those in ``others`` are ids that replay takes."""

    clause: Clause
    finding: Finding | None
    reason: str
    scenario: str | None
    short: str
    title: str
    others: tuple[tuple[str, str], ...]


def failures(finished: RunFinished, judged: Iterable[ScenarioJudged], catalogues: Sequence[Catalogue]) -> list[Failure]:
    """Every clause that DEVIATES, in document order, each with its smallest failing scenario."""
    by_id = {event.scenario.id: event for event in judged}
    shorts = short_ids(event.scenario for event in by_id.values() if fails(event))
    found: list[Failure] = []
    for catalogue in catalogues:
        for clause in catalogue:
            result = finished.systems[catalogue.system].clauses[clause.id]
            if result.verdict is not ClauseVerdict.DEVIATES:
                continue
            event = by_id.get(result.scenario or "")
            finding = _failing(event, clause.id)
            others = tuple((shorts.get(name, ""), name) for name in result.failures if name != result.scenario)
            title = event.scenario.title if event else ""
            short = shorts.get(result.scenario or "", "")
            found.append(Failure(clause, finding, result.reason, result.scenario, short, title, others))
    return found


def fails(event: ScenarioJudged) -> bool:
    """Did any clause fail in that scenario?"""
    return any(finding.verdict is CheckVerdict.FAIL for finding in event.findings)


def short_ids(scenarios: Iterable[Scenario]) -> Mapping[str, str]:
    """A short id for each scenario, by its id: the beginning of its file's SHA-256, as long as it takes to differ."""
    texts = {scenario.id: scenario_format.dump(scenario) for scenario in scenarios}
    digests = {id_: hashlib.sha256(text.encode()).hexdigest() for id_, text in texts.items()}
    length = SHORT_ID_CHARACTERS
    while len({digest[:length] for digest in digests.values()}) < len(set(digests.values())):
        length += 1
    return {id_: digest[:length] for id_, digest in digests.items()}


def replay_command(short: str, directory: str) -> str:
    """The one command that plays the failing scenario again, against the target it failed with."""
    where = "" if directory == DEFAULT_REPORT else f" --report {shlex.quote(directory)}"
    return f"windtunnel replay {short}{where}"


def _failing(event: ScenarioJudged | None, clause: str) -> Finding | None:
    if event is None:
        return None
    for finding in event.findings:
        if finding.clause == clause and finding.verdict is CheckVerdict.FAIL:
            return finding
    return None

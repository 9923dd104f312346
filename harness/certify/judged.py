"""One scenario, played against an implementation and judged."""

from typing import Literal

from harness.certify.events import ScenarioJudged
from harness.certify.weather import weather
from harness.core.finding import Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.explore.playing import play
from harness.systems import registry
from harness.targets.session import Session


def played(system: registry.System, scenario: Scenario, session: Session) -> tuple[History, tuple[Finding, ...]]:
    """The history of one run of ``scenario``, and what the oracle finds in it."""
    history = play(scenario, session, system.inputs_of)
    return history, system.judge(scenario, history, system.catalogue)


def event_of(
    system: registry.System,
    scenario: Scenario,
    origin: Literal["plan", "search"],
    history: History,
    findings: tuple[Finding, ...],
) -> ScenarioJudged:
    """What a run says of a scenario that was judged so."""
    stood = weather(system, scenario, history, findings)
    return ScenarioJudged(scenario=scenario, origin=origin, history=history.entries, findings=findings, weather=stood)

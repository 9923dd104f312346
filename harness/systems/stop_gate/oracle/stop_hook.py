"""The oracle of the profile stop_hook: what a history of stops says about each clause. Pure.

A guard is two-sided: a hook that lets every session end passes nothing by never blocking, and one that blocks them
all passes nothing by blocking. So a PASS needs controls that were answered as their owner says (CERTIFICATION.md).
"""

from harness.core.clause import Catalogue
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems.stop_gate.contract import Decision
from harness.systems.stop_gate.oracle import stop_hook_guard  # noqa: F401 - importing the rules registers them
from harness.systems.stop_gate.oracle.stop_hook_settings import RULES
from harness.systems.stop_gate.oracle.stop_hook_stops import Stop, StopHistory

__all__ = ["judge"]


def judge(scenario: Scenario, history: History, catalogue: Catalogue) -> tuple[Finding, ...]:
    """One finding for each clause the history witnessed, and INCONCLUSIVE for those it was meant to and did not."""
    view = StopHistory.of(scenario, history)
    if view.never_started:
        return tuple(
            Finding(clause, CheckVerdict.INCONCLUSIVE, reason=f"the hook was never really run: {_starts(view)}")
            for clause in dict.fromkeys(scenario.clauses)
        )
    one_sided = next(filter(None, map(_one_sided, view.controls)), "")
    advice = _advice(view)
    return tuple(_weighed(finding, one_sided, advice) for finding in RULES.judge(view, scenario, catalogue))


def _starts(view: StopHistory) -> str:
    return view.stops[0].answer if view.stops else "the scenario has no stop"


def _one_sided(stop: Stop) -> str:
    """Why this control takes the worth from every PASS beside it; empty when it was answered as it deserves."""
    deserves = stop.arguments.deserves
    if deserves is Decision.BLOCK and stop.approved:
        return "the hook let the session end that its owner says it blocks: a guard that is dead proves nothing"
    if deserves is Decision.APPROVE and stop.blocked:
        return "the hook blocked the session that its owner says deserves to end: blocking everything proves nothing"
    if deserves is None and stop.calm and stop.sample == "block" and stop.approved:
        return "nobody stated which session the hook blocks, and it never blocked one: name one as samples.block"
    if stop.started and not stop.ended:
        return f"the hook gave no answer of its own {stop.weather}: {stop.answer}"
    return ""


def _advice(view: StopHistory) -> str:
    """What the owner can add so that more is established."""
    unstated = [stop for stop in view.controls if stop.arguments.deserves is None and stop.calm]
    if any(stop.sample == "approve" and stop.blocked for stop in unstated):
        return "the hook blocks the built-in finished session; name a session it lets end as samples.approve"
    if any(stop.sample == "block" and stop.approved for stop in unstated):
        return "nothing was ever blocked; name a session the hook blocks as samples.block"
    if any(stop.sample == "block" for stop in unstated):
        return "nobody stated which session the hook blocks; name one as samples.block"
    if any(stop.strays(view.homes(stop)) for stop in view.stops):
        return "the hook writes, and declares no place for it; name it as paths.runtime"
    return ""


def _weighed(finding: Finding, one_sided: str, advice: str) -> Finding:
    if finding.verdict is CheckVerdict.PASS and one_sided:
        return Finding(finding.clause, CheckVerdict.INCONCLUSIVE, reason=one_sided)
    if finding.verdict is CheckVerdict.INCONCLUSIVE and (one_sided or advice):
        return Finding(finding.clause, CheckVerdict.INCONCLUSIVE, reason=f"{finding.reason} ({one_sided or advice})")
    return finding

"""Which events of a run say that something does not hold."""

from harness.certify.events import ScenarioJudged, SystemSimulated
from harness.certify.plan import RunPlan
from harness.core.clause import Level
from harness.core.finding import CheckVerdict


def fails(event: object) -> bool:
    """Does any check fail in it, or is a rule broken?"""
    if isinstance(event, SystemSimulated):
        return bool(event.played.broken)
    return isinstance(event, ScenarioJudged) and any(f.verdict is CheckVerdict.FAIL for f in event.findings)


def breaks(event: object, plan: RunPlan) -> bool:
    """Does a MUST fail in it?"""
    must = {c.id for system in plan.systems for c in system.catalogue if c.level is Level.MUST}
    return isinstance(event, ScenarioJudged) and any(
        found.verdict is CheckVerdict.FAIL and found.clause in must for found in event.findings
    )

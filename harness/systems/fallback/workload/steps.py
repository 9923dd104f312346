"""The words in which the scenarios of fallbacks are written."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.scenario import FORMAT, Operation, Scenario, ScenarioLevel, Step, World
from harness.systems.fallback.contract import ESCALATE, LADDER, SYSTEM
from harness.systems.stateless_faults import FILES

CLOCK = "2026-03-01T12:00:00Z"
RESET = Step(op=Operation("reset"))
MODELS, WORKFLOWS = "LK-FB-01", "LK-FB-02"
CONFIDENCE, FAILURES, DANGER = "LK-FB-03", "LK-FB-04", "LK-FB-05"
MUSTS = (MODELS, WORKFLOWS, CONFIDENCE, FAILURES, DANGER)
CALLED: Mapping[str, Any] = {"escalate": True}
NOT_CALLED: Mapping[str, Any] = {"escalate": False}
HUMAN: Mapping[str, Any] = {"next": ESCALATE}


def asking(ladder: str, current: str) -> Operation:
    """What comes after that rung?"""
    return Operation("next", {"ladder": ladder, "current": current})


def after(ladder: str, *rungs: str) -> tuple[Step, ...]:
    """Steps that ask what comes after each of these."""
    return tuple(Step(op=asking(ladder, rung)) for rung in rungs)


def telling(**facts: Any) -> Operation:
    """Has a human to be called, with these facts?"""
    return Operation("escalation", facts)


def facts(**told: Any) -> Step:
    """A step that asks that."""
    return Step(op=telling(**told))


def triggers(*names: str) -> Mapping[str, Any]:
    """The result that names exactly these."""
    return {"escalate": bool(names), **({"triggers": list(names)} if names else {})}


# every MUST clause, and the other side of each: who always says one thing fails all of them
WHOLE: tuple[Step, ...] = (
    *after("model", "opus", "haiku", "sonnet", ESCALATE),
    *after("workflow", "simpler", "complex", "minimal", ESCALATE),
    facts(confidence=0.39),
    facts(confidence=0.4),
    facts(consecutive_failures=3),
    facts(consecutive_failures=2),
    facts(security_critical=True),
    facts(security_critical=False),
    facts(irreversible=True),
    facts(irreversible=True, rollback=True),
    facts(),
)


def scenario(
    name: str,
    title: str,
    clauses: Sequence[str],
    steps: Sequence[Step],
    *allowed: Mapping[str, Any],
    level: ScenarioLevel = "L1",
) -> Scenario:
    """A scenario of the one profile; ``allowed`` are results of its last operation."""
    return Scenario(
        format=FORMAT,
        id=f"ladder-{name}",
        title=title,
        system=SYSTEM,
        profile=LADDER,
        clauses=tuple(clauses),
        world=World(CLOCK, {} if level == "L1" else FILES),
        steps=tuple(steps),
        level=level,
        allowed=allowed,
    )

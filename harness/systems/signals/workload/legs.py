"""The legs of a tour: what is done so that every clause shows once more, one leg after the other.

Each drifts off tasks and raises signals of its own, and finds what the one before left.
"""

from harness.systems.signals.contract import Signal
from harness.systems.signals.workload.drift_boundaries import MEMORY
from harness.systems.signals.workload.healing_boundaries import KNOWLEDGE
from harness.systems.signals.workload.signal_steps import (
    ALSO_REVIEWED,
    CURRENT,
    DAY_S,
    REVIEWED,
    WAITING,
    Story,
    decision,
    friction,
)
from harness.systems.tours import Leg


def _assesses(story: Story) -> None:
    story.assess(security_critical=True).assess(consecutive_failures=2).assess(confidence=0.39, critical=True)
    story.assess(confidence=0.4, critical=True).assess(cost_usd_per_hour=100.01).assess(cost_usd_per_hour=100.0)


def _drifts(story: Story) -> None:
    of = story.named("drifting")
    story.drift(of, "low", working_memory=MEMORY).drifts(of).drift(of, working_memory=MEMORY)
    story.drift(of, working_memory=MEMORY).drifts(of).drift(story.named("drifting"), "critical").drift(CURRENT)
    story.drifts()


def _asks(story: Story) -> None:
    story.review().reviews().review(ALSO_REVIEWED).reviews(REVIEWED).decide(decision(ALSO_REVIEWED)).check()
    story.reviews(ALSO_REVIEWED).clarify().reviews().review(WAITING[0]).cancel(WAITING[0]).reviews()


def _times_out(story: Story) -> None:
    story.review(WAITING[1]).reviews().check().later(DAY_S + 60.0).check().reviews(WAITING[1]).check("fails")


def _hands(story: Story) -> None:
    name = story.named("feature")
    story.emit(Signal.FEATURE_READY, name).consume(Signal.FEATURE_READY, name, by="docs")
    story.consume(Signal.FEATURE_READY, name).consume(Signal.FEATURE_READY, name).emit(Signal.PLAN_APPROVED)
    story.consume(Signal.PLAN_APPROVED).drifts()


def _names(story: Story) -> None:
    for name in ("../../queue/pending.json", "feature/auth"):
        story.emit(Signal.MERGE_REQUESTED, name).consume(Signal.MERGE_REQUESTED, name)


def _heals(story: Story) -> None:
    id_ = story.named("friction")
    story.emit(Signal.FRICTION_DETECTED, payload=friction(id_)).heal(Signal.FRICTION_DETECTED).remove(id_)
    story.drifts().classify(id_).remove(id_)
    story.emit(Signal.BEHAVIOR_CHANGE_RISK).heal(Signal.BEHAVIOR_CHANGE_RISK)
    story.emit(Signal.INSTITUTIONAL_KNOWLEDGE_FOUND, payload=KNOWLEDGE).heal(Signal.INSTITUTIONAL_KNOWLEDGE_FOUND)
    story.emit(Signal.HEALING_PHASE_COMPLETE).heal(Signal.HEALING_PHASE_COMPLETE, gate="fails")
    story.emit(Signal.LEGACY_COMPATIBILITY_RISK).heal(Signal.LEGACY_COMPATIBILITY_RISK, strict=True).drifts()


ASSESSES = Leg(_assesses, ("LK-HR-02", "LK-HR-03", "LK-HR-04"))
DRIFTS = Leg(
    _drifts,
    ("LK-DR-01", "LK-DR-02", "LK-DR-03", "LK-DR-04", "LK-DR-05", "LK-DR-06", "LK-DR-07", "LK-DR-08", "LK-SG-02"),
)
ASKS = Leg(_asks, ("LK-HR-01", "LK-HR-05", "LK-HR-06", "LK-HR-08", "LK-SG-01", "LK-SG-05"))
TIMES_OUT = Leg(_times_out, ("LK-HR-07",))
HANDS = Leg(_hands, ("LK-SG-01", "LK-SG-03"))
NAMES = Leg(_names, ("LK-SG-04",))
HEALS = Leg(_heals, ("LK-HL-01", "LK-HL-02", "LK-HL-03", "LK-HL-04"))

WHOLE = (ASSESSES, DRIFTS, ASKS, HANDS, NAMES, HEALS, TIMES_OUT)
EVERYTHING = frozenset(clause for leg in WHOLE for clause in leg.clauses)

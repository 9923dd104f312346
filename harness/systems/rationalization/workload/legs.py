"""The legs of a tour: what is done so that every clause shows once more, one leg after the other."""

from harness.systems.rationalization.workload.behaviour_boundaries import OF_SCOPE, OF_VERIFICATION
from harness.systems.rationalization.workload.watch_steps import (
    BOTH,
    ENFORCED,
    EVERY_FAMILY,
    EXCUSE,
    FLAG,
    MENTIONS,
    NEUTRAL,
    PHRASED,
    SCOPE,
    SKIPPING,
    Story,
)
from harness.systems.tours import Leg


def _scans(story: Story) -> None:
    story.scan(EVERY_FAMILY).scan(MENTIONS).scan(NEUTRAL).scan(f"{MENTIONS}\n\n{EVERY_FAMILY.upper()}")


def _enforces(story: Story) -> None:
    story.enforce(EXCUSE).attempts().enforce(MENTIONS).enforce(FLAG).enforce(NEUTRAL).enforce(BOTH).attempts()


def _assesses(story: Story) -> None:
    story.assess(dict.fromkeys(OF_SCOPE, True), dict.fromkeys(OF_VERIFICATION, True)).assess()
    story.assess({"expanded": True, "justified": True}, {"tests_cited": True, "cited_tests_run": True})
    story.assess({"reduced": True, "justified": True}, {"next_task_begun": True, "cited_tests_run": True})


SCANS = Leg(_scans, PHRASED)
ENFORCES = Leg(_enforces, ENFORCED)
ASSESSES = Leg(_assesses, (SCOPE, SKIPPING))
"""For who has the group behaviour only."""
WHOLE = (SCANS, ENFORCES)

"""What dead-letter queues are asked: scenarios at every boundary, and a machine that adds faults and time to them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.dead_letter.workload.escalation_boundaries import escalation_boundaries
from harness.systems.dead_letter.workload.failure_boundaries import failure_boundaries
from harness.systems.dead_letter.workload.level3 import level3
from harness.systems.dead_letter.workload.queue_boundaries import queue_boundaries
from harness.systems.dead_letter.workload.review_boundaries import review_boundaries
from harness.systems.dead_letter.workload.session_boundaries import session_boundaries
from harness.systems.dead_letter.workload.tours import NOTHING_SURE, tours
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine

__all__ = ["NOTHING_SURE", "boundaries", "machine"]


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of every level: what scenarios/ is materialised from."""
    return told_apart(
        (
            *failure_boundaries(),
            *session_boundaries(),
            *review_boundaries(),
            *escalation_boundaries(),
            *queue_boundaries(),
            *tours(),
            *level3(),
        )
    )


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine of the one profile, to be called with a driver; there are no optional groups."""
    from harness.systems.dead_letter.workload.machine_dead_letter import dead_letter_machine  # noqa: PLC0415 - Hypothesis

    del profile, groups
    return dead_letter_machine()

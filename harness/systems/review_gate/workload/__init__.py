"""What a review gate is asked: scenarios at every boundary, and a machine that adds faults and time to them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.review_gate.workload.hostile_boundaries import hostile_boundaries
from harness.systems.review_gate.workload.level3 import level3
from harness.systems.review_gate.workload.round_boundaries import round_boundaries
from harness.systems.review_gate.workload.task_boundaries import task_boundaries
from harness.systems.review_gate.workload.tours import NOTHING_SURE, tours
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine

__all__ = ["NOTHING_SURE", "boundaries", "machine"]


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of every level: what scenarios/ is materialised from."""
    return told_apart((*task_boundaries(), *round_boundaries(), *hostile_boundaries(), *tours(), *level3()))


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine of the one profile, to be called with a driver; there are no optional groups."""
    from harness.systems.review_gate.workload.machine_gate import gate_machine  # noqa: PLC0415 - Hypothesis

    del profile, groups
    return gate_machine()

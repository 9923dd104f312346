"""What signals are asked: scenarios at every boundary, and a machine that adds faults and time to them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.signals.workload.decision_boundaries import decision_boundaries
from harness.systems.signals.workload.drift_boundaries import drift_boundaries
from harness.systems.signals.workload.handoff_boundaries import handoff_boundaries
from harness.systems.signals.workload.healing_boundaries import healing_boundaries
from harness.systems.signals.workload.level3 import level3
from harness.systems.signals.workload.review_boundaries import review_boundaries
from harness.systems.signals.workload.tours import tours
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of every level: what scenarios/ is materialised from."""
    return told_apart(
        (
            *drift_boundaries(),
            *review_boundaries(),
            *decision_boundaries(),
            *handoff_boundaries(),
            *healing_boundaries(),
            *tours(),
            *level3(),
        )
    )


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine of the one profile, to be called with a driver; who lacks a group says so in its answers."""
    from harness.systems.signals.workload.machine_signals import signals_machine  # noqa: PLC0415 - Hypothesis

    del profile, groups
    return signals_machine()

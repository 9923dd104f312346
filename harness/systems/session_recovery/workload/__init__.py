"""What sessions are asked: scenarios at every boundary, and a machine that adds faults and time to them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.session_recovery.workload.level3 import level3
from harness.systems.session_recovery.workload.operation_boundaries import operation_boundaries
from harness.systems.session_recovery.workload.queue_boundaries import queue_boundaries
from harness.systems.session_recovery.workload.recovery_boundaries import recovery_boundaries
from harness.systems.session_recovery.workload.tours import tours
from harness.systems.session_recovery.workload.turn_boundaries import turn_boundaries
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of every level: what scenarios/ is materialised from."""
    return told_apart(
        (
            *turn_boundaries(),
            *queue_boundaries(),
            *operation_boundaries(),
            *recovery_boundaries(),
            *tours(),
            *level3(),
        )
    )


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine of the one profile, to be called with a driver; there are no optional groups."""
    from harness.systems.session_recovery.workload.machine_session import session_machine  # noqa: PLC0415 - Hypothesis

    del profile, groups
    return session_machine()

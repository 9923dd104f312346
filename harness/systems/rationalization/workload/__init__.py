"""What a watch over rationalisations is asked: scenarios at every boundary, and a machine that adds faults and time."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.rationalization.workload.behaviour_boundaries import behaviour_boundaries
from harness.systems.rationalization.workload.enforcing_boundaries import enforcing_boundaries
from harness.systems.rationalization.workload.level3 import level3
from harness.systems.rationalization.workload.mentioned_boundaries import mentioned_boundaries
from harness.systems.rationalization.workload.said_boundaries import said_boundaries
from harness.systems.rationalization.workload.tours import tours
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of every level: what scenarios/ is materialised from."""
    return told_apart(
        (
            *said_boundaries(),
            *mentioned_boundaries(),
            *behaviour_boundaries(),
            *enforcing_boundaries(),
            *tours(),
            *level3(),
        )
    )


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine of the one profile, for who has these groups, to be called with a driver."""
    from harness.systems.rationalization.workload.machine_watch import watch_machine  # noqa: PLC0415 - Hypothesis

    del profile
    return watch_machine(groups)

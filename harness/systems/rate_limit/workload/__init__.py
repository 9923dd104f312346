"""What rate limit handling is asked: scenarios at every boundary, and a machine of operations, tunables and faults."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.rate_limit.workload.boundaries import first_level
from harness.systems.rate_limit.workload.levels import second_level, third_level
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios: what scenarios/ is materialised from."""
    return told_apart((*first_level(), *second_level(), *third_level()))


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine, to be called with a driver; there is one profile, and no group."""
    from harness.systems.rate_limit.workload.machine_backoff import backoff_machine  # noqa: PLC0415 - Hypothesis

    del profile, groups
    return backoff_machine()

"""What a stop gate is asked: scenarios at every boundary, and machines that combine operations, faults and time."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.stop_gate.contract import GATE
from harness.systems.stop_gate.workload.boundaries_gate import gate_boundaries
from harness.systems.stop_gate.workload.boundaries_stop_hook import stop_hook_boundaries
from harness.systems.stop_gate.workload.gate_faults import NOTHING_SURE
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine

__all__ = ["NOTHING_SURE", "boundaries", "machine"]


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of both profiles: what scenarios/ is materialised from."""
    return told_apart((*gate_boundaries(), *stop_hook_boundaries()))


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine of ``profile``, to be called with a driver, for an implementation that declares these groups."""
    from harness.systems.stop_gate.workload.machine_gate import gate_machine  # noqa: PLC0415 - Hypothesis
    from harness.systems.stop_gate.workload.machine_stop_hook import stop_hook_machine  # noqa: PLC0415 - Hypothesis

    if profile == GATE:
        return gate_machine()
    return stop_hook_machine(groups)

"""What circuit breakers are asked: scenarios at every boundary, and a machine that adds faults and time to them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.workload.again_boundaries import again_boundaries
from harness.systems.circuit_breaker.workload.closed_boundaries import closed_boundaries
from harness.systems.circuit_breaker.workload.file_boundaries import file_boundaries
from harness.systems.circuit_breaker.workload.half_open_boundaries import half_open_boundaries
from harness.systems.circuit_breaker.workload.level3 import level3
from harness.systems.circuit_breaker.workload.load_boundaries import load_boundaries
from harness.systems.circuit_breaker.workload.name_boundaries import name_boundaries
from harness.systems.circuit_breaker.workload.open_boundaries import open_boundaries
from harness.systems.circuit_breaker.workload.tours import tours
from harness.systems.circuit_breaker.workload.tunable_boundaries import tunable_boundaries
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of every level: what scenarios/ is materialised from."""
    return told_apart(
        (
            *closed_boundaries(),
            *open_boundaries(),
            *half_open_boundaries(),
            *load_boundaries(),
            *file_boundaries(),
            *name_boundaries(),
            *tunable_boundaries(),
            *again_boundaries(),
            *tours(),
            *level3(),
        )
    )


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine of the one profile, to be called with a driver; there are no optional groups."""
    from harness.systems.circuit_breaker.workload.machine_breaker import breaker_machine  # noqa: PLC0415 - Hypothesis

    del profile, groups
    return breaker_machine()

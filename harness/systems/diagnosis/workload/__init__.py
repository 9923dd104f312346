"""What diagnoses are asked for: scenarios at every boundary, and a machine that adds faults and time to them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.diagnosis.workload.flag_boundaries import flag_boundaries
from harness.systems.diagnosis.workload.input_boundaries import input_boundaries
from harness.systems.diagnosis.workload.learning_boundaries import learning_boundaries
from harness.systems.diagnosis.workload.level3 import level3
from harness.systems.diagnosis.workload.memory_boundaries import memory_boundaries
from harness.systems.diagnosis.workload.model_boundaries import model_boundaries
from harness.systems.diagnosis.workload.recovery_boundaries import recovery_boundaries
from harness.systems.diagnosis.workload.tours import tours
from harness.systems.diagnosis.workload.trigger_boundaries import trigger_boundaries
from harness.systems.diagnosis.workload.type_boundaries import type_boundaries
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of every level: what scenarios/ is materialised from."""
    return told_apart(
        (
            *trigger_boundaries(),
            *input_boundaries(),
            *type_boundaries(),
            *recovery_boundaries(),
            *flag_boundaries(),
            *model_boundaries(),
            *learning_boundaries(),
            *memory_boundaries(),
            *tours(),
            *level3(),
        )
    )


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine of the one profile, to be called with a driver; who asks no model passes over the one there is."""
    from harness.systems.diagnosis.workload.machine_reflection import reflection_machine  # noqa: PLC0415 - Hypothesis

    del profile, groups
    return reflection_machine()

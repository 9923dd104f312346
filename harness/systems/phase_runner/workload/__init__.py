"""What phase runners are asked: scenarios at every boundary, and a machine that adds faults and time to them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.phase_runner.workload.batch_boundaries import batch_boundaries
from harness.systems.phase_runner.workload.fresh_boundaries import fresh_boundaries
from harness.systems.phase_runner.workload.halt_boundaries import halt_boundaries
from harness.systems.phase_runner.workload.level3 import level3
from harness.systems.phase_runner.workload.plan_boundaries import plan_boundaries
from harness.systems.phase_runner.workload.report_boundaries import report_boundaries
from harness.systems.phase_runner.workload.resume_boundaries import resume_boundaries
from harness.systems.phase_runner.workload.retry_boundaries import retry_boundaries
from harness.systems.phase_runner.workload.run_boundaries import run_boundaries
from harness.systems.phase_runner.workload.tours import tours
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of every level: what scenarios/ is materialised from."""
    return told_apart(
        (
            *plan_boundaries(),
            *retry_boundaries(),
            *batch_boundaries(),
            *halt_boundaries(),
            *resume_boundaries(),
            *fresh_boundaries(),
            *report_boundaries(),
            *run_boundaries(),
            *tours(),
            *level3(),
        )
    )


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine of the one profile, to be called with a driver; there are no optional groups."""
    from harness.systems.phase_runner.workload.machine_phases import phases_machine  # noqa: PLC0415 - Hypothesis

    del profile, groups
    return phases_machine()

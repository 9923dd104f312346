"""What error logs are asked: scenarios at every boundary, and a machine that adds faults and time to them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.core.scenario import Scenario
from harness.systems.error_log.workload.category_boundaries import category_boundaries
from harness.systems.error_log.workload.file_boundaries import file_boundaries
from harness.systems.error_log.workload.handling_boundaries import handling_boundaries
from harness.systems.error_log.workload.level3 import level3
from harness.systems.error_log.workload.passing import passing
from harness.systems.error_log.workload.procedure_boundaries import procedure_boundaries
from harness.systems.error_log.workload.record_boundaries import record_boundaries
from harness.systems.error_log.workload.sequence_boundaries import sequence_boundaries
from harness.systems.error_log.workload.session_boundaries import session_boundaries
from harness.systems.error_log.workload.tours import tours
from harness.systems.titles import told_apart

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine


def boundaries() -> tuple[Scenario, ...]:
    """The enumerated scenarios of every level: what scenarios/ is materialised from."""
    return told_apart(
        (
            *category_boundaries(),
            *record_boundaries(),
            *session_boundaries(),
            *file_boundaries(),
            *handling_boundaries(),
            *procedure_boundaries(),
            *sequence_boundaries(),
            *tours(),
            *passing(),
            *level3(),
        )
    )


def machine(profile: str, groups: tuple[str, ...]) -> "Callable[[Any], RuleBasedStateMachine]":
    """The machine of the one profile, to be called with a driver; there are no optional groups."""
    from harness.systems.error_log.workload.machine_error_log import error_log_machine  # noqa: PLC0415 - Hypothesis

    del profile, groups
    return error_log_machine()

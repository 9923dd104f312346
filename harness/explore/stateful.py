"""Fresh search: a system's Hypothesis machine against an implementation. It can only find failures, never certify."""

import contextlib
import io
from collections.abc import Callable, Sequence

from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as with_seed
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from harness.core.scenario import Scenario
from harness.explore.driver import JudgingDriver, ViolationError
from harness.systems import registry
from harness.targets.session import Session

STEPS = 12  # a case of so many steps meets every pair of operation and fault within a few dozen cases


class StoppedError(Exception):
    """The run is over; the search ends where it is."""


def search(
    system: registry.System,
    session: Session,
    profile: str,
    groups: Sequence[str],
    seed: int,
    cases: int,
    stopped: Callable[[], bool],
) -> tuple[list[Scenario], int]:
    """The smallest failing scenario found within ``cases`` cases, if any, and how many cases were begun.

    The same seed draws the same cases from the same implementation on the same Hypothesis version.
    """
    driver = JudgingDriver(system, session, profile, seed)
    machine = system.workload.machine(profile, tuple(groups))

    @with_seed(seed)
    def make() -> RuleBasedStateMachine:
        if stopped():
            raise StoppedError
        return machine(driver)  # type: ignore[no-any-return]  # the workload room is found by name

    try:
        # what Hypothesis prints of a failure is for pytest's users; ours read the scenario
        with contextlib.redirect_stdout(io.StringIO()):
            run_state_machine_as_test(make, settings=_settings(cases))  # type: ignore[arg-type]  # any factory will do
    except ViolationError as violation:
        return [violation.scenario], driver.begun
    except StoppedError:
        pass
    return [], driver.begun


def _settings(cases: int) -> settings:
    return settings(
        max_examples=cases,
        stateful_step_count=STEPS,
        database=None,
        deadline=None,  # Hypothesis enforces none inside a machine; every operation is bounded by its target
        phases=(Phase.generate, Phase.shrink),  # explain costs three times as much, below 3.12 above all
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),  # a slow implementation is no defect of the search
    )

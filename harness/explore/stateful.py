"""Fresh search: a system's Hypothesis machine against an implementation. It can only find failures, never certify."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, Phase, Verbosity, configuration, settings
from hypothesis import seed as with_seed
from hypothesis.errors import Flaky
from hypothesis.internal.conjecture import providers
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from harness.core.scenario import Scenario
from harness.explore.driver import JudgingDriver, Observe, ViolationError, with_own_id
from harness.explore.shrink import shortened
from harness.systems import registry
from harness.targets.session import Session

STEPS = 12  # a case of so many steps meets every pair of operation and fault within a few dozen cases
# cases after the first failing one: then what is smallest loses its needless steps, and that is it
SHRINKS = 500
SHRINKS_OF_PROCESSES = 30  # where each operation starts one: a case takes up to a second
_HOME = "__hypothesis_home_directory"  # what its setter sets; there is no getter
_homeless: list[object] = []  # one for each search under way: the home to go back to
_CONSTANTS = "_get_local_constants"  # of imported modules; the oldest Hypothesis we permit draws none of them
_elsewhere: list[object] = []  # one for each search under way: where constants came from before
_LOCK = threading.Lock()


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
    observe: Observe | None = None,
    shrinks: int = SHRINKS,
) -> tuple[list[Scenario], int]:
    """The smallest failing scenario found within ``cases`` cases, if any, and how many cases were begun.

    It failed at least once; whether it fails again is for the caller to find out. The same seed draws the same cases
    from the same implementation on the same Hypothesis version. ``observe`` is told of every case, up to a failing one.
    Hypothesis shrinks that one by ``shrinks`` further cases at most.
    """
    driver = JudgingDriver(system, session, profile, seed, observe)
    machine = system.workload.machine(profile, tuple(groups))

    @with_seed(seed)
    def make() -> RuleBasedStateMachine:
        # shrinking a hang would wait for its time-out again and again
        if stopped() or driver.slow is not None or driver.shrunk >= shrinks:
            raise StoppedError
        return machine(driver)  # type: ignore[no-any-return]  # the workload room is found by name

    try:
        with _nothing_kept(), _nothing_imported():
            run_state_machine_as_test(make, settings=_settings(cases))  # type: ignore[arg-type]  # any factory will do
    except (ViolationError, StoppedError):
        pass
    except Flaky:
        # an implementation that fails now and then, or a stop in the middle of shrinking: what was seen was seen
        if driver.smallest is None and not stopped():
            raise
    return _smallest(driver, stopped), driver.begun


@contextmanager
def _nothing_kept() -> Iterator[None]:
    """Hypothesis leaves no folder ``.hypothesis`` where we run: its home is where nothing can be made."""
    with _LOCK:
        _homeless.append(_homeless[0] if _homeless else getattr(configuration, _HOME, None))
        configuration.set_hypothesis_home_dir(Path(os.devnull))
    try:
        yield
    finally:
        with _LOCK:
            home = _homeless.pop()
            if not _homeless:
                configuration.set_hypothesis_home_dir(home)  # type: ignore[arg-type]  # what it was before


@contextmanager
def _nothing_imported() -> Iterator[None]:
    """The same seed draws the same cases, whichever of our modules this process has imported.

    Hypothesis mixes the constants of modules that it takes for local code into what it draws.
    """
    if not hasattr(providers, _CONSTANTS):
        yield
        return
    with _LOCK:
        if not _elsewhere:
            _elsewhere.append(getattr(providers, _CONSTANTS))
            none = providers.Constants()  # type: ignore[attr-defined]  # it has no public name
            _draw_from(lambda: none)
        _elsewhere.append(_elsewhere[0])
    try:
        yield
    finally:
        with _LOCK:
            _elsewhere.pop()
            if len(_elsewhere) == 1:
                _draw_from(_elsewhere.pop())


def _draw_from(constants: object) -> None:
    """What was drawn from before is forgotten; no other search is under way that might be looking at it."""
    setattr(providers, _CONSTANTS, constants)
    providers.CONSTANTS_CACHE.cache.clear()


def _smallest(driver: JudgingDriver, stopped: Callable[[], bool]) -> list[Scenario]:
    found = driver.smallest
    if found is None:
        return []
    if driver.slow is not None:
        return [found]
    return [with_own_id(shortened(found, lambda scenario: not stopped() and driver.fails(scenario)))]


def _settings(cases: int) -> settings:
    return settings(
        max_examples=cases,
        stateful_step_count=STEPS,
        database=None,
        deadline=None,  # Hypothesis enforces none inside a machine; every operation is bounded by its target
        phases=(Phase.generate, Phase.shrink),  # explain costs three times as much, below 3.12 above all
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,  # what Hypothesis prints of a failure is for pytest's users; ours read the scenario
        suppress_health_check=list(HealthCheck),  # a slow implementation is no defect of the search
    )

"""The state machine with the reference on real files in memory, against its do-nothing twin."""

import time
from collections.abc import Mapping
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as with_seed
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from benchmarks.measure import Figure, ratios
from harness.core.fault import Fault
from harness.core.scenario import Step, World
from harness.explore.driver import Driver, JudgingDriver
from harness.systems import registry
from harness.targets.direct import DirectSession
from harness.targets.session import Reply

EXAMPLES = 25
STEPS = 30
ROUNDS = 11


class IdleDriver:
    """Takes every step and does nothing: what remains is what Hypothesis and the strategies cost."""

    def __init__(self) -> None:
        self.steps = 0

    def strikes_calls(self) -> bool:
        """See Driver.strikes_calls."""
        return False

    def faults_at_calls(self, world: World, *steps: Step) -> tuple[Fault, ...]:
        """See Driver.faults_at_calls."""
        return ()

    def begin(self, world: World, group: str | None = None) -> None:
        """See Driver.begin."""

    def take(self, step: Step) -> list[Reply]:
        """See Driver.take."""
        self.steps += 1
        return []

    def end(self) -> None:
        """See Driver.end."""


class Counting:
    """Passes steps on and counts them."""

    def __init__(self, inner: Driver) -> None:
        self.inner = inner
        self.steps = 0

    def strikes_calls(self) -> bool:
        """See Driver.strikes_calls."""
        return self.inner.strikes_calls()

    def faults_at_calls(self, world: World, *steps: Step) -> tuple[Fault, ...]:
        """See Driver.faults_at_calls."""
        return self.inner.faults_at_calls(world, *steps)

    def begin(self, world: World, group: str | None = None) -> None:
        """See Driver.begin."""
        self.inner.begin(world, group)

    def take(self, step: Step) -> list[Reply]:
        """See Driver.take."""
        self.steps += 1
        return self.inner.take(step)

    def end(self) -> None:
        """See Driver.end."""
        self.inner.end()


class Reference:
    """The reference behind DirectSession: builtins in, results out."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        system = registry.get("stop_gate")
        self._contract = system.contract
        self._gate = system.reference.create(msgspec.convert(config, self._contract.Configuration))

    def check(self, args: Mapping[str, Any], now_s: float) -> Any:
        """One check."""
        return self._gate.check(msgspec.convert(args, self._contract.CheckArguments), now_s)

    def continuation_prompt(self, args: Mapping[str, Any], now_s: float) -> Any:
        """One prompt."""
        return self._gate.continuation_prompt(msgspec.convert(args, self._contract.PromptArguments), now_s)

    def metrics(self, args: Mapping[str, Any], now_s: float) -> Any:
        """One question for the counters."""
        return self._gate.metrics(msgspec.convert(args, self._contract.MetricsArguments), now_s)


def reference_over_twin() -> Figure:
    """Steps a second with the reference : steps a second of the twin, same shape and seeds."""
    system = registry.get("stop_gate")
    machine = system.workload.machine("gate", ())

    def steps_per_s(driver: Any, seed: int) -> float:
        @with_seed(seed)
        def make() -> RuleBasedStateMachine:
            return machine(driver)  # type: ignore[no-any-return]  # the workload room is found by name

        before, begun = driver.steps, time.process_time()
        run_state_machine_as_test(make, settings=_settings())  # type: ignore[arg-type]  # any factory will do
        return float((driver.steps - before) / (time.process_time() - begun))

    with DirectSession("gate", Reference) as session:
        judging = Counting(JudgingDriver(system, session, "gate", 0))
        idle = IdleDriver()
        values = ratios(lambda: steps_per_s(judging, 1), lambda: steps_per_s(idle, 1), ROUNDS)
    return Figure(values, "", "machine with reference, snapshots and oracle : do-nothing twin", "at least 0.4")


def _settings() -> settings:
    return settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )

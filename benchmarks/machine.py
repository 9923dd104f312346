"""The state machines with their references, against do-nothing twins."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as with_seed
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from benchmarks.measure import Figure, ratios
from harness.core.fault import Fault
from harness.core.history import EntryType
from harness.core.scenario import Operation, Step, World
from harness.explore.driver import Driver, JudgingDriver
from harness.ports.clock import to_seconds
from harness.ports.fake_files import FakeFiles
from harness.systems import registry
from harness.targets.direct import Create, DirectSession
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


def create(name: str, memory: FakeFiles | None = None) -> Create:
    """The reference of a system as DirectSession makes implementations; its files are real, or in ``memory``."""
    system = registry.get(name)

    def made(config: Mapping[str, Any]) -> Any:
        configuration = msgspec.convert(config, system.contract.Configuration)
        return Asked(system, system.reference.create(configuration, memory))

    return made


class Asked:
    """A reference with builtins in and results out; it has a method an operation."""

    def __init__(self, system: registry.System, implementation: Any) -> None:
        for operation, (arguments, _) in system.contract.OPERATIONS.items():
            if hasattr(implementation, operation):  # what belongs to another profile of the system, it has not
                setattr(self, operation, _converting(getattr(implementation, operation), arguments))


def _converting(method: Callable[[Any, float], Any], arguments: type) -> Callable[[Mapping[str, Any], float], Any]:
    return lambda args, now_s: method(msgspec.convert(args, arguments), now_s)


class MemoryDriver(IdleDriver):
    """Plays operations and clock steps on a reference whose files are in memory; faults are not its business."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._now_s = 0.0
        self._instance: Any = None
        self.replies: list[list[Reply]] = []

    def begin(self, world: World, group: str | None = None) -> None:
        """See Driver.begin."""
        self._now_s = to_seconds(world.clock)
        self._instance = create(self._name, FakeFiles())({"home": "/home", **world.config})

    def take(self, step: Step) -> list[Reply]:
        """See Driver.take."""
        self.steps += 1
        if step.clock is not None:
            self._now_s += step.clock.by_s
        asked = [step.op] if step.op is not None else list(step.schedule.together) if step.schedule is not None else []
        self.replies.append([self._asked(operation) for operation in asked if operation.name != "reset"])
        return self.replies[-1]

    def _asked(self, operation: Operation) -> Reply:
        try:
            result = getattr(self._instance, operation.name)(operation.args, self._now_s)
        except msgspec.ValidationError as error:
            return Reply(EntryType.FAIL, {"error": str(error)})
        return Reply(EntryType.OK, msgspec.to_builtins(result))


class RepeatingDriver(IdleDriver):
    """Does nothing, and answers what was answered on the same seed: a machine that looks at answers draws the same."""

    def __init__(self, replies: Sequence[list[Reply]]) -> None:
        super().__init__()
        self._replies = replies

    def take(self, step: Step) -> list[Reply]:
        """See Driver.take."""
        self.steps += 1
        return self._replies[(self.steps - 1) % len(self._replies)]


def reference_over_twin() -> list[tuple[str, Figure]]:
    """Steps a second with the reference : steps a second of the twin, same shape and seeds."""
    gate = registry.get("stop_gate")
    with DirectSession("gate", create("stop_gate")) as session:
        judging = Counting(JudgingDriver(gate, session, "gate", 0))
        whole = _over_twin(gate, judging, IdleDriver())
    found = [("machine", Figure(whole, "", "stop_gate with snapshots and oracle : do-nothing twin", "at least 0.4"))]
    for name in ("circuit_breaker", "rate_limit", "fallback"):
        first = MemoryDriver(name)
        _run(registry.get(name), first)
        values = _over_twin(registry.get(name), MemoryDriver(name), RepeatingDriver(first.replies))
        found.append((f"machine {name}", Figure(values, "", "reference in memory : do-nothing twin", "at least 0.8")))
    return found


def _over_twin(system: registry.System, driver: Any, twin: Any) -> tuple[float, ...]:
    def steps_per_s(driver: Any) -> float:
        before, begun = driver.steps, time.process_time()
        _run(system, driver)
        return float((driver.steps - before) / (time.process_time() - begun))

    return ratios(lambda: steps_per_s(driver), lambda: steps_per_s(twin), ROUNDS)


def _run(system: registry.System, driver: Any) -> None:
    machine = system.workload.machine(system.served_profile, ())

    @with_seed(1)
    def make() -> RuleBasedStateMachine:
        return machine(driver)  # type: ignore[no-any-return]  # the workload room is found by name

    run_state_machine_as_test(make, settings=_settings())  # type: ignore[arg-type]  # any factory will do


def _settings() -> settings:
    return settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )

"""What a hook case costs over the start of its process, and what the sandbox adds to that start."""

import subprocess
import time

from benchmarks.measure import Figure, ratios
from harness.certify import corpus
from harness.certify.reach import Reach, reference
from harness.core.scenario import Operation, Scenario
from harness.sandbox import Run, Sandbox, base_environment
from harness.systems import registry
from harness.targets.hook import HookSession
from harness.targets.player import play
from harness.targets.slots import Slots

CASES = 8  # a round: long enough against the clock, short enough to interleave
SCENARIO = "hook-calm"


def hook_reach() -> Reach:
    """The way to the reference as a hook."""
    system = registry.get("stop_gate")
    return next(reach for reach in reference(system, timeout_scale=1.0) if reach.carrier == "hook")


def _first_stop(scenario: Scenario) -> Operation:
    return next(step.op for step in scenario.steps if step.op is not None and step.op.name == "stop")


def case_over_start() -> Figure:
    """A whole case over a bare start of the same command in the same sandbox, per process started."""
    system = registry.get("stop_gate")
    scenario = next(each for each in corpus.scenarios("stop_gate") if each.id == SCENARIO)
    slots = Slots(1)
    with slots.held(), hook_reach().open(slots) as session:
        assert isinstance(session, HookSession)
        history = play(scenario, session, system.inputs_of)
        stops = sum(entry.op == "stop" for entry in history.entries) // 2
        run = session.bare_run(_first_stop(scenario))

        def whole() -> float:
            begun = time.perf_counter()
            for _ in range(CASES):
                played = play(scenario, session, system.inputs_of)
                system.judge(scenario, played, system.catalogue)
            return (time.perf_counter() - begun) / (CASES * stops)

        def bare() -> float:
            begun = time.perf_counter()
            for _ in range(CASES * stops):
                session.sandbox.run_together([run])
            return (time.perf_counter() - begun) / (CASES * stops)

        values = ratios(whole, bare)
    return Figure(values, "", "hook case : bare start in the same sandbox", "at most 1.15")


def sandboxed_over_bare() -> Figure:
    """A start of the reference hook in the sandbox over the same start outside."""
    slots = Slots(1)
    with slots.held(), hook_reach().open(slots) as session:
        assert isinstance(session, HookSession)
        # without its input the hook has nothing to look for, which is the same inside and outside
        run = session.bare_run(Operation("stop", {"stdin": "empty"}))
        environment = {**base_environment(session.sandbox.roots), **run.env}

        def inside(sandbox: Sandbox, bare: Run) -> float:
            begun = time.perf_counter()
            for _ in range(CASES):
                sandbox.run_together([bare])
            return time.perf_counter() - begun

        def outside() -> float:
            begun = time.perf_counter()
            for _ in range(CASES):
                subprocess.run(run.argv, input=run.stdin, env=environment, capture_output=True, check=False)
            return time.perf_counter() - begun

        values = ratios(lambda: inside(session.sandbox, run), outside)
    return Figure(values, "", "start in the sandbox : the same start outside", "told, none")

"""What a hook case costs over a bare start, also by size of transcript, and what the sandbox adds to that start."""

import subprocess
import time
from collections.abc import Callable

import msgspec

from benchmarks.measure import ROUNDS, Figure, ratios
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
SIZES = (16_000, 1_000_000, 10_000_000, 100_000_000)  # of a transcript, in bytes
ROUNDS_OF_SIZE = 7


def hook_reach() -> Reach:
    """The way to the reference as a hook."""
    system = registry.get("stop_gate")
    return next(reach for reach in reference(system, timeout_scale=1.0) if reach.carrier == "hook")


def case_over_start() -> Figure:
    """A whole case over a bare start of the same command in the same sandbox, per process started."""
    values = _over_bare(_calm(), CASES, ROUNDS)
    return Figure(values, "", "hook case : bare start in the same sandbox", "at most 1.15")


def transcripts() -> list[tuple[str, Figure]]:
    """The same with a transcript of each size, whose last lines are those of the sample: bare starts read it, too."""
    figures = []
    for size in SIZES:
        scenario = _calm()
        files = {path: msgspec.structs.replace(spec, pad_bytes=size) for path, spec in scenario.world.files.items()}
        padded = msgspec.structs.replace(scenario, world=msgspec.structs.replace(scenario.world, files=files))
        values = _over_bare(padded, 1, ROUNDS_OF_SIZE)
        what = f"hook case with transcripts of {size:,} bytes : bare start beside the same"
        figures.append((f"transcript-{size // 1000}k", Figure(values, "", what, "told, none")))
    return figures


def _calm() -> Scenario:
    return next(each for each in corpus.scenarios("stop_gate") if each.id == SCENARIO)


def _over_bare(scenario: Scenario, cases: int, rounds: int) -> tuple[float, ...]:
    system = registry.get("stop_gate")
    slots = Slots(1)
    with slots.held(), hook_reach().open(slots) as session:
        assert isinstance(session, HookSession)
        history = play(scenario, session, system.inputs_of)
        stops = sum(entry.op == "stop" for entry in history.entries) // 2
        runs = [session.bare_run(step.op) for step in scenario.steps if step.op is not None and step.op.name == "stop"]
        assert len(runs) == stops, f"{scenario.id} repeats its stops"

        def whole() -> None:
            played = play(scenario, session, system.inputs_of)
            system.judge(scenario, played, system.catalogue)

        def bare() -> None:
            for run in runs:
                session.sandbox.run_together([run])

        return ratios(lambda: _seconds(whole, cases), lambda: _seconds(bare, cases), rounds)


def _seconds(do: Callable[[], None], times: int) -> float:
    begun = time.perf_counter()
    for _ in range(times):
        do()
    return time.perf_counter() - begun


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

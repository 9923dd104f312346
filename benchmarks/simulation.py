"""What a simulation plays in an hour of one processor, and which part of that goes into checking it."""

import time
from typing import Final

from benchmarks.measure import Figure
from harness.core.events import SessionEvent
from harness.simulation.session import HOME
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import Assembly

SEEDS: Final = 5
AGENTS: Final = 5
DAYS: Final = 2
LEAST_CALLS: Final = 30  # of tools, in a virtual hour of an agent


class Unchecked(Simulation):
    """Plays the same, and looks at no rule."""

    def check(self, session: str, event: SessionEvent) -> tuple[str, ...]:
        """See Simulation.check."""
        return ()


def hours() -> Figure:
    """Virtual agent-hours an hour, in thousands, seed by seed; ValueError when they hold too few tool calls."""
    values, calls = [], []
    for seed in range(SEEDS):
        simulation, took_s = _played(Simulation, seed)
        agent_hours = 24 * DAYS * AGENTS
        calls.append(simulation.tool_calls / agent_hours)
        values.append(agent_hours / took_s * 3600 / 1000)
    if min(calls) < LEAST_CALLS:
        raise ValueError(f"an agent-hour has {min(calls):.1f} tool calls only, and has to have {LEAST_CALLS}")
    meaning = f"thousand virtual agent-hours an hour, hostile, {min(calls):.0f} to {max(calls):.0f} tool calls in each"
    return Figure(tuple(values), "", meaning, "at least 100")


def checking() -> Figure:
    """The part of a run that goes into checking, seed by seed."""
    values = []
    for seed in range(SEEDS):
        checked, unchecked = _played(Simulation, seed)[1], _played(Unchecked, seed)[1]
        values.append(1 - unchecked / checked)
    return Figure(tuple(values), "", "part of a hostile run that is checking", "at most 0.5")


def _played(kind: type[Simulation], seed: int) -> tuple[Simulation, float]:
    simulation = kind(Plan(DAYS, AGENTS, seed, "hostile"), Assembly(HOME, seed=seed))
    if kind is Unchecked:
        simulation.files.watch = None
    began = time.process_time()
    simulation.run()
    return simulation, time.process_time() - began

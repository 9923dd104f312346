"""Simulations in which chosen incidents happen, as tests play them: short ones, with all their events."""

import io

import msgspec

from harness.runtime.session import Session
from harness.simulation.incidents import Incidents
from harness.simulation.session import HOME
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import Assembly
from harness.simulation.virtual_time import TICKS_PER_S

HOUR = 3600 * TICKS_PER_S
PLAN = Plan(1, 2, 5, "hostile")


def shortened(monkeypatch, hours=6):
    """Days of so many hours, for what is simulated."""
    monkeypatch.setattr("harness.simulation.simulation.days", lambda count: count * hours * HOUR)


def made(plan, incidents, *, kind=Session, planted=None):
    """A simulation that has not begun."""
    return Simulation(plan, Assembly(HOME, seed=plan.seed, planted=planted), kind, incidents)


def run(plan, incidents=None, *, kind=Session, planted=None):
    """A simulation at its end; ``stream`` are its events as they enter the digest, each with its session."""
    simulation = made(plan, incidents, kind=kind, planted=planted)
    simulation.written = io.BytesIO()
    assert simulation.run()
    return simulation, [msgspec.json.decode(line) for line in simulation.written.getvalue().splitlines()]


def recorded(plan, **more):
    """The same, and what happened in it."""
    incidents = Incidents(is_kept=True)
    simulation, stream = run(plan, incidents, **more)
    return simulation, stream, incidents.happened

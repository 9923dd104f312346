"""Simulations as tests play them."""

from functools import lru_cache

from harness.core.events import SessionEvent
from harness.runtime.session import Session
from harness.simulation.session import HOME
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import Assembly


def played(
    days: int = 1,
    agents: int = 4,
    seed: int = 1,
    profile: str = "calm",
    *,
    kind: type[Session] = Session,
    assembly: Assembly | None = None,
) -> tuple[Simulation, list[tuple[str, SessionEvent]]]:
    """A simulation at its end, and all its events; of the sound wiring and references each is played once."""
    plan = Plan(days, agents, seed, profile)
    if kind is Session and assembly is None:
        return _sound(plan)
    return _played(Simulation(plan, assembly or Assembly(HOME), kind))


@lru_cache
def _sound(plan: Plan) -> tuple[Simulation, list[tuple[str, SessionEvent]]]:
    return _played(Simulation(plan, Assembly(HOME)))


def _played(simulation: Simulation) -> tuple[Simulation, list[tuple[str, SessionEvent]]]:
    events: list[tuple[str, SessionEvent]] = []
    take = simulation.take

    def noting(session: str, event: SessionEvent) -> None:
        events.append((session, event))
        take(session, event)

    simulation.take = noting  # type: ignore[method-assign]  # to see what it is told
    assert simulation.run()
    return simulation, events

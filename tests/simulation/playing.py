"""Simulations as tests play them."""

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
    """A simulation at its end, and all its events."""
    simulation = Simulation(Plan(days, agents, seed, profile), assembly or Assembly(HOME), kind)
    events: list[tuple[str, SessionEvent]] = []
    take = simulation.take

    def noting(session: str, event: SessionEvent) -> None:
        events.append((session, event))
        take(session, event)

    simulation.take = noting  # type: ignore[method-assign]  # to see what it is told
    assert simulation.run()
    return simulation, events

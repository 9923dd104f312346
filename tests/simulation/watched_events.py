"""Simulations whose invariants are watched, and ways to plant defects in them."""

import importlib
from collections import Counter
from collections.abc import Callable
from typing import Any

from harness.core.events import SessionCut, SessionEvent
from harness.simulation.invariants import Invariants
from harness.simulation.session import HOME
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import Assembly

FIELDS = {
    "circuit_breaker": "breaker",
    "dead_letter": "dead_letters",
    "diagnosis": "diagnostician",
    "error_log": "error_log",
    "phase_runner": "runner",
    "session_recovery": "recovery",
    "signals": "signals",
    "stop_gate": "gate",
}


class Archiving(Assembly):
    """References; ``planted`` makes what is asked of them. What is set aside is told to ``invariants``."""

    invariants: Invariants | None = None
    planted: Callable[[Any, Any], Any] | None = None

    def of(self, agent, files, clock):
        made = super().of(agent, files, clock)
        return self.planted(made, files) if self.planted else made

    def set_aside(self, path, files):
        super().set_aside(path, files)
        if self.invariants is not None:
            self.invariants.archived((path,))


def mutant(system, name):
    """Plants the mutant of that system."""
    contract = importlib.import_module(f"harness.systems.{system}.contract")
    mutants = importlib.import_module(f"harness.systems.{system}.mutants")

    def planted(made, files):
        return made._replace(**{FIELDS[system]: mutants.create_mutant(name, contract.Configuration(HOME), files)})

    return planted


class Watched:
    """A simulation at its end, or where it broke the first invariant: ``broken`` invariants with their counts, and what was ``cut``, by path.

    ``planted`` changes the systems, ``spoil`` what else is to be changed; with ``dies_at`` a session dies at every so
    manieth change of a file for which ``where`` is true.
    """

    def __init__(
        self,
        profile="calm",
        seed=1,
        days=1,
        agents=3,
        *,
        planted=None,
        spoil: Callable[[Simulation], None] | None = None,
        to_the_end=True,
        dies_at=0,
        where=lambda path: "/queue/" in path and path.endswith(".json"),
    ):
        assembly = Archiving(HOME)
        assembly.planted = planted
        self.simulation = Simulation(Plan(days, agents, seed, profile), assembly)
        if spoil is not None:
            spoil(self.simulation)
        self.invariants = assembly.invariants = Invariants(self.simulation.files, HOME)
        self.broken: Counter[str] = Counter()
        self.cut: Counter[str] = Counter()
        self._inner = self.simulation.take
        self.simulation.take = self._take
        if dies_at:
            self._die(dies_at, where)
        ended = self.simulation.run(interrupted=lambda: bool(self.broken) and not to_the_end)
        assert ended or not to_the_end
        self.broken.update(self.invariants.end())

    def _take(self, session: str, event: SessionEvent) -> None:
        self._inner(session, event)
        if isinstance(event, SessionCut):
            self.cut[event.changing] += 1
        self.broken.update(self.invariants.take(session, event))

    def _die(self, every, where):
        inner, changes = self.simulation.files.before_change, 0

        def before(path):
            nonlocal changes
            agent = self.simulation._acting
            if agent is not None and agent.session_id and not agent.dies_at and where(path):
                changes += 1
                if changes % every == 0:
                    agent.dies_at = 1
            inner(path)

        self.simulation.files.before_change = before

"""The plans of a simulation, one after the other: what their phases are, and which of them is to be driven now."""

from typing import Final

from harness.core.event import Event
from harness.core.plan_events import PlanBegun, PlanCompleted, PlanDecided, PlanHalted
from harness.simulation.virtual_time import Chance
from harness.systems.phase_runner.contract import StartArguments
from harness.systems.phase_runner.contract.words import COLUMNS, Mode

_SHAPES: Final = (
    (("0", "-", "-"), ("1", "0", "-"), ("2", "1", "-")),
    (("0", "-", "-"), ("1a", "0", "1b"), ("1b", "0", "1a"), ("2", "1a, 1b", "-")),
    (("0", "-", "-"), ("1a", "0", "1b, 1c"), ("1b", "0", "1a, 1c"), ("1c", "0", "1a, 1b"), ("2", "1a", "-")),
    (("0", "-", "-"), ("1", "0", "-"), ("2", "0", "-"), ("3", "1, 2", "-"), ("4", "3", "-")),
)


class Plans:
    """All of them."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._number = 1
        self._has_begun = False
        self._is_halted = False
        self._is_closed = False
        self._is_given_up = False  # the last one: what is left of it is put right when another begins

    def close(self) -> None:
        """No further one begins, but in the place of one that is given up."""
        self._is_closed = True

    def due(self) -> StartArguments | None:
        """How the plan is begun, or gone on with, now; None while it is halted and no human has decided."""
        if self._is_halted or (self._is_closed and not self._has_begun and not self._is_given_up):
            return None
        modes = () if self._has_begun or self._number == 1 else (Mode.FRESH,)
        rows = _SHAPES[Chance(self._seed, "plan", self._number).below(len(_SHAPES))]
        return StartArguments(_text(rows), self.name, modes)

    @property
    def name(self) -> str:
        """The path of the plan that is driven."""
        return f"plan-{self._number}"

    def take(self, event: Event) -> None:
        """What became of it."""
        if isinstance(event, PlanBegun):
            self._has_begun = self._has_begun or event.accepted
            self._is_given_up = self._is_given_up and not event.accepted
        elif isinstance(event, PlanHalted):
            self._is_halted = True
        elif isinstance(event, PlanDecided):
            self._is_halted = False
            if event.decision == Mode.FRESH:
                self._is_given_up = True
                self._next()
        elif isinstance(event, PlanCompleted):
            self._next()

    def _next(self) -> None:
        self._number += 1
        self._has_begun = False


def _text(rows: tuple[tuple[str, str, str], ...]) -> str:
    table = [COLUMNS, ("---",) * len(COLUMNS)]
    table += [(f"Phase {phase}", f"Part {phase}", after, beside, "1 h", "pending") for phase, after, beside in rows]
    return "\n".join(["# Plan", "", *(f"| {' | '.join(row)} |" for row in table), ""])

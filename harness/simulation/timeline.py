"""What happened when, in lines of text: an hour or more each, with the machine, the breakers, and each agent."""

from collections import Counter, deque
from collections.abc import Iterator
from typing import Final

from harness.core.events import (
    AttemptStarted,
    BreakerMoved,
    ClockStepped,
    EscalationRaised,
    FailureObserved,
    MachineRestarted,
    SessionCut,
    SessionEvent,
    StorageChanged,
)
from harness.core.plan_events import PlanCompleted, PlanHalted
from harness.core.task_events import FailureCounted, TaskCompleted
from harness.simulation.virtual_time import TICKS_PER_S

MOST_LINES: Final = 400
_HOUR: Final = 3600 * TICKS_PER_S
_CELL: Final = 12
LEGEND: Final = (
    "Each line begins at that hour of virtual time. machine: F disk full, C clock set, R restarted.",
    "breakers: the states each was in, c CLOSED, O OPEN, h HALF_OPEN. agents: attempts, then failures (f), humans",
    "called (!), tasks finished (+), dead letters (D), sessions that died (x). plans: + complete, H halted.",
)


class _Line:
    """What is counted in one span."""

    def __init__(self, full: bool, breakers: dict[str, str]) -> None:
        self.machine: dict[str, None] = {"F": None} if full else {}
        self.breakers = {name: {state: None} for name, state in breakers.items()}
        self.plans: Counter[str] = Counter()
        self.agents: dict[str, Counter[str]] = {}


class Timeline:
    """Watches a simulation of so many ``agents``; ``hours`` make a line, so that there are MOST_LINES at most."""

    def __init__(self, days: int, agents: int, providers: tuple[str, ...]) -> None:
        self.hours = -(-days * 24 // MOST_LINES)
        self._agents = [f"agent-{number}" for number in range(agents)]
        self._states = dict.fromkeys(providers, "c")
        self._is_full = False
        self._lines: deque[_Line] = deque()

    def take(self, elapsed: int, session: str, event: SessionEvent) -> None:
        """One more event, so many ticks after the beginning."""
        while len(self._lines) <= elapsed // (_HOUR * self.hours):
            self._lines.append(_Line(self._is_full, self._states))
        mark = _MARKS.get(type(event))
        if mark is not None:
            agent = session.rpartition("-")[0]
            self._lines[-1].agents.setdefault(agent, Counter())[mark] += 1
        elif type(event) in _OTHERS:
            self._other(self._lines[-1], session, event)

    def _other(self, line: _Line, session: str, event: SessionEvent) -> None:
        if isinstance(event, StorageChanged):
            self._is_full = event.full
            line.machine["F"] = None
        elif isinstance(event, ClockStepped | MachineRestarted):
            line.machine["C" if isinstance(event, ClockStepped) else "R"] = None
        elif isinstance(event, BreakerMoved):
            state = self._states[event.provider] = _STATES[event.after]
            line.breakers.setdefault(event.provider, {})[state] = None
        elif isinstance(event, PlanHalted | PlanCompleted):
            line.plans["H" if isinstance(event, PlanHalted) else "+"] += 1
        elif isinstance(event, FailureCounted) and event.moved:
            line.agents.setdefault(session.rpartition("-")[0], Counter())["D"] += 1

    def lines(self) -> Iterator[str]:
        """All of it."""
        yield from LEGEND
        yield ""
        heads = ["day hour", "machine", *self._states, *self._agents, "plans"]
        yield _row(heads)
        for number, line in enumerate(self._lines):
            day, hour = divmod(number * self.hours, 24)
            cells = [f"{day + 1:>3}   {hour:02}", "".join(line.machine)]
            cells += ["".join(line.breakers.get(name, {})) for name in self._states]
            cells += [_agent(line.agents.get(name, Counter())) for name in self._agents]
            yield _row([*cells, "".join(mark * count for mark, count in sorted(line.plans.items()))])


def _row(cells: list[str]) -> str:
    return " ".join(f"{cell:<{_CELL if number > 1 else 8}}" for number, cell in enumerate(cells)).rstrip()


def _agent(counted: Counter[str]) -> str:
    if not counted:
        return "-"
    told = [str(counted["attempts"])]
    told += [f"{counted[mark]}{mark}" for mark in ("f", "!", "+", "D", "x") if counted[mark]]
    return "".join(told) if len(told) == 1 else f"{told[0]} {''.join(told[1:])}"


_STATES: Final = {"CLOSED": "c", "OPEN": "O", "HALF_OPEN": "h"}
_MARKS: Final = {
    AttemptStarted: "attempts",
    FailureObserved: "f",
    EscalationRaised: "!",
    TaskCompleted: "+",
    SessionCut: "x",
}
_OTHERS: Final = frozenset(
    (StorageChanged, ClockStepped, MachineRestarted, BreakerMoved, PlanHalted, PlanCompleted, FailureCounted)
)

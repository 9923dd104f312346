"""What the state machines of systems that keep nothing share: faults, time, and operations begun together."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, Operation, Schedule, Step, World
from harness.systems.stateless_faults import FILES, YEAR_S, Row, faults_of, rows
from harness.systems.swarm import Table, subsets

CLOCK = "2026-03-01T12:00:00Z"
MOVES_S = (0.5, 5.0, 300.0, 86400.0, 13.0 * YEAR_S, -0.5, -3600.0, -56.0 * YEAR_S)
# a process that is started costs a hundred times what an operation does, so most cases may start none
STARTS = (0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 8)
TOGETHER = (2, 2, 3, 8)
CHEAP = frozenset(("filesystem", "identifier"))  # faults under which the same process goes on
ASKED_BEFORE_STARTING_OVER = 3  # a world in which nothing was asked is no case worth its steps
RESET = Step(op=Operation("reset"))


def table(own: Sequence[Row] = ()) -> Table[Fault]:
    """The faults that can stand, those of ``own`` rows among them."""
    return Table([fault for row in (*rows(), *own) for fault in faults_of(row.steps)])


class StatelessMachine(RuleBasedStateMachine):
    """Every step goes to the driver, which plays and judges it. A system's machine adds its operations.

    ``OPERATIONS`` draws one, ``CONFIGS`` the configuration of a world, ``FAULTS`` is its table.
    """

    OPERATIONS: st.SearchStrategy[Operation]
    CONFIGS: st.SearchStrategy[dict[str, Any]] = st.just({})
    FAULTS: Table[Fault]

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self._driver = driver
        self._asked = 0
        self._starts = 0
        self._surrounded = False
        self._families: frozenset[str] = frozenset()

    def teardown(self) -> None:
        """The case is over, and judged."""
        self._driver.end()

    @initialize(starts=st.sampled_from(STARTS), data=st.data())
    def begin(self, starts: int, data: st.DataObject) -> None:
        """A fresh world; this case draws from some families of faults, and may start so many processes."""
        self._starts = starts
        self._families = data.draw(subsets(sorted(self.FAULTS.families)))
        self._driver.begin(World(CLOCK, FILES, data.draw(self.CONFIGS)))

    @rule(data=st.data())
    def ask(self, data: st.DataObject) -> None:
        """A few operations, one after the other."""
        for operation in data.draw(st.lists(self.OPERATIONS, min_size=1, max_size=4)):
            self._asked += 1
            self._driver.take(Step(op=operation))

    @precondition(lambda self: self._starts > 1)
    @rule(count=st.sampled_from(TOGETHER), data=st.data())
    def ask_together(self, count: int, data: st.DataObject) -> None:
        """Operations begun at once, each by a process of its own."""
        asked = tuple(data.draw(self.OPERATIONS) for _ in range(min(count, self._starts)))
        self._asked += 1
        self._starts -= len(asked)
        self._driver.take(Step(schedule=Schedule(asked)))

    @rule(by_s=st.sampled_from(MOVES_S))
    def move_clock(self, by_s: float) -> None:
        """The clock steps."""
        self._driver.take(Step(clock=ClockStep(by_s)))

    @precondition(lambda self: self._asked and not self._surrounded)
    @rule(data=st.data())
    def surround(self, data: st.DataObject) -> None:
        """A fault is put in place; one a world, since another may take what proves the first."""
        self._surrounded = True
        cheap = self._families & CHEAP or CHEAP
        fault = data.draw(self.FAULTS.one_of(self._families if self._starts else cheap))
        self._starts -= fault.family not in CHEAP
        self._driver.take(Step(fault=fault))

    @precondition(lambda self: self._starts)
    @rule()
    def restart(self) -> None:
        """The process is ended, and started anew."""
        self._starts -= 1
        self._driver.take(Step(fault=Fault("process.restarted")))

    @precondition(lambda self: self._asked >= ASKED_BEFORE_STARTING_OVER)
    @rule()
    def start_over(self) -> None:
        """A fresh world of the same configuration."""
        self._asked = 0
        self._surrounded = False
        self._driver.take(RESET)

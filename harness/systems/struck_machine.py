"""What the state machines of systems that keep files share: faults, time, and operations struck at a file call.

Each case draws its faults from some of the families only; see systems.swarm.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, Operation, Schedule, Step, World
from harness.systems.families import CALLS, SCHEDULE
from harness.systems.fault_rows import Row
from harness.systems.swarm import Table

PROCESSES: Final = (0, 0, 0, 1, 2)
"""Who is asked: the one process that goes on, or one that is started for the operation."""
TOGETHER: Final = (2, 2, 2, 3, 8)
"""How many are asked at once; a process that is started costs a hundred times what an operation does."""
WAYS: Final = ("plain", "plain", "plain", "plain", CALLS, SCHEDULE)
"""How something is asked: as it is, struck at a file call, or two at once in some order."""
SUPERVISED: Final = 2
"""Operations of one world that are struck at a file call, or made in a chosen order: they cost the most."""
ASKED_BEFORE_STARTING_OVER: Final = 3
RESTARTED: Final = Fault("process.restarted")
_WISHED: Final = st.lists(st.integers(0, 1), max_size=12)  # who goes of two at once, call by call; then the first
_ONLY_IN_SCENARIOS: Final = frozenset(("clock.year_9999", RESTARTED.name))
_FAR_BACK_S: Final = -1e9
"""No clock shows a time before 1970: decades go by backwards once only, and 2026 becomes 1972."""
_RESET: Final = Step(op=Operation("reset"))


class Faults(NamedTuple):
    """The faults that a machine draws: of what a file holds, of its storage, and of what surrounds the process."""

    document: Table[Fault]
    storage: Table[Fault]
    surroundings: Table[Fault]

    @property
    def families(self) -> tuple[str, ...]:
        """Their families, in order, and what a case may draw besides."""
        found = self.document.families | self.storage.families | self.surroundings.families
        return (*sorted(found), CALLS, SCHEDULE)


def drawn(rows: Iterable[Row], *families: str) -> tuple[Fault, ...]:
    """The faults of these families as a table of rows has them, each once, in its order."""
    found = (row.fault for row in rows if row.fault is not None and row.fault.family in families)
    return tuple({repr(fault): fault for fault in found if fault.name not in _ONLY_IN_SCENARIOS}.values())


def faults_in(rows: Sequence[Row], damages: Callable[[Fault], bool] = lambda _: False) -> Faults:
    """All faults of a table of rows but those of arguments, which the operations draw.

    Faults of the file system that only damage what a file holds, as ``damages`` says, are drawn with the documents.
    """
    files = drawn(rows, "filesystem")
    documents = (*drawn(rows, "jsonl", "json_document"), *filter(damages, files))
    storage = tuple(fault for fault in files if not damages(fault))
    return Faults(Table(documents), Table(storage), Table(drawn(rows, "clock", "process", "environment")))


class StruckMachine(RuleBasedStateMachine):
    """Every step goes to the driver, which plays and judges it. A system's machine adds its operations.

    ``FAULTS`` are drawn, the clock moves by ``MOVES_S``. ``STRUCK`` are operations of which the last one is struck at
    each of its file calls, as they were learnt in the world ``LEARNT_IN``; then ``LOOKS`` are asked.
    """

    FAULTS: ClassVar[Faults]
    MOVES_S: ClassVar[Sequence[float]]
    LEARNT_IN: ClassVar[World]
    STRUCK: ClassVar[tuple[tuple[Step, ...], ...]]
    LOOKS: ClassVar[tuple[Operation, ...]] = ()

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self._driver = driver
        self._families: frozenset[str] = frozenset()
        self._at_calls: tuple[tuple[tuple[Step, ...], Fault], ...] = ()
        self._begin_anew()

    def _begin_anew(self) -> None:
        """The world is fresh, and nothing was asked in it."""
        self._asked = self._supervised = 0
        self._storage_fails = self._surrounded = self._far_back = False

    def _looks(self) -> Iterable[Operation]:
        """What is asked after an operation that was struck at a file call."""
        return self.LOOKS

    def teardown(self) -> None:
        """The case is over, and judged."""
        self._driver.end()

    def _learn(self, families: frozenset[str]) -> None:
        """These families are in; which file calls there are to strike."""
        self._families = families
        if CALLS in families:
            learnt = [(steps, self._driver.faults_at_calls(self.LEARNT_IN, *steps)) for steps in self.STRUCK]
            self._at_calls = tuple((steps, fault) for steps, faults in learnt for fault in faults)

    @rule(data=st.data())
    def move_clock(self, data: st.DataObject) -> None:
        """The clock steps."""
        by_s = data.draw(st.sampled_from(self.MOVES_S))
        if by_s < _FAR_BACK_S:
            if self._far_back:
                return
            self._far_back = True
        self._driver.take(Step(clock=ClockStep(by_s)))

    @precondition(lambda self: self._asked)
    @rule(struck=st.sampled_from(("document", "storage", "surroundings", "restart")), data=st.data())
    def strike(self, struck: str, data: st.DataObject) -> None:
        """A file is damaged, storage or what surrounds the process fails, or the process ends."""
        fault = RESTARTED
        if struck == "storage" and not self._storage_fails:
            self._storage_fails = True
            fault = data.draw(self.FAULTS.storage.one_of(self._families))
        elif struck == "surroundings" and not self._surrounded:
            self._surrounded = True
            fault = data.draw(self.FAULTS.surroundings.one_of(self._families))
        elif struck == "document":
            fault = data.draw(self.FAULTS.document.one_of(self._families))
        self._driver.take(Step(fault=fault))

    @precondition(lambda self: self._asked >= ASKED_BEFORE_STARTING_OVER)
    @rule()
    def start_over(self) -> None:
        """A fresh world of the same configuration."""
        self._begin_anew()
        self._driver.take(_RESET)

    def _take(self, step: Step) -> None:
        self._asked += 1
        self._driver.take(step)

    def _may_supervise(self) -> bool:
        return self._supervised < SUPERVISED

    def _strikes_a_call(self, way: str, data: st.DataObject) -> bool:
        """Where that is the way: strikes one of the operations learnt; False where it is not, or can be no more."""
        if way != CALLS or not self._at_calls or not self._may_supervise():
            return False
        (*before, last), fault = data.draw(st.sampled_from(self._at_calls))
        self._begin_anew()  # the operations are those that were learnt in a fresh world
        self._driver.take(_RESET)
        self._supervised = SUPERVISED
        for step in (*before, Step(fault=fault), last, *(Step(op=asked) for asked in self._looks())):
            self._driver.take(step)
        return True

    def _orders(self, way: str) -> bool:
        """Are two operations to be made at once, in some order of their file calls? Then they count as supervised."""
        if way != SCHEDULE or SCHEDULE not in self._families or not self._may_supervise():
            return False
        if not self._driver.strikes_calls():
            return False
        self._supervised += 1
        return True

    @staticmethod
    def _order(data: st.DataObject) -> tuple[int, ...]:
        return tuple(data.draw(_WISHED))

    def _take_in_order(self, both: tuple[Operation, Operation], data: st.DataObject) -> None:
        self._take(Step(schedule=Schedule(both, self._order(data))))

"""The stateful machine of review gates: tasks, reviews, reviewers in any order, faults, time.

Each case draws its faults from some of the families only; see systems.swarm. What is told is mostly of the task and the
round that are under way.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from harness.core.scenario import FileSpec, Operation, Schedule, Step, World
from harness.systems.review_gate.contract import GATE_PATH, REVIEWERS
from harness.systems.review_gate.workload.candidates import MOVES_S as WAITS_S
from harness.systems.review_gate.workload.candidates import NAMES, SEVERITIES
from harness.systems.review_gate.workload.fault_rows import rows
from harness.systems.review_gate.workload.gate_steps import (
    CLOCK,
    ONE,
    THREE,
    TWO,
    analysed,
    asked,
    begun,
    fixed,
    issue,
    opened,
    reported,
)
from harness.systems.struck_machine import PROCESSES, TOGETHER, WAYS, StruckMachine, faults_in
from harness.systems.swarm import subsets

MOVES_S = (*WAITS_S, 0.000001, 86400.0, 4e8, -3600.0, -1.7e9)
FAULTS = faults_in(tuple(rows()))
STATES: tuple[FileSpec | None, ...] = (*[None] * 8, FileSpec(text="{}"), FileSpec(text='{"version": '))
TASK = "task-{}"
# what is struck at its file calls: a beginning, a launch, a return that decides
LEARNT_IN = World(CLOCK)
_LEARNT = TASK.format(0)
_OPENED = (begun(_LEARNT), opened(_LEARNT))
_LAUNCHED = (*_OPENED, analysed(task=_LEARNT))
STRUCK: tuple[tuple[Step, ...], ...] = tuple(
    tuple(Step(op=each) for each in operations)
    for operations in (
        (begun(_LEARNT),),
        _LAUNCHED,
        (*_LAUNCHED, reported(ONE, 1, issue("high"), task=_LEARNT), reported(TWO, task=_LEARNT),
         reported(THREE, task=_LEARNT)),
    )
)  # fmt: skip


class _GateMachine(StruckMachine):
    """See StruckMachine."""

    FAULTS, MOVES_S, LEARNT_IN, STRUCK = FAULTS, MOVES_S, LEARNT_IN, STRUCK
    LOOKS = (asked(_LEARNT), begun(TASK.format(1)))

    def _begin_anew(self) -> None:
        self._number = 0
        self._round = 1
        super()._begin_anew()

    @property
    def _task(self) -> str:
        return TASK.format(self._number)

    @initialize(families=subsets(FAULTS.families), state=st.sampled_from(STATES))
    def begin(self, families: frozenset[str], state: FileSpec | None) -> None:
        self._learn(families)
        self._driver.begin(World(CLOCK, {} if state is None else {GATE_PATH: state}))

    @rule(
        next_one=st.booleans(), way=st.sampled_from(WAYS), process=st.sampled_from(PROCESSES), data=st.data()
    )  # fmt: skip
    def begin_task(self, next_one: bool, way: str, process: int, data: st.DataObject) -> None:
        """The task under way is begun, or the one after it, which then is under way if it may be."""
        if self._strikes_a_call(way, data):
            return
        following = TASK.format(self._number + next_one)
        if self._orders(way):
            self._take_in_order((begun(self._task), begun(following)), data)
        else:
            self._take(Step(process=process, op=begun(following)))

    @rule(process=st.sampled_from(PROCESSES))
    def go_on(self, process: int) -> None:
        """The next task is begun, and its review is opened."""
        self._number, self._round = self._number + 1, 1
        for operation in (begun(self._task), opened(self._task)):
            self._take(Step(process=process, op=operation))

    @rule(
        what=st.sampled_from((opened, fixed, asked, asked)), process=st.sampled_from(PROCESSES)
    )  # fmt: skip
    def ask(self, what: Callable[[str], Operation], process: int) -> None:
        self._round += what is fixed
        self._take(Step(process=process, op=what(self._task)))

    @rule(
        off=st.sampled_from((0, 0, 0, 0, 1, -1)), found=st.lists(st.sampled_from(SEVERITIES), max_size=2),
        process=st.sampled_from(PROCESSES),
    )  # fmt: skip
    def analyse(self, off: int, found: list[str], process: int) -> None:
        told = analysed(self._round + off, *map(issue, found), task=self._task)
        self._take(Step(process=process, op=told))

    @rule(
        name=st.sampled_from(NAMES), off=st.sampled_from((0, 0, 0, 0, 1, -1)), way=st.sampled_from(WAYS),
        found=st.lists(st.sampled_from(SEVERITIES), max_size=2), process=st.sampled_from(PROCESSES), data=st.data(),
    )  # fmt: skip
    def report(self, name: str, off: int, way: str, found: list[str], process: int, data: st.DataObject) -> None:
        told = reported(name, self._round + off, *map(issue, found), task=self._task)
        if self._orders(way):
            self._take_in_order((told, reported(ONE, self._round, task=self._task)), data)
        else:
            self._take(Step(process=process, op=told))

    @rule(found=st.lists(st.sampled_from(SEVERITIES), max_size=2))
    def review(self, found: list[str]) -> None:
        """A whole round, from static analysis on."""
        self._take(Step(op=analysed(self._round, task=self._task)))
        for name in REVIEWERS:
            issues = map(issue, found if name == THREE else ())
            self._take(Step(op=reported(name, self._round, *issues, task=self._task)))

    @rule(count=st.sampled_from(TOGETHER), severity=st.sampled_from(SEVERITIES))
    def together(self, count: int, severity: str) -> None:
        """So many return at once, some of them under one name."""
        told = [
            reported(REVIEWERS[number % len(REVIEWERS)], self._round, issue(severity, f"{number}"), task=self._task)
            for number in range(count)
        ]
        self._take(Step(schedule=Schedule(tuple(told))))


def gate_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _GateMachine

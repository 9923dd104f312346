"""The stateful machine of dead-letter queues: failures told by several processes, reviews, humans, faults, time.

Each case draws its faults from some of the families only; see systems.swarm.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, FileSpec, Operation, Schedule, Step, World
from harness.systems.dead_letter.contract import DEAD_LETTER_PATH
from harness.systems.dead_letter.workload.candidates import KINDS, LETTER_IDS, WORKING
from harness.systems.dead_letter.workload.dead_letter_steps import (
    APPROACHES,
    CLOCK,
    DAY_S,
    FILES,
    ago,
    asked,
    dead,
    failed,
    letters,
)
from harness.systems.dead_letter.workload.fault_rows import rows
from harness.systems.dead_letter.workload.legs import FACTS, LETTERS, WORLD
from harness.systems.queue_files import DEAD_LETTER, QUEUES
from harness.systems.swarm import CALLS, SCHEDULE, Table, subsets

PROCESSES = (0, 0, 0, 1, 2)
TASKS = (*WORKING, *WORKING, "approach", "fixed", "dependency", "old", "nobody")
LETTERED = (*LETTER_IDS, "dropped", "fourth", "running", "third", "old")
FACTS_OF_ONE: tuple[Mapping[str, Any], ...] = ({}, *FACTS.values())
MOVES_S = (0.25, 60.0, DAY_S, DAY_S + 1, 2 * DAY_S, 4e8, -0.000001, -1.0, -3600.0, -1.7e9)
SUPERVISED = 2  # operations of one world that are struck at a file call, or made in a chosen order: they cost the most
ASKED_BEFORE_STARTING_OVER = 3
TOGETHER = (2, 2, 2, 3, 8)  # a process that is started costs a hundred times what an operation does
RESTARTED = Fault("process.restarted")


def _drawn(*families: str) -> tuple[Fault, ...]:
    """The faults of these families as the table of rows has them; names are drawn as they are."""
    found = [each.fault for each in rows() if each.fault is not None and each.fault.family in families]
    return tuple(fault for fault in found if fault.name not in ("clock.year_9999", RESTARTED.name))


DOCUMENT_FAULTS = _drawn("json_document")
STORAGE_FAULTS = _drawn("filesystem")
SURROUNDINGS = _drawn("clock", "process", "environment")
DOCUMENT_TABLE, STORAGE_TABLE, SURROUNDINGS_TABLE = Table(DOCUMENT_FAULTS), Table(STORAGE_FAULTS), Table(SURROUNDINGS)
FAMILIES = (
    *sorted(DOCUMENT_TABLE.families | STORAGE_TABLE.families | SURROUNDINGS_TABLE.families),
    CALLS,
    SCHEDULE,
)  # fmt: skip
WISHED = st.lists(st.integers(0, 1), max_size=12)  # who goes of two operations at once, call by call; then the first
# how failures are told: as they are, struck at a file call, or two in some order
WAYS = ("plain", "plain", "plain", "plain", CALLS, SCHEDULE)
_WHOLE = json.dumps({"tasks": list(LETTERS), "metadata": {"last_reviewed": ago(3600)}})
LETTER_FILES: tuple[FileSpec | None, ...] = (
    *[None] * 8, FileSpec(text=_WHOLE), letters(*LETTERS, reviewed="soon"), FileSpec(text="[]"), FileSpec(text="{}"),
    FileSpec(text=_WHOLE[:400]), FileSpec(kind="absent"), letters(3, dead("old"), {"title": "no id"}),
)  # fmt: skip
# what is struck at its file calls: a failure that moves a task, a review, and a human's word
LEARNT_IN = World(CLOCK, FILES)
STRUCK: tuple[tuple[Step, ...], ...] = (
    (Step(op=failed("fourth")),),
    (Step(op=failed("third")), Step(op=asked("review", {"old": {"fixed_by": "4f2c9e1"}}))),
    (Step(op=Operation("abandon", {"task_id": "old", "by": "alice", "reason": "nobody asked"})),),
)


class _DeadLetterMachine(RuleBasedStateMachine):
    """Every step goes to the driver, which plays and judges it."""

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self._driver = driver
        self._families: frozenset[str] = frozenset()
        self._at_calls: tuple[tuple[tuple[Step, ...], Fault], ...] = ()
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._asked = self._supervised = 0
        self._storage_fails = self._surrounded = False

    def teardown(self) -> None:
        self._driver.end()

    @initialize(families=subsets(FAMILIES), found=st.sampled_from(LETTER_FILES))
    def begin(self, families: frozenset[str], found: FileSpec | None) -> None:
        self._families = families
        if CALLS in families:
            learnt = [(steps, self._driver.faults_at_calls(LEARNT_IN, *steps)) for steps in STRUCK]
            self._at_calls = tuple((steps, fault) for steps, faults in learnt for fault in faults)
        self._driver.begin(World(CLOCK, {**WORLD, **({} if found is None else {DEAD_LETTER_PATH: found})}))

    @rule(
        way=st.sampled_from(WAYS), task=st.sampled_from(TASKS), other=st.sampled_from(TASKS),
        kind=st.sampled_from(KINDS), approach=st.sampled_from(APPROACHES), process=st.sampled_from(PROCESSES),
        data=st.data(),
    )  # fmt: skip
    def fail(
        self, way: str, task: str, other: str, kind: str, approach: str, process: int, data: st.DataObject
    ) -> None:
        left = self._supervised < SUPERVISED
        if way == CALLS and self._at_calls and left:
            self._run_struck(data)
        elif way == SCHEDULE and SCHEDULE in self._families and left and self._driver.strikes_calls():
            self._supervised += 1
            both = (failed(task, kind, approach), failed(other))
            self._take(Step(schedule=Schedule(both, tuple(data.draw(WISHED)))))
        else:
            self._take(Step(process=process, op=failed(task, kind, approach)))

    @rule(
        name=st.sampled_from(("start_session", "review")),
        facts=st.dictionaries(st.sampled_from(LETTERED), st.sampled_from(FACTS_OF_ONE), max_size=4),
        process=st.sampled_from(PROCESSES),
    )  # fmt: skip
    def review(self, name: str, facts: Mapping[str, Mapping[str, Any]], process: int) -> None:
        self._take(Step(process=process, op=asked(name, facts)))

    @rule(task=st.sampled_from((*LETTERED, "new", "nobody")), process=st.sampled_from(PROCESSES))
    def abandon(self, task: str, process: int) -> None:
        args = {"task_id": task, "by": "alice", "reason": "Nobody asked for it"}
        self._take(Step(process=process, op=Operation("abandon", args)))

    @rule(queue=st.sampled_from((*QUEUES, DEAD_LETTER, None, None)), process=st.sampled_from(PROCESSES))
    def look(self, queue: str | None, process: int) -> None:
        asks = Operation("escalations") if queue is None else Operation("list", {"queue": queue})
        self._take(Step(process=process, op=asks))

    @rule(count=st.sampled_from(TOGETHER), task=st.sampled_from(WORKING), alike=st.booleans())
    def together(self, count: int, task: str, alike: bool) -> None:
        """So many processes tell of failures at once, of one task or of several."""
        told = tuple(failed(task if alike else WORKING[number % len(WORKING)]) for number in range(count))
        self._take(Step(schedule=Schedule(told)))

    @rule(by_s=st.sampled_from(MOVES_S))
    def move_clock(self, by_s: float) -> None:
        self._driver.take(Step(clock=ClockStep(by_s)))

    @precondition(lambda self: self._asked)
    @rule(struck=st.sampled_from(("document", "storage", "surroundings", "restart")), data=st.data())
    def strike(self, struck: str, data: st.DataObject) -> None:
        """A file is damaged, storage or what surrounds the process fails, or the process ends."""
        fault = RESTARTED
        if struck == "storage" and not self._storage_fails:
            self._storage_fails = True
            fault = data.draw(STORAGE_TABLE.one_of(self._families))
        elif struck == "surroundings" and not self._surrounded:
            self._surrounded = True
            fault = data.draw(SURROUNDINGS_TABLE.one_of(self._families))
        elif struck == "document":
            fault = data.draw(DOCUMENT_TABLE.one_of(self._families))
        self._driver.take(Step(fault=fault))

    @precondition(lambda self: self._asked >= ASKED_BEFORE_STARTING_OVER)
    @rule()
    def start_over(self) -> None:
        self._begin_anew()
        self._driver.take(Step(op=Operation("reset")))

    def _take(self, step: Step) -> None:
        self._asked += 1
        self._driver.take(step)

    def _run_struck(self, data: st.DataObject) -> None:
        (*before, last), fault = data.draw(st.sampled_from(self._at_calls))
        self._driver.take(Step(op=Operation("reset")))
        self._supervised = SUPERVISED
        for step in (*before, Step(fault=fault), last, Step(op=Operation("list", {"queue": DEAD_LETTER}))):
            self._driver.take(step)


def dead_letter_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _DeadLetterMachine

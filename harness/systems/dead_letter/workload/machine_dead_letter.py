"""The stateful machine of dead-letter queues: failures told by several processes, reviews, humans, faults, time.

Each case draws its faults from some of the families only; see systems.swarm.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from harness.core.scenario import FileSpec, Operation, Schedule, Step, World
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
from harness.systems.struck_machine import PROCESSES, TOGETHER, WAYS, StruckMachine, faults_in
from harness.systems.swarm import subsets

TASKS = (*WORKING, *WORKING, "approach", "fixed", "dependency", "old", "nobody")
LETTERED = (*LETTER_IDS, "dropped", "fourth", "running", "third", "old")
FACTS_OF_ONE: tuple[Mapping[str, Any], ...] = ({}, *FACTS.values())
MOVES_S = (0.25, 60.0, DAY_S, DAY_S + 1, 2 * DAY_S, 4e8, -0.000001, -1.0, -3600.0, -1.7e9)
FAULTS = faults_in(tuple(rows()))
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


class _DeadLetterMachine(StruckMachine):
    """See StruckMachine."""

    FAULTS, MOVES_S, LEARNT_IN, STRUCK = FAULTS, MOVES_S, LEARNT_IN, STRUCK
    LOOKS = (Operation("list", {"queue": DEAD_LETTER}),)

    def _begin_anew(self) -> None:
        super()._begin_anew()

    @initialize(families=subsets(FAULTS.families), found=st.sampled_from(LETTER_FILES))
    def begin(self, families: frozenset[str], found: FileSpec | None) -> None:
        self._learn(families)
        self._driver.begin(World(CLOCK, {**WORLD, **({} if found is None else {DEAD_LETTER_PATH: found})}))

    @rule(
        way=st.sampled_from(WAYS), task=st.sampled_from(TASKS), other=st.sampled_from(TASKS),
        kind=st.sampled_from(KINDS), approach=st.sampled_from(APPROACHES), process=st.sampled_from(PROCESSES),
        data=st.data(),
    )  # fmt: skip
    def fail(
        self, way: str, task: str, other: str, kind: str, approach: str, process: int, data: st.DataObject
    ) -> None:
        if self._strikes_a_call(way, data):
            return
        if self._orders(way):
            both = (failed(task, kind, approach), failed(other))
            self._take_in_order(both, data)
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


def dead_letter_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _DeadLetterMachine

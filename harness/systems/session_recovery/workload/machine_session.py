"""The stateful machine of sessions: workers who claim and finish tasks, operations, recoveries, faults, time.

Each case draws its faults from some of the families only; see systems.swarm. Names are never used twice.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from harness.core.scenario import FileSpec, Operation, Schedule, Step, World
from harness.systems.session_recovery.contract import IN_PROGRESS_PATH, PENDING_PATH
from harness.systems.session_recovery.workload.candidates import BREAKERS, FAILURES, LIMITS, SPAWNS, TASKS
from harness.systems.session_recovery.workload.fault_rows import rows
from harness.systems.session_recovery.workload.session_steps import (
    CLOCK,
    FILES,
    FIRST,
    INTERFACE,
    SECOND,
    TREE,
    as_json,
    checkpointed,
    claimed,
    completed,
    queue,
    task,
)
from harness.systems.struck_machine import PROCESSES, TOGETHER, WAYS, StruckMachine, faults_in
from harness.systems.swarm import subsets

MOVES_S = (0.001, 1.0, 60.0, 199.0, 200.0, 86400.0, 4e8, -0.000001, -3600.0, -1.7e9)
FAULTS = faults_in(tuple(rows()))
QUEUES: tuple[Mapping[str, FileSpec], ...] = (
    *[{}] * 6,
    {PENDING_PATH: as_json([task(FIRST), task(SECOND)])},
    {PENDING_PATH: queue(task(FIRST), task(FIRST), None, task(SECOND))},
    {PENDING_PATH: queue(task(FIRST), task(SECOND)), IN_PROGRESS_PATH: queue(task(FIRST))},
    {PENDING_PATH: FileSpec(text='{"tasks": [{"task_id": ')},
    {IN_PROGRESS_PATH: queue(task(FIRST), task(SECOND)), PENDING_PATH: FileSpec(kind="absent")},
)  # fmt: skip
# what is struck at its file calls: a claim, a task's end, a checkpoint after another
LEARNT_IN = World(CLOCK, FILES)
STRUCK: tuple[tuple[Step, ...], ...] = (
    (Step(op=claimed("w1")),),
    (Step(op=claimed("w1")), Step(op=claimed("w2")), Step(op=completed(FIRST))),
    (Step(op=checkpointed("learnt-1")), Step(op=checkpointed("learnt-2"))),
)
LOST = Operation("resume", {"reason": "context_loss"})


class _SessionMachine(StruckMachine):
    """See StruckMachine."""

    FAULTS, MOVES_S, LEARNT_IN, STRUCK = FAULTS, MOVES_S, LEARNT_IN, STRUCK
    LOOKS = (LOST, Operation("ledger"))

    def _begin_anew(self) -> None:
        self._names = 0
        super()._begin_anew()

    @initialize(families=subsets(FAULTS.families), queues=st.sampled_from(QUEUES))
    def begin(self, families: frozenset[str], queues: Mapping[str, FileSpec]) -> None:
        self._learn(families)
        self._driver.begin(World(CLOCK, {**FILES, **queues}))

    @rule(way=st.sampled_from(WAYS), process=st.sampled_from(PROCESSES), data=st.data())
    def claim(self, way: str, process: int, data: st.DataObject) -> None:
        if self._strikes_a_call(way, data):
            return
        if self._orders(way):
            self._take_in_order((claimed("w1"), claimed("w2")), data)
        else:
            self._take(Step(process=process, op=claimed("w1")))

    @rule(id_=st.sampled_from(TASKS), process=st.sampled_from(PROCESSES))
    def complete(self, id_: str, process: int) -> None:
        self._take(Step(process=process, op=completed(id_)))

    @rule(
        id_=st.sampled_from(TASKS), interface=st.sampled_from((None, None, INTERFACE)),
        process=st.sampled_from(PROCESSES),
    )  # fmt: skip
    def start_task(self, id_: str, interface: str | None, process: int) -> None:
        args = {"task_id": id_} if interface is None else {"task_id": id_, "interface": interface}
        self._take(Step(process=process, op=Operation("start_task", args)))

    @rule(
        what=st.sampled_from(("turn", "lost", "lost", "ledger")), tree=st.sampled_from((TREE, {})),
        process=st.sampled_from(PROCESSES),
    )  # fmt: skip
    def look(self, what: str, tree: Mapping[str, str], process: int) -> None:
        """What changes nothing: a turn's beginning, a recovery, a look into the ledger."""
        operation = LOST if what == "lost" else Operation("ledger")
        if what == "turn":
            operation = Operation("begin_turn", {"tree": dict(tree)})
        self._take(Step(process=process, op=operation))

    @rule(facts=st.sampled_from(LIMITS), breaker=st.sampled_from(BREAKERS), process=st.sampled_from(PROCESSES))
    def hit_limit(self, facts: Mapping[str, Any], breaker: str, process: int) -> None:
        args = {"reason": "rate_limit", "facts": {"breaker": breaker, **facts}}
        self._take(Step(process=process, op=Operation("resume", args)))

    @rule(facts=st.sampled_from(FAILURES), process=st.sampled_from(PROCESSES))
    def fail_tests(self, facts: Mapping[str, Any], process: int) -> None:
        args = {"reason": "test_failure", "facts": {"output": "FAILED test_a.py::test_b", **facts}}
        self._take(Step(process=process, op=Operation("resume", args)))

    @rule(process=st.sampled_from(PROCESSES), state=st.sampled_from(({}, {"a": {"b": [None, 1.5]}}, {"name": "x"})))
    def checkpoint(self, process: int, state: Mapping[str, Any]) -> None:
        self._take(Step(process=process, op=checkpointed(self._name(), state)))

    @rule(
        kind=st.sampled_from(("major", "minor", "spawn", "spawn")), of=st.sampled_from(SPAWNS),
        implementing=st.booleans(), breaker=st.sampled_from((None, None, *BREAKERS)),
        process=st.sampled_from(PROCESSES),
    )  # fmt: skip
    def begin_operation(
        self, kind: str, of: tuple[int, int], implementing: bool, breaker: str | None, process: int
    ) -> None:
        name = self._name()
        args: dict[str, Any] = {"name": name, "kind": kind, "state": {"of": name}}
        if kind == "spawn":
            args |= {"agents": of[0], "worktrees": of[1], "implementing": implementing}
        if breaker is not None:
            args["breaker"] = breaker
        self._take(Step(process=process, op=Operation("begin_operation", args)))

    @rule(count=st.sampled_from(TOGETHER), finishing=st.booleans())
    def together(self, count: int, finishing: bool) -> None:
        """So many processes claim at once, and one finishes a task among them."""
        claims = [claimed(f"w{number}") for number in range(count)]
        self._take(Step(schedule=Schedule((completed(FIRST), *claims[1:]) if finishing else tuple(claims))))

    def _name(self) -> str:
        self._names += 1
        return f"m{self._names}"


def session_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _SessionMachine

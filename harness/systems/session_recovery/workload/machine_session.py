"""The stateful machine of sessions: workers who claim and finish tasks, operations, recoveries, faults, time.

Each case draws its faults from some of the families only; see systems.swarm. Names are never used twice.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, FileSpec, Operation, Schedule, Step, World
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
from harness.systems.swarm import CALLS, SCHEDULE, Table, subsets

PROCESSES = (0, 0, 0, 1, 2)
MOVES_S = (0.001, 1.0, 60.0, 199.0, 200.0, 86400.0, 4e8, -0.000001, -3600.0, -1.7e9)
SUPERVISED = 2  # operations of one world that are struck at a file call, or made in a chosen order: they cost the most
ASKED_BEFORE_STARTING_OVER = 3
TOGETHER = (2, 2, 2, 3, 8)  # a process that is started costs a hundred times what an operation does
# the faults of the scenarios, but for what only they give: arguments, and a clock of the year 9999
_PLACED = tuple(row.fault for row in rows() if row.fault is not None and row.fault.family != "identifier")
RESTARTED = Fault("process.restarted")
_SURROUNDING = frozenset({"clock", "process", "environment"})
DOCUMENT_FAULTS = tuple(fault for fault in _PLACED if fault.family == "json_document")
STORAGE_FAULTS = tuple(fault for fault in _PLACED if fault.family == "filesystem")
SURROUNDINGS = tuple(
    fault for fault in _PLACED if fault.family in _SURROUNDING and fault.name not in ("clock.year_9999", RESTARTED.name)
)
DOCUMENT_TABLE, STORAGE_TABLE, SURROUNDINGS_TABLE = Table(DOCUMENT_FAULTS), Table(STORAGE_FAULTS), Table(SURROUNDINGS)
FAMILIES = (
    *sorted(DOCUMENT_TABLE.families | STORAGE_TABLE.families | SURROUNDINGS_TABLE.families),
    CALLS,
    SCHEDULE,
)  # fmt: skip
WISHED = st.lists(st.integers(0, 1), max_size=12)  # who goes of two operations at once, call by call; then the first
# how tasks are claimed: as they are, struck at a file call, or two in some order
WAYS = ("plain", "plain", "plain", "plain", CALLS, SCHEDULE)
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


class _SessionMachine(RuleBasedStateMachine):
    """Every step goes to the driver, which plays and judges it."""

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self._driver = driver
        self._families: frozenset[str] = frozenset()
        self._at_calls: tuple[tuple[tuple[Step, ...], Fault], ...] = ()
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._names = self._asked = self._supervised = 0
        self._storage_fails = self._surrounded = False

    def teardown(self) -> None:
        self._driver.end()

    @initialize(families=subsets(FAMILIES), queues=st.sampled_from(QUEUES))
    def begin(self, families: frozenset[str], queues: Mapping[str, FileSpec]) -> None:
        self._families = families
        if CALLS in families:
            learnt = [(steps, self._driver.faults_at_calls(LEARNT_IN, *steps)) for steps in STRUCK]
            self._at_calls = tuple((steps, fault) for steps, faults in learnt for fault in faults)
        self._driver.begin(World(CLOCK, {**FILES, **queues}))

    @rule(way=st.sampled_from(WAYS), process=st.sampled_from(PROCESSES), data=st.data())
    def claim(self, way: str, process: int, data: st.DataObject) -> None:
        left = self._supervised < SUPERVISED
        if way == CALLS and self._at_calls and left:
            self._run_struck(data)
        elif way == SCHEDULE and SCHEDULE in self._families and left and self._driver.strikes_calls():
            self._supervised += 1
            self._take(Step(schedule=Schedule((claimed("w1"), claimed("w2")), tuple(data.draw(WISHED)))))
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

    def _name(self) -> str:
        self._names += 1
        return f"m{self._names}"

    def _run_struck(self, data: st.DataObject) -> None:
        (*before, last), fault = data.draw(st.sampled_from(self._at_calls))
        self._begin_anew()  # what is struck was learnt in a fresh world
        self._driver.take(Step(op=Operation("reset")))
        self._supervised = SUPERVISED
        for step in (*before, Step(fault=fault), last, Step(op=LOST), Step(op=Operation("ledger"))):
            self._driver.take(step)


def session_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _SessionMachine

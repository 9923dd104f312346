"""The stateful machine of diagnoses: failures of several tools and processes, recoveries, faults, time.

Each case draws its faults from some of the families only; see systems.swarm.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from harness.core.fault import Fault
from harness.core.scenario import FileSpec, Operation, Schedule, Step, World
from harness.systems.diagnosis.contract import (
    CONTEXT_LOG_PATH,
    EPISODIC_MEMORY_PATH,
    PREVIOUS_ACTIONS,
    SESSION_MEMORY_PATH,
    ErrorType,
    Flag,
)
from harness.systems.diagnosis.workload.candidates import MODELS
from harness.systems.diagnosis.workload.diagnosis_steps import (
    CLOCK,
    FIRST_ITERATION,
    TOOK,
    action,
    context,
    observed,
    outcome,
    worked,
)
from harness.systems.diagnosis.workload.failures import (
    AVAILABLE,
    DOUBLE,
    FIRST,
    GIT,
    LOOK_ALIKES,
    OF_TYPE,
    READ,
    REPO_BROWSER,
    UNKNOWN,
    Failure,
    missing,
)
from harness.systems.diagnosis.workload.fault_rows import HOME
from harness.systems.diagnosis.workload.memory_boundaries import EPISODIC_LINE, LOG_LINE, SESSION_LINE
from harness.systems.diagnosis.workload.recovery_boundaries import HOSTILE
from harness.systems.diagnosis.workload.type_boundaries import TOOL_SETS
from harness.systems.families import CALLS, SCHEDULE
from harness.systems.struck_machine import PROCESSES, Faults, StruckMachine
from harness.systems.swarm import Table, subsets

# the ordinary ones first: what is drawn shrinks towards them
FAILURES: tuple[Failure, ...] = (
    GIT, READ, REPO_BROWSER, *(FIRST[kind] for kind in ErrorType if kind in FIRST),
    *(failure for failures in OF_TYPE.values() for failure in failures[1:]), *LOOK_ALIKES, *UNKNOWN, *DOUBLE,
    *(missing("git", f"git clone https://example.com/{text}") for _, text in HOSTILE),
)  # fmt: skip
TOOLS = (AVAILABLE, AVAILABLE, AVAILABLE, *TOOL_SETS.values())
MOVES_S = (1.0, 0.001, 86400.0, -0.001, -3600.0, 4e8, -1.7e9)
CONTEXTS: tuple[Any, ...] = (None, [], {}, {"iteration": "two"}, {**context(), "availableTools": None})
FLAGS: tuple[Mapping[str, str], ...] = (
    {}, {}, {}, {}, {}, {Flag.ENABLED.value: "0"}, {Flag.WHY_DEPTH.value: "2"}, {Flag.WHY_DEPTH.value: "0"},
    {Flag.TEMPERATURE.value: "0"}, {Flag.MAX_TOKENS.value: "1"}, {Flag.MAX_RECOVERY_ATTEMPTS.value: "0"},
    {Flag.MAX_RECOVERY_ATTEMPTS.value: "1"}, {Flag.MAX_RECOVERY_ATTEMPTS.value: "9"}, {Flag.FAST_RECOVERY.value: "0"},
    {Flag.STORE_FULL.value: "0"}, {Flag.WHY_DEPTH.value: "x", Flag.STORE_FULL.value: "maybe"},
)  # fmt: skip
_PATHS = (SESSION_MEMORY_PATH, EPISODIC_MEMORY_PATH, CONTEXT_LOG_PATH)
_FOUND = (SESSION_LINE, EPISODIC_LINE, LOG_LINE)
WORLDS: tuple[Mapping[str, FileSpec], ...] = (
    *[{}] * 6,
    {path: FileSpec(text=line + "\n") for path, line in zip(_PATHS, _FOUND, strict=True)},
    {path: FileSpec(text=line[:50]) for path, line in zip(_PATHS, _FOUND, strict=True)},
    {path: FileSpec(text=f"5\n\x07\n{line}") for path, line in zip(_PATHS, _FOUND, strict=True)},
)


def _faults(family: str, path: str | None, *kinds: str) -> tuple[Fault, ...]:
    return tuple(Fault(f"{family}.{kind}", path) for kind in kinds)


LINE_FAULTS = tuple(
    fault
    for path in _PATHS[:2]
    for fault in (
        *_faults(
            "jsonl", path, "torn_tail", "interleaved", "garbage_lines", "non_object_lines", "bom", "nul_bytes",
            "bad_utf8", "wrong_roles", "duplicate_keys", "nan", "huge_integer", "blank_lines", "leap_second",
            "invalid_timestamps", "grown",
        ),
        *_faults("filesystem", path, "missing", "empty", "garbled", "aged", "leftover"),
    )
)  # fmt: skip
STORAGE_FAULTS = (
    *(
        fault
        for path in _PATHS
        for fault in _faults(
            "filesystem", path, "directory", "dangling_link", "symlink_loop", "unreadable", "not_writable",
            "full_device", "fifo", "link_outside", "busy", "vanishing", "growing",
        )
    ),
    *_faults("filesystem", HOME, "read_only", "full", "no_inodes", "not_writable"),
)  # fmt: skip
SURROUNDINGS = (
    *(Fault(f"clock.{kind}", None, {"by_s": 7200}) for kind in ("back", "forward", "jump")),
    *_faults("clock", None, "frozen", "year_1970", "year_2038"),
    Fault("clock.time_zone", None, {"name": "Pacific/Kiritimati"}),
    *(Fault("process.killed", None, {"signal": signal, "at": 0.5}) for signal in ("SIGKILL", "SIGTERM")),
    Fault("process.slow_disk", None, {"delay_ms": 1}),
    Fault("process.paused", None, {"for_ms": 2}),
    Fault("process.few_descriptors", None, {"count": 16}),
    Fault("process.file_size", None, {"bytes": 0}),
    Fault("process.file_size", None, {"bytes": 300}),
    Fault("process.lock_held", SESSION_MEMORY_PATH),
    *_faults(
        "environment", None, "no_home", "empty_home", "missing_home", "read_only_home", "odd_locale", "no_path",
        "no_tmpdir", "nothing", "deleted_cwd", "odd_umask", "stderr_closed", "stderr_full",
    ),
)  # fmt: skip
FAULTS = Faults(Table(LINE_FAULTS), Table(STORAGE_FAULTS), Table(SURROUNDINGS))

# what is struck at its file calls: the first failure, one after another, and the outcome of a recovery
LEARNT_IN = World(CLOCK)
_FAILED = Step(op=observed("learnt-1", GIT, context()))
STRUCK: tuple[tuple[Step, ...], ...] = (
    (_FAILED,),
    (_FAILED, Step(op=observed("learnt-2", READ, context()))),
    (_FAILED, Step(op=outcome("learnt-1", success=True))),
    (_FAILED, Step(op=outcome("learnt-1", success=False))),
)


class _ReflectionMachine(StruckMachine):
    """See StruckMachine."""

    FAULTS, MOVES_S, LEARNT_IN, STRUCK = FAULTS, MOVES_S, LEARNT_IN, STRUCK
    _calls = 0

    def _begin_anew(self) -> None:
        self._failed: list[tuple[str, int]] = []  # calls, each with the process that observed it
        self._previous: list[Mapping[str, Any]] = []
        self._iteration = FIRST_ITERATION - 1
        super()._begin_anew()

    @initialize(families=subsets(FAULTS.families), flags=st.sampled_from(FLAGS), files=st.sampled_from(WORLDS))
    def begin(self, families: frozenset[str], flags: Mapping[str, str], files: Mapping[str, FileSpec]) -> None:
        self._learn(families)
        self._driver.begin(World(CLOCK, dict(files), {"flags": dict(flags)} if flags else {}))

    @rule(
        failure=st.sampled_from(FAILURES),
        tools=st.sampled_from(TOOLS),
        model=st.sampled_from(MODELS),
        process=st.sampled_from(PROCESSES),
    )
    def fail(self, failure: Failure, tools: tuple[str, ...], model: Mapping[str, Any] | None, process: int) -> None:
        self._fails(failure, self._context(tools), process, model)
        self._previous.append(action(failure.tool, failure.args, "failed", success=False))

    @rule(failure=st.sampled_from(FAILURES[:6]), where=st.sampled_from(CONTEXTS))
    def fail_in_odd_context(self, failure: Failure, where: Any) -> None:
        self._fails(failure, where)

    @rule(process=st.sampled_from(PROCESSES))
    def work(self, process: int) -> None:
        self._asked += 1
        self._driver.take(Step(process=process, op=worked(self._call(), self._context())))
        self._previous.append(action("read_file", {"path": "README.md"}))

    @rule(failure=st.sampled_from(FAILURES[:6]), times=st.sampled_from((3, 1, 2)), process=st.sampled_from(PROCESSES))
    def recover(self, failure: Failure, times: int, process: int) -> None:
        """The same call fails, and its recovery succeeds, so many times; then it fails again."""
        for _ in range(times):
            call = self._fails(failure, self._context(), process)
            self._driver.take(Step(process=process, op=outcome(call, success=True)))
        self._fails(failure, self._context(), process)

    @precondition(lambda self: self._failed)
    @rule(data=st.data(), success=st.booleans(), iterations=st.sampled_from((TOOK, 1, 0, 100)))
    def tell(self, data: st.DataObject, success: bool, iterations: int) -> None:
        """How the recovery of a call ended that failed before."""
        call, process = data.draw(st.sampled_from(self._failed))
        self._driver.take(Step(process=process, op=outcome(call, success=success, iterations=iterations)))

    @precondition(lambda self: self._failed)
    @rule(data=st.data(), operation=st.sampled_from(("prompt", "report")))
    def show(self, data: st.DataObject, operation: str) -> None:
        call, process = data.draw(st.sampled_from(self._failed))
        self._driver.take(Step(process=process, op=Operation(operation, {"call": call})))

    @rule(failures=st.lists(st.sampled_from(FAILURES[:6]), min_size=2, max_size=3), data=st.data())
    def together(self, failures: list[Failure], data: st.DataObject) -> None:
        """Failures at once, or two of them in some order of their file calls."""
        ordered = self._orders(SCHEDULE)
        failures = failures[:2] if ordered else failures
        fails = tuple(observed(self._call(), failure, self._context()) for failure in failures)
        self._asked += len(fails)
        order = self._order(data) if ordered else None
        self._driver.take(Step(schedule=Schedule(fails, order)))
        self._failed += [(each.args["call"], number) for number, each in enumerate(fails, 1)]

    @precondition(lambda self: self._at_calls and self._may_supervise())
    @rule(data=st.data())
    def strike_a_call(self, data: st.DataObject) -> None:
        self._strikes_a_call(CALLS, data)

    def _looks(self) -> Iterable[Operation]:
        return (worked(self._call(), self._context()),)

    def _call(self) -> str:
        self._calls += 1
        return f"m{self._calls}"

    def _context(self, tools: tuple[str, ...] = AVAILABLE) -> Mapping[str, Any]:
        self._iteration += 1
        return context(self._iteration, self._previous[-PREVIOUS_ACTIONS:], tools)

    def _fails(self, failure: Failure, where: Any, process: int = 0, model: Mapping[str, Any] | None = None) -> str:
        call = self._call()
        self._asked += 1
        self._driver.take(Step(process=process, op=observed(call, failure, where, model)))
        self._failed.append((call, process))
        return call


def reflection_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _ReflectionMachine

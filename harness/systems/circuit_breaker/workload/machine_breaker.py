"""The stateful machine of circuit breakers: calls of several processes, results that come late or never, faults, time.

Each case draws its faults from some of the families only; see systems.swarm. A breaker takes many steps to go round
once, so some rules are a few steps at a time; what a failing case does not need of them is left out when it shrinks.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, FileSpec, Operation, Schedule, Step, World
from harness.systems.circuit_breaker.contract import RECOVERY_LOG_PATH, STATE_PATH, Outcome, State
from harness.systems.circuit_breaker.workload.breaker_steps import (
    CLOCK,
    COOLDOWN_S,
    ERROR,
    INSTANT_S,
    INTERVAL_S,
    LOG_DIRECTORY,
    NAME,
    OTHER,
    STATE_DIRECTORY,
    WINDOW_S,
    acquire,
    failure,
    inspect,
    success,
)
from harness.systems.families import CALLS, SCHEDULE
from harness.systems.struck_machine import PROCESSES, TOGETHER, Faults, StruckMachine
from harness.systems.swarm import Table, subsets

NAMES = (NAME, NAME, NAME, OTHER, "a/../b\u00fc")
# around each limit, backwards, and to the ends of what clocks can show
MOVES_S = (
    INTERVAL_S, COOLDOWN_S, WINDOW_S, 1.0, INSTANT_S, INTERVAL_S - INSTANT_S, WINDOW_S - INSTANT_S,
    WINDOW_S + INSTANT_S, COOLDOWN_S - INSTANT_S, COOLDOWN_S + INSTANT_S, 30.0, 120.0, 4e8, -INSTANT_S, -30.0, -3600.0,
    -1.7e9,
)  # fmt: skip
AGENTS = (5, 1, 2, 8)


def _faults(family: str, path: str | None, *kinds: str) -> tuple[Fault, ...]:
    return tuple(Fault(f"{family}.{kind}", path) for kind in kinds)


STATE_FAULTS = (
    *_faults(
        "json_document", STATE_PATH, "truncated", "empty", "not_json", "list", "scalar", "null", "bad_utf8", "bom",
        "huge_integer", "deep_nesting", "duplicate_keys", "nul_bytes", "nan", "wrong_types", "out_of_range",
    ),
    Fault("json_document.wrong_types", STATE_PATH, {"field": NAME}),
    *_faults("filesystem", STATE_PATH, "missing", "empty", "parent_missing", "garbled", "aged", "leftover"),
)  # fmt: skip
STORAGE_FAULTS = (
    *_faults(
        "filesystem", STATE_PATH, "directory", "fifo", "symlink_loop", "dangling_link", "link_outside", "unreadable",
        "not_writable", "busy", "full_device", "vanishing", "growing",
    ),
    *_faults(
        "filesystem", STATE_DIRECTORY, "file_for_directory", "missing", "read_only", "full", "no_inodes",
        "not_writable", "unreadable", "symlink_loop", "dangling_link", "link_outside", "garbled", "leftover",
        "vanishing",
    ),
    *_faults("filesystem", RECOVERY_LOG_PATH, "directory", "dangling_link", "fifo", "busy", "full_device"),
    *_faults("filesystem", LOG_DIRECTORY, "file_for_directory", "read_only", "full"),
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
    Fault("process.file_size", None, {"bytes": 64}),
    Fault("process.lock_held", STATE_PATH),
    *_faults(
        "environment", None, "no_home", "empty_home", "missing_home", "read_only_home", "odd_locale", "no_path",
        "no_tmpdir", "nothing", "deleted_cwd", "odd_umask", "stderr_closed", "stderr_full",
    ),
    *(
        Fault(f"identifier.{kind}", None, {"field": "name"})
        for kind in ("empty", "separators", "dot_dot", "nul", "long", "unicode")
    ),
)  # fmt: skip
FAULTS = Faults(Table(STATE_FAULTS), Table(STORAGE_FAULTS), Table(SURROUNDINGS))
# how calls are made: as they are, without an end yet, struck at a file call, or two in some order
WAYS = ("plain", "plain", "plain", "begin", "begin", CALLS, SCHEDULE)
AFTER_S = (0.0, 0.0, 0.0, 0.0, COOLDOWN_S, COOLDOWN_S, INTERVAL_S, WINDOW_S, COOLDOWN_S - INSTANT_S)
TUNABLES: tuple[Mapping[str, Any], ...] = (
    {}, {}, {}, {}, {"threshold": 1}, {"threshold": 5}, {"window_s": 10.0}, {"cooldown_s": 20.0},
    {"half_open_interval_s": 1.0}, {"recovery_threshold": 1},
)  # fmt: skip
CONFIGURED: tuple[Mapping[str, Any], ...] = (
    {"threshold": 0}, {"threshold": 2}, {"threshold": "NaN"}, {"recovery_threshold": True}, {"cooldown_s": -1},
    {"window_s": None}, {"colour": 1}, {"threshold": 2.5}, {"threshold": 3},
)  # fmt: skip
OTHERS: tuple[Operation | None, ...] = (
    None, None, None, None,
    *(Operation("capacity", {"agents": agents}) for agents in AGENTS),
    *(Operation("configure", {"tunables": dict(tunables)}) for tunables in CONFIGURED),
)  # fmt: skip
_OPEN = {
    "state": "OPEN", "failure_count": 3, "success_count": 0, "last_failure_time": "2026-03-01T11:59:00Z",
    "last_state_change": "2026-03-01T11:59:00Z", "cooldown_until": "2026-03-01T12:04:00Z",
}  # fmt: skip
IS_OPEN = json.dumps({NAME: _OPEN})
ODD_FILES = (json.dumps({NAME: {**_OPEN, "state": "open"}}), json.dumps({NAME: {**_OPEN, "failure_count": "3"}}))
STATE_FILES: tuple[str | None, ...] = (*[None] * 9, *[IS_OPEN] * 3, "{}", *ODD_FILES, IS_OPEN[:60])


class Flying(NamedTuple):
    """A call that was permitted and has not ended."""

    name: str
    call: str


def _opening() -> tuple[Step, ...]:
    steps: list[Step] = []
    for number in range(3):
        steps += [Step(op=acquire(NAME, f"learnt-{number}")), Step(op=failure(NAME, f"learnt-{number}"))]
    return tuple(steps)


# what is struck at its file calls: a failure that is counted, the one that opens, and a call that is the probe
LEARNT_IN = World(CLOCK)
OPENING = _opening()
PROBE = Step(op=acquire(NAME, "learnt-probe"))
STRUCK: tuple[tuple[Step, ...], ...] = (
    OPENING[:2], OPENING, (*OPENING, Step(clock=ClockStep(COOLDOWN_S)), PROBE),
)  # fmt: skip


class _BreakerMachine(StruckMachine):
    """See StruckMachine."""

    FAULTS, MOVES_S, LEARNT_IN, STRUCK = FAULTS, MOVES_S, LEARNT_IN, STRUCK
    LOOKS = (inspect(NAME),)

    def _begin_anew(self) -> None:
        self._flying: list[Flying] = []
        self._waiting: list[Flying] = []
        self._calls = 0
        self._opened: str | None = None  # the breaker that was OPEN last
        super()._begin_anew()

    @initialize(
        families=subsets(FAULTS.families),
        tunables=st.sampled_from(TUNABLES),
        state=st.sampled_from(STATE_FILES),
    )
    def begin(self, families: frozenset[str], tunables: Mapping[str, Any], state: str | None) -> None:
        self._learn(families)
        files = {} if state is None else {STATE_PATH: FileSpec(text=state)}
        self._driver.begin(World(CLOCK, files, {"tunables": dict(tunables)} if tunables else {}))

    @rule(
        name=st.sampled_from(NAMES),
        way=st.sampled_from(WAYS),
        after_s=st.sampled_from(AFTER_S),
        outcome=st.sampled_from((Outcome.FAILURE, Outcome.FAILURE, Outcome.SUCCESS)),
        times=st.sampled_from((3, 3, 1, 2)),
        process=st.sampled_from(PROCESSES),
        data=st.data(),
    )
    def call(
        self, name: str, way: str, after_s: float, outcome: Outcome, times: int, process: int, data: st.DataObject
    ) -> None:
        if after_s:
            self._driver.take(Step(clock=ClockStep(after_s)))
        if self._strikes_a_call(way, data):
            return
        if self._orders(way):
            self._run_in_order(name, outcome, data)
        elif way == "begin":
            flying = self._begun(name, process=process, urgent=outcome is Outcome.FAILURE)
            self._flying += [flying] if flying is not None else []
        else:
            for _ in range(times):
                flying = self._begun(name, process=process)
                if flying is not None:
                    self._ended(flying, outcome, process)

    @rule(name=st.sampled_from(NAMES), successes=st.sampled_from((3, 1, 2)))
    def probe(self, name: str, successes: int) -> None:
        """Time goes on to the end of a cooldown, and probes succeed, each as soon as it may be sent."""
        name = self._opened or name
        self._driver.take(Step(clock=ClockStep(COOLDOWN_S)))
        for number in range(successes):
            if number:
                self._driver.take(Step(clock=ClockStep(INTERVAL_S)))
            flying = self._begun(name)
            if flying is not None:
                self._ended(flying, Outcome.SUCCESS)

    @precondition(lambda self: self._flying or self._waiting)
    @rule(data=st.data(), outcome=st.sampled_from((Outcome.FAILURE, Outcome.SUCCESS)))
    def end_late(self, data: st.DataObject, outcome: Outcome) -> None:
        """A call that is in flight ends, or one that waits is asked for again."""
        number = data.draw(st.integers(0, len(self._flying) + len(self._waiting) - 1))
        if number < len(self._flying):
            self._ended(self._flying.pop(number), outcome)
            return
        flying = self._waiting.pop(number - len(self._flying))
        self._flying += [flying] if self._asked_for(flying) else []

    @rule(name=st.sampled_from(NAMES), process=st.sampled_from(PROCESSES), other=st.sampled_from(OTHERS))
    def look(self, name: str, process: int, other: Operation | None) -> None:
        self._driver.take(Step(process=process, op=inspect(name)) if other is None else Step(op=other))

    @rule(
        name=st.sampled_from(NAMES),
        count=st.sampled_from(TOGETHER),
        outcome=st.sampled_from((Outcome.FAILURE, Outcome.SUCCESS)),
    )
    def together(self, name: str, count: int, outcome: Outcome) -> None:
        """Calls in flight end at once, where there are some; else so many are asked for at once."""
        if len(self._flying) > 1:
            ended, self._flying = self._flying[:3], self._flying[3:]
            self._driver.take(Step(schedule=Schedule(tuple(_result(each, outcome) for each in ended))))
            return
        flying = [Flying(name, self._call()) for _ in range(count)]
        asked = Schedule(tuple(acquire(name, each.call) for each in flying))
        self._asked += count
        self._flying += self._permitted(flying, self._driver.take(Step(schedule=asked)))

    def _call(self) -> str:
        self._calls += 1
        return f"m{self._calls}"

    def _begun(self, name: str, *, process: int = 0, urgent: bool = True) -> Flying | None:
        """A call that was permitted; one that waits is kept, to be asked for again."""
        flying = Flying(name, self._call())
        return flying if self._asked_for(flying, process, urgent=urgent) else None

    def _asked_for(self, flying: Flying, process: int = 0, *, urgent: bool = True) -> bool:
        self._asked += 1
        operation = acquire(flying.name, flying.call, urgent=urgent)
        return bool(self._permitted([flying], self._driver.take(Step(process=process, op=operation))))

    def _permitted(self, asked: list[Flying], replies: Sequence[Any]) -> list[Flying]:
        """Those that may run, all of them where nobody answers; those that wait are kept, to be asked for again."""
        if not replies:
            return asked
        values = [reply.value for reply in replies]
        if any(value.get("state") == State.OPEN for value in values):
            self._opened = asked[0].name
        waits = [value.get("held") in ("queued", "blocked") for value in values]
        self._waiting += [flying for flying, held in zip(asked, waits, strict=True) if held]
        return [flying for flying, value in zip(asked, values, strict=True) if value.get("permitted") is True]

    def _ended(self, flying: Flying, outcome: Outcome, process: int = 0) -> None:
        for reply in self._driver.take(Step(process=process, op=_result(flying, outcome))):
            if reply.value.get("state") == State.OPEN:
                self._opened = flying.name

    def _run_in_order(self, name: str, outcome: Outcome, data: st.DataObject) -> None:
        flying = [Flying(name, self._call()) for _ in range(2)]
        order = self._order(data)
        asked = Schedule(tuple(acquire(name, each.call) for each in flying), order)
        begun = self._permitted(flying, self._driver.take(Step(schedule=asked)))
        if len(begun) > 1:
            self._driver.take(Step(schedule=Schedule(tuple(_result(each, outcome) for each in begun), order)))
        else:
            self._flying += begun


def _result(flying: Flying, outcome: Outcome) -> Operation:
    if outcome is Outcome.FAILURE:
        return failure(flying.name, flying.call, ERROR)
    return success(flying.name, flying.call)


def breaker_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _BreakerMachine

"""The stateful machine of the gate profile: checks alone and at once, faults of every family and time, in any order.

Each case draws its faults from some of the families only; see systems.swarm.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, FileSpec, Operation, Schedule, Step, World
from harness.systems.families import CALLS, SCHEDULE
from harness.systems.stop_gate.contract import CONFIG_PATH, RUNTIME_DIRECTORY, SKIP_VARIABLE
from harness.systems.stop_gate.workload.transcripts import CONCLUSIVE, flat, messages
from harness.systems.swarm import Table, subsets

CLOCK = "2026-03-01T12:00:00Z"
FOLDER = "{project}/transcripts"
TRANSCRIPT = f"{FOLDER}/transcript.jsonl"
SESSIONS = ("session-1", "session-2", "a.b_c-9")
HOSTILE = ("../../outside/x", "a/b", "x" * 300)
SEMAPHORE = f"{RUNTIME_DIRECTORY}/.session-1_completed"
SUMMARY = f"{RUNTIME_DIRECTORY}/session-1/summary.md"
# around the semaphore's hour, backwards, and to the ends of what clocks can show
MOVES_S = (1.0, 61.0, 3600.0, 3601.0, 7200.0, 4e8, -30.0, -3600.0, -1.7e9)
SUPERVISED = 2  # checks of one world that are struck at a file call, or made in a chosen order: they cost the most
ASKED_BEFORE_STARTING_OVER = 3  # a world in which nothing was asked is no case worth its steps
INSTANT = ("satisfied", "satisfied", "failed", "missing", "raises", "exits", "interrupts", "recurses", "network_error")
# a process that is started costs a hundred times what an operation does, so few schedules are wide
TOGETHER = (2, 2, 2, 3, 8)


def _faults(family: str, path: str | None, *kinds: str) -> tuple[Fault, ...]:
    return tuple(Fault(f"{family}.{kind}", path) for kind in kinds)


TRANSCRIPT_FAULTS = (
    *_faults(
        "jsonl", TRANSCRIPT, "grown", "blank_lines", "torn_tail", "bom", "nul_bytes", "bad_utf8", "non_object_lines",
        "wrong_roles", "interleaved", "duplicate_keys", "nan", "huge_integer", "deep_nesting", "leap_second",
        "invalid_timestamps",
    ),
    *(Fault("jsonl.garbage_lines", TRANSCRIPT, {"count": count}) for count in (1, 10, 11)),
    *_faults(
        "filesystem", TRANSCRIPT, "missing", "empty", "directory", "fifo", "symlink_loop", "dangling_link",
        "unreadable", "not_writable", "parent_missing", "leftover", "full_device", "vanishing", "growing",
    ),
)  # fmt: skip
CONFIG_FAULTS = (
    *_faults(
        "json_document", CONFIG_PATH, "truncated", "empty", "not_json", "list", "scalar", "null", "bad_utf8", "bom",
        "nul_bytes", "nan", "huge_integer", "deep_nesting", "duplicate_keys",
    ),
    Fault("json_document.wrong_types", CONFIG_PATH, {"field": "enabled"}),
    Fault("json_document.out_of_range", CONFIG_PATH, {"field": "timeout_seconds"}),
    *_faults(
        "filesystem", CONFIG_PATH, "missing", "directory", "fifo", "symlink_loop", "dangling_link", "link_outside",
        "unreadable", "vanishing",
    ),
)  # fmt: skip
STORAGE_FAULTS = (
    *_faults(
        "filesystem", RUNTIME_DIRECTORY, "file_for_directory", "missing", "read_only", "full", "no_inodes",
        "not_writable", "unreadable", "symlink_loop", "dangling_link", "link_outside", "garbled", "aged", "leftover",
        "vanishing", "parent_missing",
    ),
    Fault("filesystem.full", RUNTIME_DIRECTORY, {"free_bytes": 100}),
    *_faults("filesystem", SEMAPHORE, "directory", "dangling_link", "fifo", "busy", "full_device"),
    *_faults("filesystem", SUMMARY, "directory", "dangling_link", "fifo", "busy", "full_device"),
)  # fmt: skip
SURROUNDINGS = (
    *_faults(
        "environment", None, "no_home", "empty_home", "missing_home", "read_only_home", "odd_locale", "no_path",
        "no_tmpdir", "nothing", "deleted_cwd", "odd_umask", "stderr_closed", "stderr_full",
    ),
    *_faults("clock", None, "frozen", "year_1970", "year_2038"),
    *(Fault(f"clock.{kind}", None, {"by_s": 7200}) for kind in ("back", "forward", "jump")),
    Fault("clock.time_zone", None, {"name": "Pacific/Kiritimati"}),
    *(Fault("process.killed", None, {"signal": signal, "at": 0.5}) for signal in ("SIGKILL", "SIGTERM")),
    Fault("process.slow_disk", None, {"delay_ms": 2}),
    Fault("process.paused", None, {"for_ms": 50}),
    Fault("process.few_descriptors", None, {"count": 16}),
    Fault("process.file_size", None, {"bytes": 0}),
    Fault("process.restarted"),
    Fault("process.lock_held", SEMAPHORE),
    *_faults(
        "network", None, "refused", "timeout", "rate_limited", "rate_limited_retry_after", "server_error", "garbage"
    ),
    *(
        Fault(f"collaborator.{kind}", None, {"program": "git"})
        for kind in ("missing", "exits", "raises", "garbage", "hangs", "slow")
    ),
    *_faults(
        "identifier", None, "absent", "empty", "null", "separators", "dot_dot", "absolute", "nul", "long", "unicode",
        "whitespace",
    ),
    Fault("identifier.other_session", None, {"value": "session-2"}),
)  # fmt: skip
TRANSCRIPT_TABLE, CONFIG_TABLE = Table(TRANSCRIPT_FAULTS), Table(CONFIG_FAULTS)
STORAGE_TABLE, SURROUNDINGS_TABLE = Table(STORAGE_FAULTS), Table(SURROUNDINGS)
FAMILIES = (
    *sorted(TRANSCRIPT_TABLE.families | CONFIG_TABLE.families | STORAGE_TABLE.families | SURROUNDINGS_TABLE.families),
    CALLS,
    SCHEDULE,
)  # fmt: skip
WISHED = st.lists(st.integers(0, 1), max_size=12)  # who goes of two checks at once, call by call; then the first
# how a check is asked: mostly as it is. A rule of their own would leave fewer steps to the faults
WAYS = ("plain", "plain", "plain", "plain", CALLS, SCHEDULE)

considerations = st.lists(
    st.tuples(st.sampled_from(INSTANT), st.sampled_from((None, "blocker", "warning"))), max_size=4
).map(
    lambda drawn: [
        {"id": f"c{number}", "outcome": outcome, **({"severity": severity} if severity else {})}
        for number, (outcome, severity) in enumerate(drawn)
    ]
)
session_ids = st.sampled_from((*SESSIONS, None, "", *HOSTILE))
configurations = st.sampled_from(
    (
        None,
        "{}",
        '{"enabled": true}',
        '{"enabled": false}',
        '{"enabled": 1}',
        '{"timeout_seconds": 60, "colour": "red"}',
        '{"timeout_seconds": 0}',
        '{"timeout_seconds": 301}',
        '{"timeout_seconds": true}',
    )
)
FAILED = {"id": "c0", "outcome": "failed", "severity": "blocker"}
OTHERS = (
    Operation("metrics"),
    Operation("continuation_prompt", {"failed": []}),
    Operation("continuation_prompt", {"failed": [FAILED]}),
)


def check(session_id: str | None, drawn: Any, environment: dict[str, str] | None = None) -> Operation:
    """One check of a session with these considerations."""
    args: dict[str, Any] = {
        "transcript_path": TRANSCRIPT,
        "project_root": "{project}",
        "session_id": session_id,
        "considerations": drawn,
    }
    if environment:
        args["environment"] = environment
    return Operation("check", args)


# what is struck at its file calls: a check that blocks, one that approves, and that one after the other
LEARNT_IN = World(CLOCK, {TRANSCRIPT: FileSpec(text=f"{flat('user', 'Go on.')}\n{flat('assistant', CONCLUSIVE)}\n")})
BLOCKS = Step(op=check(SESSIONS[0], [FAILED]))
APPROVES = Step(op=check(SESSIONS[0], []))
STRUCK = ((BLOCKS,), (APPROVES,), (BLOCKS, APPROVES))


class _GateMachine(RuleBasedStateMachine):
    """Every step goes to the driver, which plays and judges it."""

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self._driver = driver
        self._storage_fails = False
        self._surrounded = False
        self._asked = self._supervised = 0
        self._last: Step | None = None
        self._families: frozenset[str] = frozenset()
        self._at_calls: tuple[tuple[tuple[Step, ...], Fault], ...] = ()  # and what is asked before and then

    def teardown(self) -> None:
        self._driver.end()

    @initialize(
        families=subsets(FAMILIES),
        transcript=messages(),
        configuration=configurations,
        struck=st.sampled_from((None, None, TRANSCRIPT_TABLE, CONFIG_TABLE)),
        data=st.data(),
    )
    def begin(
        self,
        families: frozenset[str],
        transcript: str,
        configuration: str | None,
        struck: Table[Fault] | None,
        data: st.DataObject,
    ) -> None:
        self._families = families
        if CALLS in families:
            learnt = [(steps, self._driver.faults_at_calls(LEARNT_IN, *steps)) for steps in STRUCK]
            self._at_calls = tuple((steps, fault) for steps, faults in learnt for fault in faults)
        files = {TRANSCRIPT: FileSpec(text=transcript)}
        if configuration is not None:
            files[CONFIG_PATH] = FileSpec(text=configuration)
        self._driver.begin(World(CLOCK, files))
        if struck is not None:  # Hypothesis leaves each rule out of many cases: few would else have two faults
            self._driver.take(Step(fault=data.draw(struck.one_of(families))))

    @rule(
        session_id=session_ids,
        drawn=considerations,
        skip=st.sampled_from((None, None, None, "1")),
        way=st.sampled_from(WAYS),
        data=st.data(),
    )
    def ask(self, session_id: str | None, drawn: Any, skip: str | None, way: str, data: st.DataObject) -> None:
        self._asked += 1
        left = self._supervised < SUPERVISED
        if way == CALLS and self._at_calls and left:
            self._ask_struck(data)
        elif way == SCHEDULE and SCHEDULE in self._families and left and self._driver.strikes_calls():
            self._ask_in_order(data)
        else:
            self._last = Step(op=check(session_id, drawn, {SKIP_VARIABLE: skip} if skip else None))
            self._driver.take(self._last)

    def _ask_struck(self, data: st.DataObject) -> None:
        self._supervised += 1
        (*before, self._last), fault = data.draw(st.sampled_from(self._at_calls))
        for step in (*before, Step(fault=fault), self._last):
            self._driver.take(step)

    def _ask_in_order(self, data: st.DataObject) -> None:
        self._supervised += 1
        asked = tuple(check(SESSIONS[0], data.draw(considerations)) for _ in range(2))
        self._driver.take(Step(schedule=Schedule(asked, tuple(data.draw(WISHED)))))

    @precondition(lambda self: self._last is not None)
    @rule()
    def ask_again(self) -> None:
        self._asked += 1
        self._driver.take(self._last)

    @rule(
        session_id=st.sampled_from(SESSIONS),
        one=considerations,
        other=considerations,
        count=st.sampled_from(TOGETHER),
    )
    def ask_together(self, session_id: str, one: Any, other: Any, count: int) -> None:
        self._asked += 1
        asked = tuple(check(session_id, other if number % 2 else one) for number in range(count))
        self._driver.take(Step(schedule=Schedule(asked)))

    @rule(operation=st.sampled_from(OTHERS))
    def ask_otherwise(self, operation: Operation) -> None:
        self._driver.take(Step(op=operation))

    @rule(by_s=st.sampled_from(MOVES_S))
    def move_clock(self, by_s: float) -> None:
        self._driver.take(Step(clock=ClockStep(by_s)))

    @rule(data=st.data())
    def damage_transcript(self, data: st.DataObject) -> None:
        self._driver.take(Step(fault=data.draw(TRANSCRIPT_TABLE.one_of(self._families))))

    @rule(data=st.data())
    def damage_configuration(self, data: st.DataObject) -> None:
        self._driver.take(Step(fault=data.draw(CONFIG_TABLE.one_of(self._families))))

    @precondition(lambda self: not self._storage_fails)
    @rule(data=st.data())
    def break_storage(self, data: st.DataObject) -> None:
        self._storage_fails = True
        self._driver.take(Step(fault=data.draw(STORAGE_TABLE.one_of(self._families))))

    @precondition(lambda self: self._asked and not self._surrounded)
    @rule(data=st.data())
    def surround(self, data: st.DataObject) -> None:
        self._surrounded = True
        self._driver.take(Step(fault=data.draw(SURROUNDINGS_TABLE.one_of(self._families))))

    @precondition(lambda self: self._asked >= ASKED_BEFORE_STARTING_OVER)
    @rule()
    def start_over(self) -> None:
        self._asked = self._supervised = 0
        self._storage_fails = False
        self._surrounded = False
        self._driver.take(Step(op=Operation("reset")))


def gate_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _GateMachine

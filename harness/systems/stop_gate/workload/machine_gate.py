"""The stateful machine of the gate profile: checks, concurrent checks, faults and time, in any order."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, FileSpec, Operation, Schedule, Step, World
from harness.systems.stop_gate.contract import CONFIG_PATH, RUNTIME_DIRECTORY, SKIP_VARIABLE
from harness.systems.stop_gate.workload.transcripts import messages

CLOCK = "2026-03-01T12:00:00Z"
TRANSCRIPT = "{project}/transcript.jsonl"
SESSIONS = ("session-1", "session-2", "a.b_c-9")
# around the semaphore's hour, and backwards
MOVES_S = (1.0, 59.0, 61.0, 3598.0, 3600.0, 3601.0, 7200.0, -30.0, -3600.0)
ASKED_BEFORE_STARTING_OVER = 3  # a world in which nothing was asked is no case worth its steps
INSTANT = ("satisfied", "satisfied", "failed", "missing", "raises", "exits", "interrupts", "recurses", "network_error")
TRANSCRIPT_FAULTS = tuple(
    f"jsonl.{kind}"
    for kind in (
        "torn_tail", "bom", "nul_bytes", "bad_utf8", "garbage_lines", "non_object_lines", "wrong_roles", "interleaved",
        "duplicate_keys", "nan", "huge_integer", "deep_nesting", "blank_lines", "grown",
    )
) + tuple(
    f"filesystem.{kind}" for kind in ("missing", "empty", "directory", "fifo", "symlink_loop", "unreadable")
)  # fmt: skip
CONFIG_FAULTS = tuple(
    f"json_document.{kind}" for kind in ("truncated", "empty", "not_json", "list", "null", "bad_utf8", "deep_nesting")
) + ("filesystem.directory", "filesystem.fifo", "filesystem.unreadable")
STORAGE_FAULTS = ("filesystem.read_only", "filesystem.full", "filesystem.file_for_directory")

considerations = st.lists(
    st.tuples(st.sampled_from(INSTANT), st.sampled_from((None, "blocker", "warning"))), max_size=4
).map(
    lambda drawn: [
        {"id": f"c{number}", "outcome": outcome, **({"severity": severity} if severity else {})}
        for number, (outcome, severity) in enumerate(drawn)
    ]
)
session_ids = st.sampled_from((*SESSIONS, None, ""))
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


class _GateMachine(RuleBasedStateMachine):
    """Every step goes to the driver, which plays and judges it."""

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self._driver = driver
        self._storage_fails = False
        self._asked = 0

    def teardown(self) -> None:
        self._driver.end()

    @initialize(transcript=messages(), configuration=configurations)
    def begin(self, transcript: str, configuration: str | None) -> None:
        files = {TRANSCRIPT: FileSpec(text=transcript)}
        if configuration is not None:
            files[CONFIG_PATH] = FileSpec(text=configuration)
        self._driver.begin(World(CLOCK, files))

    @rule(session_id=session_ids, drawn=considerations, skip=st.sampled_from((None, None, None, "1")))
    def ask(self, session_id: str | None, drawn: Any, skip: str | None) -> None:
        self._asked += 1
        self._driver.take(Step(op=check(session_id, drawn, {SKIP_VARIABLE: skip} if skip else None)))

    @rule(session_id=st.sampled_from(SESSIONS), drawn=st.lists(considerations, min_size=2, max_size=3))
    def ask_together(self, session_id: str, drawn: list[Any]) -> None:
        self._asked += 1
        self._driver.take(Step(schedule=Schedule(tuple(check(session_id, each) for each in drawn))))

    @rule(by_s=st.sampled_from(MOVES_S))
    def move_clock(self, by_s: float) -> None:
        self._driver.take(Step(clock=ClockStep(by_s)))

    @rule(name=st.sampled_from(TRANSCRIPT_FAULTS), count=st.sampled_from((1, 10, 11)))
    def damage_transcript(self, name: str, count: int) -> None:
        params = {"count": count} if name in ("jsonl.garbage_lines", "jsonl.blank_lines") else {}
        self._driver.take(Step(fault=Fault(name, TRANSCRIPT, params)))

    @rule(name=st.sampled_from(CONFIG_FAULTS))
    def damage_configuration(self, name: str) -> None:
        self._driver.take(Step(fault=Fault(name, CONFIG_PATH)))

    @precondition(lambda self: not self._storage_fails)
    @rule(name=st.sampled_from(STORAGE_FAULTS))
    def break_storage(self, name: str) -> None:
        self._storage_fails = True
        self._driver.take(Step(fault=Fault(name, RUNTIME_DIRECTORY)))

    @precondition(lambda self: self._asked >= ASKED_BEFORE_STARTING_OVER)
    @rule()
    def start_over(self) -> None:
        self._asked = 0
        self._storage_fails = False
        self._driver.take(Step(op=Operation("reset")))


def gate_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _GateMachine

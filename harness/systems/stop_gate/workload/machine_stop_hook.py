"""The stateful machine of the stop_hook profile: a calm stop, then damage, odd input and repeated stops."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from harness.core.fault import Fault
from harness.core.scenario import FileSpec, Operation, Step, World
from harness.systems.stop_gate.contract import StopArguments

CLOCK = "2026-03-01T12:00:00Z"
TRANSCRIPT = StopArguments().transcript_path
# only damage that adds lines: what the session deserves stays what it was
ADDING_FAULTS = tuple(
    f"jsonl.{kind}"
    for kind in ("bad_utf8", "garbage_lines", "non_object_lines", "wrong_roles", "nul_bytes", "nan", "huge_integer",
                 "deep_nesting", "blank_lines", "duplicate_keys")
)  # fmt: skip
SESSIONS = ("session-1", "../../../../outside/x", "a/b", "", "x" * 300, "ünï-cødé")
STDIN = ("object", "object", "kept_open")
OPTIONAL_FIELDS = ("permission_mode", "last_assistant_message", "hook_event_name", "cwd")


class _HookMachine(RuleBasedStateMachine):
    """A control in calm weather first, so that what follows can be blamed on the faults."""

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self._driver = driver
        self._deserves = "approve"

    def teardown(self) -> None:
        self._driver.end()

    @initialize()
    def begin(self) -> None:
        self._driver.begin(World(CLOCK, {TRANSCRIPT: FileSpec(sample=self._deserves)}))
        self._driver.take(Step(op=Operation("stop", {"deserves": self._deserves, "role": "control"})))
        self._driver.take(Step(op=Operation("reset")))

    @rule(name=st.sampled_from(ADDING_FAULTS))
    def damage(self, name: str) -> None:
        self._driver.take(Step(fault=Fault(name, TRANSCRIPT)))

    @rule(
        session_id=st.sampled_from(SESSIONS),
        stdin=st.sampled_from(STDIN),
        drop=st.lists(st.sampled_from(OPTIONAL_FIELDS), unique=True, max_size=3),
        camel_case=st.booleans(),
    )
    def stop(self, session_id: str, stdin: str, drop: list[str], camel_case: bool) -> None:
        args = {
            "session_id": session_id,
            "stdin": stdin,
            "drop": drop,
            "camel_case": camel_case,
            "deserves": self._deserves,
            "role": "subject",
        }
        self._driver.take(Step(op=Operation("stop", args)))

    @rule()
    def start_over(self) -> None:
        self._driver.take(Step(op=Operation("reset")))


def stop_hook_machine(groups: tuple[str, ...]) -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver. The groups change nothing yet: their rules are all at boundaries."""
    del groups
    return _HookMachine

"""The stateful machine of the stop_hook profile: calm stops first, then faults, odd input, time and repeated stops."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from harness.core.scenario import Step, World
from harness.systems.stop_gate.contract import CONFIG_PATH, StopArguments
from harness.systems.stop_gate.workload.stop_steps import CLOCK, RESET, again, stop
from harness.systems.stop_gate.workload.stop_tours import EVERYWHERE, TRANSCRIPTS, Cast, Strike

GROUP = "power_steering"
CAST = Cast.of("search")
# Damage that adds lines: what a session deserves stays what it was. Damage that takes some away is shown at
# boundaries, beside its control. Nothing here can cost a hook its whole time but by a defect met at boundaries too.
LINES = tuple(
    Strike(f"jsonl.{kind}", TRANSCRIPTS)
    for kind in ("bad_utf8", "garbage_lines", "non_object_lines", "wrong_roles", "nul_bytes", "nan", "huge_integer",
                 "deep_nesting", "blank_lines", "duplicate_keys", "bom", "leap_second", "invalid_timestamps", "grown")
)  # fmt: skip
PLACES = (
    *(Strike(f"filesystem.{kind}", TRANSCRIPTS)
      for kind in ("missing", "empty", "directory", "symlink_loop", "unreadable", "leftover", "not_writable")),
    *(Strike(f"filesystem.{kind}", EVERYWHERE) for kind in ("read_only", "full", "no_inodes", "not_writable")),
)  # fmt: skip
CONFIGURATION = tuple(
    Strike(f"json_document.{kind}", CONFIG_PATH) for kind in ("truncated", "list", "null", "bad_utf8", "huge_integer")
)
IDENTIFIERS = tuple(
    Strike(f"identifier.{kind}")
    for kind in ("absent", "empty", "null", "wrong_type", "separators", "dot_dot", "nul", "long", "unicode")
)
SURROUNDINGS = (
    *(Strike(f"environment.{kind}")
      for kind in ("no_home", "missing_home", "read_only_home", "odd_locale", "no_tmpdir", "odd_umask", "deleted_cwd",
                   "stdout_closed", "stderr_closed", "stderr_full")),
    *(Strike(f"collaborator.{kind}", None, {"program": name})
      for kind in ("missing", "exits", "garbage") for name in ("jq", "git", "date")),
    Strike("network.refused"),
    Strike("process.few_descriptors", None, {"count": 8}),
    Strike("process.file_size", None, {"bytes": 0}),
)  # fmt: skip
KILLS = tuple(
    Strike("process.killed", None, {"signal": signal, "at": share})
    for signal in ("SIGKILL", "SIGTERM") for share in (0.25, 0.5, 0.75)
)  # fmt: skip
TIMES = (
    *(Strike(f"clock.{kind}", None, {"by_s": by_s}) for kind in ("back", "forward") for by_s in (60, 3601)),
    *(Strike(f"clock.{kind}") for kind in ("frozen", "year_1970", "year_2038")),
    Strike("clock.time_zone", None, {"name": "America/New_York"}),
)
FAMILIES = (LINES, PLACES, IDENTIFIERS, SURROUNDINGS, KILLS, TIMES)
STANDING = 3  # faults at a time: more hide each other
FEW_STOPS = 4  # before a case starts over: what goes wrong late shows late
# as a host stops a session, and how it may do so; few choices, because every one of them is shrunk
PLAIN: Mapping[str, Any] = {}
WAYS: tuple[Mapping[str, Any], ...] = (
    PLAIN,
    PLAIN,
    PLAIN,
    {"drop": ("permission_mode", "last_assistant_message", "hook_event_name")},
    {"drop": ("cwd",)},
    {"stdin": "kept_open"},
    {"camel_case": True},
)


def mixed(families: Sequence[tuple[Strike, ...]]) -> tuple[Strike, ...]:
    """The strikes of all families in turn, so that each family is drawn as often as any other."""
    longest = max(map(len, families))
    return tuple(family[number % len(family)] for number in range(longest) for family in families)


class _HookMachine(RuleBasedStateMachine):
    """Both sessions in calm weather first, so that what follows can be blamed on the faults."""

    strikes = mixed(FAMILIES)

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self._driver = driver
        self._standing = self._sessions = self._stops = 0
        self._held = False

    def teardown(self) -> None:
        self._driver.end()

    @initialize()
    def begin(self) -> None:
        self._driver.begin(World(CLOCK, CAST.files))
        self._take(*CAST.calm)

    @precondition(lambda self: self._standing < STANDING)
    @rule(data=st.data())
    def strike(self, data: st.DataObject) -> None:
        self._take(*CAST.put((data.draw(st.sampled_from(self.strikes)),)))
        self._standing += 1

    @rule(unfinished=st.booleans(), way=st.sampled_from(WAYS))
    def stop(self, *, unfinished: bool, way: Mapping[str, Any]) -> None:
        self._take(stop(self._unfinished() if unfinished else CAST.finished, **way))
        self._stops += 1

    @precondition(lambda self: not self._held)
    @rule()
    def stop_until_let_go(self) -> None:
        session = self._unfinished()
        self._take(stop(session), again(session))
        self._held = True

    @precondition(lambda self: self._stops >= FEW_STOPS)
    @rule()
    def start_over(self) -> None:
        self._take(RESET)
        self._standing = self._stops = 0
        self._held = False

    def _unfinished(self) -> StopArguments:
        """The unfinished session under an id of its own: under an old one a hook may have held it long enough."""
        self._sessions += 1
        return msgspec.structs.replace(CAST.unfinished, session_id=f"{CAST.unfinished.session_id}-{self._sessions}")

    def _take(self, *steps: Step) -> None:
        for step in steps:
            self._driver.take(step)


class _SteeringMachine(_HookMachine):
    strikes = mixed((*FAMILIES, CONFIGURATION))


def stop_hook_machine(groups: tuple[str, ...]) -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver; a hook that follows document 004 has a configuration to damage."""
    return _SteeringMachine if GROUP in groups else _HookMachine

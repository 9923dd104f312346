"""The stateful machine of the stop_hook profile: calm stops first, then faults, odd input, time and repeated stops.

Each case draws its faults from some of the families only, stops at once among them; see systems.swarm.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from harness.core.fault import Fault
from harness.core.scenario import Schedule, Step, World
from harness.systems.families import CALLS, SCHEDULE
from harness.systems.stop_gate.contract import CONFIG_PATH, StopArguments
from harness.systems.stop_gate.workload.stop_steps import CLOCK, RESET, again, operation, stop
from harness.systems.stop_gate.workload.stop_tours import EVERYWHERE, TRANSCRIPTS, Cast, Strike
from harness.systems.swarm import Table, subsets

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
SUPERVISED = 2  # stops of one world that are struck at a file call or begun together: they cost the most
WISHED = st.lists(st.integers(0, 1), max_size=12)  # who goes of two stops at once, call by call; then the first
# what a stop is: mostly one alone. A rule of their own would leave fewer steps to the faults
STRUCK_FIRST = (False, True, True)  # Hypothesis leaves each rule out of many cases: most would else have no fault
KINDS = ("alone", "alone", "alone", "alone", CALLS, SCHEDULE)
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


class _Struck(NamedTuple):
    """A stop that is struck at one of its file calls: of which session, and whether it was held once before."""

    unfinished: bool
    again: bool = False

    def steps(self, session: StopArguments) -> tuple[Step, ...]:
        """The stop, after what comes before it."""
        if not self.unfinished:
            return (stop(CAST.finished),)
        return (stop(session), stop(session, stop_hook_active=True)) if self.again else (stop(session),)


STRUCK = (_Struck(unfinished=True), _Struck(unfinished=False), _Struck(unfinished=True, again=True))
FIRST = msgspec.structs.replace(CAST.unfinished, session_id=f"{CAST.unfinished.session_id}-1")


def _renamed(fault: Fault, session_id: str) -> Fault:
    """The fault at the files of that session, where it was learnt at those of FIRST."""

    def named(text: Any) -> Any:
        return text.replace(FIRST.session_id, session_id) if isinstance(text, str) else text

    params = {name: named(value) for name, value in fault.params.items()}
    return msgspec.structs.replace(fault, path=named(fault.path), params=params)


class _HookMachine(RuleBasedStateMachine):
    """Both sessions in calm weather first, so that what follows can be blamed on the faults."""

    strikes = Table(mixed(FAMILIES))

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self._driver = driver
        self._standing = self._sessions = self._stops = self._supervised = 0
        self._held = False
        self._families: frozenset[str] = frozenset()
        self._at_calls: tuple[tuple[_Struck, Fault], ...] = ()

    def teardown(self) -> None:
        self._driver.end()

    @initialize(
        families=subsets((*sorted(Table(mixed((*FAMILIES, CONFIGURATION))).families), CALLS, SCHEDULE)),
        struck=st.sampled_from(STRUCK_FIRST),
        data=st.data(),
    )
    def begin(self, families: frozenset[str], data: st.DataObject, *, struck: bool) -> None:
        world = World(CLOCK, CAST.files)
        self._families = families
        if CALLS in families:
            learnt = [(each, self._driver.faults_at_calls(world, *each.steps(FIRST))) for each in STRUCK]
            self._at_calls = tuple((each, fault) for each, faults in learnt for fault in faults)
        self._driver.begin(world)
        self._take(*CAST.calm)
        if struck and self._can_be_struck():
            self.strike(data)

    def _can_be_struck(self) -> bool:
        return self._standing < STANDING and bool(self.strikes.families & self._families)

    @precondition(_can_be_struck)
    @rule(data=st.data())
    def strike(self, data: st.DataObject) -> None:
        self._take(*CAST.put((data.draw(self.strikes.one_of(self._families)),)))
        self._standing += 1

    @rule(unfinished=st.booleans(), way=st.sampled_from(WAYS), kind=st.sampled_from(KINDS), data=st.data())
    def stop(self, *, unfinished: bool, way: Mapping[str, Any], kind: str, data: st.DataObject) -> None:
        self._stops += 1
        left = self._supervised < SUPERVISED
        if kind == SCHEDULE and SCHEDULE in self._families and left:
            self._stop_together(data, unfinished=unfinished)
        elif kind == CALLS and self._at_calls and left:
            self._stop_struck(data)
        else:
            self._take(stop(self._unfinished() if unfinished else CAST.finished, **way))

    def _stop_struck(self, data: st.DataObject) -> None:
        self._supervised += 1
        struck, fault = data.draw(st.sampled_from(self._at_calls))
        session = self._unfinished() if struck.unfinished else CAST.finished
        *before, last = struck.steps(session if struck.unfinished else FIRST)
        self._take(*before, Step(fault=_renamed(fault, session.session_id)), last)

    def _stop_together(self, data: st.DataObject, *, unfinished: bool) -> None:
        self._supervised += 1
        first = self._unfinished()
        second = CAST.finished if not unfinished else first if data.draw(st.booleans()) else self._unfinished()
        wishes = data.draw(WISHED)
        order = tuple(wishes) if wishes and self._driver.strikes_calls() else None
        self._take(Step(schedule=Schedule((operation(first), operation(second)), order)))

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
        self._standing = self._stops = self._supervised = 0
        self._held = False

    def _unfinished(self) -> StopArguments:
        """The unfinished session under an id of its own: under an old one a hook may have held it long enough."""
        self._sessions += 1
        return msgspec.structs.replace(CAST.unfinished, session_id=f"{CAST.unfinished.session_id}-{self._sessions}")

    def _take(self, *steps: Step) -> None:
        for step in steps:
            self._driver.take(step)


class _SteeringMachine(_HookMachine):
    strikes = Table(mixed((*FAMILIES, CONFIGURATION)))


def stop_hook_machine(groups: tuple[str, ...]) -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver; a hook that follows document 004 has a configuration to damage."""
    return _SteeringMachine if GROUP in groups else _HookMachine

"""The stops of a history, one by one: the view that the rules of the profile stop_hook look at. Pure."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from harness.core.fault import Fault
from harness.core.history import Completed, EntryType, History, InputFact
from harness.core.scenario import Scenario
from harness.systems import standing
from harness.systems.stop_gate.contract import RUNTIME_DIRECTORY, StopArguments, StopResult
from harness.systems.stop_gate.oracle.gate_paths import seconds
from harness.systems.stop_gate.oracle.stop_hook_stop import GROWTH, Stop

__all__ = ["Stop", "StopHistory"]

GROUP = "power_steering"
L3 = "L3"
NOT_STARTED = (126, 127)  # what a shell says of a command that it cannot run, or find


class StopHistory(msgspec.Struct, frozen=True, dict=True):
    """Every stop of a history, and the scenario it was made from."""

    scenario: Scenario
    stops: tuple[Stop, ...]

    @classmethod
    def of(cls, scenario: Scenario, history: History) -> "StopHistory":
        """The stops of ``history``, in the order they began."""
        return cls(scenario, tuple(_stops(scenario, history)))

    @property
    def in_group(self) -> bool:
        """Run for hooks that follow document 004."""
        return self.scenario.group == GROUP

    @property
    def never_started(self) -> bool:
        """No stop ran the hook at all: there is nothing to conclude from."""
        return all(not stop.started or stop.exit_code in NOT_STARTED for stop in self.stops)

    @cached_property
    def controls(self) -> tuple[Stop, ...]:
        """The stops that show what the hook does of itself."""
        return tuple(stop for stop in self.stops if stop.arguments.role == "control")

    @cached_property
    def subjects(self) -> tuple[Stop, ...]:
        """The stops that are judged: with proven weather, and not ended by the harness."""
        return tuple(
            stop
            for stop in self.stops
            if stop.arguments.role != "control" and stop.started and not stop.unproven and not stop.killed
        )

    def control_of(self, sample: str) -> tuple[Stop, ...]:
        """The controls on that sample in calm weather."""
        return tuple(stop for stop in self.controls if stop.sample == sample and stop.calm)

    @cached_property
    def approves_in_calm(self) -> bool:
        """The approve sample was shown in calm weather, and approved every time."""
        controls = self.control_of("approve")
        return bool(controls) and all(stop.approved for stop in controls)

    @cached_property
    def approves_grown(self) -> bool:
        """The approve sample, grown and with nothing else wrong, was shown as a control, and approved every time."""
        controls = [
            stop
            for stop in self.controls
            if stop.sample == "approve" and stop.grown and {each.fault.name for each in stop.injections} <= GROWTH
        ]
        return bool(controls) and all(stop.approved for stop in controls)

    @cached_property
    def guard_blocks(self) -> bool:
        """Every control on a session that deserves a block was blocked, and there is one."""
        controls = [stop for stop in self.controls if stop.sample == "block"]
        return bool(controls) and all(stop.blocked for stop in controls)

    def blocked_without_damage(self) -> bool:
        """The transcript without its damaged lines was blocked, or never shown: a block may be the session's own."""
        controls = [stop for stop in self.controls if stop.without_damage]
        return not controls or any(not stop.approved for stop in controls)

    def runs(self) -> Iterator[tuple[Stop, tuple[Stop, ...]]]:
        """Each stop that is followed by repetitions of itself, with them."""
        first: Stop | None = None
        repeats: list[Stop] = []
        for stop in self.stops:
            same = first is not None and stop.epoch == first.epoch
            if stop.arguments.role == "repeat" and same:
                repeats.append(stop)
                continue
            if first is not None and repeats:
                yield first, tuple(repeats)
            first, repeats = (stop, []) if stop.arguments.role == "subject" else (None, [])
        if first is not None and repeats:
            yield first, tuple(repeats)

    def homes(self, stop: Stop) -> tuple[str, ...]:
        """Where the hook says that it writes; none when it declares neither a runtime directory nor a semaphore."""
        declared = [stop.declared[name] for name in ("runtime", "semaphore", "config") if name in stop.declared]
        if self.in_group:
            return tuple(dict.fromkeys((*declared, RUNTIME_DIRECTORY)))
        return tuple(declared) if {"runtime", "semaphore"} & set(stop.declared) else ()


def _stops(scenario: Scenario, history: History) -> Iterator[Stop]:
    epoch = 0
    operations = history.operations()
    stops = [done for done in operations if done.begin.op == "stop"]
    before: list[Stop] = []  # in the same world
    for done in operations:
        if done.begin.op == "reset":
            epoch, before = epoch + 1, []
        elif done.begin.op == "stop":
            beside = [_stop(scenario, other, epoch) for other in stops if _overlap(done, other)]
            stop = _placed(_stop(scenario, done, epoch), before, beside, scenario.level)
            before.append(stop)
            yield stop


def _overlap(one: Completed, other: Completed) -> bool:
    (begin, end), (began, ended) = _span(one), _span(other)
    return begin != began and begin < ended and began < end


def _span(done: Completed) -> tuple[float, float]:
    return done.begin.n, float("inf") if done.end is None else done.end.n


def _placed(stop: Stop, before: list[Stop], beside: list[Stop], level: str) -> Stop:
    """The stop, with what the stops before and beside it say of it."""
    standing = [injection.fault for injection in stop.injections]
    past: list[Fault] = []
    for earlier in before:
        past += [fault for fault in earlier.faults if fault not in standing and fault not in past]
    at_once = {other.began for other in beside}
    # below L3 nobody orders what runs at once, and a loaded machine may keep a lock from anybody
    rivals = any(level < L3 or _alike(stop, other) for other in beside)
    fresh = not any(_alike(stop, other) for other in before if other.began not in at_once)
    held = sum(earlier.blocked or earlier.killed for earlier in before if earlier.given_id == stop.given_id)
    return msgspec.structs.replace(
        stop,
        together=bool(beside),
        aftermath=tuple(past),
        first=fresh and not rivals,
        fresh=fresh,
        rivals=rivals,
        held=held,
    )


def _alike(one: Stop, other: Stop) -> bool:
    """Are they of one session, or of one transcript?"""
    return one.given_id == other.given_id or one.arguments.transcript_path == other.arguments.transcript_path


def _stop(scenario: Scenario, done: Completed, epoch: int) -> Stop:
    begin, end = done.begin, done.end
    declared = begin.value.get("declared")
    arguments = _arguments(begin.value)
    result, lost = _result(done)
    spec = scenario.world.files.get(arguments.transcript_path)
    return Stop(
        epoch=epoch,
        began=begin.n,
        arguments=arguments,
        declared={str(name): str(path) for name, path in declared.items()} if isinstance(declared, Mapping) else {},
        injections=standing.faults_of(done),
        before=begin.files,
        after=end.files if end is not None else begin.files,
        transcript=begin.inputs.get("transcript", InputFact("unknown")),
        config=begin.inputs.get("config", InputFact("unknown")),
        sample=(spec.sample or "") if spec is not None else "",
        result=result,
        lost=lost,
        moments=(seconds(begin.now), seconds(begin.now if end is None else end.now)),
    )


def _arguments(value: Mapping[str, Any]) -> StopArguments:
    known = {name: value[name] for name in StopArguments.__struct_fields__ if name in value}
    try:
        return msgspec.convert(known, StopArguments)
    except (msgspec.ValidationError, TypeError):
        return StopArguments()


def _result(done: Completed) -> tuple[StopResult | None, str]:
    if done.end is None:
        return None, "the run stopped before it came"
    if done.end.type is not EntryType.OK:
        return None, str(done.end.value.get("reason", done.end.value.get("error", done.end.type.value)))
    try:
        return msgspec.convert(done.end.value, StopResult), ""
    except (msgspec.ValidationError, TypeError) as error:
        return None, f"malformed result: {error}"

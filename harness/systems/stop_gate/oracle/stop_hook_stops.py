"""The stops of a history, one by one: the view that the rules of the profile stop_hook look at. Pure."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.history import Completed, EntryType, FileFact, History, InputFact
from harness.core.scenario import Scenario
from harness.systems.stop_gate.contract import RUNTIME_DIRECTORY, Decision, Stdin, StopArguments, StopResult

GROUP = "power_steering"
GROWN = "jsonl.grown"  # the session went on: no damage
FILE_NAME_BYTES = 255  # the longest name that common file systems take
ORDINARY = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
SHOWN_CHARACTERS = 40  # of a session id, in texts for people
NOT_STARTED = (126, 127)  # what a shell says of a command that it cannot run, or find


class Stop(msgspec.Struct, frozen=True, dict=True):
    """One stop: what the hook was given, in which weather, and what its host made of the answer.

    ``epoch`` counts the resets before it; ``sample`` is approve or block when its transcript is the owner's; ``lost``
    says why there is no result; ``together`` tells that another stop ran at the same time.
    """

    epoch: int
    began: int
    arguments: StopArguments
    declared: Mapping[str, str]
    injections: tuple[Injection, ...]
    before: Mapping[str, FileFact]
    after: Mapping[str, FileFact]
    transcript: InputFact
    config: InputFact
    sample: str
    result: StopResult | None
    lost: str = ""
    together: bool = False

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that were proven to stand, without growth and without deletions of damage."""
        return tuple(
            injection.fault
            for injection in self.injections
            if _proven(injection) and injection.fault.name != GROWN and not injection.fault.params.get("deleted")
        )

    @property
    def unproven(self) -> bool:
        """Faults were meant to stand, and the harness cannot show that any of them did."""
        return bool(self.injections) and not any(map(_proven, self.injections))

    @property
    def without_damage(self) -> bool:
        """The transcript of a fault with its damaged lines deleted."""
        return any(_proven(each) and each.fault.params.get("deleted") for each in self.injections)

    @property
    def given_id(self) -> Any:
        """The session id on standard input, of any type; None when there was none."""
        if "session_id" in self.arguments.drop or not self.readable:
            return None
        return self.arguments.replace.get("session_id", self.arguments.session_id)

    @property
    def readable(self) -> bool:
        """Standard input held a JSON object."""
        return self.arguments.stdin in (Stdin.OBJECT, Stdin.KEPT_OPEN)

    @property
    def told_transcript(self) -> bool:
        """Standard input named the transcript."""
        arguments = self.arguments
        return self.readable and "transcript_path" not in (*arguments.drop, *arguments.replace)

    @property
    def odd_id(self) -> bool:
        """The session id is a text that no host makes up."""
        given = self.given_id
        return isinstance(given, str) and given != "" and not set(given) <= ORDINARY

    @property
    def hostile_id(self) -> bool:
        """The session id leads out of a directory, or cannot be a file name."""
        given = self.given_id
        if not isinstance(given, str):
            return False
        too_long = len(given.encode("utf-8", "replace")) > FILE_NAME_BYTES
        return too_long or given in (".", "..") or any(part in given for part in ("/", "\\", "\0"))

    @cached_property
    def odd(self) -> frozenset[str]:
        """What is unusual in standard input, streams and environment, one word each."""
        arguments = self.arguments
        words = {f"no {name}" for name in arguments.drop}
        words |= {f"odd {name}" for name in arguments.replace}
        words |= {f"variable {name}" for name in arguments.environment}
        flags = {
            f"standard input {arguments.stdin.value}": arguments.stdin is not Stdin.OBJECT,
            "camelCase fields": arguments.camel_case,
            "standard output closed": arguments.close_stdout,
            "standard error closed": arguments.close_stderr,
            "empty session_id": self.given_id == "",
            "odd session_id": self.odd_id or len(str(self.given_id)) > FILE_NAME_BYTES,
        }
        return frozenset(words | {word for word, holds in flags.items() if holds})

    @property
    def calm(self) -> bool:
        """Nothing unusual: no fault, and an input as a host gives it."""
        return not self.injections and not self.odd

    @property
    def started(self) -> bool:
        """The process was made."""
        return self.result is None or not self.result.start_error

    @property
    def hung(self) -> bool:
        """It overran its time, or flooded its output, and was ended by the host."""
        return self.lost == "timed_out" or (self.result is not None and (self.result.timed_out or self.result.flooded))

    @property
    def ended(self) -> bool:
        """It started, and ended by itself."""
        return self.result is not None and self.started and not self.hung

    @property
    def blocked(self) -> bool:
        """It ended by itself and its host keeps the session going."""
        return self.ended and self.result is not None and self.result.decision is Decision.BLOCK

    @property
    def approved(self) -> bool:
        """It ended by itself and its host lets the session end."""
        return self.ended and self.result is not None and self.result.decision is Decision.APPROVE

    @property
    def exit_code(self) -> int | None:
        """How it ended; None for a signal or no end."""
        return None if self.result is None else self.result.exit_code

    @property
    def weather(self) -> str:
        """What stood against it, for people."""
        faults = dict.fromkeys(f"{fault.name} at {fault.path}" for fault in self.faults)
        given = [f"session_id {_short(self.given_id)}"] if "odd session_id" in self.odd else []
        words = [*faults, *sorted(self.odd), *given]
        return "in calm weather" if not words else "with " + ", ".join(words)

    @property
    def answer(self) -> str:
        """What it did, for people."""
        if self.result is None:
            return f"no answer ({self.lost or 'the run stopped'})"
        if not self.started:
            return f"it could not be started ({self.result.start_error})"
        if self.result.timed_out:
            return "it did not end within its time"
        if self.result.flooded:
            return "its output did not end"
        how = f"exit code {self.exit_code}" if self.result.signal is None else f"signal {self.result.signal}"
        if self.blocked:
            return f"blocked by {'exit code 2' if self.result.means == 'exit_2' else 'decision'}"
        return f"let the session end ({how}, {self.result.output} output)"

    def changes(self) -> tuple[str, ...]:
        """The paths that came, went or changed while it ran, in order; the times of things do not count."""
        paths = sorted({*self.before, *self.after})
        return tuple(path for path in paths if _content(self.before.get(path)) != _content(self.after.get(path)))

    def strays(self, homes: tuple[str, ...]) -> tuple[str, ...]:
        """The changes that lie at none of ``homes``, below none of them, and are no directory above one of them."""
        return tuple(path for path in self.changes() if not any(_within(path, home, self.after) for home in homes))


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
        """The stops that are judged, with proven weather."""
        return tuple(
            stop for stop in self.stops if stop.arguments.role != "control" and stop.started and not stop.unproven
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
    spans = [(done.begin.n, done.end.n if done.end else done.begin.n) for done in operations if done.begin.op == "stop"]
    for done in operations:
        if done.begin.op == "reset":
            epoch += 1
        elif done.begin.op == "stop":
            began, ended = done.begin.n, done.end.n if done.end else done.begin.n
            together = any(other != began and other < ended and began < end for other, end in spans)
            yield _stop(scenario, done, epoch, together)


def _stop(scenario: Scenario, done: Completed, epoch: int, together: bool) -> Stop:
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
        injections=begin.faults,
        before=begin.files,
        after=end.files if end is not None else begin.files,
        transcript=begin.inputs.get("transcript", InputFact("unknown")),
        config=begin.inputs.get("config", InputFact("unknown")),
        sample=(spec.sample or "") if spec is not None else "",
        result=result,
        lost=lost,
        together=together,
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


def _proven(injection: Injection) -> bool:
    return injection.armed and injection.proof != ""


def _content(fact: FileFact | None) -> tuple[Any, ...] | None:
    if fact is None:
        return None
    return (fact.kind, fact.size, fact.sha256) if fact.kind == "file" else (fact.kind,)


def _within(path: str, home: str, after: Mapping[str, FileFact]) -> bool:
    home = home.rstrip("/")
    if path == home or path.startswith(f"{home}/"):
        return True
    fact = after.get(path)
    if home.startswith(f"{path}/"):
        return fact is not None and fact.kind == "directory"
    before, mark, behind = home.partition("{session_id}")  # a semaphore is declared with its session's id left open
    name = path[len(before) : len(path) - len(behind)]
    return bool(mark) and path.startswith(before) and path.endswith(behind) and "/" not in name


def _short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 3]}..."

"""One stop: what a hook was given, in which weather, and what its host made of the answer. Pure."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.history import FileFact, InputFact
from harness.systems import standing
from harness.systems.stop_gate.contract import Decision, Stdin, StopArguments, StopResult
from harness.systems.stop_gate.oracle import struck, weather

GROWTH = frozenset({weather.GROWN, weather.GROWING})  # the session went on, or goes on while it is read
# what a host may leave out, without a hook losing anything it needs
UNTOUCHING = frozenset({"no permission_mode", "no last_assistant_message", "no hook_event_name"})
FILE_NAME_BYTES = 255  # the longest name that common file systems take
ORDINARY = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
SHOWN_CHARACTERS = 40  # of a session id, in texts for people


class Stop(msgspec.Struct, frozen=True, dict=True):
    """One stop: what the hook was given, in which weather, and what its host made of the answer.

    ``epoch`` counts the resets before it; ``sample`` is approve or block when its transcript is the owner's; ``lost``
    says why there is no result; ``together`` tells that another stop ran at the same time. ``aftermath`` are faults
    that struck before, in the same world, and stand no more. ``first`` tells that neither this session nor this
    transcript was stopped before, or at the same time, ``fresh`` that it was not before, ``rivals`` that what runs at
    the same time may take something of it. ``held`` counts the earlier blocks of the session. ``moments`` are the
    times, in seconds since the epoch, at which it began and ended; None for the time of the world.
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
    aftermath: tuple[Fault, ...] = ()
    first: bool = True
    fresh: bool = True
    rivals: bool = False
    held: int = 0
    moments: tuple[float, float] | None = None

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that were proven to stand, without growth and without deletions of damage."""
        return tuple(
            injection.fault
            for injection in self.injections
            if standing.proven(injection)
            and injection.fault.name != weather.GROWN
            and not injection.fault.params.get("deleted")
        )

    @cached_property
    def killed(self) -> bool:
        """The harness itself ended it on the way: its answer is none."""
        return any(fault.name in struck.KILLS for fault in self.faults)

    @cached_property
    def grown(self) -> bool:
        """Its transcript has grown beyond what its owner showed, or grows while it is read."""
        path = self.arguments.transcript_path
        names = {each.fault.name for each in self.injections if standing.proven(each) and each.fault.path == path}
        return bool(names & GROWTH)

    def steady(self, *besides: str, follower: bool) -> bool:
        """Nothing keeps a hook from holding an unfinished session, as far as it knows, but the faults named.

        ``follower``: the hook declares to follow document 004.
        """
        if self.rivals or not self.odd <= UNTOUCHING:
            return False
        held_now = (weather.holds(each, follower=follower) or each.fault.name in besides for each in self.injections)
        held_later = (weather.held_after(each, follower=follower) or each.name in besides for each in self.aftermath)
        return all(held_now) and all(held_later)

    @property
    def exposed(self) -> bool:
        """A fault was proven to stand against it, or to have struck before."""
        return bool(self.faults or self.aftermath)

    @property
    def unproven(self) -> bool:
        """Faults were meant to stand, and the harness cannot show that any of them did."""
        return bool(self.injections) and not any(map(standing.proven, self.injections))

    @property
    def without_damage(self) -> bool:
        """The transcript of a fault with its damaged lines deleted."""
        return any(standing.proven(each) and each.fault.params.get("deleted") for each in self.injections)

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
        if self.killed:
            return False
        return self.lost == "timed_out" or (self.result is not None and (self.result.timed_out or self.result.flooded))

    @property
    def ended(self) -> bool:
        """It started, and ended by itself."""
        return self.result is not None and self.started and not self.hung and not self.killed

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
        faults = dict.fromkeys(f"{fault.name} at {fault.path}" if fault.path else fault.name for fault in self.faults)
        past = dict.fromkeys(f"{fault.name} before" for fault in self.aftermath)
        given = [f"session_id {_short(self.given_id)}"] if "odd session_id" in self.odd else []
        words = [*faults, *past, *sorted(self.odd), *given]
        return "in calm weather" if not words else "with " + ", ".join(words)

    @property
    def answer(self) -> str:
        """What it did, for people."""
        if self.result is None:
            return f"no answer ({self.lost or 'the run stopped'})"
        if not self.started:
            return f"it could not be started ({self.result.start_error})"
        if self.killed:
            return "the harness ended it"
        if self.result.timed_out:
            return "it did not end within its time"
        if self.result.flooded:
            return "its output did not end"
        how = f"exit code {self.exit_code}" if self.result.signal is None else f"signal {self.result.signal}"
        if self.blocked:
            return f"blocked by {'exit code 2' if self.result.means == 'exit_2' else 'decision'}"
        return f"let the session end ({how}, {self.result.output} output)"

    def changes(self) -> tuple[str, ...]:
        """The paths that came, went or changed while it ran, in order; the times of things do not count.

        Nor does what the harness itself keeps changing.
        """
        paths = sorted({*self.before, *self.after})
        changed = (path for path in paths if _content(self.before.get(path)) != _content(self.after.get(path)))
        return tuple(path for path in changed if not weather.stirred(path, self.injections))

    def strays(self, homes: tuple[str, ...]) -> tuple[str, ...]:
        """The changes that lie at none of ``homes``, below none of them, and are no directory above one of them."""
        return tuple(path for path in self.changes() if not any(_within(path, home, self.after) for home in homes))


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

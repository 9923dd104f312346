"""Plays a scenario in a session and records the history of what happened. It records; it never judges."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import Crash, FileSpec, Operation, Repeat, Scenario, Schedule, Step
from harness.core.seed import derive
from harness.faults import identifier, syscall
from harness.faults.syscalls import Call
from harness.sandbox.room import Seen
from harness.systems import registry
from harness.targets.defects import given_up
from harness.targets.ordering import Orderer
from harness.targets.session import Reply, Session
from harness.targets.strikes import EARLY

InputsOf = Callable[[str, Mapping[str, Any]], Mapping[str, str]]
RESET = "reset"
POWER = "syscall.power"  # what strikes an operation that ends in a crash of the machine


class Head(NamedTuple):
    """The beginning of a scenario that was played already: so many steps, the last one a reset, and their entries."""

    steps: int
    entries: tuple[Entry, ...]


NO_HEAD = Head(0, ())


def play(
    scenario: Scenario, session: Session, inputs_of: InputsOf, orderer: Orderer | None = None, head: Head = NO_HEAD
) -> History:
    """The history of one run of ``scenario``, begun in a fresh world, after its ``head``.

    ``orderer`` makes the order of operations that are begun together, where the scenario has one (explore.playing).

    A run in which an operation ended before the signal meant for it came shows nothing of it. It is played again, with
    the signal earlier, so that what is seen does not hang on how fast the machine is.
    """
    player = _played(scenario, session, inputs_of, orderer, head)
    for attempt in range(1, len(EARLY)):
        if not player.missed:
            break
        session.hasten(attempt)
        player = _played(scenario, session, inputs_of, orderer, head)
        session.hasten(0)
    return player.history()


def _played(scenario: Scenario, session: Session, inputs_of: InputsOf, orderer: Orderer | None, head: Head) -> "Player":
    player = Player(scenario, session, inputs_of, orderer, head, at_once=True)
    player.begin()
    for step in scenario.steps[head.steps :]:
        player.take(step)
    return player


class Player:
    """One run, step by step: the state machine takes its steps here as it draws them."""

    def __init__(
        self,
        scenario: Scenario,
        session: Session,
        inputs_of: InputsOf,
        orderer: Orderer | None = None,
        head: Head = NO_HEAD,
        watch: Callable[[Call], object] | None = None,
        at_once: bool = False,
    ) -> None:
        self._scenario = scenario
        self._session = session
        self._inputs_of = inputs_of
        self._orderer = orderer
        self._at_once = at_once  # each step is taken as soon as the one before it has ended
        self._watch = watch  # it sees the calls of operations to be explored, and what stood before and after is kept
        self.before: list[dict[str, FileSpec]] = []
        self.after: list[dict[str, FileSpec]] = []
        self._entries: list[Entry] = list(head.entries)
        self._standing: list[Injection] = []
        self._seen: Seen | None = None  # as it still stands: nothing was done since
        self.missed = False  # whether an operation ended before the signal meant for it
        self.recorded: list[tuple[Call, ...]] = []  # what each operation that is to be explored did to files
        self._to_record = False

    def begin(self) -> None:
        """Makes the scenario's world."""
        self._session.reset(self._scenario)
        self._standing = []
        self._seen = None

    def history(self) -> History:
        """What was recorded so far."""
        return History(tuple(self._entries))

    def take(self, step: Step) -> list[Reply]:
        """Takes one step and gives the replies to its operations."""
        if step.op is not None and step.op.name == RESET:
            return [self._reset(step.op)]
        if step.op is not None:
            return self._perform([(step.process, step.op)])
        if step.schedule is not None:
            return self._perform(list(enumerate(step.schedule.together, start=1)), step.schedule)
        if step.repeat is not None:
            return self._repeat(step.repeat)
        if step.crash is not None:
            return [self._crash(step.process, step.crash)]
        if step.explore is not None:
            self._to_record = True
            return []
        self._seen = None
        if step.fault is not None:
            seed = derive(self._scenario.seed, self._scenario.id)
            self._standing.append(self._session.inject(step.fault, seed))
        if step.clock is not None:
            self._session.move_clock(step.clock.by_s)
        return []

    def _crash(self, process: int, crash: Crash) -> Reply:
        """The operation as it looks from outside: asked for, never answered."""
        self._invoke([(process, crash.op)])
        reply = self._session.crash(process, crash)
        self._seen = self._session.look(())
        struck = Injection(Fault(POWER, params={"state": crash.says}), armed=True, proof="power lost")
        self._record(process, reply.type, crash.op, reply.value, self._seen.files, faults=(struck,))
        return reply

    def _invoke(self, operations: Sequence[tuple[int, Operation]]) -> tuple[list[tuple[int, Operation]], list[str]]:
        """Records that operations begin, as what stands against them lets them begin; and the paths of their inputs."""
        begun: list[_Begun] = []
        for process, asked in operations:
            operation, standing = self._as_standing(asked)
            stated = self._session.stated(operation)
            begun.append(_Begun(process, operation, stated, standing, self._inputs_of(operation.name, stated)))
        paths = list(dict.fromkeys(path for each in begun for path in each.inputs.values()))
        if self._seen is None:
            self._seen = self._session.look(paths)
        seen = self._seen
        if missing := [path for path in paths if path not in seen.inputs]:
            seen.inputs.update(self._session.inputs(missing))
        for each in begun:
            inputs = {label: seen.inputs[path] for label, path in each.inputs.items()}
            self._record(each.process, EntryType.INVOKE, each.operation, each.stated, seen.files, inputs, each.standing)
        return [(each.process, each.operation) for each in begun], paths

    def _repeat(self, repeat: Repeat) -> list[Reply]:
        replies: list[Reply] = []
        for _ in range(self._session.repeats(repeat.at_most)):
            for step in repeat.steps:
                last = self.take(step)
                replies.extend(last)
                if any(_matches(reply.value, repeat.until) for reply in last):
                    return replies
        return replies

    def _reset(self, operation: Operation) -> Reply:
        self._record(0, EntryType.INVOKE, operation, {}, faults=tuple(self._standing))
        self.begin()
        self._record(0, EntryType.OK, operation, {})
        return Reply(EntryType.OK, {})

    def _perform(self, operations: Sequence[tuple[int, Operation]], schedule: Schedule | None = None) -> list[Reply]:
        given, paths = self._invoke(operations)
        if self._to_record:
            self.before.append(self._session.standing() if self._watch is not None else {})
            self._session.record_calls(self._watch or id)
        if schedule is not None and schedule.order is not None and self._orderer is not None:
            with self._orderer(self._session, schedule) as ordering:
                replies = self._session.perform_in_order(given, ordering)
                if ordering.given_up:  # what was left of it was killed, by us
                    replies = [given_up(ordering.given_up)] * len(given)
        else:
            replies = self._session.perform(given)
        if self._to_record:
            self.recorded.append(self._session.recorded_calls())
            self.after.append(self._session.standing() if self._watch is not None else {})
            self._to_record = False
        # What the next operation is given is most often the same, and looking twice costs more than all else. But what
        # stands in its way may be somebody who goes on writing.
        self._seen = self._session.look(paths if self._at_once and not self._standing else ())
        met = self._met()
        self.missed = self.missed or any(map(_missed, met))
        for (process, operation), reply in zip(given, replies, strict=True):
            struck = tuple(injection for index, injection in met if index == process)
            self._record(process, reply.type, operation, reply.value, self._seen.files, faults=struck)
        return replies

    def _as_standing(self, operation: Operation) -> tuple[Operation, tuple[Injection, ...]]:
        """The operation as the faults of identifiers make it, and what stands in its way.

        A fault of an argument that the operation does not have is not proven by it.
        """
        standing: list[Injection] = []
        for injection in self._standing:
            if identifier.is_identifier(injection.fault):
                with_field = registry.get(self._scenario.system).contract.with_field
                field, value = identifier.field_of(injection.fault), identifier.value_of(injection.fault)
                args = with_field(operation.name, operation.args, field, value)
                proof = injection.proof if args != operation.args else ""
                injection = msgspec.structs.replace(injection, proof=proof)  # noqa: PLW2901 - as it stands for this one
                operation = msgspec.structs.replace(operation, args=args)
            standing.append(injection)
        return operation, tuple(standing)

    def _met(self) -> tuple[tuple[int, Injection], ...]:
        """What struck the operations just performed; it stands in the way of no later one."""
        if all(injection.proof or not injection.armed for injection in self._standing):
            return ()
        met = self._session.met()
        gone = [injection.fault for _, injection in met]
        self._standing = [injection for injection in self._standing if injection.proof or injection.fault not in gone]
        return met

    def _record(
        self,
        process: int,
        kind: EntryType,
        operation: Operation,
        value: Mapping[str, Any],
        files: Mapping[str, FileFact] | None = None,
        inputs: Mapping[str, InputFact] | None = None,
        faults: tuple[Injection, ...] = (),
    ) -> None:
        entry = Entry(
            n=len(self._entries),
            process=process,
            type=kind,
            op=operation.name,
            value=value,
            now=self._session.now(),
            faults=faults,
            files=files or {},
            inputs=inputs or {},
        )
        self._entries.append(entry)


class _Begun(NamedTuple):
    process: int
    operation: Operation
    stated: Mapping[str, Any]
    standing: tuple[Injection, ...]
    inputs: Mapping[str, str]


def _missed(met: tuple[int, Injection]) -> bool:
    """Did a signal come too late? A file call that never came will not come earlier either."""
    _, injection = met
    return injection.armed and not injection.proof and injection.fault.family != syscall.FAMILY


def _matches(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(value.get(key) == expected for key, expected in wanted.items())

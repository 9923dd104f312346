"""Plays a scenario in a session and records the history of what happened. It records; it never judges."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.core.fault import Injection
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import Operation, Repeat, Scenario, Step
from harness.core.seed import derive
from harness.targets.session import Reply, Session

InputsOf = Callable[[str, Mapping[str, Any]], Mapping[str, str]]
RESET = "reset"


def play(scenario: Scenario, session: Session, inputs_of: InputsOf) -> History:
    """The history of one run of ``scenario``, begun in a fresh world."""
    player = Player(scenario, session, inputs_of)
    player.begin()
    for step in scenario.steps:
        player.take(step)
    return player.history()


class Player:
    """One run, step by step: the state machine takes its steps here as it draws them."""

    def __init__(self, scenario: Scenario, session: Session, inputs_of: InputsOf) -> None:
        self._scenario = scenario
        self._session = session
        self._inputs_of = inputs_of
        self._entries: list[Entry] = []
        self._standing: list[Injection] = []
        self._files: Mapping[str, FileFact] | None = None

    def begin(self) -> None:
        """Makes the scenario's world."""
        self._session.reset(self._scenario)
        self._standing = []
        self._files = None

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
            return self._perform(list(enumerate(step.schedule.together, start=1)))
        if step.repeat is not None:
            return self._repeat(step.repeat)
        self._files = None
        if step.fault is not None:
            seed = derive(self._scenario.seed, self._scenario.id)
            self._standing.append(self._session.inject(step.fault, seed))
        if step.clock is not None:
            self._session.move_clock(step.clock.by_s)
        return []

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
        self._record(0, EntryType.INVOKE, operation, {})
        self.begin()
        self._record(0, EntryType.OK, operation, {})
        return Reply(EntryType.OK, {})

    def _perform(self, operations: Sequence[tuple[int, Operation]]) -> list[Reply]:
        before = self._session.snapshot() if self._files is None else self._files
        for process, operation in operations:
            stated = self._session.stated(operation)
            inputs = {
                label: self._session.input(path) for label, path in self._inputs_of(operation.name, stated).items()
            }
            self._record(process, EntryType.INVOKE, operation, stated, before, inputs)
        replies = self._session.perform(operations)
        self._files = self._session.snapshot()
        for (process, operation), reply in zip(operations, replies, strict=True):
            self._record(process, reply.type, operation, reply.value, self._files)
        return replies

    def _record(
        self,
        process: int,
        kind: EntryType,
        operation: Operation,
        value: Mapping[str, Any],
        files: Mapping[str, FileFact] | None = None,
        inputs: Mapping[str, InputFact] | None = None,
    ) -> None:
        entry = Entry(
            n=len(self._entries),
            process=process,
            type=kind,
            op=operation.name,
            value=value,
            now=self._session.now(),
            faults=tuple(self._standing) if kind is EntryType.INVOKE else (),
            files=files or {},
            inputs=inputs or {},
        )
        self._entries.append(entry)


def _matches(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(value.get(key) == expected for key, expected in wanted.items())

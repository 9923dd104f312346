"""A run, as the process remembers it that changed it last. Pure; the records are what it is made from."""

from collections.abc import Iterable, Mapping

import msgspec

from harness.systems.phase_runner.contract import Commands
from harness.systems.phase_runner.contract.words import FailureType, Status
from harness.systems.phase_runner.reference.conflicts import Changes
from harness.systems.phase_runner.reference.graph import Graph
from harness.systems.phase_runner.reference.records import VERIFYING, WAITING, WORKING, Config, Record, Totals
from harness.systems.phase_runner.reference.schedule import Schedule
from harness.systems.phase_runner.reference.summaries import last_error


class Run:
    """The phases of a plan and their records.

    ``stopped`` is why it cannot go on, when that is no failed phase. ``members`` are the phases of the batch that was
    launched last, in the order of the plan; ``changed`` is what is known of the files that siblings changed.
    """

    schedule_class = Schedule

    def __init__(self, graph: Graph, config: Config, records: Mapping[str, Record]) -> None:
        self.graph = graph
        self.config = config
        self.records = dict(records)
        self.commands = msgspec.convert(dict(config.commands or {}), Commands)
        self.batch = max((each.batch or 0 for each in records.values()), default=0)
        self.stopped: str | None = None
        self.complete: set[str] = set()
        self.failed: set[str] = set()
        self.active: set[str] = set()
        self.waiting: set[str] = set()
        self.members: list[str] = []
        self.changed: dict[str, Changes] = {}
        for each in records.values():
            self.note(each)
            if each.batch == self.batch and self.batch:
                self.members.append(each.phase_id)
        begun = [id_ for id_, each in records.items() if each.status is not Status.PENDING]
        self.schedule = self.schedule_class(graph, self.complete, begun)

    @property
    def is_halting(self) -> bool:
        """Was a halt triggered?"""
        return bool(self.failed) or self.stopped is not None

    @property
    def is_halted(self) -> bool:
        """Is it over, with something that failed?"""
        return self.is_halting and not self.active

    @property
    def is_complete(self) -> bool:
        """Is every phase complete?"""
        return len(self.complete) == len(self.records)

    def ordered(self, ids: Iterable[str]) -> list[str]:
        """Ids in the order of the plan."""
        return sorted(ids, key=self.graph.place.__getitem__)

    def put(self, record: Record) -> None:
        """Remembers the next record of a phase."""
        id_ = record.phase_id
        before = self.records[id_].status
        self.records[id_] = record
        for group in (self.failed, self.active, self.waiting):
            group.discard(id_)
        self.note(record)
        if record.status is Status.COMPLETE and before is not Status.COMPLETE:
            self.schedule.completed(id_)

    def note(self, record: Record) -> None:
        """Enters a phase in the group it belongs to."""
        if record.status is Status.COMPLETE:
            self.complete.add(record.phase_id)
        elif record.status is Status.FAILED:
            self.failed.add(record.phase_id)
        elif record.status is Status.RUNNING and record.stage in (WORKING, VERIFYING):
            self.active.add(record.phase_id)
        elif record.status is Status.RUNNING and record.stage == WAITING:
            self.waiting.add(record.phase_id)

    def next_batch(self) -> tuple[str, ...]:
        """The phases that are launched now, in a batch of their own."""
        self.members = list(self.schedule.next_batch())
        self.changed.clear()
        self.batch += 1
        return tuple(self.members)

    def siblings(self, phase_id: str) -> list[str]:
        """The phases that were launched together with one, and succeeded, be it that a file came in between."""
        return [each for each in self.members if each != phase_id and self.has_changes(each)]

    def has_changes(self, phase_id: str) -> bool:
        """Does what a phase changed count: is it complete, or did it fail over a file that others changed as well?"""
        if phase_id in self.failed:
            return last_error(self.records[phase_id]).get("type") == FailureType.FILE_CONFLICT
        return phase_id in self.complete

    def totals(self) -> Totals:
        """How many phases there are of each sort."""
        return totals(self.records.values())


def totals(records: Iterable[Record]) -> Totals:
    """How many of these there are of each sort; pending is what is neither complete nor failed."""
    statuses = [each.status for each in records]
    complete, failed = statuses.count(Status.COMPLETE), statuses.count(Status.FAILED)
    return Totals(len(statuses), complete, failed, len(statuses) - complete - failed)

"""Mutants of the queues and the ledger in calm weather: LK-GEN-02, LK-GEN-05."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from harness.systems.queue_files import IN_PROGRESS, PENDING
from harness.systems.queue_store import Queues
from harness.systems.session_recovery.contract import Claimed, Finished
from harness.systems.session_recovery.mutants.table import answering, changed, mutant
from harness.systems.session_recovery.reference.lines import Ledger, Lines
from harness.systems.session_recovery.reference.tasks import SessionQueues, Task, Tasks
from harness.systems.session_recovery.reference.trace import Trace


@mutant("claimed-tasks-stay-pending", "LK-GEN-02", "a claim shows a task, and leaves it where it is")
class ClaimedTasksStayPending(Tasks):
    def claimed(self, queues: Queues, worker: str, trace: Trace) -> tuple[Claimed, Task | None]:
        for task in self.candidates(queues):
            return Claimed.CLAIMED, queues.read(PENDING).find(task)
        return Claimed.NONE, None


@mutant("other-queues-are-not-looked-into", "LK-GEN-02", "a task that is in progress or finished is claimed again")
class OtherQueuesAreNotLookedInto(SessionQueues):
    def _remove_duplicates(self) -> None:
        return


@mutant("one-at-a-time", "LK-GEN-02", "nothing is claimed while anything is in progress")
class OneAtATime(Tasks):
    def candidates(self, queues: Queues) -> Iterable[str]:
        return () if queues.read(IN_PROGRESS).ids() else super().candidates(queues)


@mutant("claimed-tasks-lose-their-fields", "LK-GEN-02", "of a task that is claimed the id and the title are kept")
class ClaimedTasksLoseTheirFields(Tasks):
    def change(self, field: str, worker: str) -> Callable[[dict[str, Any]], Task]:
        return lambda task: {key: value for key, value in task.items() if key in ("task_id", "title")} | {field: worker}


@mutant("bad-queues-are-written-over", "LK-GEN-02", "a queue that is none is begun anew, and kept nowhere")
class BadQueuesAreWrittenOver(SessionQueues):
    def _set_aside(self, queue: str, data: bytes) -> None:
        self._replace(self._path(queue), b'{"tasks":[]}')


@mutant("ledger-is-not-written", "LK-GEN-05", "what is finished is said to be recorded, and is not")
class LedgerIsNotWritten(Ledger):
    def record(self, finished: Mapping[str, str], trace: Trace) -> bool:
        return True


@mutant("ledger-is-begun-anew", "LK-GEN-05", "the ledger knows the last task alone")
class LedgerIsBegunAnew(Lines):
    def add(self, before: bytes, entries: Iterable[Mapping[str, Any]]) -> None:
        super().add(b"", [*entries][-1:])


@mutant("odd-lines-end-the-ledger", "LK-GEN-05", "the ledger is read as far as its first line that is none")
class OddLinesEndTheLedger(Ledger):
    def ids_of(self, data: bytes, trace: Trace) -> tuple[str, ...]:
        good = []
        for line in data.splitlines():
            if self.id_of(line) is None:
                break
            good.append(line)
        return super().ids_of(b"\n".join(good), trace)


@mutant("finished-tasks-stay", "LK-GEN-05", "what is finished is recorded, and stays in progress")
class FinishedTasksStay(Tasks):
    def finished(self, queues: Queues, worker: str, wanted: str, trace: Trace) -> tuple[Finished, bool]:
        if queues.read(IN_PROGRESS).find(wanted) is None:
            return super().finished(queues, worker, wanted, trace)
        return Finished.COMPLETED, self.ledger.record({wanted: worker}, trace)


@mutant("anything-can-be-finished", "LK-GEN-05", "a task that is not in progress is said to be finished")
class AnythingCanBeFinished(Tasks):
    def finished(self, queues: Queues, worker: str, wanted: str, trace: Trace) -> tuple[Finished, bool]:
        outcome, recorded = super().finished(queues, worker, wanted, trace)
        if outcome == Finished.UNKNOWN:
            return Finished.COMPLETED, self.ledger.record({wanted: worker}, trace)
        return outcome, recorded


@mutant("tasks-are-given-back", "LK-GEN-02", "who asks for the ledger puts back what is in progress")
class TasksAreGivenBack(Tasks):
    def catch_up(self, trace: Trace) -> None:
        super().catch_up(trace)

        def give_back(queues: Queues) -> None:
            for task_id in queues.read(IN_PROGRESS).ids():
                queues.move(task_id, IN_PROGRESS, PENDING)

        self.edit(give_back, trace)


@mutant("ledger-tells-ten", "LK-GEN-05", "of the ledger the first ten tasks are told")
class LedgerTellsTen(Ledger):
    def ids(self, trace: Trace) -> tuple[str, ...]:
        return super().ids(trace)[:10]


answering("recorded-is-not-told", "LK-GEN-05", "a task that is in the ledger is said not to be",
          "complete", changed(recorded=False, ledger=None))  # fmt: skip

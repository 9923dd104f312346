"""One world of a history: what was logged, how far tasks are, what is to be reported, who answers. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from harness.core.fault import Fault
from harness.core.history import InputFact
from harness.systems import file_faults
from harness.systems.error_log.contract import SOURCE_PATH
from harness.systems.error_log.oracle import documents
from harness.systems.error_log.oracle.aftermath import Aftermath
from harness.systems.error_log.oracle.asking import Call
from harness.systems.error_log.oracle.ledger import Ledger
from harness.systems.error_log.oracle.progress import Tasks
from harness.systems.error_log.oracle.reports import AtTheEnd
from harness.systems.error_log.oracle.weather import FILES
from harness.systems.notes import Notes

_BY_ANOTHER: Final = ("errors", "metadata", "plan")


class World:
    """What is known between two resets. ``group`` counts what did not overlap; ``beside``: it was several at once."""

    def __init__(self, first: Call, notes: Notes) -> None:
        inputs = first.inputs
        self.notes = notes
        self.ledger = Ledger(inputs.get("errors"), notes)
        self._read_of_tasks(inputs.get("metadata"))
        self.tasks = Tasks(inputs.get("metadata"), inputs.get("plan"))
        self.at_end = AtTheEnd()
        self.aftermath = Aftermath(notes)
        self.group = 0
        self.beside = False
        self._tasks: Counter[object] = Counter()
        self._struck = False  # something befell the group before: what is lost then, it took
        self._restarts = 0
        self._standing: tuple[Fault, ...] = ()
        self._sources: frozenset[str] | None = None

    def _read_of_tasks(self, metadata: InputFact | None) -> None:
        """Whoever reads the metadata may take an error that comes without a task for one of theirs."""
        raw = documents.metadata(metadata) or {}
        self.ledger.tells("task", raw.get("task"))
        for text in documents.texts(raw):
            self.ledger.tells("session_id", text)

    def life(self, call: Call) -> tuple[int, int]:
        """The process that is asked, in its life; one of several at once lives no longer than they do."""
        return call.process, self._restarts if call.process == 0 else self.group

    def begin(self, group: Sequence[Call]) -> None:
        """A group of operations begins: what began to stand, and what the files say."""
        self.group += 1
        first = group[0]
        self._arrived(first)
        for call in group:
            self.ledger.told(call.told)
        shaken = frozenset(label for call in group for label in call.shaken)
        hidden = (
            "errors" in shaken
            and first.inputs.get("errors") is not None
            and first.inputs["errors"].kind not in ("file", "missing")
        )
        if not hidden:
            lost_to = "ER-LOG-10" if self._struck or self.beside else "ER-LOG-01"
            self.ledger.look(first.inputs.get("errors"), first.done.begin.files, lost_to=lost_to)
            if self.beside and "errors" in first.inputs:
                self.notes.agrees("ER-LOG-10", "what several log at once is all there", ("nothing_lost",))
        self._look_at_sources(first)
        self.aftermath.look(first.inputs, shaken)
        self.beside = len(group) > 1
        self._tasks = Counter(map(_task_of, group))
        if self.beside:
            self.aftermath.forget(_BY_ANOTHER)

    def is_alone(self, task: object) -> bool:
        """Does no other operation of those at once concern that task?"""
        return not self.beside or self._tasks[task] == 1

    def watch_sources(self, call: Call) -> None:
        """A build failed: no file comes to the sources."""
        self._sources = _sources(call)

    def _look_at_sources(self, call: Call) -> None:
        before, self._sources = self._sources, None
        new = (_sources(call) or frozenset()) - before if before is not None else frozenset()
        if new:
            self.notes.breaks("ER-BLD-01", "the sources are as they were", f"there are new files: {sorted(new)}"[:300])

    def did_something(self) -> None:
        """An operation that was asked for wrongly was answered: with tasks and files it may have done whatever."""
        self.tasks.damaged()
        self.aftermath.forget(FILES.paths)

    def _arrived(self, call: Call) -> None:
        """Notices what began to stand, or ended, since the operation before."""
        new, ended = _without(call.faults, self._standing), _without(self._standing, call.faults)
        self._standing = call.faults
        if any(fault.family in file_faults.RESTARTING for fault in (*new, *ended)):
            self._restarted(None)
        labels = FILES.damaged((*new, *file_faults.unsteady((*call.faults, *ended))))
        if "errors" in labels:
            self.ledger.damaged(call.inputs.get("errors"))
        stored = documents.stage(documents.metadata(call.inputs.get("metadata"))) is not None
        if "metadata" in labels or ("plan" in labels and not stored):  # resume points may be kept in the plan
            self.tasks.damaged()
        self.aftermath.forget(labels)

    def _restarted(self, process: int | None) -> None:
        self._restarts += 1
        self.ledger.ended(process)

    def end(self, group: Sequence[Call]) -> None:
        """The group is over: a process that gave no answer may have ended, as have those that were begun for it."""
        if any(call.answer is None for call in group):
            self._restarted(None)
        if any(file_faults.loses_power(call.faults) for call in group):
            self.ledger.recalled()
        for call in group:
            if call.process > 0:
                self.ledger.ended(call.process)
        self._struck = any(call.shaken or (call.answer is None and call.faults) for call in group)
        if self._struck:
            self.ledger.spare += 2 * len(group)


def _sources(call: Call) -> frozenset[str] | None:
    """The files of the sources, None when nobody knows, or a fault may have put some there."""
    files = call.done.begin.files
    below = SOURCE_PATH.rpartition("/")[0] + "/"
    return frozenset(path for path in files if path.startswith(below)) if files and not call.faults else None


def _without(faults: Sequence[Fault], others: Sequence[Fault]) -> list[Fault]:
    """``faults`` without ``others``, each as often as it is there: the same damage may be done twice."""
    left = list(faults)
    for fault in others:
        if fault in left:
            left.remove(fault)
    return left


def _task_of(call: Call) -> object:
    """The task that an operation concerns, if any."""
    progress = getattr(call.args, "progress", None)
    return progress.task if progress is not None else getattr(call.args, "task", None)

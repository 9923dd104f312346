"""How far each task is, as far as an oracle knows, and what resuming it has to say: ER-PRG-02 and ER-RES-01. Pure.

Source: document 002, Preserve Progress and Enable Resume.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from harness.core.history import InputFact
from harness.systems.error_log.contract import Progress, ResumeResult
from harness.systems.error_log.oracle import documents
from harness.systems.error_log.oracle.documents import same
from harness.systems.notes import Notes

_LEFT_OFF: Final = ("in_progress", "partial")


Life = tuple[int, int]  # a process, in its life


class Standing(NamedTuple):
    """What is known of one task.

    ``points`` are the resume points that are possible, None for any; ``completed`` are the phases that certainly are,
    ``ever`` those that were ever told to be, None when nobody knows; ``partials`` are the partial results that are
    possible, None for any. ``interrupted``: it surely was. ``status`` is the task's own; who keeps it in the metadata
    alone may have lost it to a fault.
    """

    points: tuple[str | None, ...] | None = (None,)
    completed: tuple[str, ...] = ()
    ever: frozenset[str] | None = frozenset()
    partials: tuple[Any, ...] | None = None
    interrupted: bool = False
    status: str | None = None
    status_may_be_lost: bool = False


ANYTHING: Final = Standing(None, (), None)


class Tasks:
    """The tasks of one world. ``whole`` is false once nobody knows what the files say of a task never spoken of."""

    def __init__(self, metadata: InputFact | None, plan: InputFact | None) -> None:
        self._standing: dict[int, Standing] = {}
        self._told: dict[int, set[str]] = {}  # by task, the phases that were ever told to be completed
        self._waiting: dict[int, tuple[Life, Standing]] = {}  # what could not be written, and who has it in memory
        marked = documents.lines(plan) or ()
        self._done = tuple(line for line in marked if documents.is_completed(line))
        self._words = frozenset(documents.texts(documents.decoded(metadata)))
        self._unsure = False
        self._otherwise = ANYTHING if any("[" in line for line in marked) else Standing()
        if plan is not None and plan.kind != "missing" and documents.lines(plan) is None:
            self._otherwise = ANYTHING
        raw = documents.metadata(metadata)
        if raw is not None:
            self._found(raw)
        elif metadata is not None and metadata.kind != "missing":
            self._otherwise = ANYTHING
            self._unsure = documents.decoded(metadata) is None

    def _found(self, raw: Mapping[str, Any]) -> None:
        """The world begins with the metadata of a task."""
        task, done = raw.get("task"), raw.get("completed")
        if not isinstance(task, int) or isinstance(task, bool):
            self._otherwise = ANYTHING
            return
        completed = tuple(each for each in done if isinstance(each, str)) if isinstance(done, list) else ()
        point, status = documents.stage(raw), raw.get("task_status")
        left_off = raw["status"] in _LEFT_OFF and point is not None
        self._standing[task] = Standing(
            (point,) if left_off else None,
            completed,
            None,
            None,
            left_off,
            status if isinstance(status, str) else None,
        )

    def of(self, task: int) -> Standing:
        """What is known of that task."""
        return self._standing.get(task, self._otherwise)

    def ever(self, progress: Progress) -> frozenset[str] | None:
        """The phases of a task that may be taken for completed, None for any: what was told, or stood in the files."""
        told = self._told.setdefault(progress.task, set())
        told |= set(progress.completed)
        phases = progress.phases
        planned = {phase for phase in phases if documents.of_phase(self._done, phase, phases)}
        return None if self._unsure else frozenset(told | planned | self._words)

    def damaged(self) -> None:
        """The metadata was damaged, or are gone: anything may be said from now on."""
        self._unsure = True
        self._otherwise = ANYTHING
        self._waiting = {}
        self._standing = {
            task: ANYTHING._replace(status=known.status, status_may_be_lost=True)
            for task, known in self._standing.items()
        }

    def stopped(
        self, progress: Progress, *, point: str | None, certain: bool, waits_in: Life | None = None
    ) -> None:  # fmt: skip
        """A task left off: at ``point`` for ``certain``, else there, or where it was before, or nobody knows.

        ``waits_in``: it could not be written, and is in the memory of that process.
        """
        before = self.of(progress.task)
        completed = tuple(phase for phase in progress.completed if phase != point)
        told = self.ever(progress)
        points: tuple[str | None, ...] | None
        if point is None:
            certain, points = False, None
        elif certain:
            points = (point,)
        else:
            points = None if before.points is None else tuple(dict.fromkeys((*before.points, point)))
        is_there_again = point is not None and before.points == (point,)
        kept = (progress.partial,) if progress.partial is not None else before.partials if is_there_again else None
        required = completed or tuple(phase for phase in before.completed if phase != point)
        self._waiting.pop(progress.task, None)
        if waits_in is not None and point is not None:
            self._waiting[progress.task] = waits_in, Standing((point,), required, told, kept, True, before.status)
        self._standing[progress.task] = Standing(
            points,
            required if certain else tuple(phase for phase in required if phase in before.completed),
            told,
            kept if certain or progress.partial is None else None,
            certain,
            before.status,
            before.status_may_be_lost,
        )

    def written(self, life: Life) -> None:
        """That process could write again: what waited in its memory is kept, too."""
        for task, (owner, known) in tuple(self._waiting.items()):
            if owner == life:
                before = self.of(task)
                self._standing[task] = known._replace(
                    status=before.status, status_may_be_lost=before.status_may_be_lost
                )
                del self._waiting[task]

    def begun(self, task: int, status: str | None, *, may_be_lost: bool) -> None:
        """A delegation for that task began: what was left off is still where to go on."""
        before = self.of(task)
        self._waiting.pop(task, None)
        if not before.interrupted:
            before = before._replace(points=None)
        self._standing[task] = before._replace(status=status, status_may_be_lost=may_be_lost)

    def judge_resumed(self, task: int, answer: ResumeResult, notes: Notes) -> None:
        """Notes whether the next invocation goes on where the task left off, with all that was completed and kept."""
        known = self.of(task)
        lost = [phase for phase in known.completed if phase not in answer.completed]
        if lost:
            notes.breaks("ER-PRG-02", f"{', '.join(known.completed)} of task {task} completed", f"{lost} lost")
        elif known.completed:
            notes.agrees("ER-PRG-02", "what was completed still is")
        if known.partials is not None:
            kept = any(same(answer.partial, each) for each in known.partials)
            notes.holds("ER-PRG-02", kept, f"the partial result {known.partials[0]!r}", f"{answer.partial!r}")
        if known.points is not None and answer.resume_at not in known.points:
            expected = f"task {task} goes on at {' or '.join(map(str, known.points))}"
            notes.breaks("ER-RES-01", expected, f"at {answer.resume_at}")
            return
        more = set() if known.ever is None else set(answer.completed) - known.ever
        if more or answer.resume_at in answer.completed:
            expected = f"no phase that is still to be done is completed: {sorted(known.ever or ())}"
            notes.breaks("ER-RES-01", expected, f"{list(answer.completed)}, at {answer.resume_at}")
        elif known.points is not None:
            notes.agrees("ER-RES-01", "the next invocation goes on where the task left off")

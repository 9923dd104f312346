"""Which reviews are pending, as far as it can be known, from one step to the next. Pure."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

import msgspec

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.queue_files import BLOCKED, IN_PROGRESS, PENDING
from harness.systems.signals.contract import REVIEW_PATH, REVIEW_TIMEOUT_S, is_ordinary, review_path_of
from harness.systems.signals.oracle.files import State, Step, is_blocked
from harness.systems.signals.oracle.values import read, same
from harness.systems.signals.oracle.weather import QUEUE_LABELS, SIGNALS
from harness.systems.times import CLOSE, stamp

CONCERNS: Final = frozenset(("review", "approved", SIGNALS)) | QUEUE_LABELS
LIMIT: Final = timedelta(seconds=REVIEW_TIMEOUT_S)
WORK: Final = (PENDING, IN_PROGRESS, BLOCKED)
Record = Mapping[str, Any]


class Asked(msgspec.Struct):
    """The requests of one task that may be pending, in order; ``is_certain``: one of them is."""

    records: list[Record]
    is_certain: bool

    def is_late(self, call: Call) -> bool | None:
        """Has it waited for longer than 24 hours? None where it may be read either way."""
        ages = [_age(each, call) for each in self.records]
        if any(age is None or abs(age - LIMIT) < CLOSE for age in ages):
            return False if all(stamp(each.get("timestamp")) is None for each in self.records) else None
        late = {age > LIMIT for age in ages if age is not None}
        return late.pop() if len(late) == 1 else None

    @property
    def blocks(self) -> bool | None:
        """Does it block its task? None where nobody knows."""
        found = {each.get("blocking") is True for each in self.records}
        known = all(isinstance(each.get("blocking"), bool) for each in self.records)
        return found.pop() if len(found) == 1 and known else None


def _age(record: Record, call: Call) -> timedelta | None:
    since = stamp(record.get("timestamp"))
    return call.at - since if since is not None and call.at is not None else None


def _is_renewed(record: Record, known: Sequence[Record]) -> bool:
    """Is it dated otherwise than everything that was asked?"""
    now, before = stamp(record.get("timestamp")), [stamp(each.get("timestamp")) for each in known]
    if now is None or not before:
        return False
    return all(each is not None and abs(now - each) > CLOSE for each in before)


class Ledger:
    """Requests by task, where each task came from, and of whom an alert may be sent again."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self.asked: dict[str, Asked] = {}
        self.origins: dict[str, str] = {}
        self.unheard: set[str] = set()
        self.is_open = False  # may there be requests that nobody has seen?

    def meet(self, before: State) -> None:
        """Takes in what stands in the files when a step begins."""
        known = {task_id: [*each.records] for task_id, each in self.asked.items() if each.is_certain}
        for request in before.requests():
            task_id = str(request.record["task_id"])
            if _is_renewed(request.record, known.get(task_id, ())):
                self._notes.breaks("LK-HR-07", f"the review of {task_id!r} keeps the time it was asked for",
                                   f"it is {request.record['timestamp']!r} now")  # fmt: skip
            found = self.asked.setdefault(task_id, Asked([], is_certain=False))
            found.is_certain = found.is_certain or request.is_sound
            if not any(same(request.record, each) for each in found.records):
                found.records.append(request.record)
        self._settle(before)
        for task_id in before.ids():
            for queue, task in before.copies(task_id):
                if queue != BLOCKED and not is_blocked(task):
                    self.origins[task_id] = queue

    def _settle(self, before: State) -> None:
        """Who sees all requests knows that there are no others."""
        data = before.data("review")
        found = read(data) if data is not None else None
        is_seen = data is None or (found is not None and found.is_clean)
        if not before.knows("review") or not before.files or not is_seen:
            self.is_open = True
            return
        own = {path for path in before.files if path.startswith(f"{REVIEW_PATH}_")}
        self.is_open = not own <= {review_path_of(each) for each in self.asked}
        for task_id in [each for each, asked in self.asked.items() if not asked.is_certain]:
            if before.is_pending(task_id) is False:
                del self.asked[task_id]

    def forget(self) -> None:
        """Files were damaged: what stood in them may be gone."""
        for each in self.asked.values():
            each.is_certain = False
        self.is_open = True

    def doubt(self, task_id: str) -> None:
        """Something befell an operation about that task: its request may be there or not."""
        if task_id in self.asked:
            self.asked[task_id].is_certain = False

    def add(self, task_id: str, record: Record, *, is_certain: bool) -> None:
        """A request was made."""
        found = self.asked.setdefault(task_id, Asked([], is_certain=False))
        found.records.append(record)
        found.is_certain = found.is_certain or is_certain

    def drop(self, task_id: str) -> None:
        """It was resolved; of several that stood side by side another may be left."""
        found = self.asked.get(task_id)
        if found is not None and len(found.records) > 1:
            found.is_certain = False
        else:
            self.asked.pop(task_id, None)

    def certain(self) -> list[str]:
        """The tasks of which a request is pending for sure."""
        return [task_id for task_id, each in self.asked.items() if each.is_certain]

    def judge_kept(self, step: Step, subjects: Sequence[str]) -> None:
        """What the step was not about is pending still (LK-HR-06, LK-HR-08)."""
        after = step.after
        if after is None or not after.knows("review"):
            return
        pending = self.certain()
        lost = [each for each in pending if after.is_pending(each) is False]
        for task_id in lost:
            self.asked[task_id].is_certain = False
            if task_id not in subjects:
                clause = "LK-HR-08" if len(pending) > 1 else "LK-HR-06"
                self._notes.breaks(clause, f"the review of {task_id!r} stays pending", f"not after {step.first.said}")
        seen = [each for each in pending if is_ordinary(each)]
        if lost or len(seen) < 2 or not step.is_answered:
            return
        listed = after.listed()
        readings = {"list"} if all(each in listed for each in seen) else set()
        if sum(after.has_file(each) for each in seen) >= len(seen) - 1:
            readings.add("suffix")
        if after.files and (readings or not step.minds(*CONCERNS)):
            self._notes.holds("LK-HR-08", bool(readings), "both requests, in a list or each in a file of its own",
                              f"{listed} after {step.first.said}", readings)  # fmt: skip

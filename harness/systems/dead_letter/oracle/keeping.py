"""Tasks, and whatever else stands in the queue files, are conserved by every step (LK-DQ-23). Pure."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harness.systems import queue_files
from harness.systems.calls import Call
from harness.systems.dead_letter import contract
from harness.systems.dead_letter.contract import (
    DATA_FIELDS,
    METADATA_FIELDS,
    QUEUE_PATHS,
    TASK_FIELDS,
    WORK_QUEUES,
    Priority,
)
from harness.systems.dead_letter.oracle.asking import REVIEWS
from harness.systems.dead_letter.oracle.queues import Copy, State, Step, Task, in_one_way
from harness.systems.dead_letter.oracle.values import has, lacking, same
from harness.systems.notes import Notes
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, EMPTY, PENDING, task_id

CLAUSE: Final = "LK-DQ-23"
# fields that an implementation may set; "moves" is the queue store's own
_OWN: Final = frozenset((*TASK_FIELDS, *DATA_FIELDS, contract.RECOVERY_REASON, contract.ABANDON_REASON,
                         contract.FIX_COMMIT, contract.LINKED_TO, "moves"))  # fmt: skip
_BY_REVIEW: Final = (PENDING, ABANDONED)


class Keeper:
    """What has to stay, from one step to the next. ``created`` are the tasks of reduced scope that were made."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._foreign: dict[str, Mapping[str, Any]] = {}
        self._read: dict[str, bytes] = {}  # each queue file, as it was when it could be read last
        self._moving: set[str] = set()  # a move of these was begun, and may be ended by any operation
        self._tried: dict[str, int] = {}  # how many attempts a task had once a failure of it was acknowledged
        self.created: set[str] = set()

    def meet(self, state: State) -> None:
        """Remembers the fields that somebody gave to the tasks of a fresh world."""
        for id_ in state.ids():
            copies = [_foreign(task) for _, task in state.copies(id_)]
            self._foreign[id_] = {
                name: value for name, value in copies[0].items() if all(has(each, {name: value}) for each in copies)
            }

    def forget(self) -> None:
        """Files were damaged: whose fields those are that stand there now, nobody knows."""
        self._foreign, self._tried = {}, {}

    def judge(self, step: Step) -> None:
        """Notes what the step has lost, doubled, moved or changed without a reason."""
        after = step.after
        if after is None:
            return
        kept = [self._keeps(step, after, id_) for id_ in step.before.ids()]
        kept += [self._is_explained(step, task) for _, task in _new(step, after)]
        kept += [self._keeps_others(step, after, queue) for queue in after.files if step.before.is_whole(queue)]
        kept += [self._keeps_damaged(step, after, queue) for queue in step.before.damaged if after.knows(queue)]
        kept += [self._keeps_unreadable(step, after, queue) for queue in sorted(step.before.unknown)]
        self._read |= {queue: data for queue in step.before.files if (data := step.before.data(queue)) is not None}
        self._hear(step, after)
        entered = step.has_changed() or not step.is_calm or not step.is_alone
        if step.before.ids() and entered and all(kept):
            self._notes.agrees(CLAUSE, "every task stands in one queue, whole", ("duplicate",))
        if not step.is_calm:
            self._moving |= {id_ for id_ in step.before.ids() if any(_subjects(call, step.before, id_)
                                                                     for call in step.calls)}  # fmt: skip

    def _breaks(self, expected: str, observed: str) -> bool:
        self._notes.breaks(CLAUSE, expected, observed[:400])
        return False

    def _keeps(self, step: Step, after: State, id_: str) -> bool:
        copies, found = step.before.copies(id_), after.copies(id_)
        if not found:
            if after.unknown or (step.loses_power and id_ in self.created):
                return True
            return self._breaks(f"the task {id_!r} stands in a queue", f"it is in none after {step.first.said}")
        if len(found) > 1 and not _may_be_double(step, copies, found):
            places = [queue for queue, _ in found]
            return self._breaks(f"one copy of the task {id_!r}", f"it is in {places} after {step.first.said}")
        for queue, task in found:
            if not step.before.unknown and not self._may_stand(step, id_, queue, copies):
                expected = f"the task {id_!r} stays in {[each for each, _ in copies]}"
                return self._breaks(expected, f"it is in {queue} after {step.first.said}")
            wrong = self._changed(step, id_, task, copies)
            if wrong and not step.before.unknown:
                return self._breaks(f"the task {id_!r} keeps what it has", f"{wrong} after {step.first.said}")
        tried = self._tried.get(id_, 0)
        if _most_attempts(found) < tried and not after.unknown:
            expected = f"the task {id_!r} keeps its {tried} attempts, the last of which was acknowledged"
            return self._breaks(expected, f"they are gone after {step.first.said}")
        return True

    def _hear(self, step: Step, after: State) -> None:
        """Remembers how many attempts those have of which a failure was acknowledged."""
        if not after.unknown:
            told = [call.args.task_id for call in step.calls if call.op == "record_failure" and call.args is not None
                    and call.answer is not None and call.answer.recorded]  # fmt: skip
            self._tried |= {id_: _most_attempts(after.copies(id_)) for id_ in told}

    def _may_stand(self, step: Step, id_: str, queue: str, copies: Sequence[Copy]) -> bool:
        if queue in {each for each, _ in copies} or id_ in self._moving:
            return True
        if queue == DEAD_LETTER and step.before.is_unended(id_):
            return True
        return any(queue in _destinations(call, id_, copies) for call in step.calls)

    def _changed(self, step: Step, id_: str, task: Task, copies: Sequence[Copy]) -> str:
        """What is not as in any copy there was; "" when it is as one of them."""
        foreign = self._foreign.get(id_, {})
        inner = task.get("task_data")
        whole = {**task, **{name: value for name, value in (inner if isinstance(inner, Mapping) else {}).items()
                            if name not in task}}  # fmt: skip
        gone = [name for name, value in foreign.items() if not has(whole, {name: value})]
        if gone:
            return f"{gone[0]!r} is {whole.get(gone[0])!r}"
        subject = len(copies) > 1 or id_ in self._moving or any(
            _subjects(call, step.before, id_) for call in step.calls)  # fmt: skip
        wrong = [_difference(before, task, step, subject=subject) for _, before in copies]
        return "" if "" in wrong else wrong[0]

    def _is_explained(self, step: Step, task: Task) -> bool:
        """A task that was in no queue before: one of reduced scope, or what stood in a file that nobody saw."""
        id_ = str(task_id(task))
        self.created.add(id_)
        if step.before.unknown or any(_defines(call, task) for call in step.calls):
            return True
        return self._breaks("no task that nobody asked for", f"{id_!r} after {step.first.said}")

    def _keeps_others(self, step: Step, after: State, queue: str) -> bool:
        before, found = step.before.files[queue], after.files[queue]
        idless = [task for task in before.tasks if task_id(task) is None]
        gone = lacking([*found.odd, *found.tasks], [*before.odd, *idless])
        if gone:
            return self._breaks(f"{queue} keeps {str(gone[0])[:100]}", f"it is gone after {step.first.said}")
        own, now = before.metadata or {}, found.metadata or {}
        inner, later = own.get("metadata"), now.get("metadata")
        if isinstance(inner, Mapping):
            rest = {name: value for name, value in inner.items() if name not in METADATA_FIELDS}
            if not has(later if isinstance(later, Mapping) else {}, rest):
                return self._breaks(f"the metadata of {queue} keep {rest}", f"{later!r} after {step.first.said}")
        beside = {name: value for name, value in own.items() if name != "metadata"}
        if not has(now, beside):
            return self._breaks(f"{queue} keeps what is beside the tasks: {beside}", f"{now}")
        return True

    def _keeps_damaged(self, step: Step, after: State, queue: str) -> bool:
        data = step.before.data(queue) or b""
        if not data.strip() or after.data(queue) == data or not step.files:
            return True
        if _lies_somewhere(step, _digest(data)):
            return True
        return self._breaks(f"what stood in {queue}, and is no queue, is kept", "its bytes are in no file")

    def _keeps_unreadable(self, step: Step, after: State, queue: str) -> bool:
        """Who cannot read a queue does not begin it anew: what stood in it is in some queue, its bytes in some file."""
        data, found = step.before.data(queue), step.first.found.get(QUEUE_PATHS[queue])
        stood = in_one_way(data)
        if stood is None:
            data = self._read.get(queue)
        if data is None or found is None or after.unknown or after.damaged or not step.files or step.loses_power:
            return True
        digest = _digest(data)
        if found.sha256 != digest or _lies_somewhere(step, digest):
            return True
        stood = stood or queue_files.read(data) or EMPTY
        gone = [id_ for id_ in stood.ids() if not after.copies(id_)]
        if not gone:
            return True
        return self._breaks(f"what stood in {queue}, which cannot be read, is kept", f"{gone} are in no queue")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _most_attempts(copies: Sequence[Copy]) -> int:
    """The attempts of the copy that has most."""
    return max((len(contract.attempts_of(task)) for _, task in copies), default=0)


def _lies_somewhere(step: Step, digest: str) -> bool:
    """Has any file these bytes now?"""
    return any(fact.sha256 == digest for fact in step.files.values())


def _new(step: Step, after: State) -> Iterator[Copy]:
    known = set(step.before.ids())
    for id_ in after.ids():
        if id_ not in known:
            yield after.copies(id_)[0]


def _foreign(task: Task) -> Mapping[str, Any]:
    inner = task.get("task_data")
    within = inner if isinstance(inner, Mapping) else {}
    return {name: value for name, value in {**within, **task}.items() if name not in _OWN}


def _may_be_double(step: Step, copies: Sequence[Copy], found: Sequence[Copy]) -> bool:
    """A crash may leave a duplicate, as may who cannot write; one in the same file nobody has to remove."""
    if not step.is_calm or step.before.unknown:
        return True
    if len(found) > len(copies):
        return False
    is_read = all(call.op == "escalations" for call in step.calls)  # an adapter may read that directory itself
    return is_read or len({queue for queue, _ in found}) == 1


def _destinations(call: Call, id_: str, copies: Sequence[Copy]) -> tuple[str, ...]:
    """Where that operation may move the task."""
    if call.op in REVIEWS:
        decided = call.answer is None or any(each.task_id == id_ for each in call.answer.decisions)
        return _BY_REVIEW if decided and any(queue in (DEAD_LETTER, *WORK_QUEUES) for queue, _ in copies) else ()
    if call.args is None or getattr(call.args, "task_id", None) != id_:
        return ()
    if call.op == "abandon":
        return (ABANDONED,)
    return (PENDING, DEAD_LETTER) if any(queue in WORK_QUEUES for queue, _ in copies) else ()


def _subjects(call: Call, before: State, id_: str) -> bool:
    """Is that task one which the operation is about?"""
    if call.op in REVIEWS:
        return before.is_unended(id_) or any(queue == DEAD_LETTER for queue, _ in before.copies(id_))
    return call.args is not None and getattr(call.args, "task_id", None) == id_


def _defines(call: Call, task: Task) -> bool:
    """Did that review hear of this reduced scope?"""
    if call.op not in REVIEWS or call.args is None:
        return False
    data = contract.data_of(task)
    scopes = [facts.simpler_scope for facts in call.args.facts.values() if facts.simpler_scope is not None]
    return any(data.get("title") == scope.title and data.get("description") == scope.description for scope in scopes)


def well_formed(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """What of a task's data has the type it has to have."""
    right = {
        "title": isinstance(data.get("title"), str),
        "description": isinstance(data.get("description"), str),
        "dependencies": isinstance(data.get("dependencies"), list),
        "priority": data.get("priority") in tuple(Priority),
    }
    return {name: value for name, value in data.items() if right[name]}


def _difference(before: Task, after: Task, step: Step, *, subject: bool) -> str:
    data, now = well_formed(contract.data_of(before)), contract.data_of(after)
    lost = [name for name, value in data.items() if not has(now, {name: value})]
    if lost:
        return f"{lost[0]} is {now.get(lost[0])!r}"
    tried, later = contract.attempts_of(before), contract.attempts_of(after)
    for number, attempt in enumerate(tried):
        if number >= len(later) or not has(later[number], attempt):
            filled = number == len(tried) - 1 and number < len(later) and is_filled(attempt, later[number])
            if not (filled and subject):
                return f"attempt {number + 1} is {later[number] if number < len(later) else None!r}"
    more = len(later) - len(tried)
    if more > (len(step.calls) if subject else 0):
        return f"there are {more} attempts more"
    changed = [name for name in TASK_FIELDS if name not in ("attempts", "task_data") and before.get(name) is not None
               and not same(before[name], after.get(name))]  # fmt: skip
    return f"{changed[0]} is {after.get(changed[0])!r}" if changed and not subject else ""


def is_filled(planned: Mapping[str, Any], tried: Mapping[str, Any]) -> bool:
    """Is it the approach that was planned, which failed by now?"""
    return not contract.has_failed(planned) and same(planned.get("approach"), tried.get("approach"))

"""One world of a history: what is checkpointed, finished, specified, in the queues, and what is left of it. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.core.fault import Fault
from harness.core.history import FileFact
from harness.systems import file_faults, queue_files
from harness.systems.notes import Notes
from harness.systems.session_recovery.contract import STATE_DIRECTORY, Claimed, Finished
from harness.systems.session_recovery.oracle import weather
from harness.systems.session_recovery.oracle.asking import Call
from harness.systems.session_recovery.oracle.breakers import closed_early, every, waited
from harness.systems.session_recovery.oracle.checkpoints import Checkpoints
from harness.systems.session_recovery.oracle.documents import Queues, content, phase, shelf
from harness.systems.session_recovery.oracle.editing import CLAIMS, Editing
from harness.systems.session_recovery.oracle.ledger import Ledger
from harness.systems.session_recovery.oracle.moves import Aftermath, Changes, CutOff, Moves, traces
from harness.systems.session_recovery.oracle.starting import Specifications

STATE: Final = "LK-SYS-02"
_STAYS: Final = ".loki/state stays, with what others keep there"
_OF_OTHERS: Final = (f"{STATE_DIRECTORY}/orchestrator.json", f"{STATE_DIRECTORY}/circuit-breakers.json")


class World:
    """What is known between two resets."""

    def __init__(self, first: Call, notes: Notes, changes: Changes) -> None:
        self.notes = notes
        self.checkpoints = Checkpoints(first.inputs.get("checkpoint"))
        self.ledger = Ledger(first.inputs.get("ledger"), Queues(first.inputs))
        self.specifications = Specifications()
        self.removed = False  # another has removed .loki/state
        self._changes = changes
        self._number = 0
        self._standing: tuple[Fault, ...] = ()
        self._owners: dict[str, str] = {}
        self._halves: set[str] = set()
        self.behind: set[tuple[str, str]] = set()  # tasks of which a copy stays in a queue that cannot be rewritten
        self.cut_off = CutOff()
        self._original: dict[str, Mapping[str, Any]] = _beside(Queues(first.inputs), queue_files.QUEUES)
        self._before: tuple[Call, Queues, Moves] | None = None
        self._edited = False  # the operations before edited queues for sure
        self._left: Mapping[str, FileFact] = {}

    def begin(self, group: Sequence[Call]) -> None:
        """A group of operations begins: what began to stand, and what the files show of those before."""
        self._number += 1
        first = group[0]
        struck = self._arrived(first)
        labels = weather.EVERY - first.hidden
        if "checkpoint" in labels:
            self.checkpoints.look(first.inputs.get("checkpoint"), self.notes)
        if "ledger" in labels:
            self.ledger.look(first.inputs.get("ledger"), self.notes)
        if "specification" in labels:
            self.specifications.look(first.inputs.get("specification"), self.notes)
        self._look_at_state(first, self._left, first.done.begin.files, struck=struck)
        queues = Queues(first.inputs)
        self._look_at_queues(first, queues)
        self._editing = Editing(group, queues, self._owners, self._halves, self.behind, self.cut_off, self.notes)
        self._queues = queues

    def _arrived(self, call: Call) -> bool:
        """Notices what began to stand, or ended, since the operation before; did it strike .loki/state?"""
        new, ended = _without(call.faults, self._standing), _without(self._standing, call.faults)
        self._standing = call.faults
        unsteady = file_faults.unsteady((*call.faults, *ended))
        places = call.places
        labels = weather.damaged((*new, *unsteady), places) | weather.hidden(ended, places)
        if "checkpoint" in labels:
            self.checkpoints.damaged()
        if "ledger" in labels:
            self.ledger.damaged(call.inputs.get("ledger"))
        if "specification" in labels:
            self.specifications.damaged()
        queues = labels & weather.QUEUES
        if queues:
            self._before = None
            self._halves.clear()
            self.behind.clear()
            self._original |= _beside(Queues(call.inputs), queues)
        if "breakers" in labels and self._before is not None:
            self._before[2].breakers_struck = True
        return weather.strikes_state((*new, *ended, *unsteady))

    def _look_at_state(
        self, call: Call, before: Mapping[str, FileFact], after: Mapping[str, FileFact], *, struck: bool
    ) -> None:
        """Is .loki/state there still? ``before`` and ``after`` are what lay on the disk."""
        if not after and not before:
            return
        there = _is_there(after)
        if struck:
            self.removed = not there and (self.removed or _is_there(before))
        elif _is_there(before) and not there and bool(after):
            self.notes.breaks(STATE, _STAYS, f"it is gone: {call.said}")
        elif before and after and there:
            lost = [
                path for path in _OF_OTHERS if path in before and path not in after and not _is_aside(call, path, after)
            ]
            if lost:
                self.notes.breaks(STATE, _STAYS, f"{lost[0]} is gone: {call.said}")
        if there:
            self.removed = False

    def _look_at_queues(self, call: Call, queues: Queues) -> None:
        before, self._before = self._before, None
        if before is None:
            return
        name = closed_early(before[0], call, before[2].waited)
        if name is not None and not before[2].breakers_struck:
            self.notes.breaks("LK-SYS-05", "a breaker that is OPEN stays so until its time has come", name[:80])
        if not weather.QUEUES.isdisjoint(call.hidden | before[0].hidden) or _put_aside(before[0], call):
            self._halves.clear()
            return
        self._judge_behind(queues)
        self.behind |= {
            (task_id, queue) for task_id, queue in before[2].left_behind if queues.shelves[queue].count(task_id)
        }
        aftermath = Aftermath(before[1], queues, before[2], self.notes, self._changes)
        aftermath.judge(call.done.begin.files, self._original)
        self._judge_halves(queues, edited=self._edited)
        self._halves |= set(aftermath.halves())

    def _judge_behind(self, queues: Queues) -> None:
        """A copy that stayed since its queue could not be rewritten is gone once it was."""
        for task_id, queue in sorted(self.behind):
            if not queues.shelves[queue].count(task_id):
                self.behind.discard((task_id, queue))
            elif self._edited:
                expected = f"the copy of {task_id[:80]!r} is gone from {queue}.json, which can be rewritten"
                self.notes.breaks(CLAIMS, expected, "it is there")
                self.behind.discard((task_id, queue))

    def _judge_halves(self, queues: Queues, *, edited: bool) -> None:
        """What was cut off and left two copies of a task has one, once a queue was edited."""
        for task_id in sorted(self._halves):
            if traces(queues, task_id) < 2:
                self._halves.discard(task_id)
            elif edited:
                expected = f"of {task_id[:80]!r}, which was left in two places, one copy is left"
                self.notes.breaks(CLAIMS, expected, f"there are {traces(queues, task_id)}")
                self._halves.discard(task_id)

    def edit(self) -> None:
        """Judges what the operations say that they did to queues."""
        self._editing.judge(self.ledger, self._number, self._changes)

    def end(self, group: Sequence[Call]) -> None:
        """The group is over: the next one shows what it left."""
        first = group[0]
        moves = self._editing.moves
        moves.open_finishes |= {  # the last copy of what was finished may go whenever its queue can be rewritten
            task_id
            for task_id, queue in self.behind
            if self._queues.total(task_id) == self._queues.shelves[queue].count(task_id)
        }
        moves.loose = all(call.op == "begin_turn" or call.args is None for call in group)
        moves.started |= {call.args.task_id for call in group if call.op == "start_task" and call.args is not None}
        moves.waited |= waited(group)
        editors = [call for call in group if call.edits and call.answer is not None]
        self._edited = len(group) == 1 and any(
            call.answer.outcome in (Claimed.CLAIMED, Finished.COMPLETED) and not call.shaken for call in editors
        )
        self._note_cut_off(group)
        self.checkpoints.settle()
        for call in group:
            self._end_state(call)
        if len(group) > 1:
            self.checkpoints.forget_owed()
        self._before = (first, self._queues, moves)
        self._left = max(group, key=lambda call: call.ended).left

    def _note_cut_off(self, group: Sequence[Call]) -> None:
        """What was never answered is done by the next edit at the latest."""
        if self._edited:
            self.cut_off = CutOff()
        for call in group:
            if call.answer is None and call.args is not None and call.edits:
                claims = self.cut_off.claims + (call.op == "claim")
                finishes = {call.args.task_id} if call.op == "complete" else set()
                self.cut_off = CutOff(claims, self.cut_off.finishes | finishes)

    def _end_state(self, call: Call) -> None:
        before, after = call.done.begin.files, call.left
        if file_faults.loses_power(call.faults):
            return
        unsteady = weather.strikes_state(file_faults.unsteady(call.faults))
        if not unsteady:
            self._look_at_state(call, before, after, struck=False)
            if call.answer is not None and after and (_is_there(before) or self.removed):
                self.notes.agrees(STATE, _STAYS)

    def made_anew(self, call: Call) -> None:
        """A checkpoint was stored while .loki/state, which another removed, was not there: who made it anew?"""
        if self.removed and _is_there(call.left):
            self.notes.agrees(STATE, "what another removed is made anew", ("anew",))


def _is_there(files: Mapping[str, FileFact]) -> bool:
    return any(path == STATE_DIRECTORY or path.startswith(STATE_DIRECTORY + "/") for path in files)


def _put_aside(before: Call, after: Call) -> bool:
    """Was a queue that could not be read kept under another name?"""
    return any(
        fact.sha256 == hashlib.sha256(content(known) or b"").hexdigest()
        for label, known in before.recalled.items()
        for path, fact in after.done.begin.files.items()
        if label in weather.QUEUES and shelf(known).ids() and path not in weather.PLACES[label]
    )


def _is_aside(call: Call, path: str, after: Mapping[str, FileFact]) -> bool:
    """Was a file that says nothing kept under another name?"""
    label = next(name for name, paths in weather.PLACES.items() if path in paths)
    fact = call.inputs.get(label)
    sound = phase(fact) if label == "orchestrator" else every(call)
    digest = hashlib.sha256(content(fact) or b"").hexdigest()
    return sound is None and any(each.sha256 == digest for each in after.values())


def _beside(queues: Queues, names: Sequence[str] | frozenset[str]) -> dict[str, Mapping[str, Any]]:
    """What stands beside the tasks of these queues."""
    found = {name: queues.shelves[name].file for name in names}
    return {name: (file.metadata if file is not None else None) or {} for name, file in found.items()}


def _without(faults: Sequence[Fault], others: Sequence[Fault]) -> list[Fault]:
    """``faults`` without ``others``, each as often as it is there: the same damage may be done twice."""
    left = list(faults)
    for fault in others:
        if fault in left:
            left.remove(fault)
    return left

"""Work on a task that begins: its requirements, and the interfaces that it changes: LK-GEN-06, LK-GEN-08. Pure."""

from typing import Any, Final

from harness.core.history import InputFact
from harness.systems.notes import Notes
from harness.systems.session_recovery.contract import SPECIFICATION_PATH, Action
from harness.systems.session_recovery.oracle import steps, weather
from harness.systems.session_recovery.oracle.asking import Call, path_of
from harness.systems.session_recovery.oracle.documents import Queues, content, has_part, is_shown, mentions

LABEL: Final = "specification"
READ: Final = "LK-GEN-08"
SPECIFIED: Final = "LK-GEN-06"
_BEFORE: Final = "an interface change is specified before it is coded"


class Specifications:
    """The interfaces that were told to be specified, the last of each task: the file has to have them since."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def damaged(self) -> None:
        """Something befell the file."""
        self._kept = {}

    def may_change(self, task_id: str) -> None:
        """The interface of that task was specified once more, or not."""
        self._kept.pop(task_id, None)

    def specified(self, task_id: str, interface: str) -> None:
        """The interface of that task was specified in the file of the contract."""
        self._kept[task_id] = interface

    def look(self, found: InputFact | None, notes: Notes) -> None:
        """Are they there?"""
        if not is_shown(found):
            return
        data = content(found) or b""
        for task_id, interface in list(self._kept.items()):
            if not mentions(data, interface):
                expected = f"the interface of {task_id[:80]!r} is specified: {interface[:160]!r}"
                notes.breaks(SPECIFIED, expected, f"{data[-160:]!r}")
                del self._kept[task_id]


def judge_start(call: Call, specifications: Specifications, notes: Notes, *, beside: bool) -> None:
    """Work on a task began, or did not."""
    args, answer = call.args, call.answer
    specifications.may_change(args.task_id)
    queues = Queues(call.inputs)
    excused = not weather.QUEUES.isdisjoint(call.shaken) and (call.says_so or bool(call.unsteady))
    doubtful = bool(queues.damaged) or not queues.are_sound or beside
    if answer.started != steps.has(answer.steps, Action.IMPLEMENT):
        notes.breaks(READ, "implement is among the steps of work that began, and of no other", call.said)
        return
    if not queues.is_anywhere(args.task_id):
        if not doubtful:
            notes.holds(READ, not answer.started, "a task that no queue has is not begun", call.said)
        return
    if not answer.started:
        _judge_refused(call, queues, notes, excused=excused or doubtful)
        return
    wrong = steps.disorder(answer.steps, Action.READ_REQUIREMENTS, Action.IMPLEMENT)
    if wrong:
        notes.breaks(READ, "the requirements are read before it is implemented", f"{wrong}: {call.said}")
    elif _right_requirements(queues, args.task_id, answer.requirements):
        notes.agrees(READ, "the requirements are read before it is implemented")
    elif not (doubtful or call.unsteady):
        notes.breaks(READ, "the requirements have the task's description in them", call.said)
    if args.interface is not None:
        _judge_specified(call, specifications, notes)


def _first(queues: Queues, task_id: str) -> list[str]:
    """The descriptions of the task that are texts: those of it in progress, else those of all its copies."""
    found: list[Any] = [
        task.get("description") for task in queues.in_progress.copies(task_id) or queues.copies(task_id)
    ]
    return [each for each in found if isinstance(each, str) and each.strip()]


def _right_requirements(queues: Queues, task_id: str, told: str | None) -> bool:
    """Is that one of its descriptions? What is told of one that is none is the implementation's own."""
    given = _first(queues, task_id)
    return not given or (told is not None and any(has_part(told, text) for text in given))


def _judge_refused(call: Call, queues: Queues, notes: Notes, *, excused: bool) -> None:
    """Work on a task that is there did not begin: only one that is in progress has to."""
    claimed = queues.in_progress.count(call.args.task_id) > 0
    given = claimed and _first(queues, call.args.task_id)
    changes = call.args.interface is not None
    if changes and call.may_miss(LABEL):
        notes.agrees(SPECIFIED, "what cannot be specified is not coded")
    elif given and not excused:
        notes.breaks(SPECIFIED if changes else READ, "work on a task that is in progress begins", call.said)


def _judge_specified(call: Call, specifications: Specifications, notes: Notes) -> None:
    args, answer = call.args, call.answer
    kept = [step for step in answer.steps if step.action != Action.SPECIFY or step.ok]
    wrong = steps.disorder(kept, Action.SPECIFY, Action.IMPLEMENT)
    path = path_of(answer.specification)
    if not wrong and call.lacks(path, LABEL):
        wrong = f"there is no file {answer.specification!r}"
    if wrong:
        notes.breaks(SPECIFIED, _BEFORE, f"{wrong}: {call.said}")
        return
    notes.agrees(SPECIFIED, _BEFORE, ("specs" if path == SPECIFICATION_PATH else "elsewhere",))
    if path == SPECIFICATION_PATH:
        specifications.specified(args.task_id, args.interface)

"""Which tasks have been finished, and whether the ledger has them: LK-GEN-05. Pure."""

from typing import Final

from harness.core.history import InputFact
from harness.systems.notes import Notes
from harness.systems.session_recovery.contract import LEDGER_PATH
from harness.systems.session_recovery.oracle.asking import Call, path_of
from harness.systems.session_recovery.oracle.documents import Queues, content, guessed, is_shown, mentions, texts

LABEL: Final = "ledger"
CLAUSE: Final = "LK-GEN-05"
_LISTED: Final = "the ledger has every finished task, once, in the order in which they were recorded"


class Ledger:
    """The finished tasks of one world: those that have to be recorded, in order, and those that may be."""

    def __init__(self, found: InputFact | None, queues: Queues) -> None:
        self._required: dict[str, int] = {}  # by task: the group of operations that recorded it
        self._maybe: set[str] = set(queues.completed.ids())  # a ledger may be made of what was finished before
        self._struck: set[str] = set()  # finishing them was cut off
        self._owed: set[str] = set()  # what the ledger of the contract has to show
        self._readings: frozenset[str] | None = None
        self._open = False
        self._took_over(found)

    def _took_over(self, found: InputFact | None) -> None:
        for line in (content(found) or b"").splitlines():
            self._maybe |= set(texts(guessed(line)))

    def damaged(self, found: InputFact | None) -> None:
        """Something befell the file: what was recorded may be there or not."""
        self._maybe |= {*self._required, *self._struck}
        self._required, self._owed, self._struck = {}, set(), set()
        self._took_over(found)

    def did_something(self) -> None:
        """Who was asked for something that is no operation may have recorded anything."""
        self._open = True

    def maybe(self, task_id: str, *, struck: bool = False) -> None:
        """That task was recorded, or not; ``struck``: its end was cut off."""
        self._maybe.add(task_id)
        self._struck |= {task_id} if struck else set()

    def completed(self, call: Call, group: int, notes: Notes) -> None:
        """A task was told to be completed."""
        task_id, answer = call.args.task_id, call.answer
        if not answer.recorded:
            if call.may_miss(LABEL):
                self.maybe(task_id)
                notes.agrees(CLAUSE, "a task that cannot be recorded is said not to be")
            else:
                notes.breaks(CLAUSE, "a finished task is recorded, or said not to be", call.said)
                self.maybe(task_id)
            return
        path = path_of(answer.ledger)
        if call.lacks(path, LABEL):
            notes.breaks(CLAUSE, "the path of the file that holds the ledger, which is there", call.said)
            return
        self._required.setdefault(task_id, group)
        self._struck.discard(task_id)
        self._readings = frozenset(("ledgers" if path == LEDGER_PATH else "elsewhere",))
        self._owed |= {task_id} if path == LEDGER_PATH else set()

    def look(self, found: InputFact | None, notes: Notes) -> None:
        """Is what was told to be in the ledger of the contract there?"""
        owed, self._owed = self._owed, set()
        if not is_shown(found):
            return
        for task_id in sorted(owed):
            data = content(found) or b""
            expected = f"the ledger has {task_id[:80]!r}"
            notes.holds(CLAUSE, mentions(data, task_id), expected, f"{data[-160:]!r}", ("ledgers",))

    def asked(self, call: Call, notes: Notes, *, beside: bool) -> None:
        """Notes whether the ledger that was told has what it has to."""
        if call.answer is None or self._open:
            return
        told = call.answer.task_ids
        if len(set(told)) != len(told):
            notes.breaks(CLAUSE, _LISTED, f"one of them twice: {list(told)[:20]}")
            return
        if beside:
            return
        strangers = [each for each in told if each not in self._required and each not in self._maybe]
        missing = [each for each in self._required if each not in told]
        queues = Queues(call.inputs)
        if queues.are_sound:
            missing += [each for each in self._struck if each not in told and not queues.is_anywhere(each)]
        ranks = [self._required[each] for each in told if each in self._required]
        if strangers:
            notes.breaks(CLAUSE, _LISTED, f"one that nobody finished: {strangers[0][:80]!r}")
        elif missing and not call.may_miss(LABEL):
            notes.breaks(CLAUSE, _LISTED, f"not {missing[0][:80]!r}")
        elif ranks != sorted(ranks):
            notes.breaks(CLAUSE, _LISTED, f"another order: {list(told)[:20]}")
        elif ranks:
            notes.agrees(CLAUSE, _LISTED, self._readings)

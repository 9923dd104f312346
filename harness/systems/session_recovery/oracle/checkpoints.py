"""Which checkpoint is the last one, and whether what was told of it is so: LK-SYS-04, LK-RC-01. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from harness.core.history import InputFact
from harness.systems.notes import Notes
from harness.systems.session_recovery.contract import CHECKPOINT_PATH
from harness.systems.session_recovery.oracle.asking import Call, path_of
from harness.systems.session_recovery.oracle.documents import (
    NoJsonError,
    content,
    guessed,
    is_shown,
    mentions,
    parsed,
    same,
)

LABEL: Final = "checkpoint"
CLAUSE: Final = "LK-SYS-04"


class Made(msgspec.Struct, frozen=True):
    """A checkpoint: its name, and the state that was handed over."""

    name: str
    state: Mapping[str, Any]


class Checkpoints:
    """The checkpoints of one world. ``None`` among those that may be the last is that there is none."""

    def __init__(self, found: InputFact | None) -> None:
        self._made: list[Made] = []
        self._last: list[Made | None] = [None]
        self._stored: list[Made] = []  # by the operations that run now
        self._maybe: list[Made] = []
        self._owed: Made | None = None  # what checkpoint.json has to show next
        self._strange = False  # what is in the file may be another's
        self._open = False  # an operation that is none of the contract's may have made one
        self._took_over(found)

    def _took_over(self, found: InputFact | None) -> None:
        """What another left may count, where the implementation reads it."""
        data = content(found)
        if data is None:
            return
        try:
            left = made_of(parsed(data))
        except NoJsonError:
            self._strange = True
            return
        if left is not None:
            self._last.append(left)
            self._made.append(left)

    def damaged(self) -> None:
        """Something befell what is kept: it is there, or an older one, or none."""
        self._last = [None, *self._made]
        self._owed = None
        self._strange = True

    def is_damaged(self, call: Call) -> bool:
        """May what is kept be none that can be read, since somebody else wrote it?"""
        data = content(call.inputs.get(LABEL))
        return self._strange or (not self._made and data is not None and made_of(guessed(data)) is None)

    def forget_owed(self) -> None:
        """Nobody knows what the file shows next."""
        self._owed = None

    def did_something(self) -> None:
        """Who was asked for something that is no operation may have made any checkpoint."""
        self._open = True

    def stored(self, call: Call, made: Made, named: str | None, notes: Notes) -> None:
        """That checkpoint was told to be stored, in the file that was named."""
        self._stored.append(made)
        path = path_of(named)
        if call.lacks(path, LABEL):
            expected = f"the checkpoint {made.name[:80]!r} is in the file that is named"
            notes.breaks(CLAUSE, expected, f"nothing is there: {call.said}")
        else:
            notes.agrees(CLAUSE, "a checkpoint is stored", ("state" if path == CHECKPOINT_PATH else "elsewhere",))
            self._owed = made if path == CHECKPOINT_PATH else None

    def maybe(self, made: Made) -> None:
        """That checkpoint was stored, or not: nobody said."""
        self._maybe.append(made)

    def settle(self) -> None:
        """The operations that ran are over: any of several may have been the last."""
        if self._stored:
            self._strange = self._open = False
            self._last = [*self._stored]
        if len(self._stored) + len(self._maybe) > 1 or self._maybe:
            self._owed = None
        self._last += self._maybe
        self._made += [*self._stored, *self._maybe]
        self._stored, self._maybe = [], []

    def look(self, found: InputFact | None, notes: Notes) -> None:
        """Is the checkpoint that was told to be in checkpoint.json there?"""
        owed, self._owed = self._owed, None
        if owed is None or not is_shown(found):
            return
        data = content(found)
        if data is None or not mentions(data, owed.name):
            notes.breaks(CLAUSE, f"checkpoint.json has the checkpoint {owed.name[:80]!r}", f"{(data or b'')[:160]!r}")

    def wrong(self, call: Call, beside: Sequence[Call]) -> str:
        """What is wrong with the checkpoint that a session is resumed from, "" when nothing is."""
        name, state = call.answer.checkpoint, call.answer.state
        allowed = [*self._last]
        if call.may_miss(LABEL):
            allowed += [None, *self._made]
        running = [each for each in beside if each.op in ("checkpoint", "begin_operation") and each.args is not None]
        allowed += [Made(each.args.name, each.args.state) for each in running]
        if self._strange:
            allowed.append(made_of(guessed(content(call.inputs.get(LABEL)) or b"")))
        if self._open or any(_is(made, name, state) for made in allowed):
            return ""
        names = ", ".join("none" if made is None else repr(made.name[:60]) for made in self._last)
        return f"the last checkpoint, {names}, with its state: {str(name)[:60]!r}, {str(state)[:120]}"


def made_of(value: Any) -> Made | None:
    """The checkpoint in a file as this system's contract has it."""
    if not isinstance(value, dict):
        return None
    name, state = value.get("name"), value.get("state")
    return Made(name, state) if isinstance(name, str) and isinstance(state, dict) else None


def _is(made: Made | None, name: str | None, state: Mapping[str, Any] | None) -> bool:
    if made is None:
        return name is None and not state
    return name == made.name and same(made.state, state)

"""Names of files that programs make up (random, process ids, times): the same step has another one in each execution.

A path is *new* when it is not there as a process first names it: in a call that makes it, or in a look before. New ones
are counted by process, in the order in which they are first named; by that they are the same in every execution. A new
name that differs from the one in an execution that had gone the same way so far is *made up*. A name that comes back
while only two are known is none: the program chooses among a few, and so does not repeat itself.
"""

import os
import re
from collections.abc import Callable, Collection
from typing import Final, NamedTuple

_FEW: Final = 2
_TOKEN: Final = re.compile("\0new ([^\0]+)\0")


class Namer(NamedTuple):
    """Who names a path: ``who`` it is, the ``history`` of choices until then, and what it finds at a path."""

    who: str
    history: tuple[int, ...]
    exists: Callable[[str], bool]


class MadeUp:
    """What is known of new names from all executions so far; ``slots`` are those whose names are made up."""

    def __init__(self, slots: Collection[str] = ()) -> None:
        self.slots = set(slots)
        self._texts: dict[str, str] = {}
        self._met: dict[tuple[str, tuple[int, ...]], list[str]] = {}

    def repeats(self, slot: str, history: tuple[int, ...], text: str) -> bool:
        """Whether ``text`` may stand at ``slot`` in a program that does the same after the same ``history``."""
        self._texts.setdefault(slot, text)
        met = self._met.setdefault((slot, history), [])
        if text in met:
            return len(met) != _FEW
        met.append(text)
        if len(met) > 1:
            self.slots.add(slot)
        return True

    def makes_up(self, who: str) -> bool:
        """Whether that process is known to make up names."""
        return any(slot.partition(" ")[0] == who for slot in self.slots)

    def told(self, text: str) -> str:
        """A text in which identities stand, for people."""
        return _TOKEN.sub(
            lambda token: placeholder(token[1]) if token[1] in self.slots else self._first(token[1]), text
        )

    def _first(self, slot: str) -> str:
        return self.told(self._texts[slot])


class NewNames:
    """The paths of one execution. ``hide`` writes those that are the same in every execution, for people."""

    def __init__(self, known: MadeUp, below: Collection[str], hide: Callable[[str], str]) -> None:
        self._known = known
        self._below = tuple(f"{path.rstrip('/')}/" for path in below)
        self._hide = hide
        self._slots: dict[str, str] = {}  # of the new ones
        self._identities: dict[str, str] = {}
        self._shown: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def identity(self, path: str, namer: Namer) -> str:
        """What stands for the path in every execution."""
        known = self._identities.get(path)
        if known is None:
            known = self._identities[path] = self._identified(path, namer)
            self._shown[self._hide(path)] = path
        return known

    def sorting(self, path: str, namer: Namer) -> str:
        """By what calls at the same moment are put in an order that is the same in every execution."""
        known = self._identities.get(path)
        if known is not None:
            return known
        return "" if self._known.makes_up(namer.who) and not namer.exists(path) else self._hide(path)

    def text(self, shown: str) -> str:
        """A path that was written by ``hide``, with what is made up in it replaced, as far as that is known by now."""
        path = self._shown.get(shown)
        return shown if path is None else self._hide(self._masked(path))

    def _identified(self, path: str, namer: Namer) -> str:
        if not path.startswith(self._below):
            return self._hide(path)
        above, _, last = path.rpartition("/")
        folder = self.identity(above, namer)
        if namer.exists(path):
            return f"{folder}/{last}" if "\0" in folder else self._hide(path)
        count = self._counts[namer.who] = self._counts.get(namer.who, 0) + 1
        slot = self._slots[path] = f"{namer.who} {count}"
        text = f"{folder}/{last}" if "\0" in folder else self._hide(path)
        same = self._known.repeats(slot, namer.history, text)
        return f"\0new {slot}\0" if same else f"\0new {slot}\0, not {text}"

    def _masked(self, path: str) -> str:
        if not path.startswith(self._below):
            return path
        above, _, last = path.rpartition("/")
        slot = self._slots.get(path)
        return os.path.join(self._masked(above), placeholder(slot) if slot in self._known.slots and slot else last)


def placeholder(slot: str) -> str:
    """What people read for a name that is made up: which new name of which process it is."""
    who, _, count = slot.partition(" ")
    return f"{{new name {count} of {who}}}"

"""What a loss of power may take from the changes made so far; the model is told in crash_states."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from harness.explore.writes import Change, Entry, Sync, SyncAll, Tree, Truncate, Write, changed, told

Tear = Callable[[int, int], tuple[Sequence[int], bool]]


class _Group:
    """Names that are lost or kept together; ``needs`` is the one without which this one cannot be kept."""

    def __init__(self, entries: tuple[Entry, ...], text: str, needs: "_Group | None") -> None:
        self.entries = entries
        self.text = text
        self.needs = needs


class _Kept(NamedTuple):
    """How much of the pending changes of one file is kept: so many whole ones, so many bytes of the next."""

    changes: int
    bytes: int
    zeros: bool  # the length is that of all changes, the missing bytes are zeros


class _File:
    """One file: what of it is durable, and what was changed since."""

    def __init__(self, durable: bytes) -> None:
        self.durable = durable
        self.pending: list[Write | Truncate] = []
        self._prefix = (0, durable)

    def sync(self, whole: bytes) -> None:
        """All of it is durable now."""
        self.durable = whole
        self.pending = []
        self._prefix = (0, whole)

    def remains(self, torn: Tear, cuts: list[str]) -> list[_Kept]:
        """Everything that may be left: first all of it, then from the least to the most."""
        found = [_Kept(len(self.pending), 0, zeros=False)]
        size = len(self.contents(found[0]))
        for position, change in enumerate(self.pending):
            places: Sequence[int] = ()
            if isinstance(change, Write):
                places, every = torn(change.offset, len(change.data))
                if not every:
                    cuts.append(
                        f"a write of {len(change.data)} bytes to {change.path} is lost from {len(places)} places"
                    )
            for place in (0, *places):
                found.append(_Kept(position, place, zeros=False))
                if len(self.contents(found[-1])) < size:
                    found.append(_Kept(position, place, zeros=True))
        return found

    def contents(self, kept: _Kept) -> bytes:
        """The bytes on disk when only ``kept`` is left."""
        if self._prefix[0] > kept.changes:
            self._prefix = (0, self.durable)
        done, contents = self._prefix
        for change in self.pending[done : kept.changes]:
            contents = changed(contents, change)
        self._prefix = (kept.changes, contents)
        if kept.bytes:
            change = self.pending[kept.changes]
            assert isinstance(change, Write)  # noqa: S101 - only writes have places to tear
            contents = changed(contents, Write(change.path, change.offset, change.data[: kept.bytes]))
        if kept.zeros:
            contents = contents.ljust(self._size(), b"\0")
        return contents

    def _size(self) -> int:
        size = len(self.durable)
        for change in self.pending:
            size = change.size if isinstance(change, Truncate) else max(size, change.offset + len(change.data))
        return size

    def lost(self, kept: _Kept) -> str:
        """What is not kept, in words; nothing when all is."""
        if kept.changes == len(self.pending):
            return ""
        change = self.pending[kept.changes]
        text = f"{told(change)}, from its byte {kept.bytes} on" if kept.bytes else f"{told(change)}, and on"
        return f"{text}, zeros in its place" if kept.zeros else text


class PowerLoss:
    """The tree as the running machine sees it (``live``), and what would be left of it."""

    def __init__(self, tree: Tree, torn: Tear, bound: int) -> None:
        self.live = tree
        self._torn = torn
        self._bound = bound
        self._entries = tree.copy().entries
        self._files = {inode: _File(data) for inode, data in tree.data.items() if isinstance(data, bytes)}
        self._groups: list[_Group] = []

    def apply(self, change: Change) -> None:
        """The change is made, and durable only once it is synced."""
        match change:
            case SyncAll():
                for group in tuple(self._groups):
                    self._settle(group)
                for inode in self._files:
                    self._sync(inode)
            case Sync(path):
                inode = self.live.inode(path)
                if inode in self._files:
                    self._sync(inode)
                for group in [group for group in self._groups if inode in {entry.directory for entry in group.entries}]:
                    self._settle(group)
            case Write(path) | Truncate(path):
                self.live.apply(change)
                self._files[self.live.inode(path)].pending.append(change)
            case _:
                self._enter(change)

    def _enter(self, change: Change) -> None:
        group: _Group | None = None
        for entries in self.live.entered(change):
            text = f"the removal of {change.old}" if group and hasattr(change, "old") else told(change)
            group = _Group(entries, text, group)
            self.live.put(entries)
            self._groups.append(group)
            for entry in entries:
                self._meet(entry.inode)

    def _meet(self, inode: int | None) -> None:
        if inode is None:
            return
        if inode in self.live.entries:
            self._entries.setdefault(inode, {})
        elif inode not in self._files and isinstance(data := self.live.data[inode], bytes):
            self._files[inode] = _File(data)

    def _sync(self, inode: int) -> None:
        data = self.live.data[inode]
        assert isinstance(data, bytes)  # noqa: S101 - only regular files are in _files
        self._files[inode].sync(data)

    def _settle(self, group: _Group) -> None:
        """The group is durable, what it needs with it; an older one can no longer alter the same names."""
        if group not in self._groups:
            return
        if group.needs is not None:
            self._settle(group.needs)
        position = self._groups.index(group)
        names = {entry[:2] for entry in group.entries}
        older = self._groups[:position]
        for other in older:
            other.entries = tuple(entry for entry in other.entries if entry[:2] not in names)
        self._groups[: position + 1] = [other for other in older if other.entries]
        self._put(self._entries, group.entries)

    @staticmethod
    def _put(names: dict[int, dict[str, int]], entries: tuple[Entry, ...]) -> None:
        Tree(names, {}, 0).put(entries)

    def states(self, where: str, cuts: list[str]) -> Iterator[tuple[Tree, str]]:
        """What may be left now, with what was lost in words; first the state in which nothing is."""
        open_files = {inode: file for inode, file in self._files.items() if file.pending}
        remains = {inode: file.remains(self._torn, cuts) for inode, file in open_files.items()}
        number = 2 ** len(self._groups) * math.prod(map(len, remains.values()))
        few = number > self._bound
        if few:
            cuts.append(
                f"{where}: {number} subsets of {len(self._groups)} names and {len(remains)} files not synced; only one "
                f"or all of them lost or kept, at most {self._bound} states"
            )
        choices = list(remains.values())
        states = (
            (lost, kept)
            for lost in (self._few() if few else self._subsets())
            for kept in (_one_at_a_time(choices) if few else itertools.product(*choices))
        )
        for lost, kept in itertools.islice(states, self._bound):
            yield self._state(lost, dict(zip(open_files, kept, strict=True)))

    def _subsets(self) -> Iterator[frozenset[int]]:
        for size in range(len(self._groups) + 1):
            for lost in itertools.combinations(range(len(self._groups)), size):
                if self._possible(frozenset(lost)):
                    yield frozenset(lost)

    def _few(self) -> Iterator[frozenset[int]]:
        """Nothing lost, everything, each one alone, all but each one, and all from each one on."""
        everything = range(len(self._groups))
        found = [frozenset[int](), frozenset(everything)]
        for one in everything:
            found += [frozenset({one}), frozenset(everything) - {one}, frozenset(everything[one:])]
        yield from (lost for lost in dict.fromkeys(found) if self._possible(lost))

    def _possible(self, lost: frozenset[int]) -> bool:
        gone = [self._groups[position] for position in lost]
        return not any(group.needs in gone for position, group in enumerate(self._groups) if position not in lost)

    def _state(self, lost: frozenset[int], kept: dict[int, _Kept]) -> tuple[Tree, str]:
        names = {inode: dict(entries) for inode, entries in self._entries.items()}
        for position, group in enumerate(self._groups):
            if position not in lost:
                self._put(names, group.entries)
        data = dict(self.live.data)
        texts = [self._groups[position].text for position in sorted(lost)]
        for inode, remaining in kept.items():
            data[inode] = self._files[inode].contents(remaining)
            texts.append(self._files[inode].lost(remaining))
        return Tree(names, data, 0), "; ".join(text for text in texts if text)


_LEAST: Final = 1  # in the list of what remains: everything first, then nothing


def _one_at_a_time(remains: list[list[_Kept]]) -> Iterator[tuple[_Kept, ...]]:
    """Of one file each remainder, of the others all or nothing."""
    for others in (0, _LEAST):
        rest = tuple(kept[others] for kept in remains)
        yield rest
        for position, choices in enumerate(remains):
            for kept in choices:
                yield (*rest[:position], kept, *rest[position + 1 :])

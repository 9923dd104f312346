"""Every state in which a crash may leave the files of one operation: pure, from what the operation changed.

Two models, reported apart:

``kill``: the process dies, the machine goes on. Everything done stays: the states are every prefix of the changes, and
for each write every number of bytes of it. Source: a write(2) that a signal ends may have written a part.

``power``: the machine loses power. This is the weak reading of POSIX fsync(2), and of its Linux page, that nothing is
durable which was not synced itself:

- The bytes of a file are durable when the file was synced. Later changes of it may be lost from any point on: the
  file is as it was, shorter, empty, or as long as it would have been with zeros where data had been (delayed
  allocation).
- A name given or taken is durable when its *directory* was synced. "Calling fsync() does not necessarily ensure that
  the entry in the directory containing the file has also reached disk" (fsync(2)); that ext4 and XFS persist the name
  of a new file along with its data is not relied on. Of the rest any subset may be lost.
- A rename inside one directory is lost or kept whole (rename(2): atomic). Across directories the new name may be kept
  and the removal of the old one lost, never the reverse.

Not in the model: bytes lost in the middle of what is kept, file systems that reorder the changes of one file, sectors
that rot, caches that lie about a flush.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from harness.explore.power_loss import PowerLoss, Tear
from harness.explore.writes import Change, Contents, Files, Tree, Write, changed, told

Model = Literal["kill", "power"]

EVERY_BYTE_UP_TO = 4096  # of one write; of a longer one its edges and sectors
SUBSETS = 4096  # a crash, of lost names times lost data
_SECTOR = 512
_SECTORS = 128  # of one write; of a longer one those at its edges
_SHORT = 64
_EDGE = 64


class CrashState(msgspec.Struct, frozen=True):
    """What is on disk after a crash.

    ``links`` names, for a path, the first path of the same file. ``finished``: the operation had made its last change,
    so that what it reported as done must be there. ``label`` tells a person when the crash came and what was lost.
    """

    files: Mapping[str, Contents]
    label: str
    finished: bool
    links: Mapping[str, str] = msgspec.field(default_factory=dict)


class Coverage(msgspec.Struct, frozen=True):
    """How many states there were and how many of them differ; ``cut`` says where some were left out, if any."""

    states: int = 0
    distinct: int = 0
    exhausted: bool = True
    cut: str = ""

    def __add__(self, other: "Coverage") -> "Coverage":
        """Both together; of two places where states were left out both are told."""
        return Coverage(
            self.states + other.states,
            self.distinct + other.distinct,
            self.exhausted and other.exhausted,
            "; ".join(dict.fromkeys(text for text in (self.cut, other.cut) if text)),
        )


_BROKEN_OFF: Final = Coverage(exhausted=False, cut="not iterated to the end")


def every_byte(offset: int, length: int) -> tuple[Sequence[int], bool]:
    """Every place in a write of at most EVERY_BYTE_UP_TO bytes; of a longer one its edges and each sector."""
    if length <= EVERY_BYTE_UP_TO:
        return range(1, length), True
    edges = {*range(1, _EDGE), *range(length - _EDGE, length)}
    return sorted(edges.union(sectors(offset, length)[0])), False


def sectors(offset: int, length: int) -> tuple[Sequence[int], bool]:
    """Where a disk would part the write: at multiples of 512 bytes of the file; where there is none, in its middle."""
    first = _SECTOR - offset % _SECTOR
    found = range(first, length, _SECTOR)
    if len(found) > _SECTORS:
        return (*found[: _SECTORS // 4], *found[-_SECTORS // 4 :]), False
    return found or range(length // 2, length // 2 + (length > 1)), True


class CrashStates:
    """The distinct crash states of one operation, found while they are iterated over; ``coverage`` is of the last time.

    ``torn`` gives for the offset and length of a write the numbers of bytes after which it may end, and whether these
    are all; by default every byte when a process is killed, sectors when power is lost. ``bound`` is the largest number
    of subsets of lost names and data that is enumerated for one crash. ``seen`` holds what was met already and is added
    to, so that several enumerations give each state once. ``first`` begins every label. ``finished``, where
    given, is what every state says of itself.
    """

    def __init__(
        self,
        before: Files | CrashState,
        changes: Sequence[Change],
        model: Model = "kill",
        *,
        torn: Tear | None = None,
        bound: int = SUBSETS,
        seen: set[object] | None = None,
        first: str = "",
        finished: bool | None = None,
    ) -> None:
        self._before = before if isinstance(before, CrashState) else CrashState(before, "", finished=True)
        self._changes = changes
        self._power = model == "power"
        self._torn = torn or (sectors if self._power else every_byte)
        self._bound = bound
        self._seen = seen
        self._first = first
        self._finished = finished
        self.coverage = _BROKEN_OFF

    def __iter__(self) -> Iterator[CrashState]:
        """The states, each once, in the order in which the crash could come."""
        seen = set() if self._seen is None else self._seen
        identities = _Identities()
        states = distinct = 0
        cuts: list[str] = []
        self.coverage = _BROKEN_OFF
        for state in self._powered(cuts) if self._power else self._killed(cuts):
            states += 1
            identity = identities.of(state)
            if identity not in seen:
                seen.add(identity)
                distinct += 1
                yield state
        self.coverage = Coverage(states, distinct, not cuts, "; ".join(dict.fromkeys(cuts)))

    def _killed(self, cuts: list[str]) -> Iterator[CrashState]:
        tree = Tree.of(self._before.files, self._before.links)
        count: dict[str, int] = {}
        when = f"{self._first}killed "
        yield _state(tree, f"{when}before the first change", finished=self._ended(0))
        for position, change in enumerate(self._changes, 1):
            if isinstance(change, Write):
                count[change.path] = number = count.get(change.path, 0) + 1
                name = f"write {number} to {change.path}"
                yield from self._torn_write(tree, change, f"{when}after byte {{}} of {name}", cuts)
                done = f"{when}after {name}"
            else:
                done = f"{when}after {told(change)}"
            tree.apply(change)
            yield _state(tree, done, finished=self._ended(position))

    def _ended(self, position: int) -> bool:
        return position == len(self._changes) if self._finished is None else self._finished

    def _torn_write(self, tree: Tree, change: Write, label: str, cuts: list[str]) -> Iterator[CrashState]:
        inode = tree.inode(change.path)
        whole = tree.file(inode, change.path)
        places, every = self._torn(change.offset, len(change.data))
        if not every:
            cuts.append(f"a write of {len(change.data)} bytes to {change.path} was torn at {len(places)} places")
        if not places:
            return
        files, links = tree.files()
        names = [path for path, other in tree.names() if other == inode]
        for place in places:
            part = changed(whole, Write(change.path, change.offset, change.data[:place]))
            yield CrashState(
                {**files, **dict.fromkeys(names, part)},
                label.format(place),
                finished=self._finished or False,
                links=links,
            )

    def _powered(self, cuts: list[str]) -> Iterator[CrashState]:
        loss = PowerLoss(Tree.of(self._before.files, self._before.links), self._torn, self._bound)
        when = f"{self._first}power lost "
        yield _state(loss.live, f"{when}before the first change", finished=self._ended(0))
        for position, change in enumerate(self._changes, 1):
            loss.apply(change)
            text = f"{when}after change {position}, {told(change)}"
            for tree, lost in loss.states(f"after change {position}, {told(change)}", cuts):
                yield _state(tree, f"{text}{lost and f'; lost: {lost}'}", finished=self._ended(position))


def crash_states(before: Files, changes: Sequence[Change], model: Model = "kill") -> CrashStates:
    """The distinct states in which a crash leaves ``before`` while ``changes`` are made; see CrashStates for bounds."""
    return CrashStates(before, changes, model)


def of_recovery(
    state: CrashState, changes: Sequence[Change], model: Model = "kill", *, seen: set[object] | None = None
) -> CrashStates:
    """Depth two: the states in which a crash leaves the recovery that ran on ``state`` and made ``changes``.

    What the first crash left is durable by then. Labels tell both crashes; ``finished`` is that of the operation.
    """
    first = f"{state.label}; then, in recovery, "
    return CrashStates(state, changes, model, seen=seen, first=first, finished=state.finished)


def _state(tree: Tree, label: str, *, finished: bool) -> CrashState:
    files, links = tree.files()
    return CrashState(files, label, finished=finished, links=links)


class _Identities:
    """Tells equal states from different ones without keeping their bytes."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[Contents, object]] = {}

    def of(self, state: CrashState) -> object:
        """Equal for states that are the same on disk and finished alike."""
        files = frozenset((path, self._brief(path, contents)) for path, contents in state.files.items())
        return state.finished, files, frozenset(state.links.items())

    def _brief(self, path: str, contents: Contents) -> object:
        if not isinstance(contents, bytes) or len(contents) <= _SHORT:
            return contents
        last, digest = self._last.get(path, (None, None))
        if last is not contents:
            digest = hashlib.blake2b(contents, digest_size=16).digest()
            self._last[path] = (contents, digest)
        return len(contents), digest

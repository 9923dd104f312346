"""The depth-first search through orders of steps, and its reduction; see schedules for the words and the source."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final, Literal

from harness.explore.accesses import Access

_LOOKS: Final = 16  # repetitions without a pause before a process counts as one that waits
_PERIOD: Final = 4  # calls in one look

Clock = dict[int, int]  # by process: how many steps of the path, counted from 1, come before


class Node:
    """One step of the current path: who could go, who went, who is still to be tried."""

    def __init__(self, held: Mapping[int, Access], asleep: dict[int, Access], woken: Collection[int]) -> None:
        self.held = dict(held)
        self._calls = dict(held)  # of everybody who was ever held here: who is to be tried may be missing another time
        self.asleep = asleep  # whoever goes first here only repeats an order that was run
        self.woken = woken  # those that the step before this one set free, or started
        self.waiting: Collection[int] = ()
        self.tries: list[int] = []  # in the order in which they are tried, those done included
        self.chosen = -1
        self.clock: Clock = {}

    @property
    def access(self) -> Access:
        """The call that was let go."""
        return self._calls[self.chosen]

    def repeated_by(self, held: Mapping[int, Access]) -> bool:
        """Whether those that are held at this step again are held at the same calls."""
        return all(held[process].repeats(call) for process, call in self.held.items() if process in held)

    def renew(self, held: Mapping[int, Access]) -> None:
        """Takes the calls of this execution for those of the one before: names that are made up are others now."""
        self.held = dict(held)
        self._calls |= held
        self.asleep = {process: held.get(process, call) for process, call in self.asleep.items()}

    def following(self) -> int | None:
        """The next process to try, if any is left."""
        return next((process for process in self.tries if process not in self.asleep), None)


class Orders:
    """All orders of the steps of some processes, one after the other.

    ``waits``: a process that repeats the same calls in vain, sleeping in between (or more often without), is made to
    wait while others can go: else a loop around a lock has endless orders. That is told in ``cuts``.
    """

    def __init__(self, *, reduced: bool, preemptions: int | None, waits: int) -> None:
        self._reduced = reduced
        self._preemptions = preemptions
        self._waits = waits
        self._path: list[Node] = []
        self._position = 0
        self._repeated = 0  # steps of the path that the next execution makes again
        self.exhausted = False
        self.cuts: list[str] = []

    def choose(self, held: Mapping[int, Access], blocked: Collection[int]) -> int | Literal["redundant", "diverged"]:
        """Who goes next: as before along the path, then the first that makes a difference."""
        if self._position < self._repeated:
            node = self._path[self._position]
            if node.chosen not in held or not node.repeated_by(held):
                return "diverged"
            node.renew(held)
        else:
            woken = self._woken(held)
            node = Node(held, self._asleep(), woken)
            if not self._enter(node):
                return "redundant"
            self._path.append(node)
        self._position += 1
        if self._reduced and self._position >= self._repeated:
            self._order(self._position - 1)
        return node.chosen

    def end(self) -> None:
        """The execution is over: the path is changed to the next order that is to be tried."""
        del self._path[max(self._position, self._repeated) :]
        while self._path:
            node = self._path[-1]
            node.asleep[node.chosen] = node.access
            following = node.following()
            if following is not None:
                node.chosen = following
                break
            self._path.pop()
        self.exhausted = not self._path
        self._repeated = len(self._path)
        self._position = 0

    def _woken(self, held: Mapping[int, Access]) -> Collection[int]:
        if not self._path:
            return ()
        before = self._path[-1]
        return tuple(process for process in held if process not in before.held)

    def _asleep(self) -> dict[int, Access]:
        if not self._path or not self._reduced:
            return {}
        last = self._path[-1]
        return {
            process: access
            for process, access in last.asleep.items()
            if process != last.chosen and not access.depends(last.access)
        }

    def _enter(self, node: Node) -> bool:
        """Decides who is tried at a new node; False when everybody there is asleep."""
        last = self._path[-1].chosen if self._path else -1
        node.waiting = [process for process in node.held if self._in_vain(process, node.held[process])]
        if len(node.waiting) == len(node.held):
            node.waiting = ()
        awake = [process for process in sorted(node.held) if process not in node.waiting]
        if node.waiting:
            self._cut_waits(node)
        if self._preemptions is not None and last in awake and self._interruptions() >= self._preemptions:
            awake = [last]
        awake.sort(key=lambda process: process != last)
        candidates = [process for process in awake if process not in node.asleep]
        if not candidates:
            return False
        node.tries = candidates[:1] if self._reduced else candidates
        node.chosen = candidates[0]
        return True

    def _interruptions(self) -> int:
        pairs = zip(self._path, self._path[1:], strict=False)
        return sum(before.chosen != after.chosen and before.chosen in after.held for before, after in pairs)

    def _cut_waits(self, node: Node) -> None:
        for process in node.waiting:
            call = node.held[process]
            look = f"{call.name} {' '.join(call.paths if call.identity is None else call.identity)}".rstrip()
            text = f"process {process} looks at most {self._waits} times in vain at {look}"
            if text not in self.cuts:
                self.cuts.append(text)

    def _in_vain(self, process: int, pending: Access) -> bool:
        own = self._looks(process, pending)
        for period in range(1, _PERIOD + 1):
            look = own[-period:]
            repeats = self._waits if any(access.waits for access in look) else _LOOKS
            if len(own) >= period * repeats and look[0] == pending and own[-period * repeats :] == look * repeats:
                return True
        return False

    def _looks(self, process: int, pending: Access) -> list[Access]:
        """The calls of the process since another one changed anything that they look at."""
        looks: list[Access] = []
        for node in reversed(self._path):
            if node.chosen == process:
                looks.append(node.access)
            elif any(node.access.depends(access) for access in (pending, *looks)):
                break
        return looks[::-1]

    def _order(self, position: int) -> None:
        """Places the step among those before it, and asks for the reverse of each order that could be otherwise."""
        node = self._path[position]
        own = [earlier for earlier in range(position) if self._path[earlier].chosen == node.chosen]
        clock: Clock = dict(self._path[own[-1]].clock) if own else {}
        for woken in range(own[-1] + 1 if own else 0, position + 1):
            if node.chosen in self._path[woken].woken and woken:
                _join(clock, self._path[woken - 1].clock)
        for earlier in range(position - 1, -1, -1):
            other = self._path[earlier]
            if other.chosen == node.chosen or clock.get(other.chosen, 0) > earlier:
                continue
            if other.access.depends(node.access):
                self._reverse(earlier, position, clock)
                _join(clock, other.clock)
        clock[node.chosen] = position + 1
        node.clock = clock

    def _reverse(self, earlier: int, position: int, clock: Clock) -> None:
        """The steps at ``earlier`` and ``position`` could have come the other way round: tries who leads to that."""
        node = self._path[earlier]
        between = [
            step for step in range(earlier + 1, position) if self._path[step].clock.get(node.chosen, 0) <= earlier
        ]
        leaders = list(self._leaders([*between, position], position, clock))
        if any(leader in node.tries for leader in leaders):
            return
        leaders.sort(key=lambda leader: leader != self._path[position].chosen)
        possible = [leader for leader in leaders if leader in node.held] or sorted(node.held)
        node.tries += [leader for leader in possible if leader not in node.waiting][:1]

    def _leaders(self, steps: list[int], position: int, clock: Clock) -> Iterator[int]:
        """The processes that could go first if only ``steps`` were made, in this order."""
        met: list[int] = []
        for number, step in enumerate(steps):
            process = self._path[step].chosen
            if process in met:
                continue
            met.append(process)
            clock_of_step = clock if step == position else self._path[step].clock
            if not any(clock_of_step.get(self._path[other].chosen, 0) > other for other in steps[:number]):
                yield process


def _join(clock: Clock, other: Clock) -> None:
    for process, count in other.items():
        clock[process] = max(clock.get(process, 0), count)

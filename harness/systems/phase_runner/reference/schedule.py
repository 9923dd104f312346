"""Which phases run next. Pure; over a whole run linear in phases and edges, but for the logarithm of a heap."""

import heapq
from collections.abc import Collection

from harness.systems.phase_runner.reference.graph import Graph


class Schedule:
    """The phases of a graph that still have to run.

    Ready is a phase whose dependencies are complete. Phases whose columns name each other run together once all of them
    are ready; otherwise one ready phase runs at a time, and one whose partners are not ready yet waits while another
    can run.
    """

    def __init__(self, graph: Graph, complete: Collection[str] = (), begun: Collection[str] = ()) -> None:
        self.graph = graph
        self.waits = {
            id_: sum(each not in complete for each in phase.depends_on)
            for id_, phase in graph.phases.items()
            if id_ not in complete
        }
        self.gone = {*complete, *begun}
        self.partners_waiting = {
            id_: sum(bool(self.waits.get(each)) for each in graph.partners[id_]) for id_ in self.waits
        }
        self.ready: list[int] = []
        self.ready_with_partners: list[int] = []
        self.ids = list(graph.phases)
        for id_ in self.waits:
            self.offer(id_)

    def offer(self, id_: str) -> None:
        """Notes a phase that is ready."""
        if id_ in self.gone or self.waits[id_]:
            return
        heapq.heappush(self.ready, self.graph.place[id_])
        if not self.partners_waiting[id_]:
            heapq.heappush(self.ready_with_partners, self.graph.place[id_])

    def completed(self, id_: str) -> None:
        """A phase is complete: what depends on it may be ready now."""
        for each in self.graph.blocks[id_]:
            if each not in self.waits:
                continue
            self.waits[each] -= 1
            if not self.waits[each]:
                self.became_ready(each)

    def became_ready(self, id_: str) -> None:
        """Notes it for itself, and for its partners, which may have waited for it."""
        self.offer(id_)
        for partner in self.graph.partners[id_]:
            if partner in self.partners_waiting:
                self.partners_waiting[partner] -= 1
                if not self.partners_waiting[partner] and partner not in self.gone and not self.waits[partner]:
                    heapq.heappush(self.ready_with_partners, self.graph.place[partner])

    def next_batch(self) -> tuple[str, ...]:
        """The phases that are launched together now, in the order of the plan; none when nothing is ready."""
        first = self.first_of(self.ready_with_partners)
        batch = (first, *self.companions(first)) if first is not None else ()
        if first is None:
            alone = self.first_of(self.ready)
            batch = () if alone is None else (alone,)
        self.gone.update(batch)
        return tuple(sorted(batch, key=self.graph.place.__getitem__))

    def first_of(self, heap: list[int]) -> str | None:
        """The first of them that has not been launched."""
        while heap and self.ids[heap[0]] in self.gone:
            heapq.heappop(heap)
        return self.ids[heap[0]] if heap else None

    def companions(self, first: str) -> list[str]:
        """The ready partners of a phase that are all partners of each other."""
        found: list[str] = []
        partners = self.graph.partners
        for each in sorted(partners[first], key=self.graph.place.__getitem__):
            if each in self.gone or self.waits[each]:
                continue
            if all(other in partners[each] for other in found):
                found.append(each)
        return found

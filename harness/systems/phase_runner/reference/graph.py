"""The graph of a plan's phases: checked, and asked for neighbours. Pure; linear in phases and edges."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from harness.systems.phase_runner.contract.words import Problem
from harness.systems.phase_runner.reference.plan import InvalidPlanError, PlannedPhase, invalid

QUOTED = 20  # ids at most, in a message


class Graph:
    """Phases by id, in the order of the plan.

    ``blocks`` are the phases that depend on one directly; ``partners`` those that may run together with it: each names
    the other as parallel.
    """

    def __init__(self, phases: Sequence[PlannedPhase]) -> None:
        self.phases: Mapping[str, PlannedPhase] = {each.phase_id: each for each in phases}
        self.place: Mapping[str, int] = {id_: number for number, id_ in enumerate(self.phases)}
        blocks: dict[str, list[str]] = {id_: [] for id_ in self.phases}
        for each in phases:
            for dependency in each.depends_on:
                blocks[dependency].append(each.phase_id)
        self.blocks: Mapping[str, tuple[str, ...]] = {id_: tuple(found) for id_, found in blocks.items()}
        named = {each.phase_id: frozenset(each.parallel_with) for each in phases}
        self.partners: Mapping[str, frozenset[str]] = {
            id_: frozenset(other for other in others if other != id_ and id_ in named[other])
            for id_, others in named.items()
        }

    def downstream(self, of: Iterable[str]) -> list[str]:
        """Every phase that depends on one of these, directly or through others, in the order of the plan."""
        found: set[str] = set()
        waiting = list(of)
        while waiting:
            for each in self.blocks[waiting.pop()]:
                if each not in found:
                    found.add(each)
                    waiting.append(each)
        return sorted(found, key=self.place.__getitem__)


class GraphChecks:
    """What a plan is refused for; each method raises InvalidPlanError."""

    def check(self, phases: Sequence[PlannedPhase]) -> Graph:
        """The graph of these phases, when it is one (AB-NRT-03)."""
        self.check_duplicates(phases)
        self.check_unknown(phases)
        self.check_own(phases)
        graph = Graph(phases)
        self.check_cycle(graph)
        return graph

    def check_duplicates(self, phases: Sequence[PlannedPhase]) -> None:
        """No two phases have one id."""
        counts = Counter(each.phase_id for each in phases)
        twice = [id_ for id_, count in counts.items() if count > 1]
        if twice:
            raise invalid(Problem.DUPLICATE_ID, f"several phases have the id {listed(twice)}", twice)

    def check_unknown(self, phases: Sequence[PlannedPhase]) -> None:
        """Every id that is named is that of a phase."""
        known = {each.phase_id for each in phases}
        named = (other for each in phases for other in (*each.depends_on, *each.parallel_with))
        unknown = dict.fromkeys(other for other in named if other not in known)
        if unknown:
            raise invalid(Problem.UNKNOWN_ID, f"no phase has the id {listed(unknown)}", unknown)

    def check_own(self, phases: Sequence[PlannedPhase]) -> None:
        """No phase depends on itself."""
        own = [each.phase_id for each in phases if each.phase_id in each.depends_on]
        if own:
            raise invalid(Problem.SELF_DEPENDENCY, f"a phase depends on itself: {listed(own)}", own)

    def check_cycle(self, graph: Graph) -> None:
        """No phase waits for itself through others (AB-NRT-02)."""
        left = in_cycles(graph)
        if left:
            raise cyclic(cycle(graph, left))


def in_cycles(graph: Graph) -> Mapping[str, int]:
    """The phases that never become ready, with how many dependencies they wait for without end."""
    waits = {id_: len(phase.depends_on) for id_, phase in graph.phases.items()}
    ready = [id_ for id_, count in waits.items() if not count]
    while ready:
        done = ready.pop()
        del waits[done]
        for each in graph.blocks[done]:
            waits[each] -= 1
            if not waits[each]:
                ready.append(each)
    return waits


def cycle(graph: Graph, left: Collection[str]) -> list[str]:
    """One cycle among phases that never become ready: each depends on the next, and the last on the first."""
    steps: dict[str, int] = {}
    at = next(iter(left))
    while at not in steps:
        steps[at] = len(steps)
        at = next(each for each in graph.phases[at].depends_on if each in left)
    return list(steps)[steps[at] :]


def cyclic(phases: Sequence[str]) -> InvalidPlanError:
    """What to raise for that cycle."""
    edges = [*zip(phases, [*phases[1:], phases[0]], strict=True)]
    lines = [f"Phase {phase.upper()} depends on Phase {other.upper()}" for phase, other in edges[:QUOTED]]
    message = f"the plan contains circular phase dependencies: {'; '.join(lines)}{' ...' * (len(edges) > QUOTED)}"
    return invalid(Problem.CYCLE, message, phases, edges)


def listed(ids: Iterable[str]) -> str:
    """Ids in a message."""
    found = list(ids)
    return ", ".join(found[:QUOTED]) + " ..." * (len(found) > QUOTED)

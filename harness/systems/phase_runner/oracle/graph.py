"""The graph of a plan: what is wrong with it, and what lies downstream; linear in phases and edges. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from harness.systems.phase_runner.contract.words import Problem
from harness.systems.phase_runner.oracle.plans import Plan, Row


class Problems(msgspec.Struct, frozen=True):
    """What is wrong with a plan, by what may be told of it. Of what ``is_doubtful`` the plan may be sound as well.

    ``concerned`` are the ids of which each problem may tell.
    """

    told: frozenset[Problem]
    concerned: Mapping[Problem, frozenset[str]]
    is_doubtful: bool = False


class Graph(msgspec.Struct, frozen=True):
    """The phases of a sound plan by id, in its order, and who depends on each.

    ``groups`` has for each phase the one that stands for all that may run beside it, since one names the other.
    """

    rows: Mapping[str, Row]
    dependants: Mapping[str, Sequence[str]]
    groups: Mapping[str, str]

    def downstream(self, of: Iterable[str]) -> set[str]:
        """Everything that depends on these, directly or through others; on what is no phase nothing does."""
        found: set[str] = set()
        left = list(of)
        while left:
            for each in self.dependants.get(left.pop(), ()):
                if each not in found:
                    found.add(each)
                    left.append(each)
        return found


def graph_of(rows: Iterable[Row]) -> Graph:
    """The graph of these phases; edges that lead nowhere, or back at once, are left out."""
    known = {row.phase_id: row for row in rows}
    dependants: dict[str, list[str]] = {each: [] for each in known}
    for row in known.values():
        for each in row.depends_on:
            if each in dependants and each != row.phase_id:
                dependants[each].append(row.phase_id)
    return Graph(known, dependants, _groups(known))


def _groups(rows: Mapping[str, Row]) -> dict[str, str]:
    beside: dict[str, list[str]] = {each: [] for each in rows}
    for row in rows.values():
        for each in row.parallel_with:
            if each in beside:
                beside[each].append(row.phase_id)
                beside[row.phase_id].append(each)
    found: dict[str, str] = {}
    for first in rows:
        left = [] if first in found else [first]
        while left:
            each = left.pop()
            if each not in found:
                found[each] = first
                left += beside[each]
    return found


def problems_of(plan: Plan) -> Problems:
    """What is wrong with that plan and its graph."""
    ids = [row.phase_id for row in plan.rows]
    known = set(ids)
    twice = {each for each, count in _counts(ids).items() if count > 1 and each}
    unknown = {each for row in plan.rows for each in row.depends_on if each not in known}
    selves = {row.phase_id for row in plan.rows if row.phase_id in row.depends_on}
    beside = any(each not in known or each == row.phase_id or each in row.depends_on
                 for row in plan.rows for each in row.parallel_with)  # fmt: skip
    in_cycles = cyclic(graph_of(plan.rows))
    who = {row.phase_id for row in plan.rows if unknown & set(row.depends_on)}
    found = {Problem.DUPLICATE_ID: twice, Problem.UNKNOWN_ID: unknown | who if unknown else set(),
             Problem.SELF_DEPENDENCY: selves, Problem.CYCLE: in_cycles}  # fmt: skip
    concerned = {problem: frozenset(ids) for problem, ids in found.items() if ids}
    told = plan.problems | frozenset(concerned)
    if beside:
        told |= {Problem.UNKNOWN_ID, Problem.SELF_DEPENDENCY, Problem.CYCLE} if told else set()
    return Problems(told, concerned, is_doubtful=beside and not told)


def cyclic(graph: Graph) -> set[str]:
    """The phases that are in a cycle or depend on one: those that no order reaches."""
    left = {each: sum(one in graph.rows and one != each for one in row.depends_on) for each, row in graph.rows.items()}
    ready = [each for each, count in left.items() if count == 0]
    while ready:
        done = ready.pop()
        del left[done]
        for each in graph.dependants[done]:
            left[each] -= 1
            if left[each] == 0:
                ready.append(each)
    return set(left)


def is_cycle(edges: Sequence[tuple[str, str]], plan: Plan) -> bool:
    """Are these edges of the plan, and do they make a cycle, or several: does each lead to where another begins?"""
    real = {(row.phase_id, each) for row in plan.rows for each in row.depends_on}
    begins = {phase for phase, _ in edges}
    ends = {depends for _, depends in edges}
    return bool(edges) and set(edges) <= real and begins == ends


def _counts(ids: Collection[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in ids:
        found[each] = found.get(each, 0) + 1
    return found

"""One world of a history: every way in which the gate may stand, followed operation by operation. Pure."""

from collections.abc import Sequence
from itertools import permutations
from typing import Final

from harness.core.fault import Fault
from harness.systems import file_faults
from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.review_gate.oracle.outcomes import Outcome, outcomes
from harness.systems.review_gate.oracle.state import Gate
from harness.systems.review_gate.oracle.weather import FILES

_UNANSWERED: Final = {
    "begin_task": "LK-REV-01", "open": "LK-GEN-03", "analysed": "LK-REV-02", "report": "LK-REV-04",
    "fixed": "LK-REV-05", "status": "LK-REV-04",
}  # fmt: skip
_MOST_AT_ONCE: Final = 5  # operations whose orders are looked at
_MOST_GATES: Final = 64

Path = tuple[Gate, tuple[tuple[Call, Outcome], ...]]


class World:
    """What is known between two resets."""

    def __init__(self, first: Call, notes: Notes) -> None:
        fact = first.inputs.get("gate")
        self._gates: list[Gate] = [Gate(is_lost=fact is not None and fact.kind != "missing")]
        self._notes = notes
        self._standing: tuple[Fault, ...] = first.faults

    def take(self, group: Sequence[Call]) -> None:
        """A group of operations: in some order, from some way in which the gate may stand, nothing is broken."""
        faults = group[0].faults
        changed = [each for each in (*faults, *self._standing) if each not in faults or each not in self._standing]
        self._standing = faults
        if FILES.damaged((*changed, *file_faults.unsteady(faults))) or file_faults.loses_power(faults):
            self._gates = [Gate(is_lost=True)]
        for call in group:
            if call.answer is None and not call.excused:
                self._notes.breaks(_UNANSWERED[call.op], "an answer", call.said)
        if len(group) > _MOST_AT_ONCE:
            self._gates = [Gate(is_lost=True)]
            return
        paths = [path for order in permutations(group) if _is_possible(order) for path in self._paths(order)]
        sound = [path for path in paths if all(outcome.is_sound for _, outcome in path[1])]
        for call, outcome in (sound or paths)[0][1]:
            for seen in outcome.seen:
                self._notes.holds(seen.clause, seen.ok, seen.expected, call.said, seen.readings)
        followed: list[Gate] = []
        for gate, _ in sound or paths[:1]:
            if gate not in followed:
                followed.append(gate)
        self._gates = followed if len(followed) <= _MOST_GATES else [Gate(is_lost=True)]

    def _paths(self, order: Sequence[Call]) -> list[Path]:
        """Every way through the operations in that order."""
        paths: list[Path] = [(gate, ()) for gate in self._gates]
        for call in order:
            paths = [
                (outcome.gate, (*done, (call, outcome))) for gate, done in paths for outcome in outcomes(gate, call)
            ]
        return paths


def _is_possible(order: Sequence[Call]) -> bool:
    """Did none end before one began that stands before it?"""
    return all(each.ended > before.n for place, before in enumerate(order) for each in order[place + 1 :])

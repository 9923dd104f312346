"""One world of a history: every way in which the gate may stand, followed operation by operation. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from harness.core.fault import Fault
from harness.core.history import InputFact
from harness.systems import file_faults
from harness.systems.calls import Call
from harness.systems.linearizable import BeyondBoundError, Linearized, Overlapping, linearize
from harness.systems.notes import Notes
from harness.systems.review_gate.oracle.outcomes import outcomes, took_effect
from harness.systems.review_gate.oracle.seen import Outcome, Seen
from harness.systems.review_gate.oracle.state import Gate
from harness.systems.review_gate.oracle.weather import FILES, changed

_UNANSWERED: Final = {
    "begin_task": "LK-REV-01", "open": "LK-GEN-03", "analysed": "LK-REV-02", "report": "LK-REV-04",
    "fixed": "LK-REV-05", "status": "LK-REV-04",
}  # fmt: skip
_MOST_GATES: Final = 64
_MOST_NODES: Final = 4096  # of the orders of operations at once: twelve of them, in which nothing changes
_MISSING: Final = "missing"
Followed = Linearized[Gate, Call]


class World:
    """What is known between two resets: the ways in which the gate may stand, none when nobody can say."""

    def __init__(self, first: Call, notes: Notes) -> None:
        fact = first.inputs.get("gate")
        is_fresh = fact is None or fact.kind == _MISSING or FILES.damaged(first.faults)
        self._gates: tuple[Gate, ...] = (Gate(is_lost=not is_fresh),)
        self._notes = notes
        self._standing: tuple[Fault, ...] = ()
        self._damaged: InputFact | None = None

    def take(self, group: Sequence[Call]) -> None:
        """A group of operations: in some order, from some way in which the gate may stand, nothing is broken."""
        self._damage(group[0])
        for call in group:
            if call.answer is None and not call.excused:
                self._notes.breaks(_UNANSWERED[call.op], "an answer", call.said)
        if any(call.args is None and call.answer is not None and took_effect(call) for call in group):
            self._gates = ()  # what was asked is no operation of the contract: who does it may have done anything
        before = self._gates if FILES.damaged(file_faults.unsteady(group[0].faults)) else ()
        try:
            after = self._after(group) if self._gates else ()
        except BeyondBoundError:
            after = ()
        # a file that comes and goes may come back as it was
        found = tuple(dict.fromkeys((*after, *before))) if after else ()
        self._gates = found if len(found) <= _MOST_GATES else ()

    def _damage(self, first: Call) -> None:
        """What was known may be damaged, or gone, as long as the file is as the damage left it."""
        fact = first.inputs.get("gate")
        unsteady = FILES.damaged(file_faults.unsteady(first.faults))
        if unsteady or FILES.damaged(changed(self._standing, first.faults)):
            self._damaged = fact
        elif fact != self._damaged:
            self._damaged = None
        self._standing = first.faults
        if self._damaged is None or not self._gates:
            return
        anew = (Gate(),) if unsteady or self._damaged.kind == _MISSING else ()
        self._gates = tuple(dict.fromkeys((*self._gates, *(gate.lost() for gate in self._gates), *anew)))

    def _after(self, group: Sequence[Call]) -> tuple[Gate, ...]:
        operations = [Overlapping(call, call.n, call.ended) for call in group]
        before = dict.fromkeys(self._gates, 1)
        ways = _Ways()
        found = linearize(operations, before, ways.sound, _MOST_NODES)
        if found.after:
            self._note(group, found, ways)
            return tuple(found.after)
        self._blame(found, ways)
        return tuple(linearize(operations, before, ways.every, _MOST_NODES).after)

    def _note(self, group: Sequence[Call], found: Followed, ways: "_Ways") -> None:
        """Of each operation what it shows in every order, from every way in which the gate may have stood."""
        for call in group:
            shown = [
                _by_clause(outcome.seen)
                for before, done, after in found.steps
                if done is call
                for outcome in ways.of(before, call)
                if outcome.is_sound and outcome.gate == after
            ]
            for clause in shown[0]:
                if all(clause in each for each in shown):
                    self._notes.agrees(clause, shown[0][clause].expected, _readings(each[clause] for each in shown))

    def _blame(self, found: Followed, ways: "_Ways") -> None:
        """What is broken in every way in which the gate may have stood; where that is nothing, in the first of them."""
        call = found.stuck[0][1]
        wrong = [
            _by_clause(each for each in outcome.seen if not each.ok)
            for before, done in found.stuck
            if done is call
            for outcome in ways.of(before, call)
        ]
        common = [clause for clause in wrong[0] if all(clause in each for each in wrong)]
        for clause in common or wrong[0]:
            self._notes.breaks(clause, wrong[0][clause].expected, call.said)


class _Ways:
    """The ways in which operations may leave a gate, each found once."""

    def __init__(self) -> None:
        self._found: dict[tuple[Gate, int], list[Outcome]] = {}

    def of(self, gate: Gate, call: Call) -> list[Outcome]:
        """Those of one operation."""
        key = (gate, call.n)
        if key not in self._found:
            self._found[key] = outcomes(gate, call)
        return self._found[key]

    def sound(self, gate: Gate, call: Call) -> Iterator[tuple[Gate, int]]:
        """Those in which nothing is broken, for ``linearize``."""
        return ((outcome.gate, 1) for outcome in self.of(gate, call) if outcome.is_sound)

    def every(self, gate: Gate, call: Call) -> Iterator[tuple[Gate, int]]:
        """All of them, for ``linearize``."""
        return ((outcome.gate, 1) for outcome in self.of(gate, call))


def _by_clause(seen: Iterable[Seen]) -> Mapping[str, Seen]:
    return {each.clause: each for each in seen}


def _readings(seen: Iterable[Seen]) -> frozenset[str] | None:
    """Those that one of these ways agrees with; None for all."""
    found: set[str] = set()
    for each in seen:
        if each.readings is None:
            return None
        found |= set(each.readings)
    return frozenset(found)

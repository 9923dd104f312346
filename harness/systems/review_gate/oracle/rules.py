"""The history, gone through once, and the table of rules: each clause is what was noted of it. Pure."""

from typing import Final

from harness.core.history import History
from harness.systems.calls import worlds
from harness.systems.notes import Notes, noted_rules
from harness.systems.review_gate.contract import GATE
from harness.systems.review_gate.oracle.asking import calls
from harness.systems.review_gate.oracle.seen import CLAUSES
from harness.systems.review_gate.oracle.world import World


class View:
    """What a history shows: ``notes`` by clause."""

    def __init__(self, history: History) -> None:
        self.notes = Notes()
        for groups in worlds(tuple(calls(history))):
            world = World(groups[0][0], self.notes)
            for group in groups:
                world.take(group)


RULES: Final = noted_rules(GATE, CLAUSES)

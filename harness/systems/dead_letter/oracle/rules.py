"""The history, gone through once, and the table of rules: each clause is what was noted of it. Pure."""

from typing import Final

from harness.core.history import History
from harness.systems.calls import worlds
from harness.systems.dead_letter.contract import QUEUE
from harness.systems.dead_letter.oracle.asking import calls
from harness.systems.dead_letter.oracle.world import World
from harness.systems.notes import Notes, noted_rules, numbered

_LAST: Final = {"DQ": 24, "ES": 8}


class View:
    """What a history shows: ``notes`` by clause."""

    def __init__(self, history: History) -> None:
        self.notes = Notes()
        for groups in worlds(tuple(calls(history))):
            world = World(groups[0][0], self.notes)
            for group in groups:
                world.take(group)
            world.end()


RULES: Final = noted_rules(QUEUE, numbered("LK", _LAST))

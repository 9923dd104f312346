"""The history, gone through once, and the table of rules: each clause is what was noted of it. Pure."""

from typing import Final

from harness.core.history import History
from harness.systems.calls import worlds
from harness.systems.notes import Notes, noted_rules, numbered
from harness.systems.signals.contract import SIGNALS
from harness.systems.signals.oracle.asking import calls
from harness.systems.signals.oracle.world import World

_LAST: Final = {"SG": 5, "DR": 9, "HR": 8, "HL": 4}


class View:
    """What a history shows: ``notes`` by clause."""

    def __init__(self, history: History) -> None:
        self.notes = Notes()
        for groups in worlds(tuple(calls(history))):
            world = World(self.notes)
            for group in groups:
                world.take(group)
            world.end()


RULES: Final = noted_rules(SIGNALS, numbered("LK", _LAST))

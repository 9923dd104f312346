"""The history, gone through once, and the table of rules: each clause is what was noted of it. Pure."""

from typing import Final

from harness.core.history import History
from harness.systems.calls import worlds
from harness.systems.notes import Notes, noted_rules, numbered
from harness.systems.phase_runner.contract import RUNNER
from harness.systems.phase_runner.oracle.asking import calls
from harness.systems.phase_runner.oracle.world import World

_LAST: Final = {
    "CLS": 3, "RTY": 7, "STA": 6, "PAR": 5, "HLT": 6, "ERR": 7, "NRT": 5, "RES": 4, "FRS": 3, "PRT": 1, "COR": 1,
}  # fmt: skip


class View:
    """What a history shows: ``notes`` by clause."""

    def __init__(self, history: History) -> None:
        self.notes = Notes()
        for groups in worlds(tuple(calls(history))):
            world = World(groups[0][0], self.notes)
            for group in groups:
                world.take(group)


RULES: Final = noted_rules(RUNNER, numbered("AB", _LAST))

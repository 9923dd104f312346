"""The history, gone through once, and the table of rules: each clause is what was noted of it. Pure."""

from typing import Final

from harness.core.history import History
from harness.systems.calls import RESET, groups
from harness.systems.notes import Notes
from harness.systems.rules import Judgement, Rule, Rules
from harness.systems.signals.contract import SIGNALS
from harness.systems.signals.oracle.asking import calls
from harness.systems.signals.oracle.world import World

_KINDS: Final = {"SG": 5, "DR": 9, "HR": 8, "HL": 4}


class View:
    """What a history shows: ``notes`` by clause."""

    def __init__(self, history: History) -> None:
        self.notes = Notes()
        world: World | None = None
        for group in groups(tuple(calls(history))):
            if group[0].op == RESET:
                if world is not None:
                    world.end()
                world = None
                continue
            world = world or World(self.notes)
            world.take(group)
        if world is not None:
            world.end()


RULES: Final[Rules[View]] = Rules(SIGNALS)


def _rule(clause: str) -> Rule[View]:
    def judge(view: View) -> Judgement | None:
        return view.notes.judgement(clause)

    return judge


for _kind, _last in _KINDS.items():
    for _number in range(1, _last + 1):
        RULES.rule(f"LK-{_kind}-{_number:02d}")(_rule(f"LK-{_kind}-{_number:02d}"))

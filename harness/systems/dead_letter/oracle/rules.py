"""The history, gone through once, and the table of rules: each clause is what was noted of it. Pure."""

from typing import Final

from harness.core.history import History
from harness.systems.calls import RESET, groups
from harness.systems.dead_letter.contract import QUEUE
from harness.systems.dead_letter.oracle.asking import calls
from harness.systems.dead_letter.oracle.world import World
from harness.systems.notes import Notes
from harness.systems.rules import Judgement, Rule, Rules

_KINDS: Final = {"DQ": 24, "ES": 8}


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
            world = world or World(group[0], self.notes)
            world.take(group)
        if world is not None:
            world.end()


RULES: Final[Rules[View]] = Rules(QUEUE)


def _rule(clause: str) -> Rule[View]:
    def judge(view: View) -> Judgement | None:
        return view.notes.judgement(clause)

    return judge


for _kind, _last in _KINDS.items():
    for _number in range(1, _last + 1):
        RULES.rule(f"LK-{_kind}-{_number:02d}")(_rule(f"LK-{_kind}-{_number:02d}"))

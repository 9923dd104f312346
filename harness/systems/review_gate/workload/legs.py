"""The legs of a tour: what is done so that every clause shows once more.

``BLOCKS`` is done in calm weather before every fault: the review of the first task blocks. The legs of ``WHOLE`` go on
from there, one after the other: the fix and the review of everything, then a task that is reviewed from its beginning.
"""

from harness.systems.review_gate.workload.gate_steps import (
    AGAIN,
    EVERY,
    FIRST,
    HELD,
    LAUNCHED,
    ONE,
    SECOND,
    STOPPED,
    THIRD,
    THREE,
    TWO,
    WAITED,
    Story,
    issue,
    reported,
)
from harness.systems.tours import AFRESH, Leg

_LEAK = issue("high", "It leaks")
_BURN = issue("critical", "It burns")


def _blocks(story: Story) -> None:
    story.review(FIRST, _LEAK)


def _is_held(story: Story) -> None:
    story.begin(SECOND).status(FIRST).begin(FIRST).begin(SECOND)


def _is_fixed(story: Story) -> None:
    story.fix(FIRST).analyse(2).begin(SECOND).report(TWO, 2).status().report(ONE, 2).begin(SECOND).report(THREE, 2)


def _follows(story: Story) -> None:
    story.begin(SECOND).begin(THIRD).open(SECOND).analyse(task=SECOND).report(ONE, task=SECOND).begin(THIRD)
    story.report(TWO, 1, issue("medium", "It is slow"), task=SECOND).report(THREE, task=SECOND).begin(THIRD)


def _ends(story: Story) -> None:
    story.again(2, task=SECOND).begin(THIRD).begin("task-004")


def _races(story: Story) -> None:
    story.begin(SECOND).open(SECOND).analyse(task=SECOND)
    story.together(reported(ONE, task=SECOND), reported(TWO, 1, _BURN, task=SECOND)).status(SECOND).begin(THIRD)
    story.report(THREE, task=SECOND).begin(THIRD)


def _starts_over(story: Story) -> None:
    """Where nothing is known any more a task begins; where the block still stands it is fixed: one of both goes on."""
    story.begin(SECOND).fix(FIRST)
    for task, number in ((FIRST, 2), (SECOND, 1)):
        story.open(task).analyse(number, task=task).rest(number, _BURN, task=task).begin(THIRD)
        story.again(number + 1, task=task)
    story.begin(THIRD).begin("task-004")


def _names_oddly(story: Story) -> None:
    """Everything that names a task, once more of a task that is the same throughout."""
    story.review(FIRST, _BURN).again(2).status().begin()


def _returns_oddly(story: Story) -> None:
    story.report(ONE, 2).report(THREE, 2).status().begin(SECOND)


def _is_under_way(story: Story) -> None:
    story.fix().again(2, _BURN).begin(SECOND)


def _one_returned(story: Story) -> None:
    story.fix().analyse(2).report(TWO, 2)


def _passes(story: Story) -> None:
    story.again(2)


BLOCKS = Leg(_blocks, ())
PASSES = Leg(_passes, ())
ONE_RETURNED = Leg(_one_returned, ())
HOLDS = Leg(_is_held, (*HELD, *STOPPED))
FIXES = Leg(_is_fixed, (*WAITED, *HELD, "LK-REV-05"))
FOLLOWS = Leg(_follows, (*WAITED, *HELD, *STOPPED))
ENDS = Leg(_ends, (*AGAIN, *HELD))
RACES = Leg(_races, (*LAUNCHED, *HELD, *STOPPED))
STARTS_OVER = Leg(_starts_over, (*WAITED, *HELD, *STOPPED, "LK-REV-05"))
NAMES_ODDLY = Leg(_names_oddly, AGAIN)
RETURNS_ODDLY = Leg(_returns_oddly, HELD)
UNDER_WAY = Leg(_is_under_way, EVERY)

WHOLE = (HOLDS, FIXES, FOLLOWS, ENDS)
RACED = (HOLDS, FIXES, RACES, ENDS)
RESTARTED = (HOLDS, AFRESH, FIXES, AFRESH, FOLLOWS, AFRESH, ENDS)

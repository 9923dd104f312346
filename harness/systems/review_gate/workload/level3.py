"""Level L3: one operation struck at every file call, or several in every order, and what comes after in calm weather.

What was accepted before stays, wherever an operation was cut off; it is asked for again, and was done or not.
"""

from collections.abc import Iterator, Sequence

from harness.core.scenario import ExploreKind, FileSpec, Scenario
from harness.systems.review_gate.contract import GATE_PATH, STATE_DIRECTORY
from harness.systems.review_gate.workload.gate_steps import (
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
    analysed,
    begun,
    calm,
    fixed,
    issue,
    opened,
    reported,
    scenario,
)
from harness.systems.review_gate.workload.legs import WHOLE
from harness.systems.tours import told

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn")
STATES: tuple[ExploreKind, ...] = (*CALLS, "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)
_MADE = {STATE_DIRECTORY: FileSpec(kind="directory")}
_HIGH = issue("high", "It leaks")


def level3() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    yield from _tasks()
    yield from _launches()
    yield from _reports()
    yield from _others()
    yield from _everything()
    yield from _orders()


def _calls(name: str, title: str, clauses: Sequence[str], story: Story) -> Scenario:
    """Its state directory is there: making one is no part of what is struck."""
    return scenario(f"l3-{name}", title, clauses, story, files=_MADE, level="L3")


def _tasks() -> Iterator[Scenario]:
    first = calm().explore(*STATES).begin().begin().begin(SECOND).open().analyse().rest().begin(SECOND)
    yield _calls(
        "begin-first", "The beginning of the first task is struck, and asked for again.", (*HELD, *WAITED), first
    )
    second = calm().review().explore(*STATES).begin(SECOND).begin(SECOND).begin(THIRD).open(SECOND).analyse(task=SECOND)
    yield _calls("begin-second", "The beginning of a second task is struck; the review of the first one stays.",
                 (*HELD, *WAITED), second.rest(task=SECOND).begin(THIRD))  # fmt: skip
    held = calm().review(FIRST, _HIGH).explore("errno", "killed").begin(SECOND).begin(SECOND).status().fix().analyse(2)
    yield _calls("begin-held", "A beginning is struck that is held back; it stays held back.", EVERY,
                 held.report(ONE, 2).begin(SECOND).report(TWO, 2).report(THREE, 2).begin(SECOND))  # fmt: skip


def _launches() -> Iterator[Scenario]:
    opening = calm().begin().explore(*STATES).open().status().open().analyse().report(ONE).begin(SECOND).status()
    yield _calls("open", "The opening of a review is struck.", (*HELD, *WAITED), opening)
    analysis = calm().begin().open().explore(*STATES).analyse(1, _HIGH).status().analyse(1, _HIGH).report(ONE)
    yield _calls("analysed", "The end of static analysis is struck: what it found is not lost.", (*HELD, *STOPPED),
                 analysis.report(TWO).report(THREE).status().begin(SECOND))  # fmt: skip
    again = calm().review(FIRST, _HIGH).explore(*STATES).fix().status().fix().begin(SECOND).analyse(2).report(ONE, 2)
    yield _calls("fixed", "The fix of what was found is struck.", EVERY, again.begin(SECOND).status())
    anew = calm().review(FIRST, _HIGH).fix().explore("errno", "killed", "power").analyse(2).analyse(2).begin(SECOND)
    yield _calls("analysed-again", "The end of static analysis after a fix is struck.", (*LAUNCHED, *HELD, *STOPPED),
                 anew.report(ONE, 2).report(TWO, 2).status())  # fmt: skip


def _reports() -> Iterator[Scenario]:
    first = calm().launch().explore(*STATES).report(ONE, 1, _HIGH).status().report(ONE, 1, _HIGH).report(TWO)
    yield _calls("report-first", "The return of the first reviewer is struck: what it found is not lost.",
                 (*WAITED, *STOPPED, *HELD), first.begin(SECOND).report(THREE).status().begin(SECOND))  # fmt: skip
    last = calm().launch().report(ONE).report(TWO).explore(*STATES).report(THREE).status().report(THREE).begin(SECOND)
    yield _calls("report-last", "The return of the last reviewer is struck, and passes the review.", (*WAITED, *HELD),
                 last.begin(THIRD))  # fmt: skip
    block = calm().launch().report(ONE, 1, _HIGH).report(TWO).explore(*STATES).report(THREE).status().report(THREE)
    yield _calls("report-last-blocks", "The return of the last reviewer is struck; another one found what blocks.",
                 (*WAITED, *STOPPED, *HELD), block.begin(SECOND).status())  # fmt: skip
    stray = calm().launch().report(ONE).explore("errno", "killed").report(ONE, 1, _HIGH).status().report(TWO)
    yield _calls("report-twice", "A second return of a reviewer is struck: it does not count.", (*WAITED, *HELD),
                 stray.begin(SECOND).report(THREE).begin(SECOND))  # fmt: skip


def _others() -> Iterator[Scenario]:
    asks = calm().launch().report(TWO).explore("errno", "killed").status().status().begin(SECOND).report(ONE).status()
    yield _calls("status", "The question how a review stands is struck.", (*WAITED, *HELD), asks)
    anew = calm().launch().report(TWO).later(601).explore(*STATES).status().status().begin(SECOND).later(601).status()
    yield _calls("launched-anew", "The launch of reviewers anew is struck.", (*WAITED, *HELD), anew)
    bad = calm().review(FIRST, _HIGH).fault("json_document.truncated", GATE_PATH).explore(*CALLS).begin(SECOND)
    yield _calls("begin-beside-damage", "A beginning is struck that comes after the state was torn: nothing begins.",
                 STOPPED, bad.begin(SECOND).status().begin(THIRD))  # fmt: skip


def _everything() -> Iterator[Scenario]:
    """An operation dies at each of its calls, and after that every clause is seen once more."""
    story = calm().launch().report(ONE).report(TWO).explore("killed").report(THREE, 1, _HIGH).report(THREE, 1, _HIGH)
    yield _calls("everything-after", "A return is killed at each of its calls; then everything else is asked for.",
                 told(story, WHOLE), story.status())  # fmt: skip


def _orders() -> Iterator[Scenario]:
    """Operations at once, each by a process of its own, their calls in every order."""
    two = calm().launch().explore(*ORDERS).together(reported(ONE, 1, _HIGH), reported(TWO)).status().begin(SECOND)
    yield _calls("order-reports", "Two reviewers return at once, in every order: both count.",
                 (*WAITED, *STOPPED, *HELD), two.report(THREE).status().begin(SECOND))  # fmt: skip
    last = calm().launch().report(ONE).explore(*ORDERS).together(reported(TWO, 1, _HIGH), reported(THREE)).status()
    yield _calls("order-last-reports", "The last two reviewers return at once, in every order: one return decides.",
                 (*WAITED, *STOPPED, *HELD), last.begin(SECOND))  # fmt: skip
    same = calm().launch().explore(*ORDERS).together(reported(ONE), reported(ONE, 1, _HIGH)).report(TWO).begin(SECOND)
    yield _calls("order-one-name", "Two return under one name at once, in every order: one counts.", (*WAITED, *HELD),
                 same.report(THREE).status().begin(SECOND))  # fmt: skip
    tasks = calm().review().explore(*ORDERS).together(begun(SECOND), begun(THIRD)).begin("task-004").open(SECOND)
    yield _calls("order-begins", "Two tasks are to begin at once, in every order: one does.", (*WAITED, *HELD),
                 tasks.open(THIRD))  # fmt: skip
    beside = calm().launch().report(ONE).report(TWO).explore(*ORDERS).together(reported(THREE, 1, _HIGH), begun(SECOND))
    yield _calls("order-report-begin", "A task is to begin while a reviewer returns with what blocks, in every order.",
                 (*WAITED, *STOPPED, *HELD), beside.status().begin(SECOND))  # fmt: skip
    analyses = calm().begin().open().explore(*ORDERS).together(analysed(), analysed(1, _HIGH)).report(ONE).report(TWO)
    yield _calls("order-analyses", "Static analysis ends twice at once, in every order: reviewers are launched once.",
                 HELD, analyses.begin(SECOND).report(THREE).status())  # fmt: skip
    fixes = calm().review(FIRST, _HIGH).explore(*ORDERS).together(fixed(), fixed()).analyse(2).report(ONE, 2)
    yield _calls("order-fixes", "All is said to be fixed twice at once, in every order: one round begins.", EVERY,
                 fixes.begin(SECOND).status())  # fmt: skip
    opens = calm().begin().explore(*ORDERS).together(opened(), opened()).analyse().report(ONE).begin(SECOND)
    yield _calls("order-opens", "A review is opened twice at once, in every order: it begins once.",
                 (*LAUNCHED[1:], "LK-REV-04", *HELD), opens.status())  # fmt: skip

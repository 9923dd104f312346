"""Reviewers that never return, share a name or answer twice, and what is told when it cannot be. Level L1."""

from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.review_gate.contract import TIME_LIMIT_S
from harness.systems.review_gate.workload.gate_steps import (
    AGAIN,
    ANY,
    BEGUN,
    EVERY,
    FIRST,
    HELD,
    LAUNCHED,
    ONE,
    OPENED,
    PENDING,
    REFUSED,
    SECOND,
    STOPPED,
    THIRD,
    THREE,
    TWO,
    WAITED,
    calm,
    issue,
    scenario,
)

_INSTANT_S = 0.000001


def hostile_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _twice()
    yield from _strangers()
    yield from _elsewhere()
    yield from _at_no_time()
    yield from _never()


def _twice() -> Iterator[Scenario]:
    high = issue("high", "It leaks")
    same = calm().launch().report(ONE).report(ONE).report(ONE).status().begin(SECOND)
    yield scenario("twice-one-name", "Three return under one name: two are waited for.", (*WAITED, *HELD), same,
                   ({"begun": False},))  # fmt: skip
    changed = calm().launch().report(ONE, 1, high).report(ONE).report(TWO).report(THREE).begin(SECOND).status()
    yield scenario("twice-taken-back", "A reviewer that found what blocks returns again, with nothing.",
                   (*WAITED, *STOPPED, *HELD), changed, ({"decision": "blocked"},))  # fmt: skip
    more = calm().launch().report(ONE).report(ONE, 1, high).report(TWO).report(THREE)
    yield scenario("twice-thought-better", "A reviewer that found nothing returns again, with what blocks.", WAITED,
                   more, ({"decision": "passed"},))  # fmt: skip
    late = calm().review().report(TWO, 1, high).status().begin(SECOND)
    yield scenario("twice-after-passing", "A reviewer returns again after its review passed.", WAITED, late, BEGUN)
    blocked = calm().review(FIRST, high).report(THREE).report(ONE).status().begin(SECOND)
    yield scenario("twice-after-blocking", "Reviewers return again after what they found blocked.",
                   (*WAITED, *STOPPED, *HELD), blocked, ({"begun": False},))  # fmt: skip
    analysis = calm().begin().open().analyse().analyse(1, high).report(ONE).analyse().report(TWO).report(THREE)
    yield scenario("twice-analysed", "Static analysis ends several times.", WAITED, analysis, ({"decision": "passed"},))
    opening = calm().begin().open().open().analyse().open().report(ONE).open().report(TWO).open().report(THREE)
    yield scenario("twice-opened", "A review is opened again and again.", WAITED, opening, ({"decision": "passed"},))
    mended = calm().review(FIRST, high).fix().fix().analyse(2).fix().report(ONE, 2).fix().status()
    yield scenario("twice-fixed", "All is said to be fixed, again and again.", AGAIN, mended, PENDING)


_STRANGERS = (
    ("reviewer-4", "unknown"), ("", "empty"), ("REVIEWER-1", "in-capitals"), (" reviewer-1", "spaced"),
    ("reviewer-1\n", "with-a-line-break"), ("static-analysis", "a-machine"), ("opus", "a-model"),
    ("reviewer-\u0661", "other-digits"),
)  # fmt: skip


def _strangers() -> Iterator[Scenario]:
    for name, word in _STRANGERS:
        told = calm().launch().report(TWO).report(name).report(name, 1, issue("high")).report(THREE).status()
        yield scenario(f"stranger-{word}", f"Somebody returns who was not launched ({word}).", WAITED, told, PENDING)
    elsewhere = calm().review(FIRST).launch(SECOND).report(ONE, task=SECOND).report(TWO).report(THREE)
    yield scenario("stranger-of-another-task", "Reviewers return for the task before.", WAITED,
                   elsewhere.status(SECOND), PENDING)  # fmt: skip


def _elsewhere() -> Iterator[Scenario]:
    """What is told of one task is told of no other."""
    two = calm().review(FIRST).begin(SECOND).open(SECOND).analyse(1).analyse(1, task=THIRD).report(ONE, task=SECOND)
    yield scenario("analysed-elsewhere", "Static analysis ends for other tasks than the one whose review began.",
                   (*WAITED, *HELD), two.begin(THIRD).status(SECOND), PENDING)  # fmt: skip
    blocked = calm().review(FIRST).review(SECOND, issue("high")).fix(THIRD).fix(FIRST).analyse(2, task=SECOND)
    yield scenario("fixed-elsewhere", "Other tasks than the one whose review blocks are said to be fixed.",
                   (*WAITED, *HELD, *STOPPED), blocked.begin(THIRD).status(SECOND),
                   ({"decision": "blocked"},))  # fmt: skip


def _at_no_time() -> Iterator[Scenario]:
    early = calm().begin().report(ONE).open().report(TWO).status().begin(SECOND).analyse().rest()
    yield scenario("early-reports", "Reviewers return before they are launched.", (*WAITED, *HELD), early,
                   ({"decision": "passed"},))  # fmt: skip
    for number, word in ((0, "zero"), (2, "next"), (-1, "negative"), (2**53, "huge")):
        told = calm().begin().open().analyse(number).analyse().report(ONE).rest(number).status()
        yield scenario(f"round-{word}", f"Things are told of round {number}.", WAITED, told, PENDING)
    unopened = calm().begin().analyse().fix().status().open().status()
    yield scenario("unopened", "Everything is told of a review that was not opened.", OPENED, unopened, PENDING)
    unknown = calm().launch().analyse(task=SECOND).report(ONE, task=SECOND).fix(SECOND).open(SECOND).status(SECOND)
    yield scenario("unknown-task", "Everything is told of a task that was not begun.", LAUNCHED, unknown, REFUSED)
    unblocked = calm().begin().fix().open().fix().analyse().fix().report(ONE).fix().report(TWO).fix().report(THREE)
    yield scenario("fixed-too-early", "All is said to be fixed while nothing was found.", WAITED, unblocked,
                   ({"decision": "passed"},))  # fmt: skip
    found = calm().launch().report(ONE, 1, issue("high")).fix().report(TWO).fix().status().begin(SECOND).report(THREE)
    yield scenario("fixed-before-all-returned", "What the first reviewer found is said to be fixed at once.",
                   (*WAITED, *STOPPED, *HELD), found.status(), ({"decision": "blocked"},))  # fmt: skip
    machine = calm().begin().open().analyse(1, issue("high")).fix().begin(SECOND).status()
    yield scenario("fixed-before-any-returned", "What static analysis found is said to be fixed at once.",
                   (*OPENED, *HELD), machine)  # fmt: skip
    reopened = calm().review(FIRST, issue("high")).open().analyse(2).rest(2).begin(SECOND).status()
    yield scenario("opened-instead-of-fixed", "A review that blocks is opened again, and nothing is fixed.",
                   (*WAITED, *STOPPED, *HELD), reopened, ({"decision": "blocked"},))  # fmt: skip
    asked = calm().status().begin().status().open().status().analyse().status().report(ONE).status().report(TWO)
    yield scenario("status-always", "How a review stands is asked all the time.", WAITED,
                   asked.status().report(THREE).status(), ({"decision": "passed"},))  # fmt: skip


def _never() -> Iterator[Scenario]:
    waits = (
        ("before", TIME_LIMIT_S - _INSTANT_S), ("at", TIME_LIMIT_S), ("after", TIME_LIMIT_S + _INSTANT_S),
        ("a-day", 86400.0), ("back", -3600.0),
    )  # fmt: skip
    for word, wait_s in waits:
        one = calm().launch().report(ONE).report(TWO).later(wait_s).status().status().begin(SECOND).report(THREE)
        yield scenario(f"never-one-{word}", f"A reviewer has not returned, {wait_s:+g} s later.", (*WAITED, *HELD),
                       one.status())  # fmt: skip
    none = calm().launch().later(601).status().later(601).status().begin(SECOND).rest().status()
    yield scenario("never-any", "No reviewer returns, nor when they are launched anew.", (*WAITED, *HELD),
                   none)  # fmt: skip
    given = calm().launch().report(ONE, 1, issue("high")).later(601).status().fix().status().begin(SECOND)
    yield scenario(
        "never-and-fixed", "A reviewer never returns, and what another one found is fixed.",
        (*WAITED, *HELD, *STOPPED), given.report(TWO).report(THREE).status(),
    )  # fmt: skip
    anew = calm().launch().report(TWO).later(601).status().report(ONE).later(599).status().report(THREE).begin(SECOND)
    yield scenario("never-then-late", "Reviewers that are overdue are launched anew, and return.", WAITED, anew)
    found = calm().begin().open().analyse(1, issue("high", "By a machine")).report(ONE, 1, issue("medium")).later(601)
    yield scenario(
        "never-after-findings", "Reviewers are overdue when static analysis and another one found what blocks.",
        (*HELD, *STOPPED), found.status().report(TWO).report(THREE).status().begin(SECOND), ({"begun": False},),
    )  # fmt: skip
    patient = calm().launch().report(ONE).report(THREE)
    for _ in range(8):
        patient.later(TIME_LIMIT_S + 1).status().begin(SECOND)
    yield scenario("never-for-hours", "A reviewer does not return, however often it is launched anew.",
                   (*WAITED, *HELD), patient, ({"begun": False},))  # fmt: skip
    idle = calm().begin().open().later(86400).status().begin(SECOND).analyse().later(600).status().rest()
    yield scenario("never-analysed", "Static analysis takes a day.", (*WAITED, *HELD), idle,
                   ({"decision": "passed"},))  # fmt: skip
    second = calm().review(FIRST, issue("high")).fix().analyse(2).report(ONE, 2).later(601).status().begin(SECOND)
    yield scenario("never-again", "A reviewer returns the first time, and never after the fix.", EVERY,
                   second.report(TWO, 2).report(THREE, 2).status(), ANY)  # fmt: skip

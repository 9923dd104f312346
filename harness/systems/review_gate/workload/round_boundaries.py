"""A round of a review: who finds what, in which order they return, and what comes after a fix. Level L1."""

from collections.abc import Iterator
from itertools import permutations

from harness.core.scenario import Scenario
from harness.systems.review_gate.contract import REVIEWERS
from harness.systems.review_gate.workload.gate_steps import (
    AGAIN,
    ANY,
    BEGUN,
    BLOCKED,
    EVERY,
    FIRST,
    HELD,
    ONE,
    OPENED,
    PASSED,
    PENDING,
    SECOND,
    STOPPED,
    THREE,
    TWO,
    WAITED,
    Allowed,
    Found,
    analysed,
    calm,
    issue,
    opened,
    reported,
    scenario,
)

SEVERITIES: tuple[tuple[str, str, bool], ...] = (
    ("critical", "critical", True), ("high", "high", True), ("medium", "medium", True), ("low", "low", False),
    ("critical-in-capitals", "CRITICAL", True), ("medium-capitalised", "Medium", True),
    ("low-in-capitals", "LOW", False),
    ("unknown", "blocker", True), ("empty", "", True), ("spaced", " low", True), ("low-and-more", "lowest", True),
    ("info", "info", True), ("unicode", "l\u00f6w", True), ("minor", "minor", True), ("trivial", "trivial", True),
    ("note", "note", True), ("none", "none", True), ("warning", "warning", True), ("spaced-after", "low ", True),
)  # fmt: skip
"""By a word: the severity, and whether it blocks."""


def round_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _severities()
    yield from _finders()
    yield from _orders()
    yield from _again()
    yield from _together()


def _severities() -> Iterator[Scenario]:
    for word, severity, blocks in SEVERITIES:
        found = issue(severity)
        clauses, allowed = ((*WAITED, *HELD, *STOPPED), BLOCKED) if blocks else (WAITED, PASSED)
        told = calm().review(FIRST, found).begin(SECOND).status()
        yield scenario(f"severity-{word}", f"A reviewer finds something of severity {severity!r}.", clauses, told,
                       allowed)  # fmt: skip
    for word, severity, blocks in SEVERITIES:
        told = calm().begin().open().analyse(1, issue(severity, "Found by a machine")).rest().begin(SECOND).status()
        shown = (*HELD, *STOPPED) if blocks else WAITED
        yield scenario(f"analysis-{word}", f"Static analysis finds something of severity {severity!r}.", shown,
                       told, BLOCKED if blocks else PASSED)  # fmt: skip


def _finders() -> Iterator[Scenario]:
    high, low, slow = issue("high", "It leaks"), issue("low", "A typo"), issue("medium", "It is slow")
    by: tuple[tuple[str, dict[str, tuple[Found, ...]], bool], ...] = (
        ("first", {ONE: (high,)}, True), ("second", {TWO: (high,)}, True), ("third", {THREE: (high,)}, True),
        ("all-alike", dict.fromkeys(REVIEWERS, (high,)), True),
        ("all-low", dict.fromkeys(REVIEWERS, (low, low)), False),
        ("all-different", {ONE: (high,), TWO: (slow, low), THREE: (issue("critical", "It burns"),)}, True),
        ("many", {TWO: tuple(issue("medium", f"Finding {number}") for number in range(250))}, True),
        ("silent", {ONE: (issue("medium"), {"severity": "high"})}, True),
        ("long", {ONE: (issue("high", "It leaks\n" * 2000),), TWO: (issue("low", "\u00e4\u65e5\0"),)}, True),
    )  # fmt: skip
    for word, found, blocks in by:
        told = calm().launch()
        for reviewer in REVIEWERS:
            told.report(reviewer, 1, *found.get(reviewer, ()))
        clauses = (*WAITED, *HELD, *STOPPED) if blocks else WAITED
        yield scenario(f"found-{word}", f"What blocks is found by: {word}.", clauses, told.begin(SECOND).status(),
                       BLOCKED if blocks else PASSED)  # fmt: skip
    mixed = calm().begin().open().analyse(1, low).report(ONE, 1, low).report(TWO, 1, high).report(THREE).status()
    yield scenario("found-beside-analysis", "Static analysis finds a trifle, a reviewer what blocks.",
                   (*WAITED, *STOPPED), mixed, BLOCKED)  # fmt: skip


def _orders() -> Iterator[Scenario]:
    for number, order in enumerate(permutations(REVIEWERS), start=1):
        told = calm().launch().status()
        for reviewer in order:
            told.report(reviewer, 1, *([issue("high")] if reviewer == ONE else [])).status()
        yield scenario(f"order-{number}", f"The reviewers return in this order: {', '.join(order)}.",
                       (*WAITED, *STOPPED, *HELD), told.begin(SECOND).status(), BLOCKED)  # fmt: skip
    apart = calm().launch().restart().report(TWO).restart().report(ONE).restart().report(THREE).restart()
    yield scenario("order-restarted", "Each reviewer returns to a process of its own.", WAITED,
                   apart.status().begin(SECOND), BEGUN)  # fmt: skip
    yield from _restarted()
    slow = calm().launch().later(599).report(ONE).later(1).report(TWO).status()
    yield scenario(
        "order-slow", "Two reviewers return just in time, the third one is waited for.", WAITED, slow, PENDING
    )


def _restarted() -> Iterator[Scenario]:
    """What was found is known to the process that decides."""
    found = issue("medium", "It is slow")
    by_one = calm().launch().report(ONE, 1, found).restart().report(TWO).restart().report(THREE).begin(SECOND)
    yield scenario("restarted-found-by-reviewer", "A reviewer finds what blocks, and the process ends before all do.",
                   (*WAITED, *HELD, *STOPPED), by_one.restart().status(), BLOCKED)  # fmt: skip
    by_two = calm().launch().report(ONE, 1, found).report(TWO, process=1).report(THREE, process=1).begin(SECOND)
    yield scenario("found-by-another-process", "A reviewer returns to one process, the others to another.",
                   (*WAITED, *HELD, *STOPPED), by_two.status(), BLOCKED)  # fmt: skip
    machine = calm().begin().open().restart().analyse(1, found).restart().rest().begin(SECOND)
    yield scenario("restarted-found-by-analysis", "Static analysis finds what blocks, and the process ends.",
                   (*OPENED, *HELD, *STOPPED), machine.restart().status(), BLOCKED)  # fmt: skip
    late = calm().launch().report(ONE, 1, found).restart().later(601).status().restart().report(TWO).report(THREE)
    yield scenario("restarted-overdue", "Reviewers are overdue at a process that did not launch them.",
                   (*WAITED, *HELD, *STOPPED), late.begin(SECOND).status(), BLOCKED)  # fmt: skip
    again = calm().review(FIRST, found).restart().begin(SECOND).fix().restart().analyse(2).restart().report(ONE, 2)
    yield scenario("restarted-fixed", "Every step of a fix is that of another process.", EVERY,
                   again.restart().begin(SECOND).report(TWO, 2).report(THREE, 2).restart().begin(SECOND),
                   BEGUN)  # fmt: skip


def _again() -> Iterator[Scenario]:
    kinds: tuple[tuple[str, str, tuple[Found, ...], Allowed], ...] = (
        ("passes", "finds nothing", (), BEGUN), ("low", "finds a trifle", (issue("low"),), BEGUN),
        ("blocks", "finds the same again", (issue("critical"),), ({"begun": False},)),
        ("other", "finds something else", (issue("medium", "New"),), ({"begun": False},)),
    )  # fmt: skip
    for word, title, found, allowed in kinds:
        told = calm().review(FIRST, issue("critical")).again(2, *found).begin(SECOND)
        yield scenario(f"again-{word}", f"All is reviewed again after a fix, and one reviewer {title}.", AGAIN, told,
                       allowed)  # fmt: skip
    only = calm().review(FIRST, issue("high")).fix().analyse(2).report(THREE, 2).begin(SECOND).status()
    yield scenario("again-only-one", "After a fix only who complained returns.", EVERY, only, PENDING)
    stale = calm().review(FIRST, issue("high")).fix().analyse(2).rest(1).report(ONE, 2).begin(SECOND).status()
    yield scenario("again-stale", "After a fix the reviewers of the round before return once more.", EVERY, stale,
                   PENDING)  # fmt: skip
    many = calm().review(FIRST, issue("high"))
    for number in range(2, 9):
        many.again(number, *([issue("medium", f"Round {number}")] if number < 8 else []))
    yield scenario("again-often", "Seven fixes, each reviewed by all.", AGAIN, many.begin(SECOND), BEGUN)
    yield from _again_found()
    analysis = calm().begin().open().analyse(1, issue("high")).rest().fix().analyse(2).rest(2).begin(SECOND)
    yield scenario("again-after-analysis", "What static analysis found is fixed, and all is reviewed.", AGAIN, analysis,
                   BEGUN)  # fmt: skip
    trifles = calm().review(FIRST, issue("low")).fix().status().open().status()
    yield scenario(
        "again-after-low", "A review that passed is said to be fixed, and opened again.", WAITED, trifles, ANY
    )


def _again_found() -> Iterator[Scenario]:
    """After a fix somebody else than the one who complained finds what blocks."""
    for finder in (ONE, TWO, "analysis"):
        for severity in ("critical", "medium", "unheard of"):
            found = issue(severity, f"By {finder}")
            told = calm().review(FIRST, issue("high")).fix().analyse(2, *([found] if finder == "analysis" else []))
            for name in REVIEWERS:
                told.report(name, 2, *([found] if finder == name else []))
            yield scenario(f"again-found-{finder}-{severity.replace(' ', '-')}",
                           f"After a fix {finder} finds something of severity {severity!r}, who found nothing before.",
                           (*OPENED, *HELD, *STOPPED), told.begin(SECOND).status(), BLOCKED)  # fmt: skip
    stale = calm().review(FIRST, issue("high")).fix().analyse(1).report(ONE, 2).begin(SECOND).analyse(2).analyse(1)
    yield scenario("again-stale-analysis", "After a fix the static analysis of the round before ends once more.", EVERY,
                   stale.rest(2).begin(SECOND), BEGUN)  # fmt: skip


def _together() -> Iterator[Scenario]:
    three = [reported(name) for name in REVIEWERS]
    yield scenario("together-two", "Two reviewers return at once.", WAITED,
                   calm().launch().together(*three[:2]).status().report(THREE).begin(SECOND), BEGUN)  # fmt: skip
    yield scenario("together-three", "All reviewers return at once.", WAITED,
                   calm().launch().report(ONE).together(*three[1:]).begin(SECOND), BEGUN)  # fmt: skip
    found = [reported(name, 1, issue("high", f"By {name}")) for name in REVIEWERS]
    yield scenario("together-found", "All return at once, each with something of its own.", (*STOPPED, *HELD),
                   calm().launch().together(*found).status().begin(SECOND).status(), BLOCKED)  # fmt: skip
    yield scenario("together-eight", "All return at once, and some of them several times.", (*WAITED, *HELD),
                   calm().launch().together(*found, *three, *found[:2]).status().begin(SECOND).status())  # fmt: skip
    twice = (
        calm().begin().together(opened(), opened()).together(analysed(), analysed()).report(ONE).report(TWO).status()
    )
    yield scenario("together-opened", "A review is opened twice at once, and static analysis ends twice.",
                   ("LK-REV-04",), twice, PENDING)  # fmt: skip

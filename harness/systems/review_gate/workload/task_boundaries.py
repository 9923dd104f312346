"""Between two tasks: when the next one begins, and when not. Level L1."""

from collections.abc import Iterator

from harness.core.scenario import FileSpec, Scenario
from harness.systems.review_gate.contract import GATE_PATH
from harness.systems.review_gate.workload.gate_steps import (
    AGAIN,
    ANY,
    BEGUN,
    EVERY,
    FIRST,
    HELD,
    LAUNCHED,
    NOT_BEGUN,
    ONE,
    OPENED,
    PENDING,
    SECOND,
    STOPPED,
    THIRD,
    THREE,
    TWO,
    WAITED,
    Story,
    begun,
    calm,
    issue,
    reported,
    scenario,
)


def task_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _at_every_stage()
    yield from _in_succession()
    yield from _names()
    yield from _alike()
    yield from _done_again()
    yield from _found_files()
    yield from _together()


def _at_every_stage() -> Iterator[Scenario]:
    high = issue("high")
    stages: tuple[tuple[str, str, Story, tuple[str, ...]], ...] = (
        ("begun", "the one before has only begun", calm().begin(), HELD),
        ("opened", "static analysis of the one before runs", calm().begin().open(), (*HELD, *OPENED)),
        ("launched", "no reviewer of the one before has returned", calm().launch(), (*HELD, *LAUNCHED)),
        ("one", "one reviewer has returned", calm().launch().report(ONE), (*HELD, *WAITED)),
        ("two", "two reviewers have returned", calm().launch().report(THREE).report(ONE), (*HELD, *WAITED)),
        ("two-found", "two reviewers have returned, with findings", calm().launch().report(ONE, 1, high).report(TWO),
         (*HELD, *WAITED, *STOPPED)),
        ("blocked", "the review of the one before found what blocks", calm().review(FIRST, high),
         (*HELD, *WAITED, *STOPPED)),
        ("fixed", "what was found is fixed, and not reviewed again", calm().review(FIRST, high).fix(),
         (*HELD, *WAITED, *STOPPED)),
        ("analysed-again", "what was found is fixed, and static analysis was done again",
         calm().review(FIRST, high).fix().analyse(2), EVERY),
        ("two-again", "after a fix two reviewers have returned",
         calm().review(FIRST, high).fix().analyse(2).report(ONE, 2).report(TWO, 2), EVERY),
        ("blocked-again", "the second review found what blocks", calm().review(FIRST, high).again(2, high), EVERY),
    )  # fmt: skip
    for word, title, story, clauses in stages:
        yield scenario(f"next-{word}", f"A task is to begin when {title}.", clauses, story.begin(SECOND), NOT_BEGUN)
    low = calm().review(FIRST, issue("low")).begin(SECOND)
    yield scenario(
        "next-passed", "A task is to begin when the one before was reviewed, and passed.", WAITED, low, BEGUN
    )
    twice = calm().review(FIRST, high).again(2, high).again(3).begin(SECOND)
    yield scenario("next-passed-at-last", "A task begins after two fixes.", AGAIN, twice, BEGUN)


def _in_succession() -> Iterator[Scenario]:
    repeated = calm().begin().begin().open().begin().analyse().rest().begin()
    yield scenario("begin-repeated", "A task that began is begun again, at every stage.", WAITED, repeated, BEGUN)
    several = calm()
    for number in range(1, 6):
        several.review(f"task-{number}").begin(f"task-{number + 1}").begin(f"task-{number + 2}")
    yield scenario("five-tasks", "Five tasks, each reviewed, and one too early each time.", (*HELD, *WAITED),
                   several.begin("task-5"), NOT_BEGUN)  # fmt: skip
    anew = calm().review(FIRST).review(SECOND).begin(FIRST).begin(THIRD)
    yield scenario(
        "begun-once-more", "A task is begun once more, and another one is to follow without a review of that.",
        WAITED, anew.open(FIRST).analyse(2).rest(2).begin(THIRD),
    )  # fmt: skip
    late = calm().review(FIRST).review(SECOND).begin(FIRST).open(FIRST).report(ONE, 1).report(TWO, 1).report(THREE, 1)
    yield scenario(
        "begun-once-more-late", "A task is begun once more, and the reviewers of its first review return again.",
        WAITED, late.analyse(2).report(ONE, 1).report(TWO, 1).report(THREE, 1).begin(THIRD),
    )  # fmt: skip
    other = calm().begin(FIRST).open(SECOND).analyse(1, task=SECOND).rest(1, task=SECOND).begin(SECOND)
    yield scenario("review-of-another", "Another task than the last one is reviewed, or so it is said.", HELD, other,
                   NOT_BEGUN)  # fmt: skip
    nothing = calm().open().analyse().rest().fix().status().begin(FIRST).begin(SECOND)
    yield scenario("review-of-nothing", "Reviewers return before anything was begun.", HELD, nothing, NOT_BEGUN)


_NAMES = (
    ("empty", ""), ("spaces", " "), ("unicode", "\u00e4\u65e5\u672c"), ("combined", "a\u0308"),
    ("long", "task-" + "9" * 3000), ("separators", "../../task"), ("quotes", "\"'{}\\"), ("line-breaks", "a\nb\r\n"),
    ("nul", "a\0b"),
)  # fmt: skip


def _names() -> Iterator[Scenario]:
    for word, task in _NAMES:
        yield scenario(f"named-{word}", f"A task with an odd name ({word}) is reviewed like any other.",
                       (*HELD, *WAITED), calm().begin(task).begin(f"{task}.").open(task).analyse(task=task)
                       .rest(task=task).begin(f"{task}."), BEGUN)  # fmt: skip
    case = calm().review("Task").begin("task").begin("TASK")
    yield scenario("named-alike", "Names that differ in case are those of different tasks.", (*HELD, *WAITED), case,
                   NOT_BEGUN)  # fmt: skip


_ALIKE = (
    ("blanks", "task-1", "task-1 "), ("forms", "\u00e4", "a\u0308"), ("widths", "task-1", "task-\uff11"),
    ("separators", "a/b", "a_b"), ("zeros", "task-1", "task-01"), ("escapes", "a b", "a%20b"),
    ("long", f"{'t' * 300}a", f"{'t' * 300}b"),
)  # fmt: skip
"""Two names that somebody might take for one."""


def _alike() -> Iterator[Scenario]:
    for word, one, other in _ALIKE:
        told = calm().begin(one).begin(other).open(one).analyse(task=one).report(ONE, task=one).report(TWO, task=one)
        yield scenario(f"alike-{word}", f"Names that differ a little ({word}) are those of different tasks.",
                       (*HELD, *WAITED), told.report(THREE, task=other).begin(other).status(one), PENDING)  # fmt: skip


def _done_again() -> Iterator[Scenario]:
    high = issue("high")
    early = calm().review(FIRST).open().begin(SECOND)
    yield scenario("done-again", "A review that passed is opened again; a task is to begin meanwhile.", WAITED, early)
    worse = calm().review(FIRST).open().analyse(2).rest(2, high).status().begin(SECOND)
    yield scenario("done-again-blocks", "A review that passed is opened again, if it may be, and finds what blocks.",
                   WAITED, worse)  # fmt: skip


def _found_files() -> Iterator[Scenario]:
    files = (
        ("garbage", FileSpec(text="no state at all\n")), ("empty", FileSpec(text="")),
        ("newer", FileSpec(text='{"version": 1000000, "last": null, "rounds": {}, "wisdom": 3}')),
        ("directory", FileSpec(kind="directory")), ("fifo", FileSpec(kind="fifo")),
    )  # fmt: skip
    for word, spec in files:
        told = calm().begin().status().begin(SECOND).begin(SECOND)
        yield scenario(f"state-{word}", f"Where the state belongs stands something else ({word}).", STOPPED, told,
                       NOT_BEGUN, files={GATE_PATH: spec})  # fmt: skip


def _together() -> Iterator[Scenario]:
    tasks = [begun(task) for task in (FIRST, SECOND, THIRD)]
    for count in (2, 3):
        yield scenario(f"begun-together-{count}", f"{count} tasks are to begin at once: one does.", HELD,
                       calm().together(*tasks[:count]).begin("task-004"), NOT_BEGUN)  # fmt: skip
    last = calm().launch().report(ONE).report(TWO).together(reported(THREE), begun(SECOND)).begin(SECOND)
    yield scenario("begun-beside-report", "A task is to begin while the last reviewer returns.", WAITED, last, BEGUN)
    eight = [begun(f"task-{number}") for number in range(8)]
    yield scenario("begun-together-8", "Eight tasks are to begin at once.", HELD,
                   calm().together(*eight).begin("task-9").begin("task-9"), ANY)  # fmt: skip

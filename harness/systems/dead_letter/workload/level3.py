"""Level L3: one operation struck at every file call, or several in every order, and what comes after in calm weather.

The operations are those that move tasks: the fifth failure, a review that decides in every way, a session's beginning,
a human who gives a task up. No task and no attempt that was acknowledged is lost, and none is left twice.
"""

from collections.abc import Iterator, Sequence

from harness.core.scenario import ExploreKind, FileSpec, Scenario
from harness.systems.dead_letter.contract import DEAD_LETTER_PATH, IN_PROGRESS_PATH, PENDING_PATH
from harness.systems.dead_letter.workload.dead_letter_steps import (
    DAY_S,
    MOVED,
    Facts,
    Files,
    Story,
    asked,
    calm,
    dead,
    failed,
    only,
    pending,
    scenario,
    task,
)
from harness.systems.dead_letter.workload.legs import FACTS, WHOLE, WORLD
from harness.systems.dead_letter.workload.review_boundaries import APPROACH, DEPENDENCY, FIXED, SIMPLER
from harness.systems.queue_files import ABANDONED, PENDING
from harness.systems.tours import told

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn")
STATES: tuple[ExploreKind, ...] = (*CALLS, "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)
KEPT = ("LK-DQ-23",)
_AUTH = {"touches": ["auth"]}


def level3() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    yield from _failing()
    yield from _reviewing()
    yield from _others()
    yield from _everything()
    yield from _orders()


def _calls(name: str, title: str, clauses: Sequence[str], story: Story, files: Files | None = None) -> Scenario:
    return scenario(f"l3-{name}", title, clauses, story, files=files, level="L3")


def _failing() -> Iterator[Scenario]:
    first = calm().fail("third").explore(*STATES).fail("fourth").look()
    yield _calls("fail-fifth", "The fifth failure is struck: the task is in one queue or the other, and then in one.",
                 (*KEPT, *MOVED), first.fail("running").look())  # fmt: skip
    counted = calm().fail("new").explore(*STATES).fail("new", "timeout").list(PENDING)
    yield _calls("fail-second", "A failure that moves nothing is struck: the ones before it stay.",
                 ("LK-DQ-01", "LK-DQ-05", *KEPT), counted.fail("new").look())  # fmt: skip
    absent: Files = {DEAD_LETTER_PATH: FileSpec(kind="absent")}
    begins = calm().explore("killed", "power").fail("fourth").look().fail("running").look()
    yield _calls("fail-first-letter", "The first dead letter ever is struck.", (*KEPT, *MOVED), begins, absent)


def _reviewing() -> Iterator[Scenario]:
    kinds: tuple[tuple[str, dict[str, object], tuple[str, ...], tuple[ExploreKind, ...]], ...] = (
        ("dependency", {**DEPENDENCY}, ("LK-DQ-12", "LK-DQ-13"), STATES),
        ("approach", {**APPROACH}, ("LK-DQ-12", "LK-DQ-14"), ("killed", "power")),
        ("scope", {**SIMPLER}, ("LK-DQ-15",), ("errno", "killed", "power")),
        ("fixed", {**FIXED}, ("LK-DQ-12", "LK-DQ-16"), ("killed",)),
        ("irrelevant", {"irrelevant": True}, ("LK-DQ-19", "LK-DQ-20"), STATES),
        ("human", {**_AUTH}, ("LK-DQ-21", "LK-ES-01", "LK-ES-07"), ("errno", "killed", "power")),
    )
    for word, facts, clauses, explored in kinds:
        story = calm().fail("third").explore(*explored).review({"one": facts}).look()
        story.review({"one": facts}).look().list(PENDING)
        yield _calls(f"review-{word}", f"A review is struck that decides about one task: {word}.",
                     (*KEPT, "LK-DQ-10", *clauses), story, only(dead("one"), dead("other", 1)))  # fmt: skip
    several: Facts = {"one": {**FIXED}, "two": {"irrelevant": True}, "three": {**_AUTH}}
    story = calm().explore("killed", "power").session(several).look().session(several).look()
    yield _calls(
        "session-several", "A session is struck while it reviews four tasks: last_reviewed stays until all are done.",
        (*KEPT, "LK-DQ-09", "LK-DQ-10", "LK-DQ-12", "LK-DQ-20", "LK-DQ-21"), story.list(ABANDONED),
        only(dead("one"), dead("two"), dead("three"), dead("four")),
    )  # fmt: skip
    waits = calm().session({"one": _AUTH}).look().later(DAY_S + 1).explore("killed").session({"one": _AUTH}).look()
    yield _calls(
        "session-waiting",
        "A review is struck that finds a task waiting for a human.",
        ("LK-DQ-09", "LK-DQ-10", "LK-DQ-21"),
        waits.session({"one": _AUTH}).look(),
        only(dead("one")),
    )


def _others() -> Iterator[Scenario]:
    gone = calm().explore(*STATES).abandon("old", "Nobody asked for it").look()
    yield _calls("abandon", "A human's word is struck; it is said again.", ("LK-DQ-19", "LK-DQ-20", *KEPT),
                 gone.abandon("old", "Nobody asked for it").look())  # fmt: skip
    both: Files = {PENDING_PATH: pending(task("both", 4)), DEAD_LETTER_PATH: only(dead("both"))[DEAD_LETTER_PATH]}
    reads = calm().explore(*STATES).list().look().fail("running").look()
    yield _calls("list-duplicate", "The question is struck that finds a task in two queues.", (*KEPT, "LK-DQ-01"),
                 reads, both)  # fmt: skip
    looks = calm().fail("fourth").explore("errno", "killed").escalations().review().look()
    yield _calls("escalations", "The question for escalations is struck.", (*KEPT, "LK-DQ-10"), looks)
    bad = calm().fail("fourth").fault("json_document.truncated", DEAD_LETTER_PATH).explore("killed", "torn")
    yield _calls("fail-beside-bad", "A fifth failure is struck that comes after dead-letter.json was torn.", KEPT,
                 bad.fail("running").look().fail("third").look())  # fmt: skip


def _everything() -> Iterator[Scenario]:
    """A failure dies at each of its calls, and after that every clause is seen once more."""
    story = calm().explore("killed").fail("slow")
    yield _calls("everything-after", "A failure is killed at each of its calls; then everything else is asked for.",
                 told(story, WHOLE), story.list(), WORLD)  # fmt: skip
    story = calm().explore("killed").session(FACTS).look().review(FACTS).look()
    yield _calls("everything-at-once", "A session is killed that decides in every way there is.",
                 (*KEPT, "LK-DQ-10", "LK-DQ-12", "LK-DQ-20", "LK-DQ-21"), story.list(PENDING), WORLD)  # fmt: skip


def _orders() -> Iterator[Scenario]:
    """Operations at once, each by a process of its own, their calls in every order.

    Each call more of an operation is an order more, so the worlds have few files, and little that is to be done.
    """
    alone: Files = {IN_PROGRESS_PATH: FileSpec(kind="absent")}
    fresh: Files = {**alone, DEAD_LETTER_PATH: FileSpec(kind="absent")}
    two = calm().explore(*ORDERS).together(failed("fourth"), failed("late")).look()
    yield _calls("order-two-fail", "Two tasks fail for the fifth time at once, in every order.", KEPT,
                 two.fail("new").look(), {**fresh, PENDING_PATH: pending(task("late", 4))})  # fmt: skip
    one = calm().explore(*ORDERS).together(failed("third", agent="a"), failed("third", agent="b"))
    yield _calls("order-one-fails", "Two agents tell of failures of one task, in every order.", KEPT, one.look(),
                 {**fresh, PENDING_PATH: pending(task("third", 3))})  # fmt: skip
    both = calm().explore(*ORDERS).together(asked("review", {"one": {**FIXED}}), failed("fourth"))
    yield _calls("order-review-fail", "A task fails while the queue is reviewed, in every order.", KEPT, both.look(),
                 {**alone, **only(dead("one", 1))})  # fmt: skip
    facts: Facts = {"one": {**FIXED}, "two": {**_AUTH}}
    twice = calm().explore(*ORDERS).together(asked("start_session", facts), asked("start_session", facts))
    yield _calls("order-two-sessions", "Two sessions begin at once, in every order.", KEPT, twice.look().list(PENDING),
                 {**alone, **only(dead("one", 1), dead("two", 1))})  # fmt: skip

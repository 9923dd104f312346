"""Level L3: one operation struck at every file call, or several in every order, and what comes after in calm weather.

The operations are those that write: a drift, a request, a decision that is carried out, a time-out, a signal raised,
handled or processed. What was acknowledged before is there afterwards, and what is done after is, too.
"""

from collections.abc import Iterator, Sequence

from harness.core.scenario import ExploreKind, Operation, Scenario
from harness.systems.signals.contract import Signal
from harness.systems.signals.workload.drift_boundaries import MEMORY
from harness.systems.signals.workload.healing_boundaries import KNOWLEDGE
from harness.systems.signals.workload.legs import WHOLE
from harness.systems.signals.workload.signal_steps import (
    ALSO_REVIEWED,
    ANY,
    CURRENT,
    DAY_S,
    OTHER,
    REVIEWED,
    Allowed,
    Story,
    calm,
    consumed,
    emitted,
    friction,
    requested,
    scenario,
)
from harness.systems.tours import told

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn")
STATES: tuple[ExploreKind, ...] = (*CALLS, "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)
_RECORD = ("LK-DR-01", "LK-DR-04", "LK-DR-09", "LK-SG-02")


def level3() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    yield from _drifting()
    yield from _asking()
    yield from _deciding()
    yield from _handing()
    yield from _healing()
    yield _everything()
    yield from _orders()


def _struck(name: str, title: str, clauses: Sequence[str], story: Story, allowed: Allowed = ANY) -> Scenario:
    return scenario(f"l3-{name}", title, clauses, story, allowed, level="L3")


def _drifting() -> Iterator[Scenario]:
    story = calm().explore(*STATES).drift("struck").drifts().drift("after").drifts()
    yield _struck("drift-first", "The first drift ever is struck at every call; another follows.", _RECORD,
                  story.drift("after").drifts())  # fmt: skip
    story = calm().drift(OTHER).drift().drift().explore(*STATES).drift(working_memory=MEMORY).drifts()
    yield _struck("drift-third", "The third drift of a task is struck; the log and CONTINUITY.md follow.", _RECORD,
                  story.drift(working_memory=MEMORY).drifts(CURRENT).drift(OTHER).drifts())  # fmt: skip


def _asking() -> Iterator[Scenario]:
    story = calm().explore(*STATES).review().reviews(REVIEWED).drifts().review(ALSO_REVIEWED).reviews()
    yield _struck("review-first", "A request is struck: its task is in one place, and another can be asked for.",
                  ("LK-HR-01", "LK-HR-05"), story.reviews(ALSO_REVIEWED).drifts())  # fmt: skip
    story = (
        calm()
        .review(ALSO_REVIEWED)
        .reviews()
        .explore("killed", "torn")
        .review()
        .reviews(REVIEWED)
        .drifts()
        .review(CURRENT)
    )
    yield _struck("review-second", "The second request is struck: the first is retained.",
                  ("LK-HR-01", "LK-HR-05", "LK-HR-08"), story.reviews(ALSO_REVIEWED).drifts())  # fmt: skip


def _deciding() -> Iterator[Scenario]:
    solved = ("LK-HR-05", "LK-HR-06")
    story = calm().review().decide().explore(*STATES).check().reviews().check().reviews(REVIEWED).drifts()
    yield _struck("decided", "A decision is being carried out when it is struck; the next look ends it.",
                  (*solved, "LK-SG-05"), story)  # fmt: skip
    story = calm().review().reviews().explore("killed").clarify().reviews().clarify().reviews(REVIEWED).drifts()
    yield _struck("clarified", "A clarification is struck.", solved[:1], story)
    story = calm().review().reviews().explore("errno").cancel().reviews().cancel().reviews(REVIEWED).drifts()
    yield _struck("cancelled", "A cancellation is struck.", solved[:1], story)
    late = calm().review().review(ALSO_REVIEWED).later(DAY_S + 60.0)
    story = late.explore("killed", "power").check().reviews().check().reviews(REVIEWED).drifts()
    yield _struck("timed-out", "A time-out is struck: no task is lost, and the next look ends it.",
                  ("LK-HR-05", "LK-HR-08"), story)  # fmt: skip
    story = calm().review().reviews().explore("errno", "killed").reviews().reviews(REVIEWED).drifts()
    yield _struck("reviews", "The question for the pending ones is struck.", ("LK-HR-01", "LK-HR-05"), story)


def _handing() -> Iterator[Scenario]:
    ready = Signal.FEATURE_READY
    story = calm().drift().explore(*STATES).emit(ready, "auth").drifts().consume(ready, "auth").consume(ready, "auth")
    yield _struck("emit", "A signal is struck while it is raised.", ("LK-SG-02", "LK-SG-03"),
                  story.emit(ready, "api").consume(ready, "api").drifts())  # fmt: skip
    story = calm().drift().emit(ready, "auth").explore(*STATES).consume(ready, "auth").drifts().consume(ready, "auth")
    yield _struck("consume", "A signal is struck while it is handled.", ("LK-SG-01", "LK-SG-02", "LK-SG-03"),
                  story.emit(ready, "auth").consume(ready, "auth").consume(ready, "auth").drifts())  # fmt: skip


def _healing() -> Iterator[Scenario]:
    found, known = Signal.FRICTION_DETECTED, Signal.INSTITUTIONAL_KNOWLEDGE_FOUND
    story = calm().emit(found, payload=friction("friction-041")).heal(found).emit(found)
    story.explore("killed", "torn").heal(found).heal(found).remove().drifts().emit(
        found, payload=friction("friction-043")
    )
    yield _struck("heal-friction", "A friction is struck on its way into the map.", ("LK-HL-01", "LK-HL-03"),
                  story.heal(found).remove("friction-043").drifts())  # fmt: skip
    story = calm().emit(known, payload=KNOWLEDGE).explore(*CALLS).heal(known).heal(known).drifts()
    yield _struck("heal-knowledge", "Knowledge is struck while it is appended.", ("LK-HL-01",),
                  story.emit(known, payload={"knowledge": "Ask Ann first"}).heal(known).drifts())  # fmt: skip
    story = calm().emit(found).heal(found).explore("errno", "killed").classify().drifts().classify().remove()
    yield _struck("classify", "A classification is struck.", ("LK-HL-03",), story.drifts())


def _everything() -> Scenario:
    """A drift dies at each of its calls, and after that every clause is seen once more."""
    story = calm().drift("before").explore("killed").drift("struck")
    clauses = told(story, WHOLE)
    return _struck("everything-after", "A drift is killed at each of its calls; then everything else is asked for.",
                   clauses, story.drifts())  # fmt: skip


def _orders() -> Iterator[Scenario]:
    """Operations at once, each by a process of its own, their calls in every order."""
    story = calm().drift(OTHER)
    story.explore(*ORDERS).together(story.reported(), story.reported(OTHER))
    yield _struck("order-drifts", "Two processes report drifts at once, in every order: none is lost.", _RECORD,
                  story.drifts(OTHER).drift().drifts())  # fmt: skip
    story = calm()
    story.explore(*ORDERS).together(*(story.reported(of) for of in (CURRENT, OTHER, CURRENT)))
    yield _struck("order-three", "Three processes report the first drifts there are, in every order.", _RECORD,
                  story.drifts(CURRENT).drift().drifts())  # fmt: skip
    story = calm().explore(*ORDERS).together(requested(), requested(ALSO_REVIEWED)).reviews(REVIEWED)
    yield _struck("order-reviews", "Two processes ask for a review each, in every order: both are retained.",
                  ("LK-HR-01", "LK-HR-05", "LK-HR-08"), story.reviews(ALSO_REVIEWED).drifts())  # fmt: skip
    story = calm().review().decide().explore(*ORDERS).together(
        Operation("check_reviews"), requested(ALSO_REVIEWED)
    )  # fmt: skip
    yield _struck("order-decided", "A decision is carried out while another review is asked for, in every order.",
                  ("LK-HR-05", "LK-HR-06"),
                  story.reviews(REVIEWED).check().cancel(ALSO_REVIEWED).reviews(ALSO_REVIEWED).drifts())  # fmt: skip
    ready = Signal.FEATURE_READY
    story = calm().emit(ready, "auth", {"n": 1})
    story.explore(*ORDERS).together(consumed(ready, "auth"), emitted(ready, "auth", {"n": 2}))
    yield _struck("order-raised-again", "A signal is raised again while it is handled, in every order: none is lost.",
                  ("LK-SG-01", "LK-SG-03"),
                  story.consume(ready, "auth").consume(ready, "auth").drifts())  # fmt: skip

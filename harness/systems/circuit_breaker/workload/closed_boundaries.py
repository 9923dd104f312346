"""A CLOSED breaker: what it lets through, and which failures open it. Level L1.

The 60 seconds are met at each side, one microsecond apart, and by traces that tell a sliding window from one that
begins with a failure. Successes and calls in flight are mixed in: a breaker that counts rates looks right as long as
everything fails.
"""

from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    EITHER,
    INSTANT_S,
    IS_OPEN,
    NAME,
    OTHER,
    PERMITTED,
    REFUSED,
    THIRD,
    WINDOW_S,
    Allowed,
    Story,
    acquire,
    calm,
    failure,
    scenario,
)

TRIPS = ("LK-CB-10", "LK-CB-12", "LK-CB-13", "LK-CB-22")
STAYS = ("LK-CB-09", "LK-CB-11")
AT_ONCE = 3  # processes that ask, or tell, at the same time


def closed_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _permits()
    yield from _traces()
    yield from _spread()
    yield from _mixed()
    yield from _in_flight()
    yield from _several()
    yield from _together()


def _permits() -> Iterator[Scenario]:
    yield scenario(
        "closed-permits", "A breaker that nothing went wrong with permits every call.", STAYS[:1],
        calm().ok(times=5).look().ask(), PERMITTED,
    )  # fmt: skip
    story = _begun(*(0.0 for _ in range(8)))
    for number in (3, 0, 7, 1):
        story.succeeded(f"flying-{number}")
    yield scenario(
        "closed-permits-in-flight", "A CLOSED breaker permits calls beside eight in flight.", STAYS[:1],
        story.ask(), PERMITTED,
    )  # fmt: skip
    yield scenario(
        "closed-permits-after-failures", "After one failure, and after two, a breaker is CLOSED and permits.", STAYS,
        calm().fail().look().ok().fail().look().ask(), PERMITTED,
    )  # fmt: skip
    yield scenario(
        "closed-unused", "A breaker that nobody has used is CLOSED.", STAYS[:1], calm().look().ask(), PERMITTED
    )


# name, what is said of it, when the breaker fails, whether the next call is permitted then
_TRACES: tuple[tuple[str, str, tuple[float, ...], Allowed], ...] = (
    ("at-once", "Three failures at one time open it.", (0, 0, 0), REFUSED),
    ("30-59-999999", "Three failures within less than 60 seconds open it.", (0, 30, WINDOW_S - INSTANT_S), REFUSED),
    ("30-60", "The third failure comes exactly 60 seconds after the first.", (0, 30, WINDOW_S), EITHER),
    ("30-60-000001", "The third failure comes after more than 60 seconds.", (0, 30, WINDOW_S + INSTANT_S), PERMITTED),
    ("60-60", "Two failures come exactly 60 seconds after the first.", (0, WINDOW_S, WINDOW_S), EITHER),
    ("0-60-000001", "The third failure comes too late for two at once.", (0, 0, WINDOW_S + INSTANT_S), PERMITTED),
    ("40-70-80", "Three of four failures lie within 60 seconds, but not those after the first.", (0, 40, 70, 80),
     EITHER),
    ("40-70-80-90", "Whatever window is counted in, one holds three failures by the end.", (0, 40, 70, 80, 90),
     REFUSED),
    ("59-999999-60-60-000001", "Three failures within two microseconds, the first of them long after one.",
     (0, WINDOW_S - INSTANT_S, WINDOW_S, WINDOW_S + INSTANT_S), REFUSED),
    ("0-100-130-159-999999", "An old failure counts no more, and three new ones open it.",
     (0, 100, 130, 160 - INSTANT_S), REFUSED),
    ("0-1-62-63-64", "Two old failures count no more; the third of the new ones opens it.", (0, 1, 62, 63, 64),
     REFUSED),
)  # fmt: skip


def _traces() -> Iterator[Scenario]:
    for name, said, times_s, allowed in _TRACES:
        clauses = STAYS if allowed == PERMITTED else TRIPS if allowed == REFUSED else ("LK-CB-10",)
        # they begin together: one that fails last may fail when it is OPEN already
        story = _ended(_begun(*(0.0 for _ in times_s)), *times_s)
        yield scenario(f"failures-at-{name}", said, clauses, story.look().ask(), allowed)


def _begun(*at_s: float) -> Story:
    """After the control, calls that begin at these times."""
    story = calm()
    for number, seconds in enumerate(at_s):
        story.at(seconds).ask(call=f"flying-{number}")
    return story


def _ended(story: Story, *at_s: float) -> Story:
    """These calls fail, at these times."""
    for number, seconds in enumerate(at_s):
        story.at(seconds).failed(f"flying-{number}")
    return story


_SPREAD: tuple[tuple[str, str, tuple[float, ...]], ...] = (
    ("61-apart", "Ten failures, each 61 seconds after the one before.", tuple(61.0 * n for n in range(10))),
    ("60-000001-apart", "Ten failures, each a microsecond more than 60 seconds after the one before.",
     tuple((WINDOW_S + INSTANT_S) * n for n in range(10))),
    ("30-000001-apart", "Ten failures, each three of which span more than 60 seconds.",
     tuple((30 + INSTANT_S) * n for n in range(10))),
    ("pairs", "Two failures at once, again and again after 60 seconds and a microsecond.",
     tuple((WINDOW_S + INSTANT_S) * (n // 2) for n in range(10))),
)  # fmt: skip


def _spread() -> Iterator[Scenario]:
    for name, said, times_s in _SPREAD:
        yield scenario(
            f"spread-{name}", f"{said} It stays CLOSED.", STAYS, calm().fails_at(*times_s).look().ask(), PERMITTED
        )


def _mixed() -> Iterator[Scenario]:
    opened = (*TRIPS, "LK-CB-09")
    yield scenario(
        "mixed-successes-first", "After thirty successes three failures open it all the same.", opened,
        calm().ok(times=30).trip().ask(), REFUSED,
    )  # fmt: skip
    yield scenario(
        "mixed-success-between", "A success comes between the second failure and the third.", ("LK-CB-09", "LK-CB-23"),
        calm().fail(times=2).ok().fail().look().ask(), EITHER,
    )  # fmt: skip
    yield scenario(
        "mixed-then-three", "Whatever a success does to the count, three failures in a row open it.", opened,
        _mixed_in().failed("flying-3").failed("flying-4").ask(), REFUSED,
    )  # fmt: skip
    yield scenario(
        "mixed-one-in-four", "One call of four fails, seventy seconds apart: it stays CLOSED.", STAYS,
        calm().fail().ok(times=3).at(70).fail().ok(times=3).at(140).fail().ok(times=3).look().ask(), PERMITTED,
    )  # fmt: skip
    yield scenario(
        "mixed-late-success", "Calls that began before three failures succeed between them.", ("LK-CB-09",),
        calm().ask(call="early").fail(times=2).succeeded("early").fail().look().ask(), EITHER,
    )  # fmt: skip


def _mixed_in() -> Story:
    """Two failures, a success and a failure, of calls that began together with one more."""
    return _ended(_begun(0, 0, 0, 0, 0), 0, 0).ok().failed("flying-2")


def _in_flight() -> Iterator[Scenario]:
    yield scenario(
        "in-flight-fails", "Five calls are in flight, three of them fail, and the next is refused.",
        (*TRIPS, "LK-CB-09"), _ended(_begun(0, 0, 0, 0, 0), 1, 1, 1).ask(), REFUSED,
    )  # fmt: skip
    yield scenario(
        "in-flight-ends-together", "Calls that began 40 seconds apart fail within two seconds.", TRIPS,
        _ended(_begun(0, 40, 80), 100, 101, 102).ask(), REFUSED,
    )  # fmt: skip
    yield scenario(
        "in-flight-ends-apart", "Calls that began together fail 61 seconds apart.", STAYS,
        _ended(_begun(0, 0, 0), 0, 61, 122).look().ask(), PERMITTED,
    )  # fmt: skip
    late = _ended(_begun(0, 0, 0, 0), 0, 0, 0, 100)
    yield scenario(
        "in-flight-fourth-failure", "A fourth call fails while it is OPEN: the cooldown ends when it would have.",
        (*TRIPS, "LK-CB-14", "LK-CB-24"),
        late.at(COOLDOWN_S - INSTANT_S).ask().at(COOLDOWN_S).ask(), PERMITTED,
    )  # fmt: skip


def _several() -> Iterator[Scenario]:
    yield scenario(
        "several-independent", "One breaker opens, and another of the same file permits.",
        ("LK-CB-01", "LK-CB-09", "LK-CB-13"), calm().trip().ask().look(OTHER).ask(OTHER), PERMITTED,
    )  # fmt: skip
    yield scenario(
        "several-alternate", "Failures of two breakers in turn do not add up.", ("LK-CB-01", *STAYS),
        calm().fail(NAME).fail(OTHER).fail(NAME).fail(OTHER).look(NAME).ask(NAME).ask(OTHER), PERMITTED,
    )  # fmt: skip
    story = calm().fail(NAME, 2).fail(OTHER).fail(THIRD, 2).fail(NAME).ask(NAME).fail(THIRD).ask(THIRD)
    yield scenario(
        "several-open", "Two of three breakers open, each by its own failures.",
        ("LK-CB-01", *TRIPS, *STAYS), story.ask(OTHER), PERMITTED,
    )  # fmt: skip


def _together() -> Iterator[Scenario]:
    asked = [acquire(NAME, f"flying-{number}") for number in range(AT_ONCE)]
    yield scenario(
        "together-ask", f"{AT_ONCE} processes ask a CLOSED breaker at once.", ("LK-CB-09",),
        calm().ok().together(*asked).ask(), PERMITTED,
    )  # fmt: skip
    yield scenario(
        "together-refused", f"{AT_ONCE} processes ask an OPEN breaker at once.", ("LK-CB-13", "LK-CB-22"),
        calm().trip().together(*asked).ask(), REFUSED,
    )  # fmt: skip
    told = [failure(NAME, f"flying-{number}") for number in range(AT_ONCE)]
    yield scenario(
        "together-failures", f"{AT_ONCE} processes tell of a failure of one breaker at once.",
        ("LK-CB-10", "LK-CB-27"), _begun(*(0.0 for _ in told)).together(*told).look().ask(), REFUSED,
    )  # fmt: skip
    names = [f"api/{number}" for number in range(4)]
    story = calm()
    for name in names:
        story.fail(name, 2).ask(name, call=f"third/{name}")
    story.together(*(failure(name, f"third/{name}") for name in names))
    for name in names:
        story.ask(name)
    yield scenario(
        "together-different", "Four processes tell of the third failure of a breaker of their own at once.",
        ("LK-CB-01", "LK-CB-10", "LK-CB-27"), story.look(names[0]), IS_OPEN,
    )  # fmt: skip

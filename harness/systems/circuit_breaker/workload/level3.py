"""Level L3: one operation struck at every file call, or two in every order, and what comes after in calm weather.

The operations are those that move a breaker: a first failure, the third, the call that ends a cooldown, a refusal, the
success that closes and the failure that opens again. Calm calls follow and show what was lost; a failure that was
acknowledged is not, and a breaker that was OPEN is not CLOSED.
"""

from collections.abc import Iterator, Sequence

from harness.core.scenario import ExploreKind, Operation, Scenario
from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    INTERVAL_S,
    NAME,
    OTHER,
    PERMITTED,
    REFUSED,
    Allowed,
    Story,
    acquire,
    calm,
    failure,
    scenario,
    success,
)
from harness.systems.circuit_breaker.workload.legs import FILE_FIELDS, HEALS, LOAD, WHOLE
from harness.systems.tours import told

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn")
STATES: tuple[ExploreKind, ...] = (*CALLS, "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)


def level3() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    yield from _counting()
    yield from _probing()
    yield from _others()
    yield _everything()
    yield from _orders()


def _calls(name: str, title: str, clauses: Sequence[str], story: Story, allowed: Allowed) -> Scenario:
    return scenario(f"l3-{name}", title, clauses, story, allowed, level="L3")


def _counting() -> Iterator[Scenario]:
    yield _calls(
        "first-failure", "The first failure ever is struck at every call; two more follow.",
        ("LK-CB-01", "LK-CB-09", "LK-CB-22"),
        calm().ask(call="struck").explore(*CALLS).failed("struck").look().fail().look().ask(), PERMITTED,
    )  # fmt: skip
    third = calm().fail(OTHER, 3).fail(times=2).ask(call="struck").explore(*STATES).failed("struck")
    third.look().look(OTHER).ask(OTHER).ask(call="flying").failed("flying").ask().capacity(5).look()
    yield _calls(
        "third-failure", "The third failure is struck; another breaker that was OPEN is OPEN still.",
        ("LK-CB-01", "LK-CB-10", "LK-CB-13", "LK-CB-22", *LOAD), third.ask(OTHER), REFUSED,
    )  # fmt: skip


def _probing() -> Iterator[Scenario]:
    half = calm().cooled().explore(*CALLS).ask(call="struck").look().later(INTERVAL_S).later(INTERVAL_S)
    yield _calls(
        "half-open", "The call that ends the cooldown is struck; nobody takes the breaker for CLOSED.",
        ("LK-CB-14", "LK-CB-16", "LK-CB-22"), half.ask(call="next").look(), ({},),
    )  # fmt: skip
    closing = calm().trip(OTHER).later(COOLDOWN_S).trip(NAME).later(COOLDOWN_S).ok().later(INTERVAL_S).ok()
    closing.later(INTERVAL_S).ask(call="struck").explore(*STATES).succeeded("struck").look().look()
    yield _calls(
        "closing", "The success that closes a breaker is struck, with its line in the log.",
        ("LK-CB-19", "LK-CB-20", "LK-CB-22", "LK-RP-06"), closing.capacity(5).later(INTERVAL_S).ok().look().look(),
        ({},),
    )  # fmt: skip
    opening = calm().cooled().ok().later(INTERVAL_S).ask(call="struck").explore(*STATES).failed("struck").look()
    yield _calls(
        "reopening", "The failure of a probe is struck while it opens the breaker again.",
        ("LK-CB-21", "LK-CB-22"), opening.ask().look(), ({},),
    )  # fmt: skip


def _others() -> Iterator[Scenario]:
    refused = calm().trip().later(1).explore("errno", "killed").ask().look().capacity(5).ask()
    yield _calls(
        "refused", "A call is struck while it is refused; the breaker stays OPEN.",
        ("LK-CB-13", "LK-CB-22", *LOAD), refused, REFUSED,
    )  # fmt: skip
    load = calm().trip().explore("errno", "killed").do(Operation("capacity", {"agents": 5})).ask().capacity(5).ask()
    yield _calls(
        "capacity", "The question for capacity is struck; the breaker stays OPEN.", ("LK-CB-13", *LOAD), load, REFUSED
    )


def _everything() -> Scenario:
    """A failure dies at each of its calls, and after that every clause is seen once more."""
    story = calm().ask(call="struck").explore("killed").failed("struck").later(COOLDOWN_S)
    clauses = told(story, (HEALS, *WHOLE))
    return _calls(
        "everything-after", "A failure is killed at each of its calls; then everything else is asked for.",
        (*clauses, *FILE_FIELDS), story.ask(), PERMITTED,
    )  # fmt: skip


def _orders() -> Iterator[Scenario]:
    """Two operations at once, each by a process of its own, their calls in every order."""
    both = calm().fail(NAME, 2).fail(OTHER, 2).ask(NAME, call="one").ask(OTHER, call="other").explore(*ORDERS)
    both.together(failure(NAME, "one"), failure(OTHER, "other")).ask(NAME).ask(OTHER)
    yield _calls(
        "order-two-names", "The third failures of two breakers at once, in every order: both are OPEN.",
        ("LK-CB-01", "LK-CB-10", "LK-CB-13", "LK-CB-27"), both, REFUSED,
    )  # fmt: skip
    same = calm().fail().ask(call="one").ask(call="other").explore(*ORDERS)
    same.together(failure(NAME, "one"), failure(NAME, "other")).look().ask()
    yield _calls(
        "order-same-name", "The second failure and the third at once, in every order: it is OPEN.",
        ("LK-CB-10", "LK-CB-13", "LK-CB-27"), same, REFUSED,
    )  # fmt: skip
    probes = calm().cooled().explore(*ORDERS).together(acquire(NAME, "one"), acquire(NAME, "other")).look().ask()
    yield _calls(
        "order-two-probes", "Two processes ask when the cooldown is over, in every order: one is permitted.",
        ("LK-CB-16", "LK-CB-18"), probes, REFUSED,
    )  # fmt: skip
    two = calm().cooled().ok().later(INTERVAL_S).ok().later(INTERVAL_S).ask(call="one").later(1)
    two.explore(*ORDERS).together(success(NAME, "one"), acquire(NAME, "beside")).look().ask()
    yield _calls(
        "order-closing", "The success that closes comes while another process asks, in every order.",
        ("LK-CB-18", "LK-CB-19"), two, PERMITTED,
    )  # fmt: skip
    fails = calm().cooled().ok().later(INTERVAL_S).ask(call="one").later(1).explore(*ORDERS)
    fails.together(failure(NAME, "one"), acquire(NAME, "beside")).look().ask()
    yield _calls(
        "order-reopening", "The failure of a probe comes while another process asks, in every order.",
        ("LK-CB-18", "LK-CB-21"), fails, REFUSED,
    )  # fmt: skip

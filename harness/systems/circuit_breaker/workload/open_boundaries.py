"""An OPEN breaker: what it refuses and says, how long, and what else stands back while it does. Level L1."""

from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    INSTANT_S,
    INTERVAL_S,
    IS_OPEN,
    NAME,
    OTHER,
    PERMITTED,
    REFUSED,
    Allowed,
    calm,
    scenario,
    state,
)

REFUSES = ("LK-CB-13", "LK-CB-22")
AGENTS = (1, 2, 3, 4, 5, 8)
NOT_CLOSED: Allowed = state("OPEN", "HALF_OPEN")
REDUCED: Allowed = ({"agents": 2, "background": False, "queue_non_urgent": True},)
LONG_AFTER_S = 10_000.0


def open_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _cooldown()
    yield from _refusals()
    yield from _waits()
    yield from _late()
    yield from _reduced()
    yield from _restarted()


def _cooldown() -> Iterator[Scenario]:
    half = ("LK-CB-12", "LK-CB-14", "LK-CB-16")
    for word, seconds, allowed, clauses in (
        ("299-999999", COOLDOWN_S - INSTANT_S, REFUSED, ("LK-CB-12", "LK-CB-14", *REFUSES)),
        ("300", COOLDOWN_S, PERMITTED, half),
        ("300-000001", COOLDOWN_S + INSTANT_S, PERMITTED, half),
        ("10000", LONG_AFTER_S, PERMITTED, half),
    ):
        yield scenario(
            f"cooldown-{word}", f"An OPEN breaker is asked {seconds} seconds after it opened.", clauses,
            calm().trip().at(seconds).ask(), allowed,
        )  # fmt: skip
    both = calm().trip().at(COOLDOWN_S - INSTANT_S).ask().look().at(COOLDOWN_S).ask().look()
    yield scenario(
        "cooldown-both-sides", "It is refused one microsecond before the end of the cooldown, and permitted at it.",
        (*half, *REFUSES, "LK-CB-15"), both, state("HALF_OPEN"),
    )  # fmt: skip
    yield scenario(
        "cooldown-from-the-third", "The cooldown begins with the failure that opened it, not with the first.",
        (*half, *REFUSES),
        calm().fails_at(0, 10, 20).at(COOLDOWN_S).ask().at(COOLDOWN_S + 20 - INSTANT_S).ask().at(COOLDOWN_S + 20).ask(),
        PERMITTED,
    )  # fmt: skip
    yield scenario(
        "cooldown-at-rest", "Nobody asks when the cooldown ends; the first call long after is the probe.",
        ("LK-CB-14", "LK-CB-16"), calm().trip().at(COOLDOWN_S).look().at(LONG_AFTER_S).look().ask().look(),
        state("HALF_OPEN"),
    )  # fmt: skip


def _refusals() -> Iterator[Scenario]:
    story = calm().trip()
    for seconds in (0, INSTANT_S, 1, 59.0, 60.0, 61.0, 120.0, 180.0, 240.0, 290.0, 299.0):
        story.at(seconds).ask()
    yield scenario(
        "open-refuses", "An OPEN breaker refuses every call until its cooldown ends.", REFUSES, story, REFUSED
    )
    named = calm().fail(error="first").fail(error="second").fail(error="the last one").ask()
    yield scenario("open-last-error", "Refused calls are told the error of the last failure.", REFUSES, named, REFUSED)
    own = calm()
    for error in ("one", "two", "three"):
        own.fail(NAME, error=f"claude {error}").fail(OTHER, error=f"openai {error}")
    yield scenario(
        "open-own-error", "Two breakers are OPEN, and each refuses with an error of its own.",
        (*REFUSES, "LK-CB-01"), own.ask(OTHER).ask(NAME), REFUSED,
    )  # fmt: skip
    yield scenario(
        "open-no-error", "The failures said nothing; the calls are refused all the same.", REFUSES,
        calm().fail(times=3, error=None).ask(), REFUSED,
    )  # fmt: skip
    odd = calm().fail(times=2).fail(error="\u00fcn\u2028\u0000 \U0001f642 " + "long " * 400)
    yield scenario(
        "open-odd-error", "The last error has odd characters, and 2,000 of them.", REFUSES, odd.ask(), REFUSED
    )
    queued = calm().trip().ask(urgent=False, call="waits").ask().at(100).ask(urgent=False, call="waits")
    yield scenario(
        "open-not-urgent", "A call that is not urgent does not run while it is OPEN; it may wait.",
        (*REFUSES, "LK-RP-04"), queued, REFUSED,
    )  # fmt: skip
    after = calm().trip().ask(urgent=False, call="waits").at(COOLDOWN_S).ask(urgent=False, call="waits")
    yield scenario(
        "open-not-urgent-after", "A call that waited is asked for again when the cooldown is over: it is the probe.",
        ("LK-CB-14", "LK-CB-16", "LK-RP-04"), after.ask(), REFUSED,
    )  # fmt: skip


def _waits() -> Iterator[Scenario]:
    story = calm().trip()
    for seconds in (0.0, 100.0, COOLDOWN_S - 1, COOLDOWN_S - INSTANT_S):
        story.at(seconds).look().ask()
    yield scenario(
        "wait-until-the-end", "The wait is what is left of the cooldown, to the microsecond.",
        ("LK-RP-01", "LK-CB-12"), story, REFUSED,
    )  # fmt: skip
    at_end = calm().trip().at(100).look().at(COOLDOWN_S).look().at(COOLDOWN_S + INSTANT_S).look().at(LONG_AFTER_S)
    yield scenario(
        "wait-after-the-end", "After the cooldown there is nothing to wait for, and never less than nothing.",
        ("LK-RP-01",), at_end.look(), NOT_CLOSED,
    )  # fmt: skip


def _late() -> Iterator[Scenario]:
    story = calm()
    for number in range(6):
        story.ask(call=f"flying-{number}")
    for number in range(3):
        story.failed(f"flying-{number}")
    for number in range(3, 6):
        story.at(number).succeeded(f"flying-{number}")
    yield scenario(
        "open-late-successes", "Three calls that began before it opened succeed: it stays OPEN.",
        (*REFUSES, "LK-CB-24"), story.look().ask(), REFUSED,
    )  # fmt: skip
    late = calm()
    for number in range(4):
        late.ask(call=f"flying-{number}")
    for number in range(3):
        late.failed(f"flying-{number}")
    yield scenario(
        "open-late-failure", "A call that began before it opened fails: it stays OPEN.",
        (*REFUSES, "LK-CB-24"), late.at(5).failed("flying-3").look().ask(), REFUSED,
    )  # fmt: skip


def _reduced() -> Iterator[Scenario]:
    calm_first = calm().ok().capacity(*AGENTS)
    yield scenario(
        "reduced-while-open", "While it is OPEN at most two agents run; before, all of them.",
        ("LK-RP-02", "LK-RP-03", "LK-RP-04"), calm_first.trip().capacity(*AGENTS), REDUCED,
    )  # fmt: skip
    yield scenario(
        "reduced-by-one-of-two", "One of two breakers is OPEN, and that is enough.",
        ("LK-RP-02", "LK-RP-03", "LK-RP-04"),
        calm().ok(OTHER).trip(NAME).ok(OTHER).capacity(*AGENTS), REDUCED,
    )  # fmt: skip
    for word, story in (
        ("first", calm().trip(NAME).fail(OTHER)),
        ("last", calm().fail(OTHER).trip(NAME)),
    ):
        yield scenario(
            f"reduced-by-the-{word}", f"Two breakers have failed, and the {word} of them is OPEN.",
            ("LK-RP-02", "LK-RP-03", "LK-RP-04"), story.look(OTHER).capacity(*AGENTS), REDUCED,
        )  # fmt: skip
    yield scenario(
        "reduced-until-the-end", "Work is reduced until the cooldown ends.",
        ("LK-RP-02", "LK-RP-03", "LK-RP-04"),
        calm().capacity(5).trip().at(COOLDOWN_S - INSTANT_S).capacity(5, 8), REDUCED,
    )  # fmt: skip


def _restarted() -> Iterator[Scenario]:
    """What was decided is on disk: another process goes on with it."""
    yield scenario(
        "restarted-open", "The process is another one: the breaker is OPEN still, and refuses.",
        ("LK-CB-01", *REFUSES, "LK-RP-01", "LK-RP-02"),
        calm().trip().at(100).restart().look().capacity(5).ask(), REFUSED,
    )  # fmt: skip
    yield scenario(
        "restarted-counted", "Two failures were counted by one process, the third by another.",
        ("LK-CB-01", "LK-CB-10"), calm().fail(times=2).restart().ok(OTHER).fail().look().ask(), REFUSED,
    )  # fmt: skip
    probed = calm().cooled().ok().later(INTERVAL_S).ok().restart().later(INTERVAL_S).ok().look()
    yield scenario(
        "restarted-half-open", "Two probes succeeded for one process, the third for another: it closes.",
        ("LK-CB-01", "LK-CB-19"), probed, state("CLOSED"),
    )  # fmt: skip
    yield scenario(
        "restarted-several", "Several processes take turns; one breaker is OPEN for all of them.",
        ("LK-CB-01", *REFUSES), calm().fail(process=0).fail(process=1).fail(process=2).ask(process=1).ask().look(),
        IS_OPEN,
    )  # fmt: skip

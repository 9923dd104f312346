"""A HALF_OPEN breaker: its probes, when the next one may come, and what they lead to. Level L1.

Admission alone does not tell a success from three, so probes succeed, or fail, and a call that must be refused follows.
How far apart probes are is measured from the start of one, from its end, or in slots: each side of each is met.
"""

from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    EITHER,
    INSTANT_S,
    INTERVAL_S,
    IS_CLOSED,
    IS_HALF_OPEN,
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
    state,
    success,
)

PROBES_S = (0, 1, 15)  # how long a probe takes
AT_ONCE = (2, 3, 8)
ANY: Allowed = state("CLOSED", "OPEN", "HALF_OPEN")
_MARGINS = (("before", -INSTANT_S), ("at", 0.0), ("after", INSTANT_S))


def half_open_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _first()
    yield from _intervals()
    yield from _lost()
    yield from _successes()
    yield from _failures()
    yield from _zeroed()
    yield from _late()
    yield from _together()


def cooled() -> Story:
    """After the control a breaker opened, and its cooldown is over."""
    return calm().cooled()


def _first() -> Iterator[Scenario]:
    one = ("LK-CB-14", "LK-CB-16")
    yield scenario(
        "probe-is-one", "When the cooldown is over one call is permitted, and the next ones are not.",
        (*one, "LK-CB-18"), cooled().ask(call="probe").ask().ask().look().ask(), REFUSED,
    )  # fmt: skip
    waiting = cooled().ask(call="probe").ask(call="waits").ask(call="waits").later(1).succeeded("probe")
    yield scenario(
        "probe-and-one-that-waits", "A call that was not permitted is asked for again, in and after the interval.",
        (*one, "LK-CB-17", "LK-CB-18"), waiting.ask(call="waits").later(INTERVAL_S).ask(call="waits").ask(), REFUSED,
    )  # fmt: skip
    yield scenario(
        "probe-beside-another", "One breaker is probed while another is CLOSED, and a third is OPEN.",
        (*one, "LK-CB-01", "LK-CB-09", "LK-CB-13"),
        cooled().trip(OTHER).ask(call="probe").ask("api/codex").ask(OTHER), REFUSED,
    )  # fmt: skip


def _intervals() -> Iterator[Scenario]:
    for takes_s in PROBES_S:
        origins = {"start": 0} if takes_s == 0 else {"start": 0, "end": takes_s}
        for origin, from_s in origins.items():
            for word, margin_s in _MARGINS:
                yield _interval(takes_s, origin, from_s + INTERVAL_S + margin_s, word)


def _interval(takes_s: float, origin: str, asked_s: float, word: str) -> Scenario:
    """A probe that takes so long, and a call so long after the probe's start."""
    story = cooled().ask(call="probe")
    in_flight = asked_s < takes_s
    if in_flight:
        story.later(asked_s).ask(call="second").later(takes_s - asked_s).succeeded("probe")
    else:
        story.later(takes_s).succeeded("probe").later(asked_s - takes_s).ask(call="second")
    early = asked_s < INTERVAL_S  # whatever it is measured from
    sure = asked_s >= takes_s + INTERVAL_S
    clauses = ["LK-CB-18"] if in_flight else ["LK-CB-17"]
    if early and not in_flight:
        clauses.append("LK-CB-19")
    allowed = EITHER
    if in_flight:
        allowed = ANY  # the result of the probe comes last
    elif early:
        allowed = REFUSED
    elif sure:
        allowed = PERMITTED
    length = "no time" if not takes_s else f"{takes_s} s"
    return scenario(
        f"interval-of-{takes_s}-{word}-10-from-{origin}",
        f"A probe takes {length}; the next call comes {asked_s:.6f} s after it began.",
        clauses, story, allowed,
    )  # fmt: skip


def _lost() -> Iterator[Scenario]:
    """A probe whose result never comes must not hold the breaker for ever."""
    yield scenario(
        "probe-lost-in-interval", "The result of a probe never comes: nothing more is sent in its interval.",
        ("LK-CB-16", "LK-CB-18"),
        cooled().ask(call="lost").later(INTERVAL_S - INSTANT_S).ask(), REFUSED,
    )  # fmt: skip
    story = cooled().ask(call="lost")
    for number, seconds in enumerate((INTERVAL_S, 11, 20, 21, 60, 300, 3600)):
        story.at(COOLDOWN_S + seconds).ask(call=f"later-{number}")
    yield scenario(
        "probe-lost", "The result of a probe never comes, and calls go on to be asked for.", ("LK-CB-16",),
        story, EITHER,
    )  # fmt: skip
    again = cooled().ask(call="lost").later(INTERVAL_S + INSTANT_S).ask(call="second").succeeded("lost").look()
    yield scenario(
        "probe-lost-comes-late", "The result of a lost probe comes when another one runs.", ("LK-CB-22",),
        again, ANY,
    )  # fmt: skip


def _probed(story: Story, times: int) -> Story:
    """So many probes that succeed, each as soon as it may be sent."""
    for number in range(times):
        story.later(INTERVAL_S if number else 0).ok()
    return story


def _successes() -> Iterator[Scenario]:
    for times, word in ((1, "one"), (2, "two")):
        yield scenario(
            f"successes-{word}", f"After {word} of three successes it is HALF_OPEN: the interval is kept to.",
            ("LK-CB-17", "LK-CB-19"), _probed(cooled(), times).ask().look().later(INTERVAL_S - INSTANT_S).ask(),
            REFUSED,
        )  # fmt: skip
    closed = _probed(cooled(), 3).look()
    for number in range(3):
        closed.ask(call=f"flying-{number}")
    yield scenario(
        "successes-three", "Three successes close it, and calls are permitted at once, side by side.",
        ("LK-CB-09", "LK-CB-19", "LK-CB-20"), closed.look(), IS_CLOSED,
    )  # fmt: skip
    apart = cooled().ok().later(60).ok().later(3600).ok().ask().ask()
    yield scenario(
        "successes-far-apart", "Three successes close it, however much time lies between them.",
        ("LK-CB-09", "LK-CB-19"), apart, PERMITTED,
    )  # fmt: skip
    twice = _probed(_probed(cooled(), 3).look().later(5).trip().ask().later(COOLDOWN_S), 2).ask()
    yield scenario(
        "successes-second-time", "It opens again, and again takes three successes.",
        ("LK-CB-10", "LK-CB-13", "LK-CB-15", "LK-CB-19"), twice, REFUSED,
    )  # fmt: skip


def _failures() -> Iterator[Scenario]:
    reopened = ("LK-CB-21", "LK-CB-13", "LK-CB-22")
    yield scenario(
        "probe-fails", "The first probe fails, and the next call is refused.", reopened,
        cooled().fail().look().ask().later(INTERVAL_S).ask().later(INTERVAL_S).ask(), REFUSED,
    )  # fmt: skip
    for times, word in ((1, "one"), (2, "two")):
        yield scenario(
            f"probe-fails-after-{word}", f"A probe fails after {word} that succeeded.",
            (*reopened, "LK-CB-19"), _probed(cooled(), times).later(INTERVAL_S).fail().look().ask(), REFUSED,
        )  # fmt: skip
    fresh = cooled().ask(call="probe").later(5).failed("probe").look()
    opened_s = COOLDOWN_S + 5
    yield scenario(
        "probe-fails-fresh-cooldown", "A probe fails after five seconds: a whole cooldown begins then.",
        (*reopened, "LK-CB-12", "LK-CB-14"),
        fresh.at(2 * COOLDOWN_S).ask().at(opened_s + COOLDOWN_S - INSTANT_S).ask().at(opened_s + COOLDOWN_S).ask(),
        PERMITTED,
    )  # fmt: skip
    error = calm().fail(times=3, error="while CLOSED").later(COOLDOWN_S).fail(error="of the probe").ask()
    yield scenario(
        "probe-fails-error", "Calls are refused with the error of the probe that failed.", reopened, error, REFUSED
    )
    load = calm().capacity(5).cooled().fail().capacity(5)
    yield scenario(
        "probe-fails-capacity", "A probe fails: work is reduced once more.",
        ("LK-CB-21", "LK-RP-02", "LK-RP-03", "LK-RP-04"), load,
        ({"agents": 2, "background": False, "queue_non_urgent": True},),
    )  # fmt: skip


def _zeroed() -> Iterator[Scenario]:
    yield scenario(
        "zeroed-when-half-open", "Whoever looks after the move to HALF_OPEN sees both counts at zero.",
        ("LK-CB-15",), cooled().ask(call="probe").look().look(), IS_HALF_OPEN,
    )  # fmt: skip
    again = _probed(cooled(), 2).later(INTERVAL_S).fail().later(COOLDOWN_S).ok().look().later(INTERVAL_S).ok().look()
    yield scenario(
        "zeroed-after-a-failed-round", "Two successes of an earlier round do not count in the next one.",
        ("LK-CB-15", "LK-CB-19", "LK-CB-21"), again.ask(), REFUSED,
    )  # fmt: skip
    counted = _probed(cooled(), 3).later(1).fail(times=2).look().ask(call="third")
    yield scenario(
        "zeroed-when-closed", "After it closed two failures leave it CLOSED, and the third opens it.",
        ("LK-CB-10", "LK-CB-11", "LK-CB-20"), counted.failed("third").look().ask(), REFUSED,
    )  # fmt: skip
    fast = {"cooldown_s": 5.0, "half_open_interval_s": 1.0, "recovery_threshold": 1}
    yield scenario(
        "zeroed-within-the-window", "It closes within 60 seconds of the failures that opened it: they count no more.",
        ("LK-CB-11", "LK-CB-20", "LK-CB-25"), calm().trip().later(5).ok().look().later(1).fail(times=2).look().ask(),
        PERMITTED, tunables=fast,
    )  # fmt: skip


def _late() -> Iterator[Scenario]:
    """Results of calls that were permitted before the state moved on."""

    def begun(count: int) -> Story:
        story = calm()
        for number in range(count):
            story.ask(call=f"early-{number}")
        return story.cooled()

    late = ("LK-CB-22", "LK-CB-24")
    yield scenario(
        "late-success-half-open", "Three calls from before it opened succeed while it is HALF_OPEN.", late,
        begun(3).ask(call="probe").succeeded("early-0").succeeded("early-1").succeeded("early-2").look(), ANY,
    )  # fmt: skip
    yield scenario(
        "late-failure-half-open", "A call from before it opened fails while it is HALF_OPEN.", late,
        begun(1).ask(call="probe").failed("early-0").look(), ANY,
    )  # fmt: skip
    yield scenario(
        "late-failure-closed-again", "Two calls from before it opened fail when it is CLOSED again.", late,
        _probed(begun(2), 3).failed("early-0").failed("early-1").look().ask(), PERMITTED,
    )  # fmt: skip
    yield scenario(
        "late-success-closed-again", "A call from before it opened succeeds when it is CLOSED again.", late,
        _probed(begun(1), 3).succeeded("early-0").look().ask(), PERMITTED,
    )  # fmt: skip
    probe = cooled().ask(call="slow").later(INTERVAL_S + INSTANT_S)
    yield scenario(
        "late-probe-open", "A probe succeeds when its breaker is OPEN again, by a failure of another one.", late,
        probe.ask(call="second").failed("second").succeeded("slow").look(), ANY,
    )  # fmt: skip
    yield scenario(
        "unknown-call", "Results come of calls that nobody asked for.", ("LK-CB-09",),
        calm().succeeded("nobody-1").succeeded("nobody-2").look().ask(), PERMITTED,
    )  # fmt: skip


def _together() -> Iterator[Scenario]:
    for count in AT_ONCE:
        asked = [acquire(NAME, f"probe-{number}") for number in range(count)]
        yield scenario(
            f"probe-together-{count}", f"{count} processes ask at once when the cooldown is over: one is permitted.",
            ("LK-CB-16", "LK-CB-18"), cooled().together(*asked).ask(), REFUSED,
        )  # fmt: skip
    later = [acquire(NAME, f"probe-{number}") for number in range(3)]
    yield scenario(
        "probe-together-second", "Three processes ask at once when the second probe is due: one is permitted.",
        ("LK-CB-17", "LK-CB-18"), cooled().ok().later(INTERVAL_S).together(*later).ask(), REFUSED,
    )  # fmt: skip
    beside = cooled().ask(call="probe").together(failure(NAME, "probe"), acquire(NAME, "beside"))
    yield scenario(
        "probe-fails-beside", "A probe fails while another process asks.", ("LK-CB-21",),
        beside.ask(), REFUSED,
    )  # fmt: skip
    closing = _probed(cooled(), 2).later(INTERVAL_S).ask(call="third")
    yield scenario(
        "probe-closes-beside", "The third probe succeeds while another process asks.", ("LK-CB-19",),
        closing.together(success(NAME, "third"), acquire(NAME, "beside")).ask(), PERMITTED,
    )  # fmt: skip

"""The legs of a tour: what is done with two breakers so that every clause shows once more, one leg after the other.

Each leg is told to go on from where the one before left the clock. Names are the story's own and OTHER's; where a
fault makes all names one, only legs of ``ALONE`` are told.
"""

from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    INSTANT_S,
    INTERVAL_S,
    OTHER,
    WINDOW_S,
    Story,
)
from harness.systems.tours import Leg

FILE_FIELDS = ("LK-CB-01", "LK-CB-02", "LK-CB-03", "LK-CB-04", "LK-CB-05", "LK-CB-06", "LK-CB-07")
LOAD = ("LK-RP-02", "LK-RP-03", "LK-RP-04")
PART_S = 30.0
OPENED_AGO_S = 100.0  # when ``opens`` is over
SPREAD_S = 150.0  # how long ``spreads`` takes


def _opens(story: Story) -> None:
    story.look().ok().fail(error="the first").later(PART_S).fail(error="the second")
    story.later(WINDOW_S - PART_S - INSTANT_S).fail(error="the last one").look().ask().capacity(5, 8)
    story.later(OPENED_AGO_S).look().ask(urgent=False)


def _spreads(story: Story) -> None:
    for _ in range(2):
        story.fail(OTHER).later(WINDOW_S + INSTANT_S)
    story.fail(OTHER).look(OTHER).ask(OTHER).later(SPREAD_S - 2 * (WINDOW_S + INSTANT_S))


def _waits(story: Story) -> None:
    story.later(SPREAD_S)


def _probed(story: Story) -> None:
    left_s = COOLDOWN_S - OPENED_AGO_S - SPREAD_S
    number = f"{story.now_s:g}"
    story.later(left_s - INSTANT_S).ask().later(INSTANT_S).ask(call=f"probe-{number}").ask().look()
    story.succeeded(f"probe-{number}").later(INTERVAL_S - INSTANT_S).ask().later(INSTANT_S).ok().look()
    story.later(INTERVAL_S).ask(call=f"last-probe-{number}").ask().succeeded(f"last-probe-{number}").look().ask()


def _recovers(story: Story) -> None:
    story.capacity(5, 8).later(60).capacity(5, 8).later(60).capacity(5, 8).look()


def _reopens(story: Story) -> None:
    number = f"{story.now_s:g}"
    story.trip().later(COOLDOWN_S).ok().later(INTERVAL_S).ask(call=f"fails-{number}").later(5)
    story.failed(f"fails-{number}").look().ask().later(COOLDOWN_S - INSTANT_S).ask().later(INSTANT_S)
    story.ok().later(INTERVAL_S).ok().look().ask().later(INTERVAL_S).ok().look()


def _tuned(story: Story) -> None:
    story.configure(threshold=2).fail(OTHER, 2).ask(OTHER).look(OTHER).configure(threshold=3)
    story.configure(cooldown_s=0).fail(times=2).look().fail().ask().later(COOLDOWN_S)
    story.healed().healed(OTHER)


def _heals(story: Story) -> None:
    story.healed().healed(OTHER).look().look(OTHER)


def _heals_alone(story: Story) -> None:
    story.healed().look()


def _asked_while_open(story: Story) -> None:
    """The breaker opened a while ago, and something happened since."""
    story.look().ask().capacity(5).later(1).ask().look()


def _long_after(story: Story) -> None:
    story.later(2 * COOLDOWN_S)


OPENS = Leg(_opens, (*FILE_FIELDS, "LK-CB-09", "LK-CB-10", "LK-CB-12", "LK-CB-13", "LK-CB-22", "LK-RP-01", *LOAD))
SPREADS = Leg(_spreads, ("LK-CB-01", "LK-CB-09", "LK-CB-11"))
WAITS = Leg(_waits, ())
PROBED = Leg(
    _probed,
    ("LK-CB-14", "LK-CB-15", "LK-CB-16", "LK-CB-17", "LK-CB-18", "LK-CB-19", "LK-CB-20", "LK-CB-22", "LK-CB-09"),
)
RECOVERS = Leg(_recovers, ("LK-RP-05", "LK-RP-06"))
REOPENS = Leg(_reopens, ("LK-CB-10", "LK-CB-12", "LK-CB-13", "LK-CB-14", "LK-CB-15", "LK-CB-19", "LK-CB-21"))
TUNED = Leg(_tuned, ("LK-CB-25",))
HEALS = Leg(_heals, ())
HEALS_ALONE = Leg(_heals_alone, ())
ASKED_WHILE_OPEN = Leg(_asked_while_open, ())
LONG_AFTER = Leg(_long_after, ())

WHOLE = (OPENS, SPREADS, PROBED, RECOVERS, REOPENS, TUNED)
ALONE = (OPENS, WAITS, PROBED, RECOVERS, REOPENS)

"""What a breaker does the second and third time: it opens again, with other errors, and with calls in flight."""

from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.workload.breaker_steps import COOLDOWN_S, NAME, OTHER, calm, scenario, state

_MICROSECOND_S = 0.000001
_TUNED_S = 20.0


def again_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield _round_after_round()
    yield _tuned_again()
    yield _in_flight()
    yield _two_open()


def _round_after_round() -> Scenario:
    """Each opening lasts as long as the first, and is refused with its own error."""
    story = calm().fail(times=3, error="HTTP 500").look().ask().ask(urgent=False).later(COOLDOWN_S)
    for number in (1, 2):
        probe, error = f"probe-{number}", f"HTTP 50{number}"
        story.ask(call=probe).failed(probe, error=error).look().ask().ask(urgent=False)
        story.later(COOLDOWN_S - _MICROSECOND_S).ask().later(_MICROSECOND_S)
    story.healed().look().fail(times=3, error="HTTP 503").look().ask().ask(urgent=False)
    story.later(COOLDOWN_S - _MICROSECOND_S).ask().ask(urgent=False).later(_MICROSECOND_S)
    return scenario(
        "again-and-again", "It opens, opens again twice, recovers, and opens once more.",
        ("LK-CB-10", "LK-CB-12", "LK-CB-13", "LK-CB-14", "LK-CB-16", "LK-CB-21", "LK-CB-22"),
        story.ask(call="last").look(), state("HALF_OPEN"),
    )  # fmt: skip


def _tuned_again() -> Scenario:
    """The cooldown that is set is that of every opening."""
    story = calm().trip().later(_TUNED_S)
    for number in (1, 2):
        story.ask(call=f"probe-{number}").failed(f"probe-{number}").look().later(_TUNED_S - _MICROSECOND_S).ask()
        story.later(_MICROSECOND_S)
    return scenario(
        "again-tuned", "A cooldown of 20 s, and probes that fail: each opening lasts that long.",
        ("LK-CB-12", "LK-CB-14", "LK-CB-21", "LK-CB-25"), story.ask(call="last").look(), state("HALF_OPEN"),
        tunables={"cooldown_s": _TUNED_S},
    )  # fmt: skip


def _in_flight() -> Scenario:
    """However many calls are still running, an OPEN breaker lets no further one through."""
    story = calm()
    for number in range(8):
        story.ask(call=f"flying-{number}")
    for number in range(3):
        story.failed(f"flying-{number}")
    return scenario(
        "open-beside-five-in-flight", "Three of eight calls fail, and five still run: further ones are refused.",
        ("LK-CB-09", "LK-CB-10", "LK-CB-13"), story.ask().ask(urgent=False).ask().look(), state("OPEN"),
    )  # fmt: skip


def _two_open() -> Scenario:
    """The load is reduced as long as one of several breakers is OPEN."""
    story = calm().capacity(5).trip(NAME).later(COOLDOWN_S / 3).trip(OTHER).capacity(5, 2).at(COOLDOWN_S).healed(NAME)
    return scenario(
        "capacity-while-two-are-open", "Two breakers are OPEN; one recovers, and the other still is.",
        ("LK-RP-02", "LK-RP-03", "LK-RP-04"), story.capacity(5, 2), ({"agents": 2},),
    )  # fmt: skip

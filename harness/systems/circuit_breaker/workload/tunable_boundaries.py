"""The five tunables: each one changed alone, at its bounds, and with values that are none. Level L1."""

from collections.abc import Iterator
from typing import Any

from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    INSTANT_S,
    INTERVAL_S,
    IS_CLOSED,
    PERMITTED,
    REFUSED,
    WINDOW_S,
    Story,
    calm,
    scenario,
)

TUNED = ("LK-CB-25",)
COUNTS = ("threshold", "recovery_threshold")
EVERY = ("threshold", "window_s", "cooldown_s", "half_open_interval_s", "recovery_threshold")
_ODD: tuple[tuple[str, str, Any], ...] = (
    ("zero", "zero", 0),
    ("negative", "less than zero", -1),
    ("nan", 'the text "NaN"', "NaN"),
    ("text", 'the text "3"', "3"),
    ("true", "true", True),
    ("null", "null", None),
    ("list", "a list", [3]),
)


def tunable_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _thresholds()
    yield from _times()
    yield from _while_running()
    yield from _odd()


def _thresholds() -> Iterator[Scenario]:
    for count in (1, 2, 5):
        below = calm(threshold=count).fail(times=count - 1).look().ask()
        yield scenario(
            f"threshold-{count}-below", f"It takes {count} failures, and there were {count - 1}.",
            (*TUNED, "LK-CB-11") if count > 1 else TUNED, below, PERMITTED, tunables={"threshold": count},
        )  # fmt: skip
        yield scenario(
            f"threshold-{count}", f"It takes {count} failures, and there were {count}.", (*TUNED, "LK-CB-10"),
            calm(threshold=count).fail(times=count).look().ask(), REFUSED, tunables={"threshold": count},
        )  # fmt: skip
    for count in (1, 2, 5):
        story = calm().cooled()
        for number in range(count):
            story.later(INTERVAL_S if number else 0).ok().look()
        yield scenario(
            f"recovery-threshold-{count}", f"It takes {count} successes to close.", (*TUNED, "LK-CB-19"),
            story.ask().ask(), PERMITTED, tunables={"recovery_threshold": count},
        )  # fmt: skip
        if count > 1:
            fewer = calm().cooled()
            for number in range(count - 1):
                fewer.later(INTERVAL_S if number else 0).ok()
            yield scenario(
                f"recovery-threshold-{count}-below", f"It takes {count} successes to close, and there were fewer.",
                (*TUNED, "LK-CB-19"), fewer.look().ask(), REFUSED, tunables={"recovery_threshold": count},
            )  # fmt: skip


def _times() -> Iterator[Scenario]:
    for window_s in (0.5, 10.0, 3600.0):
        inside, outside = (calm().fails_at(0, window_s / 2, window_s + by_s) for by_s in (-INSTANT_S, INSTANT_S))
        word = f"{window_s:g}".replace(".", "-")
        yield scenario(
            f"window-{word}-inside", f"Three failures lie within the window of {window_s:g} s.",
            (*TUNED, "LK-CB-10"), inside.look().ask(), REFUSED, tunables={"window_s": window_s},
        )  # fmt: skip
        yield scenario(
            f"window-{word}-outside", f"Three failures span more than the window of {window_s:g} s.",
            (*TUNED, "LK-CB-11"), outside.look().ask(), PERMITTED, tunables={"window_s": window_s},
        )  # fmt: skip
    for cooldown_s in (0.5, 10.0, 3600.0):
        story = calm().trip().look().at(cooldown_s - INSTANT_S).ask().at(cooldown_s).ask()
        yield scenario(
            f"cooldown-of-{cooldown_s:g}".replace(".", "-"), f"The cooldown is {cooldown_s:g} s.",
            (*TUNED, "LK-CB-12", "LK-CB-13", "LK-CB-14"), story, PERMITTED, tunables={"cooldown_s": cooldown_s},
        )  # fmt: skip
    for interval_s in (0.5, 30.0):
        early = calm().cooled().ok().later(interval_s - INSTANT_S).ask()
        due = calm().cooled().ok().later(interval_s).ask()
        word = f"{interval_s:g}".replace(".", "-")
        yield scenario(
            f"half-open-interval-{word}-before", f"The next probe comes before the interval of {interval_s:g} s ends.",
            (*TUNED, "LK-CB-17"), early, REFUSED, tunables={"half_open_interval_s": interval_s},
        )  # fmt: skip
        yield scenario(
            f"half-open-interval-{word}-after", f"The next probe comes at the end of the interval of {interval_s:g} s.",
            (*TUNED, "LK-CB-17"), due, PERMITTED, tunables={"half_open_interval_s": interval_s},
        )  # fmt: skip
    every = {"threshold": 2, "window_s": 5.0, "cooldown_s": 20.0, "half_open_interval_s": 2.0, "recovery_threshold": 2}
    whole = (
        calm(threshold=2)
        .fail()
        .later(6)
        .fail()
        .look()
        .later(1)
        .fail()
        .look()
        .ask()
        .later(20)
        .ok()
        .later(1)
        .ask()
        .later(1)
    )
    yield scenario(
        "tunables-all", "All five are changed, and each one counts.",
        (*TUNED, "LK-CB-10", "LK-CB-11", "LK-CB-12", "LK-CB-13", "LK-CB-14", "LK-CB-17", "LK-CB-19"),
        whole.ok().look().ask().ask(), PERMITTED, tunables=every,
    )  # fmt: skip


def _while_running() -> Iterator[Scenario]:
    yield scenario(
        "configure-threshold", "The threshold is lowered while the process runs.", (*TUNED, "LK-CB-10"),
        calm().configure(threshold=2).fail(times=2).look().ask(), REFUSED,
    )  # fmt: skip
    yield scenario(
        "configure-one-of-five", "One tunable is set; the others keep their values.", (*TUNED, "LK-CB-10"),
        calm().configure(cooldown_s=20.0).trip().later(20).ask(), PERMITTED,
    )  # fmt: skip
    yield scenario(
        "configure-nothing", "No tunable is named: nothing changes.", (*TUNED, "LK-CB-10"),
        calm().configure().trip().ask(), REFUSED,
    )  # fmt: skip


def _defaults(story: Story) -> Story:
    """What shows each default: two failures and a late one, the third, the cooldown, the interval, the successes."""
    story.fail(times=2).at(WINDOW_S + INSTANT_S).fail().look().fail(times=2).ask().look()
    story.later(COOLDOWN_S - INSTANT_S).ask().later(INSTANT_S).ok().later(INTERVAL_S - INSTANT_S).ask()
    return story.later(INSTANT_S).ok().look().later(INTERVAL_S).ok().look()


def _odd() -> Iterator[Scenario]:
    clauses = (*TUNED, "LK-CB-10", "LK-CB-11", "LK-CB-12", "LK-CB-13", "LK-CB-14", "LK-CB-17", "LK-CB-19")
    yield scenario(
        "tunables-default",
        "Nothing is configured: the defaults are in force.",
        clauses[1:],
        _defaults(calm()),
        IS_CLOSED,
    )
    for word, said, value in _ODD:
        story = calm()
        for tunable in EVERY:
            story.configure(**{tunable: value})
        yield scenario(
            f"configure-{word}", f"Each tunable is set to {said}: that is refused, or the default is taken.", clauses,
            _defaults(story), IS_CLOSED,
        )  # fmt: skip
    fractions = calm()
    for tunable in COUNTS:
        fractions.configure(**{tunable: 2.5})
    yield scenario(
        "configure-fractional", "The counts are set to two and a half: that is refused, or the default is taken.",
        clauses, _defaults(fractions), IS_CLOSED,
    )  # fmt: skip
    yield scenario(
        "configure-unknown", "A tunable is set that there is none of.", clauses,
        _defaults(calm().configure(colour="red")), IS_CLOSED,
    )  # fmt: skip
    mixed = calm().configure(threshold=3, window_s=-60.0).configure(cooldown_s="NaN", recovery_threshold=3)
    yield scenario(
        "configure-mixed", "Of two tunables set at once one is no value.", clauses, _defaults(mixed), IS_CLOSED
    )

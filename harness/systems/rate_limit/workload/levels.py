"""The enumerated scenarios of levels L2 and L3.

L2: every MUST clause again under every single further fault, after the same in calm weather; hostile input. L3: each
operation struck at every file call it makes, and two at once in every order of these. One that keeps nothing makes no
call, which the supervisor of calls sees.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.core.scenario import Explore, ExploreKind, Operation, Scenario, Schedule, Step
from harness.systems.rate_limit.workload.steps import (
    DELAYS,
    MUSTS,
    NO_LIMIT,
    NO_RETRY,
    REACHES_LONGEST,
    RESET,
    RETRIES,
    SAYS_SO,
    WHOLE,
    after,
    classifying,
    configure,
    retries,
    scenario,
)
from harness.systems.stateless_faults import Row, identifiers, rows

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn", "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)
TEXTS = ("empty", "null", "absent", "separators", "dot_dot", "absolute", "nul", "long", "unicode", "whitespace")
ANY = ("absent", "null", "wrong_type")
NUMBERED_6 = Operation("next_delay", {"retry": 6})
STRUCK: Mapping[str, tuple[Operation, Mapping[str, Any]]] = {
    "status": (classifying(429), {"rate_limited": True}),
    "message": (classifying(400, SAYS_SO), {"rate_limited": True}),
    "delay": (Operation("next_delay", {"retry": 2}), after(150.0)),
    "longest": (Operation("next_delay", {"retry": 4}), after(300.0)),
    "last-retry": (NUMBERED_6, NO_RETRY),
}


def own_rows() -> tuple[Row, ...]:
    """The faults that strike an argument: a message of every kind, and arguments that are none."""
    return (*identifiers(("message",), (*TEXTS, "wrong_type")), *identifiers(("status", "retry"), ANY))


def second_level() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    for row in rows():
        yield _tour(f"l2-{row.name}", f"{row.title}.", (*WHOLE, *row.steps, *WHOLE), NO_LIMIT)
    for row in own_rows():
        # the last operation has not the argument that is struck
        last, result = (classifying(200), NO_LIMIT) if row.name.endswith("-retry") else (NUMBERED_6, NO_RETRY)
        steps = (*WHOLE, *row.steps, *WHOLE, Step(op=last))
        yield _tour(f"l2-{row.name}", f"{row.title}.", steps, result)
    yield _tour(
        "l2-configured-and-restarted", "A tunable is one of a process: it may be lost with it, never half.",
        (configure(initial_delay_s=9.0, max_retries=3), *retries(1, 4), *_named("process-restarted"), *WHOLE,
         configure(initial_delay_s=75.0, max_retries=5), *WHOLE), NO_LIMIT,
    )  # fmt: skip
    together = tuple(STRUCK[name][0] for name in STRUCK)
    for count in (2, 8):
        asked = (together * 2)[:count]
        yield _tour(
            f"l2-together-{count}", f"{count} operations at once.", (*WHOLE, Step(schedule=Schedule(asked)), *WHOLE),
            NO_LIMIT,
        )  # fmt: skip


def _named(name: str) -> tuple[Step, ...]:
    return next(row.steps for row in rows() if row.name == name)


def _tour(name: str, title: str, steps: Sequence[Step], *allowed: Mapping[str, Any]) -> Scenario:
    return scenario(name, title, MUSTS, steps, *allowed, tunables=REACHES_LONGEST, level="L2")


def third_level() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    for name, (operation, _) in STRUCK.items():
        yield scenario(
            f"l3-{name}", "An operation is struck at every file call it makes; then all is asked for.", MUSTS,
            (*WHOLE, RESET, Step(explore=Explore(CALLS)), Step(op=operation), *WHOLE), NO_LIMIT,
            tunables=REACHES_LONGEST, level="L3",
        )  # fmt: skip
    set_anew = configure(initial_delay_s=9.0, max_retries=3)
    yield scenario(
        "l3-configure", "Tunables are set, and that is struck; what holds then holds for all.", (DELAYS, RETRIES),
        (*WHOLE, RESET, Step(explore=Explore(CALLS)), set_anew, *retries(1, 2, 3, 6)), NO_RETRY,
        tunables=REACHES_LONGEST, level="L3",
    )  # fmt: skip
    for one, other in (("delay", "delay"), ("status", "longest"), ("message", "last-retry")):
        asked = Schedule((STRUCK[one][0], STRUCK[other][0]))
        yield scenario(
            f"l3-order-{one}-{other}", "Two operations at once, in every order of the file calls they make.", MUSTS,
            (*WHOLE, RESET, Step(explore=Explore(ORDERS)), Step(schedule=asked), *WHOLE), NO_LIMIT,
            tunables=REACHES_LONGEST, level="L3",
        )  # fmt: skip

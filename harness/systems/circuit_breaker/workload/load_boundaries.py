"""What recovers after a breaker closed: capacity, step by step, and a line in the recovery log. Level L1."""

from collections.abc import Iterator

from harness.core.scenario import FileSpec, Scenario
from harness.systems.circuit_breaker.contract import RAMP_STEP_S, RECOVERY_LOG_PATH
from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    INSTANT_S,
    IS_CLOSED,
    NAME,
    OTHER,
    Allowed,
    calm,
    scenario,
)
from harness.systems.circuit_breaker.workload.open_boundaries import AGENTS, REDUCED

RAMP = ("LK-RP-05",)
LOGGED = ("LK-RP-06",)
_ANY_LOAD: Allowed = ({},)
_OLD_LINES = "2026-02-27T08:00:00Z Circuit recovered: api/old\n2026-02-28T09:30:00Z Circuit recovered: api/older\n"


def load_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _ramp()
    yield from _ramp_disturbed()
    yield from _logged()


def _ramp() -> Iterator[Scenario]:
    for word, seconds in (
        ("0", 0.0), ("59-999999", RAMP_STEP_S - INSTANT_S), ("60", RAMP_STEP_S), ("60-000001", RAMP_STEP_S + INSTANT_S),
        ("119-999999", 2 * RAMP_STEP_S - INSTANT_S), ("120", 2 * RAMP_STEP_S), ("180", 3 * RAMP_STEP_S),
    ):  # fmt: skip
        full = seconds >= 2 * RAMP_STEP_S
        allowed: Allowed = ({"agents": AGENTS[-1]},) if full else _ANY_LOAD
        yield scenario(
            f"ramp-{word}", f"So much capacity is there {seconds} seconds after it closed.", RAMP,
            calm().recovered().later(seconds).capacity(*AGENTS), allowed,
        )  # fmt: skip
    story = calm().capacity(8).trip().capacity(8).later(COOLDOWN_S).healed()
    for seconds in (0.0, 30.0, RAMP_STEP_S, 90.0, 2 * RAMP_STEP_S):
        story.at(COOLDOWN_S + 20 + seconds).capacity(4, 8)
    yield scenario(
        "ramp-whole", "Capacity falls when it opens, and grows in steps when it has closed.",
        (*RAMP, "LK-RP-02", "LK-RP-03", "LK-RP-04"), story, ({"agents": 8},),
    )  # fmt: skip


def _ramp_disturbed() -> Iterator[Scenario]:
    yield scenario(
        "ramp-one-failure", "A call fails while capacity grows: it stays CLOSED.", (*RAMP, "LK-CB-11"),
        calm().recovered().capacity(8).later(30).fail().capacity(8).later(90).look(), IS_CLOSED,
    )  # fmt: skip
    yield scenario(
        "ramp-opens-again", "It opens again while capacity grows: two agents, and the whole way once more.",
        (*RAMP, "LK-RP-02", "LK-RP-03", "LK-RP-04", "LK-CB-10"),
        calm().recovered().later(70).capacity(8).trip().capacity(*AGENTS), REDUCED,
    )  # fmt: skip
    again = calm().recovered().later(70).trip().later(COOLDOWN_S).healed().capacity(8).later(2 * RAMP_STEP_S)
    yield scenario(
        "ramp-second-time", "After the second recovery capacity begins at half once more.", RAMP,
        again.capacity(8), ({"agents": 8},),
    )  # fmt: skip
    yield scenario(
        "ramp-beside-open", "One breaker has just closed, another is OPEN: two agents.",
        ("LK-RP-02", "LK-RP-03", "LK-RP-04"), calm().recovered(NAME).trip(OTHER).capacity(*AGENTS), REDUCED,
    )  # fmt: skip
    yield scenario(
        "ramp-restarted", "The process is another one while capacity grows.", RAMP,
        calm().recovered().capacity(8).restart().capacity(8).later(2 * RAMP_STEP_S).capacity(8), ({"agents": 8},),
    )  # fmt: skip


def _logged() -> Iterator[Scenario]:
    yield scenario(
        "logged-once", "A recovery is one line of the log; neither opening nor a probe is.", LOGGED,
        calm().trip().look().later(COOLDOWN_S).ask(call="probe").look().succeeded("probe").later(10).ok().later(10)
        .look().ok().look().look(), IS_CLOSED,
    )  # fmt: skip
    two = calm().cooled(NAME).healed(NAME).look().later(5.5).cooled(OTHER).healed(OTHER).look()
    yield scenario("logged-two", "Two breakers recover, one after the other: two lines.", LOGGED, two.look(), IS_CLOSED)
    same = calm().recovered().later(1).recovered().look()
    yield scenario("logged-twice", "One breaker recovers twice: two lines.", LOGGED, same.look(), IS_CLOSED)
    none = calm().cooled().fail().look().later(COOLDOWN_S).ok().look()
    yield scenario(
        "logged-not-yet", "A breaker that opens again after a probe has not recovered; when it has, there is a line.",
        (*LOGGED, "LK-CB-21"), none.later(10).ok().later(10).look().ok().look().look(), IS_CLOSED,
    )  # fmt: skip
    yield scenario(
        "logged-after-others", "The log has lines already: they stay, and one follows.", LOGGED,
        calm().recovered().look().look(), IS_CLOSED, files={RECOVERY_LOG_PATH: FileSpec(text=_OLD_LINES)},
    )  # fmt: skip
    yield scenario(
        "logged-restarted", "Two processes log a recovery each.", LOGGED,
        calm().recovered(NAME).restart().recovered(OTHER).look().look(), IS_CLOSED,
    )  # fmt: skip
    odd = "api/\u00fcber x"
    yield scenario(
        "logged-odd-name", "The name in the log is the breaker's, as it is.", LOGGED,
        calm(odd).recovered().look().look(), IS_CLOSED,
    )  # fmt: skip
    yield scenario(
        "logged-fraction", "The log's time is in whole seconds.", LOGGED,
        calm().later(0.75).recovered().look().look(), IS_CLOSED,
    )  # fmt: skip

"""The words in which the scenarios of rate limit handling are written."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.scenario import FORMAT, Operation, Scenario, ScenarioLevel, Step, World
from harness.systems.rate_limit.contract import BACKOFF, SYSTEM
from harness.systems.stateless_faults import FILES

CLOCK = "2026-03-01T12:00:00Z"
RESET = Step(op=Operation("reset"))
LIMITED: Mapping[str, Any] = {"rate_limited": True}
NO_LIMIT: Mapping[str, Any] = {"rate_limited": False}
NO_RETRY: Mapping[str, Any] = {"retry": False}
REFUSED: Mapping[str, Any] = {"accepted": False}
STATUS, MESSAGE, SOURCE = "LK-RL-01", "LK-RL-02", "LK-RL-03"
DELAYS, LONGEST, RETRIES = "LK-RL-04", "LK-RL-05", "LK-RL-06"
MUSTS = (STATUS, MESSAGE, DELAYS, LONGEST, RETRIES)
# with these the second, third and fourth delay are below, at and above the longest: 150, 300 and 600 s
REACHES_LONGEST: Mapping[str, Any] = {"initial_delay_s": 75.0}


def after(delay_s: float) -> Mapping[str, Any]:
    """The result that makes the retry after that delay."""
    return {"retry": True, "delay_s": delay_s}


def classifying(status: int | None = None, message: str | None = None) -> Operation:
    """A failure to be classified; what is None is not given."""
    given = {"status": status, "message": message}
    return Operation("classify", {name: value for name, value in given.items() if value is not None})


def classify(status: int | None = None, message: str | None = None) -> Step:
    """A step that asks for that."""
    return Step(op=classifying(status, message))


def retry(number: int) -> Step:
    """A step that asks for the retry of that number."""
    return Step(op=Operation("next_delay", {"retry": number}))


def retries(*numbers: int) -> tuple[Step, ...]:
    """Steps that ask for these, in that order."""
    return tuple(map(retry, numbers))


def configure(**tunables: Any) -> Step:
    """A step that sets tunables."""
    return Step(op=Operation("configure", {"tunables": tunables}))


UNAVAILABLE = "the host could not be found"
SAYS_SO = "Rate limit exceeded, please try again later"
# every MUST clause, and the other side of each: who always says one thing fails one of them
WHOLE: tuple[Step, ...] = (
    classify(429),
    classify(404),
    classify(message=SAYS_SO),
    classify(400, UNAVAILABLE),
    *retries(1, 2, 3, 4, 5, 6),
    classify(200),
)


def scenario(
    name: str,
    title: str,
    clauses: Sequence[str],
    steps: Sequence[Step],
    *allowed: Mapping[str, Any],
    tunables: Mapping[str, Any] | None = None,
    level: ScenarioLevel = "L1",
) -> Scenario:
    """A scenario of the one profile; ``allowed`` are results of its last operation."""
    return Scenario(
        format=FORMAT,
        id=f"backoff-{name}",
        title=title,
        system=SYSTEM,
        profile=BACKOFF,
        clauses=tuple(clauses),
        world=World(CLOCK, {} if level == "L1" else FILES, {} if tunables is None else {"tunables": dict(tunables)}),
        steps=tuple(steps),
        level=level,
        allowed=allowed,
    )

"""What a simulation comes to, as ``result.json`` has it. Published as ``simulate.schema.json``."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec

from harness.core.events import SessionEvent

FORMAT: Final = 1
Outcome = Literal["sound", "broken", "interrupted"]
EXIT_CODES: Final[Mapping[Outcome, int]] = {"sound": 0, "broken": 1, "interrupted": 130}


class Numbered(msgspec.Struct, frozen=True):
    """An event, its number in the simulation (from 1), and the session it happened in ("" for the machine's)."""

    number: int
    session: str
    event: SessionEvent


class First(NamedTuple):
    """The first event that broke a rule, and those of its session before it."""

    event: Numbered
    before: tuple[Numbered, ...]


class BrokenRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that does not hold: how often, and where first.

    ``before`` are the events of that session that led to it; ``replay`` is the command that plays the same to there.
    """

    rule: str
    says: str
    rests_on: tuple[str, ...]
    times: int
    first: Numbered
    before: tuple[Numbered, ...]
    replay: str


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A success metric of document 001 as the simulation came to it, beside the document's target; never a gate.

    ``value`` is a share from 0 to 1, or a mean, of ``count`` things, null when there are none; ``of`` says which.
    """

    name: str
    target: str
    value: float | None
    of: str
    count: int


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """``digest`` is that of all events: equal for equal commands, on every machine.

    ``systems`` says what was in place of each system: reference, or how it was reached. ``ended_at`` is the virtual
    time at the end, without what the clock was set by, in seconds since the beginning.
    """

    format: int = FORMAT
    windtunnel: str
    outcome: Outcome
    digest: str
    seed: int
    days: int
    agents: int
    profile: str
    systems: Mapping[str, str]
    ended_at_s: float
    sessions: int
    events: int
    counts: Mapping[str, int]
    metrics: tuple[Metric, ...] = ()
    broken: tuple[BrokenRule, ...]


def schema() -> dict[str, Any]:
    """The JSON Schema of result.json."""
    return msgspec.json.schema(Result)

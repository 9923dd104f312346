"""What a run says while it goes on: frozen events, the only thing reports are made from.

Stored as ``events.jsonl``: the first line is RunStarted, the last RunFinished; without its last line it is cut short.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from harness.core.finding import Finding
from harness.core.history import Entry
from harness.core.scenario import Scenario
from harness.core.verdict import Outcome, SystemResult

FORMAT = 1


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", forbid_unknown_fields=True):
    pass


class RunStarted(_Event, frozen=True, tag="run_started"):
    """The header: who is certified, against what, in which scope.

    ``profiles`` maps each profile judged to the groups declared for it; ``contained`` lists what the sandbox of this
    machine does not contain, one sentence each; ``replay`` is the words that name the target on a command line;
    ``only`` the clauses that were picked, none for all.
    """

    format: int
    windtunnel: str
    target: str
    replay: str
    carriers: tuple[str, ...]
    systems: tuple[str, ...]
    profiles: Mapping[str, tuple[str, ...]]
    level: str
    seed: int
    cases: int
    budget_s: float | None
    suite_digest: str
    implementation_digest: str
    planned: int
    uncontained: tuple[str, ...]
    only: tuple[str, ...] = ()


class ImplementationMet(_Event, frozen=True, tag="implementation_met"):
    """What an implementation said of itself at its first answer: who it is, which clauses it does not implement."""

    profile: str
    name: str
    version: str
    language: str
    not_implemented: Mapping[str, str]


class ScenarioJudged(_Event, frozen=True, tag="scenario_judged"):
    """One scenario was run and judged. ``origin`` tells the materialised plan from fresh search."""

    scenario: Scenario
    origin: Literal["plan", "search"]
    history: tuple[Entry, ...]
    findings: tuple[Finding, ...]


class SearchFinished(_Event, frozen=True, tag="search_finished"):
    """A shard of fresh search ended after that many cases."""

    profile: str
    shard: int
    cases: int


class Notice(_Event, frozen=True, tag="notice"):
    """Something a reader has to know about the run itself; ``cut`` when less was run than planned."""

    text: str
    cut: bool = True


class HarnessBroke(_Event, frozen=True, tag="harness_broke"):
    """Windtunnel itself failed in a scenario; the run's outcome is harness_fault."""

    scenario: str
    error: str


class RunFinished(_Event, frozen=True, tag="run_finished"):
    """The footer: the verdict. ``message`` says in a sentence why a run ended early; ``counts`` by name."""

    outcome: Outcome
    exit_code: int
    strict: bool
    digest: str
    certificate: str
    message: str
    systems: Mapping[str, SystemResult]
    counts: Mapping[str, int]


Event = RunStarted | ImplementationMet | ScenarioJudged | SearchFinished | Notice | HarnessBroke | RunFinished

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def encode(event: Event) -> bytes:
    """The event as one line of ``events.jsonl``."""
    return _ENCODER.encode(event) + b"\n"


def decode(line: bytes) -> Event:
    """The event in one line; msgspec.DecodeError when it is none."""
    return _DECODER.decode(line)


def schema() -> dict[str, Any]:
    """The JSON Schema of a line of ``events.jsonl``."""
    return msgspec.json.schema(Event)

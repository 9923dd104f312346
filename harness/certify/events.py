"""What a run says while it goes on: frozen events, the only thing reports are made from.

Stored as ``events.jsonl``: the first line is RunStarted, the last RunFinished; without its last line it is cut short.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from harness.certify.explored import Explored
from harness.certify.ledger import EMPTY, UNTRIED, FailOpen, Ledger
from harness.certify.weather import CALM, NO_TRIALS, Trials, Weather
from harness.core.chaos import SeedPlayed
from harness.core.finding import Finding
from harness.core.history import Change, Entry, EntryType, condensed, restored
from harness.core.scenario import Scenario
from harness.core.verdict import Outcome, SystemResult

FORMAT = 2
MOST_ALIKE: Final = 1_000_000  # of one operation there are at most 5,000 of each kind, and 300 orders


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", forbid_unknown_fields=True):
    pass


class PlanFiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The materialised plan: how many scenario files, and the SHA-256 over their paths and contents."""

    files: int
    sha256: str


class RunStarted(_Event, frozen=True, tag="run_started"):
    """The header: who is certified, against what, in which scope.

    ``profiles`` maps each profile judged to the groups declared for it; ``uncontained`` lists what the sandbox of this
    machine does not contain, one sentence each; ``replay`` is the words that name the target on a command line;
    ``only`` the clauses that were picked, none for all. ``planned`` counts the scenarios that are played, ``searches``
    the shards of fresh search after them, ``simulations`` those of L4; ``plan`` is what a certificate would rest on.
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
    searches: int = 0
    plan: PlanFiles = PlanFiles(0, "")
    simulations: int = 0


class ImplementationMet(_Event, frozen=True, tag="implementation_met"):
    """What an implementation said of itself at its first answer: who it is, which clauses it does not implement."""

    profile: str
    name: str
    version: str
    language: str
    not_implemented: Mapping[str, str]


class ScenarioJudged(_Event, frozen=True, tag="scenario_judged"):
    """One scenario was run and judged. ``origin`` tells the materialised plan from fresh search, and from variants.

    ``weather`` is what stood against it, and what was seen under that. Of variants those that failed are told one by
    one, the first of them with their history, and the first of each kind; the others by VariantsAlike.
    """

    scenario: Scenario
    origin: Literal["plan", "search", "explored"]
    history: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    weather: Weather = CALM

    def without_history(self) -> "ScenarioJudged":
        """The same for whoever keeps all of a run: histories are nearly all of their memory."""
        return msgspec.structs.replace(self, history=())

    def operations(self) -> int:
        """How many operations were asked for, resets apart."""
        return sum(entry.type is EntryType.INVOKE and entry.op != "reset" for entry in self.history)


class VariantsAlike(_Event, frozen=True, tag="variants_alike"):
    """So many variants of one operation, not told one by one, that came to the same; ``scenario`` is the first."""

    scenario: Scenario
    findings: tuple[Finding, ...]
    weather: Weather
    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_ALIKE)]

    def judged(self) -> tuple[ScenarioJudged, ...]:
        """Each of them, as if it had been told: without its history."""
        one = ScenarioJudged(
            scenario=self.scenario, origin="explored", history=(), findings=self.findings, weather=self.weather
        )
        return (one,) * self.count


class Exploring(_Event, frozen=True, tag="exploring"):
    """So many variants of so many are judged. For whoever watches; it is no part of what a run leaves."""

    what: str
    done: int
    planned: int


class OperationExplored(_Event, frozen=True, tag="operation_explored"):
    """Every variant of one operation was judged, or will not be."""

    facts: Explored


class SystemSimulated(_Event, frozen=True, tag="system_simulated"):
    """A simulation of L4 ended in which that system stood; ``spared`` says what of the weather did not reach it."""

    system: str
    profile: str
    carrier: str
    played: SeedPlayed
    spared: tuple[str, ...] = ()


class SearchFinished(_Event, frozen=True, tag="search_finished"):
    """A shard of fresh search ended after that many cases; ``trials`` are those of the cases up to a failing one."""

    profile: str
    shard: int
    cases: int
    operations: int = 0
    trials: Trials = NO_TRIALS


class Waiting(_Event, frozen=True, tag="waiting"):
    """Nothing was judged for a while: what has been running longest, for how many seconds, beside how many others.

    For whoever watches; it is no part of what a run leaves.
    """

    what: str
    seconds: float
    others: int


class Notice(_Event, frozen=True, tag="notice"):
    """Something a reader has to know about the run itself; ``cut`` when less was run than planned."""

    text: str
    cut: bool = True


class HarnessBroke(_Event, frozen=True, tag="harness_broke"):
    """Windtunnel itself failed in a scenario; the run's outcome is harness_fault."""

    scenario: str
    error: str


class RunFinished(_Event, frozen=True, tag="run_finished"):
    """The footer: the verdict. ``message`` says in a sentence why a run ended early; ``counts`` by name.

    ``complete`` is false for a run that did not come to its end: it shows no level, and no clause that conforms.
    """

    outcome: Outcome
    exit_code: int
    strict: bool
    digest: str
    certificate: str
    message: str
    systems: Mapping[str, SystemResult]
    counts: Mapping[str, int]
    complete: bool = True
    explored: tuple[Explored, ...] = ()
    ledger: Ledger = EMPTY
    fail_open: FailOpen = UNTRIED


Event = (
    RunStarted
    | ImplementationMet
    | ScenarioJudged
    | VariantsAlike
    | Exploring
    | OperationExplored
    | SystemSimulated
    | SearchFinished
    | Waiting
    | Notice
    | HarnessBroke
    | RunFinished
)


class StoredScenario(_Event, frozen=True, tag="scenario_judged"):
    """ScenarioJudged as a line of the file: its history as changes, which take a tenth of the room."""

    scenario: Scenario
    origin: Literal["plan", "search", "explored"]
    history: tuple[Change, ...]
    findings: tuple[Finding, ...]
    weather: Weather = CALM


Stored = (
    RunStarted
    | ImplementationMet
    | StoredScenario
    | VariantsAlike
    | Exploring
    | OperationExplored
    | SystemSimulated
    | SearchFinished
    | Waiting
    | Notice
    | HarnessBroke
    | RunFinished
)

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Stored] = msgspec.json.Decoder(Stored)


def encode(event: Event) -> bytes:
    """The event as one line of ``events.jsonl``."""
    stored: Stored
    if isinstance(event, ScenarioJudged):
        changes = condensed(event.history)
        stored = StoredScenario(
            scenario=event.scenario,
            origin=event.origin,
            history=changes,
            findings=event.findings,
            weather=event.weather,
        )
    else:
        stored = event
    return _ENCODER.encode(stored) + b"\n"


def decode(line: bytes) -> Event:
    """The event in one line; msgspec.DecodeError when it is none."""
    stored = _DECODER.decode(line)
    if not isinstance(stored, StoredScenario):
        return stored
    return ScenarioJudged(
        scenario=stored.scenario,
        origin=stored.origin,
        history=restored(stored.history),
        findings=stored.findings,
        weather=stored.weather,
    )


def schema() -> dict[str, Any]:
    """The JSON Schema of a line of ``events.jsonl``."""
    return msgspec.json.schema(Stored)

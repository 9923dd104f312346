"""The operations of a circuit breaker: typed arguments and results, the file on disk, log codes. Pure.

One profile, ``breaker``. An operation guarded by a breaker is *asked for* (``acquire``), runs where it is permitted,
and is *told of* (``record``); ``call`` is the caller's own name for it, which joins the two, so that results which come
late can be told from those that do not. Source: document 000, Circuit Breaker System and Recovery Protocol.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems import arguments

SYSTEM = "circuit_breaker"
BREAKER = "breaker"
PROFILES = (BREAKER,)

# Where document 000 puts things, below the working directory.
STATE_PATH = "{home}/.loki/state/circuit-breakers.json"
RECOVERY_LOG_PATH = "{home}/.loki/logs/circuit-recovery.log"

REDUCED_AGENTS = 2  # Recovery Protocol 3
RAMP_START_PERCENT = 50  # Recovery Protocol 5
RAMP_STEP_PERCENT = 25  # Recovery Protocol 5
RAMP_STEP_S = 60  # Recovery Protocol 5
LONGEST_NAME = 10_000  # characters; names are keys of a JSON object, never paths


class State(StrEnum):
    """The three states; no other exists (JSON Schema, enum)."""

    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"


class Outcome(StrEnum):
    """How a guarded operation ended."""

    SUCCESS = "success"
    FAILURE = "failure"


class Held(StrEnum):
    """What becomes of a call that is not permitted now.

    ``refused``: it never runs. ``queued`` and ``blocked``: it waits, and asking again with the same ``call`` tells how
    it stands; who blocks answers so instead of not at all.
    """

    REFUSED = "refused"
    QUEUED = "queued"
    BLOCKED = "blocked"


class Tunables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Configuration Tuning. Times are in seconds; every value is greater than zero, the two counts are integers."""

    threshold: int = 3
    window_s: float = 60.0
    cooldown_s: float = 300.0
    half_open_interval_s: float = 10.0
    recovery_threshold: int = 3


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the working directory, and tunables that differ from the defaults."""

    home: str
    tunables: Mapping[str, Any] = msgspec.field(default_factory=dict)


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    STATE_INVALID = "state_invalid"  # the state file is no valid one
    STATE_UNREADABLE = "state_unreadable"
    STATE_WRITE_FAILED = "state_write_failed"
    LOG_WRITE_FAILED = "log_write_failed"
    LOCK_FAILED = "lock_failed"
    TUNABLE_INVALID = "tunable_invalid"
    CLOCK_STEPPED = "clock_stepped"  # what is on disk lies in the future
    CALL_UNKNOWN = "call_unknown"  # a result of a call that nobody asked for
    NAME_INVALID = "name_invalid"


class AcquireArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """May the guarded operation run? ``name`` is the breaker's; ``call`` is new, or that of a call that waits."""

    name: str
    call: str
    urgent: bool = True


class AcquireResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``permitted`` is true when the guarded operation has begun to run.

    ``state`` is the breaker's after the decision; ``held`` says what becomes of a call that was not permitted, and
    ``error`` is the last error, which it is refused with (LK-CB-13); ``wait_s`` is how long the breaker will be OPEN
    (LK-RP-01), null when it is not or when the implementation cannot tell.
    """

    permitted: bool
    state: State
    held: Held | None = None
    error: str | None = None
    wait_s: float | None = None
    log: tuple[LogEntry, ...] = ()


class RecordArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The guarded operation of ``call`` ended; ``error`` is what it said when it failed."""

    name: str
    call: str
    outcome: Outcome
    error: str | None = None


class RecordResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``state`` is the breaker's after the result was taken into account."""

    state: State
    log: tuple[LogEntry, ...] = ()


class InspectArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How does a breaker stand? Asking changes nothing; one that nobody has used yet is CLOSED.

    One whose cooldown has ended is OPEN until it is used, unless a timer moves it (LK-CB-16).
    """

    name: str


class InspectResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The breaker as it is now. Counts and times are null where the implementation has no such thing.

    Times are RFC 3339. ``wait_s`` is as in AcquireResult.
    """

    state: State
    failure_count: int | None = None
    success_count: int | None = None
    last_failure_time: str | None = None
    last_state_change: str | None = None
    cooldown_until: str | None = None
    wait_s: float | None = None
    log: tuple[LogEntry, ...] = ()


class CapacityArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much may run now, of so many agents when all is well?"""

    agents: int


class CapacityResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How many agents may run, whether non-critical background work may, and whether non-urgent requests are queued."""

    agents: int
    background: bool
    queue_non_urgent: bool
    log: tuple[LogEntry, ...] = ()


class ConfigureArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sets tunables of this process, by name, of any type; those that are not named keep their value."""

    tunables: Mapping[str, Any]


class ConfigureResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whether they were accepted, and what is in force now.

    A value that is none is refused, and nothing changes, or the default is taken, with a warning (LK-CB-25).
    """

    accepted: bool
    tunables: Tunables
    log: tuple[LogEntry, ...] = ()


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "acquire": (AcquireArguments, AcquireResult),
    "record": (RecordArguments, RecordResult),
    "inspect": (InspectArguments, InspectResult),
    "capacity": (CapacityArguments, CapacityResult),
    "configure": (ConfigureArguments, ConfigureResult),
}

GROUPS: Mapping[str, str] = {}


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """One breaker in the state file, as the document's JSON Schema and its example have it; more fields may follow.

    Times are RFC 3339, null or absent where there is none. Source: JSON Schema, Example File.
    """

    state: State
    failure_count: int
    last_failure_time: str | None
    last_state_change: str
    success_count: int = 0
    cooldown_until: str | None = None
    failure_window_start: str | None = None


FILES: Mapping[str, Any] = {STATE_PATH: dict[str, Record]}
"""What stands in the files that the document specifies, by path."""


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation finds: what a history records the state of when it begins."""
    del operation, args
    return {"state": STATE_PATH, "recovery_log": RECOVERY_LOG_PATH}


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)

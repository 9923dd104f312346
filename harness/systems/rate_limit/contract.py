"""The operations of rate limit handling: typed arguments and results. It keeps nothing on disk. Pure.

One profile, ``backoff``. Source: document 000, Rate Limit Handling.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems import arguments

SYSTEM = "rate_limit"
BACKOFF = "backoff"
PROFILES = (BACKOFF,)

RATE_LIMITED_STATUS = 429  # detection


class Tunables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The strategy. Delays are in seconds, above zero; ``multiplier`` is at least 1, ``max_retries`` at least 0."""

    initial_delay_s: float = 5.0
    max_delay_s: float = 300.0
    multiplier: float = 2.0
    max_retries: int = 5


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the working directory, and tunables that differ from the defaults."""

    home: str
    tunables: Mapping[str, Any] = msgspec.field(default_factory=dict)


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    TUNABLE_INVALID = "tunable_invalid"
    RETRY_INVALID = "retry_invalid"


class ClassifyArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Is this failure a rate limit? ``status`` is the HTTP status, null when there was none."""

    status: int | None = None
    message: str | None = None


class ClassifyResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whether it is one."""

    rate_limited: bool
    log: tuple[LogEntry, ...] = ()


class DelayArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """After so many attempts failed: may there be retry number ``retry`` (from 1), and after which delay?"""

    retry: int


class DelayResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whether the retry is made, and the wait before it in seconds, null when it is not.

    ``jitter_s`` is how much of ``delay_s`` was added at random, and stated (LK-RL-04).
    """

    retry: bool
    delay_s: float | None = None
    jitter_s: float = 0.0
    log: tuple[LogEntry, ...] = ()


class ConfigureArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sets tunables of this process, by name, of any type; those that are not named keep their value."""

    tunables: Mapping[str, Any]


class ConfigureResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whether they were accepted, and what is in force now; a value that is none is refused, and nothing changes."""

    accepted: bool
    tunables: Tunables
    log: tuple[LogEntry, ...] = ()


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "classify": (ClassifyArguments, ClassifyResult),
    "next_delay": (DelayArguments, DelayResult),
    "configure": (ConfigureArguments, ConfigureResult),
}

GROUPS: Mapping[str, str] = {}


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation finds: none."""
    del operation, args
    return {}


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)

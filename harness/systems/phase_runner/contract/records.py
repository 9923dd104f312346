"""What stands in the files of a run: one record a phase, and config.json. Pure. Source: document 003 and its facts."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.systems.phase_runner.contract.words import MAX_ATTEMPTS


class Timestamps(msgspec.Struct, frozen=True, omit_defaults=True):
    """When a phase began and ended, in RFC 3339; those that are not reached yet are null or missing."""

    started: str | None = None
    completed: str | None = None
    failed: str | None = None
    duration_seconds: float | None = None
    last_updated: str | None = None


class Dependencies(msgspec.Struct, frozen=True, omit_defaults=True):
    """The neighbours of a phase, by normalised ids."""

    depends_on: tuple[str, ...] = ()
    parallel_with: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()


class Execution(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the sub-agent of the last attempt did; of one that said nothing, nothing is known."""

    subagent_id: str | None = None
    subagent_model: str | None = None
    tasks_total: int | None = None
    tasks_completed: int | None = None


class Verification(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the sub-agent claimed, and what a fresh verification found."""

    subagent_claimed: bool | None = None
    fresh_verification: bool | None = None
    verified_at: str | None = None


class PhaseRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """phase-<id>.json. Valid with the first five fields, ``max_attempts`` and a status that is known (AB-COR-01).

    ``phase_id`` is normalised. ``attempt`` is 0 while pending, and counts within a run: resume sets it back. ``error``
    is null, or what went wrong, see AB-STA-01 to 03: ``attempt_1`` and ``attempt_2`` {type, message, details},
    ``resolved_on_retry``, ``final``; of a blocked phase ``blocked_by``, a list of ids. Further fields are the
    implementation's.
    """

    phase_id: str
    phase_name: str
    status: str
    attempt: int
    max_attempts: int = MAX_ATTEMPTS
    timestamps: Timestamps | None = None
    dependencies: Dependencies | None = None
    execution: Execution | None = None
    quality_gates: Mapping[str, Any] | None = None
    verification: Verification | None = None
    commit: Mapping[str, Any] | None = None
    plan_updates: Any = None
    error: Mapping[str, Any] | None = None


class Totals(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many phases there are, and how many of each sort."""

    total: int
    completed: int = 0
    failed: int = 0
    pending: int = 0


class ConfigRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """config.json."""

    version: str
    plan_path: str
    commit_mode: str
    started_at: str
    last_updated: str
    phases: Totals
    stack: Any = None
    commands: Mapping[str, str] | None = None

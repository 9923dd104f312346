"""The operations of the fallback system: typed arguments and results. It keeps nothing on disk. Pure.

One profile, ``ladder``. Source: document 000, Multi-Tiered Fallback System.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems import arguments

SYSTEM = "fallback"
LADDER = "ladder"
PROFILES = (LADDER,)

ESCALATE = "escalate"
MODEL_LADDER = ("opus", "sonnet", "haiku", ESCALATE)  # Model-Level Fallbacks
WORKFLOW_LADDER = ("complex", "simpler", "minimal", ESCALATE)  # Workflow-Level Fallbacks
CONFIDENCE_LIMIT = 0.40  # Human Escalation Triggers: strictly below
RECOVERY_CONFIDENCE_LIMIT = 0.30  # readings: choosing a recovery strategy
CONSECUTIVE_FAILURES = 3  # Human Escalation Triggers


class Ladder(StrEnum):
    """Which ladder is gone down."""

    MODEL = "model"
    WORKFLOW = "workflow"


class Decision(StrEnum):
    """What the confidence is about (LK-FB-03, LK-HR-03, LK-ES-04)."""

    GENERAL = "general"
    CRITICAL = "critical"
    RECOVERY_STRATEGY = "recovery_strategy"


class Trigger(StrEnum):
    """Why a human is called, in the order of the document."""

    LOW_CONFIDENCE = "low_confidence"
    CONSECUTIVE_FAILURES = "consecutive_failures"
    SECURITY_CRITICAL = "security_critical"
    IRREVERSIBLE = "irreversible"


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the working directory."""

    home: str


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    RUNG_UNKNOWN = "rung_unknown"
    FACT_INVALID = "fact_invalid"


class NextArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``current`` failed: what is tried next on that ladder?"""

    ladder: Ladder
    current: str


class NextResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The next rung; ``escalate`` is the last, and is followed by itself (LK-FB-01)."""

    next: str
    log: tuple[LogEntry, ...] = ()


class EscalationArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Has a human to be called? What is not named is not known, and triggers nothing.

    ``confidence`` is in [0, 1]; ``consecutive_failures`` counts those of one task since its last success;
    ``irreversible`` with ``rollback`` false or unknown triggers.
    """

    confidence: float | None = None
    decision: Decision = Decision.GENERAL
    consecutive_failures: int = 0
    security_critical: bool = False
    irreversible: bool = False
    rollback: bool | None = None


class EscalationResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whether a human is called, and every reason for it, each once."""

    escalate: bool
    triggers: tuple[Trigger, ...] = ()
    log: tuple[LogEntry, ...] = ()


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "next": (NextArguments, NextResult),
    "escalation": (EscalationArguments, EscalationResult),
}

GROUPS: Mapping[str, str] = {}


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation finds: none."""
    del operation, args
    return {}


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)

"""The operations of the signals: typed arguments and results, their files, words and log codes. Pure.

One profile, ``signals``. The harness plays the agents, streams and humans that raise and wait for signals, and the
outside that their handlers meet (an alert channel, a phase gate): what happened goes in as arguments, what the
implementation did comes out as the steps that its adapter saw it take, in order; what it recorded is found in the
files. Records come back as the JSON objects of document 000, as they are; the oracle judges their fields, one clause
each.

Every operation answers, whatever its arguments, files and storage are: it never raises. What could not be done is told
by its ``log``, an ``ok`` or ``stored`` of false; who said that it was done has it in the files. Several processes share
the files. An implementation without an optional group answers the group's operations with nothing done and the code
unsupported. Source: document 000, Signal Processing (L541-738).
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.systems import arguments
from harness.systems.signals.contract.drift import (
    DriftArguments,
    DriftResult,
    DriftsArguments,
    DriftsResult,
)
from harness.systems.signals.contract.files import Approval, Drift, Friction, FrictionMap, ReviewRequest
from harness.systems.signals.contract.handoffs import (
    ClassifyArguments,
    ClassifyResult,
    ConsumeArguments,
    ConsumeResult,
    EmitArguments,
    EmitResult,
    HealArguments,
    HealResult,
    RemoveArguments,
    RemoveResult,
)
from harness.systems.signals.contract.reviews import (
    Alert,
    AssessArguments,
    AssessResult,
    CancelArguments,
    CheckArguments,
    CheckResult,
    ClarifyArguments,
    DecideArguments,
    DecideResult,
    Resolved,
    ResolveResult,
    ReviewArguments,
    ReviewResult,
    ReviewsArguments,
    ReviewsResult,
)
from harness.systems.signals.contract.steps import (
    StepTaken,
)
from harness.systems.signals.contract.words import (
    ACCUMULATED_THRESHOLD,
    APPROVED,
    APPROVED_PATH,
    CONFIDENCE_LIMIT,
    CONSECUTIVE_FAILURES,
    CONTINUITY_PATH,
    COST_LIMIT_USD_PER_HOUR,
    CURRENT_TASK_PATH,
    DRIFT_PATH,
    FRICTION_MAP_PATH,
    HEALING,
    KNOWLEDGE_PATH,
    NAMED,
    QUEUE_PATHS,
    REJECTED,
    REVIEW_PATH,
    REVIEW_TIMEOUT_S,
    REVIEWER,
    ROUTES,
    SEVERE_DISTANCE,
    SIGNALS_DIRECTORY,
    UNCLASSIFIED,
    Action,
    Channel,
    Gate,
    Handler,
    LogCode,
    Reason,
    Role,
    Severity,
    Signal,
)

__all__ = [
    "ACCUMULATED_THRESHOLD",
    "APPROVED",
    "APPROVED_PATH",
    "CONFIDENCE_LIMIT",
    "CONSECUTIVE_FAILURES",
    "CONTINUITY_PATH",
    "COST_LIMIT_USD_PER_HOUR",
    "CURRENT_TASK_PATH",
    "DRIFT_PATH",
    "FRICTION_MAP_PATH",
    "HEALING",
    "KNOWLEDGE_PATH",
    "NAMED",
    "QUEUE_PATHS",
    "REJECTED",
    "REVIEWER",
    "REVIEW_PATH",
    "REVIEW_TIMEOUT_S",
    "ROUTES",
    "SEVERE_DISTANCE",
    "SIGNALS_DIRECTORY",
    "UNCLASSIFIED",
    "Action",
    "Alert",
    "Approval",
    "AssessArguments",
    "AssessResult",
    "CancelArguments",
    "Channel",
    "CheckArguments",
    "CheckResult",
    "ClarifyArguments",
    "ClassifyArguments",
    "ClassifyResult",
    "ConsumeArguments",
    "ConsumeResult",
    "DecideArguments",
    "DecideResult",
    "Drift",
    "DriftArguments",
    "DriftResult",
    "DriftsArguments",
    "DriftsResult",
    "EmitArguments",
    "EmitResult",
    "Friction",
    "FrictionMap",
    "Gate",
    "Handler",
    "HealArguments",
    "HealResult",
    "LogCode",
    "Reason",
    "RemoveArguments",
    "RemoveResult",
    "ResolveResult",
    "Resolved",
    "ReviewArguments",
    "ReviewRequest",
    "ReviewResult",
    "ReviewsArguments",
    "ReviewsResult",
    "Role",
    "Severity",
    "Signal",
    "StepTaken",
]

SYSTEM = "signals"
SIGNALS = "signals"
PROFILES = (SIGNALS,)


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the directory that the paths above lie below."""

    home: str


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "report_drift": (DriftArguments, DriftResult),
    "drifts": (DriftsArguments, DriftsResult),
    "assess": (AssessArguments, AssessResult),
    "request_review": (ReviewArguments, ReviewResult),
    "reviews": (ReviewsArguments, ReviewsResult),
    "decide": (DecideArguments, DecideResult),
    "clarify": (ClarifyArguments, ResolveResult),
    "cancel": (CancelArguments, ResolveResult),
    "check_reviews": (CheckArguments, CheckResult),
    "emit": (EmitArguments, EmitResult),
    "consume": (ConsumeArguments, ConsumeResult),
    "heal": (HealArguments, HealResult),
    "classify_friction": (ClassifyArguments, ClassifyResult),
    "remove_friction": (RemoveArguments, RemoveResult),
}

GROUPS: Mapping[str, str] = {
    "workflow": "coordinates worktrees with the signals of parallel workflows",
    "healing": "heals legacy systems with the healing signals",
}

FILES: Mapping[str, Any] = {
    DRIFT_PATH: Drift,
    REVIEW_PATH: ReviewRequest,
    APPROVED_PATH: Approval,
    FRICTION_MAP_PATH: FrictionMap,
    f"{SIGNALS_DIRECTORY}/{Signal.FRICTION_DETECTED}": Friction,
}
"""What stands in the files, by path."""

_MOST_OF_A_NAME = 100  # characters: a longer one is looked for by the snapshot only


def scripted_faults(operation: str, args: Mapping[str, Any]) -> tuple[str, ...]:
    """The faults of the fault table that these arguments themselves script, by name; args may be of any shape."""
    field = {"check_reviews": "alert", "heal": "gate", "consume": "handler"}.get(operation, "")
    said = args.get(field)
    found = {"hangs": "collaborator.hangs", "fails": "collaborator.raises"}
    return (found[said],) if isinstance(said, str) and said in found else ()


def path_of(signal: str, name: str | None = None) -> str | None:
    """Where that signal stands when its name is an ordinary one (letters, digits, ``._-``, no leading dot).

    None for any other name, and for a word that is no signal: where an implementation puts it is its own affair.
    """
    if signal not in tuple(Signal):
        return None
    if name is None:
        return f"{SIGNALS_DIRECTORY}/{signal}"
    return f"{SIGNALS_DIRECTORY}/{signal}_{name}" if is_ordinary(name) else None


def review_path_of(task_id: object) -> str | None:
    """Where the request of that task stands, in the reading of a suffix a task; None unless its id is ordinary."""
    return f"{REVIEW_PATH}_{task_id}" if is_ordinary(task_id) else None


def is_ordinary(name: object) -> bool:
    """Is it a name that every file system has as it is: ASCII letters, digits, ``._-``, and no leading dot?"""
    if not isinstance(name, str) or not 0 < len(name) <= _MOST_OF_A_NAME or name.startswith("."):
        return False
    return name.isascii() and all(each.isalnum() or each in "._-" for each in name)


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation finds: what a history records the state of when it begins, by label.

    Always: ``drift``, ``current_task``, ``continuity``, ``review``, ``approved``, the queues by their names,
    ``friction_map`` and ``knowledge``; ``review_of_task`` where there is an ordinary task_id, ``signal`` where there is
    a signal with an ordinary name.
    """
    del operation
    found = {
        "drift": DRIFT_PATH, "current_task": CURRENT_TASK_PATH, "continuity": CONTINUITY_PATH, "review": REVIEW_PATH,
        "approved": APPROVED_PATH, **QUEUE_PATHS, "friction_map": FRICTION_MAP_PATH, "knowledge": KNOWLEDGE_PATH,
    }  # fmt: skip
    review = review_path_of(args.get("task_id"))
    if review is not None:
        found["review_of_task"] = review
    signal, name = args.get("signal"), args.get("name")
    stands = path_of(signal, name) if isinstance(signal, str) and (name is None or isinstance(name, str)) else None
    return found if stands is None else {**found, "signal": stands}


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)

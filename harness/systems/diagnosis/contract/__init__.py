"""The operations of the diagnostic reflection: typed arguments and results, its files, flags and log codes. Pure.

One profile, ``reflection``. The harness plays the agent: it says how a tool call ended (``observe``), how the recovery
that was recommended ended (``outcome``), and asks what the next reflection reads (``prompt``) and what the user is
shown (``report``). A *call* is named by who makes it, so that scenarios can speak of diagnoses whose ids nobody
foresees. A diagnosis comes back as the JSON object of document 001, as it is; the oracle judges its fields, one clause
each. Source: document 001.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems import arguments
from harness.systems.diagnosis.contract.files import (
    EpisodicRecord,
    ErrorEncountered,
    EventMetadata,
    FailureDiagnosis,
    LearnedPattern,
    RecoveryAttempted,
    ReflectionEvent,
    ReusablePattern,
    SessionRecord,
    SuccessfulRecovery,
)
from harness.systems.diagnosis.contract.words import (
    BUILT_IN_TOOLS,
    CONTEXT_LOG_PATH,
    EPISODIC_MEMORY_PATH,
    FLAG_DEFAULTS,
    NOT_ASKED,
    PREVIOUS_ACTIONS,
    SESSION_MEMORY_PATH,
    SHELLS,
    WHYS,
    Approach,
    ErrorType,
    Flag,
    LogCode,
    ModelBehaviour,
    Reflection,
    Severity,
    Tool,
)

__all__ = [
    "BUILT_IN_TOOLS",
    "CONTEXT_LOG_PATH",
    "EPISODIC_MEMORY_PATH",
    "FLAG_DEFAULTS",
    "NOT_ASKED",
    "PREVIOUS_ACTIONS",
    "SESSION_MEMORY_PATH",
    "SHELLS",
    "WHYS",
    "Approach",
    "EpisodicRecord",
    "ErrorEncountered",
    "ErrorType",
    "EventMetadata",
    "FailureDiagnosis",
    "Flag",
    "LearnedPattern",
    "LogCode",
    "ModelBehaviour",
    "RecoveryAttempted",
    "Reflection",
    "ReflectionEvent",
    "ReusablePattern",
    "SessionRecord",
    "Severity",
    "SuccessfulRecovery",
    "Tool",
]

SYSTEM = "diagnosis"
REFLECTION = "reflection"
PROFILES = (REFLECTION,)


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The ``config`` of reset and open.

    ``flags`` stand for the environment variables, by name, as text; those that are not named are not set.
    ``tools_fs_root`` is TOOLS_FS_ROOT, the only directory that tools may write in. ``model_limit_s`` is how long a
    model may take before the diagnosis goes on without it (the document states none).
    ``conv_id`` and ``trace_id`` are those of the session, for the ContextLog.
    """

    home: str
    flags: Mapping[str, str] = msgspec.field(default_factory=dict)
    tools_fs_root: str = "{home}/workspace"
    model_limit_s: float = 5.0
    conv_id: str = "c_1"
    trace_id: str = "t_1"


class ModelScript(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The model of one observation: what it does each time, and the text it answers with, which may be anything."""

    behaviour: ModelBehaviour
    text: str = ""
    delay_s: float = 0.0


class ModelCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the model was asked, as it was received."""

    prompt: str
    temperature: float | None = None
    max_tokens: int | None = None


class ObserveArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A tool call ended. ``error`` and ``context`` are the Input Context of the document, of any shape when hostile.

    ``call`` is new. After a success ``error`` is null. ``model`` is the model there is, null when there is none.
    """

    call: str
    tool: Any
    args: Any
    success: bool
    error: Any = None
    context: Any = None
    model: ModelScript | None = None


class ObserveResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``diagnosis`` is the Output Diagnosis of the document, null when there was no reflection.

    ``asks_user`` is true when no recovery is tried any more and the user is asked (DR-REC-07).
    """

    reflection: Reflection
    diagnosis: Mapping[str, Any] | None = None
    asks_user: bool = False
    model_calls: tuple[ModelCall, ...] = ()
    log: tuple[LogEntry, ...] = ()


class OutcomeArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The strategy in force for ``call`` (of its diagnosis first, then of the last ``next_plan``) was tried.

    ``iterations`` is how many iterations of the agent it took.
    """

    call: str
    success: bool
    iterations: int


class OutcomeResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``strategy`` is the one that was tried, null when the call is unknown.

    After a failure ``next_plan`` is the recovery plan to go on with, as in the diagnosis, null when there is none;
    ``asks_user`` is true when it is to ask the user.
    """

    strategy: str | None
    next_plan: Mapping[str, Any] | None = None
    asks_user: bool = False
    log: tuple[LogEntry, ...] = ()


class PromptArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What does the reflection after this call read of its diagnosis?"""

    call: str


class PromptResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The text; empty when there is no diagnosis."""

    text: str
    log: tuple[LogEntry, ...] = ()


class ReportArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is the user shown of this call's diagnosis and recovery?"""

    call: str


class ReportResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The text; empty when there is no diagnosis."""

    text: str
    log: tuple[LogEntry, ...] = ()


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "observe": (ObserveArguments, ObserveResult),
    "outcome": (OutcomeArguments, OutcomeResult),
    "prompt": (PromptArguments, PromptResult),
    "report": (ReportArguments, ReportResult),
}

GROUPS: Mapping[str, str] = {
    "model": "asks a language model for its reflections; one that works without is judged without these clauses",
}


FILES: Mapping[str, Any] = {
    SESSION_MEMORY_PATH: SessionRecord,
    EPISODIC_MEMORY_PATH: EpisodicRecord,
    CONTEXT_LOG_PATH: ReflectionEvent,
}
"""What stands in the files, a line each, by path."""


_SCRIPTED: Mapping[str, str] = {
    ModelBehaviour.SLOW: "collaborator.slow",
    ModelBehaviour.HANGS: "collaborator.hangs",
    ModelBehaviour.RAISES: "collaborator.raises",
}


def scripted_faults(operation: str, args: Mapping[str, Any]) -> tuple[str, ...]:
    """The faults of the fault table that these arguments themselves script, by name; args may be of any shape."""
    model = args.get("model") if operation == "observe" else None
    behaviour = model.get("behaviour") if isinstance(model, Mapping) else None
    return (_SCRIPTED[behaviour],) if isinstance(behaviour, str) and behaviour in _SCRIPTED else ()


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation finds: what a history records the state of when it begins."""
    del operation, args
    return {
        "session_memory": SESSION_MEMORY_PATH,
        "episodic_memory": EPISODIC_MEMORY_PATH,
        "context_log": CONTEXT_LOG_PATH,
    }


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)

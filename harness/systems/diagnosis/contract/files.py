"""What stands in the memories and the ContextLog, a line each. Pure."""

import msgspec


class RecoveryAttempted(msgspec.Struct, frozen=True):
    """One recovery of a failure_diagnosis. ``outcome`` is success or failure."""

    strategy: str
    outcome: str
    iterations_to_success: int | None


class FailureDiagnosis(msgspec.Struct, frozen=True):
    """Session Memory, failure_diagnosis."""

    immediate_cause: str
    root_cause: str
    why_chain: tuple[str, ...]
    recovery_attempted: tuple[RecoveryAttempted, ...]


class LearnedPattern(msgspec.Struct, frozen=True):
    """Session Memory, learned_pattern."""

    when: str
    then: str
    confidence: float


class SessionRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the session memory; other fields may follow, and other lines may stand beside it.

    A failure that was diagnosed appends one, and so does each outcome of its recovery, with all attempts so far in
    ``recovery_attempted``. What was learned stands in ``learned_pattern`` once something was.
    """

    failure_diagnosis: FailureDiagnosis
    learned_pattern: LearnedPattern | None = None


class ErrorEncountered(msgspec.Struct, frozen=True):
    """Episodic Memory, error_encountered."""

    type: str
    tool: str
    diagnosis: str
    root_cause: str


class SuccessfulRecovery(msgspec.Struct, frozen=True):
    """Episodic Memory, successful_recovery."""

    strategy: str
    tools: tuple[str, ...]
    iterations_to_success: int
    confidence: float


class ReusablePattern(msgspec.Struct, frozen=True):
    """Episodic Memory, reusable_pattern."""

    trigger: str
    action: str
    success_rate: float


class EpisodicRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the episodic memory, appended with each outcome; no ``successful_recovery`` after a failure."""

    error_encountered: ErrorEncountered
    reusable_pattern: ReusablePattern
    successful_recovery: SuccessfulRecovery | None = None


class EventMetadata(msgspec.Struct, frozen=True):
    """The metadata of a diagnostic_reflection event. ``confidence`` is the recommended strategy's."""

    failed_tool: str
    error_type: str
    root_cause: str
    recovery_strategy: str
    confidence: float
    alternatives_count: int


class ReflectionEvent(msgspec.Struct, frozen=True):
    """One line of the ContextLog, appended by each reflection. ``elapsed_ms`` is at least zero."""

    id: str
    ts: str
    actor: str
    act: str
    conv_id: str
    trace_id: str
    iter: int
    name: str
    status: str
    elapsed_ms: float
    metadata: EventMetadata
    result_preview: str

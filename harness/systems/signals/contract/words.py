"""Where document 000 puts signals, its numbers, and its words. Pure.

What stands in the files that scenarios bring along, where the document leaves it open:

- current-task.json is one object: ``task_id``, ``title`` and ``goal``; the goal is what a drift is measured against.
- the queues are those of ``harness.systems.queue_files``: each task has ``task_id`` and ``title``, and may have a
  ``status``, ``description``, ``priority``, ``dependencies`` and fields of its own.
- CONTINUITY.md, the friction map and the institutional knowledge lie where the names below say.
"""

from enum import StrEnum
from typing import Final

from harness.systems import queue_files

SIGNALS_DIRECTORY: Final = "{home}/.loki/signals"
DRIFT_PATH: Final = f"{SIGNALS_DIRECTORY}/DRIFT_DETECTED"
REVIEW_PATH: Final = f"{SIGNALS_DIRECTORY}/HUMAN_REVIEW_NEEDED"
APPROVED_PATH: Final = f"{SIGNALS_DIRECTORY}/HUMAN_APPROVED"
CONTINUITY_PATH: Final = "{home}/.loki/CONTINUITY.md"
FRICTION_MAP_PATH: Final = "{home}/.loki/healing/friction-map.json"  # the document names the file only
KNOWLEDGE_PATH: Final = "{home}/.loki/healing/institutional-knowledge.md"  # the same
CURRENT_TASK_PATH: Final = "{home}/" + queue_files.CURRENT_TASK_PATH
QUEUE_PATHS: Final = {queue: "{home}/" + queue_files.path_of(queue) for queue in queue_files.QUEUES}
"""Every queue file, by the name of its queue."""

ACCUMULATED_THRESHOLD: Final = 3  # DRIFT_DETECTED, Automated Responses, L591
SEVERE_DISTANCE: Final = 3  # drift_distance, L571: from here on a drift is severe; nothing is demanded of it
CONFIDENCE_LIMIT: Final = 0.40  # HUMAN_REVIEW_NEEDED, L630: strictly below, on a critical decision
COST_LIMIT_USD_PER_HOUR: Final = 100.0  # L635: strictly above
CONSECUTIVE_FAILURES: Final = 3  # L633: this many or more
REVIEW_TIMEOUT_S: Final = 24 * 3600  # L653
REVIEWER: Final = "opus"  # L581: who reviews high and critical drift
UNCLASSIFIED: Final = "unknown"  # the classification of a friction that nobody has classified, L694
APPROVED: Final = "approved"  # a decision that lets the task go on
REJECTED: Final = "rejected"  # a decision that keeps it from going on


class Severity(StrEnum):
    """DRIFT_DETECTED, Fields. Of a review request they are the same words."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Signal(StrEnum):
    """The signals that are emitted and consumed by name. Drift, review requests and approvals have their own ways."""

    FEATURE_READY = "FEATURE_READY"
    TESTS_PASSED = "TESTS_PASSED"
    TESTS_FAILED = "TESTS_FAILED"
    MERGE_REQUESTED = "MERGE_REQUESTED"
    DOCS_NEEDED = "DOCS_NEEDED"
    BLOG_POST_QUEUED = "BLOG_POST_QUEUED"
    PLAN_APPROVED = "PLAN_APPROVED"
    FRICTION_DETECTED = "FRICTION_DETECTED"
    BEHAVIOR_CHANGE_RISK = "BEHAVIOR_CHANGE_RISK"
    INSTITUTIONAL_KNOWLEDGE_FOUND = "INSTITUTIONAL_KNOWLEDGE_FOUND"
    HEALING_PHASE_COMPLETE = "HEALING_PHASE_COMPLETE"
    LEGACY_COMPATIBILITY_RISK = "LEGACY_COMPATIBILITY_RISK"


NAMED: Final = frozenset({Signal.FEATURE_READY, Signal.TESTS_PASSED, Signal.TESTS_FAILED, Signal.MERGE_REQUESTED})
"""The signals whose file is ``{signal}_{name}``; that of all others is ``{signal}``, and they take no name."""


class Role(StrEnum):
    """Who creates or consumes a signal: streams, the orchestrator, a human, and those of healing."""

    FEATURE = "feature"
    TESTING = "testing"
    MERGE = "merge"
    DOCS = "docs"
    BLOG = "blog"
    ORCHESTRATOR = "orchestrator"
    HUMAN = "human"
    HEALER = "healer"
    REVIEW = "review"
    ARCHAEOLOGY = "archaeology"
    REGISTRY = "registry"
    GATE = "gate"
    ADAPTER = "adapter"


STREAMS: Final = frozenset({Role.FEATURE, Role.TESTING, Role.MERGE, Role.DOCS, Role.BLOG})
# Other Workflow Signals (L712-720) and Healing Signals (L679-685): who creates it, and who consumes it
ROUTES: Final = {
    Signal.FEATURE_READY: (frozenset({Role.FEATURE}), Role.TESTING),
    Signal.TESTS_PASSED: (frozenset({Role.TESTING}), Role.MERGE),
    Signal.TESTS_FAILED: (frozenset({Role.TESTING}), Role.FEATURE),
    Signal.MERGE_REQUESTED: (frozenset({Role.TESTING}), Role.ORCHESTRATOR),
    Signal.DOCS_NEEDED: (STREAMS, Role.DOCS),
    Signal.BLOG_POST_QUEUED: (frozenset({Role.DOCS}), Role.BLOG),
    Signal.PLAN_APPROVED: (frozenset({Role.HUMAN}), Role.ORCHESTRATOR),
    Signal.FRICTION_DETECTED: (frozenset({Role.HEALER}), Role.ORCHESTRATOR),
    Signal.BEHAVIOR_CHANGE_RISK: (frozenset({Role.REVIEW}), Role.HEALER),
    Signal.INSTITUTIONAL_KNOWLEDGE_FOUND: (frozenset({Role.ARCHAEOLOGY}), Role.REGISTRY),
    Signal.HEALING_PHASE_COMPLETE: (frozenset({Role.GATE}), Role.ORCHESTRATOR),
    Signal.LEGACY_COMPATIBILITY_RISK: (frozenset({Role.ADAPTER}), Role.HEALER),
}
HEALING: Final = frozenset(
    {
        Signal.FRICTION_DETECTED,
        Signal.BEHAVIOR_CHANGE_RISK,
        Signal.INSTITUTIONAL_KNOWLEDGE_FOUND,
        Signal.HEALING_PHASE_COMPLETE,
        Signal.LEGACY_COMPATIBILITY_RISK,
    }
)
"""The five that ``heal`` processes; the other seven are what ``consume`` processes."""


class Action(StrEnum):
    """A step that an implementation took, as its adapter saw it, in order."""

    STOP = "stop"  # the current action or task is stopped
    LOG = "log"  # the drift record or review request was written; ``ok`` says whether it could be
    REASON = "reason"  # the agent returns to the phase REASON
    REREAD = "reread"  # current-task.json is read again, after REASON
    WARN = "warn"  # a warning is logged
    CONTINUE = "continue"  # the corrected action, or with another task: ``detail`` is its id
    ESCALATE = "escalate"  # to the orchestrator, for task review
    CONSOLIDATE = "consolidate"  # working memory went into CONTINUITY.md; ``ok`` says whether it could
    PAUSE = "pause"  # the task
    REVIEW = "review"  # a reviewer is dispatched: ``detail`` is the model, such as opus
    CLEAR_CONTEXT = "clear_context"  # an explicit signal that clears the context: never sent
    BLOCK = "block"  # the task became blocked, or the change that breaks a legacy API is not let through
    ADD_FRICTION = "add_friction"  # into the friction map
    PAUSE_MODIFICATION = "pause_modification"
    VERIFY_TESTS = "verify_tests"  # that characterization tests exist; ``ok`` says whether they are confirmed
    RESUME_MODIFICATION = "resume_modification"
    APPEND_KNOWLEDGE = "append_knowledge"  # to institutional-knowledge.md
    RUN_GATE = "run_gate"  # the phase gate hook; ``ok`` says whether it passed
    ADVANCE = "advance"  # the component goes on to the next healing phase


class Reason(StrEnum):
    """Why a human has to review, When to Create (L629-635), in that order."""

    LOW_CONFIDENCE = "low_confidence"
    SECURITY_DECISION = "security_decision"
    IRREVERSIBLE_OPERATION = "irreversible_operation"
    REPEATED_FAILURES = "repeated_failures"
    AMBIGUOUS_REQUIREMENTS = "ambiguous_requirements"
    COST = "cost"


class Channel(StrEnum):
    """What the configured notification channel, a stub of the adapter, does when an alert is sent.

    ``hangs`` does not answer: the stub raises the time-out that ends every such wait, at once, so that nobody waits.
    """

    OK = "ok"
    FAILS = "fails"
    HANGS = "hangs"


class Handler(StrEnum):
    """How what the consumer does with the signal's content ends."""

    OK = "ok"
    FAILS = "fails"


class Gate(StrEnum):
    """How the phase gate hook, a stub of the adapter, ends; ``hangs`` is as in Channel."""

    PASSES = "passes"
    FAILS = "fails"
    HANGS = "hangs"


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    DRIFT_INVALID = "drift_invalid"  # severity is none of the words, or the distance no whole number from 1 on
    DRIFT_WRITE_FAILED = "drift_write_failed"
    DRIFT_LOG_DAMAGED = "drift_log_damaged"  # it holds what is no drift record; it stays there
    TASK_UNREADABLE = "task_unreadable"  # current-task.json is missing or damaged
    CONTINUITY_WRITE_FAILED = "continuity_write_failed"
    REVIEW_INVALID = "review_invalid"  # a request without a task or a reason
    REVIEW_WRITE_FAILED = "review_write_failed"
    REVIEWS_DAMAGED = "reviews_damaged"  # HUMAN_REVIEW_NEEDED is none; it is kept aside
    APPROVAL_INVALID = "approval_invalid"  # HUMAN_APPROVED holds no decision
    APPROVAL_AMBIGUOUS = "approval_ambiguous"  # it names no task, and not exactly one review is pending
    APPROVAL_UNKNOWN = "approval_unknown"  # it names a task of which no review is pending
    TASK_UNKNOWN = "task_unknown"  # nobody waits for that task
    QUEUE_DAMAGED = "queue_damaged"  # a queue file is none; it is kept aside
    QUEUE_WRITE_FAILED = "queue_write_failed"
    ALERT_FAILED = "alert_failed"
    SIGNAL_UNKNOWN = "signal_unknown"  # none of Signal, or none that this operation is for
    SIGNAL_INVALID = "signal_invalid"  # its file holds no payload, or a payload lacks a field
    SIGNAL_WRITE_FAILED = "signal_write_failed"
    NAME_INVALID = "name_invalid"  # a named signal without a usable name, or a name where none belongs
    ROUTE_INVALID = "route_invalid"  # somebody else creates or consumes it
    HANDLER_FAILED = "handler_failed"
    HEALING_WRITE_FAILED = "healing_write_failed"
    LOCK_FAILED = "lock_failed"
    STORAGE_FAILED = "storage_failed"  # what is read or deleted cannot be
    UNSUPPORTED = "unsupported"  # of an optional group that the implementation does not have

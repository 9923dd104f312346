"""The diagnosis as document 001 has it, and the records of the two memories that are made of it. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from harness.systems.diagnosis.contract import WHYS, ErrorType, Severity
from harness.systems.diagnosis.reference.hostile import line
from harness.systems.diagnosis.reference.planner import Attempt, Plan
from harness.systems.diagnosis.reference.steps import Case, Strategy

GENERALIZABILITY: Mapping[ErrorType, float] = {
    ErrorType.TOOL_NOT_FOUND: 0.85,
    ErrorType.COMMAND_NOT_FOUND: 0.85,
    ErrorType.PERMISSION_DENIED: 0.7,
    ErrorType.TIMEOUT: 0.7,
    ErrorType.RATE_LIMITED: 0.8,
    ErrorType.UNKNOWN: 0.2,
}
OTHER_GENERALIZABILITY = 0.6

_TASKS = (
    ("repository_clone", r"\bclone\b|\brepositor(?:y|ies)\b"),
    ("code_download", r"\bdownload|\bfetch\b|https?://"),
    ("dependency_fetch", r"\binstall\b|\bdependenc|\brequirements?\b"),
    ("build", r"\bbuild\b|\bcompile\b|\bmake\b"),
    ("test_run", r"\btests?\b|\bpytest\b"),
    ("file_change", r"\bwrite\b|\bedit\b|\bfix\b|\brefactor\b|\bcreate\b"),
)


class Understanding(NamedTuple):
    """Why it happened: the chain as it is told, the root cause and how sure it is, and a rule of a model's, if any."""

    chain: Mapping[str, str]
    description: str
    confidence: float
    rule: str | None = None
    generalizability: float | None = None


class Composing:
    """Objects of builtins, with the fields of the document."""

    def diagnosis(
        self,
        identity: tuple[str, str],
        case: Case,
        understanding: Understanding,
        alternatives: Sequence[Strategy],
        plan: Plan,
        severity: Severity,
        trigger: str,
    ) -> dict[str, Any]:
        """The Output Diagnosis; ``identity`` is its id and its time."""
        best = next((each for each in (plan.strategy, *alternatives) if not each.asks), plan.strategy)
        return {
            "id": identity[0],
            "timestamp": identity[1],
            "iteration": case.failure.iteration,
            "whyChain": dict(understanding.chain),
            "rootCause": {
                "category": case.verdict.category,
                "description": understanding.description,
                "confidence": understanding.confidence,
            },
            "errorClassification": {
                "type": case.verdict.kind.value,
                "severity": severity.value,
                "canRecover": self.can_recover(alternatives, severity),
            },
            "alternatives": [self.alternative(strategy) for strategy in alternatives],
            "recoveryPlan": plan.as_json(),
            "learningOpportunity": self.opportunity(case, understanding, best, trigger),
        }

    def can_recover(self, alternatives: Sequence[Strategy], severity: Severity) -> bool:
        """Is there a strategy that names tools, and is the task not lost (our reading of DR-OUT-05)?"""
        return severity is not Severity.FATAL and any(not strategy.asks for strategy in alternatives)

    def alternative(self, strategy: Strategy) -> dict[str, Any]:
        """One alternative, with its approach beside the fields of the document."""
        return {
            "strategy": strategy.name,
            "tools": list(strategy.tools),
            "description": strategy.description,
            "confidence": strategy.confidence,
            "estimatedIterations": strategy.iterations,
            "approach": strategy.approach.value,
        }

    def opportunity(self, case: Case, understanding: Understanding, best: Strategy, trigger: str) -> dict[str, Any]:
        """What can be learned, should the strategy work."""
        kind = case.verdict.kind
        general = understanding.generalizability
        rule = f"When {line(case.subject, 60)} fails with {kind.value}, use {best.name}"
        return {
            "pattern": trigger,
            "rule": understanding.rule or rule,
            "applicableTaskTypes": self.task_types(case),
            "generalizability": GENERALIZABILITY.get(kind, OTHER_GENERALIZABILITY) if general is None else general,
        }

    def task_types(self, case: Case) -> list[str]:
        """The kinds of task this is seen in, by the words of the goal and the command."""
        text = f"{case.failure.goal}\n{case.failure.command}".casefold()
        return [name for name, words in _TASKS if re.search(words, text)] or ["general"]

    def session_record(
        self,
        diagnosis: Mapping[str, Any],
        attempts: Sequence[Attempt],
        learned: Mapping[str, Any] | None,
        *,
        full: bool,
    ) -> dict[str, Any]:
        """A line of the session memory (DR-MEM-01); the whole diagnosis is in it when ``full`` (DR-CFG-07)."""
        record: dict[str, Any] = {
            "failure_diagnosis": {
                "immediate_cause": diagnosis["whyChain"]["why1"],
                "root_cause": diagnosis["rootCause"]["description"],
                "why_chain": [diagnosis["whyChain"][why] for why in WHYS],
                "recovery_attempted": [self.attempted(attempt) for attempt in attempts],
            }
        }
        if learned is not None:
            record["learned_pattern"] = dict(learned)
        if full:
            record["diagnosis"] = dict(diagnosis)
        return record

    def attempted(self, attempt: Attempt) -> dict[str, Any]:
        """One recovery; how many iterations it took to success is not known of a failure."""
        return {
            "strategy": attempt.strategy,
            "outcome": "success" if attempt.success else "failure",
            "iterations_to_success": attempt.iterations if attempt.success else None,
        }

    def learned_pattern(self, trigger: str, strategy: str, confidence: float) -> dict[str, Any]:
        """When X, then Y."""
        return {"when": trigger, "then": strategy, "confidence": confidence}

    def episode(
        self,
        diagnosis: Mapping[str, Any],
        tool: str,
        trigger: str,
        strategy: Strategy,
        attempt: Attempt,
        trust: tuple[float, float],
    ) -> dict[str, Any]:
        """A line of the episodic memory (DR-MEM-02); ``trust`` is the confidence and the observed success rate."""
        record: dict[str, Any] = {
            "error_encountered": {
                "type": diagnosis["errorClassification"]["type"],
                "tool": tool.strip() or "unnamed",
                "diagnosis": diagnosis["whyChain"]["why1"],
                "root_cause": diagnosis["rootCause"]["category"],
            },
            "reusable_pattern": {"trigger": trigger, "action": strategy.name, "success_rate": trust[1]},
        }
        if attempt.success:
            record["successful_recovery"] = {
                "strategy": strategy.name,
                "tools": list(strategy.tools),
                "iterations_to_success": attempt.iterations,
                "confidence": trust[0],
            }
        return record

"""The ContextLog: one event a reflection, which agrees with its diagnosis. Source: 001, ContextLog Events."""

from collections.abc import Mapping
from typing import Any

from harness.systems.diagnosis.reference.hostile import line
from harness.systems.diagnosis.reference.memories import Lines


class ContextLog(Lines):
    """The events of one session."""

    def event(
        self, diagnosis: Mapping[str, Any], tool: str, session: tuple[str, str], elapsed_ms: int
    ) -> dict[str, Any]:
        """The event of a diagnosis; ``session`` is conv_id and trace_id."""
        return {
            "id": diagnosis["id"].removeprefix("diag_"),
            "ts": diagnosis["timestamp"],
            "actor": "system",
            "act": "diagnostic_reflection",
            "conv_id": session[0],
            "trace_id": session[1],
            "iter": diagnosis["iteration"],
            "name": "5_whys_analysis",
            "status": "ok",
            "elapsed_ms": max(0, elapsed_ms),
            "metadata": self.metadata(diagnosis, tool),
            "result_preview": self.preview(diagnosis),
        }

    def metadata(self, diagnosis: Mapping[str, Any], tool: str) -> dict[str, Any]:
        """What the diagnosis says, in short; the confidence is the recommended strategy's, as in the example."""
        return {
            "failed_tool": tool,
            "error_type": diagnosis["errorClassification"]["type"],
            "root_cause": diagnosis["rootCause"]["category"],
            "recovery_strategy": diagnosis["recoveryPlan"]["strategy"],
            "confidence": self.confidence(diagnosis),
            "alternatives_count": len(diagnosis["alternatives"]),
        }

    def confidence(self, diagnosis: Mapping[str, Any]) -> float:
        """The confidence of the strategy in force."""
        name = diagnosis["recoveryPlan"]["strategy"]
        found: float = next(each["confidence"] for each in diagnosis["alternatives"] if each["strategy"] == name)
        return found

    def preview(self, diagnosis: Mapping[str, Any]) -> str:
        """One line for whoever reads the log."""
        strategy = diagnosis["recoveryPlan"]["strategy"]
        return (
            f"Root: {line(diagnosis['rootCause']['description'], 120)}; Recovery: {strategy}; "
            f"Confidence: {self.confidence(diagnosis):g}"
        )

"""The reference review gate: one state file, one lock, and no task that begins unreviewed."""

from harness.systems.review_gate.reference.gate import ReviewGate, create

__all__ = ["ReviewGate", "create"]

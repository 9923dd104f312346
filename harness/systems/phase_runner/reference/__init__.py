"""The reference phase runner: one record a phase, each written whole before it is told of."""

from harness.systems.phase_runner.reference.runner import PhaseRunner, create

__all__ = ["PhaseRunner", "create"]

"""The reference watch over rationalisations: phrases that are said, their counters, and the log of attempts."""

from harness.systems.rationalization.reference.watch import Watch, create

__all__ = ["Watch", "create"]

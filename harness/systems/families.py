"""What a search lets in or leaves out beside the families of faults. Apart from swarm.py, which needs Hypothesis."""

from typing import Final

SCHEDULE: Final = "schedule"
"""Operations begun together in an order of file calls."""
CALLS: Final = "syscall"
"""Faults at one file call of one operation."""

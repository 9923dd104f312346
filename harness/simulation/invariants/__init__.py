"""What must hold of a whole simulation: checked at every write of a state file, and at every event.

The state files are read as the documents have them, by code of its own, so that a mistake in a system does not hide
itself. What is broken in the middle of an operation is told with the next event.
"""

from harness.simulation.invariants.rules import ENDS, INVARIANTS, UNWATCHED
from harness.simulation.invariants.unended import unended
from harness.simulation.invariants.watching import Invariants

__all__ = ["ENDS", "INVARIANTS", "UNWATCHED", "Invariants", "unended"]

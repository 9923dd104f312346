"""Runs one mutant of the hook as a process: ``python -m harness.systems.stop_gate.mutants NAME``."""

import sys

from harness.systems.stop_gate.mutants import mutant_hook
from harness.systems.stop_gate.reference.hook import leave

if __name__ == "__main__":
    leave(mutant_hook(sys.argv[1]).main())

"""Runs one mutant of the hook as a process: ``python -m harness.systems.stop_gate.mutants.run NAME``."""

import sys

from harness.systems.stop_gate.mutants import mutant_hook
from harness.systems.stop_gate.reference.hook import leave


def prepare(words: list[str]) -> None:
    """Nothing more is needed, whichever mutant it will be."""
    del words


def main(words: list[str]) -> None:
    """One stop."""
    leave(mutant_hook(words[0]).main())


if __name__ == "__main__":
    main(sys.argv[1:])

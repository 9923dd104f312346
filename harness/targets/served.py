"""``python -m harness.targets.served SYSTEM [MUTANT]``: a reference over stdio, started as quickly as Python starts.

It is what ``windtunnel serve`` runs without its command line: a scenario that restarts processes pays for each import.
"""

import sys
from importlib import import_module

from harness.systems import registry
from harness.targets.serve import ServedReference, serve


def prepare(words: list[str]) -> None:
    """Imports what the reference of the system that is named will need, and its mutants."""
    for room in ("contract", "reference", "mutants"):
        import_module(f"harness.systems.{words[0]}.{room}")


def main(words: list[str]) -> None:
    """Serves the reference of the system that is named, or one of its mutants, until ``shutdown``."""
    system = registry.get(words[0])
    mutant = words[1] if len(words) > 1 else None
    serve(system, ServedReference(system, mutant), mutant or "reference")


if __name__ == "__main__":
    main(sys.argv[1:])

"""``python -m harness.qualify.served SYSTEM KIND NAME``: what is run to be killed, over stdio as any implementation.

KIND is ``blind`` or ``generated``. What people install has no such switch.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import msgspec

from harness.ports.clock import to_seconds
from harness.systems import registry
from harness.targets.serve import ServedReference, serve


class ServedMutant:
    """A mutant by its maker, which takes a configuration of the system's contract."""

    def __init__(self, system: registry.System, create: Callable[[Any], Any]) -> None:
        self._system = system
        self._create = create
        self._instance: Any = None

    def create(self, workdir: str, config: Mapping[str, Any], now: str) -> None:
        """See Served.create."""
        del workdir, now
        self._instance = self._create(msgspec.convert(config, self._system.contract.Configuration))

    def call(self, operation: str, args: Mapping[str, Any], now: str) -> Any:
        """See Served.call."""
        arguments, _ = self._system.contract.OPERATIONS[operation]
        result = getattr(self._instance, operation)(msgspec.convert(args, arguments), to_seconds(now))
        return msgspec.to_builtins(result)


def prepare(words: list[str]) -> None:
    """Imports what mutants of that system and kind will need; not the reference of those that change its source."""
    name, kind = words[:2]
    rooms = ("blind_mutants",) if kind == "blind" else ("contract",)
    for room in rooms:
        import_module(f"harness.systems.{name}.{room}")
    if kind == "generated":
        import_module("harness.qualify.places")


def main(words: list[str]) -> None:
    """Serves what the words name until ``shutdown``."""
    name, kind, which = words[:3]
    if kind == "generated":
        from harness.qualify.places import install  # noqa: PLC0415 - a blind mutant pays for no parser

        install(name, which)
    system = registry.get(name)
    if kind == "blind":
        mutants = import_module(f"harness.systems.{name}.blind_mutants").MUTANTS
        serve(system, ServedMutant(system, mutants[which].factory), which)
    else:
        serve(system, ServedReference(system, None), which)


if __name__ == "__main__":
    main(sys.argv[1:])

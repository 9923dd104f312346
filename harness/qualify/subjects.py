"""What is run to be killed: mutants written by hand, written blind, and generated, each with the way to it."""

import sys
from importlib import import_module, resources
from typing import Literal, NamedTuple

from harness.certify.reach import Reach, mutant_hook, own_process, served_python
from harness.errors import UsageError
from harness.qualify.places import Places
from harness.systems import registry
from harness.systems.mutant import Mutant

Kind = Literal["written", "blind", "generated", "logic"]
BLIND = "blind_mutants"


class Subject(NamedTuple):
    """One defective implementation, served over stdio or run as a hook.

    ``clause`` is the one it has to die under, "" for a generated one, which may die under any clause of its system;
    ``logic`` are those that a general operator makes, and none of the domain.
    ``level`` and ``under`` are those of ``Mutant``; a generated one of level L3 is one that only what is ``explored``
    can show: crashes, or orders. ``raises``: its mistake itself is that an operation raises.
    """

    system: registry.System
    kind: Kind
    name: str
    clause: str
    profile: str
    description: str
    level: str = "L1"
    under: str = ""
    explored: frozenset[str] = frozenset()
    raises: bool = False

    @property
    def is_made(self) -> bool:
        """Did an operator make it? Then it breaks no certain clause."""
        return self.kind in ("generated", "logic")

    @property
    def id(self) -> str:
        """Its name among those of all systems."""
        return f"{self.system.name}/{self.name}"

    def reach(self) -> Reach:
        """The way to it, as to anyone's implementation."""
        if self.profile != self.system.served_profile:
            return mutant_hook(self.system, self.name, timeout_scale=1.0)
        if self.kind == "written":
            return served_python(self.system, self.name, timeout_scale=1.0)
        return served(self.system, "generated" if self.is_made else self.kind, self.name)


def served(system: registry.System, *words: str) -> Reach:
    """The way to what ``python -m harness.qualify.served`` makes of these words."""
    command = (sys.executable, "-m", "harness.qualify.served", system.name, *words)
    return own_process(system, command, words[-1], timeout_scale=1.0)


def written(system: registry.System) -> tuple[Subject, ...]:
    """The mutants that were written by hand, with the oracle known."""
    return _entered(system, "written", system.mutants.MUTANTS.values())


def blind(system: registry.System) -> tuple[Subject, ...]:
    """The mutants that were written from the documents without a look at what judges them."""
    if not resources.files(f"harness.systems.{system.name}").joinpath(f"{BLIND}.py").is_file():
        return ()
    room = import_module(f"harness.systems.{system.name}.{BLIND}")
    return _entered(system, "blind", room.MUTANTS.values())


def generated(system: registry.System, sites: "tuple[str, ...] | None" = None) -> tuple[Subject, ...]:
    """Those that the operators make at these places of the reference; at all of them when none is named."""
    places = Places(system.name)
    wanted = tuple(places.sites) if sites is None else sites
    found = []
    for site in wanted:
        if site not in places.sites:
            raise UsageError(f"{system.name} has no place {site!r} that an operator changes")
        operator = places.operator_of(site)
        found.append(
            Subject(
                system,
                "logic" if operator.is_general else "generated",
                site,
                "",
                system.served_profile,
                operator.description,
                operator.level,
                explored=operator.explored,
                raises=operator.raises,
            )
        )
    return tuple(found)


def _entered(system: registry.System, kind: Kind, mutants: "object") -> tuple[Subject, ...]:
    return tuple(
        Subject(system, kind, each.name, each.clause, each.profile, each.description, each.level, each.under)
        for each in mutants  # type: ignore[attr-defined]  # rooms are found by name
        if isinstance(each, Mutant)
    )

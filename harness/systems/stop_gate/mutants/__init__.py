"""The reference with one thing wrong, many times: at least once for every clause, so that the certifier is certified.

Each mutant overrides exactly one attribute: of StopGate, of one of its parts (then the gate's one attribute names
that part), or of StopHook. ``run`` runs a mutant of the hook as a process; the hook that is installed has no such
switch.
"""

import os
from collections.abc import Mapping

from harness.errors import UsageError
from harness.ports.clock import RealClock
from harness.ports.files import Files, RealFiles
from harness.systems.mutant import Mutant
from harness.systems.stop_gate.contract import GATE, STOP_HOOK, Configuration
from harness.systems.stop_gate.mutants import (
    checkers,
    configuration,
    crashes_gate,
    crashes_hook,
    decision,
    hook,
    monitoring,
    session,
    storage,
    transcript,
    weather_gate,
    weather_hook,
    whole,
)
from harness.systems.stop_gate.mutants.table import PARTS, TABLE
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.hook import StopHook

__all__ = ["EVERY_L2", "MUTANTS", "Mutant", "create_mutant", "mutant_hook"]

_ROOMS = (
    whole,
    transcript,
    session,
    checkers,
    configuration,
    storage,
    decision,
    monitoring,
    hook,
    weather_gate,
    weather_hook,
    crashes_gate,
    crashes_hook,
)

MUTANTS: Mapping[str, Mutant] = dict(TABLE)
"""By name, in the order of the document."""
EVERY_L2 = "every-l2"
"""The name of all mutants of level L2 in one: what kills none of them does not kill this one. No mutant itself."""


def create_mutant(name: str, configuration: Configuration, files: Files | None = None) -> StopGate:
    """A gate that is wrong in one way; UsageError when there is no such gate."""
    made = _get(name, GATE).factory(configuration, files)
    assert isinstance(made, StopGate)  # noqa: S101
    return made


def mutant_hook(name: str, environment: Mapping[str, str] | None = None) -> StopHook:
    """A hook that is wrong in one way; UsageError when there is no such hook."""
    made = _get(name, STOP_HOOK).factory(os.environ if environment is None else environment)
    assert isinstance(made, StopHook)  # noqa: S101
    return made


def _get(name: str, profile: str) -> Mutant:
    found = _every_l2(profile) if name == EVERY_L2 else MUTANTS.get(name)
    if found is None or found.profile != profile:
        raise UsageError(f"there is no stop gate mutant {name!r} of the profile {profile}")
    return found


def _every_l2(profile: str) -> Mutant:
    """One class that has all their defects; each of them asks the next one where it has nothing to say."""
    chosen = [mutant for mutant in MUTANTS.values() if mutant.level == "L2" and mutant.profile == profile]
    whole = StopHook if profile == STOP_HOOK else StopGate
    members = {}
    for part, _, attribute in PARTS:
        changed = tuple(mutant.changed for mutant in chosen if issubclass(mutant.changed, part))
        if changed:
            members[attribute] = type(f"EveryL2{part.__name__}", changed, {})
    bases = tuple(mutant.changed for mutant in chosen if issubclass(mutant.changed, whole))
    made = type(f"EveryL2{whole.__name__}", bases, members)

    def gate(configuration: Configuration, files: Files | None = None) -> StopGate:
        found = made(configuration.home, RealClock(), files or RealFiles(), configuration.limits)
        assert isinstance(found, StopGate)  # noqa: S101
        return found

    factory = made if profile == STOP_HOOK else gate
    return Mutant(EVERY_L2, "", profile, "all mutants of level L2 in one", factory, made, made, "L2")

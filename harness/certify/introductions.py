"""What an implementation says of itself at its first answer, as an event of the run."""

from harness.certify.events import ImplementationMet
from harness.certify.reach import Reach
from harness.errors import UntestableError
from harness.targets.messages import InitializeResult


def introduced(reach: Reach, met: InitializeResult) -> ImplementationMet:
    """The event; UntestableError when it declares clauses that nobody knows."""
    declared = dict(met.systems[reach.system.name].not_implemented)
    unknown = [clause for clause in declared if clause not in reach.system.catalogue]
    if unknown:
        raise UntestableError(f"it declares {unknown[0]} not implemented, which is no clause of {reach.system.name}")
    name, version, language = met.implementation.name, met.implementation.version, met.implementation.language
    return ImplementationMet(
        profile=reach.profile, name=name, version=version, language=language, not_implemented=declared
    )

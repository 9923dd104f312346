"""How a mutant gets into the table: its class takes the place of the one it derives from, wherever that is a part."""

from harness.ports.files import Files
from harness.systems.mutant_table import MutantTable
from harness.systems.phase_runner.contract import RUNNER, Configuration
from harness.systems.phase_runner.reference.folders import RealFolders
from harness.systems.phase_runner.reference.runner import PhaseRunner

_NAMES_A_PART = "_class"


class Table(MutantTable[PhaseRunner]):
    """A part may belong to several owners, which name it in an attribute that ends with ``_class``."""

    def implementation(self, changed: type) -> type[PhaseRunner]:
        """See MutantTable.implementation."""
        return with_part(PhaseRunner, changed)


def with_part(owner: type, changed: type) -> type:
    """The owner, or a subclass of it whose parts, and theirs, are the changed class where they were its base."""
    if issubclass(changed, owner):
        return changed
    members: dict[str, type] = {}
    for name in dir(owner):
        if name.endswith(_NAMES_A_PART):
            part = getattr(owner, name)
            other = with_part(part, changed)
            if other is not part:
                members[name] = other
    return type(changed.__name__ + owner.__name__, (owner,), members) if members else owner


def _make(kind: type[PhaseRunner], configuration: Configuration, files: Files) -> PhaseRunner:
    return kind(configuration, files, RealFolders())


TABLE = Table("phase-runner", RUNNER, PhaseRunner, _make)
mutant = TABLE.mutant

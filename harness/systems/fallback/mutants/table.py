"""How a mutant gets into the table."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from harness.ports.files import Files
from harness.systems.fallback.contract import LADDER, Configuration
from harness.systems.fallback.reference import Fallback
from harness.systems.mutant import Mutant

if TYPE_CHECKING:
    from harness.core.scenario import ScenarioLevel

TABLE: dict[str, Mutant] = {}


def mutant(
    name: str, clause: str, description: str, level: "ScenarioLevel" = "L1", under: str = ""
) -> Callable[[type[Fallback]], type[Fallback]]:
    """Enters the decorated subclass, which overrides exactly one attribute, into the table."""

    def enter(changed: type[Fallback]) -> type[Fallback]:
        def factory(configuration: Configuration, files: Files | None = None) -> Fallback:
            return changed()

        TABLE[name] = Mutant(name, clause, LADDER, description, factory, changed, changed, level, under)
        return changed

    return enter

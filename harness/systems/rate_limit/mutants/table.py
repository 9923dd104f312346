"""How a mutant gets into the table."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from harness.ports.files import Files
from harness.systems.mutant import Mutant
from harness.systems.rate_limit.contract import BACKOFF, Configuration
from harness.systems.rate_limit.reference.backoff import RateLimit, made

if TYPE_CHECKING:
    from harness.core.scenario import ScenarioLevel

TABLE: dict[str, Mutant] = {}


def mutant(
    name: str, clause: str, description: str, level: "ScenarioLevel" = "L1", under: str = ""
) -> Callable[[type[RateLimit]], type[RateLimit]]:
    """Enters the decorated subclass, which overrides exactly one attribute, into the table."""

    def enter(changed: type[RateLimit]) -> type[RateLimit]:
        def factory(configuration: Configuration, files: Files | None = None) -> RateLimit:
            return made(changed, configuration, files)

        TABLE[name] = Mutant(name, clause, BACKOFF, description, factory, changed, changed, level, under)
        return changed

    return enter

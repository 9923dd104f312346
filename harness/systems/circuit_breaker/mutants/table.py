"""How a mutant gets into the table, and the gestures several of them share."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from harness.ports.files import Files, RealFiles
from harness.systems.circuit_breaker.contract import BREAKER, Configuration
from harness.systems.circuit_breaker.reference.breaker import Breaker
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.circuit_breaker.reference.load import Load
from harness.systems.circuit_breaker.reference.memory import Memory
from harness.systems.circuit_breaker.reference.pace import Tuning
from harness.systems.circuit_breaker.reference.records import Filing, Stored
from harness.systems.circuit_breaker.reference.recovery_log import RecoveryLog
from harness.systems.circuit_breaker.reference.state_file import StateFile
from harness.systems.mutant import Mutant

if TYPE_CHECKING:
    from harness.core.scenario import ScenarioLevel

PARTS: tuple[tuple[type, str], ...] = (
    (Breaker, "breaker_class"),
    (Filing, "filing_class"),
    (StateFile, "file_class"),
    (RecoveryLog, "log_class"),
    (Load, "load_class"),
    (Tuning, "tuning_class"),
    (Memory, "memory_class"),
)

TABLE: dict[str, Mutant] = {}

SECOND_US = 1_000_000

AnyClass = TypeVar("AnyClass", bound=type)


def mutant(
    name: str, clause: str, description: str, level: "ScenarioLevel" = "L1", under: str = ""
) -> Callable[[AnyClass], AnyClass]:
    """Enters the decorated subclass of CircuitBreakers, or of one of its parts, into the table."""

    def enter(changed: AnyClass) -> AnyClass:
        whole = changed if issubclass(changed, CircuitBreakers) else _with_part(changed)

        def factory(configuration: Configuration, files: Files | None = None) -> CircuitBreakers:
            return whole(configuration, files or RealFiles())

        TABLE[name] = Mutant(name, clause, BREAKER, description, factory, whole, changed, level, under)
        return changed

    return enter


def _with_part(changed: type) -> type[CircuitBreakers]:
    attribute = next(attribute for part, attribute in PARTS if issubclass(changed, part))
    members: dict[str, Any] = {attribute: changed}
    return type(changed.__name__ + "Breakers", (CircuitBreakers,), members)


def rewritten(record: Stored, **fields: Any) -> msgspec.Raw:
    """The record as it is written, with these fields as they should not be; a field that is ``...`` is left out."""
    written = {**msgspec.to_builtins(record), **fields}
    return msgspec.Raw(msgspec.json.encode({name: value for name, value in written.items() if value is not ...}))

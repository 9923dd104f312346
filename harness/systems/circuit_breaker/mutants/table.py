"""How a mutant gets into the table, and the gestures several of them share."""

from typing import Any

import msgspec

from harness.systems.circuit_breaker.contract import BREAKER
from harness.systems.circuit_breaker.reference.breaker import Breaker
from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers
from harness.systems.circuit_breaker.reference.load import Load
from harness.systems.circuit_breaker.reference.memory import Memory
from harness.systems.circuit_breaker.reference.pace import Tuning
from harness.systems.circuit_breaker.reference.records import Filing, Stored
from harness.systems.circuit_breaker.reference.recovery_log import RecoveryLog
from harness.systems.circuit_breaker.reference.state_file import StateFile
from harness.systems.mutant_table import MutantTable, Part

PARTS: tuple[Part, ...] = (
    (Breaker, CircuitBreakers, "breaker_class"),
    (Filing, CircuitBreakers, "filing_class"),
    (StateFile, CircuitBreakers, "file_class"),
    (RecoveryLog, CircuitBreakers, "log_class"),
    (Load, CircuitBreakers, "load_class"),
    (Tuning, CircuitBreakers, "tuning_class"),
    (Memory, CircuitBreakers, "memory_class"),
)

TABLE = MutantTable(
    "circuit breaker", BREAKER, CircuitBreakers, lambda kind, configuration, files: kind(configuration, files), PARTS
)
mutant = TABLE.mutant

SECOND_US = 1_000_000


def rewritten(record: Stored, **fields: Any) -> msgspec.Raw:
    """The record as it is written, with these fields as they should not be; a field that is ``...`` is left out."""
    written = {**msgspec.to_builtins(record), **fields}
    return msgspec.Raw(msgspec.json.encode({name: value for name, value in written.items() if value is not ...}))

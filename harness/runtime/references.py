"""The reference of every system, at work on real files below one directory."""

from typing import Any

from harness.ports.files import Files
from harness.runtime.ports import Systems
from harness.systems import registry

IN_A_SESSION = (
    "stop_gate",
    "circuit_breaker",
    "rate_limit",
    "fallback",
    "error_log",
    "diagnosis",
    "dead_letter",
    "signals",
    "session_recovery",
    "phase_runner",
    "review_gate",
    "rationalization",
)
"""The systems of a session, in the order of ports.Systems."""


def reference(name: str, home: str, files: Files) -> Any:
    """The reference of one; ids it draws from the machine's entropy, directories it lists are real."""
    system = registry.get(name)
    return system.reference.create(system.contract.Configuration(home), files)


def references(home: str, files: Files) -> Systems:
    """All of them."""
    return Systems(*(reference(name, home, files) for name in IN_A_SESSION))

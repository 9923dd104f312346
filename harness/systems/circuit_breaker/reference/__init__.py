"""The reference circuit breaker: document 000 in its permitted readings marked "ours".

``transitions`` is the state machine, ``breaker`` decides in memory, ``kept`` shares breakers by a file, and
``breakers`` has the operations. Names are loaded when they are first asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.systems.circuit_breaker.reference.breakers import CircuitBreakers, create

__all__ = ["CircuitBreakers", "create"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from harness.systems.circuit_breaker.reference import breakers  # noqa: PLC0415

        return getattr(breakers, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

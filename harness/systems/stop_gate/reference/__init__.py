"""The reference stop gate: document 004 in its permitted readings marked "ours", and the hook people install.

Names are loaded when they are first asked for, so that the hook can arm its watchdog before anything else.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.systems.stop_gate.reference.gate import StopGate, create

__all__ = ["StopGate", "create"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from harness.systems.stop_gate.reference import gate  # noqa: PLC0415

        return getattr(gate, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

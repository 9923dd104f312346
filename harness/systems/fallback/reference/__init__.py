"""The reference of fallbacks: document 000 in its permitted readings marked "ours"."""

from harness.systems.fallback.reference.fallback import Fallback, create

__all__ = ["Fallback", "create"]

"""The reference of the signals: document 000 as tables, pure rules, and files that survive what happens to them."""

from harness.systems.signals.reference.signals import Signals, create

__all__ = ["Signals", "create"]

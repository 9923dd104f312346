"""The reference dead-letter queue: document 000 as pure parts, on queue files that survive what happens to them."""

from harness.systems.dead_letter.reference.dead_letter import DeadLetter, create

__all__ = ["DeadLetter", "create"]

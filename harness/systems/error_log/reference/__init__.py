"""The reference error log: document 002 as tables, a pure core, and files that survive what happens to them."""

from harness.systems.error_log.reference.error_log import ErrorLog, create

__all__ = ["ErrorLog", "create"]

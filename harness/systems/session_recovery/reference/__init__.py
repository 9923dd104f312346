"""The reference session: document 000's recovery procedures, and queues that survive what happens to them."""

from harness.systems.session_recovery.reference.session import SessionRecovery, create

__all__ = ["SessionRecovery", "create"]

"""The reference of the diagnostic reflection: document 001 in its permitted readings marked "ours".

``reading`` takes in what is known of a failure, ``taxonomy`` says what it is, ``whys`` why it happened, ``strategies``
and ``planner`` what to do, ``learning`` what worked before, ``memories`` keeps it, and ``reflection`` has the
operations.
"""

from harness.systems.diagnosis.reference.reflection import DiagnosticReflection, create

__all__ = ["DiagnosticReflection", "create"]

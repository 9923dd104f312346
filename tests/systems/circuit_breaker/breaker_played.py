"""The reference, or one with a defect planted in it, as a session in this process plays it."""

import msgspec

from harness.ports.clock import to_seconds, to_text
from harness.systems import registry
from harness.systems.circuit_breaker.contract import OPERATIONS, Configuration
from harness.systems.circuit_breaker.reference import create

SYSTEM = registry.get("circuit_breaker")


class Served:
    """An implementation with a method an operation, of builtins and the time."""

    def __init__(self, implementation):
        self.implementation = implementation

    def __getattr__(self, operation):
        arguments, _ = OPERATIONS[operation]
        method = getattr(self.implementation, operation)
        # as the history has the time: a sum of seconds is a microsecond off now and then
        return lambda args, now_s: method(msgspec.convert(args, arguments), to_seconds(to_text(now_s)))


def served(config):
    return Served(create(msgspec.convert(config, Configuration)))

"""The reference, or one with a defect planted in it, as a session in this process plays it."""

import msgspec

from harness.systems import registry
from harness.systems.diagnosis.contract import OPERATIONS, Configuration
from harness.systems.diagnosis.reference import create

SYSTEM = registry.System("diagnosis")


class Served:
    """An implementation with a method an operation, of builtins and the time."""

    def __init__(self, implementation):
        self.implementation = implementation

    def __getattr__(self, operation):
        arguments, _ = OPERATIONS[operation]
        method = getattr(self.implementation, operation)
        return lambda args, now_s: method(msgspec.convert(args, arguments), now_s)


def served(config):
    return Served(create(msgspec.convert(config, Configuration)))

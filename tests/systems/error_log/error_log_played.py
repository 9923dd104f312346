"""The reference error log as ``serve`` calls it, in this process."""

import msgspec

from harness.ports.clock import to_seconds, to_text
from harness.systems import registry
from harness.systems.error_log.contract import Configuration
from harness.systems.error_log.reference import create

SYSTEM = registry.System("error_log")


class Served:
    """An implementation as ``serve`` calls it: builtins in, results out."""

    def __init__(self, instance):
        self.instance = instance

    def __getattr__(self, operation):
        kind = SYSTEM.contract.OPERATIONS[operation][0]
        method = getattr(self.instance, operation)
        # as the history has the time: a sum of seconds is a microsecond off now and then
        return lambda args, now_s: method(msgspec.convert(args, kind), to_seconds(to_text(now_s)))


def served(config):
    """The reference for that configuration."""
    return Served(create(msgspec.convert(config, Configuration)))

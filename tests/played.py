"""The reference of a system, or one with a defect planted in it, as a session in this process plays it."""

import json

import msgspec

from harness.ports.clock import to_seconds, to_text


class Served:
    """An implementation as ``serve`` calls it: builtins in, results out, which JSON can hold."""

    def __init__(self, system, instance):
        self.system, self.instance = system, instance

    def __getattr__(self, operation):
        kind = self.system.contract.OPERATIONS[operation][0]
        method = getattr(self.instance, operation)
        # as the history has the time: a sum of seconds is a microsecond off now and then
        return lambda args, now_s: answered(method(msgspec.convert(args, kind), to_seconds(to_text(now_s))))


def answered(result):
    """The result; ValueError for one that could not be told over the protocol."""
    json.dumps(msgspec.to_builtins(result), allow_nan=False)
    return result


def served(system):
    """What makes the reference of that system for a configuration of builtins."""
    return lambda config: Served(system, reference(system, config))


def reference(system, config):
    """The reference of that system, not served."""
    return system.reference.create(msgspec.convert(config, system.contract.Configuration))

"""The reference gate in this process, for tests that need many runs of it."""

import msgspec

from harness.systems import registry
from harness.targets.direct import DirectSession

STOP_GATE = registry.get("stop_gate")


class InProcess:
    """Builtins in, results out, as DirectSession wants it."""

    def __init__(self, config):
        self.gate = STOP_GATE.reference.create(msgspec.convert(config, STOP_GATE.contract.Configuration))

    def _call(self, operation, args, now_s):
        return getattr(self.gate, operation)(msgspec.convert(args, STOP_GATE.contract.OPERATIONS[operation][0]), now_s)

    def check(self, args, now_s):
        return self._call("check", args, now_s)

    def continuation_prompt(self, args, now_s):
        return self._call("continuation_prompt", args, now_s)

    def metrics(self, args, now_s):
        return self._call("metrics", args, now_s)


class BlocksAll(InProcess):
    """A gate that blocks whatever it is asked."""

    def check(self, args, now_s):
        return {"decision": "block", "reasons": [], "continuation_prompt": "x", "summary": None, "log": []}


def opened(kind=InProcess):
    """A session with that gate."""
    return DirectSession("gate", kind)

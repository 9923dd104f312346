"""A working directory with the reference on it, and the gestures its tests share. Times are seconds after NOW."""

import itertools
import json

from harness.ports.fake_files import FakeFiles
from harness.systems.circuit_breaker.contract import (
    RECOVERY_LOG_PATH,
    STATE_PATH,
    AcquireArguments,
    CapacityArguments,
    Configuration,
    ConfigureArguments,
    InspectArguments,
    Outcome,
    RecordArguments,
)
from harness.systems.circuit_breaker.reference import create

NOW = 1_772_366_400.0  # 2026-03-01T12:00:00Z
NAME = "api/claude"
CLOSED, OPEN, HALF_OPEN = "CLOSED", "OPEN", "HALF_OPEN"


class World:
    """One process on ``home``; ``opened`` is another one, or the same started anew."""

    def __init__(self, home, files=None, make=create, **tunables):
        self.home, self.files, self.make, self.tunables = home, files, make, tunables
        self.state, self.log = STATE_PATH.replace("{home}", home), RECOVERY_LOG_PATH.replace("{home}", home)
        self.breakers = make(Configuration(home, tunables), files)
        self.numbers = itertools.count()

    def opened(self):
        return World(self.home, self.files, self.make, **self.tunables)

    def call(self):
        return f"call-{id(self)}-{next(self.numbers)}"

    def ask(self, at=0.0, name=NAME, call=None, urgent=True):
        return self.breakers.acquire(AcquireArguments(name, call or self.call(), urgent), NOW + at)

    def tell(self, outcome, call, at=0.0, name=NAME, error=None):
        return self.breakers.record(RecordArguments(name, call, Outcome(outcome), error), NOW + at)

    def ran(self, outcome, at=0.0, name=NAME, error=None):
        call = self.call()
        assert self.ask(at, name, call).permitted
        return self.tell(outcome, call, at, name, error)

    def fail(self, *times, name=NAME, error="HTTP 503"):
        return [self.ran("failure", at, name, error).state for at in times][-1]

    def ok(self, *times, name=NAME):
        return [self.ran("success", at, name).state for at in times][-1]

    def look(self, at=0.0, name=NAME):
        return self.breakers.inspect(InspectArguments(name), NOW + at)

    def capacity(self, at=0.0, agents=5):
        return self.breakers.capacity(CapacityArguments(agents), NOW + at)

    def set(self, **tunables):
        return self.breakers.configure(ConfigureArguments(tunables), NOW)

    def written(self):
        return json.loads(self.read(self.state))

    def lines(self):
        return self.read(self.log).decode().splitlines()

    def read(self, path):
        if self.files is not None:
            return self.files.read(path, 1 << 30)
        with open(path, "rb") as file:
            return file.read()


class Failing(FakeFiles):
    """Files of which chosen methods raise: ``broken["replace"] = OSError(...)``."""

    def __init__(self):
        super().__init__()
        self.broken = {}
        for method in ("read", "replace", "create", "append", "append_lines", "lock", "look"):
            setattr(self, method, self._broken(method))

    def _broken(self, method):
        def call(path, *arguments):
            error = self.broken.get(method)
            if error is not None:
                raise error
            return getattr(FakeFiles, method)(self, path, *arguments)

        return call


def codes(result):
    return [entry.code for entry in result.log]

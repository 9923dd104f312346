"""The reference on a home of its own, and what is asked of it."""

import json
import os

from harness.ports.clock import to_seconds
from harness.ports.fake_files import FakeFiles
from harness.systems.review_gate.contract import (
    GATE_PATH,
    REVIEWERS,
    AnalysedArguments,
    BeginTaskArguments,
    Configuration,
    FixedArguments,
    Issue,
    OpenArguments,
    ReportArguments,
    StatusArguments,
)
from harness.systems.review_gate.reference import create

NOW = to_seconds("2026-03-01T12:00:00.250Z")
ONE, TWO, THREE = REVIEWERS
HIGH, LOW = Issue("high", "It leaks"), Issue("low", "A typo")


class World:
    """One process on ``home``; ``opened`` is another one, or the same started anew. Files are real unless given."""

    def __init__(self, home="/world", files=None, make=create):
        self.home, self.files, self.make = str(home), files, make
        self.gate = make(Configuration(self.home), files)
        self.path = GATE_PATH.replace("{home}", self.home)

    def opened(self):
        return World(self.home, self.files, self.make)

    def put(self, data):
        if self.files is not None:
            self.files.replace(self.path, data)
            return
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "wb") as file:
            file.write(data)

    def text(self):
        if self.files is not None:
            return self.files.read(self.path, 1 << 40)
        with open(self.path, "rb") as file:
            return file.read()

    def file(self):
        return json.loads(self.text())

    # -- operations

    def begin(self, task="a", at=0.0):
        return self.gate.begin_task(BeginTaskArguments(task), NOW + at)

    def open(self, task="a", at=0.0):
        return self.gate.open(OpenArguments(task), NOW + at)

    def analyse(self, *issues, task="a", number=1, at=0.0):
        return self.gate.analysed(AnalysedArguments(task, number, issues), NOW + at)

    def report(self, name, *issues, task="a", number=1, at=0.0):
        return self.gate.report(ReportArguments(task, number, name, issues), NOW + at)

    def fix(self, task="a", at=0.0):
        return self.gate.fixed(FixedArguments(task), NOW + at)

    def status(self, task="a", at=0.0):
        return self.gate.status(StatusArguments(task), NOW + at)

    # -- stories

    def launch(self, *issues, task="a", number=1):
        self.begin(task)
        self.open(task)
        return self.analyse(*issues, task=task, number=number)

    def rest(self, *issues, task="a", number=1):
        self.report(ONE, task=task, number=number)
        self.report(TWO, task=task, number=number)
        return self.report(THREE, *issues, task=task, number=number)

    def review(self, *issues, task="a"):
        self.launch(task=task)
        return self.rest(*issues, task=task)

    def again(self, *issues, task="a", number=2):
        self.fix(task)
        self.analyse(task=task, number=number)
        return self.rest(*issues, task=task, number=number)


class Failing(FakeFiles):
    """Files of which chosen methods raise: ``broken["replace"] = OSError(...)``."""

    def __init__(self):
        super().__init__()
        self.broken = {}
        for method in ("read", "replace", "lock"):
            setattr(self, method, self._broken(method))

    def _broken(self, method):
        def call(path, *arguments):
            if method in self.broken:
                raise self.broken[method]
            return getattr(FakeFiles, method)(self, path, *arguments)

        return call


def codes(result):
    return [str(entry.code) for entry in result.log]

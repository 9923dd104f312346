"""A home and a project for the reference gate, and the words its tests share."""

import json

import msgspec

from harness.ports.clock import FakeClock
from harness.systems.stop_gate.contract import (
    CheckArguments,
    CheckerOutcome,
    Configuration,
    Consideration,
    Limits,
    MetricsArguments,
    PromptArguments,
    Severity,
)
from harness.systems.stop_gate.reference import StopGate, create

NOW = 1_772_366_400.0
SCALE = 0.01  # a checker has 50 ms, an analysis 300 ms
FAILED = Consideration("todo", CheckerOutcome.FAILED, Severity.BLOCKER)
WARNED = Consideration("docs", CheckerOutcome.FAILED, Severity.WARNING)
DONE = Consideration("done", CheckerOutcome.SATISFIED, Severity.BLOCKER)
ANSWERED = ({"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."})


class World:
    """A home and a project, on disk or in memory, with the same few gestures."""

    def __init__(self, root, files):
        self.root, self.files = root, files
        self.home, self.project, self.transcript = f"{root}/home", f"{root}/project", f"{root}/t.jsonl"
        self.runtime = f"{self.home}/.amplihack/.claude/runtime/power-steering"
        self.config = f"{self.project}/.claude/tools/amplihack/.power_steering_config"
        self.gate = StopGate(self.home, FakeClock(NOW), files, Limits(SCALE))
        self.files.create(f"{self.project}/README", b"", NOW)
        self.say(*ANSWERED)

    def write(self, path, data, age_s=0.0):
        self.files.replace(path, data)
        self.files.set_time(path, NOW - age_s)

    def say(self, *records):
        self.write(self.transcript, b"".join(json.dumps(record).encode() + b"\n" for record in records))

    def check(self, *considerations, now=NOW, session_id="s1", **more):
        scripted = considerations if considerations != (None,) else None
        arguments = CheckArguments(self.transcript, self.project, session_id, scripted, **more)
        return self.gate.check(arguments, now)

    def exists(self, path):
        return self.files.status(path) is not None

    def semaphore(self, session_id="s1"):
        return f"{self.runtime}/.{session_id}_completed"


def codes(result, level=None):
    return [entry.code for entry in result.log if level is None or entry.level is level]


class Served:
    """The reference as a DirectSession calls it: builtins in, results out."""

    def __init__(self, gate):
        self.gate = gate

    def check(self, args, now_s):
        return self.gate.check(msgspec.convert(args, CheckArguments), now_s)

    def continuation_prompt(self, args, now_s):
        return self.gate.continuation_prompt(msgspec.convert(args, PromptArguments), now_s)

    def metrics(self, args, now_s):
        return self.gate.metrics(msgspec.convert(args, MetricsArguments), now_s)


def served(config):
    """A reference gate with that configuration (builtins)."""
    return Served(create(msgspec.convert(config, Configuration)))

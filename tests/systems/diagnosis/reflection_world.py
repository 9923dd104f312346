"""A working directory with the reference of the diagnosis on it, and the gestures its tests share."""

import itertools
import json

from harness.ports.fake_files import FakeFiles
from harness.systems.diagnosis.contract import (
    CONTEXT_LOG_PATH,
    EPISODIC_MEMORY_PATH,
    SESSION_MEMORY_PATH,
    Configuration,
    ModelBehaviour,
    ModelScript,
    ObserveArguments,
    OutcomeArguments,
    PromptArguments,
    ReportArguments,
)
from harness.systems.diagnosis.reference.reflection import DiagnosticReflection, made

NOW = 1_772_366_400.0  # 2026-03-01T12:00:00Z
HOME = "/home/agent"
TOOLS = ("run_bash", "read_file", "read_dir", "write_file", "http_fetch")
REPOSITORY = "https://github.com/gatewaybuddy/forgekeeper"
GIT = {"message": "Command failed: exit code 127", "code": 127, "stderr": "bash: git: command not found"}
DENIED = {"message": "EACCES: permission denied, open '/etc/hosts'", "code": "EACCES"}


def context(**changes):
    found = {
        "iteration": 2,
        "previousActions": [],
        "availableTools": list(TOOLS),
        "workspaceState": {"files": ["a.txt"], "directories": ["src"]},
        "taskGoal": "Do it",
    }
    return {name: value for name, value in (found | changes).items() if value is not ...}


class Entropy:
    """The same bytes for the same number of the call."""

    def __init__(self):
        self.numbers = itertools.count(1)

    def __call__(self, size):
        return next(self.numbers).to_bytes(size, "big")


class World:
    """One process on ``home``; ``opened`` is another one, or the same started anew."""

    def __init__(self, files=None, home=HOME, make=made, kind=DiagnosticReflection, entropy=None, **configuration):
        self.files = FakeFiles() if files is None else files
        self.home, self.make, self.kind, self.configuration = home, make, kind, configuration
        self.entropy = entropy or Entropy()
        flags = configuration.pop("flags", {})
        self.flags = flags
        self.reflection = make(kind, Configuration(home, flags, **configuration), self.files, self.entropy, lambda: 0.0)
        self.numbers = itertools.count(1)

    def opened(self, **flags):
        return World(
            self.files, self.home, self.make, self.kind, self.entropy, flags=flags or self.flags, **self.configuration
        )

    def observe(self, error, tool="run_bash", args=None, call=None, model=None, success=False, at=0.0, **changes):
        arguments = ObserveArguments(
            call or f"c{next(self.numbers)}",
            tool,
            {"command": "true x"} if args is None else args,
            success,
            error,
            changes["context"] if "context" in changes else context(**changes),
            model,
        )
        return self.reflection.observe(arguments, NOW + at)

    def clone(self, call="git", **changes):
        return self.observe(GIT, args={"command": f"git clone {REPOSITORY}"}, call=call, **changes)

    def tried(self, success, call="git", iterations=1):
        return self.reflection.outcome(OutcomeArguments(call, success, iterations), NOW)

    def prompt(self, call="git"):
        return self.reflection.prompt(PromptArguments(call), NOW)

    def report(self, call="git"):
        return self.reflection.report(ReportArguments(call), NOW)

    def path(self, name):
        return {"session": SESSION_MEMORY_PATH, "episodic": EPISODIC_MEMORY_PATH, "log": CONTEXT_LOG_PATH}[
            name
        ].replace("{home}", self.home)

    def bytes(self, name):
        try:
            return self.files.read(self.path(name), 1 << 30)
        except FileNotFoundError:
            return b""

    def lines(self, name):
        return [json.loads(line) for line in self.bytes(name).splitlines()]


def says(text, behaviour="answers", delay_s=0.0):
    return ModelScript(ModelBehaviour(behaviour), text if isinstance(text, str) else json.dumps(text), delay_s)


def codes(result):
    return [entry.code for entry in result.log]


def kind(result):
    return result.diagnosis["errorClassification"]["type"]


def names(result):
    return [each["strategy"] for each in result.diagnosis["alternatives"]]


def approaches(result):
    return [each["approach"] for each in result.diagnosis["alternatives"]]


def commands(plan):
    return [step["args"]["command"] for step in plan["steps"] if "command" in step["args"]]


class Failing(FakeFiles):
    """Files of which chosen methods raise: ``broken["append_lines"] = OSError(...)``; ``only`` names the one path."""

    def __init__(self, only=""):
        super().__init__()
        self.broken = {}
        self.only = only
        for method in ("read_from", "status", "append_lines", "append", "lock", "read", "replace"):
            setattr(self, method, self._broken(method))

    def _broken(self, method):
        def call(path, *arguments):
            error = self.broken.get(method)
            if error is not None and self.only in path:
                raise error
            return getattr(FakeFiles, method)(self, path, *arguments)

        return call

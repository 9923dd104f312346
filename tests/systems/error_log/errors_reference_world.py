"""A working directory with the reference on it, and the gestures its tests share. Times are seconds after NOW."""

import json

from harness.ports.fake_files import FakeFiles
from harness.systems.error_log.contract import (
    ERRORS_PATH,
    METADATA_PATH,
    PLAN_PATH,
    SOURCE_PATH,
    STATE_PATH,
    TODO_PATH,
    BeginArguments,
    ClassifyArguments,
    Configuration,
    ErrorGiven,
    Facts,
    FinishArguments,
    HandleArguments,
    Incident,
    LogArguments,
    PatternsArguments,
    Progress,
    ReadArguments,
    RecoverArguments,
    ResumeArguments,
    SetFixStatusArguments,
)
from harness.systems.error_log.reference import create

NOW = 1_772_366_400.5  # 2026-03-01T12:00:00.500Z
TASK = 259
PHASES = ("phase1", "phase2", "phase3")
PLAN = b"# Plan\n\n### Phase 1: lexer [COMPLETED]\n### Phase 2: parser [IN PROGRESS]\n\n- text\n### Phase 3: tests\n"
PATHS = {
    "errors": ERRORS_PATH, "metadata": METADATA_PATH, "plan": PLAN_PATH,
    "todo": TODO_PATH, "state": STATE_PATH, "source": SOURCE_PATH,
}  # fmt: skip


def given(kind="timeout", message="it took too long", **fields):
    return ErrorGiven(kind, message, **fields)


def progress(completed=("phase1",), failed_at="phase2", partial=None, task=TASK, phases=PHASES):
    return Progress(task, phases, tuple(completed), failed_at, partial)


class World:
    """One process on ``home``; ``opened`` is another one, or the same started anew."""

    def __init__(self, home="/world", files=None, make=create):
        self.home, self.files, self.make = home, files, make
        self.log_ = make(Configuration(home), files)

    def opened(self):
        return World(self.home, self.files, self.make)

    def log(self, name, error=None, at=0.0, **fields):
        return self.log_.log(LogArguments(name, error or given(**fields)), now_s=NOW + at)

    def records(self, session_id=None, at=0.0):
        return list(self.log_.read(ReadArguments(session_id), NOW + at).records)

    def read_all(self):
        return self.log_.read(ReadArguments(), NOW)

    def names(self, session_id=None):
        return [each["name"] for each in self.records(session_id)]

    def patterns(self):
        return {
            each.type: (each.count, each.sessions) for each in self.log_.patterns(PatternsArguments(), NOW).patterns
        }

    def fix(self, name, status="fixed", at=0.0):
        return self.log_.set_fix_status(SetFixStatusArguments(name, status), NOW + at)

    def type_of(self, source, **fields):
        return self.log_.classify(ClassifyArguments(Incident(source, **fields)), NOW).type

    def handle(self, name, error=None, made=None, at=0.0):
        return self.log_.handle(HandleArguments(name, error or given(), made or progress()), NOW + at)

    def recover(self, name, error=None, made=None, at=0.0, **facts):
        return self.log_.recover(RecoverArguments(name, error or given(), made or progress(), Facts(**facts)), NOW + at)

    def begin(self, task=TASK, status="implementing", at=0.0, session_id="sess_1736700000_abc123"):
        path = ("orchestrator", "implement", "agent")
        return self.log_.begin(BeginArguments(task, session_id, "agent", path, status), NOW + at)

    def resume(self, task=TASK, at=0.0):
        return self.log_.resume(ResumeArguments(task), NOW + at)

    def goes_on(self, task=TASK):
        found = self.resume(task)
        return found.resume_at, found.completed, found.partial

    def finish(self, at=0.0):
        return self.log_.finish(FinishArguments(), NOW + at)

    def path(self, label):
        return PATHS[label].replace("{home}", self.home)

    def text(self, label):
        path = self.path(label)
        if self.files is not None:
            return self.files.read(path, 1 << 40)
        with open(path, "rb") as file:
            return file.read()

    def put(self, label, data):
        if self.files is not None:
            self.files.replace(self.path(label), data)
            return
        with open(self.path(label), "wb") as file:
            file.write(data)

    def written(self, label="errors"):
        return json.loads(self.text(label))

    def in_file(self):
        found = self.written()
        return [each["name"] for each in (found if isinstance(found, list) else found["errors"])]


class Failing(FakeFiles):
    """Files of which chosen methods raise: ``broken["replace", "errors"] = OSError(...)``, the label or None for all."""

    def __init__(self):
        super().__init__()
        self.broken = {}
        for method in ("read", "replace", "create", "lock"):
            setattr(self, method, self._broken(method))

    def _broken(self, method):
        def call(path, *arguments):
            for (broken, label), error in self.broken.items():
                if broken == method and (label is None or PATHS[label].rpartition("/")[2] in path):
                    raise error
            return getattr(FakeFiles, method)(self, path, *arguments)

        return call


def codes(result):
    return [str(entry.code) for entry in result.log]


def actions(result):
    return [str(step.action) for step in result.steps]

"""A project with the reference on it, and the gestures its tests share. Times are seconds after NOW."""

import json

from harness.ports.fake_files import FakeFiles
from harness.systems.queue_files import path_of
from harness.systems.session_recovery.contract import (
    BREAKERS_PATH,
    CHECKPOINT_PATH,
    CONTINUITY_PATH,
    LEDGER_PATH,
    ORCHESTRATOR_PATH,
    SPECIFICATION_PATH,
    BeginOperationArguments,
    BeginTurnArguments,
    CheckpointArguments,
    ClaimArguments,
    CompleteArguments,
    Configuration,
    Facts,
    Kind,
    LedgerArguments,
    Reason,
    ResumeArguments,
    StartTaskArguments,
)
from harness.systems.session_recovery.reference import create

NOW = 1_772_366_400.0  # 2026-03-01T12:00:00Z
TREE = {"DEVELOPMENT": "implement", "QA": "test"}
PATHS = {
    "continuity": CONTINUITY_PATH, "orchestrator": ORCHESTRATOR_PATH, "breakers": BREAKERS_PATH,
    "checkpoint": CHECKPOINT_PATH, "ledger": LEDGER_PATH, "specification": SPECIFICATION_PATH,
}  # fmt: skip


def task(task_id, **fields):
    return {"task_id": task_id, "title": f"Task {task_id}", "description": f"Do {task_id}.", **fields}


def breaker(state="OPEN", until="2026-03-01T12:02:00Z"):
    return {"state": state, "failure_count": 3, "last_failure_time": None,
            "last_state_change": "2026-03-01T11:57:00Z", "cooldown_until": until}  # fmt: skip


class World:
    """One process on ``home``; ``opened`` is another one, or the same started anew."""

    def __init__(self, home="/world", files=None, make=create):
        self.home, self.files, self.make = home, files, make
        self.session = make(Configuration(home), files)

    def opened(self):
        return World(self.home, self.files, self.make)

    def turn(self, tree=TREE, at=0.0):
        return self.session.begin_turn(BeginTurnArguments(tree), NOW + at)

    def resume(self, reason="context_loss", at=0.0, **facts):
        return self.session.resume(ResumeArguments(Reason(reason), Facts(**facts)), NOW + at)

    def claim(self, worker="w1"):
        return self.session.claim(ClaimArguments(worker), NOW)

    def start(self, task_id="a", interface=None):
        return self.session.start_task(StartTaskArguments(task_id, interface), NOW)

    def complete(self, task_id="a", worker="w1"):
        return self.session.complete(CompleteArguments(worker, task_id), NOW)

    def ledger(self):
        return self.session.ledger(LedgerArguments(), NOW)

    def checkpoint(self, name="c1", state=None):
        return self.session.checkpoint(CheckpointArguments(name, {"n": 1} if state is None else state), NOW)

    def begin(self, name="o1", kind="major", at=0.0, **fields):
        return self.session.begin_operation(BeginOperationArguments(name, Kind(kind), **fields), NOW + at)

    def path(self, label):
        return PATHS[label].replace("{home}", self.home) if label in PATHS else f"{self.home}/{path_of(label)}"

    def text(self, label):
        path = self.path(label)
        if self.files is not None:
            return self.files.read(path, 1 << 40)
        with open(path, "rb") as file:
            return file.read()

    def put(self, label, data):
        made = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.files.replace(self.path(label), made)

    def queue(self, queue, *tasks):
        self.put(queue, {"tasks": list(tasks)})

    def written(self, label):
        return json.loads(self.text(label))

    def ids(self, queue):
        try:
            found = self.written(queue)
        except FileNotFoundError:
            return []
        return [each["task_id"] for each in (found if isinstance(found, list) else found["tasks"])]

    def queues(self):
        return {queue: self.ids(queue) for queue in ("pending", "in-progress", "completed")}


class Failing(FakeFiles):
    """Files of which chosen methods raise: ``broken["replace", "ledger"] = OSError(...)``, the label or None for all.

    ``fuse`` is after how many such calls it no longer does.
    """

    def __init__(self):
        super().__init__()
        self.broken = {}
        self.fuse = 1 << 30
        for method in ("read", "replace", "create", "lock"):
            setattr(self, method, self._broken(method))

    def _broken(self, method):
        def call(path, *arguments):
            for (broken, label), error in self.broken.items():
                if broken == method and (label is None or self._place(label) in path) and self.fuse > 0:
                    self.fuse -= 1
                    raise error
            return getattr(FakeFiles, method)(self, path, *arguments)

        return call

    def _place(self, label):
        return "queue/.lock" if label == "queues" else PATHS.get(label, f"/{label}.json").rpartition("/")[2]


def world(**queues):
    """A project in memory with these queues."""
    made = World(files=Failing())
    for queue, tasks in queues.items():
        made.queue(queue.replace("_", "-"), *tasks)
    return made


def codes(result):
    return [str(entry.code) for entry in result.log]


def actions(result):
    return [str(step.action) for step in result.steps]


def step(result, action):
    return next(each for each in result.steps if each.action == action)

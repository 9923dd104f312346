"""Files whose invariants are watched, without a simulation, and how they are written in short."""

import json

from harness.ports.fake_files import FakeFiles
from harness.simulation.invariants import Invariants

HOME = "/home/agent"
QUEUES = f"{HOME}/.loki/queue"
PENDING, AT_WORK, DONE = (f"{QUEUES}/{name}.json" for name in ("pending", "in-progress", "completed"))
DEAD, BLOCKED = f"{QUEUES}/dead-letter.json", f"{QUEUES}/blocked.json"
LEDGER = f"{HOME}/.loki/memory/ledgers/tasks.jsonl"
ERRORS = f"{HOME}/specs/errors.json"
BREAKERS = f"{HOME}/.loki/state/circuit-breakers.json"
REVIEWS = f"{HOME}/.loki/signals/HUMAN_REVIEW_NEEDED"
DRIFTS = f"{HOME}/.loki/signals/DRIFT_DETECTED"
WHEN = {"at": "2026-03-01T12:00:00Z", "correlation_id": "call-1"}


def queue(*tasks):
    return json.dumps({"tasks": [{"task_id": task} for task in tasks]}).encode()


def breakers(**states):
    return json.dumps({name: {"state": state} for name, state in states.items()}).encode()


def log(*records):
    written = [json.dumps({"id": id_, "message": text, "context": {"session_id": "s"}}) for id_, text in records]
    return ('{"errors":[\n' + ",\n".join(written) + "\n]}\n").encode()


class World:
    """Files that are watched, and one session."""

    def __init__(self):
        self.files = FakeFiles()
        self.watched = Invariants(self.files, HOME)

    def write(self, path, data):
        self.files.replace(path, data)

    def take(self, kind, /, **fields):
        return self.watched.take("s", kind(**WHEN, **fields))

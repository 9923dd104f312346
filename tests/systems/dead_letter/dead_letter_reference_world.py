"""A project's home with the reference on it, and the gestures its tests share. Times are seconds after NOW."""

import json
import os

from harness.ports.clock import to_text
from harness.ports.fake_files import FakeFiles
from harness.systems.dead_letter.contract import (
    QUEUE_PATHS,
    AbandonArguments,
    AttemptGiven,
    Configuration,
    EscalationsArguments,
    ListArguments,
    RecordFailureArguments,
    SessionArguments,
    TaskFacts,
)
from harness.systems.dead_letter.reference import create

NOW = 1_772_366_400.5  # 2026-03-01T12:00:00.500Z
DAY_S = 86_400.0
GIVEN = {"approach": "first", "error_type": "timeout", "error_message": "it took 30 s", "agent_id": "eng-001"}


def stamp(at=0.0):
    return to_text(NOW + at)


def attempt(number=1, at=0.0, **fields):
    return {"attempt_number": number, "timestamp": stamp(at), **GIVEN, **fields}


def attempts(count, **fields):
    return [attempt(number + 1, number, **fields) for number in range(count)]


def task(task_id="T-1", count=0, **fields):
    data = {"title": "Parse it", "description": "all of it", "dependencies": ["T-0"], "priority": "high"}
    return {"task_id": task_id, "task_data": data, "failure_count": count, "attempts": attempts(count), **fields}


def letter(task_id="T-1", count=5, **fields):
    found = task(task_id, count)
    return {
        **found, "original_queue": "pending", "first_failure": stamp(), "last_failure": stamp(count - 1),
        "error_summary": "it fails", "recovery_strategy": "retry_with_simpler_approach", **fields,
    }  # fmt: skip


class World:
    """One process on ``home``; ``opened`` is another one, or the same started anew. Files are real unless given."""

    def __init__(self, home="/world", files=None, make=create, **queues):
        self.home, self.files, self.make = home, files, make
        listing = None if files is None else self.listed
        self.queue = make(Configuration(home), files, listing=listing)
        for name, tasks in queues.items():
            self.put(name.replace("_", "-"), tasks)

    def opened(self):
        return World(self.home, self.files, self.make)

    def listed(self, directory):
        return sorted(path.removeprefix(f"{directory}/") for path in self.files.contents if path.startswith(directory))

    # -- files

    def path(self, queue):
        return QUEUE_PATHS[queue].replace("{home}", self.home)

    def put(self, queue, content):
        data = content if isinstance(content, bytes) else json.dumps(self.document(queue, content)).encode()
        if self.files is not None:
            self.files.replace(self.path(queue), data)
            return
        os.makedirs(os.path.dirname(self.path(queue)), exist_ok=True)
        with open(self.path(queue), "wb") as file:
            file.write(data)

    def document(self, queue, content):
        return {"tasks": content} if isinstance(content, list) else content

    def text(self, queue):
        if self.files is not None:
            return self.files.read(self.path(queue), 1 << 40)
        with open(self.path(queue), "rb") as file:
            return file.read()

    def file(self, queue="dead-letter"):
        return json.loads(self.text(queue))

    def stored(self, queue="dead-letter", task_id="T-1"):
        return next((each for each in self.file(queue)["tasks"] if each["task_id"] == task_id), None)

    def places(self, task_id="T-1"):
        return self.every_place(task_id)[task_id]

    def every_place(self, *task_ids):
        """The queues of each of these, each file read once."""
        found = {task_id: [] for task_id in task_ids}
        for queue in QUEUE_PATHS:
            try:
                document = self.file(queue)
            except FileNotFoundError:
                continue
            tasks = document["tasks"] if isinstance(document, dict) else document
            for each in tasks:
                if isinstance(each, dict) and each.get("task_id") in found:
                    found[each["task_id"]].append(queue)
        return found

    # -- operations

    def fail(self, task_id="T-1", at=0.0, **fields):
        given = AttemptGiven(**{**GIVEN, **fields})
        return self.queue.record_failure(RecordFailureArguments(task_id, given), NOW + at)

    def start(self, at=0.0, facts=None):
        return self.queue.start_session(SessionArguments(facts or {}), NOW + at)

    def review(self, at=0.0, task_id="T-1", facts=None, **fields):
        return self.queue.review(SessionArguments(facts or {task_id: TaskFacts(**fields)}), NOW + at)

    def decide(self, at=0.0, task_id="T-1", **fields):
        return next(each for each in self.review(at, task_id, **fields).decisions if each.task_id == task_id)

    def abandon(self, task_id="T-1", by="a human", reason="no longer wanted"):
        return self.queue.abandon(AbandonArguments(task_id, by, reason), NOW)

    def tasks(self, queue="pending"):
        return self.queue.list(ListArguments(queue), NOW)

    def escalations(self):
        return self.queue.escalations(EscalationsArguments(), NOW)

    def names(self):
        return sorted(each.name for each in self.escalations().files)


class Failing(FakeFiles):
    """Files of which chosen methods raise: ``broken["replace", "pending"] = OSError(...)``, a part of the path."""

    def __init__(self):
        super().__init__()
        self.broken = {}
        for method in ("read", "replace", "create", "lock", "remove", "look"):
            setattr(self, method, self._broken(method))

    def _broken(self, method):
        def call(path, *arguments):
            for (broken, part), error in self.broken.items():
                if broken == method and part in path:
                    raise error
            return getattr(FakeFiles, method)(self, path, *arguments)

        return call


def codes(result):
    return [str(entry.code) for entry in result.log]

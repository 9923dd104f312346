"""Queue files in memory that can fail, and the gestures the tests of the queue store share."""

import contextlib
import json

from harness.ports.fake_files import FakeFiles
from harness.systems import queue_files
from harness.systems.queue_store import QueueStore

A = {"task_id": "a", "title": "parser"}


class Disk(FakeFiles):
    """Files in memory; ``broken`` has the errors of operations, by their names and the ends of paths."""

    def __init__(self, **contents):
        super().__init__()
        self.broken = {}
        for queue, text in contents.items():
            self.put(queue, text)

    def put(self, queue, text):
        data = text if isinstance(text, bytes) else text.encode()
        self.contents[f"/home/{queue_files.path_of(queue.replace('_', '-'))}"] = (data, 5.0)

    def text(self, name):
        return self.contents[f"/home/.loki/queue/{name}"][0].decode()

    def names(self):
        return sorted(path.rpartition("/")[2] for path in self.contents)

    def fails(self, operation, path):
        for (name, end), error in self.broken.items():
            if name == operation and path.endswith(end):
                raise error

    def read(self, path, limit_bytes):
        self.fails("read", path)
        return super().read(path, limit_bytes)

    def create(self, path, data, mtime_s):
        self.fails("create", path)
        return super().create(path, data, mtime_s)

    def replace(self, path, data):
        self.fails("replace", path)
        super().replace(path, data)

    def remove(self, path):
        self.fails("remove", path)
        super().remove(path)

    @contextlib.contextmanager
    def lock(self, path, timeout_s):
        self.fails("lock", path)
        yield


@contextlib.contextmanager
def opened(disk):
    with QueueStore(disk, "/home").held() as queues:
        yield queues


def tasks(*each):
    return json.dumps({"tasks": each})


def where(disk, task_id="a"):
    with opened(disk) as queues:
        return [queue for queue in queue_files.QUEUES if queues.read(queue).find(task_id) is not None]

"""The queues with each file call struck, at every crash and loss of power, and with other processes at once."""

import json
import os

import pytest
from campaigns import sliced
from crash_checks import (
    WaitingHere,
    assert_sound_at_every_error,
    assert_sound_in_every_order,
    assert_survives,
    outputs_of_processes,
)

from harness.explore.in_process.subject import Subject
from harness.ports.files import RealFiles
from harness.systems.queue_files import DEAD_LETTER, PENDING, QUEUES
from harness.systems.queue_store import QueueStore

FOLDER = ".loki/queue"
TASK = {"task_id": "a", "unknown": {"x": 1}}
OTHERS = {"pending": ("b", "c"), "dead-letter": ("d",)}
BEFORE = {
    f"{FOLDER}/pending.json": json.dumps({"v": 1, "tasks": [{"task_id": "b"}, TASK, {"task_id": "c"}, 7]}).encode(),
    f"{FOLDER}/dead-letter.json": b'[{"task_id":"d"}]',
    f"{FOLDER}/.lock": b"",
}
BACK = BEFORE | {
    f"{FOLDER}/pending.json": b'{"v":1,"tasks":[{"task_id":"b"},{"task_id":"c"},7]}',
    f"{FOLDER}/dead-letter.json": json.dumps([{"task_id": "d"}, TASK | {"moves": 1}]).encode(),
}
BOTH = BEFORE | {f"{FOLDER}/dead-letter.json": BACK[f"{FOLDER}/dead-letter.json"]}


def held(home, files=None):
    return QueueStore(files or RealFiles(), home).held()


def where(home):
    """The queue that has the task, with all that belongs to it; what else is wrong, as a text."""
    with held(home) as queues:
        wrong = [each for each in queues.reports if each.kind != "duplicate"]
        ids = {queue: queues.read(queue).ids() for queue in QUEUES}
        place = queues.place("a")
        found = None if place is None else queues.read(place).find("a")
    on_disk = "".join(each for path in paths(home) if path.endswith(".json") for each in text(path)).count('"a"')
    if wrong or found is None or found.get("unknown") != {"x": 1} or on_disk != 1:
        return f"{wrong} {found} {on_disk}"
    others = {queue: tuple(each for each in ids[queue] if each != "a") for queue in OTHERS}
    return place if others == OTHERS else f"{ids}"


def paths(home):
    return sorted(f"{home}/{FOLDER}/{name}" for name in os.listdir(f"{home}/{FOLDER}"))


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def temporary(home):
    return [path for path in paths(home) if ".tmp-" in path]


def moving(home, source, destination):
    def operate():
        with held(home) as queues:
            return queues.move("a", source, destination)

    return operate


def opening(home):
    with held(home) as queues:
        return [each.kind for each in queues.reports]


MOVES = [(BEFORE, PENDING, DEAD_LETTER), (BACK, DEAD_LETTER, PENDING)]


@pytest.mark.parametrize("model", ["kill", "power"])
@pytest.mark.parametrize(("before", "source", "destination"), sliced(reversed(MOVES)), ids=["back", "there"])
def test_no_task_is_lost_or_doubled_at_any_crash(home, model, before, source, destination):
    def survives(finished):
        found = where(home)
        return "" if found in ([destination] if finished else [source, destination]) else found

    subject = Subject(home, before, moving(home, source, destination), recover=lambda: opening(home), survives=survives)
    assert_survives(subject, model, deep=model == "kill")


@pytest.mark.parametrize(("before", "source", "destination"), MOVES, ids=["there", "back"])
def test_no_error_of_a_file_call_loses_a_task_or_is_kept_quiet(home, before, source, destination):
    def judge(ended):
        if ended.error is not None and not isinstance(ended.error, OSError):
            return repr(ended.error)
        left = temporary(home)
        found = where(home)
        expected = source if ended.error else destination
        return "" if (found, left) == (expected, []) else f"{found} {left}"

    assert_sound_at_every_error(Subject(home, before, moving(home, source, destination), judge), 20)


@pytest.mark.campaign
def test_what_a_crash_left_is_taken_out_at_any_error_and_any_crash(home):
    def judge(ended):
        if ended.error is not None and not isinstance(ended.error, OSError):
            return repr(ended.error)
        found = where(home)
        return "" if found == DEAD_LETTER else found

    def survives(_finished):
        found = where(home)
        return "" if found == DEAD_LETTER else found

    subject = Subject(home, BOTH, lambda: opening(home), judge, lambda: opening(home), survives)
    assert_sound_at_every_error(subject, 20)
    assert_survives(subject, "kill", deep=True)


def test_a_damaged_file_survives_any_error_and_any_crash_of_being_set_aside(home):
    torn = b'{"tasks": [{"task_id": "a"'
    before = BEFORE | {f"{FOLDER}/pending.json": torn, f"{FOLDER}/pending.json.corrupt-1": b"earlier"}

    def operate():
        with held(home) as queues:
            queues.put("pending", {"task_id": "n"})

    def survives(_finished):
        found = [text(path) for path in paths(home) if "/pending.json" in path]
        return "" if torn.decode() in found and "earlier" in found else str(found)

    subject = Subject(home, before, operate, lambda _: survives(True), lambda: opening(home), survives)
    assert_sound_at_every_error(subject, 20)
    assert_survives(subject, "kill", deep=True)
    assert_survives(subject, "power")


def test_a_task_that_two_move_at_once_is_moved_once_and_those_put_at_once_are_all_there(home):
    def body(number):
        def operate():
            with held(home, WaitingHere()) as queues:
                queues.put("blocked", {"task_id": f"n{number}"})
                if queues.place("a") == PENDING:
                    return queues.move("a", PENDING, DEAD_LETTER)["moves"]
                return None

        return operate

    def judge(ends):
        results = sorted(str(end.result) for end in ends)
        with held(home) as queues:
            ids = sorted(queues.read("blocked").ids())
        good = results == ["1", "None"] and ids == ["n0", "n1"] and where(home) == DEAD_LETTER
        return "" if good else f"{results} {ids} {where(home)}"

    assert_sound_in_every_order(home, BEFORE, [body(0), body(1)], judge)


WORKER = """
import sys
from harness.ports.files import RealFiles
from harness.systems.queue_store import QueueStore, QueuesLockedError

home, number = sys.argv[1:]
store = QueueStore(RealFiles(), home)
sys.stdin.readline()
for turn in range(20):
    while True:
        try:
            with store.held() as queues:
                queues.put("pending", {"task_id": f"{number}-{turn}"})
                queues.move(f"{number}-{turn}", "pending", "in-progress")
                place = queues.place("a")
                queues.move("a", place, "pending" if place == "dead-letter" else "dead-letter")
                if queues.reports:
                    sys.exit(str(queues.reports))
            break
        except QueuesLockedError:
            pass
"""


def test_processes_at_once_lose_no_task(home):
    os.makedirs(f"{home}/{FOLDER}")
    for path, data in BEFORE.items():
        RealFiles().replace(f"{home}/{path}", data)
    outputs_of_processes(WORKER, home, "01")
    with held(home) as queues:
        found = queues.read("in-progress").ids()
        assert queues.read("pending").find("a")["moves"] == 40
    for number in range(2):
        own = [each for each in found if each.startswith(f"{number}-")]
        assert own == [f"{number}-{turn}" for turn in range(20)]
    assert where(home) == PENDING
    assert temporary(home) == []

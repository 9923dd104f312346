"""The reference with each of its file calls struck, at every crash and loss of power, and with other processes at once."""

import json

import pytest
from campaigns import sliced
from crash_checks import (
    WaitingHere,
    assert_sound_at_every_error,
    assert_sound_in_every_order,
    assert_survives,
    outputs_of_processes,
)
from dead_letter_reference_world import World, stamp, task

from harness.explore.in_process.subject import Subject
from harness.systems.dead_letter.contract import Scope

FOLDER = ".loki/queue"
OLD = {"last_reviewed": stamp(-9e5), "total_abandoned": 0, "total_recovered": 0}
FAILED = {"approach": "a", "error_type": "timeout"}
BEFORE = {
    f"{FOLDER}/dead-letter.json": json.dumps(
        {"tasks": [{"task_id": "T-1", "failure_count": 5}, {"task_id": "T-3"}], "metadata": OLD}
    ).encode(),
    f"{FOLDER}/pending.json": json.dumps(
        {"tasks": [{"task_id": "T-2", "failure_count": 4, "attempts": [FAILED]}, {"task_id": "T-4"}], "v": 1}
    ).encode(),
    f"{FOLDER}/.lock": b"",
    ".loki/escalations/20260101T000000Z-T-3.md": b"x",
}
"""Short, for a write is torn after every byte of it."""
EVERY = ("T-1", "T-2", "T-3", "T-4")
OPERATIONS = {
    "fail": lambda world: world.fail("T-2", at=9.0),
    "retry": lambda world: world.review(at=9.0, new_approach="by hand"),
    "simplify": lambda world: world.review(at=9.0, simpler_scope=Scope("part", "of it")),
    "abandon": lambda world: world.review(at=9.0, irrelevant=True),
    "escalate": lambda world: world.review(at=9.0, needs=("x",)),
    "human": lambda world: world.abandon(),
}
DESTINATIONS = {"fail": ("T-2", "dead-letter"), "retry": ("T-1", "pending"), "abandon": ("T-1", "abandoned"),
                "human": ("T-1", "abandoned")}  # fmt: skip
COUNTED = {"retry": ("total_recovered",), "abandon": ("total_abandoned",), "human": ("total_abandoned",)}


def waiting(home):
    """A process that waits for the lock in its own thread."""
    world = World(home)
    world.queue.store.files = WaitingHere()
    return world


def sound(world, name):
    """What is wrong with the queues, when all are read by the next operation: a task lost, doubled or half moved."""
    world.tasks()
    places = world.every_place(*EVERY)
    if any(len(found) != 1 for found in places.values()):
        return str(places)
    metadata = world.file()["metadata"]
    for counter in ("total_recovered", "total_abandoned"):
        task_id, destination = DESTINATIONS.get(name, ("T-1", ""))
        gone = counter in COUNTED.get(name, ()) and places[task_id] == [destination]
        if metadata[counter] != gone:
            return f"{metadata} {places}"
    names = [each for each in world.names() if not each.endswith("T-3.md")]
    if world.stored() and (world.stored().get("recovery_strategy") == "requires_human_review") > len(names):
        return f"waits without a file: {names}"
    return "" if world.file("pending")["v"] == 1 else "unknown fields are gone"


def done(world, name):
    """What of the operation is not there, though it was acknowledged."""
    if name in DESTINATIONS:
        task_id, destination = DESTINATIONS[name]
        if world.places(task_id) != [destination]:
            return f"{task_id} is in {world.places(task_id)}"
    if name == "fail":
        return "" if world.stored(task_id="T-2")["attempts"][0] == FAILED else "attempts are lost"
    if name == "simplify":
        return "" if world.stored()["simpler_task"] == "T-1-simpler" else "not linked"
    if name == "escalate":
        return "" if len(world.names()) == 2 and world.stored()["escalations"] else str(world.names())
    return ""


@pytest.mark.parametrize("model", ["kill", "power"])
@pytest.mark.parametrize("name", sliced(OPERATIONS))
def test_nothing_is_lost_at_any_crash(home, name, model):
    def survives(finished):
        world = World(home)
        complaint = sound(world, name) or (done(world, name) if finished else "")
        if complaint or name in {"fail", "human"}:
            return complaint
        reviewed = world.file()["metadata"]["last_reviewed"]
        if (finished or reviewed != OLD["last_reviewed"]) and (reviewed != stamp(9.0) or done(world, name)):
            return f"reviewed {reviewed}"
        again = OPERATIONS[name](world)
        return "" if again.reviewed and not done(World(home), name) else f"not repeated: {again}"

    subject = Subject(
        home, BEFORE, lambda: OPERATIONS[name](World(home)), recover=lambda: World(home).tasks(), survives=survives
    )
    assert_survives(subject, model)


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_error_of_a_file_call_escapes_or_loses_anything(home, name):
    def judge(ended):
        if ended.error is not None:
            return repr(ended.error)
        world, told = World(home), ended.result
        complaint = sound(world, name)
        if complaint or not all(getattr(told, field, True) for field in ("recorded", "reviewed", "abandoned")):
            return complaint
        return done(world, name)

    assert_sound_at_every_error(Subject(home, BEFORE, lambda: OPERATIONS[name](World(home)), judge), 20)


@pytest.mark.parametrize("names", [("fail", "retry"), ("retry", "human"), ("escalate", "abandon")])
def test_two_at_once_lose_nothing_in_any_order(home, names):
    def judge(_ends):
        world = World(home)
        places = world.every_place(*EVERY)
        return "" if all(len(found) == 1 for found in places.values()) else str(places)

    bodies = [lambda name=name: OPERATIONS[name](waiting(home)) for name in names]
    assert_sound_in_every_order(home, BEFORE, bodies, judge)


WORKER = """
import sys
from harness.systems.dead_letter.contract import AttemptGiven, Configuration, RecordFailureArguments
from harness.systems.dead_letter.reference import create

home, number = sys.argv[1], sys.argv[2]
queue = create(Configuration(home))
sys.stdin.readline()
for turn in range(25):
    given = AttemptGiven(f"{number}-{turn}", "timeout", "x", "a")
    told = queue.record_failure(RecordFailureArguments(f"T-{turn}", given), 1e9)
    if not told.recorded:
        sys.exit(str(told.log))
"""


def test_processes_at_once_lose_no_attempt(home):
    World(home, pending=[task(f"T-{number}") for number in range(25)])
    outputs_of_processes(WORKER, home, "012")
    found = World(home).file("pending")["tasks"]
    assert [f"T-{number}" for number in range(25)] == [each["task_id"] for each in found]
    for number, each in enumerate(found):
        assert [1, 2, 3] == [made["attempt_number"] for made in each["attempts"]]
        assert {f"{process}-{number}" for process in range(3)} == {made["approach"] for made in each["attempts"]}

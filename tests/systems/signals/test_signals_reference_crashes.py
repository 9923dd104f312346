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
from signals_reference_world import DAY_S, FRICTION, World

from harness.explore.in_process.subject import Subject
from harness.ports.files import RealFiles
from harness.systems import queue_files

TASKS = ("t-1", "t-2", "t-3", "t-4")
LABELS = (
    "current", "continuity", "pending", "in-progress", "blocked", "review", "approved", "drift", "map", "knowledge",
    "FEATURE_READY_auth", "FRICTION_DETECTED", "INSTITUTIONAL_KNOWLEDGE_FOUND",
)  # fmt: skip
KNOWN = "INSTITUTIONAL_KNOWLEDGE_FOUND"


def at(home):
    return World(RealFiles(), home=home)


def again(home):
    """Who comes after the crash."""
    return World(WaitingHere(), home=home)


def prepared(home, decision="approved"):
    """A project at work: one review is pending and decided, one drift is logged, and each signal is raised."""
    world = at(home).prepared()
    world.put("continuity", b"# Notes\n")
    for _ in range(2):
        world.drift()
    world.review("t-2")
    if decision:
        world.decide(decision, task_id="t-2")
    world.found(friction_id="f-0")
    world.emit()
    world.emit("FRICTION_DETECTED", None, FRICTION)
    world.emit(KNOWN, None, {"knowledge": "Ask Ann"})
    found = {world.path(label).removeprefix(f"{home}/"): world.data(label) for label in LABELS}
    locks = dict.fromkeys((".loki/signals/.lock", ".loki/queue/.lock"), b"")
    return {path: data for path, data in found.items() if data is not None} | locks


def state(home):
    """What the files say: where each task is, what is pending, what is logged, mapped and raised."""
    world = at(home)
    queues = {queue: [each.get("task_id") for each in world.tasks(queue)] for queue in queue_files.QUEUES}
    return {
        "tasks": {id_: [queue for queue, ids in queues.items() if id_ in ids] for id_ in TASKS},
        "pending": sorted(world.ids()),
        "drifts": len(world.drifts()),
        "map": [each["friction_id"] for each in world.json("map")["frictions"]],
        "known": world.data("knowledge") is not None,
        "raised": [label for label in LABELS[-3:] if world.data(label) is not None],
    }


def complaint(found):
    """What no crash may leave, once the reviews were looked after."""
    if any(len(places) != 1 for places in found["tasks"].values()):
        return f"a task is not in one place: {found}"
    if any(found["tasks"][id_][0] in ("pending", "in-progress") for id_ in found["pending"]):
        return f"a task that waits would be claimed: {found}"
    if found["drifts"] < 2 or "f-0" not in found["map"]:
        return f"something is lost: {found}"
    return ""


OPERATIONS = {
    "drift": World.drift,
    "review": lambda world: world.review("t-1"),
    "decided": World.check,
    "timed-out": lambda world: world.check(at=DAY_S + 9.0),
    "clarify": World.clarify,
    "cancel": World.cancel,
    "emit": lambda world: world.emit(payload={"n": 2}),
    "consume": World.consume,
    "friction": World.heal,
    "knowledge": lambda world: world.heal(KNOWN),
    "classify": lambda world: world.classify("f-0"),
}
UNDECIDED = {"timed-out", "clarify", "cancel", "review"}


def files_for(home, name):
    return prepared(home, None if name in UNDECIDED else "approved")


def finished(name, home, found):
    """What holds once the operation has ended, and the reviews were looked after."""
    world = at(home)
    return {
        "drift": lambda: found["drifts"] == 3 and b"memory" in world.data("continuity"),
        "review": lambda: found["pending"] == ["t-1", "t-2"],
        "decided": lambda: (found["pending"], found["tasks"]["t-2"]) == ([], ["pending"]),
        "timed-out": lambda: (found["pending"], found["tasks"]["t-2"]) == ([], ["dead-letter"]),
        "clarify": lambda: (found["pending"], found["tasks"]["t-2"]) == ([], ["pending"]),
        "cancel": lambda: (found["pending"], found["tasks"]["t-2"]) == ([], ["abandoned"]),
        "emit": lambda: world.json("FEATURE_READY_auth") == {"n": 2},
        "consume": lambda: "FEATURE_READY_auth" not in found["raised"],
        "friction": lambda: "f-1" in found["map"] and "FRICTION_DETECTED" not in found["raised"],
        "knowledge": lambda: found["known"] and KNOWN not in found["raised"],
        "classify": lambda: world.json("map")["frictions"][0]["classification"] == "bug",
    }[name]()


@pytest.mark.parametrize("name", sliced(OPERATIONS))
def test_nothing_is_lost_at_any_crash_and_the_same_again_ends_it(home, name):
    def survives(done):
        found = state(home)
        broken = complaint(found)
        if broken:
            return broken
        if done and not finished(name, home, found):
            return f"{name} is undone: {found}"
        if name == "drift":
            return ""
        OPERATIONS[name](again(home))
        found = state(home)
        return complaint(found) or ("" if finished(name, home, found) else f"not ended: {found}")

    subject = Subject(
        home,
        files_for(home, name),
        lambda: OPERATIONS[name](at(home)),
        recover=lambda: again(home).check(),
        survives=survives,
    )
    assert_survives(subject, "kill")


@pytest.mark.parametrize("name", [each for each in OPERATIONS if each != "drift"])
def test_nothing_is_lost_at_any_loss_of_power(home, name):
    subject = Subject(
        home,
        files_for(home, name),
        lambda: OPERATIONS[name](at(home)),
        recover=lambda: again(home).check(),
        survives=lambda _: complaint(state(home)),
    )
    assert_survives(subject, "power")


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_error_of_a_file_call_escapes_or_loses_anything(home, name):
    def judge(ended):
        if ended.error is not None:
            return repr(ended.error)
        again(home).check()
        return complaint(state(home))

    assert_sound_at_every_error(Subject(home, files_for(home, name), lambda: OPERATIONS[name](at(home)), judge), 5)


def assert_two_at_once(home, first, second, judge):
    before = prepared(home)
    bodies = [lambda each=each: each(World(WaitingHere(), home=home)) for each in (first, second)]
    assert_sound_in_every_order(home, before, bodies, judge)


def test_two_at_once_lose_no_drift_in_any_order(home):
    def judge(ends):
        numbers = sorted(len(end.result.steps) for end in ends)
        return "" if (state(home)["drifts"], numbers) == (4, [6, 6]) else f"{numbers} {state(home)}"

    assert_two_at_once(home, lambda world: world.drift("t-9"), World.drift, judge)


def test_a_signal_raised_again_while_it_is_handled_is_handled_or_stays(home):
    def judge(ends):
        handled = [ends[0].result.content] if ends[0].result.handled else []
        next_one = at(home).consume()
        return "" if {"n": 2} in [*handled, next_one.content] else f"{handled} {next_one}"

    assert_two_at_once(home, World.consume, lambda world: world.emit(payload={"n": 2}), judge)


def test_reviews_that_are_asked_for_while_one_is_decided_are_kept(home):
    def judge(_ends):
        found = state(home)
        good = found["pending"] == ["t-1"] and [found["tasks"][id_] for id_ in ("t-1", "t-2")]
        return "" if good == [["blocked"], ["pending"]] else str(found)

    assert_two_at_once(home, World.check, lambda world: world.review("t-1"), judge)


WORKER = """
import sys
from harness.systems.signals.contract import Configuration, DriftArguments
from harness.systems.signals.reference import create

home, number = sys.argv[1], sys.argv[2]
signals = create(Configuration(home))
sys.stdin.readline()
for turn in range(25):
    told = signals.report_drift(DriftArguments("t-1", "plan", f"{number}-{turn} " + "x" * 9000, "low", "a", 1), 1e9)
    if not told.stored:
        sys.exit(str(told.log))
"""


def test_processes_at_once_lose_no_drift(home):
    outputs_of_processes(WORKER, home, "012")
    found = [json.loads(line)["detected_drift"].split()[0] for line in at(home).data("drift").splitlines()]
    for number in range(3):
        own = [each for each in found if each.startswith(f"{number}-")]
        assert own == [f"{number}-{turn}" for turn in range(25)]

"""The reference with each of its file calls struck, at every crash and loss of power, and with other processes at once."""

import pytest
from campaigns import sliced
from crash_checks import (
    WaitingHere,
    assert_sound_at_every_error,
    assert_sound_in_every_order,
    assert_survives,
    outputs_of_processes,
)
from review_gate_world import HIGH, ONE, THREE, TWO, World

from harness.explore.in_process.subject import Subject
from harness.ports.fake_files import FakeFiles
from harness.systems.review_gate.contract import Decision

STATE = ".loki/state/review-gate.json"


def stored(tell):
    """What stands on disk after these operations."""
    world = World(files=FakeFiles())
    tell(world)
    return {STATE: bytes(world.text()), f"{STATE}.lock": b""}


def launched(world):
    world.launch()
    world.report(ONE)


def reviewing(world):
    launched(world)
    world.report(TWO)


BEFORE = {
    "begin": stored(World.review),
    "open": stored(World.begin),
    "analyse": stored(lambda world: [world.begin(), world.open()]),
    "report": stored(launched),
    "decide": stored(reviewing),
    "fix": stored(lambda world: world.review(HIGH)),
    "anew": stored(launched),
}
OPERATIONS = {
    "begin": lambda world: world.begin("b"),
    "open": World.open,
    "analyse": World.analyse,
    "report": lambda world: world.report(TWO, HIGH),
    "decide": lambda world: world.report(THREE, HIGH),
    "fix": World.fix,
    "anew": lambda world: world.status(at=601),
}


def standing(name, *, done):
    """The state before that operation, or after it."""
    files = FakeFiles()
    files.contents[f"/world/{STATE}"] = (BEFORE[name][STATE], 0.0)
    world = World(files=files)
    if done:
        OPERATIONS[name](world)
    return bytes(world.text())


def was_done(name, home):
    """Is the state what it is after the operation, or what it was before? None when it is neither."""
    return {standing(name, done=done): done for done in (False, True)}.get(World(home).text())


@pytest.mark.parametrize("model", ["kill", "power"])
@pytest.mark.parametrize("name", sliced(OPERATIONS))
def test_nothing_is_lost_at_any_crash(home, name, model):
    def survives(finished):
        done = was_done(name, home)
        if done is None or (finished and not done):
            return f"{done} {World(home).text()}"
        again = OPERATIONS[name](World(home))
        if name == "begin":
            return "" if again.begun else f"{again}"
        return "" if again.accepted is (name == "anew" or not done) else f"{again}"

    subject = Subject(home, BEFORE[name], lambda: OPERATIONS[name](World(home)), survives=survives)
    assert_survives(subject, model)


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_error_of_a_file_call_escapes_or_loses_anything(home, name):
    def judge(ended):
        if ended.error is not None:
            return repr(ended.error)
        told = ended.result.begun if name == "begin" else ended.result.accepted
        return "" if was_done(name, home) is told else f"{ended.result} {World(home).text()}"

    subject = Subject(home, BEFORE[name], lambda: OPERATIONS[name](World(home)), judge)
    assert_sound_at_every_error(subject, 10)


def waiting(home):
    """A process that waits for the lock in its own thread."""
    world = World(home)
    world.gate.state.files = WaitingHere()
    return world


@pytest.mark.parametrize("names", [("report", "decide"), ("report", "report"), ("report", "anew")])
def test_two_at_once_are_done_one_after_the_other(home, names):
    wanted = {"report": {TWO}, "decide": {THREE}, "anew": set()}

    def judge(_ends):
        left = set(World(home).file()["rounds"]["a"]["missing"])
        gone = set().union(*(wanted[name] for name in names))
        return "" if left == {TWO, THREE} - gone else str(left)

    bodies = [lambda name=name: OPERATIONS[name](waiting(home)) for name in names]
    assert_sound_in_every_order(home, BEFORE["report"], bodies, judge)


WORKER = """
import sys
from harness.systems.review_gate.contract import Configuration, BeginTaskArguments
from harness.systems.review_gate.reference import create

home, number = sys.argv[1], sys.argv[2]
gate = create(Configuration(home))
sys.stdin.readline()
print(gate.begin_task(BeginTaskArguments(f"task-{number}"), 1e9).begun)
"""


def test_of_processes_at_once_one_begins_its_task(home):
    told = outputs_of_processes(WORKER, home, "0123")
    assert ["False", "False", "False", "True"] == sorted(each.strip() for each in told)


def test_reviewers_that_return_to_processes_of_their_own_all_count(home):
    World(home).launch()
    found = [World(home).report(name, HIGH) for name in (THREE, ONE, TWO)]
    assert [Decision.PENDING, Decision.PENDING, Decision.BLOCKED] == [each.decision for each in found]

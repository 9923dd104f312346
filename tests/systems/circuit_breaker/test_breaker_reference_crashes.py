"""The reference with each of its file calls struck, at every crash and loss of power, and with other processes at once."""

import json
import threading

import pytest
from breaker_reference_world import CLOSED, HALF_OPEN, NAME, OPEN, World, codes
from crash_checks import WaitingHere, assert_sound_at_every_error, assert_survives, outputs_of_processes

from harness.explore.in_process.boundary import Boundary
from harness.explore.in_process.crashes import crashes
from harness.explore.in_process.subject import Subject
from harness.explore.in_process.threads import race
from harness.explore.schedules import Schedules
from harness.systems.circuit_breaker.reference.records import decoded

OTHER = "api/openai"
LINE = "2026-03-01T12:05:20Z Circuit recovered: api/claude"
STATE = ".loki/state/circuit-breakers.json"


def prepared(home, *gestures):
    """The files after these gestures, by path below ``home``; OTHER is OPEN in them."""
    world = World(home)
    world.fail(290, 290, 290, name=OTHER)
    for gesture in gestures:
        gesture(world)
    return {STATE: world.read(world.state), f"{STATE}.lock": b""}


def two_failures(world):
    world.fail(0, 1)


def two_successes(world):
    world.fail(0, 0, 0)
    world.ok(300, 310)


def third_failure(world):
    world.ask(2, call="last")
    return world.tell("failure", "last", 2)


def third_success(world):
    world.ask(320, call="last")
    return world.tell("success", "last", 320)


def state(home, name=NAME, at=321.0):
    return World(home).look(at, name).state


def tripped(home):
    """What is wrong after a third failure that may have been struck; nothing is when it is."""

    def survives(finished):
        found = (state(home, at=3), state(home, OTHER, 3))
        return "" if found in ([(OPEN, OPEN)] if finished else [(OPEN, OPEN), (CLOSED, OPEN)]) else str(found)

    return survives


def recovered(home):
    """What is wrong after a third success that may have been struck."""

    def survives(finished):
        world = World(home)
        found = (state(home), state(home, OTHER), world.lines() if finished or state(home) == CLOSED else [])
        good = [(CLOSED, OPEN, [LINE])] if finished else [(CLOSED, OPEN, [LINE]), (HALF_OPEN, OPEN, [])]
        return "" if found in good else str(found)

    return survives


@pytest.mark.parametrize("model", ["kill", "power"])
def test_a_failure_that_opened_is_there_after_every_crash(home, model):
    before = prepared(home, two_failures)
    subject = Subject(
        home, before, lambda: third_failure(World(home)), recover=lambda: state(home), survives=tripped(home)
    )
    assert_survives(subject, model, deep=model == "kill")


def test_a_recovery_has_one_line_after_every_crash(home):
    before = prepared(home, two_successes)
    subject = Subject(
        home, before, lambda: third_success(World(home)), recover=lambda: state(home), survives=recovered(home)
    )
    assert_survives(subject, "kill", deep=True)


def test_a_recovery_survives_a_loss_of_power_and_is_told_once_at_least_while_its_mark_stands(home):
    def survives(finished):
        found = (state(home), state(home, OTHER))
        good = [(CLOSED, OPEN)] if finished else [(CLOSED, OPEN), (HALF_OPEN, OPEN)]
        lines = World(home).lines() if found[0] == CLOSED else [LINE]
        return "" if found in good and lines.count(LINE) == 1 else f"{found}, {lines}"

    before = prepared(home, two_successes)
    subject = Subject(home, before, lambda: third_success(World(home)), recover=lambda: state(home), survives=survives)
    with Boundary(home) as boundary:
        found = crashes(boundary, subject, "power")
    assert () == found.failures


@pytest.mark.parametrize(
    ("before", "operate", "expected"),
    [
        (two_failures, third_failure, OPEN),
        (two_successes, third_success, CLOSED),
        (two_successes, lambda world: world.ask(5, OTHER), OPEN),
        (two_successes, lambda world: world.look(291, OTHER), OPEN),
    ],
    ids=["third-failure", "third-success", "refused", "looked-at"],
)
def test_no_error_of_a_file_call_escapes_or_loses_an_open_breaker(home, before, operate, expected):
    """In a process that knows its breakers; a stranger may take what it cannot read for one to be tested."""
    files = prepared(home, before)
    worlds = []

    def run():
        world = World(home)
        worlds[:] = [world]
        world.breakers.memory.read(decoded(files[STATE])[0])
        return operate(world)

    def judge(ended):
        if ended.error is not None:
            return repr(ended.error)
        if ended.result.state not in (expected, HALF_OPEN):
            return str(ended.result)
        found = (worlds[0].look(321).state, worlds[0].look(321, OTHER).state)
        return "" if ended.result.state == HALF_OPEN or found[1] in (OPEN, HALF_OPEN) else str(found)

    assert_sound_at_every_error(Subject(home, files, run, judge), 5)


@pytest.mark.parametrize("names", [(NAME, "third"), (NAME, NAME)], ids=["two-names", "one-name"])
def test_failures_at_once_are_both_counted_in_every_order(home, names):
    before = prepared(home, two_failures, lambda world: world.fail(0, 1, name="third"))

    def body(number):
        def run():
            world = World(home, WaitingHere())
            return world.tell("failure", f"call-{number}", 2, names[number]).state

        return run

    def judge(ends):
        found = [end.result for end in ends] + [state(home, name, 3) for name in names]
        return "" if {OPEN} == set(found) else str(found)

    with Boundary(home) as boundary:
        found = race(boundary, before, [body(0), body(1)], judge, Schedules())
    assert () == found.races
    assert found.coverage.exhausted


def test_of_two_that_ask_as_the_cooldown_ends_one_is_permitted_in_every_order(home):
    before = prepared(home, lambda world: world.fail(0, 0, 0))
    bodies = [lambda call=call: World(home, WaitingHere()).ask(300, call=call).permitted for call in ("one", "two")]
    with Boundary(home) as boundary:
        found = race(
            boundary,
            before,
            bodies,
            lambda ends: "" if sum(end.result for end in ends) == 1 else str(ends),
            Schedules(),
        )
    assert () == found.races
    assert found.coverage.exhausted


WORKER = """
import sys
from harness.systems.circuit_breaker.contract import AcquireArguments, Configuration, Outcome, RecordArguments
from harness.systems.circuit_breaker.reference import create

home, number = sys.argv[1], sys.argv[2]
breakers = create(Configuration(home, {"threshold": 1000, "window_s": 1e6}))
sys.stdin.readline()
for turn in range(25):
    for name in ("shared", f"own-{number}"):
        call = f"{number}-{turn}"
        breakers.acquire(AcquireArguments(name, call), 1e9 + turn)
        told = breakers.record(RecordArguments(name, call, Outcome.FAILURE, "x"), 1e9 + turn)
        if told.log:
            sys.exit(str(told.log))
"""


def test_processes_at_once_lose_no_failure(home):
    outputs_of_processes(WORKER, home, "012")
    found = json.loads(World(home).read(f"{home}/{STATE}"))
    assert {"shared": 75, "own-0": 25, "own-1": 25, "own-2": 25} == {
        name: record["failure_count"] for name, record in found.items()
    }


def test_a_lock_that_somebody_keeps_is_waited_for_less_each_time_and_then_no_more(home):
    world, holder = World(home), World(home)
    world.breakers.file.patience_s = 0.02
    waiting = threading.active_count()
    with holder.breakers.file.files.lock(holder.breakers.file.lock_path(), 0):
        assert (OPEN, True) == (world.fail(0, 0, 0), world.breakers.file.patience_s < 0.001)
        assert not any(world.ask(1).permitted for _ in range(50))
        assert threading.active_count() <= waiting + 2
        assert holder.opened().look(1).state == CLOSED
    # who waited in vain may still take the lock for an instant, and give it back
    assert any(codes(world.ask(2)) == [] for _ in range(10_000))
    assert (0.5, OPEN) == (world.breakers.file.patience_s, holder.look(2).state)

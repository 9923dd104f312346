"""The reference with each of its file calls struck, at every crash and loss of power, and with other processes at once."""

import json
import threading

import pytest
from crash_checks import (
    WaitingHere,
    assert_sound_at_every_error,
    assert_sound_in_every_order,
    assert_survives,
    outputs_of_processes,
)
from errors_reference_world import PLAN, World, codes, given, progress

from harness.explore.in_process.subject import Subject

ERRORS, METADATA, PLAN_FILE = "specs/errors.json", "specs/.return-meta.json", "specs/plan.md"


def prepared(home):
    """The files after one error was handled, by path below ``home``."""
    world = World(home)
    world.log("before")
    world.handle("first", made=progress([], "phase1", "r1"))
    world.put("plan", PLAN)
    found = {
        path: world.text(label) for path, label in ((ERRORS, "errors"), (METADATA, "metadata"), (PLAN_FILE, "plan"))
    }
    return found | {f"{path}.lock": b"" for path in found}


def logged(home):
    return World(home).log("last").stored


def handled(home):
    return World(home).handle("last", made=progress(["phase1"], "phase2", "r2"))


def names(home):
    return World(home).names()


@pytest.mark.parametrize("model", ["kill", "power"])
def test_no_record_is_lost_at_any_crash(home, model):
    def survives(finished):
        found = names(home)
        good = [["before", "first", "last"]] if finished else [["before", "first", "last"], ["before", "first"]]
        return "" if found in good else str(found)

    subject = Subject(home, prepared(home), lambda: logged(home), recover=lambda: names(home), survives=survives)
    assert_survives(subject, model, deep=model == "kill")


def test_no_progress_is_lost_at_any_crash(home):
    before, after = ("phase1", (), "r1"), ("phase2", ("phase1",), "r2")

    def survives(finished):
        world = World(home)
        at = world.goes_on()
        marked = b"### Phase 2: parser [PARTIAL]" in world.text("plan")
        if finished:
            return "" if (at, marked, world.names()) == (after, True, ["before", "first", "last"]) else str(at)
        return "" if at in (before, after) and (world.text("plan") == PLAN or marked) else str(at)

    subject = Subject(home, prepared(home), lambda: handled(home), recover=lambda: names(home), survives=survives)
    assert_survives(subject, "kill")


@pytest.mark.parametrize(
    "operate", [World.log, World.handle, World.recover, World.fix], ids=["log", "handle", "recover", "fix"]
)
def test_no_error_of_a_file_call_escapes_or_loses_a_record(home, operate):
    files = prepared(home)
    worlds = []

    def run():
        worlds[:] = [World(home)]
        return operate(worlds[0], "before" if operate is World.fix else "last")

    def judge(ended):
        if ended.error is not None:
            return repr(ended.error)
        worlds[0].log("after")
        expected = ["before", "first", *(["last"] if operate is not World.fix else []), "after"]
        found = (names(home), worlds[0].names())
        return "" if found == (expected, expected) else str(found)

    assert_sound_at_every_error(Subject(home, files, run, judge), 5)


@pytest.mark.parametrize("task", [259, 260])
def test_two_at_once_lose_nothing_in_any_order(home, task):
    before = prepared(home)

    def body(number, made):
        return lambda: World(home, WaitingHere()).handle(f"{number}", made=made).steps[0].ok

    def judge(ends):
        found = sorted(names(home))
        goes_on = [World(home).goes_on(each)[0] for each in {259, task}]
        good = [end.result for end in ends] == [True, True] and found == ["0", "1", "before", "first"]
        return "" if good and set(goes_on) == {"phase2"} else f"{found} {goes_on}"

    bodies = [body(0, progress()), body(1, progress(task=task))]
    assert_sound_in_every_order(home, before, bodies, judge, bound=60, beyond=20)


WORKER = """
import sys
from harness.systems.error_log.contract import Configuration, ErrorGiven, LogArguments
from harness.systems.error_log.reference import create

home, number = sys.argv[1], sys.argv[2]
log = create(Configuration(home))
sys.stdin.readline()
for turn in range(25):
    told = log.log(LogArguments(f"{number}-{turn}", ErrorGiven("timeout", "x")), 1e9)
    if told.log:
        sys.exit(str(told.log))
"""


def test_processes_at_once_lose_no_record(home):
    outputs_of_processes(WORKER, home, "012")
    found = json.loads(World(home).text("errors"))["errors"]
    assert len(found) == len({each["id"] for each in found}) == 75
    for number in range(3):
        own = [each["name"] for each in found if each["name"].startswith(f"{number}-")]
        assert own == [f"{number}-{turn}" for turn in range(25)]


def test_a_lock_that_somebody_keeps_is_waited_for_less_each_time_and_then_no_more(home):
    world, holder = World(home), World(home)
    file = world.log_.records.file
    file.patience_s = 0.02
    waiting = threading.active_count()
    with holder.log_.records.file.files.lock(file.lock_path(), 0):
        assert [False] * 53 == [world.log(f"{number}").stored for number in range(53)]
        assert file.patience_s < 0.001
        assert threading.active_count() <= waiting + 2
    # who waited in vain may still take the lock for an instant, and give it back
    assert any(codes(world.log("more", given())) == [] for _ in range(10_000))
    assert world.in_file()[:53] == [f"{number}" for number in range(53)]
    assert file.patience_s == 0.5

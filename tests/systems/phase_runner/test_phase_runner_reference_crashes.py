"""Runs that are killed at any file call and resumed; crash states of each write; errors; and processes at once."""

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
from phase_runner_reference_world import CHAIN, DIAMOND, TRIPLE, Died, Mortal, World, done, kinds, undone

from harness.explore.in_process.subject import Subject
from harness.ports.files import RealFiles
from harness.systems.phase_runner.contract.words import STATE_DIRECTORY, Status, phase_path

RUN = f"{STATE_DIRECTORY}/run.json"
MISSING = {"package": "p", "required_by": "r", "install": "i"}
PLANS = {
    "chain": (CHAIN, {"1": [undone(), done("1")]}, {}),
    "diamond": (DIAMOND, {"2a": ["bad", done("2a")], "2b": [undone("lint"), done("2b")]}, {}),
    "batch-halts": (TRIPLE, {"2a": [undone()], "2c": ["bad", done("2c")]}, {}),
    "not-retryable": (TRIPLE, {"2b": [undone(missing=MISSING)]}, {}),
    "message-only": (CHAIN, {}, {"commit_mode": "message-only"}),
    "single": (DIAMOND, {}, {"commit_mode": "single"}),
    "fresh": (CHAIN, {}, {"modes": ("fresh",)}),
}


def before_the_run(files, name):
    """What stands there when the run begins: of a fresh one, another run."""
    if name == "fresh":
        world = World(files, rows=TRIPLE)
        world.play(world.start(), {"2a": ["bad"]})


def run(world, outcomes, fields):
    """All of it, once resumed when it halted."""
    answers = world.play(world.start(**fields), outcomes)
    if answers[-1].halted:
        again = {name: value for name, value in fields.items() if name != "modes"}
        answers += world.play(world.resume(**again), outcomes)
    return answers


def problem(files):
    """What no crash may leave: attempts above two, a phase that runs or ended before what it needs."""
    found = {}
    for path in files.contents:
        if "/phases/" in path:
            record = json.loads(files.contents[path][0])
            found[record["phase_id"]] = record
    for record in found.values():
        if not 0 <= record["attempt"] <= record["max_attempts"] == 2:
            return f"attempts of {record}"
        if record["status"] in (Status.RUNNING, Status.COMPLETE, Status.FAILED):
            needs = [found[each]["status"] for each in record["dependencies"]["depends_on"]]
            if set(needs) - {Status.COMPLETE}:
                return f"{record['phase_id']} began before {needs}"
    return ""


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", PLANS)
def test_a_run_killed_at_any_file_call_ends_as_one_that_was_not_disturbed(name, after):
    rows, outcomes, fields = PLANS[name]
    again = {key: value for key, value in fields.items() if key != "modes"}
    undisturbed = Mortal()
    before_the_run(undisturbed, name)
    begins = undisturbed.calls
    world = World(undisturbed, rows=rows)
    run(world, outcomes, fields)
    calls = undisturbed.calls
    expected = world.statuses(), world.commits()
    assert calls - begins > 40
    for dies_at in range(begins + 1, calls + 1):
        files = Mortal(dies_at, after=after)
        before_the_run(files, name)
        with pytest.raises(Died):
            run(World(files, rows=rows), outcomes, fields)
        is_clearing = b'"clearing":true' in (World(files).data(RUN) or b"")
        assert is_clearing or not problem(files), dies_at
        world = World(files, rows=rows)
        run(world, outcomes, again)
        assert (world.statuses(), world.commits()) == expected, dies_at
        assert not is_clearing or world.data(phase_path("2a")) is None, dies_at


PAIR = [("1",), ("2A", "1", "2B"), ("2B", "1", "2A"), ("3", "2A")]


def at(home, rows=PAIR):
    return World(RealFiles(), home, rows)


def again(home, rows=PAIR):
    """Who comes after the crash."""
    return World(WaitingHere(), home, rows)


def prepared(home, steps):
    """The files of a run after these steps."""
    world = at(home)
    steps(world)
    paths = [".autobuild.lock", *(f".autobuild/{each}" for each in ("run.json", "config.json", "logs/execution.log"))]
    paths += [f".autobuild/phases/phase-{each}.json" for each in ("1", "2a", "2b", "3", "old")]
    found = {each: world.data(f"{{home}}/{each}") for each in paths}
    return {path: data for path, data in found.items() if data is not None}


def launched_batch(world):
    world.start()
    world.succeed("1")


def before_the_retries(world):
    launched_batch(world)
    world.miss("2a")
    world.claim("2b")


def before_the_halt(world):
    launched_batch(world)
    world.miss("2a")
    world.succeed("2b")


def halted(world):
    before_the_halt(world)
    world.miss("2a", 2)
    world.put(phase_path("old"), {"phase_id": "old"})


OPERATIONS = {
    "start": (lambda _: None, World.start),
    "claim": (launched_batch, lambda world: world.claim("2a")),
    "failure": (launched_batch, lambda world: world.miss("2a")),
    "retry": (before_the_retries, lambda world: world.verified("2b")),
    "halt": (before_the_halt, lambda world: world.miss("2a", 2)),
    "resume": (halted, World.resume),
    "fresh": (halted, World.fresh),
}


def survived(home, complete):
    """The run goes on: what was complete is, and runs no more; all that is launched stands in its record."""
    world = again(home)
    known = world.status()
    if [str(each.code) for each in known.log] not in ([], ["not_started"]):
        return f"{known.log}"
    kept = {each.phase_id for each in known.phases if each.status is Status.COMPLETE}
    answer = world.resume()
    ran = {each.phase_id for each in answer.launch}
    running = {each for each, status in world.statuses().items() if status == "running"}
    if not ran or ran != running or kept & ran or complete - kept:
        return f"{answer} {kept} {running}"
    return ""


@pytest.mark.parametrize("model", ["kill", "power"])
@pytest.mark.parametrize("name", sliced(OPERATIONS))
def test_state_is_whole_and_goes_on_after_any_crash(home, name, model):
    steps, operate = OPERATIONS[name]
    complete = {"retry": {"1"}, "halt": {"1", "2b"}, "resume": {"1", "2b"}}.get(name, set())
    subject = Subject(
        home, prepared(home, steps), lambda: operate(at(home)), survives=lambda _finished: survived(home, complete)
    )
    assert_survives(subject, model)


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_error_of_a_file_call_escapes_or_launches_what_is_not_written_down(home, name):
    steps, operate = OPERATIONS[name]

    def judge(ended):
        if ended.error is not None:
            return repr(ended.error)
        records = {each.phase_id: each for each in again(home).status().phases}
        for launch in ended.result.launch:
            found = records.get(launch.phase_id)
            if found is None or (found.status, found.attempt) != (Status.RUNNING, launch.attempt):
                return f"{launch} {found}"
        if not ended.result.accepted and (ended.result.launch or ended.result.commits):
            return f"{ended.result}"
        answer = again(home).resume()
        return "" if answer.accepted and answer.launch else f"{answer}"

    assert_sound_at_every_error(Subject(home, prepared(home, steps), lambda: operate(at(home)), judge), 10)


def assert_two_at_once(home, steps, first, second, judge):
    bodies = [lambda each=each: each(again(home)) for each in (first, second)]
    assert_sound_in_every_order(home, prepared(home, steps), bodies, judge)


def test_two_reports_at_once_are_both_noted_and_one_of_them_goes_on(home):
    def judge(ends):
        launches = [kinds(end.result) for end in ends]
        good = sorted(launches) == [[], [("phase", "2a", 2), ("phase", "2b", 2)]]
        return "" if good else f"{launches}"

    assert_two_at_once(home, launched_batch, lambda world: world.miss("2a"), lambda world: world.miss("2b"), judge)


def test_one_report_made_twice_at_once_is_accepted_once(home):
    def judge(ends):
        accepted = sorted(end.result.accepted for end in ends)
        return "" if accepted == [False, True] else f"{accepted}"

    def claim(world):
        return world.claim("2a")

    assert_two_at_once(home, launched_batch, claim, claim, judge)


WORKER = """
import json, sys
from harness.systems.phase_runner.contract import Configuration, ReportArguments
from harness.systems.phase_runner.reference import create

home, number = sys.argv[1:]
runner = create(Configuration(home))
sys.stdin.readline()
for turn in range(10):
    answer = runner.report(ReportArguments(f"p{number}{turn}", 1, "bad"), 1e9)
    if not answer.accepted:
        sys.exit(str(answer))
    print(len(answer.launch))
"""


def test_processes_at_once_lose_no_report(home):
    ids = [f"p{number}{turn}" for number in range(3) for turn in range(10)]
    world = at(home, [(each, "", ",".join(other for other in ids if other != each)) for each in ids])
    assert len(world.start().launch) == 30
    written = outputs_of_processes(WORKER, home, "012")
    assert sorted(int(each) for text in written for each in text.split()) == [0] * 29 + [30]
    assert {each.attempt for each in world.status().phases} == {2}

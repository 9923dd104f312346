"""The reference with file calls that fail: nothing raises, and nothing is told that is not written down."""

import os

import pytest
from phase_runner_reference_world import CHAIN, TRIPLE, World, codes, done, kinds, undone

from harness.systems.phase_runner.contract.words import log_path, phase_path
from harness.systems.phase_runner.reference import store

FULL = OSError(28, "No space left on device")
MISSING = {"package": "p", "required_by": "r", "install": "i"}


def begun(rows=CHAIN):
    world = World(rows=rows)
    world.start()
    return world


@pytest.mark.parametrize("end", ["run.json", "config.json", "phase-0.json", "phase-2.json", "commits.sh"])
def test_a_start_that_cannot_be_written_launches_nothing_and_is_made_up_for(end):
    world = World(rows=CHAIN)
    if end == "commits.sh":
        world.start(commit_mode="message-only")
        world.succeed("0")
    world.files.broken["replace", end] = FULL
    answer = world.resume(commit_mode="message-only")
    assert (answer.accepted, answer.launch, codes(answer)) == (False, (), ["state_write_failed"])
    assert codes(world.claim("0")) == ["not_started"]
    assert codes(world.opened().claim("1")) == ["not_started"]
    world.files.broken.clear()
    answers = world.play(world.resume(commit_mode="message-only"))
    assert answers[-1].completed
    assert len(world.commits().decode().splitlines()) == 4


def test_a_report_that_cannot_be_written_is_refused_and_can_be_made_again():
    world = begun()
    for step in (world.claim, world.miss, world.verified):
        if step == world.verified:
            world.claim("0")
        before = dict(world.files.contents)
        world.files.broken["replace", "phase-0.json"] = FULL
        answer = step("0")
        assert (answer.accepted, answer.launch, answer.commits) == (False, (), ())
        assert codes(answer) == ["state_write_failed"]
        assert world.files.contents == before
        world.files.broken.clear()
    assert kinds(world.verified("0")) == [("phase", "1", 1)]


def test_a_launch_that_cannot_be_written_halts_and_a_resume_goes_on():
    world = begun(TRIPLE)
    world.claim("1")
    world.files.broken["replace", "phase-2b.json"] = FULL
    answer = world.verified("1")
    assert (answer.accepted, answer.launch, answer.halted) == (True, (), True)
    assert [each.subject for each in answer.commits] == ["feat(part): add 1"]
    assert codes(answer) == ["state_write_failed"]
    summary = answer.summary
    assert summary.reason.startswith("the state cannot be written: ")
    assert (len(summary.completed), len(summary.pending), summary.state_files) == (1, 6, 7)
    assert world.claim("2a").halted
    world.files.broken.clear()
    answers = world.opened().play(world.opened().resume())
    assert answers[-1].completed


def test_a_retry_that_cannot_be_written_halts():
    world = begun(TRIPLE)
    world.succeed("1")
    world.miss("2a")
    world.miss("2b")
    world.claim("2c")
    world.files.broken["replace", "phase-2b.json"] = FULL
    answer = world.verified("2c")
    assert (answer.accepted, answer.launch, answer.halted) == (True, (), True)
    assert answer.summary.failed == ()
    world.files.broken.clear()
    assert kinds(world.resume()) == [("phase", "2a", 1), ("phase", "2b", 1)]


def test_what_is_blocked_or_given_up_is_told_even_if_it_cannot_be_written():
    world = begun()
    world.files.broken["replace", "phase-2.json"] = FULL
    world.files.broken["replace", "config.json"] = FULL
    answer = world.miss("0", missing=MISSING)
    assert (answer.accepted, answer.halted) == (True, True)
    assert codes(answer) == ["state_write_failed", "state_write_failed"]
    assert [each.phase_id for each in answer.summary.blocked] == ["1", "2"]
    assert world.record("2")["status"] == "pending"
    world.files.broken.clear()
    assert kinds(world.resume()) == [("phase", "0", 1)]


def test_totals_that_cannot_be_written_do_not_keep_a_run_from_its_end():
    world = begun([("1",)])
    world.claim("1")
    world.files.broken["replace", "config.json"] = FULL
    answer = world.verified("1")
    assert (answer.completed, codes(answer)) == (True, ["state_write_failed"])


def test_a_single_commit_that_cannot_be_noted_is_made_at_the_next_start():
    world = World(rows=[("1",), ("2",)])
    world.start(commit_mode="single")
    world.succeed("1")
    world.claim("2")
    assert world.verified("2").commits[0].phases == ("1", "2")
    world.edit("1", commit=world.record("1")["commit"] | {"committed": False})
    world.files.broken["replace", "phase-1.json"] = FULL
    assert codes(world.resume(commit_mode="single")) == ["state_write_failed"]
    world.files.broken.clear()
    answer = world.resume(commit_mode="single")
    assert (answer.completed, [each.phases for each in answer.commits]) == (True, [("1",)])


def test_a_commit_that_cannot_be_prepared_is_told_and_prepared_by_the_next_start():
    world = World(rows=[("1",), ("2",)])
    world.start(commit_mode="message-only")
    world.claim("1")
    world.files.broken["append_lines", "commits.sh"] = FULL
    answer = world.verified("1")
    assert (kinds(answer), codes(answer)) == ([("phase", "2", 1)], ["state_write_failed"])
    world.files.broken.clear()
    world.resume(commit_mode="message-only")
    assert b"add 1" in world.commits()


@pytest.mark.parametrize("end", ["execution.log", "phase-0.log"])
def test_a_log_that_cannot_be_written_is_told_and_stops_nothing(end):
    world = begun()
    world.files.broken["append_lines", end] = FULL
    answer = world.claim("0")
    assert (kinds(answer), codes(answer)) == ([("verification", "0", 1)], ["log_write_failed"])


def test_a_log_that_cannot_be_read_is_told():
    world = begun()
    world.files.broken["read", "phase-0.log"] = OSError(5, "Input/output error")
    assert codes(world.claim("0")) == ["log_write_failed"]


@pytest.mark.parametrize("operation", ["start", "report", "verified", "status"])
def test_without_the_lock_nothing_is_done(operation):
    world = begun()
    world.claim("0")
    before = dict(world.files.contents)
    world.files.broken["lock", ".autobuild.lock"] = TimeoutError("held")
    calls = {
        "start": world.resume,
        "report": lambda: world.claim("0"),
        "verified": lambda: world.verified("0"),
        "status": world.status,
    }
    code = "state_unreadable" if operation == "status" else "state_write_failed"
    for _ in range(6):
        assert codes(calls[operation]()) == [code]
    assert world.files.contents == before
    world.files.broken.clear()
    assert world.runner.store.patience_s < store.LOCK_S
    assert kinds(world.resume()) == [("phase", "0", 1)]
    assert world.runner.store.patience_s == store.LOCK_S


def test_who_waits_for_the_lock_in_vain_waits_less_the_next_time_and_in_the_end_not_at_all():
    world = begun()
    asked = []

    def lock(_path, timeout_s):
        asked.append(timeout_s)
        raise TimeoutError

    world.files.lock = lock
    for _ in range(5):
        world.status()
    assert asked == [0, 0.5, 0, 0.5 / 16, 0, 0.5 / 256, 0, 0]


@pytest.mark.parametrize("end", ["config.json", "phase-1.json", "run.json"])
def test_state_that_cannot_be_read_is_told_and_nothing_is_launched(end):
    world = begun()
    before = {path: data for path, data in world.files.contents.items() if not path.endswith(".log")}
    world.files.broken["read", end] = OSError(5, "Input/output error")
    answer = world.opened().resume()
    assert (answer.accepted, answer.launch, codes(answer)) == (False, (), ["state_unreadable"])
    assert end in answer.log[0].message
    assert {path: data for path, data in world.files.contents.items() if not path.endswith(".log")} == before
    assert "state_unreadable" in codes(world.opened().status())
    assert codes(world.opened().claim("0")) == ["state_unreadable"]
    assert kinds(world.fresh()) == [("phase", "0", 1)] if end != "run.json" else True


def test_a_place_that_cannot_be_looked_at_is_told():
    world = begun()
    world.files.broken["look", ".autobuild"] = PermissionError(13, "Permission denied")
    for answer in (world.resume(), world.claim("0"), world.status()):
        assert codes(answer) == ["state_unreadable"]


def test_what_is_too_long_for_a_record_is_not_read_into_memory(monkeypatch):
    world = begun()
    monkeypatch.setattr(store, "LIMIT_BYTES", 100)
    answer = world.opened().resume()
    assert codes(answer) == ["state_unreadable"]


def test_a_directory_in_place_of_a_record_is_no_record():
    world = begun()
    path = world.path(phase_path("1"))
    del world.files.contents[path]
    world.files.contents[f"{path}/a"] = (b"", 0.0)
    assert codes(world.opened().resume()) == ["state_unreadable"]


# -- logs


def lines(first, last):
    return "\n".join(f"line {number}" for number in range(first, last + 1))


def test_a_phase_log_of_five_hundred_lines_is_whole_and_a_longer_one_keeps_both_ends():
    world = begun()
    world.report("0", 1, lines(1, 499))
    log = world.log("0").decode().splitlines()
    assert (len(log), log[1], log[-1]) == (500, "line 1", "line 499")
    world.report("0", 2, lines(500, 1200))
    log = world.log("0").decode().splitlines()
    assert (len(log), log[249], log[250], log[-1]) == (500, "line 249", "line 951", "line 1200")
    assert log[0] == "== 2026-03-01T12:00:01Z attempt 1, working"


def test_one_line_too_many_cuts_a_log():
    world = begun()
    world.report("0", 1, lines(1, 500))
    log = world.log("0").decode().splitlines()
    assert (len(log), log[249], log[250]) == (500, "line 249", "line 251")


def test_a_log_that_was_cut_off_goes_on_in_a_line_of_its_own():
    world = begun()
    world.put(log_path("0"), b"torn")
    world.report("0", 1, "bad\n")
    assert world.log("0").decode().splitlines() == ["torn", "== 2026-03-01T12:00:01Z attempt 1, working", "bad"]


def test_silence_is_logged_too():
    world = begun()
    world.report("0", 1, None, last_activity="x")
    assert world.log("0").decode().splitlines()[1] == "(no answer)"


def test_each_event_is_one_line_with_its_time_whatever_it_says():
    world = World(rows=[("1",)])
    world.start(plan_path="a\nb\u2028c", at=-NOW_IN_S)
    world.claim("1", commit_subject="x")
    text = world.data("{home}/.autobuild/logs/execution.log").decode()
    found = text.splitlines()
    assert len(found) == 5
    assert found[0] == "1970-01-01T00:00:00Z START a b c, 1 phases"
    assert found[1] == "1970-01-01T00:00:00Z CONFIG commit mode auto"
    assert found[-1] == "2026-03-01T12:00:01Z VERIFY 1 claims success in attempt 1"


NOW_IN_S = 1_772_366_400.0 + 5.0  # a time before 1970 is told as its beginning


def test_the_lock_lies_beside_the_directory_that_a_fresh_start_empties(home):
    from harness.ports.files import RealFiles

    world = World(RealFiles(), home, CHAIN)
    world.start()
    assert sorted(os.listdir(home)) == [".autobuild", ".autobuild.lock"]
    assert world.report("0", 1, undone()).accepted
    assert world.report("0", 2, done("0")).accepted

"""Runs that go on, and the state that they meet: as it was left, changed by hand, damaged, of another process."""

import json

import pytest
from phase_runner_reference_world import CHAIN, TRIPLE, World, codes, done, kinds, launched

from harness.systems.phase_runner.contract.words import CONFIG_PATH, STATE_DIRECTORY, Mode, phase_path

RUN = f"{STATE_DIRECTORY}/run.json"
FAILING = {"2a": ["bad"]}
RECORD = {"phase_id": "1", "phase_name": "n", "status": "complete", "attempt": 1, "max_attempts": 2}


def halted():
    """A run in which 2a failed twice."""
    world = World(rows=TRIPLE)
    assert world.play(world.start(), FAILING)[-1].halted
    return world


# -- resume


@pytest.mark.parametrize("modes", [(), ("resume",), ("default",), ("default", "resume", "resume")])
def test_a_resumed_run_begins_with_what_failed_and_repeats_nothing_complete(modes):
    world = halted()
    kept = {each: world.data(phase_path(each)) for each in ("1", "2b", "2c")}
    world = world.opened()
    answer = world.start(None, *map(Mode, modes), at=100.0)
    assert (answer.accepted, kinds(answer)) == (True, [("phase", "2a", 1)])
    record = world.record("2a")
    assert (record["status"], record["attempt"], record["error"]) == ("running", 1, None)
    assert world.statuses()["3"] == "pending"
    assert launched(world.play(answer)) == [["2a"], ["3"], ["4"], ["5"]]
    assert set(world.statuses().values()) == {"complete"}
    assert {each: world.data(phase_path(each)) for each in kept} == kept
    assert world.config()["started_at"] == "2026-03-01T12:00:00Z"


def test_a_resumed_phase_has_two_attempts_again():
    world = halted()
    answers = world.play(world.resume(), FAILING)
    assert launched(answers) == [["2a"], ["2a"]]
    assert answers[-1].halted


def test_errors_of_phases_that_wait_are_kept_until_they_run():
    world = World(rows=[("1", "", "2"), ("2", "", "1"), ("3", "1,2")])
    world.play(world.start(), {"1": ["bad"], "2": ["bad"]})
    answer = world.opened().resume([("1",), ("2",), ("3", "1,2")])
    assert kinds(answer) == [("phase", "1", 1)]
    record = world.record("2")
    assert (record["status"], record["attempt"], record["error"]["final"] != "") == ("pending", 0, True)
    assert world.status("2").phases[0].error_type == "parse_error"
    assert world.record("3")["error"] is None


def test_a_phase_that_was_cut_off_runs_again_with_its_attempts_counted_anew():
    world = World(rows=TRIPLE)
    world.start()
    world.succeed("1")
    world.miss("2a")
    world.succeed("2b")
    world.claim("2c")
    answer = world.opened().resume()
    assert kinds(answer) == [("phase", "2a", 1), ("phase", "2c", 1)]
    assert launched(world.opened().play(answer, {"2a": ["bad", done("2a")]})) == [
        ["2a", "2c"],
        ["2a"],
        ["3"],
        ["4"],
        ["5"],
    ]


def test_a_run_goes_on_in_a_process_that_was_started_anew():
    world = World(rows=TRIPLE)
    result = world.start()
    while result.launch:
        for launch in result.launch:
            world = world.opened()
            if launch.phase_id == "2b" and launch.attempt == 1:
                result = world.report("2b", 1, "bad")
            else:
                world.claim(launch.phase_id, launch.attempt)
                result = world.opened().verified(launch.phase_id, launch.attempt)
            assert result.accepted
    assert result.completed
    assert world.record("2b")["attempt"] == 2


def test_a_process_sees_what_another_did():
    first = World(rows=TRIPLE)
    first.start()
    first.succeed("1")
    second = first.opened()
    second.succeed("2a")
    first.miss("2b")
    assert kinds(second.claim("2c")) == [("verification", "2c", 1)]
    assert kinds(first.verified("2c")) == [("phase", "2b", 2)]
    assert codes(second.miss("2b")) == ["already_reported"]


def test_a_complete_run_stays_complete():
    world = World(rows=CHAIN)
    world.play(world.start())
    answer = world.opened().resume()
    assert (answer.accepted, answer.completed, answer.launch, answer.commits) == (True, True, (), ())


def test_resume_without_anything_to_resume_is_a_new_run():
    world = World(rows=CHAIN)
    assert kinds(world.resume()) == [("phase", "0", 1)]


def test_a_plan_that_changed_is_followed_and_told():
    world = halted()
    answer = world.resume([("1",), ("2A", "1,0"), ("0",), ("3", "2A")])
    assert codes(answer) == ["plan_changed"]
    assert kinds(answer) == [("phase", "0", 1)]
    assert set(world.statuses()) == {"1", "2a", "0", "3"}
    assert world.record("3")["dependencies"] == {"depends_on": ["2a"], "parallel_with": [], "blocks": []}


# -- by hand


@pytest.mark.parametrize("how", ["pending", "removed", "minimal"])
def test_a_phase_that_a_person_set_back_runs_again(how):
    world = World(rows=CHAIN)
    world.play(world.start())
    if how == "pending":
        world.edit("2", status="pending")
    elif how == "removed":
        del world.files.contents[world.path(phase_path("2"))]
    else:
        world.put(phase_path("2"), RECORD | {"phase_id": "2", "status": "pending", "attempt": 7, "max_attempts": 9})
    assert [str(each.status) for each in world.status("2").phases] == ["pending"]
    assert not world.status("2").completed
    answer = world.opened().resume()
    assert kinds(answer) == [("phase", "2", 1)]
    assert (world.record("2")["attempt"], world.record("2")["max_attempts"]) == (1, 2)
    assert world.succeed("2").completed


@pytest.mark.parametrize(
    "record",
    [
        RECORD,
        RECORD | {"timestamps": 7, "error": "x", "commit": [], "unknown": {}},
        RECORD | {"timestamps": None, "commit": {"message": "feat: a"}, "dependencies": {"depends_on": ["x"]}},
    ],
)
def test_a_record_is_valid_with_its_five_fields(record):
    world = World(rows=[("1",), ("2", "1")])
    world.put(phase_path("1"), b"\xef\xbb\xbf" + json.dumps(record).encode())
    assert kinds(world.resume()) == [("phase", "2", 1)]
    assert [str(each.status) for each in world.status("1").phases] == ["complete"]


def test_odd_contents_of_a_failed_record_are_no_obstacle():
    world = World(rows=[("1",)])
    for error in (None, {}, {"attempt_1": "text"}, {"attempt_1": {"type": 7}}, {"blocked_by": 7}):
        world.put(phase_path("1"), RECORD | {"status": "failed", "error": error})
        assert kinds(world.resume()) == [("phase", "1", 1)]
        world.put(phase_path("1"), RECORD | {"status": "failed", "error": error, "timestamps": {"started": "noon"}})
        assert world.status().phases[0].error_type is None
    world.put(phase_path("1"), RECORD | {"status": "blocked", "attempt": 0, "error": {"blocked_by": 7}})
    answer = world.start(text="")
    assert answer.summary.blocked[0].blocked_by == ()
    captured = {"attempt_1": {"type": "file_conflict", "captured": {"conflicts": [7]}, "missing": 7}}
    world.put(phase_path("1"), RECORD | {"status": "failed", "error": captured})
    summary = world.start(text="").summary
    assert (summary.conflicts, summary.missing_package) == ((), None)
    world.put(phase_path("1"), RECORD | {"status": "failed", "error": {"attempt_1": {"type": "own", "captured": 7}}})
    summary = world.start(text="").summary
    assert (summary.failed[0].error_type, summary.failed[0].user_actions) == ("own", ())


def test_a_running_record_whose_beginning_is_unknown_ends_without_a_duration():
    world = World(rows=[("1",)])
    world.start()
    for times in ({"started": "noon"}, None, {"started": None}):
        world.edit("1", timestamps=times, status="running", stage="working", attempt=1)
        world.put(RUN, json.loads(world.data(RUN)) | {"at": "somebody else"})
        world.succeed("1")
        assert world.record("1")["timestamps"]["duration_seconds"] is None


# -- damage


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b'{"phase_id": "2b"', b"[]", b"7", b"\xff\xfe", b"[" * 100_000,
        *(
            json.dumps({name: value for name, value in (RECORD | {"phase_id": "2b"} | change).items() if value != "gone"}).encode()
            for change in (
                {"phase_id": "gone"}, {"phase_name": "gone"}, {"status": "gone"}, {"attempt": "gone"},
                {"max_attempts": "gone"}, {"status": "done"}, {"status": "Complete"}, {"attempt": "1"}, {"attempt": True},
                {"attempt": -1}, {"phase_id": "2c"}, {"phase_name": None}, {"max_attempts": None},
            )
        ),
    ],
)  # fmt: skip
def test_a_corrupt_record_halts_is_named_and_never_complete_until_a_fresh_start(content):
    world = halted()
    world.put(phase_path("2b"), content)
    before = {path: data for path, data in world.files.contents.items() if not path.endswith(".log")}
    world = world.opened()
    answer = world.resume()
    assert (answer.accepted, answer.launch, answer.halted, answer.completed) == (False, (), True, False)
    assert codes(answer) == ["state_corrupt"]
    for text in (answer.log[0].message, answer.summary.reason, answer.summary.text):
        assert "/world/.autobuild/phases/phase-2b.json" in text
    assert "2b" not in [each.phase_id for each in answer.summary.completed]
    assert answer.summary.state_files == 7
    assert answer.summary.resume_steps[0].startswith("Fix what stopped the run: ")
    assert {path: data for path, data in world.files.contents.items() if not path.endswith(".log")} == before
    status = world.status("2b", "1")
    assert [each.phase_id for each in status.phases] == ["1"]
    assert (codes(status), status.completed) == (["state_corrupt"], False)
    assert "2b" not in world.statuses()
    assert kinds(world.fresh()) == [("phase", "1", 1)]


def test_all_corrupt_records_are_named():
    world = halted()
    world.put(phase_path("2b"), b"")
    world.put(phase_path("5"), b"")
    answer = world.resume()
    assert codes(answer) == ["state_corrupt", "state_corrupt"]
    assert "phase-2b" in answer.summary.reason
    assert "phase-5" in answer.summary.reason


@pytest.mark.parametrize("path", [CONFIG_PATH, RUN])
@pytest.mark.parametrize(
    ("content", "code"),
    [(b"{", "state_corrupt"), (b'{"version": "1.0", "number": "x"}', "state_corrupt"), (b'{"version": null}', "state_corrupt")]
    + [(b'{"version": "2.0"}', "state_newer"), (b'{"version": 2}', "state_newer"), (b'{"version": "1.1"}', "state_newer")],
)  # fmt: skip
def test_a_run_of_another_version_or_that_is_none_is_refused_until_a_fresh_start(path, content, code):
    world = halted()
    world.put(path, content)
    before = dict(world.files.contents)
    world = world.opened()
    for answer in (world.resume(), world.start(), world.claim("2a"), world.status()):
        assert codes(answer) == [code]
        assert path.replace("{home}", "/world") in answer.log[0].message
        assert getattr(answer, "launch", ()) == getattr(answer, "phases", ()) == ()
    assert world.files.contents == before
    assert world.start(text="").summary.state_files == (0 if path == CONFIG_PATH else 7)
    assert kinds(world.fresh()) == [("phase", "1", 1)]


@pytest.mark.parametrize("field", ["completed", "failed", "pending"])
def test_a_configuration_without_a_count_that_has_a_default_is_sound(field):
    world = halted()
    config = world.config()
    phases = {name: count for name, count in config["phases"].items() if name != field}
    world.put(CONFIG_PATH, config | {"phases": phases})
    world = world.opened()
    assert world.statuses()["2a"] == "failed"
    answer = world.resume()
    assert (kinds(answer), codes(answer)) == ([("phase", "2a", 1)], [])
    assert world.config()["phases"] == {"total": 7, "completed": 3, "failed": 0, "pending": 4}


@pytest.mark.parametrize("phases", [None, {}, {"completed": 3}, {"total": 7, "failed": "1"}, {"total": None}])
def test_a_configuration_whose_phases_are_not_counted_is_corrupt(phases):
    world = halted()
    world.put(CONFIG_PATH, world.config() | {"phases": phases})
    assert codes(world.opened().resume()) == ["state_corrupt"]


def test_a_process_that_remembers_the_run_sees_that_it_is_gone():
    world = World(rows=CHAIN)
    world.start()
    world.files.contents.clear()
    assert codes(world.claim("0")) == ["not_started"]
    assert codes(world.status()) == ["not_started"]


@pytest.mark.parametrize("damage", ["removed", "corrupt", "cycle", "unknown"])
def test_a_process_that_finds_records_that_do_not_fit_reports_nothing(damage):
    world = World(rows=CHAIN)
    world.start()
    if damage == "removed":
        del world.files.contents[world.path(phase_path("2"))]
    elif damage == "corrupt":
        world.put(phase_path("2"), b"")
    else:
        depends_on = ["2" if damage == "unknown" else "1"]
        world.edit(
            "2" if damage == "cycle" else "0", dependencies={"depends_on": ["9"] if damage == "unknown" else depends_on}
        )
        if damage == "cycle":
            world.edit("1", dependencies={"depends_on": ["2"]})
    answer = world.opened().claim("0")
    assert (answer.accepted, codes(answer)) == (False, ["state_corrupt"])


def test_a_record_without_neighbours_depends_on_nothing():
    world = World(rows=CHAIN)
    world.start()
    world.edit("2", dependencies=None)
    other = world.opened()
    other.claim("0")
    assert kinds(other.verified("0")) == [("phase", "1", 1)]

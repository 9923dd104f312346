"""Failures in batches, what blocks what, and what is said when a run halts."""

from phase_runner_reference_world import CHAIN, DIAMOND, PASSED, World, batch, codes, kinds, undone

from harness.systems.phase_runner.contract import GateResult
from harness.systems.phase_runner.contract.words import USER_ACTIONS, FailureType

MISSING = {"package": "@types/jest", "required_by": "Type checking", "install": "npm install -D @types/jest"}


# -- siblings


def test_siblings_finish_before_any_retry_and_several_retries_go_together():
    world = batch()
    assert world.miss("2a").launch == ()
    assert world.record("2a")["status"] == "running"
    assert kinds(world.claim("2b")) == [("verification", "2b", 1)]
    assert world.miss("2c").launch == ()
    before = world.record("2a")["attempt"]
    answer = world.verified("2b")
    assert (before, kinds(answer)) == (1, [("phase", "2a", 2), ("phase", "2c", 2)])
    assert [each.subject for each in answer.commits] == ["feat(part): add 2b"]
    kept = world.record("2b")
    assert world.succeed("2c", 2).launch == ()
    assert kinds(world.succeed("2a", 2)) == [("phase", "3", 1)]
    assert world.record("2b") == kept


def test_of_several_retries_one_fails_and_the_run_halts_with_the_other_complete():
    world = batch()
    world.miss("2b")
    world.miss("2a")
    assert kinds(world.succeed("2c")) == [("phase", "2a", 2), ("phase", "2b", 2)]
    halting = world.miss("2a", 2)
    assert (halting.halting, halting.halted, halting.summary) == (True, False, None)
    answer = world.succeed("2b", 2)
    assert (answer.halting, answer.halted, answer.launch) == (False, True, ())
    assert [each.subject for each in answer.commits] == ["feat(part): add 2b"]
    assert world.statuses() == {
        "1": "complete", "2a": "failed", "2b": "complete", "2c": "complete",
        "3": "blocked", "4": "blocked", "5": "pending",
    }  # fmt: skip
    assert answer.summary.reason == "Phase 2A failed after retry"


def test_every_retry_that_failed_is_named():
    world = batch()
    world.miss("2a")
    world.miss("2b")
    world.succeed("2c")
    world.miss("2b", 2)
    answer = world.miss("2a", 2)
    assert answer.summary.reason == "Phase 2A failed after retry; Phase 2B failed after retry"
    assert [each.phase_id for each in answer.summary.failed] == ["2a", "2b"]


def test_what_is_not_retryable_waits_for_siblings_and_none_of_them_is_retried():
    world = batch()
    world.miss("2a")
    answer = world.miss("2b", missing=MISSING)
    assert (answer.halting, answer.halted, answer.launch) == (True, False, ())
    assert world.record("2b")["status"] == "failed"
    assert world.record("2a")["status"] == "running"
    assert kinds(world.claim("2c")) == [("verification", "2c", 1)]
    answer = world.verified("2c", 1, {"test": GateResult(1)})
    assert (answer.halted, answer.launch) == (True, ())
    summary = answer.summary
    assert [(each.phase_id, each.attempts) for each in summary.failed] == [("2a", 1), ("2b", 1), ("2c", 1)]
    assert summary.reason == (
        "Phase 2A failed and is not retried, because the run halts; Phase 2B failed: dependency_missing;"
        " Phase 2C failed and is not retried, because the run halts"
    )
    record = world.record("2a")
    assert (record["status"], sorted(record["error"])) == ("failed", ["attempt_1"])
    assert record["timestamps"]["failed"]
    assert world.record("3")["error"] == {"blocked_by": ["2a"]}


def test_a_failure_after_a_halt_was_triggered_is_final():
    world = batch()
    world.miss("2b", missing=MISSING)
    world.miss("2a")
    assert world.record("2a")["status"] == "failed"
    assert world.succeed("2c").halted


def test_a_retry_that_lacks_a_package_halts_as_well():
    world = World(rows=CHAIN)
    world.start()
    world.miss("0")
    answer = world.miss("0", 2, missing=MISSING)
    assert answer.summary.reason == "Phase 0 failed: dependency_missing"
    assert [(each.attempts, each.error_type) for each in answer.summary.failed] == [(2, "dependency_missing")]


# -- blocked


def test_everything_downstream_is_blocked_at_once_and_names_all_that_block_it():
    rows = [("1", "", "2"), ("2", "", "1"), ("3", "1,2"), ("4", "3"), ("5", "1"), ("6",)]
    world = World(rows=rows)
    world.start()
    world.report("1", 1, undone(missing=MISSING))
    assert world.statuses() == {
        "1": "failed", "2": "running", "3": "blocked", "4": "blocked", "5": "blocked", "6": "pending",
    }  # fmt: skip
    assert world.record("3")["error"] == {"blocked_by": ["1"]}
    answer = world.report("2", 1, undone(missing=MISSING))
    assert world.record("3")["error"] == {"blocked_by": ["1", "2"]}
    assert [(each.phase_id, each.blocked_by) for each in answer.summary.blocked] == [
        ("3", ("1", "2")),
        ("4", ("1", "2")),
        ("5", ("1",)),
    ]
    assert answer.summary.pending == ("6",)


def test_a_complete_phase_is_never_blocked():
    world = World(rows=CHAIN)
    world.play(world.start())
    world.edit("0", status="pending")
    answer = world.opened().resume()
    assert kinds(answer) == [("phase", "0", 1)]
    assert codes(answer) == ["plan_changed"]
    answers = world.opened().play(answer, {"0": ["bad"]})
    assert answers[-1].halted
    assert world.statuses() == {"0": "failed", "1": "complete", "2": "complete"}
    assert answers[-1].summary.blocked == ()


# -- the summary


def test_a_summary_says_all_there_is_to_say():
    world = World(rows=DIAMOND)
    answer = world.play(world.start(plan_path="docs/my plan.md", commit_mode="auto"), {"2a": [undone()]})[-1]
    summary = answer.summary
    assert [(each.phase_id, each.name, each.commit) for each in summary.completed] == [
        ("0", "Name of 0", "feat(part): add 0"),
        ("2b", "Name of 2B", "feat(part): add 2b"),
    ]
    (failed,) = summary.failed
    assert (failed.phase_id, failed.name, failed.error_type) == ("2a", "Name of 2A", "test_failure")
    assert failed.details == "no luck - test failed (exit code 1)"
    assert failed.user_actions == USER_ACTIONS[FailureType.TEST_FAILURE]
    assert [(each.phase_id, each.blocked_by) for each in summary.blocked] == [("3", ("2a",))]
    assert (summary.state_directory, summary.log_directory) == ("/world/.autobuild", "/world/.autobuild/logs")
    assert (summary.state_files, summary.pending) == (4, ())
    assert summary.resume_command == "/autobuild 'docs/my plan.md' --commit=auto --resume"
    assert summary.fresh_command == "/autobuild 'docs/my plan.md' --commit=auto --fresh"
    assert summary.resume_steps[0].startswith("Fix phase 2A (test_failure): no luck")
    assert summary.resume_command in summary.resume_steps[1]
    assert summary.fresh_command in summary.resume_steps[2]
    facts = [
        summary.reason, "Phase 0: Name of 0", "Commit: feat(part): add 0", "Attempts: 2/2", "Error: test_failure",
        f"Details: {failed.details}", *failed.user_actions, "Phase 3: Name of 3", "Blocked by: 2A",
        summary.state_directory, "State files: 4", summary.log_directory, *summary.resume_steps,
    ]  # fmt: skip
    assert [each for each in facts if each not in summary.text] == []
    assert "FAILED PHASES" not in summary.text
    assert "PENDING" not in summary.text


def test_a_summary_of_a_missing_package_says_how_it_is_installed():
    world = World(rows=[("1",), ("2",)])
    world.start(commit_mode="message-only")
    summary = world.miss("1", missing=MISSING, message="").summary
    assert (summary.missing_package, summary.required_by) == ("@types/jest", "Type checking")
    assert summary.install_step == MISSING["install"]
    assert summary.failed[0].user_actions == ()
    assert summary.failed[0].details == "@types/jest is not installed; it is required by Type checking"
    assert summary.resume_steps[0] == "Install missing dependency: npm install -D @types/jest"
    assert summary.resume_command == "/autobuild docs/feature-plan.md --commit=message-only --resume"
    for fact in (*MISSING.values(), "PENDING PHASES", "Phase 2: Name of 2"):
        assert fact in summary.text
    assert summary.pending == ("2",)


def test_what_a_sub_agent_said_of_a_missing_package_is_told():
    world = World(rows=[("1",)])
    world.start()
    summary = world.miss("1", missing=MISSING, message="no jest", details="looked everywhere").summary
    assert summary.failed[0].details == "no jest - looked everywhere"


def test_several_failures_are_told_in_one_text():
    world = batch()
    for each in ("2a", "2b", "2c"):
        world.miss(each)
    for each in ("2a", "2b"):
        assert world.miss(each, 2).launch == ()
    text = world.succeed("2c", 2).summary.text
    assert "FAILED PHASES" in text


def test_a_halted_run_launches_nothing_and_repeats_its_summary():
    world = World(rows=CHAIN)
    last = world.play(world.start(), {"0": ["bad"]})[-1]
    answer = world.claim("1")
    assert (answer.accepted, answer.halted, codes(answer)) == (False, True, ["not_launched"])
    assert answer.summary == last.summary
    status = world.status("1", "0", "8")
    assert [(each.phase_id, str(each.status), each.attempt, each.error_type) for each in status.phases] == [
        ("0", "failed", 2, "parse_error"),
        ("1", "blocked", 0, None),
    ]
    assert (status.halted, status.completed, codes(status)) == (True, False, ["phase_unknown"])


def test_the_steps_of_a_halt_are_in_the_execution_log():
    world = batch()
    world.miss("2a")
    world.succeed("2b")
    world.succeed("2c")
    world.miss("2a", 2)
    assert world.events() == [
        "START", "CONFIG", "BATCH", "PHASE_START", "VERIFY", "VERIFY", "PHASE_COMPLETE", "COMMIT",
        "BATCH", "PHASE_START", "PHASE_START", "PHASE_START", "PHASE_FAIL",
        "VERIFY", "VERIFY", "PHASE_COMPLETE", "COMMIT", "VERIFY", "VERIFY", "PHASE_COMPLETE", "COMMIT",
        "RETRY", "PHASE_FAIL", "HALT",
    ]  # fmt: skip
    assert world.config()["phases"] == {"total": 7, "completed": 3, "failed": 1, "pending": 3}


def test_a_run_that_is_complete_says_so():
    world = World(rows=DIAMOND)
    last = world.play(world.start())[-1]
    assert (last.completed, last.halted, last.halting, last.summary) == (True, False, False, None)
    assert world.events()[-1] == "COMPLETE"
    assert world.config()["phases"] == {"total": 4, "completed": 4, "failed": 0, "pending": 0}
    status = world.status()
    assert (status.completed, status.halted) == (True, False)
    refused = world.verified("0", 1, {"test": PASSED})
    assert (refused.accepted, refused.completed, refused.summary) == (False, True, None)

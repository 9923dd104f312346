"""What an attempt comes to: types of failures, what is captured and told to the retry, and records on the way."""

import json

import pytest
from phase_runner_reference_world import CHAIN, COMMANDS, PASSED, World, codes, done, kinds, undone

from harness.systems.phase_runner.contract import Commands, GateFailure, GateResult
from harness.systems.phase_runner.contract.words import FINAL, GUIDANCE, FailureType
from harness.systems.phase_runner.reference.failures import FailureRules, RetryRules

TEST = {"file": "src/auth.test.ts", "name": "validateToken", "message": "returns null"}
LINT = {"file": "src/a.py", "rule": "E501", "line": 7, "message": "too long"}
TYPE = {"file": "src/b.py", "line": 3, "expected": "int", "actual": "str", "message": "no"}
MISSING = {"package": "@types/jest", "required_by": "Type checking", "install": "npm install -D @types/jest"}


def begun(rows=(("1",),)):
    world = World(rows=list(rows))
    world.start()
    return world


def error_of(said, **fields):
    """What is noted of a first attempt that ended so."""
    world = begun()
    world.report("1", 1, said, **fields)
    return world.record("1")["error"]["attempt_1"]


def test_a_success_is_verified_and_then_complete():
    world = begun()
    record = world.record("1")
    assert (record["status"], record["attempt"], record["max_attempts"]) == ("running", 1, 2)
    assert record["timestamps"]["started"] == "2026-03-01T12:00:00Z"
    assert kinds(world.claim("1")) == [("verification", "1", 1)]
    record = world.record("1")
    assert (record["status"], record["verification"]["subagent_claimed"]) == ("running", True)
    answer = world.verified("1", at=2.5)
    assert (answer.accepted, answer.completed, answer.halted, answer.launch) == (True, True, False, ())
    assert [(each.phases, each.subject) for each in answer.commits] == [(("1",), "feat(part): add 1")]
    record = world.record("1")
    assert (record["status"], record["attempt"], record["error"]) == ("complete", 1, None)
    assert record["execution"] == {"subagent_id": None, "subagent_model": None, "tasks_total": 3, "tasks_completed": 3}
    assert record["verification"] == {
        "subagent_claimed": True,
        "fresh_verification": True,
        "verified_at": "2026-03-01T12:00:02.500000Z",
    }
    assert record["timestamps"]["duration_seconds"] == 2.5
    commit = record["commit"]
    assert (commit["type"], commit["scope"], commit["committed"]) == ("feat", "part", True)
    assert (commit["files_created"], commit["files_modified"], commit["files_deleted"]) == (["src/1.py"], [], [])
    assert record["quality_gates"]["test"]["passed"] is True


@pytest.mark.parametrize(
    ("said", "type_"),
    [
        (undone("test"), "test_failure"),
        (undone("test", [TEST], 0), "test_failure"),
        (undone("lint"), "lint_error"),
        (undone("typecheck"), "typecheck_error"),
        (undone("format"), "format_error"),
        (undone(tasks_completed=2), "task_incomplete"),
        (done("1", tasks_completed=2), "task_incomplete"),
        (None, "timeout"),
        ("all done!", "parse_error"),
        ("", "parse_error"),
        ("[]", "parse_error"),
        ('{"success": true}', "parse_error"),
        (done("1", tasks_total="3"), "parse_error"),
        ("[" * 100_000, "parse_error"),
        ('"\ud800"', "parse_error"),
        (undone("test", exit_code=0), "unknown"),
    ],
)
def test_each_retryable_failure_is_retried_once(said, type_):
    world = begun(CHAIN[:2])
    world.succeed("0")
    answer = world.report("1", 1, said, elapsed_s=600.0)
    assert (kinds(answer), answer.halting, answer.halted) == ([("phase", "1", 2)], False, False)
    record = world.record("1")
    assert (record["status"], record["attempt"], record["max_attempts"]) == ("running", 2, 2)
    assert record["error"]["attempt_1"]["type"] == type_
    assert answer.launch[0].context.previous_error_type == type_
    answer = world.report("1", 2, said, elapsed_s=600.0)
    assert (answer.launch, answer.halted, answer.completed) == ((), True, False)
    record = world.record("1")
    assert (record["status"], record["attempt"], record["error"]["final"]) == ("failed", 2, FINAL)
    assert [record["error"][name]["type"] for name in ("attempt_1", "attempt_2")] == [type_, type_]
    assert [(each.attempts, each.max_attempts, each.error_type) for each in answer.summary.failed] == [(2, 2, type_)]


@pytest.mark.parametrize(
    ("said", "type_"),
    [
        (undone(missing=MISSING, tasks_completed=1), "dependency_missing"),
        (undone("lint", exit_code=None), "dependency_missing"),
        (undone(tasks_completed=1), "task_incomplete"),
        (json.dumps(json.loads(undone()) | {"gates": {"test": {"exit_code": 1}, "lint": {"exit_code": 2}}}), "lint_error"),
        (json.dumps(json.loads(undone()) | {"gates": {"test": {"exit_code": 1}, "lint": {"exit_code": 0}}}), "test_failure"),
    ],
)  # fmt: skip
def test_of_several_failures_the_first_in_the_order_of_the_contract_counts(said, type_):
    assert error_of(said)["type"] == type_


def test_a_claim_is_a_claim_whatever_its_gates_say():
    world = begun()
    answer = world.report("1", 1, done("1", missing=MISSING, gates={"test": {"exit_code": 1}}))
    assert kinds(answer) == [("verification", "1", 1)]


def test_a_retry_that_succeeds_keeps_the_first_error():
    world = begun(CHAIN)
    world.succeed("0")
    answer = world.miss("1", 1, details="three of them")
    context = answer.launch[0].context
    assert context.previous_error_message == "no luck"
    assert context.previous_error_details == "three of them\ntest failed (exit code 1)"
    assert (context.tasks_completed, context.tasks_total) == (3, 3)
    before = world.record("1")
    assert before["error"] == {"attempt_1": before["error"]["attempt_1"]}
    assert kinds(world.succeed("1", 2)) == [("phase", "2", 1)]
    record = world.record("1")
    assert (record["status"], record["attempt"], record["max_attempts"]) == ("complete", 2, 2)
    assert record["error"] == {"attempt_1": before["error"]["attempt_1"], "resolved_on_retry": True}


@pytest.mark.parametrize(
    ("gate", "case", "captured", "line"),
    [
        (
            "test",
            TEST,
            {"failed": 1, "files": [TEST["file"]], "tests": ["validateToken"], "messages": ["returns null"]},
            "src/auth.test.ts validateToken returns null",
        ),
        (
            "lint",
            LINT,
            {"errors": 1, "files": ["src/a.py"], "rules": ["E501"], "lines": [7]},
            "src/a.py:7 E501 too long",
        ),
        (
            "typecheck",
            TYPE,
            {"errors": 1, "files": ["src/b.py"], "lines": [3], "messages": ["src/b.py:3 expected int, got str no"]},
            "src/b.py:3 expected int, got str no",
        ),
    ],
)
def test_what_a_gate_found_is_captured(gate, case, captured, line):
    world = begun()
    context = world.miss("1", 1, gate, [case]).launch[0].context
    record = world.record("1")
    assert record["error"]["attempt_1"]["captured"] == captured
    assert line in context.previous_error_details
    assert record["quality_gates"][gate]["failures"] == [case]
    assert record["quality_gates"][gate]["passed"] is False


@pytest.mark.parametrize(
    ("gate", "case", "other", "told"),
    [
        ("test", TEST, {"file": "b.test.ts", "name": "logout", "message": "hangs"},
         [TEST["file"], "validateToken", "returns null", "b.test.ts", "logout", "hangs"]),
        ("lint", LINT, {"file": "src/z.py", "rule": "F401", "line": 31},
         ["src/a.py:7", "E501", "too long", "src/z.py:31", "F401"]),
        ("typecheck", TYPE, {"file": "src/z.py", "line": 99, "expected": "User", "actual": "None"},
         ["src/b.py:3", "expected int, got str", "src/z.py:99", "expected User, got None"]),
    ],
)  # fmt: skip
def test_what_a_gate_found_is_told_beside_what_the_sub_agent_says_of_it(gate, case, other, told):
    world = begun()
    context = world.miss("1", 1, gate, [case, other], details="as far as I can see").launch[0].context
    assert context.previous_error_details == world.record("1")["error"]["attempt_1"]["details"]
    first, *lines = context.previous_error_details.splitlines()
    assert first == "as far as I can see"
    assert lines[0] == f"{gate} failed (exit code 1, 2 failures)"
    assert [each for each in told if each not in "\n".join(lines[1:])] == []
    answer = world.miss("1", 2, gate, [case], details="still")
    assert answer.summary.failed[0].details.startswith(f"no luck - still\n{gate} failed (exit code 1, 1 failures)\n")


def test_a_gate_that_says_little_is_told_of_as_far_as_it_goes():
    case = {"file": "a.py"}
    found = error_of(undone("test", [case], 5, message="", details=""))
    assert found["message"] == "test failed (exit code 5, 1 failures)"
    assert found["details"] == "test failed (exit code 5, 1 failures)\na.py"
    found = error_of(undone("format", message=""))
    assert "captured" not in found
    assert found["details"] == "format failed (exit code 1)"
    gates = {"test": {"exit_code": 5, "output_summary": "no tests"}}
    found = error_of(undone(message="", gates=gates))
    assert found["message"] == "test failed (exit code 5): no tests"
    assert found["captured"] == {"failed": 0, "files": [], "tests": [], "messages": []}


def test_silence_is_captured_with_its_time_and_what_was_done_last():
    found = error_of(None, elapsed_s=600.5, last_activity="running npm test")
    assert (found["type"], found["captured"]) == (
        "timeout",
        {"elapsed_s": 600.5, "last_activity": "running npm test"},
    )
    assert found["message"] == "no answer within 600.5 s"
    assert "running npm test" in found["details"]
    found = error_of(None)
    assert found["details"] == "no answer within an unknown time; last known activity: unknown"


def test_a_retry_after_silence_knows_of_no_tasks():
    world = begun()
    context = world.report("1", 1, None, elapsed_s=600.0).launch[0].context
    assert (context.tasks_completed, context.tasks_total) == (0, 0)
    assert world.record("1")["execution"] is None


def test_tasks_that_are_left_are_counted_where_nothing_was_said():
    assert error_of(undone(tasks_completed=1, message=""))["message"] == "1 of 3 tasks are done"
    assert error_of(undone(exit_code=0, message=""))["message"] == "the sub-agent did not succeed"


def test_a_claim_that_a_fresh_verification_refutes_is_a_mismatch():
    world = begun()
    world.claim("1")
    gates = {
        "lint": PASSED,
        "typecheck": GateResult(2, failures=(GateFailure("src/b.py", expected="int", actual="str"),)),
        "test": GateResult(0, failures=(GateFailure("src/a.py", "boom", "test_a"),)),
    }
    answer = world.verified("1", 1, gates)
    assert kinds(answer) == [("phase", "1", 2)]
    context = answer.launch[0].context
    assert context.previous_error_type == "verification_mismatch"
    assert (context.tasks_completed, context.tasks_total) == (3, 3)
    assert context.retry_guidance == GUIDANCE[FailureType.VERIFICATION_MISMATCH]
    found = world.record("1")["error"]["attempt_1"]
    assert found["captured"]["claimed"] == "all quality gates pass"
    assert found["captured"]["difference"] == "claimed to pass, but failed: typecheck, test"
    assert found["captured"]["cases"]["test"]["tests"] == ["test_a"]
    assert "src/b.py expected int, got str" in found["captured"]["found"]
    for part in ("claimed", "difference", "found"):
        assert found["captured"][part] in found["details"]
    record = world.record("1")
    assert record["verification"]["fresh_verification"] is False
    assert answer.commits == ()
    assert world.log("1").decode().count("attempt 1, verifying") == 1


def test_a_command_that_is_not_there_halts_in_a_fresh_verification_too():
    world = begun()
    world.claim("1")
    answer = world.verified("1", 1, {"lint": GateResult(None, "eslint"), "test": GateResult(1)})
    assert (answer.halted, answer.launch) == (True, ())
    assert (answer.summary.missing_package, answer.summary.required_by) == ("eslint", "the quality gate lint")
    assert answer.summary.install_step == "install eslint"
    assert world.record("1")["quality_gates"]["lint"]["passed"] is None


def test_a_command_without_a_name_is_called_after_its_gate():
    missing = FailureRules().missing_command({"test": GateResult(None)})
    assert missing.package == "the test command"


@pytest.mark.parametrize("type_", [*FailureType, "unknown"])
def test_guidance_has_no_placeholders_left_with_commands_and_without(type_):
    rules = RetryRules()
    with_commands = rules.guidance(type_, ["a.py", "b {LINT_COMMAND}.py"], COMMANDS)
    without = rules.guidance(type_, [], Commands())
    for text in (with_commands.replace("b {LINT_COMMAND}.py", ""), without):
        assert text
        assert "{" not in text


def test_guidance_names_files_and_commands():
    world = begun()
    context = world.miss("1", 1, "test", [TEST, TEST, {"file": "x.ts"}]).launch[0].context
    assert "The errors are in src/auth.test.ts, x.ts." in context.retry_guidance
    rules = RetryRules()
    assert "`npm run lint` to" in rules.guidance("lint_error", [], COMMANDS)
    assert "`npm run lint:fix`" in rules.guidance("lint_error", [], COMMANDS)
    assert "`npx tsc`" in rules.guidance("typecheck_error", [], COMMANDS)
    assert "`npm run format`" in rules.guidance("format_error", [], COMMANDS)


def test_a_context_is_made_of_a_record_that_somebody_emptied():
    world = begun()
    world.miss("1")
    run = world.runner.memory.run
    from msgspec.structs import replace

    rules = RetryRules()
    record = run.records["1"]
    for error in (None, {}, {"attempt_1": {"captured": 7}}, {"attempt_1": {"captured": {"files": 7}}}):
        context = rules.context(replace(record, error=error), COMMANDS)
        assert (context.previous_error_type, context.previous_error_message) == ("unknown", "")
        assert context.previous_error_details == ""
    unknown = replace(record.execution, tasks_total=None, tasks_completed=None)
    context = rules.context(replace(record, execution=unknown), COMMANDS)
    assert (context.tasks_completed, context.tasks_total) == (0, 0)


@pytest.mark.parametrize(
    ("given", "subject", "type_", "scope"),
    [
        ("fix!: all", "fix!: all", "fix", None),
        ("free words", "free words", None, None),
        ("feat(a): one\nand more", "feat(a): one and more", "feat", "a"),
        ("  ", "feat(1): Name of 1", "feat", "1"),
        ("", "feat(1): Name of 1", "feat", "1"),
    ],
)
def test_a_commit_has_one_line_and_is_taken_apart(given, subject, type_, scope):
    world = begun()
    answer = world.succeed("1", commit_subject=given)
    assert answer.commits[0].subject == subject
    commit = world.record("1")["commit"]
    assert (commit["message"], commit["type"], commit["scope"]) == (subject, type_, scope)


def test_a_phase_without_a_name_has_a_subject_too():
    world = World()
    head = "| Phase | Name | Depends On | Parallel With | Estimate | Status |\n|-|-|-|-|-|-|\n"
    world.start(text=f"{head}| 2a | | - | - | - | - |\n")
    assert world.succeed("2a", commit_subject="").commits[0].subject == "feat(2a): phase 2A"


def test_what_no_file_can_hold_is_written_out():
    world = begun()
    world.report("1", 1, None, last_activity="half \ud800 a pair")
    assert "half \\ud800 a pair" in world.record("1")["error"]["attempt_1"]["details"]
    world.claim("1", 2)
    world.verified("1", 2, {"test": GateResult(1, "\ud800", failures=(GateFailure("\ud800", line=2),))})
    assert world.record("1")["quality_gates"]["test"]["command"] == "\\ud800"
    assert world.opened().statuses() == {"1": "failed"}


@pytest.mark.parametrize(
    ("phase_id", "attempt", "code"),
    [("9", 1, "phase_unknown"), ("2", 1, "not_launched"), ("1", 2, "not_launched"), ("1", 0, "not_launched"), ("0", 1, "already_reported")],
)  # fmt: skip
def test_reports_that_nobody_awaits_are_refused_and_change_nothing(phase_id, attempt, code):
    world = begun(CHAIN)
    world.succeed("0")
    before = dict(world.files.contents)
    for answer in (world.claim(phase_id, attempt), world.verified(phase_id, attempt)):
        assert (answer.accepted, answer.launch, answer.commits, codes(answer)) == (False, (), (), [code])
    assert world.files.contents == before
    assert kinds(world.claim("1")) == [("verification", "1", 1)]


def test_a_claim_is_not_reported_twice_nor_verified_before_it_is_made():
    world = begun()
    assert codes(world.verified("1")) == ["not_launched"]
    world.claim("1")
    assert codes(world.claim("1")) == ["already_reported"]
    world.verified("1")
    assert codes(world.verified("1")) == ["already_reported"]
    world = begun()
    world.miss("1")
    assert codes(world.miss("1")) == ["already_reported"]
    assert codes(world.verified("1", 2)) == ["not_launched"]


def test_without_a_run_nothing_is_reported():
    world = World()
    for answer in (world.claim("1"), world.verified("1")):
        assert (answer.accepted, codes(answer)) == (False, ["not_started"])
    assert codes(world.status()) == ["not_started"]

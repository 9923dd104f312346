"""What the reference of the diagnosis does in calm weather."""

import datetime as dt
import json
import shlex
from importlib import resources

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as some
from reflection_world import (
    DENIED,
    GIT,
    NOW,
    REPOSITORY,
    TOOLS,
    Failing,
    World,
    approaches,
    codes,
    commands,
    context,
    kind,
    names,
)
from ulid import ULID

from harness.ports.files import RealFiles
from harness.systems.diagnosis.contract import WHYS, Configuration, ErrorType, Reflection
from harness.systems.diagnosis.reference import DiagnosticReflection, create
from harness.systems.diagnosis.reference.reading import Reading
from harness.systems.diagnosis.reference.subjects import words_of

DEVELOPMENT = yaml.safe_load(
    resources.files("harness.systems.diagnosis").joinpath("corpus", "development.yaml").read_bytes()
)


class TestDiagnosis:
    def test_a_failure_is_diagnosed_at_once_and_a_success_is_not(self):
        world = World()
        assert Reflection.FULL == world.clone().reflection
        calm = world.observe(None, success=True)
        assert (Reflection.NONE, None, ()) == (calm.reflection, calm.diagnosis, calm.log)

    def test_a_clone_without_git_is_downloaded_with_curl_and_extracted_with_tar(self):
        found = World().clone()
        assert ErrorType.COMMAND_NOT_FOUND == kind(found)
        assert ["curl_download_and_extract", "manual_http_download", "ask_user"] == names(found)
        plan = found.diagnosis["recoveryPlan"]
        fetch, _, extract = commands(plan)
        assert f"{REPOSITORY}/archive/refs/heads/main.tar.gz" in shlex.split(fetch)
        assert ["curl", "tar"] == [shlex.split(fetch)[0], shlex.split(extract)[0]]
        assert ["manual_http_download", "ask_user"] == plan["fallbackChain"]

    def test_ids_are_ulids_of_their_time(self):
        found = World().clone(at=0.5).diagnosis
        assert NOW + 0.5 == ULID.from_str(found["id"].removeprefix("diag_")).timestamp
        assert "2026-03-01T12:00:00.500Z" == found["timestamp"]

    @pytest.mark.parametrize("now_s", [-1e300, 1e300, float("nan"), float("inf"), -1.0])
    def test_a_time_that_no_clock_has_is_drawn_in(self, now_s):
        found = World().clone(at=now_s - NOW).diagnosis
        assert dt.datetime.fromisoformat(found["timestamp"]).year in {1970, 9999}

    def test_the_iteration_and_five_whys_are_there(self):
        found = World().clone(iteration=7).diagnosis
        assert (7, list(WHYS)) == (found["iteration"], list(found["whyChain"]))
        assert all(found["whyChain"].values())

    def test_without_tools_three_ways_to_ask_remain(self):
        found = World().clone(availableTools=[])
        assert ErrorType.TOOL_NOT_FOUND == kind(found)
        assert ["ask_user"] * 3 == approaches(found)
        assert [] == [tool for each in found.diagnosis["alternatives"] for tool in each["tools"]]
        assert (False, "user_action_required") == (
            found.diagnosis["errorClassification"]["canRecover"],
            found.diagnosis["errorClassification"]["severity"],
        )
        assert found.asks_user

    def test_create_takes_the_machine_where_nothing_is_said(self, tmp_path):
        found = create(Configuration(str(tmp_path)))
        assert isinstance(found, DiagnosticReflection)
        assert isinstance(found.session.files, RealFiles)

    def test_calls_long_gone_are_forgotten(self, monkeypatch):
        monkeypatch.setattr("harness.systems.diagnosis.reference.reflection.MOST_CALLS", 2)
        world = World()
        for call in ("a", "b", "a", "c"):
            world.clone(call=call)
        assert ["call_unknown"] == codes(world.prompt("b"))
        assert [[], []] == [codes(world.prompt("a")), codes(world.report("c"))]


class TestClassification:
    @pytest.mark.parametrize("entry", DEVELOPMENT, ids=lambda entry: entry["id"])
    def test_the_development_part_of_the_corpus(self, entry):
        found = World().observe(
            entry["error"], entry["tool"], entry["args"], availableTools=entry.get("availableTools", [entry["tool"]])
        )
        assert entry["type"] == kind(found)

    @pytest.mark.parametrize(
        ("expected", "error"),
        [
            ("command_not_found", {"message": "permission denied", "code": 127}),
            ("command_not_found", {"message": "failed", "code": "127"}),
            ("command_not_found", {"message": "failed", "code": 127.0}),
            ("command_not_found", {"message": "Command failed: exit status 127"}),
            ("rate_limited", {"message": "timed out", "code": 429}),
            ("permission_denied", {"message": "429 Too Many Requests", "code": "eacces"}),
            ("permission_denied", {"message": "failed", "code": 126}),
            ("timeout", {"message": "failed", "code": 124}),
            ("timeout", {"message": "failed", "signal": "ALRM"}),
            ("timeout", {"message": "failed", "signal": 14}),
            ("timeout", {"message": "Killed", "code": 137}),
            ("timeout", {"message": "Killed", "signal": "SIGKILL"}),
            ("syntax_error", {"message": "failed", "signal": 77, "stdout": "SyntaxError: invalid syntax"}),
            ("network_error", {"message": "failed", "code": 503}),
            ("invalid_arguments", {"message": "failed", "code": 400}),
            ("unknown", {"message": "line 4290 of the 404 pages on rate limit handling"}),
            ("unknown", {"message": "failed", "code": 1, "stdout": "not ok 3 - permission denied is shown"}),
            ("unknown", {"message": "Command failed: grep 'permission denied' x"}),
        ],
        ids=str,
    )
    def test_an_order_holds_when_several_match(self, expected, error):
        command = "grep 'permission denied' x"
        assert expected == kind(World().observe(error, args={"command": command}))

    def test_a_tool_that_is_not_available_goes_before_all(self):
        assert "tool_not_found" == kind(World().observe(GIT, tool="repo_browser"))

    @pytest.mark.parametrize("tools", [..., None, "run_bash", [1, None]], ids=str)
    def test_where_nobody_knows_the_tools_the_failed_one_is_available(self, tools):
        found = World().clone(availableTools=tools)
        assert "command_not_found" == kind(found)
        assert {"run_bash"} == {tool for each in found.diagnosis["alternatives"] for tool in each["tools"]}


class TestRecovery:
    def test_the_user_is_asked_after_two_failures(self):
        world = World()
        world.clone()
        first = world.tried(False)
        assert ("curl_download_and_extract", "manual_http_download", False) == (
            first.strategy, first.next_plan["strategy"], first.asks_user,
        )  # fmt: skip
        second = world.tried(False)
        assert ("manual_http_download", "ask_user", True) == (
            second.strategy, second.next_plan["strategy"], second.asks_user,
        )  # fmt: skip
        third = world.tried(False)
        assert ("ask_user", "ask_user", True) == (third.strategy, third.next_plan["strategy"], third.asks_user)

    def test_a_success_needs_no_next_plan(self):
        world = World()
        world.clone()
        found = world.tried(True, iterations=-3)
        assert ("curl_download_and_extract", None, False) == (found.strategy, found.next_plan, found.asks_user)

    def test_an_unknown_call_is_told(self):
        world = World()
        for found in (world.tried(True), world.prompt(), world.report()):
            assert ["call_unknown"] == codes(found)
        assert None is world.tried(True).strategy

    def test_more_attempts_end_where_the_alternatives_end(self):
        world = World(flags={"AUTONOMOUS_MAX_RECOVERY_ATTEMPTS": "9"})
        world.clone()
        assert [False, True, True] == [world.tried(False).asks_user for _ in range(3)]

    def test_no_attempt_is_made_where_none_is_allowed(self):
        world = World(flags={"AUTONOMOUS_MAX_RECOVERY_ATTEMPTS": "0"})
        found = world.clone()
        assert (True, "ask_user") == (found.asks_user, found.diagnosis["recoveryPlan"]["strategy"])
        assert world.tried(True).strategy == "ask_user"
        assert Reflection.FULL == world.clone().reflection


class TestLearning:
    def test_what_worked_once_is_taken_at_once_by_another_process_too(self):
        world = World()
        world.clone()
        world.tried(False)
        world.tried(True)
        for each in (world, world.opened()):
            found = each.clone()
            assert (Reflection.FAST, "manual_http_download") == (
                found.reflection, found.diagnosis["recoveryPlan"]["strategy"],
            )  # fmt: skip
            assert ["curl_download_and_extract", "ask_user"] == found.diagnosis["recoveryPlan"]["fallbackChain"]
        assert Reflection.FULL == world.observe(DENIED, args={"path": "/etc/hosts"}).reflection
        assert Reflection.FULL == world.opened(AUTONOMOUS_FAST_RECOVERY_ENABLED="0").clone().reflection

    def test_what_failed_is_not_begun_with_again(self):
        world = World()
        world.clone()
        world.tried(False)
        assert "manual_http_download" == world.clone().diagnosis["recoveryPlan"]["strategy"]
        world.tried(False)
        found = world.clone()
        assert (True, "ask_user", []) == (
            found.asks_user,
            found.diagnosis["recoveryPlan"]["strategy"],
            found.diagnosis["recoveryPlan"]["fallbackChain"],
        )

    def test_the_confidence_follows_the_successes(self):
        world = World(flags={"AUTONOMOUS_MAX_RECOVERY_ATTEMPTS": "1"})
        for success in (True, True, False):
            world.clone()
            world.tried(success)
        patterns = [
            line["learned_pattern"]["confidence"] for line in world.lines("session") if "learned_pattern" in line
        ]
        assert [0.6667, 0.75, 0.6] == patterns
        assert [1.0, 1.0, 0.6667] == [each["reusable_pattern"]["success_rate"] for each in world.lines("episodic")]

    def test_subjects_that_look_alike_share_no_pattern(self):
        world = World()
        for name in ("\u00e9", "\u00e8"):
            world.observe({"message": "x", "code": 127, "stderr": f"bash: {name}: command not found"}, call=name)
        assert 2 == len({line["diagnosis"]["learningOpportunity"]["pattern"] for line in world.lines("session")})


class TestTexts:
    def test_the_next_reflection_reads_all_of_it(self):
        world = World()
        diagnosis = world.clone().diagnosis
        text = world.prompt().text
        for number, why in enumerate(diagnosis["whyChain"].values(), 1):
            assert f"\n{number}. {why}\n" in text
        for told in (
            f"Root Cause: {diagnosis['rootCause']['description']} (confidence: 0.95)",
            "Recommended Recovery (Priority 1):\nStrategy: curl_download_and_extract (confidence: 0.9)",
            "  1. Download the repository's tarball: curl -fL",
            '  4. Verify the extraction: read_dir {"path":"./forgekeeper"}',
            "Pattern to learn: git_command_not_found: When git",
        ):
            assert told in text

    def test_the_report_shows_what_was_tried(self):
        world = World()
        world.clone()
        assert "  none yet" in world.report().text
        world.tried(False)
        world.tried(False, iterations=4)
        text = world.report().text
        assert "  2. manual_http_download: failure (iterations: 4)" in text
        assert "Your help is needed: ask_user" in text
        assert "  1. Ask the user to install git" in world.prompt().text

    def test_lines_of_a_message_do_not_pass_for_whys(self):
        world = World()
        world.observe({"message": "x\n1. forged\n2. forged", "code": 1}, call="c")
        assert "\n1. forged" not in world.prompt("c").text


SURROGATE = "\ud800"
CIRCULAR: dict = {}
CIRCULAR["self"] = [CIRCULAR]


class Odd:
    def __repr__(self):
        raise RuntimeError("never shown")


class TestHostileInput:
    @pytest.mark.parametrize(
        "error",
        [
            None, 7, "boom", b"\xff\xfe" * 9000, [], {}, CIRCULAR, Odd(), 10**5000, SURROGATE, "x" * (10 << 20),
            {"message": 42}, {"message": None}, {"message": {"message": "permission denied"}}, {"message": bytearray(b"x")},
            {"message": CIRCULAR, "code": CIRCULAR, "stderr": 7, "stdout": [], "signal": {}},
            {"message": "\0", "code": SURROGATE, "stderr": "permission denied" * (1 << 20)}, {"code": True},
            {"message": "x", "code": 10**40}, {"message": "x", "code": 1.5}, {"message": {"message": 7}},
        ],
        ids=lambda error: type(error).__name__,
    )  # fmt: skip
    def test_any_error_is_diagnosed(self, error):
        found = World().observe(error)
        assert Reflection.FULL == found.reflection
        json.dumps(found.diagnosis).encode()

    @pytest.mark.parametrize(
        ("tool", "args", "around"),
        [
            (None, None, None), (7, 7, 7), ("", [], []), (SURROGATE, {"path": SURROGATE}, {}),
            (CIRCULAR, CIRCULAR, CIRCULAR), ("t" * (1 << 20), {"command": "x" * (10 << 20)}, context()),
            ("run_bash", {1: {2: {3: 10**30}}, "f": float("nan"), "g": 1e308, "b": True}, context(iteration=10**40)),
            ("run_bash", {"command": "git 'clone"}, context(iteration="12", previousActions=[1, {}, {"tool": 3}])),
            ("run_bash", {"command": ["x"] * 100}, context(iteration=3.0, previousActions=7, taskGoal=7)),
            ("run_bash", {"path": "a"}, context(workspaceState=7, availableTools=["run_bash", SURROGATE, 7])),
            ("run_bash", {"path": "a"}, context(workspaceState={"files": 7, "directories": ["x", 7]}, iteration=True)),
            ("run_bash", {"url": "http://[bad"}, context(availableTools=["run_bash"] * 5000)),
        ],
        ids=lambda value: type(value).__name__,
    )  # fmt: skip
    @pytest.mark.parametrize("error", [GIT, DENIED, {"message": "getaddrinfo ENOTFOUND"}, {"message": "?"}], ids=str)
    def test_any_call_and_context_is_diagnosed(self, tool, args, around, error):
        found = World().observe(error, tool, args, context=around)
        assert Reflection.FULL == found.reflection
        assert "input_invalid" in codes(found) or tool == "t" * (1 << 20) or "url" in args
        json.dumps(found.diagnosis).encode()

    @given(
        error=some.recursive(
            some.none() | some.booleans() | some.integers() | some.floats() | some.text() | some.binary(),
            lambda inner: some.lists(inner) | some.dictionaries(
                some.sampled_from(["message", "code", "stderr", "stdout", "signal", "path", "command", "url"]), inner
            ),
            max_leaves=8,
        )
    )  # fmt: skip
    @settings(max_examples=150, deadline=None)
    def test_whatever_it_is_given_it_raises_nothing(self, error):
        world = World()
        world.observe(error, tool=error, args=error, context=error, call="c")
        world.observe(error, args=error, call="d")
        assert world.prompt("c").text
        assert world.tried(False, "d").strategy
        assert world.report("d").text
        assert 3 == len(world.lines("session"))

    @pytest.mark.parametrize(
        ("given_", "expected"), [(1, 1), ("12", 12), (3.0, 3), (1.5, 0), ("x", 0), (True, 0), (None, 0)]
    )
    def test_iterations_are_whole_numbers(self, given_, expected):
        assert expected == World().clone(iteration=given_).diagnosis["iteration"]

    def test_a_signal_is_known_by_name_and_number(self):
        reading = Reading()
        assert ["SIGKILL", "SIGKILL", "SIGKILL", "", "ODD"] == [
            reading.signal(each) for each in ("SIGKILL", "kill", -9, 99, "odd")
        ]  # fmt: skip

    def test_words_of_a_line_whose_quotes_do_not_end_are_what_blanks_part(self):
        assert ["git", "'clone"] == words_of("git 'clone")


class TestFlags:
    @pytest.mark.parametrize("text", ["5.0", "-1", "many", "9" * 5000, "\u0665"])
    def test_a_number_that_is_none_has_its_default(self, text):
        world = World(
            flags={
                "AUTONOMOUS_DIAGNOSTIC_WHY_DEPTH": text,
                "AUTONOMOUS_DIAGNOSTIC_TEMP": text if text == "many" else "inf",
            }
        )
        assert (5, 0.2) == (world.reflection.settings.why_depth, world.reflection.settings.temperature)
        assert ["flag_invalid", "flag_invalid"] == codes(world.clone())
        assert [] == codes(world.clone())

    @pytest.mark.parametrize(
        ("text", "expected"),
        [("0", False), ("false", False), ("No", False), ("1", True), ("ON", True), ("", True), ("?", True)],
    )
    def test_switches(self, text, expected):
        found = World(flags={"AUTONOMOUS_DIAGNOSTIC_REFLECTION_ENABLED": text}).clone()
        assert expected == (found.diagnosis is not None)

    @pytest.mark.parametrize("depth", range(7))
    def test_whys_beyond_the_depth_are_not_asked(self, depth):
        chain = World(flags={"AUTONOMOUS_DIAGNOSTIC_WHY_DEPTH": str(depth)}).clone().diagnosis["whyChain"]
        assert min(depth, 5) == sum(not why.startswith("not asked") for why in chain.values())

    def test_off_nothing_is_written(self):
        world = World(flags={"AUTONOMOUS_DIAGNOSTIC_REFLECTION_ENABLED": "0"})
        world.clone()
        assert {} == world.files.contents

    @pytest.mark.parametrize("full", ["0", "1"])
    def test_the_whole_diagnosis_is_stored_when_it_is_asked_for(self, full):
        world = World(flags={"AUTONOMOUS_STORE_FULL_DIAGNOSTICS": full})
        diagnosis = world.clone().diagnosis
        assert (diagnosis if full == "1" else None) == world.lines("session")[0].get("diagnosis")


def test_the_tools_of_this_file_are_those_of_the_document():
    assert set(TOOLS) > {"run_bash", "read_file"}
    assert Failing().broken == {}

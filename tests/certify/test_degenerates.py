"""Hooks that do not do their job, through the command line anybody uses: none earns a MUST clause it does not witness.

Source: CERTIFICATION.md, "A check", Control.
"""

import json

import pytest

from harness.certify import corpus
from harness.core.clause import Level
from harness.systems import registry

# what each does with its input, as the text of a shell script
ALWAYS_APPROVES = "exit 0"
ALWAYS_APPROVES_BY_JSON = 'cat >/dev/null; echo "{}"'
BLOCKS_BY_JSON = """cat >/dev/null; echo '{"decision": "block", "reason": "no"}'"""
EXITS_2 = "echo no >&2; exit 2"
PRINTS_GARBAGE = "echo '<<< [garbage'; exit 0"
CRASHES = "exit 1"
DIES_BY_SIGNAL = "kill -SEGV $$"
HANGS = "exec sleep 1000"
ECHOES = "cat"
FLOODS = "exec yes"

MUSTS = [clause.id for clause in registry.get("stop_gate").catalogue if clause.level is Level.MUST]


@pytest.fixture
def certified(windtunnel, tmp_path):
    """Certifies a shell script as a hook whose owner gave everything a target file may hold."""

    def run(script, timeout_s=1.0):
        (tmp_path / "hook.sh").write_text(f"#!/bin/sh\n{script}\n")
        for name in ("approve", "block"):
            data = registry.get("stop_gate").process_calls.default_samples()[name]
            (tmp_path / f"{name}.jsonl").write_bytes(data)
        (tmp_path / "target.yaml").write_text(
            f"name: degenerate\ncarrier: hook\ncommand: [sh, hook.sh]\ntimeout_s: {timeout_s}\nmax_blocks: 2\n"
            "groups: [power_steering]\nsamples: {approve: approve.jsonl, block: block.jsonl}\n"
            'paths: {config: "{home}/c", semaphore: "{home}/s", runtime: "{home}/r"}\n'
        )
        ran = windtunnel(
            "certify",
            tmp_path / "target.yaml",
            "--level",
            "L1",
            "--report",
            tmp_path / "report",
            "--cases",
            "0",
            "--jobs",
            "8",
        )
        return ran, json.loads((tmp_path / "report" / "result.json").read_text())

    return run


def conforming(result):
    clauses = result["systems"]["stop_gate"]["clauses"]
    return {id_ for id_ in MUSTS if clauses[id_]["verdict"] == "CONFORMS"}


def deviating(result):
    clauses = result["systems"]["stop_gate"]["clauses"]
    return {id_ for id_ in MUSTS if clauses[id_]["verdict"] == "DEVIATES"}


@pytest.mark.parametrize(
    ("script", "code", "broken"),
    [
        pytest.param(ALWAYS_APPROVES, 1, "SH-08", id="exits 0 at once"),
        pytest.param(ALWAYS_APPROVES_BY_JSON, 1, "SH-08", id="approves by JSON"),
        pytest.param(ECHOES, 1, "SH-05", id="echoes its input"),
        pytest.param(PRINTS_GARBAGE, 1, "SH-05", id="prints garbage"),
    ],
)
def test_a_hook_that_never_blocks_passes_no_must_clause(certified, script, code, broken):
    ran, result = certified(script)
    assert code == ran.code == result["exit_code"]
    assert set() == conforming(result)
    assert broken in deviating(result)
    assert result["systems"]["stop_gate"]["level"] is None


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        pytest.param(CRASHES, "it fails with exit code 1 in calm weather", id="crashes"),
        pytest.param(DIES_BY_SIGNAL, "it dies by signal 11 in calm weather", id="dies by a signal"),
    ],
)
def test_a_hook_that_crashes_cannot_be_tested(certified, script, sentence):
    ran, result = certified(script)
    assert (4, "untestable") == (ran.code, result["outcome"])
    assert sentence in result["message"]
    assert sentence in ran.out.replace("\n", " ")
    assert set() == conforming(result)


@pytest.mark.parametrize(
    ("script", "timeout_s"),
    [pytest.param(HANGS, 0.3, id="hangs"), pytest.param(FLOODS, 2.0, id="floods")],
)
def test_a_hook_that_gives_no_answer_passes_no_must_clause(certified, script, timeout_s):
    ran, result = certified(script, timeout_s)
    assert 1 == ran.code
    assert "SH-04" in deviating(result) or "SH-05" in deviating(result)
    assert set() == conforming(result)


@pytest.mark.parametrize(
    "script", [pytest.param(BLOCKS_BY_JSON, id="by JSON"), pytest.param(EXITS_2, id="by exit code 2")]
)
def test_a_hook_that_always_blocks_passes_no_must_clause(certified, script):
    ran, result = certified(script)
    assert (1, None) == (ran.code, result["systems"]["stop_gate"]["level"])
    assert set() == conforming(result)
    assert {"SH-01", "SH-03", "PS-LOOP-04"} <= deviating(result)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(["--stdio", "--", "cat"], "does not speak our protocol", id="stdio echo"),
        pytest.param(["--stdio", "--", "true"], "does not speak our protocol", id="stdio that ends at once"),
        pytest.param(["--stdio", "--", "yes"], "was it meant for stderr?", id="stdio that prints garbage"),
    ],
)
def test_a_command_that_does_not_speak_the_protocol_cannot_be_tested(windtunnel, tmp_path, words, sentence):
    ran = windtunnel("certify", "--report", tmp_path / "report", "--cases", "0", *words)
    result = json.loads((tmp_path / "report" / "result.json").read_text())
    assert (4, "untestable") == (ran.code, result["outcome"])
    assert sentence in result["message"]
    assert set() == conforming(result)


def test_the_scenarios_that_a_hook_of_everything_declared_meets_are_many():
    """The tests above would say little if they ran against a handful of scenarios."""
    assert 50 <= sum(scenario.profile == "stop_hook" for scenario in corpus.scenarios("stop_gate"))


def test_bin_true_without_a_target_file_does_not_exit_0(windtunnel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = windtunnel("certify", "--hook", "--level", "L1", "--cases", "0", "--", "/bin/true")
    result = json.loads((tmp_path / "windtunnel-report" / "result.json").read_text())
    assert 5 == ran.code == result["exit_code"]
    assert (None, set()) == (result["systems"]["stop_gate"]["level"], conforming(result))

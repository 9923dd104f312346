"""Every hook under examples/hooks against its row of expected.yaml. Source: issue 2, "Shows"."""

import json
from pathlib import Path

import pytest
import yaml

from harness.certify import corpus
from harness.certify.events import ScenarioJudged
from harness.core.clause import Level
from harness.core.scenario import load
from harness.report.files import read_events
from harness.systems import registry

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / "examples" / "hooks"
EXPECTED = yaml.safe_load((HOOKS / "expected.yaml").read_text())
CATALOGUE = registry.get("stop_gate").catalogue
WAITS = {
    "leaves_child": 8,
    "unbounded_counter": 4,
}  # these mostly wait; more jobs wait together, the digest is the same


EVERYWHERE = "sound_bash"  # certified at the level of its row by every run of the tests; the others by .ci/run


def sound():
    """Each sound hook at the level of its row; those that this would take long also at L1, where it takes seconds."""
    for name, row in EXPECTED.items():
        if row["exit_code"] == 0:
            yield pytest.param(name, row["level"], marks=[] if name == EVERYWHERE else [pytest.mark.tools])
            if name != EVERYWHERE and row["language"] != "node":
                yield pytest.param(name, "L1")


def rows(*codes):
    return [
        # a machine without node fails these; .ci/run installs it
        pytest.param(name, marks=[pytest.mark.tools] if row["language"] == "node" else [])
        for name, row in EXPECTED.items()
        if row["exit_code"] in codes
    ]


@pytest.fixture
def certified(windtunnel, tmp_path):
    def run(name, level="L1"):
        # a defect shows in its clause's simplest situation; the rest of the plan would only take time
        words = ("--level", level, "--jobs", WAITS.get(name, 2), "--cases", "0", "--report", tmp_path / "report")
        ran = windtunnel("certify", HOOKS / name / "target.yaml", *words)
        return ran, json.loads((tmp_path / "report" / "result.json").read_text())

    return run


def verdicts(result, *wanted):
    clauses = result["systems"]["stop_gate"]["clauses"]
    return {id_: found["reason"] for id_, found in clauses.items() if found["verdict"] in wanted}


def test_every_example_has_a_row_and_every_row_an_example():
    folders = {path.parent.name for path in HOOKS.glob("*/target.yaml")}
    assert set(EXPECTED) == folders


def test_the_examples_are_sound_and_defective_in_each_of_three_languages():
    for code in (0, 1):
        assert {"python", "bash", "node"} == {row["language"] for row in EXPECTED.values() if row["exit_code"] == code}


@pytest.mark.parametrize(("name", "level"), [*sound()])
def test_a_sound_hook_conforms_and_nothing_about_it_is_open(certified, name, level):
    ran, result = certified(name, level)
    assert (0, "conformant", level) == (ran.code, result["outcome"], result["systems"]["stop_gate"]["level"]), ran.out
    broken = EXPECTED[name]["clause"]
    assert ({broken} if broken else set()) == set(verdicts(result, "DEVIATES"))
    assert {} == verdicts(result, "NOT_ESTABLISHED")
    assert (broken is None) == result["strict"]
    assert broken is None or CATALOGUE[broken].level is Level.SHOULD


@pytest.mark.parametrize("name", rows(1))
def test_a_defective_hook_is_caught_under_its_clause_and_its_scenario_fails_again(
    certified, windtunnel, tmp_path, name
):
    ran, result = certified(name)
    clause = EXPECTED[name]["clause"]
    assert (1, "nonconformant", None) == (ran.code, result["outcome"], result["systems"]["stop_gate"]["level"])
    assert clause in verdicts(result, "DEVIATES")
    assert f"\n{clause} MUST" in ran.out
    _require_every_failing_scenario_stored(tmp_path / "report")
    again = windtunnel(*_shown_replay_command(ran.out, clause))
    assert 1 == again.code, again.out
    assert any(line.startswith("FAIL") and clause in line for line in again.out.splitlines())


def _shown_replay_command(out, clause):
    """The words after ``windtunnel`` of the command that the closing report shows for a clause."""
    lines = out.splitlines()
    heading = next(n for n, line in enumerate(lines) if line.startswith(f"{clause} MUST"))
    command = next(line for line in lines[heading:] if line.lstrip().startswith("replay: "))
    _, program, *words = command.split()
    assert "windtunnel" == program
    return words


def _require_every_failing_scenario_stored(report):
    judged = [event for event in read_events(report) if isinstance(event, ScenarioJudged)]
    failing = {event.scenario.id for event in judged if any(finding.verdict == "FAIL" for finding in event.findings)}
    known = {scenario.id: scenario for scenario in corpus.scenarios("stop_gate")}
    stored = {path.stem: load(path.read_bytes(), where=path.name) for path in (report / "scenarios").glob("*.yaml")}
    assert {id_: known[id_] for id_ in failing} == stored


RACING = [name for name, row in EXPECTED.items() if "level3" in row]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "racing_python" else [pytest.mark.tools]) for name in RACING]
)
def test_a_race_between_two_stops_is_found_at_the_third_level_and_replayed(windtunnel, tmp_path, name):
    expected = EXPECTED[name]["level3"]
    assert "schedule" == expected["found_by"]
    report = tmp_path / "report"
    target = HOOKS / name / "target.yaml"
    words = ("--level", "L3", "--cases", "0", "--clause", expected["clause"], "--report", report)
    ran = windtunnel("certify", target, *words)
    result = json.loads((report / "result.json").read_text())
    found = result["systems"]["stop_gate"]["clauses"][expected["clause"]]
    assert (1, "DEVIATES") == (ran.code, found["verdict"]), ran.out
    assert found["scenario"].startswith("hook-l3-order-unfinished-order-")
    again = [windtunnel("replay", found["scenario"], "--report", report) for _ in range(3)]
    assert [1, 1, 1] == [each.code for each in again], again[0].out
    assert all(f"FAIL          {expected['clause']}" in each.out for each in again)

"""`windtunnel campaign`: what is said, written and returned. Source: issue 10."""

import json

import jsonschema
import msgspec
import pytest

from harness.report.files import CAMPAIGN
from harness.runtime.mutants import MUTANTS
from harness.simulation import campaign, simulation
from harness.simulation.campaign import Campaign
from harness.simulation.sometimes import SOMETIMES

HOUR = 3600 * 64


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Days of three hours."""
    monkeypatch.setattr(simulation, "days", lambda count: count * 3 * HOUR)


@pytest.fixture
def play(windtunnel, tmp_path):
    def played(*words):
        return windtunnel("campaign", "--days", 1, "--jobs", 1, "--report", tmp_path, *words)

    return played


def wrong(monkeypatch, name, where="campaign"):
    """Simulations of a mutant, in a campaign and when it is shrunk."""

    def made(plan, assembly, *, incidents=None):
        return simulation.Simulation(plan, assembly, MUTANTS[name].session, incidents)

    monkeypatch.setattr(f"harness.cli.{where}.Simulation", made)
    monkeypatch.setattr("harness.simulation.campaign.Simulation", made)


def told(folder):
    return json.loads((folder / CAMPAIGN).read_text())


def test_what_is_said_of_a_campaign(play, tmp_path, snapshot):
    ran = play("--runs", 2, "--agents", 2, "--partial")
    assert (0, "") == (ran.code, ran.err)
    said = ran.out
    for run in told(tmp_path)["runs"]:
        said = said.replace(run["digest"][:16], "DIGEST")
    assert said.replace(told(tmp_path)["digest"], "DIGEST") == snapshot


def test_what_was_not_seen_fails_a_campaign_that_demands_it(play, tmp_path):
    ran = play("--runs", 1, "--agents", 1)
    assert 1 == ran.code
    found = told(tmp_path)
    assert "unseen" == found["outcome"]
    assert found["unseen"]
    assert found["apart"]
    name = found["unseen"][0]
    assert f"  never  {name}: {SOMETIMES[name].says}" in ran.out
    assert f"  apart  {found['apart'][0]} met " in ran.out
    partial = play("--runs", 1, "--agents", 1, "--partial")
    assert 0 == partial.code
    assert f"  never  {name}: " in partial.out, "it is told all the same"


def test_campaign_json_keeps_to_its_type(play, tmp_path):
    play("--runs", 3, "--agents", 1, "--steer", "--partial", "--profile", "calm", "--seed", 7)
    found = told(tmp_path)
    jsonschema.validate(found, msgspec.json.schema(Campaign))
    assert [7, 8, 9] == [run["plan"][2] for run in found["runs"]]
    assert found["events"] == sum(run["events"] for run in found["runs"])
    assert 3 * 24 == found["agent_hours"]


def test_json_is_the_result_and_nothing_else(play, tmp_path):
    ran = play("--runs", 1, "--agents", 1, "--partial", "--json")
    assert json.loads(ran.out) == told(tmp_path)


def test_each_run_is_what_simulate_plays(play, windtunnel, tmp_path):
    ran = play("--runs", 2, "--agents", 2, "--partial")
    line = ran.out.splitlines()[1]
    words = line.split("  ")[1].split()
    windtunnel("simulate", *words, "--report", tmp_path / "one")
    assert told(tmp_path)["runs"][1]["digest"] == json.loads((tmp_path / "one" / "result.json").read_text())["digest"]


def test_a_fork_is_replayed_by_its_line(play, windtunnel, tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "days", lambda count: count * 3 * HOUR)
    ran = play("--runs", 6, "--agents", 1, "--partial", "--steer")
    number, line = next((n, line) for n, line in enumerate(ran.out.splitlines()) if "--fork" in line)
    windtunnel("simulate", *line.split("  ")[1].split(), "--report", tmp_path / "one")
    digest = json.loads((tmp_path / "one" / "result.json").read_text())["digest"]
    assert told(tmp_path)["runs"][number]["digest"] == digest


def test_a_broken_rule_is_shrunk_to_a_script_that_breaks_it(play, windtunnel, tmp_path, monkeypatch):
    wrong(monkeypatch, "repeat-forgotten")
    ran = play("--runs", 2, "--agents", 2, "--partial")
    assert 1 == ran.code
    assert "broken" == told(tmp_path)["outcome"]
    assert "BROKEN INT-03" in ran.out
    assert "INT-03, shrunk to 1 incident, broken at event " in ran.out
    (replay,) = [line for line in ran.out.splitlines() if line.startswith("  replay  ")]
    wrong(monkeypatch, "repeat-forgotten", "simulate")
    again = windtunnel(*replay.split()[2:], "--report", tmp_path / "again")
    assert 1 == again.code
    result = json.loads((tmp_path / "again" / "result.json").read_text())
    assert ["INT-03"] == [each["rule"] for each in result["broken"]]


def test_with_no_tries_nothing_is_shrunk(play, tmp_path, monkeypatch):
    wrong(monkeypatch, "told-twice")
    assert 1 == play("--runs", 1, "--agents", 1, "--partial", "--tries", 0).code
    assert [] == list(tmp_path.glob("*.yaml"))


def test_an_earlier_campaigns_scripts_are_taken_away(play, tmp_path, monkeypatch):
    (tmp_path / "INT-01.yaml").write_text("old")
    (tmp_path / "INV-17.yaml").write_text("old")
    (tmp_path / "mine.yaml").write_text("mine")
    play("--runs", 1, "--agents", 1, "--partial")
    assert ["mine.yaml"] == [path.name for path in tmp_path.glob("*.yaml")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--runs", "0"), "Invalid value for '--runs'"),
        (("--agents", "65"), "Invalid value for '--agents'"),
        (("--jobs", "0"), "Invalid value for '--jobs'"),
        (("--tries", "-1"), "Invalid value for '--tries'"),
        (("--profile", "stormy"), "'stormy' is not one of"),
        (("--seed", "x"), "'x' is not a valid integer range"),
    ],
)
def test_bad_input_is_one_clear_line(play, words, said):
    ran = play(*words)
    assert 2 == ran.code
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("finished", "said"),
    [(0, "No run was finished, so nothing was shown"), (1, "Interrupted; until then all 74 rules held; digest ")],
)
def test_a_campaign_that_was_interrupted_does_not_read_as_sound(play, monkeypatch, finished, said):
    run = campaign.run
    monkeypatch.setattr(campaign, "run", lambda *given: run(*given)[:finished])
    last = play("--runs", 2, "--partial").out.splitlines()[-1]
    assert said == last[: len(said)]

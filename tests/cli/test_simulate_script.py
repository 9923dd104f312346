"""`windtunnel simulate --script`, `--fork` and what is written beside the result. Source: issue 10."""

import hashlib
import json

import pytest

from harness.core.events import SessionEvent
from harness.report.files import EVENTS, TIMELINE
from harness.runtime.mutants import MUTANTS
from harness.simulation import simulation
from harness.simulation.script import load

HOUR = 3600 * 64
SCRIPT = """\
days: 1
agents: 1
seed: 4
incidents:
- {who: agent-0-1, kind: provider, number: 1, what: down 0}
"""


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Days of three hours."""
    monkeypatch.setattr(simulation, "days", lambda count: count * 3 * HOUR)


@pytest.fixture
def play(windtunnel, tmp_path):
    return lambda *words: windtunnel("simulate", *words, "--report", tmp_path / "report")


@pytest.fixture
def script(tmp_path):
    (tmp_path / "case.yaml").write_text(SCRIPT)
    return tmp_path / "case.yaml"


@pytest.fixture
def mutant(monkeypatch):
    """Simulations of that mutant."""

    def planted(name):
        monkeypatch.setattr(
            "harness.cli.simulate.Simulation",
            lambda plan, assembly, incidents: simulation.Simulation(plan, assembly, MUTANTS[name].session, incidents),
        )

    return planted


def result_of(tmp_path):
    return json.loads((tmp_path / "report" / "result.json").read_text())


def test_the_digest_is_the_sha256_of_the_file_of_events(play, tmp_path):
    assert 0 == play("--days", 1, "--agents", 2, "--profile", "hostile").code
    written = (tmp_path / "report" / EVENTS).read_bytes()
    assert result_of(tmp_path)["digest"] == hashlib.sha256(written).hexdigest()
    assert result_of(tmp_path)["events"] == written.count(b"\n")
    kinds = {event.__struct_config__.tag for event in SessionEvent.__args__}
    for line in written.splitlines():
        session, event = json.loads(line)
        assert isinstance(session, str)
        assert event["event"] in kinds


def test_without_events_there_is_no_file_and_the_same_digest(play, tmp_path):
    play("--days", 1, "--agents", 1)
    digest = result_of(tmp_path)["digest"]
    play("--days", 1, "--agents", 1, "--no-events")
    assert not (tmp_path / "report" / EVENTS).exists()
    assert digest == result_of(tmp_path)["digest"]


def test_the_timeline_lies_beside_the_result(play, tmp_path):
    play("--days", 1, "--agents", 1, "--profile", "hostile")
    lines = (tmp_path / "report" / TIMELINE).read_text().splitlines()
    assert "day hour" == lines[4][:8]
    assert "  1   00" == lines[5][:8]
    assert len(lines) >= 5 + 3


def test_what_is_said_of_a_script(play, script, tmp_path, snapshot):
    ran = play("--script", script)
    assert (0, "") == (ran.code, ran.err)
    assert ran.out.replace(result_of(tmp_path)["digest"], "DIGEST") == snapshot


def test_a_script_plays_what_it_tells(play, script, tmp_path):
    play("--script", script)
    result = result_of(tmp_path)
    assert (1, 1, 4, "calm") == tuple(result[name] for name in ("days", "agents", "seed", "profile"))
    assert 1 == result["counts"]["failure_observed"]


@pytest.mark.parametrize(
    ("option", "value"), [("days", 1), ("agents", 2), ("seed", 3), ("profile", "calm"), ("fork", "10:3")]
)
def test_a_script_says_what_is_played_and_no_option_does(play, script, option, value):
    ran = play("--script", script, f"--{option}", value)
    assert 2 == ran.code
    assert f"--script says what is played; leave out --{option}" in ran.err


def test_a_bad_script_is_one_sentence(play, script):
    script.write_text(SCRIPT.replace("down 0", "dwon 0"))
    ran = play("--script", script)
    assert 2 == ran.code
    assert "incident 1: 'dwon 0' is no provider" in ran.err
    assert 1 == len(ran.err.strip().splitlines())
    assert 2 == play("--script", script.parent / "none.yaml").code


def test_a_fork_is_another_future(play, tmp_path):
    digests = []
    for words in (
        (),
        ("--fork", f"{HOUR}:9"),
        ("--fork", f"{HOUR}:9"),
        ("--fork", f"{HOUR}:9", "--fork", f"{2 * HOUR}:8"),
    ):
        assert 0 == play("--days", 1, "--agents", 2, "--profile", "flaky", *words).code
        digests.append(result_of(tmp_path)["digest"])
    assert digests[1] == digests[2]
    assert 3 == len(set(digests))


@pytest.mark.parametrize("fork", ["10", "10:", "a:b", "-1:3", "1:2:3"])
def test_a_fork_that_is_none_is_told(play, fork):
    ran = play("--fork", fork)
    assert 2 == ran.code
    assert f"'{fork}' is no fork; write it as TICKS:SEED" in ran.err


def test_a_broken_rule_is_shrunk_to_a_script_and_the_replay_breaks_the_same(play, windtunnel, mutant, tmp_path):
    mutant("repeat-forgotten")
    ran = play("--days", 1, "--agents", 2, "--seed", 5, "--profile", "hostile")
    assert 1 == ran.code
    assert "INT-03, shrunk to 1 incident, broken at event " in ran.out
    replay = [line for line in ran.out.splitlines() if line.startswith("  replay  ")][-1]
    path = tmp_path / "report" / "INT-03.yaml"
    assert f"  replay  windtunnel simulate --script {path}" == replay
    found = load(path)
    assert "INT-03" == found.breaks
    again = windtunnel(*replay.split()[2:], "--report", tmp_path / "again")
    assert 1 == again.code
    broken = json.loads((tmp_path / "again" / "result.json").read_text())["broken"]
    assert ["INT-03"] == [each["rule"] for each in broken]


def test_what_a_script_breaks_is_replayed_by_the_script(play, windtunnel, mutant, tmp_path):
    mutant("repeat-forgotten")
    play("--days", 1, "--agents", 2, "--seed", 5, "--profile", "hostile")
    path = tmp_path / "INT-03.yaml"
    (tmp_path / "report" / "INT-03.yaml").rename(path)
    play("--script", path)
    (broken,) = result_of(tmp_path)["broken"]
    assert f"windtunnel simulate --script {path} --until {broken['first']['number']}" == broken["replay"]
    assert not (tmp_path / "report" / "INT-03.yaml").exists(), "it is small already"
    ran = windtunnel(*broken["replay"].split()[1:])
    assert 1 == ran.code
    assert ran.out.splitlines()[-1].startswith("INT-03 is broken here: ")


def test_json_stays_alone_when_something_is_shrunk(play, mutant, tmp_path):
    mutant("told-twice")
    ran = play("--days", 1, "--agents", 1, "--json")
    assert 1 == ran.code
    assert json.loads(ran.out) == result_of(tmp_path)
    assert "INT-06" == load(tmp_path / "report" / "INT-06.yaml").breaks


def test_with_no_tries_nothing_is_shrunk(play, mutant, tmp_path):
    mutant("told-twice")
    assert 1 == play("--days", 1, "--agents", 1, "--tries", 0).code
    assert [] == list((tmp_path / "report").glob("*.yaml"))

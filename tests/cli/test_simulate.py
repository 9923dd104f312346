"""`windtunnel simulate`: what is said, written and returned. Source: issue 5, item 6."""

import json
import os
import signal
import subprocess
import sys

import jsonschema
import msgspec
import needs
import pytest

from harness.core.events import BreakerTold, CallBegun
from harness.runtime.mutants import MUTANTS
from harness.simulation import simulation
from harness.simulation.result import BrokenRule, Metric, Numbered, Result, schema
from harness.simulation.rules import RULES
from harness.simulation.telling import event_line, heading, lines, replay_command

AT = "2026-03-01T12:00:00.500000Z"
BEGUN = Numbered(
    1, "agent-0-1", CallBegun(at=AT, correlation_id="call-1", task="t", tool="m", model="opus", approach="c")
)
TOLD = Numbered(
    7,
    "agent-0-1",
    BreakerTold(at=AT, correlation_id="call-1", provider="api/claude", outcome="failure", state="OPEN"),
)
RESULT = Result(
    windtunnel="0",
    outcome="broken",
    digest="d" * 64,
    seed=3,
    days=2,
    agents=1,
    profile="hostile",
    systems={"stop_gate": "reference", "circuit_breaker": "stdio:./breaker"},
    ended_at_s=172_800.0,
    sessions=1,
    events=1234,
    counts={"call_begun": 5, "attempt_started": 6, "storage_changed": 3, "session_cut": 1, "retries_ended": 1},
    metrics=(
        Metric(name="recovery success rate", target="> 60 %", value=0.5, of="failures", count=1200),
        Metric(name="mean iterations to success", target="< 8", value=1.25, of="failures", count=4),
        Metric(name="stuck loop rate", target="< 15 %", value=None, of="failures", count=0),
    ),
    broken=(
        BrokenRule(
            rule="INT-06",
            says="it is told once",
            rests_on=("LK-CB-11",),
            times=2,
            first=TOLD,
            before=(BEGUN,),
            replay="windtunnel simulate --until 7",
        ),
    ),
)


@pytest.fixture
def short(monkeypatch):
    """A simulation of one day takes a quarter of a second; a two-hour day less."""
    monkeypatch.setattr(simulation, "days", lambda count: count * 2 * 3600 * 64)


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


def test_what_is_said_of_a_simulation(windtunnel, tmp_path, short, snapshot):
    ran = windtunnel("simulate", "--days", 1, "--seed", 1, "--report", tmp_path)
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.replace(result_of(tmp_path)["digest"], "DIGEST") == snapshot


def test_what_is_said_of_trouble_broken_rules_and_other_systems(snapshot):
    plan = simulation.Plan(RESULT.days, RESULT.agents, RESULT.seed, RESULT.profile)
    assert "\n".join((*heading(plan, RESULT.systems), *lines(RESULT))) == snapshot


def test_what_is_said_of_an_interrupted_one():
    cut = msgspec.structs.replace(RESULT, outcome="interrupted", ended_at_s=90_060.0, broken=())
    assert list(lines(cut))[-1] == f"Interrupted on day 2, at 01:01; digest {'d' * 64}"


def test_an_event_is_a_line():
    assert event_line(TOLD) == (
        f'        7 {AT} agent-0-1 call-1 breaker_told provider="api/claude" outcome="failure" state="OPEN" trouble=[]'
    )


def test_the_command_that_replays_can_be_typed():
    plan = simulation.Plan(2, 1, 3, "flaky")
    assert replay_command(plan, ("fallback=stdio:my ladder",), 7) == (
        "windtunnel simulate --days 2 --agents 1 --seed 3 --profile flaky --target 'fallback=stdio:my ladder' --until 7"
    )


def test_the_result_has_everything_and_keeps_to_its_schema(windtunnel, tmp_path, short):
    assert windtunnel("simulate", "--days", 2, "--agents", 2, "--seed", 5, "--report", tmp_path).code == 0
    result = result_of(tmp_path)
    jsonschema.validate(result, schema())
    assert result["outcome"] == "sound"
    assert result["events"] == sum(result["counts"].values())
    assert (result["days"], result["agents"], result["seed"], result["profile"]) == (2, 2, 5, "flaky")
    assert set(result["systems"].values()) == {"reference"}
    assert len(result["digest"]) == 64
    assert len(result["metrics"]) == 6


def test_the_metrics_are_those_of_document_001_beside_its_targets_and_no_gate(windtunnel, tmp_path, short):
    assert windtunnel("simulate", "--days", 1, "--agents", 1, "--report", tmp_path).code == 0
    assert {metric["name"]: metric["target"] for metric in result_of(tmp_path)["metrics"]} == {
        "recovery success rate": "> 60 %",
        "root cause accuracy": "> 80 %",
        "stuck loop rate": "< 15 %",
        "mean iterations to success": "< 8",
        "pattern reuse (fast path)": "> 40 %",
        "user intervention required": "< 30 %",
    }


def test_the_schema_takes_what_is_broken_too():
    result = msgspec.json.decode(msgspec.json.encode(RESULT))
    jsonschema.validate(result, schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**result, "outcome": "fine"}, schema())


def test_json_is_the_result_and_nothing_else(windtunnel, tmp_path, short):
    ran = windtunnel("simulate", "--days", 1, "--json", "--report", tmp_path)
    assert json.loads(ran.out) == result_of(tmp_path)


def test_the_same_command_writes_the_same_result(windtunnel, tmp_path, short):
    texts = []
    for name in ("a", "b"):
        windtunnel("simulate", "--days", 1, "--profile", "hostile", "--report", tmp_path / name)
        texts.append((tmp_path / name / "result.json").read_text())
    assert texts[0] == texts[1]


def test_a_broken_rule_is_told_with_the_command_that_replays_it(windtunnel, tmp_path, short, monkeypatch):
    monkeypatch.setattr("harness.cli.simulate.Simulation", wrong("told-twice"))
    ran = windtunnel("simulate", "--days", 1, "--report", tmp_path)
    assert ran.code == 1
    result = result_of(tmp_path)
    assert result["outcome"] == "broken"
    (broken,) = result["broken"]
    assert (broken["rule"], broken["first"]["event"]["event"]) == ("INT-06", "breaker_told")
    assert broken["replay"] in ran.out
    assert f"{len(RULES) - 1} of {len(RULES)} rules held" in ran.out
    replayed = windtunnel(*broken["replay"].split()[1:], "--report", tmp_path)
    assert replayed.code == 1
    assert replayed.out.splitlines()[-1] == "INT-06 is broken here: it is told once"
    assert f"{broken['first']['number']} " in replayed.out.splitlines()[-2]
    assert result_of(tmp_path) == result, "a replay keeps the result it is from"


def wrong(name):
    """The simulation of a mutant."""
    return lambda plan, assembly, incidents: simulation.Simulation(plan, assembly, MUTANTS[name].session, incidents)


def test_an_event_that_breaks_nothing_can_be_looked_at(windtunnel, tmp_path, short):
    ran = windtunnel("simulate", "--days", 1, "--until", 20, "--report", tmp_path)
    assert ran.code == 0
    assert ran.out.splitlines()[-1].split()[0] == "20"
    assert not (tmp_path / "result.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--days", "0"), "Invalid value for '--days'"),
        (("--days", "1.5"), "'1.5' is not a valid integer range"),
        (("--agents", "0"), "Invalid value for '--agents'"),
        (("--agents", "65"), "Invalid value for '--agents'"),
        (("--seed", "-1"), "Invalid value for '--seed'"),
        (("--profile", "stormy"), "'stormy' is not one of"),
        (("--target", "fallback"), "--target fallback is not understood"),
        (("--target", "fallback="), "--target fallback= is not understood"),
        (("--target", "breaker=reference"), "no session has a system 'breaker'; did you mean circuit_breaker?"),
        (("--target", "xyz=reference"), "no session has a system 'xyz'; there are: stop_gate, circuit_breaker"),
        (("--target", "fallback=reference", "--target", "fallback=reference"), "--target names fallback twice"),
        (("--target", "fallback=stdio:"), "there is no command after 'stdio:'"),
        (("--target", "fallback=stdio:'"), "cannot be split into words: No closing quotation"),
        (("--target", "fallback=no/such.yaml"), "cannot read the target file no/such.yaml"),
        (("--until", "1", "--json"), "--json is for a whole simulation"),
        (("--until", "100000000"), "there is no event 100000000: the simulation has"),
    ],
)
def test_bad_input_is_one_clear_line(windtunnel, tmp_path, short, words, said):
    ran = windtunnel("simulate", "--days", "1", *words, "--report", tmp_path)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_program_that_is_not_there_is_no_target(windtunnel, tmp_path):
    ran = windtunnel("simulate", "--target", "fallback=stdio:/no/such/program", "--report", tmp_path)
    assert ran.code == 4
    assert ran.err.startswith("windtunnel: the command '/no/such/program' does not exist")


def test_a_hook_stands_for_the_stop_gate_only(windtunnel, tmp_path):
    (tmp_path / "target.yaml").write_text("name: x\ncarrier: hook\ncommand: [python3, -c, pass]\n")
    ran = windtunnel("simulate", "--target", f"fallback={tmp_path / 'target.yaml'}", "--report", tmp_path)
    assert ran.code == 2
    assert "fallback is not asked one process a call" in ran.err


@needs.namespaces
@pytest.mark.parametrize("target", ["target.yaml", "hook:python3 -c pass"])
def test_a_hook_is_asked_to_stop(windtunnel, tmp_path, short, monkeypatch, target):
    """This one lets every session end, and breaks nothing by it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "target.yaml").write_text("name: x\ncarrier: hook\ncommand: [python3, -c, pass]\n")
    words = ("simulate", "--days", 1, "--agents", 2, "--profile", "hostile", "--target", f"stop_gate={target}")
    assert windtunnel(*words, "--report", tmp_path / "report").code == 0
    assert result_of(tmp_path / "report")["counts"]["stop_answered"] > 0
    assert result_of(tmp_path / "report")["systems"]["stop_gate"] == target


@needs.namespaces
def test_a_python_factory_stands_for_a_system(windtunnel, tmp_path, short, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "class Backoff:\n    def classify(self, arguments):\n        return {'rate_limited': False}\n"
        "def create(*given):\n    return Backoff()\n"
    )
    words = ("simulate", "--days", 1, "--target", "rate_limit=python:mine:create", "--report", tmp_path / "report")
    assert windtunnel(*words).code == 0


def test_a_report_that_cannot_be_written_is_told(windtunnel, tmp_path):
    (tmp_path / "file").write_text("")
    ran = windtunnel("simulate", "--report", tmp_path / "file" / "below")
    assert ran.code == 2
    assert "cannot write the report" in ran.err


@needs.namespaces
def test_a_target_over_stdio_leaves_the_digest(windtunnel, tmp_path, short):
    windtunnel("simulate", "--days", 2, "--report", tmp_path / "own")
    serve = f"{sys.executable} -m harness.cli serve --system circuit_breaker"
    ran = windtunnel("simulate", "--days", 2, "--target", "circuit_breaker=reference", "--report", tmp_path / "ours")
    assert ran.code == 0
    assert "circuit_breaker = reference" not in ran.out
    assert (
        windtunnel(
            "simulate", "--days", 2, "--target", f"circuit_breaker=stdio:{serve}", "--report", tmp_path / "theirs"
        ).code
        == 0
    )
    digests = {result_of(tmp_path / name)["digest"] for name in ("own", "ours", "theirs")}
    assert len(digests) == 1
    assert result_of(tmp_path / "theirs")["systems"]["circuit_breaker"] == f"stdio:{serve}"


@needs.namespaces
def test_a_target_file_is_a_target(windtunnel, tmp_path, short):
    words = [sys.executable, "-m", "harness.cli", "serve", "--system", "rate_limit"]
    (tmp_path / "target.yaml").write_text(f"name: mine\ncarrier: stdio\ncommand: {json.dumps(words)}\n")
    ran = windtunnel(
        "simulate", "--days", 1, "--target", f"rate_limit={tmp_path / 'target.yaml'}", "--report", tmp_path
    )
    assert ran.code == 0
    assert f"with rate_limit = {tmp_path / 'target.yaml'}; references for the rest" in ran.out


def test_where_nothing_is_contained_a_target_needs_unsafe(windtunnel, tmp_path, short, monkeypatch):
    monkeypatch.setattr("harness.targets.stdio.StdioSession.contained", lambda self: False)
    (tmp_path / "lazy.py").write_text("raise SystemExit(3)")
    words = ("simulate", "--target", f"fallback=stdio:{sys.executable} {tmp_path / 'lazy.py'}", "--report", tmp_path)
    ran = windtunnel(*words)
    assert ran.code == 4
    assert "add --unsafe to go on" in ran.err
    assert "does not speak our protocol" in windtunnel(*words, "--unsafe").err


def test_an_interruption_keeps_what_was_seen(tmp_path):
    words = [sys.executable, "-m", "harness.cli", "simulate", "--days", "3650", "--report", str(tmp_path)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout.readline() == "3,650 days, 4 agents, flaky, seed 0\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert result_of(tmp_path)["outcome"] == "interrupted"
    assert out.splitlines()[-1].startswith("Interrupted on day ")

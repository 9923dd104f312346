"""`windtunnel agent-run`: real commands, killed and interrupted; what is said, written and returned. Source: issue 10."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import psutil
import pytest

from harness.cli import agent_run
from harness.runtime.order import Order
from harness.runtime.shell_home import ShellHome
from harness.runtime.shell_result import schema

EXAMPLE = Path(__file__).parents[2] / "examples" / "plans" / "release.yaml"
TWO = """
name: two
phases:
  - {id: first, run: echo first >> log, verify: test -f log}
  - {id: second, after: [first], run: %s, verify: "true"}
"""
WAITING = "echo second >> log; test -f quick || { sleep 3600 & setsid sleep 3600 & echo > begun; sleep 3600; }"


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan(project, second):
    (project / "plan.yaml").write_text(TWO % json.dumps(second))
    return project / "plan.yaml"


def result_of(project):
    return json.loads((project / "windtunnel-report" / "result.json").read_text())


def log(project):
    return (project / "log").read_text().split()


def left(project):
    """Processes of a run of this project that are still there."""
    found = []
    for process in psutil.process_iter():
        try:
            found += [process.pid] if process.environ().get(agent_run.MARKER, "").startswith(str(project)) else []
        except psutil.Error:
            continue
    return found


def begun(project):
    """A run in a process of its own that is in the middle of its second phase."""
    os.mkfifo(project / "begun")
    process = subprocess.Popen(
        [sys.executable, "-m", "harness.cli", "agent-run", "plan.yaml"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(EXAMPLE.parents[2])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    (project / "begun").read_text()
    return process


def test_the_example_runs_to_its_end_and_then_nothing_is_left_to_do(windtunnel, project, snapshot):
    words = ("agent-run", EXAMPLE, "--project", project, "--home", project / "home")
    first, again = windtunnel(*words), windtunnel(*words)
    assert (0, "") == (first.code, first.err)
    assert snapshot(name="first") == first.out
    assert snapshot(name="again") == again.out
    assert (project / "dist" / "ANNOUNCEMENT").read_text().startswith("Release 1.0, attempt 1\n")
    assert "*\n" == (project / "home" / ".gitignore").read_text()


def test_the_result_keeps_to_its_schema_and_every_event_stands_in_its_file(windtunnel, project):
    path = plan(project, "echo no; exit 3")
    ran = windtunnel("agent-run", path, "--json")
    result = json.loads(ran.out)
    assert result == result_of(project)
    assert [] == list(jsonschema.Draft202012Validator(schema()).iter_errors(result))
    assert (1, "halted", ["complete", "failed"]) == (
        ran.code,
        result["outcome"],
        [phase["status"] for phase in result["phases"]],
    )
    assert [(1, "exit code 3", "no"), (2, "exit code 3", "no")] == [
        (command["attempt"], command["says"], command["output"]) for command in result["phases"][1]["commands"]
    ]
    lines = (project / "windtunnel-report" / "events.jsonl").read_text().splitlines()
    assert list(range(1, result["events"] + 1)) == [json.loads(line)["number"] for line in lines]


def test_a_phase_that_fails_is_said_with_what_it_printed(windtunnel, project, snapshot):
    plan(project, "echo $WINDTUNNEL_ATTEMPT is not enough; exit 3")
    halted, again = windtunnel("agent-run", "plan.yaml"), windtunnel("agent-run", "plan.yaml")
    assert (1, snapshot(name="halted")) == (halted.code, halted.out)
    assert (1, snapshot(name="again")) == (again.code, again.out)
    resumed = windtunnel("agent-run", "plan.yaml", "--resume")
    assert (1, snapshot(name="a human is asked")) == (resumed.code, resumed.out)
    plan(project, "true")
    assert (0, ["first"]) == (windtunnel("agent-run", "plan.yaml", "--resume").code, log(project))


def test_a_stuck_command_is_ended_at_its_time_with_all_it_started(windtunnel, project):
    path = plan(project, "sleep 3600 & setsid sleep 3600 & sleep 3600")
    path.write_text(path.read_text().replace('verify: "true"', 'verify: "true", timeout_s: 0.2'))
    ran = windtunnel("agent-run", path)
    assert 1 == ran.code
    assert 2 == ran.out.count("second: run: no end within 0.2 s")
    assert [] == left(project)


def test_a_run_that_was_killed_is_gone_on_with_and_what_it_left_running_is_ended(windtunnel, project):
    plan(project, WAITING)
    with begun(project) as process:
        process.kill()
    assert -signal.SIGKILL == process.returncode
    assert left(project), "its command is still at work"
    (project / "quick").touch()
    ran = windtunnel("agent-run", "plan.yaml")
    assert (0, ["first", "second", "second"]) == (ran.code, log(project))
    assert "that an earlier run had left behind\nsecond: begun\n" in ran.out
    assert result_of(project)["killed"] >= 3
    assert [] == left(project)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_who_interrupts_a_run_ends_its_commands_and_can_go_on(windtunnel, project, number):
    plan(project, WAITING)
    with begun(project) as process:
        process.send_signal(number)
        out = process.stdout.read()
    assert 130 == process.returncode
    assert "interrupted; `windtunnel agent-run plan.yaml` goes on\n" in out
    assert [] == left(project)
    (project / "quick").touch()
    assert (0, ["first", "second", "second"]) == (windtunnel("agent-run", "plan.yaml").code, log(project))


def test_two_runs_of_a_plan_at_one_time_are_refused_and_the_first_is_not_touched(windtunnel, project):
    plan(project, WAITING)
    with begun(project) as process:
        written = (project / "windtunnel-report" / "events.jsonl").read_bytes()
        for more in ((), ("--fresh",), ("--resume",)):
            ran = windtunnel("agent-run", "plan.yaml", *more)
            assert (4, "") == (ran.code, ran.out)
            assert "another agent-run is at work on this plan" in ran.err
        assert written == (project / "windtunnel-report" / "events.jsonl").read_bytes()
        assert left(project)
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
    assert 130 == process.returncode


def test_a_fresh_run_puts_the_state_aside_and_does_all_again(windtunnel, project):
    plan(project, "true")
    windtunnel("agent-run", "plan.yaml")
    ran = windtunnel("agent-run", "plan.yaml", "--fresh")
    assert (0, ["first", "first"]) == (ran.code, log(project))
    (aside,) = (project / ".windtunnel").glob("*.before-1")
    assert f"its state was put aside, to {aside}" in ran.out


def test_two_plans_of_one_name_in_one_home_have_nothing_in_common(windtunnel, project):
    for folder in ("a", "b"):
        (project / folder).mkdir()
        plan(project / folder, "true")
        assert 0 == windtunnel("agent-run", f"{folder}/plan.yaml", "--home", "home").code
        assert ["first"] == log(project / folder)


def test_a_rule_that_is_broken_is_our_defect_and_ends_with_3(windtunnel, project, monkeypatch):
    monkeypatch.setattr(Order, "end", lambda self, session: ("INT-02",))
    plan(project, "true")
    ran = windtunnel("agent-run", "plan.yaml")
    assert 3 == ran.code
    assert "INT-02 did not hold at event" in ran.out
    assert "this is a defect of windtunnel, not of the plan; please report it, with events.jsonl" in ran.out
    assert ("broken", ["INT-02"]) == (
        result_of(project)["outcome"],
        [breach["rule"] for breach in result_of(project)["broken"]],
    )


def test_a_broken_rule_is_not_hidden_by_an_interruption(windtunnel, project, monkeypatch):
    monkeypatch.setattr(Order, "end", lambda self, session: ("INT-02",))
    plan(project, f"kill {os.getpid()}; sleep 3600")
    ran = windtunnel("agent-run", "plan.yaml")
    assert (3, "broken") == (ran.code, result_of(project)["outcome"])
    assert "INT-02 did not hold at event" in ran.out


def test_events_that_cannot_be_written_end_the_run_with_a_sentence_and_it_can_go_on(windtunnel, project, monkeypatch):
    plan(project, "true")
    with monkeypatch.context() as full:
        full.setattr(agent_run, "EVENTS", "/dev/full")
        ran = windtunnel("agent-run", "plan.yaml")
    assert (2, "Traceback" in ran.err) == (ran.code, False)
    assert "make room" in ran.err
    assert 0 == windtunnel("agent-run", "plan.yaml").code


def test_a_phase_is_committed_and_the_state_is_not(windtunnel, project):
    git = ["git", "-C", project, "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for name, value in (("user.name", "a"), ("user.email", "a@b")):
        subprocess.run([*git, "config", name, value], check=True)
    path = plan(project, "echo x > x")
    path.write_text(path.read_text().replace('verify: "true"', 'verify: "true", commit: "feat: x; $(echo y)"'))
    assert 0 == windtunnel("agent-run", path, "--report", project / ".windtunnel" / "report").code
    shown = subprocess.run([*git, "show", "--format=%s", "--name-only"], check=True, capture_output=True, text=True)
    assert ["feat: x; $(echo y)", "", "log", "plan.yaml", "x"] == shown.stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no.yaml",), "cannot read the plan no.yaml: No such file or directory"),
        ((".",), "cannot read the plan .: "),
        (("plan.yaml", "--resume", "--fresh"), "--resume goes on with what is there and --fresh puts it aside"),
        (("plan.yaml", "--project", "nowhere"), "Directory 'nowhere' does not exist"),
        (("plan.yaml", "--home", "plan.yaml/x"), "cannot keep state below"),
        (("plan.yaml", "--home", ".claude"), "lies where another program keeps its own state"),
        (("plan.yaml", "--home", "x/.loki/y"), "lies where another program keeps its own state"),
        (("plan.yaml", "--report", "plan.yaml/x"), "cannot write the report"),
        (("wrong.yaml",), "wrong.yaml is no plan: there is no key 'phase'; did you mean 'phases'?"),
        (("plan.yaml", "more"), "Got unexpected extra argument"),
    ],
)
def test_bad_input_is_one_clear_sentence_and_runs_nothing(windtunnel, project, words, said):
    plan(project, "true")
    (project / "wrong.yaml").write_text("name: x\nphase: []\n")
    ran = windtunnel("agent-run", *words)
    assert (2, "") == (ran.code, ran.out)
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not (project / "log").exists()


def test_a_project_that_is_moved_as_a_whole_keeps_its_state(windtunnel, project):
    (project / "here").mkdir()
    plan(project / "here", "true")
    windtunnel("agent-run", "here/plan.yaml")
    (project / "here").rename(project / "there")
    assert (0, ["first"]) == (windtunnel("agent-run", "there/plan.yaml").code, log(project / "there"))


def test_the_state_of_a_plan_lies_nowhere_else():
    home = ShellHome("/a/.windtunnel", "/a/deploy.yaml", None)
    assert home.state.startswith("/a/.windtunnel/deploy-")
    assert home.state != ShellHome("/a/.windtunnel", "/a/b/deploy.yaml", None).state

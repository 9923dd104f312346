"""``windtunnel replay --script``: the failure in plain Python, run without this harness. Source: issue 4, 6."""

import json
import os
import subprocess
import sys

import needs
import pytest

from harness.core.fault import Fault
from harness.core.history import History
from harness.core.scenario import ClockStep, Repeat, Schedule, Step, dump
from harness.errors import UsageError
from harness.explore.races.identities import run_number
from harness.explore.scenario_script import scenario_script
from harness.systems import registry
from harness.systems.stop_gate.workload.stop_steps import (
    FINISHED,
    RESET,
    UNFINISHED,
    control,
    operation,
    scenario,
    stop,
)
from harness.targets.direct import DirectSession

# holds a finished session when something is wrong: its disk, its transcript, its home, what it noted, or the date
HOOK = """
import json, os, sys, time
event = json.loads(sys.stdin.readline())
block = json.dumps({"decision": "block", "reason": "open items"})
if "unfinished" in event["transcript_path"]:
    print(block)
    sys.exit(0)
try:
    for line in open(event["transcript_path"], encoding="utf-8"):
        json.loads(line)
    seen = os.environ["HOME"] + "/seen"
    if os.path.exists(seen):
        with open(seen) as file:
            json.load(file)
        assert abs(time.time() - os.stat(seen).st_mtime) < 3600
    assert time.localtime().tm_year not in (1970, 1971, 2038)
    with open(seen, "w") as file:
        file.write("[1]")
except Exception:
    BROKEN
"""
CALM = (control(UNFINISHED), control(FINISHED), RESET)
TRANSCRIPT = FINISHED.transcript_path
GARBAGE = Step(fault=Fault("jsonl.garbage_lines", TRANSCRIPT))
DELAYED = Fault("syscall.delayed", TRANSCRIPT, {"call": "openat", "delay_ms": 1})
LAST_KILLED = Step(fault=Fault("syscall.killed", TRANSCRIPT, {"call": "openat"}))
ODD_LOCALE = Step(fault=Fault("environment.odd_locale"))


def at_call(kind, call, **params):
    return Step(fault=Fault(f"syscall.{kind}", "{home}/seen", {"call": call, **params}))


CASES = {
    "damage": (GARBAGE, stop(FINISHED)),
    "damage_between_calls": (stop(FINISHED), GARBAGE, stop(FINISHED)),
    "environment": (stop(FINISHED), Step(fault=Fault("environment.no_home")), stop(FINISHED)),
    "time_is_ahead": (stop(FINISHED), Step(fault=Fault("clock.forward", None, {"by_s": 3601})), stop(FINISHED)),
    "time_passes": (ODD_LOCALE, stop(FINISHED), Step(clock=ClockStep(3601.0)), stop(FINISHED)),
    "time_is_far_back": (ODD_LOCALE, *(Step(clock=ClockStep(-1.7e9)),) * 2, stop(FINISHED)),
    "time_is_odd": (Step(fault=Fault("clock.year_2038")), stop(FINISHED)),
    "errno": (stop(FINISHED), at_call("errno", "openat"), stop(FINISHED)),
    "killed": (stop(FINISHED), at_call("killed", "write"), stop(FINISHED), stop(FINISHED)),
    "torn": (at_call("torn", "write", bytes=1), stop(FINISHED), stop(FINISHED)),
    "a_time_zone": (Step(fault=Fault("clock.time_zone", None, {"name": "UTC"})), GARBAGE, stop(FINISHED)),
    "a_clock_that_stands": (Step(fault=Fault("clock.frozen")), GARBAGE, stop(FINISHED)),
    "again_and_again": (GARBAGE, Step(repeat=Repeat(2, {"decision": "approve"}, (stop(FINISHED),)))),
    "two_kinds": (ODD_LOCALE, at_call("errno", "openat", errno="EACCES"), stop(FINISHED)),
    "one_that_never_came": (GARBAGE, at_call("errno", "openat"), stop(FINISHED)),
}
OF_THE_CLOCK = ("a_clock_that_stands", "time_is_ahead", "time_is_far_back", "time_is_odd", "time_passes")


def marked(name):
    return pytest.param(name, marks=needs.libfaketime if name in OF_THE_CLOCK else ())


@pytest.fixture
def failing(windtunnel, tmp_path, monkeypatch):
    """Writes a hook, a scenario and its script; gives the outcome of making the script."""
    place = tmp_path / "hook"
    place.mkdir()
    monkeypatch.chdir(place)  # the script runs the hook in a copy of where it was found to fail

    def made(steps, *options):
        (place / "hook.py").write_text(HOOK.replace("BROKEN", "print(block)"))
        found = scenario("shown", "It is shown", ("SH-01",), (*CALM, *steps))
        (tmp_path / "case.yaml").write_text(dump(found))
        words = (*options, "--hook", "--", sys.executable, str(place / "hook.py"))
        return windtunnel("replay", str(tmp_path / "case.yaml"), "--script", str(tmp_path / "shows.py"), *words)

    return made


def run(script, folder):
    """The script in an empty folder and by a Python that has no other packages, windtunnel's neither."""
    folder.mkdir(exist_ok=True)
    env = {"PATH": os.environ["PATH"]}
    words = [sys.executable, "-I", "-S", str(script)]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)


@needs.namespaces
@pytest.mark.parametrize("name", [marked(name) for name in sorted(CASES)])
def test_the_script_shows_the_failure_alone_and_no_failure_of_a_mended_hook(failing, tmp_path, name):
    ran = failing(CASES[name])
    assert (1, "") == (ran.code, ran.err)
    script = tmp_path / "shows.py"
    assert "harness" not in script.read_text().partition("CASE")[2].partition("import")[2]
    shown = run(script, tmp_path / "empty")
    assert (1, "") == (shown.returncode, shown.stderr), shown.stdout
    assert "every call ended as in the run that failed" in shown.stdout
    (tmp_path / "hook" / "hook.py").write_text(HOOK.replace("BROKEN", "pass"))
    mended = run(script, tmp_path / "empty")
    assert (0, "") == (mended.returncode, mended.stderr), mended.stdout
    assert mended.stdout.endswith("it does not do again what it did in the run that failed\n")


@needs.namespaces
@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ((Step(fault=Fault("filesystem.full", "{home}")), stop(FINISHED)), "filesystem.full is more than a file"),
        ((Step(fault=Fault("environment.deleted_cwd")), Step(fault=Fault("environment.no_home")), stop(FINISHED)),
         "more than the variables of the process changes"),
        ((Step(schedule=Schedule((operation(FINISHED),) * 2)), GARBAGE, stop(FINISHED)), "in no stated order"),
        ((stop(FINISHED), Step(fault=Fault("json_document.truncated", "{home}/seen")), stop(FINISHED)),
         "json_document.truncated strikes between two calls, at what these may have written"),
        ((GARBAGE, Step(fault=DELAYED), stop(FINISHED)), "hangs on time"),
        ((GARBAGE, Step(fault=Fault("environment.stderr_closed")), stop(FINISHED)),
         "more than the variables of the process changes"),
        ((GARBAGE, Step(fault=Fault("clock.jump")), stop(FINISHED)), "clock.jump"),
        ((GARBAGE, stop(FINISHED), Step(fault=Fault("filesystem.full", "{home}")), stop(FINISHED)),
         "filesystem.full strikes between two calls"),
        ((GARBAGE, Step(repeat=Repeat(2, {"decision": "approve"}, (GARBAGE, stop(FINISHED))))),
         "it repeats more than one call"),
        ((stop(FINISHED), Step(fault=Fault("environment.no_home")), stop(FINISHED), LAST_KILLED, stop(FINISHED)),
         "what the last call left when it was killed"),
        ((stop(FINISHED),), "does not fail here, so there is nothing for a script to show"),
    ],
)  # fmt: skip
def test_what_needs_the_harness_is_one_sentence(failing, tmp_path, steps, sentence):
    ran = failing(steps)
    assert 2 == ran.code
    assert sentence in ran.err
    assert 1 == len(ran.err.splitlines())
    assert not (tmp_path / "shows.py").exists()


def test_a_process_that_is_kept_running_has_no_script():
    found = scenario("kept", "It is kept", ("SH-01",), (stop(FINISHED),))
    with DirectSession("gate", dict) as session, pytest.raises(UsageError, match="is kept running"):
        scenario_script(found, session, registry.get("stop_gate"), History(), ())


# of two stops at once the second has emptied the file, and not written yet, when the first begins to read
ORDERS = [Step(schedule=Schedule((operation(FINISHED),) * 2, (run_number(1),) * calls)) for calls in range(3, 24)]


@needs.namespaces
def test_an_order_of_file_calls_is_shown_too(failing, tmp_path):
    found = next((each for each in ORDERS if failing((ODD_LOCALE, stop(FINISHED), each)).code == 1), None)
    assert found is not None, "no order lets the first read an empty file"
    shown = run(tmp_path / "shows.py", tmp_path / "empty")
    assert (1, "") == (shown.returncode, shown.stderr), shown.stdout
    assert "call 2 of them: openat(home/seen)" in shown.stdout


@needs.namespaces
def test_as_json_the_script_is_named_in_the_document(failing, tmp_path):
    ran = failing((GARBAGE, stop(FINISHED)), "--json")
    told = json.loads(ran.out)
    assert (1, "", str(tmp_path / "shows.py")) == (ran.code, ran.err, told["script"])
    assert ["failed"] == [each["outcome"] for each in told["scenarios"]]
    assert (tmp_path / "shows.py").is_file()

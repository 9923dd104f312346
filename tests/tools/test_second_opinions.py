"""What tools of the machine say about what we claim: strace about faults, libfaketime about clocks, bubblewrap about walls.

A missing tool fails here: these tests are only run where it has to be.
"""

import shutil
import sys
from importlib import resources
from pathlib import Path

import pytest
import yaml

from harness.sandbox import MakeDirectory, Sandbox, SandboxPlan, base_environment
from harness.sandbox.launch import WAYS
from harness.sandbox.launch import start as start_agent
from harness.sandbox.probe import _setup as probe_setup

pytestmark = pytest.mark.tools
HOUR_S = 3600


def tool(name):
    found = shutil.which(name)
    assert found is not None, f"{name} is missing: apt-get install it, as .ci/run does"
    return found


@pytest.mark.parametrize(("fault", "call", "errno"), [("full", "write", "ENOSPC"), ("read_only", "openat", "EROFS")])
def test_strace_sees_the_errno_that_the_harness_proved(fault, call, errno):
    strace = tool("strace")
    with Sandbox(SandboxPlan()) as sandbox:
        sandbox.apply([MakeDirectory("{home}/state")])
        proof = sandbox.limit_space("{home}/state", 65536) if fault == "full" else sandbox.read_only("{home}/state")
        script = "head -c 100000 /dev/zero > {home}/state/file"
        words = (strace, "-f", "-e", f"trace={call}", "sh", "-c", script)
        ended = sandbox.run(words, env=base_environment(sandbox.roots), cwd="/", timeout_s=20)
    assert errno == proof
    assert f" = -1 {errno} " in ended.stderr.decode()


def library():
    tool("faketime")
    places = [
        *Path("/usr/lib").glob("*/faketime/libfaketime.so.1"),
        *Path("/usr/lib").glob("faketime/libfaketime.so.1"),
    ]
    assert places, "libfaketime.so.1 is missing: apt-get install faketime"
    return str(places[0])


@pytest.mark.parametrize("skew_s", [-2 * HOUR_S, 2 * HOUR_S])
def test_the_reference_hook_conforms_with_a_clock_that_is_wrong(tmp_path, skew_s, request):
    target = yaml.safe_load(resources.files("harness.systems.stop_gate").joinpath("hook.yaml").read_text())
    target["command"] = [sys.executable, "-m", "harness.systems.stop_gate.reference.hook"]
    target["env"] = {"LD_PRELOAD": library(), "FAKETIME": f"{skew_s:+d}s"}
    target["timeout_s"] = 20
    samples = request.config.rootpath / "examples" / "hooks" / "samples"
    target["samples"] = {"approve": str(samples / "finished.jsonl"), "block": str(samples / "unfinished.jsonl")}
    # a semaphore of this very session is in the future of a clock that is behind, and old for one that is ahead
    found = certified(tmp_path, target, ("PS-SES-02", "PS-LOOP-04", "SH-03"))
    assert {"PS-SES-02": "CONFORMS", "PS-LOOP-04": "CONFORMS", "SH-03": "CONFORMS"} == found


def certified(tmp_path, target, clauses):
    import json

    from harness.cli import main

    file = tmp_path / "target.yaml"
    file.write_text(yaml.safe_dump(target))
    words = [word for clause in clauses for word in ("--clause", clause)]
    # at L1: under a second clock fault libfaketime would stand in front of itself
    main(["certify", str(file), "--level", "L1", "--cases", "0", "--report", str(tmp_path / "report"), *words])
    result = json.loads((tmp_path / "report" / "result.json").read_text())
    verdicts = result["systems"]["stop_gate"]["clauses"]
    return {clause: verdicts[clause]["verdict"] for clause in clauses}


def test_bubblewrap_builds_the_same_walls():
    tool("bwrap")
    (way,) = (way for way in WAYS if way.name == "bubblewrap")
    agent, ready = start_agent(way, probe_setup(way), network=False)
    agent.close()
    assert ready.overlay

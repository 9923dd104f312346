"""Fresh search of a hook: a defect that needs a fault and a second stop is found, and shrunk to these."""

import sys
from pathlib import Path

from harness.certify import reach
from harness.explore.stateful import search
from harness.systems import registry
from harness.systems.stop_gate.contract import STOP_HOOK
from harness.systems.stop_gate.workload import machine, machine_stop_hook
from harness.targets.slots import Slots
from harness.targets.target_file import TargetFile, TargetSpec

SAMPLES = Path(__file__).parents[3] / "examples" / "hooks" / "samples"
# lets a session with a damaged transcript end, but only the first time: what it wrote then is an open item to it
HOOK = """
import json, os, sys
event = json.loads(sys.stdin.readline())
state = os.environ.get("HOME", "/nonexistent") + "/planted"
path = event.get("transcript_path") or event.get("transcriptPath")
block = json.dumps({"decision": "block", "reason": "open items"})
todos = []
try:
    for line in open(path, encoding="utf-8"):
        if line.strip():
            for part in json.loads(line).get("message", {}).get("content") or ():
                if isinstance(part, dict) and "todos" in part.get("input", {}):
                    todos = part["input"]["todos"]
except Exception:
    damaged = os.path.exists(state)
    with open(state, "a") as file:
        file.write("x")
    if damaged and os.path.getsize(state) < 5:
        print(block)
    sys.exit(0)
if any(todo["status"] != "completed" for todo in todos) and not (
    event.get("stop_hook_active") or event.get("stopHookActive")
):
    print(block)
"""


def searched(hook, folder, *, seed, cases):
    (folder / "hook.py").write_text(hook)
    file = TargetFile(name="planted", carrier="hook", command=(sys.executable, "-S", "hook.py"), timeout_s=20)
    samples = {
        word: (SAMPLES / name).read_bytes()
        for word, name in (("approve", "finished.jsonl"), ("block", "unfinished.jsonl"))
    }
    system = registry.get("stop_gate")
    target = reach.from_spec(TargetSpec(file, str(folder), samples), system, timeout_scale=1.0)
    slots = Slots(1)
    with target.open(slots) as session, slots.held():
        found, _ = search(system, session, STOP_HOOK, (), seed, cases, lambda: False)
    return found


def test_a_defect_of_the_second_stop_under_a_fault_is_found_and_shrunk_to_its_four_steps(tmp_path):
    (found,) = searched(HOOK, tmp_path, seed=1, cases=40)
    roles = [step.op.args.get("role", "subject") if step.op else step.fault.family for step in found.steps]
    assert ["control", "jsonl", "subject", "subject"] == roles
    assert {"approve"} == {step.op.args["deserves"] for step in found.steps if step.op}


def test_the_configuration_is_struck_only_where_the_group_says_that_there_is_one():
    assert machine(STOP_HOOK, ("power_steering",)) is not machine(STOP_HOOK, ())
    struck = {strike.place for family in machine_stop_hook.FAMILIES for strike in family}
    assert not any("config" in str(place) for place in struck)

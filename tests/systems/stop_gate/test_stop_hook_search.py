"""Fresh search of a hook: a defect that needs a fault and a second stop is found, and shrunk to these.

So is one that an error of a file call brings about, where no other fault is drawn.
"""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import needs
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from harness.certify import reach
from harness.core.finding import CheckVerdict
from harness.core.history import EntryType
from harness.core.scenario import Schedule, Step, World, dump, load
from harness.explore.driver import JudgingDriver
from harness.explore.playing import play
from harness.explore.stateful import search
from harness.systems import registry
from harness.systems.families import CALLS
from harness.systems.stop_gate.contract import STOP_HOOK
from harness.systems.stop_gate.workload import machine, machine_stop_hook
from harness.systems.stop_gate.workload.machine_stop_hook import CAST, CLOCK
from harness.systems.stop_gate.workload.stop_steps import operation
from harness.targets.slots import Slots
from harness.targets.target_file import TargetFile, TargetSpec

SAMPLES = Path(__file__).parents[3] / "examples" / "hooks" / "samples"
FEW = 5  # cases to shrink by, of hooks that are real processes
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

# holds every session when a file cannot be read, or when it cannot note that it was here
BROKEN_DISK = """
import json, os, sys
event = json.loads(sys.stdin.readline())
path = event.get("transcript_path") or event.get("transcriptPath")
block = json.dumps({"decision": "block", "reason": "open items"})
todos = []
try:
    for line in open(path, encoding="utf-8"):
        for part in json.loads(line).get("message", {}).get("content") or ():
            if isinstance(part, dict) and "todos" in part.get("input", {}):
                todos = part["input"]["todos"]
    with open(os.environ["HOME"] + "/seen", "a") as file:
        file.write("x")
except OSError:
    print(block)
    sys.exit(0)
except Exception:
    sys.exit(0)
if any(todo["status"] != "completed" for todo in todos) and not (
    event.get("stop_hook_active") or event.get("stopHookActive")
):
    print(block)
"""

# holds every session when a line of its transcript is damaged and it cannot note that
TWO_FAULTS = """
import json, os, sys
event = json.loads(sys.stdin.readline())
path = event.get("transcript_path") or event.get("transcriptPath")
block = json.dumps({"decision": "block", "reason": "open items"})
todos = []
damaged = False
try:
    lines = open(path, encoding="utf-8", errors="replace").read().splitlines()
except OSError:
    lines = []
for line in lines:
    try:
        for part in json.loads(line).get("message", {}).get("content") or ():
            if isinstance(part, dict) and "todos" in part.get("input", {}):
                todos = part["input"]["todos"]
    except Exception:
        damaged = True
try:
    with open(os.environ["HOME"] + "/seen", "a") as file:
        file.write("x")
    damaged = False
except OSError:
    pass
held = any(todo["status"] != "completed" for todo in todos) and not damaged
if damaged or (held and not (event.get("stop_hook_active") or event.get("stopHookActive"))):
    print(block)
"""


@contextmanager
def opened(hook, folder):
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
        yield system, session


def only(system, *families):
    """The system with a machine whose cases draw faults of these families; with several one stands from the start."""

    class Machine(machine_stop_hook.stop_hook_machine(())):
        @initialize(data=st.data())
        def begin(self, data):
            super().begin(frozenset(families), data, struck=len(families) > 1)

    return SimpleNamespace(
        name=system.name,
        catalogue=system.catalogue,
        judge=system.judge,
        inputs_of=system.inputs_of,
        workload=SimpleNamespace(machine=lambda profile, groups: Machine),
    )


SEEDS = range(1, 9)


def searched(system, session, *families):
    """What the first search that meets the defect finds; what is drawn hangs on which modules are loaded, too."""
    few = only(system, *families)
    searches = (search(few, session, STOP_HOOK, (), seed, 40, lambda: False, shrinks=FEW)[0] for seed in SEEDS)
    return next(found for found in searches if found)


def test_a_defect_of_the_second_stop_under_a_fault_is_found_and_shrunk_to_its_four_steps(tmp_path):
    with opened(HOOK, tmp_path) as (system, session):
        (found,) = searched(system, session, "jsonl")
    roles = [step.op.args.get("role", "subject") if step.op else step.fault.family for step in found.steps]
    assert ["control", "jsonl", "subject", "subject"] == roles
    assert {"approve"} == {step.op.args["deserves"] for step in found.steps if step.op}


@needs.namespaces
def test_a_defect_that_an_error_of_a_file_call_shows_is_found_and_its_file_replays(tmp_path):
    with opened(BROKEN_DISK, tmp_path) as (system, session):
        (found,) = searched(system, session, CALLS)
        again = load(dump(found), where="found.yaml")
        findings = system.judge(again, play(again, session, system.inputs_of), system.catalogue)
    (struck,) = [step.fault for step in found.steps if step.fault is not None]
    assert "syscall.errno" == struck.name
    assert found.steps[-1].op.args["deserves"] == "approve"
    assert 3 >= len(found.steps)
    assert found == again
    assert found.clauses[0] in {each.clause for each in findings if each.verdict is CheckVerdict.FAIL}


@needs.namespaces
def test_a_file_call_that_fails_and_a_damaged_file_are_found_together_replayed_and_shown(tmp_path, windtunnel):
    with opened(TWO_FAULTS, tmp_path) as (system, session):
        (found,) = searched(system, session, CALLS, "jsonl")
    kinds = [step.op.args.get("role", "subject") if step.op else step.fault.family for step in found.steps]
    assert ["control", "jsonl", "syscall", "subject"] == kinds
    assert "syscall.errno" == found.steps[2].fault.name
    (tmp_path / "found.yaml").write_text(dump(found))
    words = ("--hook", "--", sys.executable, "-S", str(tmp_path / "hook.py"))
    script = tmp_path / "shows.py"
    ran = windtunnel("replay", str(tmp_path / "found.yaml"), "--script", str(script), *words)
    assert (1, "") == (ran.code, ran.err)
    assert f"FAIL          {found.clauses[0]}" in ran.out
    (tmp_path / "empty").mkdir()
    alone = [sys.executable, "-I", "-S", str(script)]
    shown = subprocess.run(alone, cwd=tmp_path / "empty", capture_output=True, text=True, check=False)
    assert (1, "") == (shown.returncode, shown.stderr), shown.stdout


@needs.namespaces
def test_a_drawn_order_becomes_the_order_that_was_made_and_replays(tmp_path):
    with opened(BROKEN_DISK, tmp_path) as (system, session):
        driver = JudgingDriver(system, session, STOP_HOOK, 1)
        driver.begin(World(CLOCK, CAST.files))
        wish = Schedule((operation(CAST.finished), operation(CAST.unfinished)), (1, 1, 0, 1))
        replies = driver.take(Step(schedule=wish))
        (made,) = driver.scenario.steps
        history = play(driver.scenario, session, system.inputs_of)
    first, second = sorted(set(made.schedule.order))
    assert (second, second, first, second) == made.schedule.order[:4]
    assert 8 < len(made.schedule.order)
    ends = [entry.value["decision"] for entry in history.entries if entry.type is EntryType.OK]
    assert [reply.value["decision"] for reply in replies] == ends == ["approve", "block"]


def test_the_configuration_is_struck_only_where_the_group_says_that_there_is_one():
    assert machine(STOP_HOOK, ("power_steering",)) is not machine(STOP_HOOK, ())
    struck = {strike.place for family in machine_stop_hook.FAMILIES for strike in family}
    assert not any("config" in str(place) for place in struck)

"""Sessions over both carriers on commands that a test writes down."""

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.core.scenario import FileSpec, Operation, Scenario, Step, World
from harness.sandbox import Sandbox, SandboxPlan, exposure_for
from harness.targets.slots import Slots
from harness.targets.stdio import StdioSession

# what the registry would find in the rooms of a system of that name: one whose operations have no types
toy = ModuleType("harness.systems.toy.contract")
toy.PROFILES, toy.OPERATIONS = ("gate",), {}  # type: ignore[attr-defined]  # a module is made of whatever is put in
sys.modules[toy.__name__] = toy

CLOCK = "2026-03-01T12:00:00Z"
# the python of the machine, started so that it costs little: no site, no user's files
PYTHON = (os.path.realpath(sys.executable), "-S", "-E")

ADAPTER = """
import json, os, sys, time
ANSWER = {"protocolVersion": 1, "implementation": {"name": "broken", "version": "1"}, "systems": {"toy": {}}}
def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)
def say(text):
    sys.stdout.write(text); sys.stdout.flush()
def answer(call, result):
    say(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}) + "\\n")
def fail(call, code, message):
    say(json.dumps({"jsonrpc": "2.0", "id": call["id"], "error": {"code": code, "message": message}}) + "\\n")
def usual(call):
    if call["method"] in ("reset", "open", "shutdown"): return answer(call, {})
    answer(call, ANSWER if call["method"] == "initialize" else {"method": call["method"], **call["params"]})
def run(special):
    while True:
        call = read()
        name = call["method"].removeprefix("toy/")
        special.get(name, usual)(call)
"""


def exposed(*more: str) -> tuple[str, ...]:
    """What a sandbox has to show for PYTHON to run."""
    found = exposure_for((PYTHON[0],), search=os.defpath, home=str(Path.home()), cwd="/", extra=more)
    return found.paths


def adapter(folder: Path, special: str = "", *, before: str = "") -> Path:
    """An adapter that is sound but for ``special``: ``name=function of the call`` pairs; ``before`` is code."""
    path = folder / "adapter.py"
    path.write_text(f"{ADAPTER}\n{before}\nrun(dict({special}))\n")
    return path


def stdio(
    folder: Path,
    special: str = "",
    *,
    before: str = "",
    contained: bool = False,
    scale: float = 1.0,
    system: str = "toy",
) -> StdioSession:
    """A session with that adapter, contained by namespaces or not (which is faster)."""
    script = adapter(folder, special, before=before)
    plan = SandboxPlan(exposed=exposed(str(folder)), force_fallback=not contained)
    command = (*PYTHON, str(script))
    return StdioSession(Sandbox(plan), command, {"A_VARIABLE": "its value"}, "/", system, Slots(1), scale)


def misbehaving(folder: Path, *words: str, contained: bool = False, scale: float = 1.0) -> StdioSession:
    """A session with tests/targets/misbehaving.py, started with these words; it counts its processes in ``folder``."""
    script = Path(__file__).with_name("misbehaving.py")
    plan = SandboxPlan(exposed=exposed(str(script.parent)), force_fallback=not contained)
    command = (*PYTHON, str(script), *words)
    return StdioSession(Sandbox(plan), command, {"FOLDER": str(folder)}, "/", "toy", Slots(1), scale)


def let_go(fifo: Path, text: str = "") -> None:
    """Writes to whoever waits at that FIFO; when nobody does, it is not waited for."""
    descriptor = os.open(fifo, os.O_RDWR)
    os.write(descriptor, text.encode())
    os.close(descriptor)


def scenario(*steps: Step, files: dict[str, FileSpec] | None = None, **changes: Any) -> Scenario:
    """A scenario of the toy."""
    world = World(CLOCK, files or {}, changes.pop("config", {}))
    return Scenario(1, "s", "t", "toy", "gate", (), world, steps, **changes)


def op(name: str = "check", **args: Any) -> Operation:
    """One operation."""
    return Operation(name, args)

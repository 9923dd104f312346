"""Every mutant is the reference with one attribute changed, and shows on the outside.

That the right clause kills it is for ``qualify`` to show; here it only has to differ somewhere from the reference.
"""

import functools
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import warnings
from importlib import resources

import pytest
import yaml
from mutant_battery import ASKED, Battery

from harness.errors import UsageError
from harness.ports.files import FakeFiles
from harness.systems.stop_gate.contract import (
    GATE,
    STOP_HOOK,
    Configuration,
)
from harness.systems.stop_gate.mutants import MUTANTS, create_mutant, mutant_hook
from harness.systems.stop_gate.reference import create
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.hook import StopHook

GATES = [name for name, mutant in MUTANTS.items() if mutant.profile == GATE]
HOOKS = [name for name, mutant in MUTANTS.items() if mutant.profile == STOP_HOOK]
HUNG_S = 4.0  # six times what the battery takes; a mutant called hung on a slow machine differs from the reference too
CLAUSES = yaml.safe_load(resources.files("harness.systems.stop_gate").joinpath("clauses.yaml").read_bytes())["clauses"]


def own(kind):
    return [name for name in vars(kind) if not re.fullmatch(r"__\w+__", name)]


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_changes_one_attribute(name):
    mutant = MUTANTS[name]
    assert mutant.name == name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name)
    assert len(own(mutant.changed)) == len(own(mutant.implementation)) == 1
    assert hasattr(mutant.changed.__mro__[1], own(mutant.changed)[0])
    assert mutant.implementation.__mro__[1] in (StopGate, StopHook)
    assert mutant.description


def test_every_clause_has_a_mutant_and_every_mutant_a_clause():
    clauses = {clause["id"] for clause in CLAUSES}
    assert {mutant.clause for mutant in MUTANTS.values()} == clauses
    assert all((mutant.profile == STOP_HOOK) == mutant.clause.startswith("SH-") for mutant in MUTANTS.values())


def test_mutants_are_made_by_name():
    for name in GATES:
        assert type(create_mutant(name, Configuration("/home"), FakeFiles())) is MUTANTS[name].implementation
    for name in HOOKS:
        assert type(mutant_hook(name, {})) is type(mutant_hook(name)) is MUTANTS[name].implementation
    for wrong in ("nobody", HOOKS[0]):
        with pytest.raises(UsageError, match=wrong):
            create_mutant(wrong, Configuration("/home"))
    with pytest.raises(UsageError, match=GATES[0]):
        mutant_hook(GATES[0])


def told_by(make, expected, limit_s=60.0):
    """What the battery tells in a process of its own; ``hung`` when it does not end."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as base:
        return _told_in(base, make, expected, limit_s)


def _told_in(base, make, expected, limit_s):
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # the child only tells its battery and leaves by _exit: threads of the parent are nothing to it
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            battery = Battery(make, expected, base)
            text = battery.run()
            with open(writer, "w", encoding="utf-8") as file:
                file.write(text)
        finally:
            os._exit(0)
    os.close(writer)
    parts = []
    try:
        while select.select([reader], [], [], limit_s)[0]:
            part = os.read(reader, 1 << 20)
            if not part:
                return b"".join(parts).decode()
            parts.append(part)
        return "hung"
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@functools.cache
def reference():
    return told_by(create, Anything())


class Anything(str):  # noqa: SLOT000 - it holds nothing
    """Begins with everything."""

    def startswith(self, *_):
        return True


def test_the_reference_tells_the_same_twice():
    assert reference().count("\nin_") > 20
    assert told_by(create, reference()) == reference()


@pytest.mark.parametrize("name", GATES)
def test_a_gate_mutant_shows(name):
    assert told_by(lambda configuration: create_mutant(name, configuration), reference(), HUNG_S) != reference()


# -- hooks, as processes


def test_a_hook_mutant_runs_as_a_process(tmp_path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text(json.dumps(ASKED) + "\n")
    event = json.dumps({"session_id": "s", "transcript_path": str(transcript), "stop_hook_active": False})

    def run(name, data):
        command = [sys.executable, "-m", "harness.systems.stop_gate.mutants", name]
        environment = {**os.environ, "HOME": str(tmp_path), "CLAUDE_PROJECT_DIR": str(tmp_path)}
        return subprocess.run(
            command, input=data, env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    assert run("hook-never-blocks", event).stdout == ""
    assert run("hook-explains-approval", event).stdout.startswith('{"decision":"block"')
    assert run("hook-bad-event-exits-2", "[]").returncode == 2
    assert run("hook-complaint-exits-2", "[]").returncode == 2
    assert run("hook-complains-on-stdout", "[]").stdout.startswith("windtunnel-stop-hook:")
    assert "block" in run("hook-bad-event-blocks", "[]").stdout
    assert "import" not in run("hook-broken-import-disables", event).stdout
    transcript.unlink()
    assert "block" in run("hook-unreadable-is-unfinished", event).stdout

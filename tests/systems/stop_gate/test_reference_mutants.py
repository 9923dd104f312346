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
from mutant_battery import ASKED, DONE, FAILED, SAID, Battery, Unhurried

from harness.errors import UsageError
from harness.ports.fake_files import FakeFiles
from harness.systems.stop_gate.contract import (
    GATE,
    STOP_HOOK,
    Configuration,
)
from harness.systems.stop_gate.mutants import EVERY_L2, MUTANTS, create_mutant, mutant_hook, weather_gate
from harness.systems.stop_gate.reference import create
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.hook import StopHook

GATES = [name for name, mutant in MUTANTS.items() if mutant.profile == GATE]
HOOKS = [name for name, mutant in MUTANTS.items() if mutant.profile == STOP_HOOK]
SIMPLE = [name for name in GATES if MUTANTS[name].level == "L1"]
# this one shows although no scenario of L1 kills it: the battery looks at the files that stand after a block
SHOWS = {"blocks-counted-in-memory"}
CALM = [name for name in GATES if MUTANTS[name].level == "L2" and name not in SHOWS]
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
    assert isinstance(
        create_mutant(EVERY_L2, Configuration("/home"), FakeFiles()), MUTANTS["past-clock-blocks"].implementation
    )
    assert isinstance(mutant_hook(EVERY_L2, {}), StopHook)


def told_by(make, expected, limit_s=60.0, kind=Battery):
    """What the battery tells in a process of its own; ``hung`` when it does not end."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as base:
        return _told_in(lambda: kind(make, expected, base), limit_s)


def _told_in(made, limit_s):
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # the child only tells its battery and leaves by _exit: threads of the parent are nothing to it
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            text = made().run()
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


@functools.cache
def unhurried():
    return told_by(create, Anything(), kind=Unhurried)


class Anything(str):  # noqa: SLOT000 - it holds nothing
    """Begins with everything."""

    def startswith(self, *_):
        return True


def test_the_reference_tells_the_same_twice():
    assert reference().count("\nin_") > 20
    assert told_by(create, reference()) == reference()


@pytest.mark.parametrize("name", [*SIMPLE, *sorted(SHOWS)])
def test_a_gate_mutant_shows(name):
    assert told_by(lambda configuration: create_mutant(name, configuration), reference(), HUNG_S) != reference()


@pytest.mark.parametrize("name", CALM)
def test_a_gate_mutant_of_l2_tells_what_the_reference_tells_where_no_fault_strikes(name, monkeypatch):
    # two of them look for a while at what goes on beside them
    monkeypatch.setattr(weather_gate, "WATCHED_S", 0.001)
    expected = unhurried()
    assert told_by(lambda made: create_mutant(name, made), expected, kind=Unhurried) == expected


def struck_in_process(name, battery):
    """The fault under which that mutant shows, as far as this process can stand in for it; then one check."""
    session_id, more = "s", {}
    if name == "past-clock-blocks":
        more["now"] = 0.0
    elif name == "time-in-32-bits":
        more["now"] = 2.0**31
    elif name == "leftover-semaphore-counts":
        put(f"{battery.runtime}/.s_completed.bak")
    elif name == "leftover-keeps-the-summary-away":
        put(f"{battery.runtime}/s/summary.md.tmp")
    elif name == "killed-check-blocks-the-next":
        put(f"{battery.runtime}/.s_under_way")
    elif name == "garbled-counters-block":
        put(f"{battery.runtime}/counters.json", "garbage")
    elif name == "folder-of-transcript-missing-blocks":
        battery.path = f"{battery.root}/gone/t"
    elif name == "path-outside-ascii-blocks":
        battery.path = f"{battery.root}/\u65e5"
    elif name == "device-as-transcript-blocks":
        battery.path = os.devnull
    elif name == "id-of-white-space-blocks":
        session_id = " \t"
    elif name == "leap-second-is-damage":
        battery.write(ASKED, {**SAID, "timestamp": "2016-12-31T23:59:60Z"})
    elif name == "nan-in-config-switches-off":
        battery.set_config(b'{"timeout_seconds": NaN}')
    battery.check(FAILED if name in LETS_GO else DONE, session_id=session_id, **more)


def put(path, text=""):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


LETS_GO = ("time-in-32-bits", "leap-second-is-damage", "nan-in-config-switches-off")
# a mount, a limit of this very process, another process or a variable of the whole session: qualify shows those
OUTSIDE = {
    "busy-summary-escapes", "few-descriptors-block", "locked-semaphore-blocks", "no-inodes-blocks", "no-temporary-folder-blocks",
    "others-in-turn-are-held", "read-only-home-blocks", "vanishing-transcript-blocks",
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in CALM if name not in OUTSIDE])
def test_a_gate_mutant_of_l2_shows_under_its_fault(name):
    assert OUTSIDE < set(CALM)
    with tempfile.TemporaryDirectory() as base:
        answers = []
        for number, make in enumerate((create, lambda configuration: create_mutant(name, configuration))):
            battery = Battery(make, Anything(), base)
            battery.world(f"{base}/{number}")
            struck_in_process(name, battery)
            answers.append((battery.told, [path for path, _ in battery.tree()]))
    assert answers[0] != answers[1]


# -- hooks, as processes


def test_a_hook_mutant_runs_as_a_process(tmp_path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text(json.dumps(ASKED) + "\n")
    event = json.dumps({"session_id": "s", "transcript_path": str(transcript), "stop_hook_active": False})

    def run(name, data):
        command = [sys.executable, "-m", "harness.systems.stop_gate.mutants.run", name]
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

"""Every mutant is the reference with one attribute changed, and shows on the outside.

That the right clause kills it is for ``qualify`` to show; here it only has to differ somewhere from the reference.
"""

import functools
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from importlib import resources

import pytest
import yaml

from harness.errors import UsageError
from harness.ports.files import FakeFiles
from harness.systems.stop_gate.contract import (
    GATE,
    STOP_HOOK,
    CheckArguments,
    CheckerOutcome,
    Configuration,
    Consideration,
    Limits,
    MetricsArguments,
    PromptArguments,
    Severity,
)
from harness.systems.stop_gate.mutants import MUTANTS, create_mutant, mutant_hook
from harness.systems.stop_gate.reference import create
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.hook import StopHook

GATES = [name for name, mutant in MUTANTS.items() if mutant.profile == GATE]
HOOKS = [name for name, mutant in MUTANTS.items() if mutant.profile == STOP_HOOK]
NOW = 1_772_366_400.0
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


# -- a battery of situations, told as text


def scripted(outcome, severity=Severity.BLOCKER, name=None, seconds=0.0):
    return Consideration(name or outcome.value, outcome, severity, seconds)


FAILED, DONE = scripted(CheckerOutcome.FAILED), scripted(CheckerOutcome.SATISFIED)
WARNED, PLAIN = (
    scripted(CheckerOutcome.FAILED, Severity.WARNING, "docs"),
    scripted(CheckerOutcome.FAILED, None, "plain"),
)
EDITS = [{"type": "tool_use", "name": "Edit", "input": {"file_path": path}} for path in ("/a", "/b")]
ASKED = {"role": "user", "content": "Why?"}
SAID = {"role": "assistant", "content": "Because."}
QUIRKS = [
    *(scripted(kind) for kind in (CheckerOutcome.MISSING, CheckerOutcome.KEYLESS, CheckerOutcome.RAISES)),
    *(scripted(kind) for kind in (CheckerOutcome.EXITS, CheckerOutcome.INTERRUPTS, CheckerOutcome.NETWORK_ERROR)),
]


class Battery:
    """Situations after one another, each in a fresh world, up to the first that is not as ``expected``."""

    WAITING = ("in_configuration_short", "in_hanging", "in_length", "in_monitoring")

    def __init__(self, make, expected):
        self.make = make
        self.expected = expected
        self.told = []
        self.root = ""

    def run(self):
        names = [name for name in dir(self) if name.startswith("in_")]
        for situation in sorted(names, key=lambda name: (name in self.WAITING, name)):
            self.root = os.path.realpath(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
            self.home, self.project, self.path = f"{self.root}/h", f"{self.root}/p", f"{self.root}/t"
            self.runtime = f"{self.home}/.amplihack/.claude/runtime/power-steering"
            self.config = f"{self.project}/.claude/tools/amplihack/.power_steering_config"
            os.makedirs(self.runtime)
            os.makedirs(os.path.dirname(self.config))
            self.gate = self.make(Configuration(self.home, Limits(0.01)))
            try:
                self.write(ASKED, SAID)
                getattr(self, situation)()
                self.told.append(f"{situation}: {self.tree()}")
            finally:
                shutil.rmtree(self.root)
            if not self.expected.startswith("\n".join(self.told)):
                break
        return "\n".join(self.told)

    def write(self, *lines):
        data = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        with open(self.path, "wb") as file:
            file.write(data)

    def set_config(self, text):
        with open(self.config, "wb") as file:
            file.write(text)

    def semaphore(self, age_s):
        path = f"{self.runtime}/.s_completed"
        with open(path, "wb"):
            os.utime(path, (NOW - age_s, NOW - age_s))

    def check(self, *considerations, own=False, now=NOW, session_id="s", **more):
        arguments = CheckArguments(self.path, self.project, session_id, None if own else considerations, **more)
        try:
            result = self.gate.check(arguments, now)
        except BaseException as error:
            self.told.append(type(error).__name__)
            return
        log = [
            (
                str(e.code),
                e.level.value,
                e.line,
                e.keys,
                e.checker,
                e.traceback,
                e.session_id is None,
                "unnamed" in e.message,
            )
            for e in result.log
        ]
        told = (result.decision.value, result.reasons, result.continuation_prompt, result.summary, log)
        self.told.append(str(told))

    def tree(self):
        found = []
        for folder, _, names in sorted(os.walk(self.root)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                dated = name.endswith("_completed") and not os.path.islink(path)
                mtime = os.lstat(path).st_mtime if dated else None
                text = os.path.relpath(path, self.root)
                found.append((re.sub(r"~\w{16}|(?<=unnamed-)\w{16}", "~", text), mtime))
        return found

    # the principle, switches

    def in_ordinary(self):
        self.check(DONE)
        self.check(FAILED, session_id="s2")
        self.check(DONE, session_id="s2")
        self.check(WARNED, PLAIN, session_id="s3")
        self.check(PLAIN, session_id="s4")
        self.check(WARNED, FAILED, session_id="s5")

    def in_switches(self):
        for value in ("1", "0"):
            self.check(FAILED, environment={"AMPLIHACK_SKIP_POWER_STEERING": value})
        self.check(FAILED)

    def in_nowhere(self):
        self.project += "/gone"
        self.check(FAILED)

    def in_configurations(self):
        self.check(FAILED)
        texts = [
            b'{"enabled": false}',
            b'{"enabled": 0}',
            b"[]",
            b"{",
            b'{"enabled": false, "x": 1}',
            b'{"timeout_seconds": 9}',
        ]
        texts += [
            b'"\xff"',
            *(b'{"timeout_seconds": %s}' % value for value in (b"0", b"1", b"300", b"301", b"true", b"30.0")),
        ]
        for text in texts:
            self.set_config(text)
            self.check(FAILED)
        self.set_config(b'{"enabled": false}')
        self.check(FAILED)
        os.unlink(self.config)
        self.check(FAILED)

    def in_configuration_fifo(self):
        os.mkfifo(self.config)
        self.check(FAILED)

    def in_configuration_short(self):
        self.set_config(b'{"timeout_seconds": 1, "enabled": true}')
        self.check(scripted(CheckerOutcome.HANGS), FAILED)

    # transcripts

    def in_lines(self):
        damaged = [
            b"5",
            b'"a role"',
            b"[" * 100_000,
            b'{"n": ' + b"1" * 5000 + b"}",
            b'{"role": "user", "content": "\xff"}',
        ]
        for line in [*damaged, b"{", b'{"role": "tool", "content": "x"}', {"type": "x", "message": SAID}]:
            self.write(b"", line, SAID)
            self.check(FAILED)
            self.write(SAID, line)
            self.check(FAILED, session_id="s2")
            self.write(line)
            self.check(FAILED, session_id="s3")

    def in_counts_of_lines(self):
        for count in (9, 10, 11, 12):
            self.write(SAID, *[b"{"] * count)
            self.check(FAILED)
            self.write(SAID, *[b" "] * count, ASKED)
            self.check(FAILED)

    def in_sizes(self):
        for size in (10 * 1024 * 1024, 10 * 1024 * 1024 + 1):
            self.write(SAID, b"")
            os.truncate(self.path, 0)
            with open(self.path, "wb") as file:
                line = json.dumps(SAID).encode() + b"\n"
                file.write(line + b" " * (size - len(line)))
            self.check(FAILED)

    def in_absence(self):
        os.unlink(self.path)
        self.check(FAILED)
        os.mkdir(self.path)
        self.check(FAILED)

    def in_emptiness(self):
        self.write()
        self.check(FAILED)

    def in_fifo(self):
        os.unlink(self.path)
        os.mkfifo(self.path)
        self.check(FAILED)

    def in_prompts(self):
        self.write(ASKED, {"role": "assistant", "content": "Hook: The session appears incomplete. Go on."})
        self.check(FAILED)
        for failed in ((), (FAILED,)):
            result = self.gate.continuation_prompt(PromptArguments(failed))
            self.told.append(f"{result.prompt} {[str(entry.code) for entry in result.log]}")

    # sessions

    def in_no_id(self):
        self.check(DONE, session_id=None)

    def in_ages(self):
        for age_s in (0, 3599, 3600, 3601, -10, -100):
            self.semaphore(age_s)
            self.check(FAILED)
            self.check(DONE)

    def in_order(self):
        self.semaphore(5)
        os.unlink(self.path)
        self.check(FAILED)

    def in_second_place(self):
        self.semaphore(-100)
        self.check(DONE)

    def in_vanishing(self):
        os.symlink("nothing", f"{self.runtime}/.s_completed")
        self.check(FAILED)

    def in_hostile_ids(self):
        self.check(DONE, session_id="../../x")

    def in_many_stops(self):
        for _ in range(22):
            self.check(FAILED)

    # checkers

    def in_quirks(self):
        for quirk in QUIRKS:
            self.check(quirk, session_id=quirk.id)
            self.check(quirk, FAILED, session_id=quirk.id + "2")

    def in_hanging(self):
        for kind in (CheckerOutcome.HANGS, CheckerOutcome.HANGS_SWALLOWING):
            self.check(scripted(kind), FAILED)
            self.check(scripted(kind), session_id="s2")
        self.check(scripted(CheckerOutcome.HANGS_SWALLOWING), FAILED, off_main_thread=True)

    def in_length(self):
        self.set_config(b'{"timeout_seconds": 12}')
        self.check(*[scripted(CheckerOutcome.SLOW, seconds=4.0, name=f"c{n}") for n in range(5)])
        self.check(*[scripted(CheckerOutcome.HANGS, name=f"c{n}") for n in range(5)])

    # storage

    def in_refused_storage(self):
        os.mkdir(f"{self.runtime}/.s_completed")
        os.makedirs(f"{self.runtime}/s/summary.md")
        self.check(DONE)
        os.rmdir(self.runtime + "/.s_completed")
        shutil.rmtree(self.runtime)
        with open(self.runtime, "wb"):
            self.check(DONE)

    def in_links(self):
        for target in (f"{self.root}/outside", f"{self.runtime}-evil"):
            os.mkdir(target)
            os.symlink(target, f"{self.runtime}/s")
            self.check(DONE)
            os.unlink(f"{self.runtime}/s")
            os.unlink(f"{self.runtime}/.s_completed")

    # judgement, summary, metrics

    def in_judgement(self):
        self.write(ASKED, {"role": "assistant", "content": "Shall I?"})
        self.check(own=True)
        self.write(ASKED, SAID)
        self.check(own=True)

    def in_summaries(self):
        self.write(
            {"role": "system", "content": "Rules"},
            ASKED,
            {"role": "assistant", "content": EDITS},
            {"role": "user", "content": "More"},
        )
        self.check(DONE)
        self.write(SAID)
        self.check(DONE, session_id="s2")
        self.write({"role": "user", "content": "y" * 150_000})
        self.check(DONE, session_id="s3")

    def in_monitoring(self):
        for _ in range(3):
            self.check(scripted(CheckerOutcome.RAISES), scripted(CheckerOutcome.HANGS), FAILED)
        for later in (0, 4000):
            result = self.gate.metrics(MetricsArguments(), NOW + later)
            self.told.append(f"{dict(result.counters)} {result.alerts}")


def told_by(make, expected, limit_s=60.0):
    """What the battery tells in a process of its own; ``hung`` when it does not end."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            battery = Battery(make, expected)
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


class Anything(str):
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

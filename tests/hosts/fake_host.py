"""A host of our own for tests of the rig: its kind, with a switch for each misbehaviour, and how it is installed."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil
import pytest

from harness.cli import host as host_commands
from harness.hosts import check, installed, several, trial
from harness.hosts.installed import InstalledHost
from harness.hosts.kind import STOP, Conditions, HookSetting, as_json
from harness.hosts.model.lines import HostTool
from harness.hosts.probes import PROBES
from harness.hosts.rig import HostRig
from harness.hosts.stories import PLAIN
from harness.hosts.stories import TOOLS as WITH_TOOLS
from harness.systems.stop_gate import hosts

NAME, VERSION, PACKAGE = "fake-host", "1.0", "fake-host-package"
ASKED_OF_SEVERAL = "same_command_twice"
BROKEN: Mapping[str, str] = {
    "hangs": "the host fake-host did not end its session and was killed; it said: nothing",
    "calls no hook": "the host fake-host called no Stop hook and ended with exit 0; it said: nothing",
    "fails at the start": "the host fake-host called no Stop hook and ended with exit 1; it said: fake-host: there is no "
    "licence",
    "crashes after a hook": "the host fake-host died by signal 6; it said: nothing",
}
"""What a host may do that no host does, and what is said of it."""
CONTRARY: Mapping[str, str] = {
    does: f"the host fake-host {how} after a hook of ours that says the contrary, so it is not the host that its facts "
    "are about; renew them with: windtunnel host check fake-host --write"
    for does, how in {"ignores blocks": "ended", "always goes on": "went on"}.items()
}
"""What a host may do that is not as its table says of our own hooks, and what is said of it then."""
TOOLS: Mapping[str, HostTool] = {"shell": HostTool("shell", {"command": "{command}"})}


class FakeHost(msgspec.Struct):
    """See HostKind. ``does`` are the switches that the program looks for, ``cap`` the blocks in a row it takes."""

    does: tuple[str, ...] = ()
    cap: int | None = None
    can_be_ephemeral: bool = True
    name: str = NAME
    program: str = NAME
    runtime: str = ""
    asks_again: bool = True
    project_settings: tuple[str, ...] = ()
    blocks_by: str = "block"

    def events(self) -> Mapping[str, str]:
        """See HostKind."""
        return {STOP: STOP}

    def files(self, hooks: Sequence[HookSetting], model: str) -> Mapping[str, str]:
        """See HostKind."""
        listed = [{"command": hook.text, "timeout": hook.timeout_s} for hook in hooks for _ in range(hook.listed)]
        settings = {"hooks": listed, "model": model, "does": self.does, "cap": self.cap}
        return {"{home}/settings.json": as_json(settings)}

    def arguments(self, prompt: str, conditions: Conditions) -> tuple[str, ...]:
        """See HostKind."""
        return (prompt, *(("--no-transcript",) if conditions.ephemeral else ()))

    def environment(self, model: str) -> Mapping[str, str]:
        """See HostKind."""
        return {"CODEX_FAKE": "{project}"}


def installed_in(folder: Path, kind: FakeHost, version: str = VERSION) -> InstalledHost:
    """That host, as a program in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / kind.program
    shutil.copyfile(Path(__file__).with_name("fake_host_program.py"), folder / "program.py")
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {folder}/program.py "$@"\n')
    program.chmod(0o755)
    return InstalledHost(kind, version, str(program), str(folder))


def rig_of(folder: Path, *does: str, cap: int | None = None, ephemeral: bool = True, limit_s: float = 60.0) -> HostRig:
    """A rig for a fake host that does that."""
    kind = FakeHost(does, cap, ephemeral)
    return HostRig(installed_in(folder, kind), TOOLS, limit_s=limit_s)


def facts_of(cap: int | None = None, **does: hosts.Does) -> hosts.Host:
    """Its table: the contract's, but for the rules in ``does``."""
    documented = hosts.Documented(timeout_s=5.0, cap=cap, rules=does)
    return hosts.Host(NAME, VERSION, documented, several={})


def agreeing(name: str = NAME, cap: int | None = None, **does: hosts.Does) -> hosts.Host:
    """The table of a host called ``name`` that does what the fake one does, but for what is given."""
    return msgspec.structs.replace(facts_of(cap, **does), host=name, several={ASKED_OF_SEVERAL: "twice"})


def make_known(patch: pytest.MonkeyPatch, folder: Path, *kinds: FakeHost, known: Sequence[hosts.Host] = ()) -> None:
    """These kinds are the only ones that can be run, installed below ``folder``/hosts, and asked a few of the rules.

    ``known`` are the tables there are, by default one that agrees with each kind.
    """
    by_name = {kind.name: kind for kind in kinds}
    for module in (installed, host_commands):
        patch.setattr(module, "KINDS", by_name)
    patch.setattr(installed, "_manifest", lambda kind: folder / "npm" / kind.name)
    patch.setattr(host_commands, "tools_of", lambda name: TOOLS)
    tables = tuple(known) or tuple(agreeing(kind.name, kind.cap) for kind in kinds)
    patch.setattr(hosts, "hosts", lambda: tables)
    patch.setattr(check, "PROBES", tuple(probe for probe in PROBES if probe.rule in ("block", "silence")))
    patch.setattr(several, "QUESTIONS", tuple(each for each in several.QUESTIONS if each.rule == ASKED_OF_SEVERAL))
    patch.setattr(trial, "_STORIES", (PLAIN, WITH_TOOLS))
    patch.setenv(installed.FOLDER_VARIABLE, str(folder / "hosts"))
    for name in by_name:
        place = folder / "npm" / name
        place.mkdir(parents=True, exist_ok=True)
        (place / "package.json").write_text(as_json({"private": True, "dependencies": {PACKAGE: VERSION}}))
        (place / "package-lock.json").write_text(as_json({"lockfileVersion": 3}))


def install_as_npm_does(folder: Path, kind: FakeHost, version: str = VERSION) -> InstalledHost:
    """That host below ``folder``/hosts, where npm would have put its program and its manifest."""
    modules = folder / "hosts" / kind.name / "node_modules"
    (modules / PACKAGE).mkdir(parents=True, exist_ok=True)
    (modules / PACKAGE / "package.json").write_text(as_json({"name": PACKAGE, "version": version}))
    return installed_in(modules / ".bin", kind, version)


def put_npm(patch: pytest.MonkeyPatch, folder: Path, body: str) -> Path:
    """An npm that does ``body`` is the only one on the PATH; what it is asked, and where, is kept in the file given."""
    program = folder / "bin" / "npm"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\necho "$PWD: $*" >> {folder}/calls\n{body}\n')
    program.chmod(0o755)
    patch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return folder / "calls"


def npm_installs(version: str) -> str:
    """What an npm does that installs the fake host in that version."""
    manifest = f"node_modules/{PACKAGE}/package.json"
    return f"""mkdir -p node_modules/.bin node_modules/{PACKAGE}
: > node_modules/.bin/{NAME}; printf '{{"version": "{version}"}}' > {manifest}"""


class Interrupted(NamedTuple):
    """How a command line ended after Ctrl-C, what it had printed, how long it took, and which processes it left."""

    code: int
    out: str
    took_s: float
    left: list[psutil.Process]


def interrupted_while_it_hangs(folder: Path, *words: str) -> Interrupted:
    """``windtunnel`` with those words, in a process of its own, whose only host hangs and leaves a child."""
    program = (
        "import sys, pathlib, pytest, fake_host; from harness.cli import main;"
        "fake_host.make_known(pytest.MonkeyPatch(), pathlib.Path(sys.argv[1]), fake_host.HANGING);"
        "sys.exit(main(sys.argv[2:]))"
    )
    install_as_npm_does(folder, HANGING)
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])}
    command = [sys.executable, "-c", program, str(folder), *words]
    with subprocess.Popen(command, env=here, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        end = threading.Timer(90, process.kill)  # one that cannot be interrupted fails its test and is gone
        end.start()
        try:
            below = _once_it_hangs(folder, process)
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            out = process.communicate()[0]
        finally:
            end.cancel()
            process.kill()
    left = [each for each in below if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]
    return Interrupted(process.returncode, out, time.monotonic() - began, left)


def _once_it_hangs(folder: Path, process: "subprocess.Popen[str]") -> list[psutil.Process]:
    """Every process below ``process`` when its host runs and has a child."""
    program = f"{folder}/hosts/{HANGING.name}/node_modules/.bin/program.py"
    while process.poll() is None:
        below = psutil.Process(process.pid).children(recursive=True)
        lines = [_command_line(each) for each in below]
        if any(program in line for line in lines) and ["sleep", "300"] in lines:
            return below
    raise AssertionError(process.communicate()[0])


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


HANGING = FakeHost(("hangs", "leaves a child"))

"""A host of our own for tests of the rig: its kind, with a switch for each misbehaviour, and how it is installed."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from harness.hosts.installed import InstalledHost
from harness.hosts.kind import STOP, Conditions, HookSetting, as_json
from harness.hosts.model.lines import HostTool
from harness.hosts.rig import HostRig
from harness.systems.stop_gate import hosts

NAME, VERSION = "fake-host", "1.0"
TOOLS: Mapping[str, HostTool] = {"shell": HostTool("shell", {"command": "{command}"})}


class FakeHost(msgspec.Struct):
    """See HostKind. ``does`` are the switches that the program looks for, ``cap`` the blocks in a row it takes."""

    does: tuple[str, ...] = ()
    cap: int | None = None
    can_be_ephemeral: bool = True
    name: str = NAME
    program: str = NAME

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

"""Opens hook sessions on commands that a test writes into its project."""

from pathlib import Path
from typing import Any

import msgspec
from carriers import PYTHON, exposed, op, scenario

from harness.core.history import EntryType
from harness.core.scenario import FileSpec
from harness.ports.clock import FakeClock, RealClock
from harness.sandbox import Sandbox, SandboxPlan
from harness.systems import registry
from harness.targets.hook import HookSession
from harness.targets.slots import Slots
from harness.targets.target_file import TargetFile, TargetSpec

TRANSCRIPT = "{home}/.claude/projects/demo/transcript.jsonl"
SAMPLES = {"approve": b"good\n", "block": b"bad\n"}


class Hooks:
    """Opens sessions on hooks that a test writes into its project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.open: list[HookSession] = []

    def python(self, code: str, **options: Any) -> HookSession:
        """A hook written in Python."""
        (self.folder / "hook.py").write_text(code)
        return self.session((*PYTHON, "hook.py"), **options)

    def shell(self, script: str, **options: Any) -> HookSession:
        """A hook written in shell."""
        (self.folder / "hook.sh").write_text(script)
        return self.session(("sh", "hook.sh"), **options)

    def session(
        self,
        command: tuple[str, ...],
        *,
        timeout_s: float = 20.0,
        contained: bool = False,
        now_s: float | None = None,
        **file: Any,
    ) -> HookSession:
        """A session on that command, its world made."""
        target = TargetFile(name="hook", carrier="hook", command=command, **file)
        plan = SandboxPlan(project=str(self.folder), exposed=exposed(), force_fallback=not contained)
        clock = RealClock() if now_s is None else FakeClock(now_s)
        spec = TargetSpec(target, str(self.folder), {"approve": b"good\n"})
        calls = registry.get("stop_gate").process_calls
        made = HookSession(Sandbox(plan), spec, calls, SAMPLES, timeout_s, Slots(1), clock)
        if not contained:
            # without namespaces the project is a copy elsewhere, and so is the folder the command is run in
            made._target = msgspec.structs.replace(spec, folder="{project}")
        self.open.append(made.__enter__())
        made.reset(scenario(files={TRANSCRIPT: FileSpec(sample="block")}))
        return made


def stopped(session: HookSession, **args: Any) -> dict[str, Any]:
    """The result of one stop."""
    (reply,) = session.perform([(0, op("stop", **args))])
    assert reply.type is EntryType.OK
    return dict(reply.value)

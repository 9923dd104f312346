"""How a mutant gets into the table, and the gestures several of them share."""

import contextlib
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from harness.ports.clock import RealClock
from harness.ports.files import Files, RealFiles
from harness.systems.mutant import Mutant
from harness.systems.stop_gate.contract import (
    GATE,
    PROMPT_MARK,
    STOP_HOOK,
    CheckResult,
    Configuration,
    Decision,
    LogCode,
)
from harness.systems.stop_gate.reference.config import ConfigReader
from harness.systems.stop_gate.reference.considerations import OwnQuestions
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.hook import StopHook
from harness.systems.stop_gate.reference.inputs import Case
from harness.systems.stop_gate.reference.limits import Watch
from harness.systems.stop_gate.reference.metrics import Counting
from harness.systems.stop_gate.reference.state import Store
from harness.systems.stop_gate.reference.summary import SummaryWriter
from harness.systems.stop_gate.reference.transcript import TranscriptReader

if TYPE_CHECKING:
    from harness.core.scenario import ScenarioLevel  # a mutant hook is a process: what it need not import, it does not

PARTS: tuple[tuple[type, str], ...] = (
    (TranscriptReader, "reader_class"),
    (ConfigReader, "config_class"),
    (Store, "store_class"),
    (Watch, "watch_class"),
    (OwnQuestions, "questions_class"),
    (SummaryWriter, "summary_class"),
    (Counting, "counting_class"),
)


TABLE: dict[str, Mutant] = {}

STALE_S = 60.0
PATIENCE_S = 2.0
TICK_S = 0.002

AnyClass = TypeVar("AnyClass", bound=type)


def mutant(
    name: str, clause: str, description: str, level: "ScenarioLevel" = "L1", under: str = ""
) -> Callable[[AnyClass], AnyClass]:
    """Enters the decorated subclass of StopGate, StopHook or one of the gate's parts into the table."""

    def enter(changed: AnyClass) -> AnyClass:
        if issubclass(changed, StopHook):
            TABLE[name] = Mutant(name, clause, STOP_HOOK, description, changed, changed, changed, level, under)
            return changed
        gate = changed if issubclass(changed, StopGate) else _with_part(changed)

        def factory(configuration: Configuration, files: Files | None = None) -> StopGate:
            return gate(configuration.home, RealClock(), files or RealFiles(), configuration.limits)

        TABLE[name] = Mutant(name, clause, GATE, description, factory, gate, changed, level, under)
        return changed

    return enter


def _with_part(changed: type) -> type[StopGate]:
    attribute = next(attribute for part, attribute in PARTS if issubclass(changed, part))
    members: dict[str, Any] = {attribute: changed}
    return type(changed.__name__ + "Gate", (StopGate,), members)


def blocked(reason: str) -> CheckResult:
    """A block that nothing in the session deserves."""
    return CheckResult(Decision.BLOCK, (reason,), f"{PROMPT_MARK}: {reason}", None)


def logged(case: Case, *codes: LogCode) -> bool:
    """Whether the check has met one of these."""
    return any(entry.code in codes for entry in case.trace.entries)


def take(lock: str) -> None:
    """Makes that lock file, and removes the one that is in the way once it is old; TimeoutError when it is not."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            return
        with contextlib.suppress(FileNotFoundError):
            if time.time() - os.stat(lock).st_mtime > STALE_S:
                os.unlink(lock)
        time.sleep(TICK_S)
    raise TimeoutError(lock)

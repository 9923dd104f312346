"""How a mutant gets into the table, and the gestures several of them share."""

import contextlib
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from harness.ports.clock import RealClock
from harness.systems.mutant import Mutant
from harness.systems.mutant_table import AnyClass, MutantTable, Part
from harness.systems.stop_gate.contract import (
    GATE,
    PROMPT_MARK,
    STOP_HOOK,
    CheckResult,
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

PARTS: tuple[Part, ...] = (
    (TranscriptReader, StopGate, "reader_class"),
    (ConfigReader, StopGate, "config_class"),
    (Store, StopGate, "store_class"),
    (Watch, StopGate, "watch_class"),
    (OwnQuestions, StopGate, "questions_class"),
    (SummaryWriter, StopGate, "summary_class"),
    (Counting, StopGate, "counting_class"),
)


GATES = MutantTable(
    "stop gate",
    GATE,
    StopGate,
    lambda kind, configuration, files: kind(configuration.home, RealClock(), files, configuration.limits),
    PARTS,
)
TABLE = GATES.mutants

STALE_S = 60.0
PATIENCE_S = 2.0
TICK_S = 0.002


def mutant(
    name: str, clause: str, description: str, level: "ScenarioLevel" = "L1", under: str = ""
) -> Callable[[AnyClass], AnyClass]:
    """Enters the decorated subclass of StopGate, StopHook or one of the gate's parts into the table."""

    def enter(changed: AnyClass) -> AnyClass:
        if issubclass(changed, StopHook):
            TABLE[name] = Mutant(name, clause, STOP_HOOK, description, changed, changed, changed, level, under)
            return changed
        return GATES.mutant(name, clause, description, level, under)(changed)

    return enter


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

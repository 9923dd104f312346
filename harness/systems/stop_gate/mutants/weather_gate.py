"""Mutants of the gate that are sound in calm weather: each is wrong only when one further thing goes wrong (L2)."""

import os
import time

from harness.systems.stop_gate.contract import CheckArguments, CheckResult
from harness.systems.stop_gate.mutants.table import blocked, mutant
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case
from harness.systems.stop_gate.reference.naming import Session
from harness.systems.stop_gate.reference.state import Store

PROJECT_BEGAN_S = 1_600_000_000


@mutant(
    "blocks-counted-in-memory",
    "PS-LOOP-04",
    "the blocks of a session are forgotten when the process is restarted",
    level="L2",
)
class BlocksCountedInMemory(StopGate):
    def may_hold(self, case: Case) -> bool:
        held = self._held.get(case.session.blocks_name, 0) + 1
        self._held[case.session.blocks_name] = held
        return held <= self.block_limit


@mutant("past-clock-blocks", "PS-FO-01", "a clock before the project began is a reason to block", level="L2")
class PastClockBlocks(StopGate):
    def check(self, arguments: CheckArguments, now_s: float | None = None) -> CheckResult:
        result = super().check(arguments, now_s)
        return blocked("clock") if (now_s or time.time()) < PROJECT_BEGAN_S else result


@mutant("leftover-semaphore-counts", "PS-SES-02", "a temporary file beside the semaphore passes for one", level="L2")
class LeftoverSemaphoreCounts(Store):
    def already_ran(self, session: Session, now_s: float) -> bool:
        path = self.semaphore_path(session)
        return super().already_ran(session, now_s) or any(
            os.path.exists(path + ending) for ending in (".tmp", ".lock", "~", ".swp", ".bak")
        )


@mutant(
    "few-descriptors-block", "PS-FO-01", "files that cannot be opened for want of descriptors make it block", level="L2"
)
class FewDescriptorsBlock(StopGate):
    def examine(self, case: Case) -> CheckResult:
        held = []
        try:
            held += [os.open(os.devnull, os.O_RDONLY) for _ in range(24)]
        except OSError:
            return blocked("descriptors")
        finally:
            for descriptor in held:
                os.close(descriptor)
        return super().examine(case)

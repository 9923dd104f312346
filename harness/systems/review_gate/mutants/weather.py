"""Mutants of what happens when something else fails: storage that refuses, clocks that are far off."""

import contextlib
from collections.abc import Iterator

from harness.systems.file_mistakes import raising
from harness.systems.review_gate.contract import AnalysedArguments, ReviewResult
from harness.systems.review_gate.mutants.table import mutant
from harness.systems.review_gate.reference.gate import ReviewGate
from harness.systems.review_gate.reference.kept_state import KeptState
from harness.systems.review_gate.reference.state import NOTHING, Memory


@mutant("what-cannot-be-read-is-nothing", "LK-GEN-04", "a state that may not be read is taken for none",
        level="L2", under="filesystem.unreadable")  # fmt: skip
class WhatCannotBeReadIsNothing(KeptState):
    def read(self) -> Memory:
        try:
            return super().read()
        except PermissionError:
            return NOTHING


@mutant("unstored-is-accepted", "LK-REV-05", "what could not be stored is said to be accepted",
        level="L2", under="filesystem")  # fmt: skip
class UnstoredIsAccepted(KeptState):
    def write(self, memory: Memory) -> None:
        with contextlib.suppress(OSError):
            super().write(memory)


@mutant("write-failure-escapes", "LK-REV-05", "a state that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class WriteFailureEscapes(KeptState):
    def write(self, memory: Memory) -> None:
        try:
            super().write(memory)
        except OSError as error:
            raise RuntimeError("the state cannot be stored") from error


@mutant("lock-failure-escapes", "LK-REV-01", "a lock that cannot be had ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class LockFailureEscapes(KeptState):
    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        with raising(super().locked()):
            yield


@mutant("time-in-32-bits", "LK-REV-02", "times after January 2038 are cut to 32 bits", level="L2", under="moved")
class TimeIn32Bits(ReviewGate):
    def analysis_ended(self, memory: Memory, arguments: AnalysedArguments, now_s: float) -> tuple[Memory, ReviewResult]:
        return super().analysis_ended(memory, arguments, min(now_s, 2.0**31 - 1))

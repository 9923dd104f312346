"""Mutants of what happens when something else fails: storage that refuses, locks that are kept, damaged memories."""

from collections.abc import Mapping
from typing import Any

from harness.systems.diagnosis.contract import (
    LogCode,
    ObserveArguments,
    ObserveResult,
    OutcomeArguments,
    OutcomeResult,
    Reflection,
)
from harness.systems.diagnosis.mutants.table import mutant
from harness.systems.diagnosis.reference.learning import Learning
from harness.systems.diagnosis.reference.memories import Lines, Trace
from harness.systems.diagnosis.reference.reflection import DiagnosticReflection, Held


@mutant("write-failure-escapes", "DR-TRG-01", "a memory that cannot be written ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class WriteFailureEscapes(Lines):
    def add(self, record: Mapping[str, Any], trace: Trace) -> None:
        super().add(record, trace)
        if self.unwritten:
            raise OSError("the memory cannot be written")


@mutant("read-failure-escapes", "DR-TRG-01", "a memory that cannot be read ends the operation",
        level="L2", under="filesystem")  # fmt: skip
class ReadFailureEscapes(Learning):
    def catch_up(self, trace: Trace) -> None:
        super().catch_up(trace)
        if any(entry.code == LogCode.MEMORY_UNREADABLE for entry in trace.entries):
            raise OSError("the memory cannot be read")


@mutant("bad-line-escapes", "DR-MEM-04", "a line of the episodic memory that is none ends the operation")
class BadLineEscapes(Learning):
    def take(self, line: bytes) -> bool:
        if not super().take(line):
            raise ValueError("a line of the memory is none")
        return True


@mutant("no-diagnosis-without-storage", "DR-TRG-01", "what cannot be stored is not told",
        level="L2", under="filesystem")  # fmt: skip
class NoDiagnosisWithoutStorage(DiagnosticReflection):
    def observe(self, arguments: ObserveArguments, now_s: float) -> ObserveResult:
        found = super().observe(arguments, now_s)
        return ObserveResult(Reflection.NONE, log=found.log) if _troubled(found) else found


_STORAGE = frozenset({LogCode.MEMORY_UNREADABLE, LogCode.MEMORY_WRITE_FAILED, LogCode.CONTEXT_LOG_WRITE_FAILED})


def _troubled(found: ObserveResult | OutcomeResult) -> bool:
    return any(entry.code in _STORAGE for entry in found.log)


@mutant("unstored-attempts-do-not-count", "DR-REC-07", "an attempt that cannot be stored does not count",
        level="L2", under="filesystem")  # fmt: skip
class UnstoredAttemptsDoNotCount(DiagnosticReflection):
    def outcome(self, arguments: OutcomeArguments, now_s: float) -> OutcomeResult:
        held = self._held.get(arguments.call)
        before = None if held is None else held.plan
        found = super().outcome(arguments, now_s)
        if held is None or before is None or not _troubled(found):
            return found
        held.attempts.pop()
        held.plan = before
        return OutcomeResult(found.strategy, before.as_json(), before.strategy.asks, found.log)


@mutant("no-event-without-memory", "DR-LOG-01", "when the session memory cannot be written there is no event either",
        level="L2", under="filesystem")  # fmt: skip
class NoEventWithoutMemory(DiagnosticReflection):
    def store(self, held: Held, begun_s: float, trace: Trace) -> None:
        if not self.session.unwritten:
            super().store(held, begun_s, trace)
            return
        record = self.composing.session_record(held.diagnosis, (), None, full=self.settings.store_full)
        self.session.add(record, trace)

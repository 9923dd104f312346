"""Mutants that do not believe what was written more than a month from now: they show when a clock was far ahead."""

from typing import Final

import msgspec

from harness.ports import clock
from harness.systems.phase_runner.contract import StartArguments
from harness.systems.phase_runner.contract.words import LogCode, Mode, Status
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.failures import Failure
from harness.systems.phase_runner.reference.graph import Graph
from harness.systems.phase_runner.reference.progress import Progress
from harness.systems.phase_runner.reference.records import Record
from harness.systems.phase_runner.reference.run import Run
from harness.systems.phase_runner.reference.starting import Begun, Found, Starter
from harness.systems.phase_runner.reference.store import StateError
from harness.systems.phase_runner.reference.summaries import Command
from harness.systems.phase_runner.reference.transitions import Transitions
from harness.systems.trace import Trace

A_MONTH_S: Final = 30 * 86_400.0
_replace = msgspec.structs.replace


def lies_ahead(record: Record, now_s: float) -> bool:
    """Was its first attempt begun more than a month after ``now_s``, in s since the epoch?"""
    started = record.timestamps.started if record.timestamps is not None else None
    return started is not None and clock.to_seconds(started) > now_s + A_MONTH_S


def is_stamp_ahead(stamp: str, now_s: float) -> bool:
    """Is that time, in RFC 3339, more than a month after ``now_s``, in s since the epoch? Empty is not."""
    return bool(stamp) and clock.to_seconds(stamp) > now_s + A_MONTH_S


@mutant("what-will-be-complete-is-run-again", "AB-RES-02", "what a clock that was ahead saw complete is run again",
        level="L2", under="moved")  # fmt: skip
class WhatWillBeCompleteIsRunAgain(Starter):
    def made(self, graph: Graph, found: Found, arguments: StartArguments, now_s: float, trace: Trace) -> Run:
        kept = {id_: each for id_, each in found.records.items() if not lies_ahead(each, now_s)}
        return super().made(graph, found._replace(records=kept), arguments, now_s, trace)


@mutant("what-will-have-failed-is-left-out", "AB-RES-01", "what failed by a clock that was ahead counts as complete",
        level="L2", under="moved")  # fmt: skip
class WhatWillHaveFailedIsLeftOut(Starter):
    def made(self, graph: Graph, found: Found, arguments: StartArguments, now_s: float, trace: Trace) -> Run:
        done = {
            id_: _replace(each, status=Status.COMPLETE)
            for id_, each in found.records.items()
            if each.status is Status.FAILED and lies_ahead(each, now_s)
        }
        return super().made(graph, found._replace(records={**found.records, **done}), arguments, now_s, trace)


@mutant("fresh-waits-for-the-clock", "AB-FRS-01", "a fresh start is refused until the state is no longer ahead of it",
        level="L2", under="moved")  # fmt: skip
class FreshWaitsForTheClock(Starter):
    def on(self, graph: Graph, arguments: StartArguments, command: Command, now_s: float, trace: Trace) -> Begun:
        if Mode.FRESH in arguments.modes and is_stamp_ahead(self.turn(fresh=True).at, now_s):
            raise StateError(LogCode.STATE_NEWER, "the state was written later than now")
        return super().on(graph, arguments, command, now_s, trace)


@mutant("nobody-is-warned-of-what-will-be", "AB-FRS-02", "that commits remain which a clock ahead saw is not said",
        level="L2", under="moved")  # fmt: skip
class NobodyIsWarnedOfWhatWillBe(Starter):
    def on(self, graph: Graph, arguments: StartArguments, command: Command, now_s: float, trace: Trace) -> Begun:
        is_ahead = is_stamp_ahead(self.turn(fresh=True).at, now_s)
        found = super().on(graph, arguments, command, now_s, trace)
        if is_ahead:
            trace.entries = [each for each in trace.entries if each.code != LogCode.COMMITS_REMAIN]
        return found


@mutant("a-retry-forgets-what-will-be", "AB-STA-01", "the record of a retry has no error that a clock ahead saw",
        level="L2", under="moved")  # fmt: skip
class ARetryForgetsWhatWillBe(Progress):
    def put(self, record: Record) -> None:
        super().put(record)
        if record.status is Status.RUNNING and record.attempt > 1 and lies_ahead(record, self.now_s):
            self.store.put(_replace(record, error=None))


@mutant("what-will-be-resolved-is-forgotten", "AB-STA-02", "what a retry resolved is not kept if a clock ahead saw it",
        level="L2", under="moved")  # fmt: skip
class WhatWillBeResolvedIsForgotten(Transitions):
    def completed(self, record: Record, mode: str, now_s: float) -> Record:
        found = super().completed(record, mode, now_s)
        return _replace(found, error=None) if lies_ahead(record, now_s) else found


@mutant("the-first-error-will-be-lost", "AB-STA-03", "of two errors the one that a clock ahead saw is not kept",
        level="L2", under="moved")  # fmt: skip
class TheFirstErrorWillBeLost(Transitions):
    def failed(self, record: Record, failure: Failure | None, now_s: float) -> Record:
        found = super().failed(record, failure, now_s)
        if record.attempt == 1 or not lies_ahead(record, now_s):
            return found
        return _replace(found, error={name: each for name, each in (found.error or {}).items() if name != "attempt_1"})


@mutant("what-will-run-is-pending", "AB-STA-04", "the record of a retry says pending if a clock ahead saw it begin",
        level="L2", under="moved")  # fmt: skip
class WhatWillRunIsPending(Progress):
    def put(self, record: Record) -> None:
        super().put(record)
        if record.status is Status.RUNNING and record.attempt > 1 and lies_ahead(record, self.now_s):
            self.store.put(_replace(record, status=Status.PENDING))

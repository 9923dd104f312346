"""Mutants of the phase runner written from document 003 alone, without a look at what judges them."""
# ruff: noqa: D101, D102 - each says in its decorator what is wrong

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from harness.systems.mutant import Mutant
from harness.systems.phase_runner.contract import (
    RUNNER,
    Commands,
    FailedPhase,
    GateResult,
    ReportArguments,
    RetryContext,
    RunnerResult,
)
from harness.systems.phase_runner.contract.words import (
    LOGS_DIRECTORY,
    MAX_ATTEMPTS,
    Gate,
    LogCode,
    Status,
    phase_path,
)
from harness.systems.phase_runner.mutants.table import Table
from harness.systems.phase_runner.reference.failures import Failure, FailureRules, RetryRules
from harness.systems.phase_runner.reference.folders import RealFolders
from harness.systems.phase_runner.reference.graph import Graph, GraphChecks
from harness.systems.phase_runner.reference.plan import InvalidPlanError
from harness.systems.phase_runner.reference.progress import Progress
from harness.systems.phase_runner.reference.records import WORKING, Record
from harness.systems.phase_runner.reference.runner import PhaseRunner
from harness.systems.phase_runner.reference.starting import Found, Starter
from harness.systems.phase_runner.reference.store import LIMIT_BYTES, TURN, StateError, Store
from harness.systems.phase_runner.reference.summaries import Summaries
from harness.systems.phase_runner.reference.transitions import Transitions

# not TABLE.empty(): that is no Table, and finds no part
TABLE = Table(
    "phase-runner", RUNNER, PhaseRunner, lambda kind, configuration, files: kind(configuration, files, RealFolders())
)
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants


@mutant("blind-details-repeat-message", "AB-RTY-05", "where a failure has no details the retry gets its message again")
class RepeatedMessage(RetryRules):
    def context(self, record: Record, commands: Commands) -> RetryContext:
        found = super().context(record, commands)
        details = found.previous_error_details or found.previous_error_message
        return msgspec.structs.replace(found, previous_error_details=details)


@mutant("blind-same-error-noted-once", "AB-STA-03", "a retry that fails as before leaves no attempt_2 in the record")
class NotedOnce(Transitions):
    def error(self, record: Record, failure: Failure) -> dict[str, Any]:
        before = dict(record.error or {})
        return before if before.get("attempt_1") == failure.noted() else super().error(record, failure)


@mutant("blind-retry-beside-verification", "AB-PAR-01", "a retry does not wait for a sibling that is being verified")
class BesideVerification(Progress):
    def go_on(self) -> None:
        working = [each for each in self.run.active if self.run.records[each].stage == WORKING]
        if not self.run.waiting or working or self.run.is_halting:
            super().go_on()
            return
        try:
            self.retry()
        except OSError as error:
            self.stop(error)


@mutant(
    "blind-blocked-by-neighbour", "AB-HLT-04", "what is blocked through others names its neighbour, not the failure"
)
class BlockedByNeighbour(Progress):
    def block(self, failed: Sequence[str]) -> None:
        for each in self.downstream(failed):
            record = self.run.records[each]
            if record.status is Status.PENDING:
                needs = self.run.graph.phases[each].depends_on
                near = [id_ for id_ in needs if self.run.records[id_].status in (Status.FAILED, Status.BLOCKED)]
                self.settle(self.transitions.blocked(record, near or failed, self.now_s))


@mutant("blind-attempts-always-two", "AB-HLT-03", "the summary says 2/2 of a phase that failed for good at once")
class AlwaysTwo(Summaries):
    def failed(self, record: Record) -> FailedPhase:
        return msgspec.structs.replace(super().failed(record), attempts=MAX_ATTEMPTS)


@mutant("blind-empty-answer-is-silence", "AB-ERR-07", "a sub-agent that says an empty text counts as timed out")
class EmptyIsSilence(PhaseRunner):
    def report(self, arguments: ReportArguments, now_s: float) -> RunnerResult:
        if arguments.said is not None and not arguments.said.strip():
            arguments = msgspec.structs.replace(arguments, said=None)
        return super().report(arguments, now_s)


@mutant("blind-format-forgiven", "AB-ERR-05", "a fresh verification in which only the format fails confirms the claim")
class FormatForgiven(FailureRules):
    def verified(self, gates: Mapping[Gate, GateResult]) -> Failure | None:
        others: dict[Gate, GateResult] = {gate: found for gate, found in gates.items() if gate != Gate.FORMAT}
        failure = super().verified(others)
        return super().verified(gates) if failure is not None or self.missing_command(gates) else None


@mutant("blind-retry-conflicts-unseen", "AB-NRT-04", "what a retry changed is not compared with its siblings' files")
class RetryUnseen(Progress):
    def conflict(self, record: Record) -> Failure | None:
        return None if record.attempt > 1 else super().conflict(record)


@mutant("blind-cycle-left-open", "AB-NRT-02", "of the edges of a cycle the one that closes it is not listed")
class CycleLeftOpen(GraphChecks):
    def check_cycle(self, graph: Graph) -> None:
        try:
            super().check_cycle(graph)
        except InvalidPlanError as error:
            raise InvalidPlanError(msgspec.structs.replace(error.error, edges=error.error.edges[:-1])) from None


@mutant("blind-fresh-keeps-logs", "AB-FRS-01", "a fresh start leaves the logs of the run before in place")
class KeepsLogs(Store):
    def clear(self) -> None:
        kept = LOGS_DIRECTORY.rpartition("/")[2]
        for name in self.folders.names(self.directory):
            if name not in (TURN, kept):
                self.remove(f"{self.directory}/{name}")


@mutant("blind-removed-record-remembered", "AB-PRT-01", "a record that was removed by hand is put back from memory")
class Remembered(Starter):
    def found(self, graph: Graph) -> Found:
        found = super().found(graph)
        known = {} if self.memory.run is None else self.memory.run.records
        records = {id_: known[id_] for id_ in graph.phases if id_ in known}
        return found._replace(records={**records, **found.records})


@mutant(
    "blind-torn-record-salvaged",
    "AB-COR-01",
    "of a record that is torn the status is kept where it says complete",
    level="L2",
)
class Salvaged(Store):
    def record(self, phase_id: str) -> Record | None:
        try:
            return super().record(phase_id)
        except StateError as error:
            if error.code is not LogCode.STATE_CORRUPT or not says_complete(self, phase_id):
                raise
        return Record(phase_id, f"Phase {phase_id.upper()}", Status.COMPLETE, 1, MAX_ATTEMPTS)


def says_complete(store: Store, phase_id: str) -> bool:
    """Is that what is left of the record?"""
    try:
        data = store.files.read(store.place(phase_path(phase_id)), LIMIT_BYTES)
    except OSError:
        return False
    return re.search(rb'"status"\s*:\s*"complete"', data) is not None

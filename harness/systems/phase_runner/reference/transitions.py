"""What becomes of the record of a phase, step by step. Pure; ``now_s`` is in seconds since the epoch."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from harness.ports import clock
from harness.systems.phase_runner.contract import Change, GateResult, SubagentResult
from harness.systems.phase_runner.contract.words import FINAL, MAX_ATTEMPTS, CommitMode, Gate, Status
from harness.systems.phase_runner.reference.failures import Failure
from harness.systems.phase_runner.reference.graph import Graph
from harness.systems.phase_runner.reference.records import (
    VERIFYING,
    WAITING,
    WORKING,
    CommitNote,
    Execution,
    Neighbours,
    Record,
    Times,
    Verification,
    stamp,
)

_SUBJECT: Final = re.compile(r"(\w+)(?:\(([^()]*)\))?!?: ")
_replace = msgspec.structs.replace


class Transitions:
    """Each method gives the next record of a phase."""

    def planned(self, graph: Graph, phase_id: str) -> Record:
        """A phase that nobody has begun."""
        phase = graph.phases[phase_id]
        neighbours = Neighbours(phase.depends_on, phase.parallel_with, graph.blocks[phase_id])
        return Record(phase_id, phase.name, Status.PENDING, 0, MAX_ATTEMPTS, Times(), neighbours)

    def resumed(self, planned: Record, before: Record | None) -> Record:
        """A phase when a run goes on: what is complete stays so (AB-RES-02), all else begins anew."""
        if before is None:
            return planned
        return before if before.status is Status.COMPLETE else self.begun_anew(planned, before)

    def begun_anew(self, planned: Record, before: Record) -> Record:
        """A phase that is executed again (AB-RES-01, AB-RES-04, reading ``kept``)."""
        error = None if before.status is Status.BLOCKED else before.error
        times = before.timestamps if before.status is Status.PENDING else None
        return _replace(planned, error=error, timestamps=times or planned.timestamps)

    def launched(self, record: Record, batch: int, now_s: float) -> Record:
        """Its first attempt begins."""
        now = stamp(now_s)
        return _replace(
            record,
            status=Status.RUNNING,
            attempt=1,
            timestamps=Times(started=now, last_updated=now),
            error=None,
            stage=WORKING,
            batch=batch,
        )

    def retried(self, record: Record, now_s: float) -> Record:
        """Its second attempt begins (AB-STA-01)."""
        return _replace(record, status=Status.RUNNING, attempt=2, timestamps=self.touched(record, now_s), stage=WORKING)

    def claimed(self, record: Record, result: SubagentResult, subject: str, now_s: float) -> Record:
        """Its sub-agent claims success."""
        return _replace(
            self.worked(record, result, now_s),
            verification=Verification(subagent_claimed=True),
            commit=self.commit(result, subject),
            stage=VERIFYING,
        )

    def worked(self, record: Record, result: SubagentResult | None, now_s: float) -> Record:
        """What the sub-agent did; of one that said nothing nothing is known."""
        if result is None:
            return _replace(
                record,
                execution=None,
                quality_gates=None,
                verification=None,
                commit=None,
                timestamps=self.touched(record, now_s),
            )
        return _replace(
            record,
            execution=Execution(tasks_total=result.tasks_total, tasks_completed=result.tasks_completed),
            quality_gates=self.gates(result.gates),
            verification=Verification(subagent_claimed=result.success),
            commit=None,
            timestamps=self.touched(record, now_s),
        )

    def checked(self, record: Record, gates: Mapping[Gate, GateResult], now_s: float, *, passed: bool) -> Record:
        """What a fresh verification found."""
        return _replace(
            record,
            quality_gates=self.gates(gates),
            verification=Verification(subagent_claimed=True, fresh_verification=passed, verified_at=stamp(now_s)),
        )

    def completed(self, record: Record, mode: str, now_s: float) -> Record:
        """It is complete."""
        error = self.resolved(record) if record.attempt > 1 else None
        times = _replace(self.touched(record, now_s), completed=stamp(now_s), duration_seconds=self.took(record, now_s))
        note = None if record.commit is None else _replace(record.commit, committed=mode == CommitMode.AUTO)
        return _replace(record, status=Status.COMPLETE, timestamps=times, error=error, commit=note, stage=None)

    def resolved(self, record: Record) -> dict[str, Any]:
        """The error of a phase whose retry succeeded: that of the attempt before is kept (AB-STA-02)."""
        return {**(record.error or {}), "resolved_on_retry": True}

    def committed(self, record: Record) -> Record:
        """Its commit is made."""
        return record if record.commit is None else _replace(record, commit=_replace(record.commit, committed=True))

    def missed(self, record: Record, failure: Failure, now_s: float) -> Record:
        """An attempt failed, and is repeated when its siblings have returned."""
        return _replace(
            record,
            error=self.error(record, failure),
            timestamps=self.touched(record, now_s),
            stage=WAITING,
        )

    def failed(self, record: Record, failure: Failure | None, now_s: float) -> Record:
        """It failed for good (AB-STA-03); without a failure it is the one that is noted already."""
        error = dict(record.error or {}) if failure is None else self.error(record, failure)
        if record.attempt >= MAX_ATTEMPTS:
            error["final"] = self.final()
        times = _replace(self.touched(record, now_s), failed=stamp(now_s), duration_seconds=self.took(record, now_s))
        return _replace(record, status=Status.FAILED, error=error, timestamps=times, stage=None)

    def blocked(self, record: Record, by: Iterable[str], now_s: float) -> Record:
        """It waits for phases that failed (AB-HLT-04)."""
        return _replace(
            record,
            status=Status.BLOCKED,
            error={"blocked_by": list(by)},
            timestamps=self.touched(record, now_s),
        )

    # -- parts

    def error(self, record: Record, failure: Failure) -> dict[str, Any]:
        """The error of a record with that of its attempt."""
        return {**(record.error or {}), f"attempt_{record.attempt}": failure.noted()}

    def final(self) -> str:
        """What is said of a retry that failed."""
        return FINAL

    def touched(self, record: Record, now_s: float) -> Times:
        """The times of a record that is changed now."""
        return _replace(record.timestamps or Times(), last_updated=stamp(now_s))

    def took(self, record: Record, now_s: float) -> float | None:
        """How long it took, in s; None when nobody knows when it began."""
        started = record.timestamps.started if record.timestamps else None
        try:
            return None if started is None else max(now_s - clock.to_seconds(started), 0.0)
        except ValueError:
            return None

    def gates(self, gates: Mapping[Gate, GateResult]) -> dict[str, Any]:
        """Results of gates as a record has them; null for one whose command is not there."""
        return {
            str(gate): {
                "passed": None if found.exit_code is None else found.exit_code == 0 and not found.failures,
                "command": found.command,
                "output_summary": found.output_summary,
                "exit_code": found.exit_code,
                "failures": [msgspec.to_builtins(case) for case in found.failures],
            }
            for gate, found in gates.items()
        }

    def commit(self, result: SubagentResult, subject: str) -> CommitNote:
        """The commit that a phase is to have."""
        kind = _SUBJECT.match(subject)
        return CommitNote(
            subject,
            kind[1] if kind else None,
            kind[2] if kind else None,
            paths(result.created),
            paths(result.modified),
            paths(result.deleted),
            lines={change.path: change.lines for change in result.modified if change.lines},
        )

    def subject(self, record: Record, result: SubagentResult) -> str:
        """The subject of its commit: what the sub-agent gave, in one line, or else one of ours."""
        given = " ".join(result.commit_subject.splitlines())
        name = record.phase_name or f"phase {record.phase_id.upper()}"
        return given if given.strip() else f"feat({record.phase_id}): {name}"


def paths(changes: Iterable[Change]) -> tuple[str, ...]:
    """The paths of changes, each once."""
    return tuple(dict.fromkeys(change.path for change in changes))

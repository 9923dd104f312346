"""Whether what an answer says is on disk, where a fault keeps it from being written. Pure.

Clauses AB-STA-01, 02 and 05. Where nothing is in the way the next operation finds the records, judged then.
"""

from typing import Final

from harness.systems.file_faults import loses_power
from harness.systems.phase_runner.contract.words import MAX_ATTEMPTS, STATE_DIRECTORY, LaunchKind, Status, phase_path
from harness.systems.phase_runner.oracle.asking import Call
from harness.systems.phase_runner.oracle.records import read_record
from harness.systems.phase_runner.oracle.run import VERIFICATION, Book, Run
from harness.systems.phase_runner.oracle.weather import FILES

_WANTED: Final = "what is accepted is written down, or it is told that it could not be"
_LAUNCHED: Final = {1: "AB-STA-05", MAX_ATTEMPTS: "AB-STA-01"}
_COMPLETED: Final = {1: "AB-STA-05", MAX_ATTEMPTS: "AB-STA-02"}


def judge_kept(run: Run, call: Call, book: Book) -> None:
    """The records that an accepted operation must have written under a fault, once ``run`` has followed it.

    One that halts, or tells of something that could not be done, has said that it did not.
    """
    answer = call.answer
    is_silent = answer.accepted and not (call.says_so or answer.halting or answer.halted)
    if not is_silent or not _is_seen(call):
        return
    for launch in answer.launch:
        phase = run.phases.get(launch.phase_id)
        if launch.kind is LaunchKind.PHASE and phase is not None and launch.attempt in _LAUNCHED:
            is_new = run.is_new or (launch.attempt == MAX_ATTEMPTS and 1 in phase.failures)
            _judge(call, launch.phase_id, _LAUNCHED[launch.attempt], book, is_changed=is_new)
    if call.op == VERIFICATION:
        phase = run.phases.get(call.args.phase_id)
        if phase is not None and phase.is_complete:
            record = read_record(call.inputs.get(f"record {phase.row.phase_id}"), phase.row.phase_id)
            is_changed = record.status in (Status.RUNNING, Status.PENDING)
            _judge(call, phase.row.phase_id, _COMPLETED[max(phase.attempt, 1)], book, is_changed=is_changed)


def _is_seen(call: Call) -> bool:
    """Is something in its way, and is everything on disk seen all the same, as it was written?"""
    is_hidden = FILES.hidden(call.faults) or FILES.damaged(call.faults) or loses_power(call.faults)
    return not call.is_calm and not is_hidden and bool(call.found and call.left)


def _judge(call: Call, phase_id: str, clause: str, book: Book, *, is_changed: bool) -> None:
    """The record is there, and another one than before where it ``is_changed``."""
    path = phase_path(phase_id)
    beside = f"{STATE_DIRECTORY}/phase-{phase_id}.json"
    path = beside if beside in call.left else path
    found, left = call.found.get(path), call.left.get(path)
    if left is None:
        book.breaks(clause, _WANTED, f"there is no {path}")
    elif is_changed and left.sha256 and found is not None and found.sha256 == left.sha256:
        book.breaks(clause, _WANTED, f"{path} is as it was before")

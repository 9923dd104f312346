"""The returned error, and the report at the end: ER-RPT-01, ER-RPT-02, ER-NB-03. Pure.

Source: document 002, Report Clearly and Non-Blocking Errors.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from harness.systems.error_log.contract import ErrorGiven, ErrorType, FinishResult, Progress, Status
from harness.systems.error_log.oracle.progress import Standing
from harness.systems.error_log.oracle.records import is_kept
from harness.systems.notes import Notes

_CLAUSE: Final = "ER-RPT-01"
_FORM: Final = "status failed or partial, error {type, message, recovery}, progress {completed, failed_at}"


def judge_returned(
    returned: Mapping[str, Any] | None,
    error: ErrorGiven,
    progress: Progress,
    known: Standing,
    ever: frozenset[str] | None,
    notes: Notes,
) -> None:
    """Notes whether the returned error has its form, and says what was given.

    ``known`` is the task before it, ``ever`` are the phases that may be completed, None for any.
    """
    wrong = _wrong_error(returned, error) or _wrong_progress(returned, progress, ever)
    if returned is None or wrong:
        notes.breaks(_CLAUSE, f"{_FORM}, as given", wrong or "nothing is returned")
        return
    told = returned["progress"]
    completed = told["completed"]
    done = bool(completed) or progress.partial is not None or error.partial_progress is not None
    unsure = not done and (known.partials is None and (known.points is None or known.interrupted))
    fits = (returned["status"] == Status.PARTIAL) is done
    readings = ("by_progress", "by_rule") if fits or unsure else ("by_rule",)
    notes.agrees(_CLAUSE, _FORM, readings)
    if isinstance(told.get("failed_at"), str):
        expected = f"{told['failed_at']!r} is not among the completed phases"
        notes.holds("ER-RPT-02", told["failed_at"] not in completed, expected, f"{completed}")


def _wrong_error(returned: Mapping[str, Any] | None, given: ErrorGiven) -> str:
    if returned is None:
        return "nothing is returned"
    error = returned.get("error")
    if returned.get("status") not in tuple(Status):
        return f"status {returned.get('status')!r}"
    if not isinstance(error, Mapping) or not isinstance(error.get("recovery"), str) or not error["recovery"].strip():
        return f"error {error!r}"
    for name in ("type", "message"):
        value = getattr(given, name)
        if not isinstance(error.get(name), str) or (is_kept(value) and error[name] != value):
            return f"{name} {error.get(name)!r}, given {value!r}"
    return ""


def _wrong_progress(returned: Mapping[str, Any] | None, given: Progress, ever: frozenset[str] | None) -> str:
    progress = (returned or {}).get("progress")
    completed = progress.get("completed") if isinstance(progress, Mapping) else None
    if not isinstance(progress, Mapping) or not isinstance(completed, list):
        return f"progress {progress!r}"
    wanted = {phase for phase in given.completed if phase != given.failed_at}
    if any(not isinstance(phase, str) or (ever is not None and phase not in ever) for phase in completed):
        return f"completed {completed!r}, given {list(given.completed)!r}"
    if wanted - set(completed):
        return f"completed {completed!r}, given {list(given.completed)!r}"
    if given.failed_at is not None and progress.get("failed_at") != given.failed_at:
        return f"failed_at {progress.get('failed_at')!r}, given {given.failed_at!r}"
    return ""


class Due(msgspec.Struct, frozen=True):
    """A non-blocking error that the report at the end has to name, or may; ``life`` is the process it occurred in.

    ``implied``: it has no name of its own, as a commit that fails within the procedure of the error of that name.
    """

    name: str
    error: ErrorGiven
    life: tuple[int, int]
    certain: bool
    implied: bool = False


class AtTheEnd:
    """The non-blocking errors since the last report, and names that no report may have."""

    def __init__(self) -> None:
        self._due: list[Due] = []
        self._blocking: set[str] = set()
        self._told: set[str] = set()

    def occurred(self, due: Due) -> None:
        """A non-blocking error occurred."""
        self._due.append(due)

    def stopped(self, name: str) -> None:
        """An error occurred that is none of these."""
        self._blocking.add(name)

    def judge(self, answer: FinishResult, life: tuple[int, int], notes: Notes, *, recorded: int) -> None:
        """Notes whether the report has each once, in the order in which they occurred; then there is none left.

        ``recorded``: so many commits that failed within procedures have records of their own.
        """
        told = [each.name for each in answer.reported]
        mine = [due for due in self._due if due.certain and due.life == life]
        wanted = [due for due in mine if not due.implied]
        self._judge_implied(answer, [due for due in mine if due.implied], recorded, notes)
        names = [due.name for due in wanted]
        expected = f"{', '.join(names) or 'nothing'} reported together at the end, each once, in order"
        if len(set(names)) == len(names):
            shown = [name for name in told if name in names]
            wrong = shown != names or any(name in self._blocking for name in told)
            wrong = wrong or any(name in self._told and name not in {due.name for due in self._due} for name in told)
            wrong = wrong or any(not _is_told(due, answer) for due in wanted)
        else:
            wrong = len(told) < len(names)  # names that are alike tell nothing apart
        if wrong:
            notes.breaks("ER-NB-03", expected, f"{[(each.name, each.type, each.message) for each in answer.reported]}")
        elif names:
            notes.agrees("ER-NB-03", expected)
        self._told |= {due.name for due in wanted} | {due.name for due in self._due if due.implied and due.name in told}
        self._due = [due for due in self._due if due.life[0] != life[0]]

    def _judge_implied(self, answer: FinishResult, wanted: Sequence[Due], recorded: int, notes: Notes) -> None:
        """A commit that failed within a procedure is told, by the name of its error or as what it is, or recorded."""
        explicit = {due.name for due in self._due if not due.implied}
        others = [each for each in answer.reported if each.name not in explicit]
        for due in wanted:
            named = [each for each in others if each.name == due.name or each.type == ErrorType.GIT_COMMIT_FAILURE]
            expected = f"the commit that failed in the recovery from {due.name!r} is reported at the end, or recorded"
            observed = f"{[each.name for each in answer.reported]} reported"
            notes.holds("ER-NB-03", bool(named) or recorded > 0, expected, observed)

    def unanswered(self, process: int) -> None:
        """A report was asked for, and nobody knows whether it was made."""
        self._due = [
            msgspec.structs.replace(due, certain=False) if due.life[0] == process else due for due in self._due
        ]


def _is_told(due: Due, answer: FinishResult) -> bool:
    """Does the report say of that error what was given?"""
    error = due.error
    return any(
        each.name == due.name
        and each.type == (error.type if is_kept(error.type) else each.type)
        and each.message == (error.message if is_kept(error.message) else each.message)
        for each in answer.reported
    )

"""Every crash state of an operation in this process, each met by the recovery and judged; and crashes of that."""

from collections.abc import Iterator
from typing import NamedTuple

from harness.explore.crash_states import Coverage, CrashState, CrashStates, Model, of_recovery
from harness.explore.in_process.boundary import Boundary
from harness.explore.in_process.recording import Recording, record
from harness.explore.in_process.subject import Subject, lived
from harness.explore.state_folder import settle


class Crashed(NamedTuple):
    """A state that was not survived, and why."""

    state: CrashState
    complaint: str


class Crashes(NamedTuple):
    """All crashes of one operation under one model; ``deep`` counts those of recoveries."""

    model: Model
    recording: Recording
    coverage: Coverage
    deep: Coverage
    failures: tuple[Crashed, ...]


def crashes(boundary: Boundary, subject: Subject, model: Model = "kill", *, deep: bool = False) -> Crashes:
    """Records the operation, then lets the recovery meet each distinct crash state and judges what it left.

    With ``deep`` the recovery itself crashes in every state in which it changes anything, and runs again. An operation
    that raises without any fault is recorded as far as it came.
    """
    settle(subject.directory, subject.before)
    recording = record(boundary, subject.before, lambda: lived(boundary, subject.operate))
    states = CrashStates(subject.before, recording.changes, model)
    seen: set[object] = set()
    below = Coverage()
    failures = []
    for state in states:
        complaint = _survived(subject, state)
        if complaint:
            failures.append(Crashed(state, complaint))
        elif deep:
            recovery = _recovery(boundary, subject, state)
            recovering = of_recovery(state, recovery.changes, model, seen=seen)
            failures += _failing(subject, recovering) if recovery.changes else ()
            below += _honest(recovering.coverage if recovery.changes else Coverage(), recovery)
    return Crashes(model, recording, _honest(states.coverage, recording), below, tuple(failures))


def _failing(subject: Subject, states: CrashStates) -> Iterator[Crashed]:
    for state in states:
        complaint = _survived(subject, state)
        if complaint:
            yield Crashed(state, complaint)


def _recovery(boundary: Boundary, subject: Subject, state: CrashState) -> Recording:
    settle(subject.directory, state.files, state.links)
    return record(boundary, state.files, lambda: lived(boundary, subject.recover), state.links)


def _survived(subject: Subject, state: CrashState) -> str:
    settle(subject.directory, state.files, state.links)
    try:
        subject.recover()
    except Exception as error:  # noqa: BLE001 - a recovery that raises has not survived
        return f"the recovery raised {type(error).__name__}: {error}"
    return subject.survives(state.finished)


def _honest(coverage: Coverage, recording: Recording) -> Coverage:
    if not recording.missed:
        return coverage
    return coverage + Coverage(exhausted=False, cut=recording.missed)

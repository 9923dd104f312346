"""One agent session: its tools are called, their failures recorded, and at the end it asks whether it may stop.

The same class runs on real files, processes and time, and on fake ports under a simulation's clock. It speaks in the
event words of core; the stream of them is the session's history.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    FailureObserved,
    FailureRecorded,
    SessionEvent,
    StopAnswered,
    StopRequested,
)
from harness.ports.clock import Clock, to_text
from harness.ports.files import Files
from harness.ports.launcher import Ended, Launcher
from harness.systems.stop_gate.contract import CheckArguments, CheckResult, Decision

TRANSCRIPT = "{home}/.claude/projects/session/{session_id}.jsonl"
ERROR_RECORD = "{home}/.amplihack/.claude/runtime/errors.jsonl"


class Gate(Protocol):
    """Whatever answers a stop: the reference, or anyone's over stdio."""

    def check(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        """May the session stop at that time?"""
        ...


class Session:
    """A session of ``session_id`` on these ports. ``home`` and ``project`` are absolute paths in the ports' world."""

    def __init__(
        self, session_id: str, home: str, project: str, clock: Clock, files: Files, launcher: Launcher, gate: Gate
    ) -> None:
        self._id = session_id
        self._home = home
        self._project = project
        self._clock = clock
        self._files = files
        self._launcher = launcher
        self._gate = gate
        self._events: list[SessionEvent] = []
        self._calls = 0
        self._stops = 0
        self._blocked = False

    @property
    def events(self) -> tuple[SessionEvent, ...]:
        """Everything that happened, in order."""
        return tuple(self._events)

    def say(self, role: str, text: str) -> None:
        """A message of the conversation, as it goes into the transcript."""
        self._write({"role": role, "content": text})

    def call_tool(
        self, tool: str, argv: Sequence[str], *, env: Mapping[str, str], timeout_s: float
    ) -> AttemptSucceeded | FailureObserved:
        """Calls a tool once; a failure is recorded before anything else happens."""
        self._calls += 1
        call = f"call-{self._calls}"
        self._emit(AttemptStarted(at=self._now(), correlation_id=call, tool=tool, attempt=1))
        use = {"type": "tool_use", "id": call, "name": tool, "input": {"command": list(argv)}}
        self._write({"role": "assistant", "content": [use]})
        ended = self._launcher.run(argv, cwd=self._project, env=env, timeout_s=timeout_s)
        result = {"type": "tool_result", "tool_use_id": call, "content": ended.output}
        self._write({"role": "user", "content": [result]})
        if ended.kind == "exit" and ended.code == 0:
            succeeded = AttemptSucceeded(at=self._now(), correlation_id=call, tool=tool)
            self._emit(succeeded)
            return succeeded
        failure = self._failure(call, tool, ended)
        self._emit(failure)
        self._record(failure)
        return failure

    def request_stop(self) -> CheckResult:
        """Asks the gate whether the session may end, and gives its answer."""
        self._stops += 1
        stop = f"stop-{self._stops}"
        self._emit(StopRequested(at=self._now(), correlation_id=stop, repeat=self._blocked))
        arguments = CheckArguments(
            transcript_path=self._path(TRANSCRIPT), project_root=self._project, session_id=self._id
        )
        answer = self._gate.check(arguments, self._clock.now_s())
        self._blocked = answer.decision is Decision.BLOCK
        self._emit(
            StopAnswered(
                at=self._now(), correlation_id=stop, decision=answer.decision.value, reasons=tuple(answer.reasons)
            )
        )
        if answer.continuation_prompt:
            self.say("user", answer.continuation_prompt)
        return answer

    def _failure(self, call: str, tool: str, ended: Ended) -> FailureObserved:
        kind = ended.kind
        message = ended.output if kind in ("timeout", "not_started") else f"{kind} {ended.code}: {ended.output}"
        return FailureObserved(at=self._now(), correlation_id=call, tool=tool, kind=kind, message=message)

    def _record(self, failure: FailureObserved) -> None:
        line = msgspec.json.encode(failure) + b"\n"
        try:
            self._files.append(self._path(ERROR_RECORD), line)
            stored = True
        except OSError:
            # a record that cannot be kept must not stop the session; the stream still says so
            stored = False
        record = f"{self._id}-{failure.correlation_id}"
        self._emit(
            FailureRecorded(at=self._now(), correlation_id=failure.correlation_id, record_id=record, stored=stored)
        )

    def _write(self, message: Mapping[str, object]) -> None:
        try:
            self._files.append(self._path(TRANSCRIPT), json.dumps(message).encode() + b"\n")
        except OSError:
            # the gate approves what it cannot read; a session never dies of its own transcript
            return

    def _path(self, template: str) -> str:
        return template.replace("{home}", self._home).replace("{session_id}", self._id)

    def _now(self) -> str:
        return to_text(self._clock.now_s())

    def _emit(self, event: SessionEvent) -> None:
        self._events.append(event)

"""One agent session: its tools are called, their failures recorded, and at the end it asks whether it may stop.

The same class runs on real files, processes and time, and on fake ports under a simulation's clock. It speaks in the
event words of core; the stream of them is the session's history.
"""

import json
from collections.abc import Callable, Mapping, Sequence

import msgspec

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    Event,
    FailureObserved,
    FailureRecorded,
    SessionEvent,
    StopAnswered,
    StopRequested,
)
from harness.ports.clock import to_text
from harness.ports.launcher import Ended
from harness.runtime.calls import ESCALATED, Call, Moment, Pause, Run, Steps, Tally, Task
from harness.runtime.ports import Outside, Place, Systems
from harness.runtime.witness import witnessed
from harness.systems.circuit_breaker.contract import State
from harness.systems.stop_gate.contract import CheckArguments, CheckResult, Decision

TRANSCRIPT = "{home}/.claude/projects/session/{session_id}.jsonl"
ERROR_RECORD = "{home}/.amplihack/.claude/runtime/errors.jsonl"


class Session:
    """A session of ``session_id`` at ``place``. ``listen`` is given each event as it happens.

    ``known`` is the state each breaker was last seen in; sessions that are watched together share one.
    """

    calls: type[Call] = Call

    def __init__(
        self,
        session_id: str,
        place: Place,
        outside: Outside,
        systems: Systems,
        *,
        known: dict[str, State] | None = None,
        listen: Callable[[SessionEvent], object] | None = None,
    ) -> None:
        self._id = session_id
        self._place = place
        self._outside = outside
        self._correlation = ""
        self._events: list[SessionEvent] = []
        self._listen = self._events.append if listen is None else listen
        self._systems = self._wired(witnessed(systems, self._note, {} if known is None else known))
        self._calls = 0
        self._stops = 0
        self._blocked = False
        self._tally = Tally()

    @property
    def events(self) -> tuple[SessionEvent, ...]:
        """Everything that happened, in order; empty when somebody else listens."""
        return tuple(self._events)

    def say(self, role: str, text: str) -> None:
        """A message of the conversation, as it goes into the transcript."""
        self._write({"role": role, "content": text})

    def call_tool(
        self, tool: str, argv: Sequence[str], *, env: Mapping[str, str], timeout_s: float
    ) -> AttemptSucceeded | FailureObserved:
        """Calls a local tool once; a failure is recorded before anything else happens."""
        call = self._begin_call()
        self._emit(AttemptStarted(at=self._now(), correlation_id=call, tool=tool, attempt=1))
        self._write_use(call, tool, argv)
        ended = self._run(Run(tuple(argv), env, timeout_s))
        self._write_result(call, ended.output)
        if ended.kind == "exit" and ended.code == 0:
            succeeded = AttemptSucceeded(at=self._now(), correlation_id=call, tool=tool)
            self._emit(succeeded)
            return succeeded
        failure = self._observed(tool, ended)
        self._record(failure)
        return failure

    def perform(self, task: Task) -> str:
        """Calls a model for ``task``, waiting where that is needed; calls.DONE or calls.ESCALATED.

        A task that a human has is not touched again.
        """
        steps = self.steps(task)
        ended: Ended | None = None
        while True:
            try:
                step = steps.send(ended)
            except StopIteration as end:
                return str(end.value)
            ended = None
            if isinstance(step, Pause):
                self._outside.waiter.wait(step.for_s)
            else:
                ended = self._run(step)

    def steps(self, task: Task) -> Steps[str]:
        """The same for whoever waits and runs commands himself: he is given what for, and sends the ends back."""
        if task.id in self._tally.with_human:
            return ESCALATED
        name = self._begin_call()
        moment = Moment(self._outside.clock, self._note, self._record, self._observed)
        call = self.calls(f"{self._id}/{name}", task, self._systems, self._place.providers, moment, self._tally)
        self._write_use(name, task.tool, task.command)
        outcome = yield from call.steps()
        self._write_result(name, outcome)
        return outcome

    def request_stop(self) -> CheckResult:
        """Asks the gate whether the session may end, and gives its answer."""
        self._stops += 1
        stop = self._correlation = f"stop-{self._stops}"
        self._emit(StopRequested(at=self._now(), correlation_id=stop, repeat=self._blocked))
        arguments = CheckArguments(
            transcript_path=self._path(TRANSCRIPT), project_root=self._place.project, session_id=self._id
        )
        answer = self._systems.gate.check(arguments, self._outside.clock.now_s())
        self._blocked = answer.decision is Decision.BLOCK
        self._emit(
            StopAnswered(
                at=self._now(), correlation_id=stop, decision=answer.decision.value, reasons=tuple(answer.reasons)
            )
        )
        if answer.continuation_prompt:
            self.say("user", answer.continuation_prompt)
        return answer

    def _begin_call(self) -> str:
        self._calls += 1
        self._correlation = f"call-{self._calls}"
        return self._correlation

    def _run(self, run: Run) -> Ended:
        return self._outside.launcher.run(run.argv, cwd=self._place.project, env=run.env, timeout_s=run.timeout_s)

    def _observed(self, tool: str, ended: Ended) -> FailureObserved:
        kind = ended.kind
        message = ended.output if kind in ("timeout", "not_started") else f"{kind} {ended.code}: {ended.output}"
        failure = FailureObserved(
            at=self._now(), correlation_id=self._correlation, tool=tool, kind=kind, message=message
        )
        self._emit(failure)
        return failure

    def _record(self, failure: FailureObserved) -> None:
        line = msgspec.json.encode(failure) + b"\n"
        try:
            self._outside.files.append(self._path(ERROR_RECORD), line)
            stored = True
        except OSError:
            # a record that cannot be kept must not stop the session; the stream still says so
            stored = False
        record = f"{self._id}-{failure.correlation_id}"
        self._emit(
            FailureRecorded(at=self._now(), correlation_id=failure.correlation_id, record_id=record, stored=stored)
        )

    def _write_use(self, call: str, tool: str, argv: Sequence[str]) -> None:
        use = {"type": "tool_use", "id": call, "name": tool, "input": {"command": list(argv)}}
        self._write({"role": "assistant", "content": [use]})

    def _write_result(self, call: str, content: str) -> None:
        self._write({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": content}]})

    def _write(self, message: Mapping[str, object]) -> None:
        try:
            self._outside.files.append(self._path(TRANSCRIPT), json.dumps(message).encode() + b"\n")
        except OSError:
            # the gate approves what it cannot read; a session never dies of its own transcript
            return

    def _path(self, template: str) -> str:
        return template.replace("{home}", self._place.home).replace("{session_id}", self._id)

    def _now(self) -> str:
        return to_text(self._outside.clock.now_s())

    def _wired(self, systems: Systems) -> Systems:
        """The systems as calls and stops find them."""
        return systems

    def _note(self, kind: type[Event], /, **fields: object) -> None:
        self._emit(kind(at=self._now(), correlation_id=self._correlation, **fields))  # type: ignore[arg-type]  # a SessionEvent

    def _emit(self, event: SessionEvent) -> None:
        self._listen(event)

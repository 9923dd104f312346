"""One agent session: its tools are called, their failures recorded and diagnosed, and at the end it asks to stop.

The same class runs on real files, processes and time, and on fake ports under a simulation's clock. It speaks in the
event words of core; the stream of them is the session's history.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from harness.core.event import Event
from harness.core.events import (
    ErrorsReported,
    FailureObserved,
    NonBlockingFailed,
    SessionEvent,
    StopAnswered,
    StopRequested,
)
from harness.ports.clock import to_text
from harness.ports.launcher import Ended
from harness.runtime.board import Board
from harness.runtime.calls import Call, Task
from harness.runtime.crew import Crew
from harness.runtime.foreman import Foreman
from harness.runtime.moment import History, Moment, Tally
from harness.runtime.ports import Outside, Place, Systems
from harness.runtime.recovery import Recovery
from harness.runtime.trial import ESCALATED, Pause, Run, Steps, T
from harness.runtime.uses import ToolUse, Use
from harness.runtime.witness_tasks import witnessed
from harness.runtime.worker import Desk, Doing, Worker
from harness.systems.circuit_breaker.contract import State
from harness.systems.error_log.contract import ClassifyArguments, ErrorGiven, FinishArguments, Incident, LogArguments
from harness.systems.phase_runner.contract import StartArguments
from harness.systems.queue_store import QueueStore
from harness.systems.stop_gate.contract import CheckArguments, CheckResult, Decision

TRANSCRIPT = "{home}/.claude/projects/session/{session_id}.jsonl"
IN_PROGRESS = "in_progress"  # what the metadata of an agent says that was killed
BESIDE_TIMEOUT_S = 60.0


class Session:
    """A session of ``session_id`` at ``place``. ``listen`` is given each event as it happens.

    ``known`` is the state each breaker was last seen in, ``board`` what the workers of the project share; sessions that
    are watched together share one of each.
    """

    calls: type[Call] = Call
    uses: type[ToolUse] = ToolUse
    recovery: type[Recovery] = Recovery
    workers: type[Worker] = Worker
    foremen: type[Foreman] = Foreman

    def __init__(
        self,
        session_id: str,
        place: Place,
        outside: Outside,
        systems: Systems,
        *,
        known: dict[str, State] | None = None,
        board: Board | None = None,
        listen: Callable[[SessionEvent], object] | None = None,
    ) -> None:
        self._id = session_id
        self._place = place
        self._outside = outside
        self._board = Board() if board is None else board
        self._correlation = ""
        self._events: list[SessionEvent] = []
        self._listen = self._events.append if listen is None else listen
        self._systems = self._wired(witnessed(systems, self._note, {} if known is None else known))
        self._calls = 0
        self._uses = 0
        self._besides = 0
        self._stops = 0
        self._blocked = False
        self._did_not_stop: list[str] = []  # what failed beside the work, by name
        self._moment = Moment(
            outside.clock,
            self._note,
            self._observed,
            self._record,
            self.say,
            Tally(),
            History(place.tools),
        )

    @property
    def events(self) -> tuple[SessionEvent, ...]:
        """Everything that happened, in order; empty when somebody else listens."""
        return tuple(self._events)

    def say(self, role: str, text: str) -> None:
        """A message of the conversation, as it goes into the transcript."""
        self._write({"role": role, "content": text})

    def worker(self, name: str) -> Worker:
        """Whoever works on tasks of the queues in this session; see Worker."""
        return self.workers(name, self._desk())

    def foreman(self, name: str, worker: Worker, crew: Crew) -> Foreman:
        """Whoever drives a plan in this session, with the worker of that name; see Foreman."""
        return self.foremen(name, worker, self._desk(), crew)

    def drive(self, foreman: Foreman, plan: StartArguments) -> str:
        """Drives a plan as far as it goes in this session; see Foreman.steps."""
        return self._driven(foreman.steps(plan))

    def _desk(self) -> Desk:
        return Desk(
            self._id,
            self._systems,
            self._moment,
            self._board,
            self._label,
            self.steps,
            self.use_steps,
            partial(self.beside_steps, env={}, timeout_s=BESIDE_TIMEOUT_S),
            QueueStore(self._outside.files, self._place.home),
        )

    def work(self, worker: Worker, doing: Doing) -> str:
        """One round of a worker, with whatever has to be waited for and run; see Worker.steps."""
        return self._driven(worker.steps(doing))

    def use_tool(self, use: Use) -> str:
        """Uses a local tool, and recovers from its failures; trial.DONE or trial.ESCALATED."""
        return self._driven(self.use_steps(use))

    def use_steps(self, use: Use) -> Steps[str]:
        """The same for whoever waits and runs commands himself: he is given what for, and sends the ends back."""
        if use.task in self._moment.tally.with_human:
            return ESCALATED
        self._uses += 1
        name = self._correlation = f"use-{self._uses}"
        trial = self.uses(f"{self._id}/{name}", use, self._systems, self._moment, self.recovery)
        self._write_use(name, use.tool, use.command)
        outcome = yield from trial.steps()
        self._write_result(name, outcome)
        return outcome

    def perform(self, task: Task) -> str:
        """Calls a model for ``task``, waiting where that is needed; trial.DONE or trial.ESCALATED.

        A task that a human has is not touched again.
        """
        return self._driven(self.steps(task))

    def steps(self, task: Task) -> Steps[str]:
        """See ``perform`` and ``use_steps``."""
        if task.id in self._moment.tally.with_human:
            return ESCALATED
        self._calls += 1
        name = self._correlation = f"call-{self._calls}"
        providers = self._place.providers
        call = self.calls(f"{self._id}/{name}", task, self._systems, providers, self._moment, self.recovery)
        self._write_use(name, task.tool, task.command)
        outcome = yield from call.steps()
        self._write_result(name, outcome)
        return outcome

    def do_beside(self, kind: str, argv: Sequence[str], *, env: Mapping[str, str], timeout_s: float) -> bool:
        """Does something beside the work that may fail: error_log.NON_BLOCKING has the kinds. Did it succeed?"""
        return self._driven(self.beside_steps(kind, argv, env=env, timeout_s=timeout_s))

    def beside_steps(self, kind: str, argv: Sequence[str], *, env: Mapping[str, str], timeout_s: float) -> Steps[bool]:
        """See ``do_beside`` and ``use_steps``. A failure is recorded, and the session goes on (ER-NB-01, ER-NB-02)."""
        self._besides += 1
        name = f"beside-{self._besides}"
        ended = yield Run(tuple(argv), env, timeout_s)
        assert ended is not None  # noqa: S101 - see Trial
        if ended.kind == "exit" and ended.code == 0:
            return True
        self._correlation = name
        self._fail_beside(f"{self._id}/{name}", kind, message_of(ended))
        return False

    def _fail_beside(self, name: str, kind: str, message: str) -> None:
        self._note(NonBlockingFailed, name=name, error_type=kind, message=message)
        self._did_not_stop.append(name)
        self._log(name, kind, message)

    def finish(self) -> tuple[str, ...]:
        """The session is over: what failed and did not stop it, by name, is reported together (ER-NB-03)."""
        self._correlation = "end"
        told = self._systems.error_log.finish(FinishArguments(), self._outside.clock.now_s())
        # what the log does not know, because it was the log that failed, is told all the same (ER-NB-02)
        names = tuple(dict.fromkeys([*(one.name for one in told.reported), *self._did_not_stop]))
        self._did_not_stop.clear()
        self._note(ErrorsReported, names=names)
        return names

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

    def _driven(self, steps: Steps[T]) -> T:
        ended: Ended | None = None
        while True:
            try:
                step = steps.send(ended)
            except StopIteration as end:
                value: T = end.value
                return value
            ended = None
            if isinstance(step, Pause):
                self._outside.waiter.wait(step.for_s)
            else:
                run = self._outside.launcher.run
                ended = run(step.argv, cwd=self._place.project, env=step.env, timeout_s=step.timeout_s)

    def _observed(self, tool: str, ended: Ended) -> FailureObserved:
        failure = FailureObserved(
            at=self._now(), correlation_id=self._correlation, tool=tool, kind=ended.kind, message=message_of(ended)
        )
        self._emit(failure)
        return failure

    def _record(self, name: str, failure: FailureObserved) -> None:
        """Into the error log, before anything else happens (ER-LOG-01)."""
        arguments = ClassifyArguments(_incident(failure))
        kind = self._systems.error_log.classify(arguments, self._outside.clock.now_s()).type
        self._log(name, kind, failure.message, failure.tool)

    def _log(self, name: str, kind: str, message: str, tool: str | None = None) -> None:
        context = {"session_id": self._id, "command": tool, "task": None, "phase": None, "checkpoint": None}
        path = [self._id] if tool is None else [self._id, tool]
        trajectory = {"delegation_path": path, "failed_at_depth": len(path) - 1}
        error = ErrorGiven(type=kind, message=message, context=context, trajectory=trajectory)
        # what cannot be stored must not stop the session; the stream still says so
        self._systems.error_log.log(LogArguments(name, error), self._outside.clock.now_s())

    def _label(self, correlation_id: str) -> None:
        self._correlation = correlation_id

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


def message_of(ended: Ended) -> str:
    """How a command failed, as it is classified, told and logged."""
    told_by_launcher = ended.kind in ("timeout", "not_started")
    return ended.output if told_by_launcher else f"{ended.kind} {ended.code}: {ended.output}"


def _incident(failure: FailureObserved) -> Incident:
    """What happened, in the words of the error log."""
    if failure.kind == "timeout":
        return Incident("operation", timed_out=True)
    if failure.kind == "not_started":
        return Incident("mcp_tool", responded=False)
    if failure.kind == "signal":
        return Incident("delegation", responded=False, ended=True, metadata_status=IN_PROGRESS)
    return Incident("operation", ended=True)

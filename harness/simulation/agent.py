"""One agent of a simulation: session after session, each with some tasks of the queues, and a stop at its end.

One of them drives the plans, too.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from harness.runtime.calls import Task
from harness.runtime.session import Session
from harness.runtime.trial import DONE, Pause, Steps
from harness.runtime.witness import text_at
from harness.runtime.worker import Attempted, Worker
from harness.simulation.backlog import Backlog
from harness.simulation.crew import COMMAND, TIMEOUT_S, URGENT, SimulatedCrew
from harness.simulation.plans import Plans
from harness.simulation.toolbox import Toolbox
from harness.simulation.virtual_time import TICKS_PER_S, Chance
from harness.systems.dead_letter.contract import ErrorType
from harness.systems.signals.contract import DriftArguments, Severity
from harness.systems.stop_gate.contract import Decision

FOREMAN = 0  # the number of the agent who drives plans
PROVIDER_WORD = 1  # of COMMAND
BESIDE_TIMEOUT_S = 60.0
MOST_USES = 3  # of local tools before a call
MOST_STOPS = 4  # a host overrides a gate that blocks again and again
DRIFTS = 40  # of a thousand calls, so many are drifted from
_SEVERITIES = (*([Severity.LOW] * 3), *([Severity.MEDIUM] * 2), Severity.HIGH, Severity.CRITICAL)


class Agent:
    """``begin`` makes the next session of a name. What it does hangs on ``chance`` alone, and on what it meets.

    ``is_cut`` says that the last session did not end by itself.
    """

    def __init__(
        self,
        number: int,
        chance: Chance,
        tools: Toolbox,
        backlog: Backlog,
        plans: Plans,
        begin: Callable[[str], Session],
        end: Callable[[str], None],
    ) -> None:
        self.number = number
        self.session_id = ""
        self.chance = chance
        self.is_cut = False
        self._tools = tools
        self._backlog = backlog
        self._plans = plans
        self._begin = begin
        self._end = end
        self._sessions = 0

    def life(self) -> Steps[None]:
        """Works for ever."""
        chance = self.chance
        yield self._idle(1, 600)
        while True:
            self._sessions += 1
            self.session_id = f"agent-{self.number}-{self._sessions}"
            self._backlog.fill()
            session = self._begin(self.session_id)
            session.say("user", "Make the tests pass.")
            worker = session.worker(f"agent-{self.number}")
            worker.begin(cut=self.is_cut, facts=self._backlog.facts(chance))
            self.is_cut = False
            if chance.per_mille(250):
                session.request_stop()  # with nothing done: it is held
            yield from self._drive(session, worker)
            for _ in range(chance.between(2, 3)):
                yield from worker.steps(partial(self._attempt, session, worker))
                yield self._idle(5, 300)
            session.say("assistant", "Shall I go on?" if chance.per_mille(100) else "All tests pass now.")
            for _ in range(MOST_STOPS):
                if session.request_stop().decision is Decision.APPROVE:
                    break
                yield self._idle(5, 120)
                session.say("assistant", "Everything is done, and all tests pass.")
            session.finish()
            self._end(self.session_id)
            self.session_id = ""
            yield self._idle(60, 1800)

    def _drive(self, session: Session, worker: Worker) -> Steps[None]:
        """A plan, as far as it goes; nothing when somebody else drives them, or a human has to decide."""
        plan = self._plans.due() if self.number == FOREMAN else None
        if plan is not None:
            crew = SimulatedCrew(self.chance, self._tools)
            yield from session.foreman(f"agent-{self.number}", worker, crew).steps(plan)

    def _attempt(self, session: Session, worker: Worker, given: Mapping[str, Any]) -> Steps[Attempted]:
        chance, name = self.chance, text_at(given, "task_id")
        task = self._drawn(name)
        failed = Attempted(
            succeeded=False,
            escalated=True,
            approach=task.approach,
            error_type=ErrorType.VALIDATION,
            error_message="a call was given up",
            confidence=task.confidence,
            security_critical=task.security_critical,
            irreversible=task.irreversible,
            rollback=task.rollback,
        )
        for _ in range(chance.between(2, 5)):
            for _ in range(chance.below(MOST_USES)):
                if (yield from session.use_steps(self._tools.draw(name, chance))) != DONE:
                    return failed
            if (yield from session.steps(task)) != DONE:
                return failed
            if chance.per_mille(DRIFTS) and not (yield from self._drift(worker, name)):
                return failed
            kind, command = self._tools.beside(chance)
            yield from session.beside_steps(kind, command, env={}, timeout_s=BESIDE_TIMEOUT_S)
            yield self._idle(1, 60)
        if self._backlog.is_wrong(name, chance):
            return Attempted(
                succeeded=False, approach=task.approach, error_message=f"{chance.between(1, 3)} tests fail"
            )
        return Attempted(succeeded=True)

    def _drawn(self, name: str) -> Task:
        chance = self.chance
        return Task(
            id=name,
            tool="model",
            command=COMMAND,
            timeout_s=TIMEOUT_S,
            urgent=chance.per_mille(URGENT),
            model="opus" if chance.per_mille(800) else "sonnet",
            confidence=chance.between(30, 100) / 100 if chance.per_mille(100) else None,
            security_critical=chance.per_mille(5),
            irreversible=chance.per_mille(20),
            rollback=chance.per_mille(500),
        )

    def _drift(self, worker: Worker, name: str) -> Steps[bool]:
        """What was done last is not what the task asks for."""
        severity = _SEVERITIES[self.chance.below(len(_SEVERITIES))]
        arguments = DriftArguments(
            name,
            "make the tests pass",
            "a module nobody asked about was rewritten",
            severity,
            f"agent-{self.number}",
            1 if severity in (Severity.LOW, Severity.MEDIUM) else 3,
            f"{name} is about its tests",
        )
        reviewer = Task(id=f"{name}/drift", tool="model", command=COMMAND, timeout_s=TIMEOUT_S)
        return (yield from worker.drift_steps(arguments, reviewer))

    def _idle(self, low_s: int, high_s: int) -> Pause:
        return Pause(self.chance.seconds(low_s, high_s) / TICKS_PER_S)

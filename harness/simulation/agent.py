"""One agent of a simulation: session after session, each with some tasks of the queues, and a stop at its end.

One of them drives the plans, too.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from harness.runtime.calls import Task
from harness.runtime.session import Session
from harness.runtime.trial import DONE, Pause, Steps
from harness.runtime.witness import text_at
from harness.runtime.worker import Attempted, Worker
from harness.simulation.backlog import Backlog
from harness.simulation.crew import COMMAND, TIMEOUT_S, URGENT, SimulatedCrew
from harness.simulation.incidents import WHOLE, Fate
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
CRASH, STOP, END, TRANSCRIPT, DRIFT, RISK = "crash", "stop", "end", "transcript", "drift", "risk"  # kinds of incidents
EARLY, ASKING = 250, 100  # of a thousand sessions
DRIFTS = 40  # of a thousand calls, so many are drifted from
_BETWEEN_S = (60, 900)  # sessions
_BREATH_S = (1, 30)
_SEVERITIES = (*([Severity.LOW] * 3), *([Severity.MEDIUM] * 2), Severity.HIGH, Severity.CRITICAL)


class Company(Protocol):
    """What all agents of a simulation work with."""

    @property
    def tools(self) -> Toolbox:
        """Of all agents."""
        ...

    @property
    def backlog(self) -> Backlog:
        """What is to be done."""
        ...

    @property
    def plans(self) -> Plans:
        """What is to be driven."""
        ...

    def chance_of(self, session_id: str) -> Chance:
        """What is drawn in that session, but for what goes wrong."""
        ...

    def fate(self, who: str) -> Fate:
        """What goes wrong in that session."""
        ...

    def fate_of_task(self, task: str) -> Fate:
        """What goes wrong with that task, in whatever session."""
        ...

    def begin(self, agent: "Agent") -> Session:
        """The next session of that agent, of the id that he gave it."""
        ...

    def end(self, session_id: str) -> None:
        """It has ended by itself."""
        ...

    def damage(self, session_id: str, how: str) -> None:
        """Something happens to the transcript of that session; SPOILED has what."""
        ...


class Agent:
    """What it does hangs on its sessions' chance and fate alone, and on what it meets.

    ``is_cut`` says that the last session did not end by itself; ``dies_at`` at which change of a file this one dies
    (0: none), of so many that it has ``changed``, all of them files with ``dies_in`` in their paths.
    """

    def __init__(self, number: int, company: Company) -> None:
        self.number = number
        self.session_id = ""
        self.is_cut = False
        self.dies_at = self.changed = 0
        self.dies_in = ""
        self._company = company
        self._sessions = 0
        self._draw("")

    def _draw(self, session_id: str) -> None:
        self.session_id = session_id
        name = session_id or f"agent-{self.number}"
        self.chance, self.fate = self._company.chance_of(name), self._company.fate(name)
        crash = self.fate.meets(CRASH, self._company.tools.draw_crash) if session_id else ""
        self.dies_in, _, number = crash.partition(" ")
        self.dies_at, self.changed = int(number or 0), 0

    def outlive(self) -> None:
        """The crash that was drawn for this session does not come."""
        self.dies_at = 0

    def life(self) -> Steps[None]:
        """Works for ever."""
        yield self._idle(*_BETWEEN_S)
        while True:
            self._sessions += 1
            self._company.backlog.fill()
            self._draw(f"agent-{self.number}-{self._sessions}")
            session = self._company.begin(self)
            session.say("user", "Make the tests pass.")
            worker = session.worker(f"agent-{self.number}")
            worker.begin(cut=self.is_cut, facts=self._company.backlog.facts(self.chance))
            self.is_cut = False
            if self.fate.meets(STOP, _early):
                self._ask_to_stop(session)  # with nothing done: it is held
            yield from self._drive(session, worker)
            if self.number == FOREMAN and self.fate.meets(STOP, _early):
                self._ask_to_stop(session)
            for _ in range(self.chance.between(2, 3)):
                yield from worker.steps(partial(self._attempt, session, worker))
                yield self._idle(*_BREATH_S)
            yield from self._stop(session)
            session.finish()
            self._company.end(self.session_id)
            self.session_id, self.dies_at = "", 0
            yield self._idle(*_BETWEEN_S)

    def _stop(self, session: Session) -> Steps[None]:
        asks = self.fate.meets(END, _asking)
        session.say("assistant", "Shall I go on?" if asks else "All tests pass now.")
        for _ in range(MOST_STOPS):
            if self._ask_to_stop(session) is Decision.APPROVE:
                return
            yield self._idle(5, 120)
            session.say("assistant", "Everything is done, and all tests pass.")

    def _ask_to_stop(self, session: Session) -> Decision:
        how = self.fate.meets(TRANSCRIPT, self._company.tools.draw_damage)
        if how:
            self._company.damage(self.session_id, how)
        return session.request_stop().decision

    def _drive(self, session: Session, worker: Worker) -> Steps[None]:
        """A plan, as far as it goes; nothing when somebody else drives them, or a human has to decide."""
        plan = self._company.plans.due() if self.number == FOREMAN else None
        if plan is not None:
            crew = SimulatedCrew(self.chance, self.fate, self._company.tools)
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
                if (yield from session.use_steps(self._company.tools.draw(name, self.fate))) != DONE:
                    return failed
            if (yield from session.steps(task)) != DONE:
                return failed
            drift = self.fate.meets(DRIFT, _drift)
            if drift and not (yield from self._drift(worker, name, Severity(drift))):
                return failed
            kind, command = self._company.tools.beside(chance)
            yield from session.beside_steps(kind, command, env={}, timeout_s=BESIDE_TIMEOUT_S)
            yield self._idle(*_BREATH_S)
        if self._company.backlog.is_wrong(name, self._company.fate_of_task(name)):
            return Attempted(
                succeeded=False, approach=task.approach, error_message=f"{chance.between(1, 3)} tests fail"
            )
        return Attempted(succeeded=True)

    def _drawn(self, name: str) -> Task:
        chance = self.chance
        risk = self.fate.meets(RISK, _risk).split()
        sure = next((word for word in risk if word.isdecimal()), None)
        return Task(
            id=name,
            tool="model",
            command=COMMAND,
            timeout_s=TIMEOUT_S,
            urgent=chance.per_mille(URGENT),
            model="opus" if chance.per_mille(800) else "sonnet",
            confidence=None if sure is None else int(sure) / 100,
            security_critical="critical" in risk,
            irreversible="irreversible" in risk,
            rollback="final" not in risk,
        )

    def _drift(self, worker: Worker, name: str, severity: Severity) -> Steps[bool]:
        """What was done last is not what the task asks for."""
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


def _early(chance: Chance) -> str:
    return "early" if chance.per_mille(EARLY) else WHOLE


def _asking(chance: Chance) -> str:
    return "asks" if chance.per_mille(ASKING) else WHOLE


def _drift(chance: Chance) -> str:
    return _SEVERITIES[chance.below(len(_SEVERITIES))].value if chance.per_mille(DRIFTS) else WHOLE


def _risk(chance: Chance) -> str:
    """How sure the agent is, in hundredths, if it says so; and what is special about the call."""
    words = [str(chance.between(30, 100))] if chance.per_mille(100) else []
    words += [word for word, share in (("critical", 5), ("irreversible", 20)) if chance.per_mille(share)]
    return " ".join([*words, "final"] if "irreversible" in words and chance.per_mille(500) else words)

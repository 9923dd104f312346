"""One run of a plan of shell commands: a session on real files, processes and time, from its beginning to its end."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from harness.core.events import SessionCut, SessionEvent, StorageChanged
from harness.core.plan_events import PlanDecided
from harness.core.task_events import HumanDecided
from harness.ports.clock import Clock, Waiter, to_text
from harness.ports.files import Files
from harness.ports.interruption import InterruptedWorkError
from harness.ports.launcher import Launcher
from harness.runtime.board import Board, Driven
from harness.runtime.foreman import COMPLETED, HALTED, REFUSED, Foreman
from harness.runtime.heard_runner import HeardRunner
from harness.runtime.ports import Outside, Place, Systems
from harness.runtime.references import references
from harness.runtime.session import Session
from harness.runtime.shell_crew import MODELS, Ran, ShellCrew
from harness.runtime.shell_plan import ShellPlan, table
from harness.runtime.told_files import ToldFiles
from harness.runtime.trial import Steps
from harness.runtime.witness import text_at
from harness.runtime.worker import MOST_CLAIMS, Attempted
from harness.systems.dead_letter.contract import ListArguments, SessionArguments, TaskFacts
from harness.systems.phase_runner.contract import StartArguments, StatusArguments
from harness.systems.phase_runner.contract.words import Mode
from harness.systems.queue_files import BLOCKED, DEAD_LETTER
from harness.systems.signals.contract import ClarifyArguments, ReviewsArguments

WORKER: Final = "agent-run"
HUMAN: Final = "human"  # the session of what a human decides
MACHINE: Final = ""  # that of what befalls the machine
SAID: Final = "A human has looked at it, and the plan is resumed."


class Outcome(StrEnum):
    """How a run ended.

    ``waiting``: a human has a phase; ``unstored``: its state could not be written; ``refused``: the phase runner does
    not begin with what it finds; ``interrupted``: somebody asked for an end.
    """

    COMPLETE = "complete"
    HALTED = "halted"
    WAITING = "waiting"
    UNSTORED = "unstored"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"


class Stop(NamedTuple):
    """What the stop gate answered."""

    decision: str
    reasons: tuple[str, ...]


class Ended(NamedTuple):
    """How it ended: ``statuses`` by phase, ``beside`` what failed and did not stop it, ``why`` for people.

    ``waiting`` are the phases a human was asked about, ``dead`` those that are dead letters. ``began`` is false of a
    run that nothing was done in, because the plan is halted.
    """

    outcome: Outcome
    statuses: Mapping[str, str]
    why: str = ""
    stop: Stop | None = None
    beside: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    began: bool = True


class Machine(NamedTuple):
    """What a run has of the world."""

    clock: Clock
    files: Files
    launcher: Launcher
    waiter: Waiter
    environment: Mapping[str, str]


class PlanForeman(Foreman):
    """One session drives the whole plan: a start gives phases their attempts anew, so there is one in a run."""

    most_phases = 1 << 20


class PlanSession(Session):
    """A session that drives a plan to its end."""

    foremen = PlanForeman


class ShellRun:
    """A run of ``plan`` in ``project``, with its state in the directory ``state``; both absolute.

    ``listen`` is given each event with the name of its session, ``told`` each command that has ended.
    """

    sessions: type[Session] = PlanSession

    def __init__(
        self,
        plan: ShellPlan,
        state: str,
        project: str,
        machine: Machine,
        listen: Callable[[str, SessionEvent], object],
        told: Callable[[Ran], object],
    ) -> None:
        self.state = state
        self._plan = plan
        self._machine = machine
        self._listen = listen
        self._files = ToldFiles(machine.files, self._not_written)
        self._is_full = False
        found = references(state, self._files)
        self._crew = ShellCrew(plan, found.backoff, machine.launcher, machine.environment, told)
        self._runner = HeardRunner(found.runner, self._crew.launched)
        self._systems: Systems = found._replace(runner=self._runner)
        self._place = Place(state, project, dict.fromkeys(MODELS, plan.key))
        self.session_id = f"run-{round(machine.clock.now_s() * 1000)}"

    def statuses(self) -> Mapping[str, str]:
        """How the phases stand, by their normalised ids; empty when there is no run."""
        found = self._runner.status(StatusArguments(), self._now_s).phases
        return {phase.phase_id: phase.status.value for phase in found}

    def run(self, *, resumes: bool, is_fresh: bool, goes_on: bool) -> Ended:
        """As far as it goes.

        ``goes_on``: a run began here before. A plan that is halted stays so (AB-HLT-02), unless a human ``resumes`` it
        or begins ``is_fresh``.
        """
        before = self._runner.status(StatusArguments(), self._now_s)
        if before.halted and not (resumes or is_fresh):
            return Ended(Outcome.HALTED, self.statuses(), dead=self._listed(DEAD_LETTER), began=False)
        modes = (Mode.RESUME,) if resumes else (Mode.FRESH,) if is_fresh else ()
        if resumes:
            self._decide()
        for mode in modes:
            self._note(HUMAN, PlanDecided(at=self._now(), correlation_id="", plan=self._plan.key, decision=mode))
        try:
            return self._driven(modes, goes_on=goes_on)
        except InterruptedWorkError:
            self._note(self.session_id, SessionCut(at=self._now(), correlation_id=""))
            return Ended(Outcome.INTERRUPTED, self.statuses())

    def _driven(self, modes: tuple[Mode, ...], *, goes_on: bool) -> Ended:
        board = Board()
        board.driven = Driven(self._plan.key, WORKER)  # so that what it did before is known for phases
        machine = self._machine
        session = self.sessions(
            self.session_id,
            self._place,
            Outside(machine.clock, self._files, self._crew, machine.waiter),
            self._systems,
            board=board,
            listen=lambda event: self._note(self.session_id, event),
        )
        session.say("user", f"Run the plan {self._plan.name} to its end.")
        worker = session.worker(WORKER)
        worker.begin(cut=goes_on)
        for _ in range(0, len(self._plan.phases), MOST_CLAIMS):
            session.work(worker, _no_phase)  # takes up the phases that a human gave back
        foreman = session.foreman(WORKER, worker, self._crew)
        outcome = session.drive(foreman, StartArguments(table(self._plan), self._plan.key, modes))
        ended = self._ended(outcome)
        session.say("assistant", f"The plan {self._plan.name} is {ended.outcome}.")
        answer = session.request_stop()
        beside = session.finish()
        return ended._replace(stop=Stop(answer.decision.value, tuple(answer.reasons)), beside=beside)

    def _ended(self, outcome: str) -> Ended:
        statuses = self.statuses()
        latest = self._runner.latest
        if outcome == COMPLETED:
            return Ended(Outcome.COMPLETE, statuses)
        if latest is not None and latest.accepted and outcome == HALTED:
            why = "" if latest.summary is None else latest.summary.reason
            return Ended(Outcome.HALTED, statuses, why, dead=self._listed(DEAD_LETTER))
        told = "; ".join(entry.message for entry in (latest.log if latest is not None else ()))
        if outcome == REFUSED:
            reason = latest.summary.reason if latest is not None and latest.summary is not None else told
            return Ended(Outcome.REFUSED, statuses, reason)
        waiting = self._listed(BLOCKED)
        if waiting:
            return Ended(Outcome.WAITING, statuses, waiting=waiting)
        return Ended(Outcome.UNSTORED, statuses, told)

    # -- what a human decides by resuming

    def _decide(self) -> None:
        """Phases that a human was asked about are given back, and those that are dead letters are tried once more."""
        systems: Any = self._systems  # references: what only humans ask is in no port of a session
        for request in systems.signals.reviews(ReviewsArguments(), self._now_s).pending:
            task = text_at(request, "task_id")
            done = systems.signals.clarify(ClarifyArguments(task, SAID), self._now_s).resolved
            self._note(
                HUMAN,
                HumanDecided(at=self._now(), correlation_id="", task=task, decision="clarified", done=bool(done)),
            )
        dead = self._listed(DEAD_LETTER)
        if dead:
            facts = {f"{self._plan.key}/{phase}": TaskFacts(new_approach=SAID) for phase in dead}
            systems.dead_letters.review(SessionArguments(facts), self._now_s)

    def _listed(self, queue: str) -> tuple[str, ...]:
        """The phases in that queue."""
        tasks = self._systems.dead_letters.list(ListArguments(queue), self._now_s).tasks
        names = (text_at(task, "task_id").rpartition("/") for task in tasks)
        return tuple(phase for plan, _, phase in names if plan == self._plan.key)

    # -- parts

    def _not_written(self) -> None:
        """What could not be stored is no breach of those who tried: the order rules are told, once."""
        if not self._is_full:
            self._is_full = True
            self._note(MACHINE, StorageChanged(at=self._now(), correlation_id="", full=True))

    def _note(self, session: str, event: SessionEvent) -> None:
        self._listen(session, event)

    def _now(self) -> str:
        return to_text(self._now_s)

    @property
    def _now_s(self) -> float:
        return self._machine.clock.now_s()


def _no_phase(task: Mapping[str, Any]) -> Steps[Attempted]:
    """Nobody here does a task that is no phase of the plan."""
    yield from ()
    return Attempted(succeeded=False, approach="none", error_message=f"{task.get('task_id')} is no phase of this plan")

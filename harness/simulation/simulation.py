"""Many agents at once under one virtual clock: the sessions of runtime on fake ports, every event checked at once."""

import errno
import hashlib
import heapq
from collections import Counter, deque
from collections.abc import Callable, Generator, Mapping
from functools import partial
from typing import NamedTuple

import msgspec

from harness.core.events import (
    Anonymous,
    ClockStepped,
    FailureRecorded,
    MachineRestarted,
    SessionCut,
    SessionEvent,
    StorageChanged,
)
from harness.core.plan_events import PlanDecided, PlanEvent
from harness.core.task_events import HumanDecided, TaskCompleted, TaskEvent
from harness.ports.clock import FakeClock, FakeWaiter, to_text
from harness.ports.files import FakeFiles
from harness.ports.launcher import Ended, FakeLauncher
from harness.runtime.board import Board
from harness.runtime.order import Order
from harness.runtime.ports import Outside, Place, Systems
from harness.runtime.session import Session
from harness.runtime.trial import Pause, Run
from harness.simulation.agent import PROVIDER_WORD, Agent
from harness.simulation.backlog import Backlog
from harness.simulation.humans import Humans
from harness.simulation.metrics import Metrics
from harness.simulation.plans import Plans
from harness.simulation.profiles import PROFILES
from harness.simulation.providers import Answer, Providers
from harness.simulation.result import Numbered
from harness.simulation.session import HOME, PROJECT, PROVIDERS
from harness.simulation.systems import Assembly
from harness.simulation.toolbox import BESIDE, USE, Toolbox
from harness.simulation.trouble import trouble
from harness.simulation.virtual_time import Chance, VirtualClock, days, ticks
from harness.systems.circuit_breaker.contract import State
from harness.systems.dead_letter.contract import ABANDONED_PATH, COMPLETED_PATH, ESCALATIONS_PATH
from harness.systems.diagnosis.contract import CONTEXT_LOG_PATH, SESSION_MEMORY_PATH
from harness.systems.error_log.contract import ERRORS_PATH
from harness.systems.phase_runner.contract.words import Mode
from harness.systems.review_gate.contract import GATE_PATH
from harness.systems.session_recovery.contract import LEDGER_PATH

BEFORE = 30  # events of a session that are told with the one that broke a rule
LOGGED = 40  # logs are set aside when a session ends and there are as many records: each rewrites errors.json
FINISHED = 8  # tasks that were finished are set aside in the same way
MACHINE = ""  # the session of events that belong to none
HUMAN = "human"
Life = Generator[Pause | Run, Ended | None, None]


class Plan(NamedTuple):
    """What is simulated."""

    days: int
    agents: int
    seed: int
    profile: str = "calm"


class First(NamedTuple):
    """The first event that broke a rule, and those of its session before it."""

    event: Numbered
    before: tuple[Numbered, ...]


class Actor:
    """Something that goes on by steps; ``life`` numbers them, so that what is planned for a dead one is dropped."""

    def __init__(self, steps: Callable[[], Life], agent: Agent | None = None) -> None:
        self._steps = steps
        self.agent = agent
        self.life = 0
        self.steps = steps()

    def begin_again(self) -> None:
        """Dies, whatever it is doing, and begins anew."""
        self.steps.close()
        self.life += 1
        self.steps = self._steps()


class Simulation:
    """``assembly`` makes what agents ask; ``session`` is the class of sessions: Session, or a mutant of it."""

    def __init__(self, plan: Plan, assembly: Assembly, session: type[Session] = Session) -> None:
        self.plan = plan
        self.files = FakeFiles()
        self.clock = VirtualClock()
        self.events = 0
        self.sessions = 0
        self.counts: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()
        self.first: dict[str, First] = {}
        self.led_to: tuple[Numbered, ...] = ()  # the event that was asked for, and those of its session before it
        self._until = 0
        self.latest: dict[str, deque[Numbered]] = {}
        self._assembly = assembly
        self._session = session
        self._digest = hashlib.sha256()
        self._anonymous = Anonymous()
        self._logged = self._finished = 0
        self._order = Order()
        self._known: dict[str, State] = {}
        self._board = Board()
        self._backlog = Backlog(HOME, self.files, plan.seed)
        self._plans = Plans(plan.seed)
        self._humans = Humans(self)
        self._providers = Providers(PROVIDERS, PROFILES[plan.profile], plan.seed)
        self._tools = Toolbox(PROFILES[plan.profile], plan.seed)
        self.metrics = Metrics()
        self._ties = Chance(plan.seed, "ties")
        self._queue: list[tuple[int, int, int, Actor, int, Ended | None]] = []
        self._queued = 0
        self._asked: list[Systems] = []
        self._outside = Outside(self.clock, self.files, FakeLauncher(_no_command), FakeWaiter(FakeClock(0.0)))
        self.actors = [self._agent(number) for number in range(plan.agents)]
        self._others = [Actor(partial(befalls, self)) for befalls in trouble(PROFILES[plan.profile])]
        self._others.append(Actor(self._humans.life))
        self._start_systems()

    @property
    def seed(self) -> int:
        """See Machine.seed."""
        return self.plan.seed

    @property
    def agents(self) -> int:
        """See Machine.agents."""
        return self.plan.agents

    @property
    def elapsed(self) -> int:
        """See Office.elapsed."""
        return self.clock.ticks

    @property
    def digest(self) -> str:
        """That of all events until now."""
        return self._digest.hexdigest()

    def run(self, *, until: int = 0, interrupted: Callable[[], bool] = lambda: False) -> bool:
        """Plays to the end, to event number ``until`` or to an interruption; false when that came first."""
        end = days(self.plan.days)
        self._until = until
        for actor in (*self.actors, *self._others):
            self._plan_next(actor, 0, None)
        while self._queue and self._queue[0][0] < end:
            at, _, _, actor, life, ended = heapq.heappop(self._queue)
            if life != actor.life:
                continue
            self.clock.ticks = at
            self._step(actor, ended)
            if until and self.events >= until:
                return True
            if interrupted():
                return False
        self.clock.ticks = end
        return True

    def _step(self, actor: Actor, ended: Ended | None) -> None:
        step = actor.steps.send(ended)
        if isinstance(step, Pause):
            self._plan_next(actor, ticks(step.for_s), None)
            return
        assert actor.agent is not None  # noqa: S101 - only agents run commands
        answer = self._answer(step, actor.agent)
        self.metrics.plant(actor.agent.session_id, answer.cause)
        self._plan_next(actor, answer.after, answer.ended)

    def _answer(self, run: Run, agent: Agent) -> Answer:
        if run.argv[0] == USE:
            return self._tools.answer(run.argv, self.metrics.believed(agent.session_id), agent.chance)
        if run.argv[0] == BESIDE:
            return self._tools.answer_beside(run.argv, agent.chance)
        return self._providers.answer(run.argv[PROVIDER_WORD], self.clock.ticks, run.timeout_s, agent.chance)

    def _plan_next(self, actor: Actor, after: int, ended: Ended | None) -> None:
        self._queued += 1
        entry = (self.clock.ticks + after, self._ties.below(1 << 32), self._queued, actor, actor.life, ended)
        heapq.heappush(self._queue, entry)

    # -- agents and their sessions

    def _agent(self, number: int) -> Actor:
        def begin(session_id: str) -> Session:
            return self._begin(number, session_id)

        chance = Chance(self.plan.seed, "agent", number)
        agent = Agent(number, chance, self._tools, self._backlog, self._plans, begin, self._end)
        return Actor(agent.life, agent)

    def _begin(self, number: int, session_id: str) -> Session:
        self.sessions += 1
        self.latest[session_id] = deque(maxlen=BEFORE)

        def listen(event: SessionEvent) -> None:
            self.take(session_id, event)

        place = Place(HOME, PROJECT, PROVIDERS)
        systems = self._asked[number]
        return self._session(
            session_id, place, self._outside, systems, known=self._known, board=self._board, listen=listen
        )

    def _end(self, session_id: str) -> None:
        for rule in self._order.end(session_id):
            self._note_broken(rule, self.latest[session_id][-1])
        self._forget(session_id)

    def _forget(self, session_id: str) -> None:
        del self.latest[session_id]
        for path in [path for path in self.files.contents if session_id in path]:  # nobody comes back to it
            del self.files.contents[path]
        self.metrics.forget(session_id)
        if self._logged >= LOGGED:
            self._logged = 0
            for path in (ERRORS_PATH, SESSION_MEMORY_PATH, CONTEXT_LOG_PATH):  # what was learned is in the episodic one
                self._assembly.set_aside(path.format(home=HOME), self.files)
        if self._finished >= FINISHED:
            self._finished = 0
            self._archive()

    def _archive(self) -> None:
        """What is finished or given up is set aside, with what was written of it."""
        escalations = f"{ESCALATIONS_PATH.format(home=HOME)}/"
        told = [path for path in self.files.contents if path.startswith(escalations)]
        for path in (*(path.format(home=HOME) for path in (COMPLETED_PATH, ABANDONED_PATH, LEDGER_PATH)), *told):
            self._assembly.set_aside(path, self.files)

    # -- trouble

    def kill_session(self, number: int) -> None:
        """The process of that agent's session dies, if there is one; another begins."""
        actor = self.actors[number]
        assert actor.agent is not None  # noqa: S101 - actors are agents
        session_id, actor.agent.session_id = actor.agent.session_id, ""
        actor.agent.is_cut = True
        actor.begin_again()
        if session_id:
            self.take(session_id, SessionCut(at=self._now(), correlation_id=""))
            self._forget(session_id)
        self._plan_next(actor, 0, None)

    def restart_machine(self) -> None:
        """Everything that runs ends and begins again, from what is on disk."""
        for number in range(self.plan.agents):
            self.kill_session(number)
        self._assembly.restart()
        self._start_systems()
        self.take(MACHINE, MachineRestarted(at=self._now(), correlation_id=""))

    def _start_systems(self) -> None:
        self._asked = [self._assembly.of(number, self.files, self.clock) for number in range(self.plan.agents)]

    def set_clock(self, by: int) -> None:
        """Somebody sets the machine's clock, by so many ticks."""
        before = self.clock.now_s()
        at = self._now()
        self.clock.set_by(by)
        self.take(MACHINE, ClockStepped(at=at, correlation_id="", by_s=self.clock.now_s() - before))

    def fill_storage(self, *, full: bool) -> None:
        """The disk is full from now on, or no longer."""
        self.files.fail = OSError(errno.ENOSPC, "No space left on device") if full else None
        self.take(MACHINE, StorageChanged(at=self._now(), correlation_id="", full=full))

    # -- humans

    def decided(self, decision: str, task: str, ask: Callable[[Systems, float], bool]) -> bool:
        """See Office.decided."""
        done = ask(self._asked[0], self.clock.now_s())
        self.take(HUMAN, HumanDecided(at=self._now(), correlation_id="", task=task, decision=decision, done=done))
        return done

    def decided_about_plan(self, decision: str) -> None:
        """See Office.decided_about_plan. What the review of a plan that is given up waits for, nobody waits for."""
        plan = self._plans.name
        if decision == Mode.FRESH:
            self._assembly.set_aside(GATE_PATH.format(home=HOME), self.files)
        self.take(HUMAN, PlanDecided(at=self._now(), correlation_id="", plan=plan, decision=decision))

    # -- what is seen

    def take(self, session: str, event: SessionEvent) -> None:
        """One more event."""
        self.events += 1
        self._digest.update(_ENCODER.encode((session, self._anonymous(event))) + b"\n")
        self.counts[_TAGS[type(event)]] += 1
        self._logged += isinstance(event, FailureRecorded)
        self._finished += isinstance(event, TaskCompleted)
        if type(event) in _OF_TASKS:
            self._backlog.take(event)
            self._humans.take(event)
            self._plans.take(event)
        self.metrics.take(session, event)
        numbered = Numbered(self.events, session, event)
        if session in self.latest:
            self.latest[session].append(numbered)
        if self.events == self._until:
            self.led_to = tuple(self.latest.get(session, (numbered,)))
        for rule in self._order.take(session, event):
            self._note_broken(rule, numbered)

    def _note_broken(self, rule: str, numbered: Numbered) -> None:
        self.broken[rule] += 1
        if rule not in self.first:
            self.first[rule] = First(numbered, tuple(self.latest.get(numbered.session, ()))[:-1])

    def _now(self) -> str:
        return to_text(self.clock.now_s())


_ENCODER = msgspec.json.Encoder()
_OF_TASKS = frozenset((*TaskEvent.__args__, *PlanEvent.__args__))
_TAGS: Mapping[type, str] = {kind: kind.__struct_config__.tag for kind in SessionEvent.__args__}


def _no_command(argv: object) -> Ended:
    return Ended("not_started", errno.ENOENT, f"a simulation runs nothing: {argv}")

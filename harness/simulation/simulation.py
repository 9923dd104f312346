"""Many agents at once under one virtual clock: the sessions of runtime on fake ports, every event checked at once."""

import errno
import hashlib
from collections import Counter, deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import BinaryIO, NamedTuple

import msgspec

from harness.core.events import (
    Anonymous,
    ClockStepped,
    MachineRestarted,
    SessionCut,
    SessionEvent,
    StorageChanged,
)
from harness.core.plan_events import PlanDecided, PlanEvent
from harness.core.task_events import HumanDecided, TaskEvent
from harness.ports.clock import FakeClock, FakeWaiter, to_text
from harness.ports.fake_files import FakeFiles
from harness.ports.launcher import Ended, FakeLauncher
from harness.runtime.board import Board
from harness.runtime.order import Order, is_of_breakers
from harness.runtime.ports import Outside, Place, Systems
from harness.runtime.session import TRANSCRIPT, Session
from harness.runtime.trial import Pause, Run
from harness.simulation import trouble
from harness.simulation.actors import Actor, Agenda, CrashedError, run_nothing
from harness.simulation.agent import PROVIDER_WORD, Agent
from harness.simulation.archive import Archive
from harness.simulation.backlog import Backlog
from harness.simulation.humans import Humans, heard
from harness.simulation.incidents import Fate, Incidents
from harness.simulation.invariants import ENDS, Invariants, unended
from harness.simulation.metrics import Metrics
from harness.simulation.plans import Plans
from harness.simulation.profiles import PROFILES
from harness.simulation.providers import Answer, Providers
from harness.simulation.result import First, Numbered
from harness.simulation.session import HOME, PROJECT, PROVIDERS
from harness.simulation.systems import Assembly
from harness.simulation.toolbox import BESIDE, USE, Toolbox
from harness.simulation.trouble import Fork
from harness.simulation.virtual_time import Chance, VirtualClock, days, ticks
from harness.systems.circuit_breaker.contract import State
from harness.systems.phase_runner.contract.words import Mode
from harness.systems.review_gate.contract import GATE_PATH

BEFORE = 30  # events of a session that are told with the one that broke a rule
QUIET_H = 24  # hours until everything has ended, once nothing goes wrong
MACHINE = ""  # the session of events that belong to none
HUMAN = "human"


class Plan(NamedTuple):
    """What is simulated. ``forks`` take another seed from some time on, in their order."""

    days: int
    agents: int
    seed: int
    profile: str = "calm"
    forks: tuple[Fork, ...] = ()


class Simulation:
    """``assembly`` makes what agents ask; ``session`` is the class of sessions: Session, or a mutant of it."""

    def __init__(
        self, plan: Plan, assembly: Assembly, session: type[Session] = Session, incidents: Incidents | None = None
    ) -> None:
        self.plan = plan
        self.incidents = Incidents() if incidents is None else incidents
        self.files = FakeFiles()
        self.clock = VirtualClock()
        self.events = 0
        self.sessions = 0
        self.written: BinaryIO | None = None  # takes every event, as it enters the digest
        self.watchers: list[Callable[[str, SessionEvent], object]] = []
        self.tool_calls = 0  # commands that were run, retries too
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
        self._order = Order()
        self._invariants = Invariants(self.files, HOME, assembly.elsewhere)
        self._archive = Archive(self.files, assembly.set_aside, self._invariants)
        self._known: dict[str, State] = {}
        self._board = Board()
        profile = PROFILES[plan.profile]
        self.backlog = Backlog(HOME, self.files, plan.seed)
        self.plans = Plans(plan.seed)
        self.tools = Toolbox(profile, plan.seed)
        self._humans = Humans(self)
        self._providers = Providers(PROVIDERS, profile, plan.seed, plan.forks)
        self.metrics = Metrics()
        self._agenda = Agenda(Chance(plan.seed, "ties"))
        self._acting: Agent | None = None
        self._changing = ""  # the file at whose change it died
        self._asked: list[Systems] = []
        self._outside = Outside(self.clock, self.files, FakeLauncher(run_nothing), FakeWaiter(FakeClock(0.0)))
        self.files.before_change = self._before_change
        self.actors = [self._agent(number) for number in range(plan.agents)]
        coming = trouble.drawn(profile, plan.agents, plan.seed, plan.forks)
        if self.incidents.are_told:
            coming = iter(self.incidents.of_the_machine())
        self._trouble = Actor(partial(trouble.life, self, coming, self.incidents))
        self._others = [self._trouble, Actor(self._humans.life)]
        self._start_systems()

    @property
    def seed(self) -> int:
        """See Office.seed."""
        return next((fork.seed for fork in reversed(self.plan.forks) if fork.at <= self.clock.ticks), self.plan.seed)

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
        self._until = until
        for actor in (*self.actors, *self._others):
            self._plan_next(actor, 0, None)
        return self._play(days(self.plan.days), interrupted) and self._settled(interrupted)

    def _play(self, end: int, interrupted: Callable[[], bool]) -> bool:
        while (following := self._agenda.next(end)) is not None:
            self.clock.ticks, actor, ended = following
            self._step(actor, ended)
            if self._until and self.events >= self._until:
                return True
            if interrupted():
                return False
        self.clock.ticks = end
        return True

    def _settled(self, interrupted: Callable[[], bool]) -> bool:
        """Nothing goes wrong any more, and nothing new comes: does all that was begun end?"""
        if self._until and self.events >= self._until:
            return True
        self.incidents.are_over = True
        self._trouble.life += 1
        if self.files.fail is not None:
            self.fill_storage(full=False)
        self._close()
        for _ in range(QUIET_H):
            if not unended(self.files, HOME):
                return True
            if not self._play(self.clock.ticks + ticks(3600), interrupted):
                return False
        if unended(self.files, HOME):
            self._note_broken(ENDS, self._last)
        return True

    def _close(self) -> None:
        for agent in (actor.agent for actor in self.actors if actor.agent is not None):
            agent.outlive()
        self.backlog.close()
        self.plans.close()

    def _step(self, actor: Actor, ended: Ended | None) -> None:
        self._acting, self._changing = actor.agent, ""
        agent = actor.agent
        try:
            step = actor.steps.send(ended)
        except CrashedError:
            assert agent is not None  # noqa: S101 - only sessions of agents crash
            self.kill_session(agent.number, self._changing)
            return
        finally:
            self._acting = None
        if isinstance(step, Pause):
            self._plan_next(actor, ticks(step.for_s), None)
            return
        assert agent is not None  # noqa: S101 - only agents run commands
        self.tool_calls += 1
        answer = self._answer(step, agent)
        self.metrics.plant(agent.session_id, answer.cause)
        self._plan_next(actor, answer.after, answer.ended)

    def _answer(self, run: Run, agent: Agent) -> Answer:
        if run.argv[0] == USE:
            return self.tools.answer(run.argv, self.metrics.believed(agent.session_id), agent.fate, agent.chance)
        if run.argv[0] == BESIDE:
            return self.tools.answer_beside(run.argv, agent.fate, agent.chance)
        provider = run.argv[PROVIDER_WORD]
        return self._providers.answer(provider, self.clock.ticks, run.timeout_s, agent.fate, agent.chance)

    def _plan_next(self, actor: Actor, after: int, ended: Ended | None) -> None:
        self._agenda.put(self.clock.ticks + after, actor, ended)

    def _before_change(self, path: str) -> None:
        """The process of whoever is acting dies at the change that was chosen, and makes none after it."""
        agent = self._acting
        if agent is not None and agent.dies_at and agent.dies_in in path:
            agent.changed += 1
            if agent.changed >= agent.dies_at:
                self._changing = self._changing or path
                raise CrashedError

    # -- agents and their sessions

    def _agent(self, number: int) -> Actor:
        agent = Agent(number, self)
        return Actor(agent.life, agent)

    def chance_of(self, session_id: str) -> Chance:
        """See Company.chance_of."""
        return Chance(self.seed, "session", session_id)

    def fate(self, who: str) -> Fate:
        """See Company.fate and Office.fate."""
        return self.incidents.of(who, self.seed)

    def fate_of_task(self, task: str) -> Fate:
        """See Company.fate_of_task."""
        return self._humans.fate_of(task)

    def begin(self, agent: Agent) -> Session:
        """See Company.begin."""
        self.sessions += 1
        session_id = agent.session_id
        self.latest[session_id] = deque(maxlen=BEFORE)

        def listen(event: SessionEvent) -> None:
            self.take(session_id, event)

        place = Place(HOME, PROJECT, PROVIDERS)
        systems = self._asked[agent.number]
        return self._session(
            session_id, place, self._outside, systems, known=self._known, board=self._board, listen=listen
        )

    def damage(self, session_id: str, how: str) -> None:
        """See Company.damage."""
        path = TRANSCRIPT.replace("{home}", HOME).replace("{session_id}", session_id)
        whole, _ = self.files.contents.pop(path, (b"", 0.0))
        if how == "directory":
            self.files.contents[f"{path}/.keep"] = (b"", 0.0)
        elif how != "gone":
            self.files.contents[path] = (whole + (b"\x00\xff\xfe" if how == "binary" else b'{"role": "assi'), 0.0)

    def end(self, session_id: str) -> None:
        """See Company.end."""
        for rule in self._order.end(session_id):
            self._note_broken(rule, self.latest[session_id][-1])
        self._forget(session_id)

    def _forget(self, session_id: str) -> None:
        del self.latest[session_id]
        for path in [path for path in self.files.contents if session_id in path]:  # nobody comes back to it
            del self.files.contents[path]
        self.metrics.forget(session_id)
        self._archive.look()

    # -- trouble

    def kill_session(self, number: int, changing: str = "") -> None:
        """The process of that agent's session dies, if there is one; another begins.

        ``changing`` is the file that it was about to change.
        """
        if number >= len(self.actors):
            return
        actor = self.actors[number]
        assert actor.agent is not None  # noqa: S101 - actors are agents
        session_id, actor.agent.session_id = actor.agent.session_id, ""
        actor.agent.is_cut = True
        actor.begin_again()
        self._asked[number] = self._assembly.of(number, self.files, self.clock)  # what it knew dies with it
        if session_id:
            if is_of_breakers(changing):
                self._known.clear()  # what it has done to a breaker, nobody has seen
            self.take(session_id, SessionCut(at=self._now(), correlation_id="", changing=changing))
            self._forget(session_id)
        self._plan_next(actor, 0, None)

    def restart_machine(self) -> None:
        """Everything that runs ends and begins again, from what is on disk."""
        self._assembly.restart()
        for number in range(self.plan.agents):
            self.kill_session(number)
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
        done, silence = heard(decision, self._now(), partial(ask, self._asked[0], self.clock.now_s()))
        if silence is not None:
            self.take(HUMAN, silence)
        self.take(HUMAN, HumanDecided(at=self._now(), correlation_id="", task=task, decision=decision, done=done))
        return done

    def decided_about_plan(self, decision: str) -> None:
        """See Office.decided_about_plan. What the review of a plan that is given up waits for, nobody waits for."""
        plan = self.plans.name
        if decision == Mode.FRESH:
            self._archive.set_aside(GATE_PATH)
        self.take(HUMAN, PlanDecided(at=self._now(), correlation_id="", plan=plan, decision=decision))

    # -- what is seen

    def take(self, session: str, event: SessionEvent) -> None:
        """One more event."""
        self.events += 1
        line = _ENCODER.encode((session, self._anonymous(event))) + b"\n"
        self._digest.update(line)
        if self.written is not None:
            self.written.write(line)
        self.counts[_TAGS[type(event)]] += 1
        self._archive.take(event)
        if type(event) in _OF_TASKS:
            self.backlog.take(event)
            self._humans.take(event)
            self.plans.take(event)
        self.metrics.take(session, event)
        for watch in self.watchers:
            watch(session, event)
        numbered = self._last = Numbered(self.events, session, event)
        if session in self.latest:
            self.latest[session].append(numbered)
        if self.events == self._until:
            self.led_to = tuple(self.latest.get(session, (numbered,)))
        for rule in self.check(session, event):
            self._note_broken(rule, numbered)

    def check(self, session: str, event: SessionEvent) -> tuple[str, ...]:
        """The rules that this event breaks."""
        return (*self._order.take(session, event), *self._invariants.take(session, event))

    def _note_broken(self, rule: str, numbered: Numbered) -> None:
        self.broken[rule] += 1
        if rule not in self.first:
            self.first[rule] = First(numbered, tuple(self.latest.get(numbered.session, ()))[:-1])

    def _now(self) -> str:
        return to_text(self.clock.now_s())


_ENCODER = msgspec.json.Encoder()
_OF_TASKS = frozenset((*TaskEvent.__args__, *PlanEvent.__args__))
_TAGS: Mapping[type, str] = {kind: kind.__struct_config__.tag for kind in SessionEvent.__args__}

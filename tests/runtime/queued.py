"""Workers on the references of their systems, on files in memory: what they work on fails as a seed says."""

from random import Random

from fakes import DONE, NOW_S, PROVIDERS, UNDONE, fake_systems, task, use

from harness.core.events import MachineRestarted, SessionCut
from harness.core.task_events import HumanDecided
from harness.ports.clock import FakeClock, FakeWaiter, to_text
from harness.ports.fake_files import FakeFiles
from harness.ports.launcher import FakeLauncher
from harness.runtime.board import Board
from harness.runtime.ports import Outside, Place
from harness.runtime.session import Session
from harness.runtime.worker import Attempted
from harness.systems.queue_files import PENDING
from harness.systems.queue_store import QueueStore
from harness.systems.signals.contract import (
    ClarifyArguments,
    DecideArguments,
    DriftArguments,
    ReviewsArguments,
    Severity,
)

HOME = "/h"


def given(number):
    return {"task_id": f"q-{number}", "title": f"Task {number}", "description": f"What task {number} is about."}


def queued_systems(files):
    """Fakes of what calls ask, references of what tasks ask, in those files."""
    return fake_systems(files)


class Project:
    """A machine with a queue, whose sessions share everything; ``events`` are those of all, each with its session."""

    def __init__(self, tasks=6, kind=Session, systems=None):
        self.clock, self.files = FakeClock(NOW_S), FakeFiles()
        self.systems = queued_systems(self.files) if systems is None else systems(self.files)
        self.board, self.known, self.events, self.kind, self.sessions = Board(), {}, [], kind, 0
        self.answer = lambda argv: DONE
        self.fill(range(tasks))

    def fill(self, numbers):
        with QueueStore(self.files, HOME).held() as queues:
            for number in numbers:
                queues.put(PENDING, given(number))

    def session(self):
        self.sessions += 1
        name = f"s-{self.sessions}"
        launcher = FakeLauncher(lambda argv: self.answer(argv))  # noqa: PLW0108 - which changes
        outside = Outside(self.clock, self.files, launcher, FakeWaiter(self.clock))
        listen = lambda event: self.events.append((name, event))  # noqa: E731 - short
        place = Place(HOME, "/p", PROVIDERS)
        return self.kind(name, place, outside, self.systems, known=self.known, board=self.board, listen=listen)

    def begun(self, name="w", *, cut=False, facts=None):
        """A session whose worker has begun: both."""
        session = self.session()
        worker = session.worker(name)
        worker.begin(cut=cut, facts=facts)
        return session, worker

    def cut(self):
        """The session that began last dies."""
        self.events.append((f"s-{self.sessions}", SessionCut(at=self.now(), correlation_id="")))

    def restart(self):
        self.events.append(("", MachineRestarted(at=self.now(), correlation_id="")))

    def now(self):
        return to_text(self.clock.now_s())

    def decide(self, name, decision="approved"):
        text = f'{{"task_id": "{name}", "decision": "{decision}"}}'
        done = self.systems.signals.decide(DecideArguments(text), self.clock.now_s()).written
        self._decided(name, decision, done)

    def clarify(self, name):
        done = self.systems.signals.clarify(ClarifyArguments(name, "So it is."), self.clock.now_s()).resolved
        self._decided(name, "clarified", done)

    def _decided(self, name, decision, done):
        event = HumanDecided(at=self.now(), correlation_id="", task=name, decision=decision, done=done)
        self.events.append(("human", event))

    def told(self, kind):
        return [event for _, event in self.events if type(event) is kind]


def succeeds(given):
    """An attempt that does."""
    return Attempted(succeeded=True)
    yield


def fails(given):
    """One that does not."""
    return Attempted(succeeded=False, approach="complex", error_message="2 tests fail")
    yield


def drifting(name, severity=Severity.LOW):
    return DriftArguments(name, "this", "that", severity, "w", 1, "what I had in mind")


def reviewer(name):
    return task(f"{name}/drift")


def live(seed, kind=Session, systems=None, sessions=14):
    """Two workers in turns, and now and then at once; humans decide, sessions are cut, the machine restarts."""
    draw = Random(seed)
    project = Project(kind=kind, systems=systems)
    project.answer = lambda argv: draw.choices((DONE, UNDONE), (14, 1))[0]
    cut = {"a": False, "b": False}

    def doing(session, worker, given):
        name = given["task_id"]
        if draw.random() < 0.4:
            if (yield from session.use_steps(use(name))) != "done":
                return Attempted(succeeded=False, escalated=True, approach="a use", error_message="it failed")
        if (yield from session.steps(task(name))) != "done":
            return Attempted(succeeded=False, escalated=True, approach="a call", error_message="it failed")
        for _ in range(draw.choice((0, 0, 0, 1, 3))):
            severity = draw.choice(tuple(Severity))
            if not (yield from worker.drift_steps(drifting(name, severity), reviewer(name))):
                return Attempted(succeeded=False, escalated=True, approach="a drift", error_message="it drifted")
            if (yield from session.steps(task(name))) != "done":
                return Attempted(succeeded=False, escalated=True, approach="a call", error_message="it failed")
        return Attempted(succeeded=draw.random() < 0.5, approach="complex", error_message="2 tests fail")

    for _ in range(sessions):
        project.fill(range(6 + 3 * project.sessions, 8 + 3 * project.sessions))
        pair = []
        for name in ("a", "b") if draw.random() < 0.5 else draw.choice((("a",), ("b",))):
            session, worker = project.begun(name, cut=cut[name])
            cut[name] = False
            pair.append((name, session, worker))
        _rounds(project, draw, pair, cut, doing)
        project.clock.move(draw.choice((60.0, 3600.0, 5 * 3600.0, 26 * 3600.0)))
        _human(project, draw)
    return project


def _rounds(project, draw, pair, cut, doing):
    for _ in range(draw.choice((2, 3, 5))):
        for _, session, worker in pair:
            session.work(worker, lambda given, session=session, worker=worker: doing(session, worker, given))
            project.clock.move(30.0)
    number = project.sessions - len(pair)
    restarts = draw.random() < 0.1
    for name, session, worker in pair:
        number += 1
        if restarts or draw.random() < 0.4:
            _die(session, worker, doing, draw)
            cut[name] = True
            project.events.append((f"s-{number}", SessionCut(at=project.now(), correlation_id="")))
        else:
            session.finish()
    if restarts:
        cut.update(a=True, b=True)
        project.restart()


def _die(session, worker, doing, draw):
    """In the middle of an attempt, or before one."""
    steps = worker.steps(lambda given: doing(session, worker, given))
    if draw.random() < 0.7:
        next(steps, None)
    steps.close()


def _human(project, draw):
    waiting = [each["task_id"] for each in pending(project)]
    for name in waiting[:1]:
        if draw.random() < 0.5:
            project.decide(name, draw.choice(("approved", "approved", "approved", "rejected")))
    for name in waiting[1:]:
        if draw.random() < 0.4:
            project.clarify(name)


def pending(project):
    return project.systems.signals.reviews(ReviewsArguments(), project.clock.now_s()).pending

"""Plans that are driven, on the references of their systems, on files in memory: what sub-agents say is scripted."""

import json
from random import Random

from fakes import DONE, UNDONE, task, use
from queued import HOME, Project, fails, pending, succeeds

from harness.core.plan_events import PhaseBegun, PlanDecided, PlanHalted
from harness.runtime.crew import Said
from harness.runtime.order import broken_together
from harness.runtime.session import Session
from harness.systems.phase_runner.contract import GateResult, StartArguments
from harness.systems.phase_runner.contract.words import Gate, Mode
from harness.systems.queue_store import QueueStore
from harness.systems.review_gate.contract import GATE_PATH, Issue

COLUMNS = "| Phase | Name | Depends On | Parallel With | Estimate | Status |\n|---|---|---|---|---|---|\n"
CHAIN = (("1", "-", "-"), ("2", "1", "-"), ("3", "2", "-"))
PAIR = (("1", "-", "-"), ("2a", "1", "2b"), ("2b", "1", "2a"), ("3", "2a, 2b", "-"))
TRIO = (("1", "-", "-"), ("2a", "1", "2b, 2c"), ("2b", "1", "2a, 2c"), ("2c", "1", "2a, 2b"), ("3", "2a, 2b, 2c", "-"))
FINE = GateResult(exit_code=0)
RED = GateResult(exit_code=1)
CLAIM = Said(
    json.dumps({"success": True, "tasks_total": 3, "tasks_completed": 3}), "All tests pass: see the output.", True
)
SHARED = CLAIM._replace(
    text=json.dumps({"success": True, "tasks_total": 1, "tasks_completed": 1, "modified": [{"path": "a.py"}]})
)
WEAK = CLAIM._replace(prose="It should be fine.", has_output=False)
FAILURE = Said(json.dumps({"success": False, "tasks_total": 3, "tasks_completed": 1, "message": "2 of 3 are missing"}))
GARBLED = Said("I have done it")
BAD = (Issue("high", "a secret is logged"),)
LOW = (Issue("low", "a name could be better"),)


def plan(rows=CHAIN, name="plan-1", *modes):
    lines = "".join(f"| Phase {row[0]} | Part {row[0]} | {row[1]} | {row[2]} | 1 h | pending |\n" for row in rows)
    return StartArguments(f"# Plan\n\n{COLUMNS}{lines}", name, modes)


class Script:
    """A crew that says what it is told: by phase, one answer for each attempt, the last one for ever."""

    def __init__(self, said=None, gates=None, issues=None):
        self._said, self._gates, self._issues = said or {}, gates or {}, issues or {}
        self.called, self.committed = [], []

    def call(self, name, model):
        self.called.append((name, model))
        return task(name, model=model)

    def use(self, name):
        return use(name)

    def said(self, launch):
        return _next(self._said, launch.phase_id, CLAIM)

    def gates(self, launch):
        return {Gate.TEST: _next(self._gates, launch.phase_id, FINE)}

    def issues(self, reviewer, number):
        return _next(self._issues, reviewer, ())

    def committing(self, commit):
        self.committed.append(commit.subject)
        return ("git", "commit")


def _next(script, name, otherwise):
    answers = script.get(name, [otherwise])
    return answers.pop(0) if len(answers) > 1 else answers[0]


class Drawn:
    """A crew that says what a seed says."""

    def __init__(self, draw):
        self.draw = draw

    def call(self, name, model):
        return task(name, model=model, security_critical=self.draw.random() < 0.04)

    def use(self, name):
        return use(name)

    def said(self, launch):
        return self.draw.choices((CLAIM, SHARED, WEAK, FAILURE, GARBLED), (6, 4, 1, 2, 1))[0]

    def gates(self, launch):
        return {Gate.TEST: self.draw.choices((FINE, RED), (6, 1))[0]}

    def issues(self, reviewer, number):
        return self.draw.choices(((), LOW, BAD, None), (12, 2, 1, 1 if reviewer else 0))[0]

    def committing(self, commit):
        return ("git", "commit")


def drive(project, crew, given=None, name="w", *, cut=False):
    """A session that drives the plan, and ends: its outcome."""
    session, worker = project.begun(name, cut=cut)
    outcome = session.drive(session.foreman(name, worker, crew), plan() if given is None else given)
    session.request_stop()
    session.finish()
    return outcome


def decide(project, name="plan-1", decision=Mode.RESUME):
    project.events.append(("human", PlanDecided(at=project.now(), correlation_id="", plan=name, decision=decision)))


def places(project, *phases):
    """In which queue each phase is."""
    with QueueStore(project.files, HOME).held() as queues:
        return [queues.place(f"plan-1/{phase}") for phase in phases]


def phases(project):
    """What was worked on, in order."""
    return [(event.phase, event.attempt) for event in project.told(PhaseBegun)]


def driven(crew=None, given=None, tasks=0):
    """A project in which a plan was driven for one session, and how that ended."""
    project = Project(tasks=tasks)
    return project, drive(project, Script() if crew is None else crew, given)


def sound(project):
    """No rule is broken, but that a system did not answer."""
    return set(broken_together(project.events)) <= {"INT-21"}


class Course:
    """One worker drives plans, another one works on tasks; humans decide, sessions are cut."""

    def __init__(self, seed, kind):
        self.draw = Random(seed)
        self.project = Project(tasks=2, kind=kind)
        self.project.answer = lambda argv: self.draw.choices((DONE, UNDONE), (40, 1))[0]
        self.number, self.modes, self.is_cut = 1, (), False

    @property
    def name(self):
        return f"plan-{self.number}"

    def session(self):
        """Of whoever drives."""
        session, worker = self.project.begun("a", cut=self.is_cut)
        given, self.modes = plan((PAIR, TRIO)[self.number % 2], self.name, *self.modes), ()
        foreman = session.foreman("a", worker, Drawn(self.draw))
        self.is_cut = self.draw.random() < 0.25
        if self.is_cut:
            self.die(foreman.steps(given))
            self.project.cut()
        else:
            outcome = session.drive(foreman, given)
            self.work(session, worker)
            session.request_stop()
            session.finish()
            if outcome == "completed":
                self.another()

    def die(self, steps):
        """In the middle of it, or just when it has ended."""
        ended = None
        for _ in range(self.draw.choice((1, 2, 4, 7, 11))):
            try:
                step = steps.send(ended)
            except StopIteration:
                return
            ended = self.project.answer(()) if hasattr(step, "argv") else None
        steps.close()

    def work(self, session, worker):
        """A round or two on what else there is."""
        for _ in range(self.draw.choice((0, 1, 2))):
            session.work(worker, self.draw.choice((fails, succeeds)))

    def another(self):
        self.number, self.modes = self.number + 1, (Mode.FRESH,)

    def decide(self):
        """About a plan that is halted, and about one task."""
        told = [event for _, event in self.project.events if isinstance(event, PlanHalted | PlanDecided)]
        if told and isinstance(told[-1], PlanHalted):
            is_resumed = self.draw.random() < 0.7
            decide(self.project, told[-1].plan, Mode.RESUME if is_resumed else Mode.FRESH)
            if not is_resumed:
                self.project.files.contents.pop(GATE_PATH.format(home=HOME), None)
                self.another()
        for each in pending(self.project)[:1]:
            if self.draw.random() < 0.6:
                self.project.decide(each["task_id"])


def live(seed, kind=Session, sessions=14):
    """See Course; the project, with all that happened."""
    course = Course(seed, kind)
    for _ in range(sessions):
        course.session()
        session, worker = course.project.begun("b")
        course.work(session, worker)
        session.finish()
        course.decide()
        course.project.clock.move(course.draw.choice((60.0, 3600.0, 26 * 3600.0)))
    return course.project

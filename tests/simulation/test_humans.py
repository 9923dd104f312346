"""The humans of a simulation: in hours, late or never, one decision at a time. Issue 7, Build 4."""

from collections import Counter

import pytest

from harness.core.plan_events import PhaseBegun, PlanHalted
from harness.core.task_events import DeadLettersReviewed, ReviewRequested, ReviewsChecked
from harness.ports.fake_files import FakeFiles
from harness.runtime.trial import Pause
from harness.simulation.humans import Humans
from harness.simulation.incidents import Incidents
from harness.simulation.systems import references
from harness.simulation.virtual_time import TICKS_PER_S
from harness.systems.phase_runner.contract.words import Mode
from harness.systems.queue_files import ABANDONED, BLOCKED, DEAD_LETTER, PENDING
from harness.systems.queue_store import QueueStore
from harness.systems.signals.contract import CheckArguments as LookArguments
from harness.systems.signals.contract import ReviewArguments, Severity

AT = {"at": "2026-03-01T12:00:00Z", "correlation_id": "r"}
NOW_S = 1772366400.0
HOUR = 3600 * TICKS_PER_S


class Office:
    """Writes down what was decided, and when; ``writes`` says whether that can be written."""

    def __init__(self, seed=1, systems=None):
        self.seed, self.elapsed, self.writes, self.systems, self.told = seed, 0, True, systems, []
        self.incidents = Incidents()
        self.humans = Humans(self)
        self.life = self.humans.life()

    def fate(self, who):
        return self.incidents.of(who, self.seed)

    def decided(self, decision, task, ask):
        done = self.writes if self.systems is None else ask(self.systems, NOW_S)
        self.told.append((task, decision, done, self.elapsed))
        return done

    def decided_about_plan(self, decision):
        self.told.append(("", decision, True, self.elapsed))

    def work(self):
        self.humans.take(PhaseBegun(**AT, task="p/1", phase="1", attempt=1))

    def halt(self):
        self.humans.take(PlanHalted(**AT, plan="p", reason="x", completed=(), failed=(), blocked=()))

    def ask(self, *tasks, stored=True):
        for task in tasks:
            self.humans.take(ReviewRequested(**AT, task=task, reasons=("x",), stored=stored, blocked=stored))

    def look(self, resolved=(), timed_out=()):
        alerts = dict.fromkeys(timed_out, True)
        self.humans.take(ReviewsChecked(**AT, resolved=dict(resolved), timed_out=timed_out, alerts=alerts))

    def letters(self, *notified, **decided):
        said = {"decided": decided, "unstored": (), "notified": notified, "created": ()}
        self.humans.take(DeadLettersReviewed(**AT, reviewed=True, **said))

    def pass_time(self, hours, *, looked_after=True):
        """Humans go on for so long; all that they decide is looked at, or nothing."""
        end = self.elapsed + hours * HOUR
        while True:
            step = next(self.life)
            assert isinstance(step, Pause)
            if self.elapsed + step.for_s * TICKS_PER_S > end:
                return
            self.elapsed += round(step.for_s * TICKS_PER_S)
            if looked_after and self.systems is not None:
                self.systems.signals.check_reviews(LookArguments(), NOW_S)
            if looked_after:
                self.look()

    def outcomes(self):
        return Counter(decision for _, decision, done, _ in self.told if done)


def test_most_are_answered_within_hours_some_late_and_some_never():
    times = []
    for seed in range(400):
        office = Office(seed)
        office.ask("a")
        office.pass_time(42)
        times += [at / HOUR for *_, at in office.told] or [None]
    answered = [at for at in times if at is not None]
    late = [at for at in answered if at > 3]
    assert len(times) == 400
    assert 360 < len(answered) - len(late) < 400
    assert min(answered) > 0.08
    assert all(24 <= at < 40.2 for at in late)
    assert 4 < len(late) < 24
    assert 2 < times.count(None) < 20


def test_humans_decide_in_every_way():
    office = Office()
    office.ask(*map(str, range(400)))
    office.pass_time(60)
    found = office.outcomes()
    assert set(found) == {"approved", "rejected", "clarified", "cancelled"}
    assert found["clarified"] > found["approved"] > found["rejected"]


def test_the_next_decision_waits_until_somebody_has_looked_at_the_last():
    office = Office()
    office.ask(*map(str, range(200)))
    office.pass_time(5, looked_after=False)
    assert sum(office.outcomes()[each] for each in ("approved", "rejected")) == 1
    decided = len(office.told)
    office.look()
    office.pass_time(1, looked_after=False)
    assert decided < len(office.told)


def test_a_request_that_is_not_stored_reaches_nobody():
    office = Office()
    office.ask("a", stored=False)
    office.pass_time(60)
    assert office.told == []


def test_what_could_not_be_written_is_decided_again():
    office = Office()
    office.writes = False
    office.ask("a")
    office.pass_time(3)
    assert len(office.told) > 1
    assert {done for *_, done, _ in office.told} == {False}
    office.writes = True
    office.pass_time(1)
    assert [done for *_, done, _ in office.told].count(True) == 1
    assert len({decision for _, decision, *_ in office.told}) == 1, "nobody changes his mind"


@pytest.mark.parametrize("over", [{"timed_out": ("a",)}, {"resolved": {"a": "approved"}}])
def test_what_is_over_is_not_decided(over):
    office = Office()
    office.ask("a")
    office.look(**over)
    office.pass_time(60)
    assert office.told == []


def test_a_plan_that_is_halted_is_resumed_or_given_up_within_hours():
    decisions, times = Counter(), []
    for seed in range(100):
        office = Office(seed)
        office.work()
        office.halt()
        office.halt()  # told again: nobody decides twice
        office.pass_time(10)
        ((_, decision, _, at),) = office.told
        decisions[decision] += 1
        times.append(at / HOUR)
    assert set(decisions) == {Mode.RESUME, Mode.FRESH}
    assert 60 < decisions[Mode.RESUME] < 90
    assert 0.25 <= min(times) < 1
    assert 5 < max(times) < 6.2


def test_a_plan_that_is_halted_before_anything_was_done_is_given_up():
    """Resumed, it would halt again, for ever."""
    for seed in range(20):
        office = Office(seed)
        office.halt()
        office.pass_time(10)
        assert [Mode.FRESH] == [decision for _, decision, *_ in office.told]


def test_dead_letters_are_given_up_after_hours_or_days():
    office = Office()
    office.letters(*map(str, range(50)))
    office.pass_time(1)
    office.letters(*map(str, range(50)))  # told again: nobody begins to wait anew
    office.pass_time(80)
    assert {decision for _, decision, *_ in office.told} == {"abandoned"}
    times = [at / HOUR for *_, at in office.told]
    assert len(times) == 50
    assert 6 <= min(times) < 20
    assert 50 < max(times) < 72.5


@pytest.mark.parametrize(("verdict", "count"), [("retried", 0), ("abandoned", 0), ("left", 1), ("human", 1)])
def test_what_a_review_has_settled_is_not_given_up(verdict, count):
    office = Office()
    office.letters("a")
    office.letters(a=verdict)
    office.pass_time(80)
    assert len(office.told) == count


def test_what_could_not_be_given_up_is_tried_again():
    office = Office()
    office.writes = False
    office.letters("a")
    office.pass_time(80)
    assert len(office.told) > 1
    office.writes = True
    office.pass_time(1)
    assert office.outcomes() == {"abandoned": 1}


def test_humans_use_what_the_systems_give_them():
    """Each decision reaches the queues."""
    files = FakeFiles()
    systems, store = references("/h", files), QueueStore(files, "/h")
    office = Office(systems=systems)
    names = [f"t-{number}" for number in range(60)]
    with store.held() as queues:
        for name in names:
            queues.put(PENDING, {"task_id": name, "title": name, "description": name})
    for name in names:
        arguments = ReviewArguments(name, "x", {}, Severity.HIGH, blocking=True, agent="w")
        assert systems.signals.request_review(arguments, NOW_S).blocked
    office.ask(*names)
    office.pass_time(60)
    places = {"approved": PENDING, "clarified": PENDING, "rejected": ABANDONED, "cancelled": ABANDONED}
    last = {task: decision for task, decision, done, _ in office.told if done}
    seen = store.seen()
    assert set(last.values()) == set(places)
    assert {name: seen.place(name) for name in names} == {
        name: places[last[name]] if name in last else BLOCKED for name in names
    }


def test_a_human_gives_a_dead_letter_up():
    files = FakeFiles()
    systems, store = references("/h", files), QueueStore(files, "/h")
    with store.held() as queues:
        queues.put(DEAD_LETTER, {"task_id": "a", "failure_count": 5, "attempts": []})
    office = Office(systems=systems)
    office.letters("a", "gone")
    office.pass_time(80)
    assert {(task, done) for task, _, done, _ in office.told} == {("a", True), ("gone", False)}
    assert store.seen().place("a") == ABANDONED

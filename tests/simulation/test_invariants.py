"""What must hold of a whole simulation: the sound one breaks nothing, and each planted defect is found."""

import json

import pytest
from file_world import (
    AT_WORK,
    BLOCKED,
    BREAKERS,
    DEAD,
    DONE,
    DRIFTS,
    ERRORS,
    HOME,
    LEDGER,
    PENDING,
    REVIEWS,
    WHEN,
    World,
    log,
    queue,
)
from watched_events import Watched, mutant

from harness.core.events import (
    AttemptStarted,
    CallBegun,
    FailureObserved,
    FailureRecorded,
    FellBack,
    RecoveryEnded,
    RetryScheduled,
    SessionCut,
    StopAnswered,
    StorageChanged,
)
from harness.core.task_events import (
    DeadLettersReviewed,
    FailureCounted,
    HumanDecided,
    NothingClaimed,
    ReviewRequested,
    ReviewsChecked,
    SessionResumed,
    TaskClaimed,
    TaskCompleted,
)
from harness.ports.fake_files import FakeFiles
from harness.simulation.invariants import INVARIANTS, Invariants
from harness.simulation.invariants.stops import MOST_BLOCKS
from harness.systems import registry
from harness.systems.queue_store import Queues
from harness.systems.session_recovery.reference.tasks import SessionQueues


@pytest.fixture
def world():
    return World()


# -- soundness


@pytest.mark.parametrize(("profile", "seed"), [("calm", 1), ("flaky", 2), ("hostile", 1), ("hostile", 3)])
def test_the_sound_simulation_breaks_none(profile, seed):
    assert {} == Watched(profile, seed, days=2, agents=5).broken


@pytest.mark.parametrize(("profile", "dies_at"), [("calm", 7), ("flaky", 9)])
def test_a_task_that_a_crash_leaves_in_two_places_is_not_accused(profile, dies_at):
    found = Watched(profile, days=1, agents=5, dies_at=dies_at)
    assert {} == found.broken
    assert {PENDING, AT_WORK, DONE} <= set(found.cut)


@pytest.mark.parametrize("name", [".loki/state/", "specs/errors.json", "signals/HUMAN", ".autobuild/"])
def test_a_session_that_dies_at_a_change_of_other_state_is_not_accused(name):
    found = Watched("flaky", agents=4, dies_at=4, where=lambda path: name in path and ".lock" not in path)
    assert {} == found.broken
    assert sum(found.cut.values()) > 3


def test_every_invariant_rests_on_clauses_there_are():
    known = {clause.id for system in registry.every() for clause in system.catalogue}
    assert set() == {clause for rule in INVARIANTS.values() for clause in rule.rests_on} - known


# -- planted defects, each in a whole simulation


@pytest.mark.parametrize(
    ("invariant", "system", "name", "profile"),
    [
        ("INV-01", "session_recovery", "source-before-destination", "calm"),
        ("INV-01", "dead_letter", "others-are-dropped", "calm"),
        ("INV-01", "signals", "tasks-leave-before-they-arrive", "calm"),
        ("INV-03", "session_recovery", "finished-tasks-stay", "calm"),
        ("INV-03", "session_recovery", "ledger-is-not-written", "calm"),
        ("INV-03", "session_recovery", "ledger-is-begun-anew", "calm"),
        ("INV-04", "error_log", "records-are-never-written", "calm"),
        ("INV-04", "error_log", "last-record-only", "calm"),
        ("INV-04", "error_log", "unsaved-is-said-to-be-stored", "hostile"),
        ("INV-05", "circuit_breaker", "trips-into-half-open", "flaky"),
        ("INV-05", "circuit_breaker", "opens-into-closed", "flaky"),
        ("INV-05", "circuit_breaker", "late-success-closes", "flaky"),
        ("INV-02", "session_recovery", "claimed-tasks-stay-pending", "calm"),
        ("INV-14", "phase_runner", "retry-is-a-status", "flaky"),
        ("INV-06", "circuit_breaker", "always-permits", "flaky"),
        ("INV-08", "diagnosis", "gives-up-after-three", "flaky"),
        ("INV-09", "phase_runner", "three-attempts-are-written", "calm"),
        ("INV-09", "phase_runner", "three-attempts", "flaky"),
        ("INV-10", "dead_letter", "six-failures-are-needed", "flaky"),
        ("INV-11", "signals", "tasks-are-not-blocked", "calm"),
        ("INV-11", "signals", "one-request-at-a-time", "flaky"),
        ("INV-12", "stop_gate", "missing-transcript-blocks", "hostile"),
    ],
)
def test_a_mutant_of_a_system_is_found_and_nothing_else_is_accused_before(invariant, system, name, profile):
    found = Watched(profile, agents=5, planted=mutant(system, name), to_the_end=False)
    assert {invariant} == set(found.broken)


def test_a_task_that_stays_in_its_old_queue_is_found(monkeypatch):
    def left(self, entry, source, destination):
        self._write(destination, self._document(destination).with_task(entry))

    monkeypatch.setattr(SessionQueues, "_write_destination_first", left)
    assert {"INV-02"} == set(Watched().broken)


def test_copies_that_a_recovery_leaves_are_found(monkeypatch):
    monkeypatch.setattr(Queues, "_remove_duplicates", lambda self: None)
    assert "INV-02" in Watched(dies_at=7).broken


def test_a_failure_that_is_logged_twice_is_found():
    class Twice:
        def __init__(self, inner):
            self._inner = inner

        def __getattr__(self, name):
            return getattr(self._inner, name)

        def log(self, arguments, now_s):
            self._inner.log(arguments, now_s)
            return self._inner.log(arguments, now_s)

    found = Watched(planted=lambda made, files: made._replace(error_log=Twice(made.error_log)))
    assert {"INV-04"} == set(found.broken)


@pytest.mark.parametrize(
    "name",
    [".loki/queue/", ".loki/state/", "specs/", ".autobuild/", "HUMAN_", "FEATURE_READY", "counters.json"],
)
def test_a_file_that_is_written_in_two_steps_is_found(name):
    def torn(simulation):
        replace = simulation.files.replace

        def in_two(path, data):
            if name in path:
                replace(path, data[: len(data) // 2])
            replace(path, data)

        simulation.files.replace = in_two

    found = Watched("flaky", spoil=torn, to_the_end=False)
    assert "INV-14" in found.broken


def test_lines_without_their_end_are_found():
    def torn(simulation):
        append = simulation.files.append
        simulation.files.append = lambda path, data: append(path, data[:-1] if "memory" in path else data)

    assert {"INV-15"} == set(Watched(spoil=torn).broken)


# -- rule by rule, where a simulation seldom gets


def test_a_task_in_two_places_is_accused_without_a_crash(world):
    world.write(PENDING, queue("a"))
    world.write(AT_WORK, queue("a"))
    assert ("INV-02",) == world.take(TaskClaimed, task="a")
    assert () == world.take(TaskClaimed, task="a")


def test_a_task_in_two_places_after_a_crash_is_accused_when_a_recovery_leaves_it(world):
    world.write(PENDING, queue("a"))
    world.write(AT_WORK, queue("a"))
    assert () == world.take(SessionCut, changing=PENDING)
    assert () == world.take(TaskClaimed, task="a")
    assert ("INV-02",) == world.take(SessionResumed, outcome="recovered", interrupted=(), checkpoint=None)


def test_a_recovery_on_a_full_disk_need_not_remove_copies(world):
    world.write(PENDING, queue("a"))
    world.write(AT_WORK, queue("a"))
    world.take(SessionCut, changing=PENDING)
    world.take(StorageChanged, full=True)
    assert () == world.take(SessionResumed, outcome="recovered", interrupted=(), checkpoint=None)


def test_a_task_twice_in_one_file_is_accused(world):
    world.write(PENDING, queue("a", "b"))
    world.take(TaskClaimed, task="b")
    world.write(PENDING, queue("a", "b", "a"))
    assert ("INV-02",) == world.take(TaskClaimed, task="b")


def test_a_queue_file_that_is_removed_loses_its_tasks_at_once(world):
    world.write(PENDING, queue("a"))
    world.take(NothingClaimed, outcome="none")
    world.files.remove(PENDING)
    world.write(PENDING, queue("a"))
    assert ("INV-01",) == world.take(NothingClaimed, outcome="none")


def finished(world):
    world.write(DONE, queue("a"))
    world.files.append(LEDGER, b'{"task_id":"a"}\n')
    return world.take(TaskCompleted, task="a", outcome="completed", recorded=True)


@pytest.mark.parametrize(
    "again", [(TaskClaimed, {}), (TaskCompleted, {"outcome": "completed", "recorded": True})], ids=["claim", "complete"]
)
@pytest.mark.parametrize("archived", [False, True])
def test_a_completed_task_is_not_had_again_also_when_it_is_archived(world, again, archived):
    assert () == finished(world)
    if archived:
        del world.files.contents[DONE], world.files.contents[LEDGER]
        world.watched.archived((DONE, LEDGER))
    kind, more = again
    nowhere = ("INV-02",) if kind is TaskClaimed else ()  # it is not in progress
    assert (*nowhere, "INV-03") == world.take(kind, task="a", **more)


def test_what_is_archived_is_not_lost(world):
    finished(world)
    del world.files.contents[DONE]
    world.watched.archived((DONE,))
    world.write(DONE, queue("b"))
    world.files.append(LEDGER, b'{"task_id":"b"}\n')
    assert () == world.take(TaskCompleted, task="b", outcome="completed", recorded=True)


def test_an_archived_task_that_comes_back_is_accused(world):
    finished(world)
    world.watched.archived((DONE,))
    world.write(PENDING, queue("a"))
    assert ("INV-03",) == world.watched.end()


def test_a_task_in_the_ledger_twice_is_accused(world):
    finished(world)
    world.files.append(LEDGER, b'{"task_id":"a"}\n')
    assert ("INV-03",) == world.watched.end()


def failed(world, text="boom"):
    return world.take(FailureObserved, tool="model", kind="exit", message=text)


def test_a_failure_that_is_not_in_the_file_is_accused_whatever_the_event_says(world):
    failed(world)
    assert ("INV-04",) == world.take(FailureRecorded, record_id="err_1", stored=True)


def test_a_record_that_a_full_disk_refused_may_come_later_and_once(world):
    world.take(StorageChanged, full=True)
    failed(world)
    assert () == world.take(FailureRecorded, record_id="err_1", stored=False)
    world.take(StorageChanged, full=False)
    world.write(ERRORS, log(("err_1", "boom")))
    assert () == world.take(CallBegun, task="a", tool="model", model="opus", approach="full")
    world.write(ERRORS, log(("err_1", "boom"), ("err_2", "boom")))
    assert ("INV-04",) == world.watched.end()


def test_two_records_with_one_id_are_accused(world):
    failed(world)
    world.write(ERRORS, log(("err_1", "boom")))
    world.take(FailureRecorded, record_id="err_1", stored=True)
    failed(world, "bang")
    world.write(ERRORS, log(("err_1", "boom"), ("err_1", "bang")))
    assert ("INV-04",) == world.take(FailureRecorded, record_id="err_1", stored=True)


def test_a_record_that_is_changed_into_another_is_accused(world):
    failed(world)
    world.write(ERRORS, log(("err_1", "boom")))
    world.take(FailureRecorded, record_id="err_1", stored=True)
    world.write(ERRORS, log(("err_2", "boom")))
    assert ("INV-04",) == world.watched.end()


@pytest.mark.parametrize(
    ("before", "after", "broken"),
    [
        ("CLOSED", "OPEN", ()),
        ("OPEN", "HALF_OPEN", ()),
        ("HALF_OPEN", "OPEN", ()),
        ("HALF_OPEN", "CLOSED", ()),
        ("CLOSED", "HALF_OPEN", ("INV-05",)),
        ("OPEN", "CLOSED", ("INV-05",)),
        ("OPEN", None, ("INV-05",)),
        ("CLOSED", None, ()),
        ("CLOSED", "AJAR", ("INV-05",)),
    ],
)
def test_a_breaker_has_four_moves(before, after, broken):
    files = FakeFiles()
    files.replace(BREAKERS, json.dumps({"api": {"state": before}}).encode())
    watched = Invariants(files, HOME)
    watched.take("s", StorageChanged(**WHEN, full=False))
    files.replace(BREAKERS, json.dumps({} if after is None else {"api": {"state": after}}).encode())
    assert broken == watched.end()


def test_a_sixth_retry_is_accused_and_another_rung_has_five_of_its_own(world):
    world.take(CallBegun, task="a", tool="model", model="opus", approach="full")
    world.take(AttemptStarted, tool="model", attempt=1, model="opus", approach="full")
    retries = [world.take(RetryScheduled, retry=number, delay_s=5.0) for number in range(1, 6)]
    world.take(FellBack, ladder="model", before="opus", after="sonnet", consecutive_failures=1)
    retries += [world.take(RetryScheduled, retry=number, delay_s=5.0) for number in range(1, 6)]
    assert [()] * 10 == retries
    assert ("INV-07",) == world.take(RetryScheduled, retry=1, delay_s=5.0)


def test_a_recovery_after_two_that_failed_is_accused(world):
    world.take(CallBegun, task="a", tool="model", model="opus", approach="full")
    ended = {"succeeded": False, "iterations": 1, "next_strategy": "c", "asks_user": False}
    assert () == world.take(RecoveryEnded, strategy="a", **ended)
    assert () == world.take(RecoveryEnded, strategy="b", **ended)
    assert ("INV-08",) == world.take(AttemptStarted, tool="model", attempt=3, strategy="c")


def test_a_dead_letter_whose_retry_was_cut_off_may_be_claimed(world):
    world.write(DEAD, queue("a"))
    world.take(FailureCounted, task="a", recorded=True, failure_count=5, moved=True)
    assert ("INV-02", "INV-10") == world.take(TaskClaimed, task="a")
    world.write(PENDING, queue("a"))
    world.write(DEAD, queue())
    world.take(SessionCut, changing=DEAD)
    world.write(AT_WORK, queue("a"))
    world.write(PENDING, queue())
    assert () == world.take(TaskClaimed, task="a")


def requested(world, *, stored=True, task="a"):
    world.write(BLOCKED, queue(task))
    if stored:
        world.write(REVIEWS, json.dumps({"task_id": task}).encode())
    return world.take(ReviewRequested, task=task, reasons=("escalated",), stored=True, blocked=True)


def test_a_request_that_has_no_file_is_accused(world):
    assert ("INV-11",) == requested(world, stored=False)


@pytest.mark.parametrize(
    ("kind", "fields", "broken"),
    [
        (ReviewsChecked, {"resolved": {"a": "approved"}, "timed_out": (), "alerts": {}}, ()),
        (ReviewsChecked, {"resolved": {}, "timed_out": ("a",), "alerts": {}}, ()),
        (ReviewsChecked, {"resolved": {}, "timed_out": (), "alerts": {}}, ("INV-11",)),
        (HumanDecided, {"task": "a", "decision": "clarified", "done": True}, ()),
        (HumanDecided, {"task": "b", "decision": "clarified", "done": True}, ("INV-11",)),
        (SessionCut, {"changing": BLOCKED}, ()),
        (SessionCut, {}, ("INV-11",)),
        (TaskClaimed, {"task": "b"}, ("INV-02", "INV-11")),
    ],
)
def test_a_request_is_gone_only_when_it_is_decided(world, kind, fields, broken):
    assert () == requested(world)
    world.files.remove(REVIEWS)
    assert broken == world.take(kind, **fields)


def test_a_session_is_blocked_a_bounded_number_of_times(world):
    world.files.replace(f"{HOME}/.claude/projects/session/s.jsonl", b'{"role":"user"}\n')
    answers = [world.take(StopAnswered, decision="block", reasons=("todo",)) for _ in range(MOST_BLOCKS + 1)]
    assert [*[()] * MOST_BLOCKS, ("INV-13",)] == answers


def test_a_last_line_that_a_crash_tore_is_excused_and_the_next_one_is_not(world):
    world.files.append(DRIFTS, b'{"task_id":"a"}\n{"task')
    assert () == world.take(SessionCut, changing=DRIFTS)
    world.files.append_lines(DRIFTS, b'{"task_id":"b"}\n')
    assert ("INV-15",) == world.watched.end()


@pytest.mark.parametrize(("files", "broken"), [((), ("INV-16",)), (("20260301T120000Z-a.md",), ())])
def test_a_dead_letter_that_is_a_humans_has_an_escalation_file(world, files, broken):
    for name in files:
        world.write(f"{HOME}/.loki/escalations/{name}", b"# Escalation\n\nTask ID: a\n")
    fields = {"reviewed": True, "unstored": (), "notified": ("a",), "created": ()}
    assert broken == world.take(DeadLettersReviewed, decided={"a": "human"}, **fields)

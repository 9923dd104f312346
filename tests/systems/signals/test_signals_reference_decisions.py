"""What becomes of reviews in the reference: decided, cleared, cancelled, timed out, or struck (LK-HR-06, LK-HR-07)."""

import pytest
from signals_reference_world import DAY_S, NOW, World, codes, task

from harness.ports.clock import to_text
from harness.systems import queue_files
from harness.systems.signals.contract import Channel
from harness.systems.signals.reference.kept_file import LEAST_PATIENCE_S, LOCK_S

FULL = OSError("full")


@pytest.fixture
def world():
    return World().prepared()


@pytest.mark.parametrize("fields", [{}, {"task_id": "t-2"}, {"task_id": None, "by": "Ann"}])
def test_an_approval_gives_the_task_back_and_is_deleted(world, fields):
    world.put("in-progress", [task("t-2", status="blocked", note=[1])])
    world.review()
    assert world.decide("approved", **fields).written
    found = world.check()
    assert ([("t-2", "approved")], []) == ([(each.task_id, each.decision) for each in found.resolved], codes(found))
    assert (["pending"], task("t-2", note=[1], moves=2)) == (world.where("t-2"), world.task("t-2"))
    assert (None, None) == (world.data("review"), world.data("approved"))
    assert ((), []) == ((again := world.check()).resolved, codes(again))


@pytest.mark.parametrize("words", ["rejected", "Never on a Friday"])
def test_any_other_decision_keeps_the_task_from_being_claimed(world, words):
    world.review()
    world.decide(words, task_id="t-2")
    assert [words] == [each.decision for each in world.check().resolved]
    assert (["abandoned"], "cancelled") == (world.where("t-2"), world.task("t-2")["status"])
    assert world.task("t-2")["abandon_reason"].endswith(words)


@pytest.mark.parametrize(("fields", "code"), [
    ({}, "approval_ambiguous"), ({"task_id": "t-1"}, "approval_unknown"),
])  # fmt: skip
def test_a_decision_that_resolves_nothing_is_set_aside(world, fields, code):
    world.review("t-2")
    world.review("t-3")
    world.decide("approved", **fields)
    found = world.check()
    assert ((), [code]) == (found.resolved, codes(found))
    assert ["t-2", "t-3"] == world.ids()
    assert (None, "approved") == (world.data("approved"), world.json(".HUMAN_APPROVED.aside-1")["decision"])


@pytest.mark.parametrize("content", [
    "", "approved", "[]", "{}", '{"decision": ""}', '{"decision": true}', '{"decision": "approved", "task_id": 5}',
    '{"decision": "approved", "task_id": ""}', "[" * 5000,
])  # fmt: skip
def test_a_malformed_decision_resolves_nothing_and_stays(world, content):
    world.review()
    world.say(content)
    found = world.check()
    assert ((), ["approval_invalid"], content) == (found.resolved, codes(found), world.data("approved").decode())
    assert ["blocked"] == world.where("t-2")


@pytest.mark.parametrize(("broken", "said", "resolved", "then"), [
    (("read", "HUMAN_APPROVED"), ["storage_failed"], 0, 1),
    (("remove", "HUMAN_APPROVED"), ["storage_failed"], 1, 0),
    (("replace", "pending.json"), ["queue_write_failed"], 0, 1),
    (("remove", "HUMAN_REVIEW_NEEDED"), ["review_write_failed"], 0, 1),
    (("lock", "signals/.lock"), ["lock_failed"], 0, 1),
])  # fmt: skip
def test_a_decision_that_cannot_be_carried_out_waits(world, broken, said, resolved, then):
    world.review()
    world.decide()
    world.files.broken[broken] = FULL
    found = world.check()
    assert (resolved, said) == (len(found.resolved), codes(found))
    world.files.broken.clear()
    assert then == len(world.check().resolved)
    assert (["pending"], []) == (world.where("t-2"), world.ids())
    assert world.data("approved") is None


def test_a_decision_that_cannot_be_written_is_told(world):
    world.files.broken["replace", "HUMAN_APPROVED"] = FULL
    assert (False, ["storage_failed"]) == ((found := world.decide()).written, codes(found))


def test_a_decision_that_came_in_between_is_not_deleted(world):
    world.review()
    world.decide()
    write = world.files.remove

    def interfering(path):
        write(path)
        world.put("approved", {"decision": "rejected", "task_id": "t-9"})

    world.files.remove = interfering
    world.check()
    assert "rejected" == world.json("approved")["decision"]


def test_a_clarified_task_goes_on_and_says_what_is_clear(world):
    world.review()
    assert world.clarify(clarification="first").resolved
    world.review()
    world.clarify(clarification='a "b"\n\ud800')
    assert (["pending"], ["first", 'a "b"\n\\ud800']) == (world.where("t-2"), world.task("t-2")["clarifications"])
    assert [] == world.ids()
    world.review("t-1", blocking=False)
    world.clarify("t-1")
    assert (["in-progress"], ["use staging"]) == (world.where("t-1"), world.task("t-1")["clarifications"])


def test_a_cancelled_task_is_abandoned(world):
    for id_, places in (("t-2", ["abandoned"]), ("t-9", [])):
        world.review(id_)
        assert world.cancel(id_).resolved
        assert (places, []) == (world.where(id_), world.ids())


def test_tasks_nobody_asked_about_are_neither_cleared_nor_cancelled(world):
    for found in (world.clarify("t-1"), world.cancel("t-1")):
        assert (False, ["task_unknown"]) == (found.resolved, codes(found))
    world.review()
    world.files.broken["lock", "queue/.lock"] = FULL
    for found in (world.clarify(), world.cancel()):
        assert (False, ["lock_failed"]) == (found.resolved, codes(found))
    world.files.broken["lock", "signals/.lock"] = FULL
    assert (False, ["lock_failed"]) == ((found := world.cancel()).resolved, codes(found))


@pytest.mark.parametrize(("wait_s", "late"), [
    (-3600.0, False), (0.0, False), (DAY_S, False), (DAY_S + 0.001, True), (1e9, True),
])  # fmt: skip
def test_a_review_times_out_after_24_hours(world, wait_s, late):
    world.review(agent="infra")
    found = world.check(at=wait_s)
    assert (("t-2",) if late else ()) == found.timed_out == tuple(each.task_id for each in found.alerts)
    assert (["dead-letter"] if late else ["blocked"]) == world.where("t-2")
    if late:
        letter = world.task("t-2")
        assert ("in-progress", 1, "requires_human_review") == (
            letter["original_queue"], letter["failure_count"], letter["recovery_strategy"],
        )  # fmt: skip
        assert (1, "timeout", "infra") == tuple(
            letter["attempts"][0][name] for name in ("attempt_number", "error_type", "agent_id")
        )
        assert ({"title": "About t-2", "priority": "high"}, [1]) == (letter["task_data"], letter["note"])
        assert to_text(NOW + wait_s) == letter["first_failure"] == letter["last_failure"]
        assert (None, "blocked_from" in letter, "title" in letter) == (world.data("review"), False, False)


def test_what_a_task_went_through_stands_in_its_dead_letter(world):
    world.put("pending", [
        {"task_id": "t-3", "failure_count": 4, "attempts": [{"attempt_number": 1}], "first_failure": "x", "a": 1,
         "task_data": {"title": "T", "owner": "Ann"}},
        {"task_id": "t-4", "attempts": "none", "task_data": 5},
    ])  # fmt: skip
    world.put("blocked", [task("t-5", blocked_from="elsewhere")])
    for id_ in ("t-3", "t-4", "t-5"):
        world.review(id_)
    world.check(at=DAY_S + 1.0)
    third, fourth, fifth = (world.task(id_) for id_ in ("t-3", "t-4", "t-5"))
    assert (5, 2, "x", 1) == (third["failure_count"], len(third["attempts"]), third["first_failure"], third["a"])
    assert ({"title": "T", "owner": "Ann"}, "pending") == (third["task_data"], third["original_queue"])
    assert ({"title": "t-4"}, 1) == (fourth["task_data"], len(fourth["attempts"]))
    assert "pending" == fifth["original_queue"]


def test_a_task_that_was_never_blocked_dies_from_where_it_is(world):
    world.put("review", {"task_id": "t-1", "timestamp": "2026-02-01T00:00:00+09:00"})
    assert ("t-1",) == world.check().timed_out
    assert ("in-progress", "unknown") == (
        world.task("t-1")["original_queue"], world.task("t-1")["attempts"][0]["agent_id"],
    )  # fmt: skip


@pytest.mark.parametrize("stamp", ["yesterday", 17, None, "2026-02-01T00:00:00"])
def test_a_request_nobody_can_date_waits(world, stamp):
    world.put("review", {"task_id": "t-1", "timestamp": stamp})
    assert ((), ["blocked"]) == (world.check().timed_out, world.where("t-1"))


@pytest.mark.parametrize("alert", ["fails", "hangs"])
def test_a_channel_that_fails_loses_no_task(world, alert):
    world.review()
    found = world.check(at=DAY_S + 1.0, alert=Channel(alert))
    assert ([False], ["alert_failed"], ("t-2",)) == ([each.ok for each in found.alerts], codes(found), found.timed_out)
    assert (["dead-letter"], []) == (world.where("t-2"), world.ids())


def test_a_request_whose_task_is_dead_ended_or_nowhere_is_over(world):
    world.put("dead-letter", {"tasks": [task("t-6")], "metadata": {"n": 1}})
    world.put("completed", [task("t-7")])
    for id_ in ("t-6", "t-7", "t-8"):
        world.review(id_)
    found = world.check(at=DAY_S + 1.0)
    assert ("t-6", "t-8") == found.timed_out == tuple(each.task_id for each in found.alerts)
    assert ([], {"tasks": [task("t-6")], "metadata": {"n": 1}}) == (world.ids(), world.json("dead-letter"))


@pytest.mark.parametrize(("broken", "places"), [
    (("replace", "dead-letter.json"), ["blocked"]), (("remove", "HUMAN_REVIEW_NEEDED"), ["dead-letter"]),
])  # fmt: skip
def test_a_time_out_that_is_struck_is_made_up_for_by_the_next_check(world, broken, places):
    world.review()
    world.files.broken[broken] = FULL
    assert ((), places) == (world.check(at=DAY_S + 1.0).timed_out, world.where("t-2"))
    world.files.broken.clear()
    assert ("t-2",) == world.check(at=DAY_S + 1.0).timed_out
    assert (["dead-letter"], [], 1) == (world.where("t-2"), world.ids(), len(world.task("t-2")["attempts"]))


def test_a_task_that_cannot_be_written_stays_where_it_is(world):
    def described(levels):
        return b'[{"task_id":"t-2","description":' + b"[" * levels + b"]" * levels + b"}]"

    most = max(levels for levels in range(250) if queue_files.read(described(levels)) is not None)
    world.put("in-progress", described(most))
    assert world.review().blocked
    found = world.check(at=DAY_S + 1.0)
    assert ((), ["queue_write_failed"], ["blocked"]) == (found.timed_out, codes(found), world.where("t-2"))


def test_a_task_that_cannot_be_taken_out_of_its_queue_is_not_blocked_yet(world):
    world.files.broken["replace", "in-progress.json"] = FULL
    found = world.review()
    assert (True, False, ["in-progress", "blocked"]) == (found.stored, found.blocked, world.where("t-2"))
    world.files.broken.clear()
    world.check()
    assert ["blocked"] == world.where("t-2")


def test_a_copy_that_is_taken_out_at_the_second_attempt_is_gone(world):
    once = [OSError("busy")]
    replace = world.files.replace

    def busy(path, data):
        if path.endswith("in-progress.json") and once:
            raise once.pop()
        replace(path, data)

    world.files.replace = busy
    assert (True, ["blocked"]) == (world.review().blocked, world.where("t-2"))


def test_queues_that_are_locked_in_between_are_settled_later(world):
    world.files.broken["replace", "in-progress.json"] = FULL
    lock, taken = world.files.lock, []

    def once(path, timeout_s):
        if path.endswith("queue/.lock"):
            taken.append(path)
            if len(taken) > 1:
                raise OSError("locked")
        return lock(path, timeout_s)

    world.files.lock = once
    assert (False, ["queue_write_failed"]) == ((found := world.review()).blocked, codes(found))


@pytest.mark.parametrize("words", ["approved", "rejected"])
def test_a_decision_about_a_task_that_ended_leaves_it_there(world, words):
    world.put("completed", [task("t-7")])
    world.review("t-7")
    world.decide(words)
    assert (1, ["completed"], []) == (len(world.check().resolved), world.where("t-7"), world.ids())


def test_a_lock_that_is_kept_is_waited_for_less_each_time(world):
    waits = []

    def kept(path, timeout_s):
        waits.append(timeout_s)
        raise TimeoutError(path)

    lock = world.signals.reviewing.lock
    free, world.files.lock = world.files.lock, kept
    for _ in range(5):
        assert ["lock_failed"] == codes(world.check())
    assert ([LOCK_S, LOCK_S / 16, LOCK_S / 256], lock.patience_s < LEAST_PATIENCE_S) == ([w for w in waits if w], True)
    world.files.lock = free
    world.check()
    assert LOCK_S == lock.patience_s

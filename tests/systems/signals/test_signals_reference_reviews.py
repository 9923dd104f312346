"""Reviews in the reference: when they are needed, asked for, and files that are odd (LK-HR)."""

import pytest
from signals_reference_world import DAY_S, NOW, World, actions, codes, task

from harness.ports.clock import to_text

FULL = OSError("full")


@pytest.fixture
def world():
    return World().prepared()


@pytest.mark.parametrize(("facts", "expected"), [
    ({}, []),
    ({"critical": True, "confidence": 0.39}, ["low_confidence"]),
    ({"critical": True, "confidence": 0.4}, []),
    ({"confidence": 0.1}, []),
    ({"security_critical": True}, ["security_decision"]),
    ({"irreversible": True}, ["irreversible_operation"]),
    ({"irreversible": True, "rollback": False}, ["irreversible_operation"]),
    ({"irreversible": True, "rollback": True}, []),
    ({"consecutive_failures": 3}, ["repeated_failures"]),
    ({"consecutive_failures": 2}, []),
    ({"ambiguous": True, "blocks": True}, ["ambiguous_requirements"]),
    ({"ambiguous": True}, []),
    ({"cost_usd_per_hour": 100.01}, ["cost"]),
    ({"cost_usd_per_hour": 100.0}, []),
    ({"security_critical": True, "consecutive_failures": 9}, ["security_decision", "repeated_failures"]),
])  # fmt: skip
def test_a_human_is_needed_for_each_reason_and_no_other(world, facts, expected):
    assert expected == world.assess(**facts)


def test_a_request_is_stored_and_its_task_blocked(world):
    found = world.review()
    expected = {
        "timestamp": to_text(NOW), "reason": "security_decision", "task_id": "t-2", "context": "keys",
        "severity": "critical", "blocking": True,
    }  # fmt: skip
    assert (expected, True, True, "t-3") == (found.record, found.stored, found.blocked, found.goes_on_with)
    assert (["stop", "log", "block", "continue"], []) == (actions(found), codes(found))
    assert expected == world.json("review")
    assert ["blocked"] == world.where("t-2")
    assert ("in-progress", [1]) == (world.task("t-2")["blocked_from"], world.task("t-2")["note"])


def test_optional_fields_stand_in_a_request_when_they_are_given(world):
    found = world.review(agent="infra", alternatives_considered=[])
    assert ("infra", []) == (found.record["agent"], found.record["alternatives_considered"])


def test_several_requests_stand_in_one_list_and_one_again_takes_its_place(world):
    world.review("t-2")
    world.review("t-3")
    world.review("t-2", context="more")
    assert [("t-2", "more"), ("t-3", "keys")] == [(each["task_id"], each["context"]) for each in world.json("review")]
    assert ["t-3"] == [each["task_id"] for each in world.reviews("t-3")]
    assert ["blocked"] == world.where("t-2")


@pytest.mark.parametrize("given", [(None, "x"), ("", "x"), (5, "x"), ("t-2", None), ("t-2", "")])
def test_a_request_without_a_task_or_a_reason_is_refused(world, given):
    found = world.review(*given)
    assert (None, False, (), ["review_invalid"]) == (found.record, found.stored, found.steps, codes(found))
    assert world.data("review") is None


def test_a_request_that_does_not_block_leaves_its_task(world):
    found = world.review(blocking=False)
    assert (["stop", "log", "continue"], False) == (actions(found), found.blocked)
    assert ["in-progress"] == world.where("t-2")
    assert (False, 0) == (world.check(at=2 * DAY_S).timed_out != (), len(world.check().timed_out))
    assert ["in-progress"] == world.where("t-2")


def test_what_goes_on_is_no_task_that_waits(world):
    world.put("pending", [task("t-3", status="blocked"), {"title": "no id"}, task("t-4"), task("t-5")])
    assert "t-4" == world.review("t-2").goes_on_with
    world.files.broken["replace", "blocked.json"] = FULL
    found = world.review("t-4")
    assert (True, False, "t-5") == (found.stored, found.blocked, found.goes_on_with)
    assert ["queue_write_failed"] == codes(found)
    assert "t-5" == world.review("t-9").goes_on_with
    world.files.broken.clear()
    assert None is world.review("t-5").goes_on_with
    assert ["pending"] == world.where("t-4")
    world.check()
    assert ["blocked"] == world.where("t-4")


def test_a_task_that_ended_or_is_nowhere_is_not_blocked(world):
    world.put("completed", [task("t-7")])
    for id_, places in (("t-7", ["completed"]), ("t-8", [])):
        found = world.review(id_)
        assert (True, False, places) == (found.stored, found.blocked, world.where(id_))


@pytest.mark.parametrize(("broken", "code"), [
    (("replace", "HUMAN_REVIEW_NEEDED"), "review_write_failed"),
    (("read", "HUMAN_REVIEW_NEEDED"), "review_write_failed"),
    (("lock", "signals/.lock"), "lock_failed"),
])  # fmt: skip
def test_what_cannot_be_stored_blocks_nothing(world, broken, code):
    world.files.broken[broken] = FULL
    found = world.review()
    assert (False, False, [code]) == (found.stored, found.blocked, codes(found))
    assert [True, False, False, True] == [step.ok for step in found.steps]
    assert ["in-progress"] == world.where("t-2")


def test_a_queue_that_cannot_be_locked_or_read_is_told(world):
    world.files.broken["lock", "queue/.lock"] = FULL
    assert ["lock_failed"] == codes(world.review())
    world.files.broken.clear()
    world.files.broken["read", "pending.json"] = FULL
    found = world.review("t-8")
    assert {"queue_write_failed", "storage_failed"} == set(codes(found))
    assert None is found.goes_on_with
    world.files.broken.clear()
    world.files.broken["replace", "in-progress.json"] = FULL
    assert ["queue_write_failed"] == codes(world.review())
    world.files.broken.clear()
    world.put("pending", b"{")
    assert ["duplicate_removed", "queue_damaged"] == sorted(codes(world.review("t-1")))


@pytest.mark.parametrize("content", [
    b"", b"1", b"\xff", b"{", b'{"reason": "x"}', b'[1, {"task_id": 7}]', b"[" * 5000 + b"]" * 5000,
])  # fmt: skip
def test_a_damaged_file_of_requests_is_kept_aside(world, content):
    world.put("review", content)
    found = world.pending()
    assert (["reviews_damaged"], []) == (codes(found), [each for each in found.pending if "task_id" not in each])
    assert ["reviews_damaged"] == codes(world.review())
    assert content == world.data(".HUMAN_REVIEW_NEEDED.aside-1")
    assert ["t-2"] == world.ids()


def test_sound_requests_among_odd_ones_are_kept_as_they_are_written(world):
    world.put("review", b'[{"task_id": "t-1", "x": 1e400, "blocking": true}, null]')
    world.check()
    assert b'{"task_id": "t-1", "x": 1e400, "blocking": true}\n' == world.data("review")
    assert ["blocked"] == world.where("t-1")
    world.put("review", b"[null]")
    world.check()
    assert world.data("review") is None


def test_what_is_damaged_and_cannot_be_kept_is_not_overwritten(world):
    world.put("review", b"{")
    world.files.broken["create", "aside-1"] = FULL
    assert (["review_write_failed"], b"{") == (codes(world.review()), world.data("review"))
    world.files.broken.clear()
    for number in range(1, 100):
        world.put(f".HUMAN_REVIEW_NEEDED.aside-{number}", b"other")
    world.files.broken["read", "aside-1"] = FULL
    assert (["storage_failed"], b"{") == (codes(world.check()), world.data("review"))
    world.put(".HUMAN_REVIEW_NEEDED.aside-50", b"{")
    assert ["reviews_damaged"] == codes(world.check())


def test_an_unreadable_file_of_requests_is_told(world):
    world.files.broken["read", "HUMAN_REVIEW_NEEDED"] = FULL
    assert ["storage_failed"] == codes(world.pending())
    assert ["storage_failed"] == codes(world.check())
    assert (False, ["storage_failed"]) == ((found := world.cancel()).resolved, codes(found))

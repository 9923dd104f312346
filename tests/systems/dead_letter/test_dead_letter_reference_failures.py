"""Failures that are recorded, the dead letters that they make, and tasks that a human gives up or lists."""

import pytest
from dead_letter_reference_world import Failing, World, attempt, attempts, codes, letter, stamp, task

from harness.systems.dead_letter.contract import ATTEMPT_FIELDS, TASK_FIELDS


@pytest.fixture
def world():
    return World(files=Failing())


@pytest.mark.parametrize("queue", ["pending", "in-progress", "blocked"])
@pytest.mark.parametrize(("before", "moved"), [(0, False), (3, False), (4, True), (7, True)])
def test_the_fifth_failure_makes_a_dead_letter(world, queue, before, moved):
    world.put(queue, [task("T-0"), task(count=before)])
    found = world.fail(at=60.0)
    assert (True, moved, before + 1, []) == (found.recorded, found.moved, found.failure_count, codes(found))
    assert ["dead-letter" if moved else queue] == world.places()
    stored = world.stored("dead-letter" if moved else queue)
    assert (before + 1, [*attempts(before), attempt(before + 1, 60.0)]) == (stored["failure_count"], stored["attempts"])
    assert list(ATTEMPT_FIELDS) == list(stored["attempts"][-1])
    assert [queue] == world.places("T-0")


def test_a_dead_letter_has_all_its_fields_and_those_that_nobody_knows(world):
    world.put("in-progress", {"tasks": [task(count=4, mine=[1])], "v": 1})
    world.fail(at=9.0)
    found = world.stored()
    assert set(TASK_FIELDS) | {"mine", "moves"} == set(found)
    assert ("in-progress", stamp(), stamp(9.0)) == tuple(
        found[each] for each in ("original_queue", "first_failure", "last_failure")
    )
    assert "5 failed attempts (timeout); the last: it took 30 s" == found["error_summary"]
    assert task()["task_data"] == found["task_data"]
    assert [1] == found["mine"]
    assert {"last_reviewed": None, "total_abandoned": 0, "total_recovered": 0} == world.file()["metadata"]
    assert {"tasks": [], "v": 1} == world.file("in-progress")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"task_data": None}, {"title": "", "description": "", "dependencies": [], "priority": "medium"}),
        ({"task_data": {"title": "t", "priority": "urgent", "x": 1}},
         {"title": "t", "description": "", "dependencies": [], "priority": "medium", "x": 1}),
        ({"task_data": None, "title": "t", "description": None, "priority": "low", "dependencies": ["T-9"]},
         {"title": "t", "description": "", "dependencies": ["T-9"], "priority": "low"}),
        ({"task_data": "x", "priority": 3}, {"title": "", "description": "", "dependencies": [], "priority": "medium"}),
    ],
)  # fmt: skip
def test_what_a_task_lacks_is_filled_in(world, fields, expected):
    world.put("blocked", [task(count=4, **fields)])
    assert world.fail().moved
    found = world.stored()
    assert expected == found["task_data"]
    assert "pending" == found["original_queue"]
    assert ({"task_data": "x"} if fields["task_data"] == "x" else None) == found.get("replaced")


@pytest.mark.parametrize(
    ("attempts_", "number", "count"),
    [
        (None, 1, 5), ("x", 1, 5), ([{"attempt_number": 7}, "odd"], 8, 5),
        ([{"attempt_number": True}, {"attempt_number": 2.0}, {"attempt_number": 2**60}], 4, 5),
    ],
)  # fmt: skip
def test_odd_attempts_are_kept_and_numbers_grow(world, attempts_, number, count):
    world.put("pending", [task(count=4, attempts=attempts_, replaced={"y": 2})])
    assert count == world.fail().failure_count
    found = world.stored()
    assert [*(attempts_ if isinstance(attempts_, list) else []), attempt(number)] == found["attempts"]
    assert ({"y": 2} | ({"attempts": "x"} if attempts_ == "x" else {})) == found["replaced"]


@pytest.mark.parametrize(("stored", "count"), [("4", 1), (None, 1), (True, 1), (-1, 1), (4.0, 5), (10**30, 10**30 + 1)])
def test_a_count_that_is_none_is_that_of_the_attempts(world, stored, count):
    world.put("pending", [task(failure_count=stored)])
    assert count == world.fail().failure_count


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("test_failure", "test_failure"), ("dependency", "dependency"), ("validation", "validation"),
        ("crash", "validation"), (None, "validation"), (5, "validation"),
    ],
)  # fmt: skip
def test_an_error_has_one_of_four_types(world, given, expected):
    world.put("pending", [task()])
    found = world.fail(error_type=given)
    assert ([] if isinstance(given, str) else ["attempt_invalid"]) == codes(found)
    assert expected == world.stored("pending")["attempts"][0]["error_type"]


def test_whatever_is_given_becomes_text(world):
    world.put("pending", [task()])
    found = world.fail(approach=None, error_message=["\ud800"], agent_id=5)
    assert (True, ["attempt_invalid"]) == (found.recorded, codes(found))
    made = world.stored("pending")["attempts"][0]
    assert ("unknown", "['\\ud800']", "5") == (made["approach"], made["error_message"], made["agent_id"])
    world.fail(error_message="a\ud800b", agent_id="")
    made = world.stored("pending")["attempts"][1]
    assert ("a\\ud800b", "unknown") == (made["error_message"], made["agent_id"])


@pytest.mark.parametrize("queue", ["completed", "dead-letter", "abandoned"])
def test_only_a_task_that_is_worked_at_can_fail(world, queue):
    world.put(queue, [letter()])
    before = world.file(queue)
    for task_id in ("T-1", "nobody", ""):
        found = world.fail(task_id)
        assert (False, False, None) == (found.recorded, found.moved, found.failure_count)
        assert ["task_unknown"] == codes(found)
    assert before == world.file(queue)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["dependency"] * 5, "dependency_blocked"), (["timeout"] * 5, "retry_with_simpler_approach"),
        (["dependency"] * 4 + ["timeout"], "retry_with_simpler_approach"),
    ],
)  # fmt: skip
def test_the_failures_suggest_the_strategy(world, kinds, expected):
    world.put("pending", [task()])
    for kind in kinds:
        found = world.fail(error_type=kind)
    assert found.moved
    assert expected == world.stored()["recovery_strategy"]


def test_times_that_are_none_are_passed_over(world):
    made = [attempt(1, timestamp=None), attempt(2, 5.0), attempt(3, 6.0, error_type=None, error_message="")]
    world.put("pending", [task(count=4, attempts=made)])
    world.fail(at=7.0)
    assert (stamp(5.0), stamp(7.0)) == (world.stored()["first_failure"], world.stored()["last_failure"])
    letters = world.queue.letters
    assert (None, None) == letters.times(task())
    assert "no failed attempt is known" == letters.analyst.summary(task())


def test_a_bare_array_becomes_an_object(world):
    world.put("dead-letter", b"[]")
    world.put("pending", [task(count=4)])
    world.fail()
    assert {"tasks", "metadata"} == set(world.file())
    assert ["dead-letter"] == world.places()


def test_metadata_that_is_none_is_replaced_and_told(world):
    world.put("dead-letter", {"tasks": [], "metadata": 5})
    world.put("pending", [task(count=4)])
    assert ["queue_damaged"] == codes(world.fail())
    assert 0 == world.file()["metadata"]["total_recovered"]


# -- a human gives it up


def test_a_human_abandons_a_task_once(world):
    world.put("dead-letter", {"tasks": [letter(mine=1)], "metadata": {"total_abandoned": 3, "mine": 1}})
    for _ in range(2):
        found = world.abandon(by="a\nb", reason="too\ndear")
        assert (True, []) == (found.abandoned, codes(found))
        assert ["abandoned"] == world.places()
    stored = world.stored("abandoned")
    assert ("abandoned by a b: too\ndear", "permanent_abandon", 1) == (
        stored["abandon_reason"], stored["recovery_strategy"], stored["mine"],
    )  # fmt: skip
    assert {"total_abandoned": 4, "mine": 1, "last_reviewed": None, "total_recovered": 0} == world.file()["metadata"]


def test_only_a_dead_letter_can_be_abandoned(world):
    world.put("pending", [task()])
    for task_id in ("T-1", "nobody"):
        found = world.abandon(task_id)
        assert (False, ["task_unknown"]) == (found.abandoned, codes(found))
    assert ["pending"] == world.places()


def test_a_queue_is_listed_as_it_is(world):
    world.put("pending", [task("T-2"), "odd", task(more=[1])])
    assert (task("T-2"), task(more=[1])) == world.tasks().tasks
    assert () == world.tasks("nonsense").tasks == world.tasks("completed").tasks

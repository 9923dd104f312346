"""What the reference decides about dead letters, in which order, and what follows. Document 000 (L425-537)."""

import pytest
from dead_letter_reference_world import DAY_S, Failing, World, attempt, attempts, codes, letter, stamp, task

from harness.systems.dead_letter.contract import Scope, TaskFacts

ORDER = ["review", "decided", "last_reviewed"]
SCOPE = Scope("Parse a part", "only the lexer")
HUMAN = {"needs": ("an API key",)}


def world_of(*tasks, last_reviewed=None, **metadata):
    made = World(files=Failing())
    made.put("dead-letter", {"tasks": list(tasks), "metadata": {"last_reviewed": last_reviewed, **metadata}})
    return made


@pytest.fixture
def world():
    return world_of(letter())


@pytest.mark.parametrize(
    ("last_reviewed", "stale"),
    [
        (stamp(-DAY_S - 1), True), (stamp(-DAY_S), False), (stamp(-DAY_S + 1), False), (stamp(), False),
        (stamp(1), True), (None, True), ("yesterday", True), (5, True), ("2026-03-01T12:00:00", True),
        ("9999-12-31T23:59:59-23:59", True), (["x"], True),
    ],
)  # fmt: skip
def test_a_session_begins_with_the_review_when_that_is_stale(last_reviewed, stale):
    world = world_of(letter(), last_reviewed=last_reviewed)
    found = world.start()
    assert stale == found.reviewed
    assert ([*ORDER, "work"] if stale else ["work"]) == list(found.order)
    assert (stamp() if stale else last_reviewed) == world.file()["metadata"]["last_reviewed"]


def test_nobody_reviews_what_nobody_wrote():
    world = World(files=Failing())
    assert (False, ("work",)) == (world.start().reviewed, world.start().order)
    assert (False, ()) == (world.review().reviewed, world.review().order)
    assert {"/world/.loki/queue/.lock"} >= set(world.files.contents)
    world.put("dead-letter", {"tasks": [], "metadata": {"total_abandoned": 1}})
    assert (True, ("review", "last_reviewed")) == (world.review().reviewed, world.review().order)


def test_each_task_with_an_id_is_decided_about_in_order():
    world = world_of(letter("b"), {"x": 1}, letter("a"), "odd")
    found = world.review(facts={"a": TaskFacts(irrelevant=True), "nobody": TaskFacts(irrelevant=True)})
    assert [("b", "left"), ("a", "abandoned")] == [(each.task_id, each.decision) for each in found.decisions]
    assert ["review", "decided", "decided", "last_reviewed"] == list(found.order)
    assert all(each.reason and each.stored for each in found.decisions)
    assert [{"x": 1}, "odd"] == [each for each in world.file()["tasks"] if each == "odd" or "task_id" not in each]


@pytest.mark.parametrize(
    ("fields", "decision", "queue"),
    [
        ({"dependency_available": True, "irrelevant": True, **HUMAN}, "retried", "pending"),
        ({"dependency_never": True, **HUMAN}, "abandoned", "abandoned"),
        ({"irrelevant": True}, "abandoned", "abandoned"),
        (HUMAN, "human", "dead-letter"),
        ({"new_approach": "", "fixed_by": "", "root_cause": ""}, "left", "dead-letter"),
    ],
)  # fmt: skip
def test_the_order_of_the_tests(world, fields, decision, queue):
    found = world.decide(**fields)
    assert (decision, True) == (found.decision, found.stored)
    assert [queue] == world.places()


def test_a_worn_out_task_with_a_retry_condition_is_retried():
    assert "retried" == world_of(letter(count=12)).decide(fixed_by="abc").decision


# -- retried


def test_a_dependency_that_is_available_is_resolved(world):
    found = world.decide(dependency_available=True)
    stored = world.stored("pending")
    assert ("retried", "dependency_resolved") == (found.decision, found.strategy)
    assert (found.strategy, found.reason, 5) == (
        stored["recovery_strategy"], stored["recovery_reason"], stored["failure_count"],
    )  # fmt: skip
    assert letter()["task_data"] == stored["task_data"]
    assert letter()["attempts"] == stored["attempts"]
    assert 1 == world.file()["metadata"]["total_recovered"]
    assert 0 == world.file()["metadata"]["total_abandoned"]


def test_a_new_approach_resets_the_count_and_is_written_down(world):
    found = world.decide(at=9.0, new_approach="by hand")
    stored = world.stored("pending")
    planned = attempt(6, 9.0, approach="by hand", error_type=None, error_message=None, agent_id=None)
    assert ("retried", None, None) == (found.decision, found.strategy, stored["recovery_strategy"])
    assert (0, [*attempts(5), planned]) == (stored["failure_count"], stored["attempts"])
    assert 1 == world.fail().failure_count
    assert 7 == world.stored("pending")["attempts"][-1]["attempt_number"]


def test_a_fix_is_referred_to(world):
    assert "retried" == world.decide(fixed_by="abc123", simpler_scope=SCOPE).decision
    assert ("abc123", 5) == (world.stored("pending")["fix_commit"], world.stored("pending")["failure_count"])


def test_a_simpler_scope_makes_one_linked_task(world):
    found = world.decide(simpler_scope=SCOPE)
    assert ("retried", "T-1-simpler", "retry_with_simpler_approach") == (found.decision, found.created, found.strategy)
    made = world.stored("pending", "T-1-simpler")
    assert (SCOPE.title, SCOPE.description, "T-1", ["T-0"], "high") == (
        made["title"], made["description"], made["linked_to"], made["dependencies"], made["priority"],
    )  # fmt: skip
    assert "T-1-simpler" == world.stored()["simpler_task"]
    assert 0 == world.file()["metadata"]["total_recovered"]
    again = world.decide(simpler_scope=SCOPE)
    assert ("left", None) == (again.decision, again.created)
    assert 1 == len(world.file("pending")["tasks"])
    assert "retried" == world.decide(simpler_scope=SCOPE, dependency_available=True).decision


def test_the_id_of_a_simpler_task_is_new(world):
    world.put("completed", [task("T-1-simpler"), task("T-1-simpler-2")])
    assert "T-1-simpler-3" == world.decide(simpler_scope=SCOPE).created


def test_a_simpler_task_that_its_original_does_not_name_is_found():
    world = world_of(letter(recovery_strategy="dependency_blocked"), {"y": 1})
    world.put("in-progress", [task("T-7", linked_to="T-1"), {"linked_to": "T-1"}])
    found = world.decide(simpler_scope=SCOPE)
    assert ("left", "retry_with_simpler_approach") == (found.decision, found.strategy)
    assert "T-7" == world.stored()["simpler_task"]
    assert ["in-progress"] == world.places("T-7")


# -- abandoned


@pytest.mark.parametrize(("count", "decision"), [(9, "left"), (10, "abandoned"), (11, "abandoned")])
def test_ten_attempts_are_too_many(count, decision):
    world = world_of(letter(count=count, failure_count=0), total_abandoned="x")
    found = world.decide()
    assert decision == found.decision
    if decision == "abandoned":
        assert (found.reason, "permanent_abandon") == (world.stored("abandoned")["abandon_reason"], found.strategy)
        assert 1 == world.file()["metadata"]["total_abandoned"]


def test_an_approach_that_nobody_tried_is_no_attempt():
    planned = attempt(10, error_type=None, error_message=None)
    assert "left" == world_of(letter(attempts=[*attempts(9), planned])).decide().decision


@pytest.mark.parametrize(
    ("changes", "decision"),
    [
        ([{"approach": "a"}, {"approach": "b"}, {"approach": "c"}], "abandoned"),
        ([{"approach": "a"}, {"approach": "b"}, {"approach": "b"}], "left"),
        ([{"approach": "a"}, {"approach": "b"}, {"approach": None}, {"approach": ""}], "left"),
        ([{"approach": "a", "error_type": "dependency"}, {"approach": "b"}, {"approach": "c"}], "left"),
        ([{"approach": "a", "error_message": "it took 5 s"}, {"approach": "b", "error_message": "IT took  99 s "},
          {"approach": "c"}], "abandoned"),
        ([{"approach": "a", "error_message": "other"}, {"approach": "b"}, {"approach": "c"}], "left"),
    ],
)  # fmt: skip
def test_one_error_in_three_approaches_is_enough(changes, decision):
    made = [attempt(number + 1, **fields) for number, fields in enumerate(changes)]
    assert decision == world_of(letter(attempts=made)).decide().decision


# -- a human


@pytest.mark.parametrize(
    ("fields", "human"),
    [
        *(({"touches": (touch,)}, True) for touch in ("auth", "secrets", "permissions")),
        ({"touches": ("deletion",)}, False), ({"touches": ("colours",), "rollback_failed": True}, False),
        ({"touches": ("deletion",), "rollback_failed": True}, True),
        ({"touches": ("migration",), "rollback_failed": True}, True),
        ({"confidence": 0.29}, True), ({"confidence": 0.30}, False), ({"confidence": 0.0}, True),
        ({"confidence": 0.39}, False), ({"needs": ("a key",)}, True), ({"needs": ("",)}, True),
        ({"readings": 2}, True), ({"readings": 1}, False), ({"root_cause": "disk"}, False),
    ],
)  # fmt: skip
def test_what_a_human_is_needed_for(world, fields, human):
    found = world.review(**fields)
    assert "human" if human else "left" == found.decisions[0].decision
    assert (("T-1",) if human else ()) == found.notified
    expected = "requires_human_review" if human else "retry_with_simpler_approach"
    assert expected == world.stored()["recovery_strategy"] == found.decisions[0].strategy
    assert human == bool(world.names())


@pytest.mark.parametrize(
    ("data", "human"),
    [
        ({"title": "Add OAuth login"}, True), ({"description": "rotate auth_token"}, True), ({"title": "AUTH"}, True),
        ({"title": "Authors page"}, False), ({"title": 5, "description": ["secret"]}, False),
        ({"title": "The secret's out"}, True),
    ],
)  # fmt: skip
def test_the_words_of_a_task_show_what_it_touches(data, human):
    world = world_of(letter(task_data=data))
    assert ("human" if human else "left") == world.decide().decision


@pytest.mark.parametrize(
    ("causes", "more", "decisions"),
    [
        ("xxx", {}, ["human"] * 3), ("xx", {}, ["left"] * 2), ("xxy", {}, ["left"] * 3),
        ("xxx", {"irrelevant": True}, ["abandoned", "left", "left"]),
        ("xxxx", {"irrelevant": True}, ["abandoned", "human", "human", "human"]),
    ],
)  # fmt: skip
def test_three_tasks_with_one_root_cause_need_a_human(causes, more, decisions):
    world = world_of(*(letter(f"T-{number}") for number in range(len(causes))))
    facts = {f"T-{number}": TaskFacts(root_cause=cause) for number, cause in enumerate(causes)}
    facts["T-0"] = TaskFacts(root_cause=causes[0], **more)
    found = world.review(facts=facts)
    assert decisions == [each.decision for each in found.decisions]
    assert decisions.count("human") == len(found.notified) == len(world.names())


def test_a_task_that_waits_has_one_escalation_and_one_notice(world):
    assert ("T-1",) == world.review(**HUMAN).notified
    again = world.review(at=DAY_S, **HUMAN)
    assert ("human", (), 1) == (again.decisions[0].decision, again.notified, len(world.names()))
    assert "left" == world.decide(at=2 * DAY_S).decision
    assert "retry_with_simpler_approach" == world.stored()["recovery_strategy"]
    assert ("T-1",) == world.review(at=3 * DAY_S, **HUMAN).notified
    assert 2 == len(world.names()) == len(world.stored()["escalations"])


# -- left


@pytest.mark.parametrize(
    ("kinds", "before", "expected"),
    [
        (("dependency", "dependency"), "retry_with_simpler_approach", "dependency_blocked"),
        (("timeout", "timeout"), "dependency_blocked", "retry_with_simpler_approach"),
        ((), None, "retry_with_simpler_approach"),
    ],
)  # fmt: skip
def test_each_review_picks_the_strategy(kinds, before, expected):
    made = [attempt(number + 1, error_type=kind) for number, kind in enumerate(kinds)]
    world = world_of(letter(attempts=made, recovery_strategy=before))
    found = world.decide()
    assert ("left", expected, expected) == (found.decision, found.strategy, world.stored()["recovery_strategy"])


def test_a_review_that_changes_nothing_writes_only_when_it_was():
    world = world_of(letter(more=1), mine=2)
    before = world.file()["tasks"]
    found = world.review(at=5.0)
    assert (True, []) == (found.reviewed, codes(found))
    assert (before, 2, stamp(5.0)) == (
        world.file()["tasks"], world.file()["metadata"]["mine"], world.file()["metadata"]["last_reviewed"],
    )  # fmt: skip

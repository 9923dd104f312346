"""What the reference asks before an operation begins: the breaker, the worktrees, and a checkpoint that is stored."""

import errno

import pytest
from session_recovery_world import actions, breaker, codes, step, world

from harness.systems.session_recovery.reference import create

FULL = OSError(errno.ENOSPC, "full")
CHECKPOINT = ".loki/state/checkpoint.json"


def test_a_checkpoint_is_kept():
    made = world()
    found = made.checkpoint("c1", {"step": 3})
    assert (True, CHECKPOINT, ()) == (found.stored, found.path, found.log)
    assert {"name": "c1", "state": {"step": 3}} == made.written("checkpoint")


def test_a_checkpoint_that_cannot_be_kept_is_none():
    made = world()
    made.checkpoint("c1")
    made.files.broken["replace", "checkpoint"] = FULL
    found = made.checkpoint("c2")
    assert (False, None, ["checkpoint_write_failed"]) == (found.stored, found.path, codes(found))
    assert "c1" == made.resume().checkpoint


def test_a_state_that_no_file_can_hold_is_not_kept():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert ["checkpoint_write_failed"] == codes(world().checkpoint("c1", {"x": deep}))


def test_a_directory_that_is_removed_on_the_way_is_made_anew():
    made = world()
    made.files.broken["replace", "checkpoint"] = FileNotFoundError("gone")
    made.files.fuse = 1
    assert made.checkpoint("c1").stored
    del made.files.contents[made.path("checkpoint")]
    assert made.checkpoint("c2").stored
    assert "c2" == made.resume().checkpoint


@pytest.mark.parametrize(("kind", "act"), [("major", "perform"), ("spawn", "spawn")])
def test_the_checkpoint_comes_before_the_act(kind, act):
    made = world()
    found = made.begin("o1", kind, state={"k": 1})
    assert ["checkpoint", act] == actions(found)
    assert (True, CHECKPOINT, ()) == (found.performed, found.checkpoint, found.log)
    assert ("o1", {"k": 1}) == (made.resume().checkpoint, made.resume().state)


def test_a_minor_operation_needs_none():
    made = world()
    found = made.begin(kind="minor")
    assert (["perform"], True, None) == (actions(found), found.performed, found.checkpoint)
    assert None is made.resume().checkpoint


@pytest.mark.parametrize("kind", ["major", "spawn"])
def test_without_its_checkpoint_nothing_begins(kind):
    made = world()
    made.files.broken["replace", "checkpoint"] = FULL
    found = made.begin(kind=kind)
    assert (["checkpoint"], False, None) == (actions(found), found.performed, found.checkpoint)
    assert not found.steps[0].ok
    assert ["checkpoint_write_failed"] == codes(found)


@pytest.mark.parametrize(
    ("agents", "implementing", "worktrees", "expected"),
    [
        (1, True, 0, True), (2, True, 0, False), (2, True, 1, False), (2, True, 2, True), (2, True, 3, True),
        (5, True, 4, False), (5, True, 5, True), (5, False, 0, True),
    ],
)  # fmt: skip
def test_several_implement_only_with_a_worktree_each(agents, implementing, worktrees, expected):
    found = world().begin(kind="spawn", agents=agents, implementing=implementing, worktrees=worktrees)
    assert expected == found.performed
    assert ([] if expected else ["not_isolated"]) == codes(found)
    if expected:
        assert agents == step(found, "spawn").count
    else:
        assert [] == actions(found)


def test_worktrees_are_for_agents_that_are_spawned():
    assert world().begin(kind="major", agents=5, implementing=True).performed


@pytest.mark.parametrize(
    ("record", "at", "expected"),
    [
        ({}, 0, True),
        ({"api/claude": breaker("CLOSED")}, 0, True),
        ({"api/claude": breaker("HALF_OPEN")}, 0, True),
        ({"api/claude": breaker()}, 0, False),
        ({"api/claude": breaker()}, 119.9, False),
        ({"api/claude": breaker()}, 120, True),
        ({"api/claude": breaker(until=None)}, 0, False),
        ({"other": breaker()}, 0, True),
        (b"{", 0, False),
    ],
    ids=range(9),
)
@pytest.mark.parametrize(("kind", "act"), [("minor", ["perform"]), ("spawn", ["checkpoint", "spawn"])])
def test_a_breaker_is_asked_and_obeyed(record, at, expected, kind, act):
    made = world()
    made.put("breakers", record)
    found = made.begin(kind=kind, breaker="api/claude", at=at)
    assert expected == found.performed
    assert ["check_breaker", *(act if expected else [])] == actions(found)
    assert expected == ("breaker_open" not in codes(found))
    assert (kind == "spawn" and expected) == (made.resume().checkpoint is not None)


def test_without_files_of_its_own_it_works_on_those_of_the_machine(tmp_path):
    from harness.systems.session_recovery.contract import CheckpointArguments, Configuration

    made = create(Configuration(str(tmp_path)))
    assert made.checkpoint(CheckpointArguments("c", {}), 0.0).stored
    assert [CHECKPOINT] == [str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*.json")]

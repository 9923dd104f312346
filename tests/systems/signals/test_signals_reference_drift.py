"""Drift in the reference: records, their numbers, what follows, and files that are not as they should be (LK-DR)."""

import json

import pytest
from signals_reference_world import GOAL, NOW, World, actions, codes

from harness.ports.clock import to_text
from harness.systems.signals.reference.texts import DEEPEST, INTEGER_BITS, plain, timestamp

IMMEDIATE = ["stop", "log", "reason", "reread"]


@pytest.fixture
def world():
    return World().prepared()


def test_a_record_has_all_eight_fields(world):
    found = world.drift(agent={"a": 1}, planned_action=None)
    expected = {
        "timestamp": to_text(NOW), "task_id": "t-1", "planned_action": None, "detected_drift": "drift",
        "severity": "medium", "agent": {"a": 1}, "original_goal": GOAL, "drift_distance": 2,
    }  # fmt: skip
    assert (expected, True, []) == (found.record, found.stored, codes(found))
    assert [expected] == [json.loads(line) for line in world.data("drift").splitlines()]


def test_steps_follow_the_number_of_drifts_of_the_task(world):
    assert [*IMMEDIATE, "warn", "continue"] == actions(world.drift())
    assert [*IMMEDIATE, "warn", "continue"] == actions(world.drift("t-9"))
    assert [*IMMEDIATE, "escalate"] == actions(world.opened().drift())
    for _ in range(2):
        assert [*IMMEDIATE, "escalate", "consolidate"] == actions(world.drift())
    assert ["t-1", "t-9", "t-1", "t-1", "t-1"] == [each["task_id"] for each in world.drifts()]
    assert ["t-9"] == [each["task_id"] for each in world.drifts("t-9")]


@pytest.mark.parametrize("severity", ["high", "critical"])
def test_a_grave_drift_pauses_the_task_and_is_reviewed_by_opus(world, severity):
    found = world.drift(severity=severity)
    assert [*IMMEDIATE, "warn", "pause", "review"] == actions(found)
    assert "opus" == found.steps[-1].detail
    assert [*IMMEDIATE, "escalate", "pause", "review"] == actions(world.drift(severity=severity))


@pytest.mark.parametrize("fields", [
    {"severity": "HIGH"}, {"severity": None}, {"severity": ["low"]}, {"distance": 0}, {"distance": True},
    {"distance": 1.5}, {"distance": "2"}, {"distance": float("nan")}, {"distance": 2**63},
])  # fmt: skip
def test_an_invalid_report_is_refused_and_told(world, fields):
    found = world.drift(**fields)
    assert (None, False, IMMEDIATE, ["drift_invalid"]) == (found.record, found.stored, actions(found), codes(found))
    assert not found.steps[1].ok
    assert world.data("drift") is None


def test_a_whole_number_may_be_written_as_a_float(world):
    assert 3 == world.drift(distance=3.0).record["drift_distance"]


@pytest.mark.parametrize(("content", "goal", "said"), [
    ({"task_id": "t-1", "goal": 'say "no"'}, 'say "no"', []),
    ({"goal": "x"}, "x", []),
    ({"task_id": "t-2", "goal": "x"}, None, []),
    ({"task_id": "t-1", "goal": 5}, None, []),
    ([], None, ["task_unreadable"]),
    (b"{", None, ["task_unreadable"]),
    (b"\xff", None, ["task_unreadable"]),
])  # fmt: skip
def test_the_goal_is_that_of_the_current_task(world, content, goal, said):
    world.put("current", content)
    found = world.drift()
    assert (goal, said) == (found.record["original_goal"], codes(found))
    assert (not said) == found.steps[3].ok


def test_what_stands_in_the_log_stays_and_what_is_a_record_counts(world):
    before = b'\n1\n{"task_id": 7}\n{"a": "said "no""}\n\xff\n{"task_id":"t-1"}\n{"task_id":"t-1","torn'
    world.put("drift", before)
    found = world.drift()
    assert [*IMMEDIATE, "escalate"] == actions(found)
    assert ["drift_log_damaged"] == codes(found)
    assert before + b"\n" == world.data("drift")[: len(before) + 1]
    assert [{"task_id": "t-1"}, found.record] == world.drifts()


def test_a_drift_that_cannot_be_stored_is_responded_to_and_counts(world):
    world.drift()
    world.files.broken["append_lines", "DRIFT_DETECTED"] = OSError("full")
    found = world.drift()
    assert (False, ["drift_write_failed"], [*IMMEDIATE, "escalate"]) == (found.stored, codes(found), actions(found))
    assert [True, False, True, True, True] == [step.ok for step in found.steps]
    assert 1 == len(world.drifts())


def test_a_log_that_cannot_be_read_is_told_and_counted_from_memory(world):
    world.drift()
    world.files.broken["read", "DRIFT_DETECTED"] = OSError("denied")
    found = world.drift()
    assert (True, ["storage_failed"], [*IMMEDIATE, "escalate"]) == (found.stored, codes(found), actions(found))
    assert [] == world.drifts()


def test_memory_is_consolidated_beside_what_stands_in_continuity(world):
    for before in (b"", b"# Notes", b"# Notes\n", b"# Notes\n\n"):
        world.put("continuity", before)
        for memory in ("one", "two"):
            for _ in range(3):
                world.drift(memory=memory)
        merged = world.data("continuity")
        assert b"## Working memory, consolidated after drift\n\ntwo\n" == merged[merged.index(b"## W") :]
        assert before.strip() == merged[: merged.index(b"## W")].strip()
    world.put("continuity", merged + b"\n## Next\n\nkept\n")
    world.drift(memory="three")
    assert world.data("continuity").endswith(b"after drift\n\nthree\n\n## Next\n\nkept\n")


def test_memory_that_cannot_be_consolidated_is_told(world):
    world.files.broken["replace", "CONTINUITY.md"] = OSError("full")
    found = [world.drift() for _ in range(3)][-1]
    assert (["continuity_write_failed"], False) == (codes(found), found.steps[-1].ok)


def test_without_the_lock_a_drift_is_logged_but_nothing_is_consolidated(world):
    world.files.broken["lock", "signals/.lock"] = OSError("denied")
    found = [world.drift() for _ in range(3)][-1]
    assert (True, ["lock_failed"], False) == (found.stored, codes(found), found.steps[-1].ok)
    assert 3 == len(world.drifts())
    assert world.data("continuity") is None


def test_a_file_that_is_too_long_is_not_read(world, monkeypatch):
    monkeypatch.setattr("harness.systems.signals.reference.kept_file.LIMIT_BYTES", 10)
    world.put("drift", b"x" * 11)
    assert ["storage_failed"] == codes(world.drift(distance=1))[-1:]


def test_odd_texts_and_values_are_kept_as_json_can_hold_them(world):
    deep = [[]]
    for _ in range(DEEPEST):
        deep = [deep]
    found = world.drift("t\ud800", planned_action=[2**INTEGER_BITS, float("inf"), 1.5, {1: {2}}], detected_drift=deep)
    assert ["<int>", "inf", 1.5, {"1": "<set>"}] == found.record["planned_action"]
    assert found.record == world.drifts("t\ud800")[0]
    assert "t\\ud800" == found.record["task_id"]
    assert "<list>" in json.dumps(found.record["detected_drift"])
    assert (True, None, "a") == (plain(True), plain(None), plain("a"))


def test_times_beyond_what_can_be_told_are_their_limits():
    assert ("1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z") == (timestamp(-5.0), timestamp(1e15))


def test_there_is_a_reference_on_real_files(tmp_path):
    from harness.ports.files import RealFiles

    world = World(RealFiles(), home=str(tmp_path))
    assert world.drift().stored
    assert [None] == [each["original_goal"] for each in world.drifts()]

"""How the reference begins a turn, and recovers after a context loss, a rate limit and a test failure."""

import pytest
from session_recovery_world import NOW, actions, breaker, codes, step, task, world

from harness.systems.session_recovery.contract import Action, StepTaken

EIO = OSError(5, "broken")


def test_a_turn_reads_continuity_first_and_decides_by_the_phase():
    made = world()
    made.put("continuity", "We were at the parser. ä€𝄞".encode())
    made.put("orchestrator", {"phase": "DEVELOPMENT", "other": [1]})
    found = made.turn()
    assert ["read_continuity", "read_in_progress", "read_orchestrator", "decide"] == actions(found)
    assert ("We were at the parser. ä€𝄞", "DEVELOPMENT", "implement") == (found.continuity, found.phase, found.action)
    assert StepTaken(Action.DECIDE, detail="implement") == found.steps[-1]
    assert [True, False, True, True] == [each.ok for each in found.steps]
    assert [] == codes(found)


def test_a_turn_without_any_file_answers_and_says_so():
    found = world().turn()
    assert ["read_continuity", "read_in_progress", "read_orchestrator"] == actions(found)
    assert (None, None, None) == (found.continuity, found.phase, found.action)
    assert ["continuity_unreadable", "orchestrator_invalid"] == codes(found)


def test_a_phase_that_the_tree_does_not_have_decides_nothing():
    made = world()
    made.put("orchestrator", {"phase": "DISCOVERY"})
    found = made.turn()
    assert ("DISCOVERY", None) == (found.phase, found.action)
    assert "decide" not in actions(found)


def test_a_task_in_progress_is_gone_on_with():
    made = world(in_progress=[task("a"), task("b")])
    made.put("orchestrator", {"phase": "DEVELOPMENT"})
    found = made.turn()
    assert ("DEVELOPMENT", "continue a") == (found.phase, found.action)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"phase":""}',
        b'{"phase":5}',
        b'{"phase":null}',
        b"\xff\xfe",
        b"[" * 100_000,
        b"NaN",
    ],
    ids=range(10),
)
def test_an_orchestrator_file_without_a_phase_has_none(data):
    made = world()
    made.put("continuity", b"x")
    made.put("orchestrator", data)
    found = made.turn()
    assert (None, None) == (found.phase, found.action)
    assert ["orchestrator_invalid"] == codes(found)


def test_of_a_long_text_the_beginning_is_shown_and_of_no_text_something():
    made = world()
    made.put("continuity", ("𝄞" * 4096 + "end").encode())
    assert "𝄞" * 4096 == made.turn().continuity
    made.put("continuity", b"a\xffb")
    assert "a\ufffdb" == made.turn().continuity
    made.put("continuity", b"")
    found = made.turn()
    assert ("", True) == (found.continuity, found.steps[0].ok)


def test_a_turn_that_can_read_nothing_answers():
    made = world(in_progress=[task("a")])
    made.files.broken["read", None] = EIO
    found = made.turn()
    assert ["read_continuity", "read_in_progress", "read_orchestrator"] == actions(found)
    assert {"continuity_unreadable", "orchestrator_invalid", "queue_unreadable"} == set(codes(found))


# -- context loss


def test_a_context_loss_is_recovered_from_what_is_read():
    made = world(in_progress=[task("a"), task("b"), {"title": "no id"}], pending=[task("c")])
    made.put("continuity", b"here")
    made.put("orchestrator", {"phase": "QA"})
    made.checkpoint("c1", {"n": 1})
    made.checkpoint("c2", {"n": [2.5, None, {"ä": "€"}]})
    found = made.opened().resume()
    assert ["read_continuity", "read_orchestrator", "read_in_progress", "resume_from_checkpoint"] == actions(found)
    assert ("here", "QA", ("a", "b")) == (found.continuity, found.phase, found.interrupted)
    assert ("c2", {"n": [2.5, None, {"ä": "€"}]}, "recovered") == (found.checkpoint, found.state, found.outcome)
    assert "c2" == found.steps[-1].detail
    assert ["a", "b", None] == [each.get("task_id") for each in made.written("in-progress")["tasks"]]


def test_a_context_loss_with_nothing_to_read_is_recovered():
    found = world().resume()
    assert ["read_continuity", "read_orchestrator", "read_in_progress", "resume_from_checkpoint"] == actions(found)
    assert [False] * 4 == [each.ok for each in found.steps]
    assert ("recovered", None, None, ()) == (found.outcome, found.checkpoint, found.state, found.interrupted)


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("continuity", "continuity_unreadable"), ("orchestrator", "orchestrator_invalid"),
        ("in-progress", "queue_unreadable"), ("checkpoint", "checkpoint_invalid"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_fails_the_recovery_and_is_told(label, code):
    made = world(in_progress=[task("a")])
    made.put("continuity", b"here")
    made.put("orchestrator", {"phase": "QA"})
    made.checkpoint()
    made.files.broken["read", label] = EIO
    found = made.resume()
    assert "failed" == found.outcome
    assert code in codes(found)
    assert 4 == len(found.steps)


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b"{}", b'{"name":"x"}', b'{"name":5,"state":{}}', b'{"name":"x","state":[]}', b"\xff"]
)
def test_a_damaged_checkpoint_counts_as_none(data):
    made = world()
    made.put("checkpoint", data)
    found = made.resume()
    assert (None, None, "recovered") == (found.checkpoint, found.state, found.outcome)
    assert "checkpoint_invalid" in codes(found)
    made.checkpoint("c9", {})
    assert ("c9", {}) == (made.resume().checkpoint, made.resume().state)


# -- rate limit


def recovered(record=None, at=0.0, **facts):
    made = world()
    if record is not None:
        made.put("breakers", record)
    return made.resume("rate_limit", at, **facts)


def test_after_a_rate_limit_what_is_left_of_the_cooldown_is_waited_for():
    found = recovered({"api/claude": breaker()})
    assert ["check_breaker", "wait", "reduce_agents", "retry"] == actions(found)
    assert ("OPEN", 120.0, 2, 5.0) == (
        step(found, "check_breaker").detail,
        step(found, "wait").wait_s,
        step(found, "reduce_agents").count,
        step(found, "retry").wait_s,
    )
    assert ("recovered", 2) == (found.outcome, found.agents)


@pytest.mark.parametrize(
    ("record", "at", "expected"),
    [
        ({}, 0, ("CLOSED", 0)),
        ({"other": breaker()}, 0, ("CLOSED", 0)),
        ({"api/claude": breaker("CLOSED")}, 0, ("CLOSED", 0)),
        ({"api/claude": breaker("HALF_OPEN")}, 0, ("HALF_OPEN", 10.0)),
        ({"api/claude": breaker()}, 119.5, ("OPEN", 0.5)),
        ({"api/claude": breaker()}, 120, ("OPEN", 0)),
        ({"api/claude": breaker()}, 121, ("OPEN", 0)),
        ({"api/claude": breaker()}, -180, ("OPEN", 300.0)),
        ({"api/claude": breaker()}, -9999, ("OPEN", 300.0)),
        ({"api/claude": breaker(until="2026-03-01T14:01:00+02:00")}, 0, ("OPEN", 60.0)),
        ({"api/claude": breaker(until=None)}, 0, ("OPEN", 300.0)),
        ({"api/claude": breaker(until="2026-03-01T12:01:00")}, 0, ("OPEN", 300.0)),
        ({"api/claude": breaker(until="soon")}, 0, ("OPEN", 300.0)),
        ({"api/claude": breaker(until=5)}, 0, ("OPEN", 300.0)),
        ({"api/claude": breaker("open")}, 0, ("", 300.0)),
        ({"api/claude": breaker([])}, 0, ("", 300.0)),
        ({"api/claude": None}, 0, ("", 300.0)),
        ([], 0, ("", 300.0)),
        (b"{", 0, ("", 300.0)),
        (b"\xff", 0, ("", 300.0)),
    ],
    ids=range(20),
)
def test_how_long_is_waited_for(record, at, expected):
    found = recovered(record, at)
    assert expected == (
        step(found, "check_breaker").detail,
        sum(each.wait_s for each in found.steps if each.action == "wait"),
    )
    assert ["breakers_invalid"] * (not expected[0]) == codes(found)


def test_an_unreadable_breaker_is_waited_for():
    made = world()
    made.files.broken["read", "breakers"] = EIO
    found = made.resume("rate_limit")
    assert 300.0 == step(found, "wait").wait_s
    assert ["breakers_invalid"] == codes(found)


@pytest.mark.parametrize(("agents", "expected"), [(1, 1), (2, 2), (3, 2), (5, 2), (1000, 2)])
def test_fewer_agents_go_on(agents, expected):
    found = recovered(agents=agents)
    assert (expected, expected) == (found.agents, step(found, "reduce_agents").count)


@pytest.mark.parametrize(
    ("failing", "delays", "last"),
    [
        (0, [5], "recovered"),
        (1, [5, 10], "recovered"),
        (4, [5, 10, 20, 40, 80], "recovered"),
        (5, [5, 10, 20, 40, 80], "failed"),
        (9, [5, 10, 20, 40, 80], "failed"),
    ],
)
def test_tries_come_after_growing_delays_and_end(failing, delays, last):
    found = recovered(failing_tries=failing)
    tries = [each for each in found.steps if each.action == "retry"]
    assert delays == [each.wait_s for each in tries]
    assert [number >= failing for number in range(len(delays))] == [each.ok for each in tries]
    assert last == found.outcome
    assert (last == "failed") == ("give_up" in actions(found))


def test_no_delay_is_longer_than_the_longest():
    assert [5.0, 160.0, 300.0, 300.0] == [
        world().session.procedures["rate_limit"].delay_s(number) for number in (0, 5, 6, 60)
    ]


# -- test failure


def failed(**facts):
    return world().resume("test_failure", **facts)


def test_after_a_test_failure_the_output_is_read_before_anything_is_done():
    found = failed(output="x" * 5000, rollback_needed=True, last_passing_commit="abc")
    assert ["read_output", "classify", "rollback", "fix", "rerun_all"] == actions(found)
    assert ("x" * 4096, "real", "abc") == tuple(each.detail for each in found.steps[:3])
    assert ("real", "recovered") == (found.failure, found.outcome)


@pytest.mark.parametrize(
    ("reruns", "expected"), [((False,), "real"), ((True,), "flaky"), ((False, True, False), "flaky"), ((), "real")]
)
def test_what_passes_unchanged_is_flaky(reruns, expected):
    found = failed(reruns=reruns)
    assert (expected, expected) == (found.failure, step(found, "classify").detail)
    assert ["read_output", "classify", "fix", "rerun_all"] == actions(found)


@pytest.mark.parametrize(("needed", "commit"), [(True, None), (False, "abc"), (False, None)])
def test_no_rollback_that_is_not_needed_or_has_no_commit(needed, commit):
    assert "rollback" not in actions(failed(rollback_needed=needed, last_passing_commit=commit))


@pytest.mark.parametrize(
    ("suite", "runs"),
    [
        ((True,), [True]), ((False, True), [False, True]), ((False,), [False] * 3),
        ((False, False, False, True), [False] * 3), ((), [False] * 3),
    ],
)  # fmt: skip
def test_the_whole_suite_has_the_last_word(suite, runs):
    found = failed(suite=suite)
    assert ["fix", "rerun_all"] * len(runs) == actions(found)[2:]
    assert runs == [each.ok for each in found.steps if each.action == "rerun_all"]
    assert ("recovered" if runs[-1] else "failed") == found.outcome


def test_the_time_is_an_argument():
    assert (
        recovered({"api/claude": breaker()}, at=1.0 - NOW).steps == recovered({"api/claude": breaker()}, at=-9e8).steps
    )

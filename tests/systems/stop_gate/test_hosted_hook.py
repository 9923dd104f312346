"""What sessions of a real host say about a hook. Source: stop-hook-contract.md."""

import pytest

from harness.core.hosted import HostFinding, HostStop, HostStory
from harness.systems.stop_gate.hosted import judge

MOST = 2


def stop(blocked=False, **changes):
    fields = {
        "blocked": blocked, "predicted": blocked, "exit_code": 0, "timed_out": False, "stderr": "", "transcript": True
    }  # fmt: skip
    return HostStop(**{**fields, **changes})


def story(*stops, calm=True, end="exited", name="plain", **changes):
    condition = "as its user runs it" if calm else "no transcript is kept"
    return HostStory(name, condition, "A story", calm, end, stops, **changes)


def clauses(*stories):
    return [(finding.clause, finding.story) for finding in judge(stories, MOST)]


def test_a_hook_that_lets_every_session_end_has_no_findings():
    assert () == judge([story(stop()), story(stop(True), stop()), story(), story(stop(), calm=False)], MOST)


@pytest.mark.parametrize("end", ["interrupted", "stopped", "hung"])
def test_what_runs_when_a_host_was_ended_in_the_middle_is_not_left_by_the_hook(end):
    assert () == judge([story(stop(), end=end, children_left=("sh", "sleep"))], MOST)


def test_no_session_is_no_finding():
    assert () == judge([], MOST)


@pytest.mark.parametrize(
    ("blocks", "end", "found"),
    [
        (MOST + 1, "stopped", [("SH-03", "plain")]),
        (MOST, "stopped", []),
        (MOST + 1, "exited", []),
        (MOST + 1, "hung", []),
        (MOST + 1, "interrupted", []),
    ],
)
def test_a_session_is_without_bound_when_we_had_to_end_it_after_more_blocks_than_allowed(blocks, end, found):
    assert found == clauses(story(*[stop(True)] * blocks, end=end))


def test_the_sentence_names_how_often_and_how_often_it_may():
    text = "the session was held 3 times in a row and would have gone on; at most 2 are allowed"
    assert (HostFinding("SH-03", "plain", text),) == judge([story(*[stop(True)] * 3, end="stopped")], MOST)


@pytest.mark.parametrize(
    ("faulty", "clause", "how"),
    [
        (stop(True, exit_code=2, stderr=" no file\n"), "SH-02", "by exit code 2 (no file)"),
        (stop(True, exit_code=2), "SH-02", "by exit code 2 (with nothing said)"),
        (stop(True), "SH-01", "by a decision"),
        (stop(True, exit_code=None), "SH-01", "by a decision"),
    ],
)
def test_a_block_for_want_of_a_transcript_is_held_by_a_fault(faulty, clause, how):
    found = judge([story(stop()), story(faulty, stop(), calm=False)], MOST)
    text = f"it held a session {how} that it lets end else"
    assert (HostFinding(clause, "plain (no transcript is kept)", text),) == found


@pytest.mark.parametrize(
    ("control", "faulty"),
    [
        (story(stop(True), stop()), story(stop(True), calm=False)),
        (story(stop(), name="other"), story(stop(True), calm=False)),
        (story(), story(stop(True), calm=False)),
        (story(stop()), story(calm=False)),
        (story(stop()), story(stop(), stop(True), calm=False)),
    ],
)
def test_a_block_is_no_fault_where_no_calm_session_shows_the_contrary_at_the_same_stop(control, faulty):
    assert [] == clauses(control, faulty)


@pytest.mark.parametrize(
    ("calm", "timed_out", "found"),
    [(True, True, [("SH-04", "plain")]), (True, False, []), (False, True, [])],
)
def test_a_time_out_counts_where_nothing_goes_wrong(calm, timed_out, found):
    assert found == clauses(story(stop(), stop(timed_out=timed_out), calm=calm))


@pytest.mark.parametrize(("calm", "name"), [(True, "plain"), (False, "plain (no transcript is kept)")])
def test_processes_that_are_left_are_named(calm, name):
    found = judge([story(stop(), calm=calm, children_left=("sleep", "node"))], MOST)
    assert (HostFinding("SH-07", name, "after the session still ran: sleep, node"),) == found


@pytest.mark.parametrize(
    ("stops", "expected"),
    [
        ((), True),
        ((stop(),), True),
        ((stop(), stop(True, predicted=False)), False),
        ((stop(True, predicted=False, unsettled=True),), True),
        ((stop(predicted=True),), False),
    ],
)
def test_a_session_is_as_predicted_when_each_settled_stop_is(stops, expected):
    assert expected == story(*stops).as_predicted

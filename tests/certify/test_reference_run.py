"""The reference, certified as anybody's implementation. Source: issue 2, "Shows" and "Results"."""

import pytest

from harness.certify import corpus
from harness.certify.events import RunFinished, RunStarted, ScenarioJudged
from harness.core.clause import Level
from harness.core.history import History
from harness.core.verdict import ClauseVerdict
from harness.report.files import read_events
from harness.systems import registry

SYSTEM = registry.get("stop_gate")


@pytest.fixture(scope="module")
def run(reference_run):
    return read_events(reference_run[1])


def test_the_reference_exits_0(reference_run):
    code, report = reference_run
    assert code == 0, report.with_suffix(".out").read_text()


def test_every_must_clause_of_the_reference_conforms_and_is_witnessed(run):
    end = run[-1]
    assert isinstance(end, RunFinished)
    for clause in SYSTEM.catalogue:
        result = end.systems["stop_gate"].clauses[clause.id]
        if clause.level is Level.MUST:
            assert (ClauseVerdict.CONFORMS, True) == (result.verdict, result.witnesses > 0), (clause.id, result.reason)
    assert ("L1", None) == (end.systems["stop_gate"].level, end.systems["stop_gate"].stopped_by)


def test_the_reference_takes_the_readings_that_the_catalogue_calls_ours(run):
    for clause in SYSTEM.catalogue:
        ours = [name for name, reading in clause.readings.items() if reading.ours]
        found = run[-1].systems["stop_gate"].clauses[clause.id].reading
        if found is not None:
            assert set(ours) & set(found.split(" or ")), (clause.id, found)


def test_every_scenario_of_the_corpus_was_judged_once(run):
    judged = sorted(event.scenario.id for event in run if isinstance(event, ScenarioJudged))
    assert [scenario.id for scenario in corpus.scenarios("stop_gate")] == judged
    assert isinstance(run[0], RunStarted)
    assert len(judged) == run[0].planned


def test_the_stored_histories_give_the_same_findings_again(run):
    """A run is judged again from what is stored, without the implementation."""
    for event in run:
        if isinstance(event, ScenarioJudged):
            again = SYSTEM.judge(event.scenario, History(event.history), SYSTEM.catalogue)
            assert event.findings == again, event.scenario.id


def test_every_fault_of_the_plan_was_proven_by_the_harness(run):
    for event in run:
        if isinstance(event, ScenarioJudged):
            for entry in event.history:
                assert all(injection.armed and injection.proof for injection in entry.faults), event.scenario.id


def test_no_history_of_the_reference_holds_a_path_of_this_machine(run, reference_run):
    text = (reference_run[1] / "events.jsonl").read_bytes()
    assert str(reference_run[1].parent).encode() not in text
    assert b"/dev/shm" not in text


def test_the_stored_footer_counts_what_the_stored_events_hold(run):
    end, judged = run[-1], [event for event in run if isinstance(event, ScenarioJudged)]
    assert len(judged) == end.counts["scenarios"]
    assert end.counts["checks_passed"] == sum(f.verdict == "PASS" for event in judged for f in event.findings)
    assert 0 == end.counts["checks_failed"]

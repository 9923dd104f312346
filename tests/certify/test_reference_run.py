"""The reference, certified as anybody's implementation. Source: issue 2, "Shows" and "Results"."""

import pytest

from harness.certify import corpus
from harness.certify.disguise import SUFFIX, disguised
from harness.certify.events import RunFinished, RunStarted, ScenarioJudged
from harness.certify.ledger import AT_SINGLE_CALLS
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
    system = end.systems["stop_gate"]
    assert ("L2", None) == (system.level, system.stopped_by), system.levels


def test_every_must_clause_was_met_again_under_a_proven_fault_in_every_profile(run):
    """CERTIFICATION.md, Levels: all of them again under every single further fault."""
    struck = {
        (event.scenario.profile, clause)
        for event in run
        if isinstance(event, ScenarioJudged) and event.scenario.level == "L2"
        for clause in event.weather.struck
    }
    musts = [clause for clause in SYSTEM.catalogue if clause.level is Level.MUST]
    assert [] == sorted((p, c.id) for c in musts for p in c.profiles if (p, c.id) not in struck)


def test_no_operation_of_the_reference_failed_closed(run):
    found = run[-1].fail_open
    assert (0, True) == (found.failed, found.trials > 300), found.says
    assert found.says.startswith("0 fail-closed in")


def test_every_entry_of_the_fault_table_that_applies_fired(run):
    silent = [
        f"{row.row}: {entry.entry}: {entry.why_not}"
        for row in run[-1].ledger.rows
        for entry in row.entries
        if entry.faults and not entry.fired and entry.why_not != AT_SINGLE_CALLS
    ]
    assert [] == silent


def test_the_reference_takes_the_readings_that_the_catalogue_calls_ours(run):
    for clause in SYSTEM.catalogue:
        ours = [name for name, reading in clause.readings.items() if reading.ours]
        found = run[-1].systems["stop_gate"].clauses[clause.id].reading
        if found is not None:
            assert set(ours) & set(found.split(" or ")), (clause.id, found)


def test_every_scenario_of_the_corpus_was_judged_once(run):
    judged = sorted(event.scenario.id for event in run if isinstance(event, ScenarioJudged))
    again = [id_ for id_ in judged if id_.endswith(f"-{SUFFIX}")]
    assert len(disguised(corpus.scenarios("stop_gate"), SYSTEM.catalogue, "gate", 1)) == len(again)
    judged = [id_ for id_ in judged if id_ not in again]
    assert [scenario.id for scenario in corpus.scenarios("stop_gate") if scenario.level <= "L2"] == judged
    assert isinstance(run[0], RunStarted)
    assert len(judged) + len(again) == run[0].planned


def test_the_stored_histories_give_the_same_findings_again(run):
    """A run is judged again from what is stored, without the implementation."""
    for event in run:
        if isinstance(event, ScenarioJudged):
            again = SYSTEM.judge(event.scenario, History(event.history), SYSTEM.catalogue)
            assert event.findings == again, event.scenario.id


def test_every_fault_of_the_plan_was_proven_by_the_harness(run):
    for event in run:
        if isinstance(event, ScenarioJudged):
            assert {} == event.weather.unproven, event.scenario.id


def test_no_history_of_the_reference_holds_a_path_of_this_machine(run, reference_run):
    text = (reference_run[1] / "events.jsonl").read_bytes()
    assert str(reference_run[1].parent).encode() not in text
    assert b"/dev/shm" not in text


def test_the_stored_footer_counts_what_the_stored_events_hold(run):
    end, judged = run[-1], [event for event in run if isinstance(event, ScenarioJudged)]
    assert len(judged) == end.counts["scenarios"]
    assert end.counts["checks_passed"] == sum(f.verdict == "PASS" for event in judged for f in event.findings)
    assert 0 == end.counts["checks_failed"]

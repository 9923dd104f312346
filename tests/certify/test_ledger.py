"""The ledger: clause by fault, fault by fault, and the fault table. Source: issue 3, 8 and 9; CERTIFICATION.md, A check."""

import pytest
from scripted_run import CATALOGUE

from harness.certify.ledger import AT_SINGLE_CALLS, NOT_IN_RUN, NOT_MET, Looked, fail_open, ledger
from harness.certify.weather import FamilyTrials, Trials, UnderFault, Weather
from harness.core.finding import CheckVerdict, Finding
from harness.core.verdict import ClauseResult, ClauseVerdict
from harness.faults import catalogue as faults
from harness.faults.rows import Entry, Row
from harness.faults.rows import rows as fault_table

CONFORMS = ClauseResult(ClauseVerdict.CONFORMS)
CLAUSES = {"A-01": CONFORMS, "A-02": CONFORMS, "A-03": ClauseResult(ClauseVerdict.NOT_APPLICABLE)}
GATE = {"gate": ()}


def passed(clause, witnesses=1):
    return Finding(clause, CheckVerdict.PASS, witnesses=witnesses)


def looked(*findings, profile="gate", clauses=("A-01",), unproven=None, **under):
    found = {name.replace("_", "."): fault for name, fault in under.items()}
    return Looked(profile, clauses, findings, Weather(found, unproven or {}))


def made(*scenarios, known=("jsonl.bom", "clock.back"), rows=()):
    return ledger(CATALOGUE, CLAUSES, GATE, scenarios, known, rows)


def cell(*scenarios, clause="A-01", fault="jsonl.bom"):
    found = made(*scenarios).clauses[clause][fault]
    return found.fired, found.witnessed, found.verdict, found.why


def test_a_cell_adds_up_what_fired_and_what_was_met():
    one = looked(passed("A-01", 3), jsonl_bom=UnderFault(1, {"A-01": 2}))
    assert (3, 4, "PASS", "") == cell(one, looked(passed("A-01"), jsonl_bom=UnderFault(2, {"A-01": 2})))


def test_a_clause_that_was_not_met_under_a_fault_is_inconclusive_there():
    assert (1, 0, "INCONCLUSIVE", NOT_MET) == cell(looked(passed("A-01"), jsonl_bom=UnderFault(1)))
    assert (1, 0, "INCONCLUSIVE", NOT_MET) == cell(looked(jsonl_bom=UnderFault(1, {"A-01": 1})), clause="A-02")


def test_a_failure_under_a_fault_is_one_whatever_else_passed():
    failed = Finding("A-01", CheckVerdict.FAIL, witnesses=1)
    bad = looked(failed, jsonl_bom=UnderFault(1, {"A-01": 1}, ("A-01",)))
    assert (2, 2, "FAIL", "") == cell(looked(passed("A-01"), jsonl_bom=UnderFault(1, {"A-01": 1})), bad)


def test_an_inconclusive_check_of_a_clause_that_was_meant_takes_the_pass():
    open_ = Finding("A-01", CheckVerdict.INCONCLUSIVE, reason="flaky")
    good = looked(passed("A-01"), jsonl_bom=UnderFault(1, {"A-01": 1}))
    assert (2, 1, "INCONCLUSIVE", "flaky") == cell(good, looked(open_, jsonl_bom=UnderFault(1)))


def test_only_scenarios_of_a_profile_that_binds_the_clause_count():
    assert (1, 0, "INCONCLUSIVE", NOT_MET) == cell(
        looked(jsonl_bom=UnderFault(1)),
        looked(passed("A-01"), profile="stop_hook", jsonl_bom=UnderFault(7, {"A-01": 1})),
    )


def test_a_clause_that_binds_nobody_has_no_line():
    assert {"A-01", "A-02"} == set(made(looked(jsonl_bom=UnderFault(1))).clauses)


def test_every_fault_has_a_line_with_its_count_or_the_reason_why_it_did_not_strike():
    found = made(
        looked(jsonl_bom=UnderFault(2)),
        looked(jsonl_bom=UnderFault(1), unproven={"clock.back": "there is no libfaketime", "jsonl.bom": "no"}),
        looked(unproven={"environment.stdin_closed": "the carrier has no such stream"}),
    ).faults
    assert (3, 2, "") == (found["jsonl.bom"].fired, found["jsonl.bom"].scenarios, found["jsonl.bom"].why_not)
    assert (0, "there is no libfaketime") == (found["clock.back"].fired, found["clock.back"].why_not)
    assert "the carrier has no such stream" == found["environment.stdin_closed"].why_not
    assert NOT_IN_RUN == made().faults["jsonl.bom"].why_not
    calls = made(known=("syscall.errno",)).faults
    assert AT_SINGLE_CALLS == calls["syscall.errno"].why_not


def test_a_row_of_the_fault_table_counts_all_that_stands_for_it():
    entries = {
        "both": Entry(("jsonl.bom", "clock.back")),
        "none": Entry(("clock.back",)),
        "later": Entry(later="step 3"),
        "given": Entry(input="a longer file"),
        "odd": Entry(("no.such",)),
    }
    (row,) = made(looked(jsonl_bom=UnderFault(2)), rows=[Row("r", entries)]).rows
    assert [2, 0, 0, 0, 0] == [entry.fired for entry in row.entries]
    assert ["", NOT_IN_RUN, "step 3", "given as an input: a longer file", "there is no such fault"] == [
        entry.why_not for entry in row.entries
    ]


def test_the_fault_table_names_only_faults_there_are():
    known = {kind.name for kind in faults.EVERY} | {"schedule.together"}
    for row in fault_table():
        assert set() == set(row.faults) - known, row.row


@pytest.mark.parametrize(
    ("trials", "says"),
    [
        ([], "no operation under a fault had to fail open: there is no fail-open rate"),
        ([(12_000, 0)], "0 fail-closed in 12,000 trials: fail-open rate >= 99.975 % at 95 % confidence"),
        ([(6_000, 0), (6_000, 0)], "0 fail-closed in 12,000 trials: fail-open rate >= 99.975 % at 95 % confidence"),
        ([(1, 1)], "1 fail-closed in 1 trial: fail-open rate 0.000 % observed, >= 0.000 % at 95 % confidence"),
        ([(1_200, 3)], "3 fail-closed in 1,200 trials: fail-open rate 99.750 % observed, >= 99.355 % at 95 % confidence"),
    ],
)  # fmt: skip
def test_the_fail_open_rate_is_stated_with_its_bound(trials, says):
    assert says == fail_open([Trials(*each) for each in trials]).says


def test_each_family_has_its_own_bound():
    found = fail_open([Trials(3, 1, {"jsonl": FamilyTrials(2, 0), "clock": FamilyTrials(2, 1)})])
    assert {"jsonl": (2, 0), "clock": (2, 1)} == {name: (f.trials, f.failed) for name, f in found.families.items()}
    assert found.families["jsonl"].at_least > found.families["clock"].at_least > 0

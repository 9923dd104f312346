"""The oracle of signals on handmade histories: drifts, their log, and whether a human is needed."""

import json

import pytest
from handmade_signals import FAIL, GOAL, IMMEDIATE, PASS, Day, report, steps

from harness.core.history import EntryType

WARNED = (*IMMEDIATE, "warn", "continue")
MEMORY = "half done"


def second(**how):
    return Day().drift().drift(report(detected_drift="2"), took=(*IMMEDIATE, "escalate"), **how)


def third(took=(*IMMEDIATE, "escalate", "consolidate"), continuity=f"# C\n{MEMORY}\n", **how):
    args = report(detected_drift="3", working_memory=MEMORY)
    return second().drift(args, took=took, continuity=continuity, **how).look()


def test_a_sound_day_passes():
    day = third()
    assert day.broken() == set()
    for clause in ("LK-DR-01", "LK-DR-02", "LK-DR-03", "LK-DR-04", "LK-DR-05", "LK-DR-06", "LK-DR-07", "LK-SG-02"):
        assert day.verdict(clause) is PASS, clause
    assert day.readings("LK-DR-04") == ("first", "among")


@pytest.mark.parametrize(
    ("clause", "took"),
    [
        ("LK-DR-04", WARNED[1:]),
        ("LK-DR-04", ("log", "stop", *WARNED[2:])),
        ("LK-DR-04", (*IMMEDIATE[:2], "reread", "reason", "warn", "continue")),
        ("LK-DR-04", steps(*WARNED, log=False)),
        ("LK-DR-05", IMMEDIATE),
        ("LK-DR-05", (*WARNED, "escalate")),
        ("LK-DR-07", (*WARNED, "clear_context")),
        ("LK-DR-07", (*WARNED, "escalate", "consolidate")),
        ("LK-DR-08", (*WARNED, "pause")),
    ],
)
def test_wrong_responses_to_the_first(clause, took):
    assert Day().drift(took=took).look().verdict(clause) is FAIL


def test_others_may_stand_between_the_four():
    day = Day().drift(took=("warn", *IMMEDIATE, "continue", "of its own"))
    assert day.readings("LK-DR-04") == ("among",)


def test_the_second_escalates():
    assert Day().drift().drift(report(detected_drift="2"), took=WARNED).verdict("LK-DR-06") is FAIL
    other = Day().drift().drift(report("t-2"), record={**report("t-2"), "timestamp": "2026-03-01T12:00:00Z",
                                                       "original_goal": None})  # fmt: skip
    assert other.broken() == set()


def test_the_third_consolidates():
    assert third(took=(*IMMEDIATE, "escalate")).verdict("LK-DR-07") is FAIL
    assert third(took=IMMEDIATE).verdict("LK-DR-07") is FAIL
    assert third(took=(*IMMEDIATE, "consolidate")).verdict("LK-DR-07") is FAIL
    assert third(continuity="# C\n").verdict("LK-DR-07") is FAIL
    assert third(took=steps(*IMMEDIATE, "escalate", "consolidate", consolidate=False)).verdict("LK-DR-07") is FAIL
    early = Day().drift(report(working_memory=MEMORY), continuity=MEMORY).look()
    assert early.verdict("LK-DR-07") is FAIL


def test_what_is_accumulated_is_a_reading():
    day = Day()
    for of in ("t-1", "t-2"):
        day.drift(report(of))
    log = day.drift(report("t-3"), took=(*WARNED, "escalate", "consolidate"))
    assert log.readings("LK-DR-07") == ("session", "log")


@pytest.mark.parametrize("severity", ["high", "critical"])
def test_grave_drift_is_paused_and_reviewed(severity):
    grave = steps(*IMMEDIATE, "pause", "review", review="claude-opus-4")
    assert Day().drift(report(severity=severity), took=grave).verdict("LK-DR-08") is PASS
    for wrong in (steps(*IMMEDIATE, "pause", "review", review="sonnet"), steps(*IMMEDIATE, "review", review="opus")):
        assert Day().drift(report(severity=severity), took=wrong).verdict("LK-DR-08") is FAIL


def test_records():
    sample = {"timestamp": "2026-03-01T13:00:00.5+01:00", "task_id": "t-1", "severity": "medium",
              "detected_drift": "drift", "extra": 1}  # fmt: skip
    assert Day().drift(record=sample).look().readings("LK-DR-01") == ("sample",)
    for wrong in ({**sample, "timestamp": "2026-03-01T11:00:00Z"}, {**sample, "severity": "low"}, {"task_id": "t-1"}):
        assert Day().drift(record=wrong).look().verdict("LK-DR-01") is FAIL
    goal = {**sample, "original_goal": "another"}
    assert Day().drift(record=goal).look().verdict("LK-DR-03") is FAIL
    assert Day().put(current_task=None).drift(record=goal).look().verdict("LK-DR-03") is FAIL
    assert Day().put(current_task={"task_id": "t-1"}).drift(record=goal).look().verdict("LK-DR-03") is FAIL
    assert Day().put(current_task="{torn").drift(record={**goal, "original_goal": None}).broken() == set()
    assert Day().put(current_task={"task_id": "t-9"}).drift(record=goal).broken() == set()


def test_what_is_told_to_be_stored_is_there():
    assert Day().drift(tail="").look().verdict("LK-DR-04") is FAIL
    twice = Day().drift()
    twice.put(drift=twice.disk["{home}/.loki/signals/DRIFT_DETECTED"] * 2)
    line = json.dumps({"timestamp": "2026-03-01T12:00:00Z", **report(), "original_goal": GOAL}) + "\n"
    assert Day().drift(tail=line * 2).look().verdict("LK-DR-04") is FAIL
    assert Day().drift(stored=False, took=steps(*WARNED, log=False)).look().verdict("LK-DR-04") is FAIL
    nothing = {"record": None, "stored": True, "steps": steps(*WARNED)}
    assert Day().do("report_drift", report(), nothing).look().verdict("LK-DR-01") is FAIL


def test_lines_are_whole():
    args = report(detected_drift='said "no"')
    assert Day().drift(args).look().verdict("LK-DR-09") is PASS
    torn = '{"task_id": "t-1", "detected_drift": "said "no""}\n'
    assert Day().drift(args, tail=torn).look().verdict("LK-DR-09") is FAIL
    assert Day(drift='{"torn').drift().look().verdict("LK-DR-09") is FAIL
    line = json.dumps({"timestamp": "2026-03-01T12:00:00Z", **report(), "original_goal": GOAL})
    assert Day(drift='{"torn').drift(tail=f"\n{line}\n").look().broken() == set()


def test_two_at_once():
    day = Day().begin("report_drift", report()).begin("report_drift", report("t-2"), 1)
    lines = [{"timestamp": day.now, **report(of), "original_goal": GOAL} for of in ("t-1", "t-2")]
    for found, verdict in ((lines, PASS), (lines[:1], FAIL)):
        both = Day().begin("report_drift", report()).begin("report_drift", report("t-2"), 1)
        both.put(drift="".join(json.dumps(each) + "\n" for each in found))
        for process, line in enumerate(lines):
            both.end("report_drift", {"record": line, "stored": True, "steps": steps(*WARNED)}, process)
        assert both.look().verdict("LK-DR-09") is verdict


@pytest.mark.parametrize(("field", "value"), [("severity", "HIGH"), ("drift_distance", 0), ("drift_distance", True)])
def test_what_is_illegal(field, value):
    args = report(**{field: value})
    refused = {"record": None, "stored": False, "steps": [], "log": [{"level": "warning", "code": "drift_invalid"}]}
    assert Day().do("report_drift", args, refused).look().readings("LK-DR-02") == ("refused",)
    assert Day().do("report_drift", args, {**refused, "log": []}).look().verdict("LK-DR-02") is FAIL
    assert Day().drift(args).look().verdict("LK-DR-02") is FAIL
    mended = {"timestamp": "2026-03-01T12:00:00Z", **report(), "original_goal": GOAL}
    told = {**refused, "record": mended, "stored": True}
    day = Day().do("report_drift", args, told, drift=json.dumps(mended) + "\n").look()
    assert day.readings("LK-DR-02") == ("mended",)
    assert Day().drift(args, record=mended).look().verdict("LK-DR-02") is FAIL


def test_the_log_is_kept():
    assert Day().drift().put(drift=None).look().verdict("LK-SG-02") is None
    for drift in (None, "", "x"):
        assert Day().drift().do("reviews", {}, {"pending": []}, drift=drift).look().verdict("LK-SG-02") is FAIL
        assert Day().drift().do("reviews", {}, {"pending": []}, drift=drift).verdict("LK-SG-02") is FAIL
    assert Day().drift().under("jsonl.torn_tail", "{home}/.loki/signals/DRIFT_DETECTED").put(drift="{").look().look()


def test_the_audit():
    day = Day().drift()
    record = json.loads(day.disk["{home}/.loki/signals/DRIFT_DETECTED"])
    for answer, verdict in (([record], PASS), ([], FAIL), ([record, record], FAIL), ([{**record, "agent": "x"}], FAIL)):
        assert Day().drift().do("drifts", {}, {"records": answer}).verdict("LK-SG-02") is verdict
    assert Day().drift().do("drifts", {"task_id": "t-2"}, {"records": []}).verdict("LK-SG-02") is PASS


@pytest.mark.parametrize(
    ("facts", "reasons", "clause"),
    [
        ({"security_critical": True}, ["security_decision"], "LK-HR-02"),
        ({"irreversible": True}, ["irreversible_operation"], "LK-HR-02"),
        ({"consecutive_failures": 3}, ["repeated_failures"], "LK-HR-02"),
        ({"ambiguous": True, "blocks": True}, ["ambiguous_requirements"], "LK-HR-02"),
        ({"confidence": 0.39, "critical": True}, ["low_confidence"], "LK-HR-03"),
        ({"cost_usd_per_hour": 100.5}, ["cost"], "LK-HR-04"),
        ({"irreversible": True, "rollback": True}, [], "LK-HR-02"),
        ({"consecutive_failures": 2}, [], "LK-HR-02"),
        ({"confidence": 0.4, "critical": True}, [], "LK-HR-03"),
        ({"cost_usd_per_hour": 100.0}, [], "LK-HR-04"),
    ],
)
def test_who_needs_a_human(facts, reasons, clause):
    right = {"review": bool(reasons), "reasons": reasons}
    assert Day().do("assess", facts, right).verdict(clause) is PASS
    wrong = {"review": not reasons, "reasons": [] if reasons else ["own words"]}
    assert Day().do("assess", facts, wrong).verdict(clause) is FAIL
    assert Day().do("assess", facts, {"review": bool(reasons), "reasons": ["cost", "cost"]}).broken()


@pytest.mark.parametrize("facts", [{"confidence": 0.1}, {"confidence": 7.0}, {"consecutive_failures": -1}])
def test_what_no_clause_judges(facts):
    for answer in ({"review": True}, {"review": False}):
        assert Day().do("assess", facts, answer).broken() == set()


def test_hostile_answers_are_blamed():
    deep = None
    for _ in range(500):
        deep = [deep]
    for answer in ({}, {"record": 1}, {"records": None}, {"records": [deep]}, {"records": ["\ud800"]}):
        assert Day().do("drifts", {}, answer).verdict("LK-SG-02") is FAIL
    assert Day().do("drifts", {}, {}, kind=EntryType.FAIL).verdict("LK-SG-02") is FAIL
    odd = report(detected_drift="\ud800", planned_action="{home}/x")
    assert Day().drift(odd, tail="").look().broken() == set()


def test_weather():
    path = "{home}/.loki/signals/DRIFT_DETECTED"
    day = Day().under("filesystem.full", path)
    day.drift(stored=False, tail="", took=steps(*WARNED, log=False))
    assert day.look().broken() == set()
    lying = Day().under("filesystem.full", path).drift(tail="").look()
    assert lying.verdict("LK-DR-04") is FAIL
    silent = Day().under("syscall.killed", path).begin("report_drift", report()).put(drift='{"tor')
    assert silent.end("report_drift", {}, kind=EntryType.INFO).look().broken() == set()
    excused = Day().under("syscall.errno").do("drifts", {}, {}, kind=EntryType.INFO)
    assert excused.broken() == set()

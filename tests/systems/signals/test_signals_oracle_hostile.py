"""The oracle of signals against what strangers honestly write, and against what only looks right.

Each test is a finding of a hostile review: blame that the document does not bear, or a defect that nobody was told of.
Source: document 000, Signal Processing (L541-738).
"""

import json

import pytest
from handmade_signals import FAIL, GOAL, IMMEDIATE, NOON, PASS, Day, asked, friction, report, request, steps, task

BUG = "\U0001f41b"
BLOCKED = {"tasks": [task(status="blocked")]}
EMPTY = {"tasks": []}
READ_LATER = "2026-03-02T12:00:05Z"
UNKNOWN = {"timestamp": NOON, "classification": "unknown", **friction()}


def nested(levels):
    found = []
    for _ in range(levels):
        found = [found]
    return found


@pytest.mark.parametrize("told", [None, nested(3_000), 10**400, "\ud800", [], {"review": nested(3_000)}])
def test_answers_of_any_shape_are_judged(told):
    answer = told if isinstance(told, dict) else {"review": told}
    assert Day().do("assess", {"security_critical": True}, answer).verdict("LK-HR-02") is FAIL


def test_a_log_in_ascii_is_one():
    args = report(detected_drift=BUG)
    line = json.dumps({"timestamp": NOON, **args, "original_goal": GOAL}).encode()
    assert line.isascii()
    assert b"\\ud83d\\udc1b" in line
    assert Day().drift(args).look().broken() == set()
    halved = line.replace(b"\\udc1b", b"").decode() + "\n"
    assert Day().drift(args, tail=halved).look().verdict("LK-DR-09") is FAIL


def sampled(number):
    return {"timestamp": NOON, "task_id": "t-1", "severity": "medium", "detected_drift": f"drift {number}"}


def test_records_as_the_sample_has_them_are_told_apart():
    day = Day()
    for number in range(3):
        day.begin("report_drift", report(detected_drift=f"drift {number}"), process=number)
    day.put(drift="".join(json.dumps(sampled(number)) + "\n" for number in (2, 0, 1)))
    for number in range(3):
        answer = {"record": sampled(number), "stored": True, "steps": steps(*IMMEDIATE, "warn", "continue")}
        day.end("report_drift", answer, process=number)
    assert day.look().broken() == set()
    assert day.readings("LK-DR-01") == ("sample",)


@pytest.mark.parametrize(("distance", "broken"), [(2**53, set()), (2.0, set()), (2**53 - 1, {"LK-DR-04"})])
def test_distances_that_not_everybody_can_keep_may_be_refused(distance, broken):
    took = steps(*IMMEDIATE, "warn", "continue", log=False)
    refused = Day().drift(report(distance=distance), tail="", stored=False, took=took)
    assert broken == refused.look().broken() - {"LK-DR-02"}


@pytest.mark.parametrize(
    ("severity", "distance", "took", "broken"),
    [
        ("high", 1, ("escalate", "pause", "review"), set()),
        ("low", 3, ("pause", "review"), set()),
        ("medium", 3.0, ("warn", "continue", "pause", "review"), set()),
        ("low", 2, ("warn", "continue", "pause"), {"LK-DR-08"}),
        ("low", 3, (), {"LK-DR-05"}),
    ],
)
def test_a_first_drift_may_be_grave_by_its_distance(severity, distance, took, broken):
    responses = steps(*IMMEDIATE, *took, review="opus")
    assert broken == Day().drift(report(severity=severity, distance=distance), took=responses).look().broken()


@pytest.mark.parametrize(
    ("given", "found", "broken"),
    [
        ("2026-02-01T10:00:00Z", "2026-02-01T10:00:00Z", set()),
        ("2026-02-01T10:00:00Z", NOON, set()),
        ("yesterday", NOON, set()),
        ("2026-02-01T10:00:00Z", "2026-02-02T10:00:00Z", {"LK-HL-02"}),
        ("yesterday", "yesterday", {"LK-HL-02"}),
    ],
)
def test_a_friction_may_keep_the_time_that_is_given(given, found, broken):
    payload = friction(timestamp=given)
    args = {"signal": "FRICTION_DETECTED", "by": "healer", "payload": payload}
    record = {**payload, "classification": "unknown", "timestamp": found}
    day = Day().do("emit", args, {"written": True}, FRICTION_DETECTED=record)
    told = {"handled": True, "steps": steps("add_friction"), "content": record}
    day.begin("heal", {"signal": "FRICTION_DETECTED", "by": "orchestrator"})
    day.put(FRICTION_DETECTED=None, friction_map=[record]).end("heal", told)
    assert broken == day.look().broken()


@pytest.mark.parametrize("unclassified", [UNKNOWN, {**friction(), "timestamp": NOON}])
def test_a_friction_that_nobody_classified_stays(unclassified):
    asks = "remove_friction", {"friction_id": "f-1"}
    stays = Day(friction_map=[unclassified]).do(*asks, {"removed": False}).look()
    assert (set(), PASS) == (stays.broken(), stays.verdict("LK-HL-03"))
    assert Day(friction_map=[unclassified]).do(*asks, {"removed": True}, friction_map=[]).verdict("LK-HL-03") is FAIL


def decided(said, queue):
    text = json.dumps({"task_id": "t-1", "decision": said})
    day = Day(review=asked(), blocked=BLOCKED, in_progress=EMPTY, HUMAN_APPROVED=text)
    free = {"review": None, "HUMAN_APPROVED": None, "blocked": EMPTY, queue: {"tasks": [task()]}}
    told = {"resolved": [{"task_id": "t-1", "decision": said}]}
    return day.do("check_reviews", {}, told, **free).look()


def test_an_approval_in_other_letters_is_read_either_way():
    for said in ("Approved", " approved\n"):
        assert decided(said, "pending").broken() == decided(said, "abandoned").broken() == set()
    assert decided("approved", "abandoned").verdict("LK-HR-06") is FAIL
    assert decided("yes", "pending").verdict("LK-HR-06") is FAIL


LETTER = {"task_id": "t-1", "original_queue": "in-progress", "attempts": [{"error_type": "timeout"}],
          "task_data": {"title": "What t-1 is about", "priority": "medium"}}  # fmt: skip


def waiting(**fields):
    return Day(review=asked(), blocked={"tasks": [task(status="blocked", **fields)]})


def late(day, answer, **files):
    day.now = READ_LATER
    return day.do("check_reviews", {}, answer, **files)


def test_an_alert_is_sent_again_until_it_is_taken():
    dead = {"review": None, "blocked": EMPTY, "dead_letter": {"tasks": [LETTER]}}
    taken = {"alerts": [{"task_id": "t-1", "ok": True}]}
    failed = {"timed_out": ["t-1"], "alerts": [{"task_id": "t-1", "ok": False}]}
    day = waiting()
    day.now = READ_LATER
    day.do("check_reviews", {"alert": "fails"}, failed, **dead)
    assert day.do("check_reviews", {}, taken).look().broken() == set()
    assert day.do("check_reviews", {}, taken).look().verdict("LK-HR-07") is FAIL


def test_somebody_may_be_reminded_of_what_blocks_nothing():
    taken = {"alerts": [{"task_id": "t-1", "ok": True}]}
    assert late(Day(review=asked(blocking=False), pending={"tasks": [task()]}), taken).look().broken() == set()
    assert late(Day(review=asked()), taken).look().broken() == set()
    early = Day(review=asked(blocking=False), pending={"tasks": [task()]}).do("check_reviews", {}, taken)
    assert early.verdict("LK-HR-07") is FAIL


def test_a_review_keeps_the_time_it_was_asked_for():
    renewed = asked(at=READ_LATER)
    day = late(waiting(), {"timed_out": ["t-1"], "alerts": [{"task_id": "t-1", "ok": True}]}, review=renewed)
    assert day.look().verdict("LK-HR-07") is FAIL
    looked = waiting().do("check_reviews", {}, {}, review=asked(at="2026-03-01T12:00:03Z"))
    assert looked.look().verdict("LK-HR-07") is FAIL
    again = waiting()
    again.now = READ_LATER
    again.review(request(), review=renewed)
    assert again.look().broken() == set()
    for kept in ("2026-03-01T13:00:00.4+01:00", "yesterday"):
        assert waiting().do("check_reviews", {}, {}, review=asked(at=kept)).look().broken() == set()


@pytest.mark.parametrize(
    ("letter", "verdict"),
    [
        ({"attempts": [{"error_type": "test"}, {"error_type": "timeout"}]}, PASS),
        ({"attempts": [{"error_type": "test"}, {"error_type": "timeout", "agent_id": "a"}]}, PASS),
        ({"attempts": [{"error_type": "test"}, {"error_type": "timeout", "agent_id": ["a"]}]}, FAIL),
        ({"task_data": {**LETTER["task_data"], "attempts": [{"error_type": "test"}]}}, PASS),
        ({}, FAIL),
    ],
)
def test_what_failed_before_is_still_known(letter, verdict):
    day = waiting(attempts=[{"error_type": "test"}])
    dead = {"review": None, "blocked": EMPTY, "dead_letter": {"tasks": [{**LETTER, **letter}]}}
    told = {"timed_out": ["t-1"], "alerts": [{"task_id": "t-1", "ok": True}]}
    assert late(day, told, **dead).look().verdict("LK-HR-07") is verdict


@pytest.mark.parametrize("op", ["cancel", "clarify"])
def test_a_request_that_comes_back_by_itself_is_nobodys(op):
    args = {"task_id": "t-1", **({"clarification": "x"} if op == "clarify" else {})}
    freed = {"blocked": EMPTY, "pending": {"tasks": [task(note="x")]} if op == "clarify" else EMPTY}
    calm = waiting().do(op, args, {"resolved": True}, **freed).look()
    assert calm.verdict("LK-HR-06") is FAIL
    day = waiting().look().under("filesystem.vanishing", "{home}/.loki/signals")
    assert day.do(op, args, {"resolved": True}, **freed).look().broken() == set()

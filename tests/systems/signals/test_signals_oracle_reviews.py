"""The oracle of signals on handmade histories: requests, decisions, and what nobody decides."""

import json

import pytest
from handmade_signals import FAIL, PASS, Day, asked, request, steps, task

LATER = "2026-03-02T12:00:01.5Z"
BLOCKED = {"tasks": [task(status="blocked")]}
EMPTY = {"tasks": []}
LETTER = {"task_id": "t-1", "original_queue": "in-progress", "attempts": [{"error_type": "timeout"}],
          "task_data": {"title": "What t-1 is about", "priority": "medium"}}  # fmt: skip


def world(**files):
    return Day(**{"in_progress": {"tasks": [task()]}, "pending": EMPTY, **files})


def pending(**files):
    """One review is pending, and its task blocked."""
    return world().review(review=asked(), blocked=BLOCKED, in_progress=EMPTY, **files)


def decided(text=None, **files):
    return pending(HUMAN_APPROVED=text or json.dumps({"task_id": "t-1", "decision": "approved"}), **files)


def checked(day, answer=None, **files):
    told = {"resolved": [{"task_id": "t-1", "decision": "approved"}]}
    return day.do("check_reviews", {}, told if answer is None else answer, **files).look()


FREED = {"review": None, "blocked": EMPTY, "in_progress": {"tasks": [task()]}, "HUMAN_APPROVED": None}


def test_a_request_blocks_its_task():
    day = pending().look()
    assert day.broken() == set()
    assert day.readings("LK-HR-05") == ("queue",)
    assert day.readings("LK-HR-01") == ("left_out",)
    status = world().review(review=asked(), in_progress=BLOCKED).look()
    assert status.readings("LK-HR-05") == ("status",)


@pytest.mark.parametrize(
    ("clause", "files"),
    [
        ("LK-HR-05", {"review": asked()}),
        ("LK-HR-05", {"review": asked(), "in_progress": EMPTY}),
        ("LK-HR-05", {"review": asked(), "blocked": BLOCKED}),
        ("LK-HR-05", {"review": asked(), "blocked": {"tasks": [{"task_id": "t-1"}]}, "in_progress": EMPTY}),
        ("LK-HR-01", {"blocked": BLOCKED, "in_progress": EMPTY}),
        ("LK-HR-01", {"review": asked(context="other"), "blocked": BLOCKED, "in_progress": EMPTY}),
    ],
)
def test_requests_that_are_not_what_is_told(clause, files):
    assert world().review(**files).look().verdict(clause) is FAIL


@pytest.mark.parametrize(
    ("clause", "changes"),
    [
        ("LK-HR-01", {"record": None}),
        ("LK-HR-01", {"record": request()}),
        ("LK-HR-01", {"stored": False}),
        ("LK-HR-05", {"blocked": False}),
        ("LK-HR-05", {"steps": steps("log", "stop", "block")}),
        ("LK-HR-05", {"goes_on_with": "t-9"}),
        ("LK-HR-05", {"steps": steps("stop", "log", "block", "continue", **{"continue": "t-9"})}),
    ],
)
def test_wrong_answers_to_a_request(clause, changes):
    day = world().review(changes=changes, review=asked(), blocked=BLOCKED, in_progress=EMPTY).look()
    assert day.verdict(clause) is FAIL


def test_what_is_empty_is_a_reading():
    record = {**asked(), "agent": None, "alternatives_considered": []}
    assert world().review(changes={"record": record}, review=record).readings("LK-HR-01") == ("empty",)


def test_invalid_requests_are_refused():
    assert world().review(request(None)).verdict("LK-HR-01") is FAIL
    refused = {"record": None, "stored": False, "blocked": False, "steps": []}
    assert world().do("request_review", request(""), refused).look().broken() == set()


def test_others_go_on():
    waiting = {"tasks": [task("t-2"), task("t-3", status="blocked")]}
    for told, done, verdict in (
        ("t-2", "t-2", PASS), (None, None, FAIL), ("t-3", "t-3", FAIL), ("t-2", None, FAIL), ("t-2", "t-3", FAIL),
    ):  # fmt: skip
        taken = steps("stop", "log", "block", *(["continue"] if done else []), **({"continue": done} if done else {}))
        changes = {"goes_on_with": told, "steps": taken}
        day = world(pending=waiting).review(changes=changes, review=asked(), in_progress=BLOCKED).look()
        assert day.verdict("LK-HR-05") is verdict, (told, done)


def test_no_task_is_blocked_that_nobody_is_asked_about():
    day = world().under("syscall.killed").begin("request_review", request()).put(in_progress=BLOCKED).look()
    assert day.verdict("LK-HR-05") is FAIL


def test_two_are_retained():
    two = [asked(), asked("t-2")]
    for files, readings in (
        ({"review": two}, ("list",)),
        ({"review": asked(), "HUMAN_REVIEW_NEEDED_t-2": asked("t-2")}, ("suffix",)),
    ):
        assert pending().review(request("t-2"), **files).look().readings("LK-HR-08") == readings
    assert pending().review(request("t-2"), review=asked("t-2")).look().verdict("LK-HR-08") is FAIL
    both = pending().review(request("t-2"), review=two)
    assert both.do("reviews", {}, {"pending": two[:1]}).verdict("LK-HR-08") is FAIL


def test_pending_requests_are_told():
    assert pending().do("reviews", {}, {"pending": [asked()]}).broken() == set()
    for wrong in ([], [asked(), asked("t-9")], [{"task_id": "t-1"}]):
        assert pending().do("reviews", {}, {"pending": wrong}).verdict("LK-HR-01") is FAIL
    assert pending().do("reviews", {"task_id": "t-2"}, {"pending": [asked()]}).verdict("LK-HR-01") is FAIL


def test_damaged_requests_are_kept_aside():
    assert world(review="{torn").review(review=asked(), in_progress=BLOCKED).look().verdict("LK-HR-08") is FAIL
    kept = world(review="{torn").review(review=asked(), in_progress=BLOCKED, kept_aside="{torn").look()
    assert kept.broken() == set()


def test_a_decision_ends_a_review():
    day = checked(decided(), **FREED)
    assert day.broken() == set()
    for clause in ("LK-SG-01", "LK-SG-05", "LK-HR-06"):
        assert day.verdict(clause) is PASS


@pytest.mark.parametrize(
    ("clause", "answer", "files"),
    [
        ("LK-SG-05", {}, {}),
        ("LK-SG-05", {"resolved": [{"task_id": "t-9", "decision": "approved"}]}, FREED),
        ("LK-SG-05", {"resolved": [{"task_id": "t-1", "decision": "rejected"}]}, FREED),
        ("LK-SG-01", None, {name: each for name, each in FREED.items() if name != "HUMAN_APPROVED"}),
        ("LK-HR-06", None, {**FREED, "review": asked()}),
        ("LK-HR-06", None, {"review": None, "HUMAN_APPROVED": None}),
        ("LK-HR-06", {}, {"review": None}),
        ("LK-HR-06", None, {**FREED, "in_progress": EMPTY, "completed": {"tasks": [task()]}}),
    ],
)
def test_decisions_that_are_carried_out_wrongly(clause, answer, files):
    assert checked(decided(), answer, **files).verdict(clause) is FAIL


@pytest.mark.parametrize("text", ["", "{", "[]", '{"task_id": "t-9", "decision": "approved"}', '{"task_id": "t-1"}'])
def test_what_decides_nothing(text):
    day = decided(text or " ")
    assert checked(day, {}).broken() == set()
    assert checked(decided(text or " "), **FREED).verdict("LK-SG-05") is FAIL


def test_decisions_without_a_task():
    text = '{"decision": "approved"}'
    assert checked(decided(text), **FREED).readings("LK-SG-05") == ("one_pending",)
    assert checked(decided(text), {}).readings("LK-SG-05") == ("named",)
    two = [asked(), asked("t-2")]
    both = pending().review(request("t-2"), review=two, HUMAN_APPROVED=text)
    assert checked(both, {}).verdict("LK-SG-05") is PASS
    both = pending().review(request("t-2"), review=two, HUMAN_APPROVED=text)
    assert checked(both, **{**FREED, "review": two[1]}).verdict("LK-SG-05") is FAIL


def test_rejected_tasks_are_not_claimed():
    text = json.dumps({"task_id": "t-1", "decision": "rejected"})
    told = {"resolved": [{"task_id": "t-1", "decision": "rejected"}]}
    assert checked(decided(text), told, review=None, HUMAN_APPROVED=None).broken() == set()
    assert checked(decided(text), told, **FREED).verdict("LK-HR-06") is FAIL


def test_a_human_ends_a_review():
    args, told = {"task_id": "t-1", "clarification": "use staging"}, {"resolved": True}
    clear = {**FREED, "in_progress": {"tasks": [task(note="use staging")]}}
    assert pending().do("clarify", args, told, **clear).look().verdict("LK-HR-06") is PASS
    for files in (FREED, {**clear, "review": asked()}, {"review": None}):
        assert pending().do("clarify", args, told, **files).look().verdict("LK-HR-06") is FAIL
    assert pending().do("clarify", args, {"resolved": False}).verdict("LK-HR-06") is FAIL
    assert world().do("clarify", args, told).verdict("LK-HR-06") is FAIL
    gone = {"review": None, "blocked": EMPTY}
    assert pending().do("cancel", {"task_id": "t-1"}, told, **gone).look().verdict("LK-HR-06") is PASS
    assert pending().do("cancel", {"task_id": "t-1"}, told, **FREED).look().verdict("LK-HR-06") is FAIL


def late(answer=None, day=None, **files):
    day = day or pending()
    day.now = LATER
    told = {"timed_out": ["t-1"], "alerts": [{"task_id": "t-1", "ok": True}]} if answer is None else answer
    return day.do("check_reviews", {}, told, **files).look()


DEAD = {"review": None, "blocked": EMPTY, "dead_letter": {"tasks": [LETTER]}}


def test_what_nobody_decides_is_dead():
    assert late(**DEAD).readings("LK-HR-07") == ("pending",)
    own = {**DEAD, "dead_letter": {"tasks": [{**LETTER, "original_queue": "blocked"}]}}
    assert late(**own).readings("LK-HR-07") == ("stated",)
    early = pending().do("check_reviews", {}, {"timed_out": ["t-1"]}, **DEAD).look()
    assert early.verdict("LK-HR-07") is FAIL


@pytest.mark.parametrize(
    ("answer", "files"),
    [
        ({}, {}),
        ({"timed_out": ["t-1"]}, DEAD),
        ({"timed_out": ["t-1"], "alerts": [{"task_id": "t-1", "ok": False}]}, DEAD),
        ({"timed_out": ["t-1"], "alerts": [{"task_id": each, "ok": True} for each in ("t-1", "t-9")]}, DEAD),
        ({"timed_out": ["t-1", "t-9"], "alerts": [{"task_id": "t-1", "ok": True}]}, DEAD),
        (None, {"review": None}),
        (None, {**DEAD, "review": asked()}),
        (None, {**DEAD, "dead_letter": {"tasks": [{**LETTER, "attempts": []}]}}),
        (None, {**DEAD, "dead_letter": {"tasks": [{**LETTER, "task_data": {}}]}}),
    ],
)
def test_time_outs_that_go_wrong(answer, files):
    assert late(answer, **files).verdict("LK-HR-07") is FAIL


def test_other_tasks_are_kept():
    for files in ({"in_progress": EMPTY}, {"pending": {"tasks": [task()]}}, {"in_progress": {"tasks": [{"task_id": "t-1"}]}},
                  {"pending": {"tasks": [task("t-9")]}}):  # fmt: skip
        assert world().do("drifts", {}, {"records": []}, **files).look().verdict("LK-HR-05") is FAIL
    beside = {"tasks": [1], "note": 1}
    assert world(completed=beside).do("drifts", {}, {"records": []}, completed=EMPTY).look().verdict("LK-HR-05") is FAIL
    assert world(completed="{").do("drifts", {}, {"records": []}, completed=EMPTY).look().verdict("LK-HR-05") is FAIL


def test_a_task_that_waits_may_be_blocked_late():
    stopped = {"in_progress": EMPTY, "blocked": BLOCKED}
    assert world(review=asked()).do("check_reviews", {}, {}, **stopped).look().broken() == set()
    marked = {"in_progress": BLOCKED}
    assert world(review=asked()).do("check_reviews", {}, {}, **marked).look().broken() == set()
    freed = world(review=asked(), in_progress=EMPTY, blocked=BLOCKED)
    assert freed.do("check_reviews", {}, {}, in_progress={"tasks": [task()]}, blocked=EMPTY).look().broken() == {
        "LK-HR-06"
    }
    for unasked in ({}, {"review": asked(blocking=False)}):
        assert world(**unasked).do("check_reviews", {}, {}, **stopped).look().broken() == {"LK-HR-06"}


def test_decisions_and_what_else_is_there():
    assert late(day=decided(), **DEAD).broken() == set()
    assert late({}, decided()).verdict("LK-HR-07") is FAIL
    unsound = world(review=[asked(), {"task_id": "t-2"}], HUMAN_APPROVED='{"decision": "approved"}')
    assert checked(unsound, {}).broken() == set()
    hidden = decided().do("check_reviews", {}, {"resolved": [{"task_id": "t-1", "decision": "approved"}]}, **FREED)
    assert hidden.under("json_document.truncated", "{home}/.loki/queue/pending.json").look().broken() == set()


def test_what_a_human_does_and_nobody_sees():
    args, told = {"task_id": "t-1", "clarification": "use staging"}, {"resolved": True}
    clear = {**FREED, "in_progress": {"tasks": [task(note="use staging")]}}
    assert pending().do("clarify", args, told, **clear).broken() == set()
    assert world(review="{torn").do("clarify", args, told).look().broken() == set()
    detailed = Day(review=asked(), blocked={"tasks": [task(status="blocked", description="Deploy.")]})
    told_more = {"tasks": [task(description="Deploy. use staging")]}
    assert detailed.do("clarify", args, told, review=None, blocked=EMPTY, pending=told_more).look().broken() == set()


def test_weather_takes_what_it_may():
    path = "{home}/.loki/signals"
    refused = {"record": None, "stored": False, "blocked": False, "steps": steps("stop", "log", log=False)}
    assert world().under("filesystem.full", path).do("request_review", request(), refused).look().broken() == set()
    day = pending().under("filesystem.full", path)
    day.now = LATER
    assert day.do("check_reviews", {}, {}, review=None).look().verdict("LK-HR-07") is FAIL
    assert pending().under("filesystem.missing", path).put(review=None).look().broken() == set()
    day = pending().under("filesystem.full", path)
    day.now = LATER
    assert day.do("check_reviews", {}, {}, **DEAD).look().broken() == set()
    day = pending().under("filesystem.full", path)
    day.now = LATER
    heard = {"alerts": [{"task_id": "t-1", "ok": True}]}
    assert day.do("check_reviews", {}, heard, **{**DEAD, "review": asked()}).look().broken() == set()
    assert world().under("syscall.killed").begin("request_review", request()).broken() == set()
    unblocked = {"blocked": False, "steps": steps("stop", "log")}
    day = world().under("filesystem.full", "{home}/.loki/queue/in-progress.json")
    assert day.review(changes=unblocked, review=asked()).look().broken() == set()

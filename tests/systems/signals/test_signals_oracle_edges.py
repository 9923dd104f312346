"""The oracle of signals on handmade histories: several worlds, power that is lost, and alternatives."""

from handmade_signals import CATALOGUE, FAIL, IMMEDIATE, NOON, PASS, Day, asked, report, request, steps, task

from harness.core.history import EntryType, History
from harness.core.scenario import Scenario, World
from harness.systems.signals.contract import SIGNALS, SYSTEM
from harness.systems.signals.oracle import permitted


def test_worlds_are_apart():
    day = Day().drift().do("reset", {}, {}).do("nothing", {}, {}).put(drift=None).look().do("reset", {}, {})
    assert day.drift().look().broken() == set()


def test_alternatives():
    day = Day().do("assess", {"security_critical": True}, {"review": True, "reasons": ["security_decision"]})
    scenario = Scenario(format=1, id="signals-x", title="x", system=SYSTEM, profile=SIGNALS, level="L1", clauses=(),
                        world=World(NOON), steps=())  # fmt: skip
    both = ({"review": True}, {"review": False})
    assert permitted(scenario, History(tuple(day.entries)), CATALOGUE, both) == both[:1]


def test_power_is_lost():
    day = Day().drift().under("syscall.power").begin("report_drift", report())
    held = day.disk["{home}/.loki/signals/DRIFT_DETECTED"]
    day.put(drift=held.replace(b'", "', b'","')).end("report_drift", {}, kind=EntryType.INFO)
    assert day.look().broken() == set()
    lost = Day().drift().under("syscall.power").begin("report_drift", report()).put(drift="")
    assert lost.end("report_drift", {}, kind=EntryType.INFO).look().verdict("LK-SG-02") is FAIL


def test_unanswered_checks_are_made_up_for():
    world = Day(in_progress={"tasks": []}, blocked={"tasks": [task(status="blocked")]}, review=asked())
    killed = world.under("process.killed").do("check_reviews", {}, {}, kind=EntryType.INFO)
    assert killed.look().broken() == set()
    for op in ("clarify", "cancel"):
        args = {"task_id": "t-1", **({"clarification": "x"} if op == "clarify" else {})}
        world = Day(review=asked()).under("process.killed").do(op, args, {}, kind=EntryType.INFO, review=None)
        assert world.look().broken() == set()
    deaf = Day(review=asked()).do("check_reviews", {"alert": "fails"}, {}, kind=EntryType.FAIL)
    assert deaf.verdict("LK-HR-07") is FAIL


def test_what_is_no_operation_binds_nobody():
    for op in ("emit", "report_drift", "request_review"):
        assert Day().do(op, {"signal": 1}, {}).look().broken() == set()
    assert Day().broken() == Day().do("reset", {}, {}).broken() == set()
    assert Day(review=asked()).do("check_reviews", {}, {}).look().verdict("LK-HR-07") is PASS


def test_what_is_deep_or_large_is_read_as_it_is():
    assert Day(review="[" * 300 + "]" * 300).look().look().broken() == set()
    record = {"timestamp": NOON, **report(distance=10**400 + 1), "original_goal": "Add a login endpoint"}
    assert Day().drift(report(distance=10**400), record=record).look().broken() == set()


def test_odd_reports_bind_nobody():
    unlogged = steps(*IMMEDIATE, "warn", "continue", log=False)
    assert Day().drift(report(""), tail="", stored=False, took=unlogged).look().broken() == set()
    assert Day().drift(report(detected_drift="\ud800"), tail='{"torn').look().broken() == set()
    record = {"timestamp": NOON, **report(), "original_goal": None}
    assert Day().put(current_task={"task_id": "t-1"}).drift(record=record).broken() == set()
    of_no_day = {**record, "timestamp": "2026-02-30T12:00:00Z"}
    assert Day().drift(record=of_no_day).verdict("LK-DR-01") is FAIL


def test_a_queue_that_vanished_is_known_again():
    day = Day(pending={"tasks": [task("t-2")]}).under("filesystem.vanishing", "{home}/.loki/queue/pending.json").look()
    day.faults = ()
    assert day.look().look().broken() == set()


def test_a_review_is_asked_for_and_ended_at_once():
    day = Day(in_progress={"tasks": [task()]}, review=asked())
    day.begin("clarify", {"task_id": "t-1", "clarification": "x"}).begin("request_review", request(), 1)
    day.put(review=None, in_progress={"tasks": [task(note="x")]}).end("clarify", {"resolved": True})
    answer = {"record": asked(), "stored": True, "blocked": True, "steps": steps("stop", "log", "block")}
    assert day.end("request_review", answer, 1).look().broken() == set()


def decided(**files):
    """A review is pending, its task blocked, and a human has decided."""
    review, blocked = asked(), {"tasks": [task(status="blocked")]}
    decision = {"task_id": "t-1", "decision": "approved"}
    return Day(
        **{"blocked": blocked, "review": review, "HUMAN_APPROVED": decision, "in_progress": {"tasks": []}, **files}
    )


def killed(day, fault="process.killed", **files):
    """Whoever carries the decision out dies and leaves these files; what comes after that is calm."""
    day.under(fault).do("check_reviews", {}, {}, kind=EntryType.INFO, **files)
    day.faults = ()
    return day


def looks(day):
    return day.do("check_reviews", {}, {}).look().verdict("LK-HR-06")


def test_a_decision_that_is_gone_and_not_carried_out_is_lost():
    assert looks(killed(decided(), HUMAN_APPROVED=None)) is FAIL
    assert looks(killed(killed(decided(), HUMAN_APPROVED=None))) is FAIL


def test_a_decision_that_is_there_still_or_was_carried_out_is_not_lost():
    assert looks(killed(decided())) is not FAIL, "it is not carried out yet, which another clause forbids"
    told = {"resolved": [{"task_id": "t-1", "decision": "approved"}]}
    freed = {"review": None, "blocked": {"tasks": []}, "in_progress": {"tasks": [task()]}}
    later = killed(decided()).do("check_reviews", {}, told, HUMAN_APPROVED=None, **freed).look()
    assert (PASS, set()) == (later.verdict("LK-HR-06"), later.broken())
    assert looks(killed(decided(), HUMAN_APPROVED=None, **freed)) is not FAIL


def test_a_decision_is_not_owed_any_more_once_the_review_was_asked_for_again():
    again = killed(decided(), HUMAN_APPROVED=None).review(review=[asked(), asked()])
    assert looks(again) is not FAIL


def test_a_decision_that_is_owed_to_nobody_for_sure_is_not_lost():
    unnamed = decided(HUMAN_APPROVED={"decision": "approved"})
    assert looks(killed(unnamed, HUMAN_APPROVED=None)) is not FAIL
    late = decided(review=asked(at="2026-02-27T12:00:00Z"))
    assert looks(killed(late, HUMAN_APPROVED=None)) is not FAIL
    assert looks(killed(decided(), "syscall.power", HUMAN_APPROVED=None)) is not FAIL
    damaged = killed(decided(), HUMAN_APPROVED=None).under("json_document.torn", "{home}/.loki/signals/HUMAN_APPROVED")
    assert looks(damaged.look()) is not FAIL

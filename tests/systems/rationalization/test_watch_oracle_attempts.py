"""The oracle of a watch on the log: what was logged is told, once, in order, and stays; nothing else is.

Source: document 000, Enforcement Protocol, step 4.
"""

from handmade_watch import EXCUSE, FAIL, FLAG, HEDGE, LATER, NOON, PASS, Day, attempt, protocol

from harness.core.history import EntryType

NEUTRAL = "The login endpoint answers 200."
ERROR = {"level": "error", "code": "attempts_unreadable", "message": "no"}
FIRST, SECOND = attempt(EXCUSE, action="one"), attempt(FLAG, action="two")


def two():
    return Day().excuse(EXCUSE, EXCUSE, action="one").excuse(FLAG, FLAG, action="two")


def test_what_was_logged_is_told():
    assert two().attempts(FIRST, SECOND).broken() == set()
    assert two().attempts(FIRST, SECOND).attempts(FIRST, SECOND).verdict(7) is PASS
    for told in ((), (FIRST,), (SECOND,), (FIRST, SECOND, SECOND), (FIRST, FIRST, SECOND),
                 (FIRST, SECOND, attempt(HEDGE, action="three"))):  # fmt: skip
        assert two().attempts(*told).verdict(7) is FAIL, told
    assert Day().attempts().broken() == set()
    assert Day().attempts(FIRST).verdict(7) is FAIL
    assert Day().proceed(NEUTRAL).attempts(attempt(action="merge", agent="eng-001")).verdict(7) is FAIL


def test_what_is_told_of_an_attempt():
    for wrong in ({"agent": "other"}, {"action": "other"}, {"timestamp": LATER}, {"timestamp": "noon"}, {"phrases": []},
                  {"phrases": [FLAG]}, {"phrases": [EXCUSE, FLAG]}, {"phrases": [EXCUSE, "something"]}):  # fmt: skip
        assert two().attempts({**FIRST, **wrong}, SECOND).verdict(7) is FAIL, wrong
    for right in ({"phrases": [EXCUSE.upper()]}, {"timestamp": "2026-03-01T13:00:00.5+01:00"}, {"note": 1}):
        assert two().attempts({**FIRST, **right}, SECOND).broken() == set(), right
    both = Day().excuse(f"{EXCUSE}, `probably", EXCUSE, action="one")
    assert both.attempts(attempt(EXCUSE, HEDGE, action="one")).broken() == set()


def test_a_clock_that_jumps_tells_no_time():
    day = Day().under("clock.jump", by_s=7200).excuse(EXCUSE, EXCUSE, action="one")
    assert day.attempts({**FIRST, "timestamp": LATER}).broken() == set()


def test_the_order_of_logging():
    day = Day().excuse(EXCUSE, EXCUSE, action="one").at(LATER).excuse(FLAG, FLAG, action="two")
    later = {**SECOND, "timestamp": LATER}
    assert day.attempts(FIRST, later).broken() == set()
    assert day.attempts(later, FIRST).verdict(7) is FAIL
    assert two().attempts(SECOND, FIRST).broken() == set()  # at one time, as who sorts by time sees it
    back = Day().at(LATER).excuse(FLAG, FLAG, action="two").at(NOON).excuse(EXCUSE, EXCUSE, action="one")
    for told in ((FIRST, later), (later, FIRST)):
        assert back.attempts(*told).broken() == set()
        back.entries = back.entries[:-2]
    odd = Day().at("someday").excuse(FLAG, FLAG, action="two").excuse(EXCUSE, EXCUSE, action="one")
    assert odd.attempts(FIRST, SECOND).broken() == set()


def test_worlds_are_apart():
    day = two().attempts(FIRST, SECOND).do("reset", {}, {}).put(None).attempts()
    assert day.broken() == set()
    assert two().do("reset", {}, {}).put(None).attempts(FIRST, SECOND).verdict(7) is FAIL


def test_what_stood_there_before_may_be_told():
    old = attempt(HEDGE, action="old", at="2020-01-01T00:00:00Z")
    for told in ((FIRST,), (old, FIRST), (old, old, FIRST)):
        assert Day(log=b"{}\n").excuse(EXCUSE, EXCUSE, action="one").attempts(*told).broken() == set()
    assert Day(log=b"{}\n").excuse(EXCUSE, EXCUSE, action="one").attempts(old).verdict(7) is FAIL


def test_what_was_not_answered_may_be_logged_once():
    def killed(*told):
        day = Day().excuse(EXCUSE, EXCUSE, action="one").under("syscall.killed")
        day.do("enforce", {"text": FLAG, "action": "two", "agent": "eng"}, {}, kind=EntryType.INFO).calm()
        return day.attempts(*told)

    assert killed(FIRST).broken() == killed(FIRST, SECOND).broken() == set()
    assert killed(SECOND).verdict(7) is killed(FIRST, SECOND, SECOND).verdict(7) is FAIL
    silent = Day().do("enforce", {"text": FLAG, "action": "two"}, {}, kind=EntryType.INFO)
    assert silent.verdict(6) is FAIL


def test_what_could_not_be_logged_may_be_there():
    unlogged = {"logged": False, "path": None, "steps": protocol(EXCUSE, logged=False), "log": [ERROR]}
    for told in ((), (FIRST,)):
        day = Day().under("filesystem.full").excuse(EXCUSE, action="one", **unlogged).calm()
        assert day.attempts(*told).broken() == set()
    day = Day().under("filesystem.full").excuse(EXCUSE, action="one", **unlogged).calm()
    assert day.attempts(FIRST, FIRST).verdict(7) is FAIL


def test_who_cannot_read_says_so():
    def unreadable(*told, log=()):
        return two().under("filesystem.unreadable").attempts(*told, log=log)

    assert unreadable(log=[ERROR]).broken() == unreadable(FIRST, SECOND).broken() == set()
    assert unreadable().verdict(7) is FAIL
    assert unreadable(FIRST).verdict(7) is FAIL
    assert Day().under("filesystem.unreadable").attempts().broken() == set()
    assert two().attempts(log=[ERROR]).verdict(7) is FAIL  # in calm weather


def test_a_damaged_log_owes_only_what_was_logged_after():
    def damaged(*told):
        day = two().under("jsonl.garbage_lines").excuse(HEDGE, HEDGE, action="three")
        return day.attempts(*told)

    third = attempt(HEDGE, action="three")
    for told in ((third,), (FIRST, third), (FIRST, SECOND, third), (attempt(HEDGE, action="damage"), third)):
        assert damaged(*told).broken() == set()
    assert damaged(FIRST, SECOND).verdict(7) is FAIL
    vanishing = two().under("filesystem.vanishing").attempts(log=[ERROR]).attempts(log=[ERROR])
    assert vanishing.broken() == set()


def test_at_once():
    def both(*told):
        day = Day().begin("enforce", {"text": EXCUSE, "action": "one", "agent": "eng"})
        day.begin("enforce", {"text": FLAG, "action": "two", "agent": "eng"}, 1).begin("attempts", {}, 2)
        for process, phrase in enumerate((EXCUSE, FLAG)):
            answer = {"steps": protocol(phrase), "proceeds": False, "logged": True,
                      "path": ".loki/memory/episodic/rationalizations.jsonl"}  # fmt: skip
            day.write().end("enforce", answer, process)
        return day.end("attempts", {"attempts": list(told)}, 2)

    for told in ((), (FIRST,), (SECOND,), (SECOND, FIRST)):
        assert both(*told).broken() == set(), told
        assert both(*told).attempts(SECOND, FIRST).broken() == set()
        assert both(*told).attempts(FIRST).verdict(7) is FAIL
    assert both(FIRST, FIRST).verdict(7) is FAIL
    assert both(attempt(HEDGE, action="three")).verdict(7) is FAIL


def test_power_that_is_lost_takes_nothing_that_was_logged_before():
    day = two().under("syscall.power").do("enforce", {"text": EXCUSE, "action": "x"}, {}, kind=EntryType.INFO).calm()
    assert day.attempts(FIRST, SECOND).broken() == set()
    day.entries = day.entries[:-2]
    assert day.attempts(FIRST).verdict(7) is FAIL

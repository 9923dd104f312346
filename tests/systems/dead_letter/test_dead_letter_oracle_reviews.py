"""What the oracle says of reviews: when, in which order, what is decided, and what the files show of it."""

import pytest
from handmade_letters import LONG_AGO, NOON, Day, change, dead, drop, failing, found, passing, readings, tried

from harness.core.history import EntryType, InputFact
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, PENDING

FIXED = {"fixed_by": "4f2c9e1"}
AVAILABLE = {"dependency_available": True}
APPROACH = {"new_approach": "a state machine"}
SIMPLER = {"simpler_scope": {"title": "Half of it", "description": "The first half"}}
NEVER = {"dependency_never": True}
AUTH = {"touches": ["auth"]}
BLOCKED = "dependency_blocked"


def one(facts, kind, letter=None, **more):
    """A review of one task, and a look at what it left."""
    return Day(letter or dead("a")).review({"a": facts}, done={"a": kind}, **more).list()


class TestWhen:
    def test_an_old_queue_is_reviewed(self):
        assert {"LK-DQ-09", "LK-DQ-10", "LK-DQ-11"} <= passing(Day(dead("a")).session().list())
        assert {"LK-DQ-09"} == failing(Day(dead("a")).idle().list())
        for odd in (None, "yesterday", 7, ["x"], "2026-13-41T11:00:00Z"):
            assert {"stale", "past", "every"} == readings("LK-DQ-09", Day(dead("a"), reviewed=odd).session().list())
            assert {"LK-DQ-09"} == failing(Day(dead("a"), reviewed=odd).idle().list())

    def test_a_fresh_one_in_one_reading(self):
        for when in ("2026-02-28T12:00:00Z", "2026-02-28T18:00:00+06:00", NOON):
            assert {"stale", "past"} == readings("LK-DQ-09", Day(dead("a"), reviewed=when).idle().list())
            assert {"every"} == readings("LK-DQ-09", Day(dead("a"), reviewed=when).session().list())

    def test_one_of_the_future(self):
        when = "2026-03-02T12:00:00Z"
        assert {"past"} == readings("LK-DQ-09", Day(dead("a"), reviewed=when).idle().list())
        assert {"stale", "every"} == readings("LK-DQ-09", Day(dead("a"), reviewed=when).session().list())

    def test_two_readings_in_one_run(self):
        day = Day(dead("a"), reviewed=NOON).idle().session().list()
        assert {"LK-DQ-09"} == failing(day)

    def test_what_may_be_a_time_or_none_says_nothing(self):
        for when in ("2026-03-01T11:00:00", "2026-03-01", "2026-03-01T11:59:60Z"):
            assert "LK-DQ-09" not in passing(Day(dead("a"), reviewed=when).idle().list())
            assert "LK-DQ-09" not in passing(Day(dead("a"), reviewed=when).session().list())

    def test_without_dead_letters_both_are_right(self):
        assert "LK-DQ-09" not in passing(Day().idle().list())
        assert "LK-DQ-09" not in passing(Day().session().list())
        passing(Day(dead_letter=None).idle().list())
        passing(Day(dead_letter=b"{ torn").idle().list())
        assert {"LK-DQ-11"} == failing(Day().session(answer={"decisions": [
            {"task_id": "x", "decision": "left", "reason": "because"}]}).list())  # fmt: skip

    @pytest.mark.parametrize("order", [[], ["work"], ["review", "decided", "last_reviewed"],
                                       ["work", "review", "decided", "last_reviewed"]])  # fmt: skip
    def test_work_comes_last(self, order):
        assert "LK-DQ-09" in failing(Day(dead("a")).session(answer={"order": order}).list())

    def test_own_words_in_the_order_say_nothing(self):
        order = ["lock", "review", "read", "decided", "last_reviewed", "unlock", "work", "done"]
        passing(Day(dead("a")).session(answer={"order": order}).list())

    def test_decisions_of_a_queue_that_was_not_reviewed(self):
        day = Day(dead("a"), reviewed=NOON).session({"a": FIXED}, done={"a": "retried"}, answer={"reviewed": False})
        assert "LK-DQ-09" in failing(day.list())
        assert "LK-DQ-11" in failing(Day(dead("a")).review(answer={"reviewed": False}).list())

    def test_an_answer_that_is_none(self):
        day = Day(dead("a")).op("start_session", {}, None).op("review", {}, {"reviewed": "yes"}).list()
        assert {"LK-DQ-09", "LK-DQ-11"} == failing(day)
        assert {"LK-DQ-09"} == failing(Day(dead("a")).op("start_session", {}, {"x": 1}, ended=EntryType.FAIL).list())


class TestLastReviewed:
    def test_it_is_written_after_all_was_decided(self):
        for order in (["last_reviewed", "review", "decided"], ["review", "last_reviewed", "decided"], ["review", "decided"],
                      ["review", "last_reviewed"], ["decided", "review", "last_reviewed"],
                      ["review", "decided", "decided", "last_reviewed"]):  # fmt: skip
            assert {"LK-DQ-10"} == failing(Day(dead("a")).review(answer={"order": order}).list())

    def test_it_is_the_time_of_the_review(self):
        for when in (LONG_AGO, "2026-03-01", None, 5):
            day = Day(dead("a")).review(spoil=lambda day, it=when: day.metadata.update(last_reviewed=it)).list()
            assert "LK-DQ-10" in failing(day)
        passing(
            Day(dead("a"))
            .review(spoil=lambda day: day.metadata.update(last_reviewed="2026-03-01T11:00:00.0-01:00"))
            .list()
        )

    def test_it_stays_without_a_review(self):
        day = Day(dead("a"), reviewed="2026-03-01T10:00:00Z").idle(
            spoil=lambda day: day.metadata.update(last_reviewed=NOON)
        )
        assert {"LK-DQ-10"} == failing(day.list())

    def test_the_last_operation_is_judged_by_its_answer(self):
        passing(Day(dead("a"), reviewed=NOON).idle())
        assert "LK-DQ-10" not in passing(Day(dead("a")).review())
        passing(Day(dead("a")).review({"a": AUTH}, done={"a": "human"}))


class TestEveryone:
    def test_each_is_decided_about_once_in_order(self):
        def day(*ids):
            made = [{"task_id": id_, "decision": "left", "reason": "nothing new"} for id_ in ids]
            order = ["review", *["decided"] * len(made), "last_reviewed"]
            return Day(dead("a"), dead("b")).review(answer={"decisions": made, "order": order}).list()

        passing(day("a", "b"))
        for ids in ((), ("a",), ("b", "a"), ("a", "b", "b"), ("a", "b", "c")):
            assert {"LK-DQ-11"} == failing(day(*ids))

    def test_a_decision_has_a_word_and_a_reason_and_is_stored(self):
        for changes in ({"decision": "wait"}, {"reason": " "}, {"stored": False}):
            made = {"task_id": "a", "decision": "left", "reason": "nothing new", **changes}
            assert "LK-DQ-11" in failing(Day(dead("a")).review(answer={"decisions": [made]}).list())

    def test_who_waits_is_decided_about_again(self):
        day = Day(dead("a"), dead("b")).review().later(90_000)
        again = {"decisions": [{"task_id": "b", "decision": "left", "reason": "no news"}],
                 "order": ["review", "decided", "last_reviewed"]}  # fmt: skip
        assert {"LK-DQ-11", "LK-DQ-22"} == failing(day.review(answer=again).list())
        passed = Day(dead("a", recovery_strategy=BLOCKED, attempts=tried(5, ("dependency",)))).review().later(90_000)
        assert "LK-DQ-22" in passing(passed.review({"a": AVAILABLE}, done={"a": "retried"}).list())
        late = Day(dead("a", recovery_strategy=BLOCKED, attempts=tried(5, ("dependency",)))).review().later(90_000)
        assert "LK-DQ-22" in failing(late.review({"a": AVAILABLE}).list())


class TestOrder:
    @pytest.mark.parametrize("facts", [FIXED, AVAILABLE, APPROACH, SIMPLER])
    def test_a_retry_condition_comes_first(self, facts):
        both = {**facts, **NEVER, **AUTH}
        assert "LK-DQ-11" in failing(one(both, "abandoned"))
        assert failing(one(facts, "left"))
        assert "LK-DQ-11" in passing(one({**FIXED, **NEVER}, "retried"))

    def test_then_the_abandon_criteria_then_humans(self):
        assert "LK-DQ-19" in passing(one({**NEVER, **AUTH}, "abandoned"))
        assert {"LK-DQ-11", "LK-DQ-19"} <= failing(one({**NEVER, **AUTH}, "human"))
        assert "LK-DQ-11" in failing(one({}, "human"))
        assert "LK-DQ-11" in failing(one({}, "abandoned"))
        assert "LK-DQ-11" in failing(one({}, "retried"))

    def test_who_waits_for_a_human_is_retried_or_not(self):
        waits = dead("a", recovery_strategy="requires_human_review")
        assert {"stated"} == readings("LK-DQ-11", one(FIXED, "retried", waits))
        assert {"waits"} == readings("LK-DQ-11", one(FIXED, "human", waits))
        passing(one({}, "human", waits))
        passing(one({}, "left", waits))
        passing(one(NEVER, "abandoned", waits))

    def test_texts_that_are_blank_say_nothing(self):
        for facts in ({"new_approach": " "}, {"fixed_by": ""}):
            passing(one(facts, "left"))
            passing(one(facts, "retried"))


class TestRetrying:
    def test_a_task_goes_to_pending_and_says_why(self):
        assert {"LK-DQ-12", "LK-DQ-14", "LK-DQ-16", "LK-DQ-23"} <= passing(one(FIXED, "retried"))
        for spoil in (change(PENDING, "a", recovery_reason=...), lambda day: day.move("a", PENDING, DEAD_LETTER),
                      drop(PENDING, "a")):  # fmt: skip
            assert "LK-DQ-12" in failing(one(FIXED, "retried", spoil=spoil))

    def test_it_is_counted_or_not(self):
        assert {"counted"} == readings("LK-DQ-12", one(FIXED, "retried"))
        uncounted = one(FIXED, "retried", spoil=lambda day: day.metadata.update(total_recovered=3))
        assert {"uncounted"} == readings("LK-DQ-12", uncounted)
        assert {"LK-DQ-12"} == failing(one(FIXED, "retried", spoil=lambda day: day.metadata.update(total_recovered=5)))

    def test_a_dependency(self):
        assert "LK-DQ-13" in passing(one(AVAILABLE, "retried"))
        assert {"LK-DQ-13"} == failing(one(AVAILABLE, "retried", spoil=change(PENDING, "a", recovery_strategy=BLOCKED)))

    @pytest.mark.parametrize("spoil", [
        change(PENDING, "a", failure_count=5), lambda day: day.at(PENDING, "a")["attempts"].pop(),
        lambda day: day.at(PENDING, "a")["attempts"][-1].update(error_type="timeout"),
        lambda day: day.at(PENDING, "a")["attempts"][-1].update(attempt_number=1),
        lambda day: day.at(PENDING, "a")["attempts"][-1].update(timestamp=LONG_AGO),
        lambda day: day.at(PENDING, "a")["attempts"][-1].update(approach="another"), change(PENDING, "a", failure_count="0"),
        change(PENDING, "a", attempts=[]),
    ])  # fmt: skip
    def test_a_new_approach_resets_the_count_and_is_recorded(self, spoil):
        assert "LK-DQ-14" in passing(one(APPROACH, "retried"))
        assert "LK-DQ-14" in failing(one(APPROACH, "retried", spoil=spoil))

    def test_one_that_is_planned_already_need_not_be_planned_twice(self):
        plan = {"attempt_number": 6, "timestamp": NOON, "approach": "a state machine", "error_type": None}
        day = one(APPROACH, "retried", dead("a", attempts=[*tried(5), plan]),
                  spoil=lambda day: day.at(PENDING, "a")["attempts"].pop())  # fmt: skip
        passing(day)

    def test_without_one_the_count_stays(self):
        assert {"LK-DQ-14"} == failing(one(FIXED, "retried", spoil=change(PENDING, "a", failure_count=0)))

    def test_the_commit(self):
        assert {"LK-DQ-16"} == failing(one(FIXED, "retried", spoil=change(PENDING, "a", fix_commit=...)))
        passing(one(FIXED, "retried", spoil=change(PENDING, "a", fix_commit=..., recovery_reason="see 4f2c9e1")))

    def test_of_several_conditions_one_is_taken_up(self):
        both = {**FIXED, **AVAILABLE}
        passing(one(both, "retried", spoil=change(PENDING, "a", fix_commit=...)))
        passing(one(both, "retried", spoil=change(PENDING, "a", recovery_strategy=BLOCKED)))
        neither = change(PENDING, "a", fix_commit=..., recovery_strategy=BLOCKED)
        assert {"LK-DQ-12"} == failing(one(both, "retried", spoil=neither))
        assert "LK-DQ-14" in failing(one({**both, **APPROACH}, "retried", spoil=change(PENDING, "a", failure_count=5)))

    def test_the_answered_strategy_is_the_stored_one(self):
        made = {"task_id": "a", "decision": "left", "reason": "no news", "strategy": BLOCKED}
        assert {"LK-DQ-07"} == failing(Day(dead("a")).review(answer={"decisions": [made]}).list())
        made["strategy"] = "retry_with_simpler_approach"
        passing(Day(dead("a")).review(answer={"decisions": [made]}).list())

    def test_what_is_not_seen_says_nothing(self):
        day = Day(dead("a"), pending=[]).review({"a": FIXED}, done={"a": "retried"})
        day.queues[PENDING] = InputFact("unreadable")
        passing(day.list())


class TestSimplerScopes:
    def test_a_new_task_is_linked(self):
        assert {"stays"} == readings("LK-DQ-15", one(SIMPLER, "retried"))
        for spoil in (drop(PENDING, "a-simpler"), change(PENDING, "a-simpler", title="other"),
                      change(PENDING, "a-simpler", description=...), change(PENDING, "a-simpler", linked_to="b"),
                      change(DEAD_LETTER, "a", split_into=...)):  # fmt: skip
            assert "LK-DQ-15" in failing(one(SIMPLER, "retried", spoil=spoil))

    def test_the_original_goes_elsewhere(self):
        pending = one(SIMPLER, "retried", spoil=lambda day: day.move("a", DEAD_LETTER, PENDING))
        assert {"pending"} == readings("LK-DQ-15", pending)
        abandoned = one(SIMPLER, "retried", spoil=lambda day: day.move("a", DEAD_LETTER, ABANDONED))
        assert {"abandoned"} == readings("LK-DQ-15", abandoned)
        assert {"LK-DQ-15", "LK-DQ-23"} == failing(one(SIMPLER, "retried", spoil=drop(DEAD_LETTER, "a")))

    def test_none_is_told_or_made(self):
        made = {"task_id": "a", "decision": "retried", "reason": "it is simpler"}
        assert {"LK-DQ-15"} == failing(one(SIMPLER, "retried", answer={"decisions": [made]}))
        assert {"LK-DQ-15"} == failing(one(FIXED, "retried", answer={"decisions": [{**made, "created": "b"}]}))

    def test_a_second_one_is_not_made(self):
        day = Day(dead("a")).review({"a": SIMPLER}, done={"a": "retried"}).list().later(90_000)
        assert "LK-DQ-15" in passing(day.review({"a": SIMPLER}).list())
        again = Day(dead("a")).review({"a": SIMPLER}, done={"a": "retried"}).later(9)
        more = {"task_id": "a", "decision": "retried", "reason": "again", "created": "a-again"}
        again.review({"a": SIMPLER}, answer={"decisions": [more]}, spoil=lambda day: day.put(
            PENDING, {"task_id": "a-again", **SIMPLER["simpler_scope"], "linked_to": "a"}))  # fmt: skip
        assert failing(again.list())
        silent = Day(dead("a")).review({"a": SIMPLER}, spoil=lambda day: day.put(
            PENDING, {"task_id": "b", **SIMPLER["simpler_scope"]}))  # fmt: skip
        assert "LK-DQ-15" in failing(silent.list())

    def test_one_that_may_have_been_made_before(self):
        linked = {"task_id": "half", "title": "x", "linked_to": "a"}
        for kind in ("left", "retried"):
            passing(Day(dead("a"), pending=[linked]).review({"a": SIMPLER}, done={"a": kind}).list())
        passing(Day(dead("a", split_into="half"), pending=[{"task_id": "half"}]).review({"a": SIMPLER}).list())

    def test_beside_another_condition(self):
        made = {"task_id": "a", "decision": "retried", "reason": "it is fixed", "created": "a-simpler"}
        both = {**FIXED, **SIMPLER}

        def put(day):
            day.put(PENDING, {"task_id": "a-simpler", **SIMPLER["simpler_scope"], "linked_to": "a"})

        day = Day(dead("a")).review({"a": both}, done={"a": "retried"}, answer={"decisions": [made]}, spoil=put)
        passing(day.list())
        alone = Day(dead("a")).review(
            {"a": both}, answer={"decisions": [made]},
            spoil=lambda day: (put(day), day.at(DEAD_LETTER, "a").update(split_into="a-simpler")),
        )  # fmt: skip
        passing(alone.list())

    def test_what_is_not_seen_says_nothing(self):
        day = Day(dead("a")).review({"a": SIMPLER}, done={"a": "retried"})
        day.queues[PENDING] = InputFact("unreadable")
        passing(day.list())


class TestLeaving:
    @pytest.mark.parametrize("kinds", [("dependency",), ("timeout",), ("dependency", "timeout")])
    def test_the_strategy_is_picked_or_kept(self, kinds):
        other = {"dependency": BLOCKED, "timeout": "retry_with_simpler_approach"}
        wanted = other[kinds[0]]
        wrong = next(each for each in other.values() if each != wanted)

        def day(had, stored):
            letter = dead("a", attempts=tried(5, kinds), recovery_strategy=had)
            return one({}, "left", letter, spoil=change(DEAD_LETTER, "a", recovery_strategy=stored))

        if len(kinds) > 1:
            assert "LK-DQ-24" not in passing(day(wanted, wrong))
            return
        assert {"picked", "kept"} == readings("LK-DQ-24", day(wanted, wanted))
        assert {"picked"} == readings("LK-DQ-24", day(wrong, wanted))
        assert {"kept"} == readings("LK-DQ-24", day(wrong, wrong))
        assert {"LK-DQ-24"} == failing(day(wanted, wrong))
        assert {"kept"} == readings("LK-DQ-24", day("nonsense", wrong))
        assert {"LK-DQ-07"} == failing(day("nonsense", "nonsense"))

    def test_it_stays_in_the_queue(self):
        assert "LK-DQ-11" in failing(one({}, "left", spoil=lambda day: day.move("a", DEAD_LETTER, PENDING)))


def test_what_the_scenario_is_for_and_did_not_come_is_inconclusive():
    assert "INCONCLUSIVE" == found(Day(dead("a")).list(), ("LK-DQ-11",))["LK-DQ-11"].verdict.value

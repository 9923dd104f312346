"""What the oracle says of failures that are recorded, and of the dead letters that come of them."""

import pytest
from handmade_letters import (
    LONG_AGO,
    NOON,
    Day,
    change,
    data,
    dead,
    failing,
    passing,
    readings,
    task,
    tried,
)

from harness.core.history import InputFact
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, IN_PROGRESS, PENDING

MOVED = {f"LK-DQ-{n:02d}" for n in range(1, 9)}


def moving(**more):
    """The fifth failure of a task in progress."""
    return Day(running=[task("a", 4), task("b", 2)]).fail("a", **more).list()


class TestCounting:
    def test_the_fifth_failure_moves_a_task_and_the_fourth_does_not(self):
        assert {*MOVED, "LK-DQ-23"} == passing(moving())
        assert {"LK-DQ-01", "LK-DQ-05", "LK-DQ-06", "LK-DQ-23"} == passing(Day(pending=[task("a", 3)]).fail("a").list())

    def test_the_last_failure_is_judged_by_its_answer(self):
        refused = {"recorded": False, "moved": False, "failure_count": None}
        assert "LK-DQ-01" not in passing(Day(running=[task("a", 4)]).fail("a"))
        assert {"LK-DQ-01"} == failing(Day(running=[task("a", 4)]).fail("a", answer={"moved": False}))
        passing(Day(running=[task("a", 4)]).fail("a", None, answer=refused))
        hidden = Day(running=[task("a", 4)]).fail("a")
        hidden.queues[DEAD_LETTER] = InputFact("unreadable")
        assert "LK-DQ-05" not in passing(hidden.list(tasks=[]))

    def test_one_that_goes_back_to_pending_is_allowed(self):
        day = Day(running=[task("a", 2)]).fail("a", spoil=lambda day: day.move("a", IN_PROGRESS, PENDING))
        passing(day.list())

    @pytest.mark.parametrize("answer", [{"moved": False}, {"failure_count": 4}, {"failure_count": None},
                                        {"failure_count": 5, "moved": False}, {"recorded": False},
                                        {"recorded": False, "moved": False, "failure_count": None},
                                        {"failure_count": True}])  # fmt: skip
    def test_a_wrong_answer(self, answer):
        assert "LK-DQ-01" in failing(moving(answer=answer))

    def test_an_answer_of_no_form(self):
        assert "LK-DQ-01" in failing(moving(answer={"failure_count": "five"}))
        day = Day(pending=[task("a")])
        assert {"LK-DQ-01"} == failing(day.op("record_failure", {"task_id": "a", "attempt": {}}, None).list())

    def test_answered_and_not_done(self):
        stay = moving(deed=lambda day: None)
        assert {"LK-DQ-01"} == failing(stay)
        low = Day(pending=[task("a", 1)]).fail("a", deed=lambda day: None).list()
        assert {"LK-DQ-01", "LK-DQ-05"} == failing(low)
        early = Day(pending=[task("a", 1)]).fail("a", spoil=lambda day: day.move("a", PENDING, DEAD_LETTER)).list()
        assert "LK-DQ-01" in failing(early)

    def test_a_task_that_is_nowhere_or_elsewhere_is_not_recorded(self):
        passing(Day(dead("a")).fail("a").list().fail("nobody").list())
        assert {"LK-DQ-01"} == failing(Day().fail("nobody", answer={"recorded": True, "failure_count": 1}).list())
        hidden = Day(pending=[], in_progress=...).fail("nobody", answer={"recorded": True, "failure_count": 1})
        assert set() == failing(hidden.list())
        assert {"LK-DQ-01"} == failing(Day().fail("nobody", answer={"failure_count": 1}).list())

    def test_a_failure_that_is_no_whole_one_may_be_refused(self):
        refused = {"recorded": False, "moved": False, "failure_count": None}
        for kind in (None, ["timeout"], "crash"):
            day = Day(pending=[task("a", 4)]).fail("a", kind, answer=refused, deed=lambda day: None)
            assert set() == failing(day.list())
        day = Day(pending=[task("a", 2)]).fail("a", None, answer=refused)
        assert {"LK-DQ-05"} == failing(day.list(PENDING))
        assert set() == failing(Day(pending=[task("a", 4)]).fail("a", message="\ud800", answer=refused,
                                                                 deed=lambda day: None).list())  # fmt: skip

    def test_a_move_that_was_not_ended_may_be_ended_first(self):
        refused = {"recorded": False, "moved": False, "failure_count": None}
        day = Day(pending=[task("a", 5)]).fail("a", answer=refused,
                                               deed=lambda day: day.move("a", PENDING, DEAD_LETTER, dead("a")))  # fmt: skip
        passing(day.list())
        double = Day(dead("a"), pending=[task("a", 4)]).fail(
            "a", answer=refused, deed=lambda day: day.tasks(PENDING).clear()
        )
        passing(double.list())
        other = Day(pending=[task("a", 5), task("b")]).fail(
            "b", answer={"notified": ["a"]}, spoil=lambda day: day.move("a", PENDING, DEAD_LETTER, dead("a"))
        )
        passing(other.list())


class TestAttempts:
    @pytest.mark.parametrize("fields", [
        {"attempt_number": 1}, {"attempt_number": 5.5}, {"attempt_number": True}, {"attempt_number": "5"},
        {"timestamp": "2026-03-01"}, {"timestamp": LONG_AGO}, {"approach": "other"}, {"error_message": "no"},
        {"agent_id": None}, {"agent_id": ...},
    ])  # fmt: skip
    def test_one_that_is_wrong(self, fields):
        def spoil(day):
            last = day.at(DEAD_LETTER, "a")["attempts"][-1]
            last |= fields
            for name in [name for name, value in fields.items() if value is ...]:
                del last[name]

        assert "LK-DQ-05" in failing(moving(spoil=spoil))

    def test_none_two_or_the_first_with_a_wrong_number(self):
        assert "LK-DQ-05" in failing(moving(spoil=lambda day: day.at(DEAD_LETTER, "a")["attempts"].pop()))
        assert "LK-DQ-05" in failing(moving(spoil=lambda day: day.at(DEAD_LETTER, "a")["attempts"].append({})))
        first = Day(pending=[task("a")]).fail(
            "a", spoil=lambda day: day.at(PENDING, "a")["attempts"][0].update(attempt_number=2)
        )
        assert {"LK-DQ-05"} == failing(first.list())

    @pytest.mark.parametrize(
        "stamp", ["2026-03-01T12:00:00.123456789+00:00", "2026-03-01t15:00:00+03:00", "2026-03-01 12:00:01z"]
    )
    def test_times_in_other_forms(self, stamp):
        def spoil(day):
            day.at(DEAD_LETTER, "a")["attempts"][-1]["timestamp"] = stamp
            day.at(DEAD_LETTER, "a")["last_failure"] = stamp

        passing(moving(spoil=spoil))

    def test_an_approach_that_was_planned_is_filled_in_or_followed(self):
        plan = {
            "attempt_number": 6,
            "timestamp": LONG_AGO,
            "approach": "direct",
            "error_type": None,
            "error_message": "",
        }

        def fill(day):
            own = day.at(PENDING, "a")
            own["attempts"] = [*own["attempts"][:5], {**own["attempts"][6], "attempt_number": 6}]

        def begin():
            return Day(pending=[task("a", 0, attempts=[*tried(5), plan])])

        passing(begin().fail("a").list())
        passing(begin().fail("a", spoil=fill).list())
        assert {"LK-DQ-05"} == failing(begin().fail("a", approach="another", spoil=fill).list()) - {"LK-DQ-23"}

    def test_a_type_of_the_four_stays_and_another_is_one_of_them_or_stays(self):
        def typed(value):
            return lambda day: day.at(PENDING, "a")["attempts"][-1].update(error_type=value)

        def day(kind, stored):
            return Day(pending=[task("a")]).fail("a", kind, spoil=typed(stored)).list()

        assert {"LK-DQ-06"} == failing(day("timeout", "validation"))
        assert {"closed"} == readings("LK-DQ-06", day("crash", "validation"))
        assert {"open"} == readings("LK-DQ-06", day("crash", "crash"))
        assert {"LK-DQ-06"} == failing(day("crash", "explosion"))
        assert {"closed", "open"} == readings("LK-DQ-06", day(None, "timeout"))
        assert {"open"} == readings("LK-DQ-06", day(["x"], "unknown"))
        assert {"LK-DQ-06"} == failing(day(None, 7))


class TestLetters:
    def test_the_file_has_tasks_and_metadata(self):
        def meta(**fields):
            return moving(spoil=lambda day: day.metadata.update(fields))

        assert {"LK-DQ-02"} == failing(meta(last_reviewed="today"))
        assert "LK-DQ-02" in failing(meta(total_abandoned=-1))
        assert set() == failing(meta(last_reviewed=None))
        for content in ([dead("a")], {"tasks": [dead("a")]}, {"tasks": [dead("a")], "metadata": []}, b"{"):
            assert "LK-DQ-02" in failing(moving(spoil=lambda day, it=content: day.queues.update({DEAD_LETTER: it})))
        gone = moving(spoil=lambda day: day.metadata.pop("total_recovered"))
        assert "LK-DQ-02" in failing(gone)

    def test_what_was_odd_in_the_metadata_may_stay(self):
        odd = {"tasks": [], "metadata": {"last_reviewed": 7, "total_abandoned": "two", "total_recovered": 0}}
        passing(Day(running=[task("a", 4)], dead_letter=odd).fail("a").list())

    def test_a_bare_array_becomes_an_object(self):
        def spoil(day):
            day.queues[DEAD_LETTER] = {"tasks": day.queues[DEAD_LETTER], "metadata": {
                "last_reviewed": None, "total_abandoned": 0, "total_recovered": 0}}  # fmt: skip

        passing(Day(running=[task("a", 4)], dead_letter=[]).fail("a", spoil=spoil).list())
        assert {"LK-DQ-02"} == failing(Day(running=[task("a", 4)], dead_letter=[]).fail("a").list())

    @pytest.mark.parametrize(
        "name", ["original_queue", "error_summary", "task_data", "recovery_strategy", "first_failure"]
    )
    def test_a_field_is_missing(self, name):
        assert "LK-DQ-03" in failing(moving(fields={name: ...}))

    def test_fields_of_the_wrong_type(self):
        for fields in ({"error_summary": " "}, {"task_data": 7}, {"attempts": None}):
            assert "LK-DQ-03" in failing(moving(fields=fields))

    def test_the_data_is_what_the_task_had(self):
        assert {"LK-DQ-03", "LK-DQ-23"} == failing(moving(fields={"task_data": data("a", title="x"), "title": ...}))

    def test_what_is_not_known_is_filled_in_or_left_out(self):
        def day(**fields):
            return Day(running=[task("a", 4, description=...)]).fail("a", fields=fields).list()

        assert {"known"} == readings("LK-DQ-03", day())
        assert {"all", "known"} == readings("LK-DQ-03", day(task_data=data("a", description="")))

    def test_the_queue_it_came_from(self):
        assert {"LK-DQ-04"} == failing(moving(fields={"original_queue": "pending"}))
        assert {"LK-DQ-04"} == failing(moving(fields={"original_queue": ["in-progress"]}))
        assert "LK-DQ-04" in failing(moving(fields={"task_data": data("a", priority="low"), "priority": ...}))
        assert {"pending"} == readings("LK-DQ-04", Day(blocked=[task("a", 4)]).fail("a").list())
        added = Day(blocked=[task("a", 4)]).fail("a", fields={"original_queue": "blocked"})
        assert {"added"} == readings("LK-DQ-04", added.list())
        again = Day(running=[task("a", 4, original_queue="pending")]).fail("a", fields={"original_queue": "pending"})
        assert {"LK-DQ-04"} == failing(again.list())  # it came from there once; now it comes from in-progress

    def test_an_odd_priority_may_become_any(self):
        for stored in ("urgent", "medium"):
            day = Day(running=[task("a", 4, priority="urgent")])
            passing(day.fail("a", fields={"task_data": data("a", priority=stored)}).list())

    def test_the_strategy_is_one_of_four(self):
        for odd in ("wait", "dependency_resolved", None, ["x"]):
            assert {"LK-DQ-07"} == failing(moving(fields={"recovery_strategy": odd}))

    def test_the_times_of_failures(self):
        for fields in ({"first_failure": NOON}, {"last_failure": LONG_AGO}, {"first_failure": "then"}):
            assert {"LK-DQ-08"} == failing(moving(fields=fields))
        assert {"attempts", "reset"} == readings("LK-DQ-08", moving())

        def back():
            return Day(running=[task("a", 4, attempts=tried(9))])

        assert {"attempts"} == readings("LK-DQ-08", back().fail("a").list())
        assert {"reset"} == readings(
            "LK-DQ-08", back().fail("a", fields={"first_failure": tried(6)[5]["timestamp"]}).list()
        )
        had = Day(running=[task("a", 4, first_failure=LONG_AGO)]).fail("a", fields={"first_failure": LONG_AGO})
        assert {"attempts", "reset"} == readings("LK-DQ-08", had.list())

    def test_without_times_of_attempts_only_their_order_counts(self):
        def few():
            return Day(running=[task("a", 4, attempts=tried(2))])

        passing(few().fail("a", fields={"first_failure": LONG_AGO}).list())
        assert {"LK-DQ-08"} == failing(few().fail("a", fields={"first_failure": "2027-01-01T00:00:00Z"}).list())
        odd = [{**each, "timestamp": None} for each in tried(4)]
        passing(Day(running=[task("a", 4, attempts=odd)]).fail("a", fields={"first_failure": LONG_AGO}).list())


class TestNotices:
    def test_a_task_that_moves_may_be_escalated_at_once(self):
        def escalated(**more):
            return moving(answer={"notified": ["a"]}, fields={"recovery_strategy": "requires_human_review"},
                          spoil=lambda day: day.escalate(day.at(DEAD_LETTER, "a")), **more)  # fmt: skip

        assert {"LK-DQ-21", "LK-ES-06"} <= passing(escalated())
        assert "LK-ES-07" in passing(escalated().look())
        after = escalated().review({"a": {"touches": ["auth"]}}, done={"a": "human"}).list()
        assert {"once"} == readings("LK-DQ-21", after)

    def test_a_notice_without_its_file_or_strategy(self):
        assert {"LK-DQ-21", "LK-ES-06"} == failing(moving(answer={"notified": ["a"]}))
        assert "LK-DQ-21" in failing(moving(answer={"notified": ["b"]}))
        assert {"LK-DQ-21"} == failing(moving(spoil=lambda day: day.escalate(day.at(DEAD_LETTER, "a"))))
        low = Day(pending=[task("a", 1)]).fail("a", answer={"notified": ["a"]}).list()
        assert {"LK-DQ-21"} == failing(low)

    def test_who_was_moved_with_the_strategy_alone_still_has_to_be_asked(self):
        day = moving(fields={"recovery_strategy": "requires_human_review"})
        day.review({"a": {"touches": ["auth"]}}, done={"a": "human"}, answer={"notified": []},
                   spoil=lambda day: day.texts.clear())  # fmt: skip
        assert "LK-DQ-21" in failing(day.list())

    def test_the_last_operation_is_judged_by_its_answer(self):
        day = Day(running=[task("a", 4)]).fail("a", answer={"notified": ["a"]},
                                               spoil=lambda day: day.escalate(day.at(DEAD_LETTER, "a")))  # fmt: skip
        assert "LK-DQ-21" not in passing(day)


class TestTogether:
    def test_failures_at_once_are_all_counted(self):
        day = Day(pending=[task("a", 1)]).fail("a", message="one").fail("a", message="two").together(2).list()
        assert {"LK-DQ-01", "LK-DQ-23"} == passing(day)

    def test_one_that_is_lost(self):
        day = Day(pending=[task("a", 1)]).fail("a", message="one")
        day.fail("a", message="two", answer={"failure_count": 2}, deed=lambda day: None)
        assert {"LK-DQ-01"} == failing(day.together(2).list())
        day = Day(pending=[task("a", 1)]).fail("a", message="one").fail("a", message="two")
        day.queues[PENDING]["tasks"][0]["attempts"][-1]["error_message"] = "one"
        assert {"LK-DQ-01"} == failing(day.together(2).list())

    def test_with_others_nothing_is_said_of_the_count(self):
        day = Day(dead("z"), pending=[task("a", 1)]).fail("a").review().together(2).list()
        assert "LK-DQ-01" not in passing(day)

    def test_a_move_that_two_say_to_have_done(self):
        fixed = {"z": {"fixed_by": "4f2c9e1"}}
        day = Day(dead("z")).review(fixed, done={"z": "retried"})
        day.review({}, answer=day.entries[-1].value).together(2)
        assert {"LK-DQ-23"} == failing(day.list(ABANDONED))
        assert {"LK-DQ-23"} != failing(Day(dead("z")).review(fixed, done={"z": "retried"}).list(ABANDONED))

    def test_that_one_of_them_could_not_be_told_apart_at_the_end(self):
        fixed = {"z": {"fixed_by": "4f2c9e1"}}
        day = Day(dead("z")).review(fixed, done={"z": "retried"})
        day.review({}, answer=day.entries[-1].value).together(2)
        passing(day)


def test_change_and_drop_spoil_what_they_say():
    day = Day(dead("a"))
    change(DEAD_LETTER, "a", owner="bob", error_summary=...)(day)
    assert ("bob", False) == (day.at(DEAD_LETTER, "a")["owner"], "error_summary" in day.at(DEAD_LETTER, "a"))

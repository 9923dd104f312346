"""What the oracle says of tasks that are abandoned, by a review or by a human."""

import pytest
from handmade_letters import LONG_AGO, NOON, Day, change, dead, drop, failing, passing, readings, task, tried

from harness.systems.queue_files import ABANDONED, DEAD_LETTER, PENDING

FIXED = {"fixed_by": "4f2c9e1"}
NEVER = {"dependency_never": True}
BLOCKED = "dependency_blocked"


def one(facts, kind, letter=None, **more):
    """A review of one task, and a look at what it left."""
    return Day(letter or dead("a")).review({"a": facts}, done={"a": kind}, **more).list()


class TestAbandoning:
    def test_ten_attempts(self):
        assert "LK-DQ-17" in passing(one({}, "abandoned", dead("a", 10)))
        assert "LK-DQ-17" in failing(one({}, "left", dead("a", 10)))
        assert "LK-DQ-17" in passing(one({}, "left", dead("a", 9)))
        assert "LK-DQ-17" in failing(one({}, "abandoned", dead("a", 9)))
        assert "LK-DQ-17" in passing(one({}, "abandoned", dead("a", 0, attempts=tried(10))))

    def test_an_approach_that_nobody_tried_is_an_attempt_or_not(self):
        plan = {"attempt_number": 10, "timestamp": NOON, "approach": "x", "error_type": None, "error_message": None}
        letter = dead("a", 9, attempts=[*tried(9), plan])
        assert {"apart"} == readings("LK-DQ-14", one({}, "left", letter))
        assert {"attempt"} == readings("LK-DQ-14", one({}, "abandoned", letter))

    def test_entries_that_are_no_attempts_may_count(self):
        letter = dead("a", 9, attempts=[*tried(9), "another"])
        passing(one({}, "left", letter))
        passing(one({}, "abandoned", letter))
        passing(one({}, "left", dead("a", 3, attempts=...)))

    @pytest.mark.parametrize(("kinds", "messages", "abandoned", "left"), [
        (["timeout"], ["same"], {"both", "type", "message", "exact"}, None),
        (["timeout"], ["line 1", "Line  22", "LINE 3"], {"both", "type", "message"}, {"exact"}),
        (["timeout"], ["x", "y", "z"], {"type"}, {"both", "message", "exact"}),
        (["timeout", "validation", "test_failure"], ["same"], {"message"}, {"both", "type", "exact"}),
        (["timeout", "validation", "test_failure"], ["x", "y", "z"], None, {"both", "type", "message", "exact"}),
    ])  # fmt: skip
    def test_the_same_error_in_three_approaches(self, kinds, messages, abandoned, left):
        letter = dead("a", attempts=tried(3, kinds, ("one", "two", "three"), messages))
        for kind, expected in (("abandoned", abandoned), ("left", left)):
            day = one({}, kind, letter)
            if expected is None:
                assert failing(day) & {"LK-DQ-11", "LK-DQ-18"}
            elif len(expected) < 4 or kind == "abandoned":
                assert expected == readings("LK-DQ-18", day)

    def test_in_two_approaches_it_is_not(self):
        assert "LK-DQ-18" in passing(one({}, "left", dead("a", attempts=tried(5, ["timeout"], messages=["same"]))))
        assert "LK-DQ-18" in failing(one({}, "abandoned", dead("a", attempts=tried(5, ["timeout"], messages=["same"]))))

    def test_approaches_that_may_be_the_same_say_nothing(self):
        letter = dead("a", attempts=tried(3, ["timeout"], ("One", "one ", "two"), ["same"]))
        passing(one({}, "left", letter))
        passing(one({}, "abandoned", letter))
        passing(one({}, "left", dead("a", attempts=tried(3, ["timeout"], (None, 1, "two"), ["same"]))))

    @pytest.mark.parametrize("facts", [NEVER, {"irrelevant": True}])
    def test_what_is_said(self, facts):
        assert {"LK-DQ-19", "LK-DQ-20"} <= passing(one(facts, "abandoned"))
        assert "LK-DQ-19" in failing(one(facts, "left"))

    def test_an_abandoned_task_has_its_reason_and_leaves(self):
        for spoil in (change(ABANDONED, "a", abandon_reason=...), change(ABANDONED, "a", abandon_reason=""),
                      lambda day: day.move("a", ABANDONED, DEAD_LETTER), drop(ABANDONED, "a")):  # fmt: skip
            assert "LK-DQ-20" in failing(one(NEVER, "abandoned", spoil=spoil))
        passing(one(NEVER, "abandoned", spoil=change(ABANDONED, "a", abandon_reason=..., why={"text": "never"})))
        strategy = one(NEVER, "abandoned", spoil=change(ABANDONED, "a", recovery_strategy=BLOCKED))
        assert {"LK-DQ-07"} == failing(strategy)

    def test_it_is_counted_or_not(self):
        assert {"counted"} == readings("LK-DQ-20", one(NEVER, "abandoned"))
        uncounted = one(NEVER, "abandoned", spoil=lambda day: day.metadata.update(total_abandoned=2))
        assert {"uncounted"} == readings("LK-DQ-20", uncounted)
        for number in (4, 1, "many"):
            day = one(NEVER, "abandoned", spoil=lambda day, it=number: day.metadata.update(total_abandoned=it))
            assert "LK-DQ-20" in failing(day)
        assert {"LK-DQ-20"} == failing(
            Day(dead("a")).list(spoil=lambda day: day.metadata.update(total_abandoned=7)).list()
        )

    def test_an_odd_count_says_nothing(self):
        odd = {
            "tasks": [dead("a")],
            "metadata": {"last_reviewed": LONG_AGO, "total_abandoned": "two", "total_recovered": 0},
        }
        day = Day(dead_letter=odd)
        day.review({"a": FIXED}, done={"a": "retried"}, spoil=lambda day: day.metadata.update(total_abandoned=0))
        passing(day.list())


class TestHumansWhoAbandon:
    def test_a_dead_letter(self):
        assert {"LK-DQ-19", "LK-DQ-20"} <= passing(Day(dead("a"), dead("b")).abandon("a").list().abandon("a").list())

    def test_not_done_or_not_said(self):
        assert "LK-DQ-19" in failing(Day(dead("a")).abandon("a", answer=False, deed=None).list())
        assert "LK-DQ-20" in failing(Day(dead("a")).abandon("a", deed=None).list())
        assert "LK-DQ-20" in failing(
            Day(dead("a")).abandon("a", spoil=change(ABANDONED, "a", abandon_reason="x")).list()
        )
        assert {"LK-DQ-20"} == failing(Day().abandon("nobody").list())
        passing(Day(dead("a")).abandon("a"))

    def test_a_dead_letter_of_which_a_crash_left_a_copy_elsewhere(self):
        given_up = Day(dead("a"), pending=[task("a")]).abandon("a", spoil=drop(PENDING, "a")).list()
        assert {"LK-DQ-02", "LK-DQ-20", "LK-DQ-23"} <= passing(given_up)

        def unsaid(day):
            drop(PENDING, "a")(day)
            change(ABANDONED, "a", abandon_reason="")(day)

        assert "LK-DQ-20" in failing(Day(dead("a"), pending=[task("a")]).abandon("a", spoil=unsaid).list())

    def test_nobody_and_somebody_elsewhere(self):
        passing(Day().abandon("nobody", answer=False).list())
        passing(Day(pending=[task("a")]).abandon("a", answer=False).list())
        moved = Day(pending=[task("a")]).abandon(
            "a",
            "it is old",
            spoil=lambda day: day.move("a", PENDING, ABANDONED, {**day.at(PENDING, "a"), "why": "it is old"}),
        )
        assert "LK-DQ-19" not in passing(moved.list())
        passing(Day(dead("a"), abandoned=...).abandon("a", deed=drop(DEAD_LETTER, "a")).list())

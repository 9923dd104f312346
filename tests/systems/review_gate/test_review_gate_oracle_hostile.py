"""What the oracle says when reviewers never return, files are damaged, storage refuses, or several ask at once.

Right answers that a stricter oracle would fail, and wrong ones that a more lenient one would pass.
"""

import itertools

import pytest
from handmade_gates import (
    ALL,
    HIGH,
    LOW,
    MISSING,
    ONE,
    SAID,
    THREE,
    TWO,
    Day,
    failing,
    readings,
    reviewer,
    struck,
    witnessed,
)

from harness.core.history import EntryType, InputFact

LIMIT_S = 600.0
BOTH = {"waits", "gives_up"}
GARBAGE = InputFact("file", 4, b"what")
ANEW = [reviewer(TWO), reviewer(THREE)]


def late(seconds=LIMIT_S + 1, found=()):
    """One has returned, two are waited for."""
    return Day().launch().report(ONE, *found).later(seconds)


class TestOverdue:
    def test_who_is_overdue_is_waited_for_or_launched_anew(self):
        assert BOTH == readings(late().status())
        assert BOTH == readings(late().status(launch=ANEW).report(THREE).report(TWO, decision="passed"))
        assert BOTH == readings(late().report(TWO).report(THREE, decision="passed").begin("b"))

    def test_or_the_round_is_given_up_and_everything_reviewed_again(self):
        day = late(found=[HIGH]).status(decision="blocked", issues=[HIGH]).begin("b", begun=False)
        day.stray("report", name=TWO, decision="blocked", issues=[HIGH]).fix().analyse(number=2)
        assert {"gives_up"} == readings(day.rest(number=2).begin("b"))
        told = [{"severity": "high", "message": "reviewer-2 has not returned"}]
        assert {"gives_up"} == readings(late().status(decision="blocked", issues=told).fix())
        assert {"gives_up"} == readings(late().stray("report", name=TWO, decision="blocked"))
        assert {"gives_up"} == readings(late().fix().analyse(number=2))
        assert failing(late(found=[HIGH]).status(decision="blocked"))  # what was found is not told

    def test_a_round_never_passes_without_who_is_missing(self):
        for op in (Day.status, lambda day, **how: day.report(TWO, **how)):
            assert {"AGGREGATED"} == failing(op(late(), decision="passed"))
        assert {"BETWEEN"} == failing(late().status().begin("b"))
        assert {"BETWEEN"} == failing(late().status(decision="blocked").begin("b"))

    def test_a_round_may_be_given_up_after_it_was_waited_for(self):
        assert {"gives_up"} == readings(late().status().status(decision="blocked").fix())
        anew = late(found=[HIGH]).status(launch=ANEW).later(LIMIT_S + 1)
        assert {"gives_up"} == readings(anew.status(decision="blocked", issues=[HIGH]).fix().analyse(number=2))

    def test_it_is_not_waited_for_once_it_was_given_up(self):
        assert {"AGGREGATED"} == failing(late().status(decision="blocked").status())
        assert {"AGGREGATED"} == failing(late().status(launch=ANEW).status(decision="blocked"))

    @pytest.mark.parametrize("seconds", [0.0, 1.0, LIMIT_S - 0.001, LIMIT_S, -3600.0])
    def test_before_that_nobody_is_launched_anew_or_given_up(self, seconds):
        assert "AGGREGATED" in witnessed(late(seconds).status())
        assert {"TOGETHER"} == failing(late(seconds).status(launch=ANEW))
        assert {"AGGREGATED"} == failing(late(seconds).status(decision="blocked"))
        assert {"AGAIN"} == failing(late(seconds).fix())

    @pytest.mark.parametrize("launch", [ALL, ANEW[:1], [*ANEW, ANEW[0]], [reviewer("reviewer-4"), *ANEW[1:]]])
    def test_just_those_who_are_missing_are_launched_anew(self, launch):
        assert {"TOGETHER"} == failing(late().status(launch=launch))
        assert {"MODELS"} == failing(late().status(launch=[*ANEW[:1], reviewer(THREE, "opus")]))

    def test_who_was_launched_anew_has_as_much_time_again(self):
        day = lambda: late().status(launch=ANEW)  # noqa: E731
        assert {"TOGETHER"} == failing(day().later(LIMIT_S).status(launch=ANEW))
        assert BOTH == readings(day().later(LIMIT_S + 1).status(launch=ANEW))

    def test_where_nobody_knows_the_time_anybody_may_be_overdue(self):
        jumped = (struck("clock.jump", None, by_s=7200),)
        assert BOTH == readings(late(0).status(launch=ANEW, faults=jumped))
        assert {"gives_up"} == readings(late(0).status(decision="blocked", faults=jumped))
        launched = Day().begin().open().analyse(faults=jumped).report(ONE)
        assert BOTH == readings(launched.status(launch=ANEW))


class TestDamaged:
    """What the implementation knew is damaged: whatever it refuses is right, and nothing begins."""

    def damaged(self, day=None, kind="json_document.truncated"):
        return (Day().review(HIGH) if day is None else day).fault(kind, fact=GARBAGE)

    def test_nothing_begins(self):
        assert "STOPPED" in witnessed(self.damaged().begin("b", begun=False, log=SAID))
        assert {"STOPPED"} == failing(self.damaged().begin("b"))
        assert "STOPPED" not in witnessed(self.damaged(Day().review()).begin("b"))  # it may be able to read it
        assert "BETWEEN" in failing(self.damaged(Day().launch()).begin("b"))
        assert set() == failing(self.damaged(Day().launch()).begin("b", begun=False))

    def test_everything_may_be_refused(self):
        day = self.damaged(Day().launch().report(ONE))
        for op in ("open", "fixed", "analysed", "report"):
            day.stray(op, name=TWO, stands=0) if op == "report" else day.stray(op, stands=0)
        assert set() == failing(day.status(accepted=False, number=0).begin(begun=False))
        assert {"AGGREGATED"} == failing(self.damaged(Day().launch()).status(accepted=False, decision="passed"))

    def test_or_the_damage_is_got_over(self):
        assert "AGAIN" in witnessed(self.damaged().fix().analyse(number=2))
        assert "AGGREGATED" in witnessed(self.damaged(Day().launch()).report(ONE).report(TWO))

    @pytest.mark.parametrize("op", [Day.open, Day.fix])
    @pytest.mark.parametrize("number", [1, 5])
    def test_or_everything_is_reviewed_afresh(self, op, number):
        day = op(self.damaged(Day().launch()), number=number).analyse(number=number).rest(number=number)
        assert "TOGETHER" in witnessed(day.begin("b").begin("c", begun=False))
        day = op(self.damaged(Day().launch()), number=number).analyse(number=number).report(TWO, number=number)
        assert {"STOPPED"} == failing(day.begin("b"))
        assert failing(op(self.damaged(Day().launch()), number=0))

    def test_but_the_review_of_another_task_lets_nothing_pass(self):
        day = self.damaged().open("z").analyse(task="z").rest(task="z")
        assert {"STOPPED"} == failing(day.begin("b"))

    def test_it_stays_damaged_until_it_is_written(self):
        day = self.damaged(Day().launch()).status(keeps=True)
        assert set() == failing(day.status(accepted=False, number=0, log=SAID))
        written = self.damaged(Day().launch()).report(ONE).report(TWO)
        assert {"AGGREGATED"} == failing(written.status(accepted=False, number=0, log=SAID))

    def test_damage_may_come_twice(self):
        day = self.damaged(self.damaged().fix()).begin("b", begun=False)
        assert set() == failing(day.stray("analysed", number=2, stands=0))

    def test_where_nothing_is_left_nothing_was_begun(self):
        for kind in ("filesystem.missing", "filesystem.parent_missing"):
            gone = lambda: Day().review(HIGH).fault(kind, fact=MISSING)  # noqa: B023, E731
            assert "AGGREGATED" in witnessed(gone().begin("b").open("b").analyse(task="b").report(ONE, task="b"))
            assert {"BETWEEN"} == failing(gone().begin("b").begin("c"))
            assert set() == failing(gone().begin("b", begun=False).fix().analyse(number=2))

    @pytest.mark.parametrize("kind", ["directory", "fifo", "unreadable"])
    def test_what_stood_there_before_is_damage_as_well(self, kind):
        assert {"STOPPED"} == witnessed(Day(InputFact(kind)).begin(begun=False, log=SAID))
        assert {"STOPPED"} == failing(Day(InputFact(kind)).begin())
        assert {"STOPPED"} == failing(Day(b"{}").begin())
        day = Day(InputFact(kind)).open().analyse().rest()
        assert set() == failing(day.begin("b").begin("c", begun=False))

    def test_what_was_damaged_before_anything_began_hides_nothing(self):
        assert set() == failing(Day().fault("json_document.null", fact=GARBAGE).begin())
        assert set() == failing(Day().fault("json_document.null", fact=GARBAGE).begin(begun=False))

    def test_a_file_that_comes_and_goes_may_come_back_as_it_was(self):
        day = Day().review(HIGH).fault("filesystem.vanishing")
        day.begin("b").fix().begin("b", begun=False).begin("c").begin("d", begun=False)
        assert set() == failing(day)
        assert "AGGREGATED" in failing(
            Day().launch().fault("filesystem.vanishing").report(ONE).report(TWO).status(decision="passed")
        )

    def test_among_too_many_ways_nothing_can_be_said(self):
        day = Day().review(HIGH).fault("filesystem.vanishing")
        for number in range(40):
            day.begin(f"t{number}").open(f"t{number}")
        assert set() == failing(day.status("t0", decision="passed").begin("x"))


class TestRefusedStorage:
    FULL = (struck("filesystem.full"),)

    def test_what_cannot_be_stored_is_refused_and_said_so(self):
        how = {"faults": self.FULL, "log": SAID}
        day = Day().begin(begun=False, **how).begin().stray("open", stands=0, **how).open()
        day.stray("analysed", stands=0, **how).analyse().stray("report", stands=0, **how).rest()
        assert {"AGGREGATED", "ANALYSED", "MODELS", "TOGETHER"} == witnessed(day.begin("b", begun=False, **how))
        assert {"BETWEEN"} == failing(Day().begin(begun=False, faults=self.FULL))
        assert {"BETWEEN"} == failing(Day().begin(begun=False, log=SAID))
        assert set() == failing(Day().launch().status(accepted=False, number=0, **how))
        assert {"STOPPED"} == failing(Day().launch().status(accepted=False, decision="passed", **how))

    def test_it_may_have_been_done_all_the_same(self):
        day = lambda: Day().begin().stray("open", stands=0, faults=self.FULL, log=SAID)  # noqa: E731
        assert "TOGETHER" in witnessed(day().stray("open").analyse())
        assert "TOGETHER" in witnessed(day().open().analyse())
        assert {"BETWEEN"} == failing(day().analyse().open())

    def test_what_was_accepted_stays(self):
        day = Day().launch().report(ONE, faults=self.FULL)
        assert {"AGGREGATED"} == failing(day.report(ONE))

    def test_who_is_held_back_is_held_back_in_any_weather(self):
        assert {"BETWEEN", "STOPPED"} <= witnessed(
            Day().review(HIGH).begin("b", begun=False, faults=self.FULL, log=SAID)
        )
        assert {"BETWEEN", "STOPPED"} == failing(Day().review(HIGH).begin("b", faults=self.FULL, log=SAID))


class TestCutOff:
    KILLED = (struck("process.killed", None),)

    def cut(self, day, op, **how):
        return getattr(day, op)(*how.pop("args", ()), instead=None, faults=self.KILLED, **how)

    def test_an_operation_without_an_answer_was_done_or_not(self):
        assert set() == failing(self.cut(Day(), "begin").begin("b"))
        assert "BETWEEN" in witnessed(self.cut(Day(), "begin").begin("b", begun=False))
        assert {"BETWEEN"} == failing(self.cut(Day().begin(), "begin", task="b").begin("b"))
        assert "TOGETHER" in witnessed(self.cut(Day().begin().open(), "open").analyse())
        assert "TOGETHER" in witnessed(self.cut(Day().begin().open(), "fix").analyse())
        for op, before in (("open", Day().begin), ("fix", Day().review(HIGH).begin)):
            assert set() == failing(getattr(self.cut(before(), op), op)())
        done = self.cut(Day().review(HIGH), "fix").stray("fixed", stands=2).analyse(number=2)
        assert "AGAIN" in witnessed(done)

    @pytest.mark.parametrize("after", ["report", "analysed"])
    def test_reviewers_that_nobody_was_told_of_may_return_or_be_launched(self, after):
        day = self.cut(Day().begin().open(), "analyse")
        if after == "report":
            assert "AGGREGATED" in witnessed(day.report(ONE).report(THREE))
        else:
            assert "TOGETHER" in witnessed(day.analyse().report(ONE))

    def test_what_static_analysis_found_is_not_lost(self):
        day = lambda: self.cut(Day().begin().open(), "analyse", args=(HIGH,))  # noqa: E731
        assert "STOPPED" in witnessed(day().rest(told=[HIGH]))
        assert {"STOPPED"} == failing(day().rest())
        blocked = day().stray("analysed", HIGH, decision="blocked", issues=[HIGH])
        assert "BETWEEN" in witnessed(blocked.begin("b", begun=False).fix().analyse(number=2))

    def test_a_return_counts_once(self):
        day = lambda: self.cut(Day().launch().report(TWO), "report", args=(ONE, HIGH))  # noqa: E731
        assert "STOPPED" in witnessed(day().stray("report").report(THREE, decision="blocked", issues=[HIGH]))
        assert "AGGREGATED" in witnessed(day().report(ONE, HIGH).status())
        assert {"AGGREGATED"} == failing(day().stray("report").report(ONE))

    def test_a_launch_anew_was_done_or_not(self):
        day = lambda: self.cut(late(), "status")  # noqa: E731
        assert BOTH == readings(day().status(launch=ANEW))
        assert "AGGREGATED" in witnessed(day().status())
        assert {"gives_up", "waits"} >= readings(day().status(decision="blocked"))
        assert {"TOGETHER"} == failing(self.cut(late(0), "status").status(launch=ANEW))

    def test_after_a_loss_of_power_what_was_accepted_is_there(self):
        power = (struck("syscall.power", None),)
        day = lambda: Day().launch().report(ONE).report(TWO, instead=None, faults=power)  # noqa: E731
        assert "AGGREGATED" in witnessed(day().status())
        assert {"AGGREGATED"} == failing(day().status(accepted=False, number=0, log=SAID))
        assert {"BETWEEN"} == failing(day().begin("b"))

    def test_a_wrong_form_is_no_answer(self):
        assert {"AGGREGATED"} == failing(Day().launch().report(ONE, decision="maybe"))
        assert {"ANALYSED"} == failing(Day().begin().open(ended=EntryType.FAIL))


class TestNoArguments:
    def test_what_is_no_operation_of_the_contract_is_refused(self):
        day = (
            Day().begin().op("begin_task", {}, None).op("open", {"task": 7}, {"accepted": False, "decision": "pending"})
        )
        assert "ANALYSED" in witnessed(day.open())

    def test_of_who_does_it_nothing_more_is_known(self):
        day = Day().begin().op("begin_task", {"task": None}, {"begun": True})
        assert set() == witnessed(day.begin("c").begin("d").open("x"))


class TestTogether:
    def test_two_return_in_either_order(self):
        pair = (lambda day: day.report(ONE, HIGH), lambda day: day.report(TWO))
        day = lambda: Day().launch().together(*pair)  # noqa: E731
        assert "STOPPED" in witnessed(day().report(THREE, decision="blocked", issues=[HIGH]))
        assert {"STOPPED"} == failing(day().report(THREE, decision="passed"))

    def test_one_of_those_that_return_last_decides(self):
        blocked = {"decision": "blocked", "issues": [HIGH, LOW | {"severity": "medium"}]}
        medium = LOW | {"severity": "medium"}
        for first, second in itertools.permutations(({}, blocked)):
            day = Day().launch().report(ONE).together(
                lambda day, how=first: day.report(TWO, HIGH, **how), lambda day, how=second: day.report(THREE, medium, **how)
            )  # fmt: skip
            assert "STOPPED" in witnessed(day)
        both = Day().launch().report(ONE).together(lambda day: day.report(TWO), lambda day: day.report(THREE))
        assert {"AGGREGATED"} == failing(both)

    def test_one_of_two_tasks_begins(self):
        for first, second in ((True, False), (False, True)):
            day = Day().together(
                lambda day, is_it=first: day.begin("a", is_it), lambda day, is_it=second: day.begin("b", is_it)
            )
            assert "BETWEEN" in witnessed(day)
        assert {"BETWEEN"} == failing(Day().together(Day.begin, lambda day: day.begin("b")))

    def test_eight_at_once_are_put_in_order(self):
        asks = [lambda day: day.report(ONE, HIGH), *[lambda day: day.stray("report")] * 3,
                lambda day: day.report(TWO), lambda day: day.stray("report", name=TWO),
                lambda day: day.report(THREE, decision="blocked", issues=[HIGH]), Day.status]  # fmt: skip
        day = lambda: Day().launch().together(*asks)  # noqa: E731
        assert "STOPPED" in witnessed(day().begin("b", begun=False))
        assert {"STOPPED", "BETWEEN"} == failing(day().begin("b"))
        assert {"AGGREGATED"} == failing(Day().launch().together(*asks, lambda day: day.report(ONE)))

    def test_more_than_can_be_put_in_order_say_nothing(self):
        assert {"BETWEEN"} == failing(Day().launch().together(*[Day.status] * 8).begin("b"))
        assert set() == failing(Day().launch().together(*[Day.status] * 14).begin("b"))

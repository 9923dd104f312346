"""What the oracle says of reviews in calm weather: what may be launched, told and decided, and what may not.

Source: clauses LK-REV-*, LK-GEN-03 and LK-GEN-04; the contract.
"""

import pytest
from handmade_gates import (
    ALL,
    ANALYSIS,
    HIGH,
    LOW,
    ONE,
    SYSTEM,
    THREE,
    TWO,
    Day,
    failing,
    findings,
    reviewer,
    struck,
    witnessed,
)

from harness.core.scenario import Scenario, World

MEDIUM = {"severity": "medium", "message": "It is slow"}
LAUNCHED = {"ANALYSED", "TOGETHER", "MODELS"}


def launching(*launch, number=1, **how):
    """A day on which static analysis ends, in the first round or after a fix, with that answer."""
    if number == 1:
        return Day().begin().open().analyse(launch=list(launch), **how)
    return Day().review(HIGH).fix().analyse(number=2, launch=list(launch), **how)


class TestBeginning:
    def test_the_first_task_begins_and_may_be_asked_for_again(self):
        assert set() == witnessed(Day().begin().begin())
        assert {"BETWEEN"} == failing(Day().begin(begun=False))
        assert {"BETWEEN"} == failing(Day().begin().begin(begun=False))

    @pytest.mark.parametrize("reach", [
        Day.begin, lambda day: day.begin().open(), Day.launch, lambda day: day.launch().report(ONE).report(TWO),
        lambda day: day.review(HIGH, told=[HIGH]).fix(),
    ])  # fmt: skip
    def test_no_task_begins_before_the_review_of_the_one_before_has_passed(self, reach):
        assert "BETWEEN" in witnessed(reach(Day()).begin("b", begun=False))
        assert {"BETWEEN"} == failing(reach(Day()).begin("b"))

    def test_nor_when_it_blocks_or_has_found_what_will_block(self):
        for day in (lambda: Day().review(HIGH), lambda: Day().launch().report(ONE, HIGH)):
            assert {"BETWEEN", "STOPPED"} <= witnessed(day().begin("b", begun=False))
            assert {"BETWEEN", "STOPPED"} == failing(day().begin("b"))

    def test_after_a_review_that_passed_the_next_one_begins(self):
        assert "BETWEEN" not in witnessed(Day().review(LOW, told=[]).begin("b"))
        assert {"BETWEEN"} == failing(Day().review().begin("b", begun=False))
        assert "BETWEEN" in witnessed(Day().review().begin("b").begin("c", begun=False))

    def test_a_task_that_is_begun_once_more_is_one_more_task_or_is_refused(self):
        day = lambda: Day().review().review(task="b")  # noqa: E731
        assert "BETWEEN" in witnessed(day().begin().begin("c", begun=False))
        assert {"BETWEEN"} == failing(day().begin().begin("c"))
        assert "BETWEEN" not in witnessed(day().begin(begun=False).begin("c"))
        again = day().begin().open(number=2).analyse(number=2)
        assert "AGAIN" in witnessed(again.rest(number=2).begin("c"))
        assert {"AGAIN"} == failing(day().begin().open(number=1))

    def test_who_gives_no_answer_breaks_what_was_asked_for(self):
        assert {"BETWEEN"} == failing(Day().begin(instead=None))
        assert {"ANALYSED"} == failing(Day().begin().open(instead=None))
        assert {"TOGETHER"} == failing(Day().begin().open().analyse(instead=None))
        assert {"AGGREGATED"} == failing(Day().launch().report(ONE, instead=None))
        assert {"AGGREGATED"} == failing(Day().launch().status(instead=None))
        assert {"AGAIN"} == failing(Day().review(HIGH).fix(instead=None))


class TestOpening:
    def test_static_analysis_is_launched_alone(self):
        assert {"ANALYSED"} == witnessed(Day().begin().open())
        assert {"ANALYSED"} == witnessed(Day().begin().open(launch=[{**ANALYSIS, "model": "any"}]))

    @pytest.mark.parametrize(
        "launch", [[], ALL, [ANALYSIS, *ALL], [ANALYSIS, ANALYSIS], [ANALYSIS, reviewer(ONE)], [reviewer("lint")]]
    )
    def test_anything_else_is_too_early_or_nothing(self, launch):
        assert {"ANALYSED"} == failing(Day().begin().open(launch=launch))
        assert {"ANALYSED"} == failing(Day().review(HIGH).fix(launch=launch))

    def test_a_review_that_begins_is_pending_and_has_found_nothing(self):
        assert {"AGGREGATED"} == failing(Day().begin().open(decision="passed"))
        assert {"AGGREGATED"} == failing(Day().begin().open(issues=[HIGH]))
        assert {"AGAIN"} == failing(Day().review(HIGH).fix(decision="passed"))
        assert {"AGGREGATED"} == failing(Day().review(HIGH).fix(issues=[HIGH]))

    @pytest.mark.parametrize("number", [-1, 0, 2, 7])
    def test_rounds_are_counted_from_one(self, number):
        assert {"AGAIN"} == failing(Day().begin().open(number=number))
        if number != 2:
            assert {"AGAIN"} == failing(Day().review(HIGH).fix(number=number))
        assert "AGAIN" not in witnessed(Day().review(HIGH).fix())

    def test_only_the_task_that_was_begun_last_is_opened_and_once(self):
        assert {"BETWEEN"} == failing(Day().open())
        assert {"BETWEEN"} == failing(Day().begin().open("b"))
        assert {"BETWEEN"} == failing(Day().begin().open().open(number=2))
        assert {"BETWEEN"} == failing(Day().review(HIGH).open(number=2))
        assert {"BETWEEN"} == failing(Day().begin().stray("open", stands=0))
        strays = Day().stray("open", stands=0).begin().stray("open", task="b", stands=0).open().stray("open")
        assert {"ANALYSED"} == witnessed(strays)

    def test_a_review_that_passed_may_be_done_again_or_not(self):
        for op in ("open", "fix"):
            day = getattr(Day().review(), op)(number=2).begin("b", begun=False).analyse(number=2).rest(number=2)
            assert {"AGAIN", "BETWEEN"} <= witnessed(day.begin("b"))
        refused = Day().review().stray("open", decision="passed").stray("fixed", decision="passed").begin("b")
        assert "BETWEEN" not in witnessed(refused)

    def test_only_what_blocks_is_fixed(self):
        for day in (Day().begin(), Day().begin().open(), Day().launch(), Day().launch().report(ONE, HIGH)):
            assert {"AGAIN"} == failing(day.fix())
        assert {"AGAIN"} == failing(Day().review(HIGH).stray("fixed", decision="blocked", issues=[HIGH]))


class TestLaunching:
    def test_three_are_launched_together(self):
        assert LAUNCHED == witnessed(launching(*ALL))
        assert LAUNCHED == witnessed(launching(*reversed(ALL)))
        assert {"TOGETHER", "AGAIN"} <= witnessed(launching(*ALL, number=2))

    @pytest.mark.parametrize("launch", [
        [], ALL[:1], ALL[:2], [*ALL, reviewer("reviewer-4")], [*ALL, ALL[0]], [ALL[0], ALL[0], ALL[1]],
        [*ALL[:2], reviewer("somebody")], [*ALL, ANALYSIS], [*ALL[:2], ANALYSIS],
    ])  # fmt: skip
    def test_not_fewer_more_or_others(self, launch):
        assert {"TOGETHER"} == failing(launching(*launch))
        assert {"TOGETHER", "AGAIN"} == failing(launching(*launch, number=2))

    @pytest.mark.parametrize("model", ["opus", "Sonnet", "", None])
    def test_each_names_its_model(self, model):
        assert {"MODELS"} == failing(launching(*ALL[:2], reviewer(THREE, model)))
        assert {"MODELS", "ANALYSED"} == failing(Day().begin().open(launch=[ANALYSIS, reviewer(ONE, model)]))

    def test_a_review_that_was_launched_is_pending(self):
        for how in ({"decision": "passed"}, {"decision": "blocked"}, {"issues": [HIGH]}):
            assert {"AGGREGATED"} == failing(launching(*ALL, **how))
        assert {"AGAIN"} == failing(launching(*ALL, told_round=2))

    def test_what_static_analysis_found_may_block_at_once(self):
        at_once = {"launch": [], "decision": "blocked"}
        assert {"STOPPED", "ANALYSED"} == witnessed(Day().begin().open().analyse(HIGH, LOW, issues=[HIGH], **at_once))
        assert {"STOPPED"} == failing(Day().begin().open().analyse(HIGH, issues=[], **at_once))
        assert "TOGETHER" in failing(Day().begin().open().analyse(LOW, issues=[], **at_once))
        assert "TOGETHER" in failing(Day().begin().open().analyse(HIGH, launch=[]))
        day = Day().begin().open().analyse(HIGH, issues=[HIGH], **at_once)
        day.stray("report", decision="blocked", issues=[HIGH]).begin("b", begun=False).fix()
        assert {"AGAIN", "BETWEEN"} <= witnessed(day.analyse(number=2).rest(number=2).begin("b"))

    def test_static_analysis_ends_in_its_round_and_once(self):
        for day in (Day(), Day().begin(), Day().launch(), Day().review()):
            assert {"ANALYSED"} == failing(day.analyse())
        for number in (0, 2):
            assert {"ANALYSED"} == failing(Day().begin().open().analyse(number=number, told_round=1))
        assert {"TOGETHER"} == failing(Day().begin().open().stray("analysed"))
        strays = Day().begin().open().stray("analysed", number=2).analyse().stray("analysed", HIGH).rest()
        assert {"AGGREGATED", *LAUNCHED} == witnessed(strays.begin("b"))

    def test_what_is_refused_launches_nothing(self):
        assert {"ANALYSED"} == failing(Day().begin().open().stray("analysed", number=2, launch=ALL))
        assert {"TOGETHER"} == failing(Day().launch().stray("open", launch=[ANALYSIS]))
        assert {"TOGETHER"} == failing(Day().stray("report", stands=0, launch=ALL))


class TestReturning:
    def test_nothing_is_decided_before_all_have_returned(self):
        day = lambda: Day().launch().report(ONE)  # noqa: E731
        assert {"AGGREGATED", *LAUNCHED} == witnessed(day().report(THREE).report(TWO, decision="passed").begin("b"))
        for how in ({"decision": "passed"}, {"decision": "blocked"}, {"issues": [HIGH]}):
            assert {"AGGREGATED"} == failing(day().report(THREE, HIGH, **how))
            assert {"AGGREGATED"} == failing(day().status(**how))
        assert "AGGREGATED" not in witnessed(Day().launch().status())
        assert {"AGGREGATED"} == failing(Day().launch().status(issues=[HIGH]))

    def test_then_it_is_decided(self):
        day = lambda *issues: Day().launch().report(ONE).report(TWO, *issues)  # noqa: E731
        assert {"AGGREGATED"} == failing(day().report(THREE))
        assert {"AGGREGATED"} == failing(day(HIGH).report(THREE))
        assert {"STOPPED"} == failing(day().report(THREE, decision="blocked"))
        assert {"STOPPED"} == failing(day(HIGH).report(THREE, decision="passed"))
        assert {"STOPPED"} == failing(day(HIGH).report(THREE, decision="blocked"))
        assert "STOPPED" in witnessed(day(HIGH).report(THREE, decision="blocked", issues=[HIGH]))
        assert {"STOPPED"} == failing(day(LOW).report(THREE, decision="passed", issues=[LOW]))
        assert {"AGAIN"} == failing(day().report(THREE, decision="passed", told_round=2))

    @pytest.mark.parametrize("severity", ["critical", "high", "medium", "Medium", "blocker", "", " low", "lowest"])
    def test_all_but_low_blocks(self, severity):
        found = {"severity": severity, "message": "m"}
        assert "STOPPED" in witnessed(Day().review(found))
        assert {"STOPPED"} == failing(Day().review(found, told=[]))
        assert set() == failing(Day().begin().open().analyse(found).rest(told=[found]))

    @pytest.mark.parametrize("severity", ["low", "LOW", "Low"])
    def test_low_does_not(self, severity):
        found = {"severity": severity, "message": "m"}
        assert "STOPPED" not in witnessed(Day().review(found, told=[]).begin("b"))
        assert {"STOPPED"} == failing(Day().review(found))

    @pytest.mark.parametrize("told", [
        [HIGH, MEDIUM], [MEDIUM, HIGH], [MEDIUM, HIGH, HIGH], [{**HIGH, "severity": "HIGH"}, MEDIUM],
    ])  # fmt: skip
    def test_just_what_blocks_is_told_in_any_order(self, told):
        assert "STOPPED" in witnessed(Day().review(HIGH, LOW, MEDIUM, told=told))

    @pytest.mark.parametrize("told", [
        [HIGH], [MEDIUM], [HIGH, MEDIUM, LOW], [HIGH, {**MEDIUM, "message": ""}], [HIGH, {**MEDIUM, "severity": "low"}],
        [HIGH, MEDIUM, {"severity": "high", "message": "invented"}], [{**HIGH, "severity": "critical"}, MEDIUM],
    ])  # fmt: skip
    def test_and_nothing_else(self, told):
        assert {"STOPPED"} == failing(Day().review(HIGH, LOW, MEDIUM, told=told))

    def test_a_word_that_is_no_severity_may_be_told_as_the_worst(self):
        odd = {"severity": "Blocker", "message": "m"}
        for word in ("Blocker", "critical", "CRITICAL"):
            assert "STOPPED" in witnessed(Day().review(odd, told=[{**odd, "severity": word}]))
        for word in ("high", "low", "Blockers"):
            assert {"STOPPED"} == failing(Day().review(odd, told=[{**odd, "severity": word}]))

    def test_only_who_is_awaited_returns_and_once(self):
        assert {"AGGREGATED"} == failing(Day().launch().report(ONE).report(ONE))
        assert {"AGGREGATED"} == failing(Day().launch().report("reviewer-4"))
        assert {"AGGREGATED"} == failing(Day().launch().report(ONE, number=2, told_round=1))
        assert {"AGGREGATED"} == failing(Day().begin().open().report(ONE))
        assert {"AGGREGATED"} == failing(Day().report(ONE))
        assert {"AGGREGATED"} == failing(Day().launch().report(ONE, task="b"))
        assert {"AGGREGATED"} == failing(Day().review().report(ONE, decision="passed"))
        assert {"AGGREGATED"} == failing(Day().launch().stray("report"))

    def test_a_return_that_does_not_count_changes_nothing(self):
        day = Day().launch().report(ONE, HIGH).stray("report").stray("report", name="nobody").report(TWO)
        day.report(THREE, decision="blocked", issues=[HIGH]).stray("report", decision="blocked", issues=[HIGH])
        assert "STOPPED" in witnessed(day.begin("b", begun=False))
        late = Day().review(HIGH).fix().analyse(number=2)
        late.stray("report", HIGH, number=1, stands=2).report(ONE, number=2).stray("report", number=2, stands=2)
        assert {"AGGREGATED", "AGAIN"} <= witnessed(late)

    def test_no_reviewer_is_launched_after_another(self):
        assert {"TOGETHER"} == failing(Day().launch().report(ONE, launch=[reviewer(TWO)]))

    def test_what_is_refused_tells_how_the_review_stands(self):
        assert {"AGGREGATED"} == failing(Day().launch().report(ONE).stray("report", decision="passed"))
        assert {"STOPPED"} == failing(Day().review(HIGH).stray("report", decision="passed"))
        assert {"STOPPED"} == failing(Day().review(HIGH).stray("report", decision="blocked"))
        assert {"STOPPED"} == failing(Day().stray("report", stands=0, decision="passed"))
        assert {"AGAIN"} == failing(Day().launch().stray("open", stands=2))


class TestAsking:
    def test_it_is_told_how_a_review_stands(self):
        day = Day().begin().open().status().analyse().status().report(TWO).status().report(ONE).status()
        day.report(THREE, HIGH, decision="blocked", issues=[HIGH]).status(decision="blocked", issues=[HIGH]).fix()
        assert {"STOPPED", "AGGREGATED"} <= witnessed(day.status(number=2))
        assert "AGGREGATED" in witnessed(Day().review().status(decision="passed").begin("b"))

    def test_and_nothing_else(self):
        assert {"AGGREGATED"} == failing(Day().begin().open().status(decision="passed"))
        assert {"STOPPED"} == failing(Day().review(HIGH).status(decision="passed"))
        assert {"STOPPED"} == failing(Day().review(HIGH).status(decision="blocked"))
        assert {"STOPPED"} == failing(Day().review().status(decision="blocked"))
        assert {"AGGREGATED"} == failing(Day().review().status())
        assert {"AGGREGATED"} == failing(Day().launch().status(accepted=False))
        assert {"AGAIN"} == failing(Day().launch().status(number=2))

    def test_nothing_is_told_of_what_was_not_opened(self):
        assert set() == witnessed(Day().status(accepted=False, number=0).begin().status(accepted=False, number=0))
        assert {"BETWEEN"} == failing(Day().status(number=0))
        assert {"STOPPED"} == failing(Day().begin().status(accepted=False, decision="passed"))

    def test_it_launches_nothing_in_time(self):
        assert {"TOGETHER"} == failing(Day().launch().status(launch=ALL))
        assert {"ANALYSED"} == failing(Day().begin().open().status(launch=ALL))
        assert {"TOGETHER"} == failing(Day().begin().status(accepted=False, launch=ALL))


def test_a_world_ends_with_a_reset():
    day = Day().review(HIGH).reset().begin("b").open("b")
    assert "ANALYSED" in witnessed(day)
    assert set() == witnessed(Day().reset().reset())


def test_what_was_not_entered_is_inconclusive():
    found = findings(Day().begin().open(), "ANALYSED", "AGAIN")
    assert {"ANALYSED": "PASS", "AGAIN": "INCONCLUSIVE"} == {name: each.verdict.value for name, each in found.items()}


def test_the_ways_in_which_the_last_operation_may_end_are_told():
    day = Day().launch().report(ONE).report(TWO).report(THREE, HIGH, decision="blocked", issues=[HIGH])
    scenario = Scenario(1, "x", "x", "review_gate", "gate", (), World("2026-03-01T12:00:00Z"), ())
    ways = ({"decision": "passed"}, {"decision": "blocked"}, {"decision": "pending"})
    assert ({"decision": "blocked"},) == SYSTEM.permitted(scenario, day.history, SYSTEM.catalogue, ways)


def test_a_fault_that_was_never_met_proves_nothing():
    day = Day().fault("process.slow_disk")
    day.faults = (struck("process.slow_disk", None, proof=""),)
    assert "INCONCLUSIVE" == findings(day.begin().open(), "ANALYSED")["ANALYSED"].verdict.value

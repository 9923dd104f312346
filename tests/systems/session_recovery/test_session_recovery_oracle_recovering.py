"""What the oracle says of turns and of the three Recovery Procedures."""

import pytest
from handmade_sessions import (
    GONE,
    NOON,
    PATHS,
    READS,
    RESET,
    SAID,
    TEXT,
    Day,
    breaker,
    failing,
    found,
    readings,
    step,
    steps,
    struck,
    task,
)

from harness.core.history import InputFact

UNREADABLE = InputFact("unreadable")
LONG = "x" * 5_000
ALL_LIMITS = {"remaining_delayed", "remaining_at_once", "whole_delayed", "whole_at_once"}
CLASSED = (step("read_output", detail="FAILED x"), step("classify", detail="real"))


class TestTurns:
    def test_a_turn_begins_with_the_continuity_file(self):
        assert set() == failing(Day().turn())
        assert set() == failing(Day(continuity=None).turn(text=None))
        own = steps("warm_up", "read_continuity", "read_orchestrator", step("decide", detail="claim a task"))
        assert set() == failing(Day().turn(own))

    @pytest.mark.parametrize(("files", "told"), [
        ({}, {"taken": []}), ({}, {"taken": steps("read_orchestrator", "read_continuity", "decide")}),
        ({}, {"text": None}), ({}, {"text": "another"}), ({}, {"text": TEXT + "more"}), ({}, {"instead": None}),
        ({}, {"instead": {"steps": 5}}), ({"continuity": None}, {"text": "invented"}),
        ({"continuity": LONG}, {"text": "x" * 4_000}), ({"continuity": UNREADABLE}, {"text": "invented"}),
    ])  # fmt: skip
    def test_another_first_step_or_another_text_is_wrong(self, files, told):
        assert "GEN-01" in failing(Day(**files).turn(**told))

    @pytest.mark.parametrize(("text", "told"), [
        ("a\r\nb\r", "a\nb\n"), ("\ufeffa", "a"), ("a\n", "a"), (LONG, LONG[:4_096]), (LONG, LONG), ("", None), (" \n", ""),
        (b"\xff\xfe", "whatever"), ("\U0001f41b" * 4_096, "\U0001f41b" * 2_048), (InputFact("file", 300_000), "y"), (..., "y"),
    ])  # fmt: skip
    def test_a_text_may_be_told_in_several_ways(self, text, told):
        assert "GEN-01" not in failing(Day(continuity=text).turn(text=told))

    def test_one_that_cannot_be_read_is_told_of(self):
        for name, said, clauses in (
            ("syscall.errno", SAID, set()), ("syscall.errno", [], {"GEN-01"}), ("filesystem.vanishing", [], set()),
        ):  # fmt: skip
            day = Day().turn(text=None, log=said, faults=[struck(name, PATHS["continuity"])])
            assert clauses == failing(day)

    @pytest.mark.parametrize(("told", "left"), [
        ({}, {"given"}), ({"tree": {}, "action": None}, {"given", "own"}), ({"action": "walk"}, {"own"}),
        ({"tree": {}, "action": "walk"}, {"own"}), ({"tree": {"DEVELOPMENT": ""}, "action": ""}, {"given"}),
    ])  # fmt: skip
    def test_the_next_action_comes_from_a_tree(self, told, left):
        assert left == readings("GEN-07", Day().turn(**told))

    @pytest.mark.parametrize("told", [
        {"action": None}, {"phase": None, "action": None}, {"phase": "QA"},
        {"taken": steps("read_continuity", step("decide", detail="claim a task"), "read_orchestrator")},
        {"taken": steps("read_continuity", "read_orchestrator", step("decide", detail="another"))},
        {"taken": steps("read_continuity", "read_orchestrator")},
        {"taken": steps("read_continuity"), "tree": {}, "action": None},
    ])  # fmt: skip
    def test_another_phase_no_action_or_no_decision_is_wrong(self, told):
        assert {"GEN-07"} == failing(Day().turn(**told))

    @pytest.mark.parametrize(("orchestrator", "phase", "clauses"), [
        (None, None, set()), (None, "DEVELOPMENT", {"GEN-07"}), ({"phase": 3}, "3", {"GEN-07"}), ([], None, set()),
        ({"phase": " "}, None, set()), (b'{"phase": "QA"', None, set()), (b'{"phase": "QA"', "QA", set()),
        (b'{"phase": "QA"', "XX", {"GEN-07"}), (b'{"phase": "A", "phase": "QA"}', "QA", set()), (b'{"phase": NaN}', None, set()),
        (b"[" * 100_000, None, set()), (..., "QA", set()), (b'\xef\xbb\xbf{"phase": "QA"}', "QA", set()),
    ])  # fmt: skip
    def test_the_phase_is_that_of_the_file(self, orchestrator, phase, clauses):
        assert clauses == failing(Day(orchestrator=orchestrator).turn(phase=phase, action=None))

    def test_a_phase_that_cannot_be_read_is_told_of(self):
        fault = [struck("syscall.errno", PATHS["orchestrator"])]
        assert set() == failing(Day().turn(phase=None, action=None, log=SAID, faults=fault))
        assert {"GEN-07"} == failing(Day().turn(phase=None, action=None, faults=fault))
        fault = [struck("filesystem.vanishing", PATHS["orchestrator"])]
        assert set() == failing(Day().turn(phase=None, action=None, faults=fault))

    @pytest.mark.parametrize("work", [[task("x")], [3], b"{", ...])
    def test_with_something_claimed_the_turn_is_the_implementations_own(self, work):
        assert readings("GEN-07", Day(in_progress=work).turn(action="anything", phase=None)) is None


class TestContextLoss:
    def test_everything_is_read_and_told(self):
        day = Day(in_progress=[task("x"), task("y")]).save().lose("y", "x", checkpoint="c1", state={"at": "c1"})
        assert set() == failing(day)
        assert set() == failing(Day().lose(), RESET, Day(in_progress=None, continuity=None).lose(text=None))

    @pytest.mark.parametrize("told", [
        {"taken": READS[:3]}, {"taken": (READS[1], READS[0], *READS[2:])}, {"taken": (*READS[:2], READS[3], READS[2])},
        {"taken": ()}, {"text": None}, {"phase": "QA"}, {"outcome": "failed"}, {"outcome": "failed", "log": SAID},
        {"interrupted": []}, {"interrupted": ["x", "x"]}, {"interrupted": ["x", "z"]}, {"instead": None},
        {"checkpoint": "c9", "state": {}}, {"state": {"x": 1}}, {"interrupted": 5},
    ])  # fmt: skip
    def test_what_is_left_out_invented_or_in_another_order_is_wrong(self, told):
        assert {"RC-01"} == failing(Day(in_progress=[task("x")]).lose(**{"interrupted": ["x"], **told}))

    def test_tasks_that_are_elsewhere_too_or_have_no_text_for_an_id(self):
        files = {"in_progress": [task("x"), task("y"), {"task_id": 7}, 3], "completed": [task("y")]}
        for told in (["x"], ["x", "y"], ["x", "7"]):
            assert set() == failing(Day(**files).lose(*told))

    def test_of_a_damaged_queue_only_what_stands_there_is_told(self):
        for data, told, clauses in (
            (b'{"tasks": [{"task_id": "x"', ["x"], set()), (b'{"tasks": [{"task_id": "x"', ["q"], {"RC-01"}), (b"", [], set()),
            (UNREADABLE, [], set()), (UNREADABLE, ["x"], set()), (..., ["x"], {"RC-01"}), (..., [], set()),
        ):  # fmt: skip
            assert clauses == failing(Day(in_progress=data).lose(*told))
        assert set() == failing(Day(in_progress=b"").lose(outcome="failed", log=SAID))

    def test_queues_that_cannot_be_read_are_told_of(self):
        fault = [struck("syscall.errno", PATHS["in-progress"])]
        for said, clauses in ((SAID, set()), ([], {"RC-01"})):
            day = Day(in_progress=[task("x")])
            assert clauses == failing(day.lose(outcome="failed", log=said, faults=fault))
        fault = [struck("filesystem.vanishing", PATHS["in-progress"])]
        assert set() == failing(Day(in_progress=[task("x")]).lose("z", faults=fault))

    def test_the_tasks_stay_where_they_are(self):
        day = Day(in_progress=[task("x")])
        assert {"RC-01"} == failing(day.lose("x", in_progress=[], pending=[task("x"), task("a"), task("b")]).lose())

    def test_beside_a_claim_anything_may_be_in_progress(self):
        assert "RC-01" not in failing(Day().lose("a").claim().together(2).lose("a"))


class TestRateLimits:
    @pytest.mark.parametrize(("told", "left"), [
        ({}, {"remaining_delayed"}), ({"wait": 201.0}, {"remaining_delayed"}), ({"wait": 300}, {"whole_delayed"}),
        ({"tries": ((0, True),)}, {"remaining_at_once"}), ({"tries": ((None, True),), "wait": 300.0}, {"whole_at_once"}),
        ({"facts": {"breaker": "closed"}, "wait": None, "state": "CLOSED"}, {"remaining_delayed", "whole_delayed"}),
        ({"facts": {"breaker": "nobody"}, "wait": 0.0, "state": ""}, {"remaining_delayed", "whole_delayed"}),
        ({"facts": {"breaker": "closed"}, "wait": 300.0, "state": "CLOSED"}, {"whole_delayed"}),
        ({"facts": {"breaker": "half"}, "wait": 17.0, "state": "HALF_OPEN"}, {"remaining_delayed", "whole_delayed"}),
        ({"now": "2026-03-01T12:03:20Z", "wait": 0.0}, {"remaining_delayed", "whole_delayed"}),
        ({"now": "2026-03-01T12:03:20Z", "wait": 300.0}, {"whole_delayed"}),
        ({"now": "2026-02-01T12:00:00Z", "wait": 9_999.0}, {"remaining_delayed", "whole_delayed"}),
        ({"now": "2026-03-01T11:58:20Z", "wait": 300.0}, {"remaining_delayed", "whole_delayed"}),
    ])  # fmt: skip
    def test_each_reading_waits_in_its_way(self, told, left):
        told = dict(told)
        assert left == readings("RC-02", Day().limit(*told.pop("tries", ()), **told))

    @pytest.mark.parametrize("told", [
        {"wait": None}, {"wait": 100.0}, {"wait": 250.0}, {"wait": -1.0}, {"wait": float("nan")}, {"wait": float("inf")},
        {"state": "CLOSED"}, {"agents": 5}, {"agents": 3}, {"agents": None}, {"agents": 0}, {"instead": None},
        {"facts": {"agents": 4}, "agents": 4}, {"facts": {"agents": 1}, "agents": 2}, {"facts": {"agents": 4}, "agents": 0},
        {"tries": ((7.0, True),)}, {"tries": ((5.0, False),)}, {"tries": ((5.0, True), (10.0, True))},
        {"tries": ((5.0, False), (10.0, True))}, {"outcome": "failed"},
        {"facts": {"failing_tries": 1}, "tries": ((5.0, False), (5.0, True))},
        {"facts": {"breaker": "closed"}, "wait": 200.0, "state": "CLOSED"},
        {"facts": {"breaker": "half"}, "wait": 500.0, "state": "HALF_OPEN"},
        {"now": "2026-02-01T12:00:00Z", "wait": 200.0},
        {"taken": steps("check_breaker", "reduce_agents", "wait", "retry")}, {"taken": []},
        {"taken": steps(step("check_breaker", detail="OPEN"), step("wait", wait_s=100.0), step("reduce_agents", count=2),
                        step("wait", wait_s=100.0), step("retry", wait_s=5.0))},
        {"taken": steps(step("check_breaker", detail="OPEN"), "wait", step("reduce_agents", count=2), step("retry", wait_s=5.0))},
    ])  # fmt: skip
    def test_another_wait_count_order_or_delay_is_wrong(self, told):
        told = dict(told)
        assert {"RC-02"} == failing(Day().limit(*told.pop("tries", ()), **told))

    def tries(self, failing_tries, count, outcome, passes=False):
        delays = [min(5.0 * 2**n, 300.0) for n in range(count + passes)]
        made = [(delay, passes and place == count) for place, delay in enumerate(delays)]
        return Day().limit(*made, outcome=outcome, facts={"failing_tries": failing_tries})

    def test_tries_go_on_until_one_passes_or_there_are_enough(self):
        for failing_tries, count, outcome, passes in (
            (1, 1, "recovered", True), (4, 4, "recovered", True), (4, 4, "failed", False), (6, 6, "recovered", True),
            (50, 4, "failed", False), (50, 6, "failed", False),
        ):  # fmt: skip
            assert set() == failing(self.tries(failing_tries, count, outcome, passes))
        for failing_tries, count, outcome, passes in (
            (50, 3, "failed", False), (50, 7, "failed", False), (7, 7, "recovered", True), (50, 4, "recovered", False),
            (1, 1, "failed", True),
        ):  # fmt: skip
            assert {"RC-02"} == failing(self.tries(failing_tries, count, outcome, passes))

    def test_after_giving_up_there_is_no_try(self):
        taken = [step("check_breaker", detail="OPEN"), step("wait", wait_s=200.0), step("reduce_agents", count=2)]
        taken += [step("retry", wait_s=5.0 * 2**n, ok=False) for n in range(4)]
        taken[-1:] = [step("give_up"), taken[-1]]
        day = Day().limit(taken=taken, outcome="failed", facts={"failing_tries": 9})
        assert {"RC-02"} == failing(day)

    def test_few_agents_may_stay_as_they_are(self):
        taken = [step("check_breaker", detail="OPEN"), step("wait", wait_s=200.0), step("retry", wait_s=5.0)]
        for agents, told, clauses in ((2, 2, set()), (1, None, set()), (2, 1, {"RC-02"}), (3, None, {"RC-02"})):
            assert clauses == failing(Day().limit(taken=taken, agents=told, facts={"agents": agents}))
        for agents, told in ((8, 1), (8, 7), (2, 2), (1, 1), (5, 2)):
            assert set() == failing(Day().limit(agents=told, facts={"agents": agents}))

    @pytest.mark.parametrize(("content", "wait", "clauses"), [
        (b"{", 300.0, set()), (b"{", 17.0, set()), (b"{", 999.0, {"RC-02"}), (..., 9_999.0, set()), ([], None, set()),
        ({"open": 3}, 20.0, set()), ({"open": breaker(until="soon")}, 20.0, set()), ({"open": breaker("open")}, 20.0, set()),
        ({"open": breaker(until=None)}, 400.0, {"RC-02"}), ({"open": breaker(until=7)}, None, set()),
        ({"open": breaker(until="2026-03-01T14:03:20+02:00")}, 200.0, set()),
        ({"open": breaker(until="2026-03-01t12:03:20z")}, 200.0, set()),
        ({"open": breaker(until="2026-03-01T12:03:20")}, 20.0, set()), (UNREADABLE, 5_000.0, set()),
    ])  # fmt: skip
    def test_what_not_everybody_reads_the_same_lets_them_wait(self, content, wait, clauses):
        assert clauses == failing(Day(breakers=content).limit(wait=wait))

    def test_by_another_clock_any_time_may_be_left(self):
        assert set() == failing(Day().limit(wait=7_000.0, faults=[struck("clock.jump", None)]))
        assert ALL_LIMITS == set(found(Day().limit(wait=7.0, state="x", faults=[struck("clock.jump", None)]))
                                 ["LK-RC-02"].readings) | {"remaining_at_once", "whole_at_once"}  # fmt: skip


class TestFailedTests:
    @pytest.mark.parametrize("told", [
        {}, {"facts": {"reruns": [True, False]}, "failure": "flaky"}, {"facts": {"reruns": []}, "failure": "flaky"},
        {"taken": (*CLASSED, step("rollback", detail="c"), "fix", "rerun_all"),
         "facts": {"rollback_needed": True, "last_passing_commit": "c"}},
        {"facts": {"rollback_needed": True}}, {"facts": {"last_passing_commit": "c"}}, {"facts": {"suite": []}},
        {"taken": (*CLASSED, "fix", step("rerun_all", ok=False)), "facts": {"suite": [False]}, "outcome": "failed"},
        {"taken": (*CLASSED, "fix", step("rerun_all", ok=False), "fix", "rerun_all"), "facts": {"suite": [False, True]}},
        {"taken": (*CLASSED, "fix", step("rerun_all", ok=False), "rerun_all"), "facts": {"suite": [False, True]}},
    ])  # fmt: skip
    def test_the_procedure_in_its_order(self, told):
        told = dict(told)
        assert set() == failing(Day().fail(*told.pop("taken", ()), **told))

    @pytest.mark.parametrize("told", [
        {"taken": (CLASSED[1], CLASSED[0], "fix", "rerun_all")}, {"taken": (*CLASSED, "fix")}, {"taken": ("fix",)},
        {"taken": (*CLASSED, "rerun_all", "fix")}, {"taken": (step("read_output"), CLASSED[1], "fix", "rerun_all")},
        {"taken": (CLASSED[0], "fix", CLASSED[1], "rerun_all")}, {"failure": "flaky"}, {"failure": None}, {"instead": None},
        {"taken": (CLASSED[0], step("classify", detail="flaky"), "fix", "rerun_all")},
        {"taken": (*CLASSED, "fix", "rerun_all"), "facts": {"rollback_needed": True, "last_passing_commit": "c"}},
        {"taken": (*CLASSED, step("rollback", detail="d"), "fix", "rerun_all"),
         "facts": {"rollback_needed": True, "last_passing_commit": "c"}},
        {"taken": (*CLASSED, step("rollback", detail="c"), "fix", "rerun_all"), "facts": {"last_passing_commit": "c"}},
        {"taken": (*CLASSED, "fix", "rerun_all", step("rollback", detail="c")), "facts": {"last_passing_commit": "c"}},
        {"taken": (*CLASSED, "fix", "rerun_all", "fix", "rerun_all")}, {"outcome": "failed"},
        {"taken": (*CLASSED, "fix", step("rerun_all", ok=False))}, {"facts": {"suite": [False]}},
        {"taken": (*CLASSED, "fix", step("rerun_all", ok=False), "fix"), "facts": {"suite": [False]}, "outcome": "failed"},
    ])  # fmt: skip
    def test_another_order_word_commit_or_end_is_wrong(self, told):
        told = dict(told)
        assert {"RC-03"} == failing(Day().fail(*told.pop("taken", ()), **told))

    def test_nothing_comes_after_the_last_run_of_the_suite(self):
        facts = {"rollback_needed": True, "last_passing_commit": "c"}
        back = step("rollback", detail="c")
        assert {"RC-03"} == failing(Day().fail(*CLASSED, back, "fix", "rerun_all", back, facts=facts))


def test_a_queue_is_not_touched_by_other_recoveries():
    assert {"RC-02"} == failing(Day().limit(pending=[]).lose())
    assert {"RC-03"} == failing(Day().fail(pending=[task("a")]).lose())
    assert {"GEN-02"} == failing(Day().turn(pending=GONE).turn())
    assert set() == failing(Day().turn(now=NOON).turn())

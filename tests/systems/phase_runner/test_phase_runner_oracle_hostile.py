"""The oracle under whatever comes: reports twice and out of order, several at once, faults, clocks, very large plans."""

import json
import sys

import pytest
from handmade_phases import (
    CATALOGUE,
    CHAIN,
    FAIL,
    FAILURES,
    PAIR,
    Day,
    bad,
    check,
    ok,
    phase,
    plan,
    record,
    retry,
    summary,
)

from harness.core.finding import CheckVerdict
from harness.core.history import EntryType, History
from harness.core.scenario import Scenario, World
from harness.systems.phase_runner.contract import RUNNER, SYSTEM
from harness.systems.phase_runner.contract.words import CONFIG_PATH, STATE_DIRECTORY, phase_path
from harness.systems.phase_runner.oracle import permitted
from harness.systems.phase_runner.oracle.rules import RULES

FAILED = FAILURES["test_failure"]
AGAIN = {"tasks_completed": 3, "tasks_total": 3}
REFUSED = {"accepted": False}


def reported(id_, attempt=1):
    return {"phase_id": id_, "attempt": attempt, "said": "{}"}


def test_every_clause_has_a_rule_and_no_other():
    assert set(RULES.clauses) == {clause.id for clause in CATALOGUE}


def test_a_history_of_nothing_says_nothing():
    assert Day().findings() == {}
    found = Day().findings(("AB-RTY-01",))
    assert found["AB-RTY-01"].verdict is CheckVerdict.INCONCLUSIVE


class TestReportsThatAreNotAwaited:
    @pytest.mark.parametrize("args", [reported("2a"), reported("2b"), reported("0", 2), reported("9"), reported("")])
    def test_they_are_refused(self, args):
        day = Day().start(CHAIN, ["0"], ids=("0", "1", "2a"))
        assert day.do("report", args, REFUSED).broken() == set()
        assert day.do("report", args, {"accepted": True}).broken() == {"AB-RTY-01"}

    def test_they_change_nothing(self):
        day = Day().start(CHAIN, ["0"]).do("report", reported("1"), REFUSED, p1="failed")
        assert day.broken() == {"AB-RTY-01"}

    def test_twice(self):
        day = Day().start(CHAIN, ["0"]).report("0", ok(), launch=[check("0")]).do("report", reported("0"), REFUSED)
        day.verified("0", launch=[phase("1")], records={"0": "complete"})
        assert day.do("report", reported("0"), REFUSED).broken() == set()
        assert day.report("0", FAILED, launch=[phase("0", 2)]).verdict("AB-PAR-02") is FAIL

    def test_a_verification_of_what_nobody_claims(self):
        day = Day().start(CHAIN, ["0"])
        args = {"phase_id": "0", "attempt": 1, "gates": {}}
        assert day.do("verified", args, REFUSED).broken() == set()
        assert day.do("verified", args, {"accepted": True, "launch": [phase("1")]}).broken() == {
            "AB-ERR-05",
            "AB-NRT-03",
        }
        args = {"phase_id": "9", "attempt": 1, "gates": {}}
        assert Day().start(CHAIN, ["0"]).do("verified", args, {"accepted": True}).broken() == {"AB-ERR-05"}

    def test_before_a_start(self):
        assert Day().do("report", reported("0"), REFUSED).findings() == {}
        assert Day().do("status", {}, {"phases": []}).findings() == {}

    def test_in_any_order(self):
        day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3")).report("2b", ok(), launch=[check("2b")])
        day.report("2a", ok(), launch=[check("2a")]).verified("2a").verified("2b", launch=[phase("3")])
        assert day.succeed("3", completed=True).broken() == set()


class TestSeveralAtOnce:
    def both(self, first, second, *, text=PAIR, launch=("2a", "2b")):
        day = Day().start(text, list(launch), ids=("2a", "2b", "3"))
        day.begin("report", reported("2a"), 1).begin("report", reported("2b"), 2)
        return day.end("report", first, 1).end("report", second, 2)

    def test_in_some_order_they_are_right(self):
        day = self.both(
            {"accepted": True, "launch": [retry("2a", "parse_error"), retry("2b", "parse_error")]}, {"accepted": True}
        )
        assert day.broken() == set()

    def test_in_none_they_are_wrong(self):
        day = self.both({"accepted": True, "launch": [phase("3")]}, {"accepted": True, "launch": [phase("3")]})
        assert "AB-NRT-03" in day.broken()

    def test_of_very_many_nobody_knows(self):
        day = Day().start(PAIR, ["2a", "2b"])
        for process in range(1, 6):
            day.begin("report", reported("2a"), process)
        for process in range(1, 6):
            day.end("report", {"accepted": True, "launch": [phase("3")]}, process)
        assert day.look("2a").broken() == set()

    def test_another_process_may_know_nothing(self):
        day = Day().start(PAIR, ["2a", "2b"])
        assert day.do("report", reported("2a"), REFUSED, process=1).broken() == set()

    def test_one_that_began_after_another_ended_comes_after_it(self):
        day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3"))
        day.begin("status", {"of": ["2a"]}, 3).begin("report", reported("2a"), 1)
        day.end("report", {"accepted": True}, 1).begin("report", reported("2b"), 2)
        day.end("report", {"accepted": True, "launch": [retry("2a", "parse_error"), retry("2b", "parse_error")]}, 2)
        assert (
            day.end("status", {"phases": [{"phase_id": "2a", "status": "running", "attempt": 1}]}, 3).broken() == set()
        )


class TestWeather:
    def begun(self):
        return Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3"))

    def test_what_cannot_be_written_may_be_refused(self):
        day = self.begun().under("filesystem.full", phase_path("2a"))
        assert day.do("report", reported("2a"), REFUSED).do("start", {"plan": PAIR}, REFUSED).broken() == set()
        day = self.begun().under("filesystem.full", CONFIG_PATH).report("2a", ok(), launch=[check("2a")])
        day.do("verified", {"phase_id": "2a", "attempt": 1, "gates": {"test": {"exit_code": 0}}}, REFUSED)
        assert day.broken() == set()

    def test_what_is_forbidden_stays_so(self):
        day = (
            self.begun().under("filesystem.full", phase_path("2a")).report("2a", ok(), launch=[check("2a"), phase("3")])
        )
        assert day.broken() == {"AB-NRT-03"}

    def test_a_claim_may_be_left_where_nothing_can_be_written(self):
        assert self.begun().under("filesystem.full", CONFIG_PATH).report("2a", ok()).broken() == set()

    def test_a_start_under_it_leaves_it_open(self):
        day = Day().under("filesystem.full", STATE_DIRECTORY).start(PAIR, ["2a", "2b"])
        assert day.do("report", reported("2a"), REFUSED).broken() == set()

    def test_a_restart_leaves_it_open(self):
        day = self.begun().under("process.killed").do("status", {"of": ["2a"]}, {"phases": []})
        assert day.do("report", reported("2a"), REFUSED).verdict("AB-HLT-01") is None

    def test_a_fault_elsewhere_changes_nothing(self):
        day = self.begun().under("filesystem.missing", "{home}/other")
        assert day.report("2a", FAILED).report("2b", FAILED).broken() == {"AB-CLS-01"}

    def test_damage_between_leaves_it_open(self):
        day = self.begun().under("filesystem.missing", STATE_DIRECTORY)
        day.disk.clear()
        assert day.do("report", reported("2a"), REFUSED).broken() == set()

    def test_an_answer_before_the_power_went_may_be_undone(self):
        day = self.begun().under("syscall.power")
        day.report("2a", ok(), launch=[check("2a")])
        assert day.do("verified", {"phase_id": "2a", "attempt": 1, "gates": {}}, REFUSED).broken() == set()

    def test_a_world_is_over_when_another_begins(self):
        day = self.begun().begin("reset").end("reset", {})
        assert day.do("report", reported("2a"), REFUSED).broken() == set()


class TestCompany:
    def test_siblings_begin_together(self):
        assert Day().start(PAIR, ["2a"]).broken() == {"AB-PAR-01"}

    def test_no_others_do(self):
        assert Day().start(plan("0", "1"), ["0", "1"]).broken() == {"AB-PAR-01"}

    def test_a_sibling_that_is_not_ready_is_not_waited_for(self):
        assert Day().start(plan("0", "2A//2B", "2B<0//2A"), ["2a"]).broken() == set()

    def test_who_is_named_by_one_alone_may_begin_or_not(self):
        for launch in (["2a"], ["2a", "2b"]):
            assert Day().start(plan("2A//2B", "2B"), launch).broken() == set()


class TestAnswersThatAreNone:
    @pytest.mark.parametrize(
        "answer",
        [
            {"accepted": True, "launch": [{"kind": "odd", "phase_id": "0"}]},
            {"launch": []},
            {"accepted": "yes"},
            {"x": []},
        ],
    )
    def test_they_count_as_none(self, answer):
        assert Day().start(CHAIN, ["0"]).do("report", reported("0"), answer).broken() == {"AB-ERR-07"}

    def test_a_refusal_in_words_is_none_either(self):
        day = Day().start(CHAIN, ["0"]).do("report", reported("0"), {"message": "no"}, kind=EntryType.FAIL)
        assert day.broken() == {"AB-ERR-07"}

    def test_of_alternatives_those_are_permitted_that_break_nothing(self):
        day = Day().start(CHAIN, ["0"], ids=("0", "1", "2a")).report("0", ok(), launch=[check("0")])
        scenario = Scenario(format=1, id="x", title="A title", system=SYSTEM, profile=RUNNER, level="L1", clauses=(),
                            world=World(day.now), steps=())  # fmt: skip
        alternatives = ({"launch": [check("0")]}, {"launch": [phase("1")]})
        assert permitted(scenario, History(tuple(day.entries)), CATALOGUE, alternatives) == alternatives[:1]


class TestFilesOfAnyKind:
    @pytest.mark.parametrize(
        "content", [b"", b"\0" * 99, b"\xff\xfe", b"[" * 9_999, b'{"a": ' * 999, b"1" * 9_999, b"NaN"]
    )
    def test_garbage_everywhere_is_met_without_a_word(self, content):
        day = Day()
        for path in (CONFIG_PATH, phase_path("2a"), phase_path("3"), f"{STATE_DIRECTORY}/x"):
            day.put_at(path, content)
        assert day.start(PAIR, (), accepted=False).broken() == set()

    def test_numbers_and_halves_of_characters(self):
        odd = {**record("2a", "complete"), "attempt": 10**400, "phase_name": "\ud800"}
        day = Day().put("2a", odd)
        assert day.start(PAIR, ["2a", "2b"]).broken() == set()

    def test_what_is_nested_too_deep_is_neither_here_nor_there(self):
        deep = "[" * 200 + "]" * 200
        text = json.dumps({**record("2a", "complete", 1), "deep": None}).replace('"deep": null', f'"deep": {deep}')
        assert Day().put("2a", text).start(PAIR, ["2a", "2b"]).broken() == set()

    @pytest.mark.parametrize("error_", [[], "text", 7])
    def test_errors_of_other_kinds(self, error_):
        assert Day().put("2a", record("2a", "failed", 1, error_)).start(PAIR, ["2a", "2b"]).broken() == set()


class TestLargePlans:
    def steps(self, count, shape):
        """How many lines of the oracle a full run of so many phases takes."""
        rows = {
            "chain": [f"{n}<{n - 1}" if n else "0" for n in range(count)],
            "star": ["0", *(f"{n}<0" for n in range(1, count))],
        }[shape]
        day = Day()
        day.seen = dict
        day.facts = lambda op, args: {}
        day.start(plan(*rows), ["0"])
        for n in range(count):
            day.report(str(n), ok(), launch=[check(str(n))])
            more = {"completed": True} if n == count - 1 else {"launch": [phase(str(n + 1))]}
            day.verified(str(n), **more)
        day.start(plan(*rows), (), ("resume",), completed=True)
        return day, self.counted(day)

    def counted(self, day):
        seen = [0]

        def trace(frame, event, _):
            seen[0] += event == "line"
            return trace if "phase_runner" in frame.f_code.co_filename else None

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            broken = day.broken()
        finally:
            sys.settrace(before)
        assert broken == set()
        return seen[0]

    @pytest.mark.parametrize("shape", ["chain", "star"])
    def test_a_run_of_twice_the_phases_takes_twice_the_steps(self, shape):
        _, few = self.steps(50, shape)
        _, many = self.steps(100, shape)
        assert few > 50
        assert many < 2.2 * few

    def batch(self, count):
        """A batch of so many siblings, of which the first fails first, and all others report after it."""
        ids = [f"{n}" for n in range(count)]
        text = plan("0//" + ",".join(ids[1:]), *(f"{n}//0" for n in ids[1:]), f"{count}<0")
        day = Day()
        day.seen = dict
        day.facts = lambda op, args: {}
        day.start(text, ids)
        said = bad(missing={"package": "p", "required_by": "r", "install": "i"})
        for n in ids[:-1]:
            day.report(n, said, halting=True)
        found = summary((), [(each, 1, "dependency_missing") for each in ids], [(str(count), ["0"])], missing_package="p",
                        required_by="r", install_step="i")  # fmt: skip
        day.report(ids[-1], said, halted=True, summary=found)
        return self.counted(day)

    def test_a_batch_of_twice_the_siblings_takes_twice_the_steps(self):
        assert self.batch(100) < 2.2 * self.batch(50)

    def test_ten_thousand_phases(self):
        rows = [f"{n}<{n - 1},{n // 2}" if n > 1 else f"{n}" for n in range(10_000)]
        day = Day()
        day.seen = dict
        day.start(plan(*rows), ["0"])
        assert day.succeed("0", launch=[phase("1")]).broken() == set()

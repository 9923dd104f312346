"""The oracle on state that is found: of others, set back by hand, damaged, or in the way of a fresh start."""

import pytest
from handmade_phases import (
    AGAIN,
    COMMITS_REMAIN,
    CONFIG,
    FAIL,
    FAILED,
    IDS,
    PAIR,
    TREE,
    Day,
    both,
    halted,
    phase,
    plan,
    record,
    resumed,
    retry,
    summary,
)

from harness.core.history import FileFact
from harness.systems.phase_runner.contract.words import (
    COMMITS_PATH,
    CONFIG_PATH,
    PHASES_DIRECTORY,
    STATE_DIRECTORY,
    log_path,
    phase_path,
)


class TestStateOfOthers:
    """State that stands there before anybody was asked."""

    def day(self, **records):
        return Day(**records).put_at(CONFIG_PATH, CONFIG)

    def test_it_goes_on_from_there(self):
        day = self.day(p0="complete", p2a=("failed", 2, both()), p3="blocked", p5=("running", 1))
        assert resumed("2a", day=day).broken() == set()
        assert {"AB-RES-01", "AB-RES-02"} <= day.passed()

    def test_what_was_running_there_is_executed_again(self):
        day = resumed("5", day=self.day(p0="complete", p2a=("failed", 2, both()), p3="blocked", p5=("running", 1)))
        assert day.readings("AB-RES-04") == ("reset",)

    @pytest.mark.parametrize("status", ["pending", None])
    def test_what_was_set_back_runs_and_what_depends_on_it_may(self, status):
        for later, readings in (([phase("5")], ("dependants_stay",)), ([phase("3")], ("dependants_too",))):
            records = {"p0": "complete", "p2a": status, "p3": "complete", "p5": "pending"}
            day = resumed("2a", day=self.day(**records)).succeed("2a", launch=later)
            if later[0]["phase_id"] == "3":
                day.succeed("3", launch=[phase("5")])
            day.succeed("5", completed=True)
            assert day.broken() == set()
            assert day.readings("AB-PRT-01") == readings

    def test_what_was_set_back_is_not_left_out(self):
        records = {"p0": "complete", "p2a": "pending", "p3": "complete", "p5": "complete"}
        assert resumed(day=self.day(**records), completed=True).broken() == {"AB-PRT-01"}
        assert resumed(day=self.day(**records)).broken() == {"AB-PRT-01"}

    @pytest.mark.parametrize("gone", ["0", "2a"])
    def test_a_record_that_was_taken_away_between(self, gone):
        day = Day().start(TREE, ["0"], ids=IDS).succeed("0", launch=[phase("2a")]).succeed("2a", launch=[phase("3")])
        day.under("filesystem.missing", phase_path(gone)).put(gone, None)
        assert resumed(gone, day=day).broken() == set()
        assert "AB-PRT-01" in day.passed()

    def test_what_nobody_touched_stays(self):
        day = Day().start(TREE, ["0"], ids=IDS).succeed("0", launch=[phase("2a")]).succeed("2a", launch=[phase("3")])
        day.under("filesystem.missing", phase_path("2a")).put("2a", None)
        assert resumed("0", "2a", day=day).broken() == {"AB-RES-02"}

    def test_a_record_edited_by_hand_is_believed(self):
        day = halted().under("json_document.null", phase_path("2a")).put("2a", "complete")
        day.status("2a", told=[("2a", "complete")], halted=True)
        assert resumed("3", day=day).broken() == set()

    @pytest.mark.parametrize("modes", [(), ("resume",)])
    def test_what_is_odd_may_be_refused(self, modes):
        odd = [
            self.day(p0="complete").put_at(CONFIG_PATH, "{"),
            self.day(p0="complete").put_at(CONFIG_PATH, {**CONFIG, "version": "9.0"}),
            self.day(p0="complete", p9="complete"),
            self.day(p0={**record("0", "complete"), "attempt": "1"}),
            self.day(p0={**record("1", "complete")}),
            self.day(
                p0='\ufeff{"phase_id": "0", "phase_name": "a", "status": "complete", "attempt": 1, "max_attempts": 2}'
            ),
        ]
        for day in odd:
            assert day.start(TREE, (), modes, accepted=False).broken() == set()
        day = self.day(p0="complete")
        day.kinds[PHASES_DIRECTORY] = FileFact("symlink")
        assert day.start(TREE, (), modes, accepted=False).broken() == set()
        day = self.day()
        day.kinds[phase_path("0")] = FileFact("fifo")
        assert day.start(TREE, ["0"], modes).broken() == set()
        day = self.day()
        day.kinds[phase_path("0")] = FileFact("fifo")
        assert day.start(TREE, ["2a"], modes).succeed("2a", launch=[phase("0")]).broken() == {"AB-PAR-02"}

    def test_what_may_be_complete_may_show_it_or_not(self):
        for status in ("pending", "complete"):
            day = self.day()
            day.kinds[phase_path("3")] = FileFact("fifo")
            assert day.start(TREE, ["0"]).status("3", told=[("3", status)]).broken() == set()
        day = self.day(p2a="pending")
        day.kinds[phase_path("0")] = FileFact("fifo")
        day.start(TREE, ["0"]).report("0", FAILED, launch=[retry("0", "test_failure", **AGAIN)])
        assert day.broken() == set()

    def test_a_halt_says_what_is_complete(self):
        day = Day(p0="complete", p2a="pending").put_at(CONFIG_PATH, CONFIG).put("5", "pending")
        day.kinds[phase_path("3")] = FileFact("fifo")
        day.start(TREE, ["2a"]).report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)])
        found = summary(["0", "3"], [("2a", 2, "test_failure")], (), ["5"])
        day.report("2a", FAILED, 2, halted=True, summary=found)
        assert day.verdict("AB-HLT-04") is not FAIL
        assert day.status("3", told=[("3", "pending")], halted=True).broken() >= {"AB-PAR-02"}

    def test_of_more_phases_than_are_seen_nobody_knows(self):
        ids = [str(n) for n in range(70)]
        for launch, answer in (((), {"completed": True}), (["69"], {})):
            day = self.day(**{f"p{n}": "complete" for n in ids})
            assert day.start(plan(*ids), launch, ("resume",), **answer).broken() == set()
        day = self.day(**{f"p{n}": "complete" for n in ids})
        assert day.start(plan(*ids), ["1"], ("resume",)).broken() == {"AB-RES-02"}
        assert Day().start(plan(*ids), ["0"]).broken() == set()

    def test_damage_before_the_first_start(self):
        day = self.day(p0="complete").do("status", {"of": ["0"]}, {"phases": []})
        day.under("filesystem.missing", phase_path("0")).put("0", None)
        assert resumed("0", day=day).broken() == set()

    def test_a_changed_plan_may_be_refused_or_taken(self):
        other = plan("0", "2A<0", "4<0")
        assert halted().start(other, (), ("resume",), accepted=False).broken() == set()
        day = halted().start(other, ["2a"], ("resume",))
        assert day.succeed("2a", launch=[phase("4")]).broken() == set()
        assert halted().start(other, ["0"], ("resume",)).broken() == {"AB-RES-02"}

    def test_without_snapshots_nobody_knows(self):
        day = halted()
        day.seen = dict
        day.under("filesystem.missing", STATE_DIRECTORY).put("0", None)
        assert resumed("0", day=day).verdict("AB-RES-02") is not FAIL

    def test_a_record_too_large_to_be_seen_may_say_anything(self):
        day = self.day(p0="complete")
        facts = day.facts
        day.facts = lambda op, args: {**facts(op, args), "record 0": type(facts(op, args)["config"])("file", 300_000)}
        assert resumed(day=day, accepted=False).broken() == set()


class TestDamaged:
    def day(self, content):
        return Day(p0="complete", p2a=content).put_at(CONFIG_PATH, CONFIG)

    def answer(self, text="phase-2a.json is damaged"):
        return {"halted": True, "summary": summary(["0"], (), (), ["2a", "3", "5"], reason=text)}

    @pytest.mark.parametrize(
        "content",
        [
            "", "{", "[]", "null", b"\xff", "[" * 100_000, {"phase_id": "2a"}, {**record("2a"), "status": "done"},
            {**record("2a"), "status": ["complete"]},
        ],
    )  # fmt: skip
    def test_it_halts_and_names_the_file_or_asks(self, content):
        day = resumed(day=self.day(content), **self.answer())
        assert day.broken() == set()
        assert day.readings("AB-COR-01") == ("halts",)
        log = [{"level": "error", "code": "state_corrupt", "message": "phase-2a.json"}]
        assert resumed(day=self.day(content), halted=True, log=log).readings("AB-COR-01") == ("halts",)
        assert resumed(day=self.day(content), accepted=False).readings("AB-COR-01") == ("asks",)

    @pytest.mark.parametrize(
        ("launch", "answer"),
        [(("3",), {}), (("2a",), {}), (("5",), {}), ((), {"completed": True}), ((), {})],
    )
    def test_it_never_counts_as_complete(self, launch, answer):
        assert resumed(*launch, day=self.day("{"), **answer).broken() == {"AB-COR-01"}

    def test_the_file_is_named(self):
        assert resumed(day=self.day("{"), **self.answer("Something is damaged")).broken() == {"AB-COR-01"}

    def test_fresh_gets_out_of_it(self):
        day = self.day("{").start(TREE, ["0"], ("fresh",), ids=IDS)
        assert day.broken() == set()
        assert "AB-COR-01" in day.passed()
        assert self.day("{").start(TREE, (), ("fresh",), accepted=False).broken() == {"AB-COR-01"}

    def test_it_is_looked_at_again_at_the_next_start(self):
        day = halted().under("json_document.truncated", phase_path("0")).put("0", '{"phase')
        resumed(day=day, accepted=False)
        assert resumed(day=day, accepted=False).broken() == set()
        day.under("json_document.null", phase_path("0")).put("0", "complete")
        assert resumed("2a", day=day).broken() == set()

    def test_under_a_fault_that_keeps_it_from_the_files_it_needs_no_name(self):
        day = self.day("{").under("filesystem.full", CONFIG_PATH)
        assert resumed(day=day, **self.answer("Something")).verdict("AB-COR-01") is not FAIL


class TestFresh:
    def fresh(self, *launch, day=None, log=COMMITS_REMAIN, text=TREE, **answer):
        return (day or halted()).start(text, launch or ["0"], ("fresh",), ids=IDS, log=log, **answer)

    def test_it_starts_anew(self):
        day = self.fresh().succeed("0", launch=[phase("2a")])
        assert day.broken() == set()
        assert {"AB-FRS-01", "AB-FRS-02"} <= day.passed()

    def test_it_warns_of_commits(self):
        assert self.fresh(log=[]).broken() == {"AB-FRS-02"}
        assert self.fresh().start(TREE, ["0"], ("fresh",)).broken() == set()

    def test_without_commits_it_needs_not(self):
        day = Day().start(TREE, ["0"], ids=IDS)
        assert self.fresh(day=day, log=[]).broken() == set()
        day = halted().under("filesystem.missing", STATE_DIRECTORY)
        assert self.fresh(day=day, log=[]).broken() == set()

    def test_nothing_of_before_counts(self):
        assert self.fresh("2a").broken() == {"AB-FRS-01", "AB-NRT-03"}
        assert self.fresh(text=plan("0", "5")).broken() == {"AB-FRS-01"}

    def test_phase_0_is_the_first(self):
        text = plan("0", "1")
        assert Day(p0="complete").start(text, ["1"], ("fresh",), ids=("0", "1")).broken() == {"AB-FRS-01"}

    def test_who_does_not_start_breaks_it(self):
        assert halted().start(TREE, (), ("fresh",), accepted=False).broken() == {"AB-FRS-01"}
        assert "AB-HLT-01" in halted().start(TREE, (), ("fresh",), log=COMMITS_REMAIN).broken()

    @pytest.mark.parametrize("path", [COMMITS_PATH, log_path("3"), phase_path("9"), f"{STATE_DIRECTORY}/notes.txt"])
    def test_what_is_left_behind_breaks_it(self, path):
        day = Day().put_at(path, "old").put("0", "complete")
        assert self.fresh(day=day).broken() == {"AB-FRS-01"}

    def test_what_is_made_anew_is_not_left_behind(self):
        day = Day().put("0", "complete")
        for path in (CONFIG_PATH, log_path("0"), f"{STATE_DIRECTORY}/empty"):
            day.put_at(path, CONFIG if path == CONFIG_PATH else "" if "empty" in path else "old")
        day.kinds[f"{STATE_DIRECTORY}/pipe"] = FileFact("fifo", 9)
        assert self.fresh(day=day).broken() == set()

    def test_it_does_not_follow_a_link(self):
        day = halted().put_at("{home}/elsewhere/a.txt", "mine")
        day.kinds[STATE_DIRECTORY] = FileFact("symlink")
        assert self.fresh(day=day).verdict("AB-FRS-02") is not FAIL
        day = halted().put_at("{home}/elsewhere/a.txt", "mine")
        day.kinds[STATE_DIRECTORY] = FileFact("symlink")
        day.begin("start", {"plan": TREE, "modes": ["fresh"]}).put_at("{home}/elsewhere/a.txt", None)
        day.end("start", {"accepted": True, "launch": [phase("0")], "log": COMMITS_REMAIN})
        assert day.verdict("AB-FRS-02") is FAIL

    def test_a_link_may_be_refused(self):
        day = halted()
        day.kinds[STATE_DIRECTORY] = FileFact("symlink")
        assert day.start(TREE, (), ("fresh",), accepted=False).broken() == set()

    def test_without_snapshots_nobody_sees_what_is_left(self):
        day = Day()
        day.seen = dict
        assert day.put("0", "complete").start(TREE, ["0"], ("fresh",)).verdict("AB-FRS-02") is None

    def test_fresh_and_resume_together(self):
        assert halted().start(TREE, (), ("fresh", "resume"), accepted=False).readings("AB-FRS-03") == ("refused",)
        day = halted().start(TREE, ["0"], ("fresh", "resume"), log=COMMITS_REMAIN)
        assert day.readings("AB-FRS-03") == ("fresh_wins",)
        assert halted().start(TREE, ["0"], ("fresh", "resume")).broken() == {"AB-FRS-02", "AB-FRS-03"}
        assert halted().start(TREE, ["0"], ("fresh", "resume"), accepted=False).broken() == {"AB-FRS-03"}

    def test_where_nothing_was_it_is_a_first_start(self):
        day = Day().start(TREE, ["0"], ("fresh",), ids=IDS)
        assert day.broken() == set()
        assert "AB-FRS-01" not in day.passed()

    def test_a_pair_may_begin_with_any(self):
        assert Day(p2a="complete").start(PAIR, ["2a", "2b"], ("fresh",)).broken() == set()

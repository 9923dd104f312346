"""What the oracle says of tasks: claimed, begun, finished, by one or many, and what the queues show afterwards."""

import pytest
from handmade_sessions import (
    HOME,
    PATHS,
    SAID,
    Day,
    failing,
    readings,
    struck,
    task,
)

from harness.core.history import InputFact

A, B, C = task("a"), task("b"), task("c")
HELD = (struck("process.lock_held", HOME + ".loki/queue"),)
KILLED = (struck("process.killed", None),)
BROKEN = (struck("syscall.errno", PATHS["pending"]),)


class TestClaims:
    def test_every_task_is_handed_out_once(self):
        assert set() == failing(Day().claim("a").claim("b").none().lose("b", "a"))
        assert set() == failing(Day().claim("b").claim("a", worker="w1").none())
        assert readings("GEN-02", Day().claim("a")) is None
        assert set() == readings("GEN-02", Day().claim("a").claim("b"))

    @pytest.mark.parametrize("told", [
        {"told": {"title": "no id"}}, {"told": {**A, "task_id": "zz"}}, {"task": None}, {"told": {**A, "task_id": 7}},
        {"told": {"task_id": "a"}}, {"told": {**A, "description": "another"}}, {"moved": False},
        {"pending": []}, {"in_progress": []}, {"in_progress": [A, A]}, {"pending": [A, B]}, {"pending": [B, C]},
        {"in_progress": [task("a", title="x")]}, {"in_progress": [{"task_id": "a"}]}, {"in_progress": b"{"}, {"instead": None},
        {"pending": [task("b", title="x")]}, {"in_progress": [A, B]}, {"in_progress": [A, B], "pending": []},
    ])  # fmt: skip
    def test_who_loses_changes_or_invents_something_is_found_out(self, told):
        assert "GEN-02" in failing(Day().claim(**told).ledger())

    def test_an_outcome_of_another_kind_is_wrong(self):
        for outcome in ("none", "failed"):
            assert {"GEN-02"} == failing(Day().none(outcome).ledger())
        assert {"GEN-02"} == failing(Day().none(task=A).ledger())
        assert {"GEN-02"} == failing(Day().none("failed", log=SAID).ledger())
        assert set() == failing(Day(pending=[]).none().ledger())

    @pytest.mark.parametrize("elsewhere", ["in_progress", "completed"])
    def test_what_is_at_work_or_finished_is_none_to_claim(self, elsewhere):
        files = {elsewhere: [A]}
        assert {"GEN-02"} == failing(Day(**files).claim("a", in_progress=[A]).ledger())
        assert set() == failing(Day(**files, pending=[A]).none().ledger())

    @pytest.mark.parametrize("elsewhere", ["blocked", "dead_letter", "abandoned"])
    def test_what_came_from_elsewhere_may_be_handed_out_or_not(self, elsewhere):
        assert set() == failing(Day(**{elsewhere: [A]}, pending=[A]).none().claim("a").ledger())
        assert set() == failing(Day(**{elsewhere: [A]}, pending=[A]).claim("a", **{elsewhere: []}).ledger())
        assert {"GEN-02"} == failing(Day(**{elsewhere: [C]}).claim("a", **{elsewhere: []}).ledger())

    def test_of_a_task_twice_one_is_handed_out(self):
        day = Day(pending=[A, A, B])
        assert set() == failing(day.claim("a", pending=[B]).claim("b").none())
        assert set() == failing(Day(pending=[A, A, B]).claim("a", pending=[A, B]).claim("b", pending=[A]).none())
        assert {"GEN-02"} == failing(Day(pending=[A, A, B]).claim("a", pending=[A, A, B], in_progress=[A]).ledger())

    def test_whatever_form_a_queue_has(self):
        odd = {"v": 1, "tasks": [None, {"title": "x"}, A, B], "meta": {"n": [1.0]}}
        for pending in ([A, B], odd, {"tasks": [A, B], "own": 1}):
            assert set() == failing(Day(pending=pending, in_progress=None).claim("a").claim("b").ledger())
        own = {"tasks": [B, {"title": "x"}, None], "meta": {"n": [1]}, "v": 1, "updated": "now"}
        assert set() == failing(Day(pending=odd).claim("a", pending=own).turn(phase=None).ledger())
        newer = {**own, "updated": "later"}
        assert set() == failing(Day(pending=odd).claim("a", pending=own).none("claimed", task=B, pending={**newer, "tasks": [
            {"title": "x"}, None]}, in_progress=[A, B]).ledger())  # fmt: skip
        for left in (
            [None, {"title": "x"}, B],
            {**odd, "tasks": [B]},
            {**odd, "v": 2, "tasks": [None, {"title": "x"}, B]},
        ):
            assert {"GEN-02"} == failing(Day(pending=odd).claim("a", pending=left).ledger())

    def test_fields_of_its_own_may_be_added_and_changed(self):
        before = task("b", claimed_by="w9")
        own = {**A, "claimed_by": "w1", "moves": 1}
        day = Day(pending=[A, before]).claim("a", told=own, pending=[before], in_progress=[own])
        later = {**before, "claimed_by": "w1"}
        assert set() == failing(day.claim("b", told=later, pending=[], in_progress=[own, later]).ledger())
        assert {"GEN-02"} == failing(Day(pending=[before]).claim("b", told=later).ledger())

    def test_halves_of_surrogate_pairs_are_whatever_they_were_made(self):
        pending = b'{"tasks": [{"task_id": "a", "x": "\\ud800", "n": [1, {"y": true}]}]}'
        told = {"task_id": "a", "x": "?", "n": [1, {"y": True}]}
        assert set() == failing(Day(pending=pending).claim("a", told=told, pending=[], in_progress=[told]).ledger())
        for wrong in ([1], [1, {"y": 1}], [1, {"z": True}], [2, {"y": True}], 1):
            day = Day(pending=pending).claim("a", told={**told, "n": wrong}, pending=[], in_progress=[told])
            assert {"GEN-02"} == failing(day.ledger())

    def test_what_is_no_queue_is_kept_and_has_nothing_to_claim(self):
        bad = b'{"tasks": [{"task_id": "a"'
        assert set() == failing(Day(pending=bad).none().ledger())
        assert set() == failing(Day(pending=bad).none("failed", log=SAID).ledger())
        assert {"GEN-02"} == failing(Day(pending=bad).none(pending=[]).ledger())
        day = Day(pending=bad)
        day.others[HOME + ".loki/queue/pending.json.bad"] = bad
        assert set() == failing(day.none(pending=[]).ledger())
        day = Day(pending=bad)
        day.looks = False
        assert set() == failing(day.none(pending=[]).ledger())
        assert {"GEN-02"} == failing(Day(pending=bad).claim("q").ledger())
        assert set() == failing(Day(pending=b" ").none(pending=[]).ledger())
        twice = b'{"tasks": [], "tasks": [{"task_id": "a"}]}'
        assert set() == failing(Day(pending=twice).claim("a", told={"task_id": "a"}, pending=[]).ledger())

    def test_beside_another_queue_that_is_none_it_may_fail(self):
        for outcome in ("failed", "none"):
            assert set() == failing(Day(in_progress=b"{").none(outcome, log=SAID).ledger())
            assert {"GEN-02"} == failing(Day(in_progress=b"{").none(outcome).ledger())
        day = Day(in_progress=b"{")
        day.others[HOME + ".loki/queue/aside"] = b"{"
        assert set() == failing(day.claim("a", in_progress=[A]).ledger())

    def test_what_nobody_sees_is_not_judged(self):
        assert set() == failing(Day(pending=...).claim("q").ledger())
        day = Day().claim("a")
        day.files["in-progress"] = InputFact("file", 900_000)
        assert set() == failing(day.ledger())


class TestTrouble:
    def test_who_is_kept_from_the_queues_says_so(self):
        for fault in (
            BROKEN,
            (struck("filesystem.read_only", HOME + ".loki/queue"),),
            (struck("environment.odd_umask", None),),
        ):
            assert set() == failing(Day().none("failed", log=SAID, faults=fault).claim("a", faults=fault).ledger())
            assert {"GEN-02"} == failing(Day().none("failed", faults=fault).ledger())
        vanishing = (struck("filesystem.vanishing"),)
        assert set() == failing(Day().none("failed", faults=vanishing).none(faults=vanishing, pending=[]).ledger())

    def test_what_was_cut_off_leaves_one_copy_at_least(self):
        for left in ({}, {"in_progress": [A]}, {"pending": [B], "in_progress": [A]}):
            day = Day().none(instead=None, faults=KILLED)
            day = Day().op("claim", {"worker": "w"}, None, faults=KILLED, **left)
            assert set() == failing(day.ledger())
        for left in ({"pending": [B]}, {"pending": b'{"ta'}, {"pending": [B], "in_progress": [task("a", title="")]},
                     {"in_progress": [A, A]}, {"pending": [A, A, B]}):  # fmt: skip
            assert {"GEN-02"} == failing(Day().op("claim", {"worker": "w"}, None, faults=KILLED, **left).ledger())

    def halved(self):
        return Day().op("claim", {"worker": "w"}, None, faults=KILLED, in_progress=[A])

    def test_the_next_edit_leaves_one_copy(self):
        assert set() == failing(self.halved().claim("b", pending=[], in_progress=[A, B]).lose("a", "b"))
        assert set() == failing(self.halved().claim("a", pending=[B], in_progress=[A]).lose("a"))
        assert set() == failing(self.halved().claim("b", pending=[A], in_progress=[B]).lose("b"))
        assert {"GEN-02"} == failing(self.halved().claim("b", pending=[A], in_progress=[A, B]).lose("a", "b"))
        assert set() == failing(self.halved().lose("a").ledger().lose("a"))

    def test_a_damaged_queue_is_another_one(self):
        day = Day().claim("a")
        day.files["pending"] = {"tasks": [C]}
        day.files["in-progress"] = None
        fault = (struck("json_document.truncated"),)
        day.faults = (*fault, struck("filesystem.missing", PATHS["in-progress"]))
        assert set() == failing(day.ledger().claim("c").ledger())
        gone = self.halved().ledger()
        gone.faults = (struck("json_document.truncated"),)
        assert set() == failing(gone.claim("b", pending=[A], in_progress=[A, B]).lose("a", "b"))

    def test_a_queue_that_is_hidden_is_not_looked_at(self):
        for fault, clauses in (("filesystem.directory", set()), ("filesystem.full", {"GEN-02"})):
            day = Day().claim("a")
            day.files["pending"] = {"tasks": []}
            assert clauses == failing(day.ledger(faults=[struck(fault)]))
        day = Day(pending=InputFact("directory")).none("failed", log=SAID)
        assert set() == failing(day.ledger().ledger())
        day = Day().claim("a", faults=[struck("filesystem.fifo")])
        day.files["pending"] = None
        assert set() == failing(day.ledger())

    def test_what_is_asked_for_wrongly_need_not_be_answered(self):
        assert set() == failing(Day().op("claim", {}, None).op("complete", {}, None).op("checkpoint", {}, None).lose())
        assert set() == failing(Day().op("claim", {"worker": 5}, {"outcome": "claimed", "task": A}, pending=[B], in_progress=[A])
                                .op("complete", {"worker": "w"}, {"outcome": "completed"}, in_progress=[])
                                .op("begin_operation", {}, {"steps": [], "performed": False}).lose(checkpoint="?")
                                .ledger("x"))  # fmt: skip


class TestCopiesThatStay:
    """A queue that cannot be rewritten keeps its copy of a task as long, of which the log tells."""

    PENDING = (struck("filesystem.not_writable"),)
    WORK = (struck("filesystem.not_writable", PATHS["in-progress"]),)

    def claimed(self, **more):
        return Day().claim("a", pending=[A, B], faults=self.PENDING, **more)

    def finished(self, **more):
        return Day(pending=[], in_progress=[A, B]).finish("a", in_progress=[A, B], faults=self.WORK, **more)

    def test_the_copy_of_a_claimed_task_stays_and_nobody_is_handed_it(self):
        assert set() == failing(
            self.claimed(log=SAID).lose("a", faults=self.PENDING).claim("b", pending=[]).lose("a", "b").lose("b", "a")
        )
        assert {"GEN-02"} == failing(self.claimed().ledger(faults=self.PENDING))
        again = self.claimed(log=SAID).claim("a", pending=[A, B], in_progress=[A], log=SAID, faults=self.PENDING)
        assert {"GEN-02"} == failing(again.ledger(faults=self.PENDING))
        lost = Day().claim("a", pending=[A, B], in_progress=[], log=SAID, faults=self.PENDING)
        assert {"GEN-02"} == failing(lost.ledger(faults=self.PENDING))
        twice = Day().claim("a", pending=[A, A, B], log=SAID, faults=self.PENDING)
        assert {"GEN-02"} == failing(twice.ledger(faults=self.PENDING))

    def test_it_stays_no_task_to_claim_when_it_is_finished(self):
        def day():
            claimed = Day(pending=[A]).claim("a", pending=[A], log=SAID, faults=self.PENDING)
            return claimed.finish("a", faults=self.PENDING).none(faults=self.PENDING)

        assert set() == failing(day().ledger("a", faults=self.PENDING))
        assert {"GEN-02"} == failing(day().claim("a", faults=self.PENDING).ledger("a", faults=self.PENDING))

    def test_it_goes_once_the_queue_can_be_rewritten(self):
        assert set() == failing(self.claimed(log=SAID).claim("b", pending=[]).lose("a", "b"))
        assert {"GEN-02"} == failing(self.claimed(log=SAID).claim("b", pending=[A]).lose("a", "b").lose("a", "b"))

    def test_the_copy_of_a_finished_task_stays_too(self):
        for told in (["b"], ["a", "b"]):
            assert set() == failing(self.finished(log=SAID).lose(*told, faults=self.WORK).ledger("a", faults=self.WORK))
        assert {"GEN-05"} == failing(self.finished().ledger("a", faults=self.WORK))
        for outcome in ("unknown", "completed"):
            day = self.finished(log=SAID).finish("a", outcome=outcome, recorded=outcome == "completed", in_progress=[B])
            assert set() == failing(day.ledger("a"))

    def test_after_damage_it_is_another_queue(self):
        day = self.claimed(log=SAID).ledger(faults=self.PENDING)
        day.files["in-progress"] = None
        fault = (struck("filesystem.missing", PATHS["in-progress"]),)
        assert set() == failing(day.claim("a", faults=fault).ledger(faults=fault))


class TestLocks:
    def test_under_a_lock_it_fails_or_has_another(self):
        assert {"flock", "own"} == readings("SYS-03", Day().none("failed", log=SAID, faults=HELD).ledger(faults=HELD))
        assert {"own"} == readings("SYS-03", Day().claim("a", faults=HELD).ledger(faults=HELD))
        assert {"flock", "own"} == readings("SYS-03", Day().op("claim", {"worker": "w"}, None, faults=HELD).ledger())
        assert {"own"} == readings("SYS-03", Day(in_progress=[A], pending=[]).finish("a", faults=HELD).ledger("a"))
        assert readings("SYS-03", Day(pending=[]).none(faults=HELD).ledger()) is None
        assert readings("SYS-03", Day().op("claim", {}, None, faults=HELD)) is None
        assert readings("SYS-03", Day().claim("a", faults=[struck("process.lock_held", HOME + ".loki/state")])) is None

    def test_who_fails_changes_nothing(self):
        for left in ({"in_progress": [A]}, {"pending": [B]}, {"pending": [B], "in_progress": [A]}):
            assert {"SYS-03"} == failing(Day().none("failed", log=SAID, faults=HELD, **left).ledger(faults=HELD))
        assert "GEN-02" in failing(Day().none("failed", faults=HELD).ledger())

    def test_two_tasks_go_to_two(self):
        day = Day().claim("a").claim("b", worker="w2").together(2)
        assert {"flock", "own"} == readings("SYS-03", day.lose("a", "b"))
        assert set() == failing(Day(pending=[A]).claim("a").none().together(2).lose("a"))
        assert set() == failing(Day().claim("a").none("failed", log=SAID).together(2).lose("a"))
        assert set() == failing(
            Day().claim("a").op("claim", {"worker": "w"}, None, faults=KILLED).together(2).lose("a")
        )

    def test_a_task_for_two_or_lost_or_for_nobody_is_wrong(self):
        wrong = {"SYS-03", "GEN-02"}
        assert wrong == failing(Day().claim("a").claim("a", in_progress=[A]).together(2).lose("a"))
        assert {"SYS-03"} == failing(Day().claim("a").claim("b", in_progress=[B], pending=[]).together(2).lose("b"))
        assert {"SYS-03"} == failing(
            Day().claim("a").claim("b", in_progress=[A, B], pending=[A]).together(2).lose("a", "b")
        )
        assert wrong == failing(Day().claim("a").none().together(2).lose("a"))
        assert wrong == failing(Day().none("failed", log=SAID).none("failed", log=SAID).together(2).lose())
        assert wrong == failing(Day().claim("a").none("failed").together(2).lose("a"))

    def test_two_may_finish_at_once_and_one_task_only_once(self):
        def work():
            return Day(pending=[], in_progress=[A, B])

        assert {"flock", "own"} == readings("SYS-03", work().finish("a").finish("b").together(2).ledger("b", "a"))
        assert {"SYS-03"} == failing(work().finish("a").finish("b", in_progress=[A]).together(2).ledger("a", "b"))
        assert "GEN-05" in failing(work().finish("a").finish("b").together(2).ledger("b"))
        assert set() == failing(
            work().finish("a").finish("a", outcome="unknown", recorded=False).together(2).ledger("a")
        )
        assert {"SYS-03", "GEN-05"} == failing(work().finish("a").finish("a").together(2).ledger("a"))
        twice = work().finish("a", outcome="unknown").finish("a", outcome="unknown").together(2)
        assert {"SYS-03", "GEN-05"} == failing(twice.ledger())
        both = Day().claim("a").finish("a", in_progress=[]).together(2)
        assert set() == failing(both.ledger("a"))
        cut = work().op("complete", {"worker": "w", "task_id": "a"}, None, faults=KILLED).finish("a", outcome="unknown")
        assert set() == failing(cut.together(2).ledger())
        assert set() == failing(work().ledger().finish("a").together(2).ledger("a"))


class TestFinishing:
    def work(self, **more):
        return Day(pending=[], in_progress=[A, B], **more)

    def test_a_finished_task_is_in_the_ledger_once(self):
        day = (
            self.work()
            .finish("a")
            .ledger("a")
            .finish("a", outcome="unknown", recorded=False)
            .finish("b")
            .ledger("a", "b")
        )
        assert {"ledgers"} == readings("GEN-05", day)
        assert set() == failing(self.work().finish("a", completed=[A]).ledger("a"))
        day = self.work()
        day.others[HOME + "done"] = b"a"
        assert {"elsewhere"} == readings("GEN-05", day.finish("a", ledger="done", file_ledger=None).ledger("a"))
        assert readings("GEN-05", self.work().ledger()) is None

    @pytest.mark.parametrize("told", [
        {"outcome": "unknown"}, {"outcome": "failed"}, {"outcome": "failed", "log": SAID}, {"recorded": False}, {"ledger": None},
        {"ledger": "nowhere"}, {"instead": None}, {"in_progress": [A, B]}, {"in_progress": []}, {"file_ledger": None},
        {"file_ledger": ""}, {"file_ledger": "{}\n"}, {"id_": "z"}, {"in_progress": [A, task("b", title="")]},
        {"recorded": False, "log": SAID},
    ])  # fmt: skip
    def test_another_outcome_no_record_or_another_task_gone_is_wrong(self, told):
        assert "GEN-05" in failing(self.work().finish(**{"id_": "a", **told}).ledger("a"))

    @pytest.mark.parametrize("told", [[], ["a", "a"], ["b", "a"], ["a", "b", "z"], ["a"]])
    def test_the_ledger_has_what_was_finished_in_its_order(self, told):
        assert {"GEN-05"} == failing(self.work().finish("a").finish("b").ledger(*told))
        assert {"GEN-05"} == failing(self.work().ledger("z"))
        assert {"GEN-05"} == failing(self.work().op("ledger", {}, None))

    def test_what_was_there_before_may_be_listed_too(self):
        day = self.work(ledger='{"task_id": "x"}\n{"task_', completed=[C]).finish("a")
        assert set() == failing(day.ledger("x", "c", "a").ledger("a"))

    def test_the_task_of_another_may_be_finished_or_not(self):
        for outcome in ("unknown", "completed"):
            day = Day(pending=[A]).claim("a", worker="w1").finish("a", worker="w2", outcome=outcome)
            assert set() == failing(day.ledger(*(["a"] if outcome == "completed" else [])))
        assert {"GEN-05"} == failing(Day(pending=[A]).claim("a").finish("a", outcome="unknown").ledger())

    def test_a_ledger_that_cannot_be_written_or_read_is_told_of(self):
        fault = (struck("filesystem.not_writable", PATHS["ledger"]),)
        left = {"file_ledger": None, "in_progress": [B]}
        day = self.work().finish("a", recorded=False, ledger=None, log=SAID, faults=fault, **left)
        assert set() == failing(day.ledger(faults=fault).ledger("a", faults=fault))
        assert {"GEN-05"} == failing(self.work().finish("a", recorded=False, faults=fault, **left).ledger("a"))
        day = self.work().finish("a", faults=BROKEN, outcome="failed", log=SAID).finish("b")
        assert set() == failing(day.ledger("b"))
        fault = (struck("syscall.errno", PATHS["ledger"]),)
        assert set() == failing(self.work().finish("a").ledger(log=SAID, faults=fault))
        assert {"GEN-05"} == failing(self.work().finish("a").ledger(faults=fault))
        day = self.work().finish("a", outcome="unknown", log=SAID, faults=BROKEN)
        assert set() == failing(day.ledger())

    def test_a_ledger_that_was_damaged_has_lost_it_or_not(self):
        for told in ([], ["a"]):
            day = self.work().finish("a")
            day.files["ledger"] = b"\xff garbage"
            day.faults = (struck("filesystem.garbled", PATHS["ledger"]),)
            assert set() == failing(day.ledger(*told))
        day = self.work().finish("a")
        day.files["ledger"] = ...
        assert set() == failing(day.ledger("a"))
        day = self.work().finish("a", faults=[struck("filesystem.fifo", PATHS["ledger"])], ledger="own/ledger")
        assert set() == failing(day.ledger("a"))

    def test_an_end_that_was_cut_off_loses_nothing(self):
        def cut(**left):
            return self.work().op("complete", {"worker": "w1", "task_id": "a"}, None, faults=KILLED, **left)

        assert set() == failing(cut().finish("a").ledger("a"))
        assert set() == failing(cut(in_progress=[B]).ledger("a"))
        assert set() == failing(cut(in_progress=[B], completed=[A]).ledger())
        assert set() == failing(cut(completed=[A]).finish("b", in_progress=[]).ledger("b"))
        assert {"GEN-05"} == failing(cut(in_progress=[B]).ledger())
        assert {"GEN-05"} == failing(cut(in_progress=[A]).ledger())
        assert set() == failing(cut(completed=b"{").ledger()) - {"GEN-05"}

    def test_a_task_that_is_only_pending_is_not_finished(self):
        assert set() == failing(Day().finish("a", outcome="unknown", recorded=False).ledger())
        assert {"GEN-05"} == failing(Day().finish("a").ledger("a"))
        assert set() == failing(Day(in_progress=b"{").finish("a", outcome="unknown", recorded=False, log=SAID).ledger())

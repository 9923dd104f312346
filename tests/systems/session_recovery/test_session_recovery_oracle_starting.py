"""What the oracle says of work that begins: requirements, and interfaces that change."""

import pytest
from handmade_sessions import (
    GONE,
    HOME,
    OWN,
    PATHS,
    SAID,
    Day,
    failing,
    readings,
    step,
    steps,
    struck,
    task,
)

A, B, C = task("a"), task("b"), task("c")
KILLED = (struck("process.killed", None),)
BROKEN = (struck("syscall.errno", PATHS["pending"]),)


class TestStarting:
    def work(self, **more):
        return Day(in_progress=[A], pending=[B], **more)

    def test_the_requirements_are_read_before_it_is_implemented(self):
        assert set() == failing(self.work().start("a").start("b").start("z", started=False, taken=[]).ledger())
        long = task("a", description="d" * 9_000)
        assert set() == failing(Day(in_progress=[long]).start("a", requirements="Title. " + "d" * 4_096))

    @pytest.mark.parametrize("told", [
        {"taken": steps("implement")}, {"taken": steps("implement", "read_requirements")}, {"started": False},
        {"taken": steps("read_requirements")}, {"requirements": "something else"}, {"instead": None}, {"id_": "z"},
        {"started": False, "taken": []}, {"requirements": ""},
    ])  # fmt: skip
    def test_another_order_text_or_no_beginning_is_wrong(self, told):
        assert {"GEN-08"} == failing(self.work().start(**{"id_": "a", **told}))

    def test_what_is_done_about_no_description_is_its_own(self):
        for description in (None, 7, "", " "):
            day = Day(in_progress=[task("a", description=description)])
            assert set() == failing(day.start("a", requirements="x").start("a", started=False, taken=[]))
        day = Day(in_progress=[A], pending=[task("a", description="other")])
        assert {"GEN-08"} == failing(day.start("a", requirements="other"))

    def test_what_cannot_be_read_need_not_be_begun(self):
        for fault, said, clauses in (
            (BROKEN, SAID, set()),
            (BROKEN, [], {"GEN-08"}),
            ((struck("filesystem.growing"),), [], set()),
        ):
            assert clauses == failing(self.work().start("a", started=False, taken=[], log=said, faults=fault))
        assert set() == failing(self.work(blocked=b"{").start("z").start("a", requirements="?").ledger())
        assert set() == failing(self.work().start("b", requirements="?", faults=[struck("filesystem.vanishing")]))

    def test_an_interface_is_specified_before_it_is_coded(self):
        day = self.work().start("a", "GET /a").start("b", 'x\n"y" \u6f22').start("a", "GET /b")
        day.files["specification"] = day.files["specification"].replace('"GET /a"', '"old"')
        assert {"specs"} == readings("GEN-06", self.work().start("a", "GET /a").start("b", "x").ledger())
        assert set() == failing(day.ledger())
        day = self.work()
        day.others[HOME + "api.md"] = b"GET /a"
        assert {"elsewhere"} == readings("GEN-06", day.start("a", "GET /a", named="api.md").ledger())

    @pytest.mark.parametrize("told", [
        {"taken": steps("read_requirements", "implement")}, {"taken": steps("read_requirements", "implement", "specify")},
        {"taken": steps("read_requirements", step("specify", ok=False), "implement")}, {"named": None},
        {"named": "nowhere.md"}, {"started": False, "taken": []}, {"file_specification": GONE}, {"file_specification": "{}\n"},
        {"instead": None},
    ])  # fmt: skip
    def test_one_that_is_not_specified_or_not_there_is_wrong(self, told):
        assert "GEN-06" in failing(self.work().start("a", "GET /a", **told).ledger())

    def test_it_stays_specified(self):
        day = self.work().start("a", "GET /a").ledger()
        day.files["specification"] = "{}\n"
        assert {"GEN-06"} == failing(day.ledger().ledger())
        day = self.work().start("a", "GET /a").ledger()
        day.files["specification"] = None
        assert set() == failing(day.ledger(faults=[struck("filesystem.missing", PATHS["specification"])]))
        day = self.work().start("a", "GET /a")
        day.files["specification"] = ...
        assert set() == failing(day.ledger())
        day = self.work().start("a", "GET /a").op("start_task", {"task_id": "a", "interface": "y"}, None, faults=KILLED)
        day.files["specification"] = "{}\n"
        assert set() == failing(day.ledger())

    def test_what_cannot_be_specified_is_not_coded(self):
        fault = (struck("filesystem.directory", PATHS["specification"]),)
        told = {"started": False, "taken": steps("read_requirements", step("specify", ok=False)), "named": None}
        assert {"specs", "elsewhere"} == readings("GEN-06", self.work().start("a", "x", log=SAID, faults=fault, **told))
        assert {"GEN-06"} == failing(self.work().start("a", "x", faults=fault, **told))
        assert OWN["ledger"] == ".loki/memory/ledgers/tasks.jsonl"

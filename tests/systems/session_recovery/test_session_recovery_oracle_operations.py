"""What the oracle says of checkpoints, operations that begin, breakers and .loki/state, in calm weather and under faults."""

import pytest
from handmade_sessions import (
    BREAKERS,
    GONE,
    HOME,
    PATHS,
    SAID,
    Day,
    breaker,
    failing,
    readings,
    step,
    steps,
    struck,
)

from harness.core.history import InputFact
from harness.systems.session_recovery.contract import STATE_DIRECTORY

KILLED = (struck("process.killed", None),)
POWER = (struck("syscall.power", PATHS["checkpoint"]),)
UNWRITABLE = (struck("filesystem.not_writable", PATHS["checkpoint"]),)
STATE = STATE_DIRECTORY
REMOVED = (struck("filesystem.missing", STATE),)
NOTHING = {"orchestrator": None, "breakers": None, "checkpoint": None}
SAVE = step("checkpoint", detail="o1")
PARALLEL = {"agents": 3, "implementing": True}


class TestCheckpoints:
    def test_the_last_one_is_handed_back(self):
        day = Day().lose().save("c1").lose(checkpoint="c1", state={"at": "c1"}).save("c2", {"x": [1, {"y": None}]})
        assert {"state"} == readings("SYS-04", day.lose(checkpoint="c2", state={"x": [1, {"y": None}]}))
        assert set() == failing(day)
        day = Day()
        day.others[HOME + "cp/1"] = b"c1"
        assert {"elsewhere"} == readings(
            "SYS-04", day.save("c1", path="cp/1").lose(checkpoint="c1", state={"at": "c1"})
        )

    @pytest.mark.parametrize("told", [
        {}, {"checkpoint": "c1", "state": {"at": "c1"}}, {"checkpoint": "c2", "state": {"at": "c1"}}, {"checkpoint": "c2"},
        {"checkpoint": "c9", "state": {"at": "c2"}}, {"checkpoint": "c2", "state": {"at": "c2", "more": 1}},
    ])  # fmt: skip
    def test_another_one_or_another_state_is_wrong(self, told):
        assert {"RC-01"} == failing(Day().save("c1").save("c2").lose(**told))

    @pytest.mark.parametrize("told", [
        {"stored": False}, {"stored": False, "log": SAID}, {"path": None}, {"path": "nowhere"}, {"instead": None},
        {"file_checkpoint": GONE}, {"file_checkpoint": ""}, {"file_checkpoint": {"name": "other"}}, {"path": "/etc/passwd"},
    ])  # fmt: skip
    def test_one_that_is_not_there_is_wrong(self, told):
        assert "SYS-04" in failing(Day().save(**told).ledger())

    def test_one_that_vanishes_before_anybody_looks_is_wrong(self):
        for left in (None, {"name": "other"}):
            day = Day().save()
            day.files["checkpoint"] = left
            assert {"SYS-04"} == failing(day.ledger())
        day = Day().save()
        day.files["checkpoint"] = b"\x00 binary"
        assert set() == failing(day.ledger())
        day = Day().save()
        day.files["checkpoint"] = ...
        assert set() == failing(day.ledger())

    def test_without_a_look_at_the_disk_nothing_is_missed(self):
        day = Day()
        day.looks = False
        assert set() == failing(day.save(path="nowhere").lose(checkpoint="c1", state={"at": "c1"}))
        assert readings("SYS-02", day) is None

    def test_another_left_one(self):
        left = {"name": "c0", "state": {"x": 1}}
        for told in ({}, {"checkpoint": "c0", "state": {"x": 1}}):
            assert set() == failing(Day(checkpoint=left).lose(**told))
        assert {"RC-01"} == failing(Day(checkpoint=left).lose(checkpoint="c0"))
        for other in ("[]", '{"name": "c0"}', '{"state": {}}', b"\xff"):
            assert set() == failing(Day(checkpoint=other).lose())
            assert {"RC-01"} == failing(Day(checkpoint=other).lose(checkpoint="c0", state={}))
        twice = '\ufeff{"name": "c0", "state": {}}'
        assert set() == failing(Day(checkpoint=twice).lose(checkpoint="c0", state={}))

    def test_one_that_was_cut_off_is_there_or_not(self):
        for told in ({"checkpoint": "c1", "state": {"at": "c1"}}, {"checkpoint": "c2", "state": {"at": "c2"}}):
            for fault in (KILLED, POWER):
                assert set() == failing(Day().save("c1").save("c2", instead=None, faults=fault).lose(**told))
        assert {"RC-01"} == failing(Day().save("c1").save("c2", instead=None, faults=KILLED).lose())

    def test_one_that_cannot_be_written_is_told_of(self):
        day = Day().save("c1").save("c2", stored=False, path=None, log=SAID, faults=UNWRITABLE)
        assert set() == failing(day.lose(checkpoint="c1", state={"at": "c1"}, faults=UNWRITABLE))
        assert "SYS-04" in failing(Day().save(stored=False, path=None, faults=UNWRITABLE))
        hidden = (struck("filesystem.unreadable", PATHS["checkpoint"]),)
        assert set() == failing(Day().save().lose(log=SAID, faults=hidden))
        assert {"RC-01"} == failing(Day().save().lose(faults=hidden))

    @pytest.mark.parametrize(
        "told", [{}, {"checkpoint": "c1", "state": {"at": "c1"}}, {"checkpoint": "c2", "state": {"at": "c2"}}]
    )
    def test_after_damage_any_that_was_made_may_come_back(self, told):
        day = Day().save("c1").save("c2")
        day.files["checkpoint"] = "[1, 2]"
        day.faults = (struck("json_document.list", PATHS["checkpoint"]),)
        assert set() == failing(day.lose(**told))

    def test_after_damage_none_that_nobody_made_does(self):
        day = Day().save("c1")
        day.files["checkpoint"] = None
        day.faults = REMOVED
        assert {"RC-01"} == failing(day.lose(checkpoint="x", state={}))
        again = Day().save("c1", faults=REMOVED).save("c2", faults=REMOVED)
        assert {"RC-01"} == failing(again.lose(faults=REMOVED))

    def test_of_several_at_once_any_may_be_the_last(self):
        for name in ("c1", "c2"):
            day = Day().save("c0").save("c1").save("c2").together(2)
            assert set() == failing(day.lose(checkpoint=name, state={"at": name}))
        day = Day().save("c0").save("c1").save("c2").together(2)
        assert {"RC-01"} == failing(day.lose(checkpoint="c0", state={"at": "c0"}))
        beside = Day().save("c1").lose(checkpoint="c1", state={"at": "c1"}).together(2)
        assert set() == failing(beside)


class TestBeginning:
    def test_operations_of_every_kind(self):
        day = Day().begin().begin("major", name="m").lose(checkpoint="m", state={"of": "m"}).begin("spawn", name="s")
        assert set() == failing(day.lose(checkpoint="s", state={"of": "s"}).begin(name="x", saved=True)
                                .lose(checkpoint="x", state={"of": "x"}))  # fmt: skip

    @pytest.mark.parametrize("kind", ["major", "spawn"])
    @pytest.mark.parametrize("taken", [
        [], [SAVE], steps("@"), ["@", SAVE], [step("checkpoint", detail="other"), "@"],
        [step("checkpoint", detail="o1", ok=False), "@"], [step("checkpoint", detail="o1", ok=False), "@", SAVE],
    ])  # fmt: skip
    def test_without_its_checkpoint_first_nothing_begins(self, kind, taken):
        act = step("spawn", count=1) if kind == "spawn" else step("perform")
        taken = [act if each in ("@", step("@")) else each for each in taken]
        assert {"SYS-04"} == failing(Day().begin(kind, taken))

    @pytest.mark.parametrize("told", [
        {"performed": False}, {"performed": True, "taken": []}, {"performed": False, "taken": steps("perform")},
        {"taken": [step("spawn", count=1)]}, {"instead": None}, {"checkpoint": 5},
        {"kind": "spawn", "args": {"agents": 3}, "taken": [SAVE, step("spawn", count=2)]},
        {"kind": "spawn", "taken": [SAVE, step("spawn")]}, {"kind": "major", "checkpoint": None},
    ])  # fmt: skip
    def test_what_is_not_begun_or_not_as_asked_for_is_wrong(self, told):
        assert {"SYS-04"} == failing(Day().begin(**told))

    def test_a_checkpoint_nobody_told_of_counts_not(self):
        assert {"RC-01"} == failing(Day().save("c1").begin().lose(checkpoint="o1", state={"of": "o1"}))
        failed = [step("checkpoint", detail="o1", ok=False), step("perform")]
        assert set() == failing(Day().begin(taken=failed).lose(checkpoint="o1", state={"of": "o1"}))

    def test_what_cannot_be_checkpointed_does_not_begin(self):
        day = Day().begin("major", performed=False, log=SAID, faults=UNWRITABLE)
        assert {"state", "elsewhere"} == readings("SYS-04", day)
        assert {"SYS-04"} == failing(Day().begin("major", performed=False, faults=UNWRITABLE))
        assert set() == failing(
            Day().begin("major", instead=None, faults=KILLED).lose(checkpoint="o1", state={"of": "o1"})
        )

    @pytest.mark.parametrize(("agents", "worktrees", "count", "left"), [
        (3, 3, 3, {"each", "main_counts"}), (3, 9, 3, {"each", "main_counts"}), (3, 0, 1, {"each", "main_counts"}),
        (3, 2, 2, {"each", "main_counts"}), (3, 2, 3, {"main_counts"}), (5, 2, 3, {"main_counts"}),
        (3, 2, None, {"each", "main_counts"}), (3, 0, None, {"each", "main_counts"}),
    ])  # fmt: skip
    def test_agents_that_implement_have_worktrees(self, agents, worktrees, count, left):
        args = {"agents": agents, "implementing": True, "worktrees": worktrees}
        taken = [SAVE, step("spawn", count=count)] if count else None
        assert left == readings("SYS-01", Day().begin("spawn", taken, args=args, performed=count is not None))

    @pytest.mark.parametrize(("worktrees", "taken"), [
        (0, [SAVE, step("spawn", count=2)]), (0, [SAVE, step("spawn", count=3)]), (1, [SAVE, step("spawn", count=3)]),
        (3, [SAVE, step("spawn", count=2)]), (3, [SAVE, step("spawn", count=4)]), (3, [SAVE, step("spawn")]),
        (3, [SAVE, step("spawn", count=0)]), (0, [SAVE, step("spawn", count=1), step("spawn", count=3)]),
    ])  # fmt: skip
    def test_too_many_at_a_time_or_fewer_than_can_be_are_wrong(self, worktrees, taken):
        assert {"SYS-01"} == failing(Day().begin("spawn", taken, args={**PARALLEL, "worktrees": worktrees}))

    def test_with_worktrees_they_are_spawned(self):
        args = {**PARALLEL, "worktrees": 3}
        assert {"SYS-01"} == failing(Day().begin("spawn", performed=False, args=args))
        assert {"SYS-01", "SYS-04"} == failing(Day().begin("spawn", instead=None, args=args))

    @pytest.mark.parametrize("free", [{"agents": 3}, {"agents": 1, "implementing": True}])
    def test_who_needs_no_worktree_is_spawned(self, free):
        assert readings("SYS-01", Day().begin("spawn", args=free)) is None
        assert {"SYS-01"} == failing(Day().begin("spawn", args=free, performed=False))
        unsaved = [step("checkpoint", detail="o1", ok=False)]
        assert {"SYS-04"} == failing(Day().begin("spawn", unsaved, args=free, performed=False))
        assert {"SYS-05"} == failing(Day().begin("spawn", args={**free, "breaker": "closed"}, performed=False))


class TestBreakers:
    def test_it_is_consulted_and_obeyed(self):
        day = Day().begin(args={"breaker": "closed"}).begin(args={"breaker": "open"}, performed=False)
        assert set() == readings("SYS-05", day)
        for performed in (True, False):
            half = Day().begin(args={"breaker": "half"}, performed=performed)
            assert readings("SYS-05", half) is None
            over = Day().begin(args={"breaker": "open"}, performed=performed, now="2026-03-01T12:03:20Z")
            assert readings("SYS-05", over) is None
        assert set() == failing(Day(breakers=None).begin(args={"breaker": "open"},
                                taken=steps(step("check_breaker", detail="CLOSED"), "perform")))  # fmt: skip

    @pytest.mark.parametrize("told", [
        {"args": {"breaker": "open"}}, {"args": {"breaker": "open"}, "performed": False, "taken": []},
        {"args": {"breaker": "closed"}, "taken": steps("perform")},
        {"args": {"breaker": "closed"}, "taken": steps("perform", "check_breaker")},
        {"args": {"breaker": "closed"}, "performed": False},
        {"args": {"breaker": "closed"}, "taken": steps(step("check_breaker", detail="OPEN"), "perform")},
        {"args": {"breaker": "open"}, "performed": False, "taken": steps("check_breaker")}, {"args": {"breaker": "open"}, "instead": None},
        {"args": {"breaker": "half"}, "taken": steps("perform")},
    ])  # fmt: skip
    def test_what_begins_nevertheless_unasked_or_not_at_all_is_wrong(self, told):
        assert {"SYS-05"} == failing(Day().begin(**told))

    @pytest.mark.parametrize("content", [b"{", b"[]", ..., InputFact("unreadable"), {"open": breaker("open")}])
    def test_of_what_not_everybody_reads_the_same_nothing_is_demanded(self, content):
        for performed in (True, False):
            assert (
                readings("SYS-05", Day(breakers=content).begin(args={"breaker": "open"}, performed=performed)) is None
            )
        assert {"SYS-04"} == failing(Day().begin("major", args={"breaker": "closed"}, taken=steps(
            step("check_breaker", detail="CLOSED"), "perform")))  # fmt: skip

    def test_one_that_is_open_stays_so(self):
        for left in ({**BREAKERS, "open": breaker("CLOSED")}, {}, None, {**BREAKERS, "open": 3}):
            changed = {"breakers": left if left is not None else GONE}
            assert "SYS-05" in failing(Day().limit(**changed).lose())
        assert set() == failing(Day().limit(breakers={**BREAKERS, "half": breaker("CLOSED")}).lose())
        assert set() == failing(Day().limit(breakers=b"{").lose())
        assert set() == failing(Day().limit(breakers={}, now="2026-03-01T12:03:20Z", wait=0.0).lose())
        day = Day().limit(wait=9.0, faults=[struck("clock.jump", None)], breakers={})
        assert "SYS-05" not in failing(day.lose())
        day = Day().limit()
        day.files["breakers"] = "{}"
        day.faults = (struck("json_document.truncated", PATHS["breakers"]),)
        assert set() == failing(day.lose())


class TestState:
    def test_it_stays(self):
        assert {"anew", "halts"} == readings("SYS-02", Day().lose().turn())
        gone = {"orchestrator": GONE, "breakers": GONE, "file_checkpoint": GONE}
        assert {"SYS-02"} == failing(Day().limit(**gone).lose(phase=None)) - {"SYS-05"}
        assert {"SYS-02"} == failing(Day().save().limit(breakers=BREAKERS, orchestrator=GONE).lose(
            phase=None, checkpoint="c1", state={"at": "c1"}))  # fmt: skip
        day = Day().turn()
        day.files |= NOTHING
        day.faults = (struck("process.restarted", None),)
        assert "SYS-02" in failing(day.lose(phase=None))

    def removed(self):
        day = Day(breakers=None).turn()
        day.files |= NOTHING
        day.faults = REMOVED
        return day

    def test_what_another_removed_is_made_anew_or_refused(self):
        assert {"anew"} == readings(
            "SYS-02", self.removed().save().lose(phase=None, checkpoint="c1", state={"at": "c1"})
        )
        assert {"anew"} == readings("SYS-02", self.removed().begin("major"))
        assert {"anew", "halts"} == readings("SYS-02", self.removed().lose(phase=None).claim())
        assert {"halts"} == readings("SYS-02", self.removed().save(stored=False, path=None, log=SAID))
        day = (
            self.removed()
            .begin("major", performed=False, log=SAID)
            .begin(performed=False, log=SAID, args={"breaker": "open"})
        )
        assert {"halts"} == readings("SYS-02", day)
        assert {"SYS-02"} == failing(self.removed().save().save("c2", stored=False, path=None, log=SAID)) - {
            "SYS-04"
        } | {"SYS-02"}

    def test_who_does_not_need_it_has_no_reason(self):
        assert {"SYS-04"} == failing(self.removed().begin(performed=False, log=SAID))

    def test_who_refuses_what_needs_it_and_does_not_say_so_follows_neither_reading(self):
        assert {"SYS-02", "SYS-04"} == failing(self.removed().begin("major", performed=False))
        assert {"SYS-02", "SYS-05"} == failing(self.removed().begin(performed=False, args={"breaker": "open"}))
        assert {"SYS-02", "SYS-04"} == failing(self.removed().save(stored=False, path=None))

    def test_who_does_not_answer_then_is_wrong(self):
        assert {"SYS-02", "RC-01"} == failing(self.removed().lose(instead=None))

    def test_where_it_comes_and_goes_nothing_is_seen(self):
        fault = (struck("filesystem.vanishing", STATE),)
        day = Day().turn().save(faults=fault, orchestrator=GONE, breakers=GONE, file_checkpoint=GONE)
        day.files |= NOTHING
        assert set() == failing(day.lose(phase=None, faults=fault).save(stored=False, path=None, faults=fault))
        assert set() == failing(
            Day().save(instead=None, faults=POWER, orchestrator=GONE, breakers=GONE, file_checkpoint=GONE)
        )

    def test_a_world_without_it_is_no_situation(self):
        assert readings("SYS-02", Day(orchestrator=None, breakers=None).turn(phase=None, action=None)) is None
        day = Day(orchestrator=None, breakers=None, continuity=None, pending=None, in_progress=None)
        day.looks = False
        assert readings("SYS-02", day.lose(text=None, phase=None)) is None

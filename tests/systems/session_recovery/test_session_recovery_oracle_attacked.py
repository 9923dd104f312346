"""Implementations that are right in a way nobody thought of, and wrong ones that only a closer look finds out."""

import json

import pytest
from handmade_sessions import (
    BREAKERS,
    HOME,
    SAID,
    Day,
    breaker,
    failing,
    step,
    task,
)

A, B = task("a"), task("b")
SAVED = step("checkpoint", detail="o1")
OTHER = '{"tasks": {"a": 1}}'


class TestRecoveries:
    @pytest.mark.parametrize(("files", "told"), [
        ({"orchestrator": b'{"phase": "QA"'}, {"phase": None}), ({"orchestrator": {"version": 1}}, {"phase": None}),
        ({"continuity": b"\xff\xfe"}, {"text": None}), ({"checkpoint": b'{"name": "c0"'}, {}),
        ({"checkpoint": {"name": "c0"}}, {}),
    ])  # fmt: skip
    def test_what_is_damaged_may_end_one_that_says_so(self, files, told):
        assert set() == failing(Day(**files).lose(outcome="failed", log=SAID, **told))
        assert {"RC-01"} == failing(Day(**files).lose(outcome="failed", **told))

    @pytest.mark.parametrize("files", [{}, {"orchestrator": None}, {"continuity": None}, {"checkpoint": None}])
    def test_what_is_sound_or_not_there_does_not(self, files):
        told = {"phase": None} if "orchestrator" in files else {"text": None} if "continuity" in files else {}
        assert set() == failing(Day(**files).lose(**told))
        assert {"RC-01"} == failing(Day(**files).lose(outcome="failed", log=SAID, **told))

    def test_a_file_of_its_own_form_is_not_damaged(self):
        day = Day().save("c1", file_checkpoint={"id": "c1"})
        assert {"RC-01"} == failing(day.lose(checkpoint="c1", state={"at": "c1"}, outcome="failed", log=SAID))

    def test_no_shell_holds_a_nul(self):
        day = Day(continuity="a\x00b\n")
        assert set() == failing(day.turn(text="ab").lose(text="a\x00b\n").fail(
            step("read_output", detail="xy"), step("classify", detail="real"), "fix", "rerun_all",
            facts={"output": "x\x00y"}))  # fmt: skip
        assert {"GEN-01"} == failing(Day(continuity="a\x00b\n").turn(text="a"))

    def test_it_is_resumed_from_the_checkpoint_that_is_told(self):
        day = Day().save("c1").save("c10")
        for detail, clauses in (("c10", set()), ("", set()), ("c1", {"RC-01"}), ("c11", {"RC-01"})):
            taken = ("read_continuity", "read_orchestrator", "read_in_progress",
                     step("resume_from_checkpoint", detail=detail))  # fmt: skip
            told = Day()
            told.files, told.entries = day.files, [*day.entries]
            assert clauses == failing(told.lose(checkpoint="c10", state={"at": "c10"}, taken=taken))


class TestOperations:
    def test_what_begins_begins_once(self):
        for kind in ("minor", "major"):
            taken = [*([SAVED] if kind == "major" else []), step("perform"), step("perform")]
            assert {"SYS-04"} == failing(Day().begin(kind, taken))

    def test_no_more_agents_than_asked_for(self):
        both = [SAVED, step("spawn", count=3), step("spawn", count=3)]
        assert {"SYS-04"} == failing(Day().begin("spawn", both, args={"agents": 3}))
        for worktrees in (0, 2, 3):
            args = {"agents": 3, "implementing": True, "worktrees": worktrees}
            one_by_one = [SAVED, *([step("spawn", count=1)] * 4)]
            assert {"SYS-01"} == failing(Day().begin("spawn", one_by_one, args=args))
        assert {"SYS-01"} == failing(Day().begin("spawn", both, args={**args, "worktrees": 3}))
        one_by_one.pop()
        assert set() == failing(Day().begin("spawn", one_by_one, args={**args, "worktrees": 0}))

    def test_who_has_waited_may_move_the_breaker(self):
        def moved(state="HALF_OPEN", **more):
            return Day().limit(breakers={**BREAKERS, "open": breaker(state)}, **more).lose()

        assert set() == failing(moved())
        assert set() == failing(moved(wait=300.0))
        assert {"SYS-05"} == failing(moved("CLOSED"))
        assert "SYS-05" in failing(moved(wait=199.0))
        assert "SYS-05" in failing(moved(facts={"breaker": "half"}))
        early = Day().turn(breakers={**BREAKERS, "open": breaker("HALF_OPEN")})
        assert {"SYS-05"} == failing(early.lose())

    def test_of_a_cooldown_that_another_clock_wrote_the_whole_of_one_is_enough(self):
        for wait, clauses in ((300.0, set()), (299.0, {"RC-02", "SYS-05"})):
            far = {**BREAKERS, "open": breaker(until="2026-03-02T12:00:00Z")}
            moved = {**far, "open": breaker("HALF_OPEN", "2026-03-02T12:00:00Z")}
            assert clauses == failing(Day(breakers=far).limit(wait=wait, breakers=moved).lose())

    def test_a_timer_may_have_moved_it(self):
        day = Day().turn()
        day.files["breakers"] = {**BREAKERS, "open": breaker("HALF_OPEN")}
        assert set() == failing(day.lose(now="2026-03-01T12:03:20Z"))
        day = Day().turn()
        day.files["breakers"] = {**BREAKERS, "open": breaker("HALF_OPEN")}
        assert {"SYS-05"} == failing(day.lose(now="2026-03-01T12:03:19Z"))

    @pytest.mark.parametrize(("label", "left"), [("breakers", "{"), ("orchestrator", '{"phase": ""}')])
    def test_a_file_that_says_nothing_may_be_kept_aside(self, label, left):
        def moved(**files):
            day = Day(**files)
            phase = None if label == "orchestrator" else "DEVELOPMENT"
            day.others[HOME + ".loki/state/aside"] = files.get(label) or left
            return day.lose(phase=phase, **{label: None})

        assert set() == failing(moved(**{label: left}))
        gone = Day(**{label: left}).lose(phase=None, **{label: None})
        assert {"SYS-02"} <= failing(gone)
        assert "SYS-02" in failing(moved())


class TestQueues:
    @pytest.mark.parametrize("left", ["null", " null\n", " "])
    def test_nothing_is_lost_of_nothing(self, left):
        assert set() == failing(Day(pending=left).none(pending=[]).ledger())

    @pytest.mark.parametrize("left", [OTHER, '"text"', "7", '{"task_id": "a"}'])
    def test_what_is_no_queue_is_not_written_over_though_it_is_json(self, left):
        assert {"GEN-02"} == failing(Day(in_progress=left).claim("a", in_progress=[A]).ledger())
        day = Day(in_progress=left)
        day.others[HOME + ".loki/queue/aside"] = left
        assert set() == failing(day.claim("a", in_progress=[A]).ledger())

    def test_what_a_lenient_reader_takes_for_a_queue_may_be_written_anew(self):
        twice = '{"tasks": [], "tasks": []}'
        assert set() == failing(Day(in_progress=twice).claim("a", in_progress=[A]).ledger())

    @pytest.mark.parametrize("tell", [
        lambda day, **left: day.ledger(**left), lambda day, **left: day.save(**left),
        lambda day, **left: day.start("a", **left), lambda day, **left: day.begin(**left),
        lambda day, **left: day.turn(phase=None, action=None, **left),
    ])  # fmt: skip
    def test_no_other_operation_gives_a_task_back(self, tell):
        assert {"GEN-02"} == failing(tell(Day().claim("a"), pending=[A, B], in_progress=[]).claim("a", "w2").ledger())

    def test_a_task_that_is_begun_may_be_taken_from_those_that_are_pending(self):
        assert set() == failing(Day().start("a", pending=[B], in_progress=[A]).ledger())
        assert {"GEN-02"} == failing(Day().start("a", pending=[A], in_progress=[B]).ledger())
        assert {"GEN-02"} == failing(Day().start("a", pending=[A], in_progress=[]).ledger())

    def test_a_turn_may_take_up_or_put_away_a_task(self):
        assert set() == failing(Day().turn(pending=[B], in_progress=[A]).ledger())
        assert set() == failing(Day(in_progress=[A], pending=[]).turn(in_progress=[], blocked=[A]).ledger())

    @pytest.mark.parametrize("queue", ["pending", "blocked", "completed", "dead_letter", "abandoned"])
    def test_work_on_what_is_not_in_progress_may_be_refused(self, queue):
        refused = {"started": False, "taken": [], "requirements": ""}
        files = {"pending": [B], queue: [A]}
        assert set() == failing(Day(**files).start("a", **refused).start("a").ledger())
        assert {"GEN-08"} == failing(Day(**files, in_progress=[A]).start("a", **refused))

    @pytest.mark.parametrize(("number", "left", "same"), [
        ("1e400", "null", True), ("1e400", "1e400", True), ("1e400", '"Infinity"', True), (str(2**60 + 1), str(2**60), True),
        (str(2**60 + 1), str(2.0**60), True), (str(2**60), str(2**61), False), (str(2**53 - 1), str(2**53 - 2), False),
        ("1" + "0" * 400, "null", True), ("null", "0", False), ("7", "null", False),
    ])  # fmt: skip
    def test_of_a_number_that_no_float_holds_anything_may_be_left(self, number, left, same):
        def file(value):
            return '[{"task_id": "a", "cost": ' + value + "}]"

        told = {"task_id": "a", "cost": json.loads(left)}
        day = Day(pending=file(number)).claim("a", told=told, pending=[], in_progress=file(left))
        assert (set() if same else {"GEN-02"}) == failing(day.ledger())

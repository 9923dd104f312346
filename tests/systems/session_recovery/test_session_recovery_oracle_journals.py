"""What the oracle says of who keeps a journal: what was cut off is done by the next operation, once, or never.

Source: the contract, "what an operation did that was never answered is open".
"""

import pytest
from handmade_sessions import Day, failing, steps, struck, task

A, B = task("a"), task("b")
KILLED = (struck("process.killed", None),)


def claim_cut_off(*tasks):
    return Day(pending=list(tasks)).op("claim", {"worker": "w1"}, None, faults=KILLED)


def end_cut_off(**more):
    return Day().claim("a").op("complete", {"worker": "w1", "task_id": "a"}, None, faults=KILLED, **more)


class TestClaims:
    def test_the_next_claim_does_it_too(self):
        day = claim_cut_off(A, B).claim("b", "w2", pending=[], in_progress=[A, B])
        assert set() == failing(day.lose("a", "b").none("none"))

    def test_then_there_may_be_none_left(self):
        assert set() == failing(claim_cut_off(A).none(pending=[], in_progress=[A]).lose("a"))
        assert {"GEN-02"} == failing(claim_cut_off(A, B).none(pending=[B], in_progress=[A]).lose("a"))

    @pytest.mark.parametrize("tell", [
        lambda day, **left: day.lose("a", **left), lambda day, **left: day.ledger(**left),
        lambda day, **left: day.save(**left), lambda day, **left: day.start("b", **left),
        lambda day, **left: day.turn(steps("read_continuity"), phase=None, action="continue a", **left),
        lambda day, **left: day.begin(**left),
    ])  # fmt: skip
    def test_any_operation_may_do_it(self, tell):
        day = tell(claim_cut_off(A, B), pending=[B], in_progress=[A])
        assert set() == failing(day.claim("b").ledger())
        calm = tell(Day(pending=[A, B]), pending=[B], in_progress=[A])
        assert failing(calm.claim("b").ledger())

    def test_not_after_the_next_edit(self):
        day = claim_cut_off(A, B, task("c")).claim("a", "w2")
        assert {"GEN-02"} == failing(day.claim("b", "w3", pending=[], in_progress=[A, B, task("c")]).ledger())
        assert {"RC-01"} == failing(Day(pending=[A]).claim("a").lose("a", "b").ledger()) - {"GEN-02"}

    def test_nothing_is_lost_by_it(self):
        assert {"GEN-02"} == failing(claim_cut_off(A, B).claim("b", "w2", pending=[], in_progress=[B]).ledger())
        assert {"RC-01"} == failing(claim_cut_off(A, B).lose("a", "c", pending=[B], in_progress=[A]).ledger())


class TestEnds:
    def test_the_next_operation_does_it(self):
        assert set() == failing(end_cut_off().claim("b", pending=[], in_progress=[B]).ledger("a"))
        assert set() == failing(end_cut_off().lose(in_progress=[]).ledger("a"))
        assert set() == failing(end_cut_off().lose("a").ledger().lose("a"))

    def test_it_was_finished_before_it_is_finished_again(self):
        again = {"outcome": "unknown", "recorded": False, "ledger": None}
        assert set() == failing(end_cut_off().finish("a", in_progress=[], **again).ledger("a"))
        assert {"GEN-05"} == failing(end_cut_off().finish("a", **again).ledger())
        assert set() == failing(end_cut_off().finish("a").ledger("a"))

    def test_it_is_no_longer_begun(self):
        refused = {"started": False, "taken": [], "requirements": ""}
        assert set() == failing(end_cut_off().start("a", in_progress=[], **refused).ledger("a"))
        assert {"GEN-08"} == failing(Day(in_progress=[A]).start("a", **refused).ledger())

    def test_not_after_the_next_edit(self):
        day = end_cut_off().claim("b", pending=[], in_progress=[A, B])
        assert {"RC-01"} == failing(day.lose("b", in_progress=[B])) - {"GEN-05"}
        assert {"RC-01"} == failing(Day().claim("a").lose(in_progress=[]).ledger())

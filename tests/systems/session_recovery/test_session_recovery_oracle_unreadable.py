"""What the oracle says of queues and breakers that cannot be read: what is in them is what was in them."""

import json

import pytest
from handmade_sessions import PATHS, RESET, SAID, STATE_DIRECTORY, Day, failing, step, steps, struck, task

OPEN, CLOSED = {"breaker": "open"}, {"breaker": "closed"}
TAKEN_FOR_CLOSED = steps(step("check_breaker", detail="CLOSED"), "perform")
TAKEN_FOR_NOTHING = steps(step("check_breaker", detail=""), "perform")


class TestBreakers:
    @pytest.mark.parametrize("path", [PATHS["breakers"], STATE_DIRECTORY])
    def test_nothing_begins_that_an_open_one_guards(self, path):
        for taken in (TAKEN_FOR_CLOSED, TAKEN_FOR_NOTHING):
            day = Day().turn().unreadable("breakers", path)
            assert {"SYS-05"} == failing(day.begin(args=OPEN, taken=taken, log=SAID))

    def test_who_refuses_may_say_that_nothing_is_known(self):
        for taken in ([], steps(step("check_breaker", detail="")), steps(step("check_breaker", detail="OPEN"))):
            day = Day().turn().unreadable("breakers")
            assert set() == failing(day.begin(args=OPEN, performed=False, taken=taken, log=SAID))

    def test_an_open_one_is_not_said_to_be_closed(self):
        day = Day().turn().unreadable("breakers")
        told = steps(step("check_breaker", detail="CLOSED"))
        assert {"SYS-05"} == failing(day.begin(args=OPEN, performed=False, taken=told, log=SAID))

    def test_what_a_closed_one_guards_may_begin_or_not(self):
        for performed, taken in ((True, TAKEN_FOR_CLOSED), (False, steps(step("check_breaker", detail="")))):
            day = Day().turn().unreadable("breakers")
            assert set() == failing(day.begin(args=CLOSED, performed=performed, taken=taken, log=SAID))

    def test_one_that_was_damaged_meanwhile_is_not_known(self):
        day = Day().turn().unreadable("breakers")
        day.faults = (*day.faults, struck("filesystem.garbled", PATHS["breakers"]))
        assert set() == failing(day.begin(args=OPEN, taken=TAKEN_FOR_CLOSED, log=SAID))

    def test_of_another_world_nothing_is_recalled(self):
        day = Day().unreadable("breakers").begin(args=OPEN, taken=TAKEN_FOR_CLOSED, log=SAID)
        assert set() == failing(Day().turn(), RESET, day)

    def test_after_a_rate_limit_any_time_may_be_left(self):
        for wait in (0.0, 299.0):
            assert set() == failing(Day().turn().unreadable("breakers").limit(wait=wait, log=SAID))

    def test_one_that_can_be_read_and_not_written_is_obeyed(self):
        day = Day().turn()
        day.faults = (struck("filesystem.full", PATHS["breakers"]),)
        assert {"SYS-05"} == failing(day.begin(args=OPEN, log=SAID))


class TestQueues:
    def test_what_was_in_progress_is_not_begun_anew(self):
        day = Day().claim("a").ledger().unreadable("in-progress")
        anew = json.dumps({"tasks": [task("b")]}).encode()
        day.claim("b", log=SAID, moved=False, pending={"tasks": []}, in_progress=anew)
        assert {"GEN-02"} == failing(day.none())

    def test_what_is_in_progress_already_is_not_handed_out(self):
        day = Day().claim("a", moved=False, in_progress={"tasks": [task("a")]}).ledger().unreadable("in-progress")
        assert "GEN-02" in failing(day.claim("a", moved=False, log=SAID))

    def test_one_that_is_kept_under_another_name_is_not_lost(self):
        day = Day().claim("a").ledger().unreadable("in-progress")
        day.others["{home}/.loki/queue/in-progress.json.unreadable"] = day.kept["in-progress"]
        day.claim("b", log=SAID, moved=False, pending={"tasks": []}, in_progress={"tasks": [task("b")]})
        assert set() == failing(day.none())

    def test_of_one_that_an_operation_changed_last_nothing_is_recalled(self):
        day = Day().claim("a").unreadable("in-progress")
        day.claim("b", log=SAID, moved=False, pending={"tasks": []}, in_progress={"tasks": [task("b")]})
        assert set() == failing(day.none())

    def test_who_fails_and_says_so_is_right(self):
        day = Day().turn().unreadable("pending")
        assert set() == failing(day.none("failed", log=SAID).none("failed", log=SAID))

    def test_where_power_was_lost_nothing_is_recalled(self):
        day = Day().claim("a").ledger().unreadable("in-progress")
        day.faults = (*day.faults, struck("syscall.power", None))
        day.claim("b", log=SAID, moved=False, pending={"tasks": []}, in_progress={"tasks": [task("b")]})
        assert set() == failing(day.none())

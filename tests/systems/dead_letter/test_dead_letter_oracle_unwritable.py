"""What the oracle still demands where a file cannot be read or written: nothing is begun anew, or said to be made."""

import json

import pytest
from handmade_letters import Day, dead, digest, failing, letters, passing, struck, task

from harness.core.history import FileFact, InputFact
from harness.systems.dead_letter.contract import DEAD_LETTER_PATH, ESCALATIONS_PATH
from harness.systems.queue_files import DEAD_LETTER

STOOD = letters(dead("a"))
BYTES = json.dumps(STOOD).encode()
AUTH = {"a": {"touches": ["auth"]}}


def unreadable(day, left, others=None, lies=BYTES, **more):
    """The dead letters cannot be read any more; an operation leaves that in their place, and other files beside."""
    day.faults = (struck("filesystem.unreadable"),)
    day.queues[DEAD_LETTER] = InputFact("unreadable")
    day.others = {DEAD_LETTER_PATH: digest(lies)}

    def deed(day):
        day.queues[DEAD_LETTER] = left
        day.others = others or {}

    return day.look(spoil=deed, **more).list(tasks=[])


def known():
    return Day(dead("a"), pending=[task("b")]).list()


class TestAQueueThatCannotBeRead:
    def test_it_is_not_begun_anew(self):
        assert {"LK-DQ-23"} == failing(unreadable(known(), letters(dead("c"))))
        assert {"LK-DQ-23"} == failing(unreadable(known(), None))

    def test_it_may_stay_or_lie_beside(self):
        passing(unreadable(known(), InputFact("unreadable"), {DEAD_LETTER_PATH: digest(BYTES)}))
        passing(unreadable(known(), letters(dead("c")), {f"{DEAD_LETTER_PATH}.bad": digest(BYTES)}))

    def test_who_makes_it_readable_keeps_its_tasks(self):
        passing(unreadable(known(), letters(dead("a"), dead("c"))))

    def test_of_what_nobody_ever_read_nothing_is_known(self):
        passing(unreadable(Day(dead("a")), letters(dead("c"))))
        passing(unreadable(known(), letters(dead("c")), blind=True))

    def test_what_lies_there_may_be_another_file_by_now(self):
        passing(unreadable(known(), letters(dead("c")), lies=b"another"))


class TestAnEscalationThatCannotBeWritten:
    def waits(self, fault, others=None, texts=False, **more):
        day = Day(dead("a"))
        day.faults, day.others = (struck(fault, ESCALATIONS_PATH),), others or {}
        spoil = None if texts else lambda day: setattr(day, "texts", {})
        return day.review(AUTH, done={"a": "human"}, spoil=spoil, **more).list()

    def test_who_says_that_a_task_waits_has_made_it(self):
        assert {"LK-DQ-21"} == failing(self.waits("filesystem.file_for_directory"))
        passing(self.waits("filesystem.not_writable", texts=True))

    @pytest.mark.parametrize("others", [{ESCALATIONS_PATH: FileFact("symlink")}, {"{home}": FileFact("symlink")}])
    def test_what_lies_behind_a_link_is_not_seen(self, others):
        passing(self.waits("filesystem.link_outside", others))
        assert {"LK-DQ-21"} == failing(
            self.waits("filesystem.link_outside", dict.fromkeys(others, FileFact("directory")))
        )

    def test_what_vanishes_and_what_nobody_looks_at_may_have_been_made(self):
        passing(self.waits("filesystem.vanishing"))
        passing(self.waits("filesystem.full", blind=True))

    def test_who_says_that_it_is_not_stored_need_not(self):
        human = {"task_id": "a", "decision": "human", "reason": "auth", "stored": False}
        told = {"reviewed": False, "decisions": [human], "order": ["review", "decided"], "notified": []}
        passing(self.waits("filesystem.full", answer=told, deed=lambda day: None))

"""What the oracle says of who changes what nobody asked for, loses what it acknowledged, or tells of the wrong task."""

import json

import pytest
from handmade_letters import (
    Day,
    change,
    dead,
    digest,
    escalation,
    failing,
    found,
    letters,
    passing,
    struck,
    task,
    tried,
)

from harness.systems.dead_letter.contract import DEAD_LETTER_PATH, PENDING_PATH
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, PENDING

AUTH = {"touches": ["auth"]}
IRRELEVANT = {"irrelevant": True}
SIMPLER = {"simpler_scope": {"title": "Half of it", "description": "The first half"}}
REFUSED = {"recorded": False, "moved": False, "failure_count": None}


class TestCounts:
    @pytest.mark.parametrize(("facts", "kind", "queue"), [
        ({}, "left", DEAD_LETTER), (AUTH, "human", DEAD_LETTER), (IRRELEVANT, "abandoned", ABANDONED),
        (SIMPLER, "retried", DEAD_LETTER),
    ])  # fmt: skip
    @pytest.mark.parametrize("fields", [{"failure_count": 0}, {"failure_count": 6}, {"attempts": tried(6)}])
    def test_without_a_new_approach_a_review_counts_nothing(self, facts, kind, queue, fields):
        def day(spoil=None):
            return Day(dead("a")).review({"a": facts}, done={"a": kind}, spoil=spoil).list()

        passing(day())
        assert {"LK-DQ-14"} == failing(day(change(queue, "a", **fields)))

    def test_nor_does_who_gives_a_task_up(self):
        assert {"LK-DQ-14"} == failing(
            Day(dead("a")).abandon("a", spoil=change(ABANDONED, "a", failure_count=0)).list()
        )

    def test_a_review_leaves_tasks_at_work_as_they_are(self):
        def day(spoil, *at_work):
            return Day(dead("a"), pending=at_work).review(spoil=spoil).list()

        for fields in ({"failure_count": 0}, {"attempts": tried(4)}, {"original_queue": "in-progress"}):
            spoil = change(PENDING, "b", **fields)
            assert {"LK-DQ-23"} == failing(day(spoil, task("b", 3, original_queue="pending")))
        passing(day(change(PENDING, "b", original_queue="in-progress"), task("b", 6, original_queue="pending")))

    def test_what_is_not_recorded_is_not_counted(self):
        def day(queue, fields):
            spoil = None if fields is None else change(queue, "a", **fields)
            begun = Day(dead("a")) if queue == DEAD_LETTER else Day(pending=[task("a", 2)])
            approach = "direct" if queue == DEAD_LETTER else 7
            return begun.fail("a", approach=approach, answer=REFUSED, deed=lambda _: None, spoil=spoil).list()

        for queue, count in ((DEAD_LETTER, 5), (PENDING, 2)):
            passing(day(queue, None))
            assert {"LK-DQ-05"} == failing(day(queue, {"failure_count": count + 1}))
            assert {"LK-DQ-05"} == failing(day(queue, {"attempts": tried(count + 1)}))


class TestWord:
    def test_who_is_not_given_up_is_not_abandoned(self):
        def day(*faults):
            begun = Day(pending=[task("a", 1)])
            return begun.abandon(
                "a", answer=False, deed=lambda day: day.move("a", PENDING, ABANDONED), faults=faults
            ).list()

        assert {"LK-DQ-20"} == failing(day())
        passing(day(struck("filesystem.full")))
        passing(Day(pending=[task("a", 1)]).abandon("a", answer=False).list())

    def test_an_attempt_that_was_acknowledged_is_in_the_copy_that_stays(self):
        """The fifth failure was recorded, but pending could not be written: the task stands there still, with four."""

        def day(gone):
            begun = Day(pending=[task("a", 4)])
            before = dict(begun.at(PENDING, "a"))
            begun.fail(
                "a", faults=[struck("filesystem.full", PENDING_PATH)], spoil=lambda day: day.put(PENDING, before)
            )
            return begun.list(spoil=lambda day: day.tasks(gone).clear()).look()

        passing(day(PENDING))
        assert {"LK-DQ-23"} == failing(day(DEAD_LETTER))
        assert "acknowledged" in found(day(DEAD_LETTER))["LK-DQ-23"].expected


class TestTexts:
    def review(self, spoil):
        day = Day(dead("a"), dead("b"), dead("c/d"), dead("e.f"))
        facts = dict.fromkeys(("a", "b", "c/d", "e.f"), AUTH)
        return day.review(facts, done=dict.fromkeys(facts, "human"), spoil=spoil).look()

    def named(self, **ids):
        """Files of these names, each with the text about the task of that id."""
        names = {"a": "a", "b": "b", "c": "c_d-1", "e": "e_f-2"}
        stamp = "20260301T120000Z"
        texts = {f"{stamp}-{names[name]}.md": escalation(dead(id_)) for name, id_ in ids.items()}
        return lambda day: setattr(day, "texts", texts)

    def test_each_has_an_escalation_that_is_about_it(self):
        passing(self.review(self.named(a="a", b="b", c="c/d", e="e.f")))
        passing(self.review(self.named(a="a", b="b", c="e.f", e="c/d")))

    @pytest.mark.parametrize("ids", [
        {"a": "a", "b": "a", "c": "c/d", "e": "e.f"}, {"a": "b", "b": "a", "c": "c/d", "e": "e.f"},
        {"a": "a", "b": "b", "c": "c/d", "e": "c/d"},
    ])  # fmt: skip
    def test_or_it_has_none(self, ids):
        assert {"LK-ES-07"} == failing(self.review(self.named(**ids)))

    def test_of_files_that_went_nothing_is_said(self):
        def gone(day):
            day.texts = {name: text for name, text in day.texts.items() if "-a" not in name}

        day = Day(dead("a"), dead("b")).review({"a": AUTH, "b": AUTH}, done={"a": "human", "b": "human"})
        passing(day.list(spoil=gone).look())


class TestDamage:
    """Who leaves a damaged file where it is writes nothing there."""

    TORN = b'{"tasks": [{"task_id": "x"'

    def test_a_move_there_may_be_refused(self):
        begun = Day(pending=[task("a", 4), task("b", 1)], dead_letter=self.TORN)
        begun.fail("a", answer=REFUSED, deed=lambda _: None)
        passing(begun.fail("b").look())

    def test_but_not_once_it_is_gone_nor_where_nothing_is_damaged(self):
        aside = {f"{DEAD_LETTER_PATH}.bad": digest(self.TORN)}

        def moved_aside(day):
            day.queues[DEAD_LETTER] = None
            day.others.update(aside)

        begun = Day(pending=[task("a", 4)], dead_letter=self.TORN)
        assert "LK-DQ-01" in failing(begun.fail("a", answer=REFUSED, deed=moved_aside).look())
        for whole in (b" \n", b'{"tasks": []}'):
            begun = Day(pending=[task("a", 4)], dead_letter=whole)
            assert "LK-DQ-01" in failing(begun.fail("a", answer=REFUSED, deed=lambda _: None).look())

    def test_a_decision_that_would_write_there_may_stay_undone(self):
        def day(pending):
            begun = Day(dead("a"))
            begun.queues[PENDING] = pending
            facts, undone = {"a": {"fixed_by": "4f2c9e1"}}, {"task_id": "a", "decision": "retried", "reason": "fixed"}
            answer = {"reviewed": False, "decisions": [{**undone, "stored": False}], "order": ["review", "decided"]}
            return begun.review(facts, done={"a": "retried"}, answer=answer, deed=lambda _: None).look()

        passing(day(self.TORN))
        assert {"LK-DQ-11", "LK-DQ-12"} == failing(day(b"[]"))


class TestReaders:
    """What some readers of JSON take for a queue, and others set aside: neither is wrong, who drops it is."""

    MARKED = b"\xef\xbb\xbf" + json.dumps(letters(dead("x"))).encode()
    CONSTANT = json.dumps(letters(dead("x", size=float("nan")))).encode()
    READ = letters(dead("x", size=None))
    EMPTIED = letters()

    def day(self, content, after, aside=()):
        def deed(day):
            day.queues[DEAD_LETTER] = after
            day.others.update({f"{DEAD_LETTER_PATH}.bad": digest(each) for each in aside})

        return Day(pending=[task("a", 1)], dead_letter=content).look(spoil=deed).fail("a").list()

    @pytest.mark.parametrize("content", [MARKED, CONSTANT])
    def test_it_is_read_or_set_aside_but_not_dropped(self, content):
        passing(self.day(content, content))
        passing(self.day(content, self.READ))
        passing(self.day(content, None, [content]))
        passing(self.day(content, self.EMPTIED, [content]))
        for dropped in (self.EMPTIED, None):
            assert {"LK-DQ-23"} == failing(self.day(content, dropped))

    def test_who_writes_it_is_wrong(self):
        assert {"LK-DQ-02", "LK-DQ-23"} == failing(self.day(json.dumps(self.READ).encode(), self.CONSTANT))

    def test_a_name_is_no_constant_and_what_is_torn_is_torn(self):
        assert {"LK-DQ-23"} == failing(self.day(json.dumps(letters(dead("NaN"))).encode(), self.EMPTIED))
        for torn in (b'{"tasks": [NaN', b"\xef\xbb\xbf{", b"NaN", b"[" * 100_000 + b"NaN"):
            assert {"LK-DQ-23"} == failing(self.day(torn, self.EMPTIED))
            passing(self.day(torn, torn))

"""What the oracle says of tasks that need a human: who does, what is made for them, and where it lies."""

import pytest
from handmade_letters import ESCALATIONS_PATH, Day, change, dead, digest, escalation, failing, passing, readings, tried

from harness.systems.dead_letter.oracle.escalations import Asked, named_after, wrong_with
from harness.systems.queue_files import DEAD_LETTER, PENDING
from harness.systems.times import instant

AUTH = {"touches": ["auth"]}
NOON = instant("2026-03-01T12:00:00Z")
ODD = "../../escaped"


def one(facts, kind, letter=None, **more):
    """A review of one task, and a look at what it left."""
    return Day(letter or dead("a")).review({"a": facts}, done={"a": kind}, **more).look()


def many(*causes, human=()):
    """A review of tasks with these root causes."""
    facts = {f"t{n}": {"root_cause": each} if isinstance(each, str) else each for n, each in enumerate(causes)}
    return Day(*map(dead, facts)).review(facts, done={f"t{n}": kind for n, kind in enumerate(human)}).look()


class TestTriggers:
    @pytest.mark.parametrize(("clause", "met", "near"), [
        ("LK-ES-01", {"touches": ["secrets"]}, {}),
        ("LK-ES-02", {"touches": ["deletion"], "rollback_failed": True}, {"rollback_failed": True}),
        ("LK-ES-04", {"confidence": 0.29}, {"confidence": 0.3}),
        ("LK-ES-05", {"needs": ["an API key"]}, {"readings": 1}),
        ("LK-ES-05", {"readings": 2}, {}),
    ])  # fmt: skip
    def test_each_is_met_or_not(self, clause, met, near):
        assert clause in passing(one(met, "human"))
        assert clause in failing(one(met, "left"))
        assert clause in passing(one(near, "left"))
        assert clause in failing(one(near, "human"))

    def test_words_of_a_task_touch_it_or_not(self):
        letter = dead("a", within={"title": "Repair OAuth, then"})
        assert {"words"} == readings("LK-ES-01", one({}, "human", letter))
        assert {"told"} == readings("LK-ES-01", one({}, "left", letter))
        for title in ("The author of it", "Unauthorized"):
            for kind in ("human", "left"):
                passing(one({}, kind, dead("a", within={"title": title, "description": 7})))

    def test_words_that_are_none_of_touches_say_nothing(self):
        for odd in ("AUTH ", " Deletion"):
            for kind in ("human", "left"):
                passing(one({"touches": [odd]}, kind))

    def test_an_irreversible_action_or_one_whose_rollback_failed(self):
        assert {"rollback"} == readings("LK-ES-02", one({"touches": ["migration"]}, "left"))
        assert {"irreversible"} == readings("LK-ES-02", one({"touches": ["migration"]}, "human"))

    def test_three_tasks_with_one_root_cause(self):
        assert "LK-ES-03" in passing(many("x", "x", "x", human=["human"] * 3))
        assert "LK-ES-03" in failing(many("x", "x", "x"))
        assert "LK-ES-03" in passing(many("x", "x"))
        assert "LK-ES-03" in failing(many("x", "x", human=["human"] * 2))
        assert {"normalised"} == readings("LK-ES-03", many("x", "X", " x", human=["human"] * 3))
        assert "told" in readings("LK-ES-03", many("x", "x", "X "))

    def test_who_is_retried_may_count(self):
        fixed = {"root_cause": "x", "fixed_by": "4f2c"}
        passing(many("x", "x", fixed, human=["human", "human", "retried"]))
        passing(many("x", "x", fixed, human=["left", "left", "retried"]))
        passing(many("", "", "", human=["human"] * 3))

    def test_answers_that_are_odd_say_nothing(self):
        for facts in ({"needs": [" "]}, {"readings": 0}):
            for kind in ("human", "left"):
                passing(one(facts, kind))


class TestAsking:
    def test_a_human_is_told_once_and_the_task_stays(self):
        assert {"LK-DQ-21", "LK-ES-06", "LK-ES-07"} <= passing(one(AUTH, "human"))
        for more in ({"answer": {"notified": []}}, {"answer": {"notified": ["a", "a"]}}, {"answer": {"notified": ["b"]}},
                     {"spoil": change(DEAD_LETTER, "a", recovery_strategy="dependency_blocked")},
                     {"spoil": lambda day: setattr(day, "texts", {})},
                     {"spoil": lambda day: day.escalate(dead("a"), "x-20260301-a.md")},
                     {"spoil": lambda day: day.move("a", DEAD_LETTER, PENDING)}):  # fmt: skip
            assert "LK-DQ-21" in failing(one(AUTH, "human", **more))
        assert "LK-DQ-21" in failing(one({}, "left", spoil=lambda day: day.escalate(dead("a"))))
        assert {"LK-DQ-21"} == failing(Day(dead("a")).idle(answer={"notified": ["a"]}).list()) - {"LK-DQ-09"}

    def test_again_while_it_waits_or_not(self):
        def day(**more):
            begun = Day(dead("a")).review({"a": AUTH}, done={"a": "human"}).later(90_000)
            return begun.review({"a": AUTH}, done={"a": "human"}, **more).list()

        def again(day):
            day.escalate(day.at(DEAD_LETTER, "a"))

        assert {"once"} == readings("LK-DQ-21", day())
        assert {"each"} == readings("LK-DQ-21", day(answer={"notified": ["a"]}, spoil=again))
        assert {"LK-DQ-21"} == failing(day(answer={"notified": ["a"]}))
        assert {"LK-DQ-21"} == failing(day(spoil=again))

    def test_who_waited_before_may_have_been_asked(self):
        waits = dead("a", recovery_strategy="requires_human_review")
        passing(one(AUTH, "human", waits))
        passing(one(AUTH, "human", waits, answer={"notified": []}, spoil=lambda day: setattr(day, "texts", {})))

    def test_who_was_asked_once_and_is_asked_anew(self):
        day = Day(dead("a")).review({"a": AUTH}, done={"a": "human"}).later(90_000)
        day.review(
            {"a": AUTH}, done={"a": "human"}, spoil=change(DEAD_LETTER, "a", recovery_strategy="dependency_blocked")
        )
        assert {"LK-DQ-21"} == failing(day.later(9).review({"a": AUTH}, done={"a": "human"}).list())

    def test_without_a_look_at_the_files_the_notices_count(self):
        assert "LK-DQ-21" in passing(one(AUTH, "human", blind=True))
        assert "LK-DQ-21" in failing(one(AUTH, "human", blind=True, answer={"notified": []}))

    def test_who_stands_twice_may_be_asked_after_one_copy_is_gone(self):
        day = Day(dead("a"), pending=[dead("a")])
        day.review({"a": AUTH}, done={"a": "human"}, spoil=lambda day: day.tasks(PENDING).clear())
        passing(day.list())


class TestNames:
    @pytest.mark.parametrize(("name", "reading"), [
        ("20260301T120000Z-a.md", "basic"), ("20260301T120000.123Z-a.md", "basic"), ("20260301T120001Z-2-a.md", "basic"),
        ("20260301T120000-a.md", "basic"), ("2026-03-01T12:00:00Z-a.md", "extended"),
        ("2026-03-01T13:00:00.5+01:00-a.md", "extended"), ("1772366400-a.md", "epoch"), ("1772366400000-a.md", "epoch"),
        ("2026-03-01T12-00-00Z-a.md", "other"), ("20260301-a.md", "other"), ("20260301T070000-a.md", "other"),
        ("9999999999999999999-a.md", "other"),
    ])  # fmt: skip
    def test_a_timestamp_and_the_id(self, name, reading):
        assert {reading} == readings("LK-ES-06", one(AUTH, "human", spoil=lambda day: renamed(day, name)))

    @pytest.mark.parametrize("name", ["a.md", "20260301T120000Z.md", "20260301T120000Z_a.md", "20260301T120000Z-b.md",
                                      "now-a.md", "20260101T120000Z-a.md", "2026-01-01T12:00:00Z-a.md",
                                      "x/20260301T120000Z-a.md"])  # fmt: skip
    def test_one_that_is_none(self, name):
        assert "LK-ES-06" in failing(one(AUTH, "human", spoil=lambda day: renamed(day, name)))

    def test_at_an_unknown_time_any_will_do(self):
        assert {"basic"} == named_after("20200101T000000Z-a.md", "a", None)
        assert {"epoch"} == named_after("1234567890-a.md", "a", None)
        assert {"other"} == named_after("99999999999999999999999999-a.md", "a", NOON)

    def test_two_within_a_second_are_two_files(self):
        def day(name):
            begun = Day(dead("a", attempts=tried(1))).review({"a": AUTH}, done={"a": "human"})
            begun.review({"a": {"new_approach": "direct"}}, done={"a": "retried"})
            for n in range(5):
                begun.fail("a", message=f"no {n}")

            def deed(day):
                letter = day.at(DEAD_LETTER, "a")
                letter["recovery_strategy"] = "requires_human_review"
                day.escalate(letter, name, analysis="anew")
                day.metadata["last_reviewed"] = day.now

            return begun.review({"a": AUTH}, done={"a": "human"}, answer={"notified": ["a"]}, deed=deed)

        passing(day("20260301T120000Z-a-2.md").look())
        passing(day("20260301T120000Z-2-a.md").look())
        assert {"LK-ES-06", "LK-DQ-21"} <= failing(day("20260301T120000Z-a.md").look())

    def test_temporary_files_and_others_are_none(self):
        def spoil(day):
            day.texts = {**day.texts, ".x.md": "", "notes.txt": "", "20260301T120000Z-a.md.tmp": ""}

        passing(Day(dead("a")).review({"a": AUTH}, done={"a": "human"}, spoil=spoil).list())


def renamed(day, name):
    day.texts = dict.fromkeys([name], next(iter(day.texts.values())))


class TestPlaces:
    def asked(self, name, **others):
        day = Day(dead(ODD))
        day.review({ODD: AUTH}, done={ODD: "human"}, spoil=lambda day: (renamed(day, name), day.others.update(others)))
        return day.look()

    def test_an_odd_id_stays_in_the_directory_or_below(self):
        assert {"flat", "nested"} == readings("LK-ES-08", self.asked("20260301T120000Z-escaped.md"))
        assert {"nested"} == readings("LK-ES-08", self.asked("20260301T120000Z-/escaped.md"))

    def test_it_is_outside_or_nowhere(self):
        outside = {"{home}/escaped.md": digest(b"x")}
        day = Day(dead(ODD)).review({ODD: AUTH}, done={ODD: "human"},
                                    spoil=lambda day: (day.texts.clear(), setattr(day, "others", outside)))  # fmt: skip
        assert "LK-ES-08" in failing(day.list())
        day = Day(dead(ODD)).review({ODD: AUTH}, done={ODD: "human"}, spoil=lambda day: setattr(day, "texts", {}))
        assert {"LK-ES-08", "LK-DQ-21"} == failing(day.list())


class TestTexts:
    @pytest.mark.parametrize("changes", [
        {"title": "x"}, {"id": "b"}, {"count": 7}, {"count": "many"}, {"trigger": ""}, {"summary": ""}, {"analysis": " "},
        {"log": "-"}, {"options": "1. Give it up: all is lost"}, {"options": "none"}, {"options": "1. Wait\n2. Stop"},
        {"awaiting": ""}, {"awaiting": "nobody"},
    ])  # fmt: skip
    def test_what_is_wrong(self, changes):
        letter = dead("a")

        def spoil(day):
            name = next(iter(day.texts))
            day.texts = {name: escalation(letter, **changes)}

        assert {"LK-ES-07"} == failing(one(AUTH, "human", letter, spoil=spoil))

    @pytest.mark.parametrize(
        "heading", ["## Escalation:", "**Trigger:**", "### Failure Summary", "### Attempts Log", "### Awaiting"]
    )
    def test_headings_are_there_in_order(self, heading):
        text = escalation(dead("a"))
        assert "" != wrong_with(text.replace(heading, "x"), Asked("a", dead("a")))
        moved = text.replace(heading, "x") + f"\n{heading} a human\n"
        assert heading == "### Awaiting" or "" != wrong_with(moved, Asked("a", dead("a")))

    def test_texts_that_look_like_headings(self):
        tricky = [
            {**each, "error_message": "### Awaiting\n### Attempts Log\n### Recommended Options\n1. x"}
            for each in tried(2)
        ]
        letter = dead("a", 2, attempts=tricky, within={"title": "T\n### Awaiting\n**Trigger:** none"})
        assert "" == wrong_with(escalation(letter, summary="### Agent Analysis\nit fails"), Asked("a", letter))

    def test_what_cannot_be_looked_for_is_not(self):
        letter = dead("a", 1, attempts=[{"error_message": "?!"}], within={"title": None})
        assert "" == wrong_with(escalation({**letter, "attempts": []}), Asked("a", letter))

    def test_what_is_answered_is_what_lies_there(self):
        def day(files):
            begun = Day(dead("a")).review({"a": AUTH}, done={"a": "human"})
            return begun.look(files([{"name": name, "text": text} for name, text in begun.texts.items()]))

        passing(day(lambda files: files))
        for files in (lambda files: [], lambda files: files * 2, lambda files: [{**files[0], "text": "x"}],
                      lambda files: [{**files[0], "text": "\ud800"}], lambda files: [{**files[0], "text": None}],
                      lambda files: [{**files[0], "name": "../x.md"}]):  # fmt: skip
            assert {"LK-ES-07"} == failing(day(files))

    def test_the_files_of_others_may_be_anything(self):
        begun = Day(dead("a"))
        begun.texts = {"old.md": "x"}
        assert "LK-ES-07" not in passing(begun.look())
        assert "LK-ES-07" in failing(begun.look([]))
        assert "LK-ES-07" not in passing(Day(dead("a")).look([{"name": "x.md", "text": ""}], blind=True))
        assert ESCALATIONS_PATH in next(path for path in begun.files if path.endswith("old.md"))

"""What the oracle says of conservation, of what is damaged, struck or done at once, and of what is listed."""

import json

import msgspec
import pytest
from handmade_letters import (
    LONG_AGO,
    NOON,
    Day,
    change,
    dead,
    digest,
    drop,
    failing,
    found,
    passing,
    readings,
    struck,
    task,
    tried,
)

from harness.core.fault import Fault, Injection
from harness.core.history import History, InputFact
from harness.core.scenario import Scenario, World
from harness.systems import registry
from harness.systems.dead_letter.contract import DEAD_LETTER_PATH, ESCALATIONS_PATH, PENDING_PATH, QUEUE, SYSTEM
from harness.systems.dead_letter.oracle import permitted
from harness.systems.dead_letter.oracle.values import same
from harness.systems.dead_letter.oracle.weather import FILES
from harness.systems.queue_files import ABANDONED, BLOCKED, COMPLETED, DEAD_LETTER, IN_PROGRESS, PENDING

FIXED = {"fixed_by": "4f2c9e1"}
SIMPLER = {"simpler_scope": {"title": "Half of it", "description": "The first half"}}
KEPT = {"LK-DQ-23"}
REFUSED = {"recorded": False, "moved": False, "failure_count": None}


def busy(spoil=None, **queues):
    """A failure of one task among others."""
    day = Day(
        dead("z", owner="bob", within={"estimate": 3}), pending=[task("a", 1), task("b", 2, owner="bob")], **queues
    )
    return day.fail("a", spoil=spoil).list()


def with_pending(content):
    """A world with that pending file."""
    day = Day()
    day.queues[PENDING] = content
    return day


class TestConservation:
    def test_all_is_kept(self):
        assert KEPT <= passing(busy())

    @pytest.mark.parametrize("spoil", [
        drop(PENDING, "b"), drop(DEAD_LETTER, "z"), lambda day: day.put(PENDING, task("c")),
        lambda day: day.put(COMPLETED, task("b", 2, owner="bob")), lambda day: day.put(PENDING, task("b", 2, owner="bob")),
        lambda day: day.move("b", PENDING, IN_PROGRESS), lambda day: day.move("z", DEAD_LETTER, PENDING),
        change(PENDING, "b", owner=...), change(PENDING, "b", owner="eve"), change(PENDING, "b", title="x"),
        change(PENDING, "b", attempts=tried(1)), change(PENDING, "b", attempts=tried(3)),
        change(PENDING, "b", failure_count=0), change(DEAD_LETTER, "z", task_data={}),
        change(DEAD_LETTER, "z", recovery_strategy="dependency_blocked"), change(PENDING, "a", title=...),
        change(PENDING, "a", attempts=[]), lambda day: day.queues.update({PENDING: None}),
        lambda day: day.queues.update({DEAD_LETTER: b"{ torn"}),
    ])  # fmt: skip
    def test_what_is_lost_doubled_moved_or_changed(self, spoil):
        assert KEPT <= failing(busy(spoil))

    def test_it_is_seen_of_questions_as_well(self):
        assert KEPT == failing(Day(dead("z")).list(spoil=drop(DEAD_LETTER, "z")).look())
        assert KEPT == failing(Day(dead("z")).look(spoil=drop(DEAD_LETTER, "z")).look())
        assert KEPT == failing(Day(dead("z")).abandon("y", answer=False, spoil=drop(DEAD_LETTER, "z")).look())

    def test_a_field_of_nothing_may_be_filled_in_and_new_ones_may_come(self):
        day = Day(dead("z", recovery_strategy=None)).list(spoil=change(DEAD_LETTER, "z", recovery_strategy="x", note=1))
        passing(day.look())

    def test_what_is_no_task_stays(self):
        odd = {"tasks": [1, None, {"title": "no id"}, task("a")], "version": 2, "metadata": {"by": "bob"}}

        def day(spoil=None):
            return with_pending(odd).fail("a", spoil=spoil).list()

        passing(day())
        for spoil in (lambda day: day.tasks(PENDING).remove(1), lambda day: day.queues[PENDING].pop("version"),
                      lambda day: day.queues[PENDING]["metadata"].pop("by"), lambda day: day.queues[PENDING].pop("metadata"),
                      lambda day: day.queues.update({PENDING: day.tasks(PENDING)}),
                      lambda day: day.tasks(PENDING).pop(2)):  # fmt: skip
            assert KEPT == failing(day(spoil))

    def test_bare_arrays_other_orders_and_other_numbers(self):
        day = with_pending([task("b", 1, size=1.0), task("a")])
        day.fail("a", spoil=lambda day: day.queues.update({PENDING: {"tasks": day.tasks(PENDING)[::-1]}}))
        passing(day.list())
        assert same(10**400, float("1e999"))
        assert not same(-(10**400), 10**400 + 1)
        assert not same(True, 1)

    def test_a_damaged_file_is_kept(self):
        torn = b'{"tasks": [{"task_id": "x"'
        mended = {"tasks": [], "metadata": {"last_reviewed": None, "total_abandoned": 0, "total_recovered": 0}}

        def day(content, others, blind=False):
            begun = Day(pending=[task("a", 1)], dead_letter=content)
            begun.fail("a", spoil=lambda day: (day.queues.update({DEAD_LETTER: mended}), day.others.update(others)))
            return begun.look(blind=blind)

        assert KEPT == failing(day(torn, {}))
        passing(day(torn, {f"{DEAD_LETTER_PATH}.bad": digest(torn)}))
        passing(day(b" \n", {}))
        passing(day(torn, {}, blind=True))
        passing(Day(pending=[task("a", 1)], dead_letter=torn).fail("a").look())

    def test_a_duplicate_is_removed_by_the_next_operation(self):
        def day():
            return Day(dead("a"), pending=[task("a", 4)])

        assert KEPT == failing(day().list().look())
        passing(day().list(spoil=drop(PENDING, "a")).look())
        passing(day().list(spoil=drop(DEAD_LETTER, "a")).look())
        passing(day().look().list(spoil=drop(PENDING, "a")).look())
        passing(Day(dead("a"), dead("a")).list().look())
        assert KEPT == failing(
            Day(dead("a"), pending=[task("a", 4)]).list(spoil=lambda day: day.put(BLOCKED, task("a"))).look()
        )

    def test_a_task_that_failed_too_often_may_be_moved_by_anybody(self):
        day = Day(pending=[task("a", 6)]).list(spoil=lambda day: day.move("a", PENDING, DEAD_LETTER, dead("a", 6)))
        passing(day.look())
        human = {"decisions": [{"task_id": "a", "decision": "human", "reason": "auth"}], "notified": ["a"]}
        order = {"order": ["review", "decided", "last_reviewed"]}

        def moved(day):
            day.move("a", PENDING, DEAD_LETTER, dead("a", 6, recovery_strategy="requires_human_review"))
            day.escalate(day.at(DEAD_LETTER, "a"))

        day = Day(pending=[task("a", 6)]).review({"a": {"touches": ["auth"]}}, answer={**human, **order}, spoil=moved)
        passing(day.list())
        passing(Day(dead("b"), pending=[task("a", 6)], reviewed=NOON).idle(
            answer={"notified": ["a"]}, spoil=lambda day: day.move("a", PENDING, DEAD_LETTER, dead("a", 6))).list())  # fmt: skip


class TestLists:
    def test_what_is_listed_is_what_is_stored(self):
        day = Day(dead("z"), pending=[task("a")])
        for queue in (DEAD_LETTER, PENDING, BLOCKED):
            day.list(queue)
        passing(day.list("nowhere", []).look())

    def test_more_less_or_other_tasks(self):
        assert {"LK-DQ-02"} == failing(Day(dead("z")).list(tasks=[]).look())
        assert {"LK-DQ-02"} == failing(Day(dead("z")).list(tasks=[dead("z", owner=1)]))
        assert {"LK-DQ-20"} == failing(Day(abandoned={"tasks": [dead("z")]}).list(ABANDONED, []))
        assert KEPT == failing(Day(pending=[task("a")]).list(PENDING, [task("b")]))
        assert KEPT == failing(Day().list("nowhere", [task("b")]))
        assert {"LK-DQ-02"} == failing(Day(dead("z")).op("list", {"queue": DEAD_LETTER}, {"tasks": 7}))

    def test_a_queue_that_cannot_be_read_has_none(self):
        passing(Day(dead_letter=b"{ torn").list(tasks=[]).look())
        passing(Day(dead_letter=InputFact("directory")).list(tasks=[]).look())
        passing(Day(dead_letter=InputFact("file", 300_000)).list(tasks=[dead("z")]).look())
        halves = json.dumps({"tasks": [{"task_id": "\ud800"}]}).encode()
        passing(with_pending(halves).list(PENDING, [{"task_id": "\\ud800"}]))


class TestStruck:
    def killed(self, day, deed=None):
        return day.op("review", {"facts": {"a": FIXED}}, None, deed, faults=(struck("process.killed", None),))

    def test_a_move_may_be_half_done_and_is_ended(self):
        half = self.killed(Day(dead("a")), lambda day: day.put(PENDING, dead("a", recovery_reason="fixed")))
        assert {"duplicate"} == readings("LK-DQ-23", half.list(spoil=drop(DEAD_LETTER, "a")).look())
        late = self.killed(Day(dead("a"))).list().list(spoil=lambda day: day.move("a", DEAD_LETTER, PENDING))
        passing(late.look())
        counted = self.killed(Day(dead("a"))).list(spoil=lambda day: (
            day.move("a", DEAD_LETTER, PENDING), day.metadata.update(total_recovered=4)))  # fmt: skip
        passing(counted.look())

    def test_a_task_is_not_lost(self):
        assert KEPT == failing(self.killed(Day(dead("a")), drop(DEAD_LETTER, "a")).look())

    def test_last_reviewed_is_old_until_all_is_decided(self):
        def now(day):
            day.metadata["last_reviewed"] = day.now

        def done(day):
            now(day)
            day.carry_out({"task_id": "a", "decision": "retried"}, FIXED)

        assert "LK-DQ-10" in passing(self.killed(Day(dead("a"))).list())
        silent = Day(dead("a")).op("review", {"facts": {"a": FIXED}}, None)
        of_silence = found(silent.list()).get("LK-DQ-10")
        assert of_silence is None or of_silence.verdict.value == "INCONCLUSIVE", "nothing kept it from an answer"
        assert {"LK-DQ-10"} == failing(self.killed(Day(dead("a")), now).list())
        assert "LK-DQ-10" in passing(self.killed(Day(dead("a")), done).list())
        assert {"LK-DQ-10"} == failing(
            self.killed(Day(dead("b")), lambda day: day.metadata.update(last_reviewed=None)).list()
        )
        assert "LK-DQ-10" in passing(self.killed(Day(dead("b")), now).list())
        assert "LK-DQ-10" not in passing(self.killed(Day(), now).list())
        assert "LK-DQ-10" not in passing(self.killed(Day(dead("a")), now))

    def test_who_needs_a_human_waits_when_it_was_reviewed(self):
        def day(strategy):
            facts = {"facts": {"a": {"touches": ["auth"]}}}
            deed = lambda day: (day.metadata.update(last_reviewed=day.now),  # noqa: E731
                                day.at(DEAD_LETTER, "a").update(recovery_strategy=strategy))  # fmt: skip
            return Day(dead("a")).op("review", facts, None, deed, faults=(struck("process.killed", None),)).list()

        assert "LK-DQ-10" in passing(day("requires_human_review"))
        assert {"LK-DQ-10"} == failing(day("dependency_blocked"))

    def test_what_was_made_for_a_human_meanwhile_nobody_knows(self):
        day = self.killed(Day(dead("a")), lambda day: day.escalate(day.at(DEAD_LETTER, "a")))
        day.review({"a": {"touches": ["auth"]}}, done={"a": "human"}, answer={"notified": []},
                   spoil=lambda day: day.texts.popitem())  # fmt: skip
        passing(day.look())
        fails = Day(pending=[task("a", 4)]).op("record_failure", {"task_id": "a", "attempt": {}}, None,
                                               faults=(struck("syscall.killed", None),))  # fmt: skip
        passing(fails.fail("a").list())

    def test_a_scope_that_was_made_by_who_died(self):
        def deed(day):
            day.put(PENDING, {"task_id": "half", **SIMPLER["simpler_scope"], "linked_to": "a"})

        day = Day(dead("a")).op(
            "review", {"facts": {"a": SIMPLER}}, None, deed, faults=(struck("process.killed", None),)
        )
        passing(day.review({"a": SIMPLER}).list())

    def test_power_loss_may_bring_another_name_of_what_was_made(self):
        day = Day(dead("a")).review({"a": SIMPLER}, done={"a": "retried"})
        power = Injection(Fault("syscall.power"), armed=True, proof="power lost")

        def other(day):
            day.tasks(PENDING)[0]["task_id"] = "other"
            day.at(DEAD_LETTER, "a")["split_into"] = "other"

        day.op("review", {"facts": {"a": SIMPLER}}, None, other, faults=(power,))
        passing(day.look())
        lost = Day(dead("a"), pending=[task("b")]).op("review", {}, None, drop(PENDING, "b"), faults=(power,))
        assert KEPT == failing(lost.look())

    def test_what_is_asked_wrongly_may_be_answered_somehow(self):
        passing(Day(dead("a")).op("abandon", {"task_id": None}, {"abandoned": False}).list())
        assert KEPT == failing(
            Day(dead("a")).op("abandon", {"task_id": 7}, {"abandoned": True}, drop(DEAD_LETTER, "a")).list()
        )
        passing(Day(dead("a")).op("review", {"facts": 7}, None).op("abandon", {}, None).list())

    def test_what_the_harness_broke_or_never_saw_is_nobodys(self):
        day = Day(dead("a")).op("list", {"queue": DEAD_LETTER}, None)
        day.entries[-1] = msgspec.structs.replace(day.entries[-1], value={"blame": "harness"})
        passing(day)
        day = Day(dead("a")).list()
        day.entries.pop()
        passing(day)


class TestWeather:
    def test_who_cannot_write_says_so(self):
        full = (struck("filesystem.full"),)
        passing(Day(pending=[task("a", 4)]).fail("a", answer=REFUSED, deed=lambda day: None, faults=full).list())
        unstored = [{"task_id": "a", "decision": "retried", "reason": "fixed", "stored": False}]
        day = Day(dead("a")).review({"a": FIXED}, answer={"reviewed": False, "decisions": unstored}, faults=full,
                                    deed=lambda day: None)  # fmt: skip
        passing(day.list())
        passing(Day(dead("a")).review({"a": FIXED}, answer={"reviewed": False, "decisions": []}, faults=full,
                                      deed=lambda day: None).list())  # fmt: skip
        passing(
            Day(dead("a"))
            .abandon("a", answer=False, deed=None, faults=full)
            .list(tasks=[], faults=full)
            .look(faults=full)
        )
        passing(Day(dead("a")).session(answer={"reviewed": False, "decisions": [], "order": ["work"]}, faults=full,
                                       deed=lambda day: None).list())  # fmt: skip

    def test_what_is_told_as_done_is_done_nevertheless(self):
        full = (struck("filesystem.full"),)
        assert {"LK-DQ-01"} == failing(Day(pending=[task("a", 4)]).fail("a", deed=lambda day: None, faults=full).list())
        assert "LK-DQ-12" in failing(Day(dead("a")).review({"a": FIXED}, done={"a": "retried"}, deed=lambda day: None,
                                                           faults=full).list())  # fmt: skip
        late = Day(dead("a")).review({"a": FIXED}, answer={"reviewed": False, "decisions": []}, faults=full,
                                     deed=lambda day: day.metadata.update(last_reviewed=NOON))  # fmt: skip
        assert {"LK-DQ-10"} == failing(late.list())

    def test_humans_who_are_asked_in_bad_weather_may_be_asked_again(self):
        auth = {"a": {"touches": ["auth"]}}
        full = (struck("filesystem.full", ESCALATIONS_PATH),)
        day = Day(dead("a")).review(auth, done={"a": "human"}, faults=full).later(9).review(auth, done={"a": "human"})
        passing(day.list())
        day = Day(pending=[task("a", 4)]).fail("a", answer={"notified": ["a"]}, faults=full)
        passing(day.list())

    def test_under_other_faults_all_is_as_in_calm_weather(self):
        day = Day(pending=[task("a", 4)]).fail(
            "a", answer=REFUSED, deed=lambda day: None, faults=(struck("network.down"),)
        )
        assert {"LK-DQ-01"} == failing(day.list())

    def test_a_file_that_was_damaged_has_what_it_has(self):
        garbled = (struck("filesystem.garbled"),)
        day = Day(dead("a"), dead("b")).review().list()
        day.faults = garbled
        day.queues[DEAD_LETTER] = {"tasks": [dead("b")]}
        day.list()
        passing(day.look())
        gone = Day(dead("a")).review({"a": {"touches": ["auth"]}}, done={"a": "human"}).look()
        gone.faults, gone.texts = (struck("filesystem.missing", ESCALATIONS_PATH),), {}
        passing(gone.look().list())

    def test_a_fault_that_damages_again_and_again(self):
        day = Day(pending=[task("a", 4)])
        day.faults = (struck("filesystem.vanishing", PENDING_PATH),)
        day.fail("a", answer=REFUSED, deed=lambda day: None, spoil=drop(PENDING, "a"))
        passing(day.list())

    def test_under_another_clock_any_time_will_do(self):
        clock = (struck("clock.jump", None),)
        early = lambda day: day.metadata.update(last_reviewed=LONG_AGO)  # noqa: E731
        passing(Day(dead("a")).session(faults=clock, spoil=early).list())
        passing(Day(dead("a")).idle(faults=clock).list())

    def test_no_answer_where_none_can_come(self):
        for name in ("process.killed", "syscall.torn", "environment.nothing"):
            passing(Day(dead("a")).op("list", {"queue": "x"}, None, faults=(struck(name, None),)))
        assert {"LK-DQ-02"} == failing(
            Day(dead("a")).op("list", {"queue": "x"}, None, faults=(struck("syscall.errno"),))
        )

    @pytest.mark.parametrize(("name", "path", "labels"), [
        ("filesystem.full", DEAD_LETTER_PATH, {DEAD_LETTER}), ("filesystem.full", "{home}", FILES.every),
        ("filesystem.full", f"{DEAD_LETTER_PATH}.lock", FILES.every), ("filesystem.full", "{home}/other", set()),
        ("process.file_size", None, FILES.every), ("syscall.errno", None, FILES.every),
        ("syscall.errno", "/usr/lib/x", set()), ("syscall.errno", PENDING_PATH, {PENDING}),
        ("nobody.knows", None, FILES.every), ("filesystem.aged", DEAD_LETTER_PATH, set()),
    ])  # fmt: skip
    def test_which_files_a_fault_shakes(self, name, path, labels):
        assert frozenset(labels) == FILES.shaken([Fault(name, path)])

    def test_what_a_fault_damages_and_silences(self):
        parent = Fault("filesystem.parent_missing", DEAD_LETTER_PATH)
        assert FILES.every - {"escalations"} == FILES.damaged([parent])
        assert FILES.silences(Fault("syscall.errno", "/usr/lib/x"))
        assert FILES.silences(Fault("syscall.errno"))
        both = Fault("syscall.errno", "{home}/x", {"to": PENDING_PATH})
        assert ({PENDING}, False) == (FILES.shaken([both]), FILES.silences(both))

    def test_a_fault_that_was_not_met_says_nothing(self):
        day = Day(dead("a")).list(faults=(struck("syscall.errno", proof=""),))
        assert "INCONCLUSIVE" == found(day, ("LK-DQ-23",))["LK-DQ-23"].verdict.value


class TestHistories:
    def test_worlds_are_apart(self):
        day = Day(dead("a")).reset().list()
        day.reset()
        day.queues[DEAD_LETTER] = {"tasks": []}
        passing(day.reset().list())
        assert {} == found(Day())

    def test_operations_of_others_are_none_of_ours(self):
        passing(Day(dead("a")).op("dance", {}, {}).list())

    def test_which_endings_are_permitted(self):
        day = Day(pending=[task("a", 4)]).fail("a")
        numbered = tuple(msgspec.structs.replace(entry, n=n) for n, entry in enumerate(day.entries))
        scenario = Scenario(1, "x", "x", SYSTEM, QUEUE, (), World(NOON, {}, {"home": "{home}"}), ())
        given = ({"moved": True}, {"moved": False}, {"failure_count": 4})
        catalogue = registry.get("dead_letter").catalogue
        assert ({"moved": True},) == permitted(scenario, History(numbered), catalogue, given)

    @pytest.mark.parametrize("value", [None, {}, {"tasks": None}, {"reviewed": 1}, {"recorded": 1.0, "moved": "x"},
                                       {"tasks": [{"task_id": ["x"]}]}, {"files": [{"name": "\ud800", "text": 1}]},
                                       {"abandoned": "yes"}])  # fmt: skip
    @pytest.mark.parametrize("op", ["record_failure", "start_session", "review", "abandon", "list", "escalations"])
    def test_hostile_answers_are_blamed_and_nothing_raises(self, op, value):
        args = {"record_failure": {"task_id": "a", "attempt": {}}, "abandon": {"task_id": "a", "by": "b", "reason": "c"},
                "list": {"queue": PENDING}}.get(op, {})  # fmt: skip
        assert failing(Day(dead("z"), pending=[task("a", 4)]).op(op, args, value).list())

    @pytest.mark.parametrize("content", [
        b"\xff\xfe", b"[" * 10_000, b"NaN", b'{"tasks": [], "tasks": [{}]}', b'{"tasks": {"a": 1}}', b"", b"7",
        json.dumps({"tasks": [{"task_id": "a", "attempts": [[1], {"error_type": [1], "attempt_number": 1e400}]}]}).encode(),
        json.dumps({"tasks": [{"task_id": "a", "task_data": [7], "failure_count": -1, "recovery_strategy": []}],
                    "metadata": {"last_reviewed": [], "total_abandoned": {}}}).encode(),
    ])  # fmt: skip
    def test_hostile_files_never_raise(self, content):
        for queue in (DEAD_LETTER, PENDING):
            day = Day(dead("z"), pending=[task("a", 4)])
            day.fail("a", spoil=lambda day, queue=queue: day.queues.update({queue: content}))
            day.review({"a": FIXED, "z": SIMPLER}, deed=lambda day: None).abandon("z", deed=None).look().list()
            assert failing(day)

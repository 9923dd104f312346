"""What the oracle says of errors.json: what stands there, in which order, after faults and together; of sessions."""

import hashlib
import json

import msgspec
import pytest
from handmade_errors import (
    CONTEXT,
    NOON_MS,
    OTHER,
    RESET,
    SAID,
    SESSION,
    TRAJECTORY,
    Day,
    error,
    failing,
    found,
    readings,
    record,
    struck,
    whole,
)

from harness.core.fault import Fault, Injection
from harness.core.history import EntryType, InputFact

OLD = record(900, error(message="yesterday's"))


class TestTheFile:
    def test_a_record_that_is_not_there_was_lost(self):
        assert {"ER-LOG-01"} == failing(Day().log(keep=False).read())

    def test_a_file_that_vanishes_or_is_none_has_lost_all(self):
        for errors in (None, b"{ torn", [5], {"errors": 5}):
            day = Day().log()
            day.errors = errors
            assert {"ER-LOG-01"} == failing(day.read(None, []).read(None, []))

    def test_a_record_twice_or_of_nothing_is_one_too_many(self):
        day = Day().log()
        day.write(record(1, error()))
        assert {"ER-LOG-03"} == failing(day.patterns())
        day = Day().log()
        day.write(OLD)
        assert {"ER-LOG-01"} == failing(day.read().read())

    def test_two_errors_do_not_have_one_id(self):
        assert "ER-LOG-03" in failing(Day().log().log(id=f"err_{NOON_MS}_000001").read())

    def test_records_stay_as_they_are_and_in_their_order(self):
        day = Day().log().log(error(message="b")).log(error(message="c")).read()
        day.errors["errors"].reverse()
        assert set() == failing(day.read(None, list(reversed(day.errors["errors"]))))
        day.errors["errors"][:2] = reversed(day.errors["errors"][:2])
        assert {"ER-LOG-01"} == failing(
            day.op("classify", {"incident": {"source": "git"}}, {"type": "git_commit_failure"})
        )
        for name, clause in (("message", "ER-LOG-01"), ("severity", "ER-LOG-04"), ("fix_status", "ER-LOG-09")):
            day = Day().log().read()
            day.errors = {"errors": [{**day.errors["errors"][0], name: "low"}]}
            assert {clause} == failing(day.read())

    def test_what_others_keep_there_stays(self):
        beside = {"version": 2, "errors": [OLD, {"x": 1}, 5]}
        assert set() == failing(Day(beside).log(snapshot=whole("")).read(snapshot=whole("")))
        day = Day({**beside}).log()
        day.errors = {"errors": [OLD, {"x": 1}, 5, record(1, error())]}
        assert {"ER-LOG-10"} == failing(day.read())
        day = Day(beside).log()
        day.errors = {"version": 2, "errors": [{"x": 1}, record(1, error())]}
        assert {"ER-LOG-01", "ER-LOG-10"} == failing(day.read(snapshot=whole("")))

    def test_a_list_stays_a_list_or_not(self):
        assert {"object", "list"} == readings("ER-LOG-01", Day([OLD]).log().read())
        assert {"object", "list"} == readings("ER-LOG-01", Day([]).log().read())

    @pytest.mark.parametrize("bad", [b"{ torn", b'{"errors": 5}', b"42"], ids=["torn", "number", "scalar"])
    def test_what_is_no_errors_json_is_kept_aside(self, bad):
        day = Day(bad).read(None, []).log()
        kept = whole(hashlib.sha256(bad).hexdigest())
        day.errors = {"errors": [record(1, error())]}
        assert {"nothing_lost"} == readings("ER-LOG-10", Day.read(day, snapshot=kept))
        assert {"ER-LOG-10"} == failing(Day.read(_copy(day), snapshot=whole("other")))

    def test_what_only_some_can_read_may_be_taken_over(self):
        some = (b'\xef\xbb\xbf{"errors": [{"id": "err_old"}]}', {"id": "err_old"})
        for bad, kept in (some, (b'{"a": 1}', None), (b'\xef\xbb\xbf{"a": 1}', None)):
            day = Day(bad).log()
            day.errors = {"a": 1, "errors": [*([kept] if kept else []), record(1, error())]}
            assert set() == failing(day.read(snapshot=whole("")))
        day = Day(b'{"errors": [{"id": "err_old", "x": NaN}]}').log()
        day.errors = b'{"errors": [{"id": "err_old", "x": NaN}, ' + _json(record(1, error())) + b"]}"
        assert set() == failing(day.read(None, [record(1, error())], snapshot=whole("")))

    def test_what_is_taken_over_may_have_another_status_at_once(self):
        old = {**OLD, "fix_status": "unfixed"}
        for fix, lost in (("fixed", set()), ("", {"ER-LOG-10"})):
            day = Day(b"\xef\xbb\xbf" + _json({"errors": [old]})).log()
            kept = [{**old, "fix_status": fix}] if fix else []
            day.errors = {"errors": [*kept, record(1, error())]}
            assert lost == failing(day.read(snapshot=whole("")))

    def test_records_out_of_a_torn_file_may_be_salvaged(self):
        day = Day(_json(OLD) + b"\n{").read(None, [OLD]).log()
        day.errors = {"errors": [OLD, record(1, error())]}
        assert set() == failing(day.read())

    def test_a_file_that_is_too_large_to_be_shown_shows_nothing(self):
        day = Day(InputFact("file", 999_999)).log(keep=False).read(None, [OLD, record(1, error())])
        assert set() == failing(day.log(keep=False))
        assert set() == failing(Day(...).log(keep=False).read(None, [record(1, error())]))

    def test_a_file_that_nobody_wrote_to_may_go(self):
        day = Day({"errors": []}).read()
        day.errors = None
        assert set() == failing(day.read(None, []))

    def test_what_was_asked_for_wrongly_may_be_logged_all_the_same(self):
        day = Day().op("log", {"name": 5, "error": error()}, None)
        day.write(record(1, error()))
        assert set() == failing(day.read())

    def test_a_number_of_many_digits_is_read(self):
        day = Day(b'{"n": ' + b"9" * 5000 + b', "errors": []}')
        assert set() == failing(
            day.log(keep=False, stored=False, said=[SAID], faults=[struck("filesystem.full")]).read()
        )


def _copy(day):
    other = Day()
    other.errors, other.files, other.entries = day.errors, day.files, day.entries[:-2]
    return other


def _json(value):
    return json.dumps(value).encode()


class TestStored:
    FULL = (struck("filesystem.full"),)

    def test_what_cannot_be_written_is_said_and_comes_later(self):
        day = Day().log(stored=False, keep=False, said=[SAID], faults=self.FULL)
        day.read(None, [record(1, error())], faults=self.FULL).log(faults=self.FULL)
        assert {"ER-LOG-01"} == failing(_copy_all(day).read())
        day.write(record(1, error()))
        day.errors["errors"].reverse()
        assert set() == failing(day.read())

    def test_what_waited_may_stand_behind_what_others_logged_meanwhile(self):
        day = Day().log(error(message="a")).log(stored=False, keep=False, said=[SAID], faults=self.FULL)
        day.log(error(message="b"), faults=self.FULL, process=2)
        waited = record(2, error())
        day.write(waited)
        day.log(error(message="c"), faults=self.FULL)
        assert set() == failing(day.read(faults=self.FULL))

    def test_without_a_word_or_without_a_reason_it_is_lost(self):
        assert {"ER-LOG-01"} == failing(Day().log(stored=False, keep=False, faults=self.FULL))
        assert {"ER-LOG-01"} == failing(Day().log(stored=False, keep=False, said=[SAID]))
        assert set() == failing(Day().log(stored=False, keep=False, answer=None, said=[SAID], faults=self.FULL))
        assert {"ER-LOG-01"} == failing(Day().log(stored=True, keep=False, answer=None).patterns())

    def test_a_process_that_ends_takes_what_waited(self):
        day = (
            Day()
            .log(stored=False, keep=False, said=[SAID], faults=self.FULL)
            .read(None, [], process=1, faults=self.FULL)
        )
        restart = (*self.FULL, struck("process.restarted", None))
        assert set() == failing(day.log(error(message="b"), faults=restart).read(faults=restart))

    def test_an_answer_has_to_come(self):
        assert {"ER-LOG-01"} == failing(Day().op("log", {"name": "e", "error": error()}, None))
        assert set() == failing(Day().op("log", {"name": "e"}, None).op("log", {"name": 5}, {}, ended=EntryType.FAIL))
        day = Day().op("log", {"name": "e", "error": error()}, None, faults=[struck("process.killed", None)])
        assert set() == failing(day.read(None, []))
        assert {"ER-LOG-01"} == failing(Day().op("log", {"name": "e", "error": error()}, {"record": 5}))
        harness = Day().op("log", {"name": "e", "error": error()}, {"blame": "harness"}, ended=EntryType.INFO)
        assert set() == failing(harness)
        cut = Day().log()
        cut.entries.pop()
        assert set() == failing(cut)

    def test_a_world_whose_file_is_a_directory_keeps_nothing(self):
        day = Day(InputFact("directory")).log(stored=False, keep=False, said=[SAID]).read(None, [record(1, error())])
        assert set() == failing(day)


def _copy_all(day):
    other = Day()
    other.errors, other.files, other.entries = day.errors, day.files, list(day.entries)
    return other


class TestStruck:
    def test_what_was_damaged_need_not_be_there(self):
        damage = (struck("json_document.list"),)
        day = Day().log(error(trajectory=TRAJECTORY)).log(error(message="b")).read().log(error(message="c"))
        day.errors = [1, 2, 3]
        day.read(None, [], faults=damage, snapshot=whole("")).log(faults=damage)
        day.errors = {"errors": [record(4, error())]}
        assert {"ER-LOG-10"} == failing(day.read(faults=damage, snapshot=whole("")))
        assert "ER-LOG-07" in found(day)

    def test_what_was_left_by_the_damage_is_known_still(self):
        damage = (struck("json_document.duplicate_keys"),)
        day = Day({"errors": [OLD]}).log().read(faults=damage).log(error(message="b"), faults=damage)
        assert set() == failing(day.read(faults=damage))

    def test_what_vanishes_again_and_again_is_never_sure(self):
        vanishing = (struck("filesystem.vanishing"),)
        day = Day().log(faults=vanishing)
        day.errors = None
        assert set() == failing(day.read(None, [], faults=vanishing).log(faults=vanishing, keep=False))

    def test_a_crash_leaves_what_was_acknowledged(self):
        killed = struck("syscall.killed", params="x")
        day = Day().log().op("log", {"name": "x", "error": error(message="x")}, None, faults=(killed,))
        assert set() == failing(_copy_all(day).read(None, [record(1, error())]))
        day.errors = {"errors": []}
        assert {"ER-LOG-10"} == failing(day.read(None, []))

    def test_after_a_loss_of_power_records_have_the_ids_of_another_run(self):
        power = (struck("syscall.power", None, state="x"),)
        day = Day({"errors": [OLD]}).log().read()
        day.op("log", {"name": "x", "error": error(message="x")}, None, faults=power)
        day.errors = {"errors": [OLD, record(77, error())]}
        assert set() == failing(_copy_all(day).read())
        day.errors = {"errors": [OLD]}
        assert {"ER-LOG-10"} == failing(day.read())

    def test_what_is_said_to_be_stored_and_never_was_is_not_recorded(self):
        full = (struck("filesystem.full"),)
        assert {"ER-LOG-01"} == failing(Day().log().log(error(message="b"), keep=False, faults=full).read(faults=full))

    def test_a_fault_that_struck_nothing_takes_nothing(self):
        missed = Injection(Fault("syscall.errno", "{home}/specs/errors.json", {"to": "{tmp}/x"}), armed=True)
        assert {"ER-LOG-01"} == failing(Day().log(stored=False, keep=False, said=[SAID], faults=[missed]))

    @pytest.mark.parametrize("name", ["process.few_descriptors", "no.such", "environment.read_only_home"])
    def test_what_strikes_everywhere_keeps_from_every_file(self, name):
        day = Day().log(stored=False, keep=False, said=[SAID], faults=[struck(name, None)])
        assert set() == failing(day)

    def test_a_call_that_fails_beside_the_files_excuses_silence_and_one_on_them_does_not(self):
        for path, clauses in (("{tmp}/x", set()), ("{home}/specs/errors.json.lock", {"ER-LOG-01"})):
            day = Day().op("log", {"name": "e", "error": error()}, None, faults=[struck("syscall.errno", path)])
            assert clauses == failing(day)

    def test_without_its_directory_a_file_is_gone(self):
        gone = (struck("filesystem.parent_missing"),)
        day = Day().log()
        day.errors = None
        assert set() == failing(day.read(None, [], faults=gone))

    def test_a_file_that_cannot_be_read_is_not_looked_at(self):
        hidden = (struck("filesystem.unreadable"),)
        day = Day().log()
        day.errors = InputFact("unreadable")
        assert set() == failing(day.read(None, [], said=[SAID], faults=hidden))


class TestTogether:
    def test_what_several_log_at_once_is_all_there_in_any_order(self):
        day = Day().log().log(error(message="b")).log(error(message="c")).together(2)
        assert {"nothing_lost"} == readings("ER-LOG-10", day.read())
        day.errors["errors"][1:] = reversed(day.errors["errors"][1:])
        assert set() == failing(day.read())

    def test_one_that_is_lost_was_lost_to_another(self):
        assert {"ER-LOG-10"} == failing(Day().log().log(error(message="b"), keep=False).together(2).read())

    def test_who_cannot_write_then_lives_no_longer(self):
        full = (struck("filesystem.full"),)
        day = (
            Day()
            .log(keep=False, stored=False, said=[SAID], faults=full)
            .log(error(message="b"), faults=full)
            .together(2)
        )
        assert set() == failing(day.read())


class TestFixStatus:
    def set(self, word, shown=None, written=..., **more):
        day = Day().log().log(error(message="b")).read()
        made = {**day.errors["errors"][0], "fix_status": shown or word}
        day.status("e1", word, made, **more)
        day.errors = {"errors": [made if written is ... else {**made, "fix_status": written}, day.errors["errors"][1]]}
        return day.read()

    @pytest.mark.parametrize(("word", "shown", "reading"), [
        ("in_progress", "in_progress", "fixed"), ("in_progress", "investigating", "resolved"),
        ("fixed", "fixed", "fixed"), ("fixed", "resolved", "resolved"),
    ])  # fmt: skip
    def test_it_is_as_it_was_set(self, word, shown, reading):
        assert {reading} == readings("ER-LOG-09", self.set(word, shown))

    def test_another_word_or_another_record_is_wrong(self):
        assert {"ER-LOG-09"} == failing(self.set("fixed", "unfixed"))
        assert {"ER-LOG-09"} == failing(self.set("fixed", 5))
        assert {"ER-LOG-09"} == failing(self.set("fixed", written="unfixed"))
        day = Day().log().log(error(message="b")).read()
        assert {"ER-LOG-09"} == failing(day.status("e1", "fixed", {**day.errors["errors"][1], "fix_status": "fixed"}))

    def test_a_word_of_ones_own_may_be_refused(self):
        assert set() == failing(self.set("wont_fix", "unfixed"))
        day = Day().log().read()
        assert set() == failing(day.status("e1", "wont_fix", None, stored=False).read())

    def test_a_status_that_is_set_at_once_shows_in_the_record(self):
        for written, clauses in (("fixed", set()), ("unfixed", {"ER-LOG-09"})):
            day = Day().log()
            made = day.errors["errors"][0]
            day.status("e1", "fixed", {**made, "fix_status": "fixed"})
            day.entries[-2] = msgspec.structs.replace(day.entries[-2], inputs={})
            day.errors = {"errors": [{**made, "fix_status": written}]}
            assert clauses == failing(day.read())

    def test_it_has_to_be_set_unless_the_name_is_not_known(self):
        day = Day().log().read()
        assert {"ER-LOG-09"} == failing(_copy_all(day).status("e1", "fixed", None))
        assert {"ER-LOG-09"} == failing(_copy_all(day).status("e1", "fixed", None, instead=None))
        assert set() == failing(_copy_all(day).status("nobody", "fixed", None).op("set_fix_status", {}, None))
        assert set() == failing(_copy_all(day).status("e1", "fixed", None, process=1))
        full = (struck("filesystem.full"),)
        assert set() == failing(_copy_all(day).status("e1", "fixed", None, stored=False, said=[SAID], faults=full))
        same = Day().log(name="x").log(error(message="b"), name="x").read()
        assert set() == failing(same.status("x", "fixed", None))

    def test_together_with_others_any_may_win(self):
        day = Day().log().read()
        made = day.errors["errors"][0]
        for word in ("fixed", "in_progress"):
            day.status("e1", word, {**made, "fix_status": word})
        day.together(2)
        day.errors = {"errors": [{**made, "fix_status": "fixed"}]}
        assert "ER-LOG-09" not in failing(day.read())


class TestSessions:
    def day(self):
        elsewhere = error("parse_error", "b", context={**CONTEXT, "session_id": OTHER})
        return Day().log().log(elsewhere).log(error(message="c"))

    def test_the_records_of_a_session_come_in_order(self):
        assert set() == failing(self.day().read(SESSION).read(OTHER).read("none").read())

    def test_one_too_few_too_many_twice_or_in_another_order_is_wrong(self):
        day = self.day()
        all_three = day.errors["errors"]
        for session, records in (
            (SESSION, all_three[:1]), (SESSION, all_three), (None, [*all_three, all_three[0]]),
            (None, list(reversed(all_three))), (None, [*all_three, {"id": "err_more"}]),
        ):  # fmt: skip
            assert {"ER-AGG-01"} == failing(_copy_all(day).read(session, records))

    def test_an_answer_has_to_come(self):
        assert {"ER-AGG-01"} == failing(self.day().op("read", {}, None))
        assert {"ER-AGG-01"} == failing(self.day().op("patterns", {}, None))

    def test_what_stood_there_is_read_too_if_it_is_a_record(self):
        assert set() == failing(Day({"errors": [OLD, {"x": 1}]}).log().read())
        assert set() == failing(Day({"errors": [OLD, {"x": 1}]}).log().read(None, [OLD, record(1, error())]))
        assert {"ER-AGG-01"} == failing(Day({"errors": [OLD]}).log().read(None, [record(1, error())]))

    def test_records_without_an_id_are_told_by_what_is_in_them(self):
        odd = {"message": "x"}
        assert set() == failing(Day({"errors": [odd, OLD]}).log().read(None, [odd, OLD, record(1, error())]))
        assert {"ER-AGG-01"} == failing(Day({"errors": [odd]}).log().read(None, [{"message": "y"}, record(1, error())]))

    def test_what_an_interrupted_operation_left_may_be_read_or_not(self):
        killed = (struck("process.killed", None),)
        day = Day().op("log", {"name": "x", "error": error(message="x")}, None, faults=killed).log(faults=killed)
        assert set() == failing(day.read(None, [record(5, error("a")), record(1, error())], faults=killed))

    def test_patterns_are_exact(self):
        day = self.day().read()
        assert set() == failing(_copy_all(day).patterns(("timeout", 2, 1)))
        for wrong in ((), (("timeout", 3, 1),), (("timeout", 2, 2),), (("timeout", 2, 1), ("parse_error", 1, 1))):
            assert {"ER-AGG-01"} == failing(_copy_all(day).patterns(*wrong))
        assert set() == failing(Day().patterns(("x", 9, 9)))
        assert set() == failing(Day(...).log(keep=False).patterns(("x", 9, 9)))
        alone = Day().log(error(context=...)).log(error(context=...))
        assert set() == failing(alone.patterns(("timeout", 2, 0)))
        assert set() == failing(Day({"errors": [5]}).log().patterns(("x", 9, 9)))

    def test_what_was_given_tells_the_session_of_a_record_nobody_saw(self):
        day = Day(...).handle(keep=False).log(keep=False).handle(error("x", context="none"), keep=False)
        assert "ER-AGG-01" not in failing(day.read(SESSION, [record(1, error("delegation_hang")), record(2, error())]))


def test_a_reset_begins_another_world():
    assert set() == failing([Day().log(), RESET, Day().log().read()])

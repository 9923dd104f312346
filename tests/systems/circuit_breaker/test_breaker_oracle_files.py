"""What the oracle says of the state file and of the recovery log."""

import pytest
from handmade_breaker import (
    MISSING,
    NAME,
    PASS,
    RESET,
    ask,
    bad,
    failing,
    failures,
    found,
    look,
    moment,
    ok,
    opened,
    probe,
    readings,
    record,
    recovery,
    refused,
    struck,
    trip,
)

from harness.core.history import InputFact
from harness.systems.circuit_breaker.oracle.state_file import instant, is_valid, whole

U = 300.0
OTHER = "api/openai"


def without(raw, *keys):
    return {key: value for key, value in raw.items() if key not in keys}


def seen(file, at=1.0, **more):
    """A breaker opened at 0, and the next operation finds this file."""
    return [*trip(), refused(at, file=file, **more)]


FULL = {NAME: opened()}


def test_a_right_record_passes_every_clause_of_the_file():
    findings = found(seen(FULL))
    clauses = {"LK-CB-01", "LK-CB-02", "LK-CB-03", "LK-CB-04", "LK-CB-05", "LK-CB-06", "LK-CB-07", "LK-CB-12"}
    assert clauses <= {name for name, finding in findings.items() if finding.verdict is PASS}
    assert failing(seen(FULL)) == set()


WRONG = [
    ("LK-CB-01", MISSING),
    ("LK-CB-01", {}),
    ("LK-CB-01", b"{ torn"),
    ("LK-CB-01", b"[]"),
    ("LK-CB-01", {NAME: 5}),
    ("LK-CB-01", {NAME: record("CLOSED", 0)}),
    ("LK-CB-02", {NAME: without(opened(), "failure_count")}),
    ("LK-CB-02", {NAME: without(opened(), "state")}),
    ("LK-CB-02", {NAME: without(opened(), "failure_count", "success_count")}),
    ("LK-CB-02", {NAME: without(opened(), "last_state_change")}),
    ("LK-CB-03", {NAME: {**opened(), "state": "open"}}),
    ("LK-CB-04", {NAME: {**opened(), "failure_count": True}}),
    ("LK-CB-04", {NAME: {**opened(), "success_count": -1}}),
    ("LK-CB-04", {NAME: {**opened(), "failure_count": "3"}}),
    ("LK-CB-05", {NAME: {**opened(), "last_failure_time": 5}}),
    ("LK-CB-05", {NAME: opened(last_failure_time=-1)}),
    ("LK-CB-05", {NAME: opened(last_failure_time=None)}),
    ("LK-CB-06", {NAME: {**opened(), "cooldown_until": "tomorrow"}}),
    ("LK-CB-06", {NAME: {**opened(), "failure_window_start": ""}}),
    ("LK-CB-07", {NAME: {**opened(), "last_state_change": None}}),
    ("LK-CB-07", {NAME: {**opened(), "last_state_change": moment(-5)}}),
    ("LK-CB-12", {NAME: opened(cooldown_until=200)}),
    ("LK-CB-12", {NAME: opened(cooldown_until=None)}),
]


@pytest.mark.parametrize(("clause", "file"), WRONG, ids=[f"{clause} {str(file)[:60]}" for clause, file in WRONG])
def test_what_is_wrong_in_the_file_is_blamed_on_its_clause_alone(clause, file):
    assert failing(seen(file)) == {clause}


def test_a_file_that_is_too_large_or_not_told_says_nothing():
    assert failing(seen(InputFact("file", 10**7, None))) == set()
    assert failing(seen(None)) == set()


def test_a_file_that_is_not_there_yet_is_none_that_is_wrong():
    assert failing(ask(0, file=MISSING), ok(0, file=MISSING), look(0, file=MISSING)) == set()


def test_a_wrong_file_is_blamed_once():
    finding = found(seen(b"torn"), refused(2, file=b"torn"))["LK-CB-01"]
    assert "more like it" not in finding.observed


def test_a_file_that_was_whole_again_is_looked_at_again():
    assert failing(seen(b"torn"), refused(2, file=FULL)) == {"LK-CB-01"}


def test_a_cooldown_that_is_written_wrongly_is_blamed_once():
    assert failing(seen({NAME: opened(cooldown_until=200)}), ask(200, "HALF_OPEN")) == {"LK-CB-12"}


@pytest.mark.parametrize(("keys", "left"), [((), {"null"}), (("last_failure_time",), {"absent"})])
def test_a_failure_time_that_is_none_is_null_or_absent(keys, left):
    file = {NAME: without(record("CLOSED", 0), *keys)}
    assert readings("LK-CB-05", ask(0), ok(0), look(1, file=file)) == left


def test_other_times_that_are_none_are_null_or_absent_or_each_in_turn():
    absent = {NAME: without(record("CLOSED", 0), "cooldown_until", "failure_window_start")}
    mixed = {NAME: without(record("CLOSED", 0), "cooldown_until")}
    assert readings("LK-CB-06", ask(0), ok(0), look(1, file=absent)) == {"absent"}
    assert readings("LK-CB-06", ask(0), ok(0), look(1, file=mixed)) == {"null", "absent"}


def test_a_count_of_three_point_zero_is_a_reading():
    file = {NAME: {**opened(), "failure_count": 3.0}}
    assert readings("LK-CB-04", seen(file)) == {"integral_numbers"}
    assert readings("LK-CB-04", seen({NAME: without(opened(), "success_count")})) == {"integers", "integral_numbers"}


def test_successes_are_counted_in_half_open():
    probed = [*trip(), *probe(U)]
    half = record("HALF_OPEN", U, success_count=1, last_failure_time=0)
    assert failing(probed, look(U, "HALF_OPEN", file={NAME: half})) == set()
    assert failing(probed, look(U, "HALF_OPEN", file={NAME: {**half, "success_count": 2}})) == {"LK-CB-04"}


def test_a_breaker_that_nobody_used_keeps_its_record():
    two = {NAME: opened(), OTHER: record("CLOSED", 0, failure_count=1, last_failure_time=0)}
    begin = [*trip(), *failures(0, last="CLOSED", name=OTHER), refused(1, file=two)]
    same = {**two, OTHER: {**two[OTHER], "failure_count": 0, "note": "pruned"}}
    moved = {**two, OTHER: {**two[OTHER], "last_state_change": moment(1)}}
    gone = {NAME: opened()}
    assert failing(begin, refused(2, file=same)) == set()
    assert failing(begin, refused(2, file=moved)) == {"LK-CB-01"}
    assert failing(begin, refused(2, file=gone)) == {"LK-CB-01"}
    assert failing(begin, refused(2, file={**two, OTHER: 5})) == {"LK-CB-01"}


def test_a_breaker_at_rest_may_move_without_being_used():
    two = {NAME: opened(), OTHER: opened()}
    begin = [*trip(), *trip(name=OTHER), refused(1, file=two)]
    moved = {NAME: record("HALF_OPEN", U, last_failure_time=0), OTHER: record("HALF_OPEN", U, last_failure_time=0)}
    assert failing(begin, ask(U + 1, "HALF_OPEN"), look(U + 1, "HALF_OPEN", file=moved)) == set()
    forgotten = {**moved, OTHER: record("CLOSED", U)}
    assert failing(begin, ask(U + 1, "HALF_OPEN"), look(U + 1, "HALF_OPEN", file=forgotten)) == {"LK-CB-01"}


def test_a_breaker_goes_on_where_another_process_left_it():
    assert failing(trip(), look(1, "CLOSED", process=1)) == {"LK-CB-01"}
    assert failing(trip(), ask(1, process=1)) == {"LK-CB-01"}
    assert failing(failures(0, 0, last="CLOSED"), ask(0, process=1), bad(0, process=1)) == {"LK-CB-01"}


def test_a_restart_makes_another_process_of_the_same():
    again = struck("process.restarted", path=None)
    assert failing(trip(), ask(1, faults=[again])) == {"LK-CB-01"}


def test_a_world_begins_with_the_records_that_stand_there():
    assert failing(refused(1, error=None, file=FULL), ask(U, "HALF_OPEN")) == set()
    assert failing(ask(1, file=FULL)) == {"LK-CB-13"}
    assert failing(look(1, "CLOSED", file={NAME: record("HALF_OPEN", 0)})) == {"LK-CB-22"}


def test_a_record_of_half_open_says_how_many_probes_succeeded():
    half = {NAME: record("HALF_OPEN", 0, success_count=2, last_failure_time=-300)}
    assert failing(ask(1, "HALF_OPEN", file=half), ok(1, "CLOSED")) == set()
    assert failing(ask(1, "HALF_OPEN", file=half), ok(1, "HALF_OPEN")) == {"LK-CB-19"}
    assert failing(refused(1, "HALF_OPEN", file=half), refused(21, "HALF_OPEN"), RESET, ask(0)) == {"LK-CB-16"}


def test_the_failures_of_a_record_may_count_or_not():
    two = {NAME: record("CLOSED", -10, failure_count=2, last_failure_time=-1, failure_window_start=-2)}
    for state in ("CLOSED", "OPEN"):
        assert failing(ask(1, file=two), bad(1, state)) == set()
    assert failing(ask(100, file=two), bad(100, "OPEN")) == {"LK-CB-11"}
    unknown = {NAME: {**two[NAME], "last_failure_time": None}}
    assert failing(ask(1, file=unknown), bad(1, "OPEN")) == set()


def test_a_record_that_is_open_without_an_end_is_open_or_probed():
    endless = {NAME: opened(cooldown_until=None, last_failure_time=None)}
    for answer in (refused(1, error=None, file=endless), ask(1, "HALF_OPEN", file=endless)):
        assert failing(answer) == set()


AHEAD = {NAME: opened(at=10**6)}


def test_a_record_from_the_future_is_cut_or_kept_and_never_closed():
    assert failing(refused(1, error=None, wait_s=U, file=AHEAD), ask(1 + U, "HALF_OPEN")) == set()
    assert failing(refused(1, error=None, wait_s=10**6 + 299.0, file=AHEAD), refused(1 + U, error=None)) == set()
    assert failing(ask(1, file=AHEAD)) == {"LK-CB-28"}
    assert failing(look(1, "OPEN", cooldown_until=moment(5), file=AHEAD)) == {"LK-CB-28"}


def test_failures_from_the_future_may_count_or_not():
    late = {NAME: record("CLOSED", 10**6, failure_count=2, last_failure_time=10**6)}
    for state in ("CLOSED", "OPEN"):
        assert failing(ask(1, file=late), bad(1, state)) == set()


STRANGE = {NAME: {**opened(), "note": "x"}}


@pytest.mark.parametrize(("note", "left"), [({"note": "x"}, {"kept"}), ({}, {"dropped"})])
def test_fields_that_nobody_knows_are_kept_or_dropped(note, left):
    later = {NAME: {**opened(), **note}}
    assert readings("LK-CB-08", refused(1, error=None, file=STRANGE), refused(2, error=None, file=later)) == left


def test_a_record_with_fields_that_nobody_knows_is_no_damage():
    assert failing(look(1, "HALF_OPEN", file=STRANGE)) == {"LK-CB-08"}
    other = {**STRANGE, OTHER: record("CLOSED", 0)}
    assert failing(look(1, "OPEN", file=other), look(2, "OPEN", file=STRANGE)) == {"LK-CB-08"}


def line(at, name=NAME):
    return f"2026-03-01T12:{at // 60:02}:{at % 60:02}Z Circuit recovered: {name}\n"


CLOSED = [*trip(), *recovery()]
LINE = line(320).encode()
OLD = b"2026-02-28T09:30:00Z Circuit recovered: api/older\n"


@pytest.mark.parametrize(
    ("before", "log"),
    [(MISSING, LINE), (OLD, OLD + LINE), (OLD[:-1], OLD + LINE), (InputFact("file", 10**7, None), LINE)],
    ids=["new", "after others", "after a torn line", "too large"],
)
def test_a_recovery_is_one_line_of_the_log(before, log):
    assert failing(ask(0, c="x", log=before), CLOSED, look(330, log=log), look(331, log=log)) == set()


@pytest.mark.parametrize(
    "log",
    [
        MISSING,
        b"",
        LINE + LINE,
        LINE[:-1],
        LINE.replace(b"Z ", b"+00:00 "),
        line(321).encode(),
        b"circuit up\n",
        LINE + b"x\n",
    ],
)
def test_a_log_that_is_anything_else_is_blamed_once(log):
    history = [ask(0, c="x", log=MISSING), *CLOSED, look(330, log=log), look(331, log=log)]
    assert failing(history) == {"LK-RP-06"}


def test_a_log_that_lost_its_old_lines_is_blamed():
    assert failing(ask(0, c="x", log=OLD), CLOSED, look(330, log=LINE)) == {"LK-RP-06"}


def test_a_line_without_a_recovery_is_blamed():
    assert failing(ask(0, log=MISSING), ok(0), look(1, log=LINE)) == {"LK-RP-06"}


def test_a_name_with_a_line_break_is_written_as_it_is_or_in_one_line():
    name = "api\nclaude"
    closed = [ask(0, c="x", name=name, log=MISSING), *trip(name=name), *recovery(name=name)]
    for log in (line(320, name), line(320, "api\\nclaude")):
        assert failing(closed, look(330, name=name, log=log.encode())) == set()
    assert failing(closed, look(330, name=name, log=b"")) == {"LK-RP-06"}


def test_where_two_lines_are_due_each_has_its_own():
    both = [*trip(), *trip(name=OTHER), *recovery(), *recovery(name=OTHER)]
    log = (line(320) + line(320, OTHER)).encode()
    assert failing(ask(0, c="x", log=MISSING), both, look(330, log=log)) == set()
    assert failing(ask(0, c="x", log=MISSING), both, look(330, log=LINE)) == {"LK-RP-06"}


KILLED = struck("syscall.killed", path="{home}/.loki/logs/circuit-recovery.log", call="write")


@pytest.mark.parametrize("log", [LINE, LINE[:10] + b"\n" + LINE])
def test_a_recovery_that_was_cut_off_is_logged_by_the_next_process(log):
    cut = [ask(0, c="x", log=MISSING), *trip(), *probe(U), *probe(U + 10), ask(U + 20, "HALF_OPEN")]
    history = [*cut, ok(U + 20, None, faults=[KILLED]), look(330, log=LINE[:10]), look(331, log=log)]
    assert failing(history) == set()
    assert failing(*history[:-2], look(330, log=b""), look(331, log=LINE + LINE)) == {"LK-RP-06"}
    assert failing(*history[:-2], look(330, log=b""), look(331, log=LINE[:10] + LINE)) == {"LK-RP-06"}


def test_a_log_that_power_took_or_a_fault_struck_says_nothing():
    for fault in (struck("syscall.power"), struck("filesystem.full", path="{home}/.loki/logs")):
        history = [ask(0, c="x", log=MISSING), *CLOSED, look(330, log=MISSING, faults=[fault]), look(331, log=MISSING)]
        assert failing(history) == set()


def test_times_are_rfc_3339_with_an_offset():
    assert instant("1970-01-01T00:00:01.5Z") == 1_500_000
    assert instant("1970-01-01T01:00:00+01:00") == 0
    for text in ("2026-03-01", "2026-03-01T12:00:00", "soon", 5, None, "2026-02-30T12:00:00Z"):
        assert instant(text) is None


def test_counts_are_whole_numbers_of_at_least_zero():
    assert [whole(value) for value in (0, 3, 3.0)] == [0, 3, 3]
    assert [whole(value) for value in (True, -1, 2.5, "3", None, float("inf"))] == [None] * 6


def test_a_record_is_valid_as_the_schema_has_it():
    assert is_valid(opened())
    for raw in (
        5,
        {},
        {**opened(), "state": 1},
        {**opened(), "last_state_change": None},
        {**opened(), "success_count": "x"},
    ):
        assert not is_valid(raw)

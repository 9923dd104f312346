"""What faults may take from a breaker, and what they may not; and operations that were cut off."""

import pytest
from handmade_breaker import (
    NAME,
    PASS,
    RESET,
    ask,
    bad,
    configure,
    failing,
    failures,
    found,
    load,
    look,
    ok,
    opened,
    probe,
    readings,
    record,
    recovery,
    refused,
    struck,
    together,
    told,
    trip,
)

from harness.core.fault import Fault
from harness.core.finding import CheckVerdict
from harness.core.history import EntryType, InputFact
from harness.faults.catalogue import EVERY
from harness.systems.circuit_breaker.oracle import permitted, weather
from harness.systems.circuit_breaker.oracle.weather import Takes

U = 300.0
OTHER = "api/openai"
UNREADABLE = {"faults": [struck("filesystem.unreadable")], "file": InputFact("unreadable")}
FULL_DISK = {"faults": [struck("filesystem.full")]}


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_every_fault_has_a_row_with_a_reason(kind):
    assert weather.row(kind.name) is not weather.UNKNOWN
    assert weather.row(kind.name).why


def test_a_fault_that_nobody_knows_takes_everything():
    assert weather.shakes(Fault("weather.hail"))
    assert weather.takes_log(Fault("weather.hail"))


@pytest.mark.parametrize(
    ("fault", "shakes", "damages", "log"),
    [
        (Fault("filesystem.full", "{home}/.loki/state/circuit-breakers.json"), True, Takes.NOTHING, False),
        (Fault("filesystem.read_only", "{home}/.loki"), True, Takes.NOTHING, True),
        (Fault("filesystem.full", "{home}/.loki/logs"), False, Takes.NOTHING, True),
        (Fault("filesystem.full", "{project}/x"), False, Takes.NOTHING, False),
        (Fault("filesystem.missing", "{home}/.loki"), False, Takes.FILE, True),
        (Fault("filesystem.missing", "{project}/x"), False, Takes.NOTHING, False),
        (Fault("filesystem.parent_missing", "{home}/.loki/state/circuit-breakers.json"), False, Takes.FILE, False),
        (Fault("filesystem.garbled", "{home}/.loki/state"), False, Takes.CONTENT, False),
        (Fault("json_document.list", "{home}/.loki/state/circuit-breakers.json"), False, Takes.CONTENT, False),
        (Fault("filesystem.aged", "{home}/.loki"), False, Takes.NOTHING, False),
        (Fault("environment.read_only_home"), True, Takes.NOTHING, True),
        (Fault("environment.odd_locale"), False, Takes.NOTHING, False),
        (Fault("syscall.errno", "{home}/.loki/state/x.tmp"), True, Takes.NOTHING, False),
        (Fault("syscall.errno", "{home}/.loki/logs/circuit-recovery.log"), False, Takes.NOTHING, True),
        (Fault("syscall.errno", "{tmp}/a", {"to": "{home}/.loki/state/b"}), True, Takes.NOTHING, False),
        (Fault("syscall.power", None), False, Takes.NOTHING, True),
        (Fault("syscall.killed", "{home}/.loki/state/x"), False, Takes.NOTHING, False),
    ],
    ids=lambda value: f"{value.name} {value.path}" if isinstance(value, Fault) else "",
)
def test_what_a_fault_takes_hangs_on_where_it_strikes(fault, shakes, damages, log):
    assert (weather.shakes(fault), weather.damages(fault), weather.takes_log(fault)) == (shakes, damages, log)


def test_a_process_has_in_memory_what_it_did_itself():
    assert failing(failures(0, 0, last="CLOSED"), ask(1, **FULL_DISK), bad(1, "OPEN", **FULL_DISK)) == set()
    assert failing(failures(0, 0, last="CLOSED"), ask(1, **FULL_DISK), bad(1, "CLOSED", **FULL_DISK)) == {"LK-CB-10"}
    assert failing(trip(), refused(1, **UNREADABLE), ask(U, "HALF_OPEN", **UNREADABLE)) == set()
    assert failing(trip(), ask(1, **UNREADABLE)) == {"LK-CB-13"}
    assert failing(trip(), refused(U, **UNREADABLE)) == {"LK-CB-14"}


def test_such_a_fault_shows_the_clause_under_it():
    findings = found(
        failures(0, 0, last="CLOSED"), ask(1, **FULL_DISK), bad(1, "OPEN", **FULL_DISK), refused(1, **FULL_DISK)
    )
    assert {findings[clause].verdict for clause in ("LK-CB-10", "LK-CB-13")} == {PASS}


def test_who_is_careful_is_half_open():
    assert failing(trip(), ask(1, "HALF_OPEN", **UNREADABLE), refused(1, "HALF_OPEN", c="d", **UNREADABLE)) == set()
    assert failing(ask(0), look(1, "HALF_OPEN", **UNREADABLE)) == set()
    assert failing(trip(), refused(1, "HALF_OPEN", **UNREADABLE), look(2, "HALF_OPEN", **UNREADABLE)) == set()


def test_who_does_not_answer_where_a_file_cannot_be_read_is_blamed():
    assert failing(trip(), ask(1, None, **UNREADABLE)) == {"LK-CB-13"}
    assert failing(failures(0, 0, last="CLOSED"), ask(1), bad(1, None, **FULL_DISK)) == {"LK-CB-10"}


def test_another_process_cannot_know_what_could_not_be_written():
    unwritten = [*failures(0, 0, last="CLOSED"), ask(1, **FULL_DISK), bad(1, "OPEN", **FULL_DISK)]
    for answer in (ask(2, process=1), refused(2, process=1)):
        assert failing(unwritten, answer) == set()
    for answer in (ask(2), ask(2, "HALF_OPEN")):
        assert failing(unwritten, answer) != set()
    kept = [*unwritten, refused(2), refused(3)]
    assert failing(kept, ask(4, process=1)) == {"LK-CB-01"}


ELSEWHERE = {**UNREADABLE, "process": 1}


@pytest.mark.parametrize(
    "parts",
    [
        [*trip(), refused(1, error="closed for repairs", **ELSEWHERE)],
        [*trip(), ask(1, "HALF_OPEN", **ELSEWHERE), refused(2, "HALF_OPEN", c="d", **ELSEWHERE)],
        [*failures(0, 0, last="CLOSED"), ask(1, **ELSEWHERE), bad(1, "CLOSED", **ELSEWHERE)],
        [*failures(0, 0, last="CLOSED"), refused(1, error="closed for repairs", **ELSEWHERE)],
        [*trip(), *probe(U), ask(U + 10, "HALF_OPEN", **ELSEWHERE), ok(U + 10, None, **ELSEWHERE)],
        [*trip(), ask(U, None, **ELSEWHERE)],
    ],
)
def test_another_process_that_cannot_read_is_careful(parts):
    assert failing(parts) <= {"LK-CB-16", "LK-CB-19"}


def test_another_process_that_cannot_read_is_not_closed():
    assert failing(trip(), look(1, "CLOSED", **ELSEWHERE)) != set()
    assert failing(trip(), ask(1, "OPEN", **ELSEWHERE)) != set()


def test_nothing_is_said_of_the_load_that_another_process_cannot_read():
    assert (
        failing(trip(), look(1, "HALF_OPEN", **ELSEWHERE), load(1, 5, background=True, queue=False, process=1)) == set()
    )
    assert failing(trip(), load(1, 5, background=True, queue=False, **ELSEWHERE)) == set()


def test_the_load_is_reduced_from_memory():
    full = load(1, 5, background=True, queue=False, **UNREADABLE)
    assert failing(trip(), full) == {"LK-RP-02", "LK-RP-03", "LK-RP-04"}
    assert failing(ask(0), ok(0), load(1, 2, background=False, queue=True, **UNREADABLE)) == set()
    assert failing(trip(), recovery(), load(330, 1, background=True, queue=False, **UNREADABLE)) == set()
    assert failing(trip(), recovery(), load(330, 5, background=True, queue=False, **UNREADABLE)) == {"LK-RP-05"}


CUT = struck("syscall.killed", path="{home}/.loki/state/x", call="rename")


@pytest.mark.parametrize("later", [ask(2, process=1), refused(2, process=1)])
def test_what_was_cut_off_was_done_or_not(later):
    assert failing(failures(0, 0, last="CLOSED"), ask(1), bad(1, None, faults=[CUT]), later) == set()


def test_who_cannot_go_on_after_another_was_cut_off_is_blamed():
    cut = [*failures(0, 0, last="CLOSED"), ask(1), bad(1, None, faults=[CUT])]
    assert failing(cut, ask(2, None)) == {"LK-CB-01"}


def test_a_call_of_which_the_run_lost_the_end_says_nothing():
    begin, _ = bad(1)
    assert failing(failures(0, 0, last="CLOSED"), ask(1), [begin]) == set()


def test_an_operation_that_was_refused_by_its_arguments_says_nothing():
    begin, end = told(0, "failure", "CLOSED")
    begin.value["outcome"] = "unknown"
    refusal = type(end)(end.n, 0, EntryType.FAIL, end.op, {}, end.now)
    assert failing(ask(0), (begin, refusal), ask(1)) == set()


@pytest.mark.parametrize("name", ["", "x" * 10_001, "\ud800"])
def test_a_name_that_is_odd_may_be_refused(name):
    begin, end = ask(0, name=name)
    assert failing((begin, type(end)(end.n, 0, EntryType.FAIL, end.op, {}, end.now))) == set()
    assert failing(ask(0, name=name), ok(0, name=name)) == set()


def test_a_name_that_is_none_is_nothing():
    begin, end = ask(0)
    begin.value["name"] = 5
    assert failing((begin, type(end)(end.n, 0, EntryType.FAIL, end.op, {}, end.now))) == set()


def test_any_other_name_has_to_be_served():
    begin, end = ask(0, name="api\x00/" + "x" * 9_000)
    assert failing((begin, type(end)(end.n, 0, EntryType.FAIL, end.op, {}, end.now))) == {"LK-CB-09"}


def test_an_answer_of_another_form_is_none():
    begin, end = ask(0)
    assert failing((begin, type(end)(end.n, 0, EntryType.OK, end.op, {"echo": 1}, end.now))) == {"LK-CB-09"}


LIST = {"faults": [struck("json_document.list")], "file": b"[]"}


@pytest.mark.parametrize(
    ("shown", "left"),
    [
        (look(1, "HALF_OPEN", **LIST), {"half_open"}),
        (look(1, "OPEN", **LIST), {"open", "memory"}),
    ],
)
def test_a_damaged_file_leaves_a_breaker_careful_or_as_it_was(shown, left):
    assert readings("LK-CB-26", trip(), shown) == left


def test_what_comes_after_answers_that_overlap_or_a_failure_is_not_the_first_answer_after_damage():
    at_once = together(ask(1, "HALF_OPEN", c="a", process=1, **LIST), refused(1, "HALF_OPEN", c="b", process=2, **LIST))
    failed = bad(1, "OPEN", c="a", process=1, **LIST)
    for answers in ((*at_once, look(1, "HALF_OPEN")), (failed,)):
        assert "LK-CB-26" not in found(trip(), *answers) or not readings("LK-CB-26", trip(), *answers)


def test_a_process_that_never_used_a_breaker_may_find_none_while_its_directory_comes_and_goes():
    gone = [struck("filesystem.vanishing", path="{home}/.loki/state")]
    assert failing(trip(), ask(1, process=1, faults=gone, file=InputFact("missing"))) == set()
    away = [struck("filesystem.vanishing", path="{home}/.loki/logs")]
    assert failing(trip(), ask(1, process=1, faults=away)) != set()


@pytest.mark.parametrize("wrong", [look(1, "CLOSED", **LIST), ask(1, **LIST), ask(1, None, **LIST)])
def test_a_damaged_file_closes_no_breaker(wrong):
    assert failing(trip(), wrong) == {"LK-CB-26"}


def test_a_closed_breaker_stays_closed_or_is_careful():
    for answer in (ask(1, **LIST), ask(1, "HALF_OPEN", **LIST), refused(1, error=None, **LIST)):
        assert failing(failures(0, last="CLOSED"), answer) == set()


def test_a_breaker_that_is_new_after_the_damage_is_closed_or_careful():
    for answer in (ask(2, name=OTHER, **LIST), ask(2, "HALF_OPEN", name=OTHER, **LIST)):
        assert failing(trip(), look(1, "OPEN", **LIST), answer) == set()


def test_a_file_that_is_gone_may_be_a_first_start():
    gone = {"faults": [struck("filesystem.missing")], "file": InputFact("missing")}
    for answer in (ask(1, **gone), refused(1, **gone), ask(1, "HALF_OPEN", **gone)):
        findings = found(trip(), answer)
        assert {finding.verdict for finding in findings.values()} == {PASS}


@pytest.mark.parametrize("file", [b"", b"[]", b"{ torn", b"\xff", b"[" * 20_000])
def test_a_file_that_is_wrong_from_the_first_closes_no_breaker(file):
    assert readings("LK-CB-26", look(0, "HALF_OPEN", file=file)) == {"half_open"}
    assert failing(look(0, "CLOSED", file=file)) == {"LK-CB-26"}


def test_a_record_that_is_wrong_closes_no_breaker_and_may_cost_the_whole_file():
    file = {NAME: {**opened(), "state": "open"}, OTHER: record("CLOSED", 0)}
    assert failing(look(0, "CLOSED", file=file)) == {"LK-CB-26"}
    for answer in (look(0, "CLOSED", name=OTHER), look(0, "HALF_OPEN", name=OTHER)):
        assert failing(look(0, "HALF_OPEN", file=file), answer, look(1, "HALF_OPEN", file={})) == set()
    kept = {**file, OTHER: record("CLOSED", 0, note="read")}
    assert failing(look(0, "OPEN", file=file), look(0, name=OTHER, file=file), look(1, "OPEN", file=kept)) == set()


def test_after_damage_nobody_knows_whether_a_breaker_has_just_closed():
    told_twice = [*failures(0, last="CLOSED"), ok(1, c="nobody", **LIST)]
    assert failing(told_twice, load(2, 4, background=True, queue=False)) == set()


def test_a_call_that_fails_elsewhere_may_keep_a_process_from_answering():
    away = struck("syscall.errno", path="{project}/module")
    assert failing(ask(0, None, faults=[away])) == set()
    assert failing(ask(0, None, faults=[struck("syscall.errno", path="{home}/.loki/state/x")])) == {"LK-CB-09"}


def test_a_file_that_cannot_be_read_from_the_first_leaves_all_open():
    for answer in (ask(0, **UNREADABLE), refused(0, **UNREADABLE), ask(0, "HALF_OPEN", **UNREADABLE)):
        assert failing(answer, RESET, trip(), refused(0)) <= {"LK-CB-26"}


def test_the_clock_that_goes_back_leaves_the_cooldown_or_cuts_it():
    assert failing(trip(at=100), refused(50), ask(350, "HALF_OPEN")) == set()
    assert failing(trip(at=100), refused(50), refused(399), ask(400, "HALF_OPEN")) == set()
    assert failing(trip(at=100), refused(50), ask(349, "HALF_OPEN")) == {"LK-CB-28"}
    assert failing(trip(at=100), look(50, "OPEN", wait_s=350.0), look(51, "OPEN", wait_s=300.0)) == set()


def test_the_clock_that_goes_back_leaves_it_open_which_failures_count():
    for state in ("CLOSED", "OPEN"):
        assert failing(failures(100, 100, last="CLOSED"), ask(50), bad(50, state)) == set()
    assert failing(failures(100, last="CLOSED"), failures(50, 50, 50, last="CLOSED")) == {"LK-CB-28"}


def test_the_clock_that_goes_back_leaves_it_open_when_the_next_probe_is_due():
    probed = [*trip(), *probe(U), look(U - 50, "HALF_OPEN")]
    for answer in (ask(U - 49, "HALF_OPEN", c="d"), refused(U - 49, "HALF_OPEN", c="d")):
        assert failing(probed, answer) == set()
    assert failing(probed, refused(U + 100, "HALF_OPEN", c="d")) == {"LK-CB-28"}


def test_a_fault_that_was_refused_leaves_what_it_is_meant_for_unknown():
    refused_fault = struck("filesystem.full", armed=False, proof="no such thing here")
    finding = found(ask(0, faults=[refused_fault]), clauses=("LK-CB-09",))["LK-CB-09"]
    assert (finding.verdict, finding.reason) == (CheckVerdict.INCONCLUSIVE, "no such thing here")


def test_a_call_that_was_armed_and_never_struck_takes_nothing():
    armed = struck("syscall.errno", proof="")
    assert failing(failures(0, 0, last="CLOSED"), ask(1), bad(1, "CLOSED", faults=[armed])) == {"LK-CB-10"}


def test_processes_killed_from_outside_need_not_answer():
    begin, end = ask(1, None)
    end.value["blame"] = "harness"
    assert failing(trip(), (begin, end)) == set()
    assert failing(trip(), ask(1, None, faults=[struck("process.killed", path=None, proof="SIGKILL")])) == set()


def test_operations_that_overlap_are_not_answered_where_one_is_cut_off():
    cut = together(ask(1, None, c="a", faults=[CUT]), refused(1, c="b"))
    assert failing(trip(), cut, refused(2)) == set()


def test_tunables_of_a_process_that_died_are_forgotten():
    dead = struck("process.killed", path=None, proof="SIGKILL")
    mine = [configure(0, True, {"threshold": 1}, threshold=1), ask(0, None, faults=[dead])]
    for last in ("CLOSED", "OPEN"):
        assert failing(mine, ask(1, c="d"), bad(1, last, c="d")) == set()


def test_which_answers_the_document_permits_is_the_oracle_asked_the_other_way_round():
    from handmade_breaker import CATALOGUE, flat

    from harness.core.history import History
    from harness.core.scenario import Scenario, World

    scenario = Scenario(1, "x", "x", "circuit_breaker", "breaker", (), World("2026-03-01T12:00:00Z"), ())
    entries = tuple(
        type(e)(n, e.process, e.type, e.op, e.value, e.now) for n, e in enumerate(flat([*trip(), refused(1)]))
    )
    alternatives = ({"permitted": True}, {"permitted": False})
    assert permitted(scenario, History(entries), CATALOGUE, alternatives) == ({"permitted": False},)


def test_the_clock_that_goes_back_strikes_breakers_that_nobody_used_since():
    file = {NAME: opened(at=-60)}
    back = [look(0, name=OTHER, file=file), look(-7000, name=OTHER), look(0, name=OTHER)]
    for state in ("OPEN", "HALF_OPEN"):
        assert failing(back, look(1, state)) == set()
    assert failing(back, look(1, "CLOSED"), RESET, trip(), refused(0)) == {"LK-CB-28"}


def test_processes_that_cannot_read_the_file_each_go_on_by_what_they_know():
    probes = (ask(U, "HALF_OPEN", c="a", **UNREADABLE), ask(U, "HALF_OPEN", c="b", **ELSEWHERE))
    assert failing(trip(), *probes) == set()
    alone = (ask(U, "HALF_OPEN", c="a", **UNREADABLE), ask(U, "HALF_OPEN", c="b", **UNREADABLE))
    assert failing(trip(), *alone) != set()

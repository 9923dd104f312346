"""The oracle on hand-made histories: what is right passes its clause, and what is wrong fails that clause alone."""

import msgspec
import pytest
from handmade_breaker import (
    NAME,
    PASS,
    RESET,
    TINY,
    ask,
    bad,
    failing,
    failures,
    found,
    look,
    moment,
    ok,
    probe,
    recovery,
    refused,
    together,
    told,
    trip,
)

from harness.core.finding import CheckVerdict
from harness.systems import registry
from harness.systems.circuit_breaker.oracle.rules import RULES

U = 300.0  # when the cooldown of a breaker that opened at 0 ends
PROBED = [*trip(), *probe(U)]
TWICE = [*PROBED, *probe(U + 10)]

RIGHT = {
    "LK-CB-09": [ask(0), ok(0)],
    "LK-CB-10": [trip(), refused(0)],
    "LK-CB-11": [failures(0, 30, 60 + TINY, last="CLOSED"), ask(70)],
    "LK-CB-12": [trip(), refused(1), look(1, "OPEN", cooldown_until=moment(U))],
    "LK-CB-13": [trip(), refused(1), refused(U - TINY)],
    "LK-CB-14": [trip(), refused(U - TINY), ask(U, "HALF_OPEN")],
    "LK-CB-15": [trip(), ask(U, "HALF_OPEN"), look(U, "HALF_OPEN", failure_count=0, success_count=0)],
    "LK-CB-16": [trip(), ask(U, "HALF_OPEN"), refused(U, "HALF_OPEN", c="d")],
    "LK-CB-17": [PROBED, refused(U + 5, "HALF_OPEN", c="d"), ask(U + 10, "HALF_OPEN")],
    "LK-CB-18": [trip(), ask(U, "HALF_OPEN"), refused(U + 5, "HALF_OPEN", c="d")],
    "LK-CB-19": [trip(), recovery()],
    "LK-CB-20": [trip(), recovery(), look(U + 20, failure_count=0, success_count=0)],
    "LK-CB-21": [PROBED, probe(U + 10, "failure", "OPEN"), refused(U + 10)],
    "LK-CB-22": [trip(), refused(0)],
    "LK-CB-23": [failures(0, last="CLOSED"), ask(1), ok(1)],
    "LK-CB-24": [ask(0, c="late"), trip(), ok(5, "OPEN", c="late")],
    "LK-CB-28": [trip(at=100), refused(50)],
    "LK-RP-01": [trip(), refused(100, wait_s=200.0), look(U, "HALF_OPEN", wait_s=0.0)],
}


@pytest.mark.parametrize("clause", RIGHT)
def test_what_is_right_passes_its_clause_and_fails_none(clause):
    findings = found(RIGHT[clause], clauses=(clause,))
    assert findings[clause].verdict is PASS
    assert {name for name, finding in findings.items() if finding.verdict is not PASS} == set()


# the clause that is to blame, and what is wrong
WRONG = [
    ("LK-CB-09", "refuses a fresh call", [ask(0), refused(0, "CLOSED", c="d")]),
    ("LK-CB-09", "is OPEN from the first", [ask(0), look(1, "OPEN")]),
    ("LK-CB-09", "does not answer", [ask(0), ask(1, None, c="d")]),
    ("LK-CB-10", "stays CLOSED after three failures", failures(0, 0, 0, last="CLOSED")),
    ("LK-CB-10", "does not count a failure", [failures(0, 1, last="CLOSED"), look(2, failure_count=1)]),
    ("LK-CB-10", "does not answer the third failure", [failures(0, 1, last="CLOSED"), ask(2), bad(2, None)]),
    ("LK-CB-11", "opens at two failures", [failures(0, 0, last="OPEN")]),
    ("LK-CB-11", "opens when failures are too far apart", [failures(0, 30, 60 + TINY, last="OPEN")]),
    ("LK-CB-11", "is found OPEN after one failure", [failures(0, last="CLOSED"), refused(1)]),
    ("LK-CB-11", "opens by a success", [failures(0, 0, last="CLOSED"), ask(1), ok(1, "OPEN")]),
    ("LK-CB-11", "counts a failure twice", [failures(0, last="CLOSED"), look(1, failure_count=2)]),
    ("LK-CB-12", "opens for 200 s", [trip(), look(0, "OPEN", cooldown_until=moment(200)), ask(200, "HALF_OPEN")]),
    ("LK-CB-13", "permits while OPEN", [trip(), ask(1, "OPEN", c="d")]),
    ("LK-CB-13", "permits as if it had always been CLOSED", [trip(), ask(1, c="d")]),
    ("LK-CB-13", "probes long before the end", [trip(), ask(100, "HALF_OPEN")]),
    ("LK-CB-13", "queues while OPEN", [trip(), refused(1, held="queued")]),
    ("LK-CB-13", "refuses with another error", [trip(), refused(1, error="other")]),
    ("LK-CB-13", "refuses without an error", [trip(), refused(1, error=None)]),
    ("LK-CB-13", "blocks a call that is not urgent", [trip(), refused(1, held="blocked", urgent=False)]),
    ("LK-CB-14", "probes an instant early", [trip(), ask(U - TINY, "HALF_OPEN")]),
    ("LK-CB-14", "looks HALF_OPEN early", [trip(), look(U - TINY, "HALF_OPEN")]),
    ("LK-CB-14", "is OPEN at cooldown_until", [trip(), refused(U)]),
    ("LK-CB-14", "is OPEN for ever", [trip(), look(U, "OPEN"), refused(900)]),
    ("LK-CB-15", "enters with a success", [trip(), ask(U, "HALF_OPEN"), look(U, "HALF_OPEN", success_count=1)]),
    ("LK-CB-15", "keeps the failures", [trip(), ask(U, "HALF_OPEN"), look(U, "HALF_OPEN", failure_count=3)]),
    (
        "LK-CB-15",
        "keeps the successes of the time before",
        [TWICE, probe(U + 20, "failure", "OPEN"), probe(2 * U + 20, state="CLOSED")],
    ),
    ("LK-CB-16", "refuses the first probe", [trip(), refused(U, "HALF_OPEN")]),
    ("LK-CB-16", "permits two at the move", [trip(), ask(U, "HALF_OPEN"), ask(U, "HALF_OPEN", c="d")]),
    (
        "LK-CB-16",
        "permits all who ask together",
        [trip(), together(*(ask(U, "HALF_OPEN", c=f"c{n}") for n in range(3)))],
    ),
    ("LK-CB-16", "does not answer the first probe", [trip(), ask(U, None)]),
    ("LK-CB-17", "permits a second within the interval", [PROBED, ask(U + 9, "HALF_OPEN", c="d")]),
    ("LK-CB-17", "never permits a second", [PROBED, refused(U + 40, "HALF_OPEN", c="d")]),
    ("LK-CB-18", "permits beside a probe", [trip(), ask(U, "HALF_OPEN"), ask(U + 5, "HALF_OPEN", c="d")]),
    ("LK-CB-18", "waits for ever for a lost probe", [trip(), ask(U, "HALF_OPEN"), refused(U + 40, "HALF_OPEN", c="d")]),
    ("LK-CB-19", "closes by two", [PROBED, probe(U + 10, state="CLOSED")]),
    ("LK-CB-19", "does not close by three", [TWICE, probe(U + 20, state="HALF_OPEN")]),
    ("LK-CB-19", "does not answer a success", [trip(), ask(U, "HALF_OPEN"), ok(U, None)]),
    ("LK-CB-20", "keeps failures when it closes", [trip(), recovery(), failures(330, 331, last="OPEN")]),
    ("LK-CB-20", "shows a count when it has closed", [trip(), recovery(), look(330, failure_count=3)]),
    (
        "LK-CB-20",
        "counts one too many after it closed",
        [trip(), recovery(), failures(330, last="CLOSED"), look(331, failure_count=2)],
    ),
    ("LK-CB-21", "does not open by a failed probe", [PROBED, probe(U + 10, "failure", "HALF_OPEN")]),
    ("LK-CB-21", "closes by a failed probe", [PROBED, probe(U + 10, "failure", "CLOSED")]),
    (
        "LK-CB-21",
        "keeps the old cooldown",
        [PROBED, probe(U + 10, "failure", "OPEN"), look(U + 10, "OPEN", cooldown_until=moment(U))],
    ),
    (
        "LK-CB-21",
        "counts two failures",
        [PROBED, probe(U + 10, "failure", "OPEN"), look(U + 10, "OPEN", failure_count=2)],
    ),
    ("LK-CB-22", "goes from CLOSED to HALF_OPEN", [failures(0, 0, 0, last="HALF_OPEN")]),
    ("LK-CB-22", "looks HALF_OPEN while CLOSED", [ask(0), look(0, "HALF_OPEN")]),
    ("LK-CB-22", "goes from OPEN to CLOSED", [trip(), look(1, "CLOSED")]),
    ("LK-CB-22", "closes by the end of the cooldown", [trip(), ask(U)]),
    ("LK-CB-22", "closes by a late success", [ask(0, c="late"), trip(), ok(5, "CLOSED", c="late")]),
    ("LK-CB-22", "opens by a probe that succeeds", [trip(), ask(U, "HALF_OPEN"), ok(U, "OPEN")]),
    ("LK-CB-22", "opens while it is probed", [PROBED, refused(U + 1)]),
    ("LK-CB-22", "closes while it is probed", [PROBED, look(U + 1, "CLOSED")]),
    ("LK-CB-22", "does not answer a success", [ask(0), ok(0, None)]),
    ("LK-CB-28", "closes when the clock goes back", [trip(at=100), look(50, "CLOSED")]),
    ("LK-CB-28", "has no end when the clock goes back", [trip(at=100), look(50, "OPEN"), refused(900)]),
    ("LK-RP-01", "tells a wait below zero", [trip(), look(U + 5, "OPEN", wait_s=-5.0)]),
    ("LK-RP-01", "tells the whole cooldown", [trip(), refused(100, wait_s=300.0)]),
    ("LK-RP-01", "lets a CLOSED breaker wait", [ask(0, wait_s=5.0)]),
]


@pytest.mark.parametrize(("clause", "mistake", "parts"), WRONG, ids=[f"{row[0]} {row[1]}" for row in WRONG])
def test_a_mistake_is_blamed_on_its_clause_alone(clause, mistake, parts):
    assert failing(list(parts), trip_elsewhere()) == {clause}


def trip_elsewhere():
    """The control: in another world a breaker permits, opens and refuses."""
    return [RESET, *trip(), refused(0)]


def test_nothing_that_happened_is_inconclusive():
    findings = found(clauses=("LK-CB-10",))
    assert findings["LK-CB-10"].verdict is CheckVerdict.INCONCLUSIVE


def test_every_clause_of_the_profile_has_a_rule():
    shown = {clause.id for clause in registry.get("circuit_breaker").catalogue.judged_in("breaker")}
    assert set(RULES.clauses) == shown


def test_every_ambiguous_clause_has_readings_and_one_of_them_is_ours():
    for clause in registry.get("circuit_breaker").catalogue:
        assert clause.ambiguous == bool(clause.readings), clause.id
        assert sum(reading.ours for reading in clause.readings.values()) == bool(clause.readings), clause.id


def test_one_wrong_answer_does_not_make_the_next_ones_wrong():
    wrong = [*failures(0, 0, 0, last="CLOSED"), ask(1, c="d"), bad(1, "OPEN", c="d"), refused(2)]
    finding = found(wrong)["LK-CB-10"]
    assert (finding.verdict, "more like it" in finding.observed) == (CheckVerdict.FAIL, False)


def test_what_was_not_counted_once_is_not_blamed_again():
    assert failing(failures(0, 0, 0, last="CLOSED"), look(1, failure_count=0), trip_elsewhere()) == {"LK-CB-10"}
    ignored = [*PROBED, *probe(U + 10, "failure", "HALF_OPEN"), look(U + 11, "HALF_OPEN", failure_count=1)]
    assert failing(ignored) == {"LK-CB-21"}


def test_the_second_time_in_half_open_begins_anew():
    again = [*TWICE, *probe(U + 20, "failure", "OPEN"), *recovery(2 * U + 20)]
    assert found(again)["LK-CB-15"].verdict is PASS


def test_an_operation_of_another_system_is_nothing():
    begin, end = ask(0)
    assert found((msgspec.structs.replace(begin, op="check"), msgspec.structs.replace(end, op="check"))) == {}


ALWAYS_PERMITS = [*failures(0, 0, 0, 0, 0, last="CLOSED"), ask(1)]
ALWAYS_REFUSES = [refused(0), refused(1, c="d"), bad(1, "OPEN", c="d")]
DIES = [ask(0, None), bad(0, None), look(1, None)]


@pytest.mark.parametrize("parts", [ALWAYS_PERMITS, ALWAYS_REFUSES, DIES], ids=["permits", "refuses", "dies"])
def test_who_always_does_the_same_passes_no_clause(parts):
    assert {finding.verdict for finding in found(parts).values()} == {CheckVerdict.FAIL}


def test_who_refuses_too_late_is_not_taken_for_one_who_never_does():
    findings = found(failures(0, 0, 0, last="CLOSED"), ask(1, c="d"), bad(1, "OPEN", c="d"), refused(1))
    assert findings["LK-CB-09"].verdict is PASS


def test_an_operation_without_a_name_is_no_operation_on_a_breaker():
    begin, end = told(0, "failure", "CLOSED")
    begin.value.pop("name")
    assert found((begin, end)) == {}


def test_a_breaker_that_nobody_knows_is_one_of_its_own():
    assert failing(trip(), refused(0), ask(0, name="api/openai"), look(0, name="never/used")) == set()


def test_a_breaker_that_opens_by_the_failures_of_another_is_blamed_for_its_record():
    assert failing(trip(), refused(0), refused(0, name="api/openai")) == {"LK-CB-01"}
    assert failing(trip(), refused(0), ask(1, "CLOSED", permitted=False, name="api/openai")) == {"LK-CB-01"}


def test_the_name_of_a_breaker_in_a_failure_is_told_in_full():
    finding = found(trip(), ask(1, "OPEN"))["LK-CB-13"]
    assert NAME in finding.observed
    assert "for another 299 s" in finding.expected

"""Each permitted reading is followed, named, and dropped when a history speaks against it."""

import pytest
from handmade_breaker import (
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
    readings,
    record,
    recovery,
    refused,
    together,
    trip,
)

from harness.core.finding import CheckVerdict
from harness.systems.circuit_breaker.oracle.readings import EVERY, QUESTIONS, WITH, surviving

U = 300.0
OLDER = [*failures(0, 40, 70, last="CLOSED")]  # 40, 70 and 80 lie within 60 s; those after 0 do not


def test_a_sliding_window_is_seen_by_the_last_of_three():
    assert readings("LK-CB-10", OLDER, failures(80), refused(80)) == {"sliding"}


def test_a_tumbling_window_is_seen_by_what_it_leaves_out():
    assert readings("LK-CB-10", OLDER, failures(80, last="CLOSED"), failures(90)) == {"tumbling"}


def test_both_windows_are_left_where_they_agree():
    assert readings("LK-CB-10", trip()) == {"sliding", "tumbling"}


def test_exactly_sixty_seconds_are_within_or_not():
    assert readings("LK-CB-11", failures(0, 30, last="CLOSED"), failures(60)) == {"inclusive"}
    assert readings("LK-CB-11", failures(0, 30, 60, last="CLOSED")) == {"exclusive"}
    assert readings("LK-CB-11", failures(0, 30, 60 + TINY, last="CLOSED")) == {"inclusive", "exclusive"}


def test_a_success_while_closed_leaves_the_count_or_clears_it():
    between = [*failures(0, 0, last="CLOSED"), ask(1), ok(1)]
    assert readings("LK-CB-23", between, failures(2)) == {"leaves"}
    assert readings("LK-CB-23", between, failures(2, last="CLOSED")) == {"clears"}
    assert readings("LK-CB-23", between, look(2, failure_count=2)) == {"leaves"}


PROBED = [*trip(), ask(U, "HALF_OPEN"), ok(U + 4, "HALF_OPEN")]


@pytest.mark.parametrize(
    ("at", "permitted", "left"),
    [
        (U + 10, True, {"start", "slots"}),
        (U + 10, False, {"end"}),
        (U + 14, True, {"start", "end", "slots"}),
    ],
)
def test_the_interval_runs_from_the_start_of_a_probe_or_its_end(at, permitted, left):
    assert readings("LK-CB-17", PROBED, ask(at, "HALF_OPEN", permitted, c="next")) == left


def test_slots_run_from_entering_half_open():
    late = [*trip(), *probe(U + 8), ask(U + 10, "HALF_OPEN", c="next")]
    assert readings("LK-CB-17", late) == {"slots"}


def test_slots_are_stamped_with_the_call_where_the_move_is():
    first = [
        *trip(),
        ask(U + 8, "HALF_OPEN"),
        look(U + 8, "HALF_OPEN", last_state_change=moment(U + 8)),
        ok(U + 8, "HALF_OPEN"),
    ]
    assert failing(first, ask(U + 10, "HALF_OPEN", c="next")) == {"LK-CB-17"}


def test_the_move_to_half_open_is_stamped_with_the_call_or_the_end_of_the_cooldown():
    moved = [*trip(), ask(U + 8, "HALF_OPEN")]
    assert readings("LK-CB-07", moved, look(U + 8, "HALF_OPEN", last_state_change=moment(U))) == {"cooldown_until"}
    assert readings("LK-CB-07", moved, look(U + 8, "HALF_OPEN", last_state_change=moment(U + 8))) == {"call"}
    assert failing(moved, look(U + 8, "HALF_OPEN", last_state_change=moment(0))) == {"LK-CB-07"}


def test_at_rest_a_breaker_may_look_moved_or_not():
    for shown in (look(U + 5, "OPEN"), look(U + 5, "HALF_OPEN", last_state_change=moment(U + 3))):
        assert failing(trip(), shown, ask(U + 9, "HALF_OPEN")) == set()


@pytest.mark.parametrize("held", ["refused", "queued", "blocked"])
def test_the_surplus_is_held_in_one_of_three_ways(held):
    assert readings("LK-CB-18", trip(), ask(U, "HALF_OPEN"), refused(U + 1, "HALF_OPEN", c="d", held=held)) == {held}


def test_two_ways_to_hold_the_surplus_are_inconsistent():
    surplus = [refused(U + 1, "HALF_OPEN", c="d", held="queued"), refused(U + 2, "HALF_OPEN", c="e")]
    finding = found(trip(), ask(U, "HALF_OPEN"), surplus)["LK-CB-18"]
    assert (finding.verdict, finding.reason) == (CheckVerdict.FAIL, "inconsistent")


WAITING = [*PROBED, refused(U + 5, "HALF_OPEN", c="w", held="queued")]


def test_a_call_that_waits_is_permitted_when_it_is_asked_for_again():
    assert failing(WAITING, ask(U + 10, "HALF_OPEN", c="w"), ok(U + 10, "HALF_OPEN", c="w")) == set()


def test_a_call_that_waits_may_have_begun_before_it_is_asked_for_again():
    begun = [*WAITING, ask(U + 15, "HALF_OPEN", c="w"), ok(U + 15, "HALF_OPEN", c="w")]
    assert failing(begun, ask(U + 20, "HALF_OPEN", c="x")) == set()
    assert failing(
        PROBED, ask(U + 15, "HALF_OPEN", c="w"), ok(U + 15, "HALF_OPEN", c="w"), ask(U + 19, "HALF_OPEN", c="x")
    ) == {"LK-CB-17"}


def test_another_call_may_find_that_one_that_waited_has_begun():
    assert (
        failing(WAITING, refused(U + 15, "HALF_OPEN", c="x", held="queued"), ask(U + 16, "HALF_OPEN", c="w")) == set()
    )


def test_what_waits_is_given_up_when_it_is_refused():
    given_up = [*WAITING, refused(U + 6, "HALF_OPEN", c="w"), refused(U + 40, "HALF_OPEN", c="x")]
    assert "LK-CB-17" in failing(given_up)


def test_what_waited_while_open_may_be_the_probe():
    queued = [*trip(), refused(1, c="w", held="queued", urgent=False), refused(U + 1, "HALF_OPEN", c="x")]
    assert failing(queued) == set()


def test_a_late_result_is_ignored_or_counted_by_the_legal_moves():
    late = [*[ask(0, c=f"l{n}") for n in range(3)], *trip(), ask(U, "HALF_OPEN")]
    assert readings("LK-CB-24", late, bad(U + 1, "HALF_OPEN", c="l0")) == {"ignored", "counted"}
    assert readings("LK-CB-24", late, bad(U + 1, "OPEN", c="l0")) == {"counted"}
    assert readings("LK-CB-24", late, [ok(U + n, "HALF_OPEN" if n < 2 else "CLOSED", c=f"l{n}") for n in range(3)]) == {
        "counted"
    }


def test_a_late_result_at_rest_may_move_the_breaker():
    late = [ask(0, c="l"), ask(0, c="m"), *trip()]
    assert failing(late, bad(U + 1, "OPEN", c="l")) == set()
    assert failing(late, ok(U + 1, "HALF_OPEN", c="l"), ask(U + 2, "HALF_OPEN")) == set()
    assert readings("LK-CB-24", late, bad(U + 1, "OPEN", c="l"), refused(U + 2)) == {"counted"}


def test_a_result_of_a_call_that_nobody_asked_for_counts_or_does_not():
    for state in ("CLOSED", "OPEN"):
        assert failing(failures(0, 0, last="CLOSED"), bad(1, state, c="nobody")) == set()


def test_the_result_of_a_probe_that_was_given_up_counts_or_does_not():
    lost = [*trip(), ask(U, "HALF_OPEN", c="lost"), ask(U + 10, "HALF_OPEN", c="second")]
    for state in ("HALF_OPEN", "OPEN"):
        assert failing(lost, bad(U + 11, state, c="lost")) == set()
    assert failing(lost, ok(U + 11, "HALF_OPEN", c="lost")) == set()


def test_a_lost_probe_gives_its_slot_up_after_one_interval_or_two():
    lost = [*trip(), ask(U, "HALF_OPEN", c="lost")]
    assert failing(lost, ask(U + 10, "HALF_OPEN", c="x")) == set()
    assert failing(lost, refused(U + 20 - TINY, "HALF_OPEN", c="x"), ask(U + 20, "HALF_OPEN", c="y")) == set()
    assert failing(lost, refused(U + 40, "HALF_OPEN", c="x")) == {"LK-CB-18"}


@pytest.mark.parametrize(("count", "left"), [(0, {"zero"}), (1, {"one"}), (3, {"threshold"})])
def test_failure_count_after_reopening(count, left):
    reopened = [*trip(), *probe(U, "failure", "OPEN"), look(U, "OPEN", failure_count=count)]
    assert readings("LK-CB-21", reopened) == left


def test_nothing_is_said_of_the_count_once_a_late_failure_came():
    reopened = [ask(0, c="late"), *trip(), *probe(U, "failure", "OPEN"), bad(U, "OPEN", c="late")]
    assert failing(reopened, look(U, "OPEN", failure_count=2)) == set()


def test_the_last_error_is_kept_for_another_process_or_a_general_one_told():
    assert readings("LK-CB-13", trip(), refused(1, process=1)) == {"kept"}
    assert readings("LK-CB-13", trip(), refused(1, process=1, error="the circuit is open")) == {"generic"}
    assert failing(trip(), refused(1, process=1, error=None)) == {"LK-CB-13"}


def test_failures_without_an_error_leave_it_open_what_is_told():
    silent = [*failures(0, 0, last="CLOSED"), ask(0), bad(0, "OPEN", error=None)]
    assert failing(silent, refused(1, error="anything")) == set()


def test_a_late_failure_may_be_the_last_error_or_not():
    late = [ask(0, c="late"), *trip(), bad(1, "OPEN", c="late", error="late")]
    for error in ("E", "late"):
        assert failing(late, refused(2, error=error)) == set()
    assert failing(late, refused(2, error="other")) == {"LK-CB-13"}


def test_last_failure_time_is_null_or_kept_after_closing():
    closed = [*trip(), *recovery()]
    cleared, kept = record("CLOSED", U + 20), record("CLOSED", U + 20, last_failure_time=0)
    assert readings("LK-CB-20", closed, look(330, file={"api/claude": cleared})) == {"null"}
    assert readings("LK-CB-20", closed, look(330, file={"api/claude": kept})) == {"kept"}


def test_two_readings_of_two_breakers_are_one_too_many():
    spaced = [*failures(0, 30, last="CLOSED"), *failures(60)]
    other = failures(1000, 1030, 1060, last="CLOSED", name="api/openai")
    assert failing(spaced, other) == {"LK-CB-10"}


def test_two_readings_in_one_file_are_one_too_many():
    file = {
        "api/claude": record("HALF_OPEN", U, last_failure_time=0),
        "api/openai": record("HALF_OPEN", U + 5, last_failure_time=0),
    }
    moved = together(ask(U + 5, "HALF_OPEN"), ask(U + 5, "HALF_OPEN", name="api/openai"))
    seen = [look(U + 6, "HALF_OPEN", file=file), look(U + 7, "HALF_OPEN", name="api/openai")]
    assert failing(trip(), trip(name="api/openai"), moved, seen) == {"LK-CB-07"}


def test_nothing_is_said_of_the_surplus_that_is_not_urgent():
    assert readings("LK-CB-18", trip(), ask(U, "HALF_OPEN"), refused(U + 1, "HALF_OPEN", c="d", held="queued", urgent=False)) == {
        "refused", "queued", "blocked",
    }  # fmt: skip


def test_readings_are_kept_to_from_one_world_to_the_next():
    spaced = [*failures(0, 30, last="CLOSED"), *failures(60)]
    assert failing(spaced, RESET, failures(0, 30, 60, last="CLOSED"))


def test_every_assignment_takes_one_reading_of_each_question():
    for clause, names in QUESTIONS.items():
        assert sum(WITH[clause][name] for name in names) == EVERY
        assert surviving(clause, EVERY) == set(names)
    assert surviving("LK-CB-01", EVERY) is None


def test_three_processes_that_fail_at_once_open_the_breaker():
    calls = [ask(0, c=f"c{n}") for n in range(3)]
    told = [bad(0, state, c=f"c{n}") for n, state in enumerate(("CLOSED", "OPEN", "CLOSED"))]
    findings = found(calls, together(*told), refused(1))
    assert {findings[clause].verdict for clause in ("LK-CB-10", "LK-CB-27")} == {CheckVerdict.PASS}


def test_an_update_that_is_lost_among_others_is_blamed_for_that():
    calls = [ask(0, c=f"c{n}") for n in range(3)]
    assert failing(calls, together(*(bad(0, c=f"c{n}") for n in range(3)))) == {"LK-CB-27"}
    shown = [bad(0, state, c=f"c{n}") for n, state in enumerate(("CLOSED", "CLOSED", "OPEN"))]
    assert failing(calls, together(*shown), ask(1)) == {"LK-CB-27"}


def test_who_asks_beside_the_last_probe_is_held_or_permitted():
    closing = [*trip(), *probe(U), *probe(U + 10), ask(U + 20, "HALF_OPEN", c="third")]
    done = ok(U + 20, "CLOSED", c="third")
    assert failing(closing, together(done, ask(U + 20, c="x"))) == set()
    assert failing(closing, together(done, refused(U + 20, "HALF_OPEN", c="x"))) == set()
    assert failing(closing, together(done, refused(U + 20, "OPEN", c="x"))) != set()


def test_more_operations_at_once_than_can_be_put_in_order_show_nothing():
    many = together(*(bad(n * 61, "CLOSED", c=f"c{n}") for n in range(20)))
    finding = found(many, clauses=("LK-CB-10",))["LK-CB-10"]
    assert (finding.verdict, "overlap in more ways" in finding.reason) == (CheckVerdict.INCONCLUSIVE, True)


def test_more_states_than_can_be_followed_show_nothing(monkeypatch):
    monkeypatch.setattr("harness.systems.circuit_breaker.oracle.following._MOST_STATES", 1)
    finding = found(failures(0, last="CLOSED"), ask(1), ok(1), clauses=("LK-CB-23",))["LK-CB-23"]
    assert (finding.verdict, "more than 1 states" in finding.reason) == (CheckVerdict.INCONCLUSIVE, True)


def test_a_call_that_began_by_itself_is_known_once_it_is_asked_for_again():
    begun = [
        *WAITING,
        refused(U + 15, "HALF_OPEN", c="x", held="queued"),
        refused(U + 16, "HALF_OPEN", c="x", held="queued"),
    ]
    assert failing(begun, ask(U + 17, "HALF_OPEN", c="w"), ok(U + 17, "HALF_OPEN", c="w")) == set()
    assert failing(begun, ask(U + 17, "HALF_OPEN", c="w"), ask(U + 18, "HALF_OPEN", c="w")) == set()

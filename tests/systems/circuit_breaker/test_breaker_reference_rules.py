"""The reference's rules in memory: the table, what trips, what is admitted, what closes, and the load that is allowed."""

import itertools

import pytest
from breaker_reference_world import CLOSED, HALF_OPEN, NAME, OPEN, World

from harness.ports.fake_files import FakeFiles
from harness.systems.circuit_breaker.contract import Held, Outcome, State, Tunables
from harness.systems.circuit_breaker.reference.breaker import MOST_CALLS, MOST_PROBES, Breaker
from harness.systems.circuit_breaker.reference.pace import Tuning
from harness.systems.circuit_breaker.reference.transitions import TRANSITIONS, Event, IllegalMoveError, after


@pytest.fixture
def world():
    return World("/world", FakeFiles())


@pytest.fixture
def open_world(world):
    assert world.fail(0, 0, 0) == OPEN
    return world


@pytest.fixture
def half_open(open_world):
    assert open_world.ask(300, call="probe").state == HALF_OPEN
    return open_world


def breaker(**tunables):
    return Breaker(Tuning().pace(Tunables(**tunables)))


def test_only_four_moves_exist():
    moves = {(before, event): after(before, event) for before, event in TRANSITIONS}
    assert moves == {
        (State.CLOSED, Event.TRIPPED): State.OPEN,
        (State.OPEN, Event.COOLED): State.HALF_OPEN,
        (State.HALF_OPEN, Event.RECOVERED): State.CLOSED,
        (State.HALF_OPEN, Event.RELAPSED): State.OPEN,
    }
    for state, event in set(itertools.product(State, Event)) - set(TRANSITIONS):
        with pytest.raises(IllegalMoveError, match=f"{event} while {state}"):
            after(state, event)


# -- CLOSED


def test_a_breaker_nobody_used_is_closed_and_permits(world):
    assert (world.ask().permitted, world.ask().state, world.look().state) == (True, CLOSED, CLOSED)
    assert world.look().last_state_change is None


@pytest.mark.parametrize(
    ("times", "state"),
    [
        ((0, 30, 60), OPEN),
        ((0, 30, 60.000001), CLOSED),
        ((0, 0, 0), OPEN),
        ((0, 40, 70, 80), OPEN),
        ((0, 40, 70, 100.000001), CLOSED),
        ((0, 50, 100, 150, 200), CLOSED),
        ((0, 59.999999), CLOSED),
    ],
)
def test_three_failures_within_a_sliding_minute_open(world, times, state):
    assert world.fail(*times) == state


def test_a_success_leaves_the_count(world):
    world.fail(0, 1)
    world.ok(2)
    assert (world.look(2).failure_count, world.fail(3)) == (2, OPEN)


def test_the_count_of_an_inspection_is_that_of_now(world):
    world.fail(0, 30)
    assert [world.look(at).failure_count for at in (60, 60.000001, 90.000001)] == [2, 1, 0]


def test_a_result_is_counted_once(world):
    world.ask(call="one")
    assert [world.tell("failure", "one").state for _ in range(5)] == [CLOSED] * 5
    assert world.look().failure_count == 1
    assert world.tell("failure", "one").log[0].code == "call_unknown"


def test_a_result_of_a_call_that_another_process_asked_for_counts(world):
    for call in ("one", "two", "three"):
        world.ask(call=call)
    other = world.opened()
    assert [other.tell("failure", call).state for call in ("one", "two", "three")] == [CLOSED, CLOSED, OPEN]


def test_the_memory_of_calls_is_bounded():
    found = breaker()
    for number in range(3 * MOST_CALLS):
        assert found.ask(str(number), 0) is None
    assert len(found._calls) + len(found._older) <= 2 * MOST_CALLS + 1
    assert found.tell(str(3 * MOST_CALLS - 1), Outcome.SUCCESS, 0)
    assert not found.tell("0", Outcome.SUCCESS, 0)


def test_the_memory_of_refused_calls_is_bounded():
    found = breaker(threshold=1)
    found.ask("x", 0)
    found.tell("x", Outcome.FAILURE, 0)
    for number in range(3 * MOST_CALLS):
        assert found.ask(str(number), 1) is Held.REFUSED
    assert len(found._calls) + len(found._older) <= 2 * MOST_CALLS + 1


# -- OPEN


def test_an_open_breaker_refuses_with_the_last_error_until_its_cooldown_ends(world):
    for number in range(3):
        world.ran("failure", number, error=f"error {number}")
    refused = world.ask(301.999999)
    assert (False, OPEN, "refused", "error 2", 0.000001) == (
        refused.permitted, refused.state, refused.held, refused.error, refused.wait_s,
    )  # fmt: skip
    assert (True, HALF_OPEN) == (world.ask(302).permitted, world.look(302).state)


def test_what_is_not_urgent_is_refused_too(open_world):
    assert open_world.ask(1, urgent=False).held == "refused"


def test_a_refusal_without_a_known_error_says_so_in_general(world):
    world.fail(0, 0, 0, error=None)
    assert "is OPEN" in world.ask().error


def test_late_results_of_an_open_breaker_are_ignored(world):
    world.ask(call="late")
    world.fail(0, 0, 0)
    before = world.written()
    assert [world.tell(outcome, "late", 1).state for outcome in ("failure", "success")] == [OPEN, OPEN]
    assert world.written() == before


def test_the_result_of_a_refused_call_is_ignored(open_world):
    open_world.ask(1, call="refused")
    assert codes_of(open_world.tell("failure", "refused", 300)) == ["call_unknown"]


def codes_of(result):
    return [entry.code for entry in result.log]


# -- HALF_OPEN


def test_the_call_that_ends_the_cooldown_is_the_one_probe(half_open):
    assert [half_open.ask(at).permitted for at in (300, 309.999999, 310, 310)] == [False, False, True, False]


def test_entering_half_open_zeroes_the_counts_and_is_stamped_with_the_end_of_the_cooldown(open_world):
    open_world.ask(444)
    found = open_world.look(444)
    assert (0, 0, "2026-03-01T12:05:00Z", None, "2026-03-01T12:00:00Z") == (
        found.failure_count, found.success_count, found.last_state_change, found.cooldown_until, found.last_failure_time,
    )  # fmt: skip


def test_the_interval_runs_from_the_start_of_a_probe(half_open):
    half_open.tell("success", "probe", 307)
    assert [half_open.ask(at).permitted for at in (309.999999, 310)] == [False, True]


def test_a_lost_probe_gives_its_slot_up_and_its_late_success_counts(half_open):
    assert half_open.ask(310, call="second").permitted
    assert [half_open.tell("success", call, 315).state for call in ("probe", "second")] == [HALF_OPEN, HALF_OPEN]
    assert half_open.look(315).success_count == 2


def test_three_successes_close(half_open):
    states = [half_open.tell("success", "probe", 301).state, half_open.ok(310), half_open.ok(320)]
    assert states == [HALF_OPEN, HALF_OPEN, CLOSED]
    found = half_open.look(321)
    assert (0, 0, None, None, "2026-03-01T12:05:20Z") == (
        found.failure_count, found.success_count, found.last_failure_time, found.cooldown_until, found.last_state_change,
    )  # fmt: skip


def test_any_failure_opens_again_for_a_whole_cooldown(half_open):
    half_open.tell("success", "probe", 301)
    assert half_open.ran("failure", 310, error="again").state == OPEN
    found = half_open.look(310)
    assert (1, 0, 300.0) == (found.failure_count, found.success_count, found.wait_s)
    assert half_open.ask(609.999999).error == "again"
    assert half_open.ask(610).permitted
    assert half_open.look(610).success_count == 0


def test_late_results_are_no_probes(world):
    world.ask(call="late")
    world.fail(0, 0, 0)
    world.ask(300, call="probe")
    assert world.tell("failure", "late", 301).state == HALF_OPEN
    assert world.tell("success", "late", 301).state == HALF_OPEN
    assert world.look(301).success_count == 0


def test_results_of_before_the_recovery_do_not_count_after_it(half_open):
    half_open.tell("success", "probe", 300)
    half_open.ask(310, call="straggler")
    half_open.ok(320, 330)
    assert half_open.look(330).state == CLOSED
    assert half_open.tell("failure", "straggler", 331).state == CLOSED
    assert half_open.look(331).failure_count == 0


def test_a_probe_is_known_by_every_process(half_open):
    other = half_open.opened()
    assert (False, HALF_OPEN) == (other.ask(301).permitted, other.tell("success", "probe", 302).state)
    assert half_open.look(302).success_count == 1


def test_the_results_of_so_many_probes_are_waited_for(half_open):
    for number in range(2 * MOST_PROBES):
        assert half_open.ask(310 + 10 * number, call=f"lost {number}").permitted
    assert len(half_open.written()[NAME]["extra"]["probes"]) == MOST_PROBES


# -- waits and loads


@pytest.mark.parametrize(("at", "wait_s"), [(0, 300.0), (299.5, 0.5), (300, 0.0), (5000, 0.0)])
def test_a_wait_is_never_negative(open_world, at, wait_s):
    assert (open_world.look(at).state, open_world.look(at).wait_s) == (OPEN, wait_s)


def test_a_breaker_that_is_not_open_has_no_wait(world, half_open):
    assert (None, None) == (world.look(name="other").wait_s, half_open.look(301).wait_s)


@pytest.mark.parametrize(("agents", "reduced"), [(-1, 0), (0, 0), (1, 1), (2, 2), (3, 2), (5, 2), (8, 2)])
def test_the_load_is_reduced_while_a_breaker_is_open_or_tested(world, agents, reduced):
    calm = world.capacity(0, agents)
    assert (max(agents, 0), True, False) == (calm.agents, calm.background, calm.queue_non_urgent)
    world.fail(0, 0, 0)
    world.ok(0, name="other")
    for at in (1, 300):
        found = world.capacity(at, agents)
        assert (reduced, False, True) == (found.agents, found.background, found.queue_non_urgent)
    world.ask(300)
    assert world.capacity(301, agents).agents == reduced


@pytest.mark.parametrize(
    ("agents", "ramp"), [(5, [3, 3, 4, 4, 5]), (8, [4, 4, 6, 6, 8]), (1, [1, 1, 1, 1, 1]), (2, [1, 1, 2, 2, 2])]
)
def test_capacity_comes_back_in_steps(half_open, agents, ramp):
    half_open.tell("success", "probe", 300)
    half_open.ok(310, 320)
    assert ramp == [half_open.capacity(320 + at, agents).agents for at in (0, 59.999999, 60, 119.999999, 120)]
    assert half_open.capacity(320, agents).background


def test_a_breaker_that_never_opened_reduces_nothing(world):
    world.fail(0, 1)
    assert world.capacity(2).agents == 5


# -- tunables


@pytest.mark.parametrize(
    "values",
    [
        {"threshold": 0}, {"threshold": -1}, {"threshold": 2.5}, {"threshold": True}, {"threshold": "3"},
        {"threshold": None}, {"threshold": "NaN"}, {"recovery_threshold": float("nan")}, {"window_s": 0},
        {"window_s": float("inf")}, {"cooldown_s": float("nan")}, {"cooldown_s": -0.5}, {"cooldown_s": True},
        {"cooldown_s": 10**400}, {"half_open_interval_s": "10"}, {"half_open_interval_s": [10]}, {"depth": 3},
    ],
    ids=lambda values: "-".join(f"{name}-{type(value).__name__}" for name, value in values.items()),
)  # fmt: skip
def test_tunables_that_are_none_are_refused_and_change_nothing(world, values):
    found = world.set(window_s=5, **values) if "window_s" not in values else world.set(cooldown_s=5, **values)
    assert (False, Tunables(), ["tunable_invalid"]) == (found.accepted, found.tunables, codes_of(found))


def test_tunables_are_in_force_at_once_and_others_keep_their_value(world):
    world.fail(0)
    found = world.set(threshold=2.0, cooldown_s=0.0000001)
    assert (True, Tunables(threshold=2, cooldown_s=0.0000001), ()) == (found.accepted, found.tunables, found.log)
    assert world.fail(60) == OPEN
    assert [world.ask(at).permitted for at in (60, 60.000001)] == [False, True]


def test_tunables_come_with_the_configuration():
    world = World(
        "/world", FakeFiles(), threshold=1, window_s=1, cooldown_s=2, half_open_interval_s=3, recovery_threshold=1
    )
    assert (OPEN, False, CLOSED) == (world.fail(0), world.ask(1.999999).permitted, world.ok(2))


def test_a_configuration_that_is_none_is_told_with_the_first_answer_and_the_defaults_are_in_force():
    world = World("/world", FakeFiles(), threshold=0)
    assert (["tunable_invalid"], []) == (codes_of(world.ask()), codes_of(world.ask()))
    assert world.fail(0, 0, 0) == OPEN


def test_a_cooldown_may_outlast_the_calendar(world):
    world.set(cooldown_s=1e300)
    assert (OPEN, False) == (world.fail(0, 0, 0), world.ask(1e9).permitted)
    assert world.look().cooldown_until == "9999-12-31T23:59:59.999999Z"

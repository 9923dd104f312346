"""Many simulations: which are played, and what all of them together have shown. Source: issue 10."""

import msgspec
import pytest
from told import PLAN, shortened

from harness.simulation import campaign
from harness.simulation.campaign import EXIT_CODES, Played, Steering, gathered, play
from harness.simulation.meetings import PAIRS
from harness.simulation.simulation import Plan
from harness.simulation.sometimes import SOMETIMES
from harness.simulation.virtual_time import days

SEEN = dict.fromkeys(SOMETIMES, 1)
MET = {"+".join(pair): 100 for pair in PAIRS}


def came_of(plan, features=(), **more):
    told = {"broken": {}, "situations": SEEN, "meetings": MET, **more}
    return Played(plan=plan, digest=f"{plan}", events=10, sessions=2, tool_calls=3, features=features, **told)


def chosen(runs, news, *, steers=True):
    """All plans of a campaign in which the run of each of these numbers showed something new."""
    steering, plans = Steering(PLAN, runs, steers=steers), []
    while found := steering.round():
        played = [
            came_of(plan, (f"new {len(plans) + n}",) if len(plans) + n in news else ()) for n, plan in enumerate(found)
        ]
        plans += found
        steering.take(played)
    return plans


def test_without_steering_each_run_is_the_next_seed():
    assert [PLAN._replace(seed=PLAN.seed + n) for n in range(10)] == chosen(10, {0, 3, 5}, steers=False)


def test_while_nothing_is_new_each_run_is_the_next_seed():
    assert [PLAN._replace(seed=PLAN.seed + n) for n in range(10)] == chosen(10, ())


def test_every_second_run_is_a_fork_once_something_was_new():
    plans = chosen(12, {0})
    assert [False] * 4 + [False, True] * 4 == [bool(plan.forks) for plan in plans]
    seeds = [plan.seed for plan in plans if not plan.forks]
    assert list(range(PLAN.seed, PLAN.seed + len(seeds))) == seeds


def test_only_runs_that_showed_something_new_are_forked():
    plans = chosen(40, {2})
    assert {PLAN.seed + 2} == {plan.seed for plan in plans if plan.forks}


def test_forks_come_within_the_days_and_in_their_order():
    plans = chosen(400, set(range(400)))
    assert all(0 <= fork.at < days(PLAN.days) for plan in plans for fork in plan.forks)
    assert all(list(plan.forks) == sorted(plan.forks, key=lambda fork: fork.at) for plan in plans)
    assert max(len(plan.forks) for plan in plans) > 1, "a fork that showed something new is forked again"


def test_a_run_that_shows_what_was_seen_before_is_not_kept():
    steering = Steering(PLAN, 100, steers=True)
    first = steering.round()
    steering.take([came_of(plan, ("the same",)) for plan in first])
    forked = [plan for _ in range(20) for plan in steering.round() if plan.forks]
    assert {first[0].seed} == {plan.seed for plan in forked}


def test_a_campaign_has_as_many_runs_as_it_is_said():
    for runs in (1, 3, 4, 5, 9):
        assert runs == len(chosen(runs, {0}))


@pytest.fixture
def short(monkeypatch):
    shortened(monkeypatch, hours=1)


def run(jobs, runs=6, interrupted=lambda: False):
    heard = []
    steering = Steering(Plan(1, 1, 3, "hostile"), runs, steers=True)
    return campaign.run(steering, jobs, heard.append, interrupted), heard


def test_what_is_chosen_does_not_hang_on_how_many_are_played_at_a_time(monkeypatch):
    """Whole days, since nothing can be shortened in other processes; rounds of two, so that there is a fork soon."""
    monkeypatch.setattr(campaign, "ROUND", 2)
    one, heard = run(1, 4)
    two, heard_of_two = run(2, 4)
    assert one == two
    assert list(one) == heard == heard_of_two
    assert any(each.plan.forks for each in one)


def test_the_same_campaign_is_played_the_same(short):
    assert run(1) == run(1)


def test_an_interruption_keeps_the_runs_until_then(short):
    asked = iter(range(100))
    played, heard = run(1, 6, lambda: next(asked) >= 4)
    assert list(played) == heard
    assert 0 < len(played) < 6


def test_a_run_tells_what_it_came_to(short):
    played = play(Plan(1, 2, 3, "hostile"))
    again = play(Plan(1, 2, 3, "hostile"))
    assert played == again
    assert played.events > 100
    assert played.tool_calls > 10
    assert {} == played.broken
    assert set(played.situations) <= set(SOMETIMES)
    assert set(played.meetings) <= set(MET)
    assert all(played.situations.values())
    assert list(played.features) == sorted(set(played.features))


def test_runs_in_which_all_was_seen_are_sound():
    found = gathered((came_of(PLAN),), "0", whole=True, demands=True)
    assert ("sound", (), ()) == (found.outcome, found.unseen, found.apart)
    assert 0 == EXIT_CODES[found.outcome]


def test_a_broken_rule_of_any_run_breaks_the_campaign():
    runs = (came_of(PLAN), came_of(PLAN, broken={"INT-06": 14}))
    for whole in (True, False):
        assert "broken" == gathered(runs, "0", whole=whole, demands=whole).outcome
    assert 1 == EXIT_CODES["broken"]


def test_a_situation_that_no_run_has_shown_is_demanded_and_told():
    name = next(iter(SOMETIMES))
    rest = {other: 1 for other in SOMETIMES if other != name}
    found = gathered((came_of(PLAN, situations=rest),), "0", whole=True, demands=True)
    assert ("unseen", (name,)) == (found.outcome, found.unseen)
    assert 1 == EXIT_CODES["unseen"]
    assert "sound" == gathered((came_of(PLAN, situations=rest), came_of(PLAN)), "0", whole=True, demands=True).outcome


def test_a_pair_that_met_too_seldom_in_all_runs_together_is_apart():
    name = next(iter(MET))
    found = gathered((came_of(PLAN, meetings={**MET, name: 99}),), "0", whole=True, demands=True)
    assert ("unseen", (name,)) == (found.outcome, found.apart)
    both = (came_of(PLAN, meetings={**MET, name: 99}), came_of(PLAN, meetings={name: 1}))
    assert "sound" == gathered(both, "0", whole=True, demands=True).outcome


def test_what_is_not_demanded_fails_nothing():
    found = gathered((came_of(PLAN, situations={}, meetings={}),), "0", whole=True, demands=False)
    assert ("sound", (), ()) == (found.outcome, found.unseen, found.apart)
    assert set(SOMETIMES) == set(found.situations)
    assert {0} == set(found.situations.values()) | set(found.meetings.values())


def test_an_interrupted_campaign_is_neither_sound_nor_unseen():
    found = gathered((came_of(PLAN, situations={}),), "0", whole=False, demands=False)
    assert "interrupted" == found.outcome
    assert 130 == EXIT_CODES[found.outcome]


def test_counts_and_hours_of_all_runs_are_added_and_features_left_out():
    other = PLAN._replace(days=2, agents=3)
    found = gathered((came_of(PLAN, ("a",)), came_of(other, ("b",))), "0", whole=True, demands=True)
    assert (20, 6) == (found.events, found.tool_calls)
    assert 24 * (1 * 2 + 2 * 3) == found.agent_hours
    assert {2} == set(found.situations.values())
    assert {200} == set(found.meetings.values())
    assert b'"features":["' not in msgspec.json.encode(found)


def test_the_digest_is_of_the_runs_in_their_order():
    one, other = came_of(PLAN), came_of(PLAN._replace(seed=9))
    digests = [gathered(runs, "0", whole=True, demands=True).digest for runs in ((one, other), (other, one), (one,))]
    assert 3 == len(set(digests))
    assert digests[0] == gathered((one, other), "1", whole=True, demands=False).digest

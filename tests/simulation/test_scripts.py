"""What a simulation draws: weather, answers of providers, time. All from a seed, and only in whole numbers."""

from itertools import pairwise

import pytest

from harness.ports.clock import to_seconds
from harness.simulation.incidents import Incidents
from harness.simulation.profiles import PROFILES, Profile, Spells
from harness.simulation.providers import Providers, Spell
from harness.simulation.virtual_time import START, TICKS_PER_S, Chance, VirtualClock, ticks


def test_chance_is_the_same_on_every_machine():
    chance = Chance(7, "use", 1)
    assert [chance.below(1000) for _ in range(5)] == [421, 725, 372, 578, 624]


def test_each_use_has_chances_of_its_own():
    assert Chance(7, "a").below(1 << 32) != Chance(7, "b").below(1 << 32) != Chance(8, "b").below(1 << 32)


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, 0), (1.0, 64), (0.015625, 1), (0.0156251, 2), (5.001, 321)])
def test_nobody_wakes_too_early(seconds, expected):
    assert expected == ticks(seconds)


def test_setting_the_clock_changes_what_it_says_and_not_what_has_passed():
    clock = VirtualClock()
    clock.ticks = 640
    clock.set_by(-64)
    assert clock.now_s() == to_seconds(START) + 9
    assert clock.ticks == 640


def test_spells_come_and_go():
    spell = Spell(Spells(3600, 60, 120), Chance(1, "x"))
    held = [spell.holds(at) for at in range(0, 86_400 * TICKS_PER_S, 10 * TICKS_PER_S)]
    assert 0.01 < sum(held) / len(held) < 0.10
    assert sum(before != after for before, after in pairwise(held)) > 10


def test_without_spells_it_never_holds():
    assert not any(Spell(None, Chance(1, "x")).holds(at) for at in (0, 1 << 40))


def ends(profile):
    providers = Providers({"opus": "p"}, profile, 3)
    fate, chance = Incidents().of("agent-0-1", 3), Chance(3, "answers")
    return [providers.answer("p", at * 6400, 600.0, fate, chance) for at in range(500)]


ALWAYS = Spells(1, 10**9, 10**9)


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        (Profile(limited=ALWAYS), ("429", "ate")),
        (Profile(down=ALWAYS), ("503", "529", "refused")),
    ],
)
def test_in_a_spell_providers_fail_in_its_way(profile, words):
    late = ends(profile)[10:]
    assert all(any(word in answer.ended.output for word in words) for answer in late)


def test_in_a_slow_spell_half_of_the_attempts_are_lost():
    late = ends(Profile(slow=ALWAYS))[10:]
    lost = [answer for answer in late if answer.ended.kind in ("timeout", "signal")]
    assert 0.4 < len(lost) / len(late) < 0.6
    assert {answer.after for answer in lost if answer.ended.kind == "timeout"} == {600 * TICKS_PER_S}


def test_in_calm_weather_nearly_all_is_done():
    done = [answer for answer in ends(PROFILES["calm"]) if answer.ended.code == 0 and answer.ended.kind == "exit"]
    assert len(done) > 450


def test_a_provider_that_nobody_knows_cannot_be_called():
    providers, fate = Providers({"opus": "api/claude"}, PROFILES["calm"], 1), Incidents().of("agent-0-1", 1)
    answer = providers.answer("gpt", 0, 600.0, fate, Chance(1))
    assert answer.ended.kind == "not_started"

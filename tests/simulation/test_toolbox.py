"""Local tools of a simulation: how they fail, what helps, all from a seed. Issue 6, item 5."""

import pytest

from harness.simulation.incidents import Incidents
from harness.simulation.mishaps import CAUSES, MISHAPS
from harness.simulation.profiles import PROFILES, Profile
from harness.simulation.toolbox import NONE, WRONG, Toolbox
from harness.simulation.virtual_time import Chance
from harness.systems.diagnosis.contract import ErrorType
from harness.systems.error_log.contract import NON_BLOCKING

ALWAYS = Profile(tool_share=1000, beside_share=1000)


def fate(seed=1):
    """What a session meets with, drawn from a seed."""
    return Incidents().of("agent-0-1", seed)


def helped(cause, strategy, believed, times=1000, seed=3):
    """How often of a thousand a second attempt ends well."""
    tools, met, chance = Toolbox(ALWAYS, seed), fate(seed), Chance(seed, "draws")
    argv = ("use", cause, "0", "2", strategy)
    return sum(tools.answer(argv, believed, met, chance).ended.code == 0 for _ in range(times))


def test_tools_fail_in_the_ten_types_of_the_document():
    assert set(CAUSES) == set(ErrorType) - {ErrorType.UNKNOWN}
    tools, met = Toolbox(ALWAYS, 1), fate()
    drawn = {tools.draw("t", met).command[1] for _ in range(500)}
    assert drawn == {cause.value for cause in CAUSES}


@pytest.mark.parametrize("profile", PROFILES)
def test_as_many_uses_fail_as_the_profile_says(profile):
    tools, met = Toolbox(PROFILES[profile], 1), fate()
    failing = sum(tools.draw("t", met).command[1] != NONE for _ in range(10_000))
    assert abs(failing - 10 * PROFILES[profile].tool_share) < 100


@pytest.mark.parametrize("cause", CAUSES)
def test_the_first_attempt_fails_as_it_was_drawn_and_its_cause_is_known(cause):
    tools = Toolbox(ALWAYS, 1)
    for number, mishap in enumerate(MISHAPS[cause]):
        answer = tools.answer(("use", cause.value, str(number), "1", ""), "", fate(), Chance(1))
        assert (answer.ended, answer.cause) == (mishap.ended, cause.value)
        assert (answer.ended.kind, answer.ended.code) != ("exit", 0)


def test_a_use_that_was_not_drawn_to_fail_works():
    answer = Toolbox(ALWAYS, 1).answer(("use", NONE, "0", "1", ""), "", fate(), Chance(1))
    assert (answer.ended.kind, answer.ended.code, answer.cause) == ("exit", 0, "")


def test_the_same_again_helps_only_after_a_rate_limit():
    assert helped("syntax_error", "", "syntax_error") == 0
    assert helped("rate_limited", "", "rate_limited") > 300


def test_each_strategy_helps_as_often_as_the_seed_says_for_each_type():
    shares = {helped("syntax_error", strategy, "syntax_error", seed=seed) for strategy in "abc" for seed in (1, 2)}
    assert len(shares) > 4
    assert helped("syntax_error", "a", "syntax_error") == helped("syntax_error", "a", "syntax_error")


def test_a_recovery_from_another_cause_seldom_helps():
    right, wrong = helped("syntax_error", "a", "syntax_error"), helped("syntax_error", "a", "network_error")
    assert 0 < wrong < 3 * right / WRONG


def test_what_is_done_beside_the_work_fails_in_the_three_kinds_that_stop_nothing():
    tools, chance = Toolbox(ALWAYS, 1), Chance(1)
    kinds = set()
    for _ in range(50):
        kind, argv = tools.beside(chance)
        kinds.add(kind)
        assert tools.answer_beside(argv, fate(), chance).ended.code != 0
    assert kinds == NON_BLOCKING

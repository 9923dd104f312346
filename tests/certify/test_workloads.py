"""A system's workloads for people who test with Hypothesis. Source: issue 3, Build 7."""

import functools
import unittest

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from harness import workloads
from harness.certify import corpus
from harness.core.scenario import Scenario
from harness.errors import MachineError, UsageError
from harness.explore.driver import ViolationError
from harness.targets.hook import HookSession

QUICK = settings(
    max_examples=8, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module", autouse=True)
def read_once():
    """Reading the scenario files takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "scenarios", functools.cache(corpus.scenarios))
        yield


@pytest.fixture(scope="module")
def hooks(pytestconfig):
    return pytestconfig.rootpath / "examples" / "hooks"


@pytest.fixture(scope="module")
def sound(hooks):
    with workloads.opened(hooks / "sound_python" / "target.yaml") as implementation:
        yield implementation


def drawn(strategy):
    found = []

    @settings(max_examples=60, database=None, derandomize=True)
    @given(strategy)
    def collect(scenario):
        found.append(scenario)

    collect()
    return found


def test_a_strategy_gives_scenarios_of_its_profile_and_level_only():
    found = drawn(workloads.scenarios("stop_gate", "gate", level="L1"))
    assert {Scenario} == {type(scenario) for scenario in found}
    assert {("gate", "L1", False)} == {(each.profile, each.level, each.full_length) for each in found}
    assert len({scenario.id for scenario in found}) > 20


def test_a_target_leaves_only_what_is_meant_for_it(hooks):
    found = drawn(workloads.scenarios("stop_gate", "stop_hook", target=hooks / "sound_python" / "target.yaml"))
    assert {None} == {scenario.group for scenario in found}


def test_a_failing_strategy_shrinks_towards_few_steps():
    @settings(max_examples=60, database=None, derandomize=True, report_multiple_bugs=False)
    @given(workloads.scenarios("stop_gate", "stop_hook"))
    def none_has_more_than_two_steps(scenario):
        sizes.append(len(scenario.steps))
        assert len(scenario.steps) <= 2

    sizes = []
    with pytest.raises(AssertionError):
        none_has_more_than_two_steps()
    every = [len(each.steps) for each in corpus.scenarios("stop_gate") if each.profile == "stop_hook"]
    assert min(size for size in every if size > 2) == sizes[-1]


def test_a_sound_hook_breaks_nothing_that_is_drawn(sound, hooks):
    @QUICK
    @given(workloads.scenarios("stop_gate", "stop_hook", level="L1", target=hooks / "sound_python" / "target.yaml"))
    def holds(scenario):
        sound.check(scenario)
        assert sound.findings(scenario)

    holds()


def test_a_dead_guard_is_told_with_its_scenario(hooks):
    calm = next(each for each in drawn(workloads.scenarios("stop_gate", "stop_hook")) if "SH-08" in each.clauses)
    with (
        workloads.opened(hooks / "never_blocks" / "target.yaml") as hook,
        pytest.raises(ViolationError, match="let the session end") as caught,
    ):
        hook.check(calm)
    assert calm == caught.value.scenario


def run(case):
    return unittest.defaultTestLoader.loadTestsFromTestCase(case).run(unittest.TestResult())


def test_the_state_machine_finds_what_damage_does_to_a_hook(hooks):
    """SH-05: its warnings about damaged lines land in standard output."""
    target = hooks / "noisy_stdout" / "target.yaml"
    machine = workloads.state_machine("stop_gate", "stop_hook", target)
    machine.TestCase.settings = settings(QUICK, max_examples=20, stateful_step_count=6, phases=[Phase.generate])
    result = run(machine.TestCase)
    assert 1 == len(result.failures) + len(result.errors)
    assert "ViolationError: SH-05" in (result.failures + result.errors)[0][1]


def test_the_state_machine_of_a_sound_hook_passes_and_closes_what_it_opened(hooks, monkeypatch):
    closed = []
    leave = HookSession.__exit__
    monkeypatch.setattr(HookSession, "__exit__", lambda self, *more: (closed.append(self), leave(self, *more))[1])
    machine = workloads.state_machine("stop_gate", "stop_hook", hooks / "sound_python" / "target.yaml")
    machine.TestCase.settings = settings(QUICK, max_examples=3, stateful_step_count=4)
    assert run(machine.TestCase).wasSuccessful()
    assert 1 == len(closed)
    with pytest.raises(UsageError, match="the target is opened by the TestCase of this machine"):
        machine()


def test_the_reference_is_opened_in_the_profile_that_is_asked_for():
    scenario = workloads.scenarios("stop_gate", "gate", level="L1")
    with workloads.opened("reference", profile="gate") as gate:
        gate.check(drawn(scenario)[0])


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda target: workloads.scenarios("stop_gate", "nothing"), "has no scenario of profile 'nothing'"),
        (lambda target: workloads.scenarios("engine", "gate"), "there is no system 'engine'"),
        (
            lambda target: workloads.scenarios("stop_gate", "gate", target=target),
            "shows in profile 'stop_hook', not in 'gate'",
        ),
        (lambda target: workloads.state_machine("stop_gate", "gate", target), "shows in profile 'stop_hook'"),
    ],
)
def test_what_does_not_exist_is_one_sentence(ask, sentence, hooks):
    with pytest.raises(UsageError, match=sentence):
        ask(hooks / "sound_python" / "target.yaml")


def test_where_nothing_contains_a_hook_it_is_not_run(hooks, monkeypatch):
    monkeypatch.setattr(HookSession, "contained", lambda self: False)
    target = hooks / "sound_python" / "target.yaml"
    with pytest.raises(MachineError, match="refuses namespaces"), workloads.opened(target):
        pass
    with workloads.opened(target, unsafe=True) as hook:
        assert hook.session is not None

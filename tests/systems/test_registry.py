"""The list of systems finds the rooms that a system has, and says so where it has none."""

from importlib import import_module

import pytest
import yaml

from harness.core.finding import CheckVerdict
from harness.core.history import GIVEN_UP, Entry, EntryType, History
from harness.core.scenario import Scenario, World
from harness.systems import registry

GATE, BREAKER = registry.get("stop_gate"), registry.get("circuit_breaker")


def test_hosts_are_told_of_stop_gates_only():
    assert "harness.systems.stop_gate.discovery" == GATE.discovery.__name__
    assert BREAKER.discovery is None
    assert (True, False) == (GATE.runs_as_hook, BREAKER.runs_as_hook)


def test_only_a_system_that_runs_as_a_hook_has_the_target_file_of_one():
    assert [GATE.name] == [system.name for system in registry.every() if system.hook_target() is not None]


def test_one_system_has_an_operation_that_is_written_in_each_language():
    written = [(system.name, system.first_operation()) for system in registry.every()]
    ((name, file),) = [pair for pair in written if pair[1] is not None]
    assert ("rate_limit", {"python", "node", "bash"}) == (name, set(yaml.safe_load(file)["text"]))


def test_where_nothing_fails_open_there_are_no_trials():
    assert () == BREAKER.trials(None, History())


def test_where_everything_fails_open_an_operation_that_was_never_called_is_no_trial():
    scenario = Scenario(1, "none", "t", GATE.name, GATE.served_profile, (), World("2026-03-01T12:00:00Z"), ())
    assert () == GATE.trials(scenario, History())


def test_a_table_of_the_same_system_begins_empty_and_makes_the_same_reference():
    table = import_module("harness.systems.rate_limit.mutants.table").TABLE
    other = table.empty()
    assert (type(table), {}) == (type(other), other.mutants)
    assert table.mutants  # those of the other stay


def test_the_profile_that_is_served_is_the_first_of_the_contract():
    apart = ["gate", "breaker", "backoff", "ladder", "reflection", "log", "queue", "signals", "session"]
    assert [*apart, "watch", "gate", "runner"] == [system.served_profile for system in registry.every()]


def test_the_reference_has_every_optional_group_of_the_profile_that_is_served():
    assert ("model",) == registry.get("diagnosis").served_groups
    assert ("behaviour",) == registry.get("rationalization").served_groups
    assert () == GATE.served_groups  # its groups are of hooks


@pytest.mark.parametrize("system", registry.every(), ids=lambda system: system.name)
def test_a_run_that_the_harness_gave_up_shows_nothing_whatever_stands_in_it(system):
    world = World("2026-03-01T12:00:00Z")
    first, second, *_ = (clause.id for clause in system.catalogue)
    scenario = Scenario(1, "tour", "t", system.name, system.served_profile, (second, first), world, ())
    end = Entry(1, 0, EntryType.INFO, "any", {"reason": GIVEN_UP, "blame": "harness", "message": "too long"}, "now")
    history = History((Entry(0, 0, EntryType.INVOKE, "any", {}, "now"), end))
    said = [(found.clause, found.verdict, found.reason) for found in system.judge(scenario, history, system.catalogue)]
    why = "the harness gave this run up: too long"
    assert [(clause, CheckVerdict.INCONCLUSIVE, why) for clause in sorted((first, second))] == said


def test_a_system_that_runs_as_a_hook_knows_its_hosts_and_what_their_sessions_say():
    (system,) = [each for each in registry.every() if each.runs_as_hook]
    assert system.hosts.default_timeout_s("codex") == system.hosts.host_named("codex").documented.timeout_s
    assert () == system.hosted.judge([], 1)


def test_an_oracle_says_why_another_answer_is_right_under_a_fault_and_most_have_nothing_to_say():
    assert "" == BREAKER.excuse("breaker", "filesystem.missing")
    for profile in GATE.contract.PROFILES:
        assert "" == GATE.excuse(profile, "clock.time_zone")
        assert "a limit of time may be over before the session is read" == GATE.excuse(profile, "syscall.delayed")

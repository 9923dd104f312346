"""The list of systems finds the rooms that a system has, and says so where it has none."""

from harness.core.history import History
from harness.systems import registry

GATE, BREAKER = registry.get("stop_gate"), registry.get("circuit_breaker")


def test_hosts_are_told_of_stop_gates_only():
    assert "harness.systems.stop_gate.discovery" == GATE.discovery.__name__
    assert BREAKER.discovery is None
    assert (True, False) == (GATE.runs_as_hook, BREAKER.runs_as_hook)


def test_where_nothing_fails_open_there_are_no_trials():
    assert () == BREAKER.trials(None, History())


def test_the_profile_that_is_served_is_the_first_of_the_contract():
    assert ["gate", "breaker", "backoff", "ladder", "reflection", "log", "queue", "signals", "session"] == [
        system.served_profile for system in registry.every()
    ]


def test_the_reference_has_every_optional_group_of_the_profile_that_is_served():
    assert ("model",) == registry.get("diagnosis").served_groups
    assert () == GATE.served_groups  # its groups are of hooks

"""What a reference does to files is the same whether an interpreter or a fork of the agent started it."""

import needs
import pytest

from harness.certify import corpus, reach
from harness.core.scenario import Scenario
from harness.explore.learning import learned
from harness.qualify.subjects import served
from harness.systems import registry
from harness.targets.slots import Slots

KINDS = ("blind", "generated")


def explored(name: str, profile: str) -> Scenario:
    level3 = (each for each in corpus.enumerated(name) if (each.level, each.profile) == ("L3", profile))
    found = (each for each in level3 if "-order-" not in each.id)
    return min(found, key=lambda each: (len(each.steps), each.id))


@needs.namespaces
@pytest.mark.parametrize("name", registry.NAMES)
def test_every_system_is_kept_warm(name):
    """Who cannot be is started by an interpreter, which no result would show."""
    system = registry.get(name)
    ways = (reach.served_python(system, None, timeout_scale=1.0), *(served(system, kind, "x") for kind in KINDS))
    for way in ways:
        with way.open(Slots(1)) as session:
            assert session.sandbox.is_warm


def hook() -> reach.Reach:
    return reach.reference(registry.get("stop_gate"), timeout_scale=1.0)[1]


@needs.namespaces
def test_the_reference_hook_is_kept_warm():
    with hook().open(Slots(1)) as session:
        assert session.sandbox.is_warm


def a_reference(name: str) -> reach.Reach:
    return hook() if name == "stop_gate" else reach.served_python(registry.get(name), None, timeout_scale=1.0)


@needs.namespaces
@pytest.mark.parametrize("name", ["rate_limit", "session_recovery", "stop_gate"])
def test_the_same_calls_are_made(name, monkeypatch):
    profile = a_reference(name).profile
    system, scenario = registry.get(name), explored(name, profile)
    calls = []
    for kept in (reach._WARM, {}):
        monkeypatch.setattr(reach, "_WARM", kept)
        with a_reference(name).open(Slots(1)) as session:
            assert session.sandbox.is_warm is bool(kept)
            found = learned(scenario, session, system.inputs_of)
        calls.append([[(call.name, call.paths) for call in one[0]] for one in found.recordings])
    assert calls[0]
    assert calls[0] == calls[1]

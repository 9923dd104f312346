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


def explored(name: str) -> Scenario:
    found = (each for each in corpus.enumerated(name) if each.level == "L3" and "-order-" not in each.id)
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


@needs.namespaces
@pytest.mark.parametrize("name", ["rate_limit", "session_recovery"])
def test_the_same_calls_are_made(name, monkeypatch):
    system, scenario = registry.get(name), explored(name)
    calls = []
    for kept in (reach._WARM, {}):
        monkeypatch.setattr(reach, "_WARM", kept)
        with reach.served_python(system, None, timeout_scale=1.0).open(Slots(1)) as session:
            assert session.sandbox.is_warm is bool(kept)
            found = learned(scenario, session, system.inputs_of)
        calls.append([[(call.name, call.paths) for call in one[0]] for one in found.recordings])
    assert calls[0]
    assert calls[0] == calls[1]

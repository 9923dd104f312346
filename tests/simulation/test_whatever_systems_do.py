"""No system, however wrong, ends a simulation with an exception: what it broke is told."""

import json
import math

import pytest
from file_world import AT_WORK, DRIFTS, HOME, World

from harness.ports.fake_files import FakeFiles
from harness.runtime.ports import UnansweredError
from harness.simulation.invariants import unended
from harness.simulation.session import HOME as SIMULATED
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import Assembly
from harness.simulation.virtual_time import days, ticks

DEEP = b"[" * 200_000 + b"]" * 200_000


class Silent:
    """A system that leaves some operations unanswered."""

    def __init__(self, inner, operations):
        self._inner = inner
        self._operations = operations

    def __getattr__(self, name):
        return self._unanswered if name in self._operations else getattr(self._inner, name)

    def _unanswered(self, arguments, now_s):
        raise UnansweredError("no answer within 10 s")


class Unanswering(Assembly):
    """References, of which one leaves what humans ask unanswered."""

    def of(self, agent, files, clock):
        made = super().of(agent, files, clock)
        return made._replace(signals=Silent(made.signals, ("decide", "clarify", "cancel")))


def test_a_human_who_is_not_answered_decides_again_and_the_silence_is_told():
    simulation = Simulation(Plan(1, 3, 1, "flaky"), Unanswering(SIMULATED))
    told = []
    simulation.watchers.append(lambda session, event: told.append((session, type(event).__name__)))
    assert simulation.run()
    assert ("human", "SystemSilent") in told
    assert told.count(("human", "SystemSilent")) == told.count(("human", "HumanDecided")) > 1
    assert simulation.broken["INT-21"] == told.count(("human", "SystemSilent"))


@pytest.mark.parametrize("seconds", [1e308, math.inf, math.nan])
def test_what_is_waited_for_longer_than_any_simulation_never_comes(seconds):
    assert ticks(seconds) > days(1_000_000)


def test_a_task_that_was_claimed_twice_is_ended_twice():
    planted = {"session_recovery": "claimed-tasks-stay-pending"}
    simulation = Simulation(Plan(1, 3, 0, "calm"), Assembly(SIMULATED, planted=planted))
    assert simulation.run()
    assert simulation.broken["INV-02"] > 0


@pytest.mark.parametrize(("path", "broken"), [(AT_WORK, "INV-14"), (DRIFTS, "INV-15")])
def test_a_file_that_is_nested_too_deep_is_damaged(path, broken):
    world = World()
    world.write(path, b'{"tasks":[],"more":' + DEEP + b"}\n")
    assert (broken,) == world.watched.end()


def test_a_phase_may_have_any_name():
    files = FakeFiles()
    files.replace(f"{HOME}/.autobuild/config.json", json.dumps({"plan_path": "p", "phase_ids": ["{0}"]}).encode())
    assert (f"{HOME}/.autobuild/phases/phase-{{0}}.json",) == unended(files, HOME)

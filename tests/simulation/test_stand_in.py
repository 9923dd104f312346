"""A system of a simulation exchanged for a process over stdio. Issue 5, item 6."""

import sys

import needs
import pytest
from playing import played

from harness.certify import reach
from harness.core.events import Anonymous, CallPermitted, CallRefused, SystemSilent
from harness.errors import UntestableError, UsageError
from harness.simulation.session import HOME
from harness.simulation.stand_in import StdioStandIn
from harness.simulation.systems import IN_A_SESSION, Assembly
from harness.systems import registry
from harness.targets.direct import DirectSession
from harness.targets.slots import Slots

pytestmark = needs.namespaces


def exchanged(name, session):
    return Assembly(HOME, {name: StdioStandIn(registry.get(name), session, "another")})


def twins(name, profile, **plan):
    """The simulation with a system in this process, and with its reference over stdio."""
    own, expected = played(profile=profile, **plan)
    with reach.reference(registry.get(name), timeout_scale=1.0)[0].open(Slots(1)) as session:
        twin, events = played(profile=profile, assembly=exchanged(name, session), **plan)
    assert nameless(expected) == nameless(events)
    return own, twin


def nameless(events):
    """Without the ids that an error log draws for itself."""
    anonymous = Anonymous()
    return [(session, anonymous(event)) for session, event in events]


@pytest.mark.parametrize("name", [name for name in IN_A_SESSION if name in registry.NAMES])
def test_exchanging_a_system_for_its_twin_over_stdio_leaves_the_digest(name):
    own, twin = twins(name, "flaky", seed=5)
    assert own.digest == twin.digest


@pytest.mark.parametrize("name", ["rate_limit", "fallback"])  # a process over stdio dies at no change of a file
def test_restarts_and_clocks_that_are_set_leave_it_too(name):
    """Not so the circuit breaker: a full disk of the simulation is none of a process's; see docs/simulate.md."""
    own, twin = twins(name, "hostile", seed=5)
    assert own.counts["machine_restarted"] > 0
    assert own.digest == twin.digest


def test_a_breaker_over_stdio_keeps_all_rules_in_hostile_weather():
    with reach.reference(registry.get("circuit_breaker"), timeout_scale=1.0)[0].open(Slots(1)) as session:
        simulation, _ = played(profile="hostile", seed=5, assembly=exchanged("circuit_breaker", session))
    assert dict(simulation.broken) == {}


def of_command(name, *words):
    return reach.from_spec(reach.command_target(words, "stdio"), registry.get(name), timeout_scale=0.2)


LAZY = """
import json, os, sys
ANSWER = {"protocolVersion": 1, "implementation": {"name": "lazy", "version": "1"}, "systems": {"rate_limit": {}}}
asked = 0
for line in sys.stdin:
    call = json.loads(line)
    result = ANSWER if call["method"] == "initialize" else {}
    if call["method"] == "rate_limit/classify":
        asked += 1
        if asked % 5 == 0:
            os._exit(7)
        result = {"rate_limited": False}
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)
"""


def test_a_target_that_dies_costs_an_operation_and_breaks_the_rule_that_it_answers(tmp_path):
    program = tmp_path / "lazy.py"
    program.write_text(LAZY)
    with of_command("rate_limit", sys.executable, str(program)).open(Slots(1)) as session:
        simulation, events = played(profile="flaky", assembly=exchanged("rate_limit", session))
    silent = [event for _, event in events if isinstance(event, SystemSilent)]
    assert {(event.system, event.operation) for event in silent} == {("rate_limit", "classify")}
    assert set(simulation.broken) == {"INT-21"}
    assert simulation.broken["INT-21"] == len(silent) > 1


IN_MEMORY = """
import json, os, sys
state = {"state": "CLOSED"}
INTRODUCTION = {
    "protocolVersion": 1,
    "implementation": {"name": "m", "version": "1"},
    "systems": {"circuit_breaker": {}},
    "restart": False,
}
acquired = 0
for line in sys.stdin:
    call = json.loads(line)
    result = INTRODUCTION if call["method"] == "initialize" else {}
    if call["method"] == "circuit_breaker/acquire":
        acquired += 1
        result = {"permitted": acquired % 10 > 0, "state": "CLOSED", "error": f"{acquired} by {os.getpid()}"}
    elif call["method"] == "circuit_breaker/record":
        result = {"state": "CLOSED"}
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)
"""


def test_of_one_that_cannot_be_restarted_all_agents_ask_the_same_process(tmp_path):
    """Every tenth call is refused, over all agents; and three failures open nothing (INT-17)."""
    program = tmp_path / "memory.py"
    program.write_text(IN_MEMORY)
    with of_command("circuit_breaker", sys.executable, str(program)).open(Slots(1)) as session:
        simulation, events = played(profile="hostile", seed=5, assembly=exchanged("circuit_breaker", session))
    answers = [type(event) is CallRefused for _, event in events if isinstance(event, CallPermitted | CallRefused)]
    assert [number % 10 == 0 for number in range(1, len(answers) + 1)] == answers
    assert set(simulation.broken) == {"INT-17"}


def test_a_target_that_does_not_begin_cannot_be_simulated(tmp_path):
    program = tmp_path / "ends.py"
    program.write_text("raise SystemExit(3)")
    with of_command("fallback", sys.executable, str(program)).open(Slots(1)) as session, pytest.raises(UntestableError):
        played(assembly=exchanged("fallback", session))


def test_only_what_is_reached_over_stdio_can_stand_in():
    system = registry.get("fallback")
    with DirectSession("ladder", lambda config: None) as session, pytest.raises(UsageError, match="over stdio"):
        StdioStandIn(system, session, "mine")

"""The shipped scenarios that search found say of themselves what playing them again says. Source: issue 3, 4 and 5.

When red after a change of the candidates or of the oracle: build the set again, with the two commands in
docs/scenarios.md, and look at the difference.
"""

import msgspec
import pytest

from harness.certify import corpus
from harness.certify.reach import reference
from harness.core.scenario import dump, load
from harness.explore.coverage import refused
from harness.explore.folder import MARK
from harness.explore.generate import Chooser, Wish
from harness.systems import registry
from harness.targets.slots import Slots

STOP_GATE = registry.get("stop_gate")
FOUND = sorted((corpus.directory() / "stop_gate" / "found").glob("*.yaml"))
HANDFUL = {"gate": 8, "stop_hook": 3}  # played again; a hook's take 0.15 s each


def scenarios(profile):
    return [found for path in FOUND if (found := load(path.read_bytes(), where=path.name)).profile == profile]


@pytest.mark.parametrize(("profile", "number"), [("gate", 40), ("stop_hook", 20)])
def test_so_many_are_shipped(profile, number):
    assert number == len(scenarios(profile))


def test_each_is_generated_and_complete():
    for path in FOUND:
        scenario = load(path.read_bytes(), where=path.name)
        assert path.stem == scenario.id
        assert MARK in scenario.id
        assert scenario.title.startswith("Found: ")
        assert scenario.clauses
        assert scenario.allowed
        assert scenario.level == ("L2" if any(step.fault for step in scenario.steps) else "L1")


@pytest.mark.parametrize("reach", reference(STOP_GATE, timeout_scale=1.0), ids=lambda reach: reach.profile)
def test_a_handful_made_again_is_the_same_bytes(reach):
    every = scenarios(reach.profile)
    handful = every[:: max(1, len(every) // HANDFUL[reach.profile])]
    slots = Slots(1)
    with slots.held(), reach.open(slots) as session:
        chooser = Chooser(STOP_GATE, session, Wish(reach.profile, (), 1, 0))
        for scenario in handful:
            known = {"allowed": scenario.allowed} if reach.profile == "stop_hook" else {"allowed": ()}
            played = chooser.played(msgspec.structs.replace(scenario, title="", clauses=(), **known))
            assert {} == refused(scenario, played.history), scenario.id
            assert dump(chooser.written(played)) == dump(scenario)
            assert dump(scenario) == (corpus.directory() / "stop_gate" / "found" / f"{scenario.id}.yaml").read_text()

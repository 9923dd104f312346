"""What the tests of every system's state machine share."""

from harness.core.scenario import World
from harness.explore.stateful import search
from harness.targets.direct import DirectSession
from harness.targets.session import Reply


class Recording:
    """A driver that remembers what it is given, and answers every operation with ``value``; with None not at all."""

    def __init__(self, value=None):
        self.value = value
        self.steps = []

    def strikes_calls(self):
        return False

    def faults_at_calls(self, world, *steps):
        return ()

    def begin(self, world, group=None):
        assert isinstance(world, World)

    def take(self, step):
        self.steps.append(step)
        count = len(step.schedule.together) if step.schedule is not None else step.op is not None
        return [] if self.value is None else [Reply("ok", self.value)] * count

    def end(self):
        pass


def found_in(system, create, seed, cases, shrinks):
    """The failing scenarios that a search of so many cases finds in what ``create`` makes, and how many cases it began."""
    profile = system.contract.PROFILES[0]
    with DirectSession(profile, create) as session:
        return search(system, session, profile, (), seed, cases, lambda: False, shrinks=shrinks)


def assert_small(system, create, seeds, cases, shrinks, most_steps):
    """The defect in what ``create`` makes is found with one of these seeds, in a scenario of so many steps at most."""
    lengths = []
    for seed in seeds:
        lengths += [len(scenario.steps) for scenario in found_in(system, create, seed, cases, shrinks)[0]]
        if lengths and min(lengths) <= most_steps:
            return
    raise AssertionError(f"found in scenarios of {lengths} steps")

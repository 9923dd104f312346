"""What the tests of every system's state machine share."""

from played import Served, reference

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


class Planted(Served):
    """The reference with a defect: what ``change`` makes of each answer, given what was asked and answered before it."""

    def __init__(self, system, config, change):
        super().__init__(system, reference(system, config))
        self.change = change
        self.earlier = []

    def __getattr__(self, operation):
        method = super().__getattr__(operation)

        def call(args, now_s):
            result = self.change(self.earlier, operation, args, method(args, now_s))
            self.earlier.append((operation, args, result))
            return result

        return call


def planted(system, change):
    """What makes the reference with that defect for a configuration of builtins."""
    return lambda config: Planted(system, config, change)


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

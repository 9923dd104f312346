"""What the tests of every system's mutants share: each of them shows on the outside, on its own level and no lower one.

That the right clause kills it is for ``qualify`` to show; here it only has to differ somewhere from the reference.
"""

import functools
import itertools

LEVELS_SHOWN_IN = {
    "test_a_mutant_of_l1_shows_in_calm_weather": ("L1",),
    "test_a_mutant_of_a_higher_level_shows_only_there": ("L2", "L3"),
    "test_a_mutant_of_l2_shows_under_a_fault": ("L2",),
}


@functools.cache
def reference_told(tests, story):
    return tuple(tests.told(story, tests.system.reference.create))


class MutantsShow:
    """The tests of the mutants of one system, by what they tell in a story of calm weather and in one of faults.

    ``told(story, make)`` gives text by text what an implementation tells that ``make`` makes for a configuration and
    files.
    """

    system = calm = struck = told = None
    least_told = 101

    @classmethod
    def difference(cls, story, make):
        """The first that it tells other than the reference, next to that; it is asked no further than that shows."""
        told = itertools.zip_longest(cls.told(story, make), reference_told(cls, story))
        return next(((one, other) for one, other in told if one != other), None)

    @classmethod
    def mutant(cls, name):
        return functools.partial(cls.system.mutants.create_mutant, name)

    def pytest_generate_tests(self, metafunc):
        levels = LEVELS_SHOWN_IN.get(metafunc.function.__name__)
        if levels is not None:
            mutants = self.system.mutants.MUTANTS.items()
            metafunc.parametrize("name", [name for name, mutant in mutants if mutant.level in levels])

    def test_the_reference_tells_the_same_twice(self):
        for story in (self.calm, self.struck):
            assert len(reference_told(type(self), story)) >= self.least_told
            assert self.difference(story, self.system.reference.create) is None

    def test_a_mutant_of_l1_shows_in_calm_weather(self, name):
        assert self.difference(self.calm, self.mutant(name)) is not None

    def test_a_mutant_of_a_higher_level_shows_only_there(self, name):
        assert self.difference(self.calm, self.mutant(name)) is None

    def test_a_mutant_of_l2_shows_under_a_fault(self, name):
        assert self.difference(self.struck, self.mutant(name)) is not None

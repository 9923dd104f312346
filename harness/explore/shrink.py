"""Makes a failing scenario smaller by leaving steps out, as long as the same clause still fails."""

from collections.abc import Callable

import msgspec

from harness.core.scenario import Scenario

Fails = Callable[[Scenario], bool]


def shortened(scenario: Scenario, fails: Fails) -> Scenario:
    """``scenario`` with no step that could be left out: without any one of them ``fails`` is false.

    Hypothesis shrinks what is drawn, and now and then keeps a step that does nothing; this asks about each, last first.
    """
    smallest = scenario
    again = True
    while again:
        again = False
        for position in reversed(range(len(smallest.steps))):
            steps = smallest.steps[:position] + smallest.steps[position + 1 :]
            candidate = msgspec.structs.replace(smallest, steps=steps)
            if steps and fails(candidate):
                smallest, again = candidate, True
    return smallest

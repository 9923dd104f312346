"""Histories of a register, a counter and a lock whose linearizability is known, from the literature and made by hand."""

import random

import pytest

from harness.systems.linearizable import BeyondBoundError, Overlapping, linearize

EVERY_CASE = 1


def register(state, operation):
    kind, value = operation
    if kind == "write":
        yield value, EVERY_CASE
    elif state == value:
        yield state, EVERY_CASE


def lock(state, operation):
    kind, who, got = operation
    if kind == "release":
        yield (None if state == who else state), EVERY_CASE
    elif got == (state is None):
        yield (who if got else state), EVERY_CASE


def history(*operations):
    return [Overlapping(operation, begun, ended) for begun, ended, operation in operations]


def after(*operations, step=register, before=0):
    return set(linearize(history(*operations), {before: EVERY_CASE}, step).after)


VALID = {
    "one after the other": [(0, 1, ("write", 1)), (2, 3, ("read", 1))],
    "a read beside a write sees the old value": [(0, 3, ("write", 1)), (1, 2, ("read", 0))],
    "a read beside a write sees the new value": [(0, 3, ("write", 1)), (1, 2, ("read", 1))],
    "reads beside a write see old, then new": [(0, 9, ("write", 1)), (1, 2, ("read", 0)), (3, 4, ("read", 1))],
    "two writes end in either order": [(0, 3, ("write", 1)), (1, 2, ("write", 2)), (4, 5, ("read", 1))],
    "a write that never ended was done": [(0, None, ("write", 1)), (1, 2, ("read", 1))],
    "a write that never ended was not done": [(0, None, ("write", 1)), (1, 2, ("read", 0))],
    "a write that never ended is done late": [(0, None, ("write", 1)), (1, 2, ("read", 0)), (3, 4, ("read", 1))],
    "nothing happened": [],
}
INVALID = {
    "a read sees what nobody wrote": [(0, 1, ("write", 1)), (2, 3, ("read", 2))],
    "a read sees what was overwritten before": [(0, 1, ("write", 1)), (2, 3, ("write", 2)), (4, 5, ("read", 1))],
    "reads beside a write see new, then old": [(0, 9, ("write", 1)), (1, 2, ("read", 1)), (3, 4, ("read", 0))],
    "a write that never ended takes itself back": [(0, None, ("write", 1)), (1, 2, ("read", 1)), (3, 4, ("read", 0))],
    "two readers disagree on the order of two writes": [
        (0, 9, ("write", 1)), (0, 9, ("write", 2)),
        (1, 2, ("read", 1)), (3, 4, ("read", 2)), (1, 2, ("read", 2)), (3, 4, ("read", 1)),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", VALID)
def test_a_linearizable_history_is_explained(name):
    assert after(*VALID[name]) != set()


@pytest.mark.parametrize("name", INVALID)
def test_one_that_is_not_is_not(name):
    assert after(*INVALID[name]) == set()


def test_every_state_that_an_order_ends_in_is_found():
    assert after((0, 3, ("write", 1)), (1, 2, ("write", 2))) == {1, 2}


def test_a_state_keeps_the_cases_in_which_it_comes_about():
    def step(state, operation):
        yield state + 1, 0b011
        yield state, 0b110

    found = linearize(history((0, 1, "x"), (2, 3, "x")), {0: 0b111}, step)
    assert found.after == {2: 0b011, 1: 0b010, 0: 0b110}


def test_a_state_without_a_case_is_none():
    assert linearize(history((0, 1, ("write", 1))), {0: 0}, register).after == {}


def test_only_the_steps_of_orders_that_explain_everything_are_told():
    found = linearize(history((0, 3, ("write", 1)), (1, 2, ("read", 0))), {0: EVERY_CASE}, register)
    assert found.steps == ((0, ("read", 0), 0), (0, ("write", 1), 1))


def test_where_nothing_explains_it_the_longest_order_tells_what_could_not_be_done():
    found = linearize(history((0, 1, ("write", 1)), (2, 3, ("read", 2))), {0: EVERY_CASE}, register)
    assert found.stuck == ((1, ("read", 2)),)


def test_more_orders_than_the_bound_are_not_looked_at():
    writes = [(0, 99, ("write", number)) for number in range(12)]
    with pytest.raises(BeyondBoundError, match="12 operations overlap"):
        linearize(history(*writes), {0: EVERY_CASE}, register, most_nodes=1000)


def made(seed, *, broken):
    """A history of a lock: what happened in one order, seen with beginnings and ends around it."""
    draw = random.Random(seed)
    holder, found = None, []
    for moment in range(30):
        who = draw.randrange(4)
        if holder == who:
            operation, holder = ("release", who, None), None
        else:
            got = holder is None or (broken and draw.random() < 0.3)
            operation, holder = ("acquire", who, got), who if got else holder
        begun, ended = moment * 10 - draw.randrange(25), moment * 10 + draw.randrange(1, 25)
        found.append((begun, ended, operation))
    return found


@pytest.mark.parametrize("seed", range(10))
def test_what_happened_in_one_order_is_always_explained(seed):
    assert after(*made(seed, broken=False), step=lock, before=None) != set()


def test_a_lock_that_is_given_twice_is_nearly_always_seen():
    seen = [after(*made(seed, broken=True), step=lock, before=None) == set() for seed in range(10)]
    assert sum(seen) >= 8

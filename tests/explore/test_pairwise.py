"""Faults in combination: every pair in few rows. Source: issue 4, "Combination"."""

import itertools

import hypothesis.strategies as st
from allpairspy import pairs_storage
from hypothesis import given, settings

from harness.explore.pairwise import pairwise

FAMILIES = {"disk": [None, "full", "slow"], "clock": [None, "back"], "signal": [None, "kill", "term", "stop"]}


def met(rows):
    return {pair for row in rows for pair in itertools.combinations(tuple(row.items()), 2)}


def every(parameters):
    return {
        ((one, first), (other, second))
        for one, other in itertools.combinations(parameters, 2)
        for first in parameters[one]
        for second in parameters[other]
    }


@given(st.lists(st.integers(1, 5), min_size=2, max_size=6))
@settings(max_examples=60, deadline=None)
def test_every_pair_is_in_a_row(sizes):
    parameters = {f"p{number}": range(size) for number, size in enumerate(sizes)}
    found = pairwise(parameters)
    assert every(parameters) == met(found.rows)
    assert (len(every(parameters)), ()) == (found.number, found.open)


def at_most_two(row):
    return sum(value is not None for value in row.values()) <= 2


def test_rows_keep_to_what_is_allowed_and_no_pair_is_forgotten():
    found = pairwise(FAMILIES, at_most_two)
    assert every(FAMILIES) == met(found.rows)
    assert [] == [row for row in found.rows if not at_most_two(row)]


def test_pairs_that_nothing_allows_are_told():
    found = pairwise(FAMILIES, lambda row: not (row.get("disk") == "full" and row.get("clock") == "back"))
    assert ((("disk", "full"), ("clock", "back")),) == found.open
    assert every(FAMILIES) - set(found.open) == met(found.rows)


@given(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3), st.integers(0, 2)), max_size=12))
@settings(max_examples=100, deadline=None)
def test_whatever_is_forbidden_every_pair_is_in_a_row_or_told(forbidden):
    parameters = {f"p{number}": range(3) for number in range(4)}
    refused = {((f"p{one}", first), (f"p{other}", second)) for one, first, other, second in forbidden if one < other}

    def allowed(row):
        return not (refused & met([row]))

    found = pairwise(parameters, allowed)
    assert every(parameters) == met(found.rows) | set(found.open)
    assert [] == [row for row in found.rows if not allowed(row)]


def test_rows_are_far_fewer_than_combinations():
    parameters = {f"p{number}": range(8) for number in range(6)}
    assert 8 * 8 <= len(pairwise(parameters).rows) < 8 * 8 * 2


def test_one_parameter_is_each_value_once():
    assert ({"a": 1}, {"a": 2}) == pairwise({"a": [1, 2, 3]}, lambda row: row["a"] < 3).rows


def test_the_same_parameters_give_the_same_rows_and_nothing_stays_behind():
    assert pairwise(FAMILIES).rows == pairwise(FAMILIES).rows
    assert {} == pairs_storage.key_cache

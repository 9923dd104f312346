"""Swarm: which families of faults a case may draw from. Source: issue 4, "Combination"; Groce and others, ISSTA 2012."""

from typing import NamedTuple

from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis import strategies as st

from harness.systems.swarm import Table, subsets

NAMES = ("clock", "disk", "signal")
QUIET = settings(database=None, phases=(Phase.generate,), max_examples=400, suppress_health_check=list(HealthCheck))


class Named(NamedTuple):
    name: str


TABLE = Table([Named("disk.full"), Named("disk.slow"), Named("clock.back")])


def drawn(strategy, number):
    found = []

    @settings(QUIET, max_examples=number)
    @seed(1)
    @given(strategy)
    def draw(value):
        found.append(value)

    draw()
    return found


def test_all_families_are_let_in_three_times_of_four_and_else_each_in_about_half_of_the_subsets():
    names = frozenset(f"family-{number}" for number in range(10))
    found = [subset for subset, _ in drawn(st.tuples(subsets(sorted(names)), st.integers()), 1200)]
    some = [subset for subset in found if subset != names]
    counts = [sum(name in subset for subset in some) for name in names]
    assert 800 < len(found) - len(some) < 1000
    assert [] == [count for count in counts if not 0.35 < count / len(some) < 0.65]
    assert all(found)


def test_every_subset_is_drawn():
    found = drawn(subsets(NAMES), 400)
    assert 7 == len(set(found))


def test_a_case_that_shrinks_keeps_all_families():
    assert frozenset(NAMES) == find(subsets(NAMES), lambda subset: "disk" in subset)


def test_a_table_gives_what_is_of_the_families_only():
    assert {Named("clock.back")} == set(drawn(TABLE.one_of(frozenset({"clock", "signal"})), 20))
    assert {"disk", "clock"} == TABLE.families


def test_what_was_drawn_shrinks_to_the_first_that_will_do_whatever_the_families_were():
    cases = subsets(("clock", "disk")).flatmap(lambda families: st.tuples(st.just(families), TABLE.one_of(families)))
    families, item = find(cases, lambda case: case[1].name == "clock.back")
    assert (frozenset({"clock", "disk"}), Named("clock.back")) == (families, item)

"""Pairs of faults in worlds: each two that can stand at once are in one row, and only what was proven counts."""

import itertools

from harness.certify.reach import reference
from harness.explore import pairs
from harness.explore.generate import Wish, named
from harness.explore.pairs import APART, BEYOND, paired
from harness.explore.pairwise import pairwise
from harness.faults import catalogue
from harness.systems import registry
from harness.systems.stop_gate.contract import GATE, STOP_HOOK
from harness.systems.stop_gate.workload.combinations import combined, slots
from harness.targets.slots import Slots

SYSTEM = registry.get("stop_gate")
NAMES = tuple(kind.name for kind in catalogue.EVERY)


def faults(scenario):
    return {step.fault.name for step in scenario.steps if step.fault is not None}


def test_each_two_faults_of_two_places_are_in_one_world():
    for profile in (GATE, STOP_HOOK):
        of_slots = slots(profile, NAMES)
        rows = pairwise(of_slots).rows
        met = {frozenset(pair) for row in rows for pair in itertools.combinations(row.values(), 2)}
        wanted = {
            frozenset((first, second))
            for one, other in itertools.combinations(of_slots.values(), 2)
            for first in one
            for second in other
        }
        assert wanted == met
        assert 350 < len(rows) < 800  # so many are no part of a certification
        assert set(rows[0].values()) == faults(combined(profile, tuple(rows[0].values())))


def test_a_fault_is_in_one_slot_and_damage_that_takes_lines_away_in_none_of_a_hook():
    of_slots = slots(STOP_HOOK, NAMES)
    names = [name for each in of_slots.values() for name in each]
    assert len(set(names)) == len(names)
    assert "jsonl.torn_tail" not in names
    assert "jsonl.torn_tail" in [name for each in slots(GATE, NAMES).values() for name in each]


def test_pairs_are_counted_by_what_stood_against_one_operation():
    wish = Wish(GATE, ("clock.back", "clock.forward", "json_document.list", "jsonl.nan"), 0, 1)
    reach = {each.profile: each for each in reference(SYSTEM, timeout_scale=1.0)}[GATE]
    slots_of_machine = Slots(1)
    with slots_of_machine.held(), reach.open(slots_of_machine) as session:
        one = paired(SYSTEM, session, wish, most=1)
        both = paired(SYSTEM, session, wish)
    assert (6, 3, 1, [BEYOND] * 2) == (one.pairs, one.met, one.exclusive, list(one.open.values()))
    assert (6, 5, 1, {}) == (both.pairs, both.met, both.exclusive, both.open)
    assert () == one.left_out
    assert (1, 2, 2) == (len(one.chosen), one.needed, len(both.chosen))
    assert () == one.red + both.red


def test_a_pair_that_was_in_a_world_but_never_proven_there_says_why(monkeypatch):
    reach = {each.profile: each for each in reference(SYSTEM, timeout_scale=1.0)}[GATE]
    wish = Wish(GATE, ("clock.back", "jsonl.nan", "process.killed"), 0, 1)
    slots_of_machine = Slots(1)
    with slots_of_machine.held(), reach.open(slots_of_machine) as session:
        without = paired(SYSTEM, session, wish)
        monkeypatch.setattr(pairs, "refused", lambda scenario, history: {"jsonl.nan": "the disk is full"})
        monkeypatch.setattr(pairs, "proven", lambda done: ())
        refused = paired(SYSTEM, session, wish)
        monkeypatch.setattr(pairs, "refused", lambda scenario, history: {})
        apart = paired(SYSTEM, session, wish)
    pair = frozenset(("clock.back", "jsonl.nan"))
    assert (("process.killed",), {}) == (without.left_out, without.open)
    assert {pair: "jsonl.nan: the disk is full"} == refused.open
    assert {pair: APART} == apart.open


def test_the_id_of_a_scenario_with_many_faults_is_no_longer_than_a_file_name_may_be():
    (row, *_) = pairwise(slots(GATE, NAMES)).rows
    assert named(combined(GATE, tuple(row.values())), 1).id.startswith(f"gate-l2-found-{len(row)}-faults-")

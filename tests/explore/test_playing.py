"""Playing what was explored: the calm beginning is played once. Source: CERTIFICATION.md, "Control"."""

from harness.core.history import Entry, EntryType, History
from harness.core.scenario import Explore, Operation, Repeat, Scenario, Step, World
from harness.explore.playing import head_of
from harness.targets.player import NO_HEAD, Head

CHECK, RESET, EXPLORE = Step(op=Operation("check")), Step(op=Operation("reset")), Step(explore=Explore(("errno",)))


def tour(*steps):
    return Scenario(1, "tour", "t", "toy", "gate", (), World("2026-03-01T12:00:00Z"), steps, "L3")


def played(*operations):
    entries = []
    for name in operations:
        for kind in (EntryType.INVOKE, EntryType.OK):
            entries.append(Entry(len(entries), 0, kind, name, {}, "now"))
    return History(tuple(entries))


def test_the_head_ends_with_the_last_reset_before_what_is_explored():
    history = played("check", "reset", "check", "reset", "check", "reset")
    scenario = tour(CHECK, RESET, CHECK, RESET, EXPLORE, CHECK, RESET)
    assert Head(4, history.entries[:8]) == head_of(scenario, 4, history)


def test_without_a_reset_there_is_no_head():
    assert NO_HEAD == head_of(tour(CHECK, EXPLORE, CHECK), 1, played("check", "check"))


def test_a_variant_has_no_step_that_explores_and_its_head_counts_none():
    history = played("check", "reset", "check")
    scenario = tour(EXPLORE, CHECK, RESET, EXPLORE, CHECK)
    assert Head(2, history.entries[:4]) == head_of(scenario, 3, history)


def test_where_a_repeat_resets_how_often_is_not_known():
    again = Step(repeat=Repeat(3, {"decision": "approve"}, (CHECK, RESET)))
    history = played("check", "reset", "reset", "check")
    assert NO_HEAD == head_of(tour(again, RESET, EXPLORE, CHECK), 2, history)

"""The states a crash may leave. Source: issue 4, "Crash states"; fsync(2), rename(2); FAULTS.md."""

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from harness.explore import crash_states as states
from harness.explore.crash_states import Coverage, CrashStates, crash_states, of_recovery
from harness.explore.writes import (
    DIRECTORY,
    Create,
    Exchange,
    Link,
    MakeDirectory,
    Rename,
    Sync,
    SyncAll,
    Tree,
    Truncate,
    Unlink,
    Write,
)

BEFORE = {"s": b"old"}
ATOMIC = [Create("t"), Write("t", 0, b"new"), Sync("t"), Rename("t", "s"), Sync(".")]
UNSYNCED = [Create("t"), Write("t", 0, b"new"), Rename("t", "s")]
IN_PLACE = [Truncate("s"), Write("s", 0, b"new")]


def files(found):
    return [state.files for state in found]


def names(*sets):
    return {frozenset(each) for each in sets}


def contents(found, path="s"):
    return {state.files.get(path) for state in found}


def test_a_killed_process_leaves_every_prefix_and_every_torn_byte():
    assert [
        {"s": b"old"},
        {"s": b"old", "t": b""},
        {"s": b"old", "t": b"n"},
        {"s": b"old", "t": b"ne"},
        {"s": b"old", "t": b"new"},
        {"s": b"new"},
    ] == files(crash_states(BEFORE, UNSYNCED))


def test_labels_say_when_the_process_was_killed():
    assert [
        "killed before the first change",
        "killed after truncate s to 0 bytes",
        "killed after byte 1 of write 1 to s",
        "killed after byte 2 of write 1 to s",
        "killed after write 1 to s",
    ] == [state.label for state in crash_states(BEFORE, IN_PLACE)]


def test_a_write_over_old_bytes_is_torn_over_them():
    assert [{"s": b"old"}, {"s": b"nld"}, {"s": b"ned"}, {"s": b"new"}] == files(
        crash_states(BEFORE, [Write("s", 0, b"new")])
    )


def test_only_the_state_after_the_last_change_is_finished():
    assert [False, False, False, False, False, False, True] == [
        state.finished for state in crash_states(BEFORE, ATOMIC)
    ]


def test_an_operation_that_changes_nothing_leaves_one_finished_state():
    assert [(BEFORE, True)] == [(state.files, state.finished) for state in crash_states(BEFORE, [])]


def test_equal_states_are_given_once_and_counted():
    found = crash_states({}, [Create("a"), Sync("a"), Write("a", 0, b"xx"), Truncate("a"), Sync("a")])
    assert [b"", b"x", b"xx", b""] == [state.files.get("a") for state in found][1:]
    assert Coverage(states=7, distinct=5) == found.coverage


def test_states_seen_before_are_not_given_again():
    seen = set()
    assert 5 == len(list(CrashStates(BEFORE, IN_PLACE, seen=seen)))
    assert [] == list(CrashStates(BEFORE, IN_PLACE, seen=seen))


def test_a_search_that_was_broken_off_says_so():
    found = crash_states(BEFORE, ATOMIC)
    assert Coverage(exhausted=False, cut="not iterated to the end") == found.coverage
    next(iter(found))
    assert Coverage(exhausted=False, cut="not iterated to the end") == found.coverage


def test_a_long_write_is_torn_at_edges_and_sectors_and_says_so():
    found = CrashStates({}, [Create("a"), Write("a", 0, b"x" * 5000)])
    sizes = {len(state.files.get("a", b"")) for state in found}
    assert {0, 1, 63, 512, 4608, 4937, 4999, 5000} <= sizes
    assert not {64, 511, 4935} & sizes
    assert (False, "a write of 5000 bytes to a was torn at 136 places") == (
        found.coverage.exhausted,
        found.coverage.cut,
    )


def test_equal_long_files_are_one_state():
    long = bytes(range(256)) * 4
    found = CrashStates({"a": long}, [Create("b"), Unlink("b"), Write("a", 0, long[:1])])
    assert 3 == len(list(found))


@pytest.mark.parametrize(
    ("expected", "offset", "length"), [([256], 256, 512), ([1], 0, 2), ([], 0, 1), ([], 0, 0), ([512], 0, 1024)]
)
def test_sectors_part_a_write_where_the_file_does(expected, offset, length):
    assert (expected, True) == (list(states.sectors(offset, length)[0]), states.sectors(offset, length)[1])


def test_a_very_long_write_is_lost_from_few_sectors():
    places, every = states.sectors(0, 1024 * 1024)
    assert (64, False) == (len(places), every)


def test_coverages_add_up_and_tell_each_cut_once():
    cut = Coverage(1, 1, exhausted=False, cut="here")
    assert Coverage(4, 3, exhausted=False, cut="here") == cut + Coverage(2, 1) + cut


# power


def test_a_rename_without_sync_may_leave_an_empty_a_short_or_a_zeroed_file():
    found = list(crash_states(BEFORE, UNSYNCED, "power"))
    assert {b"old", b"", b"n", b"\0\0\0", b"n\0\0", b"new"} == contents(found)
    assert "power lost after change 3, rename t to s; lost: write 3 bytes at 0 of t, and on" in {
        state.label for state in found if state.files == {"s": b""}
    }


def test_an_atomic_replacement_leaves_the_old_or_the_new():
    found = list(crash_states(BEFORE, ATOMIC, "power"))
    assert {b"old", b"new"} == contents(found)
    assert {b"new"} == contents([state for state in found if state.finished])


def test_without_a_sync_of_the_directory_what_was_finished_may_be_lost():
    found = list(crash_states(BEFORE, ATOMIC[:-1], "power"))
    assert {b"old", b"new"} == contents([state for state in found if state.finished])


def test_the_sync_of_a_file_does_not_keep_its_name():
    found = list(crash_states({}, [Create("a"), Write("a", 0, b"x"), Sync("a")], "power"))
    assert [{}, {"a": b"x"}] == sorted((state.files for state in found if state.finished), key=len)


def test_sync_all_keeps_everything():
    found = list(crash_states({}, [Create("a"), Write("a", 0, b"x"), SyncAll()], "power"))
    assert [{"a": b"x"}] == [state.files for state in found if state.finished]


def test_names_are_lost_in_every_subset():
    found = files(crash_states({}, [Create("a"), Create("b"), Unlink("a")], "power"))
    assert names("", "a", "ab", "b") == {frozenset(each) for each in found}


def test_a_file_is_not_there_without_its_directory():
    found = files(crash_states({}, [MakeDirectory("d"), Create("d/a"), Sync("d/a"), Sync("d")], "power"))
    assert names((), ["d"], ["d", "d/a"]) == {frozenset(each) for each in found}


def test_a_rename_across_directories_may_leave_both_names_but_never_none():
    before = {"d": DIRECTORY, "e": DIRECTORY, "d/a": b"1"}
    found = files(crash_states(before, [Rename("d/a", "e/a")], "power"))
    assert names(["d", "d/a", "e"], ["d", "d/a", "e", "e/a"], ["d", "e", "e/a"]) == {frozenset(each) for each in found}


def test_the_sync_of_the_old_directory_keeps_a_rename_across():
    before = {"d": DIRECTORY, "e": DIRECTORY, "d/a": b"1", "e/a": b"2"}
    changes = [Unlink("e/a"), Rename("d/a", "e/a"), Sync("d")]
    assert [{"d": DIRECTORY, "e": DIRECTORY, "e/a": b"1"}] == [
        state.files for state in crash_states(before, changes, "power") if state.finished
    ]


def test_the_sync_of_the_new_directory_keeps_the_new_name_only():
    before = {"d": DIRECTORY, "e": DIRECTORY, "d/a": b"1"}
    found = crash_states(before, [Rename("d/a", "e/a"), Sync("e")], "power")
    assert names(["d", "d/a", "e", "e/a"], ["d", "e", "e/a"]) == {
        frozenset(state.files) for state in found if state.finished
    }


def test_a_later_name_that_is_kept_is_not_undone_by_an_earlier_one():
    before = {"d": DIRECTORY, "e": DIRECTORY, "d/a": b"1"}
    changes = [Create("e/a"), Rename("d/a", "e/a"), Sync("d")]
    assert {b"1"} == contents([state for state in crash_states(before, changes, "power") if state.finished], "e/a")


def test_an_exchange_is_lost_or_kept_whole():
    found = files(crash_states({"a": b"1", "b": b"2"}, [Exchange("a", "b")], "power"))
    assert [{"a": b"1", "b": b"2"}, {"a": b"2", "b": b"1"}] == sorted(found[:2], key=lambda each: each["a"])
    assert {b"1", b"2"} == {each["a"] for each in found}


def test_a_link_that_is_kept_is_the_same_file():
    found = list(crash_states({"a": b"1"}, [Link("a", "b")], "power"))
    assert [({"a": b"1", "b": b"1"}, {"b": "a"})] == [(state.files, state.links) for state in found if state.links]


def test_what_was_synced_of_a_file_is_never_lost():
    changes = [Write("s", 0, b"12"), Sync("s"), Write("s", 2, b"34")]
    assert {b"12d", b"123", b"1234", b"12d\0", b"123\0"} == contents(
        [state for state in crash_states(BEFORE, changes, "power") if state.finished]
    )


def test_too_many_subsets_are_cut_and_it_is_said_where():
    changes = [Create(f"f{number}") for number in range(14)]
    found = CrashStates({}, changes, "power", bound=1000)
    counts = [len(state.files) for state in found if state.finished]
    assert {0, 1, 13, 14} <= set(counts)
    assert not found.coverage.exhausted
    assert "after change 14, create f13: 16384 subsets of 14 names and 0 files not synced" in found.coverage.cut


def test_files_beyond_the_bound_are_lost_one_at_a_time():
    changes = [change for name in "abcd" for change in (Create(name), Write(name, 0, b"x" * 600))]
    found = CrashStates({}, changes, "power", bound=500)
    finished = [state.files for state in found if state.finished]
    assert dict.fromkeys("abcd", b"x" * 600) in finished
    assert {"a": b"", **dict.fromkeys("bcd", b"x" * 600)} in finished
    assert not found.coverage.exhausted


CHANGES = st.lists(
    st.one_of(
        st.sampled_from([Create("a"), Create("b"), Unlink("a"), Unlink("b"), Rename("a", "b"), Rename("b", "a")]),
        st.sampled_from([Sync("a"), Sync("b"), Sync("."), SyncAll(), Truncate("a"), Truncate("b", 1)]),
        st.builds(Write, st.sampled_from("ab"), st.integers(0, 2), st.sampled_from([b"1", b"22", b"333"])),
    ),
    max_size=6,
)


def possible(changes):
    tree = Tree.of({})
    kept = []
    for change in changes:
        names = tree.files()[0]
        paths = [change.path] if hasattr(change, "path") else [change.old] if hasattr(change, "old") else []
        if all(path == "." or (path in names) != isinstance(change, Create) for path in paths):
            tree.apply(change)
            kept.append(change)
    return kept


@given(CHANGES)
@settings(max_examples=200, deadline=None)
def test_power_may_leave_whatever_a_kill_between_changes_may(drawn):
    changes = possible(drawn)
    killed = files(CrashStates({}, changes, torn=lambda _offset, _length: ((), True)))
    powered = files(CrashStates({}, changes, "power"))
    assert [] == [state for state in killed if state not in powered]


@given(CHANGES)
@settings(max_examples=100, deadline=None)
def test_after_a_sync_of_everything_power_takes_nothing(drawn):
    changes = [*possible(drawn), SyncAll()]
    tree = Tree.of({})
    for change in changes:
        tree.apply(change)
    assert [tree.files()[0]] == [state.files for state in CrashStates({}, changes, "power") if state.finished]


def test_a_very_long_write_that_is_not_synced_is_lost_from_few_places_and_it_is_said():
    found = CrashStates({}, [Create("a"), Write("a", 0, b"x" * 200_000)], "power")
    assert 100 < len(list(found)) < 1000
    assert "a write of 200000 bytes to a is lost from 64 places" == found.coverage.cut


# depth two


def test_a_crash_during_recovery_is_told_with_both_crashes():
    first = list(crash_states(BEFORE, UNSYNCED))[2]
    found = list(of_recovery(first, [Unlink("t")]))
    assert [{"s": b"old", "t": b"n"}, {"s": b"old"}] == [state.files for state in found]
    assert "killed after byte 1 of write 1 to t; then, in recovery, killed after unlink t" == found[1].label


def test_what_the_first_crash_left_is_durable_in_the_second():
    first = list(crash_states(BEFORE, UNSYNCED, "power"))[1]
    assert {b"old"} == contents(of_recovery(first, [Unlink("t")], "power"))


@pytest.mark.parametrize("position", [0, -1])
def test_states_of_a_recovery_are_finished_as_the_operation_was(position):
    first = list(crash_states(BEFORE, ATOMIC))[position]
    assert {first.finished} == {state.finished for state in of_recovery(first, [Create("x"), Unlink("x")])}

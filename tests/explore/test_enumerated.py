"""One scenario of L3 becomes its variants. Source: issue 4, items 1, 2 and 8; FAULTS.md, "What bites"."""

import os

import pytest

from harness.core.fault import Fault
from harness.core.scenario import Explore, Operation, Scenario, Step, World, dump, load
from harness.explore.enumerated import changing_names, enumerated, explored_steps, torn_sizes
from harness.faults.syscalls import Call, Kind, believable_errnos

HOME = "{home}/state"
ALL = ("errno", "killed", "torn")


def tour(*kinds):
    steps = (
        Step(op=Operation("check", {"role": "control"})),
        Step(op=Operation("reset")),
        Step(explore=Explore(kinds or ALL)),
        Step(op=Operation("check")),
        Step(op=Operation("check", {"again": True})),
    )
    return Scenario(1, "tour", "A check is struck", "toy", "gate", ("A",), World("2026-03-01T12:00:00Z"), steps, "L3")


def call(name, kind, *paths, **more):
    return Call(run=0, process=0, name=name, kind=kind, paths=paths or (HOME,), **more)


def read(*paths):
    return call("newfstatat", Kind.STAT, *paths)


def write(data, *paths):
    return call("write", Kind.WRITE, *paths, data=data, length=len(data))


def faults(found):
    return [variant.fault for variant in found.variants]


def test_each_call_fails_with_each_error_it_can_meet():
    found = enumerated(tour("errno"), 2, [[read(), write(b"x"), read()]])
    stats = [
        Fault("syscall.errno", HOME, {"call": "newfstatat", "nth": 1, "errno": e})
        for e in believable_errnos("newfstatat")
    ]
    writes = [Fault("syscall.errno", HOME, {"call": "write", "nth": 1, "errno": e}) for e in believable_errnos("write")]
    again = [Fault("syscall.errno", HOME, {**dict(fault.params), "nth": 2}) for fault in stats]
    assert [*stats, *writes, *again] == faults(found)
    assert (3, 3, "") == (found.calls, found.sites, found.cut)
    assert tuple(sorted({*believable_errnos("newfstatat"), *believable_errnos("write")})) == found.errnos


def test_a_call_on_two_paths_names_both():
    (first, *_) = faults(enumerated(tour("errno"), 2, [[call("rename", Kind.RENAME, f"{HOME}.new", HOME)]]))
    assert (f"{HOME}.new", HOME) == (first.path, first.params["to"])


def test_a_kill_that_leaves_the_same_files_as_another_is_counted_and_left_out():
    opened = call("openat", Kind.OPEN, flags=os.O_CREAT | os.O_WRONLY)
    found = enumerated(tour("killed"), 2, [[read(), read(), opened, write(b"ab"), read(), read()]])
    assert [("newfstatat", 1), ("write", 1), ("newfstatat", 3)] == [
        (fault.params["call"], fault.params["nth"]) for fault in faults(found)
    ]
    assert 3 == found.alike


def test_after_a_mapping_that_may_change_files_unseen_no_kill_is_left_out():
    mapped = call("mmap", Kind.MAP)
    found = enumerated(tour("killed"), 2, [[read(), mapped, read(), read(), read()]])
    assert (4, 1) == (len(found.variants), found.alike)


def test_a_write_is_torn_at_every_byte_that_no_kill_stands_for():
    found = enumerated(tour("torn"), 2, [[write(b"abcd")]])
    assert [1, 2, 3] == [fault.params["bytes"] for fault in faults(found)]
    assert 0 == found.sampled


@pytest.mark.parametrize(
    ("length", "data", "sizes"),
    [
        (1, b"x", []),
        (64, b"x" * 64, list(range(1, 64))),
        (100, b"x" * 100, [1, 2, 50, 99]),
        (100, b"a" * 9 + b"\n" + b"b" * 80 + b"\n" + b"c" * 9, [1, 2, 10, 50, 91, 99]),
    ],
)
def test_a_long_write_is_torn_at_its_ends_its_middle_and_its_lines(length, data, sizes):
    assert sizes == torn_sizes(length, data)


def test_a_long_write_is_said_to_be_torn_at_some_bytes_only():
    assert 1 == enumerated(tour("torn"), 2, [[write(b"x" * 65), write(b"x")]]).sampled


def test_a_variant_is_an_ordinary_scenario_with_the_fault_in_place_of_what_to_explore():
    for variant in enumerated(tour(), 2, [[write(b"abc")]]).variants:
        steps = variant.scenario.steps
        assert variant.fault == steps[2].fault
        assert tour().steps[3:] == steps[3:]
        assert () == explored_steps(variant.scenario)
        assert variant.scenario == load(dump(variant.scenario), where="x")


def test_ids_are_different_and_hang_on_nothing_but_the_fault():
    first = enumerated(tour(), 2, [[write(b"abc"), read()]]).variants
    fewer = enumerated(tour(), 2, [[write(b"abc")]]).variants
    ids = {variant.fault.name + repr(variant.fault.params): variant.scenario.id for variant in first}
    assert len(set(ids.values())) == len(first)
    assert all(ids[each.fault.name + repr(each.fault.params)] == each.scenario.id for each in fewer)
    assert all(variant.scenario.id.startswith(f"tour-{variant.kind}-") for variant in first)


def test_titles_say_what_strikes():
    titles = [variant.scenario.title for variant in enumerated(tour(), 2, [[write(b"ab")]]).variants]
    assert f"A check is struck; write({HOME}) fails with ENOSPC" == titles[0]
    assert [f"A check is struck; killed before write({HOME})", f"A check is struck; killed after 1 bytes of write({HOME})"] == (
        titles[-2:]
    )  # fmt: skip


def test_what_is_beyond_the_limit_is_left_out_and_said():
    found = enumerated(tour("errno"), 2, [[read(), write(b"x")]], limit=5)
    total = len(believable_errnos("newfstatat")) + len(believable_errnos("write"))
    assert 5 == len(found.variants)
    assert f"{total - 5} of {total} variants are left, from write({HOME}) on" == found.cut


def test_a_call_without_a_path_or_with_one_that_is_no_text_is_not_struck():
    unnamed = call("sync", Kind.SYNC, "")
    odd = read(os.fsdecode(b"{home}/\xff"))
    found = enumerated(tour("errno"), 2, [[unnamed, odd]])
    assert ((), 2, 0) == (found.variants, found.calls, found.sites)
    assert "1 calls are on names that are no UTF-8, and cannot be named here" == found.cut


def test_a_call_that_comes_in_some_runs_only_is_struck_too():
    found = enumerated(tour(), 2, [[write(b"x")], [write(b"x"), write(b"yy"), read()], [write(b"x"), read()]])
    rare = [fault for fault in faults(found) if fault.params["nth"] == 2 or fault.params["call"] == "newfstatat"]
    struck = {(fault.name, fault.params["call"], fault.params.get("bytes")) for fault in rare}
    assert {
        ("syscall.errno", "write", None),
        ("syscall.errno", "newfstatat", None),
        ("syscall.killed", "write", None),
        ("syscall.killed", "newfstatat", None),
        ("syscall.torn", "write", 1),
    } == struck
    assert (1, 3, len(faults(found))) == (found.calls, found.sites, len({*map(str, faults(found))}))


def test_only_a_step_that_explores_has_variants():
    with pytest.raises(ValueError, match="step 0 of tour explores nothing"):
        enumerated(tour(), 0, [[]])


def paths(*names):
    return [read(f"{{home}}/{name}") for name in names]


@pytest.mark.parametrize(
    ("recordings", "patterns"),
    [
        ([("a", "b"), ("a", "b")], ()),
        ([("a", ".tmp-12ab"), ("a", ".tmp-9f00")], ("{home}/.tmp-*",)),
        ([(".tmp-1200",), (".tmp-12ff",)], ("{home}/.tmp-*",)),  # that both begin with 12 is chance
        ([("s.json.77.new",), ("s.json.78.new",)], ("{home}/s.json.*.new",)),
        ([("tmpa1", "tmpb2"), ("tmpc3", "tmpd4")], ("{home}/tmp*",)),
        ([("x/t-1", "y/t-2"), ("x/t-3", "y/t-4")], ("{home}/x/t-*", "{home}/y/t-*")),
        ([("once",), ()], ()),
    ],
)
def test_what_is_called_otherwise_in_every_run_is_named_by_what_stays(recordings, patterns):
    assert patterns == changing_names([paths(*names) for names in recordings])


def test_calls_on_a_changing_name_are_counted_by_its_pattern():
    first, second = ([*paths(f".tmp-{n}1", f".tmp-{n}2", "s")] for n in (3, 4))
    found = enumerated(tour("killed"), 2, [[*first, write(b"x", "{home}/.tmp-32")], second])
    assert [("{home}/.tmp-*", 1)] == [(fault.path, fault.params["nth"]) for fault in faults(found)]

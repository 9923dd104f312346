"""Names that differ from run to run are met again. Source: issue 4, "Replay identity is (process, call, path)"."""

import pytest

from harness.explore.program.names import Names, learned, pattern
from harness.faults.syscalls import Call, Kind


def calls(*paths, name="openat"):
    return [
        Call(run=0, process=0, name=name, kind=Kind.OPEN, paths=tuple(f"/s/{each}" for each in path.split()))
        for path in paths
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("tmpab12", "tmpxy34", "*"),
        ("state-tmpab12", "state-tmpxy34", "state-*"),
        ("s.json.17.tmp", "s.json.19.tmp", "s.json.*.tmp"),
        (".s.ab.json", ".s.cd.json", ".s.*.json"),
        ("d-1/x", "d-2/x", "d-*/x"),
        ("a", "a/b", "a*"),
    ],
)
def test_a_pattern_keeps_what_two_names_have_in_common(first, second, expected):
    assert expected == pattern(first, second)


def test_names_of_both_runs_stay_and_others_become_patterns():
    names, alike = learned("/s", calls("a", "tmp1x", "tmp1x a"), calls("a", "tmp2y", "tmp2y a"))
    assert alike
    assert ("a", "*", "/elsewhere/b", ".") == tuple(map(names, ("/s/a", "/s/tmp3z", "/elsewhere/b", "/s")))


def test_a_name_that_both_runs_had_is_never_taken_for_a_pattern():
    names, _ = learned("/s", calls("tmp", "tmp1"), calls("tmp", "tmp2"))
    assert ("tmp", "*") == (names("/s/tmp"), names("/s/tmp9"))


def test_runs_that_make_other_calls_are_told_apart():
    names, alike = learned("/s", calls("a"), calls("a", "b"))
    assert not alike
    assert () == names.patterns


def test_a_name_that_nobody_learned_stays_as_it_is():
    assert "b/c" == Names("/s", ["a"], ["x*"])("/s/b/c")

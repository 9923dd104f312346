"""Each call of an operation fails in each way once. Source: issue 4, "Call-site sweep"; FAULTS.md "What bites"."""

import errno
import os
import tempfile

import pytest
from watched import standing

from harness.explore.in_process.calls import Site
from harness.explore.in_process.subject import Subject
from harness.explore.in_process.sweep import KILLED, Strike, Striker, sweep
from harness.explore.state_folder import contents

boundary = pytest.fixture(standing)


def subject(boundary, operate, judge=lambda _ended: "", before=None):
    return Subject(boundary.directory, before or {}, lambda: operate(boundary.directory), judge)


def save(directory):
    with open(f"{directory}/a", "w", encoding="utf-8") as file:
        file.write("123456")
        file.flush()
        os.fsync(file.fileno())


def test_the_operation_is_learned_call_by_call(boundary):
    swept = sweep(boundary, subject(boundary, save))
    assert ["open 1 of a", "write 1 of a", "fsync 1 of a", "close 1 of a"] == [str(site) for site in swept.sites]


def test_the_same_call_on_the_same_path_is_counted(boundary):
    swept = sweep(boundary, subject(boundary, lambda path: [os.path.exists(f"{path}/{name}") for name in "aab"]))
    assert [("stat", ("a",), 1), ("stat", ("a",), 2), ("stat", ("b",), 1)] == [
        (site.name, site.paths, site.nth) for site in swept.sites
    ]


def test_every_call_meets_each_of_its_errors_and_nothing_is_unfired(boundary):
    met = []
    swept = sweep(boundary, subject(boundary, save, lambda ended: met.append(ended.error) or ""))
    names = [error and errno.errorcode[error.errno] for error in met]
    assert [None, "EACCES", "EMFILE", "EIO", "ENAMETOOLONG", "ENOSPC", "EDQUOT", "EROFS"] == names[:8]
    assert (swept.strikes + 1, ()) == (len(met), swept.unfired)
    assert None not in names[1:]


def test_a_full_disk_first_writes_short_and_stays_full(boundary):
    left = []

    def judge(ended):
        if ended.error and ended.error.errno == errno.ENOSPC:
            left.append(contents(boundary.directory)[0].get("a"))
        return ""

    def twice(directory):
        file = os.open(f"{directory}/a", os.O_CREAT | os.O_WRONLY)
        try:
            try:
                assert 6 == os.write(file, b"123456")
            finally:
                os.write(file, b"cleaned")
        finally:
            os.close(file)

    sweep(boundary, subject(boundary, twice, judge))
    assert {b"", b"123", b"123456", b"123456cleaned"} == {each for each in left if each is not None}


def test_a_process_is_killed_at_every_call_when_asked(boundary):
    left = []
    sweep(
        boundary,
        subject(
            boundary, save, lambda ended: (left.append(contents(boundary.directory)[0]) if ended.killed else 0) or ""
        ),
        kill=True,
    )
    assert [{}, {"a": b""}, {"a": b"123"}, {"a": b"123456"}, {"a": b"123456"}] == left


def test_what_fails_without_a_fault_is_told(boundary):
    swept = sweep(boundary, subject(boundary, save, lambda _ended: "never good"))
    assert ("no fault at nothing 0 of ", "never good") == (
        str(swept.failures[0].strike),
        swept.failures[0].complaint,
    )


def test_a_strike_that_meets_no_call_is_unfired_and_no_success(boundary):
    runs = []

    def different(directory):
        runs.append(len(runs))
        os.path.exists(f"{directory}/{'first' if len(runs) <= 2 else 'later'}")

    swept = sweep(boundary, subject(boundary, different))
    assert (swept.strikes, swept.strikes) == (len(swept.unfired), len(runs) - 2)


def test_every_run_begins_with_a_fresh_directory(boundary):
    met = []

    def operate(directory):
        met.append(sorted(os.listdir(directory)))
        os.mkdir(f"{directory}/left")

    sweep(boundary, subject(boundary, operate, before={"a": b"1"}))
    assert {("a",)} == set(map(tuple, met))


def test_a_strike_strikes_once(boundary):
    site = Site("stat", ("a",), 1)
    striker = Striker(Strike(site, "EIO"))
    with boundary.under(striker), pytest.raises(OSError, match="Input/output"):
        os.stat(f"{boundary.directory}/a")
    assert (True, False) == (striker.fired, os.path.exists(f"{boundary.directory}/a"))


@pytest.mark.parametrize(
    ("expected", "strike"),
    [
        ("EIO at write 2 of a", Strike(Site("write", ("a",), 2), "EIO")),
        ("killed after 3 bytes at write 1 of a", Strike(Site("write", ("a",), 1), KILLED, 3)),
        ("EXDEV at rename 1 of a and b", Strike(Site("rename", ("a", "b"), 1), "EXDEV")),
    ],
)
def test_a_strike_is_told_in_words(expected, strike):
    assert expected == str(strike)


def test_calls_on_names_that_are_made_up_are_met_again(boundary):
    def operate(path):
        number, name = tempfile.mkstemp(dir=path)
        os.write(number, b"x")
        os.close(number)
        os.replace(name, f"{path}/a")

    swept = sweep(boundary, subject(boundary, operate), kill=True)
    assert () == swept.unfired
    assert ["write 1 of {new name 1 of 0}"] == [str(site) for site in swept.sites if site.name == "write"]
    assert ["rename 1 of {new name 1 of 0} and a"] == [str(site) for site in swept.sites if site.name == "rename"]

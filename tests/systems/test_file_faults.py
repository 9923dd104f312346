"""What a fault takes from a system that keeps all it knows in files."""

import pytest

from harness.core.fault import Fault, Injection
from harness.faults import catalogue
from harness.systems import file_faults
from harness.systems.file_faults import Files, Takes

QUEUE, LOG, OTHER = "{home}/state/queue.json", "{home}/state/log.jsonl", "{home}/plan.md"
FILES = Files({"queue": QUEUE, "log": LOG, "plan": OTHER}, "{home}/state")


def shaken(name, path=None, **params):
    return FILES.shaken([Fault(name, path, params)])


def test_every_fault_of_the_catalogue_has_a_row_with_a_reason():
    rows = [file_faults.row(kind.name) for kind in catalogue.EVERY]
    assert [] == [row for row in rows if row is file_faults.UNKNOWN or not row.why]


def test_a_fault_nobody_knows_may_take_everything():
    assert ({"queue", "log", "plan"}, {"queue", "log", "plan"}) == (
        shaken("no.such"),
        FILES.damaged([Fault("no.such")]),
    )


def test_a_new_kind_of_a_known_family_is_taken_for_its_worst():
    worst = Takes.CONTENT | Takes.STORAGE | Takes.SIGHT
    assert worst == file_faults.row("filesystem.new_kind").takes


@pytest.mark.parametrize(
    ("name", "path", "labels"),
    [
        ("filesystem.full", QUEUE, {"queue"}),
        ("filesystem.full", "{home}/state", {"queue", "log"}),
        ("filesystem.full", "{home}/state/", {"queue", "log"}),
        ("filesystem.full", "{home}", {"queue", "log", "plan"}),
        ("filesystem.full", QUEUE + ".lock", {"queue", "log"}),
        ("filesystem.full", "{home}/stat", set()),
        ("filesystem.full", "{tmp}/x", set()),
        ("filesystem.missing", QUEUE, set()),
        ("process.file_size", None, {"queue", "log", "plan"}),
        ("environment.odd_umask", None, {"queue", "log", "plan"}),
        ("syscall.errno", None, {"queue", "log", "plan"}),
        ("syscall.errno", "{tmp}/x", set()),
        ("clock.back", None, set()),
    ],
)
def test_the_files_that_an_operation_may_be_kept_from(name, path, labels):
    assert labels == shaken(name, path)


def test_a_call_of_two_paths_strikes_both():
    both = {"to": OTHER}
    assert {"queue", "plan"} == shaken("syscall.errno", QUEUE, **both)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("filesystem.parent_missing", {"queue", "log"}),
        ("filesystem.missing", {"queue"}),
        ("json_document.truncated", {"queue"}),
        ("filesystem.full", set()),
        ("filesystem.aged", set()),
    ],
)
def test_the_files_whose_content_is_taken(name, labels):
    assert labels == FILES.damaged([Fault(name, QUEUE)])


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault("process.killed"), True),
        (Fault("environment.no_path"), True),
        (Fault("environment.no_home"), False),
        (Fault("syscall.killed", QUEUE), True),
        (Fault("syscall.errno", QUEUE), False),
        (Fault("syscall.errno", "{tmp}/x", {"to": QUEUE}), False),
        (Fault("syscall.errno", "/usr/lib/x"), True),
        (Fault("syscall.errno"), True),
        (Fault("filesystem.full", QUEUE), False),
    ],
)
def test_the_faults_under_which_no_answer_may_come(fault, expected):
    assert expected is FILES.silences(fault)


def test_of_faults_at_single_calls_those_that_were_met_are_struck():
    standing, met, missed = Fault("filesystem.full", QUEUE), Fault("syscall.errno", QUEUE), Fault("syscall.errno", LOG)
    refused = Fault("environment.no_home")
    injections = [Injection(standing, True), Injection(met, True, "EIO"), Injection(missed, True)]
    assert (standing, met) == file_faults.struck([*injections, Injection(refused, False, "not here")])


def test_a_fault_at_a_place_counts_even_where_it_was_refused():
    placed = Fault("filesystem.full", QUEUE)
    assert (placed,) == file_faults.struck([Injection(placed, False, "no mounts here")])


def test_faults_that_need_care():
    power, clock, growing = Fault("syscall.power"), Fault("clock.jump"), Fault("filesystem.growing", QUEUE)
    assert (True, False) == (file_faults.loses_power([clock, power]), file_faults.loses_power([clock]))
    assert (True, False) == (file_faults.tells_no_time([clock]), file_faults.tells_no_time([power]))
    assert not file_faults.tells_no_time([Fault("clock.year_9999"), Fault("clock.back")])
    assert [growing] == file_faults.unsteady([power, growing])

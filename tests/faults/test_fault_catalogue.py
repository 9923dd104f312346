"""The list of faults is complete, says what each takes, and agrees with the fault table."""

import pytest

from harness.core.fault import Fault
from harness.errors import FileFormatError
from harness.faults import rows
from harness.faults.catalogue import EVERY, checked, inject
from harness.faults.kind import FaultKind, Param, whole

NAMES = {kind.name for kind in EVERY}
HOME = "{home}/a"


def test_every_fault_has_one_name_and_a_meaning():
    assert len(NAMES) == len(EVERY)
    assert all(kind.meaning and "." in kind.name for kind in EVERY)


def test_every_fault_stands_in_a_row_of_the_table():
    assert {name for row in rows.rows() for name in row.faults} == NAMES


def test_every_entry_of_the_table_has_faults_or_says_why_not():
    entries = {(row.row, words): entry for row in rows.rows() for words, entry in row.entries.items()}
    # exactly one of the three: what has faults is neither an input nor for later
    assert {
        key: sum(map(bool, (entry.faults, entry.input, entry.later))) for key, entry in entries.items()
    } == dict.fromkeys(entries, 1)
    assert [] == [words for (_, words), entry in entries.items() if entry.later]


def test_the_rows_are_those_of_the_fault_table():
    assert [row.row for row in rows.rows()] == [
        "transcript", "config", "session id", "filesystem", "clock", "process", "environment", "network", "collaborators",
    ]  # fmt: skip
    found = [row.row for row in rows.rows() if "filesystem.vanishing" in row.faults]
    assert found == ["transcript", "config", "filesystem"]


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_what_a_fault_leaves_out_has_a_value_that_it_takes_itself(kind, plain):
    fault = checked(Fault(kind.name, HOME if kind.placed else None), plain)
    assert set(kind.params) == set(fault.params)
    given = {name: value for name, value in fault.params.items() if value is not None}
    assert kind.complete(given) == fault.params


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Fault("clock.back", HOME), "the fault clock.back strikes no path, and '{home}/a' is given"),
        (Fault("process.lock_held"), "the fault process.lock_held needs a path"),
        (
            Fault("environment.no_home", None, {"count": 1}),
            "the fault environment.no_home has no parameter 'count'; it has: none",
        ),
        (Fault("clock.back", None, {"by_s": 0}), "by_s has to be between 1 and 1,000,000,000, not 0"),
        (Fault("clock.back", None, {"by_s": 1.5}), "by_s has to be a whole number, not 1.5"),
        (Fault("clock.back", None, {"by_s": True}), "by_s has to be a whole number, not True"),
        (Fault("clock.time_zone", None, {"name": 5}), "name has to be a text, not 5"),
        (Fault("process.killed", None, {"signal": "SIGINT"}), "signal has to be one of SIGKILL, SIGTERM, not 'SIGINT'"),
        (Fault("process.killed", None, {"at": 1.5}), "at has to be a number between 0.0 and 1.0, not 1.5"),
        (Fault("process.killed", None, {"at": True}), "at has to be a number between 0.0 and 1.0, not True"),
        (Fault("process.few_descriptors", None, {"count": 2}), "count has to be between 3 and 1,024, not 2"),
        (Fault("process.file_size", None, {"bytes": -1}), "bytes has to be between 0 and"),
        (Fault("process.slow_disk", None, {"delay_ms": 0}), "delay_ms has to be between 1 and 1,000, not 0"),
        (Fault("collaborator.exits", None, {"program": "a/b"}), "program has to be the name of a program, not 'a/b'"),
        (Fault("collaborator.exits", None, {"program": ""}), "program has to be the name of a program, not ''"),
        (Fault("collaborator.missing", None, {"program": "-rf"}), "program has to be the name of a program, not '-rf'"),
        (Fault("identifier.empty", None, {"value": "x"}), "has no parameter 'value'; it has: field"),
        (Fault("identifier.other_session", None, {"value": 1}), "value has to be a text, not 1"),
        (Fault("jsonl.bom", HOME, {"deleted": "yes"}), "deleted has to be true or false, not 'yes'"),
        (Fault("filesystem.aged", HOME, {"by_s": "old"}), "by_s has to be a whole number, not 'old'"),
    ],
)
def test_a_quantity_out_of_its_range_is_the_files_fault(plain, fault, says):
    with pytest.raises(FileFormatError) as caught:
        inject(fault, plain, 1)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_share_is_a_number_and_a_whole_number_is_one():
    kind = FaultKind("a.b", "x", {"at": Param("share", 0.5, "when"), "n": Param("whole", 1, "how many")})
    assert kind.complete({"at": 1, "n": -3}) == {"at": 1.0, "n": -3}
    assert whole({"n": 4}, "n") == 4
    with pytest.raises(TypeError, match="n is no whole number"):
        whole({"n": "4"}, "n")

"""What the oracle says of the fields of records."""

import msgspec
import pytest
from handmade_errors import (
    CATALOGUE,
    CONTEXT,
    NOON,
    NOON_MS,
    PASS,
    RECOVERY,
    TRAJECTORY,
    Day,
    error,
    failing,
    found,
    readings,
    record,
    struck,
)

from harness.core.history import History
from harness.core.scenario import Scenario, World
from harness.systems.error_log.contract import LOG, SYSTEM
from harness.systems.error_log.oracle import permitted
from harness.systems.error_log.oracle.documents import same


def logged(given=None, **changes):
    """An error that was logged, and whose record was found with these changes."""
    return Day().log(given, **changes).read()


def test_a_right_record_passes_every_clause_of_it():
    findings = found(logged(error(trajectory=TRAJECTORY, recovery=RECOVERY)))
    assert {f"ER-LOG-{number:02d}" for number in range(1, 10)} | {"ER-AGG-01"} == set(findings)
    assert {PASS} == {finding.verdict for finding in findings.values()}


def as_list():
    """A log that writes a list."""
    day = Day().log()
    day.errors = day.errors["errors"]
    return day.read()


FULL = error(trajectory=TRAJECTORY, recovery=RECOVERY)
WRONG = [
    ("ER-LOG-02", FULL, {"timestamp": ...}),
    ("ER-LOG-02", FULL, {"trajectory": ...}),
    ("ER-LOG-02", FULL, {"recovery": ...}),
    ("ER-LOG-02", FULL, {"timestamp": "yesterday"}),
    ("ER-LOG-02", FULL, {"timestamp": 5}),
    ("ER-LOG-02", FULL, {"timestamp": "2026-03-01T12:05:00Z"}),
    ("ER-LOG-02", FULL, {"timestamp": "2026-03-08"}),
    ("ER-LOG-02", FULL, {"type": "timeouts"}),
    ("ER-LOG-02", FULL, {"message": "something"}),
    ("ER-LOG-02", error(message=5), {"message": 5}),
    ("ER-LOG-03", FULL, {"id": "e_1"}),
    ("ER-LOG-03", FULL, {"id": "err_"}),
    ("ER-LOG-03", FULL, {"id": "err_1"}),
    ("ER-LOG-03", FULL, {"id": "err_abc"}),
    ("ER-LOG-03", FULL, {"id": "err_2026-02-01T12:00:00Z"}),
    ("ER-LOG-03", FULL, {"id": "err_2026-13-01"}),
    ("ER-LOG-03", FULL, {"id": 7}),
    ("ER-LOG-04", FULL, {"severity": "urgent"}),
    ("ER-LOG-04", FULL, {"severity": "low"}),
    ("ER-LOG-04", error(severity=None), {"severity": None}),
    ("ER-LOG-05", FULL, {"context": None}),
    ("ER-LOG-05", FULL, {"context": {**CONTEXT, "task": 260}}),
    ("ER-LOG-05", FULL, {"context": {**CONTEXT, "phase": None}}),
    ("ER-LOG-05", error(context={"task": "259"}), {"context": {**dict.fromkeys(CONTEXT), "task": "259"}}),
    ("ER-LOG-05", error(context={"task": True}), {"context": {**dict.fromkeys(CONTEXT), "task": True}}),
    ("ER-LOG-07", FULL, {"trajectory": None}),
    ("ER-LOG-07", FULL, {"trajectory": {**TRAJECTORY, "failed_at_depth": 2}}),
    ("ER-LOG-07", FULL, {"trajectory": {**TRAJECTORY, "delegation_path": ["o"]}}),
    ("ER-LOG-07", error(trajectory={**TRAJECTORY, "failed_at_depth": 9}), {}),
    ("ER-LOG-07", error(trajectory={**TRAJECTORY, "failed_at_depth": -1}), {}),
    ("ER-LOG-07", error(trajectory={**TRAJECTORY, "failed_at_depth": True}), {}),
    ("ER-LOG-07", error(trajectory={"delegation_path": "o", "failed_at_depth": 0}), {}),
    ("ER-LOG-07", error(trajectory={**TRAJECTORY, "failed_at_depth": 0}),
     {"trajectory": {"delegation_path": ["x"], "failed_at_depth": 0}}),
    ("ER-LOG-08", FULL, {"recovery": None}),
    ("ER-LOG-08", FULL, {"recovery": "Run it again"}),
    ("ER-LOG-08", FULL, {"recovery": {"suggested_action": "Run it again", "auto_recoverable": 1}}),
    ("ER-LOG-08", FULL, {"recovery": {"suggested_action": "Sit", "auto_recoverable": True}}),
    ("ER-LOG-09", FULL, {"fix_status": "new"}),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "given", "changes"), WRONG, ids=[f"{each[0]}-{n}" for n, each in enumerate(WRONG)])
def test_a_wrong_field_fails_the_clause_that_names_it_and_no_other(clause, given, changes):
    assert {clause} == failing(logged(given, **changes))


@pytest.mark.parametrize(("clause", "name"), [
    ("ER-LOG-02", "message"), ("ER-LOG-03", "id"), ("ER-LOG-04", "severity"), ("ER-LOG-05", "context"),
    ("ER-LOG-07", "trajectory"), ("ER-LOG-08", "recovery"),
])  # fmt: skip
def test_what_is_answered_and_what_is_written_agree(clause, name):
    other = {
        "message": "another", "id": f"err_{NOON_MS}_other", "severity": "high", "context": {**CONTEXT, "more": 1},
        "trajectory": {**TRAJECTORY, "more": 1}, "recovery": {**RECOVERY, "more": 1},
    }  # fmt: skip
    given = error(trajectory=TRAJECTORY, recovery=RECOVERY, severity=None, message=...)
    given = {**given, "message": 5}
    written = record(1, given, severity="low", message="5")
    day = Day().log(given, answer={**written, name: other[name]}, found=written)
    assert clause in failing(day.read())


READINGS = [
    ("ER-LOG-01", {"object"}, Day().log().read()),
    ("ER-LOG-01", {"list"}, as_list()),
    ("ER-LOG-02", {"all", "optional"}, logged()),
    ("ER-LOG-02", {"optional"}, logged(trajectory=..., recovery=...)),
    ("ER-LOG-02", {"all", "optional"}, logged(FULL)),
    ("ER-LOG-03", {"suffix"}, logged()),
    ("ER-LOG-03", {"bare"}, logged(id=f"err_{NOON_MS}")),
    ("ER-LOG-03", {"bare"}, logged(id=f"err_{NOON_MS // 1000}")),
    ("ER-LOG-03", {"bare"}, logged(id="err_20260301")),
    ("ER-LOG-03", {"bare"}, logged(id="err_20260301T120000Z")),
    ("ER-LOG-03", {"suffix"}, logged(id="err_2026-03-01T12:00:00Z_a1")),
    ("ER-LOG-04", {"graded", "same"}, Day().log(error(severity=None)).log(error(severity=None)).read()),
    ("ER-LOG-04", {"graded"}, Day().log(error(severity=None)).log(error(severity=None), severity="low").read()),
    ("ER-LOG-05", {"null", "absent"}, logged()),
    ("ER-LOG-05", {"null", "absent"}, logged(error(context=...))),
    ("ER-LOG-05", {"absent"}, logged(error(context=...), context={})),
    ("ER-LOG-05", {"absent"}, logged(error(context=...), context={"task": None})),
    ("ER-LOG-06", {"example", "any"}, logged()),
    ("ER-LOG-06", {"any"}, logged(error(context=...), context={"session_id": "ses_1"})),
    ("ER-LOG-07", {"zero_based", "one_based"}, logged(FULL)),
    ("ER-LOG-07", {"zero_based"}, logged(error(trajectory={**TRAJECTORY, "failed_at_depth": 0}))),
    ("ER-LOG-07", {"one_based"}, logged(error(trajectory={**TRAJECTORY, "failed_at_depth": 3}))),
    ("ER-LOG-07", {"one_based"}, logged(error(trajectory={**TRAJECTORY, "failed_at_depth": 0}), trajectory=None)),
    ("ER-LOG-07", {"zero_based"}, logged(error(trajectory={**TRAJECTORY, "failed_at_depth": 3}), trajectory=TRAJECTORY)),
    ("ER-LOG-07", {"zero_based"}, logged(error(trajectory={**TRAJECTORY, "failed_at_depth": 3}),
                                         trajectory={**TRAJECTORY, "failed_at_depth": 0})),
    ("ER-LOG-07", {"zero_based", "one_based"}, logged(error(trajectory={**TRAJECTORY, "failed_at_depth": 9}), trajectory=None)),
    ("ER-LOG-07", {"zero_based"}, logged(trajectory={"delegation_path": ["a"], "failed_at_depth": 0})),
    ("ER-LOG-09", {"fixed", "resolved"}, logged()),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "left", "day"), READINGS, ids=[f"{each[0]}-{n}" for n, each in enumerate(READINGS)])
def test_each_reading_is_told_by_what_is_found(clause, left, day):
    assert left == readings(clause, day)


FORMS = [
    logged(error(message="x" * 70_000), message="x" * 100),
    logged(error(message=" "), message="an error"),
    logged(error(type=..., message=...) | {"type": None, "message": None}, type="unknown", message="?"),
    logged(error(context="none"), context=dict.fromkeys(CONTEXT)),
    logged(error(context={**CONTEXT, "command": "x" * 70_000}), context={**CONTEXT, "command": "x"}),
    logged(error(severity="urgent"), severity="high"),
    logged(error(recovery={"suggested_action": "Wait"}), recovery={"suggested_action": "Wait", "auto_recoverable": False}),
    logged(error(recovery={"suggested_action": " "}), recovery={"suggested_action": "Wait", "auto_recoverable": False}),
    logged(error(trajectory="none"), trajectory=None),
    logged(trajectory={"delegation_path": [], "failed_at_depth": None}),
    logged(timestamp="2026-03-01"),
    logged(error(context={**CONTEXT, "session_id": "ses_1"})),
    Day(),
    logged(timestamp="2026-03-01T12:00:10"),
]  # fmt: skip


@pytest.mark.parametrize("day", FORMS, ids=range(len(FORMS)))
def test_what_does_not_fit_may_be_put_right(day):
    assert set() == failing(day)


def test_under_a_strange_clock_only_the_form_of_a_timestamp_is_asked():
    clock = [struck("clock.jump", None)]
    assert set() == failing(Day().log(faults=clock, id="err_0_x", timestamp="1970-01-01T00:00:00Z").read(faults=clock))
    assert {"ER-LOG-03"} == failing(Day().log(faults=clock, id="err_x").read(faults=clock))


def test_numbers_texts_lists_and_objects_are_compared_as_json_has_them():
    for one, other in (({"a": [1]}, {"a": [1]}), (float("nan"), float("nan")), (1, 1.0)):
        assert same(one, other)
    for one, other in ((True, 1), ([1], [1, 2]), ({"a": 1}, {"b": 1}), ([True], [1])):
        assert not same(one, other)


def test_of_several_answers_those_that_a_sound_log_may_give_are_permitted():
    day = Day().classify("timeout", "operation", timed_out=True)
    entries = tuple(msgspec.structs.replace(entry, n=n) for n, entry in enumerate(day.entries))
    scenario = Scenario(1, "handmade", "handmade", SYSTEM, LOG, (), World(NOON, {}, {}), ())
    answers = ({"type": "timeout"}, {"type": "build_error"})
    assert answers[:1] == permitted(scenario, History(entries), CATALOGUE, answers)

"""The oracle of hooks that follow document 004, each clause again under one further fault, and at exact edges of time."""

from typing import Any

import pytest
from handmade_hook import (
    APPROVE,
    BLOCK,
    CALM,
    FINISHED,
    HUNG,
    NOON,
    OPEN,
    RESET,
    SEMAPHORE,
    UNFINISHED,
    Pair,
    found,
    injected,
    mark,
    stop,
    together,
)

from harness.core.fault import Injection
from harness.core.finding import CheckVerdict
from harness.core.history import FileFact, InputFact
from harness.core.scenario import FileSpec
from harness.systems.stop_gate.contract import CONFIG_PATH, RUNTIME_DIRECTORY, StopResult

PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL


def verdict(clause: str, *pairs: Any, **more: Any) -> CheckVerdict | None:
    finding = found(*pairs, **more).get(clause)
    return None if finding is None else finding.verdict


LOCALE, ZONE = injected("environment.odd_locale"), injected("clock.time_zone")
IDENTIFIER = {"replace": {"session_id": None}}


def group(clause: str, *pairs: Any, **more: Any) -> CheckVerdict | None:
    return verdict(clause, *pairs, group=True, **more)


@pytest.mark.parametrize(
    ("clause", "fault"),
    [
        ("PS-TR-03", injected("jsonl.blank_lines", OPEN)),
        ("PS-TR-08", injected("jsonl.wrong_roles", OPEN)),
        ("PS-TR-09", injected("jsonl.non_object_lines", OPEN)),
    ],
)
def test_lines_that_say_nothing_are_skipped_under_a_further_fault(clause: str, fault: Injection) -> None:
    for further in ((), (LOCALE,), (ZONE,)):
        assert group(clause, stop(UNFINISHED, BLOCK, fault, *further)) is PASS
        assert group(clause, stop(UNFINISHED, APPROVE, fault, *further)) is FAIL
    for more in ({"role": "repeat"}, {"stop_hook_active": True}, {"camel_case": True}):
        assert group(clause, stop(UNFINISHED, APPROVE, fault, LOCALE, **more)) is None
    assert group(clause, stop(UNFINISHED, APPROVE, fault, injected("environment.no_home"))) is None
    held = stop(UNFINISHED, BLOCK, LOCALE)
    assert group(clause, held, held, stop(UNFINISHED, APPROVE, fault, LOCALE)) is None


def test_what_hangs_on_such_lines_fails_as_a_fault_that_keeps_the_user() -> None:
    seen = found(stop(UNFINISHED, HUNG, injected("jsonl.bad_utf8", OPEN)), group=True)
    assert "PS-TR-09" not in seen
    assert seen["SH-04"].verdict is FAIL


def test_ten_and_eleven_invalid_lines_under_a_further_fault() -> None:
    def lines(count: int, result: StopResult) -> Pair:
        fault = injected("jsonl.garbage_lines", OPEN, count=count)
        return stop(UNFINISHED, result, LOCALE, fault, data=InputFact("file", 300_000))

    assert group("PS-TR-05", lines(10, BLOCK), RESET, lines(11, APPROVE)) is PASS
    assert group("PS-TR-05", lines(10, BLOCK), RESET, lines(11, BLOCK)) is FAIL
    assert group("PS-TR-05", lines(10, APPROVE), RESET, lines(11, APPROVE)) is FAIL


@pytest.mark.parametrize("fault", [injected("identifier.null"), injected("identifier.absent")])
def test_a_session_without_an_id_is_held_under_the_fault_that_took_it(fault: Injection) -> None:
    change = IDENTIFIER if fault.fault.name == "identifier.null" else {"drop": ("session_id",)}
    assert (
        group("PS-SES-01", stop(UNFINISHED, BLOCK, fault, **change), stop(FINISHED, APPROVE, fault, **change)) is PASS
    )
    assert group("PS-SES-01", stop(UNFINISHED, APPROVE, fault, **change)) is FAIL
    assert verdict("PS-SES-01", stop(UNFINISHED, APPROVE, fault, **change)) is None  # other hooks need not
    assert verdict("PS-SES-01", stop(FINISHED, APPROVE, fault, **change)) is PASS
    assert verdict("PS-SES-01", stop(FINISHED, BLOCK, fault, **change)) is FAIL
    later = (stop(FINISHED, APPROVE, fault, **change), stop(UNFINISHED, APPROVE, fault, **change))
    assert group("PS-SES-01", *later) is PASS  # a fixed stand-in has ended already
    assert group("PS-SES-01", stop(UNFINISHED, APPROVE, fault, "process.paused", **change)) is None


def test_a_broken_configuration_gives_the_defaults_under_a_further_fault() -> None:
    fault = injected("json_document.list", CONFIG_PATH)
    config = InputFact("file", 2, b"[]")
    for further in ((), (ZONE,)):
        assert group("PS-CFG-02", stop(UNFINISHED, BLOCK, fault, *further, config=config)) is PASS
        assert group("PS-CFG-02", stop(UNFINISHED, APPROVE, fault, *further, config=config)) is FAIL
    assert group("PS-CFG-02", stop(UNFINISHED, APPROVE, fault, "environment.no_path", config=config)) is None
    unreadable = (injected("filesystem.unreadable", CONFIG_PATH), injected("filesystem.unreadable", OPEN))
    assert group("PS-CFG-02", stop(UNFINISHED, APPROVE, *unreadable, config=config)) is None
    comes_and_goes = injected("filesystem.vanishing", CONFIG_PATH)
    assert group("PS-CFG-02", stop(UNFINISHED, APPROVE, comes_and_goes, config=config)) is None


def aged(result: StopResult, age_s: float, *faults: Injection, moved: bool = True, **more: Any) -> dict[str, Any]:
    """An unfinished session with a semaphore of that age, and one on the other side of the hour; by a moved clock."""
    at = "2026-01-01T13:00:00Z" if moved else NOON
    since = 3600.0 if moved else 0.0
    files = {SEMAPHORE: FileSpec(text="", age_s=age_s - since)}
    stopped = stop(
        UNFINISHED, result, *faults, session_id="session-1", before={SEMAPHORE: mark(age_s - since)}, at=at, **more
    )
    other = f"{RUNTIME_DIRECTORY}/.session-3_completed"
    approves = age_s > 3600
    sides = {other: FileSpec(text="", age_s=(1_900.0 if approves else 9_000.0) - since)}
    counterpart = stop(
        UNFINISHED, APPROVE if approves else BLOCK, session_id="session-3", at=at,
        before={other: mark(sides[other].age_s or 0)},
    )  # fmt: skip
    return {"pairs": (stopped, counterpart), "files": files | sides}


def semaphore_verdict(case: dict[str, Any], clause: str = "PS-SES-04") -> CheckVerdict | None:
    return group(clause, *case["pairs"], files=case["files"])


FROZEN = injected("clock.frozen")


@pytest.mark.parametrize(
    ("age_s", "faults", "moved", "right"),
    [
        (3570.0, (FROZEN,), True, APPROVE),
        (3601.0, (FROZEN,), True, BLOCK),
        (3570.0, (), True, APPROVE),
        (3601.0, (injected("clock.forward"),), True, BLOCK),
        (3570.0, (), False, APPROVE),
        (3601.0, (), False, BLOCK),
    ],
)
def test_both_sides_of_the_hour_are_judged_as_sharply_as_the_clock_is_known(
    age_s: float, faults: tuple[Injection, ...], moved: bool, right: StopResult
) -> None:
    wrong = APPROVE if right is BLOCK else BLOCK
    assert semaphore_verdict(aged(right, age_s, *faults, moved=moved)) is PASS
    assert semaphore_verdict(aged(wrong, age_s, *faults, moved=moved)) is FAIL


@pytest.mark.parametrize(
    ("age_s", "faults", "moved", "more"),
    [
        (3600.0, (), True, {}),
        (3600.9, (FROZEN,), True, {}),
        (3590.0, (), False, {}),
        (3601.0, (injected("clock.jump"),), True, {}),
        (3560.0, (FROZEN,), True, {"ended_at": "2026-01-01T13:01:00Z"}),
        (3500.0, (injected("filesystem.vanishing", RUNTIME_DIRECTORY),), True, {}),
    ],
    ids=["started", "cut", "machine", "jump", "moved on", "vanishing"],
)
def test_an_age_that_may_lie_on_either_side_says_nothing(
    age_s: float, faults: tuple[Injection, ...], moved: bool, more: dict[str, Any]
) -> None:
    for result in (APPROVE, BLOCK):
        assert semaphore_verdict(aged(result, age_s, *faults, moved=moved, **more)) is None


def test_a_fresh_semaphore_ends_the_session_under_a_further_fault() -> None:
    assert semaphore_verdict(aged(APPROVE, 60.0, ZONE), "PS-LOOP-01") is PASS
    assert semaphore_verdict(aged(BLOCK, 60.0, ZONE), "PS-LOOP-01") is FAIL
    assert semaphore_verdict(aged(BLOCK, 60.0, injected("environment.no_home")), "PS-LOOP-01") is None


def test_completion_is_recorded_under_a_further_fault_that_takes_no_storage() -> None:
    kept = {SEMAPHORE: mark(), f"{RUNTIME_DIRECTORY}/session-1/summary.md": FileFact("file")}
    for clause in ("PS-SES-02", "PS-FS-03"):
        assert group(clause, stop(FINISHED, APPROVE, ZONE, after=kept), controls=CALM[:1]) is PASS
        assert group(clause, stop(FINISHED, APPROVE, ZONE), controls=CALM[:1]) is FAIL
        assert group(clause, stop(FINISHED, APPROVE, "environment.read_only_home"), controls=CALM[:1]) is None
        assert group(clause, stop(FINISHED, APPROVE, injected("clock.time_zone", proof="")), controls=CALM[:1]) is None


def test_a_semaphore_that_the_harness_moves_is_not_left_by_a_block() -> None:
    path = f"{RUNTIME_DIRECTORY}/.session-2_completed"
    fault = injected("filesystem.vanishing", path)
    twice = [stop(UNFINISHED, BLOCK, fault, after={path: mark()})] * 2
    assert group("PS-LOOP-02", *twice) is None
    assert group("PS-LOOP-02", together(*[stop(UNFINISHED, BLOCK, after={path: mark()})] * 2)) is None
    assert group("PS-LOOP-02", *[stop(UNFINISHED, BLOCK, ZONE, after={path: mark()})] * 2) is FAIL


@pytest.mark.parametrize(("value", "right"), [("1", APPROVE), ("0", BLOCK)])
def test_the_skip_variable_is_judged_under_a_further_fault(value: str, right: StopResult) -> None:
    name = "AMPLIHACK_SKIP_POWER_STEERING"
    other = stop(
        UNFINISHED, BLOCK if value == "1" else APPROVE, LOCALE, environment={name: "0" if value == "1" else "1"}
    )
    wrong = APPROVE if right is BLOCK else BLOCK
    assert group("PS-ENV-01", other, RESET, stop(UNFINISHED, right, LOCALE, environment={name: value})) is PASS
    assert group("PS-ENV-01", other, RESET, stop(UNFINISHED, wrong, LOCALE, environment={name: value})) is FAIL
    more = {name: value, "HOME": ""}
    assert group("PS-ENV-01", other, RESET, stop(UNFINISHED, wrong, LOCALE, environment=more)) is None


@pytest.mark.parametrize(
    "more",
    [
        {"config": InputFact("file", 18, b'{"enabled": false}')},
        {"config": InputFact("fifo")},
        {"before": {f"{RUNTIME_DIRECTORY}/.session-2_completed": mark()}},
        {"data": InputFact("file", 10 * 1024 * 1024 + 1)},
    ],
    ids=["disabled", "no configuration", "semaphore", "size"],
)
def test_what_the_document_asks_before_it_looks_at_a_session_may_let_it_go(more: dict[str, Any]) -> None:
    assert group("SH-08", stop(UNFINISHED, APPROVE, ZONE, **more)) is PASS
    assert verdict("SH-08", stop(UNFINISHED, APPROVE, ZONE, **more)) is FAIL  # of other hooks nothing is known


def test_a_control_without_the_worlds_configuration_shows_what_the_hook_does() -> None:
    taken = injected("filesystem.missing", CONFIG_PATH)
    for result, expected in ((BLOCK, PASS), (APPROVE, FAIL)):
        assert group("SH-08", controls=(stop(UNFINISHED, result, taken, role="control"),)) is expected
    elsewhere = injected("filesystem.missing", OPEN)
    assert group("SH-08", controls=(stop(UNFINISHED, APPROVE, elsewhere, role="control"),)) is None

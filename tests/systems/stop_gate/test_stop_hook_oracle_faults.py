"""The oracle of stop hooks under every kind of fault: what a sound hook may do passes, and what it may not fails."""

from typing import Any

import pytest
from handmade_hook import (
    APPROVE,
    BLOCK,
    CALM,
    DONE,
    EXIT_2,
    FINISHED,
    HUNG,
    MISSING,
    RESET,
    SEMAPHORE,
    TEXT,
    UNFINISHED,
    found,
    injected,
    killed,
    mark,
    stop,
    together,
)

from harness.core.fault import Injection
from harness.core.finding import CheckVerdict
from harness.core.history import FileFact
from harness.systems.stop_gate.contract import RUNTIME_DIRECTORY, Stdin
from harness.systems.stop_gate.oracle import weather

PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL
EVERY_HOOK = (
    "clock.time_zone",
    "environment.odd_locale",
    "environment.stdout_slow",
    "process.restarted",
    "jsonl.blank_lines",
)
FOLLOWERS = ("clock.back", "clock.forward", "clock.frozen", "clock.year_1970", "clock.year_2038")
NOBODY = (
    "environment.no_home", "environment.no_path", "environment.deleted_cwd", "environment.stdin_closed",
    "environment.stderr_full", "process.few_descriptors", "process.file_size", "process.lock_held", "collaborator.missing",
    "network.timeout", "identifier.unicode", "filesystem.leftover", "jsonl.leap_second", "clock.jump", "clock.year_9999",
    "never.heard_of",
)  # fmt: skip


def verdict(clause: str, *pairs: Any, **more: Any) -> CheckVerdict | None:
    finding = found(*pairs, **more).get(clause)
    return None if finding is None else finding.verdict


def failing(*pairs: Any, **more: Any) -> set[str]:
    return {name for name, finding in found(*pairs, **more).items() if finding.verdict is FAIL}


# --- two-sidedness: who has to hold an unfinished session under which fault


@pytest.mark.parametrize("fault", [*EVERY_HOOK, *FOLLOWERS, *NOBODY])
def test_an_unfinished_session_is_held_wherever_the_fault_takes_nothing(fault: str) -> None:
    for group in (False, True):
        bound = fault in EVERY_HOOK or (group and fault in FOLLOWERS)
        controls_only, held, let_go = (
            found(*pairs, group=group)["SH-08"]
            for pairs in ((), (stop(UNFINISHED, BLOCK, fault),), (stop(UNFINISHED, APPROVE, fault),))
        )
        assert (held.verdict, held.witnesses - controls_only.witnesses) == (PASS, int(bound))
        assert let_go.verdict is (FAIL if bound else PASS)
        assert verdict("PS-PRM-02", stop(UNFINISHED, APPROVE, fault), group=group) is (FAIL if bound else PASS)


@pytest.mark.parametrize(
    "again",
    [
        (stop(UNFINISHED, BLOCK, "clock.time_zone"), stop(UNFINISHED, APPROVE, "clock.time_zone")),
        (stop(UNFINISHED, APPROVE, "clock.time_zone", stop_hook_active=True),),
        (stop(UNFINISHED, APPROVE, "clock.time_zone", role="repeat"),),
        (stop(FINISHED, APPROVE, session_id="session-2"), stop(UNFINISHED, APPROVE, "clock.time_zone")),
        (killed(FINISHED, session_id="other"), stop(UNFINISHED, APPROVE, "clock.time_zone")),
        (together(*[stop(UNFINISHED, APPROVE, "clock.time_zone")] * 2),),
        (stop(UNFINISHED, APPROVE, "clock.time_zone", "environment.no_home"),),
        (stop(UNFINISHED, APPROVE, "clock.time_zone", camel_case=True),),
        (stop(UNFINISHED, APPROVE, injected("clock.time_zone", proof="")),),
    ],
    ids=["after a block", "said to be", "repeated", "its id ended", "a kill", "together", "no home", "odd", "unproven"],
)
def test_who_was_stopped_before_or_lost_more_may_be_let_go(again: tuple[Any, ...]) -> None:
    assert verdict("SH-08", *again) is PASS


def test_every_family_of_the_table_of_faults_has_a_row_and_every_row_a_reason() -> None:
    families = {name.partition(".")[0] for name in weather.ROWS}
    assert families == {
        "jsonl", "json_document", "filesystem", "identifier", "clock", "process", "environment", "collaborator", "network",
        "syscall",
    }  # fmt: skip
    assert all(row.why for row in (*weather.ROWS.values(), weather.UNKNOWN))
    assert weather.row("filesystem.new_kind") is weather.ROWS["filesystem.*"]


# --- fail-open: a finished session may end whatever happens


@pytest.mark.parametrize("fault", [*EVERY_HOOK, *FOLLOWERS, *NOBODY, "filesystem.vanishing", "filesystem.growing"])
def test_a_finished_session_may_end_under_every_fault_at_its_first_stop_and_its_second(fault: str) -> None:
    well, ill = stop(FINISHED, APPROVE, fault), stop(FINISHED, BLOCK, fault)
    for clause in ("SH-01", "PS-FO-01"):
        assert verdict(clause, well, well) is PASS
        assert verdict(clause, well, ill) is FAIL
    assert verdict("SH-02", well, stop(FINISHED, EXIT_2, fault)) is FAIL
    assert verdict("PS-FO-01", well, stop(FINISHED, HUNG, fault)) is FAIL
    assert verdict("SH-04", well, stop(FINISHED, HUNG, fault)) is FAIL


@pytest.mark.parametrize("fault", [injected("jsonl.grown", DONE), injected("filesystem.growing", DONE)])
def test_a_finished_session_that_went_on_may_be_held_unless_the_hook_itself_lets_it_go(fault: Injection) -> None:
    locale = injected("environment.odd_locale")
    held, let_go = stop(FINISHED, BLOCK, fault, locale), stop(FINISHED, APPROVE, fault, locale)
    assert not failing(held) & {"SH-01", "PS-FO-01", "PS-TST-01"}
    assert "SH-02" not in failing(stop(FINISHED, EXIT_2, fault, locale))
    assert verdict("SH-01", let_go) is PASS
    own = (*CALM, stop(FINISHED, APPROVE, fault, role="control"), RESET)
    assert verdict("SH-01", held, controls=own) is FAIL
    assert verdict("SH-02", stop(FINISHED, EXIT_2, fault, locale), controls=own) is FAIL


def test_an_unfinished_session_without_a_transcript_to_read_is_held_or_not() -> None:
    lost = {"transcript_path": "{home}/nowhere.jsonl", "data": MISSING}
    for result in (APPROVE, BLOCK):
        assert failing(stop(UNFINISHED, result, "identifier.dot_dot", **lost)) == set()


def test_exit_code_two_may_stand_for_a_block_that_cannot_be_said() -> None:
    for fault in ("environment.stdout_full", "environment.stdout_closed"):
        assert "SH-02" not in failing(stop(UNFINISHED, EXIT_2, fault))
    assert "SH-02" not in failing(stop(UNFINISHED, EXIT_2, close_stdout=True))
    assert "SH-02" in failing(stop(UNFINISHED, EXIT_2, "environment.odd_locale"))


@pytest.mark.parametrize("stdin", [Stdin.HUGE_INTEGER, Stdin.DEEP_NESTING, Stdin.LONG])
def test_an_input_that_is_too_much_is_read_in_time(stdin: Stdin) -> None:
    assert verdict("SH-04", stop(FINISHED, APPROVE, stdin=stdin)) is PASS
    assert verdict("SH-04", stop(FINISHED, "timed_out", stdin=stdin)) is FAIL


def test_standard_output_is_the_hooks_own_where_it_can_be_read() -> None:
    assert verdict("SH-05", stop(FINISHED, APPROVE, "network.garbage")) is PASS
    assert verdict("SH-05", stop(FINISHED, TEXT, "network.garbage")) is FAIL
    for fault in ("environment.stdout_full", "environment.stdout_closed", "collaborator.garbage"):
        assert verdict("SH-05", stop(FINISHED, TEXT, fault)) is None
    assert verdict("SH-05", stop(FINISHED, APPROVE, "collaborator.garbage")) is PASS


# --- storage


@pytest.mark.parametrize("kind", ["read_only", "full", "no_inodes", "not_writable"])
def test_every_disk_that_takes_nothing_changes_nothing(kind: str) -> None:
    faults = [injected(f"filesystem.{kind}", place, "ENOSPC") for place in ("{home}", "{tmp}", "{project}")]
    assert verdict("PS-FS-01", stop(FINISHED, APPROVE, *faults)) is PASS
    assert verdict("PS-FS-01", stop(FINISHED, BLOCK, *faults)) is FAIL
    assert verdict("PS-FS-01", stop(FINISHED, APPROVE, *faults[1:])) is None


def test_a_limit_of_no_bytes_is_a_disk_that_takes_nothing() -> None:
    assert verdict("PS-FS-01", stop(FINISHED, APPROVE, injected("process.file_size", bytes=0))) is PASS
    assert verdict("PS-FS-01", stop(FINISHED, BLOCK, injected("process.file_size", bytes=0))) is FAIL
    assert verdict("PS-FS-01", stop(FINISHED, APPROVE, injected("process.file_size", bytes=1))) is None


def test_what_the_harness_moves_the_hook_did_not_write() -> None:
    gone = {"before": {DONE: FileFact("file")}, "after": {"{home}/.windtunnel-done.jsonl": FileFact("file")}}
    fault = injected("filesystem.vanishing", DONE)
    assert "SH-06" not in failing(stop(FINISHED, APPROVE, fault, **gone))
    assert "SH-06" in failing(stop(FINISHED, APPROVE, "clock.back", **gone))
    assert verdict("SH-01", stop(FINISHED, BLOCK, fault, **gone)) is FAIL


# --- a stop that was killed


@pytest.mark.parametrize("result", ["died", APPROVE, BLOCK, EXIT_2, TEXT, HUNG])
def test_what_a_killed_stop_said_is_no_answer(result: Any) -> None:
    for deserves in (FINISHED, UNFINISHED):
        assert failing(killed(deserves, result)) == set()
    assert failing(killed(FINISHED, result), stop(FINISHED, APPROVE), RESET, killed(UNFINISHED, result)) == set()


def test_after_a_kill_a_finished_session_may_end_at_every_stop() -> None:
    well = stop(FINISHED, APPROVE)
    assert verdict("SH-01", killed(FINISHED), well, well) is PASS
    assert verdict("PS-TST-01", killed(FINISHED), well) is PASS
    for ill in (BLOCK, HUNG):
        assert verdict("PS-FO-01", killed(FINISHED), well, stop(FINISHED, ill)) is FAIL
    control = found(killed(FINISHED, role="control"), clauses=("SH-08",))["SH-08"]
    assert (control.verdict, control.reason.partition(": ")[2]) == (CheckVerdict.INCONCLUSIVE, "the harness ended it")
    finding = found(killed(UNFINISHED), stop(FINISHED, BLOCK))["SH-01"]
    assert finding.expected.startswith("the session may end with process.killed before")
    assert "SH-01" not in found(killed(FINISHED), RESET, stop(FINISHED, APPROVE))  # another world


def test_after_a_kill_blocks_come_to_an_end() -> None:
    again = stop(UNFINISHED, BLOCK, role="repeat", stop_hook_active=True)
    end = stop(UNFINISHED, APPROVE, role="repeat", stop_hook_active=True)
    assert verdict("SH-03", killed(UNFINISHED), again, again, end) is PASS
    assert verdict("SH-03", killed(UNFINISHED), *[again] * 26) is FAIL
    assert verdict("SH-03", stop(UNFINISHED, BLOCK), killed(UNFINISHED, role="repeat")) is None


def test_a_killed_stop_writes_where_it_may_and_leaves_no_semaphore_of_a_session_it_holds() -> None:
    assert "SH-06" in failing(killed(FINISHED, after={"{outside}/x": FileFact("file")}))
    semaphore = {f"{RUNTIME_DIRECTORY}/.session-2_completed": FileFact("file")}
    assert verdict("PS-LOOP-02", killed(UNFINISHED, after=semaphore), group=True) is FAIL
    assert verdict("PS-LOOP-02", killed(UNFINISHED), group=True) is None
    assert verdict("PS-LOOP-02", killed(FINISHED, after={SEMAPHORE: mark()}), group=True) is None


def test_a_kill_that_came_too_late_establishes_nothing() -> None:
    late = stop(FINISHED, APPROVE, injected("process.killed", proof=""))
    seen = found(late, stop(FINISHED, APPROVE), clauses=("SH-07", "SH-08"))
    assert {seen[clause].verdict for clause in ("SH-07", "SH-08")} == {CheckVerdict.INCONCLUSIVE}
    assert "process.killed" in seen["SH-08"].reason


# --- several at once


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_finished_sessions_stopped_at_once_all_may_end(count: int) -> None:
    well, ill = stop(FINISHED, APPROVE), stop(FINISHED, BLOCK)
    assert verdict("PS-TST-01", together(*[well] * count)) is PASS
    assert verdict("PS-TST-01", together(*[well] * (count - 1), ill)) is FAIL
    assert verdict("PS-TST-01", together(*[well] * (count - 1), stop(FINISHED, HUNG))) is FAIL
    mixed = together(*[well, stop(UNFINISHED, APPROVE, "clock.time_zone")] * (count // 2))
    assert failing(mixed) == set()


def test_a_stop_that_never_ended_was_beside_those_after_it() -> None:
    begun = stop(FINISHED, APPROVE)[0]
    entries = together(stop(FINISHED, BLOCK), stop(FINISHED, APPROVE))
    assert verdict("PS-TST-01", [begun], entries) is FAIL

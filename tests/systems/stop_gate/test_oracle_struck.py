"""What one struck call may take from a gate or a hook, and what it may not. Source: document 004; oracle/struck.py."""

from typing import Any

import pytest
from handmade_gate import (
    APPROVES,
    BLOCKS,
    FAIL,
    HANGS,
    PASS,
    RAISES,
    RAN,
    SEMAPHORE,
    SUMMARY,
    answer,
    call,
    injected,
    log,
)
from handmade_hook import APPROVE, BLOCK, CALM, DONE, FINISHED, UNFINISHED, mark, stop, together
from handmade_hook import SEMAPHORE as HOOK_SEMAPHORE
from handmade_hook import found as found_of_hook
from handmade_weather import CRASHED, GIVES_UP, MARK, SAID, TRANSCRIPT, check, under, verdict
from handmade_weather import FINISHED as WRITTEN

from harness.core.fault import Injection
from harness.core.finding import CheckVerdict
from harness.core.history import FileFact, InputFact
from harness.core.scenario import FileSpec
from harness.systems.stop_gate.contract import CONFIG_PATH, COUNTERS, RUNTIME_DIRECTORY
from harness.systems.stop_gate.oracle import struck
from harness.systems.stop_gate.workload.gate_steps import FAILED, FINE, WARNED

CONFIG = CONFIG_PATH.replace("{project}", "/project")
PLACES = struck.Places("/t.jsonl", CONFIG, "/run/.s_completed", "/run/s/summary.md")
SESSION = "/run/s"


def fails(path: str, call: str = "read", errno: str = "EIO", **more: Any) -> Injection:
    return injected(struck.ERRNO, path, call=call, nth=1, errno=errno, **more)


# --- the words


@pytest.mark.parametrize(
    ("call", "errno", "writes"),
    [
        ("write", "EIO", True), ("pwrite64", "EIO", True), ("renameat2", "EACCES", True), ("fsync", "EIO", True),
        ("mkdirat", "EACCES", True), ("utimensat", "EIO", True), ("fchmodat", "EPERM", True), ("ftruncate", "EIO", True),
        ("copy_file_range", "EIO", True), ("unlinkat", "EBUSY", True),
        ("openat", "ENOSPC", True), ("openat", "EROFS", True), ("openat", "EDQUOT", True),
        ("openat", "EACCES", False), ("read", "EIO", False), ("newfstatat", "ENOENT", False), ("getdents64", "EIO", False),
    ],
)  # fmt: skip
def test_a_call_that_changes_what_is_on_disk_is_told_by_its_name_or_by_how_it_fails(call, errno, writes):
    assert writes is struck.writes(fails("/x", call, errno).fault)


def test_a_call_of_two_paths_struck_both():
    both = fails("/run/a", "rename", to="/t.jsonl").fault
    assert ("/run/a", "/t.jsonl") == struck.paths(both)
    assert not struck.at(both, "/run")
    assert struck.at(both, "/run", "/t.jsonl")
    assert struck.in_the_way(both, "/t.jsonl")
    assert ("/run/a",) == struck.paths(fails("/run/a", to="").fault)


def test_a_place_holds_what_lies_below_it_and_no_name_that_only_begins_alike():
    assert struck.at(fails("/run/s/summary.md.tmp").fault, "/run/s")
    assert not struck.at(fails("/run/s-2").fault, "/run/s")
    assert struck.at(fails("/run").fault, "/")
    assert struck.in_the_way(fails("/run").fault, "/run/s/summary.md")
    assert not struck.in_the_way(fails("/run/s/summary.md").fault, "/run/s")


def test_only_a_call_that_was_met_has_failed():
    assert struck.is_errno(fails("/x"))
    assert not struck.is_errno(injected(struck.ERRNO, "/x", proof=""))
    assert not struck.is_errno(injected(struck.ERRNO, "/x", armed=False))
    assert not struck.is_errno(injected("syscall.killed", "/x"))


# --- a gate


@pytest.mark.parametrize(
    ("injection", "leaves"),
    [
        (fails(CONFIG), True),
        (fails(f"{SESSION}/summary.md.1", "write", "ENOSPC"), True),
        (fails(PLACES.semaphore, "openat", "ENOSPC"), True),
        (fails(PLACES.semaphore, "openat", "ENOENT"), True),
        (fails(PLACES.semaphore, "newfstatat", "EIO"), False),
        (fails(PLACES.transcript), False),
        (fails("/run", "mkdir", "EACCES"), False),
        (fails(PLACES.semaphore, "rename", "EIO", to="/elsewhere"), False),
        (injected(struck.ERRNO, PLACES.transcript, proof=""), True),
        (injected("syscall.killed", CONFIG, proof=""), True),
        (injected("syscall.killed", CONFIG), False),
        (injected("syscall.delayed", CONFIG), False),
    ],
)
def test_a_call_leaves_the_answer_where_the_document_says_that_it_changes_nothing(injection, leaves):
    assert leaves is struck.leaves_answer(injection, PLACES)


@pytest.mark.parametrize(
    ("injection", "kept"),
    [
        (fails(PLACES.transcript), {"semaphore", "summary"}),
        (fails(CONFIG), {"semaphore", "summary"}),
        (fails(SESSION, "mkdir"), {"semaphore"}),
        (fails(PLACES.semaphore, "openat"), {"summary"}),
        (fails("/run", "mkdir"), set()),
        (injected("syscall.torn", PLACES.semaphore), set()),
        (injected("syscall.torn", PLACES.semaphore, proof=""), {"semaphore", "summary"}),
    ],
)
def test_a_call_on_one_of_them_keeps_nothing_else_from_being_written(injection, kept):
    places = {"semaphore": PLACES.semaphore, "summary": PLACES.summary}
    assert kept == {name for name, path in places.items() if struck.keeps(injection, PLACES, path)}


@pytest.mark.parametrize(
    ("injection", "refused"),
    [
        (fails(PLACES.semaphore, "openat", "ENOSPC"), {"semaphore"}),
        (fails(PLACES.semaphore, "openat", "EACCES"), set()),
        (fails(SESSION, "mkdir", "EACCES"), {"summary"}),
        (fails(f"{SESSION}/.new", "write"), {"summary"}),
        (fails("/run", "mkdir", "ENOSPC"), {"semaphore", "summary"}),
        (fails(PLACES.transcript, "write"), set()),
        (injected("syscall.killed", PLACES.semaphore, call="write"), set()),
    ],
)
def test_what_is_written_is_refused_by_a_call_that_writes_on_its_way(injection, refused):
    places = {"semaphore": PLACES.semaphore, "summary": PLACES.summary}
    assert refused == {name for name, path in places.items() if struck.refuses(injection, PLACES, path)}


def test_what_stands_at_a_path_is_hidden_by_a_call_on_it_or_above_it():
    assert struck.hides(fails(CONFIG), CONFIG)
    assert struck.hides(fails("/project", "openat"), CONFIG)
    assert not struck.hides(fails(PLACES.transcript), CONFIG)
    assert not struck.hides(injected("syscall.killed", CONFIG), CONFIG)


# --- the gate's rules


def test_a_transcript_whose_read_fails_may_be_given_up_and_may_be_answered():
    broken = fails(TRANSCRIPT)
    assert PASS is verdict("PS-FO-01", under(GIVES_UP, FAILED, fault=broken), check(BLOCKS, FAILED))
    assert PASS is verdict("PS-PRM-02", under(BLOCKS, FAILED, fault=broken), check(APPROVES, FINE))
    assert FAIL is verdict("PS-FO-01", under(None, FAILED, fault=broken), check(BLOCKS, FAILED))
    assert FAIL is verdict("PS-FO-01", under(BLOCKS, FINE, fault=broken), check(BLOCKS, FAILED))


def test_of_a_call_that_failed_an_entry_of_any_level_but_debug_is_enough():
    said = {level: answer("approve", "cannot tell", **log(level, "own-word")) for level in ("debug", "info", "warning")}
    verdicts = {
        level: verdict("PS-FO-01", under(it, FAILED, fault=fails(TRANSCRIPT)), check(BLOCKS, FAILED))
        for level, it in said.items()
    }
    assert {"debug": FAIL, "info": PASS, "warning": PASS} == verdicts


@pytest.mark.parametrize(
    "fault",
    [
        fails(CONFIG_PATH), fails(SEMAPHORE, "openat", "ENOSPC"), fails(SEMAPHORE, "newfstatat", "ENOENT"),
        fails(f"{RUNTIME_DIRECTORY}/s-1", "mkdir", "EACCES"),
    ],
)  # fmt: skip
def test_a_call_that_takes_nothing_lets_no_unfinished_session_go(fault):
    assert PASS is verdict("PS-PRM-02", under(BLOCKS, FAILED, fault=fault), check(APPROVES, FINE))
    assert FAIL is verdict("PS-PRM-02", under(GIVES_UP, FAILED, fault=fault), check(APPROVES, FINE))


@pytest.mark.parametrize("name", ["syscall.killed", "syscall.torn", "syscall.power"])
def test_nothing_is_asked_of_a_check_that_was_killed_at_a_call_and_all_of_one_that_never_came_to_it(name):
    met, missed = injected(name, TRANSCRIPT), injected(name, TRANSCRIPT, proof="")
    calm = (check(BLOCKS, FAILED), check(APPROVES, FINE))
    assert PASS is verdict("PS-PRM-02", under(None, FAILED, fault=met), *calm)
    assert FAIL is verdict("PS-PRM-02", under(None, FAILED, fault=missed), *calm)


def finished(said: dict[str, Any], fault: Injection, *kept: str) -> Any:
    return under(said, WARNED, fault=fault, after={path: WRITTEN[path] for path in kept})


def warned(*codes: str) -> dict[str, Any]:
    log = [{"level": "warning", "code": code} for code in codes]
    return {**answer("approve", "only_warnings", summary=SAID), "log": log}


@pytest.mark.parametrize(
    ("clause", "fault", "other", "code"),
    [
        ("PS-FS-01", fails(SEMAPHORE, "openat", "ENOSPC"), SUMMARY, "semaphore_write_failed"),
        ("PS-FS-02", fails(f"{SUMMARY}.tmp", "write", "EDQUOT"), SEMAPHORE, "summary_write_failed"),
    ],
)
def test_what_cannot_be_written_is_told_and_changes_nothing_else(clause, fault, other, code):
    control = check(BLOCKS, FAILED)
    assert PASS is verdict(clause, finished(warned(code), fault, other), control)
    assert FAIL is verdict(clause, finished(warned(), fault, other), control)
    assert FAIL is verdict(clause, finished(warned("config_invalid"), fault, other), control)
    assert FAIL is verdict(clause, finished(GIVES_UP, fault, other), control)
    blocks = answer("block", WARNED.id, **log("warning", code))
    assert FAIL is verdict(clause, finished(blocks, fault, other), control)


def test_a_semaphore_that_was_written_after_all_needs_no_entry():
    fault = fails(SEMAPHORE, "utimensat", "EPERM")
    assert verdict("PS-FS-01", finished(warned(), fault, SEMAPHORE, SUMMARY), check(BLOCKS, FAILED)) is None


@pytest.mark.parametrize(
    ("clause", "lost", "beside"), [("PS-SES-02", SEMAPHORE, SUMMARY), ("PS-FS-03", SUMMARY, SEMAPHORE)]
)
def test_what_no_call_kept_from_being_written_is_missed(clause, lost, beside):
    own, foreign = fails(lost, "openat", "EIO"), fails(TRANSCRIPT, "newfstatat")
    assert verdict(clause, finished(warned("x"), own, beside)) is not FAIL
    assert FAIL is verdict(clause, finished(warned("x"), foreign, beside))
    assert PASS is verdict(clause, finished(warned("x"), foreign, SEMAPHORE, SUMMARY))


def test_a_semaphore_that_a_call_says_is_gone_lets_the_check_go_on():
    gone = fails(SEMAPHORE, "newfstatat", "ENOENT")
    there = {"files": {SEMAPHORE: MARK}}
    assert PASS is verdict("PS-SES-06", under(BLOCKS, FAILED, fault=gone, **there), check(APPROVES, FINE))
    assert PASS is verdict("PS-SES-06", under(RAN, FAILED, fault=gone, **there), check(BLOCKS, FAILED))
    assert FAIL is verdict("PS-SES-06", under(None, FAILED, fault=gone, **there), check(BLOCKS, FAILED))
    assert verdict("PS-SES-06", under(BLOCKS, FAILED, fault=fails(SEMAPHORE, "newfstatat"), **there)) is None


def test_a_configuration_that_a_call_hides_is_followed_or_replaced_by_the_defaults():
    hidden, off = fails(CONFIG_PATH), b'{"enabled": false}'
    calm = check(APPROVES, FINE)
    disabled = answer("approve", "disabled")
    assert PASS is verdict("PS-CFG-02", under(disabled, FAILED, fault=hidden, config=off), calm)
    assert PASS is verdict("PS-CFG-02", under(BLOCKS, FAILED, fault=hidden, config=off), calm)
    assert FAIL is verdict("PS-CFG-02", under(None, FAILED, fault=hidden, config=off), calm)
    elsewhere = fails(TRANSCRIPT)
    assert verdict("PS-CFG-02", under(BLOCKS, FAILED, fault=elsewhere, config=b"{}"), calm) is None


def test_a_kill_at_a_call_takes_from_the_counters_what_it_struck_and_nothing_else():
    struck_one = under(None, FAILED, fault=injected("syscall.killed", TRANSCRIPT))
    signalled = under(None, FAILED, fault=injected("process.killed"))
    gone = under(BLOCKS, FAILED, fault=fails(f"{RUNTIME_DIRECTORY}/counters.json", "openat", "ENOENT"))
    assert {FAIL: 0, PASS: 1} == {counted(struck_one, each=number): number for number in (0, 1)}
    assert counted(signalled, each=0) is counted(gone, each=0) is None


def counted(between: Any, *, each: int) -> CheckVerdict | None:
    """What is said of counters that stand at ``each`` after one event of each kind, and then ``between``."""
    happened = (
        check(answer("approve", "timeout", **log("error", "analysis_timed_out")), *[HANGS] * 7),
        check(GIVES_UP, FAILED, lines=("nonsense",) * 11),
        check(CRASHED, RAISES, FINE),
    )
    counters = {**dict.fromkeys(COUNTERS, each), "power_steering_errors": 2 * each}
    return verdict("PS-MON-01", *happened, between, call("metrics", {}, {"counters": counters, "alerts": []}))


@pytest.mark.parametrize(("op", "clause"), [("continuation_prompt", "PS-PRM-01"), ("metrics", "PS-MON-02")])
def test_nothing_is_asked_of_another_operation_that_was_killed_at_a_call(op, clause):
    killed = injected("syscall.killed", RUNTIME_DIRECTORY)
    assert verdict(clause, check(BLOCKS, FAILED), call(op, {}, None)) is FAIL
    assert verdict(clause, check(BLOCKS, FAILED), call(op, {}, None, faults=(killed,))) is None


# --- the hook's rules


def hook(clause: str, *pairs: Any, **more: Any) -> CheckVerdict | None:
    finding = found_of_hook(*pairs, **more).get(clause)
    return None if finding is None else finding.verdict


def test_a_hook_is_not_to_block_because_a_call_failed():
    broken = fails(DONE, errno="EIO")
    for clause in ("SH-01", "PS-FO-01", "PS-TST-01"):
        assert PASS is hook(clause, stop(FINISHED, APPROVE, broken))
        assert FAIL is hook(clause, stop(FINISHED, BLOCK, broken))
    assert PASS is hook("PS-FS-01", stop(FINISHED, APPROVE, fails(RUNTIME_DIRECTORY, "mkdir")))
    assert FAIL is hook("PS-FS-01", stop(FINISHED, BLOCK, fails(RUNTIME_DIRECTORY, "mkdir")))
    assert hook("PS-FS-01", stop(FINISHED, APPROVE, broken)) is None


def test_a_hook_may_let_an_unfinished_session_go_when_a_call_failed_and_not_at_its_next_stop():
    broken = fails(RUNTIME_DIRECTORY, "openat")
    later = {"session_id": "session-9", "transcript_path": "{home}/other.jsonl"}
    other = {"files": {"{home}/other.jsonl": FileSpec(sample="block")}}
    assert hook("SH-08", stop(UNFINISHED, APPROVE, broken)) is PASS  # of the control
    for name in ("syscall.errno", "syscall.killed", "syscall.torn", "syscall.power"):
        first = stop(FINISHED, APPROVE, injected(name, DONE))
        assert PASS is hook("SH-08", first, stop(UNFINISHED, BLOCK, **later), **other)
        assert FAIL is hook("SH-08", first, stop(UNFINISHED, APPROVE, **later), **other)


def test_who_follows_the_document_checks_a_session_again_whose_stop_a_call_cost_its_answer():
    dead = stop(UNFINISHED, APPROVE, injected("syscall.killed", RUNTIME_DIRECTORY))
    assert FAIL is hook("SH-08", dead, stop(UNFINISHED, APPROVE), group=True)
    assert PASS is hook("SH-08", dead, stop(UNFINISHED, BLOCK), group=True)
    assert hook("SH-08", dead, stop(UNFINISHED, APPROVE)) is PASS  # any other may have remembered it


def test_who_follows_the_document_goes_on_with_the_defaults_when_a_call_on_its_configuration_fails():
    broken = fails(CONFIG_PATH)
    there = {"config": InputFact("file", 2, b"{}")}
    assert PASS is hook("PS-CFG-02", stop(UNFINISHED, BLOCK, broken, **there), group=True)
    assert FAIL is hook("PS-CFG-02", stop(UNFINISHED, APPROVE, broken, **there), group=True)
    assert hook("PS-CFG-02", stop(UNFINISHED, APPROVE, broken, **there)) is None


def test_a_hook_that_looks_for_another_place_when_a_call_fails_writes_where_it_said():
    broken, outside = fails(RUNTIME_DIRECTORY, "mkdir"), {"{outside}/state": FileFact("file", 1, "x", 0.0)}
    assert PASS is hook("SH-06", stop(FINISHED, APPROVE, broken))
    assert FAIL is hook("SH-06", stop(FINISHED, APPROVE, broken, after=outside))


def test_a_directory_that_a_killed_stop_left_does_not_keep_the_next_from_recording_the_end():
    folder = {f"{RUNTIME_DIRECTORY}/session-1": FileFact("directory")}
    dead = stop(FINISHED, "killed", injected("syscall.killed", DONE), after=folder)
    recorded = {**folder, HOOK_SEMAPHORE: mark(), f"{RUNTIME_DIRECTORY}/session-1/summary.md": FileFact("file", 1, "x")}

    def recording(*pairs: Any) -> CheckVerdict | None:
        return hook("PS-SES-02", *pairs, group=True, controls=CALM[:1])

    assert PASS is recording(dead, stop(FINISHED, APPROVE, before=folder, after=recorded))
    assert FAIL is recording(dead, stop(FINISHED, APPROVE, before=folder, after=folder))
    assert recording(stop(FINISHED, APPROVE, before=folder, after=folder)) is None


def test_of_two_stops_of_one_unfinished_session_at_once_one_is_held():
    def both(*results: Any, level: Any = "L3", **more: Any) -> CheckVerdict | None:
        return hook("SH-08", together(*(stop(UNFINISHED, result, **more) for result in results)), level=level)

    assert PASS is both(APPROVE, BLOCK) is both(BLOCK, BLOCK)
    assert FAIL is both(APPROVE, APPROVE)
    assert PASS is both(APPROVE, APPROVE, stop_hook_active=True)  # of the control: who was held before may go
    assert PASS is both(APPROVE, APPROVE, level="L2")  # nobody ordered them, and a loaded machine may keep a lock


def test_a_stop_beside_one_of_another_session_is_held_as_if_it_were_alone():
    def beside(result: Any) -> CheckVerdict | None:
        return hook("SH-08", together(stop(UNFINISHED, result), stop(FINISHED, APPROVE)), level="L3")

    assert (PASS, FAIL) == (beside(BLOCK), beside(APPROVE))

"""The reference gate from outside: each clause of document 004 as the reference reads it."""

import json
import os

import pytest
from gate_world import ANSWERED, DONE, FAILED, NOW, WARNED, codes

from harness.systems.stop_gate.contract import (
    PROMPT_MARK,
    PROMPT_WITHOUT_FAILURES,
    SKIP_VARIABLE,
    TRANSCRIPT_LIMIT_BYTES,
    CheckArguments,
    CheckerOutcome,
    Consideration,
    Decision,
    LogCode,
    LogLevel,
    MetricsArguments,
    PromptArguments,
)
from harness.systems.stop_gate.reference import gate as gate_module
from harness.systems.stop_gate.reference.state import BLOCKS_LIMIT_BYTES, LOG_LIMIT_BYTES, Store

# -- decisions


def test_a_complete_session_is_let_go_and_recorded(world):
    result = world.check(DONE)
    assert (result.decision, result.reasons, result.continuation_prompt) == (Decision.APPROVE, ("complete",), None)
    assert "Why?" in result.summary
    assert world.files.read(f"{world.runtime}/s1/summary.md", 10_000).decode() == result.summary
    assert world.files.status(world.semaphore()).mtime_s == NOW
    assert codes(result) == [LogCode.CONFIG_MISSING]


def test_a_failed_blocker_holds_and_is_checked_again(world):
    for _ in range(2):
        result = world.check(FAILED, WARNED)
        assert (result.decision, result.reasons, result.summary) == (Decision.BLOCK, ("todo",), None)
        assert PROMPT_MARK in result.continuation_prompt
        assert "- todo\n" in result.continuation_prompt
    assert not world.exists(world.semaphore())
    assert world.check(DONE).reasons == ("complete",)


def test_failed_warnings_and_failures_without_severity_do_not_hold(world):
    result = world.check(WARNED, Consideration("plain", CheckerOutcome.FAILED))
    assert (result.decision, result.reasons, result.continuation_prompt) == (Decision.APPROVE, ("only_warnings",), None)
    assert "- docs\n- plain\n" in result.summary


def test_own_considerations_hold_an_open_question(world):
    world.say(ANSWERED[0], {"role": "assistant", "content": "Shall I?"})
    result = world.check(None)
    assert (result.decision, result.reasons) == (Decision.BLOCK, ("objective_complete",))
    assert "- objective_complete: " in result.continuation_prompt


def test_own_considerations_let_a_plain_answer_go(world):
    assert world.check(None).reasons == ("complete",)


def test_the_clock_tells_when_nobody_else_does(world):
    result = world.gate.check(CheckArguments(world.transcript, world.project, "s1", (DONE,)))
    assert result.reasons == ("complete",)
    assert world.files.status(world.semaphore()).mtime_s == NOW


def test_the_prompt_as_an_operation(world):
    assert PROMPT_MARK in world.gate.continuation_prompt(PromptArguments((FAILED,))).prompt
    assert not world.exists(world.runtime)
    result = world.gate.continuation_prompt(PromptArguments())
    assert result.prompt == PROMPT_WITHOUT_FAILURES
    assert codes(result, LogLevel.ERROR) == [LogCode.PROMPT_WITHOUT_FAILURES]
    assert world.gate.metrics(MetricsArguments(), NOW).counters["power_steering_errors"] == 1


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_the_gate_knows_its_own_prompt(world, role):
    world.say(*ANSWERED, {"role": role, "content": [{"type": "text", "text": f"Stop hook: {PROMPT_MARK}. Go on"}]})
    assert world.check(FAILED).reasons == ("power_steering_prompt",)


def test_an_older_prompt_does_not_count(world):
    world.say({"role": "user", "content": PROMPT_MARK}, ANSWERED[1])
    assert world.check(FAILED).decision is Decision.BLOCK


def test_a_session_is_held_twenty_times_an_hour(world):
    assert [world.check(FAILED).decision for _ in range(20)] == [Decision.BLOCK] * 20
    assert world.check(FAILED).reasons == ("block_limit",)
    assert world.check(FAILED, session_id="s2").decision is Decision.BLOCK
    assert world.check(FAILED, now=NOW + 3600).reasons == ("block_limit",)
    assert world.check(FAILED, now=NOW + 3601).decision is Decision.BLOCK


@pytest.mark.parametrize("session_id", [None, ""])
def test_a_session_without_id_is_named_and_held_no_more_often(world, session_id):
    result = world.check(DONE, session_id=session_id)
    assert result.reasons == ("complete",)
    assert LogCode.SESSION_ID_MISSING in codes(result, LogLevel.WARNING)
    held = [world.check(FAILED, session_id=session_id).decision for _ in range(21)]
    assert held == [Decision.BLOCK] * 20 + [Decision.APPROVE]


@pytest.mark.parametrize("damage", [b"\xff\nnan\n" * 10, b"{ not what was written here\n", b"%.3f\nx\n" % NOW])
def test_damage_of_the_count_holds_nobody_longer(memory, damage):
    memory.write(f"{memory.runtime}/.s1_blocks", damage)
    assert memory.check(FAILED).reasons == ("block_limit",)


@pytest.mark.parametrize("left", [b"1772", b"1772366" + bytes(8), bytes(15)])
def test_what_is_left_of_a_torn_line_is_a_block_of_long_ago(memory, left):
    memory.write(f"{memory.runtime}/.s1_blocks", b"%.3f\n" % NOW + left)
    assert [memory.check(FAILED).decision for _ in range(20)] == [Decision.BLOCK] * 19 + [Decision.APPROVE]


def test_a_long_count_of_long_ago_is_begun_anew(memory):
    path = f"{memory.runtime}/.s1_blocks"
    memory.write(path, b"1.000\n" * 6000)
    assert memory.check(FAILED).decision is Decision.BLOCK
    assert memory.files.read(path, 1000) == b"%.3f\n" % NOW


def test_without_a_count_on_disk_the_process_counts(memory):
    memory.files.fail = OSError(30, "read-only")
    assert [memory.check(FAILED).decision for _ in range(21)] == [Decision.BLOCK] * 20 + [Decision.APPROVE]
    memory.gate.held_before = None
    assert memory.check(FAILED, session_id="s2").reasons == ("block_limit",)


def test_who_was_held_and_whose_count_is_lost_is_let_go(world):
    world.gate.held_before = True
    assert world.check(FAILED).reasons == ("block_limit",)
    world.gate.held_before = False
    assert world.check(FAILED).decision is Decision.BLOCK
    world.gate.held_before = True
    assert world.check(FAILED).decision is Decision.BLOCK


def test_a_count_that_does_not_stick_is_none(memory):
    memory.files.append_lines = lambda path, data: None
    memory.gate.held_before = None
    assert memory.check(FAILED).reasons == ("block_limit",)
    assert BLOCKS_LIMIT_BYTES > 20 * len(b"%.3f\n" % NOW)


# -- switches and configuration


@pytest.mark.parametrize(("value", "skipped"), [("1", True), ("0", False), ("", False), ("true", False)])
def test_the_skip_variable(world, value, skipped):
    result = world.check(FAILED, environment={SKIP_VARIABLE: value})
    assert (result.decision is Decision.APPROVE) == skipped
    assert world.exists(world.runtime) != skipped
    assert world.check(FAILED).decision is Decision.BLOCK


def test_a_configuration_switches_off_and_its_end_on_again(world):
    world.write(world.config, b'{"enabled": false}')
    assert world.check(FAILED).reasons == ("disabled",)
    assert not world.exists(world.runtime)
    world.files.remove(world.config)
    assert world.check(FAILED).decision is Decision.BLOCK


def test_a_configuration_that_cannot_be_used_changes_nothing(disk):
    os.makedirs(disk.config)
    assert codes(disk.check(FAILED), LogLevel.WARNING) == [LogCode.CONFIG_INVALID]
    os.rmdir(disk.config)
    os.mkfifo(disk.config)
    assert codes(disk.check(FAILED), LogLevel.WARNING) == [LogCode.CONFIG_INVALID]
    os.unlink(disk.config)
    disk.write(disk.config, b" " * (1024 * 1024 + 1))
    assert codes(disk.check(FAILED), LogLevel.WARNING) == [LogCode.CONFIG_INVALID]
    os.unlink(disk.config)
    disk.write(f"{disk.root}/elsewhere", b'{"enabled": false}')
    os.symlink(f"{disk.root}/elsewhere", disk.config)
    result = disk.check(FAILED)
    assert codes(result, LogLevel.ERROR) == [LogCode.PATH_OUTSIDE_ROOT]
    assert result.decision is Decision.BLOCK


def test_timeout_seconds_limits_the_whole(memory):
    memory.write(memory.config, b'{"timeout_seconds": 1}')
    result = memory.check(Consideration("c", CheckerOutcome.HANGS), FAILED)
    assert result.reasons == ("timeout",)
    assert codes(result, LogLevel.ERROR) == [LogCode.ANALYSIS_TIMED_OUT]


# -- transcripts


def test_no_transcript(world):
    world.files.remove(world.transcript)
    result = world.check(FAILED)
    assert (result.decision, result.reasons, result.summary) == (Decision.APPROVE, ("transcript_missing",), None)
    assert codes(result, LogLevel.WARNING) == [LogCode.TRANSCRIPT_MISSING]
    assert not world.exists(world.semaphore())


@pytest.mark.parametrize("data", [b"", b"\n\n", b"5\n", b'{"role": "tool"}'])
def test_nothing_in_the_transcript(world, data):
    world.write(world.transcript, data)
    result = world.check(FAILED)
    assert (result.decision, result.reasons) == (Decision.APPROVE, ("empty_transcript",))
    assert codes(result, LogLevel.INFO) == [LogCode.EMPTY_TRANSCRIPT]


def test_too_many_invalid_lines(world):
    world.write(world.transcript, json.dumps(ANSWERED[1]).encode() + b"\n{" * 11)
    result = world.check(FAILED)
    assert (result.decision, result.reasons) == (Decision.APPROVE, ("too_many_invalid_lines",))
    assert codes(result, LogLevel.WARNING) == [LogCode.INVALID_JSON_LINE] * 11
    world.write(world.transcript, json.dumps(ANSWERED[1]).encode() + b"\n{" * 10)
    assert world.check(FAILED).decision is Decision.BLOCK


def test_the_largest_transcript_is_read_and_a_larger_one_is_not(memory):
    line = json.dumps(ANSWERED[1]).encode() + b"\n"
    memory.write(memory.transcript, line + b" " * (TRANSCRIPT_LIMIT_BYTES - len(line)))
    assert memory.check(FAILED).decision is Decision.BLOCK
    memory.write(memory.transcript, line + b" " * (TRANSCRIPT_LIMIT_BYTES - len(line) + 1))
    result = memory.check(FAILED)
    assert result.reasons == ("transcript_too_large",)
    assert codes(result, LogLevel.WARNING) == [LogCode.TRANSCRIPT_TOO_LARGE]


def test_a_transcript_that_grows_while_it_is_read_is_too_large(memory):
    memory.files.read = lambda path, limit: b" " * limit
    assert memory.check(FAILED).reasons == ("transcript_too_large",)


@pytest.mark.parametrize("kind", ["directory", "fifo", "loop", "unreadable", "nul"])
def test_no_file_to_read(disk, kind, monkeypatch):
    os.unlink(disk.transcript)
    if kind == "directory":
        os.mkdir(disk.transcript)
    elif kind == "fifo":
        os.mkfifo(disk.transcript)
    elif kind == "loop":
        os.symlink(disk.transcript, disk.transcript)
    elif kind == "nul":
        disk.transcript += "\0"
    else:
        disk.say(*ANSWERED)
        monkeypatch.setattr(disk.files, "read", lambda path, limit: (_ for _ in ()).throw(PermissionError(13, path)))
    result = disk.check(FAILED)
    assert result.reasons == ("transcript_unreadable",)
    assert codes(result, LogLevel.WARNING)[0] == LogCode.TRANSCRIPT_UNREADABLE


def test_reading_is_limited_too(memory, monkeypatch):
    monkeypatch.setattr(gate_module, "READING_LIMIT_S", -1.0)
    memory.write(memory.transcript, b"5\n" * 5000)
    assert memory.check(FAILED).reasons == ("timeout",)


# -- semaphores


@pytest.mark.parametrize(
    ("age_s", "reason", "code"),
    [
        (0, "already_ran", None),
        (3600, "already_ran", None),
        (3601, "complete", LogCode.SEMAPHORE_STALE),
        (-60, "already_ran", None),
        (-61, "complete", LogCode.SEMAPHORE_IN_FUTURE),
    ],
)
def test_the_age_of_a_semaphore(world, age_s, reason, code):
    world.write(world.semaphore(), b"", age_s)
    result = world.check(DONE)
    assert result.reasons == (reason,)
    assert codes(result, LogLevel.WARNING) == ([code] if code else [])
    renewed = world.files.status(world.semaphore()).mtime_s
    assert renewed == (NOW if code is LogCode.SEMAPHORE_STALE else NOW - age_s)
    assert (LogCode.ALREADY_COMPLETE in codes(result)) == (code is LogCode.SEMAPHORE_IN_FUTURE)


def test_the_semaphore_comes_before_the_transcript(world):
    world.write(world.semaphore(), b"")
    world.files.remove(world.transcript)
    assert world.check(FAILED).reasons == ("already_ran",)


def test_what_is_no_semaphore_is_none(disk):
    os.makedirs(disk.semaphore())
    assert disk.check(FAILED).decision is Decision.BLOCK
    os.rmdir(disk.semaphore())
    os.symlink("nowhere", disk.semaphore())
    assert disk.check(FAILED).decision is Decision.BLOCK
    assert disk.check(DONE).reasons == ("complete",)
    os.unlink(disk.semaphore())
    os.symlink(f".{'s1'}_completed", disk.semaphore())
    result = disk.check(DONE)
    assert result.reasons == ("complete",)
    assert LogCode.SEMAPHORE_WRITE_FAILED in codes(result, LogLevel.ERROR) or LogCode.ALREADY_COMPLETE in codes(result)


def test_the_second_of_two_writers_carries_on(memory):
    class Raced(Store):
        def mark(self, session, now_s):
            self.files.create(self.semaphore_path(session), b"", now_s - 1)
            super().mark(session, now_s)

    memory.gate.store_class = Raced
    result = memory.check(DONE)
    assert result.reasons == ("complete",)
    assert codes(result, LogLevel.INFO) == [LogCode.ALREADY_COMPLETE]
    assert memory.files.status(memory.semaphore()).mtime_s == NOW - 1


@pytest.mark.parametrize(
    "session_id", ["../../x", "/tmp/x", "..", "a\0b", "x" * 5000, "counters.json", "../power-steering-evil/x"]
)
def test_hostile_ids_stay_inside(disk, session_id):
    assert disk.check(DONE, session_id=session_id).reasons == ("complete",)
    assert disk.check(DONE, session_id=session_id).reasons == ("already_ran",)
    assert sorted(os.listdir(disk.root)) == ["home", "project", "t.jsonl"]
    assert os.listdir(os.path.dirname(disk.runtime)) == ["power-steering"]
    assert len(os.listdir(disk.runtime)) == 4


# -- storage


def test_storage_that_refuses_changes_only_the_log(memory):
    wanted = memory.check(DONE)
    memory.files.contents = {path: kept for path, kept in memory.files.contents.items() if "home" not in path}
    memory.files.fail = OSError(28, "full")
    result = memory.check(DONE)
    assert (result.decision, result.reasons, result.summary) == (wanted.decision, wanted.reasons, wanted.summary)
    assert codes(result, LogLevel.ERROR) == [LogCode.SUMMARY_WRITE_FAILED, LogCode.SEMAPHORE_WRITE_FAILED]
    assert codes(result, LogLevel.WARNING) == [LogCode.COUNTERS_WRITE_FAILED]


@pytest.mark.parametrize("target", ["outside", "home/.amplihack/.claude/runtime/power-steering-evil"])
def test_links_out_of_the_runtime_directory_are_refused(disk, target):
    outside = f"{disk.root}/{target}"
    os.makedirs(outside)
    os.makedirs(disk.runtime)
    os.symlink(outside, f"{disk.runtime}/s1")
    os.symlink(f"{outside}/seen", disk.semaphore())
    for name in ("counters.json", "counters.lock", "power_steering.log", ".s1_blocks"):
        os.symlink(f"{outside}/{name}", f"{disk.runtime}/{name}")
    result = disk.check(DONE)
    assert result.reasons == ("complete",)
    assert codes(result, LogLevel.ERROR) == [LogCode.PATH_OUTSIDE_ROOT] * 3
    assert disk.check(FAILED).decision is Decision.BLOCK
    assert os.listdir(outside) == []


def test_a_runtime_directory_out_of_the_home_is_refused(disk):
    os.makedirs(os.path.dirname(disk.runtime))
    os.makedirs(f"{disk.root}/outside")
    os.symlink(f"{disk.root}/outside", disk.runtime)
    assert disk.check(DONE).reasons == ("complete",)
    assert disk.check(FAILED).decision is Decision.BLOCK
    assert os.listdir(f"{disk.root}/outside") == []


def test_a_semaphore_that_cannot_be_looked_at_is_none(memory, monkeypatch):
    monkeypatch.setattr(Store, "semaphore", lambda self, session: (_ for _ in ()).throw(PermissionError(13, "no")))
    result = memory.check(FAILED)
    assert result.decision is Decision.BLOCK
    assert codes(result, LogLevel.WARNING) == [LogCode.SEMAPHORE_STALE]


def test_a_fifo_for_a_log_or_a_lock_waits_for_nobody(disk):
    os.makedirs(disk.runtime)
    for name in ("power_steering.log", "counters.json", ".s1_blocks"):
        os.mkfifo(f"{disk.runtime}/{name}")
    assert disk.check(DONE).reasons == ("complete",)
    assert (
        codes(disk.check(FAILED, session_id="s1", now=NOW + 3601), LogLevel.WARNING).count(
            LogCode.COUNTERS_WRITE_FAILED
        )
        == 2
    )


def test_the_log_begins_anew_when_it_is_long(memory):
    path = f"{memory.runtime}/power_steering.log"
    memory.write(path, b"x" * (LOG_LIMIT_BYTES + 1))
    memory.check(session_id=None)
    kept = memory.files.read(path, LOG_LIMIT_BYTES).decode()
    assert kept.count("\n") == 1
    assert "session_id_missing" in kept

"""The reference gate's checkers, limits, last line of defence and counters, from outside."""

import os
import threading
import time

import pytest
from gate_world import DONE, FAILED, NOW, SCALE, codes

from harness.ports.clock import FakeClock
from harness.ports.files import RealFiles
from harness.systems.stop_gate.contract import (
    COUNTERS,
    SUMMARY_CUT_MARK,
    Alert,
    CheckArguments,
    CheckerOutcome,
    Configuration,
    Consideration,
    Decision,
    Limits,
    LogCode,
    LogLevel,
    MetricsArguments,
    Severity,
)
from harness.systems.stop_gate.reference import StopGate, create
from harness.systems.stop_gate.reference import gate as gate_module
from harness.systems.stop_gate.reference.inputs import approve
from harness.systems.stop_gate.reference.limits import Watch

# -- checkers


def outcome(kind, **more):
    return Consideration(kind.value, kind, Severity.BLOCKER, **more)


@pytest.mark.parametrize("kind", [CheckerOutcome.MISSING, CheckerOutcome.KEYLESS])
def test_a_consideration_without_checker_is_satisfied(world, kind):
    result = world.check(outcome(kind), FAILED)
    assert result.reasons == ("todo",)
    assert [(entry.code, entry.checker) for entry in result.log[1:]] == [(LogCode.CHECKER_MISSING, kind.value)]


@pytest.mark.parametrize(
    "kind", [CheckerOutcome.RAISES, CheckerOutcome.EXITS, CheckerOutcome.INTERRUPTS, CheckerOutcome.RECURSES]
)
@pytest.mark.parametrize("off", [False, True])
def test_a_checker_that_crashes_is_satisfied_and_the_next_is_asked(world, kind, off):
    world.gate = StopGate(world.home, FakeClock(NOW), world.files, Limits(1.0))  # no limit is meant to be met
    result = world.check(outcome(kind), FAILED, off_main_thread=off)
    assert result.reasons == ("todo",)
    (entry,) = (entry for entry in result.log if entry.level is LogLevel.ERROR)
    assert (entry.code, entry.checker, entry.traceback) == (LogCode.CHECKER_RAISED, kind.value, True)
    assert (entry.session_id, entry.transcript_path) == ("s1", world.transcript)
    assert b"Traceback" in world.files.read(f"{world.runtime}/power_steering.log", 100_000)


def test_an_unreachable_network_is_satisfied(world):
    result = world.check(outcome(CheckerOutcome.NETWORK_ERROR), FAILED)
    assert result.reasons == ("todo",)
    assert codes(result, LogLevel.WARNING) == [LogCode.NETWORK_UNREACHABLE]


@pytest.mark.parametrize("kind", [CheckerOutcome.HANGS, CheckerOutcome.HANGS_SWALLOWING])
@pytest.mark.parametrize("off", [False, True])
def test_a_checker_that_hangs_is_left_behind(memory, kind, off):
    result = memory.check(outcome(kind), FAILED, off_main_thread=off)
    assert result.reasons == ("todo",)
    assert codes(result, LogLevel.ERROR) == [LogCode.CHECKER_TIMED_OUT]
    for thread in threading.enumerate():
        if thread.name == "stop-gate-checkers":
            thread.join(5)
            assert not thread.is_alive()


def test_a_slow_checker_within_its_limit_answers(memory):
    assert memory.check(outcome(CheckerOutcome.SLOW, seconds=0.1)).reasons == ("slow",)


@pytest.mark.parametrize("kind", [CheckerOutcome.HANGS, CheckerOutcome.HANGS_SWALLOWING, CheckerOutcome.SLOW])
def test_the_whole_analysis_ends(memory, kind):
    many = [Consideration(f"c{n}", kind, Severity.BLOCKER, 4.5) for n in range(30)]
    started = time.monotonic()
    result = memory.check(*many, FAILED)
    assert result.reasons == ("timeout",)
    assert codes(result, LogLevel.ERROR)[-1] == LogCode.ANALYSIS_TIMED_OUT
    assert time.monotonic() - started < 30  # without the limit of the whole it would be slower; no more is claimed


def test_answers_that_take_no_time_meet_the_limit_of_the_whole_too(memory):
    moments = iter([0.0, 0.0, 1000.0])
    memory.gate.monotonic = lambda: next(moments)
    assert memory.check(FAILED).reasons == ("timeout",)


def test_only_a_plain_no_is_a_no(memory):
    class Odd:
        def __init__(self, messages):
            pass

        def all(self):
            return [gate_module.Question("odd", Severity.BLOCKER, lambda gone: None)]

    memory.gate.questions_class = Odd
    assert memory.check(None).reasons == ("complete",)


def test_a_watch_without_a_limit_waits(memory):
    watch = Watch(float("inf"), float("inf"), time.monotonic)
    assert watch.call(lambda gone: 7).value == 7
    watch.close()
    watch.close()


# -- the last line of defence


def test_what_nobody_foresaw_approves(world):
    world.gate.analysed = lambda case: 1 / 0
    result = world.check(FAILED)
    assert (result.decision, result.reasons) == (Decision.APPROVE, ("error",))
    (entry,) = (entry for entry in result.log if entry.level is LogLevel.ERROR)
    assert (entry.code, entry.traceback, entry.session_id) == (LogCode.CHECK_FAILED, True, "s1")


def test_rules_that_decide_nothing_approve(memory):
    memory.gate.RULES = ()
    assert memory.check(FAILED).reasons == ("error",)


def test_a_record_that_breaks_is_worth_no_answer(memory):
    memory.gate.counting_class = lambda: 1 / 0
    result = memory.check(FAILED)
    assert result.decision is Decision.BLOCK
    assert codes(result, LogLevel.ERROR) == [LogCode.CHECK_FAILED]


def test_a_real_interrupt_reaches_the_person(memory):
    def interrupted(case):
        raise KeyboardInterrupt

    memory.gate.analysed = interrupted
    with pytest.raises(KeyboardInterrupt):
        memory.check(FAILED)


def test_a_project_that_does_not_exist_is_no_error(world):
    world.project += "-gone"
    assert world.check(FAILED).decision is Decision.BLOCK


# -- metrics


def test_counters_and_alerts(world):
    assert world.gate.metrics(MetricsArguments(), NOW).counters == dict.fromkeys(COUNTERS, 0)
    for _ in range(3):
        world.check(outcome(CheckerOutcome.RAISES), FAILED)
    world.check(outcome(CheckerOutcome.HANGS), FAILED)
    world.write(world.transcript, b"{\n")
    world.check()
    result = world.gate.metrics(MetricsArguments())
    assert list(result.counters.values()) == [4, 1, 1, 3]
    assert result.alerts == (Alert("error_rate"), Alert("timeout_rate"), Alert("checker_crashes", "raises"))
    assert world.gate.metrics(MetricsArguments(), NOW + 3601).alerts == ()


def test_damaged_counters_begin_anew(world):
    world.write(f"{world.runtime}/counters.json", b"{")
    assert codes(world.gate.metrics(MetricsArguments(), NOW)) == [LogCode.COUNTERS_WRITE_FAILED]
    assert codes(world.check(DONE), LogLevel.WARNING) == [LogCode.COUNTERS_WRITE_FAILED]
    assert codes(world.gate.metrics(MetricsArguments(), NOW)) == []


def test_counters_that_cannot_be_read_are_zero(disk):
    os.makedirs(f"{disk.runtime}/counters.json")
    result = disk.gate.metrics(MetricsArguments(), NOW)
    assert result.counters == dict.fromkeys(COUNTERS, 0)
    assert codes(result) == [LogCode.COUNTERS_WRITE_FAILED]


def test_counters_wait_only_so_long_for_their_lock(disk):
    with disk.files.lock(f"{disk.runtime}/counters.lock", 1.0):
        result = disk.check(DONE)
    assert result.reasons == ("complete",)
    assert codes(result, LogLevel.WARNING) == [LogCode.COUNTERS_WRITE_FAILED]


def test_many_at_once_lose_no_count_and_record_completion_once(disk):
    gates = [StopGate(disk.home, FakeClock(NOW), RealFiles(), Limits(SCALE)) for _ in range(6)]
    arguments = CheckArguments(disk.transcript, disk.project, "s1", (outcome(CheckerOutcome.RAISES), DONE))
    answers = []
    threads = [threading.Thread(target=lambda gate=gate: answers.append(gate.check(arguments, NOW))) for gate in gates]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.decision for answer in answers} == {Decision.APPROVE}
    analysed = sum(answer.reasons == ("complete",) for answer in answers)
    assert disk.gate.metrics(MetricsArguments(), NOW).counters["power_steering_checker_crashes"] == analysed >= 1


# -- making one


def test_create_takes_real_files_or_others(memory):
    made = create(Configuration(memory.home, Limits(SCALE)), memory.files)
    assert made.files is memory.files
    assert isinstance(create(Configuration("/nowhere")).files, RealFiles)
    assert made.check(CheckArguments(memory.transcript, memory.project, "s1", (FAILED,))).decision is Decision.BLOCK
    assert approve("x").reasons == ("x",)
    with pytest.raises(AttributeError, match="nothing"):
        _ = __import__("harness.systems.stop_gate.reference", fromlist=["x"]).nothing


def test_the_summary_is_cut_in_the_answer_and_on_disk(memory):
    memory.say({"role": "user", "content": "y" * 150_000})
    result = memory.check(DONE)
    assert result.summary.endswith(SUMMARY_CUT_MARK)
    assert len(memory.files.read(f"{memory.runtime}/s1/summary.md", 10**6)) == len(result.summary)

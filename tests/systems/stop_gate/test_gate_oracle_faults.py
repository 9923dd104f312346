"""The gate's oracle under every kind of fault: what a sound gate may do passes, and what it may not fails its clause."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from handmade_gate import (
    APPROVES,
    BLOCKS,
    CATALOGUE,
    FAIL,
    HANGS,
    NOON,
    PASS,
    SEMAPHORE,
    Call,
    answer,
    call,
    found,
    injected,
    log,
)
from handmade_weather import CRASHED, FINISHED, GIVES_UP, MARK, MISSING, SAID, TRANSCRIPT, check, under, verdict, wrong

from harness.core.fault import Injection
from harness.core.finding import CheckVerdict
from harness.core.history import EntryType, FileFact, History
from harness.core.scenario import FileSpec, Scenario, World
from harness.systems.standing import injections
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import CONFIG_PATH, CheckerOutcome, Consideration
from harness.systems.stop_gate.oracle import judge
from harness.systems.stop_gate.oracle.gate_view import RUNTIME
from harness.systems.stop_gate.workload.gate_steps import FAILED, FINE, WARNED, flat


def killed(said: Mapping[str, Any] | None, *asked: Consideration, **more: Any) -> Call:
    """A check that the harness killed: the proof comes with its end."""
    begin, end = check(said, *asked, faults=(injected("process.killed", proof=""),), **more)
    return begin, msgspec.structs.replace(end, faults=(injected("process.killed", proof="SIGKILL"),))


# --- what surrounds a gate


KEEPS = (
    "clock.back", "clock.year_1970", "clock.year_9999", "clock.time_zone", "environment.odd_locale",
    "environment.no_home", "process.restarted", "identifier.unicode", "jsonl.leap_second",
)  # fmt: skip
MAY_STOP = (
    "process.few_descriptors", "process.paused", "environment.nothing", "environment.deleted_cwd",
    "collaborator.hangs", "network.garbage", "unheard.of",
)  # fmt: skip


@pytest.mark.parametrize("fault", KEEPS)
def test_a_fault_that_takes_nothing_lets_no_unfinished_session_go(fault: str) -> None:
    assert verdict("PS-PRM-02", under(BLOCKS, FAILED, fault=fault)) is PASS
    assert verdict("PS-FO-01", under(GIVES_UP, FAILED, fault=fault)) is FAIL
    assert verdict("PS-PRM-02", under(GIVES_UP, FAILED, fault=fault)) is FAIL


@pytest.mark.parametrize("fault", MAY_STOP)
def test_a_fault_that_may_stop_a_gate_permits_either_answer_and_no_other(fault: str) -> None:
    assert verdict("PS-PRM-02", under(BLOCKS, FAILED, fault=fault)) is PASS
    given_up = found(under(GIVES_UP, FAILED, fault=fault))
    assert given_up["PS-FO-01"].verdict is PASS
    assert "PS-PRM-02" not in given_up  # says nothing of it
    assert verdict("PS-FO-01", under(APPROVES, FAILED, fault=fault)) is FAIL  # given up without a word
    assert verdict("PS-FO-01", under(BLOCKS, FINE, fault=fault)) is FAIL
    assert verdict("PS-TST-01", under(None, FAILED, fault=fault)) is FAIL
    assert verdict("PS-FO-03", under(answer("maybe"), FAILED, fault=fault)) is FAIL


def test_no_limit_of_time_is_asked_of_a_clock_that_stands_still() -> None:
    late = under(None, HANGS, FAILED, fault="clock.frozen")
    assert found(late) == {}
    assert verdict("PS-FO-01", under(None, FAILED, fault="clock.frozen")) is FAIL


def test_what_may_be_asked_names_the_faults_it_is_asked_under() -> None:
    finding = found(under(APPROVES, FAILED, fault="clock.back"))["PS-PRM-02"]
    assert finding.expected == "block under clock.back"


# --- a check that was killed


def test_a_killed_check_is_no_answer_and_the_next_one_is() -> None:
    for said in (None, BLOCKS, answer("approve", "already_ran")):
        assert wrong(killed(said, FINE), check(APPROVES | {"summary": SAID}, FINE, after=FINISHED)) == set()
    assert verdict("PS-PRM-02", killed(None, FAILED), check(APPROVES, FAILED)) is FAIL
    assert verdict("PS-PRM-02", killed(None, FINE), check(BLOCKS, FINE)) is FAIL
    assert verdict("PS-PRM-02", killed(None, FINE), check(None, FINE)) is FAIL


def test_a_kill_without_proof_excuses_nobody() -> None:
    begin, end = killed(None, FINE)
    unstruck = (begin, msgspec.structs.replace(end, faults=begin.faults))
    assert verdict("PS-PRM-02", unstruck) is FAIL
    later = (msgspec.structs.replace(begin, faults=()), end)  # the proof alone tells
    assert found(later) == {}


def test_a_killed_check_leaves_no_semaphore_of_a_session_that_cannot_have_been_approved() -> None:
    assert verdict("PS-LOOP-02", killed(None, FAILED, after={SEMAPHORE: MARK})) is FAIL
    assert verdict("PS-LOOP-02", killed(None, FAILED)) is None
    assert verdict("PS-LOOP-02", killed(None, FINE, after={SEMAPHORE: MARK})) is None


def test_a_killed_check_may_have_been_a_block() -> None:
    three = (killed(None, FAILED), check(BLOCKS, FAILED), check(answer("approve", "enough"), FAILED))
    assert wrong(*three) == set()
    assert "PS-PRM-02" in wrong(*three[1:])


def test_a_killed_check_writes_nothing_outside_either() -> None:
    away = {"{outside}/x": FileFact("file")}
    assert verdict("PS-SES-07", killed(None, FAILED, session_id="../x", after=away)) is FAIL
    assert verdict("PS-SES-07", killed(None, FAILED, session_id="../x")) is None


HOUR = (
    check(answer("approve", "timeout", **log("error", "analysis_timed_out")), *[HANGS] * 7),
    check(answer("approve", "x", **log("error", "too_many_invalid_lines")), FAILED, lines=("nonsense",) * 11),
    check(CRASHED, Consideration("crashes", CheckerOutcome.RAISES), FINE),
)


@pytest.mark.parametrize(
    ("between", "standing", "judged"),
    [((), (), True), ((killed(None, FINE),), (), False), ((), (injected("process.restarted"),), False)],
    ids=["nothing", "killed", "restarted"],
)
def test_counters_are_asked_for_what_happened_since_a_process_was_started(
    between: tuple[Call, ...], standing: tuple[Injection, ...], judged: bool
) -> None:
    nothing = call("metrics", {}, {"counters": dict.fromkeys(contract.COUNTERS, 0), "alerts": []}, faults=standing)
    for clause, happened in (("PS-MON-01", HOUR), ("PS-MON-02", HOUR[2:] * 3)):
        assert verdict(clause, *happened, *between, nothing) is (FAIL if judged else None)


def test_a_restart_does_not_begin_the_count_of_identical_stops_anew_and_other_weather_does() -> None:
    before, after = check(BLOCKS, FAILED), under(BLOCKS, FAILED, fault="process.restarted")
    assert verdict("PS-LOOP-04", *[before] * 12, *[after] * 13) is None
    assert verdict("PS-LOOP-04", *[before] * 12, *[after] * 14) is FAIL
    assert verdict("PS-LOOP-04", *[before] * 20, *[under(BLOCKS, FAILED, fault="process.few_descriptors")] * 20) is None
    assert verdict("PS-LOOP-04", *[after] * 3, under(APPROVES, FAILED, fault="process.restarted")) is PASS
    given_up = under(GIVES_UP, FAILED, fault="process.few_descriptors")
    assert verdict("PS-LOOP-04", *[under(BLOCKS, FAILED, fault="process.few_descriptors")] * 2, given_up) is None


# --- arguments of types that no caller may give


def odd(said: Mapping[str, Any] | None, *asked: Consideration, kind: EntryType = EntryType.OK, **args: Any) -> Call:
    begin, end = check(said, *asked, faults=(injected("identifier.wrong_type"),))
    value = {name: given for name, given in {**begin.value, **args}.items() if given != "absent"}
    return msgspec.structs.replace(begin, value=value), msgspec.structs.replace(end, type=kind)


@pytest.mark.parametrize(
    "args", [{"session_id": 7}, {"session_id": ["x"]}, {"transcript_path": 7}, {"transcript_path": "absent"}]
)
def test_arguments_of_a_wrong_type_are_refused_or_approved_or_as_if_they_were_missing(args: dict[str, Any]) -> None:
    assert found(odd({"error": "no"}, FAILED, kind=EntryType.FAIL, **args)) == {}
    assert wrong(odd(GIVES_UP, FAILED, **args)) == set()
    assert verdict("PS-FO-01", odd(None, FAILED, kind=EntryType.INFO, **args)) is FAIL
    as_without_id = verdict("PS-FO-01", odd(BLOCKS, FAILED, **args))
    assert as_without_id is (PASS if "session_id" in args else FAIL)


@pytest.mark.parametrize("path", ["t.jsonl", " ", "/" + "x" * 300, "/x" * 2_100, "{home}/a\0b"])
def test_a_path_that_names_no_file_ends_in_approval(path: str) -> None:
    begin, end = check(BLOCKS, FAILED, lines=MISSING)
    asked = msgspec.structs.replace(begin, value={**begin.value, "transcript_path": path})
    assert verdict("PS-TST-01", (msgspec.structs.replace(asked, faults=(injected("identifier.long"),)), end)) is FAIL
    gone = msgspec.structs.replace(end, value=GIVES_UP)
    assert verdict("PS-TST-01", (msgspec.structs.replace(asked, faults=(injected("identifier.long"),)), gone)) is PASS


def play(*calls: Call, clauses: tuple[str, ...] = (), **files: FileSpec) -> dict[str, CheckVerdict]:
    paths = {"transcript": TRANSCRIPT, "config": CONFIG_PATH}
    entries = [msgspec.structs.replace(entry, n=n) for n, entry in enumerate(entry for pair in calls for entry in pair)]
    world = World(NOON, {paths[name]: spec for name, spec in files.items()})
    scenario = Scenario(1, "s", "t", contract.SYSTEM, contract.GATE, clauses, world, ())
    return {each.clause: each.verdict for each in judge(scenario, History(tuple(entries)), CATALOGUE)}


# --- a summary at its limit


@pytest.mark.parametrize(
    ("characters", "summary", "expected"),
    [
        (100_000, "x" * 100_000 + contract.SUMMARY_CUT_MARK, PASS),
        (100_000, "x" * 100_000, PASS),
        (100_000, "x" * 100_001, FAIL),
        (99_000, "x" * 99_500, PASS),
        (99_000, "x" * 99_000 + contract.SUMMARY_CUT_MARK, FAIL),
        (100_001, "x" * 100_000 + contract.SUMMARY_CUT_MARK, PASS),
        (100_001, "x" * 100_001, FAIL),
        (20, "short", None),
        (20, "short" + contract.SUMMARY_CUT_MARK, FAIL),
    ],
)
def test_a_summary_is_cut_at_its_limit_and_not_before(
    characters: int, summary: str, expected: CheckVerdict | None
) -> None:
    said = answer("approve", "only_warnings", summary=summary)
    assert verdict("PS-SUM-03", check(said, WARNED, lines=(flat("user", "x" * characters),))) is expected


# --- faults that were not proven


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (injected("clock.frozen", proof="libfaketime is not installed", armed=False), "libfaketime is not installed"),
        (injected("filesystem.busy", RUNTIME, "", armed=False), "the fault filesystem.busy could not be put in place on this machine"),
        (injected("filesystem.full", RUNTIME, ""), "the fault filesystem.full was put in place, and nothing shows that it struck"),
    ],
)  # fmt: skip
def test_a_fault_that_was_not_proven_establishes_nothing_its_scenario_is_meant_for(
    fault: Injection, reason: str
) -> None:
    entries = [msgspec.structs.replace(entry, n=n) for n, entry in enumerate(under(BLOCKS, FAILED, fault=fault))]
    named = ("PS-PRM-02", "PS-TR-01")
    scenario = Scenario(1, "s", "t", contract.SYSTEM, contract.GATE, named, World(NOON), ())
    seen = {each.clause: each for each in judge(scenario, History(tuple(entries)), CATALOGUE)}
    for clause in named:
        assert (seen[clause].verdict, seen[clause].reason) == (CheckVerdict.INCONCLUSIVE, reason)
    assert seen["PS-PRM-04"].verdict is PASS  # nobody asked this scenario
    failing = [msgspec.structs.replace(entries[0]), msgspec.structs.replace(entries[1], type=EntryType.INFO)]
    seen = {each.clause: each for each in judge(scenario, History(tuple(failing)), CATALOGUE)}
    assert seen["PS-PRM-02"].verdict is FAIL


@pytest.mark.parametrize(
    "faults",
    [
        (injected("filesystem.full", RUNTIME, ""), injected("filesystem.full", "{tmp}", "ENOSPC")),
        (injected("filesystem.aged", RUNTIME, ""),),
        (injected("jsonl.bom", TRANSCRIPT, "", deleted=True),),
    ],
    ids=["met elsewhere", "nothing was kept", "a control"],
)
def test_a_fault_that_was_met_somewhere_or_had_nothing_to_strike_withholds_nothing(
    faults: tuple[Injection, ...],
) -> None:
    pair = check(BLOCKS, FAILED, faults=faults)
    assert play(pair, clauses=("PS-PRM-02",))["PS-PRM-02"] is PASS


def test_the_end_of_an_operation_proves_its_faults_one_by_one() -> None:
    """Two of one kind may strike at once; what was proven before stays proven."""
    begin, end = check(None, FINE)
    waiting, met, other = (injected("process.killed", proof=proof) for proof in ("", "SIGKILL", "SIGTERM"))
    standing = injected("clock.back")
    unsaid = injected("clock.frozen")
    begun = msgspec.structs.replace(begin, faults=(waiting, waiting, standing, unsaid))
    ended = msgspec.structs.replace(end, faults=(met, other, injected("clock.back", proof="")))
    assert injections(begun, ended) == (met, other, standing, unsaid)
    assert injections(begun, None) == begun.faults

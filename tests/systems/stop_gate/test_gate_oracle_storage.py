"""The gate's oracle where files come and go, grow, cannot be written, or lead elsewhere."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from handmade_gate import (
    APPROVES,
    ASKED,
    BLOCKS,
    CATALOGUE,
    FAIL,
    HANGS,
    NOON,
    NOON_S,
    PASS,
    RAN,
    SEMAPHORE,
    Call,
    answer,
    call,
    found,
    injected,
    log,
)
from handmade_weather import (
    CRASHED,
    DONE,
    FINISHED,
    GIVES_UP,
    LINKED,
    MARK,
    MISSING,
    SAID,
    TRANSCRIPT,
    WARNINGS,
    check,
    under,
    verdict,
    wrong,
)

from harness.core.fault import Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, FileFact, History, InputFact
from harness.core.scenario import FileSpec, Scenario, World
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import CONFIG_PATH, CheckerOutcome, Consideration
from harness.systems.stop_gate.oracle import judge
from harness.systems.stop_gate.oracle.gate_view import RUNTIME
from harness.systems.stop_gate.workload.gate_steps import FAILED, FINE, WARNED, flat

# --- what comes and goes while it is read


def moving(said: Mapping[str, Any] | None, *asked: Consideration, kind: str = "vanishing", **more: Any) -> Call:
    return under(said, *asked, fault=injected(f"filesystem.{kind}", more.pop("place", TRANSCRIPT)), **more)


def test_a_transcript_that_comes_and_goes_permits_what_either_moment_deserves() -> None:
    for said in (BLOCKS, answer("approve", "transcript_missing", **log("warning", "x")), GIVES_UP):
        assert wrong(moving(said, FAILED)) == set()
        assert wrong(moving(said, FAILED, lines=MISSING)) == set()
    assert verdict("PS-TST-01", moving(BLOCKS, FINE)) is FAIL
    assert verdict("PS-TST-01", moving(None, FAILED)) is FAIL


def test_a_transcript_that_grows_stays_what_it_is() -> None:
    assert verdict("PS-PRM-02", moving(BLOCKS, FAILED, kind="growing")) is PASS
    assert verdict("PS-FO-01", moving(GIVES_UP, FAILED, kind="growing")) is FAIL
    ten = (ASKED, *["nonsense"] * 10, flat("assistant", "Done."))
    assert wrong(moving(GIVES_UP, FAILED, kind="growing", lines=ten)) == set()
    nearly = InputFact("file", contract.TRANSCRIPT_LIMIT_BYTES - 1)
    too_large = answer("approve", "transcript_too_large", **log("warning", "x"))
    assert wrong(moving(too_large, FAILED, kind="growing", lines=nearly)) == set()


def play(*calls: Call, clauses: tuple[str, ...] = (), **files: FileSpec) -> dict[str, CheckVerdict]:
    paths = {"transcript": TRANSCRIPT, "config": CONFIG_PATH}
    entries = [msgspec.structs.replace(entry, n=n) for n, entry in enumerate(entry for pair in calls for entry in pair)]
    world = World(NOON, {paths[name]: spec for name, spec in files.items()})
    scenario = Scenario(1, "s", "t", contract.SYSTEM, contract.GATE, clauses, world, ())
    return {each.clause: each.verdict for each in judge(scenario, History(tuple(entries)), CATALOGUE)}


def test_a_transcript_that_was_away_is_known_from_the_world() -> None:
    spec = FileSpec(text=ASKED + "\n")
    blocks = moving(BLOCKS, FINE, lines=MISSING)
    assert play(blocks, transcript=spec)["PS-TST-01"] is FAIL
    asks = moving(BLOCKS, FAILED, lines=MISSING)
    assert play(asks, transcript=spec)["PS-TST-01"] is PASS


def test_a_configuration_that_comes_and_goes_is_in_force_or_not() -> None:
    off = b'{"enabled": false}'
    for config in (off, None):
        for said in (BLOCKS, GIVES_UP):
            seen = play(moving(said, FAILED, place=CONFIG_PATH, config=config), config=FileSpec(text=off.decode()))
            assert FAIL not in seen.values()
    assert play(moving(GIVES_UP, FAILED, place=CONFIG_PATH))["PS-FO-01"] is FAIL
    assert play(moving(GIVES_UP, FAILED, place=CONFIG_PATH), config=FileSpec("directory"))["PS-FO-01"] is FAIL


@pytest.mark.parametrize("place", [SEMAPHORE, RUNTIME])
def test_a_semaphore_that_comes_and_goes_counts_or_not(place: str) -> None:
    for said in (BLOCKS, RAN):
        for files in ({}, {SEMAPHORE: MARK}):
            seen = found(moving(said, FAILED, place=place, files=files, after={SEMAPHORE: MARK}))
            assert seen["PS-SES-06"].verdict is PASS
            assert {finding.verdict for finding in seen.values()} == {PASS}
    assert verdict("PS-SES-06", moving(None, FAILED, place=place)) is FAIL
    assert verdict("PS-SES-06", moving(GIVES_UP, FAILED, place=place)) is FAIL
    assert verdict("PS-SES-06", moving(GIVES_UP, FAILED, place=place, session_id="../x")) is None


def test_what_the_harness_moves_is_not_what_the_gate_wrote() -> None:
    aside = {"{home}/.windtunnel-t.jsonl": FileFact("file"), "{home}/kept": FileFact("file")}
    before = {TRANSCRIPT: FileFact("file"), "{home}/kept": FileFact("file")}
    assert verdict("PS-SES-07", moving(GIVES_UP, FAILED, session_id="../x", files=before, after=aside)) is PASS
    assert verdict("PS-SES-07", moving(GIVES_UP, FAILED, session_id="../x", files=before, after={})) is FAIL


# --- storage


@pytest.mark.parametrize("kind", ["no_inodes", "not_writable", "read_only", "full"])
def test_storage_that_takes_nothing_changes_no_answer(kind: str) -> None:
    fault = injected(f"filesystem.{kind}", RUNTIME, "EROFS")
    seen = found(under(WARNINGS, WARNED, fault=fault))
    assert (seen["PS-FS-01"].verdict, seen["PS-FS-02"].verdict) == (PASS, PASS)
    silent = answer("approve", "only_warnings", summary=SAID)
    assert verdict("PS-FS-01", under(silent, WARNED, fault=fault)) is FAIL
    refused = silent | log("error", "path_outside_root")
    assert verdict("PS-FS-02", under(refused, WARNED, fault=fault)) is PASS
    assert verdict("PS-PRM-02", under(GIVES_UP, FAILED, fault=fault)) is FAIL
    fresh = {SEMAPHORE: MARK}
    assert verdict("PS-LOOP-01", under(RAN, FAILED, fault=fault, files=fresh)) is PASS  # it can be seen
    assert verdict("PS-LOOP-01", under(BLOCKS, FAILED, fault=fault, files=fresh)) is FAIL


@pytest.mark.parametrize("kind", ["missing", "parent_missing", "leftover", "garbled", "aged"])
def test_storage_that_can_be_written_is_written(kind: str) -> None:
    fault = injected(f"filesystem.{kind}", RUNTIME)
    seen = found(under(WARNINGS, WARNED, fault=fault, after=FINISHED))
    assert (seen["PS-SES-02"].verdict, seen["PS-FS-03"].verdict) == (PASS, PASS)
    lost = found(under(WARNINGS, WARNED, fault=fault))
    assert (lost["PS-SES-02"].verdict, lost["PS-FS-03"].verdict) == (FAIL, FAIL)
    assert "PS-FS-01" not in seen


@pytest.mark.parametrize(
    "fault",
    [injected("process.file_size"), injected("environment.odd_umask"), injected("filesystem.vanishing", RUNTIME)],
    ids=["file_size", "umask", "vanishing"],
)
def test_storage_that_may_fail_is_asked_for_nothing_and_what_it_has_counts(fault: Injection) -> None:
    said = answer("approve", "only_warnings", summary=SAID)
    assert not {"PS-SES-02", "PS-FS-03"} & set(found(under(said, WARNED, fault=fault)))
    assert FAIL not in {finding.verdict for finding in found(under(said, WARNED, fault=fault)).values()}


def test_of_several_at_once_under_a_fault_of_storage_nobody_has_to_leave_a_semaphore() -> None:
    fault = injected("process.file_size")
    for faults, expected in (((fault,), PASS), ((), FAIL)):
        begun, ended = [], []
        for process in (1, 2):
            begin, end = check(APPROVES, FINE, faults=faults)
            begun.append(msgspec.structs.replace(begin, process=process))
            ended.append(msgspec.structs.replace(end, process=process))
        entries = [msgspec.structs.replace(entry, n=n) for n, entry in enumerate((*begun, *ended))]
        scenario = Scenario(1, "s", "t", contract.SYSTEM, contract.GATE, (), World(NOON), ())
        seen = {each.clause: each.verdict for each in judge(scenario, History(tuple(entries)), CATALOGUE)}
        assert seen["PS-SES-03"] is expected


def test_a_rival_that_never_ended_may_have_approved() -> None:
    entries: list[Entry] = []
    for process, call_ in enumerate((check(RAN, FAILED), check(None, FINE)), 1):
        entries.append(msgspec.structs.replace(call_[0], process=process, n=process))
    entries.append(msgspec.structs.replace(check(RAN, FAILED)[1], process=1, n=3))
    scenario = Scenario(1, "s", "t", contract.SYSTEM, contract.GATE, (), World(NOON), ())
    (first, *_) = [each for each in judge(scenario, History(tuple(entries)), CATALOGUE) if each.clause == "PS-TST-01"]
    assert first.observed.startswith("no answer") or first.observed.startswith(
        "the run ended"
    )  # only the lost one fails


@pytest.mark.parametrize("kind", ["unreadable", "link_outside"])
@pytest.mark.parametrize("age_s", [-600.0, 7_200.0])
def test_whether_a_hidden_semaphore_is_stale_or_ahead_nobody_has_to_say(kind: str, age_s: float) -> None:
    there = {SEMAPHORE: FileFact("file", 0, "", NOON_S - age_s)}
    seen = found(under(BLOCKS, FAILED, fault=injected(f"filesystem.{kind}", RUNTIME), files=there))
    assert not {"PS-SES-04", "PS-SES-05"} & set(seen)
    assert FAIL not in {finding.verdict for finding in seen.values()}


@pytest.mark.parametrize("kind", ["link_outside", "dangling_link"])
def test_a_link_that_a_fault_puts_in_the_way_is_refused(kind: str) -> None:
    fault = injected(f"filesystem.{kind}", f"{RUNTIME}/s-1", "symlink")
    refuses = answer("approve", "only_warnings", summary=SAID, **log("error", "path_outside_root"))
    seen = found(under(refuses, WARNED, fault=fault, files=LINKED, after=LINKED | {SEMAPHORE: MARK}))
    assert seen["PS-FS-04"].verdict is PASS
    assert "PS-FS-02" not in seen
    away = LINKED | {"{outside}/lured/summary.md": DONE}
    assert verdict("PS-FS-04", under(refuses, WARNED, fault=fault, files=LINKED, after=away)) is FAIL


def test_garbage_on_standard_output_is_trouble_that_changes_nothing() -> None:
    prints = Consideration("prints", CheckerOutcome.PRINTS)
    assert verdict("PS-FO-01", check(BLOCKS, prints, FAILED)) is PASS
    assert verdict("PS-FO-01", check(None, prints, FAILED)) is FAIL


def test_a_configuration_that_leads_away_is_refused_or_unusable() -> None:
    linked = {CONFIG_PATH: FileFact("symlink")}
    fault = injected("filesystem.link_outside", CONFIG_PATH, "symlink")
    for code, files, expected in (
        ("path_outside_root", linked, PASS),
        ("config_invalid", linked, PASS),
        ("path_outside_root", {}, FAIL),
    ):
        begin, end = under(BLOCKS | log("warning", code), FAILED, fault=fault, files=files)
        unusable = msgspec.structs.replace(begin, inputs={**begin.inputs, "config": InputFact("directory")})
        assert verdict("PS-CFG-02", (unusable, end)) is expected


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("filesystem.read_only", RUNTIME, None),
        ("process.file_size", None, None),
        ("filesystem.leftover", RUNTIME, FAIL),
        ("filesystem.read_only", "{tmp}", FAIL),
    ],
)
def test_counters_that_cannot_be_written_may_be_lost(
    name: str, path: str | None, expected: CheckVerdict | None
) -> None:
    standing = (injected(name, path),)
    happened = (
        check(answer("approve", "timeout", **log("error", "analysis_timed_out")), *[HANGS] * 7, faults=standing),
        check(GIVES_UP, FAILED, lines=("nonsense",) * 11, faults=standing),
        check(CRASHED, Consideration("crashes", CheckerOutcome.RAISES), FINE, faults=standing),
    )
    zeros = call("metrics", {}, {"counters": dict.fromkeys(contract.COUNTERS, 0), "alerts": []}, faults=standing)
    assert verdict("PS-MON-01", *happened, zeros) is expected
    none = call("metrics", {}, {"counters": {}, "alerts": []}, faults=standing)
    assert verdict("PS-MON-01", *happened, none) is FAIL
    assert verdict("PS-MON-02", *happened[2:] * 3, zeros) is expected

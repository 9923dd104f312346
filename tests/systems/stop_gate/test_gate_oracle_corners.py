"""The gate's oracle where a history says less than it seems to: situations that witness nothing, and rare mistakes.

The histories are written entry by entry; the ordinary ones are in test_gate_oracle.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from handmade_gate import (
    ANSWERED,
    APPROVES,
    ASKED,
    BLOCKS,
    CATALOGUE,
    FAIL,
    GIVES_UP,
    HANGS,
    NOON,
    NOON_S,
    PASS,
    PROMPT_TEXT,
    PROMPTED,
    RAISES,
    RAN,
    SEMAPHORE,
    SKIPPED,
    SUMMARY,
    TIMES_OUT,
    Call,
    answer,
    call,
    check,
    found,
    log,
)

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import FileFact, InputFact
from harness.core.scenario import FileSpec, Scenario, World
from harness.systems.rules import Judgement, Rules, failed, passed
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import PROMPT_WITHOUT_FAILURES
from harness.systems.stop_gate.oracle.gate_view import RUNTIME
from harness.systems.stop_gate.workload.gate_steps import FAILED, FINE, HEALTHY, WARNED, codex, consideration, flat

HOUR = (
    check(TIMES_OUT, *[consideration("slow", "warning", seconds=5.0)] * 7),
    check(GIVES_UP, FAILED, lines=(*HEALTHY, *["nonsense"] * 11)),
    check(answer("block", "x", **log("error", "checker_raised", checker="crashes")), RAISES, FAILED),
)
CALM = (check(APPROVES, FINE),)
REFUSED = (Injection(Fault("filesystem.read_only", RUNTIME), True, "EROFS"),)
WITH_LINK = {f"{RUNTIME}/s-1": FileFact("symlink")}
HELD = {SUMMARY: FileFact("file", 4, hashlib.sha256(b"done").hexdigest(), NOON_S)}
DOUBTFUL = (ANSWERED, codex("user", "Please go on."))
WARNINGS = answer("approve", "only_warnings")
FRESH = {SEMAPHORE: FileFact("file", 0, "", NOON_S - 60)}
USER_LAST = (ASKED, ANSWERED, flat("user", PROMPT_TEXT))
LOOKED = flat("assistant", [{"type": "tool_use", "name": "Read", "input": {"file_path": "/a"}}])
CUT = answer("approve", summary="x" * contract.SUMMARY_LIMIT_CHARACTERS)

# what happened, and the clause that it says nothing about
NO_WITNESS: Mapping[str, tuple[str, tuple[Call, ...]]] = {
    "skipped": ("PS-CON-01", (check(APPROVES, own=True, environment=SKIPPED, lines=(ASKED, flat("assistant", "Go?"))),)),
    "one message is no conversation": ("PS-CON-01", (check(APPROVES, own=True, lines=(flat("assistant", "Go?"),)),)),
    "the user spoke last": ("PS-CON-01", (check(APPROVES, own=True, lines=(ASKED, flat("user", "Go?"))),)),
    "the assistant spoke first": ("PS-CON-01", (check(BLOCKS, own=True, lines=(ANSWERED, ANSWERED)),)),
    "a block that one reading permits": (
        "PS-LOOP-04", (check(BLOCKS, FAILED), check(BLOCKS, FAILED, lines=USER_LAST)),
    ),
    "a user message that may be none": ("PS-SUM-01", (check(WARNINGS, WARNED, lines=DOUBTFUL),)),
    "a gate without summaries": ("PS-SUM-01", (check(APPROVES, FINE, lines=(ANSWERED,)),)),
    "a summary that was cut": ("PS-SUM-02", (check(CUT, FINE),)),
    "a file that was only read": ("PS-SUM-02", (check(answer("approve", summary="x"), FINE, lines=(ASKED, LOOKED)),)),
    "a limit from the configuration": (
        "PS-CHK-03", (check(BLOCKS, HANGS, FAILED, config=b'{"timeout_seconds": 10}'),),
    ),
    "a checker about as slow as its limit": (
        "PS-CHK-03", (check(BLOCKS, consideration("slow", "warning", seconds=5.0), FAILED),),
    ),
    "slow checkers do not hang": ("PS-CHK-05", HOUR[:1]),
    "skipped off the main thread": (
        "PS-CHK-06", (check(BLOCKS, HANGS, off_main_thread=True, environment=SKIPPED),),
    ),
    "no summary to write": ("PS-FS-02", (check(APPROVES, FINE, faults=REFUSED),)),
    "the summary was written after all": (
        "PS-FS-02", (check(answer("approve", summary="done"), FINE, faults=REFUSED, after=HELD),),
    ),
    "no summary to refuse": ("PS-FS-04", (check(APPROVES, FINE, files=WITH_LINK),)),
    "another hour by the clock": (
        "PS-MON-02",
        (check(APPROVES, FINE, at="2026-01-01T11:50:00+00:00"),
         call("metrics", {}, {"alerts": [{"kind": "error_rate"}]}, "2026-01-01T12:10:00+00:00")),
    ),
    "an hour of failures and calm": (
        "PS-MON-02", (*HOUR[1:], check(BLOCKS, FAILED), call("metrics", {}, {"alerts": []})),
    ),
    "skipped at the size limit": (
        "PS-TR-07",
        (check(BLOCKS, FAILED, environment=SKIPPED, lines=InputFact("file", contract.TRANSCRIPT_LIMIT_BYTES)),),
    ),
    "skipped before the hard line": (
        "PS-TR-09", (check(BLOCKS, FAILED, environment=SKIPPED, lines=(*HEALTHY, "[" * 200_000)),),
    ),
    "already run before the undecodable line": (
        "PS-TR-09", (check(BLOCKS, FAILED, files=FRESH, lines="\n".join(HEALTHY).encode() + b"\n\xff\n"),),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_WITNESS)
def test_a_situation_that_was_not_entered_gives_no_verdict(case: str) -> None:
    clause, calls = NO_WITNESS[case]
    findings = found(*calls, link=FileSpec("symlink", target="{outside}"))
    assert clause not in findings
    assert CheckVerdict.HARNESS_ERROR not in {finding.verdict for finding in findings.values()}


def metrics(**said: Any) -> Call:
    return call("metrics", {}, said)


THRICE = (HOUR[2],) * 3
CRASH_ALERT = {"kind": "checker_crashes", "checker": "crashes"}
AHEAD = {SEMAPHORE: FileFact("file", 0, "", NOON_S + 3600)}
NOW_MADE = {SEMAPHORE: FileFact("file", 0, "", NOON_S)}
TEN_INVALID = (*HEALTHY, *["nonsense"] * 10)
TEN_WARNED = [{"level": "warning", "code": "invalid_json_line", "line": line} for line in range(3, 13)]
TOO_MANY = {"level": "error", "code": "too_many_invalid_lines"}
ONE_FAILED = {"failed": [msgspec.to_builtins(FAILED)]}
NOTHING_FAILED = call("continuation_prompt", {}, {"prompt": PROMPT_WITHOUT_FAILURES, **log("error", "own-word")})

VERDICTS: Mapping[str, tuple[str, CheckVerdict, tuple[Call, ...]]] = {
    "an approval for the prompt carries no prompt": (
        "PS-LOOP-03", FAIL,
        (check(answer("approve", "power_steering_prompt", continuation_prompt="go on"), FAILED, lines=PROMPTED),),
    ),
    "an approval for the prompt": (
        "PS-LOOP-03", PASS, (check(answer("approve", "power_steering_prompt"), FAILED, lines=PROMPTED),),
    ),
    "silence after a block is no end of the loop": (
        "PS-LOOP-04", FAIL, (check(BLOCKS, FAILED), check(None, FAILED, lines=PROMPTED)),
    ),
    "more blocks than any reading permits": (
        "PS-LOOP-04", FAIL, (check(BLOCKS, FAILED), *[check(BLOCKS, FAILED, lines=USER_LAST)] * 26),
    ),
    "the text for no failure given for a failure": (
        "PS-PRM-01", FAIL,
        (NOTHING_FAILED, call("continuation_prompt", ONE_FAILED, {"prompt": PROMPT_WITHOUT_FAILURES})),
    ),
    "the text for no failure": (
        "PS-PRM-01", PASS, (NOTHING_FAILED, call("continuation_prompt", ONE_FAILED, {"prompt": PROMPT_TEXT})),
    ),
    "seven slow checkers together reach the limit": ("PS-CHK-04", PASS, HOUR[:1]),
    "counters that are missing": ("PS-MON-01", FAIL, (*HOUR, metrics(counters=None))),
    "counters that are no counts": (
        "PS-MON-01", FAIL, (*HOUR, metrics(counters=dict.fromkeys(contract.COUNTERS, True))),
    ),
    "a counter that was not raised": (
        "PS-MON-01", FAIL, (*HOUR, metrics(counters=dict.fromkeys(contract.COUNTERS, 0))),
    ),
    "counters": ("PS-MON-01", PASS, (*HOUR, metrics(counters=dict.fromkeys(contract.COUNTERS, 2)))),
    "alerts that are no list": ("PS-MON-02", FAIL, (*HOUR, metrics(alerts="error_rate"))),
    "a crash three times, beside a calm check": (
        "PS-MON-02", PASS, (*THRICE, check(BLOCKS, FAILED), metrics(alerts=[CRASH_ALERT])),
    ),
    "a crash three times without its alert": (
        "PS-MON-02", FAIL, (*THRICE, check(BLOCKS, FAILED), metrics(alerts=[{"kind": "error_rate"}])),
    ),
    "one of twenty that fails": ("PS-MON-02", PASS, (*CALM * 19, HOUR[2], metrics(alerts=[]))),
    "one of twenty that fails called too many": (
        "PS-MON-02", FAIL, (*CALM * 19, HOUR[2], metrics(alerts=[{"kind": "error_rate"}])),
    ),
    "one of ten that times out": ("PS-MON-02", PASS, (*CALM * 9, HOUR[0], metrics(alerts=[]))),
    "one of ten that times out called too many": (
        "PS-MON-02", FAIL, (*CALM * 9, HOUR[0], metrics(alerts=[{"kind": "timeout_rate"}])),
    ),
    "a semaphore from the future made anew": ("PS-SES-03", PASS, (check(RAN, FINE, files=AHEAD, after=NOW_MADE),)),
    "a fresh semaphore made older": ("PS-SES-03", FAIL, (check(RAN, FINE, files=NOW_MADE, after=FRESH),)),
    "a fresh semaphore made anew": ("PS-SES-03", FAIL, (check(RAN, FINE, files=FRESH, after=NOW_MADE),)),
    "ten invalid lines called too many": (
        "PS-TR-05", FAIL, (check(BLOCKS | {"log": [*TEN_WARNED, TOO_MANY]}, FAILED, lines=TEN_INVALID),),
    ),
    "ten invalid lines tolerated": (
        "PS-TR-05", PASS, (check(BLOCKS | {"log": TEN_WARNED}, FAILED, lines=TEN_INVALID),),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", VERDICTS)
def test_a_rare_observation_is_judged(case: str) -> None:
    clause, verdict, calls = VERDICTS[case]
    finding = found(*calls)[clause]
    assert (finding.verdict, finding.reason) == (verdict, "")


NO_ID = log("warning", "session_id_missing")
ELSEWHERE = {f"{RUNTIME}/.fallback_completed": FileFact("file", 0, "", NOON_S - 60)}
READINGS: Mapping[str, tuple[str, tuple[str, ...], Call]] = {
    "the fallback id met its own semaphore": (
        "PS-SES-01", ("fixed",), check(RAN | NO_ID, FAILED, session_id=None, files=ELSEWHERE),
    ),
    "the fallback id met none": (
        "PS-SES-01", ("fixed", "generated"), check(BLOCKS | NO_ID, FAILED, session_id=None, files=ELSEWHERE),
    ),
    "a crash in the gate's own word tells nothing of a traceback": (
        "PS-CHK-02", ("with_traceback", "without_traceback"),
        check(answer("block", "x", **log("error", "own-word", checker="crashes")), RAISES, FAILED),
    ),
    "a limit that the prompt left unused": (
        "PS-CFG-06", ("whole_analysis", "one_checker"),
        check(answer("approve", "power_steering_prompt"), FAILED, lines=PROMPTED, config=b'{"timeout_seconds": 60}'),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", READINGS)
def test_an_observation_that_fits_several_readings_keeps_them_all(case: str) -> None:
    clause, readings, made = READINGS[case]
    finding = found(made)[clause]
    assert finding.verdict is PASS
    assert set(finding.readings or ()) == set(readings)


# --- the table of rules


def judged(clause: str, judgement: Judgement | Exception) -> Finding:
    """What a table with this one rule finds in a scenario that is meant to witness its clause."""
    rules: Rules[None] = Rules(contract.GATE)

    def rule(_view: None) -> Judgement:
        if isinstance(judgement, Exception):
            raise judgement
        return judgement

    rules.rule(clause)(rule)
    scenario = Scenario(1, "table", "table", contract.SYSTEM, contract.GATE, (clause,), World(NOON), ())
    (finding,) = rules.judge(None, scenario, CATALOGUE)
    return finding


def test_a_rule_that_raises_is_an_error_of_the_harness() -> None:
    finding = judged("PS-TR-01", ZeroDivisionError("by nought"))
    assert finding.verdict is CheckVerdict.HARNESS_ERROR
    assert finding.reason == "the rule raised ZeroDivisionError: by nought"


def test_a_reading_the_catalogue_does_not_have_is_an_error_of_the_harness() -> None:
    finding = judged("PS-CFG-06", passed("x", readings={"invented"}))
    assert finding.verdict is CheckVerdict.HARNESS_ERROR
    assert finding.reason == "the catalogue has no reading named invented"


def test_a_clause_has_one_rule_and_one_without_a_rule_is_inconclusive() -> None:
    rules: Rules[None] = Rules(contract.GATE)
    scenario = Scenario(1, "table", "table", contract.SYSTEM, contract.GATE, ("PS-TR-01",), World(NOON), ())
    (finding,) = rules.judge(None, scenario, CATALOGUE)
    assert (finding.clause, finding.verdict) == ("PS-TR-01", CheckVerdict.INCONCLUSIVE)
    rules.rule("PS-TR-01")(lambda _view: passed("x"))
    with pytest.raises(ValueError, match="PS-TR-01 has two rules"):
        rules.rule("PS-TR-01")(lambda _view: failed("x", "y"))
    assert rules.judge(None, scenario, CATALOGUE)[0].verdict is PASS

"""The gate's oracle on hand-made histories: right answers pass, each wrong one fails its clause, and none is no pass.

Every deliberate mistake below is found by the clause it breaks; see scripted_gate for how its history is made.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from scripted_gate import CHECKER_LOGS, OUTCOME_LOGS, Answer, Files, Responder, play, right

from harness.core.finding import CheckVerdict, Finding
from harness.core.history import FileFact, History
from harness.systems import registry
from harness.systems.stop_gate.contract import LogCode
from harness.systems.stop_gate.oracle import judge
from harness.systems.stop_gate.oracle.gate_rules import RULES
from harness.systems.stop_gate.oracle.gate_view import RUNTIME, Check, GateView
from harness.systems.stop_gate.workload.boundaries_gate import gate_boundaries

CATALOGUE = registry.get("stop_gate").catalogue
SCENARIOS = {scenario.id.removeprefix("gate-"): scenario for scenario in gate_boundaries() if scenario.level == "L1"}


def judged(name: str, respond: Responder) -> dict[str, Finding]:
    scenario = SCENARIOS[name]
    return {finding.clause: finding for finding in judge(scenario, play(scenario, respond), CATALOGUE)}


@pytest.mark.parametrize("name", SCENARIOS)
def test_right_answers_pass_every_clause_the_scenario_names(name: str) -> None:
    findings = judged(name, right)
    wrong = [finding for finding in findings.values() if finding.verdict is not CheckVerdict.PASS]
    assert wrong == []
    assert set(SCENARIOS[name].clauses) <= set(findings)


def test_every_clause_of_the_profile_has_a_rule_and_a_scenario() -> None:
    shown = {clause.id for clause in CATALOGUE.judged_in("gate")}
    assert set(RULES.clauses) == shown
    assert {clause for scenario in SCENARIOS.values() for clause in scenario.clauses} == shown


@pytest.mark.parametrize("clause", RULES.clauses)
def test_nothing_happened_is_inconclusive(clause: str) -> None:
    scenario = next(scenario for scenario in SCENARIOS.values() if clause in scenario.clauses)
    found = {finding.clause: finding for finding in judge(scenario, History(), CATALOGUE)}
    assert found[clause].verdict is CheckVerdict.INCONCLUSIVE


def always(decision: str) -> Responder:
    return lambda view, check, files: {
        "decision": decision, "reasons": [], "continuation_prompt": None, "summary": None, "log": [],
    }  # fmt: skip


DEGENERATES: Mapping[str, Responder] = {
    "approves": always("approve"),
    "blocks": always("block"),
    "dies": lambda view, check, files: None,
    "echoes": lambda view, check, files: {"session_id": check.args.session_id},
    "odd": lambda view, check, files: {"decision": 5, "reasons": {"a": 1}, "summary": [], "log": [3, {"level": []}]},
}


@pytest.mark.parametrize("degenerate", DEGENERATES)
def test_degenerate_gates_pass_no_must_clause(degenerate: str) -> None:
    verdicts: dict[str, set[CheckVerdict]] = {}
    for name in SCENARIOS:
        for finding in judged(name, DEGENERATES[degenerate]).values():
            verdicts.setdefault(finding.clause, set()).add(finding.verdict)
    ours = {"PS-PRM-01"}  # its operation is answered by the player
    passed = {clause for clause, seen in verdicts.items() if seen == {CheckVerdict.PASS}}
    assert {clause for clause in passed - ours if CATALOGUE[clause].level == "MUST"} == set()
    assert not any(CheckVerdict.HARNESS_ERROR in seen for seen in verdicts.values())


def but(**fields: Any) -> Responder:
    """The right answer to the last kind of session (not the control), with other fields."""
    return lambda view, check, files: right(view, check, files) | ({} if check.args.session_id in CALM else fields)


CALM = ("calm-1", "calm-2")


def without(code: str) -> Responder:
    def respond(view: GateView, check: Check, files: Files) -> Answer:
        answer = right(view, check, files)
        answer["log"] = [entry for entry in answer["log"] if entry["code"] != code]
        return answer

    return respond


def places(path: str, *, at: str = "file", everywhere: bool = False) -> Responder:
    def respond(view: GateView, check: Check, files: Files) -> Answer:
        answer = right(view, check, files)
        if everywhere or check.args.session_id not in CALM:
            files[path.replace("{session_id}", str(check.args.session_id))] = FileFact(at, 1, "x", check.now_s)
        return answer

    return respond


def dropping(path: str) -> Responder:
    def respond(view: GateView, check: Check, files: Files) -> Answer:
        answer = right(view, check, files)
        files.pop(path.replace("{session_id}", str(check.args.session_id)), None)
        return answer

    return respond


APPROVES, BLOCKS = (
    but(decision="approve", continuation_prompt=None, reasons=[]),
    but(decision="block", reasons=["incomplete"]),
)
SEMAPHORE, SUMMARY = f"{RUNTIME}/.{{session_id}}_completed", f"{RUNTIME}/{{session_id}}/summary.md"
MISTAKES: tuple[tuple[str, str, Responder], ...] = (
    ("PS-FO-01", "checker-raises-alone", BLOCKS),
    ("PS-FO-01", "checker-missing-alone", without("checker_missing")),
    ("PS-FO-01", "transcript-missing-file", always("approve")),
    ("PS-FO-02", "whole-check-exits", BLOCKS),
    ("PS-FO-02", "whole-check-no-project", lambda view, check, files: None),
    ("PS-FO-03", "answer-form", but(reasons="all fine")),
    ("PS-FO-03", "answer-form", but(continuation_prompt="go on")),
    ("PS-TR-01", "transcript-missing-file", but(reasons=["empty_transcript"])),
    ("PS-TR-01", "transcript-missing-link", without("transcript_missing")),
    ("PS-TR-02", "transcript-empty-no-roles", but(summary="a summary")),
    ("PS-TR-02", "transcript-empty-zero-bytes", without("empty_transcript")),
    ("PS-TR-03", "transcript-blank-lines", APPROVES),
    ("PS-TR-03", "transcript-blank-lines", but(log=[{"level": "warning", "code": "invalid_json_line", "line": 3}])),
    ("PS-TR-04", "transcript-one-invalid-line", APPROVES),
    ("PS-TR-04", "transcript-invalid-lines-after-blanks",
     but(log=[{"level": "warning", "code": "invalid_json_line", "line": n} for n in (2, 3)])),
    ("PS-TR-05", "transcript-ten-invalid-lines", APPROVES),
    ("PS-TR-05", "transcript-eleven-invalid-lines", BLOCKS),
    ("PS-TR-06", "transcript-many-invalid-lines", BLOCKS),
    ("PS-TR-06", "transcript-many-invalid-lines", always("approve")),
    ("PS-TR-07", "transcript-at-the-limit", APPROVES),
    ("PS-TR-07", "transcript-over-the-limit", BLOCKS),
    ("PS-TR-08", "messages-nested", but(decision="approve", reasons=["empty_transcript"])),
    ("PS-TR-08", "messages-wrong-role", but(decision="approve", reasons=["power_steering_prompt"])),
    ("PS-TR-08", "messages-no-role", without("invalid_message")),
    ("PS-TR-09", "transcript-is-fifo", lambda view, check, files: None),
    ("PS-TR-09", "transcript-non-objects", APPROVES),
    ("PS-TR-09", "transcript-eleven-undecodable-lines", BLOCKS),
    ("PS-SES-01", "session-id-null", without("session_id_missing")),
    ("PS-SES-02", "semaphore-written", dropping(SEMAPHORE)),
    ("PS-SES-03", "semaphore-3-writers", BLOCKS),
    ("PS-SES-03", "semaphore-3-writers", places(f"{RUNTIME}/.session-1_completed.tmp")),
    ("PS-SES-03", "semaphore-aged-0", dropping(SEMAPHORE)),
    ("PS-SES-04", "semaphore-aged-3600", BLOCKS),
    ("PS-SES-04", "semaphore-aged-3601", but(decision="approve", reasons=["already_ran"])),
    ("PS-SES-04", "semaphore-aged-3601", without("semaphore_stale")),
    ("PS-SES-05", "semaphore-ahead-3600", lambda view, check, files: None),
    ("PS-SES-06", "semaphore-link-beside", BLOCKS),
    ("PS-SES-07", "session-id-climbing", places("{outside}/x/summary.md")),
    ("PS-SES-07", "session-id-parent", places("{home}/.amplihack/.claude/runtime/summary.md")),
    ("PS-CHK-01", "checker-missing", APPROVES),
    ("PS-CHK-01", "checker-missing-alone", without("checker_missing")),
    ("PS-CHK-01", "checker-keyless", APPROVES),
    ("PS-CFG-04", "config-unknown-keys-beside-known", BLOCKS),
    ("PS-SES-05", "semaphore-ahead-90", lambda view, check, files: right(view, check, files) | (
        {"decision": "block"} if check.args.session_id == "session-2" else {})),
    ("PS-SES-06", "semaphore-link-blocked", APPROVES),
    ("PS-TR-09", "transcript-deep-nesting", lambda view, check, files: None),
    ("PS-CHK-02", "checker-exits", APPROVES),
    ("PS-CHK-02", "checker-raises", without("checker_raised")),
    ("PS-CHK-03", "checker-hangs", APPROVES),
    ("PS-CHK-03", "checker-hangs-alone", without("checker_timed_out")),
    ("PS-CHK-03", "checker-slow", APPROVES),
    ("PS-CHK-04", "analysis-seven-hangs", BLOCKS),
    ("PS-CHK-04", "analysis-29-seconds", but(decision="approve", reasons=["timeout"])),
    ("PS-CHK-05", "analysis-seven-hangs", APPROVES),
    ("PS-CHK-06", "checker-hangs-off-main-thread", lambda view, check, files: None),
    ("PS-CFG-01", "config-missing", without("config_missing")),
    ("PS-CFG-01", "config-disabled", BLOCKS),
    ("PS-CFG-02", "config-unusable-list", without("config_invalid")),
    ("PS-CFG-02", "config-unusable-truncated", APPROVES),
    ("PS-CFG-03", "config-only-timeout-seconds", APPROVES),
    ("PS-CFG-03", "config-defaults-unchanged", APPROVES),
    ("PS-CFG-04", "config-unknown-keys", but(log=[{"level": "warning", "code": "config_unknown_keys", "keys": ["colour"]}])),
    ("PS-CFG-05", "config-enabled-zero", APPROVES),
    ("PS-CFG-05", "config-enabled-one", without("config_invalid_value")),
    ("PS-CFG-06", "config-timeout-true", without("config_invalid_value")),
    ("PS-CFG-06", "config-timeout-300", but(
        log=[{"level": "warning", "code": "config_invalid_value", "keys": ["timeout_seconds"]}])),
    ("PS-CFG-07", "config-disabled", BLOCKS),
    ("PS-FS-01", "storage-read-only-runtime", without("semaphore_write_failed")),
    ("PS-FS-01", "storage-read-only-runtime", lambda view, check, files: right(view, check, files) | (
        {"decision": "block"} if check.faults else {})),
    ("PS-FS-02", "storage-full-runtime", without("summary_write_failed")),
    ("PS-FS-03", "summary-written", dropping(SUMMARY)),
    ("PS-FS-04", "link-session-outside", places("{outside}/x/summary.md")),
    ("PS-FS-04", "link-session-sibling", places(f"{RUNTIME}-evil/summary.md")),
    ("PS-FS-04", "link-session-outside", without("path_outside_root")),
    ("PS-FS-05", "link-session-outside", BLOCKS),
    ("PS-CON-01", "question-flat", BLOCKS),
    ("PS-CON-01", "question-nested", APPROVES),
    ("PS-CON-02", "summary-written", but(summary="No files were modified (informational session)")),
    ("PS-CON-02", "summary-no-user-message", but(summary="An objective")),
    ("PS-CON-03", "checker-network-error-blocker", without("network_unreachable")),
    ("PS-LOOP-01", "semaphore-before-transcript", but(reasons=["transcript_missing"])),
    ("PS-LOOP-02", "semaphore-only-on-approval", places(SEMAPHORE)),
    ("PS-LOOP-03", "prompt-assistant-last", BLOCKS),
    ("PS-LOOP-03", "prompt-in-parts", but(reasons=[])),
    ("PS-LOOP-04", "prompt-after-block", BLOCKS),
    ("PS-LOOP-04", "prompt-as-user-message", BLOCKS),
    ("PS-LOOP-04", "loop-identical", BLOCKS),
    ("PS-PRM-02", "decision-two-warnings", BLOCKS),
    ("PS-PRM-02", "decision-blockers-only", APPROVES),
    ("PS-PRM-03", "decision-two-warnings", but(reasons=["fine"])),
    ("PS-PRM-03", "decision-no-severity", but(summary="nothing to see")),
    ("PS-PRM-04", "answer-form", but(continuation_prompt="go on")),
    ("PS-SUM-01", "summary-no-user-message", but(summary=None)),
    ("PS-SUM-02", "summary-files", but(summary="- /srv/app/importer.py")),
    ("PS-SUM-02", "summary-written", but(summary="none")),
    ("PS-SUM-03", "summary-too-long", but(summary="x" * 100_000)),
    ("PS-MON-03", "metrics-error-context", but(log=[{"level": "error", "code": "checker_raised", "checker": "crashes"}])),
    ("PS-ENV-01", "skip-variable", BLOCKS),
    ("PS-ENV-01", "skip-variable", APPROVES),
    ("PS-TST-01", "chaos-garbage", lambda view, check, files: right(view, check, files) | (
        {"decision": "block"} if check.faults else {})),
    ("PS-TST-01", "chaos-garbage", always("approve")),
)  # fmt: skip


@pytest.mark.parametrize(("clause", "name", "mistake"), MISTAKES)
def test_a_mistake_fails_the_clause_it_breaks(clause: str, name: str, mistake: Responder) -> None:
    assert judged(name, mistake)[clause].verdict is CheckVerdict.FAIL


READINGS = (
    ("PS-TR-09", "transcript-one-undecodable-line", APPROVES, ("approve",)),
    ("PS-TR-09", "transcript-one-undecodable-line", right, ("invalid_line",)),
    ("PS-SES-05", "semaphore-ahead-90", lambda view, check, files: right(view, check, files) | (
        {"reasons": ["fine"]} if check.args.session_id == "session-2" else {}
        if check.args.session_id in CALM else {"decision": "block", "reasons": ["incomplete"]}), ("ignored_beyond_skew", "ignored")),
    ("PS-SES-05", "semaphore-ahead-30", right, ("ignored_beyond_skew", "counts")),
    ("PS-CFG-06", "config-timeout-in-force", but(reasons=["timeout"]), ("whole_analysis",)),
    ("PS-CFG-06", "config-timeout-in-force", but(reasons=[]), ("one_checker",)),
    ("PS-ENV-01", "skip-variable-true", right, ("one_only",)),
    ("PS-LOOP-03", "prompt-user-last", right, ("any_role",)),
    ("PS-LOOP-03", "prompt-user-last", BLOCKS, ("assistant_only",)),
    ("PS-LOOP-03", "prompt-assistant-before-user", right, ("assistant_only",)),
    ("PS-CON-02", "summary-no-user-message", right, ("long_form",)),
    ("PS-CON-02", "summary-no-user-message", but(summary="Unknown objective"), ("short_form",)),
    ("PS-LOOP-02", "semaphore-after-missing", right, ("analysed_only",)),
    ("PS-CHK-02", "checker-raises", right, ("with_traceback",)),
    ("PS-SES-03", "semaphore-stale-then-approved", right, ("refreshed_when_stale",)),
    ("PS-FO-03", "answer-form", right, ("null_when_absent", "prompt_empty_text")),
    ("PS-MON-01", "metrics-counters", right, ("own_counter",)),
)  # fmt: skip


@pytest.mark.parametrize(("clause", "name", "respond", "readings"), READINGS)
def test_an_observation_keeps_the_readings_it_agrees_with(
    clause: str, name: str, respond: Responder, readings: tuple[str, ...]
) -> None:
    finding = judged(name, respond)[clause]
    assert (finding.verdict, finding.readings) == (CheckVerdict.PASS, readings)


def test_log_codes_of_the_contract_are_the_ones_rules_ask_for() -> None:
    known = {code.value for code in LogCode}
    assert {code for _, code in (*CHECKER_LOGS.values(), *OUTCOME_LOGS.values())} <= known

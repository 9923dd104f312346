"""The gate's oracle on hand-made histories: right answers pass, each wrong one fails its clause, and none is no pass.

A history is made by walking a scenario with a responder instead of an implementation. The right responder takes its
outcome from the oracle's own model, so it proves that rules and scenarios fit each other; what proves the rules is that
every deliberate mistake below is found by the clause it breaks.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest

from harness.core.fault import Injection
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import FileSpec, Operation, Scenario
from harness.systems import registry
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import COUNTERS, CheckerOutcome, LogCode
from harness.systems.stop_gate.oracle import judge, session
from harness.systems.stop_gate.oracle.gate_files import _links, unwritable
from harness.systems.stop_gate.oracle.gate_rules import RULES
from harness.systems.stop_gate.oracle.gate_view import RUNTIME, Check, GateView, seconds
from harness.systems.stop_gate.oracle.session import ENDED_WELL, Outcome, Semaphore
from harness.systems.stop_gate.oracle.transcript import Kind
from harness.systems.stop_gate.workload.boundaries_gate import gate_boundaries

CATALOGUE = registry.get("stop_gate").catalogue
SCENARIOS = {scenario.id.removeprefix("gate-"): scenario for scenario in gate_boundaries()}
Files = dict[str, FileFact]
Answer = dict[str, Any]
Responder = Callable[[GateView, Check, Files], Answer | None]
PREFERRED = tuple(outcome for outcome in Outcome if outcome not in (Outcome.APPROVE, Outcome.SKIPPED))
CHECKER_LOGS = {
    CheckerOutcome.MISSING: ("warning", "checker_missing"),
    CheckerOutcome.NETWORK_ERROR: ("warning", "network_unreachable"),
    **dict.fromkeys(session.RAISING, ("error", "checker_raised")),
    **dict.fromkeys(session.HANGING, ("error", "checker_timed_out")),
}
OUTCOME_LOGS = {
    Outcome.MISSING: ("warning", "transcript_missing"),
    Outcome.TOO_LARGE: ("warning", "transcript_too_large"),
    Outcome.EMPTY: ("info", "empty_transcript"),
    Outcome.TOO_MANY_INVALID: ("error", "too_many_invalid_lines"),
    Outcome.UNREADABLE: ("error", "transcript_unreadable"),
    Outcome.TIMEOUT: ("error", "analysis_timed_out"),
}


def data_of(spec: FileSpec) -> bytes:
    data = spec.base64 if spec.base64 is not None else (spec.text or "").encode()
    return data if spec.pad_bytes is None else data + b" " * (spec.pad_bytes - len(data) - 1) + b"\n"


def given(spec: FileSpec | None) -> InputFact:
    if spec is None or spec.kind == "absent":
        return InputFact("missing")
    if spec.kind == "symlink":
        return InputFact("missing" if "nothing" in (spec.target or "") else "symlink_loop")
    if spec.kind != "file" or spec.mode == 0:
        return InputFact("unreadable" if spec.kind == "file" else spec.kind)
    data = data_of(spec)
    return InputFact("file", len(data), data if len(data) <= 256 * 1024 else None)


def snapshot(scenario: Scenario) -> Files:
    start = seconds(scenario.world.clock)
    return {
        path: FileFact(spec.kind, len(data_of(spec)), hashlib.sha256(data_of(spec)).hexdigest(), start - (spec.age_s or 0))
        if spec.kind == "file"
        else FileFact(spec.kind)
        for path, spec in scenario.world.files.items()
        if spec.kind != "absent"
    }


def play(scenario: Scenario, respond: Responder) -> History:
    """The history of the scenario when ``respond`` answers its checks and writes its files."""
    entries: list[Entry] = []
    files, faults, now = snapshot(scenario), list[Injection](), scenario.world.clock

    def begin(process: int, operation: Operation) -> None:
        args = operation.args
        paths = contract.inputs_of(operation.name, args) if operation.name == "check" else {}
        inputs = {label: given(scenario.world.files.get(path)) for label, path in paths.items()}
        if any(injection.fault.name.startswith("jsonl") for injection in faults) and args["session_id"][0] != "c":
            whole = (inputs["transcript"].data or b"") + b"nonsense\n" * 3
            inputs["transcript"] = InputFact("file", len(whole), whole)
        entries.append(
            Entry(len(entries), process, EntryType.INVOKE, operation.name, args, now, tuple(faults), dict(files), inputs)
        )

    def reply(process: int, operation: Operation, n: int) -> Answer | None:
        view = GateView(scenario, History(tuple(entries)))
        if operation.name == "check":
            return respond(view, next(check for check in view.checks if check.n == n), files)
        if operation.name == "reset":
            return {}
        if operation.name == "metrics":
            return metrics(view)
        text = "The session appears incomplete" if operation.args.get("failed") else contract.PROMPT_WITHOUT_FAILURES
        return {"prompt": text, "log": [{"level": "error", "code": "prompt_without_failures"}]}

    def perform(pairs: list[tuple[int, Operation]]) -> Answer | None:
        last: Answer | None = None
        begun = []
        for process, operation in pairs:
            begun.append(len(entries))
            begin(process, operation)
        replies = [reply(process, operation, n) for (process, operation), n in zip(pairs, begun, strict=True)]
        for (process, operation), last in zip(pairs, replies, strict=True):
            kind = EntryType.INFO if last is None else EntryType.OK
            value = {"reason": "died"} if last is None else last
            entries.append(Entry(len(entries), process, kind, operation.name, value, now, files=dict(files)))
        return last

    for step in scenario.steps:
        if step.op is not None:
            if step.op.name == "reset":
                files, faults, now = snapshot(scenario), [], scenario.world.clock
            perform([(0, step.op)])
        elif step.schedule is not None:
            perform(list(enumerate(step.schedule.together, 1)))
        elif step.fault is not None:
            faults.append(Injection(step.fault, True, "proven"))
        elif step.clock is not None:
            now = (datetime.fromisoformat(now) + timedelta(seconds=step.clock.by_s)).isoformat()
        elif step.repeat is not None and step.repeat.steps[0].op is not None:
            for _ in range(step.repeat.at_most):
                if (perform([(0, step.repeat.steps[0].op)]) or {}).get("decision") == "approve":
                    break
    return History(tuple(entries))


def metrics(view: GateView) -> Answer:
    last = max(seconds(check.begin.now) for check in view.checks)
    fresh = "metrics-" in view.scenario.id and view.metrics[-1].now_s - last < 3600
    alerts: list[Mapping[str, Any]] = []
    if fresh and "quiet" not in view.scenario.id:
        alerts = [{"kind": "error_rate"}, {"kind": "timeout_rate"}, {"kind": "checker_crashes", "checker": "crashes"}]
    return {"counters": {**dict.fromkeys(COUNTERS, 1), COUNTERS[0]: 3}, "alerts": alerts}


def right(view: GateView, check: Check, files: Files) -> Answer:
    """The answer of one sound implementation, with everything it would log and write."""
    outcome = next((one for one in PREFERRED if one in check.outcomes), next(iter(check.outcomes)))
    if check.args.considerations is None:
        outcome = Outcome.BLOCK if ".open" in check.args.transcript_path else Outcome.SATISFIED
    made: Answer = {"decision": "approve", "reasons": [outcome.value], "continuation_prompt": None, "summary": None}
    made["log"] = list(log_of(check, outcome))
    if outcome is Outcome.BLOCK:
        made |= {"decision": "block", "continuation_prompt": "The session appears incomplete: go on."}
    if outcome in ENDED_WELL:
        made["summary"] = summary_of(check)
        write(view, check, files, made)
    return made


def log_of(check: Check, outcome: Outcome) -> Iterator[Mapping[str, Any]]:
    facts, transcript = check.facts, check.facts.transcript
    if outcome in OUTCOME_LOGS:
        level, code = OUTCOME_LOGS[outcome]
        yield {"level": level, "code": code}
    if facts.config.state in ("missing", "unusable"):
        yield {"level": "debug", "code": "config_missing"} if facts.config.state == "missing" else {
            "level": "warning", "code": "config_invalid"
        }  # fmt: skip
    for code, keys in (("config_unknown_keys", facts.config.unknown), ("config_invalid_value", facts.config.bad)):
        if keys:
            yield {"level": "warning", "code": code, "keys": sorted(keys)}
    if not check.args.session_id:
        yield {"level": "warning", "code": "session_id_missing"}
    if facts.semaphore is Semaphore.STALE:
        yield {"level": "warning", "code": "semaphore_stale"}
    for line in transcript.lines if transcript is not None else ():
        if line.possible & {Kind.INVALID, Kind.UNDECODABLE}:
            yield {"level": "warning", "code": "invalid_json_line", "line": line.number}
        elif line.possible & {Kind.NO_MESSAGE, Kind.NO_OBJECT}:
            yield {"level": "debug", "code": "invalid_message"}
    for item in check.args.considerations or ():
        if item.outcome in CHECKER_LOGS:
            level, code = CHECKER_LOGS[item.outcome]
            context = {"session_id": check.args.session_id, "transcript_path": check.args.transcript_path}
            yield {"level": level, "code": code, "checker": item.id, "traceback": True, **context}


def summary_of(check: Check) -> str:
    messages = check.facts.transcript.sure_messages if check.facts.transcript is not None else ()
    objective = next((message.text for message in messages if message.role == "user"), contract.UNKNOWN_OBJECTIVE[0])
    paths = [tool[1]["file_path"] for message in messages for tool in message.tools]
    lines = [f"- {path}" for path in paths] or [contract.NO_FILES_TEXT]
    text = "\n".join([objective, *lines, *(item.id for item in check.args.considerations or ())])
    limit = contract.SUMMARY_LIMIT_CHARACTERS
    return text if len(text) <= limit else text[:limit] + contract.SUMMARY_CUT_MARK


def write(view: GateView, check: Check, files: Files, made: Answer) -> None:
    if not check.has_safe_id:
        return
    links = _links(view, check)
    if check.semaphore_path not in links and check.facts.semaphore is not Semaphore.LINK:
        if unwritable(check, check.semaphore_path) and "full" not in view.scenario.id and "-session" not in view.scenario.id:
            made["log"].append({"level": "error", "code": "semaphore_write_failed"})
        else:
            files[check.semaphore_path] = FileFact("file", 0, "", check.now_s)
    if unwritable(check, check.summary_path):
        made["log"].append({"level": "error", "code": "summary_write_failed"})
    elif links:
        made["log"].append({"level": "error", "code": "path_outside_root"})
    else:
        data = made["summary"].encode()
        files[check.summary_path] = FileFact("file", len(data), hashlib.sha256(data).hexdigest(), check.now_s)


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


APPROVES, BLOCKS = but(decision="approve", continuation_prompt=None, reasons=[]), but(decision="block", reasons=["incomplete"])
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
    ("PS-CON-02", "summary-objective", but(summary="No files were modified (informational session)")),
    ("PS-CON-02", "summary-no-user-message", but(summary="An objective")),
    ("PS-CON-03", "checker-network-error-blocker", without("network_unreachable")),
    ("PS-LOOP-01", "semaphore-before-transcript", but(reasons=["transcript_missing"])),
    ("PS-LOOP-02", "semaphore-only-on-approval", places(SEMAPHORE)),
    ("PS-LOOP-03", "prompt-assistant-last", BLOCKS),
    ("PS-LOOP-03", "prompt-in-parts", but(reasons=[])),
    ("PS-LOOP-04", "prompt-after-block", BLOCKS),
    ("PS-LOOP-04", "prompt-as-user-message", BLOCKS),
    ("PS-PRM-02", "decision-two-warnings", BLOCKS),
    ("PS-PRM-02", "decision-blockers-only", APPROVES),
    ("PS-PRM-03", "decision-two-warnings", but(reasons=["fine"])),
    ("PS-PRM-03", "decision-no-severity", but(summary="nothing to see")),
    ("PS-PRM-04", "answer-form", but(continuation_prompt="go on")),
    ("PS-SUM-01", "summary-no-user-message", but(summary=None)),
    ("PS-SUM-02", "summary-files", but(summary="- /work/importer.py")),
    ("PS-SUM-02", "summary-no-files", but(summary="none")),
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
    ("PS-SES-05", "semaphore-ahead-90", BLOCKS, ("ignored_beyond_skew", "ignored")),
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
)


@pytest.mark.parametrize(("clause", "name", "respond", "readings"), READINGS)
def test_an_observation_keeps_the_readings_it_agrees_with(
    clause: str, name: str, respond: Responder, readings: tuple[str, ...]
) -> None:
    finding = judged(name, respond)[clause]
    assert (finding.verdict, finding.readings) == (CheckVerdict.PASS, readings)


def test_log_codes_of_the_contract_are_the_ones_rules_ask_for() -> None:
    known = {code.value for code in LogCode}
    assert {code for _, code in (*CHECKER_LOGS.values(), *OUTCOME_LOGS.values())} <= known

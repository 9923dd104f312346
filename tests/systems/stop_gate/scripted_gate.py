"""Histories of the gate profile without an implementation: a walk through a scenario with a responder.

The right responder takes its outcome from the oracle's own model, so it proves only that rules and scenarios fit each
other; what proves the rules is that deliberate mistakes are found.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from harness.core.fault import Injection
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import FileSpec, Operation, Scenario
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import COUNTERS, CheckerOutcome
from harness.systems.stop_gate.oracle import session
from harness.systems.stop_gate.oracle.gate_files import outward_links, unwritable
from harness.systems.stop_gate.oracle.gate_view import Check, GateView, seconds
from harness.systems.stop_gate.oracle.session import ENDED_WELL, Outcome, Semaphore
from harness.systems.stop_gate.oracle.transcript import Kind

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
        path: FileFact(
            spec.kind, len(data_of(spec)), hashlib.sha256(data_of(spec)).hexdigest(), start - (spec.age_s or 0)
        )
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
            Entry(
                len(entries), process, EntryType.INVOKE, operation.name, args, now, tuple(faults), dict(files), inputs
            )
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
        elif step.repeat is not None and step.repeat.steps[-1].op is not None:
            waits = [inner.clock.by_s for inner in step.repeat.steps if inner.clock is not None]
            for _ in range(step.repeat.at_most):
                now = (datetime.fromisoformat(now) + timedelta(seconds=sum(waits))).isoformat() if waits else now
                if (perform([(0, step.repeat.steps[-1].op)]) or {}).get("decision") == "approve":
                    break
    return History(tuple(entries))


BLOCK_LIMIT = 20  # fewer than PS-LOOP-04 permits


def metrics(view: GateView) -> Answer:
    last = max(seconds(check.begin.now) for check in view.checks)
    fresh = "metrics-" in view.scenario.id and view.metrics[-1].now_s - last < 3600
    alerts: list[Mapping[str, Any]] = []
    if fresh and not any(word in view.scenario.id for word in ("quiet", "at-the-rate")):
        alerts = [{"kind": "error_rate"}, {"kind": "timeout_rate"}, {"kind": "checker_crashes", "checker": "crashes"}]
    return {"counters": {**dict.fromkeys(COUNTERS, 1), COUNTERS[0]: 3}, "alerts": alerts}


def right(view: GateView, check: Check, files: Files) -> Answer:
    """The answer of one sound implementation, with everything it would log and write."""
    likely = [one for one in PREFERRED if one in check.outcomes]
    if check.overlapped and check.semaphore_path not in files and len(likely) > 1:
        likely = [one for one in likely if one is not Outcome.ALREADY_RAN]  # of several at once, this one comes first
    outcome = next(iter(likely), next(iter(check.outcomes)))
    if check.args.considerations is None:
        outcome = Outcome.BLOCK if ".open" in check.args.transcript_path else Outcome.SATISFIED
    made: Answer = {"decision": "approve", "reasons": [outcome.value], "continuation_prompt": None, "summary": None}
    made["log"] = list(log_of(check, outcome))
    held = sum(before.blocked for before in view.earlier(check))
    if outcome is Outcome.BLOCK and held >= BLOCK_LIMIT:
        made["reasons"] = ["block_limit"]
    elif outcome is Outcome.BLOCK:
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
    paths = [tool[1]["file_path"] for message in messages for tool in message.tools if "file_path" in tool[1]]
    lines = [f"- {path}" for path in paths] or [contract.NO_FILES_TEXT]
    text = "\n".join([objective, *lines, *(item.id for item in check.args.considerations or ())])
    limit = contract.SUMMARY_LIMIT_CHARACTERS
    return text if len(text) <= limit else text[:limit] + contract.SUMMARY_CUT_MARK


def write(view: GateView, check: Check, files: Files, made: Answer) -> None:
    if not check.has_safe_id:
        return
    links = outward_links(view, check)
    if check.semaphore_path not in links and check.facts.semaphore is not Semaphore.LINK:
        if (
            unwritable(check, check.semaphore_path)
            and "full" not in view.scenario.id
            and "-session" not in view.scenario.id
        ):
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

"""Histories of a diagnosis written operation by operation, by somebody who answers well unless told otherwise."""

import copy
import json
from datetime import UTC, datetime, timedelta

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, History, InputFact
from harness.core.scenario import Scenario, World
from harness.systems import registry
from harness.systems.diagnosis.contract import REFLECTION, SYSTEM
from harness.systems.diagnosis.oracle import form, judge

CATALOGUE = registry.System("diagnosis").catalogue
PASS, FAIL, INCONCLUSIVE = CheckVerdict.PASS, CheckVerdict.FAIL, CheckVerdict.INCONCLUSIVE
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LABELS = ("session_memory", "episodic_memory", "context_log")
MISSING = InputFact("missing")


def moment(seconds):
    """The time so many seconds after noon."""
    return (NOON + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def ulid(number):
    """A ULID that no other number has."""
    return f"01J9YH{number:020d}"


def a_failure(message="Command failed", **more):
    """An error as the document has it."""
    return {"message": message, "code": 127, "stdout": "", "stderr": "bash: git: command not found", **more}


def a_context(iteration=2, **more):
    """A context as the document has it."""
    return {
        "iteration": iteration,
        "previousActions": [],
        "availableTools": ["run_bash", "write_file", "shell"],
        "workspaceState": {"files": ["notes.md"], "directories": ["src"]},
        "taskGoal": "Clone the repository",
        **more,
    }


def a_diagnosis(number=1, iteration=2, at=0.0, **changes):
    """The example of the document, complete; ``changes`` are other fields, a dotted name with __ for what is inside."""
    found = {
        "id": f"diag_{ulid(number)}",
        "timestamp": moment(at),
        "iteration": iteration,
        "whyChain": {
            "why1": f"Shell command 'git clone' failed with exit code 127, number {number}",
            "why2": "Binary 'git' not found in container PATH",
            "why3": "Agent assumed git would be available without pre-flight check",
            "why4": "No fallback strategy prepared for repository download operations",
            "why5": "System lacks tool capability introspection mechanism",
        },
        "rootCause": {
            "category": "missing_binary",
            "description": "Required command-line tool 'git' is not installed in the container environment",
            "confidence": 0.95,
        },
        "errorClassification": {"type": "command_not_found", "severity": "recoverable", "canRecover": True},
        "alternatives": [
            {
                "strategy": "curl_download_and_extract",
                "tools": ["run_bash"],
                "description": "Download repository tarball via curl, extract with tar",
                "confidence": 0.9,
                "estimatedIterations": 3,
            },
            {
                "strategy": "manual_http_download",
                "tools": ["write_file"],
                "description": "Manually download files via HTTP API and recreate structure",
                "confidence": 0.6,
                "estimatedIterations": 5,
            },
            {
                "strategy": "request_user_setup",
                "tools": [],
                "description": "Ask user to install git in container or provide alternative",
                "confidence": 0.8,
                "estimatedIterations": 1,
            },
        ],
        "recoveryPlan": a_plan(),
        "learningOpportunity": {
            "pattern": "git_not_available_use_curl",
            "rule": "When git commands fail with 'command not found', use curl to download GitHub tarball",
            "applicableTaskTypes": ["repository_clone"],
            "generalizability": 0.85,
        },
    }
    return changed(found, **changes, **({"iteration": GONE} if iteration is GONE else {}))


def a_plan(strategy="curl_download_and_extract", chain=("manual_http_download", "request_user_setup"), **changes):
    """A recovery plan."""
    steps = [
        {
            "action": "Download repository tarball from GitHub",
            "tool": "run_bash",
            "args": {"command": "curl -L https://github.com/o/r/main.tar.gz -o repo.tar.gz"},
            "expectedOutcome": "repo.tar.gz file created",
        },
        {
            "action": "Extract tarball contents",
            "tool": "run_bash",
            "args": {"command": "tar -xzf repo.tar.gz"},
            "expectedOutcome": "Repository files extracted",
        },
    ]
    return {"priority": 1, "strategy": strategy, "steps": steps, "fallbackChain": list(chain), **changes}


ASKING = a_plan("request_user_setup", (), steps=[], priority=3)
SECOND = a_plan("manual_http_download", ("request_user_setup",), priority=2)


class _Gone:
    def __repr__(self):  # ids of tests hold it, and have to be the same in every worker
        return "gone"


GONE = _Gone()


def changed(value, **changes):
    """A copy with other fields; ``a__b`` is field b of field a, a__0 the first of a list; GONE takes one away."""
    found = copy.deepcopy(value)
    for name, new in changes.items():
        *way, last = name.split("__")
        inner = found
        for each in way:
            inner = inner[int(each) if each.isdigit() else each]
        if new is GONE:
            del inner[int(last) if last.isdigit() else last]
        else:
            inner[int(last) if last.isdigit() else last] = new
    return found


def a_session_record(diagnosis, attempts=(), pattern=None):
    """What the session memory gains."""
    record = {
        "failure_diagnosis": {
            "immediate_cause": "git command not found",
            "root_cause": diagnosis["rootCause"]["description"],
            "why_chain": list(diagnosis["whyChain"].values()),
            "recovery_attempted": list(attempts),
        }
    }
    return record | ({} if pattern is None else {"learned_pattern": pattern})


def an_attempt(strategy, outcome, iterations=None):
    return {"strategy": strategy, "outcome": outcome, "iterations_to_success": iterations}


def an_episode(tool="shell", strategy=None, iterations=3):
    """What the episodic memory gains; of a failure without a strategy."""
    record = {
        "error_encountered": {"type": "missing_binary", "tool": tool, "diagnosis": "no git", "root_cause": "container"},
        "reusable_pattern": {"trigger": "command_not_found", "action": "use curl", "success_rate": 0.5},
    }
    if strategy is not None:
        record["successful_recovery"] = {
            "strategy": strategy,
            "tools": ["run_bash"],
            "iterations_to_success": iterations,
            "confidence": 0.67,
        }
    return record


def an_event(diagnosis, at=0.0, tool="shell", number=1, **changes):
    """What the ContextLog gains."""
    event = {
        "id": ulid(number + 5000),
        "ts": moment(at),
        "actor": "system",
        "act": "diagnostic_reflection",
        "conv_id": "c_1",
        "trace_id": "t_1",
        "iter": diagnosis.get("iteration"),
        "name": "5_whys_analysis",
        "status": "ok",
        "elapsed_ms": 12,
        "metadata": {
            "failed_tool": tool,
            "error_type": diagnosis["errorClassification"]["type"],
            "root_cause": diagnosis["rootCause"]["category"],
            "recovery_strategy": form.field(diagnosis["recoveryPlan"], "strategy"),
            "confidence": 0.9,
            "alternatives_count": len(diagnosis["alternatives"]),
        },
        "result_preview": "Root: git not installed",
    }
    return changed(event, **changes)


def a_prompt(diagnosis):
    """The text of the next reflection, as the document has it."""
    plan, others = diagnosis["recoveryPlan"], diagnosis["alternatives"][1:]
    whys = [f"{place}. {why}" for place, why in enumerate(diagnosis["whyChain"].values(), start=1)]
    steps = [f"  {n}. {each['action']}: {each['args']['command']}" for n, each in enumerate(plan["steps"], start=1)]
    lines = [
        "Previous iteration failed. Diagnostic analysis:",
        f"Root Cause: {diagnosis['rootCause']['description']} (confidence: {diagnosis['rootCause']['confidence']})",
        "Why it happened:",
        *whys,
        "Recommended Recovery (Priority 1):",
        f"Strategy: {plan['strategy']} (confidence: {diagnosis['alternatives'][0]['confidence']})",
        "Steps:",
        *steps,
        "Alternatives:",
        *(f"  - {each['description']}" for each in others),
        f"Pattern to learn: {diagnosis['learningOpportunity']['rule']}",
    ]
    return "\n".join(lines)


def a_report(diagnosis, *tried):
    """What the user is shown; ``tried`` are lines of what was tried."""
    whys = [f"because {why}" for why in diagnosis["whyChain"].values()]
    return "\n".join([f"Root cause: {diagnosis['rootCause']['description']}", *whys, "Recoveries:", *tried])


def written(*records):
    """JSON lines; bytes stay as they are."""
    return b"".join(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n" for each in records)


class Story:
    """A history that grows. The files are what they are until an operation adds lines or ``files`` is set."""

    def __init__(self, clauses=(), flags=None, **config):
        config = {"home": "{home}", "flags": flags or {}, **config}
        world = World(clock=moment(0), config=config)
        self.scenario = Scenario(1, "s", "S", SYSTEM, REFLECTION, tuple(clauses), world, ())
        self.files = dict.fromkeys(LABELS, b"")
        self.entries = []
        self.made = {}
        self.at = 0.0
        self.reset()

    def reset(self):
        self._add(EntryType.INVOKE, 0, "reset", {})
        self._add(EntryType.OK, 0, "reset", {})

    def _add(self, kind, process, op, value, **more):
        self.entries.append(Entry(len(self.entries), process, kind, op, value, moment(self.at), **more))

    def begin(self, op, args, process=0, faults=(), inputs=None):
        found = {
            label: each
            if isinstance(each, InputFact)
            else (InputFact("file", len(each), each) if each or label == "context_log" else MISSING)
            for label, each in self.files.items()
            if each is not None
        }
        struck = tuple(each if isinstance(each, Injection) else Injection(each, True, "met") for each in faults)
        self._add(EntryType.INVOKE, process, op, args, inputs=found if inputs is None else inputs, faults=struck)

    def end(self, op, answer, process=0, session=(), episodic=(), events=(), ended=EntryType.OK):
        for label, lines in zip(LABELS, (session, episodic, events), strict=True):
            if lines:
                self.files[label] = (self.files[label] or b"") + written(*lines)
        self._add(ended if answer is not None else EntryType.INFO, process, op, answer or {})
        self.at += 1.0

    def call(self, op, args, answer, process=0, faults=(), **lines):
        self.begin(op, args, process, faults)
        self.end(op, answer, process, **lines)
        return self

    def success(self, name="ok", answer=None, **more):
        args = {"call": name, "tool": "shell", "args": {"command": "ls"}, "success": True, "context": a_context()}
        return self.call("observe", args, {"reflection": "none"} if answer is None else answer, **more)

    def failure(self, name="c1", *, error=None, context=None, args=None, tool="shell", model=None, **more):
        """A failure, diagnosed and written down; ``more``: diagnosis, reflection, answer, session, events ..."""
        context = a_context() if context is None else context
        iteration = context.get("iteration") if isinstance(context, dict) else 0
        number = len(self.made) + 1
        made = a_diagnosis(number, iteration, self.at) if "diagnosis" not in more else more.pop("diagnosis")
        self.made[name] = made
        asked = {
            "call": name,
            "tool": tool,
            "args": {"command": "git clone x"} if args is None else args,
            "success": False,
            "error": a_failure() if error is None else error,
            "context": context,
        } | ({} if model is None else {"model": {"behaviour": "answers"}})
        answer = {"reflection": more.pop("reflection", "full"), "diagnosis": made}
        answer |= {"model_calls": model} if model else {}
        answer |= more.pop("more", {})
        kept = made if made is None or not form.incomplete(made) else a_diagnosis(number, 2, self.at)
        if kept is not None:
            more.setdefault("session", [a_session_record(kept) | {"diagnosis": made}])
            more.setdefault("events", [an_event(kept, self.at, tool, number)])
        return self.call("observe", asked, more.pop("answer", answer), **more)

    def outcome(self, name="c1", success=True, strategy="curl_download_and_extract", iterations=3, **more):
        """A recovery that was tried; ``attempts`` are those told before."""
        made = self.made.get(name) or a_diagnosis()
        before = list(more.pop("attempts", ()))
        attempts = [*before, an_attempt(strategy, "success" if success else "failure", iterations if success else None)]
        pattern = {"when": "command_not_found", "then": "curl", "confidence": 0.67} if success else None
        more.setdefault("session", [a_session_record(made, attempts, pattern)])
        more.setdefault("episodic", [an_episode(strategy=strategy if success else None, iterations=iterations)])
        answer = {"strategy": strategy, **more.pop("more", {})}
        args = {"call": name, "success": success, "iterations": iterations}
        return self.call("outcome", args, more.pop("answer", answer), **more)

    def prompt(self, name="c1", text=None, **more):
        text = a_prompt(self.made[name]) if text is None else text
        return self.call("prompt", {"call": name}, more.pop("answer", {"text": text}), **more)

    def report(self, name="c1", text=None, **more):
        text = a_report(self.made[name]) if text is None else text
        return self.call("report", {"call": name}, more.pop("answer", {"text": text}), **more)

    @property
    def history(self):
        return History(tuple(self.entries))

    def findings(self):
        return {each.clause: each for each in judge(self.scenario, self.history, CATALOGUE)}

    def finding(self, clause):
        return self.findings().get(clause)

    def verdict(self, clause):
        found = self.finding(clause)
        return None if found is None else found.verdict

    def readings(self, clause):
        return self.finding(clause).readings

    def failed(self):
        """The clauses that fail."""
        return {name for name, each in self.findings().items() if each.verdict is FAIL}


def fault(name, path=None, **params):
    return Fault(name, path, params)

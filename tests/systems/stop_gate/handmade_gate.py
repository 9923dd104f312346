"""Histories of the gate profile written check by check, each with what was asked, seen, struck and said."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.fault import Fault, Injection, Scalar
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Entry, EntryType, History, InputFact
from harness.core.scenario import FileSpec, Scenario, World
from harness.systems import registry
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import SKIP_VARIABLE, CheckArguments, Consideration
from harness.systems.stop_gate.oracle import judge
from harness.systems.stop_gate.oracle.gate_view import RUNTIME, seconds
from harness.systems.stop_gate.workload.gate_steps import HEALTHY, consideration, flat

CATALOGUE = registry.get("stop_gate").catalogue
PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL
NOON = "2026-01-01T12:00:00+00:00"
NOON_S = seconds(NOON)
SKIPPED = {SKIP_VARIABLE: "1"}
SEMAPHORE, SUMMARY = f"{RUNTIME}/.s-1_completed", f"{RUNTIME}/s-1/summary.md"
ASKED, ANSWERED = HEALTHY
PROMPT_TEXT = f"{contract.PROMPT_MARK}: please go on."
PROMPTED = (ASKED, flat("assistant", PROMPT_TEXT))
HANGS, RAISES = consideration("hangs", name="hangs"), consideration("raises", name="crashes")
Call = tuple[Entry, Entry]


def answer(decision: str, *reasons: str, **more: Any) -> dict[str, Any]:
    prompt = PROMPT_TEXT if decision == "block" else None
    texts: dict[str, Any] = {"continuation_prompt": prompt, "summary": None, "log": []}
    return {"decision": decision, "reasons": list(reasons), **texts, **more}


def log(level: str, code: str, **more: Any) -> dict[str, list[dict[str, Any]]]:
    return {"log": [{"level": level, "code": code, **more}]}


APPROVES, BLOCKS = answer("approve"), answer("block", "incomplete")
RAN = answer("approve", "already_ran")
TIMES_OUT = answer("approve", "timeout", **log("error", "analysis_timed_out"))
GIVES_UP = answer("approve", "too many", **log("error", "too_many_invalid_lines"))


def call(op: str, args: Mapping[str, Any], said: Mapping[str, Any] | None, at: str = NOON, **facts: Any) -> Call:
    after = facts.pop("after", facts.get("files", {}))
    end = Entry(1, 0, EntryType.INFO if said is None else EntryType.OK, op, said or {}, at, files=after)
    return Entry(0, 0, EntryType.INVOKE, op, args, at, **facts), end


def check(
    said: Mapping[str, Any] | None,
    *asked: Consideration,
    lines: tuple[str, ...] | bytes | InputFact = HEALTHY,
    config: bytes | None = None,
    **more: Any,
) -> Call:
    """One check and its answer; ``more`` are arguments of the check, and what an entry says besides."""
    facts = {name: more.pop(name) for name in ("at", "files", "after", "faults") if name in more}
    considerations = None if more.pop("own", False) else asked
    args = CheckArguments("{home}/t.jsonl", "{project}", more.pop("session_id", "s-1"), considerations, **more)
    data = "".join(line + "\n" for line in lines).encode() if isinstance(lines, tuple) else lines
    inputs = {"transcript": data if isinstance(data, InputFact) else InputFact("file", len(data), data)}
    inputs["config"] = InputFact("missing") if config is None else InputFact("file", len(config), config)
    return call("check", msgspec.to_builtins(args), said, inputs=inputs, **facts)


def found(*calls: Call, **files: FileSpec) -> dict[str, Finding]:
    """What the oracle finds; ``files`` are the session's directory of the world, if it says anything."""
    entries = [msgspec.structs.replace(entry, n=n) for n, entry in enumerate(entry for pair in calls for entry in pair)]
    world = World(NOON, {f"{RUNTIME}/s-1": spec for spec in files.values()})
    scenario = Scenario(1, "corner", "corner", contract.SYSTEM, contract.GATE, (), world, ())
    return {finding.clause: finding for finding in judge(scenario, History(tuple(entries)), CATALOGUE)}


def injected(
    name: str, path: str | None = None, proof: str = "met", *, armed: bool = True, **params: Scalar
) -> Injection:
    return Injection(Fault(name, path, params), armed, proof)

"""The words in which the scenarios of the profile gate are written."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.fault import Fault, Scalar
from harness.core.scenario import FORMAT, ClockStep, FileSpec, Operation, Scenario, Step, World
from harness.systems.stop_gate.contract import (
    CONFIG_PATH,
    GATE,
    PROMPT_MARK,
    RUNTIME_DIRECTORY,
    SYSTEM,
    CheckArguments,
    CheckerOutcome,
    Consideration,
    PromptArguments,
    Severity,
)

CLOCK = "2026-03-01T12:00:00Z"
FOLDER = "{home}/.claude/projects/demo"
TRANSCRIPT = f"{FOLDER}/transcript.jsonl"
CALM_TRANSCRIPT = f"{FOLDER}/calm.jsonl"
SESSION = "session-1"
SCALE = 0.05  # a checker has 0.25 s, the whole 1.5 s
RESET = Step(op=Operation("reset"))
APPROVE: Mapping[str, Any] = {"decision": "approve"}
BLOCK: Mapping[str, Any] = {"decision": "block"}
PROMPT_TEXT = f"{PROMPT_MARK}: the tests were not run. Please go on."


def consideration(
    outcome: str, severity: str | None = "blocker", *, name: str | None = None, seconds: float = 0.0
) -> Consideration:
    """A scripted consideration, named after what it does."""
    asked = None if severity is None else Severity(severity)
    return Consideration(name or f"{outcome.replace('_', '-')}-{severity}", CheckerOutcome(outcome), asked, seconds)


FAILED = consideration("failed", name="tests-were-run")
WARNED = consideration("failed", "warning", name="notes-are-tidy")
FINE = consideration("satisfied", name="branch-is-pushed")


def flat(role: str, content: Any) -> str:
    """One line as document 004 describes it."""
    return json.dumps({"role": role, "content": content})


def nested(role: str, content: Any) -> str:
    """One line as coding agents write it, the role inside ``message``."""
    return json.dumps({"type": role, "sessionId": SESSION, "message": {"role": role, "content": content}})


def codex(role: str, text: str) -> str:
    """One line as Codex writes it, everything inside ``payload``."""
    content = [{"type": "input_text" if role == "user" else "output_text", "text": text}]
    payload = {"type": "message", "role": role, "content": content}
    return json.dumps({"type": "response_item", "payload": payload})


def text(*lines: str) -> FileSpec:
    """A file of these lines."""
    return FileSpec(text="".join(line + "\n" for line in lines))


ASKED = flat("user", "Please add a retry to the importer.")
ANSWERED = flat("assistant", [{"type": "text", "text": "The importer retries three times now."}])
HEALTHY = (ASKED, ANSWERED)
HEALTHY_NESTED = (
    nested("user", "Please add a retry to the importer."),
    nested("assistant", [{"type": "text", "text": "The importer retries three times now."}]),
)


def operation(*considerations: Consideration, **changes: Any) -> Operation:
    """A check of the session with these considerations; ``own`` true leaves them to the implementation."""
    own = changes.pop("own", False)
    args = CheckArguments(
        changes.pop("transcript_path", TRANSCRIPT),
        changes.pop("project_root", "{project}"),
        changes.pop("session_id", SESSION),
        None if own else considerations,
        **changes,
    )
    # through JSON, so that a scenario equals the one read back from its file: lists, no tuples
    return Operation("check", msgspec.json.decode(msgspec.json.encode(args)))


def check(*considerations: Consideration, **changes: Any) -> Step:
    """A step that makes that check."""
    return Step(op=operation(*considerations, **changes))


def calm(*considerations: Consideration, **changes: Any) -> Step:
    """A check of another session, whose transcript nothing is wrong with: the control."""
    return check(*considerations, **{"transcript_path": CALM_TRANSCRIPT, "session_id": "calm-1", **changes})


MUST_BLOCK = calm(FAILED)
MUST_APPROVE = calm(FINE, session_id="calm-2")
CONTROL = (MUST_BLOCK, MUST_APPROVE)


def ask_prompt(*failed: Consideration) -> Step:
    """A step that asks for a continuation prompt."""
    return Step(op=Operation("continuation_prompt", msgspec.json.decode(msgspec.json.encode(PromptArguments(failed)))))


METRICS = Step(op=Operation("metrics"))


def fault(name: str, path: str, **params: Scalar) -> Step:
    """A step that puts a fault in place."""
    return Step(fault=Fault(name, path, params))


def later(by_s: float) -> Step:
    """A step of the clock."""
    return Step(clock=ClockStep(by_s))


def semaphore(age_s: float | None = None, session_id: str = SESSION, **fields: Any) -> dict[str, FileSpec]:
    """A semaphore of that session and age."""
    path = f"{RUNTIME_DIRECTORY}/.{session_id}_completed"
    return {path: FileSpec(age_s=age_s, **fields) if fields else FileSpec(text="", age_s=age_s)}


def config(value: Any) -> dict[str, FileSpec]:
    """A configuration file with that JSON value."""
    return {CONFIG_PATH: FileSpec(text=json.dumps(value))}


def reasons(word: str) -> Mapping[str, Any]:
    """The approval with exactly that reason."""
    return {"decision": "approve", "reasons": [word]}


def scenario(
    name: str,
    title: str,
    clauses: tuple[str, ...],
    steps: tuple[Step, ...],
    *allowed: Mapping[str, Any],
    transcript: FileSpec | None = None,
    files: Mapping[str, FileSpec] | None = None,
    scale: float | None = None,
    full_length: bool = False,
) -> Scenario:
    """A scenario whose world holds a healthy transcript, the control's, and ``files``."""
    world = {CALM_TRANSCRIPT: text(*HEALTHY), TRANSCRIPT: transcript or text(*HEALTHY), **(files or {})}
    return Scenario(
        format=FORMAT,
        id=f"gate-{name}",
        title=title,
        system=SYSTEM,
        profile=GATE,
        clauses=clauses,
        world=World(CLOCK, world, {} if scale is None else {"limits": {"scale": scale}}),
        steps=steps,
        full_length=full_length,
        allowed=allowed,
    )

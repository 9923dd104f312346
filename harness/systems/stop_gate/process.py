"""A stop as a process: what a host writes to a hook, and what it makes of what the hook did. Pure.

Source: stop-hook-contract.md; what each host does is data, see `hosts`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

import msgspec

from harness.core.process import Call, ProcessEnd
from harness.core.scenario import FileSpec, Operation, Scenario, Step, World
from harness.systems.stop_gate.answers import BLOCKING_EXIT, read_answer, rules_of
from harness.systems.stop_gate.contract import (
    SKIP_VARIABLE,
    STOP_HOOK,
    SYSTEM,
    Decision,
    Stdin,
    StopArguments,
    StopResult,
)
from harness.systems.stop_gate.hosts import host_named

EXCERPT_CHARACTERS = 2_000
_PROBE_CLOCK = "2026-03-01T12:00:00Z"
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"


def call(args: Mapping[str, Any], resolve: Callable[[str], str]) -> Call:
    """The process call that these StopArguments stand for; ``resolve`` turns placeholder paths into real ones."""
    stop = msgspec.convert(args, StopArguments)
    fields: dict[str, Any] = {
        "session_id": stop.session_id,
        "transcript_path": resolve(stop.transcript_path),
        "cwd": resolve("{project}"),
        "hook_event_name": stop.event,
        "stop_hook_active": stop.stop_hook_active,
        "permission_mode": stop.permission_mode,
        "last_assistant_message": stop.last_assistant_message,
    }
    fields.update({key: resolve(value) if isinstance(value, str) else value for key, value in stop.replace.items()})
    for name in stop.drop:
        fields.pop(name, None)
    if stop.camel_case:
        fields = {_camel(name): value for name, value in fields.items()}
    environment = {PROJECT_VARIABLE: resolve("{project}"), **stop.environment}
    # the two variables a host may set, or not: without a value they are unset
    for name in (SKIP_VARIABLE, PROJECT_VARIABLE):
        if not environment.get(name):
            environment.pop(name, None)
    return Call(
        stdin=_stdin(stop.stdin, json.dumps(fields).encode()),
        keep_stdin_open=stop.stdin is Stdin.KEPT_OPEN,
        environment=environment,
        close_stdout=stop.close_stdout,
        close_stderr=stop.close_stderr,
    )


def _stdin(kind: Stdin, fields: bytes) -> bytes:
    if kind in _HOSTILE_VALUES:  # the odd value comes first, so that nobody can know the rest without reading past it
        return b'{"x": ' + _HOSTILE_VALUES[kind]() + b", " + fields[1:] + b"\n"
    return _NO_OBJECTS.get(kind, fields + b"\n")


_NO_OBJECTS: Mapping[Stdin, bytes] = {
    Stdin.EMPTY: b"",
    Stdin.GARBAGE: b"\x00\xff{not json at all\n",
    Stdin.NOT_AN_OBJECT: b'["session_id", 1]\n',
}
_HOSTILE_VALUES: Mapping[Stdin, Callable[[], bytes]] = {
    Stdin.HUGE_INTEGER: lambda: b"9" * 5_000,
    Stdin.DEEP_NESTING: lambda: b"[" * 100_000 + b"]" * 100_000,
    Stdin.LONG: lambda: b'"' + b"x" * (8 * 1024 * 1024) + b'"',
}


def result(end: ProcessEnd, host_name: str, hide: Callable[[str], str]) -> StopResult:
    """What a host of that name makes of a hook that ended so; ``hide`` puts placeholders for real paths."""
    host = host_named(host_name)
    answer = read_answer(end.stdout)
    decision, means = Decision.APPROVE, "nothing"
    rules = rules_of(end, answer)
    if rules and host.blocks(rules):
        decision, means = Decision.BLOCK, "exit_2" if end.exit_code == BLOCKING_EXIT else "json"
    return StopResult(
        decision=decision,
        means=means,  # type: ignore[arg-type]  # one of the three literals, set above
        output=answer.output,
        exit_code=end.exit_code,
        signal=end.signal,
        timed_out=end.timed_out,
        flooded=end.flooded,
        children_left=end.children_left,
        stdout_excerpt=_excerpt(end.stdout, hide),
        stderr_excerpt=_excerpt(end.stderr, hide),
        start_error=end.start_error,
    )


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


def _excerpt(data: bytes, hide: Callable[[str], str]) -> str:
    return hide(data[: EXCERPT_CHARACTERS * 4].decode(errors="replace"))[:EXCERPT_CHARACTERS]


def probe() -> Scenario:
    """One stop in calm weather: it tells, before anything else, whether this is a hook that runs at all."""
    sample = Decision.APPROVE.value
    world = World(_PROBE_CLOCK, {StopArguments().transcript_path: FileSpec(sample=sample)})
    step = Step(op=Operation("stop", {"deserves": sample, "role": "control"}))
    return Scenario(1, "probe", "The hook in calm weather", SYSTEM, STOP_HOOK, (), world, (step,))


def unusable(results: Sequence[Mapping[str, Any]]) -> str:
    """Why a hook with these results in calm weather cannot be tested, in a clause of a sentence; "" when it can."""
    for value in results:
        if value.get("start_error"):
            return f"it cannot be started ({value['start_error']})"
        code, said = value.get("exit_code"), str(value.get("stderr_excerpt", "")).strip().splitlines()[-1:]
        because = f": {said[0]}" if said else ""
        if value.get("signal") and not value.get("timed_out") and not value.get("flooded"):
            return f"it dies by signal {value['signal']} in calm weather{because}"
        if code not in (0, 2, None):
            return f"it fails with exit code {code} in calm weather{because}"
    return ""


def stated(args: Mapping[str, Any], samples: Sequence[str], declared: Mapping[str, str]) -> dict[str, Any]:
    """The arguments as the history states them: without a verdict nobody gave, with the paths the target declared."""
    shown = {**args, "declared": dict(declared)}
    if shown.get("deserves") not in samples:
        shown["deserves"] = None
    return shown


def default_samples() -> dict[str, bytes]:
    """Sessions for a hook whose owner gave none: one that ended well, and one that most guards would not let end."""
    folder = resources.files("harness.systems.stop_gate").joinpath("samples")
    return {name: folder.joinpath(f"{name}.jsonl").read_bytes() for name in ("approve", "block")}

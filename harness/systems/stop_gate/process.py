"""A stop as a process: what a host writes to a hook, and what it makes of what the hook did. Pure.

Source: stop-hook-contract.md; the rules that differ between hosts are data in hosts.yaml.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal

import msgspec
import yaml

from harness.core.process import Call, ProcessEnd
from harness.core.scenario import FileSpec, Operation, Scenario, Step, World
from harness.errors import UsageError
from harness.systems.stop_gate.contract import (
    SKIP_VARIABLE,
    STOP_HOOK,
    SYSTEM,
    Decision,
    Stdin,
    StopArguments,
    StopResult,
)

EXCERPT_CHARACTERS = 2_000
_PROBE_CLOCK = "2026-03-01T12:00:00Z"
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
_BLOCK = "block"
_APPROVALS = ("approve", None)
# an object without any of these is no answer to a host, e.g. the hook's input given back
HOST_FIELDS = frozenset(
    ("decision", "reason", "continue", "stopReason", "suppressOutput", "systemMessage", "additionalContext",
     "hookSpecificOutput")
)  # fmt: skip


class Host(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of one host version; see hosts.yaml for the meaning of each. Times in seconds."""

    host: str
    version: str
    timeout_s: float
    cap_blocks: int | None
    empty_stderr_blocks: bool
    approve_is_failure: bool
    run_here: str | None


@cache
def hosts() -> tuple[Host, ...]:
    """Every host version that is known, newest first within a host."""
    text = resources.files("harness.systems.stop_gate").joinpath("hosts.yaml").read_text()
    return tuple(msgspec.convert(yaml.safe_load(text), list[Host]))


def host_named(name: str) -> Host:
    """The newest version of that host, or the one named ``host:version``; UsageError when it is not known."""
    for host in hosts():
        if name in (host.host, f"{host.host}:{host.version}"):
            return host
    known = ", ".join(f"{host.host}:{host.version}" for host in hosts())
    raise UsageError(f"there is no host {name!r}; known: {known}")


def default_timeout_s(host_name: str) -> float:
    """The time-out that host gives a hook nobody configured one for: its shortest, so that all versions are served."""
    name = host_named(host_name).host
    return min(host.timeout_s for host in hosts() if host.host == name)


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
    output, said = _read(end.stdout)
    decision, means = Decision.APPROVE, "nothing"
    if end.timed_out or end.start_error or end.flooded:
        pass
    elif end.exit_code == 2 and (host.empty_stderr_blocks or end.stderr.strip()):
        decision, means = Decision.BLOCK, "exit_2"
    elif end.exit_code == 0 and said == _BLOCK:
        decision, means = Decision.BLOCK, "json"
    return StopResult(
        decision=decision,
        means=means,  # type: ignore[arg-type]  # one of the three literals, set above
        output=output,
        exit_code=end.exit_code,
        signal=end.signal,
        timed_out=end.timed_out,
        flooded=end.flooded,
        children_left=end.children_left,
        stdout_excerpt=_excerpt(end.stdout, hide),
        stderr_excerpt=_excerpt(end.stderr, hide),
        start_error=end.start_error,
    )


def _read(stdout: bytes) -> tuple[Literal["empty", "object", "text", "mixed", "several"], str | None]:
    """The kind of a standard output, and the decision in it when the whole of it is one object of the host format."""
    text = stdout.decode(errors="replace").strip(" \t\r\n")  # what JSON calls white space, and nothing else
    if not text:
        return "empty", None
    objects = 0
    position = 0
    rest = False
    first: _Object | None = None
    decoder = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_refuse)
    while position < len(text):
        at = text.find("{", position)
        if at < 0:
            rest = rest or bool(text[position:].strip())
            break
        rest = rest or bool(text[position:at].strip())
        try:
            value, position = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            rest, position = True, at + 1
            continue
        objects += 1
        first = first or value
    if objects == 0 or first is None:
        return ("object", None) if objects == 1 and not rest else ("text", None)
    if objects > 1:
        return "several", None
    if rest:
        return "mixed", None
    if not _is_host_format(first):
        return "text", None
    # `continue` false ends the session whatever the decision beside it says
    said = None if first.get("continue") is False else first.get("decision")
    # a host takes the last of two equal keys, and another reader the first: no one object was said
    return "text" if first.ambiguous else "object", said


class _Object(dict[str, Any]):
    """A JSON object; ``ambiguous`` when it, or an object in it, names a key twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.ambiguous = len(self) < len(pairs) or any(_ambiguous(value) for _, value in pairs)


def _ambiguous(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_ambiguous, value))
    return isinstance(value, _Object) and value.ambiguous


def _is_host_format(value: Mapping[str, Any]) -> bool:
    decision = value.get("decision")
    if (value and not HOST_FIELDS & set(value)) or decision not in (_BLOCK, *_APPROVALS):
        return False
    if not isinstance(value.get("continue", True), bool):
        return False
    reason = value.get("reason")
    return decision != _BLOCK or (isinstance(reason, str) and bool(reason.strip()))


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


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

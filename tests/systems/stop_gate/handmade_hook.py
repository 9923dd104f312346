"""Histories of the profile stop_hook written stop by stop: what stood against each, and what its host saw."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from harness.core.fault import Fault, Injection, Scalar
from harness.core.finding import Finding
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import FileSpec, Scenario, ScenarioLevel, World
from harness.systems import registry
from harness.systems.stop_gate.contract import PROMPT_MARK, RUNTIME_DIRECTORY, Decision, StopArguments, StopResult
from harness.systems.stop_gate.oracle import judge

CATALOGUE = registry.get("stop_gate").catalogue
NOON = "2026-01-01T12:00:00Z"
DONE, OPEN = "{home}/done.jsonl", "{home}/open.jsonl"
SEMAPHORE = f"{RUNTIME_DIRECTORY}/.session-1_completed"
LINES = b'{"role": "user", "content": "Please."}\n{"role": "assistant", "content": "Well."}\n'
APPROVE = StopResult(Decision.APPROVE, "nothing", "empty", 0)
BLOCK = StopResult(Decision.BLOCK, "json", "object", 0, stdout_excerpt=f'{{"reason": "{PROMPT_MARK}"}}')
EXIT_2 = StopResult(Decision.BLOCK, "exit_2", "empty", 2)
TEXT = StopResult(Decision.APPROVE, "nothing", "text", 0, stdout_excerpt="x")
HUNG = StopResult(Decision.APPROVE, "nothing", "empty", None, signal=9, timed_out=True)
DIED = StopResult(Decision.APPROVE, "nothing", "empty", None, signal=9)
MISSING = InputFact("missing")
CONTROLS = {"role": "control", "config": MISSING}
FINISHED, UNFINISHED = Decision.APPROVE, Decision.BLOCK
Pair = tuple[Entry, Entry]


def injected(
    name: str, path: str | None = None, proof: str = "met", *, armed: bool = True, **params: Scalar
) -> Injection:
    return Injection(Fault(name, path, params), armed, proof)


def stop(deserves: Decision, result: StopResult | str, *faults: Injection | str, **more: Any) -> Pair:
    """A stop of the finished or the unfinished session; ``more`` are arguments, and facts of its entries."""
    facts = {
        name: more.pop(name)
        for name in ("before", "after", "at", "ended_at", "config", "data", "proofs")
        if name in more
    }
    standing = tuple(injected(fault) if isinstance(fault, str) else fault for fault in faults)
    path, name = (DONE, "session-1") if deserves is FINISHED else (OPEN, "session-2")
    arguments = StopArguments(**{"session_id": name, "transcript_path": path, "deserves": deserves, **more})
    value = {**msgspec.to_builtins(arguments), "declared": {"runtime": RUNTIME_DIRECTORY}}
    data = facts.get("data", LINES)
    given = data if isinstance(data, InputFact) else InputFact("file", len(data), data)
    before = facts.get("before", {})
    begin = Entry(
        0, 0, EntryType.INVOKE, "stop", value, facts.get("at", NOON), standing, before,
        {"transcript": given, "config": facts.get("config", MISSING)},
    )  # fmt: skip
    end = Entry(
        1, 0, EntryType.INFO if isinstance(result, str) else EntryType.OK, "stop",
        {"reason": result} if isinstance(result, str) else msgspec.to_builtins(result),
        facts.get("ended_at", begin.now), facts.get("proofs", ()), facts.get("after", before),
    )  # fmt: skip
    return begin, end


def killed(deserves: Decision, result: StopResult | str = DIED, **more: Any) -> Pair:
    """A stop that the harness killed: the proof comes with its end."""
    waiting, met = injected("process.killed", proof=""), injected("process.killed", proof="SIGKILL")
    return stop(deserves, result, waiting, proofs=(met,), **more)


def together(*pairs: Pair) -> list[Entry]:
    """These stops at once, each by a process of its own."""
    begun = [msgspec.structs.replace(pair[0], process=number) for number, pair in enumerate(pairs, 1)]
    ended = [msgspec.structs.replace(pair[1], process=number) for number, pair in enumerate(pairs, 1)]
    return [*begun, *ended]


RESET: Pair = (Entry(0, 0, EntryType.INVOKE, "reset", {}, NOON), Entry(1, 0, EntryType.OK, "reset", {}, NOON))
CALM: tuple[Pair, ...] = (stop(UNFINISHED, BLOCK, role="control"), stop(FINISHED, APPROVE, role="control"), RESET)


def found(
    *pairs: Sequence[Entry],
    group: bool = False,
    clauses: tuple[str, ...] = (),
    files: Mapping[str, FileSpec] | None = None,
    controls: Sequence[Pair] = CALM,
    level: ScenarioLevel = "L1",
) -> dict[str, Finding]:
    """What the oracle finds when these follow the controls."""
    flat = [entry for pair in (*controls, *pairs) for entry in pair]
    entries = tuple(msgspec.structs.replace(entry, n=n) for n, entry in enumerate(flat))
    samples = {DONE: FileSpec(sample="approve"), OPEN: FileSpec(sample="block")}
    world = World(NOON, {**samples, **(files or {})})
    named = "power_steering" if group else None
    scenario = Scenario(1, "hook", "hook", "stop_gate", "stop_hook", clauses, world, (), group=named, level=level)
    return {each.clause: each for each in judge(scenario, History(entries), CATALOGUE)}


def mark(age_s: float = 0.0) -> FileFact:
    """A semaphore, so many seconds old at noon."""
    return FileFact("file", 0, "", 1_767_268_800.0 - age_s)

"""Hooks of one letter an answer, and a runner of a page: histories of boundary scenarios without a process."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.history import Entry, EntryType, FileFact, InputFact
from harness.core.scenario import Operation, Scenario, Step
from harness.faults import identifier, json_document, jsonl
from harness.systems.stop_gate.contract import (
    PROMPT_MARK,
    RUNTIME_DIRECTORY,
    StopArguments,
    StopResult,
    inputs_of,
    with_field,
)

LINES = [b'{"role": "user", "content": "line %d"}' % n for n in range(6)]
SAMPLES = {
    "approve": b"\n".join([*LINES, b'{"role": "assistant", "content": "Done."}', b""]),
    "block": b"\n".join([*LINES, b'{"role": "assistant", "content": "Half done."}', b""]),
}
FACTS = {"directory": "directory", "fifo": "fifo", "unreadable": "unreadable", "missing": "missing"}
LINKS = ("dangling_link", "link_outside")

_APPROVE = StopResult(decision="approve", means="nothing", output="empty", exit_code=0)  # type: ignore[arg-type]
_BLOCK = msgspec.structs.replace(
    _APPROVE, decision="block", means="json", output="object", stdout_excerpt=f'{{"reason": "{PROMPT_MARK}"}}'
)
_change = msgspec.structs.replace
ANSWERS: dict[str, tuple[StopResult, tuple[str, ...]]] = {
    "a": (_APPROVE, ()),
    "w": (_APPROVE, (f"{RUNTIME_DIRECTORY}/.{{id}}_completed", f"{RUNTIME_DIRECTORY}/{{id}}/summary.md")),
    "d": (_APPROVE, ("{home}/.cache/", "{home}/.cache/x/", "{home}/.cache/x/count")),
    "o": (_APPROVE, ("{outside}/x",)),
    "e": (_APPROVE, ("{home}/elsewhere",)),
    "b": (_BLOCK, ()),
    "s": (_BLOCK, (f"{RUNTIME_DIRECTORY}/.{{id}}_completed",)),
    "u": (_change(_BLOCK, stdout_excerpt='{"reason": "no"}'), ()),
    "2": (_change(_BLOCK, means="exit_2", exit_code=2, output="empty"), ()),
    "t": (_change(_APPROVE, output="text", stdout_excerpt="warning"), ()),
    "x": (_change(_APPROVE, exit_code=1), ()),
    "h": (_change(_APPROVE, exit_code=None, signal=9, timed_out=True), ()),
    "c": (_change(_APPROVE, children_left=("sleep",)), ()),
    "n": (_change(_APPROVE, exit_code=None, start_error="ENOENT"), ()),
}


class Situation(NamedTuple):
    """What a scripted hook can know."""

    arguments: StopArguments
    faults: tuple[Fault, ...]
    inputs: Mapping[str, InputFact]
    files: dict[str, FileFact]
    ages: Mapping[str, float | None]
    sample: str


Hook = Callable[[Situation], str]


class Play:
    """A runner of a page: worlds are dictionaries, damage is real, processes are letters."""

    def __init__(self, scenario: Scenario, hook: Hook, declared: Mapping[str, str], proof: str = "changed") -> None:
        self.scenario, self.hook, self.declared, self.proof = scenario, hook, declared, proof
        self.entries: list[Entry] = []
        self.reset()
        for step in scenario.steps:
            self.take(step)

    def reset(self) -> None:
        self.faults: list[Injection] = []
        self.changes: list[Fault] = []
        self.inputs: dict[str, InputFact] = {}
        self.files: dict[str, FileFact] = {}
        for path, spec in self.scenario.world.files.items():
            data = SAMPLES[spec.sample] if spec.sample else (spec.text or "").encode()
            kept = data if spec.pad_bytes is None else None
            self.inputs[path] = InputFact("file", spec.pad_bytes or len(data), kept)
            self.files[path] = FileFact(spec.kind, len(data), hashlib.sha256(data).hexdigest())

    def take(self, step: Step) -> list[StopResult]:
        if step.fault is not None:
            self.inject(step.fault)
        if step.op is not None and step.op.name == "reset":
            self.record(0, EntryType.INVOKE, step.op, {})
            self.reset()
            self.record(0, EntryType.OK, step.op, {})
        elif step.op is not None:
            return self.perform({0: step.op})
        if step.schedule is not None:
            return self.perform(dict(enumerate(step.schedule.together, 1)))
        if step.repeat is not None:
            for _ in range(step.repeat.at_most):
                for inner in step.repeat.steps:
                    results = self.take(inner)
                    if any(result.decision == step.repeat.until["decision"] for result in results):
                        return results
        return []

    def inject(self, fault: Fault) -> None:
        if identifier.is_identifier(fault):
            self.changes.append(fault)
        if fault.path is None:
            self.faults.append(Injection(fault, armed=True, proof="" if fault.name == "process.killed" else self.proof))
            return
        path, kind = fault.path or "", fault.name.partition(".")[2]
        data = self.inputs.get(path, InputFact("missing")).data or b""
        if fault.family == "jsonl":
            data = jsonl.damage(data, kind, fault.params, Random(1))
            self.inputs[path] = InputFact("file", len(data), data if len(data) <= 1 << 18 else None)
        elif fault.family == "json_document":
            data = json_document.damage(data, kind)
            self.inputs[path] = InputFact("file", len(data), data)
        elif kind == "empty":
            self.inputs[path] = InputFact("file", 0, b"")
        elif kind in LINKS:
            self.files[path] = FileFact("symlink")
        elif kind not in ("read_only", "full"):
            self.inputs[path] = InputFact(FACTS.get(kind, "unreadable"))
        self.faults.append(Injection(fault, armed=True, proof=self.proof))

    def perform(self, operations: Mapping[int, Operation]) -> list[StopResult]:
        results = []
        operations = {process: self.changed(operation) for process, operation in operations.items()}
        for process, operation in operations.items():
            value = {**operation.args, "declared": dict(self.declared)}
            self.record(process, EntryType.INVOKE, operation, value)
        for process, operation in operations.items():
            arguments = msgspec.convert(operation.args, StopArguments)
            result, writes = ANSWERS[self.hook(self.situation(arguments))]
            for written in writes:
                path = written.replace("{id}", str(arguments.session_id))
                self.files[path.rstrip("/")] = FileFact("directory" if path.endswith("/") else "file")
            self.record(process, EntryType.OK, operation, msgspec.to_builtins(result))
            results.append(result)
        self.faults = [injection for injection in self.faults if injection.fault.name != "process.killed"]
        return results

    def changed(self, operation: Operation) -> Operation:
        """The operation as the faults of identifiers make it."""
        args = operation.args
        for fault in self.changes:
            args = with_field("stop", args, identifier.field_of(fault), identifier.value_of(fault))
        return Operation(operation.name, args)

    def struck(self, kind: EntryType, operation: Operation) -> list[Injection]:
        """What an operation's end proves: that it was killed."""
        if kind is EntryType.INVOKE or operation.name != "stop":
            return []
        return [
            msgspec.structs.replace(injection, proof="SIGKILL")
            for injection in self.faults
            if injection.fault.name == "process.killed"
        ]

    def situation(self, arguments: StopArguments) -> Situation:
        world = self.scenario.world.files
        sample = world[arguments.transcript_path].sample or ""
        ages = {path: spec.age_s for path, spec in world.items()}
        faults = tuple(injection.fault for injection in self.faults)
        return Situation(arguments, faults, self.facts(arguments), self.files, ages, sample)

    def facts(self, arguments: StopArguments) -> dict[str, InputFact]:
        labels = inputs_of("stop", {"transcript_path": arguments.transcript_path})
        return {label: self.inputs.get(path, InputFact("missing")) for label, path in labels.items()}

    def record(self, process: int, kind: EntryType, operation: Operation, value: Mapping[str, Any]) -> None:
        begins = kind is EntryType.INVOKE and operation.name == "stop"
        entry = Entry(
            n=len(self.entries), process=process, type=kind, op=operation.name, value=value,
            now=self.scenario.world.clock, faults=tuple(self.faults if begins else self.struck(kind, operation)),
            files=dict(self.files),
            inputs=self.facts(msgspec.convert(operation.args, StopArguments)) if begins else {},
        )  # fmt: skip
        self.entries.append(entry)


def scripted(word: str, controls: str = "") -> Hook:
    """Controls answer rightly, or by their own word; every other stop takes the next letter of ``word``."""
    letters, own = _endless(word), _endless(controls) if controls else None

    def hook(situation: Situation) -> str:
        if situation.arguments.role != "control":
            return next(letters)
        if own is not None:
            return next(own)
        if situation.arguments.deserves == "block":
            return "b"
        return "w" if situation.arguments.session_id == "calm-1" else "a"

    return hook


def _endless(word: str) -> Iterator[str]:
    yield from word
    while True:
        yield word[-1]

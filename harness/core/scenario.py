"""A scenario: a world, and the steps that are taken in it. Language neutral, replayable, stored as YAML.

The format is published as ``scenario.schema.json``. Paths begin with a world root in braces: ``{project}`` (the agent's
project), ``{home}`` (its user's home), ``{outside}`` (a place nothing may be written to), ``{tmp}``.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import yaml

from harness.core.document import parse_yaml
from harness.core.fault import Fault
from harness.errors import FileFormatError

FORMAT = 1

FileKind = Literal["file", "directory", "fifo", "symlink", "absent"]
ScenarioLevel = Literal["L1", "L2", "L3"]
ExploreKind = Literal["errno", "killed", "torn", "power", "schedule"]


class FileSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One path of a world and what stands there.

    A ``file`` holds ``text``, or ``base64``, or the target's own ``sample`` (approve or block), then
    ``pad_bytes``: filled with blank JSON lines up to exactly that size. ``target`` is where a symlink points.
    ``age_s`` sets the modification time that many seconds before the world's clock (negative: in the future).
    """

    kind: FileKind = "file"
    text: str | None = None
    base64: bytes | None = None
    sample: str | None = None
    pad_bytes: int | None = None
    target: str | None = None
    mode: int | None = None
    age_s: float | None = None


class World(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a scenario begins: files by path, the clock (RFC 3339, UTC) and the implementation's configuration."""

    clock: str
    files: Mapping[str, FileSpec] = msgspec.field(default_factory=dict)
    config: Mapping[str, Any] = msgspec.field(default_factory=dict)


class Operation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One call of the contract: its name within the scenario's system, and its arguments.

    ``reset`` is an operation too: it puts the world back to the scenario's beginning.
    """

    name: str
    args: Mapping[str, Any] = msgspec.field(default_factory=dict)


class ClockStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Moves the clock the implementation sees by ``by_s`` seconds; negative is backwards."""

    by_s: float


class Schedule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Operations begun at the same time, each by a process of its own (numbered from 1 in this order).

    With ``order`` each is held at its file calls and let go as that says: who goes, step by step, counted from 0 in
    the order in which processes first make a call.
    """

    together: tuple[Operation, ...]
    order: tuple[int, ...] | None = None


class Explore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is enumerated about the step that follows: the scenario is played once as it is, and once a variant.

    ``errno``: each file call of the operation fails, with each error it can meet; ``killed``: the process is killed
    before each call; ``torn``: and in the middle of each write; ``power``: the machine loses power, and what was not
    synced; ``schedule``: operations begun together make their calls in every order.
    """

    kinds: tuple[ExploreKind, ...]

    def __post_init__(self) -> None:
        if not self.kinds or len(set(self.kinds)) != len(self.kinds):
            raise ValueError("explore names each of its kinds once, and at least one")
        if "schedule" in self.kinds and len(self.kinds) > 1:
            raise ValueError("explore has the kind schedule alone: the others strike one operation")


class Crash(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An operation that is never answered: of what it changed, ``files`` are left, ``kind: absent`` for what is gone.

    It is not begun at all: the files are put there. ``says`` tells a person when the crash came and what was lost.
    """

    op: Operation
    files: Mapping[str, FileSpec]
    says: str


class Repeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The inner steps again and again: until an operation's result has all fields of ``until``, ``at_most`` times."""

    at_most: int
    until: Mapping[str, Any]
    steps: "tuple[Step, ...]"


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Exactly one of an operation, a fault, a clock step, a schedule, a repeat, a crash or what to explore.

    ``process`` takes it; what to explore is about the step after it.
    """

    process: int = 0
    op: Operation | None = None
    fault: Fault | None = None
    clock: ClockStep | None = None
    schedule: Schedule | None = None
    repeat: Repeat | None = None
    explore: Explore | None = None
    crash: Crash | None = None

    def __post_init__(self) -> None:
        parts = (self.op, self.fault, self.clock, self.schedule, self.repeat, self.explore, self.crash)
        if sum(part is not None for part in parts) != 1:
            raise ValueError("a step has exactly one of op, fault, clock, schedule, repeat, explore and crash")


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One replayable case.

    ``profile`` is the view it is run in; ``level`` is L1 for a clause in its own simplest situation, L2 for the same
    again under one further fault, L3 when something is to be explored in it; ``clauses`` are the ones it is meant to
    witness (it may witness more); ``allowed`` are results a conforming implementation may give to the last operation,
    each a mapping of result fields; ``full_length`` marks the runs that take specified limits at full length instead
    of scaled down.
    """

    format: int
    id: str
    title: str
    system: str
    profile: str
    clauses: tuple[str, ...]
    world: World
    steps: tuple[Step, ...]
    level: ScenarioLevel = "L1"
    seed: int = 0
    group: str | None = None
    full_length: bool = False
    allowed: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        for step, following in zip(self.steps, (*self.steps[1:], None), strict=False):
            if step.explore is not None:
                _require_explorable(step.explore, following)
            if step.repeat is not None and any(inner.explore is not None for inner in step.repeat.steps):
                raise ValueError("nothing is explored within a repeat: which of its rounds would it be?")


def _require_explorable(explore: Explore, following: Step | None) -> None:
    scheduled = "schedule" in explore.kinds
    asked = None if following is None else following.schedule if scheduled else following.op
    if asked is None or (isinstance(asked, Operation) and asked.name == "reset"):
        raise ValueError(f"explore stands right before {'a schedule' if scheduled else 'an operation'}")


def dump(scenario: Scenario) -> str:
    """The scenario as YAML text; ``load`` gives an equal scenario back."""
    return yaml.dump(
        msgspec.to_builtins(scenario),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=110,
        default_flow_style=None,
    )


class _Dumper(yaml.SafeDumper):
    """Escapes the line breaks of Unicode, which PyYAML writes as they are and every reader takes for a newline."""

    def represent_str(self, data: str) -> yaml.ScalarNode:
        style = '"' if any(mark in data for mark in "\x85\u2028\u2029") else None
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Dumper.add_representer(str, _Dumper.represent_str)


def load(text: str | bytes, *, where: str) -> Scenario:
    """The scenario in ``text``; FileFormatError, naming ``where``, when it is none."""
    try:
        scenario = msgspec.convert(parse_yaml(text), Scenario)
    except (ValueError, RecursionError) as error:  # msgspec's errors and NotYAMLError are ValueErrors
        raise FileFormatError(f"{where} is not a scenario file: {' '.join(str(error).split())}") from error
    if scenario.format != FORMAT:
        raise FileFormatError(f"{where} has scenario format {scenario.format}; this version reads format {FORMAT}")
    return scenario

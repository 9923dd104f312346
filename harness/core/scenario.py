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
ScenarioLevel = Literal["L1", "L2"]


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


class Schedule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Operations begun at the same time, each by a process of its own (numbered from 1 in this order)."""

    together: tuple[Operation, ...]


class Repeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The inner steps again and again: until an operation's result has all fields of ``until``, ``at_most`` times."""

    at_most: int
    until: Mapping[str, Any]
    steps: "tuple[Step, ...]"


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Exactly one of an operation, a fault, a clock step, a schedule or a repeat, and the process that takes it."""

    process: int = 0
    op: Operation | None = None
    fault: Fault | None = None
    clock: ClockStep | None = None
    schedule: Schedule | None = None
    repeat: Repeat | None = None

    def __post_init__(self) -> None:
        parts = (self.op, self.fault, self.clock, self.schedule, self.repeat)
        if sum(part is not None for part in parts) != 1:
            raise ValueError("a step has exactly one of op, fault, clock, schedule and repeat")


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One replayable case.

    ``profile`` is the view it is run in; ``level`` is L1 for a clause in its own simplest situation, L2 for the same
    again under one further fault; ``clauses`` are the ones it is meant to witness (it may witness more);
    ``allowed`` are results a conforming implementation may give to the last operation, each a mapping of result
    fields; ``full_length`` marks the runs that take specified limits at full length instead of scaled down.
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

"""A plan of shell commands: what a person writes in a YAML file, checked, and the table the phase runner reads."""

import graphlib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Final

import msgspec

from harness.core.document import NotYAMLError, parse_yaml
from harness.errors import FileFormatError
from harness.systems.phase_runner.contract.words import COLUMNS, Gate, normalised

TIMEOUT_S: Final = 600.0
MOST_TIMEOUT_S: Final = 7 * 86_400.0
SHELL: Final = ("sh", "-c")
ID_PATTERN: Final = "^[A-Za-z0-9][A-Za-z0-9 ._-]*$"
Timeout = Annotated[float, msgspec.Meta(gt=0, le=MOST_TIMEOUT_S)]
Words = Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
Script = Annotated[str, msgspec.Meta(min_length=1)]
Command = Script | Words
"""A text is run by ``sh -c``; a list is a program and its arguments, run as they are."""
Id = Annotated[str, msgspec.Meta(pattern=ID_PATTERN)] | int


class ShellPhase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """One phase.

    ``id`` is compared as the phase runner compares it: lower-case, letters and digits only. It is run when all of
    ``after`` are complete. ``run`` does the work; ``verify`` shows that it is done, one command or one a gate, each of
    which has to exit with 0. ``analyse`` and ``review``, where given, find faults: each line that they print when they
    exit with another code is one, of the severity that it begins with (``low:``), else high. ``timeout_s`` is the time
    of each command, in seconds. With ``commit`` all that changed in the project is committed under that message.
    """

    id: Id
    run: Command
    verify: Command | Annotated[dict[Gate, Command], msgspec.Meta(min_length=1)]
    title: str = ""
    after: tuple[Id, ...] = ()
    timeout_s: Timeout = TIMEOUT_S
    commit: Script | None = None
    analyse: Command | None = None
    review: Command | None = None

    @property
    def key(self) -> str:
        """Its id as the phase runner has it."""
        return normalised(str(self.id))

    @property
    def gates(self) -> Mapping[Gate, Command]:
        """Its verification, by gate; one command is a test."""
        return self.verify if isinstance(self.verify, dict) else {Gate.TEST: self.verify}

    @property
    def name(self) -> str:
        """What people call it."""
        return self.title or str(self.id)


class ShellPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A plan. ``env`` is added to the environment of every command."""

    name: Annotated[str, msgspec.Meta(pattern=ID_PATTERN, max_length=80)]
    phases: Annotated[tuple[ShellPhase, ...], msgspec.Meta(min_length=1, max_length=1000)]
    env: Mapping[str, str] = {}

    @property
    def key(self) -> str:
        """What the systems call it: a word without spaces."""
        return "-".join(self.name.split())

    def of(self, key: str) -> ShellPhase:
        """The phase of that normalised id; KeyError when there is none."""
        return {phase.key: phase for phase in self.phases}[key]


def parse(text: bytes, where: str) -> ShellPlan:
    """The plan that a file says; FileFormatError, in one sentence that names ``where``, when it is none."""
    try:
        plan = msgspec.convert(parse_yaml(text), ShellPlan)
    except NotYAMLError as error:
        raise FileFormatError(f"{where} is no YAML: {error}") from error
    except msgspec.ValidationError as error:
        raise FileFormatError(f"{where} is no plan: {_explained(str(error))}") from error
    _require_ids(plan, where)
    _require_order(plan, where)
    _require_runnable(plan, where)
    return plan


def _require_ids(plan: ShellPlan, where: str) -> None:
    seen: dict[str, str] = {}
    for phase in plan.phases:
        if not phase.key:
            raise FileFormatError(f"{where}: the id {phase.id!r} has no letter and no digit besides the word phase")
        if phase.key in seen:
            raise FileFormatError(
                f"{where}: the ids {seen[phase.key]!r} and {str(phase.id)!r} are the same, since case and punctuation "
                "do not count; rename one"
            )
        seen[phase.key] = str(phase.id)
    for phase in plan.phases:
        for needed in phase.after:
            if normalised(str(needed)) not in seen:
                near = get_close_matches(str(needed), list(seen.values()), n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(seen.values())}"
                raise FileFormatError(f"{where}: phase {phase.id!s} comes after {needed!s}, which is no phase; {hint}")


def _require_order(plan: ShellPlan, where: str) -> None:
    waits = {phase.key: [normalised(str(needed)) for needed in phase.after] for phase in plan.phases}
    try:
        graphlib.TopologicalSorter(waits).prepare()
    except graphlib.CycleError as error:
        named = " -> ".join(str(plan.of(key).id) for key in error.args[1])
        raise FileFormatError(
            f"{where}: the phases {named} wait for each other, so none can begin; take one out of an `after`"
        ) from error


def _require_runnable(plan: ShellPlan, where: str) -> None:
    for name, value in plan.env.items():
        if not name or "=" in name or "\0" in name + value:
            raise FileFormatError(f"{where}: env has {name!r}, which no environment can hold")
    for phase in plan.phases:
        for command in (phase.run, *phase.gates.values(), phase.analyse, phase.review):
            words = () if command is None else argv_of(command)
            if any("\0" in word for word in words) or (words and not words[0]):
                raise FileFormatError(f"{where}: phase {phase.id!s} has a command that no system can run: {command!r}")
            if isinstance(command, str) and not command.strip():
                raise FileFormatError(f"{where}: phase {phase.id!s} has an empty command, which would always pass")


def argv_of(command: Command) -> tuple[str, ...]:
    """The words that are run."""
    return (*SHELL, command) if isinstance(command, str) else command


def table(plan: ShellPlan) -> str:
    """The plan in Markdown, as the phase runner reads it."""
    rows: list[Sequence[str]] = [COLUMNS, ("---",) * len(COLUMNS)]
    for phase in plan.phases:
        after = ", ".join(normalised(str(needed)) for needed in phase.after) or "-"
        rows.append((phase.key, _cell(phase.name), after, "-", "-", "pending"))
    return "\n".join([f"# Plan {plan.key}", "", *(f"| {' | '.join(row)} |" for row in rows), ""])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|") or "-"


def _explained(message: str) -> str:
    if "contains unknown field" not in message:
        return message
    wrong = message.split("`")[1]
    kind: type[Any] = ShellPhase if "phases" in message.rpartition(" - at ")[2] else ShellPlan
    known = [field.encode_name for field in msgspec.structs.fields(kind)]
    near = get_close_matches(wrong, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else f"; known keys: {', '.join(known)}"
    place = message.rpartition(" - at `$.")[2].rstrip("`") if " - at `$." in message else ""
    return f"there is no key {wrong!r}{f' in {place}' if place else ''}{hint}"


def schema() -> dict[str, Any]:
    """The JSON Schema of a plan file."""
    return msgspec.json.schema(ShellPlan)

"""A skeleton of an adapter in one language: every operation of its systems has a place in it, and nothing is claimed.

What is not written is told by ``left.json``, which lies beside it: the skeleton gives it as ``not_implemented``.
"""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from string import Template
from typing import Any, Final, NamedTuple

import msgspec
import yaml

from harness.certify import corpus
from harness.core.document import parse_yaml
from harness.systems import registry

LEFT: Final = "left.json"
TARGET: Final = "target.yaml"
NOT_WRITTEN: Final = "not written yet"
_WIDTH: Final = 120


class Language(NamedTuple):
    """A language of skeletons: the name of the file, and the words that run it."""

    file: str
    command: tuple[str, ...]


LANGUAGES: Final[Mapping[str, Language]] = {
    "python": Language("adapter.py", ("python3", "adapter.py")),
    "node": Language("adapter.mjs", ("node", "adapter.mjs")),
    "bash": Language("adapter.bash", ("bash", "adapter.bash")),
}


class FirstOperation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An operation that is written already, as an example: its text by language, and the clauses it establishes.

    ``imports`` are the modules its Python needs. Source: first_operation.yaml of a system.
    """

    operation: str
    clauses: tuple[str, ...]
    text: Mapping[str, str]
    imports: tuple[str, ...] = ()


class _Template(Template):
    delimiter = "@@"  # a dollar begins too much in node and bash


def operations(system: registry.System) -> tuple[str, ...]:
    """The operations that an implementation of ``system`` is asked for over stdio, in the order of its contract."""
    asked = {
        step.op.name
        for scenario in corpus.enumerated(system.name)
        if scenario.profile == system.served_profile
        for step in scenario.steps
        if step.op is not None
    }
    return tuple(name for name in system.contract.OPERATIONS if name in asked)


def left(systems: Sequence[registry.System]) -> dict[str, dict[str, str]]:
    """By system, every clause that its served profile is judged by and the skeleton does not establish, with why."""
    found: dict[str, dict[str, str]] = {}
    for system in systems:
        first = _first(system)
        written = () if first is None else first.clauses
        judged = [clause.id for clause in system.catalogue.judged_in(system.served_profile)]
        found[system.name] = {clause: NOT_WRITTEN for clause in judged if clause not in written}
    return found


def files(lang: str, systems: Sequence[registry.System]) -> dict[str, str]:
    """The texts of an adapter in that one of LANGUAGES, its target file and what is left, by the files' names."""
    language = LANGUAGES[lang]
    target = {"name": "mine", "version": "0.1", "carrier": "stdio", "command": list(language.command)}
    return {
        language.file: _text(lang, systems),
        TARGET: yaml.safe_dump(target, sort_keys=False, default_flow_style=None),
        LEFT: msgspec.json.format(msgspec.json.encode(left(systems)), indent=2).decode() + "\n",
    }


def _text(lang: str, systems: Sequence[registry.System]) -> str:
    template = resources.files("harness.adapters").joinpath("templates", f"{lang}.txt").read_text("utf-8")
    return _Template(template).substitute(_PARTS[lang](systems))


def _first(system: registry.System) -> FirstOperation | None:
    text = system.first_operation()
    return None if text is None else msgspec.convert(parse_yaml(text), FirstOperation)


def _fields(system: registry.System, operation: str) -> tuple[msgspec.structs.FieldInfo, ...]:
    arguments, _ = system.contract.OPERATIONS[operation]
    return msgspec.structs.fields(arguments)


def _python(systems: Sequence[registry.System]) -> Mapping[str, str]:
    firsts = [first for first in map(_first, systems) if first is not None]
    modules = sorted({"inspect", "json", "sys", *(name for first in firsts for name in first.imports)})
    names = ", ".join(f'"{system.name}": {_class(system)}' for system in systems)
    classes = "\n".join(_python_class(system) for system in systems)
    return {"imports": f"import {', '.join(modules)}", "classes": classes, "systems": names}


def _class(system: registry.System) -> str:
    return "".join(word.capitalize() for word in system.name.split("_"))


def _python_class(system: registry.System) -> str:
    first = _first(system)
    lines = [
        "",
        f"class {_class(system)}:  # docs/schemas has what each operation takes and gives; None: not written yet",
        "    def __init__(self, workdir, config, now): self.workdir, self.config = workdir, config",
    ]
    for operation in operations(system):
        if first is not None and operation == first.operation:
            lines += textwrap.indent(first.text["python"], "    ").splitlines()
            continue
        lines += textwrap.wrap(
            f"def {operation}(self, *, {', '.join(['now', *_python_arguments(system, operation)])}): ...",
            _WIDTH,
            initial_indent="    ",
            subsequent_indent=" " * 8,
            break_on_hyphens=False,
        )
    return "\n".join(lines) + "\n"


def _python_arguments(system: registry.System, operation: str) -> list[str]:
    return [
        field.encode_name if field.required else f"{field.encode_name}={_default(field)}"
        for field in _fields(system, operation)
    ]


def _default(field: msgspec.structs.FieldInfo) -> Any:
    """The default as Python writes it; None for one that is made anew each time."""
    value = field.default
    if isinstance(value, str):
        return repr(str(value))
    return value if isinstance(value, bool | int | float) else None


def _takes(system: registry.System, operation: str) -> str:
    return " ".join(f"{field.encode_name}{'' if field.required else '?'}" for field in _fields(system, operation))


def _written(lang: str, systems: Sequence[registry.System]) -> str:
    texts = [first.text[lang] for first in map(_first, systems) if first is not None]
    return "\n".join(texts)


def _node(systems: Sequence[registry.System]) -> Mapping[str, str]:
    lines: list[str] = []
    for system in systems:
        first = _first(system)
        for operation in operations(system):
            does = f", {operation}" if first is not None and operation == first.operation else ""
            lines.append(f"  '{system.name}/{operation}': ['{_takes(system, operation)}'{does}],")
    return {"written": _written("node", systems), "operations": "\n".join(lines)}


def _bash(systems: Sequence[registry.System]) -> Mapping[str, str]:
    lines = [
        f'  [{system.name}/{operation}]="{_takes(system, operation)}"'
        for system in systems
        for operation in operations(system)
    ]
    return {"written": _written("bash", systems), "operations": "\n".join(lines)}


_PARTS: Final[Mapping[str, Callable[[Sequence[registry.System]], Mapping[str, str]]]] = {
    "python": _python,
    "node": _node,
    "bash": _bash,
}

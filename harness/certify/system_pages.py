"""docs/systems/: a page a system, from its catalogue, its contract and its scenarios. Pure but for reading these."""

from collections import Counter
from collections.abc import Iterator
from inspect import cleandoc

import msgspec

from harness.core.clause import Clause
from harness.core.verdict import LEVELS
from harness.systems import registry

FOLDER = "docs/systems"


def system_pages() -> dict[str, str]:
    """The pages by their paths below the checkout, an index among them."""
    pages = {f"{FOLDER}/{system.name}.md": "\n".join(_page(system)) + "\n" for system in registry.every()}
    pages[f"{FOLDER}/index.md"] = "\n".join(_index()) + "\n"
    return pages


def _index() -> Iterator[str]:
    yield "# Systems\n"
    yield "Generated from the catalogues and contracts.\n"
    yield "| system | what it is | clauses | MUST |"
    yield "|---|---|---|---|"
    for system in registry.every():
        musts = sum(clause.level.value == "MUST" for clause in system.catalogue)
        count = len(tuple(system.catalogue))
        yield f"| [{system.name}]({system.name}.md) | {_about(system)} | {count} | {musts} |"


def _about(system: registry.System) -> str:
    """The first sentence of its contract."""
    said = cleandoc(system.contract.__doc__ or "").partition("\n")[0]
    return _cell(said.partition(": ")[0].removesuffix("."))


def _page(system: registry.System) -> Iterator[str]:
    yield f"# {system.name}\n"
    yield f"Generated. {cleandoc(system.contract.__doc__ or '')}\n"
    yield f"Certify: `windtunnel certify --system {system.name} --stdio -- CMD...`. Read out of the documents"
    yield f"{', '.join(system.catalogue.documents)}; arguments and results:"
    yield f"[{system.name}.schema.json](../schemas/{system.name}.schema.json).\n"
    counts = Counter(scenario.level for scenario in system.workload.boundaries())
    told = ", ".join(f"{counts[level]:,} at {level}" for level in LEVELS if counts[level])
    yield f"Enumerated scenarios: {told}.\n"
    if system.catalogue.groups:
        yield "## Optional groups\n"
        for name, meaning in system.catalogue.groups.items():
            yield f"- `{name}`: {_cell(meaning)}"
        yield ""
    yield "## Operations\n"
    yield "| operation | arguments | what is asked | result |"
    yield "|---|---|---|---|"
    for name, (arguments, result) in system.contract.OPERATIONS.items():
        yield f"| `{name}` | {_fields(arguments)} | {_cell(_doc(arguments))} | {_fields(result)} |"
    yield "\n## Clauses\n"
    for clause in system.catalogue:
        yield from _clause(clause)


def _clause(clause: Clause) -> Iterator[str]:
    yield f"### {clause.id}\n"
    yield f"{clause.level.value}. {_line(clause.statement)} *{_line(clause.source)}*\n"
    if clause.witness:
        yield f"Witnessed when {_line(clause.witness)}.\n"
    for name, reading in clause.readings.items():
        yield f"- reading `{name}`{' (ours)' if reading.ours else ''}: {_line(reading.meaning)}"
    if clause.readings:
        yield ""


def _fields(kind: type) -> str:
    found = msgspec.structs.fields(kind)
    return ", ".join(f"`{field.encode_name}`" for field in found) or "-"


def _doc(kind: type) -> str:
    return " ".join(cleandoc(kind.__doc__ or "").split())


def _line(text: str) -> str:
    """On one line of a page, with no markup of its own."""
    return " ".join(text.split()).replace("<", "&lt;").replace("*", r"\*").replace("|", r"\|")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;").replace("|", r"\|").replace("``", "`")

"""``python -m harness.certify.materialise``: writes every file that is generated from the code, in a checkout.

scenarios/<system>/ from the enumerations, docs/schemas/ from the types; docs/clauses.md, docs/faults.md, docs/order.md,
docs/messages.md, docs/host-facts.md and docs/systems/ from the catalogues; harness/certify/enumerated.json from the
scenarios and their sources. A test compares them with the code. What search built, scenarios/<system>/found/, is
neither written nor taken away here.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from harness.certify import corpus, enumerated, events
from harness.certify.message_page import message_page
from harness.certify.system_pages import system_pages
from harness.core.history import Entry
from harness.core.scenario import Scenario
from harness.explore.program import result as exploration
from harness.faults import catalogue as faults
from harness.faults.rows import rows as fault_table
from harness.hosts.probes import PROBES
from harness.hosts.several import QUESTIONS
from harness.runtime import shell_plan, shell_result
from harness.runtime.order import ORDER, Rule
from harness.simulation import result as simulation
from harness.simulation.campaign import Campaign
from harness.simulation.invariants import INVARIANTS
from harness.simulation.sometimes import AWAITED, SOMETIMES, Situation
from harness.systems import registry
from harness.targets import messages
from harness.targets.target_file import TargetFile


class _Chapter(NamedTuple):
    """A catalogue of docs/order.md, and what its entries are."""

    title: str
    meaning: str
    entries: Mapping[str, Rule | Situation]


_CHAPTERS = (
    _Chapter("Rules of order", "What must hold at every event: which mechanism fires first, and how often.", ORDER),
    _Chapter(
        "Invariants",
        "What must hold of the whole at every write of a state file and every event, judged from the files themselves.",
        INVARIANTS,
    ),
    _Chapter(
        "Situations",
        "What a campaign must have seen at least once: a rule that nothing tried is not broken, and proves little.",
        SOMETIMES,
    ),
    _Chapter(
        "Situations that are awaited",
        "What is watched for in the same way, and no simulation has been seen to show: a campaign need not.",
        AWAITED,
    ),
)


def generated() -> dict[str, str]:
    """Every generated file: its path below the checkout, and its text."""
    of = {name: corpus.materialised(name) for name in registry.NAMES}
    scenarios = {f"scenarios/{name}/{file}": text for name, files in of.items() for file, text in files.items()}
    contents = {name: {file: text.encode() for file, text in files.items()} for name, files in of.items()}
    return {**scenarios, **documents(), f"harness/certify/{enumerated.FILE}": enumerated.text(contents)}


def documents() -> dict[str, str]:
    """Those of them below docs/: schemas and lists."""
    files: dict[str, str] = {}
    schemas: dict[str, Any] = {
        "scenario": msgspec.json.schema(Scenario),
        "history": msgspec.json.schema(Entry),
        "target": msgspec.json.schema(TargetFile),
        "events": events.schema(),
        "protocol": messages.schema(),
        "explore": exploration.schema(),
        "simulate": simulation.schema(),
        "campaign": msgspec.json.schema(Campaign),
        "plan": shell_plan.schema(),
        "agent_run": shell_result.schema(),
    }
    for system in registry.every():
        operations = system.contract.OPERATIONS
        kinds = [kind for pair in operations.values() for kind in pair]
        kinds += getattr(system.contract, "FILES", {}).values()
        kinds.append(system.contract.LogCode)
        _, definitions = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
        schemas[system.name] = {
            "title": f"{system.name}: arguments and results of {', '.join(operations)}",
            "$defs": definitions,
        }
    for name, schema in schemas.items():
        content = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
        text = msgspec.json.format(msgspec.json.encode(content, order="deterministic"), indent=2).decode()
        files[f"docs/schemas/{name}.schema.json"] = text + "\n"
    files["docs/clauses.md"] = _clauses()
    files["docs/faults.md"] = _faults()
    files["docs/order.md"] = _order()
    files["docs/messages.md"] = message_page()
    files |= system_pages()
    for system in registry.every():
        if system.runs_as_hook:
            files["docs/host-facts.md"] = _host_facts(system)
    return files


def write(checkout: Path) -> int:
    """Makes the generated files of ``checkout`` hold exactly that; the number of files written."""
    files = generated()
    for name in registry.NAMES:
        for old in (checkout / "scenarios" / name).glob("*.yaml"):
            if f"scenarios/{name}/{old.name}" not in files:
                old.unlink()
    for path, text in files.items():
        (checkout / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout / path).write_text(text, encoding="utf-8")
    return len(files)


def _clauses() -> str:
    lines = [
        "# Clauses",
        "",
        "Generated from the catalogues; `windtunnel explain ID` says more. *judged in* names the profile, and the",
        "group that a hook has to declare before the clause binds it. **Bold** readings are the reference's.",
    ]
    for system in registry.every():
        lines += ["", f"## {system.name}", "", "| id | level | what it requires | source | judged in | readings |"]
        lines.append("|---|---|---|---|---|---|")
        for clause in system.catalogue:
            profiles = ", ".join(f"{p} ({g})" if g else p for p, g in clause.profiles.items())
            profiles += "".join(f", more with {group}" for group in clause.widened_by.values())
            readings = "; ".join(
                f"{f'**{name}**' if reading.ours else name}: {reading.meaning}"
                for name, reading in clause.readings.items()
            )
            cells = (clause.id, clause.level.value, clause.statement, clause.source, profiles, readings)
            lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _faults() -> str:
    rows = [f"| `{kind.name}` | {kind.meaning} |" for kind in faults.EVERY]
    lines = ["# Faults", "", "Generated from the list of faults.", "", "| fault | what it is |", "|---|---|", *rows]
    lines += ["", "## The fault table", "", "What stands for each entry; `result.json` counts how often it fired."]
    lines += ["", "| row | entry | faults |", "|---|---|---|"]
    for row in fault_table():
        for name, entry in row.entries.items():
            named = ", ".join(f"`{fault}`" for fault in entry.faults)
            other = f"an input: {entry.input}" if entry.input else entry.later
            lines.append(f"| {row.row} | {name} | {named or other} |")
    return "\n".join([*lines, ""])


def _order() -> str:
    """What is watched of a simulation, catalogue by catalogue."""
    lines = [
        "# What is watched of all systems together",
        "",
        "Generated from the catalogues; see [simulate.md](simulate.md).",
    ]
    lines.append("`windtunnel explain ID` says what a clause requires.")
    for title, meaning, entries in _CHAPTERS:
        lines += ["", f"## {title}", "", meaning, "", "| id | what it says | clauses |", "|---|---|---|"]
        lines += [f"| {name} | {entry.says} | {', '.join(entry.rests_on)} |" for name, entry in entries.items()]
    return "\n".join(lines) + "\n"


def _host_facts(system: registry.System) -> str:
    """The table host x rule, each cell with where it is from."""
    known = system.hosts.hosts()
    lines = ["# What hosts do with a Stop hook", ""]
    lines.append("Generated from `harness/systems/stop_gate/host_facts/`; see [hosts.md](hosts.md).")
    lines += [
        "",
        "| host | version | where from | time-out without one stated (documented) | blocks in a row | transcript |",
    ]
    lines.append("|---|---|---|---|---|---|")
    for host in known:
        source = f"run here on {host.seen}" if host.seen else "documented, not run"
        cap = (
            "any number (30 tried)"
            if host.seen and host.cap is None
            else "not stated"
            if host.cap is None
            else f"{host.cap}, anew after a tool call"
            if host.cap_resets
            else str(host.cap)
        )
        form = host.conduct.transcript if host.conduct else ""
        lines.append(f"| {host.host} | {host.version} | {source} | {host.documented.timeout_s:g} s | {cap} | {form} |")
    lines += [
        "",
        "**blocks**: the host goes on. *d* documented, *c* by the contract, else seen; `+ name`: a process was left.",
    ]
    lines += ["", f"| what the hook does | {' | '.join(f'{host.host} {host.version}' for host in known)} |"]
    lines.append("|---|" + "---|" * len(known))
    for probe in PROBES:
        cells = [_host_cell(host, probe.rule) for host in known]
        lines.append(f"| {probe.title} (`{probe.rule}`) | {' | '.join(cells)} |")
    return "\n".join([*lines, *_several_hooks([host for host in known if host.several])]) + "\n"


def _several_hooks(hosts: Sequence[Any]) -> list[str]:
    """The table of what hosts were seen to do with several hooks, and with subagents."""
    lines = [
        "",
        "## Several hooks, and subagents",
        "",
        "All seen here; *first* and *second* by their place in the list.",
    ]
    lines += ["", f"| what is asked | {' | '.join(f'{host.host} {host.version}' for host in hosts)} |"]
    lines.append("|---|" + "---|" * len(hosts))
    for question in QUESTIONS:
        answers = " | ".join(host.several.get(question.rule, "") for host in hosts)
        lines.append(f"| {question.title} (`{question.rule}`) | {answers} |")
    return lines


def _host_cell(host: Any, rule: str) -> str:
    does = "**blocks**" if host.does(rule) == "blocks" else "ends"
    if rule in host.rules:
        left = host.rules[rule].left
        return f"{does} + {', '.join(left)}" if left else does
    return f"{does} *{'d' if rule in host.documented.rules else 'c'}*"


if __name__ == "__main__":
    print(f"{write(corpus.directory().parent)} files written")  # noqa: T201 - a command's output

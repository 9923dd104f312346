"""``windtunnel list``: the clauses, systems, faults and scenarios there are, and what these cover."""

from collections.abc import Callable, Mapping
from typing import Any

import click
import msgspec

from harness.certify import corpus
from harness.cli.coverage_listing import coverage
from harness.cli.named_system import named_system
from harness.errors import UsageError
from harness.faults import catalogue as faults
from harness.systems import registry

Rows = list[dict[str, Any]]


@click.command("list")
@click.argument("what", type=click.Choice(["clauses", "systems", "faults", "scenarios", "coverage"]))
@click.option("--system", metavar="NAME", help="Only of this system.")
@click.option("--clause", metavar="ID", help="Of the coverage, only this clause, under every fault.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one list.")
def command(what: str, system: str | None, clause: str | None, as_json: bool) -> int:
    """List clauses, systems, faults or scenarios; or the coverage: each clause under each fault at each level."""
    names = (named_system(system).name,) if system else registry.NAMES
    if clause is not None and what != "coverage":
        raise UsageError(f"--clause is for `list coverage`; `list {what}` does not take it")
    if what == "coverage":
        coverage(names, clause, as_json=as_json)
        return 0
    rows = _LISTS[what](names)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return 0
    for row in rows:
        first, second, text = list(row.values())[:3]
        click.echo(f"{first:<44} {second:<10} {text}" if what == "scenarios" else f"{first:<30} {second:<10} {text}")
    return 0


def _clauses(names: tuple[str, ...]) -> Rows:
    return [
        {
            "id": clause.id,
            "level": clause.level.value,
            "statement": clause.statement,
            "system": name,
            "source": clause.source,
            "profiles": dict(clause.profiles),
            "readings": {key: reading.meaning for key, reading in clause.readings.items()},
        }
        for name in names
        for clause in registry.get(name).catalogue
    ]


def _systems(names: tuple[str, ...]) -> Rows:
    found = [registry.get(name).catalogue for name in names]
    return [
        {
            "name": catalogue.system,
            "clauses": f"{len(catalogue.clauses)} clauses",
            "documents": "; ".join(catalogue.documents),
            "groups": dict(catalogue.groups),
        }
        for catalogue in found
    ]


def _faults(_names: tuple[str, ...]) -> Rows:
    return [
        {"name": kind.name, "family": kind.name.partition(".")[0], "meaning": kind.meaning} for kind in faults.EVERY
    ]


def _scenarios(names: tuple[str, ...]) -> Rows:
    return [
        {"id": scenario.id, "profile": scenario.profile, "title": scenario.title, "clauses": list(scenario.clauses)}
        for name in names
        for scenario in corpus.scenarios(name)
    ]


_LISTS: Mapping[str, Callable[[tuple[str, ...]], Rows]] = {
    "clauses": _clauses,
    "systems": _systems,
    "faults": _faults,
    "scenarios": _scenarios,
}

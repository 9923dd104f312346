"""``windtunnel qualify``: show what this harness can detect, mutant by mutant."""

import os
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from harness.certify.corpus import digest
from harness.cli.planted import hunted
from harness.errors import UsageError
from harness.qualify.mutants import Killed, qualify, without_mutant
from harness.systems import registry
from harness.targets.target_file import closest


@click.command("qualify")
@click.option("--system", metavar="NAME", default="stop_gate", show_default=True)
@click.option("--mutant", "names", multiple=True, metavar="NAME", help="Only this mutant; repeatable.")
@click.option("--level", type=click.Choice(["L1", "L2", "L3"]), help="Only mutants that need no higher level.")
@click.option(
    "--one-in", "share", type=click.IntRange(1), default=1, metavar="N", help="Only every Nth of them, for a slice."
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Which of the N slices; as many seeds make a whole.")
@click.option("--planted", is_flag=True, help="Hunt defects of the whole by simulations; --mutant takes SYSTEM/NAME.")
@click.option("--thorough", is_flag=True, help="Show too that no scenario below a mutant's level kills it (slow).")
@click.option("--jobs", type=click.IntRange(1, 64), default=lambda: os.cpu_count() or 1, show_default="cores")
@click.option(
    "--report", "directory", type=click.Path(path_type=Path, file_okay=False), help="Write qualify.json there."
)
def command(
    system: str,
    names: tuple[str, ...],
    level: str | None,
    share: int,
    seed: int,
    planted: bool,
    thorough: bool,
    jobs: int,
    directory: Path | None,
) -> int:
    """Run every mutant of the reference as an implementation; exit 3 when one survives or a MUST has none.

    With --planted: play simulations with each of the defects that only show when all systems work as one, in the wiring
    between them or in one of them, until a rule is broken; exit 3 when one survives, or is not shrunk to ten incidents.
    """
    if planted:
        if level is not None or thorough:
            raise UsageError(
                "--planted hunts defects of the whole, which have no level; leave out --level and --thorough"
            )
        return hunted(names, share, seed, jobs, directory)
    found = registry.get(system)
    for name in names:
        if name not in found.mutants.MUTANTS:
            near = closest(name, list(found.mutants.MUTANTS))
            hint = f"did you mean {near!r}?" if near else f"it has {', '.join(found.mutants.MUTANTS)}"
            raise UsageError(f"{system} has no mutant {name!r}; {hint}")
    console = Console()
    fates: list[Killed] = []
    chosen = _sliced(found, _chosen(found, names, level), share, seed)
    for fate in qualify(found, jobs, chosen, thorough=thorough):
        fates.append(fate)
        if not fate.killed:
            why = fate.error or (f"only {fate.killed_by} failed" if fate.killed_by else "nothing failed")
            console.print(f"[bold red]survived[/] {escape(fate.name)} ({fate.clause}): {escape(why)}", soft_wrap=True)
    fates.sort(key=lambda fate: (fate.clause, fate.name))
    missing = {} if names else without_mutant(found)
    console.print(_table(fates))
    for clause, reason in missing.items():
        console.print(f"[yellow]{clause}[/] {reason}")
    for fate in fates:
        if fate.misplaced:
            console.print(
                f"[bold red]misplaced[/] {escape(fate.name)} is said to need {fate.level}, and {fate.scenario} of "
                f"{fate.killed_at} kills it", soft_wrap=True,
            )  # fmt: skip
    dead = sum(fate.killed for fate in fates)
    part = "" if share == 1 else f", slice {seed % share} of {share}"
    console.print(f"{dead} of {len(fates)} mutants killed under the clause they break{part}")
    if directory is not None:
        _write(directory, found, fates, missing, part.removeprefix(", "))
    sound = dead == len(fates) and not any(fate.misplaced for fate in fates)
    return 0 if sound and not missing else 3


def _chosen(system: registry.System, names: tuple[str, ...], level: str | None) -> tuple[str, ...]:
    """The mutants to run, by name; none for all of them."""
    if level is None:
        return names
    known = system.mutants.MUTANTS.items()
    chosen = tuple(name for name, mutant in known if mutant.level <= level and (not names or name in names))
    if not chosen:
        raise UsageError(f"every mutant named needs more than {level}; leave out --level")
    return chosen


def _sliced(system: registry.System, names: tuple[str, ...], share: int, seed: int) -> tuple[str, ...]:
    """Every ``share``-th of those names, or of all when there are none, in the order of the table."""
    if share == 1:
        return names
    every = names or tuple(system.mutants.MUTANTS)
    chosen = every[seed % share :: share]
    if not chosen:
        raise UsageError(f"{len(every)} mutants have no slice {seed % share} of {share}; make --one-in smaller")
    return chosen


def _table(fates: list[Killed]) -> Table:
    table = Table(
        "clause", "mutant", "level", "killed by scenario", "examples", "seconds", show_edge=False, pad_edge=False
    )
    for fate in fates:
        killer = fate.scenario or "[bold red]survived[/]"
        table.add_row(fate.clause, fate.name, fate.level, killer, str(fate.examples), f"{fate.seconds:.2f}")
    return table


def _write(directory: Path, system: registry.System, fates: list[Killed], missing: dict[str, str], part: str) -> None:
    content = {
        "format": 1,
        "system": system.name,
        "suite_digest": digest((system.name,)),
        "part": part,  # empty when it is no slice
        "mutants": {fate.name: msgspec.to_builtins(fate) for fate in fates},
        "clauses_without_mutant": missing,
    }
    try:
        directory.mkdir(parents=True, exist_ok=True)
        text = msgspec.json.format(msgspec.json.encode(content), indent=2)
        (directory / "qualify.json").write_bytes(text + b"\n")
    except OSError as error:
        raise UsageError(f"cannot write {directory}/qualify.json: {error.strerror}") from error

"""``windtunnel qualify``: show what this harness can detect, mutant by mutant."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import click
import msgspec
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from harness.certify.corpus import digest
from harness.cli.engines import JOBS
from harness.cli.named_system import named_system
from harness.cli.options import FOLDER
from harness.cli.planted import hunted
from harness.cli.qualified import shown, told
from harness.errors import UsageError
from harness.qualify import degenerates, harness_mutants, killers, subjects
from harness.qualify.layers import LAYERS
from harness.qualify.matrix import matrix
from harness.qualify.mutants import Killed, qualify, without_mutant
from harness.qualify.page import page
from harness.qualify.qualification import Layered, Qualification, equivalents, kind_of, qualification
from harness.qualify.subjects import Subject
from harness.report.files import laid_out, write_whole
from harness.systems import registry
from harness.targets.target_file import closest

T = TypeVar("T")
FILE, PAGE = "qualify.json", "qualification.md"
WHAT = ("written", "blind", "generated", "degenerate", "harness")


@click.command("qualify")
@click.option("--system", "names", multiple=True, metavar="NAME", help="Only this system; repeatable.")
@click.option("--only", type=click.Choice(WHAT), multiple=True, help="Only this of what is run; repeatable.")
@click.option("--mutant", "mutants", multiple=True, metavar="NAME", help="Only this mutant; repeatable.")
@click.option("--level", type=click.Choice(["L1", "L2", "L3"]), help="Only mutants that need no higher level.")
@click.option(
    "--one-in", "share", type=click.IntRange(1), default=1, metavar="N", help="Only every Nth of them, for a slice."
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Which of the N slices; as many seeds make a whole.")
@click.option("--planted", is_flag=True, help="Hunt defects of the whole by simulations; --mutant takes SYSTEM/NAME.")
@click.option("--thorough", is_flag=True, help="Show too that no scenario below a mutant's level kills it (slow).")
@click.option("--matrix", "whole", is_flag=True, help="Run each mutant in every layer, killed or not (hours).")
@click.option("--afresh", is_flag=True, help="Do not begin with what killed each mutant last time (slow).")
@click.option("--jobs", type=JOBS, default="auto", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="qualify.json on standard output, the report on standard error.")
@click.option("--report", "directory", type=FOLDER, help="Write qualify.json there.")
def command(  # noqa: PLR0913, PLR0917 - one parameter an option, as click wants it
    names: tuple[str, ...],
    only: tuple[str, ...],
    mutants: tuple[str, ...],
    level: str | None,
    share: int,
    seed: int,
    planted: bool,
    thorough: bool,
    whole: bool,
    afresh: bool,
    jobs: int,
    as_json: bool,
    directory: Path | None,
) -> int:
    """Run what is wrong on purpose through the path of any implementation; exit 3 when something goes unnoticed.

    Mutants written by hand die under the clause they break, those written blind (from the documents, without a look at
    the oracles) and those that operators generate to 95 %; degenerate implementations, which look at nothing, pass no
    MUST clause; mutants of the harness itself are noticed by its canaries.

    With --planted: play simulations with each of the defects that only show when all systems work as one, in the wiring
    between them or in one of them, until a rule is broken; exit 3 when one survives, or is not shrunk to ten incidents.

    \b
    windtunnel qualify --report out
    windtunnel qualify --system circuit_breaker --only written --level L2 --one-in 4
    windtunnel qualify --system stop_gate --mutant skip-ignored
    """
    if planted:
        _require_no(level, thorough, whole, only, afresh, as_json)
        return hunted(mutants, share, seed, jobs, directory)
    systems = tuple(named_system(name) for name in dict.fromkeys(names)) or registry.every()
    chosen = _sliced(_chosen(systems, only, mutants, level), share, seed)
    rest = not mutants and level is None and share == 1
    listens = rest and _wants("harness", only) and not names
    refutes = rest and _wants("degenerate", only)
    _require(chosen or listens or refutes, only, names, level, share)
    console = Console(stderr=as_json)
    known = {} if afresh or thorough else killers.known()
    fates = _fates(qualify(chosen, jobs, thorough=thorough, killers=known), len(chosen), console)
    table: dict[str, dict[str, Layered]] = {}
    layers = len(chosen) * len(LAYERS)
    for subject, layer, found in _watched(matrix(chosen, jobs, seed), "layers", layers, console) if whole else ():
        table.setdefault(subject, {})[layer] = found
    heard = _heard(jobs, console) if listens else []
    refuted = _refuted(systems, jobs, console) if refutes else []
    missing = {} if mutants or not _wants("written", only) else _without_mutant(systems)
    part = _part(only, mutants, level, "" if share == 1 else f"slice {seed % share} of {share}")
    came = qualification(
        systems, digest(tuple(each.name for each in systems)), part, fates, table, missing, refuted, heard,
        _of_kind(fates, systems),
    )  # fmt: skip
    for line in shown(came):
        console.print(line, soft_wrap=isinstance(line, str))
    _tell_files(came, directory, as_json=as_json)
    return 3 if came.unqualified else 0


def _require_no(*given: object) -> None:
    """UsageError when one of the options is given that have no meaning for planted defects."""
    if any(each not in (None, False, ()) for each in given):
        raise UsageError(
            "--planted hunts defects of the whole, which have no level; leave out --level, --only, --matrix, "
            "--thorough, --afresh and --json"
        )


def _require(selected: object, only: Sequence[str], names: Sequence[str], level: str | None, share: int) -> None:
    """UsageError when nothing is: the harness is of no system, and it has no level or slice, nor has a degenerate."""
    given = {"--system": bool(names) and "harness" in only, "--level": level is not None, "--one-in": share > 1}
    against = " and ".join(option for option, is_given in given.items() if is_given)
    if not selected:
        raise UsageError(f"--only {' and '.join(only)} selects nothing together with {against}; leave out {against}")


def _fates(found: Iterator[Killed], total: int, console: Console) -> list[Killed]:
    """All of them; one that survived is told at once."""
    fates = []
    for fate in _watched(found, "mutants", total, console):
        fates.append(fate)
        if not fate.killed:
            console.print(told(fate), soft_wrap=True)
    return fates


def _wants(what: str, only: Sequence[str]) -> bool:
    return not only or what in only


def _watched(found: Iterator[T], what: str, total: int, console: Console) -> Iterator[T]:
    """Passes them on, and shows on a terminal how far it is."""
    columns = (TextColumn("{task.completed:,.0f} of {task.total:,.0f} {task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        for each in found:
            progress.advance(task)
            yield each


def _heard(jobs: int, console: Console) -> list[harness_mutants.Heard]:
    names = [harness_mutants.NONE, *harness_mutants.MUTANTS]
    return list(_watched(harness_mutants.run(names, jobs), "mutants of the harness", len(names), console))


def _refuted(systems: Sequence[registry.System], jobs: int, console: Console) -> list[degenerates.Refuted]:
    runs = degenerates.runs(systems)
    return list(_watched(degenerates.refute(runs, jobs), "degenerate implementations", len(runs), console))


def _without_mutant(systems: Sequence[registry.System]) -> dict[str, str]:
    return {clause: why for system in systems for clause, why in without_mutant(system).items()}


def _of_kind(fates: Sequence[Killed], systems: Sequence[registry.System]) -> dict[str, int]:
    """How many blind and generated mutants there are, the equivalent ones among them, of the kinds that were run."""
    count = Counter(fate.kind for fate in fates if fate.kind != "written")
    known = Counter(kind_of(name) for system in systems for name in equivalents().get(system.name, {}))
    return {kind: count[kind] + known[kind] for kind in count}


def _part(only: Sequence[str], mutants: Sequence[str], level: str | None, slice_: str) -> str:
    said = [f"only {', '.join(only)}" if only else "", f"only {', '.join(mutants)}" if mutants else ""]
    return "; ".join(filter(None, [*said, f"up to {level}" if level else "", slice_]))


def _chosen(
    systems: Sequence[registry.System], only: Sequence[str], names: Sequence[str], level: str | None
) -> list[Subject]:
    """The mutants to run."""
    found: list[Subject] = []
    for system in systems:
        found += subjects.written(system) if _wants("written", only) else ()
        more = subjects.blind(system) if _wants("blind", only) else ()
        more += subjects.generated(system) if _wants("generated", only) else ()
        same = equivalents().get(system.name, {})
        found += [each for each in more if each.name not in same]
    if names:
        known = {each.id: each for each in found} | {each.name: each for each in found}
        for name in names:
            if name not in known:
                near = closest(name, list(known))
                hint = f"did you mean {near!r}?" if near else "`windtunnel explain CLAUSE` names those of a clause"
                where = systems[0].name if len(systems) == 1 else "none of the systems"
                raise UsageError(f"{where} has {'no' if len(systems) == 1 else 'a'} mutant {name!r}; {hint}")
        found = [each for each in found if each.name in names or each.id in names]
    if level is not None:
        below = [each for each in found if each.level <= level]
        if found and not below:
            raise UsageError(f"every mutant named needs more than {level}; leave out --level")
        found = below
    return found


def _sliced(found: list[Subject], share: int, seed: int) -> list[Subject]:
    """Every ``share``-th of them, in their order."""
    chosen = found[seed % share :: share]
    if found and not chosen:
        raise UsageError(f"{len(found)} mutants have no slice {seed % share} of {share}; make --one-in smaller")
    return chosen


def _tell_files(came: Qualification, directory: Path | None, *, as_json: bool) -> None:
    if directory is not None:
        _write(directory, came)
    if as_json:
        click.echo(laid_out(msgspec.to_builtins(came)))


def _write(directory: Path, came: Qualification) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        write_whole(directory / FILE, laid_out(msgspec.to_builtins(came)))
        write_whole(directory / PAGE, page(came))
    except OSError as error:
        raise UsageError(f"cannot write {directory}/{FILE}: {error.strerror}") from error

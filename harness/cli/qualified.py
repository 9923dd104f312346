"""What ``windtunnel qualify`` shows of what it found."""

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table

from harness.qualify.degenerates import RANDOM_RUNS
from harness.qualify.harness_mutants import NONE
from harness.qualify.mutants import Killed
from harness.qualify.qualification import KINDS, Qualification, killed_of

MOST_ROWS = 60  # beyond, a line a system says enough


def told(fate: Killed) -> str:
    """One line on a mutant that survived."""
    why = fate.error or (f"only {fate.killed_by} failed" if fate.killed_by else "nothing failed")
    if fate.crashed:
        why = "it only crashed"
    elif fate.flaky:
        why = f"{fate.flaky} killed it once and not again"
    clause = f" ({fate.clause})" if fate.clause else ""
    return f"[bold red]survived[/] {escape(fate.system)}/{escape(fate.name)}{clause}: {escape(why)}"


def shown(came: Qualification) -> Iterator[str | Table]:
    """Everything, in the order in which it is shown."""
    fates = list(came.mutants.values())
    if fates:
        yield _each(fates) if len(fates) <= MOST_ROWS else _systems(came)
    for fate in fates:
        if fate.misplaced:
            yield (
                f"[bold red]misplaced[/] {escape(fate.name)} is said to need {fate.level}, and {fate.scenario} of "
                f"{fate.killed_at} kills it"
            )
    for clause, reason in came.clauses_without_mutant.items():
        yield f"[yellow]{clause}[/] {reason}"
    if came.degenerates:
        passed = sum(len(each.passed) for each in came.degenerates)
        yield (
            f"{passed} MUST clauses passed by {len(came.degenerates)} runs of degenerate implementations, "
            f"{RANDOM_RUNS} of them of a random one a system"
        )
    if came.harness_mutants:
        caught = sum(each.caught for each in came.harness_mutants.values() if each.name != NONE)
        yield f"{caught} of {len(came.harness_mutants) - (NONE in came.harness_mutants)} mutants of the harness caught"
    for kind, rate in came.rates.items():
        part = f", {came.part}" if came.part else ""
        what = (
            "mutants killed under the clause they break" if kind in ("written", "blind") else f"{kind} mutants killed"
        )
        named = "blind " if kind == "blind" else ""
        bound = rate.says.partition(": ")[2]
        yield f"{rate.killed} of {rate.of} {named}{what}{part}; of such mutants {bound}"
    if came.equivalent:
        yield f"{len(came.equivalent)} blind and generated mutants are equivalent, each with its reason"
    for why in came.unqualified:
        yield f"[bold red]not qualified[/] {escape(why)}"


def _each(fates: list[Killed]) -> Table:
    table = Table(
        "clause", "mutant", "level", "killed by scenario", "examples", "seconds", show_edge=False, pad_edge=False
    )
    for fate in fates:
        killer = fate.scenario or "[bold red]survived[/]"
        table.add_row(fate.clause, escape(fate.name), fate.level, killer, str(fate.examples), f"{fate.seconds:.2f}")
    return table


def _systems(came: Qualification) -> Table:
    table = Table("system", *KINDS, "median seconds to kill", show_edge=False, pad_edge=False)
    for system in came.systems:
        table.add_row(system, *killed_of(came, system))
    return table

"""The page on what this suite detects, for people: reports/qualification.md is one."""

from collections.abc import Iterator

from harness.qualify.degenerates import RANDOM_RUNS
from harness.qualify.harness_mutants import MUTANTS, NONE
from harness.qualify.layers import LAYERS
from harness.qualify.qualification import KINDS, Qualification, killed_of
from harness.report.text import in_markdown


def page(came: Qualification) -> str:
    """The qualification as Markdown."""
    parts = [_head(came), _systems(came), _layers(came), _survivors(came), _equivalent(came)]
    parts += [_degenerates(came), _harness(came), _clauses(came)]
    return "\n\n".join("\n".join(part) for part in map(list, parts) if part) + "\n"


def _head(came: Qualification) -> Iterator[str]:
    yield "# What this suite detects\n"
    yield (
        "A conformance suite is worth what it can detect. Everything below was run through the path of any "
        "implementation, as a process of its own: mutants *written* by hand with the oracles known, *blind* ones "
        "written from the documents without a look at what judges them, and *generated* ones, made by operators of the "
        "domain at every place they fit in functions of the references that say which MUST clause they implement; what "
        "a general operator makes there (*logic*: a condition is forgotten) is told apart. A mutant is killed "
        "when the clause it breaks fails, twice, and not by crashing.\n"
    )
    yield f"- Part: {came.part or 'the whole'}. Suite `{came.suite_digest[:16]}`."
    for kind, rate in came.rates.items():
        yield f"- {kind}: {rate.says}."
    yield f"- Median time to kill: {came.median_seconds:.2f} s."
    known = sum(fate.known for fate in came.mutants.values())
    if known:
        yield (
            f"- {known} of them were begun with the scenario that had killed them before, which did so again; "
            "`qualify --afresh` looks for one anew."
        )
    yield "- The bounds hold for defects like these, were they drawn at random; nobody drew them so."
    yield f"- **{'Qualified' if not came.unqualified else 'Not qualified'}**" + "".join(
        f"\n  - {in_markdown(why)}" for why in came.unqualified
    )


def _systems(came: Qualification) -> Iterator[str]:
    if came.mutants:
        yield "## By system\n"
        yield "| system | " + " | ".join(KINDS) + " | median s to kill |"
        yield "|---|" + "---|" * (len(KINDS) + 1)
        for system in came.systems:
            yield f"| {' | '.join((system, *killed_of(came, system)))} |"


def _layers(came: Qualification) -> Iterator[str]:
    if came.mutants:
        whole = bool(came.matrix)
        yield "## By layer\n"
        yield (
            "Each mutant was run in every layer."
            if whole
            else "Each mutant was run up to its first right kill, the cheapest layer first; so a layer that comes "
            "later kills fewer. `qualify --matrix` runs every layer."
        )
        yield "\n| system | " + " | ".join(LAYERS) + " |"
        yield "|---|" + "---|" * len(LAYERS)
        for system in came.systems:
            yield f"| {system} | " + " | ".join(str(_in_layer(came, system, layer)) for layer in LAYERS) + " |"


def _in_layer(came: Qualification, system: str, layer: str) -> int:
    if came.matrix:
        mine = [found for id_, found in came.matrix.items() if id_.partition("/")[0] == system]
        return sum(layer in found and found[layer].killed for found in mine)
    return sum(fate.killed and fate.layer == layer for fate in came.mutants.values() if fate.system == system)


def _survivors(came: Qualification) -> Iterator[str]:
    survivors = [(id_, fate) for id_, fate in came.mutants.items() if not fate.killed]
    if survivors:
        yield "## Survivors\n"
        yield "| mutant | kind | clause | what happened |\n|---|---|---|---|"
        for id_, fate in survivors:
            why = fate.error or ("it only crashed" if fate.crashed else fate.flaky and f"flaky: {fate.flaky}")
            why = why or (f"only {fate.killed_by} failed" if fate.killed_by else "nothing failed")
            yield f"| `{in_markdown(id_)}` | {fate.kind} | {fate.clause or 'any'} | {in_markdown(why)} |"


def _equivalent(came: Qualification) -> Iterator[str]:
    if came.equivalent:
        yield "## Equivalent\n"
        yield "They do as the reference does, or as another permitted reading; they are not run, and count nowhere.\n"
        yield "| mutant | why |\n|---|---|"
        for id_, why in came.equivalent.items():
            yield f"| `{in_markdown(id_)}` | {in_markdown(why)} |"


def _degenerates(came: Qualification) -> Iterator[str]:
    if came.degenerates:
        kinds = list(dict.fromkeys(each.kind for each in came.degenerates))
        yield "## Degenerate implementations\n"
        yield (
            f"MUST clauses passed, of all that bind a process over stdio; {RANDOM_RUNS} runs of the random one with "
            "seeds of their own.\n"
        )
        yield "| system | clauses | " + " | ".join(kinds) + " |"
        yield "|---|---|" + "---|" * len(kinds)
        for system in came.systems:
            mine = [each for each in came.degenerates if each.system == system]
            cells = [str(sum(len(each.passed) for each in mine if each.kind == kind)) for kind in kinds]
            yield f"| {system} | {mine[0].clauses if mine else 0} | " + " | ".join(cells) + " |"


def _harness(came: Qualification) -> Iterator[str]:
    if came.harness_mutants:
        yield "## Mutants of the harness\n"
        yield "| mutant | what is broken | noticed by | which says |\n|---|---|---|---|"
        for name, found in came.harness_mutants.items():
            if name != NONE:
                by = found.canary if found.caught else "**nobody**"
                yield f"| {name} | {MUTANTS[name].description} | {by} | {in_markdown(found.says or found.broke)} |"


def _clauses(came: Qualification) -> Iterator[str]:
    if came.clauses_without_mutant:
        yield "## MUST clauses without a mutant\n"
        for clause, why in came.clauses_without_mutant.items():
            yield f"- {clause}: {why}"

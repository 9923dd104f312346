"""What a qualification comes to: the kill matrix, what killed nothing, and whether this harness may certify."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import resources
from statistics import median

import msgspec

from harness.core.document import parse_yaml
from harness.core.rate import CONFIDENCE, at_least, percent_down
from harness.qualify.degenerates import Refuted
from harness.qualify.harness_mutants import NONE, Heard
from harness.qualify.mutants import Killed
from harness.qualify.operators import is_general
from harness.systems import registry

FORMAT = 2
ENOUGH = 0.95  # of the mutants that nobody wrote with the oracle in view
MOST_EQUIVALENT = 0.05
KINDS = ("written", "blind", "generated", "logic")
JUDGED = ("blind", "generated")
"""The kinds of which enough have to die; of those that general operators make the rate is told."""


class Rate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many mutants of a kind were killed. ``at_least`` is the lower end of the rate, from 0 to 1, ``says`` both.

    The bound holds for mutants like these, were they drawn at random; nobody drew them so.
    """

    killed: int
    of: int
    at_least: float
    says: str


class Layered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One mutant in one layer of the matrix: killed there, by which scenario, after how many examples and seconds."""

    killed: bool
    scenario: str | None
    examples: int
    seconds: float


class Qualification(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of qualify.json.

    ``mutants`` and ``matrix`` are keyed by SYSTEM/NAME; the matrix then by layer, and empty unless it was asked for.
    ``equivalent`` maps mutants that nobody may tell from what is right to the reason. ``part`` says which part was run,
    "" of the whole. ``unqualified`` lists why this harness is not qualified by it, nothing when it is.
    """

    format: int
    systems: tuple[str, ...]
    suite_digest: str
    part: str
    mutants: Mapping[str, Killed]
    matrix: Mapping[str, Mapping[str, Layered]]
    rates: Mapping[str, Rate]
    equivalent: Mapping[str, str]
    clauses_without_mutant: Mapping[str, str]
    degenerates: tuple[Refuted, ...]
    harness_mutants: Mapping[str, Heard]
    median_seconds: float
    unqualified: tuple[str, ...]


def equivalents() -> dict[str, dict[str, str]]:
    """By system, the mutants that nobody may tell from what is right, each with the reason: generated, and blind ones.

    They do as the reference does wherever it can be asked, or what another permitted reading does.
    """
    text = resources.files("harness.qualify").joinpath("equivalents.yaml").read_bytes()
    return msgspec.convert(parse_yaml(text), dict[str, dict[str, str]])


def kind_of(name: str) -> str:
    """The kind of a mutant that is equivalent: the name of a generated one says at which place it is made."""
    site = name.rpartition("/")[2] if "@" not in name.rpartition("/")[0] else name
    return "blind" if "@" not in name else "logic" if is_general(site) else "generated"


def qualification(
    systems: Sequence[registry.System],
    suite_digest: str,
    part: str,
    fates: Iterable[Killed],
    matrix: Mapping[str, Mapping[str, Layered]],
    missing: Mapping[str, str],
    degenerates: Iterable[Refuted],
    heard: Iterable[Heard],
    of_kind: Mapping[str, int],
) -> Qualification:
    """All of it; ``of_kind`` counts the blind and generated mutants, the equivalent ones too, of the kinds that ran."""
    mutants = {f"{fate.system}/{fate.name}": fate for fate in sorted(fates, key=_place)}
    known = equivalents()
    same = {
        f"{system.name}/{name}": why
        for system in systems
        for name, why in known.get(system.name, {}).items()
        if of_kind.get(kind_of(name))
    }
    rates = {kind: _rate([fate for fate in mutants.values() if fate.kind == kind]) for kind in KINDS}
    rates = {kind: rate for kind, rate in rates.items() if rate.of}
    refuted, harness = tuple(degenerates), {each.name: each for each in heard}
    seconds = [fate.seconds for fate in mutants.values() if fate.killed]
    return Qualification(
        FORMAT,
        tuple(system.name for system in systems),
        suite_digest,
        part,
        mutants,
        matrix,
        rates,
        same,
        dict(missing),
        refuted,
        harness,
        round(median(seconds), 3) if seconds else 0.0,
        tuple(_against(tuple(mutants.values()), rates, missing, refuted, harness, same, of_kind)),
    )


def _place(fate: Killed) -> tuple[int, int, str, str]:
    return registry.NAMES.index(fate.system), KINDS.index(fate.kind), fate.clause, fate.name


def killed_of(came: Qualification, system: str) -> tuple[str, ...]:
    """For people: how many of each kind of KINDS were killed of that system, and the median of the seconds it took."""
    mine = [fate for fate in came.mutants.values() if fate.system == system]
    of_kinds = ([fate.killed for fate in mine if fate.kind == kind] for kind in KINDS)
    seconds = [fate.seconds for fate in mine if fate.killed]
    killed = (f"{sum(each)} of {len(each)}" if each else "-" for each in of_kinds)
    return *killed, f"{median(seconds):.2f}" if seconds else "-"


def _rate(fates: Sequence[Killed]) -> Rate:
    killed, of = sum(fate.killed for fate in fates), len(fates)
    bound = at_least(of, of - killed)
    says = f"{killed} of {of} killed: at least {percent_down(bound)} at {CONFIDENCE:.0%} confidence"
    return Rate(killed, of, bound, says.replace("95%", "95 %"))


def _against(
    fates: Collection[Killed],
    rates: Mapping[str, Rate],
    missing: Mapping[str, str],
    degenerates: Collection[Refuted],
    heard: Mapping[str, Heard],
    same: Iterable[str],
    of_kind: Mapping[str, int],
) -> Iterable[str]:
    if not (fates or degenerates or heard or missing):
        yield "nothing was run"
    for fate in fates:
        if fate.kind == "written" and not fate.killed:
            yield f"{fate.system}/{fate.name} survived"
        if fate.misplaced:
            yield f"{fate.system}/{fate.name} is said to need {fate.level}, and dies at {fate.killed_at}"
    for kind in JUDGED:
        rate = rates.get(kind)
        if rate is not None and rate.killed < ENOUGH * rate.of:
            yield f"of the {kind} mutants {rate.killed} of {rate.of} were killed, fewer than {ENOUGH:.0%}"
    equivalent = Counter(map(kind_of, same))
    for kind, count in of_kind.items():
        if kind in JUDGED and equivalent[kind] > MOST_EQUIVALENT * count:
            yield f"{equivalent[kind]} of {count} {kind} mutants are equivalent, more than {MOST_EQUIVALENT:.0%}"
    for clause, reason in missing.items():
        yield f"{clause} {reason}"
    for each in degenerates:
        if each.passed:
            yield f"{each.kind} (seed {each.seed}) passes {', '.join(each.passed)} of {each.system}"
    yield from _unheard(heard)


def _unheard(heard: Mapping[str, Heard]) -> Iterable[str]:
    for found in heard.values():
        if found.name == NONE and found.caught:
            yield f"the canary {found.canary} complains of the harness as it is: {found.says}"
        elif found.name == NONE and found.broke:
            yield f"a canary broke: {found.broke}"
        elif found.name != NONE and not found.caught:
            yield f"no canary notices {found.name}{f' ({found.broke})' if found.broke else ''}"

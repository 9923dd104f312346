"""``windtunnel list coverage``: what scenarios aim at, clause by fault, what of it was met, why the rest is blank."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from textwrap import fill, indent
from typing import Any, TypeVar

import click
import msgspec

from harness.certify import corpus
from harness.certify.aims import CALM, FAULTS, LEVELS
from harness.certify.matrix import UNEXPLAINED, Fact, matrix
from harness.certify.reached import NEVER, NOT_RUN, stored
from harness.core.clause import Clause
from harness.errors import UsageError
from harness.systems import registry
from harness.targets.target_file import closest

_FAMILIES = tuple(dict.fromkeys(name.partition(".")[0] for name in FAULTS))
Key = TypeVar("Key", bound=Hashable)
_TEXT_WIDTH = 96
_WIDTH = 5  # of a column of numbers
_HEADS = {name: name[: _WIDTH - 1] for name in _FAMILIES} | {CALM: CALM, "json_document": "json", "jsonl": "line"}


def coverage(names: Sequence[str], clause: str | None, *, as_json: bool) -> None:
    """Prints the matrix of these systems, or what concerns one clause of theirs; UsageError when it is none."""
    systems = [registry.get(name) for name in names]
    if clause is not None:
        systems = [_system_of(clause, systems)]
    file = stored()
    found: list[dict[str, Any]] = []
    for system in systems:
        facts = matrix(system, corpus.enumerated(system.name), file)
        if clause is not None:
            facts = tuple(fact for fact in facts if fact.cell.clause == clause.upper())
        if as_json:
            found += (_row(system.name, fact) for fact in facts)
        else:
            click.echo("\n".join(_matrix(system, facts) if clause is None else _clause(system, facts)))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())


def _system_of(clause: str, systems: Sequence[registry.System]) -> registry.System:
    for system in systems:
        if clause.upper() in system.catalogue:
            return system
    near = closest(clause.upper(), [known.id for system in systems for known in system.catalogue])
    hint = f"did you mean {near}?" if near else "`windtunnel list clauses` names them"
    where = "" if len(systems) > 1 else f" of {systems[0].name}"
    raise UsageError(f"there is no clause {clause!r}{where}; {hint}")


def _row(system: str, fact: Fact) -> dict[str, Any]:
    return {
        "system": system,
        **fact.cell._asdict(),
        "planned": fact.planned,
        "mark": fact.mark,
        "met": fact.is_met,
        "says": fact.says,
    }


def _matrix(system: registry.System, facts: Sequence[Fact]) -> list[str]:
    """A line for each clause in each profile, and the blanks summed up below."""
    lines: list[str] = []
    for profile in dict.fromkeys(fact.cell.profile for fact in facts):
        mine = _grouped((fact for fact in facts if fact.cell.profile == profile), lambda fact: fact.cell.clause)
        heads = "".join(f"{head:>{_WIDTH}}" for head in (*LEVELS, "", *(_HEADS[name] for name in _FAMILIES)))
        lines += [f"{system.name}, profile {profile}", f"{'clause':<12}{'':<6}{heads}  blank"]
        lines += (_counts(system.catalogue[clause], of_clause) for clause, of_clause in mine)
    return [*lines, "", *_summed(facts), ""]


def _counts(clause: Clause, facts: Sequence[Fact]) -> str:
    levels: Counter[str] = Counter()
    families: Counter[str] = Counter()
    for fact in facts:
        levels[fact.cell.level] += fact.planned
        families[fact.cell.fault.partition(".")[0]] += fact.planned
    shown = (*(levels[name] for name in LEVELS), None, *(families[name] for name in _FAMILIES))
    numbers = "".join(f"{'' if number is None else number or '.':>{_WIDTH}}" for number in shown)
    blank = sum(fact.is_blank for fact in facts)
    return f"{clause.id:<12}{clause.level.value:<6}{numbers}  {blank:>5}"


def _summed(facts: Sequence[Fact]) -> list[str]:
    blank = [fact for fact in facts if fact.is_blank]
    aimed = [fact for fact in facts if fact.planned]
    never = [fact for fact in aimed if fact.mark == NEVER]
    lines = [
        f"{len(facts):,} cells: {len(aimed):,} aimed at, of which {sum(fact.is_met for fact in aimed):,} were met, "
        f"{sum(fact.mark == NOT_RUN for fact in aimed):,} not run and {len(never):,} never met; "
        f"{sum(fact.is_met and not fact.planned for fact in facts):,} met by the way; {len(blank):,} blank"
    ]
    why = Counter(UNEXPLAINED if fact.blank is None else fact.blank.why.value.format(by="...") for fact in blank)
    lines += [f"{count:>8,}  {text}" for text, count in why.most_common()]
    return lines + [f"never met: {' '.join(fact.cell)}" for fact in never]


def _clause(system: registry.System, facts: Sequence[Fact]) -> list[str]:
    """By level: a line for each fault that anything is known of, then the others by the reason why they are blank."""
    clause = system.catalogue[facts[0].cell.clause]
    lines = [f"{clause.id}  {clause.level.value}  {system.name}", clause.statement]
    for (profile, level), group in _grouped(facts, lambda fact: (fact.cell.profile, fact.cell.level)):
        lines += ["", f"profile {profile}, {level}"]
        known = [fact for fact in group if not fact.is_blank]
        lines += (f"  {fact.cell.fault:<36}{fact.planned or '-':>5}  {fact.says}" for fact in known)
        for says, blank in _grouped((fact for fact in group if fact.is_blank), lambda fact: fact.says):
            named = ", ".join(fact.cell.fault for fact in blank)
            lines += [f"  blank, {len(blank)}: {says}", indent(fill(named, _TEXT_WIDTH), "    ")]
    return lines


def _grouped(facts: Iterable[Fact], key: Callable[[Fact], Key]) -> Iterable[tuple[Key, list[Fact]]]:
    groups: dict[Key, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(key(fact), []).append(fact)
    return groups.items()

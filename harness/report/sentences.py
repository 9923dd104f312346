"""What a run amounts to, in sentences and short rows that every format shares. Pure."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from harness.certify.events import RunFinished, RunStarted
from harness.certify.ledger import AT_SINGLE_CALLS, GIVEN, Ledger
from harness.core.rate import none_of
from harness.core.verdict import L3, L4, Outcome, SystemResult

NAMES_SHOWN = 6  # of the faults that did not fire for one reason; result.json has them all


class FamilyRow(NamedTuple):
    """One family of faults: kinds that fired of all, injections, witnesses, failing clauses, fail-closed."""

    family: str
    kinds: str
    fired: int
    witnessed: int
    failed: int
    fail_closed: str


HEADINGS = ("family", "kinds", "fired", "witnessed", "failed", "fail-closed")


def planned(started: RunStarted) -> str:
    """What the run is going to do."""
    scenarios = plural(started.planned, "scenario")
    if started.simulations:
        scenarios += f", then {plural(started.simulations, 'simulation')}"
    if not started.searches:
        return scenarios
    searches = "one search" if started.searches == 1 else f"{started.searches} searches"
    return f"{scenarios}, then {searches} ({plural(started.cases, 'case')} a profile)"


def levels(result: SystemResult) -> str:
    """How far it got, and what stops the next level; "" when nothing was asked for by level."""
    parts: list[str] = []
    for name, level in result.levels.items():
        if level.reached:
            parts.append(f"level {name} reached{f' ({level.reason})' if level.reason else ''}")
            continue
        if level.stopped_by is None:
            parts.append(f"level {name} is not shown: {level.reason}")
        else:
            more = len(level.open) - 1
            others = f" and {more} more" if more > 0 else ""
            parts.append(f"{'level ' if not parts else ''}{name} stopped by {level.stopped_by}{others}: {level.reason}")
        break  # the ones after it need it
    return "; ".join(parts)


def told_with_its_clause(result: SystemResult) -> bool:
    """Is what stops the next level, if anything does, what its clause's own verdict says already?"""
    stopped = next((level for level in result.levels.values() if not level.reached), None)
    if stopped is None:
        return not any(level.reason for level in result.levels.values())
    clause = result.clauses.get(stopped.stopped_by or "")
    return clause is not None and clause.reason == stopped.reason


def short_level(result: SystemResult) -> str:
    """The same for one line: without the reasons."""
    stopped = next((name for name, level in result.levels.items() if not level.reached), None)
    open_ = f"{stopped} stopped by {result.stopped_by}" if stopped and result.stopped_by else ""
    if result.level is None:
        return f"has no level{f': {open_}' if open_ else ''}"
    third = result.levels.get(L3)
    bounded = ", orders cut" if third is not None and third.reached and third.reason else ""
    if result.level == L4:
        bounded += f", {plural(result.simulated[0].days, 'virtual day')}"
    return f"level {result.level} reached{bounded}{f'; {open_}' if open_ else ''}"


def counts(finished: RunFinished) -> str:
    """What was done, in numbers."""
    found = finished.counts
    searched = found.get("search_cases", 0)
    varied = found.get("variants", 0)
    search = f", {plural(varied, 'variant')} explored" if varied else ""
    search += f", {plural(searched, 'case')} of search" if searched else ""
    if searched and finished.outcome is Outcome.CONFORMANT:
        search += f" ({none_of(searched, 'cases drawn so fail')})"
    return (
        f"{plural(found['scenarios'], 'scenario')}, {plural(found['operations'], 'operation')}{search}, "
        f"{plural(found['faults'], 'fault')} proven, {plural(found['witnesses'], 'witness')}"
    )


def families(finished: RunFinished) -> list[FamilyRow]:
    """The ledger by family, those of which something fired."""
    ledger = finished.ledger
    rows: list[FamilyRow] = []
    for family in sorted({name.partition(".")[0] for name, line in ledger.faults.items() if line.fired}):
        lines = {name: line for name, line in ledger.faults.items() if name.partition(".")[0] == family}
        fired = {name: line for name, line in lines.items() if line.fired}
        cells = [cell for row in ledger.clauses.values() for name, cell in row.items() if name in fired]
        failing = sum(
            any(cell.verdict == "FAIL" and name in fired for name, cell in row.items())
            for row in ledger.clauses.values()
        )
        tried = finished.fail_open.families.get(family)
        closed = f"{tried.failed:,} of {tried.trials:,}" if tried is not None else "-"
        total = sum(line.fired for line in fired.values())
        witnessed = sum(cell.witnessed for cell in cells)
        rows.append(FamilyRow(family, f"{len(fired)} of {len(lines)}", total, witnessed, failing, closed))
    return rows


def not_fired(ledger: Ledger) -> list[str]:
    """Why faults did not fire, a line a reason."""
    alike: dict[str, list[str]] = {}
    for name, line in ledger.faults.items():
        if not line.fired:
            alike.setdefault(line.why_not, []).append(name)
    lines: list[str] = []
    for why, names in alike.items():
        lines.append(f"{plural(len(names), 'fault')} did not fire: {why} ({joined(names, NAMES_SHOWN)})")
    return lines


def fault_table(ledger: Ledger) -> list[str]:
    """How much of the fault table struck, if it is known."""
    entries = [entry for row in ledger.rows for entry in row.entries]
    if not entries:
        return []
    struck = [entry for entry in entries if entry.faults]
    at_calls = sum(entry.why_not == AT_SINGLE_CALLS for entry in struck)
    asked = len(struck) - at_calls
    fired = sum(entry.fired > 0 for entry in struck)
    given = sum(entry.why_not.startswith(GIVEN) for entry in entries)
    others = len(entries) - len(struck) - given
    more = [f"{given} more given as inputs", *([f"{at_calls} at level L3"] if at_calls else []), f"{others} for later"]
    return [f"fault table: {fired} of {plural(asked, 'entry')} fired, {', '.join(more)}"]


def without_repeats(reasons: Mapping[str, list[str]]) -> tuple[dict[str, list[str]], list[str]]:
    """The clauses by the reason they have alike, and the advice that ended several reasons, said once."""
    tails = [tail for reason in reasons for tail in [_advice(reason)] if tail]
    repeated = {tail for tail in tails if tails.count(tail) > 1 or tail in reasons}
    said: dict[str, list[str]] = {}
    for reason, ids in reasons.items():
        tail = _advice(reason)
        plain = reason.removesuffix(f" ({tail})") if tail in repeated else reason
        said.setdefault(plain, []).extend(ids)
    return said, [tail for tail in dict.fromkeys(tails) if tail in repeated and tail not in reasons]


def _advice(reason: str) -> str:
    return reason.rpartition(" (")[2].removesuffix(")") if reason.endswith(")") and " (" in reason else ""


def plural(number: int, word: str) -> str:
    """The number and what it counts."""
    if number != 1:
        word = (
            f"{word[:-1]}ies"
            if word.endswith("y") and word[-2] not in "aeiou"
            else f"{word}es"
            if word.endswith("s")
            else f"{word}s"
        )
    return f"{number:,} {word}"


def joined(names: Iterable[str], shown: int) -> str:
    """The first of the names, and how many more there are."""
    known = list(names)
    more = f" and {len(known) - shown} more" if len(known) > shown else ""
    return ", ".join(known[:shown]) + more

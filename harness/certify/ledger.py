"""The ledger of a run: every clause against every fault that struck, every fault that did not, and why.

"A fault that never fired looks green": so each fault of the catalogue has a line, each row of the fault table too, and
the fail-open rate says how many operations it was counted over. Pure, but for reading the table.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from harness.certify.weather import FamilyTrials, Trials, Weather
from harness.core.clause import Clause
from harness.core.finding import CheckVerdict, Finding
from harness.core.rate import CONFIDENCE, at_least, percent_down
from harness.core.verdict import ClauseResult, ClauseVerdict
from harness.faults.rows import Row

NOT_IN_RUN = "no scenario of this run"
AT_SINGLE_CALLS = "strikes single file calls, at level L3"
GIVEN = "given as an input"
NOT_MET = "the clause's situation was not entered under it"


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One clause under one fault.

    ``fired`` counts the proven injections in scenarios of profiles in which the clause binds, ``witnessed`` how often
    its situation was entered under them; ``verdict`` is PASS, FAIL or INCONCLUSIVE, and ``why`` says why the last.
    """

    fired: int
    witnessed: int
    verdict: str
    why: str = ""


class FaultLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One fault: how often it was proven, in how many scenarios, or ``why_not``."""

    fired: int
    scenarios: int = 0
    why_not: str = ""


class RowEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One entry of a row of the fault table: how often any of its faults fired, or ``why_not``.

    A fault that stands in several rows, such as a file that is missing, counts in each of them, wherever it struck.
    """

    entry: str
    faults: tuple[str, ...]
    fired: int
    why_not: str = ""


class TableRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of the fault table."""

    row: str
    entries: tuple[RowEntry, ...]


class Ledger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of it: ``clauses`` maps a clause to the faults that fired, ``faults`` has every fault there is."""

    clauses: Mapping[str, Mapping[str, Cell]]
    faults: Mapping[str, FaultLine]
    rows: tuple[TableRow, ...] = ()


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trials under faults of one family, and the rate of those that failed open, at least."""

    trials: int
    failed: int
    at_least: float


class FailOpen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many operations under a fault failed open: counted, and with its bound.

    ``at_least`` is the lower end of the rate, from 0 to 1, at that ``confidence``; ``says`` is one sentence.
    """

    trials: int
    failed: int
    at_least: float
    confidence: float
    says: str
    families: Mapping[str, Family] = msgspec.field(default_factory=dict)


class Looked(msgspec.Struct, frozen=True):
    """What the ledger needs of a judged scenario."""

    profile: str
    clauses: tuple[str, ...]
    findings: tuple[Finding, ...]
    weather: Weather


def ledger(
    catalogue: Iterable[Clause],
    clauses: Mapping[str, ClauseResult],
    profiles: Mapping[str, Sequence[str]],
    looked: Sequence[Looked],
    known: Iterable[str],
    rows: Iterable[Row] = (),
) -> Ledger:
    """The ledger of a run that judged those scenarios; ``known`` are the names of all faults there are."""
    faults = _faults(looked, known)
    fired = [name for name, line in faults.items() if line.fired]
    struck = {name: [scenario for scenario in looked if name in scenario.weather.faults] for name in fired}
    table: dict[str, dict[str, Cell]] = {}
    for clause in catalogue:
        if clauses[clause.id].verdict is ClauseVerdict.NOT_APPLICABLE:
            continue
        bound = {profile for profile in profiles if clause.profiles.get(profile, "") in (None, *profiles[profile])}
        table[clause.id] = {
            name: _cell(clause.id, name, [scenario for scenario in under if scenario.profile in bound])
            for name, under in struck.items()
        }
    return Ledger(table, faults, tuple(_row(row, faults) for row in rows))


def _cell(clause: str, fault: str, looked: Sequence[Looked]) -> Cell:
    fired = witnessed = 0
    failed = passed = False
    why = ""
    for scenario in looked:
        under = scenario.weather.faults[fault]
        fired += under.fired
        met = under.witnesses.get(clause, 0)
        witnessed += met
        failed = failed or clause in under.failed
        for finding in scenario.findings if met or clause in scenario.clauses else ():
            if finding.clause == clause and finding.verdict is CheckVerdict.PASS:
                passed = passed or met > 0
            elif finding.clause == clause and finding.verdict is not CheckVerdict.FAIL:
                why = why or finding.reason
    if failed:
        return Cell(fired, witnessed, CheckVerdict.FAIL.value)
    if passed and not why:
        return Cell(fired, witnessed, CheckVerdict.PASS.value)
    return Cell(fired, witnessed, CheckVerdict.INCONCLUSIVE.value, why or NOT_MET)


def _faults(looked: Sequence[Looked], known: Iterable[str]) -> dict[str, FaultLine]:
    lines: dict[str, FaultLine] = {}
    met = {name for scenario in looked for name in (*scenario.weather.faults, *scenario.weather.unproven)}
    for name in dict.fromkeys([*known, *sorted(met)]):
        under = [scenario.weather.faults[name] for scenario in looked if name in scenario.weather.faults]
        fired = sum(each.fired for each in under)
        whys = [scenario.weather.unproven[name] for scenario in looked if name in scenario.weather.unproven]
        why = "" if fired else (whys or [_absent(name)])[0]
        lines[name] = FaultLine(fired, len(under), why)
    return lines


def _absent(name: str) -> str:
    return AT_SINGLE_CALLS if name.startswith("syscall.") else NOT_IN_RUN


def _row(row: Row, lines: Mapping[str, FaultLine]) -> TableRow:
    found: list[RowEntry] = []
    for name, entry in row.entries.items():
        mine = [lines.get(fault, FaultLine(0, 0, "there is no such fault")) for fault in entry.faults]
        fired = sum(line.fired for line in mine)
        given = f"{GIVEN}: {entry.input}" if entry.input else ""
        whys = "; ".join(dict.fromkeys(line.why_not for line in mine if line.why_not))
        found.append(RowEntry(name, entry.faults, fired, "" if fired else given or entry.later or whys))
    return TableRow(row.row, tuple(found))


def fail_open(every: Iterable[Trials]) -> FailOpen:
    """The rate over all trials of a run."""
    total = sum(every, Trials())
    bound = at_least(total.trials, total.failed)
    families = {
        name: Family(counted.trials, counted.failed, at_least(counted.trials, counted.failed))
        for name, counted in total.families.items()
    }
    return FailOpen(total.trials, total.failed, bound, CONFIDENCE, said(total), families)


def said(counted: Trials | FamilyTrials) -> str:
    """The rate as a sentence; its bound is cut, never rounded up."""
    trials, failed = counted.trials, counted.failed
    if not trials:
        return "no operation under a fault had to fail open: there is no fail-open rate"
    bound = percent_down(at_least(trials, failed))
    observed = f"{percent_down((trials - failed) / trials)} observed, " if failed else ""
    plural = "trial" if trials == 1 else "trials"
    return (
        f"{failed:,} fail-closed in {trials:,} {plural}: fail-open rate {observed}>= {bound} at "
        f"{CONFIDENCE:.0%} confidence"
    ).replace("95%", "95 %")


EMPTY = Ledger({}, {})
UNTRIED = fail_open(())

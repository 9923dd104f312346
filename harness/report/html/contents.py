"""What stands on the page of a run: plain values, made harmless, for the template. Pure, but for drawing."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from harness.certify.events import RunFinished, RunStarted, ScenarioJudged
from harness.core.clause import Catalogue
from harness.core.history import Entry, EntryType
from harness.core.verdict import ClauseVerdict, SystemResult
from harness.report import certificate, exploration, sentences, simulations
from harness.report.failures import DEFAULT_REPORT, Failure, failures, replay_command
from harness.report.html import figures
from harness.report.text import in_one_line, printable

MOST_FAILURES: Final = 60  # with their histories; of the others the clause and its scenario are told
MOST_ENTRIES: Final = 150  # of one history
MOST_STATES: Final = 4  # pictures of breakers
OTHERS_SHOWN: Final = 20
_LONGEST: Final = 600  # characters of what was asked or answered
_FILES_SHOWN: Final = 6


class Row(NamedTuple):
    """One clause in the matrix."""

    id: str
    system: str
    level: str
    verdict: str
    reading: str
    witnesses: int
    reason: str
    statement: str
    source: str


class Event(NamedTuple):
    """One operation of a history: who, when, what was asked and answered, what stood against it, what it changed."""

    number: int
    process: int
    time: str
    operation: str
    asked: str
    ended: str
    answered: str
    faults: tuple[str, ...]
    files: tuple[str, ...]
    is_clock: bool


class Failed(NamedTuple):
    """One failure: what the clause expects, what was seen, how to see it again, and the whole history."""

    clause: str
    source: str
    reason: str
    expected: str
    observed: str
    scenario: str
    title: str
    replay: str
    others: str
    history: tuple[Event, ...]
    left_out: int
    states: str


class Contents(NamedTuple):
    """All of it."""

    target: str
    outcome: str
    verdict: str
    message: str
    systems: tuple[tuple[str, str, bool], ...]
    facts: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    readings: tuple[tuple[str, str], ...]
    failed: tuple[Failed, ...]
    states: tuple[tuple[str, str], ...]
    families: tuple[sentences.FamilyRow, ...]
    fault_notes: tuple[str, ...]
    explored: tuple[exploration.ExploredRow, ...]
    explored_notes: tuple[str, ...]
    simulated: tuple[str, ...]
    not_checked: tuple[str, ...]
    pictures: Mapping[str, str]


def contents(
    started: RunStarted, finished: RunFinished, judged: Sequence[ScenarioJudged], catalogues: Sequence[Catalogue]
) -> Contents:
    """The page of that run; the same run gives the same."""
    by_id = {event.scenario.id: event for event in judged}
    rows = tuple(_rows(started, finished, catalogues))
    found = failures(finished, judged, catalogues)
    return Contents(
        target=in_one_line(started.target),
        outcome=finished.outcome.value,
        verdict={"conformant": "CONFORMS", "nonconformant": "DEVIATES"}.get(finished.outcome.value, "NOT_ESTABLISHED"),
        message=in_one_line(finished.message),
        systems=tuple((name, _level(started, result), result.level is not None)
                      for name, result in finished.systems.items()),
        facts=tuple(_facts(started, finished)),
        rows=rows,
        readings=tuple((row.id, row.reading) for row in rows if row.reading),
        failed=tuple(_failed(each, by_id, n) for n, each in enumerate(found)),
        states=tuple(_states(judged)),
        families=tuple(sentences.families(finished)),
        fault_notes=(*sentences.fault_table(finished.ledger), *sentences.not_fired(finished.ledger)),
        explored=tuple(exploration.rows(finished.explored)),
        explored_notes=tuple(exploration.said(finished.explored)) + _of_power(finished),
        simulated=tuple(map(printable, simulations.said(finished.systems))),
        not_checked=tuple(map(in_one_line, certificate.not_checked(started, finished))),
        pictures=_pictures(finished, catalogues),
    )  # fmt: skip


def _level(started: RunStarted, result: SystemResult) -> str:
    if started.only:
        return f"only {', '.join(started.only)} was asked for, so there is no level"
    strict = "" if result.strict or result.level is None else " (not strict: a SHOULD is open)"
    return in_one_line(sentences.levels(result)) + strict


def _facts(started: RunStarted, finished: RunFinished) -> list[tuple[str, str]]:
    profiles = ", ".join(f"{p}{' with ' + ', '.join(g) if g else ''}" for p, g in started.profiles.items())
    return [
        ("counted", sentences.counts(finished)),
        ("fail-open", finished.fail_open.says),
        ("profiles", profiles),
        ("carriers", ", ".join(dict.fromkeys(started.carriers))),
        ("level asked", started.level),
        ("seed", f"{started.seed}, {started.cases} cases of search a profile"),
        ("plan", f"{started.plan.files} files, sha256 {started.plan.sha256[:16] or 'none'}"),
        ("suite", started.suite_digest[:16]),
        ("implementation", started.implementation_digest[:16]),
        ("digest", finished.digest),
        ("certificate", in_one_line(finished.certificate)),
        ("windtunnel", started.windtunnel),
        ("exit code", str(finished.exit_code)),
    ]


def _rows(started: RunStarted, finished: RunFinished, catalogues: Sequence[Catalogue]) -> list[Row]:
    return [
        Row(
            clause.id,
            catalogue.system,
            clause.level.value,
            found.verdict.value,
            found.reading or "",
            found.witnesses,
            "" if found.verdict is ClauseVerdict.CONFORMS else in_one_line(found.reason),
            in_one_line(clause.statement),
            in_one_line(clause.source),
        )
        for catalogue in catalogues
        for clause in catalogue
        if not started.only or clause.id in started.only
        for found in [finished.systems[catalogue.system].clauses[clause.id]]
    ]


def _failed(each: Failure, by_id: Mapping[str, ScenarioJudged], number: int) -> Failed:
    event = by_id.get(each.scenario or "")
    entries = event.history if event is not None and number < MOST_FAILURES else ()
    history = _history(entries)
    finding = each.finding
    return Failed(
        each.clause.id,
        in_one_line(each.clause.source),
        in_one_line(each.reason),
        in_one_line(finding.expected) if finding else "",
        in_one_line(finding.observed) if finding else "",
        each.scenario or "",
        in_one_line(each.title),
        replay_command(each.short, DEFAULT_REPORT) if each.short else "",
        sentences.joined((name for _, name in each.others), OTHERS_SHOWN),
        tuple(history[:MOST_ENTRIES]),
        max(0, len(history) - MOST_ENTRIES),
        figures.breaker_states(f"{each.clause.id}-{each.scenario}", entries) if figures.has_states(entries) else "",
    )


def _history(entries: Sequence[Entry]) -> list[Event]:
    found: list[Event] = []
    open_: dict[int, Entry] = {}
    before = ""
    for entry in entries:
        if entry.type is EntryType.INVOKE:
            open_[entry.process] = entry
            continue
        begin = open_.pop(entry.process, entry)
        struck = (*begin.faults, *entry.faults)
        faults = dict.fromkeys(
            in_one_line(f"{each.fault.name} {each.fault.path or ''}: {each.proof}") for each in struck
        )
        found.append(
            Event(
                begin.n,
                entry.process,
                entry.now,
                in_one_line(begin.op),
                _short(begin.value),
                entry.type.value,
                _short(entry.value),
                tuple(faults),
                _changed(begin, entry),
                bool(before) and before != begin.now,
            )
        )
        before = entry.now
    return found


def _changed(begin: Entry, end: Entry) -> tuple[str, ...]:
    names = [path for path in sorted({*begin.files, *end.files}) if begin.files.get(path) != end.files.get(path)]
    told = []
    for path in names[:_FILES_SHOWN]:
        what = "made" if path not in begin.files else "gone" if path not in end.files else "changed"
        size = f", {end.files[path].size:,} bytes" if path in end.files else ""
        told.append(in_one_line(f"{path} {what}{size}"))
    return (*told, *([f"and {len(names) - _FILES_SHOWN} more"] if len(names) > _FILES_SHOWN else []))


def _short(value: Mapping[str, Any]) -> str:
    text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, default=str)
    return in_one_line(text[:_LONGEST]) + (" ..." if len(text) > _LONGEST else "")


def _states(judged: Sequence[ScenarioJudged]) -> list[tuple[str, str]]:
    """The states of breakers in the scenarios that go through most of them."""
    told = [(len({e.value.get("state") for e in event.history if e.type is EntryType.OK}), event.scenario.id, event)
            for event in judged if figures.has_states(event.history)]  # fmt: skip
    told.sort(key=lambda each: (-each[0], each[1]))
    return [
        (f"{id_}: {in_one_line(event.scenario.title)}", figures.breaker_states(id_, event.history))
        for _, id_, event in told[:MOST_STATES]
    ]


def _of_power(finished: RunFinished) -> tuple[str, ...]:
    return tuple(line for result in finished.systems.values() for line in exploration.of_power(result.power_loss))


def _pictures(finished: RunFinished, catalogues: Sequence[Catalogue]) -> dict[str, str]:
    found = {"verdicts": figures.verdicts(finished.systems)}
    families = sentences.families(finished)
    if families:
        system_of = {clause.id: catalogue.system for catalogue in catalogues for clause in catalogue}
        cells: dict[tuple[str, str], int] = {}
        for clause, row in finished.ledger.clauses.items():
            for fault, cell in row.items():
                key = (fault.partition(".")[0], system_of.get(clause, ""))
                cells[key] = cells.get(key, 0) + cell.witnessed
        found["heat"] = figures.heat(families, [catalogue.system for catalogue in catalogues], cells)
    if any(kind.fired for each in finished.explored for kind in each.kinds.values()):
        found["explored"] = figures.explored(finished.explored)
    return found

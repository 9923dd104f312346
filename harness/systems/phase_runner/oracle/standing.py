"""How the phases of a plan stand when a run is started: by the run before and by their records. Pure."""

from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from harness.core.history import FileFact
from harness.systems.file_faults import unsteady
from harness.systems.phase_runner.contract.words import (
    CONFIG_PATH,
    PHASES_DIRECTORY,
    STATE_DIRECTORY,
    Status,
    phase_path,
)
from harness.systems.phase_runner.oracle import weather
from harness.systems.phase_runner.oracle.asking import Call
from harness.systems.phase_runner.oracle.graph import Graph
from harness.systems.phase_runner.oracle.records import Record, is_usual_config, read_record
from harness.systems.phase_runner.oracle.run import Phase, Run, Stands, Was

_BY_STATUS: Final = {
    Status.FAILED: Was.FAILED, Status.RUNNING: Was.INTERRUPTED, Status.BLOCKED: Was.BLOCKED, Status.PENDING: Was.ASIDE,
}  # fmt: skip


class Found(msgspec.Struct):
    """What is found.

    ``is_odd``: something in it may be taken for one thing or another, or for a reason to refuse; ``leads_away``: what
    is in the place of a directory is none. ``names`` are those that records give phases of which the plan has another,
    by id, None where nobody sees; ``followed`` the phases that stand as the run before left them.
    """

    stands: dict[str, tuple[Stands, Was, int]] = {}
    corrupt: list[str] = []
    torn: list[str] = []
    has_state: bool = False
    is_odd: bool = False
    leads_away: bool = False
    names: dict[str, str | None] = {}
    followed: set[str] = set()

    def doubt_complete(self) -> None:
        """What was complete may be so no more."""
        for phase_id, (stands, _, _) in self.stands.items():
            if stands is Stands.COMPLETE:
                self.stands[phase_id] = Stands.UNSURE, Was.NEW, 0


def find(call: Call, graph: Graph, before: Run | None, touched: Collection[str] | None, *, is_cut: bool) -> Found:
    """How each phase of the plan stands.

    ``touched`` are the files that somebody else has changed since ``before``, None for all of them;
    ``is_cut``: the operation before was cut off.
    """
    found = Found()
    records = [path for path in call.found if path.startswith(f"{PHASES_DIRECTORY}/phase-") and path.endswith(".json")]
    config = call.inputs.get("config")
    found.has_state = bool(records) or (config is not None and config.kind != "missing")
    known = {phase_path(each) for each in graph.rows}
    shaky = weather.struck_by(known, unsteady(call.faults))
    is_others = before is None or touched is None or CONFIG_PATH in touched
    found.is_odd = (is_others and not is_usual_config(config)) or any(path not in known for path in records)
    found.leads_away = _leads_away(call.found)
    found.is_odd = found.is_odd or found.leads_away
    for phase_id in graph.rows:
        is_unsteady = phase_path(phase_id) in shaky
        record = _record(call, phase_id)
        old = _known(before, phase_id, graph, touched)
        _name(found, graph, phase_id, record)
        found.has_state = found.has_state or old is not None or not (record.is_missing or record.is_doubtful)
        if is_unsteady:
            _place_unsteady(found, phase_id, record, old, before)
            continue
        if record.is_corrupt and (old is not None or is_cut):
            found.torn.append(phase_id)
        _place(found, phase_id, record, old, before)
    if before is not None and before.graph.rows != graph.rows:
        found.is_odd = True
    for phase_id, (stands, was, attempt) in found.stands.items():
        if is_cut and stands is not Stands.COMPLETE:
            found.stands[phase_id] = stands, was if was is Was.INTERRUPTED else Was.CUT_OFF, 0
        elif was is Was.ASIDE and before is None and not records:
            found.stands[phase_id] = stands, Was.NEW, attempt
    return found


def _leads_away(files: Mapping[str, FileFact]) -> bool:
    """Is there something else in the place of a directory of the state?"""
    facts = (files.get(each) for each in (STATE_DIRECTORY, PHASES_DIRECTORY))
    return any(fact is not None and fact.kind != "directory" for fact in facts)


def _record(call: Call, phase_id: str) -> Record:
    fact = call.inputs.get(f"record {phase_id}")
    if fact is None and call.found and phase_path(phase_id) not in call.found:
        return Record(is_missing=True)
    return read_record(fact, phase_id)


def _known(before: Run | None, phase_id: str, graph: Graph, touched: Collection[str] | None) -> Phase | None:
    """The phase of the run before, where it is still known how that stands."""
    if before is None or touched is None or phase_path(phase_id) in touched:
        return None
    old = before.phases.get(phase_id)
    return old if old is not None and old.row == graph.rows[phase_id] else None


def _place(found: Found, phase_id: str, record: Record, old: Phase | None, before: Run | None) -> None:
    attempt = 0
    if old is not None and before is not None and (old.stands is not Stands.UNSURE or record.status != Status.COMPLETE):
        stands, was, attempt = _of_run(old, before)
        found.followed.add(phase_id)
    elif record.is_corrupt:
        found.corrupt.append(phase_id)
        stands, was = Stands.PENDING, Was.NEW
    elif record.is_missing:
        stands, was = Stands.PENDING, Was.ASIDE
    elif record.fields is None or not record.is_usual:
        found.is_odd = True
        stands, was = Stands.UNSURE, Was.NEW
    elif record.status == Status.COMPLETE:
        stands, was = Stands.COMPLETE, Was.COMPLETE
    else:
        stands, was, attempt = Stands.PENDING, _BY_STATUS[Status(str(record.status))], record.fields["attempt"]
    found.stands[phase_id] = stands, was, attempt


def _name(found: Found, graph: Graph, phase_id: str, record: Record) -> None:
    """Notes another name than the plan's, or one that nobody sees."""
    told = None if record.fields is None else str(record.fields["phase_name"])
    if not record.is_missing and told != graph.rows[phase_id].name:
        found.names[phase_id] = told


def _place_unsteady(found: Found, phase_id: str, record: Record, old: Phase | None, before: Run | None) -> None:
    """A record that comes and goes, or grows, while it is read: only what was complete may be missed."""
    if old is not None and before is not None:
        stands, was, attempt = _of_run(old, before)
        found.stands[phase_id] = (Stands.UNSURE, Was.NEW, 0) if stands is Stands.COMPLETE else (stands, was, attempt)
    elif record.fields is None or not record.is_usual or record.status == Status.COMPLETE:
        found.stands[phase_id] = Stands.UNSURE, Was.NEW, 0
    else:
        was = _BY_STATUS[Status(str(record.status))]
        found.stands[phase_id] = Stands.PENDING, was, record.fields["attempt"]


def _of_run(old: Phase, before: Run) -> tuple[Stands, Was, int]:
    """How a phase stands after a run that nobody else has touched."""
    if old.stands is Stands.COMPLETE:
        return Stands.COMPLETE, Was.COMPLETE, 0
    if old.stands is Stands.UNSURE:
        return Stands.UNSURE, Was.INTERRUPTED, 0
    if old.stands is Stands.RUNNING:
        return Stands.PENDING, Was.INTERRUPTED, old.attempt
    if old.stands in (Stands.FAILED, Stands.WAITING, Stands.CLAIMED):
        is_failed = before.is_halted and old.stands is Stands.FAILED
        return Stands.PENDING, Was.FAILED if is_failed else Was.INTERRUPTED, 0
    return Stands.PENDING, Was.BLOCKED if old.row.phase_id in before.blocked else old.was, 0

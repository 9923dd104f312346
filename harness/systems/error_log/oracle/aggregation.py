"""The records of a session, in order, and what recurs across sessions: ER-AGG-01. Pure.

Source: document 002, Session-Aware Error Aggregation.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.systems.error_log.oracle import documents
from harness.systems.error_log.oracle.asking import Call
from harness.systems.error_log.oracle.ledger import Ledger
from harness.systems.error_log.oracle.logged import Known, Logged
from harness.systems.error_log.oracle.records import could_be, session_of
from harness.systems.notes import Notes

_CLAUSE: Final = "ER-AGG-01"


def judge_read(call: Call, ledger: Ledger, notes: Notes) -> None:
    """Notes whether the records that were read are those of the session, each once, in order."""
    session = call.args.session_id
    records: Sequence[Mapping[str, Any]] = call.answer.records
    strangers = [record for record in records if session is not None and session_of(record) != session]
    if strangers:
        notes.breaks(_CLAUSE, f"the records of {session!r}, and no other", f"{str(strangers[0])[:200]}")
        return
    if "errors" in call.shaken:
        return
    wanted = [each for each in ledger.logged if session is None or each.session == session]
    expected = f"the records of {session or 'all sessions'}, each once, in the order in which they were logged"
    ranks: list[int] = []
    left = list(wanted)
    for record in records:
        each = _which(record, left)
        if each is None:
            if not ledger.unseen and not ledger.spare and not ledger.may_salvage(record):
                notes.breaks(_CLAUSE, expected, f"a record more, or twice: {str(record)[:200]}")
                return
            continue
        left.remove(each)
        ranks += [] if each.late else [each.group]
    lost = [each for each in left if _has_to_be_there(each)]
    if lost:
        notes.breaks(_CLAUSE, expected, f"{len(records)} records, and none of {lost[0].name or lost[0].id!r}")
    elif ranks != sorted(ranks):
        notes.breaks(_CLAUSE, expected, f"another order: {[record.get('message') for record in records]}"[:300])
    elif ranks:
        notes.agrees(_CLAUSE, expected)


def _which(record: Mapping[str, Any], left: Sequence[Logged]) -> Logged | None:
    """The first of those that the record may be."""
    key = record.get("id")
    for each in left:
        if each.id is not None:
            if each.id == key:
                return each
        elif each.found is not None:
            if documents.same(each.found, record):
                return each
        elif could_be(each.given, record):
            return each
    return None


def _has_to_be_there(each: Logged) -> bool:
    """Only what was acknowledged; of others' records only whole ones."""
    foreign = each.given is None and not _is_whole(each.found)
    return each.known is Known.REQUIRED and not foreign


def _is_whole(record: Mapping[str, Any] | None) -> bool:
    """Is that a record as the document has it, as far as aggregation hangs on it?"""
    if record is None:
        return False
    texts = (record.get(name) for name in ("id", "timestamp", "type", "severity", "message", "fix_status"))
    return all(isinstance(text, str) for text in texts) and isinstance(record.get("context"), dict)


def judge_patterns(call: Call, ledger: Ledger, notes: Notes) -> None:
    """Notes whether each type that recurs was told, with how often and in how many sessions."""
    certain = all(each.known is Known.REQUIRED and _is_whole(each.found) for each in ledger.logged)
    if not ledger.logged or not certain or ledger.is_odd or ledger.unseen or "errors" in call.shaken:
        return
    counts: Counter[str] = Counter()
    sessions: dict[str, set[str]] = {}
    for each in ledger.logged:
        kind = str((each.found or {})["type"])
        counts[kind] += 1
        sessions.setdefault(kind, set())
        if each.session is not None:
            sessions[kind].add(each.session)
    wanted = sorted((kind, count, len(sessions[kind])) for kind, count in counts.items() if count > 1)
    told = sorted((each.type, each.count, each.sessions) for each in call.answer.patterns)
    notes.holds(_CLAUSE, told == wanted, f"patterns (type, count, sessions) {wanted}", f"{told}")

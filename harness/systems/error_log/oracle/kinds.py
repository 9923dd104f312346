"""Which type an incident has: ER-CAT-01 to ER-CAT-05. Pure.

Only what the document names is judged: what fits none of its types, or two of them, may have either.
Source: document 002, Error Categories.
"""

from collections.abc import Mapping
from typing import Final

from harness.systems.error_log.contract import MCP_ABORTED, ErrorType, Incident
from harness.systems.notes import Notes

_IN_PROGRESS: Final = "in_progress"
_OF_SOURCE: Final = {
    "status": ("ER-CAT-02", ErrorType.STATUS_SYNC_FAILURE),
    "json": ("ER-CAT-02", ErrorType.PARSE_ERROR),
    "yaml": ("ER-CAT-02", ErrorType.PARSE_ERROR),
    "git": ("ER-CAT-03", ErrorType.GIT_COMMIT_FAILURE),
    "build": ("ER-CAT-03", ErrorType.BUILD_ERROR),
    "jq": ("ER-CAT-03", ErrorType.JQ_PARSE_FAILURE),
    "validation": ("ER-CAT-01", ErrorType.VALIDATION_FAILED),
}
_DOCUMENTS: Final = ("json", "yaml")
_TWELVE: Final = frozenset(each.value for each in ErrorType)


def judge_type(incident: Incident, found: str | None, said: str, notes: Notes) -> None:
    """Notes whether ``found``, None for no answer, is the type of the incident."""
    if incident.source == "mcp_tool":
        _judge_tool(incident, found, said, notes)
    elif incident.source == "delegation":
        _judge_delegation(incident, found, said, notes)
    elif incident.source in _DOCUMENTS and incident.missing:
        ok = found in (ErrorType.PARSE_ERROR, ErrorType.FILE_NOT_FOUND)  # it is both
        notes.holds("ER-CAT-02", ok, "parse_error or file_not_found", said)
    elif incident.source in _OF_SOURCE:
        clause, kind = _OF_SOURCE[incident.source]
        _judge_one(clause, kind, found, said, notes)
    elif incident.source == "file" and incident.missing:
        _judge_one("ER-CAT-02", ErrorType.FILE_NOT_FOUND, found, said, notes)
    elif incident.source == "operation" and incident.timed_out:
        _judge_one("ER-CAT-01", ErrorType.TIMEOUT, found, said, notes)
    else:
        _judge_any(found, said, notes)


def _judge_one(clause: str, kind: ErrorType, found: str | None, said: str, notes: Notes) -> None:
    notes.holds(clause, found == kind, kind.value, said)


def _judge_either(clause: str, kinds: Mapping[str, ErrorType], found: str | None, said: str, notes: Notes) -> None:
    """``kinds`` is what each reading says."""
    readings = [reading for reading, kind in kinds.items() if found == kind]
    notes.holds(clause, bool(readings), " or ".join(kind.value for kind in kinds.values()), said, readings)


def _judge_any(found: str | None, said: str, notes: Notes) -> None:
    """What fits none of the twelve, or several, may have any type; a word of its own tells that the list is open."""
    if found is None:
        notes.breaks("ER-CAT-03", "a type", said)
    elif found not in _TWELVE:
        notes.agrees("ER-CAT-03", "what fits no category has a word of its own", ("open",))


def _judge_not(clause: str, kind: ErrorType, found: str | None, said: str, notes: Notes) -> None:
    """The control: not that type."""
    notes.holds(clause, found not in (None, kind), f"another type than {kind.value}", said)


def _judge_tool(incident: Incident, found: str | None, said: str, notes: Notes) -> None:
    clause, abort, gone = "ER-CAT-04", ErrorType.MCP_ABORT_ERROR, ErrorType.TOOL_UNAVAILABLE
    if incident.code == MCP_ABORTED:
        _judge_one(clause, abort, found, said, notes)
    elif not incident.aborted and not incident.timed_out:
        if incident.responded:
            _judge_not(clause, abort, found, said, notes)
        else:
            _judge_one(clause, gone, found, said, notes)
    elif incident.responded:
        expected = "mcp_abort_error, or whatever an abort without the code is"
        notes.holds(clause, found is not None, expected, said, ("code", "timed_out") if found == abort else ("code",))
    else:
        _judge_either(clause, {"code": gone, "timed_out": abort}, found, said, notes)


def _judge_delegation(incident: Incident, found: str | None, said: str, notes: Notes) -> None:
    interrupted = incident.metadata_status == _IN_PROGRESS
    if incident.ended and interrupted:
        _judge_one("ER-CAT-05", ErrorType.DELEGATION_INTERRUPTED, found, said, notes)
    elif incident.ended and incident.metadata_status is None:
        _judge_any(found, said, notes)  # whether it had begun its metadata, nobody knows
    elif incident.ended or incident.responded:
        _judge_not("ER-CAT-05", ErrorType.DELEGATION_INTERRUPTED, found, said, notes)
    elif incident.timed_out:
        readings = {"timeout": ErrorType.TIMEOUT, "hang": ErrorType.DELEGATION_HANG}
        _judge_either("ER-CAT-01", readings, found, said, notes)
    else:
        _judge_one("ER-CAT-01", ErrorType.DELEGATION_HANG, found, said, notes)

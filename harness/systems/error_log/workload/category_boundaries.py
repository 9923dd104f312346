"""What happened, and which type it is: each category, and beside it what is not quite it. Level L1."""

from collections.abc import Iterator
from typing import Any

from harness.core.scenario import Scenario
from harness.systems.error_log.contract import MCP_ABORTED, ErrorType
from harness.systems.error_log.workload.error_log_steps import ANY, SESSION, Allowed, calm, scenario

OPERATIONAL, STATE, EXTERNAL = ("ER-CAT-01",), ("ER-CAT-02",), ("ER-CAT-03",)
ABORTED, INTERRUPTED = ("ER-CAT-04",), ("ER-CAT-05",)


def _is(*kinds: ErrorType) -> Allowed:
    return tuple({"type": kind.value} for kind in kinds)


# name, what happened, clauses, the incident, the types it may have
_ROWS: tuple[tuple[str, str, tuple[str, ...], dict[str, Any], Allowed], ...] = (
    ("hang", "An agent does not respond.", OPERATIONAL, {"source": "delegation", "responded": False},
     _is(ErrorType.DELEGATION_HANG)),
    ("hang-timed-out", "An agent does not respond within its time limit.", OPERATIONAL,
     {"source": "delegation", "responded": False, "timed_out": True},
     _is(ErrorType.DELEGATION_HANG, ErrorType.TIMEOUT)),
    ("timeout", "An operation takes too long.", OPERATIONAL, {"source": "operation", "timed_out": True},
     _is(ErrorType.TIMEOUT)),
    ("validation", "An input is not valid.", OPERATIONAL, {"source": "validation"}, _is(ErrorType.VALIDATION_FAILED)),
    ("status", "TODO.md and state.json differ.", STATE, {"source": "status"}, _is(ErrorType.STATUS_SYNC_FAILURE)),
    ("file-missing", "A file is not there.", STATE, {"source": "file", "missing": True}, _is(ErrorType.FILE_NOT_FOUND)),
    ("json", "JSON cannot be parsed.", STATE, {"source": "json"}, _is(ErrorType.PARSE_ERROR)),
    ("yaml", "YAML cannot be parsed.", STATE, {"source": "yaml"}, _is(ErrorType.PARSE_ERROR)),
    ("json-missing", "A JSON file is not there.", STATE, {"source": "json", "missing": True}, ANY),
    ("git", "git fails.", EXTERNAL, {"source": "git"}, _is(ErrorType.GIT_COMMIT_FAILURE)),
    ("build", "A build fails.", EXTERNAL, {"source": "build"}, _is(ErrorType.BUILD_ERROR)),
    ("jq", "jq fails.", EXTERNAL, {"source": "jq"}, _is(ErrorType.JQ_PARSE_FAILURE)),
    ("printer", "What fails is in no category.", (), {"source": "printer"}, ANY),
    ("mcp-aborted", "An MCP tool aborts with the code -32001.", ABORTED,
     {"source": "mcp_tool", "code": MCP_ABORTED, "aborted": True}, _is(ErrorType.MCP_ABORT_ERROR)),
    ("mcp-timed-out", "An MCP tool times out with the code -32001.", ABORTED,
     {"source": "mcp_tool", "code": MCP_ABORTED, "timed_out": True}, _is(ErrorType.MCP_ABORT_ERROR)),
    ("mcp-silent", "An MCP tool does not respond.", ABORTED, {"source": "mcp_tool", "responded": False},
     _is(ErrorType.TOOL_UNAVAILABLE)),
    ("mcp-silent-timed-out", "An MCP tool does not respond until the time is over.", ABORTED,
     {"source": "mcp_tool", "responded": False, "timed_out": True},
     _is(ErrorType.TOOL_UNAVAILABLE, ErrorType.MCP_ABORT_ERROR)),
    ("mcp-code-below", "An MCP tool fails with the code -32002.", ABORTED, {"source": "mcp_tool", "code": -32002}, ANY),
    ("mcp-code-above", "An MCP tool fails with the code -32000.", ABORTED, {"source": "mcp_tool", "code": -32000}, ANY),
    ("mcp-code-positive", "An MCP tool fails with the code 32001.", ABORTED,
     {"source": "mcp_tool", "code": 32001}, ANY),
    ("mcp-aborted-without-code", "An MCP tool aborts, and says no code.", ABORTED,
     {"source": "mcp_tool", "aborted": True}, ANY),
    ("interrupted", "An agent has ended, and its metadata says in_progress.", INTERRUPTED,
     {"source": "delegation", "ended": True, "metadata_status": "in_progress"}, _is(ErrorType.DELEGATION_INTERRUPTED)),
    ("interrupted-aborted", "An agent was aborted, and its metadata says in_progress.", INTERRUPTED,
     {"source": "delegation", "ended": True, "aborted": True, "metadata_status": "in_progress"},
     _is(ErrorType.DELEGATION_INTERRUPTED)),
    ("ended-completed", "An agent has ended, and its metadata says so.", INTERRUPTED,
     {"source": "delegation", "ended": True, "metadata_status": "completed"}, ANY),
    ("ended-partial", "An agent has ended, and its metadata says partial.", INTERRUPTED,
     {"source": "delegation", "ended": True, "metadata_status": "partial"}, ANY),
    ("running", "An agent has not ended, and its metadata says in_progress.", INTERRUPTED,
     {"source": "delegation", "metadata_status": "in_progress"}, ANY),
)  # fmt: skip

# what can be one type only, asked for before each: who always gives one answer fails there
_CERTAIN = tuple(row for row in _ROWS if row[0] in ("validation", "git", "mcp-aborted", "mcp-silent", "interrupted"))


def category_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    for name, title, clauses, incident, allowed in _ROWS:
        story = calm()
        for _, _, _, certain, _ in _CERTAIN:
            story.classify(**certain)
        story.classify(**incident)
        yield scenario(f"category-{name}", title, clauses or EXTERNAL, story, allowed)
    story = calm()
    for _, _, _, incident, _ in _ROWS:
        story.classify(**incident)
    yield scenario(
        "category-each", "Everything happens, one after the other; an error is logged between.",
        (*OPERATIONAL, *STATE, *EXTERNAL, *ABORTED, *INTERRUPTED),
        story.log("parse_error").read(SESSION).classify("jq"), _is(ErrorType.JQ_PARSE_FAILURE),
    )  # fmt: skip

"""The legs of a tour: what is done so that every clause shows once more, one leg after the other.

Each names its errors anew, and finds what the one before left; a tour ends with a look at every file.
"""

from typing import Any

from harness.systems.error_log.contract import MCP_ABORTED, METRIC_FAILURE, ErrorType
from harness.systems.error_log.workload.error_log_steps import (
    OTHER,
    OTHER_TASK,
    PHASES,
    SESSION,
    Story,
    progress,
)
from harness.systems.error_log.workload.record_boundaries import RECOVERY, TRAJECTORY
from harness.systems.tours import Leg

FAR = progress(PHASES[:1], PHASES[1], partial={"lines": 40})
_EARLY, _LATE = "2026-02-28T09:00:00Z", "2026-02-28T10:00:00Z"
RECORD_CLAUSES = (
    "ER-LOG-01", "ER-LOG-02", "ER-LOG-03", "ER-LOG-04", "ER-LOG-05", "ER-LOG-07", "ER-LOG-08", "ER-LOG-09",
)  # fmt: skip


def _classifies(story: Story) -> None:
    story.classify("delegation", responded=False).classify("operation", timed_out=True).classify("validation")
    story.classify("status").classify("file", missing=True).classify("json").classify("yaml")
    story.classify("git").classify("build").classify("jq")
    story.classify("mcp_tool", code=MCP_ABORTED, aborted=True).classify("mcp_tool", responded=False)
    story.classify("delegation", ended=True, metadata_status="in_progress")
    story.classify("delegation", ended=True, metadata_status="completed")


def _logs(story: Story) -> None:
    name = story.named()
    story.log("build_error", severity="high", trajectory=dict(TRAJECTORY), recovery=dict(RECOVERY), name=name)
    story.log("timeout", session=OTHER).log("timeout", severity="low").read(SESSION).read(OTHER).patterns()
    story.fix(name, "in_progress").log("timeout", trajectory={"delegation_path": ["a"], "failed_at_depth": 9})
    story.fix(name).read(SESSION)


def _logs_once(story: Story) -> None:
    """An error without a name that has to be another's."""
    story.log("build_error", severity="high", trajectory=dict(TRAJECTORY), recovery=dict(RECOVERY)).read(SESSION)
    story.patterns().read(SESSION)


def _handles(story: Story) -> None:
    story.handle(ErrorType.DELEGATION_HANG, "high", FAR).read().resume().resume(OTHER_TASK)
    story.handle(ErrorType.VALIDATION_FAILED, "critical", FAR).handle(ErrorType.PARSE_ERROR, "medium", FAR)
    story.handle(ErrorType.PARSE_ERROR, "low", FAR).read(SESSION).resume()


def _goes_on(story: Story) -> None:
    story.handle(ErrorType.GIT_COMMIT_FAILURE, "critical", FAR).handle(METRIC_FAILURE, "high", FAR)
    story.handle(ErrorType.VALIDATION_FAILED, "critical", FAR).read(SESSION).finish().finish()


def _times_out(story: Story) -> None:
    story.recover(ErrorType.TIMEOUT, FAR).read().resume()
    story.recover(
        ErrorType.TIMEOUT, progress(PHASES[:2], PHASES[2]), {"commit_succeeds": False}
    ).read().finish().resume()


def _syncs(story: Story) -> None:
    for todo, state in ((_EARLY, _LATE), (_LATE, _EARLY)):
        facts = {"todo_changed": todo, "state_changed": state}
        story.recover(ErrorType.STATUS_SYNC_FAILURE, FAR, facts).read()


def _fails_to_build(story: Story) -> None:
    facts = {"command": "make all", "output": "main.py:2: SyntaxError: invalid syntax"}
    story.recover(ErrorType.BUILD_ERROR, FAR, facts).read(SESSION)


def _filters(story: Story) -> None:
    facts = {"command": """jq '.[] | select(.a != "x")' state.json""", "output": "jq: error: syntax error"}
    story.recover(ErrorType.JQ_PARSE_FAILURE, FAR, facts)
    story.recover(ErrorType.JQ_PARSE_FAILURE, FAR, {**facts, "retry_succeeds": False}).read(SESSION)


def _aborts(story: Story) -> None:
    facts: dict[str, Any] = {"command": "lean_search", "output": "AbortError -32001", "alternative": "grep"}
    story.recover(ErrorType.MCP_ABORT_ERROR, FAR, facts)
    story.recover(ErrorType.MCP_ABORT_ERROR, FAR, {**facts, "retry_succeeds": False}).read(SESSION)
    story.recover(
        ErrorType.MCP_ABORT_ERROR, FAR, {**facts, "retry_succeeds": False, "alternative_succeeds": False}
    ).read()


def _interrupted(story: Story) -> None:
    story.begin("researching").read()
    story.recover(ErrorType.DELEGATION_INTERRUPTED, FAR, partial_progress={"stage": "phase2", "details": [1]})
    story.read(SESSION).resume()


def _begins(story: Story) -> None:
    story.begin("implementing").read().resume().finish()


CLASSIFIES = Leg(_classifies, ("ER-CAT-01", "ER-CAT-02", "ER-CAT-03", "ER-CAT-04", "ER-CAT-05"))
LOGS = Leg(_logs, (*RECORD_CLAUSES, "ER-AGG-01"))
LOGS_ONCE = Leg(_logs_once, (*RECORD_CLAUSES, "ER-AGG-01"))
HANDLES = Leg(_handles, ("ER-PRG-01", "ER-PRG-02", "ER-PRG-03", "ER-RES-01", "ER-RPT-01", "ER-SEV-01", "ER-SEV-02"))
GOES_ON = Leg(_goes_on, ("ER-NB-01", "ER-NB-02", "ER-NB-03", "ER-SEV-01"))
TIMES_OUT = Leg(_times_out, ("ER-TMO-01", "ER-NB-01"))
SYNCS = Leg(_syncs, ("ER-SYN-01",))
FAILS_TO_BUILD = Leg(_fails_to_build, ("ER-BLD-01",))
FILTERS = Leg(_filters, ("ER-JQ-01", "ER-JQ-02"))
ABORTS = Leg(_aborts, ("ER-MCP-01", "ER-MCP-02"))
INTERRUPTED = Leg(_interrupted, ("ER-DEL-01", "ER-DEL-02", "ER-DEL-03"))
BEGINS = Leg(_begins, ("ER-DEL-03",))

RECOVERS = (TIMES_OUT, SYNCS, FAILS_TO_BUILD, FILTERS, ABORTS, INTERRUPTED)
WHOLE = (CLASSIFIES, LOGS, HANDLES, GOES_ON, *RECOVERS)

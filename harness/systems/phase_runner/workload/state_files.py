"""State as it stands on disk before a scenario begins: written by an earlier run, edited by hand, or damaged. Pure."""

import json
from collections.abc import Mapping
from typing import Any, Final

from harness.core.scenario import FileSpec
from harness.systems.phase_runner.contract.words import (
    CONFIG_PATH,
    EXECUTION_LOG_PATH,
    FINAL,
    MAX_ATTEMPTS,
    VERSION,
    FailureType,
    Status,
    phase_path,
)
from harness.systems.phase_runner.workload.plans import Plan
from harness.systems.phase_runner.workload.results import PASSED, TASKS

Files = Mapping[str, FileSpec]
BEGAN: Final = "2026-02-28T09:00:00Z"
ENDED: Final = "2026-02-28T09:10:00Z"
ATTEMPTS: Final[Mapping[Status, int]] = {
    Status.PENDING: 0, Status.RUNNING: 1, Status.COMPLETE: 1, Status.FAILED: MAX_ATTEMPTS, Status.BLOCKED: 0,
}  # fmt: skip
_WENT_WRONG: Final = {"type": FailureType.TEST_FAILURE.value, "message": "3 tests failing", "details": ""}


def as_json(value: Any) -> FileSpec:
    """A file with that value."""
    return FileSpec(text=json.dumps(value))


def record(plan: Plan, phase_id: str, status: Status, /, **fields: Any) -> dict[str, Any]:
    """The whole record of a phase that stands so."""
    phase = plan.phase(phase_id)
    done, failed = status is Status.COMPLETE, status is Status.FAILED
    ended = {"completed": ENDED} if done else {"failed": ENDED} if failed else {}
    began = {} if status in (Status.PENDING, Status.BLOCKED) else {"started": BEGAN}
    found: dict[str, Any] = {
        "phase_id": phase_id, "phase_name": phase.name, "status": status.value, "attempt": ATTEMPTS[status],
        "max_attempts": MAX_ATTEMPTS,
        "timestamps": {**began, **ended, "duration_seconds": 600.0 if ended else None, "last_updated": ENDED},
        "dependencies": {
            "depends_on": list(plan.depends_on(phase_id)),
            "parallel_with": [each for each in plan.batch_of(phase_id) if each != phase_id],
            "blocks": list(plan.blocks(phase_id)),
        },
        "execution": None, "quality_gates": None, "verification": None, "commit": None, "plan_updates": None,
        "error": None,
    }  # fmt: skip
    if done:
        found |= _of_complete(phase_id)
    elif failed:
        found["error"] = {"attempt_1": _WENT_WRONG, "attempt_2": _WENT_WRONG, "final": FINAL}
    elif status is Status.BLOCKED:
        found["error"] = {"blocked_by": list(plan.depends_on(phase_id))}
    return {**found, **fields}


def _of_complete(phase_id: str) -> dict[str, Any]:
    return {
        "execution": {"subagent_id": None, "subagent_model": None, "tasks_total": TASKS, "tasks_completed": TASKS},
        "quality_gates": {
            gate: {"passed": True, "command": "", "output_summary": ""} for gate in PASSED
        },
        "verification": {"subagent_claimed": True, "fresh_verification": True, "verified_at": ENDED},
        "commit": {
            "message": f"feat({phase_id}): add it", "type": "feat", "scope": phase_id, "files_created": [],
            "files_modified": [], "files_deleted": [], "committed": True, "commit_sha": None,
        },
    }  # fmt: skip


def config(plan: Plan, statuses: Mapping[str, Status], **fields: Any) -> FileSpec:
    """The config.json of a run whose phases stand so."""
    standing = list(statuses.values())
    totals = {
        "total": len(plan.ids), "completed": standing.count(Status.COMPLETE), "failed": standing.count(Status.FAILED),
    }  # fmt: skip
    totals["pending"] = totals["total"] - totals["completed"] - totals["failed"]
    whole = {
        "version": VERSION, "plan_path": "docs/feature-plan.md", "commit_mode": "auto", "started_at": BEGAN,
        "last_updated": ENDED, "stack": None, "commands": None, "phases": totals,
    }  # fmt: skip
    return as_json({**whole, **fields})


def left_behind(plan: Plan, statuses: Mapping[str, Status], **others: Any) -> Files:
    """All files of a run whose phases stand so; a phase that is not named has no record.

    ``others`` stand in the place of the record of the phase whose id they have, after an underscore.
    """
    found = {CONFIG_PATH: config(plan, statuses), EXECUTION_LOG_PATH: FileSpec(text=f"{BEGAN} START\n")}
    found |= {phase_path(each): as_json(record(plan, each, status)) for each, status in statuses.items()}
    for name, other in others.items():
        found[phase_path(name.removeprefix("_"))] = other if isinstance(other, FileSpec) else as_json(other)
    return found

"""What sub-agents say, and what fresh verifications find. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.systems.phase_runner.contract.words import FailureType, Gate

Fields = Mapping[str, Any]
TASKS: Final = 4
TIME_LIMIT_S: Final = 600.0  # ten minutes, the limit that is seen most

GATES: Final[Mapping[Gate, Fields]] = {gate: {"exit_code": 0} for gate in Gate}
"""All of them passed."""

BROKEN: Final[Mapping[Gate, Fields]] = {
    Gate.LINT: {
        "exit_code": 1, "command": "npm run lint", "output_summary": "2 problems",
        "failures": [
            {"file": "src/api/routes.ts", "message": "'x' is never used", "rule": "no-unused-vars", "line": 12},
            {"file": "src/api/auth.ts", "message": "unexpected any", "rule": "no-explicit-any", "line": 3},
        ],
    },
    Gate.FORMAT: {
        "exit_code": 1, "command": "npm run format", "output_summary": "1 file would change",
        "failures": [{"file": "src/api/routes.ts", "message": "would be reformatted"}],
    },
    Gate.TYPECHECK: {
        "exit_code": 2, "command": "npx tsc --noEmit", "output_summary": "1 error",
        "failures": [
            {"file": "src/api/auth.ts", "message": "types do not meet", "line": 40, "expected": "User",
             "actual": "User | null"},
        ],
    },
    Gate.TEST: {
        "exit_code": 1, "output_summary": "2 failed",
        "failures": [
            {"file": "auth.test.ts", "name": "validateToken", "message": "returns null"},
            {"file": "api.test.ts", "name": "handleExpired", "message": "timed out"},
        ],
    },
}  # fmt: skip
"""What each of them finds when it fails."""

MISSING: Final[Fields] = {
    "package": "@types/jest", "required_by": "Type checking", "install": "npm install -D @types/jest",
}  # fmt: skip
OF_GATES: Final[Mapping[FailureType, Gate]] = {
    FailureType.TEST_FAILURE: Gate.TEST,
    FailureType.LINT_ERROR: Gate.LINT,
    FailureType.TYPECHECK_ERROR: Gate.TYPECHECK,
    FailureType.FORMAT_ERROR: Gate.FORMAT,
}
PASSED: Final[Fields] = {Gate.LINT.value: {"exit_code": 0}, Gate.TEST.value: {"exit_code": 0}}
"""What a fresh verification finds in a project with two gates, when all is well."""
BRIEF_CLAIM: Final = '{"success":true,"tasks_total":1,"tasks_completed":1}'
BRIEF_GATES: Final[Fields] = {Gate.TEST.value: {"exit_code": 0}}
NO_RESULT: Final = "I have finished the phase, and all tests pass."  # of a sub-agent that forgot the form


def gates(*broken: Gate, **changed: Fields) -> dict[str, Any]:
    """What all gates found: those that are named failed; ``changed`` are other findings, by the word of the gate."""
    found: dict[str, Any] = {gate.value: dict((BROKEN if gate in broken else GATES)[gate]) for gate in Gate}
    return found | changed


def said(**fields: Any) -> str:
    """A SubagentResult with these fields, as JSON; otherwise it claims that everything is done."""
    return json.dumps({"success": True, "tasks_total": TASKS, "tasks_completed": TASKS, **fields})


def changes(*paths: str) -> list[Fields]:
    """Files that were changed, nobody says where."""
    return [{"path": path} for path in paths]


def lines(path: str, *ranges: tuple[int, int]) -> list[Fields]:
    """A file that was changed in these lines, of which the first and the last are named."""
    return [{"path": path, "lines": [{"first": first, "last": last} for first, last in ranges]}]


def claimed(phase_id: str, **fields: Any) -> str:
    """A claim of success, with files and a commit of the phase's own."""
    of_phase = {"created": changes(f"src/{phase_id}/index.ts"), "commit_subject": f"feat({phase_id}): add it"}
    return said(**{**of_phase, **fields})


def failed(kind: FailureType = FailureType.TEST_FAILURE, **fields: Any) -> str | None:
    """What a sub-agent says that failed with that type, which is none of a claim's; null is no answer in time."""
    if kind is FailureType.TIMEOUT:
        return None
    if kind is FailureType.PARSE_ERROR:
        return NO_RESULT
    return said(**{"success": False, "message": f"it ended with {kind}", **_WHY[kind], **fields})


def _gate_failed(gate: Gate, message: str, details: str) -> Fields:
    return {"gates": {gate.value: BROKEN[gate]}, "message": message, "details": details}


_WHY: Final[Mapping[FailureType, Fields]] = {
    FailureType.TEST_FAILURE: _gate_failed(Gate.TEST, "2 tests failing", "validateToken returns null"),
    FailureType.LINT_ERROR: _gate_failed(Gate.LINT, "2 lint errors", "no-unused-vars in src/api/routes.ts"),
    FailureType.TYPECHECK_ERROR: _gate_failed(Gate.TYPECHECK, "1 type error", "User is not User | null"),
    FailureType.FORMAT_ERROR: _gate_failed(Gate.FORMAT, "1 file is not formatted", "src/api/routes.ts"),
    FailureType.TASK_INCOMPLETE: {
        "tasks_completed": TASKS - 1, "message": "3 of 4 tasks done", "details": "the fourth needs a key",
    },
    FailureType.DEPENDENCY_MISSING: {
        "missing": MISSING, "message": "a package is missing", "details": "cannot find type definitions for jest",
    },
}  # fmt: skip

SAID_FAILURES: Final[Sequence[FailureType]] = (*OF_GATES, FailureType.TASK_INCOMPLETE, FailureType.PARSE_ERROR)
"""The retryable types that a sub-agent itself can end in, but for a time-out."""

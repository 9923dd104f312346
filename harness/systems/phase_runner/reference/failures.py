"""What a failed attempt is called, what is captured of it, and what its retry is told. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from harness.systems.phase_runner.contract import (
    Commands,
    GateFailure,
    GateResult,
    Missing,
    ReportArguments,
    RetryContext,
    SubagentResult,
)
from harness.systems.phase_runner.contract.words import GATE_FAILURES, GUIDANCE, RETRYABLE, FailureType, Gate
from harness.systems.phase_runner.reference.records import Record

UNKNOWN: Final = "unknown"
"""What a failure is called that none of the twelve types fits (AB-CLS-03, ``retried``)."""
SHOWN: Final = 500  # characters of what cannot be parsed
OWN_GUIDANCE: Final[Mapping[str, str]] = {
    FailureType.FORMAT_ERROR: "Fix the formatting. Run `{FORMAT_COMMAND}` on every file that was changed.",
    FailureType.TASK_INCOMPLETE: "Finish every task of the phase. The previous attempt left some of them undone.",
    FailureType.PARSE_ERROR: "End with one JSON result of the agreed form, and nothing else.",
    UNKNOWN: "Find out from the message what failed, fix that, and run all quality gates again.",
}
"""For the types for which document 003 has none (AB-RTY-06, ``own_words``)."""
_PLACEHOLDER: Final = re.compile(r"\{(FILES|LINT_COMMAND|LINT_FIX_COMMAND|TYPECHECK_COMMAND|FORMAT_COMMAND)\}")


class Failure(NamedTuple):
    """A failed attempt. ``captured`` is what the document asks to capture of that type."""

    type: str
    message: str
    details: str = ""
    captured: Mapping[str, Any] = {}
    missing: Missing | None = None

    def noted(self) -> dict[str, Any]:
        """As it stands in the error of a record."""
        found: dict[str, Any] = {"type": str(self.type), "message": self.message, "details": self.details}
        if self.captured:
            found["captured"] = dict(self.captured)
        if self.missing is not None:
            found["missing"] = msgspec.to_builtins(self.missing)
        return found


class Captures:
    """What is captured of the cases of a gate, by its type (AB-ERR-01 to 03)."""

    def of(self, gate: Gate, result: GateResult) -> dict[str, Any]:
        """It, for a gate that failed; nothing for format, for which the document has no list."""
        cases = result.failures
        if gate is Gate.TEST:
            return self.tests(cases)
        if gate is Gate.LINT:
            return self.lint(cases)
        return self.types(cases) if gate is Gate.TYPECHECK else {}

    def tests(self, cases: Sequence[GateFailure]) -> dict[str, Any]:
        """Number, paths, names, messages."""
        return {
            "failed": len(cases),
            "files": unique(case.file for case in cases),
            "tests": [case.name or "" for case in cases],
            "messages": [case.message for case in cases],
        }

    def lint(self, cases: Sequence[GateFailure]) -> dict[str, Any]:
        """Number, paths, rules, lines."""
        return {
            "errors": len(cases),
            "files": unique(case.file for case in cases),
            "rules": unique(case.rule or "" for case in cases),
            "lines": [case.line for case in cases],
        }

    def types(self, cases: Sequence[GateFailure]) -> dict[str, Any]:
        """Number, paths, messages with what was expected and what was there, lines."""
        return {
            "errors": len(cases),
            "files": unique(case.file for case in cases),
            "messages": [case_line(case) for case in cases],
            "lines": [case.line for case in cases],
        }


class FailureRules:
    """How attempts fail."""

    captures_class = Captures

    def __init__(self) -> None:
        self.captures = self.captures_class()

    def is_retryable(self, type_: str) -> bool:
        """May an attempt that failed so be repeated (AB-CLS-01, AB-CLS-03)?"""
        return type_ in RETRYABLE or type_ == UNKNOWN

    def parsed(self, said: str) -> SubagentResult | None:
        """What a sub-agent said; None when that is no result (AB-ERR-07)."""
        try:
            return msgspec.json.decode(said, type=SubagentResult)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            return None

    def is_claim(self, result: SubagentResult) -> bool:
        """Does it claim that the whole phase succeeded?"""
        return result.success and self.is_finished(result)

    def is_finished(self, result: SubagentResult) -> bool:
        """Are all tasks done?"""
        return result.tasks_completed >= result.tasks_total

    def has_passed(self, gate: GateResult) -> bool:
        """Did it pass (AB-ERR-01, ``either``)?"""
        return gate.exit_code == 0 and not gate.failures

    def silence(self, arguments: ReportArguments) -> Failure:
        """The sub-agent gave no answer in time (AB-ERR-04)."""
        elapsed = "an unknown time" if arguments.elapsed_s is None else f"{arguments.elapsed_s:g} s"
        activity = arguments.last_activity
        return Failure(
            FailureType.TIMEOUT,
            f"no answer within {elapsed}",
            f"no answer within {elapsed}; last known activity: {activity or 'unknown'}",
            {"elapsed_s": arguments.elapsed_s, "last_activity": activity},
        )

    def unparsable(self, said: str) -> Failure:
        """What it said is no result."""
        return Failure(FailureType.PARSE_ERROR, "the result of the sub-agent cannot be parsed", said[:SHOWN])

    def reported(self, result: SubagentResult) -> Failure:
        """What failed, by the facts in the order of SubagentResult.

        The details of a gate have what the sub-agent says of it, and all that was captured (AB-ERR-01 to 03).
        """
        missing = result.missing or self.missing_command(result.gates)
        if missing is not None and not result.success:
            return self.lacking(missing, result)
        if not self.is_finished(result):
            done = f"{result.tasks_completed} of {result.tasks_total} tasks are done"
            return Failure(FailureType.TASK_INCOMPLETE, result.message or done, result.details)
        failed = self.first_failed(result.gates)
        if failed is None:
            return Failure(UNKNOWN, result.message or "the sub-agent did not succeed", result.details)
        gate, found = failed
        lines = gate_lines(gate, found)
        return Failure(
            GATE_FAILURES[gate],
            result.message or lines[0],
            "\n".join([result.details, *lines] if result.details else lines),
            self.captures.of(gate, found),
        )

    def lacking(self, missing: Missing, result: SubagentResult | None) -> Failure:
        """A package is not there (AB-NRT-01)."""
        said = f"{missing.package} is not installed; it is required by {missing.required_by}"
        message = (result.message if result else "") or said
        details = (result.details if result else "") or said
        return Failure(FailureType.DEPENDENCY_MISSING, message, details, {}, missing)

    def missing_command(self, gates: Mapping[Gate, GateResult]) -> Missing | None:
        """The first command of a gate that is not there (AB-NRT-01, ``halts``)."""
        for gate in Gate:
            if gate in gates and gates[gate].exit_code is None:
                command = gates[gate].command or f"the {gate} command"
                return Missing(command, f"the quality gate {gate}", f"install {command}")
        return None

    def first_failed(self, gates: Mapping[Gate, GateResult]) -> tuple[Gate, GateResult] | None:
        """The first gate that did not pass, in the order of Gate; None when all did."""
        return next(((gate, gates[gate]) for gate in Gate if gate in gates and not self.has_passed(gates[gate])), None)

    def verified(self, gates: Mapping[Gate, GateResult]) -> Failure | None:
        """What a fresh verification found; None when it confirms the claim (AB-ERR-05)."""
        missing = self.missing_command(gates)
        if missing is not None:
            return self.lacking(missing, None)
        failed = [gate for gate in Gate if gate in gates and not self.has_passed(gates[gate])]
        if not failed:
            return None
        found = "\n".join(line for gate in failed for line in gate_lines(gate, gates[gate]))
        names = ", ".join(failed)
        captured = {
            "claimed": "all quality gates pass",
            "found": found,
            "difference": f"claimed to pass, but failed: {names}",
            "cases": {str(gate): self.captures.of(gate, gates[gate]) for gate in failed},
        }
        details = f"claimed: {captured['claimed']}; difference: {captured['difference']}; found:\n{found}"
        message = f"claimed success, but the fresh verification failed: {names}"
        return Failure(FailureType.VERIFICATION_MISMATCH, message, details, captured)


class RetryRules:
    """What the sub-agent of a retry is told (AB-RTY-05, AB-RTY-06)."""

    def context(self, record: Record, commands: Commands) -> RetryContext:
        """The context, out of the record of the attempt before (AB-RTY-05, ``nested``)."""
        error = (record.error or {}).get("attempt_1") or {}
        execution = record.execution
        type_ = str(error.get("type", UNKNOWN))
        return RetryContext(
            previous_error_type=type_,
            previous_error_message=str(error.get("message", "")),
            previous_error_details=str(error.get("details", "")),
            tasks_completed=(execution.tasks_completed or 0) if execution else 0,
            tasks_total=(execution.tasks_total or 0) if execution else 0,
            retry_guidance=self.guidance(type_, self.files_of(error), commands),
        )

    def guidance(self, type_: str, files: Sequence[str], commands: Commands) -> str:
        """What is advised after that failure, without placeholders."""
        values = {
            "FILES": ", ".join(files) or "the tests that failed",
            "LINT_COMMAND": commands.lint or "the linter",
            "LINT_FIX_COMMAND": commands.lint_fix or "the automatic fixes of the linter",
            "TYPECHECK_COMMAND": commands.typecheck or "the type checker",
            "FORMAT_COMMAND": commands.format or "the formatter",
        }
        known = type_ in tuple(FailureType) and FailureType(type_) in GUIDANCE
        text = GUIDANCE[FailureType(type_)] if known else OWN_GUIDANCE.get(type_, OWN_GUIDANCE[UNKNOWN])
        return _PLACEHOLDER.sub(lambda found: values[found[1]], text)

    def files_of(self, error: Mapping[str, Any]) -> list[str]:
        """The files that were captured."""
        captured = error.get("captured")
        found = captured.get("files") if isinstance(captured, dict) else None
        return [str(each) for each in found] if isinstance(found, list) else []


def unique(found: Iterable[str]) -> list[str]:
    """Each text once, in order, without those that are empty."""
    return [each for each in dict.fromkeys(found) if each]


def gate_lines(gate: Gate, result: GateResult) -> list[str]:
    """What came of a gate that failed, for people: a line for it, and one for each case."""
    count = f", {len(result.failures)} failures" if result.failures else ""
    summary = f": {result.output_summary}" if result.output_summary else ""
    return [f"{gate} failed (exit code {result.exit_code}{count}){summary}", *map(case_line, result.failures)]


def case_line(case: GateFailure) -> str:
    """A case, for people."""
    place = case.file if case.line is None else f"{case.file}:{case.line}"
    types = "" if case.expected is None and case.actual is None else f"expected {case.expected}, got {case.actual}"
    parts = (place, case.rule, case.name, types, case.message)
    return " ".join(part for part in parts if part)

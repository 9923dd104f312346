"""Mutants of what a failed attempt is called, whether it is repeated, and what is captured of it."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from harness.systems.phase_runner.contract import GateFailure, GateResult, ReportArguments, SubagentResult
from harness.systems.phase_runner.contract.words import RETRYABLE, FailureType, Gate
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.failures import UNKNOWN, Failure, FailureRules
from harness.systems.phase_runner.reference.progress import Progress
from harness.systems.phase_runner.reference.records import Record

_replace = msgspec.structs.replace
Cases = tuple[GateFailure, ...]


def unretried(type_: FailureType) -> None:
    """Enters a runner that does not retry one of the eight types."""

    def is_retryable(self: FailureRules, type__: str) -> bool:
        return type__ != type_ and FailureRules.is_retryable(self, type__)

    words = type_.value.replace("_", "-")
    mutant(f"{words}-is-not-retried", "AB-CLS-01", f"an attempt that failed with {type_} is not repeated")(
        type("Unretried", (FailureRules,), {"is_retryable": is_retryable})
    )


for _type in FailureType:
    if _type in RETRYABLE:
        unretried(_type)


@mutant("missing-packages-are-retried", "AB-CLS-02", "a package that is missing is looked for a second time")
class MissingPackagesAreRetried(FailureRules):
    def is_retryable(self, type_: str) -> bool:
        return type_ == FailureType.DEPENDENCY_MISSING or super().is_retryable(type_)


@mutant("whatever-fails-is-retried", "AB-RTY-04", "every type is repeated once, a conflict of files too")
class WhateverFailsIsRetried(FailureRules):
    def is_retryable(self, type_: str) -> bool:
        return True


@mutant("strange-failures-are-retried-for-ever", "AB-CLS-03", "what none of the twelve types fits is repeated for ever")
class StrangeFailuresAreRetriedForEver(Progress):
    def may_retry(self, record: Record, failure: Failure) -> bool:
        return failure.type == UNKNOWN or super().may_retry(record, failure)


# -- what it is called


def misnamed(name: str, clause: str, description: str, wrong: FailureType, right: FailureType) -> None:
    """Enters a runner that takes one type of failure for another."""

    def reported(self: FailureRules, result: SubagentResult) -> Failure:
        found = FailureRules.reported(self, result)
        return found._replace(type=wrong) if found.type == right else found

    mutant(name, clause, description)(type("Misnamed", (FailureRules,), {"reported": reported}))


misnamed("format-errors-are-lint-errors", "AB-CLS-01", "a format that is wrong is told as lint_error",
         FailureType.LINT_ERROR, FailureType.FORMAT_ERROR)  # fmt: skip
misnamed("test-failures-are-incomplete-tasks", "AB-ERR-01", "tests that fail are told as task_incomplete",
         FailureType.TASK_INCOMPLETE, FailureType.TEST_FAILURE)  # fmt: skip
misnamed("lint-errors-are-format-errors", "AB-ERR-02", "what the linter finds is told as format_error",
         FailureType.FORMAT_ERROR, FailureType.LINT_ERROR)  # fmt: skip
misnamed("type-errors-are-lint-errors", "AB-ERR-03", "types that do not meet are told as lint_error",
         FailureType.LINT_ERROR, FailureType.TYPECHECK_ERROR)  # fmt: skip
misnamed("undone-tasks-are-failed-tests", "AB-ERR-07", "tasks that are not done are told as test_failure",
         FailureType.TEST_FAILURE, FailureType.TASK_INCOMPLETE)  # fmt: skip


@mutant("silence-is-no-result", "AB-ERR-04", "no answer in time is told as parse_error")
class SilenceIsNoResult(FailureRules):
    def silence(self, arguments: ReportArguments) -> Failure:
        return super().silence(arguments)._replace(type=FailureType.PARSE_ERROR)


@mutant("silence-has-no-length", "AB-ERR-04", "it is not kept how long nothing was heard")
class SilenceHasNoLength(FailureRules):
    def silence(self, arguments: ReportArguments) -> Failure:
        return super().silence(_replace(arguments, elapsed_s=None))


@mutant("silence-lasts-ten-minutes", "AB-ERR-04", "however long nothing was heard, ten minutes are kept")
class SilenceLastsTenMinutes(FailureRules):
    def silence(self, arguments: ReportArguments) -> Failure:
        return super().silence(_replace(arguments, elapsed_s=600.0))


@mutant("last-activity-is-forgotten", "AB-ERR-04", "it is not kept what was done last before nothing was heard")
class LastActivityIsForgotten(FailureRules):
    def silence(self, arguments: ReportArguments) -> Failure:
        return super().silence(_replace(arguments, last_activity=None))


@mutant("no-result-is-a-claim", "AB-ERR-07", "what cannot be parsed is taken for a claim of success")
class NoResultIsAClaim(FailureRules):
    def parsed(self, said: str) -> SubagentResult | None:
        return super().parsed(said) or SubagentResult(success=True, tasks_total=1, tasks_completed=1)


@mutant("no-result-is-silence", "AB-ERR-07", "what cannot be parsed is told as timeout")
class NoResultIsSilence(FailureRules):
    def unparsable(self, said: str) -> Failure:
        return super().unparsable(said)._replace(type=FailureType.TIMEOUT)


@mutant("half-of-the-tasks-is-enough", "AB-ERR-07", "a phase is finished with half of its tasks")
class HalfOfTheTasksIsEnough(FailureRules):
    def is_finished(self, result: SubagentResult) -> bool:
        return 2 * result.tasks_completed >= result.tasks_total


# -- what is captured of gates


def uncaptured(name: str, gate: Gate, description: str, change: Callable[[Cases], Cases]) -> None:
    """Enters a runner that knows less of the cases of one gate than it was told."""
    clause = {Gate.TEST: "AB-ERR-01", Gate.LINT: "AB-ERR-02", Gate.TYPECHECK: "AB-ERR-03"}[gate]

    def reported(self: FailureRules, result: SubagentResult) -> Failure:
        found = result.gates.get(gate)
        if found is None:
            return FailureRules.reported(self, result)
        less = _replace(found, failures=change(found.failures))
        return FailureRules.reported(self, _replace(result, gates={**result.gates, gate: less}))

    mutant(name, clause, description)(type("Uncaptured", (FailureRules,), {"reported": reported}))


def without(**fields: Any) -> Callable[[Cases], Cases]:
    """Cases in which these fields say something else."""
    return lambda cases: tuple(_replace(case, **fields) for case in cases)


def but_the_first(cases: Cases) -> Cases:
    """All cases but the first, and that one where there is no other."""
    return cases[1:] or cases


uncaptured("files-of-tests-are-lost", Gate.TEST, "the paths of tests that fail are lost", without(file="tests"))
uncaptured("names-of-tests-are-lost", Gate.TEST, "the names of tests that fail are lost", without(name=None))
uncaptured("messages-of-tests-are-lost", Gate.TEST, "what tests say that fail is lost", without(message=""))
uncaptured("one-test-is-captured", Gate.TEST, "of the tests that fail the first is lost", but_the_first)
uncaptured("paths-of-lint-are-lost", Gate.LINT, "the paths of what the linter finds are lost", without(file="src"))
uncaptured("rules-are-lost", Gate.LINT, "the rules that are broken are lost", without(rule=None))
uncaptured("lines-of-lint-are-lost", Gate.LINT, "the lines of what the linter finds are lost", without(line=None))
uncaptured("one-rule-is-captured", Gate.LINT, "of what the linter finds the first is lost", but_the_first)
uncaptured("paths-of-types-are-lost", Gate.TYPECHECK, "the paths of types that do not meet are lost",
           without(file="src"))  # fmt: skip
uncaptured("expected-types-are-lost", Gate.TYPECHECK, "which type was expected is lost", without(expected=None))
uncaptured("lines-of-types-are-lost", Gate.TYPECHECK, "the lines of types that do not meet are lost",
           without(line=None))  # fmt: skip


@mutant("exit-code-0-is-success", "AB-ERR-01", "tests pass with exit code 0, whatever case fails")
class ExitCode0IsSuccess(FailureRules):
    def has_passed(self, gate: GateResult) -> bool:
        return gate.exit_code == 0


@mutant("no-case-is-success", "AB-ERR-01", "tests pass when no case fails, whatever the exit code")
class NoCaseIsSuccess(FailureRules):
    def has_passed(self, gate: GateResult) -> bool:
        return not gate.failures


# -- what a fresh verification finds


@mutant("claims-are-trusted", "AB-ERR-05", "whatever a fresh verification finds, the phase is complete")
class ClaimsAreTrusted(FailureRules):
    def verified(self, gates: Mapping[Gate, GateResult]) -> Failure | None:
        return None


@mutant("one-gate-is-verified", "AB-ERR-05", "of a fresh verification one gate is looked at")
class OneGateIsVerified(FailureRules):
    def verified(self, gates: Mapping[Gate, GateResult]) -> Failure | None:
        return super().verified(dict(list(gates.items())[:1]))


@mutant("tests-alone-are-verified", "AB-ERR-05", "of a fresh verification the tests are looked at")
class TestsAloneAreVerified(FailureRules):
    def verified(self, gates: Mapping[Gate, GateResult]) -> Failure | None:
        return super().verified({gate: found for gate, found in gates.items() if gate is Gate.TEST})


@mutant("mismatches-are-test-failures", "AB-ERR-05", "a claim that is not confirmed is told as test_failure")
class MismatchesAreTestFailures(FailureRules):
    def verified(self, gates: Mapping[Gate, GateResult]) -> Failure | None:
        found = super().verified(gates)
        is_mismatch = found is not None and found.type == FailureType.VERIFICATION_MISMATCH
        return found._replace(type=FailureType.TEST_FAILURE) if found is not None and is_mismatch else found


@mutant("mismatches-are-not-captured", "AB-ERR-05", "what a fresh verification found is not kept")
class MismatchesAreNotCaptured(FailureRules):
    def verified(self, gates: Mapping[Gate, GateResult]) -> Failure | None:
        found = super().verified(gates)
        said = "it is not so"
        return None if found is None else found._replace(message=said, details=said, captured={})


@mutant("claims-are-not-verified", "AB-ERR-05", "a claim of success is enough")
class ClaimsAreNotVerified(Progress):
    def claimed(self, record: Record, result: SubagentResult) -> None:
        subject = self.transitions.subject(record, result)
        self.complete(self.transitions.claimed(record, result, subject, self.now_s))
        self.go_on()


@mutant("claims-are-committed", "AB-ERR-05", "what is claimed is committed before it is verified")
class ClaimsAreCommitted(Progress):
    def claimed(self, record: Record, result: SubagentResult) -> None:
        super().claimed(record, result)
        self.commit((record.phase_id,), self.transitions.subject(record, result))


# -- what cannot be retried


@mutant("missing-packages-are-no-reason", "AB-RTY-04", "a run goes on without what lacks a package")
class MissingPackagesAreNoReason(Progress):
    def fail(self, record: Record, failure: Failure) -> None:
        super().fail(record, failure)
        if failure.type == FailureType.DEPENDENCY_MISSING:
            self.run.failed.discard(record.phase_id)


@mutant("missing-packages-are-failed-tests", "AB-NRT-01", "a package that is missing is told as test_failure")
class MissingPackagesAreFailedTests(FailureRules):
    def reported(self, result: SubagentResult) -> Failure:
        return super().reported(_replace(result, missing=None, gates={Gate.TEST: GateResult(1)}))\
            if result.missing is not None else super().reported(result)  # fmt: skip

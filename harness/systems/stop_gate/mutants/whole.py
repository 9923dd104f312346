"""Mutants of the principle itself: PS-FO, PS-ENV, PS-TST."""

from collections.abc import Sequence

from harness.systems.stop_gate.contract import (
    SKIP_VARIABLE,
    CheckArguments,
    CheckerOutcome,
    CheckResult,
    Decision,
    LogCode,
    LogLevel,
)
from harness.systems.stop_gate.mutants.table import blocked, logged, mutant
from harness.systems.stop_gate.reference.considerations import Question
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case, approve


@mutant("error-blocks", "PS-FO-01", "a check that logged an error blocks where it would have approved")
class ErrorBlocks(StopGate):
    def conclude(self, case: Case, result: CheckResult) -> CheckResult:
        broken = any(entry.level is LogLevel.ERROR for entry in case.trace.entries)
        return super().conclude(case, blocked("error") if broken and result.decision is Decision.APPROVE else result)


@mutant("unreadable-transcript-lacks-everything", "PS-FO-01", "a transcript that cannot be read counts as unfinished")
class UnreadableTranscriptLacksEverything(StopGate):
    def unreadable(self, case: Case, why: str) -> CheckResult:
        super().unreadable(case, why)
        return blocked("objective_complete")


@mutant("keyless-consideration-escapes", "PS-FO-02", "a consideration without a checker key raises out of the check")
class KeylessConsiderationEscapes(StopGate):
    def check(self, arguments: CheckArguments, now_s: float | None = None) -> CheckResult:
        if any(one.outcome is CheckerOutcome.KEYLESS for one in arguments.considerations or ()):
            raise KeyError("checker")
        return super().check(arguments, now_s)


@mutant("missing-project-escapes", "PS-FO-02", "a project that does not exist raises out of the check")
class MissingProjectEscapes(StopGate):
    def check(self, arguments: CheckArguments, now_s: float | None = None) -> CheckResult:
        if self.files.status(arguments.project_root) is None:
            raise FileNotFoundError(arguments.project_root)
        return super().check(arguments, now_s)


@mutant("interrupt-of-a-checker-escapes", "PS-FO-02", "what Ctrl-C raises in a checker goes through the whole check")
class InterruptOfACheckerEscapes(StopGate):
    def checker_broke(self, case: Case, question: Question, error: BaseException) -> bool:
        if isinstance(error, KeyboardInterrupt):
            raise RuntimeError("interrupted") from error
        return super().checker_broke(case, question, error)


@mutant("block-without-prompt", "PS-FO-03", "a block carries no continuation prompt")
class BlockWithoutPrompt(StopGate):
    def hold(self, case: Case, blockers: Sequence[Question]) -> CheckResult:
        held = super().hold(case, blockers)
        return CheckResult(held.decision, held.reasons, None, held.summary)


@mutant("prompt-on-approval", "PS-FO-03", "an approval carries a continuation prompt too")
class PromptOnApproval(StopGate):
    def conclude(self, case: Case, result: CheckResult) -> CheckResult:
        done = super().conclude(case, result)
        prompt = done.continuation_prompt or "Nothing is left to do."
        return CheckResult(done.decision, done.reasons, prompt, done.summary, done.log)


@mutant("skip-ignored", "PS-ENV-01", "the skip variable does nothing")
class SkipIgnored(StopGate):
    def skipped(self, case: Case) -> CheckResult | None:
        return None


@mutant("skip-remembered", "PS-ENV-01", "the skip variable is read once, so unsetting it does not switch on again")
class SkipRemembered(StopGate):
    def skipped(self, case: Case) -> CheckResult | None:
        result = super().skipped(case)
        if result is not None or getattr(self, "remembered", False):
            self.__dict__["remembered"] = True
            return approve("skipped")
        return None


@mutant("skip-at-zero", "PS-ENV-01", "any value of the skip variable switches off, 0 and the empty one included")
class SkipAtZero(StopGate):
    def skipped(self, case: Case) -> CheckResult | None:
        return approve("skipped") if SKIP_VARIABLE in case.arguments.environment else None


@mutant("damage-is-unfinished-work", "PS-TST-01", "a session with a damaged line in its transcript is blocked")
class DamageIsUnfinishedWork(StopGate):
    def decide(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        if logged(case, LogCode.INVALID_JSON_LINE):
            return blocked("transcript_complete")
        return super().decide(case, failed)


@mutant("damage-excuses-everything", "PS-TST-01", "a damaged line in the transcript makes every blocker pass")
class DamageExcusesEverything(StopGate):
    def decide(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        return super().decide(case, () if logged(case, LogCode.INVALID_JSON_LINE) else failed)

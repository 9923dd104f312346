"""Mutants of the decision, its prompt and its summary: PS-CON, PS-LOOP, PS-PRM, PS-SUM."""

from collections.abc import Sequence

from harness.systems.stop_gate.contract import (
    PROMPT_MARK,
    PROMPT_WITHOUT_FAILURES,
    SUMMARY_CUT_MARK,
    SUMMARY_LIMIT_CHARACTERS,
    UNKNOWN_OBJECTIVE,
    CheckResult,
    Severity,
)
from harness.systems.stop_gate.mutants.table import mutant
from harness.systems.stop_gate.reference.considerations import OwnQuestions, Question, changed_paths
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case, approve
from harness.systems.stop_gate.reference.summary import SummaryWriter
from harness.systems.stop_gate.reference.trace import Trace
from harness.systems.stop_gate.reference.transcript import Message


@mutant("every-answer-is-conclusive", "PS-CON-01", "a session without tool calls that ends in a question is let go")
class EveryAnswerIsConclusive(OwnQuestions):
    def looks_conclusive(self, text: str) -> bool:
        return True


@mutant("no-answer-is-conclusive", "PS-CON-01", "every session without tool calls is blocked")
class NoAnswerIsConclusive(OwnQuestions):
    def looks_conclusive(self, text: str) -> bool:
        return False


@mutant("last-request-is-the-objective", "PS-CON-02", "the objective is the last user message")
class LastRequestIsTheObjective(SummaryWriter):
    def objective(self, messages: Sequence[Message]) -> str:
        return super().objective(list(reversed(messages)))


@mutant("any-role-states-the-objective", "PS-CON-02", "the objective is the first message, whoever said it")
class AnyRoleStatesTheObjective(SummaryWriter):
    def objective(self, messages: Sequence[Message]) -> str:
        return super().objective([message._replace(role="user") for message in messages])


@mutant("prompt-not-recognised", "PS-LOOP-03", "the gate does not know its own prompt")
class PromptNotRecognised(StopGate):
    def own_prompt(self, case: Case) -> CheckResult | None:
        return None


@mutant(
    "prompt-recognised-only-alone", "PS-LOOP-03", "the gate knows its prompt only when nothing stands around the mark"
)
class PromptRecognisedOnlyAlone(StopGate):
    def is_own_prompt(self, messages: Sequence[Message]) -> bool:
        return messages[-1].text.strip() == PROMPT_MARK


@mutant("blocks-without-bound", "PS-LOOP-04", "a session is blocked as often as it stops")
class BlocksWithoutBound(StopGate):
    def may_hold(self, case: Case) -> bool:
        return True


@mutant("empty-prompt-unlogged", "PS-PRM-01", "a prompt without failures is not logged as an error")
class EmptyPromptUnlogged(StopGate):
    def prompt(self, failed: Sequence[Question], trace: Trace) -> str:
        return super().prompt(failed, trace) if failed else PROMPT_WITHOUT_FAILURES


@mutant("empty-prompt-holds-the-session", "PS-PRM-01", "a prompt without failures says that the session is incomplete")
class EmptyPromptHoldsTheSession(StopGate):
    def prompt(self, failed: Sequence[Question], trace: Trace) -> str:
        prompt = super().prompt(failed, trace)
        return prompt if failed else f"{PROMPT_MARK}."


@mutant("warnings-block", "PS-PRM-02", "a failed warning blocks")
class WarningsBlock(StopGate):
    def is_blocker(self, question: Question) -> bool:
        return question.severity is not None


@mutant("missing-severity-blocks", "PS-PRM-02", "a failed consideration without a severity blocks")
class MissingSeverityBlocks(StopGate):
    def is_blocker(self, question: Question) -> bool:
        return question.severity is not Severity.WARNING


@mutant("nothing-blocks", "PS-PRM-02", "a failed blocker is let go like a warning")
class NothingBlocks(StopGate):
    def is_blocker(self, question: Question) -> bool:
        return False


@mutant("warnings-unnamed-in-reasons", "PS-PRM-03", "an approval with failed warnings says that all is complete")
class WarningsUnnamedInReasons(StopGate):
    def reason(self, failed: Sequence[Question]) -> str:
        return "complete"


@mutant("warnings-missing-from-summary", "PS-PRM-03", "the summary does not tell the warnings")
class WarningsMissingFromSummary(SummaryWriter):
    def warnings(self, warnings: Sequence[Question]) -> str:
        return f"{len(warnings)} in all"


@mutant("prompt-without-mark", "PS-PRM-04", "the continuation prompt lacks the text by which it is recognised")
class PromptWithoutMark(StopGate):
    def prompt(self, failed: Sequence[Question], trace: Trace) -> str:
        return super().prompt(failed, trace).replace(PROMPT_MARK, "This session looks unfinished")


@mutant("summary-needs-an-objective", "PS-SUM-01", "without a user message there is no summary")
class SummaryNeedsAnObjective(StopGate):
    def let_go(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        result = super().let_go(case, failed)
        known = self.summary_class().objective(case.messages) not in UNKNOWN_OBJECTIVE
        return result if known else approve(result.reasons[0])


@mutant("no-user-message-raises", "PS-SUM-01", "the first of no user messages is asked for, which breaks the check")
class NoUserMessageRaises(SummaryWriter):
    def objective(self, messages: Sequence[Message]) -> str:
        return [message.text for message in messages if message.role == "user"][0]


@mutant("files-on-one-line", "PS-SUM-02", "the changed files stand on one line, separated by commas")
class FilesOnOneLine(SummaryWriter):
    def files(self, messages: Sequence[Message]) -> str:
        return super().files(messages).replace("\n- ", ", ")


@mutant("no-files-unsaid", "PS-SUM-02", "a session without changed files has an empty list of them")
class NoFilesUnsaid(SummaryWriter):
    def files(self, messages: Sequence[Message]) -> str:
        changed = any(changed_paths(tool) for message in messages for tool in message.tools)
        return super().files(messages) if changed else ""


@mutant("last-file-missing", "PS-SUM-02", "the file that was changed last is not listed")
class LastFileMissing(SummaryWriter):
    def files(self, messages: Sequence[Message]) -> str:
        return "\n".join(super().files(messages).split("\n- ")[:-1]) or super().files(messages)


@mutant("cut-counts-the-mark", "PS-SUM-03", "100,000 characters include the mark")
class CutCountsTheMark(SummaryWriter):
    def cut(self, text: str) -> str:
        whole = super().cut(text)
        return whole if whole == text else text[: SUMMARY_LIMIT_CHARACTERS - len(SUMMARY_CUT_MARK)] + SUMMARY_CUT_MARK


@mutant("cut-without-mark", "PS-SUM-03", "a summary that was cut does not say so")
class CutWithoutMark(SummaryWriter):
    def cut(self, text: str) -> str:
        return text[:SUMMARY_LIMIT_CHARACTERS]


@mutant("summary-never-cut", "PS-SUM-03", "a summary may have any length")
class SummaryNeverCut(SummaryWriter):
    def cut(self, text: str) -> str:
        return text

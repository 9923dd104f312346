"""Mutants of the stop gate written from document 004 alone, without a look at what judges them."""

# ruff: noqa: D101, D102 -- each says what is wrong in its decorator, as the others do

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from harness.systems.mutant import Mutant
from harness.systems.stop_gate.contract import (
    PROMPT_MARK,
    SEMAPHORE_LIFETIME_S,
    SKIP_VARIABLE,
    SUMMARY_CUT_MARK,
    SUMMARY_LIMIT_CHARACTERS,
    CheckResult,
    LogCode,
    Severity,
)
from harness.systems.stop_gate.mutants.table import GATES as WRITTEN_KNOWING
from harness.systems.stop_gate.mutants.table import logged
from harness.systems.stop_gate.reference.config import Config, ConfigReader
from harness.systems.stop_gate.reference.considerations import Question
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case, approve
from harness.systems.stop_gate.reference.limits import Watch
from harness.systems.stop_gate.reference.state import Store
from harness.systems.stop_gate.reference.summary import SummaryWriter
from harness.systems.stop_gate.reference.trace import Trace
from harness.systems.stop_gate.reference.transcript import ROLES, Message, TranscriptReader

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants

COUNTED_S = 60  # of the blocks that one mutant remembers


@mutant("white-space-is-a-line", "PS-TR-03", "only an empty line is blank: one of spaces or tabs is an invalid line")
class WhiteSpaceIsALine(TranscriptReader):
    def is_blank(self, line: bytes) -> bool:
        return not line.rstrip(b"\r\n")


@mutant("type-stands-for-role", "PS-TR-08", "a line that has no role is a message when its type is called like one")
class TypeStandsForRole(TranscriptReader):
    def role(self, record: Mapping[str, Any]) -> str | None:
        role = super().role(record)
        kind = record.get("type")
        if role is None and isinstance(kind, str) and kind in ROLES:
            return kind
        return role


@mutant("age-forgets-the-days", "PS-SES-04", "a semaphore's age is the seconds of its last day: a day old is new")
class AgeForgetsTheDays(Store):
    def is_stale(self, age_s: float) -> bool:
        age = timedelta(seconds=min(max(0.0, age_s), 1e12))
        return age.seconds + age.microseconds / 1e6 > SEMAPHORE_LIFETIME_S


@mutant("crash-ends-the-questions", "PS-CHK-02", "the checkers after one that raised are not asked any more")
class CrashEndsTheQuestions(StopGate):
    def failures(self, case: Case, watch: Watch) -> list[Question] | None:
        failed = []
        for question in self.questions(case):
            satisfied = None if watch.over() else self.ask(case, question, watch)
            if satisfied is None:
                return None
            if not satisfied:
                failed.append(question)
            if logged(case, LogCode.CHECKER_RAISED):
                break
        return failed


@mutant("one-bad-value-spoils-all", "PS-CFG-03", "with one value that is not usable the other value is not used either")
class OneBadValueSpoilsAll(ConfigReader):
    def checked(self, values: dict[str, Any], trace: Trace) -> Config:
        before = len(trace.entries)
        found = super().checked(values, trace)
        return found if len(trace.entries) == before else self.without_file()


@mutant("summary-goes-with-its-file", "PS-FS-02", "a summary that could not be written is not in the answer", "L2")
class SummaryGoesWithItsFile(StopGate):
    def let_go(self, case: Case, failed: Sequence[Question]) -> CheckResult:
        result = super().let_go(case, failed)
        if logged(case, LogCode.SUMMARY_WRITE_FAILED):
            return approve(result.reasons[0])
        return result


@mutant("objective-in-one-line", "PS-CON-02", "the objective is only the first line of the first user message")
class ObjectiveInOneLine(SummaryWriter):
    def objective(self, messages: Sequence[Message]) -> str:
        return super().objective(messages).strip().splitlines()[0]


@mutant("prompt-at-the-beginning", "PS-LOOP-03", "the prompt is only known where the last message begins with it")
class PromptAtTheBeginning(StopGate):
    def is_own_prompt(self, messages: Sequence[Message]) -> bool:
        return messages[-1].text.lstrip().startswith(PROMPT_MARK)


@mutant("blocks-of-the-last-minute", "PS-LOOP-04", "only blocks of the last minute count: slow stops have no bound")
class BlocksOfTheLastMinute(Store):
    def blocks(self, data: bytes, now_s: float) -> int:
        return super().blocks(data, now_s + SEMAPHORE_LIFETIME_S - COUNTED_S)


@mutant("warnings-are-named-so", "PS-PRM-03", "the summary lacks what failed without any severity")
class WarningsAreNamedSo(StopGate):
    def summary(self, case: Case, failed: Sequence[Question]) -> str:
        return super().summary(case, [question for question in failed if question.severity is Severity.WARNING])


@mutant("summary-cut-by-bytes", "PS-SUM-03", "the summary is cut at 100,000 bytes of UTF-8, not characters")
class SummaryCutByBytes(SummaryWriter):
    def cut(self, text: str) -> str:
        data = text.encode()
        if len(data) <= SUMMARY_LIMIT_CHARACTERS:
            return text
        return data[:SUMMARY_LIMIT_CHARACTERS].decode(errors="ignore") + SUMMARY_CUT_MARK


@mutant("environment-read-once", "PS-ENV-01", "the first check of a process decides for all whether it is skipped")
class EnvironmentReadOnce(StopGate):
    def skipped(self, case: Case) -> CheckResult | None:
        self._variable: str | None = getattr(self, "_variable", case.arguments.environment.get(SKIP_VARIABLE))
        if self._variable != "1":
            return None
        case.recorded = False
        return approve("skipped")

"""Mutants of the recovery procedures: ER-TMO-01, ER-SYN-01, ER-BLD-01, ER-JQ-01, ER-JQ-02, ER-MCP-01/02, ER-DEL-01."""

import re
from typing import Any

from harness.systems.error_log.contract import Action, ErrorType, StepTaken
from harness.systems.error_log.mutants.table import mutant, procedures, swapped, twice, when, without
from harness.systems.error_log.reference.course import Course
from harness.systems.error_log.reference.error_log import ErrorLog
from harness.systems.error_log.reference.jq import Jq
from harness.systems.error_log.reference.steps import Stepper
from harness.systems.error_log.reference.sync import STATE, TODO, KeptStatuses, Statuses
from harness.systems.error_log.reference.tables import When
from harness.systems.error_log.reference.texts import as_text

TIMEOUT, SYNC, BUILD = ErrorType.TIMEOUT, ErrorType.STATUS_SYNC_FAILURE, ErrorType.BUILD_ERROR
JQ, MCP, DELEGATION = ErrorType.JQ_PARSE_FAILURE, ErrorType.MCP_ABORT_ERROR, ErrorType.DELEGATION_INTERRUPTED


def _procedure(name: str, clause: str, description: str, kind: str, change: Any) -> None:
    changed = type("Changed" + kind.title().replace("_", ""), (ErrorLog,), {"procedures": procedures(kind, change)})
    mutant(name, clause, description)(changed)


_procedure("commit-before-the-mark", "ER-TMO-01", "after a timeout the commit comes before the mark",
           TIMEOUT, swapped(Action.MARK_PARTIAL, Action.COMMIT))  # fmt: skip
_procedure("no-commit-after-a-timeout", "ER-TMO-01", "after a timeout nothing is committed",
           TIMEOUT, without(Action.COMMIT))  # fmt: skip
_procedure("timeouts-save-last", "ER-TMO-01", "after a timeout progress is saved after the commit",
           TIMEOUT, swapped(Action.PRESERVE, Action.COMMIT))  # fmt: skip


@mutant("failed-commits-end-the-recovery", "ER-TMO-01", "a commit that fails ends the recovery from a timeout")
class FailedCommitsEndTheRecovery(Stepper):
    def commit(self, course: Course) -> StepTaken:
        return super().commit(course) if course.facts.commit_succeeds else StepTaken(Action.REPORT)


_procedure("one-file-is-read", "ER-SYN-01", "of the two files that diverge state.json is read alone",
           SYNC, without(Action.READ_TODO))  # fmt: skip
_procedure("nobody-is-blamed", "ER-SYN-01", "git blame is not asked", SYNC, without(Action.BLAME))
_procedure("synced-before-blame", "ER-SYN-01", "git blame is asked after the sync",
           SYNC, swapped(Action.BLAME, Action.SYNC))  # fmt: skip
_procedure("resolution-is-not-logged", "ER-SYN-01", "how the divergence was resolved is not logged",
           SYNC, without(Action.LOG_RESOLUTION))  # fmt: skip


@mutant("older-file-is-taken", "ER-SYN-01", "the file that was changed first is taken")
class OlderFileIsTaken(KeptStatuses):
    def newer(self, todo_changed: str | None, state_changed: str | None) -> str:
        found = super().newer(todo_changed, state_changed)
        return found if None in (todo_changed, state_changed) else {TODO: STATE, STATE: TODO}[found]


@mutant("times-compare-as-texts", "ER-SYN-01", "the times of git blame are compared as texts, whatever their offset")
class TimesCompareAsTexts(KeptStatuses):
    def newer(self, todo_changed: str | None, state_changed: str | None) -> str:
        if todo_changed is None or state_changed is None:
            return super().newer(todo_changed, state_changed)
        return TODO if todo_changed > state_changed else STATE


@mutant("syncing-is-only-told", "ER-SYN-01", "the older file is said to be in sync, and stays as it is")
class SyncingIsOnlyTold(KeptStatuses):
    def write(self, label: str, statuses: Statuses, now_s: float) -> None:
        return


_procedure("build-output-is-not-captured", "ER-BLD-01", "what the build said is not captured",
           BUILD, without(Action.CAPTURE_OUTPUT))  # fmt: skip
_procedure("build-failures-are-not-reported", "ER-BLD-01", "a build failure is not reported",
           BUILD, without(Action.REPORT))  # fmt: skip
_procedure("builds-are-logged-first", "ER-BLD-01", "a build failure is logged before its output is captured",
           BUILD, swapped(Action.CAPTURE_OUTPUT, Action.LOG))  # fmt: skip


@mutant("sources-are-reset", "ER-BLD-01", "after a build failure the source is emptied")
class SourcesAreReset(Stepper):
    def capture_output(self, course: Course) -> StepTaken:
        if course.error.type == BUILD:
            source = self.metadata.file.path.replace("specs/.return-meta.json", "src/main.py")
            self.metadata.file.files.replace(source, b"")
        return super().capture_output(course)


_procedure("jq-output-is-not-captured", "ER-JQ-01", "what jq said is not captured",
           JQ, without(Action.CAPTURE_OUTPUT))  # fmt: skip
_procedure("jq-is-not-retried", "ER-JQ-01", "after a jq failure nothing is run again", JQ, without(Action.RETRY))
_procedure("jq-is-retried-twice", "ER-JQ-01", "after a jq failure the filter is run twice", JQ, twice(Action.RETRY))
_procedure("jq-is-retried-before-it-is-logged", "ER-JQ-01", "a jq failure is logged after the retry",
           JQ, swapped(Action.LOG, Action.RETRY))  # fmt: skip
_procedure("jq-recovery-is-not-logged", "ER-JQ-01", "that the retry worked is not logged",
           JQ, without(Action.LOG_RESOLUTION))  # fmt: skip


@mutant("original-command-is-lost", "ER-JQ-01", "the record has the new filter and not the one that failed")
class OriginalCommandIsLost(Stepper):
    def capture_output(self, course: Course) -> StepTaken:
        found = super().capture_output(course)
        course.added["failed_command"] = self.jq.rewritten(as_text(course.facts.command))
        return found


@mutant("same-filter-again", "ER-JQ-02", "the filter is run again as it was")
class SameFilterAgain(Jq):
    def rewritten(self, command: str) -> str:
        return command


@mutant("not-is-forgotten", "ER-JQ-02", "a comparison turns into its opposite, without | not")
class NotIsForgotten(Jq):
    def rewritten(self, command: str) -> str:
        return super().rewritten(command).replace(" | not", "")


@mutant("texts-are-rewritten", "ER-JQ-02", "a != within a text is rewritten as well")
class TextsAreRewritten(Jq):
    def rewritten(self, command: str) -> str:
        return super().rewritten(command).replace("!=", "==")


@mutant("first-comparison-only", "ER-JQ-02", "of several comparisons the first is rewritten")
class FirstComparisonOnly(Jq):
    def filter(self, text: str) -> str:
        head, bar, tail = text.partition(" | select")
        return super().filter(head) + bar + tail


@mutant("every-comparison-is-negated", "ER-JQ-02", "an == is negated too")
class EveryComparisonIsNegated(Jq):
    def filter(self, text: str) -> str:
        found = super().filter(text)
        return re.sub(r"(== \"[^\"]*\")(?! \| not)", r"\1 | not", found) if found == text else found


_procedure("mcp-is-not-waited-for", "ER-MCP-01", "after an MCP abort the tool is asked again at once",
           MCP, without(Action.WAIT))  # fmt: skip
_procedure("mcp-is-retried-twice", "ER-MCP-01", "after an MCP abort the tool is asked twice", MCP, twice(Action.RETRY))
_procedure("mcp-is-waited-for-afterwards", "ER-MCP-01", "the five seconds come after the retry",
           MCP, swapped(Action.WAIT, Action.RETRY))  # fmt: skip
_procedure("mcp-is-logged-after-the-retry", "ER-MCP-01", "an MCP abort is logged after the retry",
           MCP, swapped(Action.LOG, Action.RETRY))  # fmt: skip


def _waiting(name: str, description: str, wait_s: float) -> None:
    def wait(self: Stepper, course: Course) -> StepTaken:
        return StepTaken(Action.WAIT, wait_s=wait_s)

    mutant(name, "ER-MCP-01", description)(type("Waiting", (Stepper,), {"wait": wait}))


_waiting("four-seconds", "the retry comes after four seconds", 4.0)
_waiting("six-seconds", "the retry comes after six seconds", 6.0)
_waiting("five-milliseconds", "five seconds are taken for milliseconds", 0.005)


@mutant("tools-are-not-logged", "ER-MCP-01", "the record of an MCP abort does not say which tool it was")
class ToolsAreNotLogged(ErrorLog):
    def fill(self, course: Course) -> None:
        return


_procedure("alternatives-are-not-used", "ER-MCP-02", "another tool that there is is not used",
           MCP, without(Action.ALTERNATIVE))  # fmt: skip
_procedure("alternatives-come-first", "ER-MCP-02", "another tool is used although the retry worked",
           MCP, when(Action.ALTERNATIVE, When.ALWAYS))  # fmt: skip
_procedure("mcp-metadata-is-not-written", "ER-MCP-02", "when nothing worked no partial status is written",
           MCP, without(Action.WRITE_METADATA))  # fmt: skip
_procedure("returned-before-it-is-written", "ER-MCP-02", "partial is returned before it is written",
           MCP, swapped(Action.WRITE_METADATA, Action.RETURN_PARTIAL))  # fmt: skip
_procedure("mcp-ends-in-nothing", "ER-MCP-02", "after an MCP abort nothing goes on, and nothing is returned",
           MCP, without(Action.CONTINUE, Action.RETURN_PARTIAL, Action.REPORT))  # fmt: skip


_procedure("metadata-is-not-checked", "ER-DEL-01", "the metadata of an interrupted delegation is not checked",
           DELEGATION, without(Action.CHECK_METADATA))  # fmt: skip
_procedure("progress-is-not-extracted", "ER-DEL-01", "of an interrupted delegation no progress is extracted",
           DELEGATION, without(Action.EXTRACT_PROGRESS))  # fmt: skip
_procedure("no-guidance", "ER-DEL-01", "nobody is told how to resume", DELEGATION, without(Action.GUIDANCE))
_procedure("delegations-are-logged-first", "ER-DEL-01", "an interrupted delegation is logged before it is looked at",
           DELEGATION, swapped(Action.CHECK_METADATA, Action.LOG))  # fmt: skip


@mutant("other-guidance", "ER-DEL-01", "the guidance is another text")
class OtherGuidance(Stepper):
    def guidance(self, course: Course) -> StepTaken:
        return StepTaken(Action.GUIDANCE, detail="Something went wrong")


@mutant("partial-progress-is-not-logged", "ER-DEL-01", "the record does not have what the delegation left")
class PartialProgressIsNotLogged(Stepper):
    def extract_progress(self, course: Course) -> StepTaken:
        found = super().extract_progress(course)
        course.added.pop("partial_progress", None)
        return found

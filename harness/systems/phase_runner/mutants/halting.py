"""Mutants of the halt: when it comes, what becomes of the other phases, and what is said."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from harness.systems.phase_runner.contract import StatusArguments, StatusResult, Summary
from harness.systems.phase_runner.contract.words import Event, FailureType, Status
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.progress import Progress
from harness.systems.phase_runner.reference.records import Record
from harness.systems.phase_runner.reference.run import Run
from harness.systems.phase_runner.reference.statuses import Statuses
from harness.systems.phase_runner.reference.summaries import Command, Summaries
from harness.systems.phase_runner.reference.transitions import Transitions
from harness.systems.trace import Trace

_replace = msgspec.structs.replace


@mutant("a-halt-waits-for-nobody", "AB-HLT-01", "a run halts as soon as a retry failed, whatever is running")
class AHaltWaitsForNobody(Run):
    @property
    def is_halted(self) -> bool:
        return self.is_halting


@mutant("a-halt-never-ends", "AB-HLT-01", "a run that halts waits though nothing is running")
class AHaltNeverEnds(Run):
    @property
    def is_halted(self) -> bool:
        return False


@mutant("a-halt-is-not-logged", "AB-HLT-01", "the execution log says nothing of a halt")
class AHaltIsNotLogged(Progress):
    def say(self, event: Event, what: str) -> None:
        if event is not Event.HALT:
            super().say(event, what)


@mutant("a-halt-is-a-pause", "AB-HLT-01", "how phases stand is told as if the run went on")
class AHaltIsAPause(Statuses):
    def of(self, arguments: StatusArguments, trace: Trace) -> StatusResult:
        return _replace(super().of(arguments, trace), halted=False)


@mutant("a-halt-launches-what-is-ready", "AB-HLT-02", "what is ready begins after a halt")
class AHaltLaunchesWhatIsReady(Progress):
    def halt(self) -> None:
        super().halt()
        self.launch_batch()


# -- what is blocked


@mutant("nothing-is-blocked", "AB-HLT-04", "what depends on what failed stays pending")
class NothingIsBlocked(Progress):
    def block(self, failed: Sequence[str]) -> None:
        return


@mutant("everything-is-blocked", "AB-HLT-04", "what failed blocks every phase that has not run")
class EverythingIsBlocked(Progress):
    def downstream(self, failed: Sequence[str]) -> Sequence[str]:
        return [each for each in self.run.records if each not in failed]


@mutant("neighbours-block", "AB-HLT-04", "what is blocked names what it depends on, whether that failed or not")
class NeighboursBlock(Progress):
    def settle(self, record: Record) -> None:
        if record.status is Status.BLOCKED:
            depends_on = self.run.graph.phases[record.phase_id].depends_on
            record = _replace(record, error={"blocked_by": list(depends_on)})
        super().settle(record)


@mutant("what-blocks-is-not-named", "AB-HLT-04", "what is blocked does not name what blocks it")
class WhatBlocksIsNotNamed(Transitions):
    def blocked(self, record: Record, by: Iterable[str], now_s: float) -> Record:
        return super().blocked(record, (), now_s)


@mutant("what-is-blocked-blocks-itself", "AB-HLT-04", "what is blocked names itself")
class WhatIsBlockedBlocksItself(Transitions):
    def blocked(self, record: Record, by: Iterable[str], now_s: float) -> Record:
        return super().blocked(record, (record.phase_id,), now_s)


@mutant("blocked-is-not-stored", "AB-HLT-04", "what is blocked is reported, and its record says pending")
class BlockedIsNotStored(Progress):
    def settle(self, record: Record) -> None:
        if record.status is Status.BLOCKED:
            self.run.put(record)
        else:
            super().settle(record)


# -- what is said


def told(name: str, clause: str, description: str, change: Callable[[Summary], Summary]) -> None:
    """Enters a runner whose summary says something else."""

    def of(
        self: Summaries, records: Sequence[Record], command: Command, stopped: str | None = None,
        files: int | None = None,
    ) -> Summary:  # fmt: skip
        return change(Summaries.of(self, records, command, stopped, files))

    mutant(name, clause, description)(type("Told", (Summaries,), {"of": of}))


def saying(**fields: Any) -> Callable[[Summary], Summary]:
    """A summary in which these fields say something else."""
    return lambda found: _replace(found, **fields)


def each_completed(**fields: Any) -> Callable[[Summary], Summary]:
    """A summary that says something else of what is complete."""
    return lambda found: _replace(found, completed=tuple(_replace(each, **fields) for each in found.completed))


def each_failed(**fields: Any) -> Callable[[Summary], Summary]:
    """A summary that says something else of what failed."""
    return lambda found: _replace(found, failed=tuple(_replace(each, **fields) for each in found.failed))


told("no-reason", "AB-HLT-03", "the summary gives no reason", saying(reason=""))
told("no-text", "AB-HLT-03", "the summary has no text for people", saying(text=""))
told("no-steps", "AB-HLT-03", "the summary has no steps to resume", saying(resume_steps=()))
told(
    "no-commits-are-named", "AB-HLT-03", "the summary names no commit of what is complete", each_completed(commit=None)
)
told("commits-are-the-names", "AB-HLT-03", "for the subject of a commit stands the name of its phase",
     lambda it: _replace(it, completed=tuple(_replace(each, commit=each.name) for each in it.completed)))  # fmt: skip
told(
    "complete-phases-have-no-name", "AB-HLT-03", "what is complete has no name in the summary", each_completed(name="")
)
told("nothing-complete-is-listed", "AB-HLT-03", "the summary does not list what is complete", saying(completed=()))
told("failed-phases-have-no-name", "AB-HLT-03", "what failed has no name in the summary", each_failed(name=""))
told("one-attempt-is-told", "AB-HLT-03", "the summary counts one attempt of what failed", each_failed(attempts=1))
told("three-attempts-are-promised", "AB-HLT-03", "the summary says that there are three attempts",
     each_failed(max_attempts=3))  # fmt: skip
told("no-details", "AB-HLT-03", "the summary has no details of what failed", each_failed(details=""))
told("one-failure-is-listed", "AB-HLT-03", "of what failed the summary lists the first",
     lambda found: _replace(found, failed=found.failed[:1]))  # fmt: skip
told("state-lies-elsewhere", "AB-HLT-03", "the summary names the directory above that of the state",
     lambda found: _replace(found, state_directory=found.state_directory.rpartition("/")[0]))  # fmt: skip
told("logs-lie-with-the-state", "AB-HLT-03", "the summary names the directory of the state for that of the logs",
     lambda found: _replace(found, log_directory=found.state_directory))  # fmt: skip
told("blocked-phases-name-nobody", "AB-HLT-04", "the summary does not say what blocks",
     lambda found: _replace(found, blocked=tuple(_replace(each, blocked_by=()) for each in found.blocked)))  # fmt: skip
told("blocked-phases-are-pending", "AB-HLT-04", "the summary lists what is blocked as pending",
     lambda it: _replace(it, blocked=(), pending=(*it.pending, *(each.phase_id for each in it.blocked))))  # fmt: skip
told("ids-are-shown-as-files", "AB-STA-05", "the summary shows ids in lower case",
     lambda found: _replace(found, reason=found.reason.lower(), text=found.text.lower()))  # fmt: skip
told("user-actions-of-nobody", "AB-ERR-06", "the summary has no actions for a person", each_failed(user_actions=()))
told("one-user-action", "AB-ERR-06", "of the actions for a person the summary has the first",
     lambda found: _replace(found, failed=tuple(
         _replace(each, user_actions=each.user_actions[:1]) for each in found.failed)))  # fmt: skip
told("no-package-is-named", "AB-NRT-01", "the summary does not name the package that is missing",
     saying(missing_package=None))  # fmt: skip
told("nobody-requires-it", "AB-NRT-01", "the summary does not say what needs the package", saying(required_by=None))
told("it-installs-itself", "AB-NRT-01", "the summary does not say how the package is installed",
     saying(install_step=None))  # fmt: skip
told("config-is-a-record", "AB-HLT-06", "config.json counts as a record of a phase",
     lambda found: _replace(found, state_files=found.state_files + 1))  # fmt: skip
told("complete-records-are-counted", "AB-HLT-06", "the records of what is complete and failed are counted",
     lambda found: _replace(found, state_files=len(found.completed) + len(found.failed)))  # fmt: skip
told("pending-phases-are-not-listed", "AB-HLT-06", "the summary does not list what is pending", saying(pending=()))
told("blocked-phases-are-listed-twice", "AB-HLT-06", "the summary lists what is blocked as pending too",
     lambda found: _replace(found, pending=(*found.pending, *(each.phase_id for each in found.blocked))))  # fmt: skip


@mutant("user-actions-of-tests", "AB-ERR-06", "a person is told what to do about tests, whatever failed")
class UserActionsOfTests(Summaries):
    def user_actions(self, type_: str) -> tuple[str, ...]:
        return super().user_actions(FailureType.TEST_FAILURE if type_ in tuple(FailureType) else type_)


@mutant("commands-have-no-plan", "AB-HLT-05", "the command that resumes does not name the plan")
class CommandsHaveNoPlan(Summaries):
    def of(
        self, records: Sequence[Record], command: Command, stopped: str | None = None, files: int | None = None
    ) -> Summary:
        return super().of(records, command._replace(plan_path="plan.md"), stopped, files)


@mutant("commands-have-the-usual-mode", "AB-HLT-05", "the command that resumes has the usual commit mode")
class CommandsHaveTheUsualMode(Summaries):
    def of(
        self, records: Sequence[Record], command: Command, stopped: str | None = None, files: int | None = None
    ) -> Summary:
        return super().of(records, command._replace(commit_mode="auto"), stopped, files)


def _without_flag(found: Summary) -> Summary:
    return _replace(found, resume_command=found.resume_command.replace(" --resume", ""))


told("commands-do-not-resume", "AB-HLT-05", "the command that resumes does not say so", _without_flag)
told("no-fresh-command", "AB-HLT-05", "a clean start is not offered", saying(fresh_command=""))
told("fresh-resumes", "AB-HLT-05", "for the clean start stands the command that resumes",
     lambda found: _replace(found, fresh_command=found.resume_command))  # fmt: skip
told("resume-is-fresh-too", "AB-HLT-05", "the command that resumes has both flags",
     lambda found: _replace(found, resume_command=f"{found.resume_command} --fresh"))  # fmt: skip

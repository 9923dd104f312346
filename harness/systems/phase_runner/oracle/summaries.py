"""The summary of a halt. Pure. Clauses AB-HLT-03 to 06, AB-PAR-04, AB-ERR-06, AB-NRT-01 and 04, AB-STA-05."""

import shlex
from collections.abc import Mapping
from typing import Final

from harness.core.history import FileFact
from harness.systems.phase_runner.contract import Conflict, FailedPhase, Summary
from harness.systems.phase_runner.contract.words import (
    CONFLICT_OPTIONS,
    MAX_ATTEMPTS,
    PHASES_DIRECTORY,
    STATE_DIRECTORY,
    USER_ACTIONS,
    CommitMode,
    FailureType,
)
from harness.systems.phase_runner.oracle.conflicts import Clash, Found, normal_path
from harness.systems.phase_runner.oracle.failures import CLASHED, OTHER
from harness.systems.phase_runner.oracle.retries import agree_captured, judge_type
from harness.systems.phase_runner.oracle.run import NOT_RETRYABLE, SECOND_FAILED, Book, Phase, Run, Stands

_FACTS: Final = "the summary has the reason, every phase, the directories and the steps to resume"
_MOST_FAILED: Final = 32  # of which everything downstream is followed one by one


class Account:
    """A summary, against the run that it is of, and the conflicts that were found by now.

    Unless it ``is_strict`` only its form is judged.
    """

    def __init__(self, run: Run, summary: Summary, found: Found, book: Book, *, is_strict: bool) -> None:
        self._run, self._summary, self._found, self._book = run, summary, found, book
        self._is_strict = is_strict
        self._completed = {each.phase_id: each for each in summary.completed}
        self._failed = {each.phase_id: each for each in summary.failed}
        self._blocked = {each.phase_id: each for each in summary.blocked}
        self._is_sound = True
        self._loose = {each for clash in found.every.values() for each in clash.phases}
        if found.is_odd:
            self._loose |= set(run.claims)

    def judge(self, files: Mapping[str, FileFact]) -> None:
        """Notes what is right or wrong with it; ``files`` are those it left, none when nobody looked."""
        self._judge_frame()
        self._judge_commands()
        if not self._is_strict:
            return
        self._judge_counts(files)
        self._judge_completed()
        self._judge_failed()
        self._judge_blocked()
        self._judge_reasons()
        if self._is_sound:
            self._book.agrees("AB-HLT-03", _FACTS)

    def _wrong(self, what: str) -> None:
        self._is_sound = False
        self._book.breaks("AB-HLT-03", _FACTS, what[:400])

    def _judge_frame(self) -> None:
        summary = self._summary
        directory, logs = summary.state_directory.rstrip("/"), summary.log_directory.rstrip("/")
        texts = (summary.reason, summary.text, *summary.resume_steps)
        if not (directory.endswith(".autobuild") and logs.endswith(".autobuild/logs")):
            self._wrong(f"the directories are {directory!r} and {logs!r}")
        elif not summary.resume_steps or not all(each.strip() for each in texts):
            self._wrong("a text of it is empty")

    def _judge_name(self, phase: Phase, told: str) -> None:
        """Whose name counts where the record has another one than the plan is open."""
        names = {phase.row.name, self._run.names.get(phase.row.phase_id, phase.row.name)}
        if None not in names and told not in names:
            self._wrong(f"the name of {phase.row.phase_id!r} is {told[:80]!r}")
        self._is_sound = self._is_sound and len(names) == 1

    def _judge_commands(self) -> None:
        args, summary = self._run.args, self._summary
        mode = f"--commit={args.commit_mode.value}"
        wanted = "the commands repeat plan and commit mode, with --resume in one and --fresh in the other"
        found = {"--resume": summary.resume_command, "--fresh": summary.fresh_command}
        wrong = [
            command
            for flag, command in found.items()
            if flag not in command.split()
            or any(other in command.split() for other in found if other != flag)
            or (args.plan_path not in command and shlex.quote(args.plan_path) not in command)
            or mode not in command.replace("--commit ", "--commit=").split()
        ]
        self._book.holds("AB-HLT-05", not wrong, wanted, f"it is {(wrong or [''])[0][:300]!r}")

    def _judge_counts(self, files: Mapping[str, FileFact]) -> None:
        summary, phases = self._summary, self._run.phases
        listed = [*self._completed, *self._failed, *self._blocked, *summary.pending]
        count = len(summary.completed) + len(summary.failed) + len(summary.blocked) + len(summary.pending)
        wrong = ""
        if count != len(phases) or set(listed) != set(phases):
            wrong = f"{len(phases)} phases, of which {len(set(listed))} are listed, with {count} entries"
        on_disk = [path for path in files if path.startswith(f"{PHASES_DIRECTORY}/phase-") and path.endswith(".json")]
        on_disk = on_disk or [path for path in files if _is_beside(path)]
        own = sum(path.rpartition("/phase-")[2].removesuffix(".json") in phases for path in on_disk)
        if files and not wrong and (own != len(phases) or summary.state_files not in (own, len(on_disk))):
            wrong = f"{len(phases)} phases, {len(on_disk)} state files, and {summary.state_files} are told"
        if wrong:
            self._book.breaks("AB-HLT-06", "every phase is listed once, and has one state file", wrong)
        elif files:
            self._book.agrees("AB-HLT-06", "every phase is listed once, and has one state file")

    def _judge_completed(self) -> None:
        retried = any(phase.attempt >= MAX_ATTEMPTS for phase in self._run.phases.values())
        has_failed = SECOND_FAILED in self._run.triggers
        for phase_id, phase in self._run.phases.items():
            is_listed = phase_id in self._completed
            if phase.is_complete and not is_listed and phase_id not in self._loose and not phase.may_rerun:
                clause = "AB-PAR-04" if phase.attempt >= MAX_ATTEMPTS else "AB-PAR-02" if retried else "AB-HLT-03"
                self._book.breaks(clause, "what is complete stays so", f"{phase_id!r} is not among the completed")
            elif is_listed and not phase.is_complete and phase.stands is not Stands.UNSURE:
                self._book.breaks(
                    "AB-ERR-05", "complete is what a fresh verification passed", f"{phase_id!r} is told so"
                )
            elif is_listed:
                self._judge_commit(phase)
                if phase_id in self._run.round and phase.attempt >= MAX_ATTEMPTS and has_failed:
                    self._book.agrees("AB-PAR-04", "a sibling whose retry succeeded stays complete")

    def _judge_commit(self, phase: Phase) -> None:
        told = self._completed[phase.row.phase_id]
        self._judge_name(phase, told.name)
        if phase.subject is not None and told.commit != phase.subject:
            self._wrong(f"the commit of {told.phase_id!r} is {str(told.commit)[:80]!r}, not {phase.subject[:80]!r}")
        is_due = self._run.args.commit_mode is not CommitMode.SINGLE and bool(phase.wanted_subject.strip())
        is_due = is_due and told.phase_id not in self._loose
        if is_due and not told.commit:
            self._wrong(f"{told.phase_id!r} has no commit")

    def _judge_failed(self) -> None:
        for phase_id, phase in self._run.phases.items():
            has_failed = phase.stands in (Stands.FAILED, Stands.WAITING)
            told = self._failed.get(phase_id)
            if has_failed and told is None:
                self._wrong(f"{phase_id!r} failed, and is not among the failed")
            elif told is not None and has_failed:
                self._judge_one(phase, told)
            elif told is not None and phase_id in self._loose:
                judge_type(CLASHED, told.error_type, self._book)
            elif told is not None and phase.stands is Stands.PENDING:
                self._wrong(f"{phase_id!r} is among the failed, and did not run")

    def _judge_one(self, phase: Phase, told: FailedPhase) -> None:
        failure = phase.last
        is_final = not failure.may_be_retried
        counts = told.attempts == phase.attempt or (is_final and told.attempts == 1)
        if told.max_attempts != MAX_ATTEMPTS or not counts:
            self._wrong(f"{told.attempts}/{told.max_attempts} attempts of {told.phase_id!r}, which had {phase.attempt}")
        elif is_final and phase.attempt >= MAX_ATTEMPTS:
            self._book.agrees(NOT_RETRYABLE, "it halts, whatever attempts are shown",
                              ("first_counts" if told.attempts == 1 else "second_attempt",))  # fmt: skip
        self._judge_name(phase, told.name)
        if not told.details.strip() and not failure.is_silent:
            self._wrong(f"there are no details of {told.phase_id!r}")
        judge_type(failure, told.error_type, self._book)
        agree_captured(failure, told.details, self._book)
        only = failure.only
        if phase.attempt >= MAX_ATTEMPTS and only is not None and only != OTHER:
            wanted = USER_ACTIONS.get(FailureType(only), ())
            is_told = set(wanted) <= set(told.user_actions)
            if wanted:
                self._book.holds("AB-ERR-06", is_told, f"the user actions of {only}", f"{told.user_actions!r}"[:300])

    def _judge_blocked(self) -> None:
        run, book = self._run, self._book
        failed = set(self._failed)
        below = run.graph.downstream(failed) - failed
        wanted = {each for each in below if not run.phases[each].is_complete or run.phases[each].may_rerun}
        direct = {each for each in wanted if failed & set(run.phases[each].row.depends_on)}
        found = set(self._blocked)
        text = "what is downstream of a failed phase is blocked, and names it"
        if not wanted and not found:
            return
        certain = {each for each in wanted if run.phases[each].stands is Stands.PENDING}
        if not (certain <= found <= wanted) and not (found <= direct and certain & direct <= found):
            book.breaks("AB-HLT-04", text, f"{min(found ^ wanted)!r} is blocked wrongly, or not at all")
            return
        upstream = self._upstream(failed)
        wrong = [each for each, told in self._blocked.items() if not told.blocked_by or not set(told.blocked_by)
                 <= upstream.get(each, failed)]  # fmt: skip
        readings = None if certain <= direct else ("transitive",) if certain <= found else ("direct",)
        book.holds("AB-HLT-04", not wrong, text, f"{(wrong or [''])[0]!r} names another one", readings)

    def _upstream(self, failed: set[str]) -> dict[str, set[str]]:
        """By blocked phase the failed ones that it depends on; of very many it may name any."""
        found: dict[str, set[str]] = {}
        if len(failed) <= _MOST_FAILED:
            for each in failed & set(self._run.phases):
                for below in self._run.graph.downstream((each,)):
                    found.setdefault(below, set()).add(each)
        return found

    def _judge_reasons(self) -> None:
        summary, run = self._summary, self._run
        shown = f"{summary.reason}\n{summary.text}"
        lettered = [each for each in self._failed if each.upper() != each]
        if lettered:
            is_upper = any(each.upper() in shown for each in lettered)
            self._book.holds("AB-STA-05", is_upper, f"{lettered[0].upper()} is shown", "it is shown in lower case")
        missing = [phase.last.missing for phase in run.phases.values()
                   if phase.stands is Stands.FAILED and phase.last.missing is not None]  # fmt: skip
        if missing:
            told = (summary.missing_package, summary.required_by)
            sound = any(told == (each.package, each.required_by) and each.install in (summary.install_step or "")
                        for each in missing)  # fmt: skip
            self._book.holds("AB-NRT-01", sound, "package, what needs it, and how it is installed",
                             f"{told}, {summary.install_step!r}"[:300], ("halts",))  # fmt: skip
        told_files = {each.file: each for each in summary.conflicts}
        self._judge_conflicts(told_files)

    def _judge_conflicts(self, told: Mapping[str, Conflict]) -> None:
        clashes, book = self._found.every, self._book
        for path in clashes.keys() & told.keys():
            self._judge_clash(clashes[path], told[path])
        left_out = [clash.path for clash in self._found.in_every_reading if clash.path not in told]
        if told and left_out and not self._found.is_odd:
            book.breaks("AB-NRT-04", "it reports every such file", f"{left_out[0][:200]!r} is not reported")
        elif clashes and not told and not self._run.triggers:
            book.breaks("AB-NRT-04", "it reports the file", "it reports none")
        for path in told:
            if path not in clashes and normal_path(path) == path and not self._found.is_odd:
                book.breaks("AB-NRT-04", "a file that phases of a batch changed", f"{path[:200]!r} is none")

    def _judge_clash(self, clash: Clash, told: Conflict) -> None:
        sides = {each.phase_id: each for each in told.sides}
        lines = {each.phase_id: set(each.lines) for each in clash.touches}
        wrong = set(sides) != set(lines) or not set(CONFLICT_OPTIONS) <= set(told.options)
        no_lines = {each.phase_id for each in clash.touches if each.sorts != {"modified"}}
        wrong = wrong or any(set(sides[each].lines) != lines[each] and not (each in no_lines and not sides[each].lines)
                             for each in lines)  # fmt: skip
        self._book.holds("AB-NRT-04", not wrong, "file, phases, lines and the three options", f"{told}"[:400],
                         None if not clash.spared else ("file",))  # fmt: skip


def _is_beside(path: str) -> bool:
    """Is it a record that lies in .autobuild itself?"""
    rest = path.removeprefix(f"{STATE_DIRECTORY}/phase-")
    return rest != path and rest.endswith(".json") and "/" not in rest

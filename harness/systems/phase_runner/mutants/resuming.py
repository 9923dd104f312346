"""Mutants of a run that goes on, and of one that begins afresh."""

import msgspec

from harness.systems.phase_runner.contract import StartArguments
from harness.systems.phase_runner.contract.words import MAX_ATTEMPTS, LogCode, Mode, Status
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.graph import Graph
from harness.systems.phase_runner.reference.progress import Progress
from harness.systems.phase_runner.reference.records import Record, Turn
from harness.systems.phase_runner.reference.starting import Begun, Found, Starter
from harness.systems.phase_runner.reference.store import TURN, StateError, Store
from harness.systems.phase_runner.reference.summaries import Command
from harness.systems.phase_runner.reference.transitions import Transitions
from harness.systems.trace import Trace

_replace = msgspec.structs.replace


@mutant("attempts-are-counted-on", "AB-RES-01", "what failed before a resume is in its last attempt")
class AttemptsAreCountedOn(Progress):
    def launch_batch(self) -> None:
        failed = {id_ for id_, record in self.run.records.items() if "attempt_1" in (record.error or {})}
        super().launch_batch()
        for place, launch in enumerate(self.launches):
            if launch.phase_id in failed:
                self.put(_replace(self.run.records[launch.phase_id], attempt=MAX_ATTEMPTS))
                self.launches[place] = _replace(launch, attempt=MAX_ATTEMPTS)


@mutant("attempts-are-written-on", "AB-RES-01", "the record of what failed before a resume says attempt 2")
class AttemptsAreWrittenOn(Store):
    def put(self, record: Record) -> None:
        before = self.record(record.phase_id)
        was_failed = before is not None and before.status is Status.PENDING and "attempt_1" in (before.error or {})
        is_begun = record.status is Status.RUNNING and record.attempt == 1
        super().put(_replace(record, attempt=MAX_ATTEMPTS) if was_failed and is_begun else record)


@mutant("what-failed-stays-failed", "AB-RES-01", "a resume halts where the run halted")
class WhatFailedStaysFailed(Transitions):
    def resumed(self, planned: Record, before: Record | None) -> Record:
        if before is not None and before.status is Status.FAILED:
            return before
        return super().resumed(planned, before)


@mutant("what-failed-is-left-out", "AB-RES-01", "a resume takes what failed for complete")
class WhatFailedIsLeftOut(Transitions):
    def resumed(self, planned: Record, before: Record | None) -> Record:
        if before is not None and before.status is Status.FAILED:
            return _replace(before, status=Status.COMPLETE)
        return super().resumed(planned, before)


@mutant("a-halted-run-is-over", "AB-RES-01", "a run that halted cannot be resumed")
class AHaltedRunIsOver(Starter):
    def found(self, graph: Graph) -> Found:
        found = super().found(graph)
        if any(each.status is Status.FAILED for each in found.records.values()):
            raise StateError(LogCode.STATE_CORRUPT, "the run is over")
        return found


@mutant("a-resume-begins-anew", "AB-RES-02", "a resume begins with the first phase, whatever is complete")
class AResumeBeginsAnew(Transitions):
    def resumed(self, planned: Record, before: Record | None) -> Record:
        return planned


@mutant("retries-are-run-again", "AB-RES-02", "a resume runs again what was complete after a retry")
class RetriesAreRunAgain(Transitions):
    def resumed(self, planned: Record, before: Record | None) -> Record:
        return super().resumed(planned, None if before is not None and before.attempt > 1 else before)


@mutant("a-restart-begins-anew", "AB-RES-02", "a process that began after the run did takes it for new")
class ARestartBeginsAnew(Starter):
    def found(self, graph: Graph) -> Found:
        return super().found(graph) if self.memory.run is not None else Found(None, {})


@mutant("a-failed-batch-is-run-again", "AB-RES-02", "a resume runs again the complete siblings of what failed")
class AFailedBatchIsRunAgain(Starter):
    def found(self, graph: Graph) -> Found:
        found = super().found(graph)
        failed = {each for each, record in found.records.items() if record.status is Status.FAILED}
        kept = {id_: each for id_, each in found.records.items() if not failed & graph.partners[id_]}
        return found._replace(records=kept)


@mutant("a-resume-clears-results", "AB-PAR-02", "a resume takes the results of what is complete away")
class AResumeClearsResults(Transitions):
    def resumed(self, planned: Record, before: Record | None) -> Record:
        found = super().resumed(planned, before)
        if found.status is not Status.COMPLETE:
            return found
        return _replace(found, execution=None, quality_gates=None, verification=None, commit=None)


@mutant("blocked-stays-blocked", "AB-RES-03", "what was blocked stays so when its blockers are complete")
class BlockedStaysBlocked(Transitions):
    def resumed(self, planned: Record, before: Record | None) -> Record:
        if before is not None and before.status is Status.BLOCKED:
            return before
        return super().resumed(planned, before)


@mutant("blocked-is-left-out", "AB-RES-03", "what was blocked counts as complete when the run is resumed")
class BlockedIsLeftOut(Transitions):
    def resumed(self, planned: Record, before: Record | None) -> Record:
        if before is not None and before.status is Status.BLOCKED:
            return _replace(before, status=Status.COMPLETE)
        return super().resumed(planned, before)


@mutant("what-was-cut-off-runs-on", "AB-RES-04", "what was running is waited for when the run is resumed")
class WhatWasCutOffRunsOn(Transitions):
    def resumed(self, planned: Record, before: Record | None) -> Record:
        if before is not None and before.status is Status.RUNNING:
            return before
        return super().resumed(planned, before)


@mutant("what-was-cut-off-is-complete", "AB-RES-04", "what was running counts as complete when the run is resumed")
class WhatWasCutOffIsComplete(Transitions):
    def resumed(self, planned: Record, before: Record | None) -> Record:
        if before is not None and before.status is Status.RUNNING:
            return _replace(before, status=Status.COMPLETE, stage=None)
        return super().resumed(planned, before)


@mutant("what-was-set-back-is-complete", "AB-PRT-01", "what was set to pending by hand counts as complete")
class WhatWasSetBackIsComplete(Transitions):
    def resumed(self, planned: Record, before: Record | None) -> Record:
        if before is not None and before.status is Status.PENDING and before.attempt > 0:
            return _replace(before, status=Status.COMPLETE)
        return super().resumed(planned, before)


@mutant("what-was-removed-is-complete", "AB-PRT-01", "a phase whose record was removed by hand counts as complete")
class WhatWasRemovedIsComplete(Starter):
    def found(self, graph: Graph) -> Found:
        found = super().found(graph)
        if not found.records:
            return found
        gone = {
            id_: _replace(self.transitions.planned(graph, id_), status=Status.COMPLETE, attempt=1)
            for id_ in graph.phases
            if id_ not in found.records
        }
        return found._replace(records={**gone, **found.records})


# -- records that are damaged


@mutant("what-is-damaged-is-complete", "AB-COR-01", "a phase whose record is damaged counts as complete")
class WhatIsDamagedIsComplete(Starter):
    def found(self, graph: Graph) -> Found:
        found = super().found(graph)
        if not any(each.code is LogCode.STATE_CORRUPT for each in found.damaged):
            return found
        done = {
            id_: _replace(self.transitions.planned(graph, id_), status=Status.COMPLETE, attempt=1)
            for id_ in graph.phases
            if id_ not in found.records
        }
        return Found(found.config, {**done, **found.records})


@mutant("what-is-damaged-is-begun-anew", "AB-COR-01", "a record that is damaged is taken for none")
class WhatIsDamagedIsBegunAnew(Starter):
    def found(self, graph: Graph) -> Found:
        return super().found(graph)._replace(damaged=())


@mutant("what-is-damaged-is-not-named", "AB-COR-01", "it is not told which record is damaged")
class WhatIsDamagedIsNotNamed(Starter):
    def damaged(self, graph: Graph, found: Found, command: Command, trace: Trace) -> Begun:
        unnamed = [StateError(each.code, "a record is damaged") for each in found.damaged]
        return super().damaged(graph, found._replace(damaged=unnamed), command, trace)


@mutant("fresh-looks-first", "AB-COR-01", "a fresh start is refused when a record is damaged")
class FreshLooksFirst(Starter):
    def turn(self, *, fresh: bool) -> Turn:
        for name in self.store.folders.names(f"{self.store.directory}/phases") if fresh else ():
            if name.startswith("phase-") and name.endswith(".json"):
                self.store.record(name.removeprefix("phase-").removesuffix(".json"))
        return super().turn(fresh=fresh)


# -- fresh


@mutant("fresh-keeps-the-records", "AB-FRS-01", "a fresh start goes on where the run stood")
class FreshKeepsTheRecords(Starter):
    def on(self, graph: Graph, arguments: StartArguments, command: Command, now_s: float, trace: Trace) -> Begun:
        modes = tuple(Mode.RESUME for _ in arguments.modes)
        return super().on(graph, _replace(arguments, modes=modes), command, now_s, trace)


@mutant("fresh-keeps-what-is-not-its-own", "AB-FRS-01", "a fresh start leaves files of others in .autobuild")
class FreshKeepsWhatIsNotItsOwn(Store):
    def clear(self) -> None:
        for name in self.folders.names(self.directory):
            if name in ("phases", "logs", "config.json", "commits.sh"):
                self.remove(f"{self.directory}/{name}")


@mutant("fresh-keeps-old-records", "AB-FRS-01", "a fresh start leaves records of phases that the plan no longer has")
class FreshKeepsOldRecords(Starter):
    def clear(self, trace: Trace) -> None:
        kept = {}
        for name in self.store.folders.names(f"{self.store.directory}/phases"):
            path = f"{self.store.directory}/phases/{name}"
            found = self.store.files.look(path)
            if found is not None and found.kind == "file":
                kept[path] = self.store.files.read(path, 1 << 20)
        super().clear(trace)
        for path, data in kept.items():
            self.store.files.replace(path, data)


@mutant("fresh-keeps-the-logs", "AB-FRS-01", "a fresh start leaves the logs of phases")
class FreshKeepsTheLogs(Store):
    def clear(self) -> None:
        for name in self.folders.names(self.directory):
            if name not in (TURN, "logs"):
                self.remove(f"{self.directory}/{name}")


@mutant("fresh-is-refused", "AB-FRS-01", "there is no fresh start where a run was")
class FreshIsRefused(Starter):
    def turn(self, *, fresh: bool) -> Turn:
        found = super().turn(fresh=fresh)
        if fresh and found.number:
            raise StateError(LogCode.STATE_NEWER, "there is a run")
        return found


@mutant("links-are-followed", "AB-FRS-02", "a fresh start deletes what .autobuild leads to")
class LinksAreFollowed(Store):
    def check_directory(self, path: str) -> None:
        return


@mutant("links-within-are-followed", "AB-FRS-02", "a fresh start deletes what a link within .autobuild leads to")
class LinksWithinAreFollowed(Store):
    def remove(self, path: str) -> None:
        found = self.files.status(path)
        if found is not None and found.kind == "directory":
            for name in self.folders.names(path):
                super().remove(f"{path}/{name}")
        super().remove(path)


@mutant("nobody-is-warned", "AB-FRS-02", "a fresh start does not say that commits remain")
class NobodyIsWarned(Starter):
    def clear(self, trace: Trace) -> None:
        super().clear(Trace())


@mutant("resume-wins", "AB-FRS-03", "resume and fresh together resume, and nothing is said")
class ResumeWins(Starter):
    def begun(self, arguments: StartArguments, now_s: float, trace: Trace) -> Begun:
        modes = tuple(each for each in arguments.modes if each != Mode.FRESH)
        both = {Mode.RESUME, Mode.FRESH} <= set(arguments.modes)
        return super().begun(_replace(arguments, modes=modes) if both else arguments, now_s, trace)

"""How a run goes on within one operation. Every record is on disk before what it allows is told."""

from collections.abc import Mapping, Sequence

import msgspec

from harness.systems.phase_runner.contract import Commit, GateResult, Launch, SubagentResult
from harness.systems.phase_runner.contract.words import (
    MAX_ATTEMPTS,
    CommitMode,
    Event,
    FailureType,
    Gate,
    LaunchKind,
    LogCode,
    Status,
)
from harness.systems.phase_runner.reference.conflicts import Changes, ConflictRules
from harness.systems.phase_runner.reference.failures import Failure, FailureRules, RetryRules
from harness.systems.phase_runner.reference.records import Record, stamp
from harness.systems.phase_runner.reference.run import Run
from harness.systems.phase_runner.reference.store import Store
from harness.systems.phase_runner.reference.transitions import Transitions
from harness.systems.trace import Trace

STOPPED = "the state cannot be written"


class Progress:
    """What one operation does to a run. Methods raise OSError while nothing was changed yet, and none after that."""

    transitions_class = Transitions
    failure_rules_class = FailureRules
    retry_rules_class = RetryRules
    conflict_rules_class = ConflictRules

    def __init__(self, run: Run, store: Store, now_s: float, trace: Trace) -> None:
        self.run = run
        self.store = store
        self.now_s = now_s
        self.trace = trace
        self.transitions = self.transitions_class()
        self.failures = self.failure_rules_class()
        self.retries = self.retry_rules_class()
        self.conflicts = self.conflict_rules_class()
        self.launches: list[Launch] = []
        self.commits: list[Commit] = []
        self.events: list[tuple[Event, str]] = []

    # -- what was reported

    def claimed(self, record: Record, result: SubagentResult) -> None:
        """A sub-agent claims success: that is verified afresh (AB-ERR-05)."""
        subject = self.transitions.subject(record, result)
        self.put(self.transitions.claimed(record, result, subject, self.now_s))
        self.say(Event.VERIFY, f"{record.phase_id} claims success in attempt {record.attempt}")
        self.launches.append(Launch(LaunchKind.VERIFICATION, record.phase_id, record.attempt))

    def failed(self, record: Record, failure: Failure, result: SubagentResult | None) -> None:
        """An attempt failed."""
        self.fail(self.transitions.worked(record, result, self.now_s), failure)
        self.go_on()

    def verified(self, record: Record, gates: Mapping[Gate, GateResult], failure: Failure | None) -> None:
        """A fresh verification ended, and found that failure, if any."""
        checked = self.transitions.checked(record, gates, self.now_s, passed=failure is None)
        self.say(Event.VERIFY, f"{record.phase_id} {'passed' if failure is None else 'failed'}")
        failure = failure or self.conflict(record)
        if failure is None:
            self.complete(checked)
        else:
            self.fail(checked, failure)
        self.go_on()

    # -- parts of that

    def conflict(self, record: Record) -> Failure | None:
        """The files that siblings changed as well; None when there are none (AB-NRT-04)."""
        siblings = {each: self.changed_by(each) for each in self.run.siblings(record.phase_id)}
        found = self.conflicts.found(self.conflicts.changes(record.commit), siblings, record.phase_id)
        if not found:
            return None
        files = ", ".join(each.file for each in found)
        message = f"parallel phases changed the same file: {files}"
        return Failure(FailureType.FILE_CONFLICT, message, "", {"conflicts": msgspec.to_builtins(found)})

    def changed_by(self, phase_id: str) -> Changes:
        """What a sibling changed."""
        if phase_id not in self.run.changed:
            self.run.changed[phase_id] = self.conflicts.changes(self.run.records[phase_id].commit)
        return self.run.changed[phase_id]

    def complete(self, record: Record) -> None:
        """A phase is complete, and committed as the run's mode has it."""
        mode = self.run.config.commit_mode
        after = self.transitions.completed(record, mode, self.now_s)
        self.put(after)
        self.say(Event.PHASE_COMPLETE, f"{record.phase_id} attempt {record.attempt}")
        subject = after.commit.message if after.commit else ""
        if subject and mode == CommitMode.AUTO:
            self.commit((record.phase_id,), subject)
        elif subject and mode == CommitMode.MESSAGE_ONLY:
            self.prepare_commit(record.phase_id, subject)

    def commit(self, phases: tuple[str, ...], subject: str) -> None:
        """A commit is to be made now."""
        self.commits.append(Commit(phases, subject))
        self.say(Event.COMMIT, subject)

    def prepare_commit(self, phase_id: str, subject: str) -> None:
        """A commit is written down; when that fails, the next start does it."""
        try:
            self.store.add_commit(subject)
            self.say(Event.COMMIT, f"prepared for {phase_id}: {subject}")
        except OSError as error:
            self.trace.error(LogCode.STATE_WRITE_FAILED, f"the commit of phase {phase_id} is not prepared", error)

    def fail(self, record: Record, failure: Failure) -> None:
        """An attempt failed: once more when its siblings have returned, or for good."""
        retried = self.may_retry(record, failure)
        step = self.transitions.missed if retried else self.transitions.failed
        self.put(step(record, failure, self.now_s))
        self.say(Event.PHASE_FAIL, f"{record.phase_id} attempt {record.attempt} of {MAX_ATTEMPTS}: {failure.type}")
        if not retried:
            self.block([record.phase_id])

    def may_retry(self, record: Record, failure: Failure) -> bool:
        """Is there another attempt (AB-RTY-01, AB-RTY-04, AB-PAR-05)?"""
        return (
            self.failures.is_retryable(failure.type)
            and record.attempt < MAX_ATTEMPTS
            and not self.run.is_halting
        )  # fmt: skip

    def block(self, failed: Sequence[str]) -> None:
        """Everything downstream of a failed phase waits for it; what is complete stays so (AB-HLT-04)."""
        for each in self.downstream(failed):
            if self.run.records[each].status is Status.PENDING:
                self.settle(self.transitions.blocked(self.run.records[each], failed, self.now_s))

    def downstream(self, failed: Sequence[str]) -> Sequence[str]:
        """What is blocked by these."""
        return self.run.graph.downstream(failed)

    # -- what comes next

    def go_on(self) -> None:
        """Once all of a batch have returned: a halt, their retries, or the next batch."""
        if self.run.active:
            return
        try:
            if self.run.is_halting:
                self.halt()
            elif self.run.waiting:
                self.retry()
            elif self.run.is_complete:
                self.finish()
            else:
                self.launch_batch()
        except OSError as error:
            self.stop(error)

    def launch_batch(self) -> None:
        """The next phases begin; may raise OSError."""
        batch = self.run.next_batch()
        self.say(Event.BATCH, f"{self.run.batch}: {', '.join(batch)}")
        for each in batch:
            self.put(self.transitions.launched(self.run.records[each], self.run.batch, self.now_s))
            self.say(Event.PHASE_START, f"{each} attempt 1")
            self.launches.append(Launch(LaunchKind.PHASE, each))

    def retry(self) -> None:
        """All that failed begin again, together (AB-PAR-03); may raise OSError."""
        for each in self.run.ordered(self.run.waiting):
            after = self.transitions.retried(self.run.records[each], self.now_s)
            context = self.retries.context(after, self.run.commands)
            self.put(after)
            self.say(Event.RETRY, f"{each} attempt {after.attempt} after {context.previous_error_type}")
            self.launches.append(Launch(LaunchKind.PHASE, each, after.attempt, context))

    def finish(self) -> None:
        """Every phase is complete; may raise OSError."""
        if self.run.config.commit_mode == CommitMode.SINGLE:
            self.commit_all()
        self.put_totals()
        self.say(Event.COMPLETE, f"{len(self.run.records)} phases")

    def commit_all(self) -> None:
        """One commit of all that is not committed yet; may raise OSError."""
        open_ = [each for each in self.run.records.values() if each.commit is not None and not each.commit.committed]
        for each in open_:
            self.put(self.transitions.committed(each))
        if open_:
            ids = tuple(each.phase_id for each in open_)
            self.commit(ids, f"feat: {self.run.config.plan_path}, {len(ids)} phases")

    def halt(self) -> None:
        """The final state: nothing waits for a retry any more, and each blocked phase names all that block it."""
        for each in self.run.ordered(self.run.waiting):
            self.settle(self.transitions.failed(self.run.records[each], None, self.now_s))
            self.block([each])
        if len(self.run.failed) > 1:
            self.name_all_blockers()
        self.put_totals()
        self.say(Event.HALT, self.run.stopped or f"failed: {', '.join(self.run.ordered(self.run.failed))}")

    def name_all_blockers(self) -> None:
        """Each blocked phase names every failed one upstream."""
        by: dict[str, list[str]] = {}
        for failed in self.run.ordered(self.run.failed):
            for each in self.downstream([failed]):
                by.setdefault(each, []).append(failed)
        for each, blockers in by.items():
            record = self.run.records[each]
            if record.status is Status.BLOCKED and record.error != {"blocked_by": blockers}:
                self.settle(self.transitions.blocked(record, blockers, self.now_s))

    def stop(self, error: OSError) -> None:
        """What was to be launched cannot be written down: it is not launched, and the run halts."""
        self.trace.error(LogCode.STATE_WRITE_FAILED, STOPPED, error)
        self.launches.clear()
        self.run.active.clear()
        self.run.waiting.clear()
        self.run.stopped = f"{STOPPED}: {error}"
        self.halt()

    # -- writing

    def put(self, record: Record) -> None:
        """Writes a record, then remembers it; may raise OSError, and then nothing is changed."""
        self.store.put(record)
        self.run.put(record)

    def settle(self, record: Record) -> None:
        """As put; a record that cannot be written is what the next start makes of it."""
        self.run.put(record)
        try:
            self.store.put(record)
        except OSError as error:
            self.trace.error(LogCode.STATE_WRITE_FAILED, f"the record of phase {record.phase_id} is old", error)

    def put_totals(self) -> None:
        """Counts phases in config.json."""
        config = msgspec.structs.replace(self.run.config, phases=self.run.totals(), last_updated=stamp(self.now_s))
        self.run.config = config
        try:
            self.store.put_config(config)
        except OSError as error:
            self.trace.error(LogCode.STATE_WRITE_FAILED, "the totals in config.json are old", error)

    def say(self, event: Event, what: str) -> None:
        """Notes an event for the execution log."""
        self.events.append((event, what))

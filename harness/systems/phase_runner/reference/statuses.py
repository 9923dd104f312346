"""How phases stand: what is on disk, whoever wrote it last."""

from collections.abc import Sequence

from harness.systems.phase_runner.contract import PhaseState, StatusArguments, StatusResult
from harness.systems.phase_runner.contract.words import LogCode, Status
from harness.systems.phase_runner.reference.memory import Memory
from harness.systems.phase_runner.reference.records import Record
from harness.systems.phase_runner.reference.run import Run
from harness.systems.phase_runner.reference.store import StateError, Store
from harness.systems.phase_runner.reference.summaries import last_error
from harness.systems.trace import Trace


class Statuses:
    """Looks, and changes nothing. No method raises."""

    def __init__(self, store: Store, memory: Memory) -> None:
        self.store = store
        self.memory = memory

    def of(self, arguments: StatusArguments, trace: Trace) -> StatusResult:
        """The phases that are asked for."""
        try:
            with self.store.locked():
                self.store.check_place()
                turn = self.store.turn()
                run = self.memory.remembered(turn)
                config = None if turn.clearing else self.store.config()
                ids = () if config is None else config.phase_ids
                if config is None:
                    trace.warning(LogCode.NOT_STARTED, "there is no run")
                return self.found(ids, arguments.of, run, trace)
        except StateError as error:
            trace.error(error.code, "nobody knows how the run stands", error)
        except OSError as error:
            trace.error(LogCode.STATE_UNREADABLE, "the state cannot be locked", error)
        return StatusResult((), log=trace.told())

    def found(self, ids: Sequence[str], named: Sequence[str], run: Run | None, trace: Trace) -> StatusResult:
        """The answer; without a run in memory all records are looked at for how it stands."""
        known = set(ids)
        for each in named:
            if each not in known:
                trace.warning(LogCode.PHASE_UNKNOWN, f"no phase has the id {each[:80]!r}")
        wanted = known.intersection(named) if named else known
        seen = {each: self.state(each, trace) for each in ids if run is None or each in wanted}
        states = [each for each in seen.values() if each is not None]
        statuses = [each.status for each in states]
        all_complete = bool(seen) and statuses.count(Status.COMPLETE) == len(seen)
        return StatusResult(
            tuple(each for each in states if each.phase_id in wanted),
            halted=run.is_halted if run is not None else Status.FAILED in statuses and Status.RUNNING not in statuses,
            completed=all_complete and (run is None or run.is_complete),
            log=trace.told(),
        )

    def state(self, phase_id: str, trace: Trace) -> PhaseState | None:
        """How a phase stands by its record; pending when there is none, None when that cannot be read."""
        try:
            found = self.store.record(phase_id)
        except StateError as error:
            trace.error(error.code, f"nobody knows how phase {phase_id} stands", error)
            return None
        return PhaseState(phase_id, Status.PENDING) if found is None else state_of(found)


def state_of(record: Record) -> PhaseState:
    """How a phase stands."""
    type_ = last_error(record).get("type")
    return PhaseState(
        record.phase_id, record.status, record.attempt, type_ if isinstance(type_, str) else None
    )  # fmt: skip

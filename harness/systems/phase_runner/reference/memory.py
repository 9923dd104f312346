"""What a process remembers of the run, as long as no other has changed it."""

from collections.abc import Mapping

import msgspec

from harness.systems.phase_runner.contract.words import LogCode
from harness.systems.phase_runner.reference.graph import GraphChecks
from harness.systems.phase_runner.reference.plan import InvalidPlanError, PlannedPhase
from harness.systems.phase_runner.reference.records import Config, Neighbours, Record, Turn, stamp
from harness.systems.phase_runner.reference.run import Run
from harness.systems.phase_runner.reference.store import StateError, Store


class Memory:
    """The run, and the turn in which this process changed it last. Both methods may raise StateError."""

    checks_class = GraphChecks
    run_class = Run

    def __init__(self, store: Store) -> None:
        self.store = store
        self.checks = self.checks_class()
        self.run: Run | None = None
        self.turn: Turn | None = None

    def remember(self, run: Run, turn: Turn) -> None:
        """This process changed it last."""
        self.run, self.turn = run, turn

    def forget(self) -> None:
        """Nobody knows what is on disk."""
        self.run = self.turn = None

    def remembered(self, turn: Turn) -> Run | None:
        """The run, if that is still the turn of this process."""
        return self.run if turn == self.turn else None

    def current(self, now_s: float) -> Run | None:
        """The run, which this process changes from now on; None when there is none. May raise OSError."""
        turn = self.store.turn()
        run = self.remembered(turn)
        if run is not None:
            return run
        self.forget()
        run = None if turn.starting else self.loaded()
        if run is not None:
            mine = msgspec.structs.replace(turn, number=turn.number + 1, at=stamp(now_s))
            self.store.put_turn(mine)
            self.remember(run, mine)
        return run

    def loaded(self) -> Run | None:
        """The run that is on disk; None when there is none."""
        config = self.store.config()
        if config is None:
            return None
        records: dict[str, Record] = {}
        for id_ in config.phase_ids:
            found = self.store.record(id_)
            if found is None:
                raise StateError(LogCode.STATE_CORRUPT, f"the record of phase {id_[:80]!r} is gone")
            records[id_] = found
        return self.restored(config, records)

    def restored(self, config: Config, records: Mapping[str, Record]) -> Run:
        """The run that these make."""
        rows = []
        for id_, record in records.items():
            neighbours = record.dependencies or Neighbours()
            rows.append(PlannedPhase(id_, record.phase_name, neighbours.depends_on, neighbours.parallel_with))
        try:
            return self.run_class(self.checks.check(rows), config, records)
        except (InvalidPlanError, msgspec.ValidationError) as error:
            raise StateError(LogCode.STATE_CORRUPT, "the records do not fit together", error) from error

"""Mutants of what is asked before an operation begins: LK-SYS-01, LK-SYS-02, LK-SYS-04, LK-SYS-05."""

from collections.abc import Mapping
from typing import Any

from harness.ports.clock import to_seconds
from harness.systems.session_recovery.contract import (
    Action,
    BeginOperationArguments,
    Kind,
    Outcome,
)
from harness.systems.session_recovery.mutants.table import answering, last, mutant, remove_directory, twice, without
from harness.systems.session_recovery.reference.breakers import OPEN, Breakers, Seen
from harness.systems.session_recovery.reference.checkpoints import Checkpoints
from harness.systems.session_recovery.reference.procedures import ContextLoss
from harness.systems.session_recovery.reference.session import SessionRecovery
from harness.systems.session_recovery.reference.trace import Trace

# -- LK-SYS-01


@mutant("isolation-is-not-asked-for", "LK-SYS-01", "several implement at once with whatever worktrees there are")
class IsolationIsNotAskedFor(SessionRecovery):
    def is_isolated(self, arguments: BeginOperationArguments, trace: Trace) -> bool:
        return True


@mutant("two-in-the-main-checkout", "LK-SYS-01", "two of those that implement work in the main checkout")
class TwoInTheMainCheckout(SessionRecovery):
    def worktrees_needed(self, agents: int) -> int:
        return agents - 2


@mutant("readers-need-worktrees", "LK-SYS-01", "agents that only read are refused without worktrees")
class ReadersNeedWorktrees(SessionRecovery):
    def is_isolated(self, arguments: BeginOperationArguments, trace: Trace) -> bool:
        return arguments.kind != Kind.SPAWN or arguments.agents < 2 or arguments.worktrees >= arguments.agents


# -- LK-SYS-02


@mutant("state-is-cleared-at-a-checkpoint", "LK-SYS-02", "the state directory is removed before a checkpoint is stored")
class StateIsClearedAtACheckpoint(Checkpoints):
    def put(self, data: bytes) -> None:
        remove_directory(self.files, f"{self.home}/.loki/state")
        super().put(data)


@mutant("state-is-cleared-after-a-recovery", "LK-SYS-02", "the state directory is removed when a context loss is over")
class StateIsClearedAfterARecovery(ContextLoss):
    def run(self, parts: Any, facts: Any, now_s: float, trace: Trace) -> Any:
        found = super().run(parts, facts, now_s, trace)
        if found.outcome == Outcome.RECOVERED:
            remove_directory(parts.checkpoints.files, f"{parts.checkpoints.home}/.loki/state")
        return found


@mutant("a-lost-state-ends-it", "LK-SYS-02", "once the state directory was removed nothing is kept, and nobody told",
        level="L2", under="filesystem")  # fmt: skip
class ALostStateEndsIt(Checkpoints):
    def store(self, name: str, state: Mapping[str, Any], trace: Trace) -> bool:
        there = self.files.status(f"{self.home}/.loki/state") is not None
        lost = self.__dict__.setdefault("was_there", False) and not there
        if lost:
            return False
        stored = super().store(name, state, trace)
        self.__dict__["was_there"] = True
        return stored


# -- LK-SYS-04


@mutant("checkpoint-is-only-told", "LK-SYS-04", "a checkpoint is said to be stored, and is not")
class CheckpointIsOnlyTold(Checkpoints):
    def store(self, name: str, state: Mapping[str, Any], trace: Trace) -> bool:
        return True


@mutant("spawns-without-a-checkpoint", "LK-SYS-04", "subagents are spawned without a checkpoint")
class SpawnsWithoutACheckpoint(SessionRecovery):
    def needs_checkpoint(self, arguments: BeginOperationArguments) -> bool:
        return arguments.kind == Kind.MAJOR


@mutant("majors-without-a-checkpoint", "LK-SYS-04", "major operations begin without a checkpoint")
class MajorsWithoutACheckpoint(SessionRecovery):
    def needs_checkpoint(self, arguments: BeginOperationArguments) -> bool:
        return arguments.kind == Kind.SPAWN


answering("operations-are-performed-twice", "LK-SYS-04", "an operation is performed, and then once more",
          "begin_operation", twice(Action.PERFORM))  # fmt: skip
answering("act-before-its-checkpoint", "LK-SYS-04", "an operation begins, then the state is kept",
          "begin_operation", last(Action.CHECKPOINT))  # fmt: skip


# -- LK-SYS-05


@mutant("breakers-are-not-obeyed", "LK-SYS-05", "the breaker is asked, and an operation begins whatever it says")
class BreakersAreNotObeyed(Breakers):
    def blocks(self, seen: Seen, now_s: float) -> bool:
        return False


answering("breakers-are-not-asked", "LK-SYS-05", "that a breaker was asked does not show",
          "begin_operation", without(Action.CHECK_BREAKER))  # fmt: skip


@mutant("one-breaker-for-all", "LK-SYS-05", "whatever guards an operation, api/claude is asked")
class OneBreakerForAll(Breakers):
    def look(self, name: str, trace: Trace) -> Seen:
        return super().look("api/claude", trace)


@mutant("the-last-minute-is-let-through", "LK-SYS-05", "a minute before the cooldown is over it counts as over")
class TheLastMinuteIsLetThrough(Breakers):
    def blocks(self, seen: Seen, now_s: float) -> bool:
        return super().blocks(seen, now_s + 60.0)


@mutant("far-times-have-no-cooldown", "LK-SYS-05", "of times after 2038 a cooldown is always over")
class FarTimesHaveNoCooldown(Breakers):
    def is_to_come(self, until_s: float, now_s: float) -> bool:
        return super().is_to_come(until_s, now_s) and now_s < 2**31


@mutant("cooldowns-in-local-time", "LK-RC-02", "the offset of the end of a cooldown is not looked at")
class CooldownsInLocalTime(Breakers):
    def until_s(self, record: Mapping[str, Any]) -> float | None:
        found = super().until_s(record)
        return None if found is None else to_seconds(record["cooldown_until"][:19] + "Z")


@mutant("breakers-are-remembered", "LK-SYS-05", "a process asks each breaker once, and goes by that ever after",
        level="L2", under="filesystem")  # fmt: skip
class BreakersAreRemembered(Breakers):
    def look(self, name: str, trace: Trace) -> Seen:
        known: dict[str, Seen] = self.__dict__.setdefault("known", {})
        if name not in known:
            known[name] = super().look(name, trace)
        return known[name]


@mutant("unused-breakers-are-open", "LK-SYS-05", "what guards an operation and was never used does not let it begin")
class UnusedBreakersAreOpen(Breakers):
    def unused(self) -> Seen:
        return Seen(OPEN)

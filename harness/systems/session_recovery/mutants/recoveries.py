"""Mutants of the three Recovery Procedures: LK-RC-01, LK-RC-02, LK-RC-03."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from harness.systems.queue_document import encoded
from harness.systems.queue_files import PENDING
from harness.systems.queue_store import Queues
from harness.systems.session_recovery.contract import Action, Facts, Failure, Outcome, StepTaken
from harness.systems.session_recovery.mutants.table import changed, cut, first, mutant, restated, without
from harness.systems.session_recovery.reference.breakers import Breakers
from harness.systems.session_recovery.reference.checkpoints import Checkpoints
from harness.systems.session_recovery.reference.procedures import ContextLoss, FailedTests, RateLimit
from harness.systems.session_recovery.reference.tasks import Tasks
from harness.systems.session_recovery.reference.trace import Trace


def _procedure(kind: type, clause: str, name: str, description: str, change: Callable[[Any], Any]) -> None:
    def run(self: Any, parts: Any, facts: Facts, now_s: float, trace: Trace) -> Any:
        return change(kind.run(self, parts, facts, now_s, trace))  # type: ignore[attr-defined]  # one of the three

    mutant(name, clause, description)(type("Changed", (kind,), {"run": run}))


def _loss(name: str, description: str, change: Callable[[Any], Any]) -> None:
    _procedure(ContextLoss, "LK-RC-01", name, description, change)


def _limit(name: str, description: str, change: Callable[[Any], Any]) -> None:
    _procedure(RateLimit, "LK-RC-02", name, description, change)


def _tests(name: str, description: str, change: Callable[[Any], Any]) -> None:
    _procedure(FailedTests, "LK-RC-03", name, description, change)


# -- context loss

_loss("tasks-before-the-phase", "after a context loss interrupted tasks are looked for before the phase",
      lambda found: first(Action.READ_CONTINUITY)(first(Action.READ_IN_PROGRESS)(found)))  # fmt: skip
_loss("one-interrupted-task", "of several interrupted tasks the first is told",
      lambda found: changed(interrupted=found.interrupted[:1])(found))  # fmt: skip
_loss("resumes-from-another-checkpoint", "after a context loss another checkpoint is gone on from than is told",
      restated(Action.RESUME_FROM_CHECKPOINT,
               lambda step: StepTaken(step.action, detail=f"{step.detail}-before")))  # fmt: skip


@mutant("pending-counts-as-interrupted", "LK-RC-01", "tasks that wait count as interrupted, too")
class PendingCountsAsInterrupted(Tasks):
    def ids(self, queues: Queues, trace: Trace) -> tuple[str, ...]:
        return super().ids(queues, trace) + queues.read(PENDING).ids()


@mutant("the-first-checkpoint-stays", "LK-RC-01", "where there is a checkpoint no later one takes its place")
class TheFirstCheckpointStays(Checkpoints):
    def put(self, data: bytes) -> None:
        if self.files.status(f"{self.home}/{self.path()}") is None:
            super().put(data)


@mutant("checkpoints-of-the-process", "LK-RC-01", "each process knows its own checkpoints alone")
class CheckpointsOfTheProcess(Checkpoints):
    def path(self) -> str:
        return f".loki/state/checkpoint-{os.getpid()}.json"


@mutant("states-are-flattened", "LK-RC-01", "what is nested in a checkpoint's state is kept as a text")
class StatesAreFlattened(Checkpoints):
    def data(self, name: str, state: Mapping[str, Any]) -> bytes:
        flat = {key: str(value) if isinstance(value, dict | list) else value for key, value in state.items()}
        return encoded({"name": name, "state": flat})


# -- rate limit

_limit("limit-skips-the-breaker", "after a rate limit the breaker is not looked at", without(Action.CHECK_BREAKER))
_limit("reduces-before-it-waits", "the agents are reduced, then the cooldown is waited for",
       lambda found: first(Action.CHECK_BREAKER)(first(Action.REDUCE_AGENTS)(found)))  # fmt: skip


@mutant("waits-a-minute-less", "LK-RC-02", "a minute of what is left of a cooldown is not waited for")
class WaitsAMinuteLess(Breakers):
    def left_s(self, until_s: float, now_s: float) -> float:
        return max(0.0, super().left_s(until_s, now_s) - 60.0)


@mutant("agents-are-not-reduced", "LK-RC-02", "as many agents go on as before")
class AgentsAreNotReduced(RateLimit):
    def agents(self, agents: int) -> int:
        return agents


@mutant("agents-are-reduced-to-none", "LK-RC-02", "from one agent none goes on")
class AgentsAreReducedToNone(RateLimit):
    def agents(self, agents: int) -> int:
        return min(2, agents - 1)


@mutant("delays-grow-by-five", "LK-RC-02", "delays grow by 5 s, not twofold")
class DelaysGrowByFive(RateLimit):
    def delay_s(self, number: int) -> float:
        return 5.0 * (number + 1)


@mutant("tries-go-on", "LK-RC-02", "it is tried fifty times")
class TriesGoOn(RateLimit):
    def most_tries(self) -> int:
        return 50


# -- test failure

_tests("classified-before-it-is-read", "the failure is classified before the output is read", first(Action.CLASSIFY))
_tests("output-is-not-told", "what the tests said is not read",
       restated(Action.READ_OUTPUT, lambda step: StepTaken(Action.READ_OUTPUT)))  # fmt: skip
_tests("output-is-cut-by-bytes", "of what the tests said 4,096 bytes are read",
       restated(Action.READ_OUTPUT,
                lambda step: StepTaken(step.action, detail=cut(step.detail) or "")))  # fmt: skip
_tests("suite-is-not-run-again", "what is fixed is not tested", without(Action.RERUN_ALL))
_tests("failing-suite-is-recovered", "a suite that fails to the end is said to be all right",
       changed(outcome=Outcome.RECOVERED))  # fmt: skip


@mutant("the-first-rerun-decides", "LK-RC-03", "what fails at the first rerun is real")
class TheFirstRerunDecides(FailedTests):
    def failure(self, facts: Facts) -> Failure:
        return Failure.FLAKY if any(facts.reruns[:1]) else Failure.REAL


@mutant("rolls-back-always", "LK-RC-03", "where there is a commit it is rolled back, needed or not")
class RollsBackAlways(FailedTests):
    def rolling_back(self, facts: Facts) -> tuple[StepTaken, ...]:
        return super().rolling_back(msgspec.structs.replace(facts, rollback_needed=True))


@mutant("rolls-back-never", "LK-RC-03", "what cannot be fixed as it is is not rolled back")
class RollsBackNever(FailedTests):
    def rolling_back(self, facts: Facts) -> tuple[StepTaken, ...]:
        return ()

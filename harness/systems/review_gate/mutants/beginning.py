"""Mutants of the step from one task to the next."""

from harness.systems.review_gate.mutants.table import mutant
from harness.systems.review_gate.reference.gate import ReviewGate
from harness.systems.review_gate.reference.kept_state import DamagedStateError, KeptState
from harness.systems.review_gate.reference.state import DECIDED, NOTHING, Memory


@mutant("tasks-follow-unreviewed", "LK-REV-01", "a task begins whatever became of the one before")
class TasksFollowUnreviewed(ReviewGate):
    def may_begin(self, memory: Memory) -> bool:
        return True


@mutant("a-review-that-runs-is-enough", "LK-REV-01", "a task begins as soon as the review of the one before was opened")
class AReviewThatRunsIsEnough(ReviewGate):
    def may_begin(self, memory: Memory) -> bool:
        return memory.last is None or memory.round_of(memory.last).is_open


@mutant("no-task-follows", "LK-REV-01", "no task begins after the first, whatever its review says")
class NoTaskFollows(ReviewGate):
    def may_begin(self, memory: Memory) -> bool:
        return memory.last is None


@mutant("one-review-is-enough-for-good", "LK-REV-01", "a task that is begun once more counts as reviewed")
class OneReviewIsEnoughForGood(ReviewGate):
    def with_task(self, memory: Memory, task: str) -> Memory:
        return super().with_task(memory, task).with_round(task, memory.round_of(task))


@mutant("a-review-that-blocks-is-enough", "LK-GEN-04", "a task begins when the review of the one before has ended")
class AReviewThatBlocksIsEnough(ReviewGate):
    def may_begin(self, memory: Memory) -> bool:
        return memory.last is None or memory.round_of(memory.last).stage == DECIDED


@mutant("what-is-damaged-is-nothing", "LK-GEN-04", "a state file that is damaged is taken for none")
class WhatIsDamagedIsNothing(KeptState):
    def parsed(self, data: bytes) -> Memory:
        try:
            return super().parsed(data)
        except DamagedStateError:
            return NOTHING

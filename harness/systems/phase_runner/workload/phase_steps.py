"""The words in which the scenarios of phase runners are written."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final, Self

from harness.core.scenario import FORMAT, FileSpec, Operation, Repeat, Scenario, ScenarioLevel, Step, World
from harness.systems import story
from harness.systems.phase_runner.contract import RECORDS_SEEN, RUNNER, SYSTEM
from harness.systems.phase_runner.contract.words import HOME, MAX_ATTEMPTS, FailureType, Gate, Mode
from harness.systems.phase_runner.workload.course import Course
from harness.systems.phase_runner.workload.plans import CYCLE, ONE, Plan
from harness.systems.phase_runner.workload.results import (
    BRIEF_CLAIM,
    BRIEF_GATES,
    BROKEN,
    PASSED,
    TIME_LIMIT_S,
    claimed,
    failed,
)

CLOCK: Final = "2026-03-01T12:00:00Z"
ATTEMPTS: Final = range(1, MAX_ATTEMPTS + 1)
COMMANDS: Final[Mapping[str, str]] = {
    "lint": "npm run lint",
    "lint_fix": "npm run fix",
    "typecheck": "npx tsc",
}
FILES: Final[Mapping[str, FileSpec]] = {
    f"{HOME}/README.md": FileSpec(text="# The project\n"),
    f"{HOME}/src/index.ts": FileSpec(text="export {};\n"),
}
"""What stands in the world, and is none of the runner's."""

Allowed = tuple[Mapping[str, Any], ...]
ANY: Final[Allowed] = ({},)
_ROUNDS: Final = 4  # in which what is open is finished: more only where an order is the reverse of the plan's


def started(plan: Plan | str, *modes: Mode, **how: Any) -> Operation:
    """The operation that begins a run, or goes on with it; ``how`` are further arguments of start."""
    text = plan.text if isinstance(plan, Plan) else plan
    args: dict[str, Any] = {"plan": text, "commands": dict(COMMANDS), **how}
    if modes:
        args["modes"] = [mode.value for mode in modes]
    return Operation("start", args)


def reported(phase_id: str, said: str | None, attempt: int = 1, **how: Any) -> Operation:
    """The operation that tells what the sub-agent of a phase said."""
    heard: Mapping[str, Any] = {} if said is None else {"said": said}
    return Operation("report", {"phase_id": phase_id, "attempt": attempt, **heard, **how})


def verified(phase_id: str, attempt: int = 1, found: Mapping[str, Any] | None = None) -> Operation:
    """The operation that tells what a fresh verification found: that everything passes, unless it is given."""
    return Operation(
        "verified", {"phase_id": phase_id, "attempt": attempt, "gates": dict(PASSED if found is None else found)}
    )


def asked(phase_ids: Iterable[str] = ()) -> Operation:
    """The operation that asks how phases stand: those, whose records it shows, or all."""
    named = list(phase_ids)[:RECORDS_SEEN]
    return Operation("status", {"of": named} if named else {})


class Story(story.Story):
    """Steps as they are told, one method a thing that happens. Phases are named by their normalised ids."""

    def start(self, plan: Plan | str, *modes: Mode, process: int = 0, **how: Any) -> Self:
        """A run begins, or goes on."""
        return self.do(started(plan, *modes, **how), process)

    def resume(self, plan: Plan | str, process: int = 0, **how: Any) -> Self:
        """A run goes on, as who calls it says."""
        return self.start(plan, Mode.RESUME, process=process, **how)

    def fresh(self, plan: Plan | str, process: int = 0, **how: Any) -> Self:
        """A run begins, whatever there is."""
        return self.start(plan, Mode.FRESH, process=process, **how)

    def report(self, phase_id: str, said: str | None, attempt: int = 1, process: int = 0, **how: Any) -> Self:
        """The sub-agent of a phase has ended."""
        return self.do(reported(phase_id, said, attempt, **how), process)

    def claim(self, *phase_ids: str, attempt: int = 1, process: int = 0, **fields: Any) -> Self:
        """The sub-agents of these phases claim success, one after the other."""
        for phase_id in phase_ids:
            self.report(phase_id, claimed(phase_id, **fields), attempt, process)
        return self

    def verify(self, *phase_ids: str, attempt: int = 1, process: int = 0) -> Self:
        """Their fresh verifications find that everything passes."""
        for phase_id in phase_ids:
            self.do(verified(phase_id, attempt), process)
        return self

    def complete(self, *phase_ids: str, attempt: int = 1, process: int = 0) -> Self:
        """They claim success, all of them, and then it is verified."""
        return self.claim(*phase_ids, attempt=attempt, process=process).verify(
            *phase_ids, attempt=attempt, process=process
        )

    def fail(
        self, phase_id: str, kind: FailureType = FailureType.TEST_FAILURE, attempt: int = 1, process: int = 0,
        **fields: Any,
    ) -> Self:  # fmt: skip
        """An attempt fails with that type, of those that a report can end in."""
        if kind is FailureType.TIMEOUT:
            how = {"elapsed_s": TIME_LIMIT_S, "last_activity": "npm test", **fields}
            return self.report(phase_id, None, attempt, process, **how)
        if kind is FailureType.VERIFICATION_MISMATCH:
            return self.claim(phase_id, attempt=attempt, process=process, **fields).mismatch(phase_id, attempt, process)
        return self.report(phase_id, failed(kind, **fields), attempt, process)

    def mismatch(self, phase_id: str, attempt: int = 1, process: int = 0, gate: Gate = Gate.TEST) -> Self:
        """What it claimed is not found: that gate fails."""
        return self.do(verified(phase_id, attempt, {**PASSED, gate.value: BROKEN[gate]}), process)

    def fail_twice(self, phase_id: str, kind: FailureType = FailureType.TEST_FAILURE) -> Self:
        """Both attempts fail."""
        return self.fail(phase_id, kind).fail(phase_id, kind, 2)

    def look(self, of: Plan | None = None, *phase_ids: str) -> Self:
        """How do they stand, by records too: the phases of a plan, and those that are named?"""
        return self.do(asked(dict.fromkeys((*(of.ids if of is not None else ()), *phase_ids))))

    def complete_either(self, *phase_ids: str) -> Self:
        """They succeed, whichever attempt it is: some readings count one that was cut off."""
        for attempt in ATTEMPTS:
            self.complete(*phase_ids, attempt=attempt)
        return self

    def run(self, plan: Plan, *, done: Iterable[str] = ()) -> Self:
        """What is launched succeeds, to the end of the plan."""
        for members in Course(plan, done).batches():
            self.complete(*members)
        return self

    def run_in_any_order(self, plan: Plan, rng: Random) -> Self:
        """The same, and reports of what runs together come in any order, verifications as soon as they can or later."""
        for members in Course(plan).batches():
            waiting = [[reported(each, claimed(each)), verified(each)] for each in members]
            while waiting:
                self.do(waiting[rng.randrange(len(waiting))].pop(0))
                waiting = [each for each in waiting if each]
        return self

    def run_briefly(self, plan: Plan) -> Self:
        """The same as run, in as few words as can be: for plans of hundreds of phases."""
        for members in Course(plan).batches():
            for phase_id in members:
                self.report(phase_id, BRIEF_CLAIM)
            for phase_id in members:
                self.do(verified(phase_id, found=BRIEF_GATES))
        return self

    def finish(self, plan: Plan, at_most: int = _ROUNDS) -> Self:
        """Whatever is open succeeds, whichever it is, until the run is complete; what is not awaited is refused."""
        told = Story()
        for phase_id in plan.ids:
            told.complete_either(phase_id)
        return self.take(Step(repeat=Repeat(at_most, {"completed": True}, told.steps)))

    def control(self) -> Self:
        """In calm weather a phase is retried and completes, and a plan with a cycle is refused; then a fresh world."""
        self.fresh(ONE).fail("0").complete("0", attempt=2)
        return self.fresh(CYCLE).reset()


def calm() -> Story:
    """A story that begins with the control."""
    return Story().control()


def scenario(
    name: str,
    title: str,
    clauses: Sequence[str],
    story: Story,
    *,
    files: Mapping[str, FileSpec] | None = None,
    level: ScenarioLevel = "L1",
    allowed: Allowed = ANY,
) -> Scenario:
    """The story as a scenario, with ``files`` beside or instead of what stands in the world.

    ``clauses`` come sorted, without their ``AB-``; ``allowed`` is what its last operation may give.
    """
    return Scenario(
        format=FORMAT,
        id=f"phases-{name}",
        title=title,
        system=SYSTEM,
        profile=RUNNER,
        level=level,
        clauses=tuple(sorted({f"AB-{clause}" for clause in clauses})),
        world=World(CLOCK, {**FILES, **(files or {})}),
        steps=story.steps,
        allowed=allowed,
    )

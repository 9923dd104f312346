"""Whole runs of plans by chance, in any order, cut off at any moment, up to ten thousand phases. Level L1."""

from collections.abc import Iterator
from random import Random
from typing import Final

from harness.core.scenario import Scenario
from harness.systems.phase_runner.contract.words import COLUMNS, FailureType
from harness.systems.phase_runner.workload.course import Course
from harness.systems.phase_runner.workload.phase_steps import Story, calm, scenario
from harness.systems.phase_runner.workload.plans import Plan, batch, chain, layered, tangled

LOOKED = ("STA-04", "STA-05")
FEW: Final = range(6)
MANY_PHASES: Final = 10_000
_KINDS = (
    FailureType.TEST_FAILURE, FailureType.LINT_ERROR, FailureType.TIMEOUT, FailureType.PARSE_ERROR,
    FailureType.VERIFICATION_MISMATCH, FailureType.TASK_INCOMPLETE,
)  # fmt: skip


def run_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _undisturbed()
    yield from _failing()
    yield from _cut_off()
    yield from _large()
    yield _ten_thousand()


def _chance(number: int) -> Random:
    return Random(number)  # noqa: S311 - has to be repeatable


def _undisturbed() -> Iterator[Scenario]:
    for number in FEW:
        rng = _chance(number)
        plan = layered(rng, rng.randrange(5, 16), 4)
        story = calm().start(plan).run_in_any_order(plan, rng).finish(plan).look(plan).resume(plan)
        yield scenario(f"run-layers-{number}", f"A plan by chance of {len(plan.ids)} phases, reported in any order.",
                       (*LOOKED, "RES-02"), story.look(plan))  # fmt: skip
        plan = tangled(rng, rng.randrange(5, 12))
        story = calm().start(plan).finish(plan, len(plan.ids)).look(plan).resume(plan)
        yield scenario(f"run-tangle-{number}", f"A plan by chance of {len(plan.ids)} phases, many ready at once.",
                       (*LOOKED, "RES-02"), story.look(plan))  # fmt: skip


def _failing() -> Iterator[Scenario]:
    """Some first attempts fail, and one phase fails twice; then the run is resumed."""
    for number in FEW:
        rng = _chance(100 + number)
        plan = layered(rng, rng.randrange(5, 12), 3)
        bad = plan.ids[rng.randrange(len(plan.ids))]
        story = calm().start(plan)
        done = _to_the_halt(story, plan, bad, rng)
        story.look(plan).resume(plan).look(plan).run(plan, done=done).look(plan)
        clauses = (*LOOKED, "CLS-01", "HLT-03", "HLT-05", "RES-01", "RTY-01", "RTY-03", "STA-03")
        yield scenario(f"run-failing-{number}", f"Of a plan by chance phase {bad} fails twice, others once.", clauses,
                       story)  # fmt: skip


def _to_the_halt(story: Story, plan: Plan, bad: str, rng: Random) -> set[str]:
    """Everything up to the batch of ``bad``, which fails there twice; gives what is complete then."""
    done: set[str] = set()
    for members in Course(plan).batches():
        failing = [each for each in members if each == bad or rng.randrange(3) == 0]
        for phase_id in failing:
            story.fail(phase_id, _KINDS[rng.randrange(len(_KINDS))])
        story.complete(*(each for each in members if each not in failing))
        story.complete(*(each for each in failing if each != bad), attempt=2)
        done.update(each for each in members if each != bad)
        if bad in members:
            story.fail(bad, attempt=2)
            break
    return done


def _cut_off() -> Iterator[Scenario]:
    for number in FEW:
        rng = _chance(200 + number)
        plan = layered(rng, rng.randrange(4, 9), 3)
        steps = Story().run_in_any_order(plan, rng).steps
        at = rng.randrange(1, len(steps))
        story = calm().start(plan).take(*steps[:at]).restart().start(plan).look(plan).finish(plan).look(plan)
        yield scenario(f"run-cut-{number}", f"A plan by chance of {len(plan.ids)} phases, cut off after {at} reports.",
                       (*LOOKED, "RES-02", "RES-04"), story.resume(plan).look(plan))  # fmt: skip


def _large() -> Iterator[Scenario]:
    plan = chain(120)
    yield scenario(
        "large-chain", "A hundred and twenty phases in a row.", LOOKED, calm().start(plan).run_briefly(plan).look(plan)
    )
    plan = layered(_chance(7), 200, 24)
    yield scenario("large-layers", "Two hundred phases in layers.", LOOKED,
                   calm().start(plan).run_briefly(plan).look(plan))  # fmt: skip
    plan = batch(64)
    story = calm().start(plan).complete("0").fail("10").fail("163")
    story.complete(*plan.ids[2:-2]).look(plan).complete("10", "163", attempt=2).complete("2").look(plan)
    yield scenario("large-batch", "Sixty-four phases run together, the first and the last of them twice.",
                   (*LOOKED, "CLS-01", "PAR-01", "PAR-02", "PAR-03"), story)  # fmt: skip
    plan = chain(300)
    story = calm().start(plan).complete("0").fail_twice("1").look(plan).resume(plan).complete("1").look(plan)
    yield scenario("large-blocked", "Of three hundred phases the second fails twice.",
                   (*LOOKED, "HLT-03", "HLT-04", "RES-01", "RES-02", "RTY-03"), story)  # fmt: skip


def _ten_thousand() -> Scenario:
    """Its rows are as short as rows can be: the file holds the plan once."""
    rows = "".join(f"|{number}|a|{number - 1 if number else ''}||||\n" for number in range(MANY_PHASES))
    text = f"|{'|'.join(COLUMNS)}|\n{'|-' * len(COLUMNS)}|\n{rows}"
    some = Plan(*chain(3).phases)
    story = calm().start(text).look(some, "9999").complete("0").complete("1").fail("2").look(some, "9999")
    return scenario("large-ten-thousand", "Ten thousand phases in a row.", (*LOOKED, "CLS-01"),
                    story.complete("2", attempt=2).look(some, "9999"))  # fmt: skip

"""Every variant of one L3 scenario, one after the other, until whoever asked has seen enough: for mutants."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from harness.core.history import History
from harness.core.scenario import Scenario
from harness.explore.enumerated import LIMIT, enumerated, explored_steps
from harness.explore.learning import Learned, learned
from harness.explore.operation_orders import SCHEDULES, explored_orders, in_order
from harness.explore.playing import head_of, play
from harness.explore.power_variants import power_variants, watched
from harness.targets.player import InputsOf
from harness.targets.session import Session

Judge = Callable[[Scenario, History], tuple[str, ...]]


class Swept(NamedTuple):
    """One play of a scenario or of a variant, and the clauses that failed in it.

    ``untold``: why orders of it say nothing, since they could not be made; "" when all could.
    """

    scenario: Scenario
    failed: tuple[str, ...]
    untold: str = ""


def swept(
    scenario: Scenario, session: Session, inputs_of: InputsOf, judge: Judge, *, first: str = "", limit: int = LIMIT
) -> Iterator[Swept]:
    """``scenario`` as it is, then its variants; ``judge`` names the clauses that fail.

    Variants whose fault is ``first``, a name or a family, come before the others. Of orders the first that fails is
    given, none where none does, and one more that tells of those that say nothing.
    """
    known = learned(scenario, session, inputs_of)
    yield Swept(scenario, judge(scenario, known.histories[0]))
    for number, place in enumerate(explored_steps(scenario)):
        if scenario.steps[place + 1].schedule is not None:
            yield from _orders(scenario, place, known, session, inputs_of, judge)
            continue
        head = head_of(scenario, place, known.histories[0])
        variants = enumerated(scenario, place, known.recordings[number], limit).variants
        for variant in sorted(variants, key=lambda each: first not in (each.fault.name, each.fault.family)):
            yield Swept(variant.scenario, judge(variant.scenario, play(variant.scenario, session, inputs_of, head)))
        explore = scenario.steps[place].explore
        if explore is not None and "power" in explore.kinds:
            found = watched(scenario, place, session, inputs_of)
            for one in power_variants(scenario, place, found, session.hide, limit).variants:
                yield Swept(one, judge(one, play(one, session, inputs_of, head)))


def _orders(
    scenario: Scenario,
    place: int,
    known: Learned,
    session: Session,
    inputs_of: InputsOf,
    judge: Judge,
) -> Iterator[Swept]:
    one = in_order(scenario, place, ())
    failing: list[str] = []

    def judged(history: History) -> str:
        failed = judge(one, history)
        failing.extend(failed)
        return ",".join(failed)

    report = explored_orders(
        scenario, place, session, inputs_of, judged,
        head=head_of(scenario, place, known.histories[0]),
        limit=SCHEDULES, seed=scenario.seed, over=lambda: bool(failing),
    )  # fmt: skip
    for failure in report.failures:
        yield Swept(in_order(scenario, place, failure.choices, failure.order), tuple(failure.verdict.split(",")))
    if report.inconclusive:
        yield Swept(
            scenario, (), f"{report.untold} of {report.schedules} say nothing, one because {report.inconclusive[0]}"
        )
